//! What is known about a run, in a file.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use deepracer_settings::{Origin, RacingFolder, Request, RunConfig, Settings, SettingsError};
use serde::{Deserialize, Serialize};

use super::log_file::RunLogs;
use super::process_identity::ProcessIdentity;

/// Training or evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// `deepracer-<run id>`
    Training,
    /// `deepracer-eval-<run id>`
    Evaluation,
}

impl RunKind {
    /// The name of the run of this kind and id, as in the original's stacks.
    pub fn run_name(self, run_id: u64) -> String {
        match self {
            Self::Training => format!("deepracer-{run_id}"),
            Self::Evaluation => format!("deepracer-eval-{run_id}"),
        }
    }
}

impl fmt::Display for RunKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Training => "training",
            Self::Evaluation => "evaluation",
        })
    }
}

/// How far a run is, as its process says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// The process is loading; mistakes it finds now go to the terminal that started it.
    Starting,
    /// It drives.
    Running,
    /// It is over.
    Ended(Ending),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Exit code of the process: 0 done, 1 missed its goal, 3 failed.
    pub exit_code: u8,
    /// One sentence.
    pub what: String,
    /// Why, outermost first; empty when all went well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// A reward function as it was when the run was started: later edits change nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewardSource {
    /// The file the user knows it by; errors name it.
    pub file: PathBuf,
    /// The folder its own imports are looked up in.
    pub folder: PathBuf,
    /// The program text.
    pub text: String,
}

impl RewardSource {
    /// Reads a reward function from its file; its imports are looked up beside it.
    pub fn read(file: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(file)?;
        let text =
            String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text"))?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let folder = file.parent().unwrap_or(Path::new(".")).to_path_buf();
        Ok(Self { file: file.to_path_buf(), folder, text })
    }
}

/// `data/run/`: records and locks.
pub(super) fn runs_folder(folder: &RacingFolder) -> PathBuf {
    folder.data().join("run")
}

/// Everything the process needs, as it was when the run was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The racing folder.
    pub racing_folder: PathBuf,
    /// For each worker: every setting that is not at its default, by key, as text.
    pub settings: Vec<BTreeMap<String, String>>,
    /// `model_metadata.json`, the text.
    pub model_metadata: String,
    /// `hyperparameters.json`, the text; evaluations have none.
    #[serde(default)]
    pub hyperparameters: Option<String>,
    /// The reward function; `None` means the built-in one (evaluations).
    #[serde(default)]
    pub reward: Option<RewardSource>,
    /// Local time of the start as `YYYYmmddHHMMSS`; names the folders and files of an evaluation.
    pub stamp: String,
}

impl RunRequest {
    /// What is worth keeping of the settings of one worker.
    pub fn settings_to_keep(settings: &Settings) -> BTreeMap<String, String> {
        let entries = settings.values().entries().iter().filter(|entry| entry.origin != Origin::Default);
        entries.map(|entry| (entry.variable.name.to_owned(), entry.text.clone())).collect()
    }

    /// The checked settings of each worker, as they were, in their typed form.
    pub fn configs(&self) -> Result<Vec<RunConfig>, SettingsError> {
        Ok(self.settings()?.iter().map(|settings| settings.config().clone()).collect())
    }

