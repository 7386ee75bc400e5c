//! What a training run must remember besides the policy, so that stopping and going on changes nothing.

use serde::{Deserialize, Serialize};

use crate::artefact::best_model::BestModelMetric;
use crate::artefact::checkpoint_index::CheckpointName;

/// The counters of a run, kept in every checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainState {
    /// What the best checkpoint was chosen by; other scores cannot be compared with its.
    #[serde(default)]
    pub(crate) best_model_metric: BestModelMetric,
    /// Iterations completed.
    pub(crate) iteration: u64,
    /// Number of the checkpoint this state belongs to.
    pub(crate) checkpoint: u32,
    /// Training episodes driven, over all workers.
    pub(crate) num_episodes: u64,
    /// Training steps driven, over all workers.
    pub(crate) num_steps: u64,
    /// Seconds spent training, over all sessions of the run.
    pub(crate) seconds: f64,
    /// Per worker.
    pub(crate) workers: Vec<WorkerState>,
}

impl TrainState {
    /// The name a checkpoint of this state has.
    pub(crate) fn checkpoint_name(&self) -> CheckpointName {
        CheckpointName { number: self.checkpoint, num_steps: self.num_steps }
    }
}

/// The counters of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerState {
    /// Number of its next training episode.
    pub(crate) next_episode: u64,
    /// Simulated seconds.
    pub(crate) clock_s: f64,
    /// Rows of its metrics file that belong to completed iterations.
    pub(crate) num_metrics_rows: usize,
}
