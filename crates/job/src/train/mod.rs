//! A training run: iterations of driving, judging and learning.
//!
//! One iteration, in order: all workers drive their share of the episodes with the current checkpoint; worker 0 drives
//! evaluations from the start line; the checkpoint is judged by them; the policy learns; the next checkpoint is saved.
//! A run that is stopped or killed goes on from its newest checkpoint as if nothing had happened: everything random is a
//! function of seed, worker and episode, and the checkpoint holds the optimiser and all counters.

mod files;
#[cfg(test)]
mod interruption_tests;
mod log;
mod start;
mod state;
mod summary;

pub(crate) mod checkpoints;

pub(crate) use log::{Log, push_episode, step_row};

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use deepracer_bucket::{Bucket, LocalBucket};
use deepracer_policy::{ClippedPpo, Phase, Rollout, TrainReport};
use deepracer_race::{EpisodeStatus, Start};
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::{RunConfig, Settings};

use self::checkpoints::Checkpoints;
use self::log::Logs;
use self::state::TrainState;
use self::summary::Summary;
use crate::artefact::best_model::{BestModelMetric, BestModelSelection};
use crate::artefact::checkpoint_index::CheckpointName;
use crate::artefact::log_lines::{self, EpisodeReport, EpochReport};
use crate::artefact::marker::Marker;
use crate::artefact::metrics::{EpisodeSummary, TrainingMetrics};
use crate::artefact::simtrace::Trace;
use crate::error::JobError;
use crate::reward::{RewardError, RewardFunction};
use crate::rollout::{Episode, Mode, Plan, Pulse, RolloutError, Worker, drive};
use crate::run::RunRecord;
use crate::setup;
use crate::stop::StopFlag;

/// Makes the reward function of a worker, counted from 0; every worker has its own.
pub type RewardFactory<'a> = dyn FnMut(usize) -> Result<Box<dyn RewardFunction>, RewardError> + Send + 'a;

/// Seconds between the lines that say how far a round of driving is.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How many times the steps that may be learnt from are kept while driving. More than once, since it is only known at the
/// end which episodes fit under the cap; bounded, since an episode may last 100,000 steps and a step is a picture.
const EXPERIENCE_PER_CAP: usize = 2;

/// Why a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `term_cond_max_episodes` training episodes were driven.
    Episodes,
    /// `DR_TRAIN_STOP_MINUTES` are over.
    Minutes,
    /// `DR_TRAIN_STOP_ITERATIONS` are done.
    Iterations,
    /// `DR_TRAIN_STOP_STEPS` were driven.
    Steps,
    /// An evaluation reached `DR_TRAIN_STOP_COMPLETION`.
    Completion,
    /// Somebody asked.
    Stopped,
}

impl Ended {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Episodes => "term_cond_max_episodes is reached",
            Self::Minutes => "DR_TRAIN_STOP_MINUTES is reached",
            Self::Iterations => "DR_TRAIN_STOP_ITERATIONS is reached",
            Self::Steps => "DR_TRAIN_STOP_STEPS is reached",
            Self::Completion => "an evaluation reached DR_TRAIN_STOP_COMPLETION",
            Self::Stopped => "it was asked to stop",
        }
    }
}

/// What a training left behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainOutcome {
    /// Why it ended.
    pub ended: Ended,
    /// The best checkpoint by the chosen metric.
    pub best: Option<CheckpointName>,
    /// The newest checkpoint.
    pub last: CheckpointName,
    /// Iterations completed.
    pub num_iterations: u64,
    /// Training episodes driven.
    pub num_episodes: u64,
    /// Training steps driven.
    pub num_steps: u64,
}

