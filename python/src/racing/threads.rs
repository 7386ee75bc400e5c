//! The threads that step and draw races.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pools of this process by their number of threads. The process's id tells those of a parent that forked: their threads
/// do not exist here.
static POOLS: Mutex<(u32, Vec<Arc<ThreadPool>>)> = Mutex::new((0, Vec::new()));

/// How many threads there are to use: those the system lets this process run at once.
pub(super) fn num_available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The pool of this many threads; shared by all simulators of the process. A forked process gets pools of its own.
///
/// The lock is held while the interpreter is, so that no fork can happen inside.
///
/// # Errors
/// `RuntimeError` when the system gives no threads.
pub(super) fn pool(_py: Python<'_>, num_threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if pools.0 != process::id() {
        // Ending the pools of the parent would wait for threads that never answer.
        pools.1.drain(..).for_each(std::mem::forget);
        pools.0 = process::id();
    }
    if let Some(pool) = pools.1.iter().find(|pool| pool.current_num_threads() == num_threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(num_threads)
        .thread_name(|index| format!("deepracer-{index}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("the system gives no {num_threads} threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.1.push(pool.clone());
    Ok(pool)
}
