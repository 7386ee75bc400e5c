//! What can be tuned about training, and the ranges that make sense.

use serde::{Deserialize, Serialize};

use crate::exploration::Exploration;
use crate::specification::SpecError;

/// How the distance of a value from its target is punished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueLoss {
    /// The square of the error.
    Mse,
    /// Half the square up to an error of 1, then linear.
    Huber,
}

/// What can be tuned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PpoHyperparameters {
    /// Steps in a minibatch, at least 1.
    pub batch_size: usize,
    /// Passes over the rollout, at least 1.
    pub num_epochs: usize,
    /// Learning rate of Adam, constant, above 0.
    pub lr: f64,
    /// Weight of the entropy bonus, at least 0.
    pub beta_entropy: f64,
    /// Discount γ per step, 0…1.
    pub discount_factor: f64,
    /// λ of the advantage estimation, 0…1.
    pub gae_lambda: f64,
    /// How far the likelihood ratio may leave 1, above 0.
    pub clip: f64,
    /// Loss of the critic.
    pub loss: ValueLoss,
    /// Whether the steps left over after the last whole minibatch of an epoch are trained too. The reference drops them.
    pub include_last_partial_batch: bool,
    /// Exploration of discrete policies.
    pub exploration: Exploration,
}

impl Default for PpoHyperparameters {
    /// The hyperparameter file Deepracer-for-Cloud ships, and the reference's fixed λ of 0.95 and clip of 0.2.
    fn default() -> Self {
        Self {
            batch_size: 64,
            num_epochs: 5,
            lr: 3e-4,
            beta_entropy: 0.01,
            discount_factor: 0.99,
            gae_lambda: 0.95,
            clip: 0.2,
            loss: ValueLoss::Huber,
            include_last_partial_batch: false,
            exploration: Exploration::Categorical,
        }
    }
}

/// Why a policy cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// The networks cannot be built.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A hyperparameter is out of range.
    #[error("the hyperparameter {name} is {value}; it must be {range}")]
    Hyperparameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is possible.
        range: &'static str,
    },
}

impl PpoHyperparameters {
    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let (final_epsilon, steps) = match self.exploration {
            Exploration::EGreedy { final_epsilon, steps } => (final_epsilon, steps),
            Exploration::Categorical => (0.0, 1),
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let checks = [
            ("batch_size", self.batch_size as f64, self.batch_size >= 1, "at least 1"),
            ("num_epochs", self.num_epochs as f64, self.num_epochs >= 1, "at least 1"),
            ("lr", self.lr, positive(self.lr), "a finite number above 0"),
            (
                "beta_entropy",
                self.beta_entropy,
                positive(self.beta_entropy) || self.beta_entropy == 0.0,
                "a finite number, 0 or more",
            ),
            ("discount_factor", self.discount_factor, share(self.discount_factor), "from 0 to 1"),
            ("gae_lambda", self.gae_lambda, share(self.gae_lambda), "from 0 to 1"),
            ("clip", self.clip, positive(self.clip), "a finite number above 0"),
            ("e_greedy_value", final_epsilon, share(final_epsilon), "from 0 to 1"),
            ("epsilon_steps", steps as f64, steps >= 1, "at least 1"),
        ];
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((name, value, _, range)) => Err(PolicyError::Hyperparameter { name, value, range }),
            None => Ok(()),
        }
    }
}
