//! An evaluation: a trained model drives, its laps are timed, nothing of the model is changed.

use std::path::Path;
use std::sync::Arc;

use deepracer_bucket::{Bucket, LocalBucket};
use deepracer_policy::{ClippedPpo, Phase, PpoHyperparameters};
use deepracer_race::{GridPlace, LapResult, Scenario};
use deepracer_sensor::Scene;
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::params_yaml::{self, Params};
use deepracer_settings::{Checkpoint, RaceType, RacingFolder, RunConfig, Settings};
use deepracer_track::{Route, Track};
use deepracer_world::Shell;

use crate::artefact::layout::ModelLayout;
use crate::artefact::log_lines;
use crate::artefact::metrics::{EvaluationMetrics, EvaluationTrial};
use crate::artefact::simtrace::{StepRow, Trace};
use crate::error::JobError;
use crate::head_to_model::{self, Contender};
use crate::reward::{CenterLine, RewardFunction, RewardTime};
use crate::rollout::{Episode, Mode, Plan, RolloutError, Worker, drive};
use crate::run::RunRecord;
use crate::setup::{self, Worlds};
use crate::stop::StopFlag;
use crate::stored_policy::{self, StoredPolicy};
use crate::train::{Log, RewardFactory, push_episode, step_row};

/// What an evaluation found.
#[derive(Clone, Debug)]
pub struct EvaluationOutcome {
    /// The policy that drove.
    pub policy: StoredPolicy,
    /// The track, in the driven direction.
    pub track: Arc<Track>,
    /// Every lap: finished, or broken off.
    pub laps: Vec<LapResult>,
    /// Every step, as in the trace.
    pub rows: Vec<StepRow>,
    /// Laps that were to be driven.
    pub num_trials: u32,
    /// The metrics file.
    pub metrics_key: String,
    /// The trace file.
    pub trace_key: String,
    /// How the other model did, in a race between models.
    pub opponent: Option<OpponentOutcome>,
}

/// What an evaluation found of the other model.
#[derive(Clone, Debug)]
pub struct OpponentOutcome {
    /// Its folder in the bucket.
    pub prefix: String,
    /// The policy that drove.
    pub policy: StoredPolicy,
    /// Every lap: finished, or broken off by the end of the race.
    pub laps: Vec<LapResult>,
    /// Every step, as in the trace.
    pub rows: Vec<StepRow>,
    /// The metrics file.
    pub metrics_key: String,
    /// The trace file.
    pub trace_key: String,
}

impl EvaluationOutcome {
    /// Laps that were completed.
    pub fn num_completed(&self) -> usize {
        self.laps.iter().filter(|lap| lap.progress >= 100.0).count()
    }
}

/// Evaluates as `record` says. `running` is called once, when everything is set up and driving begins.
///
/// # Errors
/// There is no such model or checkpoint, its files are damaged, the disk is full: see [`JobError`].
pub fn run(
    record: &RunRecord,
    rewards: &mut RewardFactory<'_>,
    stop: &StopFlag,
    running: &mut (dyn FnMut() + Send),
) -> Result<EvaluationOutcome, JobError> {
    let settings = record.request.settings()?.swap_remove(0);
    let threads = setup::threads(settings.config().threads)?;
    let root = record.racing_folder().bucket(&settings.config().storage.bucket);
    let bucket = LocalBucket::new(root.clone());
    threads
        .install(|| evaluate(record, &settings, &bucket, &root, rewards, stop, running))
        .inspect_err(|error| tell(record, error))
}

/// Writes a failure into the log; whoever waits for the evaluation hears of it as well.
fn tell(record: &RunRecord, error: &JobError) {
    if !matches!(error, JobError::Rollout(RolloutError::Stopped))
        && let Ok(mut log) = Log::open(record.logs.worker(0))
    {
        let _ = log.write(&error.log_lines("evaluate.rs::run"));
    }
}

