//! Setting a training up: new, from a pretrained model, or where an earlier session left off.

use std::path::PathBuf;
use std::time::Instant;

use deepracer_bucket::Bucket;
use deepracer_policy::{ClippedPpo, Restore, Rollout};
use deepracer_settings::hyperparameters::Hyperparameters;
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::{RacingFolder, Settings};

use super::checkpoints::Checkpoints;
use super::log::Logs;
use super::state::{TrainState, WorkerState};
use super::{RewardFactory, Trainer, files};
use crate::artefact::best_model::{BestModelMetric, BestModelSelection};
use crate::artefact::checkpoint_index::CheckpointIndex;
use crate::artefact::layout::ModelLayout;
use crate::artefact::log_lines;
use crate::artefact::marker::{self, Marker};
use crate::artefact::metrics::TrainingMetrics;
use crate::artefact::simtrace::Trace;
use crate::error::JobError;
use crate::reward::RewardTime;
use crate::rollout::Worker;
use crate::run::RunRecord;
use crate::setup::{self, Worlds};
use crate::stored_policy::{self, StoredPolicy};

impl<'a> Trainer<'a> {
    /// Sets up a training and saves its first checkpoint, unless it goes on from one.
    pub(super) fn start(
        record: &RunRecord,
        settings: Vec<Settings>,
        bucket: &'a dyn Bucket,
        bucket_folder: PathBuf,
        rewards: &mut RewardFactory<'_>,
    ) -> Result<Self, JobError> {
        let config = settings[0].config().clone();
        let (metadata, _) = ModelMetadata::parse(&record.request.model_metadata, "model_metadata.json")?;
        let text = record.request.hyperparameters.as_deref().unwrap_or("{}");
        let (hyperparameters, _) = Hyperparameters::parse(text, "hyperparameters.json")?;
        let model = ModelLayout::new(&config.storage.model_prefix)?;
        let shares = worker_shares(&config, &hyperparameters);
        let workers = workers(record, &settings, &metadata, shares.len(), rewards)?;
        let num_kept = config.train.keep_checkpoints as usize;
        let checkpoints = Checkpoints::open(bucket, bucket_folder, model.clone(), num_kept)?;
        let metric = best_model_metric(&config);
        let mut trainer = Self {
            rollout: Rollout::new(&setup::policy_spec(&metadata)?),
            policy: ClippedPpo::new(
                setup::policy_spec(&metadata)?,
                setup::ppo_hyperparameters(&hyperparameters),
                config.train.seed,
            )?,
            max_steps: setup::max_steps_per_iteration(&config, metadata.network),
            max_episodes: hyperparameters.term_cond_max_episodes,
            metrics: (0..workers.len()).map(|worker| TrainingMetrics::new(worker, metric)).collect(),
            traces: workers.iter().map(|_| Trace::new()).collect(),
            selection: BestModelSelection::new(metric),
            logs: Logs::open(&record.logs, workers.len())?,
            state: TrainState {
                best_model_metric: metric,
                workers: vec![WorkerState::default(); workers.len()],
                ..TrainState::default()
            },
            begun: Instant::now(),
            seconds_before: 0.0,
            metric,
            checkpoints,
            settings,
            config,
            metadata,
            workers,
            shares,
            bucket,
        };
        let (settings, metadata) = (&trainer.settings, &trainer.metadata);
        for worker in 0..trainer.workers.len() {
            let header = files::log_header(&model, worker, settings, metadata, &hyperparameters);
            trainer.logs.workers[worker].write(&header)?;
        }
        let header = hyperparameters.to_json(metadata.algorithm);
        trainer.logs.trainer.write(&format!("Using the following hyper-parameters\n{header}"))?;
        trainer.take_up()?;
        // Only now: a model that cannot be gone on with keeps the files it was trained with.
        marker::clear_all(bucket, &model)?;
        let (settings, metadata) = (&trainer.settings, &trainer.metadata);
        files::write(bucket, &model, record, settings, metadata, &hyperparameters)?;
        if trainer.checkpoints.newest().is_none() {
            trainer.save_checkpoint()?;
        }
        Marker::Ready.set(bucket, &model)?;
        Ok(trainer)
    }

