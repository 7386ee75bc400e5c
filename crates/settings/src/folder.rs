//! The racing folder: where env files, custom files and data are.

use std::path::{Path, PathBuf};

use crate::SettingsError;

/// A folder made by `dr-init`: `system.env`, `run.env`, `custom_files/`, `experiments/`, `data/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacingFolder {
    root: PathBuf,
}

impl RacingFolder {
    /// A folder that is known to be one.
    pub fn at(root: impl Into<PathBuf>) -> RacingFolder {
        RacingFolder { root: root.into() }
    }

    /// The folder `dr_dir` names (the variable `DR_DIR`), else the nearest one at or above `start`.
    ///
    /// A folder is a racing folder when it holds `system.env` or `run.env`; an experiment's folder belongs to the racing
    /// folder above it.
    pub fn find(start: &Path, dr_dir: Option<&Path>) -> Result<RacingFolder, SettingsError> {
        let found = match dr_dir {
            Some(folder) => Some(folder).filter(|folder| has_env_files(folder)),
            None => start.ancestors().find(|folder| has_env_files(folder)),
        };
        let Some(found) = found else {
            return Err(SettingsError::NoRacingFolder {
                start: dr_dir.unwrap_or(start).to_path_buf(),
                from_variable: dr_dir.is_some(),
            });
        };
        let experiments = found.parent().filter(|parent| parent.ends_with("experiments"));
        let above = experiments.and_then(Path::parent).filter(|above| has_env_files(above));
        Ok(RacingFolder::at(above.unwrap_or(found)))
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `system.env`: settings of the machine.
    pub fn system_env(&self) -> PathBuf {
        self.root.join("system.env")
    }

    /// `run.env`: settings of the run.
    pub fn run_env(&self) -> PathBuf {
        self.root.join("run.env")
    }

    /// `experiments/`, one folder an experiment.
    pub fn experiments(&self) -> PathBuf {
        self.root.join("experiments")
    }

    /// The folder of an experiment, else the racing folder: where its `run.env`, `worker-N.env` and `custom_files` are.
    pub fn of_experiment(&self, experiment: Option<&str>) -> PathBuf {
        experiment.map_or_else(|| self.root.clone(), |name| self.experiments().join(name))
    }

    /// `custom_files/` of an experiment, else of the racing folder.
    pub fn custom_files(&self, experiment: Option<&str>) -> PathBuf {
        self.of_experiment(experiment).join("custom_files")
    }

    /// `data/`: everything runs write.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// `data/s3/<bucket>/`: the files of a bucket.
    pub fn bucket(&self, bucket: &str) -> PathBuf {
        self.data().join("s3").join(bucket)
    }
}

fn has_env_files(folder: &Path) -> bool {
    folder.join("system.env").is_file() || folder.join("run.env").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn found_from_below_and_from_an_experiment() {
        let parent = tempfile::tempdir().expect("temporary folder");
        let root = parent.path().join("my racing folder é");
        let experiment = root.join("experiments/wide");
        fs::create_dir_all(experiment.join("custom_files")).expect("folders");
        fs::write(root.join("system.env"), "").expect("file");
        fs::write(experiment.join("run.env"), "").expect("file");
        for start in [&root, &experiment, &experiment.join("custom_files")] {
            let folder = RacingFolder::find(start, None).expect("found");
            assert_eq!(folder.root(), root);
        }
        let elsewhere = RacingFolder::find(parent.path(), Some(&root)).expect("found");
        assert_eq!(elsewhere.custom_files(Some("wide")), experiment.join("custom_files"));
    }

    #[test]
    fn a_missing_folder_is_explained() {
        let parent = tempfile::tempdir().expect("temporary folder");
        let error = RacingFolder::find(Path::new("/"), Some(parent.path())).expect_err("none");
        let expected = format!(
            "DR_DIR={} holds no system.env or run.env; `dr-init` makes a racing folder",
            parent.path().display()
        );
        assert_eq!(error.to_string(), expected);
    }
}