fn evaluate(
    record: &RunRecord,
    settings: &Settings,
    bucket: &dyn Bucket,
    root: &Path,
    rewards: &mut RewardFactory<'_>,
    stop: &StopFlag,
    running: &mut (dyn FnMut() + Send),
) -> Result<EvaluationOutcome, JobError> {
    let config = settings.config();
    let stamp = &record.request.stamp;
    let model = ModelLayout::new(&config.storage.model_prefix)?;
    let (metadata, _) = ModelMetadata::parse(&record.request.model_metadata, "model_metadata.json")?;
    let racing_folder = RacingFolder::at(record.request.racing_folder.clone());
    let world = Worlds::new(setup::library(&racing_folder)).load(&config.world_name)?;
    let is_race = config.race_type == RaceType::HeadToModel;
    let grid = is_race.then(head_to_model::grid);
    let reward: Box<dyn RewardFunction> =
        if record.request.reward.is_some() { rewards(0)? } else { Box::new(CenterLine) };
    let entry = Entry {
        prefix: &config.storage.model_prefix,
        checkpoint: config.evaluation.checkpoint,
        grid: grid.map(|[first, _]| first),
        body_shell: &config.car.body_shell,
    };
    let mut entrant = Entrant::new(bucket, root, config, &world, &entry, metadata, reward)?;
    let mut opponent = match grid {
        Some([_, second]) => Some(opponent(bucket, root, config, &world, second)?),
        None => None,
    };

    let epoch_s = epoch_s(stamp);
    let params = Params::evaluation(settings, stamp);
    let params = if is_race { params.against_opponent(settings, epoch_s) } else { params };
    bucket.put(&model.params(&config.storage.evaluation_params_file), params.to_yaml().as_bytes())?;
    let mut log = Log::open(record.logs.worker(0))?;
    let reward_name = if record.request.reward.is_some() { "the user's" } else { "the built-in centre line" };
    let against = opponent
        .as_ref()
        .map_or_else(String::new, |opponent| format!(" against {} {}", config.opponent.model_prefix, opponent.stored));
    log.write(&format!(
        " * /WORLD_NAME: {}\n * /RACE_TYPE: {}\n * /JOB_TYPE: EVALUATION\n{}\nEvaluating {} {}{against} on {}, {} \
         laps, vehicle generation {:?}, {reward_name} reward",
        config.world_name,
        config.race_type,
        entrant.metadata.log_lines().join("\n"),
        config.storage.model_prefix,
        entrant.stored,
        config.world_name,
        config.evaluation.number_of_trials,
        setup::generation(&entrant.metadata),
    ))?;
    running();

    let start = entrant.contender.worker.scenario.start_of_episode(0);
    let num_episodes = if config.evaluation.is_continuous { 1 } else { u64::from(config.evaluation.number_of_trials) };
    let phase = if config.evaluation.sample_actions { Phase::Train } else { Phase::Evaluate };
    let seed = config.evaluation.seed;
    let (episodes, of_opponent) = if let Some(opponent) = &mut opponent {
        let mode = head_to_model::Mode { num_episodes, start, phase, seed, stop };
        let [own, others] = head_to_model::drive([&mut entrant.contender, &mut opponent.contender], &mode)?;
        (own, Some((opponent, others)))
    } else {
        let plans: Vec<Plan> = (0..num_episodes).map(|number| Plan { worker: 0, number, start }).collect();
        let Contender { worker, policy, actions, .. } = &mut entrant.contender;
        let mode = Mode { phase, max_experience: 0, seed, num_steps_before: 0, actions, stop };
        (drive(std::slice::from_mut(worker), &plans, policy, &mode, &mut |_| {})?, None)
    };

    let is_continuous = config.evaluation.is_continuous;
    let (trace_key, metrics_key) = (model.evaluation_trace(stamp), params_yaml::evaluation_metrics_key(config, stamp));
    let results = Results::of(&episodes, &entrant.metadata, is_continuous);
    results.save(bucket, &trace_key, &metrics_key)?;
    log.write(&results.log_text(&episodes))?;
    let opponent = match of_opponent {
        None => None,
        Some((opponent, episodes)) => {
            let prefix = config.opponent.model_prefix.clone();
            let trace_key = ModelLayout::new(&prefix)?.opponent_trace();
            let metrics_key = params_yaml::opponent_metrics_key(config, epoch_s);
            let results = Results::of(&episodes, &opponent.metadata, is_continuous);
            results.save(bucket, &trace_key, &metrics_key)?;
            let (policy, Results { rows, laps, .. }) = (opponent.stored.clone(), results);
            Some(OpponentOutcome { prefix, policy, laps, rows, metrics_key, trace_key })
        }
    };
    log.write(log_lines::EVALUATION_COMPLETE)?;
    Ok(EvaluationOutcome {
        policy: entrant.stored,
        track: entrant.contender.worker.scenario.track(start.direction).clone(),
        laps: results.laps,
        rows: results.rows,
        num_trials: config.evaluation.number_of_trials,
        metrics_key,
        trace_key,
        opponent,
    })
}

