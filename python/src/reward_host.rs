//! Runs a user's `reward_function(params)` in this interpreter.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use deepracer_job::reward::{RewardError, RewardFunction, SourceLine, checked};
use deepracer_job::run::RewardSource;
use deepracer_race::RewardParams;
use deepracer_track::Track;
use pyo3::exceptions::{PyKeyboardInterrupt, PySyntaxError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyModule, PyTraceback};

use crate::params::{self, Waypoints};
use crate::print_buffer::PrintBuffer;

/// Number of the next module, so that each worker's has a name of its own.
static NEXT_MODULE: AtomicU64 = AtomicU64::new(0);

/// What the names of these modules begin with.
const MODULE_PREFIX: &str = "deepracer_reward_";

/// The longest `repr` of a wrong result that is shown, in characters.
const LONGEST_REPR: usize = 120;

/// A reward function of one worker: a module of its own, so that workers share no state.
pub(crate) struct PythonReward {
    function: Py<PyAny>,
    prints: Py<PrintBuffer>,
    source: RewardSource,
    waypoints: Waypoints,
    unusual_type: Option<String>,
}

impl PythonReward {
    /// Compiles and imports the function.
    ///
    /// Errors name the user's own line: a syntax error, an exception while importing, a missing `reward_function`, or one
    /// that cannot be called with exactly one argument.
    pub(crate) fn load(source: &RewardSource) -> Result<Self, RewardError> {
        Python::attach(|py| {
            let prints = Py::new(py, PrintBuffer::new()).map_err(|error| load_error(py, &error, source))?;
            let function = import(py, source, &prints).map_err(|error| load_error(py, &error, source))?;
            accepts_one_argument(&function, source)?;
            let function = function.unbind();
            Ok(Self { function, prints, source: source.clone(), waypoints: Waypoints::default(), unusual_type: None })
        })
    }

    fn call_with(&mut self, py: Python<'_>, params: &RewardParams, track: &Track) -> Result<f64, RewardError> {
        let raised = |error: PyErr, source: &RewardSource| {
            let (message, source_line, traceback) = describe(py, &error, source);
            RewardError::Raised { message, source_line, traceback }
        };
        let result = self
            .waypoints
            .list(py, track)
            .and_then(|waypoints| params::dictionary(py, params, waypoints))
            .and_then(|dictionary| {
                py.import(intern!(py, "sys"))?.setattr(intern!(py, "stdout"), &self.prints)?;
                self.function.bind(py).call1((dictionary,))
            })
            .map_err(|error| raised(error, &self.source))?;
        self.unusual_type = None;
        if let Ok(number) = result.cast_exact::<PyFloat>() {
            return checked(number.value());
        }
        let type_name = result.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        match py.get_type::<PyFloat>().call1((&result,)).and_then(|number| number.extract::<f64>()) {
            Ok(number) => {
                self.unusual_type = Some(type_name);
                checked(number)
            }
            Err(_) => Err(RewardError::NotANumber { value: short_repr(&result), type_name }),
        }
    }
}

impl RewardFunction for PythonReward {
    fn call(&mut self, params: &RewardParams, track: &Track) -> Result<f64, RewardError> {
        Python::attach(|py| self.call_with(py, params, track))
    }

    fn take_output(&mut self) -> String {
        self.prints.get().take()
    }

    fn unusual_type(&self) -> Option<String> {
        self.unusual_type.clone()
    }
}

/// Runs the text as a module of its own and returns its `reward_function`.
fn import<'py>(py: Python<'py>, source: &RewardSource, prints: &Py<PrintBuffer>) -> PyResult<Bound<'py, PyAny>> {
    let name = format!("{MODULE_PREFIX}{}", NEXT_MODULE.fetch_add(1, Ordering::Relaxed));
    let file = source.file.to_string_lossy();
    let sys = py.import("sys")?;
    let modules = sys.getattr("modules")?.cast_into::<PyDict>()?;
    forget_helpers(&modules, &source.folder)?;
    let path = sys.getattr("path")?.cast_into::<PyList>()?;
    if !path.contains(source.folder.to_string_lossy())? {
        path.insert(0, source.folder.to_string_lossy())?;
    }
    // Tracebacks show the text that runs, whatever became of the file since.
    let lines = PyList::new(py, source.text.split_inclusive('\n'))?;
    py.import("linecache")?.getattr("cache")?.set_item(&file, (source.text.len(), py.None(), lines, &file))?;
    let code = py.import("builtins")?.call_method1("compile", (&source.text, &file, "exec"))?;
    let module = PyModule::new(py, &name)?;
    module.setattr("__file__", &file)?;
    modules.set_item(&name, &module)?;
    sys.setattr("stdout", prints)?;
    py.import("builtins")?.call_method1("exec", (code, module.dict()))?;
    module.getattr("reward_function").map_err(|_| {
        pyo3::exceptions::PyAttributeError::new_err(
            "the file defines no function named `reward_function`; it needs `def reward_function(params):`",
        )
    })
}

