//! Learning: networks, PPO, exploration, checkpoints. Nothing here knows about racing: observations are bytes, actions are
//! indices or vectors.
//!
//! A [`ClippedPpo`] holds an actor and a critic, two networks that share nothing but the observations. Their layers, names
//! and initial values are those of the original simulator's networks, so weights can be exchanged with its frozen graphs.
//! The caller drives with [`ClippedPpo::forward`] and [`ClippedPpo::choose`], collects the steps in a [`Rollout`], trains
//! with [`ClippedPpo::train`], and keeps the result with [`ClippedPpo::save`].
//!
//! Everything random comes from [`RandomStream`]s, which are functions of a seed and a position. Results are the same, byte
//! for byte, with any number of threads of the rayon pool, and after any number of stops and resumes; they may differ in the
//! last bits between processors with different vector instructions or cache sizes.
//!
//! The arithmetic is in `kernels` and is all there is to it: convolutions and dense layers with explicit gradients, and
//! Adam, which is applied to every block of weights while it is in the cache.
//!
//! ```
//! use deepracer_policy::{
//!     ActionSpec, Choice, ClippedPpo, InputShape, InputSpec, Phase, PolicySpec, PpoHyperparameters, RandomStream, Rollout,
//!     Topology,
//! };
//!
//! // A bandit: action 1 pays.
//! let camera = InputSpec {
//!     name: "FRONT_FACING_CAMERA".into(),
//!     shape: InputShape::Image { height: 36, width: 36, channels: 1 },
//! };
//! let spec = PolicySpec {
//!     inputs: vec![camera],
//!     topology: Topology::Shallow,
//!     actions: ActionSpec::Discrete { num_actions: 2 },
//! };
//! let mut policy = ClippedPpo::new(spec, PpoHyperparameters::default(), 1)?;
//! let mut random = RandomStream::new(1, "exploration");
//! let mut rollout = Rollout::new(policy.spec());
//! let observation = [128; 36 * 36];
//! let mut probabilities = vec![];
//! for _ in 0..32 {
//!     rollout.begin_episode();
//!     policy.forward(&observation, 1, &mut probabilities);
//!     let choice = policy.choose(&probabilities, Phase::Train, &mut random, 0);
//!     let reward = if choice == Choice::Index(1) { 1.0 } else { 0.0 };
//!     rollout.push(&observation, choice, &probabilities, reward);
//!     rollout.end_episode();
//! }
//! let before = probabilities[1];
//! let report = policy.train(&rollout)?;
//! policy.forward(&observation, 1, &mut probabilities);
//! assert_eq!(report.epochs.len(), 5);
//! assert!(probabilities[1] > before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod distribution;
mod exploration;
mod frozen_graph;
mod hyperparameters;
mod kernels;
mod network;
mod ppo;
mod random;
mod report;
mod rollout;
mod specification;
mod topology;
mod variable;

pub use checkpoint::{CheckpointError, Restore};
pub use exploration::{ActionVector, Choice, Exploration, Phase};
pub use frozen_graph::{FrozenGraph, FrozenGraphError};
pub use hyperparameters::{PolicyError, PpoHyperparameters, ValueLoss};
pub use ppo::{ClippedPpo, LearnError};
pub use random::RandomStream;
pub use report::{EpochReport, TrainReport};
pub use rollout::Rollout;
pub use specification::{ActionSpec, InputShape, InputSpec, MAX_ACTION_DIMS, PolicySpec, SpecError, Topology};
pub use variable::{Variable, VariableError};