    /// Says what the policy starts from, and starts from it.
    fn take_up(&mut self) -> Result<(), JobError> {
        let generation = setup::generation(&self.metadata);
        let metadata = &self.metadata;
        let version = metadata.version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
        self.logs.trainer.write(&format!(
            "Model {} on {}: {} network, {version}, vehicle generation {generation:?}, {} worker(s), {} threads, seed {}",
            self.config.storage.model_prefix,
            self.config.world_name,
            metadata.network,
            self.workers.len(),
            rayon::current_num_threads(),
            self.config.train.seed,
        ))?;
        if let Some(newest) = self.checkpoints.newest() {
            return self.resume(&self.checkpoints.folder(newest), &newest.to_string());
        }
        if self.config.pretrained.enabled {
            let pretrained = self.config.pretrained.clone();
            let stored =
                stored_policy::find(self.bucket, &self.checkpoints.root, &pretrained.prefix, pretrained.checkpoint)?;
            stored.load_into(&mut self.policy)?;
            self.state.checkpoint = stored.number().saturating_add(1);
            self.logs.trainer.write(&log_lines::restoring_checkpoint(&pretrained.prefix, &stored))?;
            let (taken, afresh) = match stored {
                StoredPolicy::Checkpoint { .. } => ("policy and value network", "the optimiser starts"),
                StoredPolicy::FrozenGraph { .. } if self.policy.std().is_some() => (
                    "policy",
                    "value network, optimiser and standard deviations (1.0) are not in a frozen graph and start",
                ),
                StoredPolicy::FrozenGraph { .. } => {
                    ("policy", "value network and optimiser are not in a frozen graph and start")
                }
            };
            self.logs.trainer.write(&format!("Start: {taken} of {} {stored}; {afresh} afresh", pretrained.prefix))?;
        } else {
            self.logs.trainer.write(&format!("Start: a new model, seed {}", self.config.train.seed))?;
        }
        Ok(())
    }

    /// Goes on where the newest checkpoint of this model was saved.
    fn resume(&mut self, folder: &std::path::Path, name: &str) -> Result<(), JobError> {
        let refuse = |reason: String| JobError::Resume { prefix: self.config.storage.model_prefix.clone(), reason };
        let (policy, extra) = ClippedPpo::load(folder)?;
        if policy.spec() != self.policy.spec() {
            // Gives the message that names both sides.
            self.policy.load_weights_from(folder, Restore::Weights)?;
        }
        let hyperparameters = self.policy.hyperparameters().clone();
        let state: TrainState = serde_json::from_value(extra)
            .map_err(|error| refuse(format!("its newest checkpoint {name} holds no training state ({error})")))?;
        if state.workers.len() != self.workers.len() {
            return Err(refuse(format!(
                "it was trained with {} worker(s), DR_WORKERS says {}",
                state.workers.len(),
                self.workers.len()
            )));
        }
        self.policy = policy;
        self.policy.set_hyperparameters(hyperparameters)?;
        for (worker, of_worker) in state.workers.iter().enumerate() {
            self.workers[worker].clock_s = of_worker.clock_s;
            let key = files::training_metrics_key(&self.config, worker);
            self.metrics[worker] =
                TrainingMetrics::resume(self.bucket, &key, worker, self.metric, of_worker.num_metrics_rows)?;
        }
        if state.best_model_metric != self.metric {
            self.logs.trainer.write(&format!(
                "Best checkpoint> it was chosen by {}; the choice by {} begins anew",
                state.best_model_metric, self.metric
            ))?;
        } else if let Some(index) = CheckpointIndex::read(self.bucket, &self.checkpoints.model)? {
            self.selection = BestModelSelection::resume(self.metric, &index);
        }
        self.seconds_before = state.seconds;
        self.state = TrainState { best_model_metric: self.metric, ..state };
        self.logs.trainer.write(&format!(
            "Start: resumed from {} {name} (policy, value network, optimiser), iteration {}, {} episodes, {} steps",
            self.config.storage.model_prefix, self.state.iteration, self.state.num_episodes, self.state.num_steps
        ))
    }
}

/// Episodes of each worker that has any; more workers than episodes would stand idle.
fn worker_shares(config: &deepracer_settings::RunConfig, hyperparameters: &Hyperparameters) -> Vec<u64> {
    let shares = setup::episode_shares(hyperparameters.num_episodes_between_training, config.workers as usize);
    shares.into_iter().filter(|share| *share > 0).collect()
}

fn workers(
    record: &RunRecord,
    settings: &[Settings],
    metadata: &ModelMetadata,
    num_workers: usize,
    rewards: &mut RewardFactory<'_>,
) -> Result<Vec<Worker>, JobError> {
    let folder = RacingFolder::at(record.request.racing_folder.clone());
    let mut worlds = Worlds::new(setup::library(&folder));
    let generation = setup::generation(metadata);
    (0..num_workers)
        .map(|index| {
            let config = settings[index.min(settings.len() - 1)].config();
            let (route, scene) = worlds.load(&config.world_name)?;
            let scenario = setup::training_scenario(route, generation, config, index, num_workers)?;
            Ok(Worker {
                index,
                scenario: scenario.into(),
                view: setup::view(&scene, metadata, generation, config.train.quality)
                    .with_variety(setup::variety(config)),
                reward: rewards(index)?,
                clock_s: 0.0,
                reward_time: RewardTime::default(),
            })
        })
        .collect()
}

fn best_model_metric(config: &deepracer_settings::RunConfig) -> BestModelMetric {
    match config.train.best_model_metric {
        deepracer_settings::BestModelMetric::Progress => BestModelMetric::Progress,
        deepracer_settings::BestModelMetric::Reward => BestModelMetric::Reward,
        deepracer_settings::BestModelMetric::LapTime => BestModelMetric::LapTime,
    }
}