/// Trains as `record` says and returns when the training has ended. `running` is called once, when everything is set
/// up and driving begins.
///
/// # Errors
/// Something is wrong with the settings or files, the reward function fails, the disk is full: see [`JobError`]. What
/// was saved before stays as it is.
pub fn run(
    record: &RunRecord,
    rewards: &mut RewardFactory<'_>,
    stop: &StopFlag,
    running: &mut (dyn FnMut() + Send),
) -> Result<TrainOutcome, JobError> {
    let settings = record.request.settings()?;
    let threads = setup::threads(settings[0].config().threads)?;
    let bucket_folder = record.racing_folder().bucket(&settings[0].config().storage.bucket);
    let bucket = LocalBucket::new(bucket_folder.clone());
    // Reward functions run on the thread that called, the rest on the pool.
    let mut trainer = threads
        .install(|| Trainer::start(record, settings, &bucket, bucket_folder.clone(), rewards))
        .inspect_err(|error| tell(record, error))?;
    running();
    let outcome = threads.install(|| trainer.train(stop));
    trainer.finish(&outcome)?;
    outcome
}

/// Writes a failure into the trainer's log, where people look for it. Whoever waits for the run hears of it as well, so
/// a log that cannot be written is no further failure.
fn tell(record: &RunRecord, error: &JobError) {
    if let Ok(mut log) = Log::open(record.logs.trainer()) {
        let _ = log.write(&error.log_lines("train.rs::run"));
    }
}

/// Everything a training needs.
struct Trainer<'a> {
    settings: Vec<Settings>,
    config: RunConfig,
    metadata: ModelMetadata,
    workers: Vec<Worker>,
    shares: Vec<u64>,
    policy: ClippedPpo,
    rollout: Rollout,
    max_steps: usize,
    max_episodes: u64,
    bucket: &'a dyn Bucket,
    checkpoints: Checkpoints<'a>,
    metrics: Vec<TrainingMetrics>,
    traces: Vec<Trace>,
    metric: BestModelMetric,
    selection: BestModelSelection,
    logs: Logs,
    state: TrainState,
    /// When this session began, and the seconds of earlier ones.
    begun: Instant,
    seconds_before: f64,
}

