//! How an action is chosen from the policy's output.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::random::RandomStream;
use crate::specification::{ActionSpec, MAX_ACTION_DIMS};

/// How a policy with discrete actions explores while it is trained. Continuous policies sample their Gaussian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exploration {
    /// Sample from the probabilities.
    Categorical,
    /// A uniformly random action with probability ε, else the most probable one. ε falls linearly from 1.
    EGreedy {
        /// ε from step `steps` on, 0…1.
        final_epsilon: f64,
        /// Environment steps until then.
        steps: u64,
    },
}

impl Exploration {
    /// The probability of a random action after so many environment steps; 0 for categorical sampling.
    pub fn epsilon(&self, environment_steps: u64) -> f64 {
        match *self {
            Self::Categorical => 0.0,
            Self::EGreedy { final_epsilon, steps } if environment_steps >= steps => final_epsilon,
            Self::EGreedy { final_epsilon, steps } => {
                1.0 + (final_epsilon - 1.0) * environment_steps as f64 / steps as f64
            }
        }
    }
}

/// Whether a policy explores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Explores.
    Train,
    /// Takes the most probable action or the mean. (The reference's e-greedy takes 5 % random actions here as well.)
    Evaluate,
}

/// An action chosen by a policy, as it is stored for training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// Position in the list of actions.
    Index(usize),
    /// A vector in agent units, not clipped.
    Vector(ActionVector),
}

impl Choice {
    /// Whether this is an action of the given space.
    pub(crate) fn belongs_to(&self, actions: &ActionSpec) -> bool {
        match (self, actions) {
            (Self::Index(index), ActionSpec::Discrete { num_actions }) => index < num_actions,
            (Self::Vector(vector), ActionSpec::Continuous { num_dims }) => vector.len() == *num_dims,
            _ => false,
        }
    }
}

/// A short vector without a heap allocation; reads like a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActionVector {
    values: [f32; MAX_ACTION_DIMS],
    len: usize,
}

impl ActionVector {
    /// A copy of `values`.
    ///
    /// # Panics
    /// When there are more than [`MAX_ACTION_DIMS`].
    pub fn new(values: &[f32]) -> Self {
        let mut vector = Self { values: [0.0; MAX_ACTION_DIMS], len: values.len() };
        vector.values[..values.len()].copy_from_slice(values);
        vector
    }
}

impl Deref for ActionVector {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.values[..self.len]
    }
}

/// Chooses an index from a row of probabilities.
pub(crate) fn choose_index(
    probabilities: &[f32],
    exploration: Exploration,
    phase: Phase,
    random: &mut RandomStream,
    environment_steps: u64,
) -> Choice {
    let index = match (phase, exploration) {
        (Phase::Evaluate, _) => most_probable(probabilities),
        (Phase::Train, Exploration::Categorical) => sample(probabilities, random.uniform()),
        (Phase::Train, Exploration::EGreedy { .. }) => {
            // Two draws whatever happens, so that one step always advances the stream by the same amount.
            let is_random = random.uniform() < exploration.epsilon(environment_steps);
            let index = random.index(probabilities.len());
            if is_random { index } else { most_probable(probabilities) }
        }
    };
    Choice::Index(index)
}

/// Chooses a vector from a row of means.
pub(crate) fn choose_vector(means: &[f32], std: &[f32], phase: Phase, random: &mut RandomStream) -> Choice {
    let mut vector = ActionVector::new(means);
    if phase == Phase::Train {
        for (value, std) in vector.values.iter_mut().zip(std).take(means.len()) {
            *value += std * random.normal() as f32;
        }
    }
    Choice::Vector(vector)
}

/// The first of the largest.
fn most_probable(probabilities: &[f32]) -> usize {
    let better = |best: usize, index: usize| {
        if probabilities[index] > probabilities[best] { index } else { best }
    };
    (0..probabilities.len()).fold(0, better)
}

/// The index whose share of the sum contains `uniform`, which is in [0, 1).
fn sample(probabilities: &[f32], uniform: f64) -> usize {
    let sum: f64 = probabilities.iter().map(|probability| f64::from(*probability)).sum();
    let mut left = uniform * sum;
    for (index, probability) in probabilities.iter().enumerate() {
        left -= f64::from(*probability);
        if left < 0.0 {
            return index;
        }
    }
    // Only rounding leads here: the last action that is possible at all.
    probabilities.iter().rposition(|probability| *probability > 0.0).unwrap_or(0)
}
