//! Learning: networks, PPO, exploration, checkpoints.
