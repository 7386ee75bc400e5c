//! Clipped proximal policy optimisation, with the constants and the order of operations of the reference.
//!
//! One training phase, top to bottom: values of all states by the critic before training; advantages by generalised
//! advantage estimation, nothing beyond the end of an episode; value targets; advantages normalised over the whole rollout;
//! then for every epoch a new order of all steps, cut into minibatches, and for every minibatch one step of Adam on the
//! clipped surrogate loss with the entropy bonus (actor) and on the value loss (critic). Actor and critic share nothing but
//! the observations, so the two halves of a step run side by side.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::distribution::{self, Categorical, Family, Gaussian, GradientWeights};
use crate::exploration::{self, Choice, Phase};
use crate::hyperparameters::{PolicyError, PpoHyperparameters, ValueLoss};
use crate::kernels::adam::{AdamStep, Optimizer};
use crate::network::{Batch, Head, Network, Rowset};
use crate::random::RandomStream;
use crate::report::{EpochReport, TrainReport};
use crate::rollout::Rollout;
use crate::specification::{ActionSpec, MAX_ACTION_DIMS, PolicySpec};
use crate::variable::{Variable, VariableError};

/// Why training stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// There is nothing to learn from.
    #[error("the rollout has no complete episode; collect at least one step before training")]
    EmptyRollout,
    /// The rollout was collected for another policy.
    #[error(
        "the rollout holds observations of {rollout_bytes} bytes and {rollout_actions}, the policy takes {policy_bytes} bytes and {policy_actions}"
    )]
    OtherSpec {
        /// Bytes of one observation of the rollout.
        rollout_bytes: usize,
        /// Actions of the rollout.
        rollout_actions: ActionSpec,
        /// Bytes of one observation of the policy.
        policy_bytes: usize,
        /// Actions of the policy.
        policy_actions: ActionSpec,
    },
    /// A reward is infinite or not a number.
    #[error("the reward of step {step} of the rollout is {reward}; the reward function must return finite numbers")]
    Reward {
        /// Step of the rollout, from 0.
        step: usize,
        /// The reward.
        reward: f32,
    },
    /// The loss is infinite or not a number.
    #[error(
        "NaN detected in loss function, aborting training. (epoch {epoch}, minibatch {minibatch}; try a lower learning rate or smaller rewards)"
    )]
    NotANumber {
        /// Epoch, from 0.
        epoch: usize,
        /// Minibatch of the epoch, from 0.
        minibatch: usize,
    },
}

/// A policy trained with clipped PPO: an actor and a critic.
///
/// It computes on the current rayon pool; results do not depend on the number of threads.
#[derive(Debug, Clone)]
pub struct ClippedPpo {
    spec: PolicySpec,
    hyperparameters: PpoHyperparameters,
    seed: u64,
    critic: Network,
    actor: Network,
    progress: Progress,
}

/// What a training phase advances besides the weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Steps of Adam so far.
    pub(crate) optimizer_steps: u64,
    /// Training phases so far.
    pub(crate) training_phases: u64,
    /// The order of the steps in the epochs.
    pub(crate) shuffle: RandomStream,
}

/// Observations the critic values at a time.
const VALUE_BATCH: usize = 64;

impl ClippedPpo {
    /// A policy with fresh weights, which depend on the seed alone.
    pub fn new(spec: PolicySpec, hyperparameters: PpoHyperparameters, seed: u64) -> Result<Self, PolicyError> {
        hyperparameters.check()?;
        let spec = spec.checked()?;
        let head = match spec.actions {
            ActionSpec::Discrete { num_actions } => Head::Categorical { num_actions },
            ActionSpec::Continuous { num_dims } => Head::Gaussian { num_dims },
        };
        let (critic, actor) =
            rayon::join(|| Network::new(&spec, 0, Head::Value, seed), || Network::new(&spec, 1, head, seed));
        let progress = Progress { optimizer_steps: 0, training_phases: 0, shuffle: RandomStream::new(seed, "shuffle") };
        Ok(Self { spec, hyperparameters, seed, critic, actor, progress })
    }

    /// What the policy sees and answers; inputs are in alphabetical order.
    pub fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    /// What is tuned.
    pub fn hyperparameters(&self) -> &PpoHyperparameters {
        &self.hyperparameters
    }

    /// Changes what is tuned from now on.
    pub fn set_hyperparameters(&mut self, hyperparameters: PpoHyperparameters) -> Result<(), PolicyError> {
        hyperparameters.check()?;
        self.hyperparameters = hyperparameters;
        Ok(())
    }

    /// The seed given to [`new`](Self::new).
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Training phases so far.
    pub fn training_phases(&self) -> u64 {
        self.progress.training_phases
    }

