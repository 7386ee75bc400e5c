//! The steps of an iteration, as they are collected for training.

use std::ops::Range;

use crate::exploration::Choice;
use crate::specification::{ActionSpec, PolicySpec};

/// Complete episodes with everything training needs.
///
/// Workers that race at the same time fill one rollout each; [`append`](Self::append) then joins them in a fixed order.
#[derive(Debug, Clone)]
pub struct Rollout {
    actions: ActionSpec,
    observation_bytes: usize,
    observations: Vec<u8>,
    choices: Vec<Choice>,
    outputs: Vec<f32>,
    rewards: Vec<f32>,
    /// Where every complete episode ends.
    ends: Vec<usize>,
}

impl Rollout {
    /// An empty rollout for policies of this specification.
    pub fn new(spec: &PolicySpec) -> Self {
        Self {
            actions: spec.actions,
            observation_bytes: spec.observation_bytes(),
            observations: vec![],
            choices: vec![],
            outputs: vec![],
            rewards: vec![],
            ends: vec![],
        }
    }

    /// Starts an episode. Steps of an episode that was not ended are forgotten.
    pub fn begin_episode(&mut self) {
        let steps = self.num_steps();
        self.observations.truncate(steps * self.observation_bytes);
        self.choices.truncate(steps);
        self.outputs.truncate(steps * self.actions.outputs());
        self.rewards.truncate(steps);
    }

    /// Adds a step of the current episode: what was seen, what was chosen, the policy's output at that time (probabilities
    /// or means), and the reward that followed.
    ///
    /// # Panics
    /// When the observation, the choice or the output does not belong to the specification.
    pub fn push(&mut self, observation: &[u8], choice: Choice, output_row: &[f32], reward: f32) {
        assert_eq!(observation.len(), self.observation_bytes, "bytes of an observation");
        assert_eq!(output_row.len(), self.actions.outputs(), "values of an output row");
        assert!(choice.belongs_to(&self.actions), "{choice:?} is not among {}", self.actions);
        self.observations.extend_from_slice(observation);
        self.choices.push(choice);
        self.outputs.extend_from_slice(output_row);
        self.rewards.push(reward);
    }

    /// Completes the current episode. Nothing happens when it has no steps.
    pub fn end_episode(&mut self) {
        if self.rewards.len() > self.num_steps() {
            self.ends.push(self.rewards.len());
        }
    }

    /// Moves the complete episodes of another rollout to the end of this one; its steps that are not complete are forgotten.
    ///
    /// # Panics
    /// When the two are of different specifications.
    pub fn append(&mut self, other: &mut Self) {
        assert_eq!((self.actions, self.observation_bytes), (other.actions, other.observation_bytes));
        self.begin_episode();
        other.begin_episode();
        let steps = self.num_steps();
        self.observations.append(&mut other.observations);
        self.choices.append(&mut other.choices);
        self.outputs.append(&mut other.outputs);
        self.rewards.append(&mut other.rewards);
        self.ends.extend(other.ends.drain(..).map(|end| end + steps));
    }

    /// Steps of the complete episodes.
    pub fn num_steps(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Complete episodes.
    pub fn num_episodes(&self) -> usize {
        self.ends.len()
    }

    /// Forgets everything; the memory is kept for the next iteration.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.begin_episode();
    }

    /// The steps of every complete episode.
    pub(crate) fn episodes(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }

    pub(crate) fn actions(&self) -> ActionSpec {
        self.actions
    }

    pub(crate) fn observation_bytes(&self) -> usize {
        self.observation_bytes
    }

    pub(crate) fn observations(&self) -> &[u8] {
        &self.observations
    }

    pub(crate) fn choice(&self, step: usize) -> Choice {
        self.choices[step]
    }

    pub(crate) fn output_row(&self, step: usize) -> &[f32] {
        let outputs = self.actions.outputs();
        &self.outputs[step * outputs..][..outputs]
    }

    /// Rewards of the complete episodes.
    pub(crate) fn rewards(&self) -> &[f32] {
        &self.rewards[..self.num_steps()]
    }
}
