//! The wheel: bindings and the reward-function host.
