//! Loading: from files, environment and command line to checked values.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::choice::{Checkpoint, RaceType};
use crate::config::RunConfig;
use crate::did_you_mean;
use crate::env_file::{EnvFile, EnvFileError};
use crate::folder::RacingFolder;
use crate::layers::{Layer, Stack, process_environment};
use crate::message::{Origin, Severity, Warning};
use crate::table::{self, Status, Variable};
use crate::value::{Kind, Value};

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// There is no racing folder.
    #[error("{}", no_racing_folder(start, *from_variable))]
    NoRacingFolder {
        /// Where the search began.
        start: PathBuf,
        /// Whether `DR_DIR` named it.
        from_variable: bool,
    },
    /// An env file cannot be read.
    #[error(transparent)]
    EnvFile(#[from] EnvFileError),
    /// The experiment does not exist.
    #[error("there is no experiment {name}: {} does not exist{}", path.display(), available(others))]
    NoExperiment {
        /// The experiment asked for.
        name: String,
        /// The file that should be there.
        path: PathBuf,
        /// Experiments that exist.
        others: Vec<String>,
    },
    /// A worker has no file of its own although it should.
    #[error(
        "worker {worker} has no settings: {} does not exist; write it (it may be empty), lower DR_WORKERS, or set \
         DR_TRAIN_MULTI_CONFIG=False", path.display()
    )]
    NoWorkerFile {
        /// Number of the worker, as in the file name.
        worker: usize,
        /// The file that should be there.
        path: PathBuf,
    },
    /// Values that cannot be used, all of them.
    #[error("{}", listed(.0))]
    Invalid(Vec<Problem>),
}

fn no_racing_folder(start: &Path, from_variable: bool) -> String {
    if from_variable {
        format!("DR_DIR={} holds no system.env or run.env; `dr-init` makes a racing folder", start.display())
    } else {
        format!(
            "no racing folder: neither {} nor any folder above it holds system.env or run.env; `dr-init` makes one, \
             DR_DIR names one elsewhere",
            start.display()
        )
    }
}

fn available(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!("; there are {}", others.join(", ")) }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The variable.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
    /// What is wrong and what to do.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}={}: {}", self.origin, self.name, self.text, self.reason)
    }
}

/// What to load.
#[derive(Debug, Clone)]
pub struct Request {
    /// The racing folder.
    pub folder: RacingFolder,
    /// A file to read instead of `run.env`.
    pub run_file: Option<PathBuf>,
    /// The experiment the command line asks for.
    pub experiment: Option<String>,
    /// Assignments of the command line, which beat all others.
    pub overrides: Vec<(String, String)>,
    /// Environment variables: `DR_*` beat the files, all can be referred to.
    pub environment: BTreeMap<String, String>,
}

impl Request {
    /// The files of a folder and nothing else.
    pub fn new(folder: RacingFolder) -> Request {
        Request { folder, run_file: None, experiment: None, overrides: Vec::new(), environment: BTreeMap::new() }
    }

    /// Besides, the environment of this process.
    #[must_use]
    pub fn with_process_environment(mut self) -> Request {
        self.environment = process_environment();
        self
    }
}

/// The value of one variable and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its row in the table.
    pub variable: &'static Variable,
    /// The value, as text after expansion.
    pub text: String,
    /// The value; the default when the text cannot be used.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// The values of all variables, in the order of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    entries: Vec<Entry>,
    index: HashMap<&'static str, usize>,
}

impl Values {
    fn new(entries: Vec<Entry>) -> Values {
        let index = entries.iter().enumerate().map(|(index, entry)| (entry.variable.name, index)).collect();
        Values { entries, index }
    }

    /// All of them, in the order of the table.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One of them, by name or another spelling.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        let name = table::find(name)?.name;
        self.index.get(name).map(|index| &self.entries[*index])
    }

    fn value(&self, name: &str) -> &Value {
        self.get(name).map_or(&Value::Unset, |entry| &entry.value)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Flag(true))
    }

    pub(crate) fn integer(&self, name: &str) -> u64 {
        self.optional_integer(name).unwrap_or_default()
    }

    pub(crate) fn optional_integer(&self, name: &str) -> Option<u64> {
        if let Value::Integer(number) = self.value(name) { Some(*number) } else { None }
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.optional_number(name).unwrap_or_default()
    }

    pub(crate) fn optional_number(&self, name: &str) -> Option<f64> {
        if let Value::Number(number) = self.value(name) { Some(*number) } else { None }
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.value(name).to_text()
    }

    pub(crate) fn checkpoint(&self, name: &str) -> Checkpoint {
        if let Value::Checkpoint(checkpoint) = self.value(name) { *checkpoint } else { Checkpoint::Last }
    }

    pub(crate) fn choice<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        read(&self.text(name))
    }
}

