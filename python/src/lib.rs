//! The wheel: bindings and the reward-function host.

mod params;
mod print_buffer;
mod racing;
mod reward_host;
mod run;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use deepracer_cli::Host;
use deepracer_job::reward::{RewardError, RewardFunction};
use deepracer_job::run::RewardSource;
use pyo3::prelude::*;

use reward_host::PythonReward;

/// Ctrl-C arrived, maybe while a reward function ran that it then ended.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Remembers a Ctrl-C that reached Python code.
pub(crate) fn note_interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// The interpreter this module was loaded into.
struct Interpreter {
    executable: PathBuf,
}

impl Host for Interpreter {
    fn interrupted(&self) -> bool {
        if Python::attach(|py| py.check_signals().is_err()) {
            note_interrupt();
        }
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn run_command(&self) -> (PathBuf, Vec<String>) {
        (self.executable.clone(), vec!["-m".to_owned(), "deepracer_native.run".to_owned()])
    }

    fn load_reward(&self, source: &RewardSource) -> Result<Box<dyn RewardFunction>, RewardError> {
        Ok(Box::new(PythonReward::load(source)?))
    }

    fn describe(&self) -> String {
        let version = Python::version_str().split_whitespace().next().unwrap_or_default();
        format!("Python {version} ({})", self.executable.display())
    }

    fn facade(&self, repair: bool) -> Result<String, String> {
        Python::attach(|py| {
            let check = py.import("deepracer_native.facade_check").and_then(|module| module.getattr("check"));
            check.and_then(|check| check.call1((repair,))?.extract()).map_err(|error| error.value(py).to_string())
        })
    }

    fn can_import(&self, modules: &[&str]) -> Vec<bool> {
        Python::attach(|py| modules.iter().map(|name| py.import(*name).is_ok()).collect())
    }
}

/// The native module `deepracer_native._native`.
#[pymodule]
mod _native {
    use std::path::PathBuf;

    use super::{Interpreter, PyResult, Python};
    use crate::racing;
    use deepracer_job::run::ProcessIdentity;
    use deepracer_settings::RacingFolder;
    use deepracer_track::{Library, catalogue};
    use pyo3::exceptions::PyOSError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::racing::Simulator;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Run one command and return its exit code.
    #[pyfunction]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn main(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
        let host = Interpreter { executable: py.import("sys")?.getattr("executable")?.extract()? };
        Ok(py.detach(|| deepracer_cli::main(&arguments, &host)))
    }

    /// Names of the published tracks, sorted without regard to case.
    #[pyfunction]
    fn track_names() -> Vec<&'static str> {
        catalogue::all().iter().map(|track| track.name).collect()
    }

    /// Folder of the imported route files of the racing folder at or above `start`, or of `dr_dir`; `None` outside of any.
    #[pyfunction]
    #[pyo3(signature = (start, dr_dir=None))]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn tracks_folder(start: PathBuf, dr_dir: Option<PathBuf>) -> Option<PathBuf> {
        RacingFolder::find(&start, dr_dir.as_deref()).ok().map(|folder| deepracer_job::setup::tracks_folder(&folder))
    }

    /// Names of the route files imported into a folder.
    #[pyfunction]
    fn imported_track_names(folder: PathBuf) -> PyResult<Vec<String>> {
        Library::new(Some(folder)).imported_names().map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// When the living process `pid` was started, in the system's own words; `None` when there is none.
    #[pyfunction]
    fn process_started(pid: u32) -> Option<String> {
        ProcessIdentity::of(pid).map(|process| process.started)
    }

    /// Name, lowest and highest value of each number of a state vector.
    #[pyfunction]
    fn state_numbers() -> Vec<(&'static str, f32, f32)> {
        let bounds = racing::state_low().into_iter().zip(racing::state_high());
        racing::STATE_NAMES.into_iter().zip(bounds).map(|(name, (low, high))| (name, low, high)).collect()
    }

    /// Let go of the baked world that no simulator uses any more.
    #[pyfunction]
    fn forget_worlds() {
        racing::forget_worlds();
    }

    /// Bytes of the baked worlds of this process.
    #[pyfunction]
    fn world_bytes() -> usize {
        racing::world_bytes()
    }

    /// Be the process of the run described by the record file, until it ends; return its exit code.
    #[pyfunction]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn run(py: Python<'_>, record: PathBuf) -> PyResult<u8> {
        let stop = crate::run::stop_on_signals()?;
        Ok(py.detach(|| crate::run::carry_out(&record, &stop)))
    }
}