    /// Steps of the optimiser so far.
    pub fn optimizer_steps(&self) -> u64 {
        self.progress.optimizer_steps
    }

    /// Writes the policy's output for `count` observations, one row after the other: probabilities of the actions, or means.
    ///
    /// # Panics
    /// When `observations` is not `count` observations long.
    pub fn forward(&mut self, observations: &[u8], count: usize, outputs: &mut Vec<f32>) {
        assert_eq!(observations.len(), count * self.spec.observation_bytes(), "bytes of {count} observations");
        let answers = self.actor.forward(Batch { observations, rows: Rowset::Range { first: 0, count } });
        outputs.clear();
        outputs.extend_from_slice(answers);
        if let ActionSpec::Discrete { num_actions } = self.spec.actions {
            outputs.chunks_exact_mut(num_actions).for_each(distribution::softmax);
        }
    }

    /// The critic's values of `count` observations.
    ///
    /// # Panics
    /// When `observations` is not `count` observations long.
    pub fn values(&mut self, observations: &[u8], count: usize) -> Vec<f32> {
        assert_eq!(observations.len(), count * self.spec.observation_bytes(), "bytes of {count} observations");
        let mut values = Vec::with_capacity(count);
        for first in (0..count).step_by(VALUE_BATCH) {
            let rows = Rowset::Range { first, count: VALUE_BATCH.min(count - first) };
            values.extend_from_slice(self.critic.forward(Batch { observations, rows }));
        }
        values
    }

    /// Standard deviations of a continuous policy, one per dimension, in agent units.
    pub fn std(&self) -> Option<Vec<f32>> {
        let log_std = self.actor.log_std()?.values();
        Some(distribution::standard_deviations(log_std)[..log_std.len()].to_vec())
    }

    /// Chooses an action from one row of [`forward`](Self::forward)'s output. `environment_steps` counts the training steps
    /// of the whole run (it drives the ε of e-greedy exploration).
    ///
    /// # Panics
    /// When the row is not one of this policy's.
    pub fn choose(
        &self,
        output_row: &[f32],
        phase: Phase,
        random: &mut RandomStream,
        environment_steps: u64,
    ) -> Choice {
        assert_eq!(output_row.len(), self.spec.actions.outputs(), "values of an output row");
        match self.actor.log_std() {
            None => exploration::choose_index(
                output_row,
                self.hyperparameters.exploration,
                phase,
                random,
                environment_steps,
            ),
            Some(log_std) => {
                let std = distribution::standard_deviations(log_std.values());
                exploration::choose_vector(output_row, &std, phase, random)
            }
        }
    }

    /// One training phase on the complete episodes of a rollout that this policy has driven.
    pub fn train(&mut self, rollout: &Rollout) -> Result<TrainReport, LearnError> {
        self.train_with(rollout, |_, _| ControlFlow::Continue(()))
    }

    /// Like [`train`](Self::train); after every epoch `on_epoch` gets its number, from 0, and its report, and may end the
    /// phase.
    pub fn train_with(
        &mut self,
        rollout: &Rollout,
        mut on_epoch: impl FnMut(usize, &EpochReport) -> ControlFlow<()>,
    ) -> Result<TrainReport, LearnError> {
        self.check_rollout(rollout)?;
        let num_steps = rollout.num_steps();
        let batch_size = effective_batch_size(self.hyperparameters.batch_size, num_steps);

        let values = self.values(&rollout.observations()[..num_steps * rollout.observation_bytes()], num_steps);
        let PpoHyperparameters { discount_factor, gae_lambda, .. } = self.hyperparameters;
        let mut advantages = Vec::with_capacity(num_steps);
        for episode in rollout.episodes() {
            advantages.extend(episode_advantages(
                &rollout.rewards()[episode.clone()],
                &values[episode],
                discount_factor,
                gae_lambda,
            ));
        }
        let targets: Vec<f32> =
            advantages.iter().zip(&values).map(|(advantage, value)| (advantage + f64::from(*value)) as f32).collect();
        let explained_variance = explained_variance(&values, &targets);
        normalize(&mut advantages);

        // The old policy: its outputs were stored with the steps, its standard deviations are those of now.
        let old_std = distribution::standard_deviations(self.actor.log_std().map_or(&[], Variable::values));
        let lesson = Lesson {
            rollout,
            advantages: &advantages,
            targets: &targets,
            old_std,
            hyperparameters: &self.hyperparameters,
        };

        let mut order: Vec<usize> = (0..num_steps).collect();
        let mut epochs = vec![];
        for epoch in 0..self.hyperparameters.num_epochs {
            self.progress.shuffle.shuffle(&mut order);
            let whole = if self.hyperparameters.include_last_partial_batch {
                num_steps
            } else {
                num_steps - num_steps % batch_size
            };
            let mut sum = EpochReport::default();
            for (minibatch, rows) in order[..whole].chunks(batch_size).enumerate() {
                self.progress.optimizer_steps += 1;
                let adam = AdamStep::new(self.hyperparameters.lr, self.progress.optimizer_steps);
                let (policy, value) = rayon::join(
                    || lesson.improve_actor(&mut self.actor, rows, &adam),
                    || lesson.improve_critic(&mut self.critic, rows, &adam),
                );
                let (Some(policy), Some(value_loss)) = (policy, value) else {
                    return Err(LearnError::NotANumber { epoch, minibatch });
                };
                sum.add(&EpochReport { value_loss, ..policy });
            }
            let report = sum.divided_by(whole.div_ceil(batch_size) as f64);
            epochs.push(report);
            if on_epoch(epoch, &report).is_break() {
                break;
            }
        }
        self.progress.training_phases += 1;
        Ok(TrainReport { epochs, explained_variance, num_steps, batch_size, learning_rate: self.hyperparameters.lr })
    }