/// Settings, checked, and what is worth telling about them.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// What is worth telling, in order, each once.
    pub warnings: Vec<Warning>,
}

/// Settings as far as they can be read, and what is wrong with them.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The settings; a value that cannot be used is replaced by its default.
    pub settings: Settings,
    /// What is worth telling, in order, each once.
    pub warnings: Vec<Warning>,
    /// What keeps a run from starting.
    pub problems: Vec<Problem>,
}

/// All settings of a run, or of one of its workers.
#[derive(Debug, Clone)]
pub struct Settings {
    folder: RacingFolder,
    run_file: PathBuf,
    files: Vec<Layer>,
    above_files: Vec<Layer>,
    environment: BTreeMap<String, String>,
    values: Values,
    config: RunConfig,
}

impl Settings {
    /// Reads and checks everything; the error lists all values that cannot be used.
    ///
    /// ```
    /// use deepracer_settings::{RacingFolder, Request, Settings};
    /// # let root = tempfile::tempdir()?;
    /// std::fs::write(root.path().join("run.env"), "DR_WORLD_NAME=Oval_track\nDR_WORKERS=2\n")?;
    /// let loaded = Settings::load(&Request::new(RacingFolder::at(root.path())))?;
    /// assert_eq!(loaded.settings.config().world_name, "Oval_track");
    /// assert_eq!(loaded.settings.config().train.start_position_offset, 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(request: &Request) -> Result<Loaded, SettingsError> {
        let Inspection { settings, warnings, problems } = Settings::inspect(request)?;
        if problems.is_empty() { Ok(Loaded { settings, warnings }) } else { Err(SettingsError::Invalid(problems)) }
    }

    /// Reads everything and reports what is wrong instead of failing, for commands that show settings or stop runs.
    pub fn inspect(request: &Request) -> Result<Inspection, SettingsError> {
        let mut warnings = Vec::new();
        let mut files = Vec::new();
        let mut read = |path: &Path| -> Result<Layer, SettingsError> {
            let file = EnvFile::read(path)?;
            warnings.extend(file.warnings.iter().cloned());
            Ok(Layer::of_file(file))
        };
        let system_env = request.folder.system_env();
        if system_env.is_file() {
            files.push(read(&system_env)?);
        }
        let mut run_file = request.run_file.clone().unwrap_or_else(|| request.folder.run_env());
        if request.run_file.is_some() || run_file.is_file() {
            files.push(read(&run_file)?);
        }

        let mut overrides = request.overrides.clone();
        if let Some(experiment) = &request.experiment {
            overrides.push(("DR_EXPERIMENT_NAME".to_owned(), experiment.clone()));
        }
        let above_files = vec![Layer::of_environment(&request.environment), Layer::of_command_line(&overrides)];
        if let Some(experiment) = chosen_experiment(&files, &above_files, &request.environment) {
            run_file = request.folder.of_experiment(Some(&experiment)).join("run.env");
            if !run_file.is_file() {
                let others = experiment_names(&request.folder);
                return Err(SettingsError::NoExperiment { name: experiment, path: run_file, others });
            }
            files.push(read(&run_file)?);
        }

        let (values, config, judged) = judge(&files, &above_files, &request.environment);
        warnings.extend(judged.warnings);
        let settings = Settings {
            folder: request.folder.clone(),
            run_file,
            files,
            above_files,
            environment: request.environment.clone(),
            values,
            config,
        };
        Ok(Inspection { settings, warnings: once(warnings), problems: judged.problems })
    }

    /// The typed view.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Value and origin of every variable.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The racing folder.
    pub fn folder(&self) -> &RacingFolder {
        &self.folder
    }

    /// The file that holds the settings of the run: `run.env`, the experiment's one, or the one that was asked for.
    pub fn run_file(&self) -> &Path {
        &self.run_file
    }

    /// The folder with the user's files: `custom_files/`, or the experiment's one.
    pub fn custom_files(&self) -> PathBuf {
        self.folder.custom_files(self.config.experiment.as_deref())
    }

    /// The settings of every worker, `DR_WORKERS` of them, and what is worth telling about their files.
    ///
    /// With `DR_TRAIN_MULTI_CONFIG=True`, worker N (from 2) is these settings with `worker-N.env` laid over the other
    /// files; nothing is inherited from other workers. Otherwise all are the same.
    pub fn workers(&self) -> Result<(Vec<Settings>, Vec<Warning>), SettingsError> {
        let count = self.config.workers as usize;
        let mut workers = vec![self.clone()];
        let mut warnings = Vec::new();
        if self.config.train.multi_config && count == 1 {
            warnings.push(Warning::note("DR_TRAIN_MULTI_CONFIG has no effect with one worker (DR_WORKERS=1)"));
        }
        for number in 2..=count {
            if self.config.train.multi_config {
                workers.push(self.worker(number, &mut warnings)?);
            } else {
                workers.push(self.clone());
            }
        }
        Ok((workers, once(warnings)))
    }

    fn worker(&self, number: usize, warnings: &mut Vec<Warning>) -> Result<Settings, SettingsError> {
        let folder = self.folder.of_experiment(self.config.experiment.as_deref());
        let path = folder.join(format!("worker-{number}.env"));
        if !path.is_file() {
            return Err(SettingsError::NoWorkerFile { worker: number, path });
        }
        let file = EnvFile::read(&path)?;
        warnings.extend(file.warnings.iter().cloned());
        let mut files = self.files.clone();
        files.push(Layer::of_file(file));
        let (values, config, mut judged) = judge(&files, &self.above_files, &self.environment);
        // What the other files have to say was said when they were loaded.
        let own = path.display().to_string();
        warnings.extend(judged.warnings.into_iter().filter(|warning| warning.text.contains(&own)));
        let differing = values.entries.iter().zip(&self.values.entries).filter(|(worker, run)| {
            !run.variable.per_worker && worker.variable.status == Status::Works && worker.value != run.value
        });
        judged.problems.extend(differing.map(|(worker, run)| Problem {
            name: worker.variable.name.to_owned(),
            text: worker.text.clone(),
            origin: worker.origin.clone(),
            reason: format!("a worker cannot differ from its run in this ({})", run.text),
        }));
        if !judged.problems.is_empty() {
            return Err(SettingsError::Invalid(judged.problems));
        }
        Ok(Settings { run_file: path, files, values, config, ..self.clone() })
    }
}

