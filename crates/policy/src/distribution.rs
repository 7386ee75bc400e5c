//! The two distributions of actions: probability, entropy, divergence, and their gradients.

use crate::exploration::Choice;
use crate::specification::MAX_ACTION_DIMS;

/// Probabilities are not taken below this inside a logarithm, as in the reference.
const LEAST_PROBABILITY: f64 = 1e-8;
/// The reference clips log standard deviations to this range…
const LOG_STD_RANGE: (f32, f32) = (-20.0, 3.0);
/// … and adds the `f32` epsilon to the standard deviation.
const STD_EPSILON: f64 = f32::EPSILON as f64;

/// The new distribution of one state against the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Comparison {
    /// `log π(a) − log π_old(a)` of the action taken.
    pub(crate) log_ratio: f64,
    /// Entropy of the new distribution.
    pub(crate) entropy: f64,
    /// Kullback–Leibler divergence of the new distribution from the old.
    pub(crate) kl_divergence: f64,
}

/// How a row of the actor's answers describes a distribution of actions.
pub(crate) trait Family: Sync {
    /// Compares with the old distribution, whose row was stored when the action was taken.
    fn compare(&self, answer: &[f32], old_output: &[f32], choice: Choice) -> Comparison;

    /// Writes the gradient of `by_log_probability · log π(a) + by_entropy · entropy` by the answer, and adds the gradient by
    /// the parameters shared by all states, if there are any.
    fn gradient(
        &self,
        answer: &[f32],
        choice: Choice,
        weights: GradientWeights,
        gradient: &mut [f32],
        shared: &mut [f64],
    );
}

/// Derivatives of the loss by the two quantities of one state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GradientWeights {
    pub(crate) by_log_probability: f64,
    pub(crate) by_entropy: f64,
}

/// Replaces logits by probabilities.
pub(crate) fn softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in &mut *row {
        *value = (*value - largest).exp();
        sum += *value;
    }
    for value in row {
        *value /= sum;
    }
}

/// One of a list of actions. Answers are logits, stored rows are probabilities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Categorical;

impl Categorical {
    fn probabilities(answer: &[f32]) -> impl Iterator<Item = f64> + Clone {
        let largest = answer.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exponential = move |logit: &f32| f64::from(logit - largest).exp();
        let sum: f64 = answer.iter().map(exponential).sum();
        answer.iter().map(move |logit| exponential(logit) / sum)
    }

    fn index(choice: Choice) -> usize {
        match choice {
            Choice::Index(index) => index,
            Choice::Vector(_) => {
                unreachable!("a rollout checks that its choices are of the policy's kind")
            }
        }
    }
}

fn log_probability(probability: f64) -> f64 {
    probability.max(LEAST_PROBABILITY).ln()
}

impl Family for Categorical {
    fn compare(&self, answer: &[f32], old_output: &[f32], choice: Choice) -> Comparison {
        let action = Self::index(choice);
        let mut comparison = Comparison { log_ratio: 0.0, entropy: 0.0, kl_divergence: 0.0 };
        for (index, (new, old)) in Self::probabilities(answer).zip(old_output).enumerate() {
            let old = f64::from(*old);
            let log_ratio = log_probability(new) - log_probability(old);
            comparison.entropy -= new * log_probability(new);
            comparison.kl_divergence -= old * log_ratio;
            if index == action {
                comparison.log_ratio = log_ratio;
            }
        }
        comparison
    }