    /// The checked settings of each worker, as they were; the files of today play no part. Their folder is none to work in:
    /// the one of the run is [`RunRecord::racing_folder`].
    pub fn settings(&self) -> Result<Vec<Settings>, SettingsError> {
        let settings = |kept: &BTreeMap<String, String>| {
            // A folder without env files: only what was kept counts.
            let mut request = Request::new(RacingFolder::at(runs_folder(&RacingFolder::at(&self.racing_folder))));
            request.overrides = kept.iter().map(|(key, text)| (key.clone(), text.clone())).collect();
            request.overrides.retain(|(key, _)| key != "DR_EXPERIMENT_NAME");
            Ok(Settings::load(&request)?.settings)
        };
        self.settings.iter().map(settings).collect()
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What it does.
    pub kind: RunKind,
    /// `DR_RUN_ID`.
    pub run_id: u64,
    /// The model it writes (training) or reads (evaluation).
    pub model_prefix: String,
    /// The track.
    pub world: String,
    /// When it was started, RFC 3339.
    pub since: String,
    /// The process; `None` until it has said so itself.
    pub process: Option<ProcessIdentity>,
    /// How far it is.
    pub state: RunState,
    /// Where it logs.
    pub logs: RunLogs,
    /// What it was asked to do.
    pub request: RunRequest,
}

/// A record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be read or written.
    #[error("could not {action} the run record {}", path.display())]
    File {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not a record of this version.
    #[error("{} is not a run record of this version; remove it if no run is alive", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl RunRecord {
    /// Its name: `deepracer-0`, `deepracer-eval-0`.
    pub fn name(&self) -> String {
        self.kind.run_name(self.run_id)
    }

    /// Where the record of a run lies.
    pub fn path(folder: &RacingFolder, kind: RunKind, run_id: u64) -> PathBuf {
        runs_folder(folder).join(format!("{}.json", kind.run_name(run_id)))
    }

    /// The record of a run; `None` when there never was one.
    pub fn find(folder: &RacingFolder, kind: RunKind, run_id: u64) -> Result<Option<Self>, RecordError> {
        match Self::read(&Self::path(folder, kind, run_id)) {
            Err(RecordError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other.map(Some),
        }
    }

    /// All records of a racing folder, by name. Files that are no records are left out.
    pub fn all(folder: &RacingFolder) -> Vec<Self> {
        let Ok(entries) = std::fs::read_dir(runs_folder(folder)) else { return Vec::new() };
        let mut records: Vec<Self> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .filter_map(|path| Self::read(&path).ok())
            .collect();
        records.sort_by_key(|record| (record.kind == RunKind::Evaluation, record.run_id));
        records
    }

    /// Reads a record.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let text = std::fs::read_to_string(path).map_err(|source| RecordError::File {
            action: "read",
            path: path.to_path_buf(),
            source,
        })?;
        serde_json::from_str(&text).map_err(|source| RecordError::Format { path: path.to_path_buf(), source })
    }

    /// Writes the record: readers see the old one or the new one, never a part.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let in_file = |source| RecordError::File { action: "write", path: path.to_path_buf(), source };
        let text = serde_json::to_string_pretty(self).map_err(|error| in_file(error.into()))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(in_file)?;
        }
        let new = path.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path)).map_err(in_file)
    }

    /// Whether the process lives.
    pub fn is_alive(&self) -> bool {
        self.process.as_ref().is_some_and(ProcessIdentity::is_alive)
    }

    /// The racing folder it belongs to.
    pub fn racing_folder(&self) -> RacingFolder {
        RacingFolder::at(&self.request.racing_folder)
    }

    /// In words: what it does, on which model, since when, as which process.
    pub fn describe(&self) -> String {
        let process = self.process.as_ref().map_or_else(String::new, |process| format!(", process {}", process.pid));
        format!(
            "{} ({} of `{}` on {}, since {}{process})",
            self.name(),
            self.kind,
            self.model_prefix,
            self.world,
            self.since
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A record of a training run in `folder`.
    pub(in crate::run) fn example(folder: &RacingFolder) -> RunRecord {
        RunRecord {
            kind: RunKind::Training,
            run_id: 0,
            model_prefix: "foo-1".to_owned(),
            world: "reinvent_base".to_owned(),
            since: "2024-01-01T12:00:00+00:00".to_owned(),
            process: None,
            state: RunState::Starting,
            logs: RunLogs::of(folder, "deepracer-0-20240101120000", 1),
            request: RunRequest {
                racing_folder: folder.root().to_path_buf(),
                settings: vec![BTreeMap::from([("DR_WORLD_NAME".to_owned(), "Oval_track".to_owned())])],
                model_metadata: "{}".to_owned(),
                hyperparameters: Some("{}".to_owned()),
                reward: None,
                stamp: "20240101120000".to_owned(),
            },
        }
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().join("my racing"));
        assert_eq!(RunRecord::find(&folder, RunKind::Training, 0)?, None);
        let mut record = example(&folder);
        record.state = RunState::Ended(Ending {
            exit_code: 3,
            what: "no".to_owned(),
            causes: vec!["why".to_owned()],
            hints: vec![],
        });
        record.process = Some(ProcessIdentity::current());
        record.write(&RunRecord::path(&folder, RunKind::Training, 0))?;
        assert_eq!(RunRecord::find(&folder, RunKind::Training, 0)?, Some(record.clone()));
        assert_eq!(RunRecord::all(&folder), [record.clone()]);
        assert!(record.is_alive());
        Ok(())
    }

    #[test]
    fn the_settings_of_a_run_survive_changes_of_the_files() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().join("my racing"));
        std::fs::create_dir_all(folder.root())?;
        std::fs::write(folder.run_env(), "DR_WORLD_NAME=Oval_track\nDR_LOCAL_S3_MODEL_PREFIX='night 1'\n")?;
        let settings = Settings::load(&Request::new(folder.clone()))?.settings;
        let mut record = example(&folder);
        record.request.settings = vec![RunRequest::settings_to_keep(&settings)];
        std::fs::write(folder.run_env(), "DR_WORLD_NAME=reinvent_base\n")?;
        assert_eq!(record.request.configs()?, [settings.config().clone()]);
        Ok(())
    }

    #[test]
    fn a_reward_file_with_a_byte_order_mark_is_read() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let file = base.path().join("reward_function.py");
        std::fs::write(&file, "\u{feff}def reward_function(params):\r\n    return 1.0\r\n")?;
        let source = RewardSource::read(&file)?;
        assert!(source.text.starts_with("def "));
        assert_eq!(source.folder, base.path());
        std::fs::write(&file, [0xff, 0xfe, b'd', 0])?;
        assert!(RewardSource::read(&file).is_err());
        Ok(())
    }
}