/// Takes modules that an earlier worker imported from the user's folder out of the table, so that the next worker gets its
/// own. Whoever uses them already keeps them.
fn forget_helpers(modules: &Bound<'_, PyDict>, folder: &Path) -> PyResult<()> {
    // A list of its own: looking at a module may import others.
    let all: Vec<(String, Bound<'_, PyAny>)> =
        modules.iter().filter_map(|(name, module)| Some((name.extract().ok()?, module))).collect();
    for (name, module) in all {
        let file = module.getattr("__file__").and_then(|file| file.extract::<PathBuf>());
        if file.is_ok_and(|file| file.starts_with(folder)) && !name.starts_with(MODULE_PREFIX) {
            modules.del_item(name)?;
        }
    }
    Ok(())
}

/// A function that needs more or fewer arguments than one is refused before it is ever called.
fn accepts_one_argument(function: &Bound<'_, PyAny>, source: &RewardSource) -> Result<(), RewardError> {
    let py = function.py();
    let refused = |message: String| {
        let line = function.getattr("__code__").and_then(|code| code.getattr("co_firstlineno")?.extract::<u32>()).ok();
        let source_line = line.map(|line| source_line(source, line));
        RewardError::Load { message, source_line, traceback: String::new() }
    };
    if !function.is_callable() {
        return Err(refused("`reward_function` is not a function".to_owned()));
    }
    let signature = py.import("inspect").and_then(|inspect| inspect.call_method1("signature", (function,)));
    // Callables without a signature (compiled ones) are found out by calling them.
    let Ok(signature) = signature else { return Ok(()) };
    match signature.call_method1("bind", (py.None(),)) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(format!(
            "`reward_function{}` cannot be called with exactly one argument, `params`: {}",
            signature.str().map_or_else(|_| String::new(), |text| text.to_string()),
            error.value(py)
        ))),
    }
}

fn load_error(py: Python<'_>, error: &PyErr, source: &RewardSource) -> RewardError {
    let (message, source_line, traceback) = describe(py, error, source);
    RewardError::Load { message, source_line, traceback }
}

/// What Python said, the user's own line, and the traceback from the user's first line on.
fn describe(py: Python<'_>, error: &PyErr, source: &RewardSource) -> (String, Option<SourceLine>, String) {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        crate::note_interrupt();
    }
    let value = error.value(py);
    let type_name = error.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
    if error.is_instance_of::<PySyntaxError>(py)
        && let Ok(place) = syntax_error_place(value, source)
    {
        let message = value.getattr("msg").map_or_else(|_| value.to_string(), |message| message.to_string());
        return (format!("{type_name}: {message}"), Some(place), String::new());
    }
    let text = value.to_string();
    let message = if text.is_empty() { type_name } else { format!("{type_name}: {text}") };
    let frames = error.traceback(py).map(|traceback| user_frames(&traceback, source)).unwrap_or_default();
    let line =
        frames.own.last().map(
            |&(ref file, line)| {
                if *file == source.file { source_line(source, line) } else { foreign_line(file, line) }
            },
        );
    (message, line, frames.text)
}

fn syntax_error_place(value: &Bound<'_, PyAny>, source: &RewardSource) -> PyResult<SourceLine> {
    let line: u32 = value.getattr("lineno")?.extract()?;
    let file: PathBuf = value.getattr("filename")?.extract()?;
    Ok(if file == source.file { source_line(source, line) } else { foreign_line(&file, line) })
}

#[derive(Default)]
struct Frames {
    /// The user's own files and lines, outermost first.
    own: Vec<(PathBuf, u32)>,
    /// The traceback as Python prints it, from the user's first frame on.
    text: String,
}

fn user_frames(traceback: &Bound<'_, PyTraceback>, source: &RewardSource) -> Frames {
    let read = || -> PyResult<Frames> {
        let module = traceback.py().import("traceback")?;
        let frames: Vec<Bound<'_, PyAny>> = module.call_method1("extract_tb", (traceback,))?.extract()?;
        let mut own = Vec::new();
        let mut shown = Vec::new();
        for frame in frames {
            let file: PathBuf = frame.getattr("filename")?.extract()?;
            if file == source.file || file.starts_with(&source.folder) {
                own.push((file, frame.getattr("lineno")?.extract()?));
            }
            if !own.is_empty() {
                shown.push(frame);
            }
        }
        let lines: Vec<String> = module.call_method1("format_list", (shown,))?.extract()?;
        Ok(Frames { own, text: lines.concat() })
    };
    read().unwrap_or_default()
}

/// A line of the function's own text.
fn source_line(source: &RewardSource, line: u32) -> SourceLine {
    let text = source.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().trim().to_owned();
    SourceLine { file: source.file.clone(), line, text }
}

/// A line of a file beside it.
fn foreign_line(file: &Path, line: u32) -> SourceLine {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let text = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().trim().to_owned();
    SourceLine { file: file.to_path_buf(), line, text }
}

fn short_repr(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "a value without repr".to_owned(), |repr| repr.to_string());
    if text.chars().count() <= LONGEST_REPR { text } else { text.chars().take(LONGEST_REPR).chain(['…']).collect() }
}
