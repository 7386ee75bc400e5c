//! Asking a run to finish.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to finish cleanly: save, write what is pending, exit 0. Cheap to clone; all clones share the request.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Nobody has asked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag behind a signal handler's own.
    pub fn from_shared(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Asks.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
