//! What a training phase reports.

use serde::{Deserialize, Serialize};

/// Means over the minibatches of one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EpochReport {
    /// The clipped surrogate loss, −mean(min(r·A, clip(r)·A)).
    pub surrogate_loss: f64,
    /// Divergence of the new policy from the one that drove, over whole distributions.
    pub kl_divergence: f64,
    /// Entropy of the policy.
    pub entropy: f64,
    /// Loss of the critic.
    pub value_loss: f64,
    /// Share of the steps whose likelihood ratio is outside the clip range.
    pub clip_fraction: f64,
    /// mean((r − 1) − log r) over the actions taken, an estimate of the divergence.
    pub approximate_kl: f64,
}

/// What happened in a training phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainReport {
    /// One entry per epoch that was finished.
    pub epochs: Vec<EpochReport>,
    /// Share of the variance of the value targets that the critic explained before training: 1 is perfect, 0 no better
    /// than a constant.
    pub explained_variance: f64,
    /// Steps of the rollout.
    pub num_steps: usize,
    /// Minibatch size, which is smaller than asked for when the rollout is small.
    pub batch_size: usize,
    /// Learning rate.
    pub learning_rate: f64,
}

impl EpochReport {
    pub(crate) fn add(&mut self, other: &Self) {
        self.surrogate_loss += other.surrogate_loss;
        self.kl_divergence += other.kl_divergence;
        self.entropy += other.entropy;
        self.value_loss += other.value_loss;
        self.clip_fraction += other.clip_fraction;
        self.approximate_kl += other.approximate_kl;
    }

    pub(crate) fn divided_by(self, count: f64) -> Self {
        Self {
            surrogate_loss: self.surrogate_loss / count,
            kl_divergence: self.kl_divergence / count,
            entropy: self.entropy / count,
            value_loss: self.value_loss / count,
            clip_fraction: self.clip_fraction / count,
            approximate_kl: self.approximate_kl / count,
        }
    }
}
