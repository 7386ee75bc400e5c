//! What nearly every command begins with: the racing folder and its settings.

use std::path::{Path, PathBuf};

use deepracer_bucket::LocalBucket;
use deepracer_job::artefact::layout::ModelLayout;
use deepracer_job::run::{RunKind, RunRecord};
use deepracer_settings::{Inspection, RacingFolder, Request, RunConfig, Settings, SettingsError};
use deepracer_track::Library;

use crate::arguments;
use crate::failure::Failure;

/// The racing folder and what its files say.
pub(crate) struct Context {
    pub(crate) settings: Settings,
}

impl Context {
    /// Reads and checks the settings. Warnings go to the standard error; wrong values are a failure that lists them all.
    pub(crate) fn load(options: &arguments::Settings) -> Result<Self, Failure> {
        let loaded = Settings::load(&request(options)?).map_err(|error| settings_failure(&error))?;
        for warning in &loaded.warnings {
            eprintln!("{warning}");
        }
        Ok(Self { settings: loaded.settings })
    }

    /// The settings as far as they can be read, for commands that show things or stop runs.
    pub(crate) fn inspect(options: &arguments::Settings) -> Result<Inspection, Failure> {
        Settings::inspect(&request(options)?).map_err(|error| settings_failure(&error))
    }

    pub(crate) fn config(&self) -> &RunConfig {
        self.settings.config()
    }

    pub(crate) fn folder(&self) -> &RacingFolder {
        self.settings.folder()
    }

    /// The bucket of the settings.
    pub(crate) fn bucket(&self) -> LocalBucket {
        LocalBucket::new(self.bucket_folder())
    }

    pub(crate) fn bucket_folder(&self) -> PathBuf {
        self.folder().bucket(&self.config().storage.bucket)
    }

    /// The model of the settings.
    pub(crate) fn model(&self) -> Result<ModelLayout, Failure> {
        model(&self.config().storage.model_prefix)
    }

    /// The user's files: `custom_files/`, or the experiment's.
    pub(crate) fn custom_files(&self) -> PathBuf {
        self.folder().custom_files(self.config().experiment.as_deref())
    }

    /// Tracks: imported route files first, then the built-in drawings.
    pub(crate) fn library(&self) -> Library {
        library(self.folder())
    }

    /// The record of the run of these settings, if there ever was one.
    pub(crate) fn record(&self, kind: RunKind) -> Result<Option<RunRecord>, Failure> {
        record(self.folder(), kind, u64::from(self.config().run_id))
    }
}

/// The record of a run, if there ever was one.
pub(crate) fn record(folder: &RacingFolder, kind: RunKind, run_id: u64) -> Result<Option<RunRecord>, Failure> {
    RunRecord::find(folder, kind, run_id).map_err(|error| Failure::failed("cannot see what runs").caused_by(&error))
}

/// The keys of a model.
pub(crate) fn model(prefix: &str) -> Result<ModelLayout, Failure> {
    ModelLayout::new(prefix)
        .map_err(|error| Failure::wrong_use(format!("`{prefix}` cannot name a model")).caused_by(&error))
}

/// Tracks of a racing folder.
pub(crate) fn library(folder: &RacingFolder) -> Library {
    Library::new(Some(tracks_folder(folder)))
}

/// `data/tracks/`: imported route files.
pub(crate) fn tracks_folder(folder: &RacingFolder) -> PathBuf {
    folder.data().join("tracks")
}

/// The racing folder the command was called in, or the one of `DR_DIR`.
pub(crate) fn racing_folder() -> Result<RacingFolder, Failure> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::failed("the current folder cannot be read; was it removed?").caused_by(&error))?;
    let dr_dir = std::env::var_os("DR_DIR").filter(|value| !value.is_empty()).map(|value| current.join(value));
    RacingFolder::find(&current, dr_dir.as_deref()).map_err(|error| settings_failure(&error))
}

fn request(options: &arguments::Settings) -> Result<Request, Failure> {
    let mut request = Request::new(racing_folder()?).with_process_environment();
    request.experiment.clone_from(&options.experiment);
    for assignment in &options.overrides {
        let Some((key, value)) = assignment.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::wrong_use(format!("`--set {assignment}` is not KEY=VALUE"))
                .hint("for example `--set DR_WORLD_NAME=Oval_track`"));
        };
        if !key.starts_with("DR_") {
            return Err(Failure::wrong_use(format!("`--set {assignment}` does not set a DR_ variable")));
        }
        request.overrides.push((key.to_owned(), value.to_owned()));
    }
    Ok(request)
}

/// A failure of the settings in the form of all failures.
pub(crate) fn settings_failure(error: &SettingsError) -> Failure {
    match error {
        SettingsError::NoRacingFolder { start, from_variable: false } => {
            Failure::wrong_use("there is no racing folder here")
                .cause(format!("neither {} nor a folder above it holds run.env or system.env", start.display()))
                .hint("`dr-init FOLDER` makes one; work inside it, or set DR_DIR to it")
        }
        SettingsError::NoRacingFolder { start, from_variable: true } => {
            Failure::wrong_use(format!("DR_DIR names {}, which is no racing folder", start.display()))
                .cause("it holds neither run.env nor system.env")
                .hint(format!("unset DR_DIR, or make the folder: dr-init \"{}\"", start.display()))
        }
        SettingsError::Invalid(problems) => {
            let what = if problems.len() == 1 { "a setting cannot be used" } else { "some settings cannot be used" };
            let failure =
                problems.iter().fold(Failure::wrong_use(what), |failure, problem| failure.cause(problem.to_string()));
            failure.hint("`dr-config` shows every setting and where it comes from")
        }
        other => Failure::wrong_use("the settings cannot be read").caused_by(other),
    }
}

/// A path as the user would type it: relative to the current folder when it lies below it.
pub(crate) fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&current).unwrap_or(path).display().to_string()
}
