//! Who may do what only one process may do at a time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::process_identity::ProcessIdentity;

/// Why a lock was not given.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A living process has it.
    #[error("{purpose} is in use by process {} ({owner_name})", owner.pid)]
    Taken {
        /// What the lock is for.
        purpose: String,
        /// The run that has it.
        owner_name: String,
        /// Its process.
        owner: ProcessIdentity,
    },
    /// The file could not be read or written.
    #[error("could not use the lock file {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a lock file says.
#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    name: String,
    process: ProcessIdentity,
}

/// A lock held by this process, given back when dropped. A process that dies holding one loses it: the next one to ask
/// sees that the owner is dead and takes over.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
}

impl Lock {
    /// Takes the lock `path` for the run `name`. `purpose` ends up in the message when somebody else has it.
    pub fn take(path: &Path, name: &str, purpose: &str) -> Result<Self, LockError> {
        let in_file = |source| LockError::File { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(in_file)?;
        }
        // Two processes that ask at the same time read and write the file one after the other.
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(in_file)?;
        file.lock().map_err(in_file)?;
        if let Some(owner) = read_owner(&mut file).map_err(in_file)?
            && owner.process.is_alive()
            && owner.process != ProcessIdentity::current()
        {
            return Err(LockError::Taken { purpose: purpose.to_owned(), owner_name: owner.name, owner: owner.process });
        }
        let owner = Owner { name: name.to_owned(), process: ProcessIdentity::current() };
        write_owner(&mut file, Some(&owner)).map_err(in_file)?;
        Ok(Self { path: path.to_path_buf() })
    }

    /// The living owner of a lock, as (run, process); `None` when it is free.
    pub fn owner(path: &Path) -> Option<(String, ProcessIdentity)> {
        let owner = read_owner(&mut File::open(path).ok()?).ok()??;
        owner.process.is_alive().then_some((owner.name, owner.process))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file stays, emptied: removing it could pull it from under somebody who just opened it.
        if let Ok(mut file) = File::options().read(true).write(true).open(&self.path)
            && file.lock().is_ok()
            && let Ok(Some(owner)) = read_owner(&mut file)
            && owner.process == ProcessIdentity::current()
        {
            // When this fails the lock still ends with the process.
            let _ = write_owner(&mut file, None);
        }
    }
}

fn read_owner(file: &mut File) -> io::Result<Option<Owner>> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    // A half-written owner is nobody: it died while writing.
    Ok(serde_json::from_str(&text).ok())
}

fn write_owner(file: &mut File, owner: Option<&Owner>) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    if let Some(owner) = owner {
        file.write_all(serde_json::to_string(owner)?.as_bytes())?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_owner_loses_the_lock_and_a_living_one_keeps_it() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("locks/model.json");
        let mut child = std::process::Command::new("sleep").arg("60").spawn()?;
        let process = ProcessIdentity::of(child.id()).ok_or("the child is not there")?;
        let living = Owner { name: "deepracer-7".to_owned(), process };
        std::fs::create_dir_all(folder.path().join("locks"))?;
        std::fs::write(&path, serde_json::to_string(&living)?)?;

        let refused =
            Lock::take(&path, "deepracer-8", "the model `foo`").map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(refused, Err(format!("the model `foo` is in use by process {} (deepracer-7)", child.id())));

        child.kill()?;
        child.wait()?;
        let lock = Lock::take(&path, "deepracer-8", "the model `foo`")?;
        assert_eq!(Lock::owner(&path).map(|(name, _)| name), Some("deepracer-8".to_owned()));
        drop(lock);
        assert_eq!(Lock::owner(&path), None);
        Ok(())
    }

    #[test]
    fn a_half_written_lock_file_is_nobodys() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock.json");
        std::fs::write(&path, "{\"name\": \"deepr")?;
        let _lock = Lock::take(&path, "deepracer-0", "the run id 0")?;
        Ok(())
    }
}
