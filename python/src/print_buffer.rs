//! Where the prints of a reward function go.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use pyo3::prelude::*;

/// Prints beyond this rate are left out (and counted): at full speed a chatty function would write gigabytes an hour.
const MAX_BYTES_PER_S: f64 = 64.0 * 1024.0;

/// Stands in for `sys.stdout` while the functions of one worker run.
#[pyclass(frozen, module = "deepracer_native._native", name = "PrintBuffer")]
pub(crate) struct PrintBuffer {
    inner: Mutex<Inner>,
}

struct Inner {
    text: String,
    num_lines_left_out: usize,
    /// What may be printed right now; refilled with time, one second's worth at most.
    allowance_bytes: f64,
    refilled: Instant,
}

impl PrintBuffer {
    pub(crate) fn new() -> Self {
        let inner = Inner {
            text: String::new(),
            num_lines_left_out: 0,
            allowance_bytes: MAX_BYTES_PER_S,
            refilled: Instant::now(),
        };
        Self { inner: Mutex::new(inner) }
    }

    /// What was printed since the last call, with a last line that says how much was left out.
    pub(crate) fn take(&self) -> String {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = std::mem::take(&mut inner.text);
        let num_lines = std::mem::take(&mut inner.num_lines_left_out);
        if num_lines > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let _ = writeln!(text, "({num_lines} printed lines left out: more than 64 KiB a second)");
        }
        text
    }
}

#[pymethods]
impl PrintBuffer {
    #[classattr]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const encoding: &'static str = "utf-8";

    fn write(&self, text: &str) -> usize {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let refill = (now - inner.refilled).as_secs_f64() * MAX_BYTES_PER_S;
        inner.refilled = now;
        inner.allowance_bytes = (inner.allowance_bytes + refill).min(MAX_BYTES_PER_S);
        if inner.allowance_bytes >= text.len() as f64 {
            inner.allowance_bytes -= text.len() as f64;
            inner.text.push_str(text);
        } else {
            inner.num_lines_left_out += text.matches('\n').count();
        }
        text.chars().count()
    }

    #[expect(clippy::unused_self, reason = "a method of Python's file objects")]
    fn flush(&self) {}

    #[expect(clippy::unused_self, reason = "a method of Python's file objects")]
    fn isatty(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "a method of Python's file objects")]
    fn writable(&self) -> bool {
        true
    }
}