/// Which model takes part, and where it starts.
struct Entry<'a> {
    prefix: &'a str,
    checkpoint: Checkpoint,
    grid: Option<GridPlace>,
    body_shell: &'a str,
}

/// A model that takes part in an evaluation.
struct Entrant {
    stored: StoredPolicy,
    metadata: ModelMetadata,
    contender: Contender,
}

impl Entrant {
    fn new(
        bucket: &dyn Bucket,
        root: &Path,
        config: &RunConfig,
        (route, scene): &(Arc<Route>, Arc<Scene>),
        entry: &Entry<'_>,
        metadata: ModelMetadata,
        reward: Box<dyn RewardFunction>,
    ) -> Result<Self, JobError> {
        let stored = stored_policy::find(bucket, root, entry.prefix, entry.checkpoint)?;
        let mut policy = ClippedPpo::new(setup::policy_spec(&metadata)?, PpoHyperparameters::default(), 0)?;
        stored.load_into(&mut policy)?;
        let generation = setup::generation(&metadata);
        let scenario = setup::evaluation_scenario(route.clone(), generation, config)?;
        let worker = Worker {
            index: 0,
            scenario: Scenario { grid: entry.grid, ..scenario }.into(),
            view: setup::view(scene, &metadata, generation, config.train.quality).with_variety(setup::variety(config)),
            reward,
            clock_s: 0.0,
            reward_time: RewardTime::default(),
        };
        let shell = Shell::of_name(entry.body_shell);
        let contender = Contender { worker, policy, actions: metadata.action_space.clone(), shell };
        Ok(Self { stored, metadata, contender })
    }
}

/// The other model of a race. Its rewards, which only its trace shows, are the built-in ones.
fn opponent(
    bucket: &dyn Bucket,
    root: &Path,
    config: &RunConfig,
    world: &(Arc<Route>, Arc<Scene>),
    grid: GridPlace,
) -> Result<Entrant, JobError> {
    let opponent = &config.opponent;
    let key = stored_policy::model_metadata_key(bucket, &ModelLayout::new(&opponent.model_prefix)?)?;
    let text = bucket.get(&key)?;
    let (metadata, _) = ModelMetadata::parse(&String::from_utf8_lossy(&text), &key)?;
    let entry = Entry {
        prefix: &opponent.model_prefix,
        checkpoint: opponent.checkpoint,
        grid: Some(grid),
        body_shell: &opponent.body_shell,
    };
    Entrant::new(bucket, root, config, world, &entry, metadata, Box::new(CenterLine))
}

/// When the evaluation with this stamp (local time, `YYYYmmddHHMMSS`) began, in seconds since 1970.
fn epoch_s(stamp: &str) -> i64 {
    let local = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", stamp);
    let zoned = local.and_then(|local| local.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| jiff::Timestamp::now(), |zoned| zoned.timestamp()).as_second()
}

/// What a model's files tell of its episodes.
struct Results {
    rows: Vec<StepRow>,
    laps: Vec<LapResult>,
    metrics: EvaluationMetrics,
}

