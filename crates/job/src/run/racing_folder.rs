//! The folder a racer works in.

use std::path::{Path, PathBuf};

/// Where a racing folder was expected, and why there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RacingFolderError {
    /// Neither the folder nor one above it holds an env file.
    #[error(
        "no racing folder: neither {} nor a folder above it holds run.env or system.env",
        .looked_in.display()
    )]
    NotFound {
        /// The folder the search began in.
        looked_in: PathBuf,
    },
    /// `DR_DIR` names a folder without env files.
    #[error("DR_DIR names {}, which holds neither run.env nor system.env", .folder.display())]
    WrongVariable {
        /// What `DR_DIR` says.
        folder: PathBuf,
    },
}

impl RacingFolderError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NotFound { .. } => "`dr-init FOLDER` makes one; work inside it, or set DR_DIR to it".to_owned(),
            Self::WrongVariable { folder } => {
                format!("unset DR_DIR, or make the folder with `dr-init \"{}\"`", folder.display())
            }
        }
    }
}

/// A racing folder: `system.env`, `run.env`, `custom_files/`, `data/`.
///
/// ```
/// use deepracer_job::run::RacingFolder;
///
/// let somewhere = tempfile::tempdir()?;
/// std::fs::write(somewhere.path().join("run.env"), "DR_WORLD_NAME=reinvent_base\n")?;
/// std::fs::create_dir(somewhere.path().join("custom_files"))?;
/// let folder = RacingFolder::find(&somewhere.path().join("custom_files"), None)?;
/// assert_eq!(folder.root(), somewhere.path());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacingFolder {
    root: PathBuf,
}

impl RacingFolder {
    /// Finds the racing folder that `current` lies in, or the one that `dr_dir` (the variable `DR_DIR`) names.
    pub fn find(current: &Path, dr_dir: Option<&Path>) -> Result<Self, RacingFolderError> {
        if let Some(folder) = dr_dir.filter(|folder| !folder.as_os_str().is_empty()) {
            let root = current.join(folder);
            return if is_racing_folder(&root) {
                Ok(Self { root })
            } else {
                Err(RacingFolderError::WrongVariable { folder: root })
            };
        }
        current
            .ancestors()
            .find(|folder| is_racing_folder(folder))
            .map(|root| Self { root: root.to_path_buf() })
            .ok_or_else(|| RacingFolderError::NotFound { looked_in: current.to_path_buf() })
    }

    /// The racing folder of this path, without looking.
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The user's reward function, metadata and hyperparameters; those of an experiment when one is named.
    pub fn custom_files(&self, experiment: Option<&str>) -> PathBuf {
        match experiment {
            Some(name) => self.root.join("experiments").join(name).join("custom_files"),
            None => self.root.join("custom_files"),
        }
    }

    /// The local storage: one folder per bucket.
    pub fn bucket(&self, name: &str) -> PathBuf {
        self.data().join("s3").join(name)
    }

    /// Everything the commands write.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Imported route files.
    pub fn tracks(&self) -> PathBuf {
        self.data().join("tracks")
    }

    /// Run records and locks.
    pub fn runs(&self) -> PathBuf {
        self.data().join("run")
    }

    /// Logs, one folder per run.
    pub fn logs(&self) -> PathBuf {
        self.data().join("logs")
    }
}

fn is_racing_folder(folder: &Path) -> bool {
    ["run.env", "system.env"].iter().any(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_above_wins_and_dr_dir_beats_both() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let outer = base.path().join("my racing");
        let inner = outer.join("kids");
        std::fs::create_dir_all(inner.join("custom_files"))?;
        std::fs::write(outer.join("run.env"), "")?;
        std::fs::write(inner.join("system.env"), "")?;
        let root = |current: &Path, dr_dir: Option<&Path>| Ok::<_, RacingFolderError>(RacingFolder::find(current, dr_dir)?.root);
        assert_eq!(root(&inner.join("custom_files"), None)?, inner);
        assert_eq!(root(&outer, None)?, outer);
        assert_eq!(root(&inner, Some(&outer))?, outer);
        assert_eq!(root(base.path(), Some(Path::new("my racing")))?, outer);
        assert_eq!(root(&inner, Some(Path::new("")))?, inner);
        Ok(())
    }

    #[test]
    fn says_where_it_looked_and_what_makes_one() -> Result<(), std::io::Error> {
        let base = tempfile::tempdir()?;
        let nowhere = RacingFolder::find(base.path(), None);
        assert_eq!(nowhere, Err(RacingFolderError::NotFound { looked_in: base.path().to_path_buf() }));
        let Err(error) = RacingFolder::find(base.path(), Some(base.path())) else { return Err(std::io::Error::other("found")) };
        assert!(error.hint().contains("dr-init"), "{}", error.hint());
        Ok(())
    }
}
