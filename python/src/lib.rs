//! The wheel: bindings and the reward-function host.

use std::path::PathBuf;

use deepracer_cli::Host;
use pyo3::prelude::*;

/// The interpreter this module was loaded into.
struct Interpreter {
    executable: PathBuf,
}

impl Host for Interpreter {
    fn interrupted(&self) -> bool {
        Python::attach(|py| py.check_signals().is_err())
    }

    fn run_command(&self) -> (PathBuf, Vec<String>) {
        (self.executable.clone(), vec!["-m".to_owned(), "deepracer_native.run".to_owned()])
    }
}

/// The native module `deepracer_native._native`.
#[pymodule]
mod _native {
    use super::{Interpreter, PyResult, Python};
    use pyo3::prelude::*;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Run one command and return its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
        let host = Interpreter { executable: py.import("sys")?.getattr("executable")?.extract()? };
        Ok(py.detach(|| deepracer_cli::main(&arguments, &host)))
    }
}