    fn gradient(
        &self,
        answer: &[f32],
        choice: Choice,
        weights: GradientWeights,
        gradient: &mut [f32],
        _shared: &mut [f64],
    ) {
        let action = Self::index(choice);
        let probabilities = Self::probabilities(answer);
        let is_floored = |probability: f64| probability <= LEAST_PROBABILITY;
        // The derivative of the entropy by a probability; where the logarithm is floored it is a constant.
        let slope = |probability: f64| -log_probability(probability) - if is_floored(probability) { 0.0 } else { 1.0 };
        let mean_slope: f64 = probabilities.clone().map(|probability| probability * slope(probability)).sum();
        let taken_is_floored = probabilities.clone().nth(action).is_some_and(is_floored);
        let by_log_probability = if taken_is_floored { 0.0 } else { weights.by_log_probability };
        for (index, (gradient, probability)) in gradient.iter_mut().zip(probabilities).enumerate() {
            let taken = if index == action { 1.0 } else { 0.0 };
            let by_entropy = probability * (slope(probability) - mean_slope);
            *gradient = (by_log_probability * (taken - probability) + weights.by_entropy * by_entropy) as f32;
        }
    }
}

/// The standard deviations of log standard deviations.
pub(crate) fn standard_deviations(log_std: &[f32]) -> [f32; MAX_ACTION_DIMS] {
    let mut std = [0.0; MAX_ACTION_DIMS];
    for (std, log_std) in std.iter_mut().zip(log_std) {
        *std = (f64::from(log_std.clamp(LOG_STD_RANGE.0, LOG_STD_RANGE.1)).exp() + STD_EPSILON) as f32;
    }
    std
}

/// A diagonal Gaussian. Answers and stored rows are means; the standard deviations do not depend on the state.
#[derive(Debug, Clone)]
pub(crate) struct Gaussian {
    old_std: [f32; MAX_ACTION_DIMS],
    std: [f32; MAX_ACTION_DIMS],
    /// Derivative of the standard deviation by its logarithm.
    slope: [f64; MAX_ACTION_DIMS],
}

impl Gaussian {
    /// The distribution with the given log standard deviations, compared with one with the given old deviations.
    pub(crate) fn new(log_std: &[f32], old_std: [f32; MAX_ACTION_DIMS]) -> Self {
        let mut slope = [0.0; MAX_ACTION_DIMS];
        for (slope, log_std) in slope.iter_mut().zip(log_std) {
            if (LOG_STD_RANGE.0..=LOG_STD_RANGE.1).contains(log_std) {
                *slope = f64::from(*log_std).exp();
            }
        }
        Self { old_std, std: standard_deviations(log_std), slope }
    }

    fn vector(choice: &Choice) -> &[f32] {
        match choice {
            Choice::Vector(vector) => vector,
            Choice::Index(_) => {
                unreachable!("a rollout checks that its choices are of the policy's kind")
            }
        }
    }
}

impl Family for Gaussian {
    fn compare(&self, answer: &[f32], old_output: &[f32], choice: Choice) -> Comparison {
        let mut comparison = Comparison { log_ratio: 0.0, entropy: 0.0, kl_divergence: 0.0 };
        for (index, action) in Self::vector(&choice).iter().enumerate() {
            let [action, new, old, std, old_std] =
                [*action, answer[index], old_output[index], self.std[index], self.old_std[index]].map(f64::from);
            let score = |mean: f64, std: f64| -0.5 * ((action - mean) / std).powi(2) - std.ln();
            comparison.log_ratio += score(new, std) - score(old, old_std);
            comparison.entropy += 0.5 * (std::f64::consts::TAU * std::f64::consts::E).ln() + std.ln();
            comparison.kl_divergence +=
                (std / old_std).ln() + (old_std.powi(2) + (old - new).powi(2)) / (2.0 * std.powi(2)) - 0.5;
        }
        comparison
    }

    fn gradient(
        &self,
        answer: &[f32],
        choice: Choice,
        weights: GradientWeights,
        gradient: &mut [f32],
        shared: &mut [f64],
    ) {
        for (index, action) in Self::vector(&choice).iter().enumerate() {
            let [action, mean, std] = [*action, answer[index], self.std[index]].map(f64::from);
            let score = (action - mean) / std;
            gradient[index] = (weights.by_log_probability * score / std) as f32;
            let by_std = weights.by_log_probability * (score * score - 1.0) / std + weights.by_entropy / std;
            shared[index] += by_std * self.slope[index];
        }
    }
}
