//! An evaluation: a trained model drives, its laps are timed, nothing of the model is changed.

use std::path::Path;

use deepracer_bucket::{Bucket, LocalBucket};
use deepracer_policy::{ClippedPpo, Phase, PpoHyperparameters};
use deepracer_race::LapResult;
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::params_yaml::{self, Params};
use deepracer_settings::{RacingFolder, Settings};
use deepracer_track::Track;

use crate::artefact::layout::ModelLayout;
use crate::artefact::log_lines;
use crate::artefact::metrics::{EvaluationMetrics, EvaluationTrial};
use crate::artefact::simtrace::{StepRow, Trace};
use crate::error::JobError;
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
    pub track: std::sync::Arc<Track>,
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
    let stored = stored_policy::find(bucket, root, &config.storage.model_prefix, config.evaluation.checkpoint)?;
    let mut policy = ClippedPpo::new(setup::policy_spec(&metadata)?, PpoHyperparameters::default(), 0)?;
    stored.load_into(&mut policy)?;

    let racing_folder = RacingFolder::at(record.request.racing_folder.clone());
    let (route, scene) = Worlds::new(setup::library(&racing_folder)).load(&config.world_name)?;
    let generation = setup::generation(&metadata);
    let scenario = setup::evaluation_scenario(route, generation, config)?;
    let start = scenario.start_of_episode(0);
    let num_episodes = if config.evaluation.is_continuous { 1 } else { u64::from(config.evaluation.number_of_trials) };
    let reward: Box<dyn RewardFunction> =
        if record.request.reward.is_some() { rewards(0)? } else { Box::new(CenterLine) };
    let mut workers = [Worker {
        index: 0,
        scenario: scenario.into(),
        view: setup::view(&scene, &metadata, generation, config.train.quality),
        reward,
        clock_s: 0.0,
        reward_time: RewardTime::default(),
    }];

    let params = Params::evaluation(settings, stamp);
    bucket.put(&model.params(&config.storage.evaluation_params_file), params.to_yaml().as_bytes())?;
    let mut log = Log::open(record.logs.worker(0))?;
    let reward_name = if record.request.reward.is_some() { "the user's" } else { "the built-in centre line" };
    log.write(&format!(
        " * /WORLD_NAME: {}\n * /RACE_TYPE: {}\n * /JOB_TYPE: EVALUATION\n{}\nEvaluating {} {stored} on {}, {} \
         laps, vehicle generation {generation:?}, {reward_name} reward",
        config.world_name,
        config.race_type,
        metadata.log_lines().join("\n"),
        config.storage.model_prefix,
        config.world_name,
        config.evaluation.number_of_trials,
    ))?;
    running();

    let plans: Vec<Plan> = (0..num_episodes).map(|number| Plan { worker: 0, number, start }).collect();
    let mode = Mode {
        phase: if config.evaluation.sample_actions { Phase::Train } else { Phase::Evaluate },
        max_experience: 0,
        seed: config.evaluation.seed,
        num_steps_before: 0,
        actions: &metadata.action_space,
        stop,
    };
    let episodes = drive(&mut workers, &plans, &mut policy, &mode, &mut |_| {})?;

    let mut metrics = EvaluationMetrics::new();
    let mut trace = Trace::new();
    let mut rows = Vec::new();
    let mut laps = Vec::new();
    let mut num_trials = 0;
    for episode in &episodes {
        let first = rows.len();
        push_rows(&mut rows, episode, &metadata, &mut num_trials);
        let mut text = String::new();
        push_episode(&mut text, episode, rows[first..].iter().copied());
        log.write(&text)?;
        for trial in trials(&episode.laps, episode.start_s) {
            if trial.progress >= 100.0 || !config.evaluation.is_continuous {
                metrics.push(&trial);
            } else {
                metrics.push_unfinished(&trial);
            }
        }
        laps.extend_from_slice(&episode.laps);
    }
    for row in &rows {
        trace.push(row);
    }
    let trace_key = model.evaluation_trace(stamp);
    trace.save(bucket, &trace_key)?;
    let metrics_key = params_yaml::evaluation_metrics_key(config, stamp);
    metrics.save(bucket, &metrics_key)?;
    log.write(log_lines::EVALUATION_COMPLETE)?;
    Ok(EvaluationOutcome {
        policy: stored,
        track: workers[0].scenario.track(start.direction).clone(),
        laps,
        rows,
        num_trials: config.evaluation.number_of_trials,
        metrics_key,
        trace_key,
    })
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