impl Results {
    fn of(episodes: &[Episode], metadata: &ModelMetadata, is_continuous: bool) -> Self {
        let mut results = Self { rows: Vec::new(), laps: Vec::new(), metrics: EvaluationMetrics::new() };
        let mut num_trials = 0;
        for episode in episodes {
            push_rows(&mut results.rows, episode, metadata, &mut num_trials);
            for trial in trials(&episode.laps, episode.start_s) {
                if trial.progress >= 100.0 || !is_continuous {
                    results.metrics.push(&trial);
                } else {
                    results.metrics.push_unfinished(&trial);
                }
            }
            results.laps.extend_from_slice(&episode.laps);
        }
        results
    }

    fn save(&self, bucket: &dyn Bucket, trace_key: &str, metrics_key: &str) -> Result<(), JobError> {
        let mut trace = Trace::new();
        self.rows.iter().for_each(|row| trace.push(row));
        trace.save(bucket, trace_key)?;
        self.metrics.save(bucket, metrics_key)?;
        Ok(())
    }

    /// The steps and what was printed between them, as logs show them.
    fn log_text(&self, episodes: &[Episode]) -> String {
        let mut text = String::new();
        let mut rows = self.rows.iter().copied();
        for episode in episodes {
            push_episode(&mut text, episode, rows.by_ref().take(episode.rows.len()));
        }
        text
    }
}

/// The rows of an episode; the trace's episode column counts the laps completed before each.
fn push_rows(rows: &mut Vec<StepRow>, episode: &Episode, metadata: &ModelMetadata, num_trials: &mut u64) {
    for row in &episode.rows {
        rows.push(step_row(*num_trials, row, &metadata.action_space));
        if row.step.lap.is_some() {
            *num_trials += 1;
        }
    }
}

/// The laps of an episode that began at `start_s` as metrics tell of them. A completed lap is told of as such, also when it
/// is not the last; the original wrote the status of its last step, in progress.
fn trials(laps: &[LapResult], start_s: f64) -> impl Iterator<Item = EvaluationTrial> {
    laps.iter().map(move |lap| EvaluationTrial {
        progress: lap.progress,
        start_time_s: start_s + lap.start_s,
        end_time_s: start_s + lap.end_s,
        status: lap.status,
        num_crashes: lap.num_crashes,
        num_immobilized: lap.num_immobilized,
        num_off_tracks: lap.num_off_tracks,
        num_reversed: lap.num_reversed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_race::EpisodeStatus;

    #[test]
    fn three_laps_of_one_episode_have_the_times_of_a_recorded_evaluation() {
        // An evaluation on reinvent_base, July 2022: the file is the same but for the status of the first two laps.
        let times_s = [(6.932, 21.724), (21.724, 35.525), (35.525, 50.256)];
        let laps = times_s.map(|(start_s, end_s)| LapResult {
            start_s: start_s - 6.932,
            end_s: end_s - 6.932,
            progress: 100.0,
            status: EpisodeStatus::LapComplete,
            num_crashes: 0,
            num_off_tracks: 0,
            num_immobilized: 0,
            num_reversed: 0,
        });
        let mut metrics = EvaluationMetrics::new();
        trials(&laps, 6.932).for_each(|trial| metrics.push(&trial));
        let row = |start: u32, end: u32, trial: u32| {
            format!(
                "{{\"completion_percentage\": 100, \"metric_time\": {end}, \"start_time\": {start}, \
                 \"elapsed_time_in_milliseconds\": {}, \"episode_status\": \"Lap complete\", \"crash_count\": 0, \
                 \"immobilized_count\": 0, \"off_track_count\": 0, \"reversed_count\": 0, \"reset_count\": 0, \
                 \"trial\": {trial}}}",
                end - start
            )
        };
        let rows = [row(6932, 21724, 1), row(21724, 35525, 2), row(35525, 50256, 3)];
        assert_eq!(metrics.json(), format!("{{\"metrics\": [{}]}}", rows.join(", ")));
    }
}