fn once(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut kept: Vec<Warning> = Vec::new();
    for warning in warnings {
        if !kept.contains(&warning) {
            kept.push(warning);
        }
    }
    kept
}

fn chosen_experiment(files: &[Layer], above_files: &[Layer], environment: &BTreeMap<String, String>) -> Option<String> {
    let row = table::find("DR_EXPERIMENT_NAME")?;
    let text = Stack::new(files.iter().chain(above_files).collect(), environment).resolve(row).text;
    match row.kind.parse(&text) {
        Ok(Value::Text(name)) => Some(name),
        _ => None,
    }
}

fn experiment_names(folder: &RacingFolder) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder.experiments())
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            entry.path().join("run.env").is_file().then(|| entry.file_name().to_string_lossy().into_owned())
        })
        .collect();
    names.sort();
    names
}

/// What came up while values were judged.
struct Judged {
    warnings: Vec<Warning>,
    problems: Vec<Problem>,
}

fn judge(
    files: &[Layer],
    above_files: &[Layer],
    environment: &BTreeMap<String, String>,
) -> (Values, RunConfig, Judged) {
    let mut stack = Stack::new(files.iter().chain(above_files).collect(), environment);
    stack.check_names();
    let mut ignored = Ignored::default();
    let mut entries = Vec::new();
    for row in table::all() {
        let entry = read_entry(row, &mut stack);
        if row.name == "DR_DIR" && matches!(entry.origin, Origin::File { .. }) {
            stack.warnings.push(Warning::new(format!(
                "{}: DR_DIR is read from the environment only; this line has no effect",
                entry.origin
            )));
        }
        if asks_for_something(&entry, &mut stack) {
            match row.status {
                Status::Works => {}
                Status::NoEffect(reason) => ignored.add(&entry, Severity::Note, "no effect", reason),
                Status::NotYetIgnored(what) => ignored.add(&entry, Severity::Warning, "not supported yet", what),
                Status::NotYetRefused(what) => {
                    stack.problems.push(problem(&entry, format!("not supported yet: {what}")));
                }
            }
        }
        entries.push(entry);
    }
    let values = Values::new(entries);
    let config = RunConfig::of(&values);
    let mut problems = stack.problems;
    problems.extend(combination_problems(&values, &config));
    let mut warnings = stack.warnings;
    warnings.extend(ignored.into_warnings());
    (values, config, Judged { warnings, problems })
}

