//! Learning: networks, PPO, exploration, checkpoints.

mod checkpoint;
mod distribution;
mod exploration;
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
pub use hyperparameters::{PolicyError, PpoHyperparameters, ValueLoss};
pub use ppo::{ClippedPpo, LearnError};
pub use random::RandomStream;
pub use report::{EpochReport, TrainReport};
pub use rollout::Rollout;
pub use specification::{ActionSpec, InputShape, InputSpec, MAX_ACTION_DIMS, PolicySpec, SpecError, Topology};
pub use variable::{Variable, VariableError};