    fn check_rollout(&self, rollout: &Rollout) -> Result<(), LearnError> {
        if (rollout.observation_bytes(), rollout.actions()) != (self.spec.observation_bytes(), self.spec.actions) {
            return Err(LearnError::OtherSpec {
                rollout_bytes: rollout.observation_bytes(),
                rollout_actions: rollout.actions(),
                policy_bytes: self.spec.observation_bytes(),
                policy_actions: self.spec.actions,
            });
        }
        if rollout.num_steps() == 0 {
            return Err(LearnError::EmptyRollout);
        }
        match rollout.rewards().iter().enumerate().find(|(_, reward)| !reward.is_finite()) {
            Some((step, reward)) => Err(LearnError::Reward { step, reward: *reward }),
            None => Ok(()),
        }
    }

    /// Replaces the values of one variable, for example by those of a frozen graph. Adam's moments stay.
    pub fn set_variable(&mut self, name: &str, values: &[f32]) -> Result<(), VariableError> {
        let mut result = Err(VariableError::Unknown(name.to_owned()));
        for network in self.networks_mut() {
            network.change_variables(|variable| {
                if variable.name() == name {
                    result = variable.set(values);
                }
            });
        }
        result
    }

    /// Critic and actor, that is `network_0` and `network_1`.
    pub(crate) fn networks_mut(&mut self) -> [&mut Network; 2] {
        [&mut self.critic, &mut self.actor]
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    pub(crate) fn progress_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }

    /// Shape of the kernel and stride of every layer of the actor, in the order of its variables.
    pub(crate) fn actor_layers(&self) -> impl Iterator<Item = (&[usize], usize)> {
        self.actor.layers()
    }

    /// Every variable of critic and actor, under its name in the reference's checkpoints.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.critic.variables().chain(self.actor.variables())
    }
}

/// A rollout of at most one minibatch is trained in minibatches of the largest power of two it holds.
fn effective_batch_size(batch_size: usize, num_steps: usize) -> usize {
    if num_steps <= batch_size { 1 << num_steps.ilog2() } else { batch_size }
}

/// `A_t = Σ (γλ)^k δ_{t+k}` with `δ_t = r_t + γ·V_{t+1} − V_t`; there is nothing beyond the last step of an episode, whatever ended it.
fn episode_advantages(rewards: &[f32], values: &[f32], discount: f64, lambda: f64) -> Vec<f64> {
    let mut advantages = vec![0.0; rewards.len()];
    let (mut next_value, mut next_advantage) = (0.0, 0.0);
    for step in (0..rewards.len()).rev() {
        let value = f64::from(values[step]);
        let delta = f64::from(rewards[step]) + discount * next_value - value;
        next_advantage = delta + discount * lambda * next_advantage;
        next_value = value;
        advantages[step] = next_advantage;
    }
    advantages
}

/// Brings the advantages to mean 0 and (population) standard deviation 1.
fn normalize(advantages: &mut [f64]) {
    let (mean, variance) = moments(advantages.iter().copied());
    for advantage in advantages {
        *advantage = (*advantage - mean) / (variance.sqrt() + 1e-8);
    }
}

/// Mean and population variance.
fn moments(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    (mean, numbers.map(|number| (number - mean).powi(2)).sum::<f64>() / count)
}

/// 1 − Var(target − value) / Var(target); 0 when all targets are equal.
fn explained_variance(values: &[f32], targets: &[f32]) -> f64 {
    let (_, spread) = moments(targets.iter().map(|target| f64::from(*target)));
    let (_, left) = moments(targets.iter().zip(values).map(|(target, value)| f64::from(*target) - f64::from(*value)));
    if spread > 0.0 { 1.0 - left / spread } else { 0.0 }
}