fn problem(entry: &Entry, reason: String) -> Problem {
    Problem { name: entry.variable.name.to_owned(), text: entry.text.clone(), origin: entry.origin.clone(), reason }
}

fn read_entry(row: &'static Variable, stack: &mut Stack<'_>) -> Entry {
    let resolved = stack.resolve(row);
    let mut entry = Entry { variable: row, text: resolved.text, value: Value::Unset, origin: resolved.origin };
    let default = stack.expand_default(row.default);
    let default_value =
        || if default.is_empty() { unset(row.kind) } else { row.kind.parse(&default).unwrap_or(Value::Unset) };
    if entry.text.is_empty() && (row.kind.empty_means_default() || row.default.is_empty()) {
        if entry.origin != Origin::Default && !row.default.is_empty() {
            stack.warnings.push(Warning::note(format!(
                "{}: {} is empty; the default {} is used",
                entry.origin, row.name, row.default
            )));
        }
        entry.value = default_value();
        return entry;
    }
    match row.kind.parse(&entry.text) {
        Ok(value) => entry.value = value,
        Err(reason) => {
            match row.status {
                // A default is only illegal because of the value it refers to, which is reported itself.
                _ if entry.origin == Origin::Default => {}
                Status::Works | Status::NotYetRefused(_) => stack.problems.push(problem(&entry, reason)),
                // A feature that is not there must not stop anybody.
                Status::NoEffect(_) | Status::NotYetIgnored(_) => {
                    stack.warnings.push(Warning::new(problem(&entry, reason).to_string()));
                }
            }
            entry.value = default_value();
        }
    }
    entry
}

/// The value of a row that has no default.
fn unset(kind: Kind) -> Value {
    match kind {
        Kind::Text | Kind::Name | Kind::ObjectKey => Value::Text(String::new()),
        _ => Value::Unset,
    }
}

fn asks_for_something(entry: &Entry, stack: &mut Stack<'_>) -> bool {
    let row = entry.variable;
    if row.status == Status::Works || entry.origin == Origin::Default {
        return false;
    }
    let quiet_texts = std::iter::once(&row.default).chain(row.quiet);
    !quiet_texts
        .map(|text| stack.expand_default(text))
        .any(|text| text == entry.text || row.kind.parse(&text).as_ref() == Ok(&entry.value))
}

/// Variables that do nothing, gathered so that each reason is said once.
#[derive(Default)]
struct Ignored {
    groups: Vec<(Severity, &'static str, &'static str, Vec<String>)>,
}

impl Ignored {
    fn add(&mut self, entry: &Entry, severity: Severity, verdict: &'static str, reason: &'static str) {
        let name = format!("{}={}", entry.variable.name, entry.text);
        match self.groups.iter_mut().find(|group| group.1 == verdict && group.2 == reason) {
            Some(group) => group.3.push(name),
            None => self.groups.push((severity, verdict, reason, vec![name])),
        }
    }

    fn into_warnings(self) -> impl Iterator<Item = Warning> {
        self.groups.into_iter().map(|(severity, verdict, reason, names)| {
            let names = names.join(", ");
            let text = match severity {
                Severity::Note => format!("{names}: {verdict}: {reason}"),
                Severity::Warning => format!("{names}: {verdict}: {reason}; ignored for now"),
            };
            Warning { severity, text }
        })
    }
}

/// Values that are legal each on its own but not for what can be run.
fn combination_problems(values: &Values, config: &RunConfig) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse = |name: &str, reason: &str| {
        problems.extend(values.get(name).map(|entry| problem(entry, reason.to_owned())));
    };
    if config.race_type != RaceType::TimeTrial {
        refuse("DR_RACE_TYPE", "not supported yet: races other than TIME_TRIAL; set DR_RACE_TYPE=TIME_TRIAL");
    }
    if config.evaluation.max_resets == 1 {
        refuse(
            "DR_EVAL_MAX_RESETS",
            "not possible: 0 ends the episode at the first failure, else give at least 2 resets",
        );
    }
    if config.train.stop_minutes == Some(0.0) {
        refuse("DR_TRAIN_STOP_MINUTES", "not a time to train; leave it empty for no limit");
    }
    problems
}

/// The nearest variables to a name, for commands that take one.
pub fn nearest_variables(name: &str) -> Vec<&'static str> {
    did_you_mean::nearest(name, table::names(), 3)
}
