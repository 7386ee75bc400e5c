//! What a training run must remember besides the policy, so that stopping and going on changes nothing.

use serde::{Deserialize, Serialize};

/// The counters of a run, kept in every checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainState {
    /// Iterations completed.
    pub(crate) iteration: u64,
    /// Number of the checkpoint this state belongs to.
    pub(crate) checkpoint: u32,
    /// Number of the first checkpoint of this run: 0, or the one after the pretrained one.
    pub(crate) first_checkpoint: u32,
    /// Training episodes driven, over all workers.
    pub(crate) num_episodes: u64,
    /// Training steps driven, over all workers.
    pub(crate) num_steps: u64,
    /// Seconds spent training, over all sessions of the run.
    pub(crate) seconds: f64,
    /// Per worker.
    pub(crate) workers: Vec<WorkerState>,
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
