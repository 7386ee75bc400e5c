//! Loading: from files, environment and command line to checked values.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::RunConfig;
use crate::did_you_mean;
use crate::env_file::{EnvFile, EnvFileError};
use crate::folder::RacingFolder;
use crate::judge::{Problem, judge, problem};
use crate::layers::{Layer, Stack, process_environment};
use crate::message::Warning;
use crate::table::{self, Status};
use crate::value::Value;
use crate::values::Values;

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

        if !run_file.is_file() {
            warnings.push(Warning::new(format!(
                "{} does not exist, defaults hold; `dr-init` makes one",
                run_file.display()
            )));
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

    /// Refuses names that would make a training run destroy what it needs.
    pub fn check_training(&self) -> Result<(), SettingsError> {
        let storage = &self.config.storage;
        let model = &storage.model_prefix;
        let mut problems = Vec::new();
        let mut refuse = |name: &str, reason: String| {
            problems.extend(self.values.get(name).map(|entry| problem(entry, reason)));
        };
        if is_inside(&storage.custom_files_prefix, model) {
            let reason =
                format!("the custom files would lie in the folder of the model ({model}); choose another name");
            refuse("DR_LOCAL_S3_CUSTOM_FILES_PREFIX", reason);
        }
        let pretrained = &self.config.pretrained;
        if pretrained.enabled && is_inside(&pretrained.prefix, model) {
            let reason = format!(
                "the model to start from would be overwritten by the new one ({model}); give DR_LOCAL_S3_MODEL_PREFIX \
                 another name, `dr-increment-training` does it"
            );
            refuse("DR_LOCAL_S3_PRETRAINED_PREFIX", reason);
        }
        if problems.is_empty() { Ok(()) } else { Err(SettingsError::Invalid(problems)) }
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
        let (_, _, said) = judge(&self.files, &self.above_files, &self.environment);
        let own = path.display().to_string();
        for mut warning in judged.warnings.into_iter().filter(|warning| !said.warnings.contains(warning)) {
            if !warning.text.contains(&own) {
                warning.text = format!("{own}: {}", warning.text);
            }
            warnings.push(warning);
        }
        let differing = values.entries().iter().zip(self.values.entries()).filter(|(worker, run)| {
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

/// Whether a key of the bucket is a folder or lies in it.
fn is_inside(key: &str, folder: &str) -> bool {
    key.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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

/// The nearest variables to a name, for commands that take one.
pub fn nearest_variables(name: &str) -> Vec<&'static str> {
    did_you_mean::nearest(name, table::names(), 3)
}