impl Trainer<'_> {
    fn train(&mut self, stop: &StopFlag) -> Result<TrainOutcome, JobError> {
        // A run that is gone on with may be at its limit already.
        let mut reached = self.end_of_training(stop);
        let ended = loop {
            if let Some(ended) = reached {
                break ended;
            }
            reached = match self.iterate(stop) {
                Err(JobError::Rollout(RolloutError::Stopped)) => Some(Ended::Stopped),
                iterated => iterated?,
            };
        };
        if !matches!(ended, Ended::Stopped | Ended::Completion) {
            // The original never judged its last checkpoint.
            match self.evaluate(stop) {
                Ok(_) | Err(JobError::Rollout(RolloutError::Stopped)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(TrainOutcome {
            ended,
            best: self.selection.best(),
            last: self.checkpoint(),
            num_iterations: self.state.iteration,
            num_episodes: self.state.num_episodes,
            num_steps: self.state.num_steps,
        })
    }

    /// The checkpoint the policy is at: the newest one that was saved.
    fn checkpoint(&self) -> CheckpointName {
        self.checkpoints.newest().unwrap_or_else(|| self.state.checkpoint_name())
    }

    /// One iteration; tells why the training ends when it does.
    fn iterate(&mut self, stop: &StopFlag) -> Result<Option<Ended>, JobError> {
        let begun = Instant::now();
        let before = self.state.clone();
        let result = self.iteration(stop, begun);
        if result.is_err() {
            // The checkpoint on the disk is that of the iteration's beginning.
            self.state = before;
        }
        result
    }

    fn iteration(&mut self, stop: &StopFlag, begun: Instant) -> Result<Option<Ended>, JobError> {
        let num_steps_before = self.state.num_steps;
        let episodes = self.drive_training(stop)?;
        let driven = begun.elapsed();
        self.record(&episodes)?;
        let completion = self.evaluate(stop)?;
        let evaluated = begun.elapsed().saturating_sub(driven);
        let summary = Summary {
            num_episodes: episodes.len(),
            num_steps: self.state.num_steps - num_steps_before,
            mean_completion: mean(episodes.iter().map(|episode| episode.progress().clamp(0.0, 100.0))),
            mean_reward: mean(episodes.iter().map(Episode::total_reward)),
            completion,
            driven,
            evaluated,
        };
        if let (Some(reached), Some(wanted)) = (completion, self.config.train.stop_completion_percent)
            && reached >= wanted
        {
            self.state.iteration += 1;
            self.report_iteration(&summary, None, Duration::ZERO)?;
            return Ok(Some(Ended::Completion));
        }
        let num_used = self.collect(episodes)?;
        let learning = Instant::now();
        let Some(report) = self.learn(stop)? else {
            return Err(RolloutError::Stopped.into());
        };
        self.state.iteration += 1;
        self.state.checkpoint += 1;
        self.state.seconds = self.seconds_before + self.begun.elapsed().as_secs_f64();
        self.save_checkpoint()?;
        self.report_iteration(&summary, Some((&report, num_used)), learning.elapsed())?;
        Ok(self.end_of_training(stop))
    }

    /// Drives the training episodes of an iteration.
    fn drive_training(&mut self, stop: &StopFlag) -> Result<Vec<Episode>, JobError> {
        let mut plans = Vec::new();
        for (worker, share) in self.shares.iter().enumerate() {
            let first = self.state.workers[worker].next_episode;
            for number in first..first + share {
                let start = self.workers[worker].scenario.start_of_episode(number);
                plans.push(Plan { worker, number, start });
            }
        }
        self.drive(&plans, Phase::Train, stop)
    }

    fn drive(&mut self, plans: &[Plan], phase: Phase, stop: &StopFlag) -> Result<Vec<Episode>, JobError> {
        let mode = Mode {
            phase,
            max_experience: if phase == Phase::Train { EXPERIENCE_PER_CAP * self.max_steps } else { 0 },
            seed: self.config.train.seed,
            num_steps_before: self.state.num_steps,
            actions: &self.metadata.action_space,
            stop,
        };
        let mut told = Instant::now();
        let log = &mut self.logs.trainer;
        let what = if phase == Phase::Train { "Driving" } else { "Evaluating" };
        let begun = Instant::now();
        let mut heartbeat = |pulse: Pulse| {
            if told.elapsed() >= HEARTBEAT {
                told = Instant::now();
                let steps_per_s = pulse.num_steps as f64 / begun.elapsed().as_secs_f64();
                // A log that cannot be written is noticed when the iteration is recorded.
                let _ = log.write(&format!(
                    "{what}> {} of {} episodes, {} steps, {steps_per_s:.0} steps/s",
                    pulse.num_finished, pulse.num_episodes, pulse.num_steps
                ));
            }
        };
        Ok(drive(&mut self.workers, plans, &mut self.policy, &mode, &mut heartbeat)?)
    }

    /// Writes traces, metrics and logs of the training episodes.
    fn record(&mut self, episodes: &[Episode]) -> Result<(), JobError> {
        let num_workers = self.workers.len();
        for (worker, trace) in self.traces.iter_mut().enumerate() {
            trace.clear();
            self.metrics[worker].begin_iteration();
        }
        let mut texts = vec![String::new(); num_workers];
        for episode in episodes {
            let worker = episode.plan.worker;
            let actions = &self.metadata.action_space;
            let rows = || episode.rows.iter().map(|row| step_row(episode.plan.number, row, actions));
            rows().for_each(|row| self.traces[worker].push(&row));
            push_episode(&mut texts[worker], episode, rows());
            self.metrics[worker].push_training(&summary(episode));
            let state = &mut self.state;
            state.num_episodes += 1;
            state.num_steps += episode.rows.len() as u64;
            state.workers[worker].next_episode = episode.plan.number + 1;
            let line = log_lines::training_episode(&EpisodeReport {
                worker,
                episode: state.num_episodes,
                total_reward: episode.total_reward(),
                num_steps: state.num_steps,
                iteration: state.iteration,
            });
            texts[worker].push_str(&line);
            texts[worker].push('\n');
            self.logs.trainer.write(&line)?;
        }
        for (worker, text) in texts.iter().enumerate() {
            self.logs.workers[worker].write(text)?;
            let key = self.checkpoints.model.training_trace(worker, num_workers, self.state.iteration);
            self.traces[worker].save(self.bucket, &key)?;
        }
        self.save_metrics()
    }

    /// Drives the evaluations of the current checkpoint and judges it. Returns the mean completion in percent, `None`
    /// when no evaluation is wanted.
    fn evaluate(&mut self, stop: &StopFlag) -> Result<Option<f64>, JobError> {
        let start = Start { ndist: 0.0, ..self.workers[0].scenario.start_of_episode(0) };
        let num_trials = u64::from(self.config.train.min_evaluation_trials);
        let plans: Vec<Plan> = (0..num_trials).map(|number| Plan { worker: 0, number, start }).collect();
        if !plans.is_empty() {
            self.logs.trainer.write(&log_lines::evaluation_started())?;
        }
        let episodes = self.drive(&plans, Phase::Evaluate, stop)?;
        let mut values = Vec::new();
        let mut text = String::new();
        for episode in &episodes {
            let summary = summary(episode);
            self.metrics[0].push_evaluation(&summary);
            values.push(self.metric.value(&summary));
            let finished = f64::from(u8::from(episode.status() == EpisodeStatus::LapComplete));
            let report = EpisodeReport {
                worker: 0,
                episode: self.state.num_episodes,
                total_reward: episode.total_reward(),
                num_steps: self.state.num_steps,
                iteration: self.state.iteration,
            };
            for line in
                [log_lines::testing_episode(&report), log_lines::evaluation_finished(finished, episode.total_reward())]
            {
                text.push_str(&line);
                text.push('\n');
            }
        }
        let judgement = self.selection.judge(self.checkpoint(), &values, self.workers[0].clock_s);
        for line in &judgement.log_lines {
            text.push_str(line);
            text.push('\n');
        }
        judgement.index.save(self.bucket, &self.checkpoints.model)?;
        self.logs.workers[0].write(&text)?;
        self.logs.trainer.write(&log_lines::best_and_last(self.selection.best(), Some(self.checkpoint())))?;
        self.save_metrics()?;
        let completions = episodes.iter().map(|episode| episode.progress().clamp(0.0, 100.0));
        Ok((!episodes.is_empty()).then(|| mean(completions)))
    }

    /// Writes all metrics files and remembers how much of them belongs to the iterations done.
    fn save_metrics(&mut self) -> Result<(), JobError> {
        for (worker, metrics) in self.metrics.iter().enumerate() {
            let key = files::training_metrics_key(&self.config, worker);
            metrics.save(self.bucket, &key)?;
            self.state.workers[worker].num_metrics_rows = metrics.num_rows();
            self.state.workers[worker].clock_s = self.workers[worker].clock_s;
        }
        Ok(())
    }

    /// Gathers the experience of an iteration: whole episodes, as many as fit under the cap. (The original jumped to
    /// the last episode as soon as one did not fit.) Returns the number of steps used.
    fn collect(&mut self, episodes: Vec<Episode>) -> Result<usize, JobError> {
        self.rollout.clear();
        let num_driven: usize = episodes.iter().map(|episode| episode.rows.len()).sum();
        let mut num_used = 0;
        for episode in episodes {
            let num_steps = episode.rows.len();
            if episode.observations.is_empty() || num_used + num_steps > self.max_steps {
                continue;
            }
            num_used += num_steps;
            let observation_len = episode.observations.len() / num_steps;
            let num_outputs = episode.outputs.len() / num_steps;
            self.rollout.begin_episode();
            for (index, row) in episode.rows.iter().enumerate() {
                let observation = &episode.observations[index * observation_len..][..observation_len];
                let output = &episode.outputs[index * num_outputs..][..num_outputs];
                self.rollout.push(observation, row.choice, output, row.reward as f32);
            }
            self.rollout.end_episode();
        }
        if num_used < num_driven {
            self.logs.trainer.write(&format!(
                "Step cap> {num_driven} steps driven, {num_used} learnt from; DR_TRAIN_MAX_STEPS_PER_ITERATION is {}",
                self.max_steps
            ))?;
        }
        Ok(num_used)
    }

    /// Learns from the rollout; `None` when asked to stop on the way.
    fn learn(&mut self, stop: &StopFlag) -> Result<Option<TrainReport>, JobError> {
        let lr = self.policy.hyperparameters().lr;
        let log = &mut self.logs.trainer;
        let mut written = Ok(());
        let report = self.policy.train_with(&self.rollout, |epoch, report| {
            written = log.write(&log_lines::policy_training(&EpochReport {
                epoch: epoch as u32,
                surrogate_loss: report.surrogate_loss,
                kl_divergence: report.kl_divergence,
                entropy: report.entropy,
                learning_rate: lr,
            }));
            if stop.is_requested() || written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        written?;
        let report = report?;
        Ok((!stop.is_requested()).then_some(report))
    }

    fn save_checkpoint(&mut self) -> Result<(), JobError> {
        let folder = format!("{}/{}", files::bucket_url(&self.config), self.checkpoints.model.model_folder());
        self.logs.trainer.write(&log_lines::saving_checkpoint(&folder, self.state.checkpoint_name()))?;
        let name = self.checkpoints.save(&self.policy, &self.state, self.selection.best())?;
        self.logs.trainer.write(&log_lines::uploaded_checkpoint(3, name))
    }

    fn report_iteration(
        &mut self,
        summary: &Summary,
        learnt: Option<(&TrainReport, usize)>,
        learning: Duration,
    ) -> Result<(), JobError> {
        let total = Duration::from_secs_f64(self.seconds_before + self.begun.elapsed().as_secs_f64());
        let line = summary.line(self.state.iteration, self.state.num_episodes, learnt, learning, total);
        self.logs.trainer.write(&line)?;
        let (spent, num_calls) = self.workers.iter().fold((Duration::ZERO, 0), |(spent, calls), worker| {
            (spent + worker.reward_time.spent, calls + worker.reward_time.num_calls)
        });
        let share = 100.0 * spent.as_secs_f64() / self.begun.elapsed().as_secs_f64();
        let per_call_us = spent.as_secs_f64() * 1e6 / (num_calls.max(1)) as f64;
        self.logs
            .trainer
            .write(&format!("Reward function> {num_calls} calls, {per_call_us:.0} µs each, {share:.1} % of the time"))
    }

    /// Whether a limit is reached.
    fn end_of_training(&self, stop: &StopFlag) -> Option<Ended> {
        let train = &self.config.train;
        let over = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        if stop.is_requested() {
            Some(Ended::Stopped)
        } else if self.state.num_episodes >= self.max_episodes {
            Some(Ended::Episodes)
        } else if over(train.stop_iterations, self.state.iteration) {
            Some(Ended::Iterations)
        } else if over(train.stop_steps, self.state.num_steps) {
            Some(Ended::Steps)
        } else if train.stop_minutes.is_some_and(|minutes| self.state.seconds >= minutes * 60.0) {
            Some(Ended::Minutes)
        } else {
            None
        }
    }

    /// The last words of a run, however it ended.
    fn finish(&mut self, outcome: &Result<TrainOutcome, JobError>) -> Result<(), JobError> {
        if let Err(error) = outcome {
            // The failure itself is what counts; a log on a full disk must not hide it.
            let _ = self.logs.trainer.write(&error.log_lines("train.rs::run"));
        }
        if let Ok(outcome) = outcome {
            if outcome.ended != Ended::Stopped {
                Marker::Finished.set(self.bucket, &self.checkpoints.model)?;
            }
            let reason = outcome.ended.reason();
            self.logs.trainer.write(&format!(
                "Training ended: {reason}. {} iterations, {} episodes, {} steps. Best checkpoint {}, last checkpoint {}.",
                outcome.num_iterations,
                outcome.num_episodes,
                outcome.num_steps,
                outcome.best.map_or_else(|| "none".to_owned(), |name| name.to_string()),
                outcome.last
            ))?;
            for log in &mut self.logs.workers {
                log.write(log_lines::TRAINING_COMPLETE)?;
            }
        }
        Ok(())
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / count.max(1) as f64
}

/// An episode as metrics see it.
fn summary(episode: &Episode) -> EpisodeSummary {
    EpisodeSummary {
        reward_sum: episode.total_reward(),
        progress: episode.progress(),
        start_time_s: episode.start_s,
        end_time_s: episode.start_s + episode.elapsed_s(),
        status: episode.status(),
    }
}
