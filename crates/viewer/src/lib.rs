//! Watching a run.