/// Everything the minibatches of one training phase have in common.
struct Lesson<'a> {
    rollout: &'a Rollout,
    advantages: &'a [f64],
    targets: &'a [f32],
    old_std: [f32; MAX_ACTION_DIMS],
    hyperparameters: &'a PpoHyperparameters,
}

impl Lesson<'_> {
    /// One step of the actor. `None` when the loss is not a number; the weights are untouched then.
    fn improve_actor(&self, actor: &mut Network, rows: &[usize], optimizer: &impl Optimizer) -> Option<EpochReport> {
        let log_std = actor.log_std().map(|variable| variable.values().to_vec());
        let answers = actor.forward(Batch { observations: self.rollout.observations(), rows: Rowset::List(rows) });
        let mut gradient = vec![0.0; answers.len()];
        let mut log_std_gradient = [0.0; MAX_ACTION_DIMS];
        let report = match &log_std {
            None => self.policy_loss(&Categorical, answers, rows, &mut gradient, &mut log_std_gradient),
            Some(log_std) => self.policy_loss(
                &Gaussian::new(log_std, self.old_std),
                answers,
                rows,
                &mut gradient,
                &mut log_std_gradient,
            ),
        };
        if !(report.surrogate_loss - self.hyperparameters.beta_entropy * report.entropy).is_finite() {
            return None;
        }
        actor.backward(rows.len(), &gradient, optimizer);
        if let Some(variable) = actor.log_std_mut() {
            let gradient = log_std_gradient.map(|gradient| gradient as f32);
            let count = variable.values().len();
            optimizer.update(variable.block(), &gradient[..count]);
        }
        Some(report)
    }

    /// The loss −mean(min(r·A, clip(r)·A)) − β·mean(entropy) and its gradient by the actor's answers.
    fn policy_loss(
        &self,
        family: &impl Family,
        answers: &[f32],
        rows: &[usize],
        gradient: &mut [f32],
        shared_gradient: &mut [f64],
    ) -> EpochReport {
        let outputs = answers.len() / rows.len();
        let count = rows.len() as f64;
        let PpoHyperparameters { clip, beta_entropy, .. } = *self.hyperparameters;
        let mut sum = EpochReport::default();
        for ((row, answer), gradient) in
            rows.iter().zip(answers.chunks_exact(outputs)).zip(gradient.chunks_exact_mut(outputs))
        {
            let (choice, advantage) = (self.rollout.choice(*row), self.advantages[*row]);
            let comparison = family.compare(answer, self.rollout.output_row(*row), choice);
            let ratio = comparison.log_ratio.exp();
            let clipped = ratio.clamp(1.0 - clip, 1.0 + clip);
            let surrogate = (ratio * advantage).min(clipped * advantage);
            // Where the minimum is the clipped term, which is a constant, the gradient is zero.
            let slope = if ratio * advantage <= clipped * advantage { ratio * advantage } else { 0.0 };
            let weights = GradientWeights { by_log_probability: -slope / count, by_entropy: -beta_entropy / count };
            family.gradient(answer, choice, weights, gradient, shared_gradient);
            sum.add(&EpochReport {
                surrogate_loss: -surrogate,
                kl_divergence: comparison.kl_divergence,
                entropy: comparison.entropy,
                value_loss: 0.0,
                clip_fraction: if (ratio - 1.0).abs() > clip { 1.0 } else { 0.0 },
                approximate_kl: (ratio - 1.0) - comparison.log_ratio,
            });
        }
        sum.divided_by(count)
    }

    /// One step of the critic. `None` when the loss is not a number; the weights are untouched then.
    fn improve_critic(&self, critic: &mut Network, rows: &[usize], optimizer: &impl Optimizer) -> Option<f64> {
        let values = critic.forward(Batch { observations: self.rollout.observations(), rows: Rowset::List(rows) });
        let count = rows.len() as f64;
        let mut loss = 0.0;
        let mut gradient = Vec::with_capacity(values.len());
        for (row, value) in rows.iter().zip(values) {
            let error = f64::from(*value) - f64::from(self.targets[*row]);
            let (term, slope) = match self.hyperparameters.loss {
                ValueLoss::Mse => (error * error, 2.0 * error),
                ValueLoss::Huber if error.abs() <= 1.0 => (0.5 * error * error, error),
                ValueLoss::Huber => (error.abs() - 0.5, error.signum()),
            };
            loss += term / count;
            gradient.push((slope / count) as f32);
        }
        if !loss.is_finite() {
            return None;
        }
        critic.backward(rows.len(), &gradient, optimizer);
        Some(loss)
    }
}
