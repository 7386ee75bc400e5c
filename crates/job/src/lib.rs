//! A training or evaluation run from start to end.
