//! Learning: networks, PPO, exploration, checkpoints.

mod checkpoint;
mod distribution;
mod exploration;
mod kernels;
mod network;
mod ppo;
mod random;
mod rollout;
mod specification;
mod topology;
mod variable;

pub use checkpoint::{CheckpointError, Restore};
pub use exploration::{ActionVector, Choice, Exploration, Phase};
pub use ppo::{ClippedPpo, EpochReport, LearnError, PolicyError, PpoHyperparameters, TrainReport, ValueLoss};
pub use random::RandomStream;
pub use rollout::Rollout;
pub use specification::{ActionSpec, InputShape, InputSpec, MAX_ACTION_DIMS, PolicySpec, SpecError, Topology};
pub use variable::Variable;
