use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::key::{check_folder, check_key, join};
use crate::{Bucket, BucketError, ObjectInfo};

/// Names of files that are being written start and end like this; between them stand the process id and a counter.
/// Such files are invisible in the bucket.
const PART_PREFIX: &str = ".~";
const PART_SUFFIX: &str = ".part";

/// How often a put starts anew when somebody removes its folder under it. Each removal can undo one step of a put, and
/// several writers that delete what they put do so all the time: four of them on two cores undid five attempts in a
/// row about once in ten thousand puts.
const PUT_ATTEMPTS: usize = 1000;

/// A bucket of plain files below one folder, which is made by the first put.
///
/// A put writes a hidden file beside the target, syncs it, renames it and syncs the folder. The writer holds a file
/// lock on the hidden file, so one whose writer died is recognised (its lock is free); the first put into a folder
/// removes such leftovers.
///
/// Symbolic links to files and folders inside the bucket are followed by `get` and `list`; removing a folder removes
/// links, not what they point to.
#[derive(Debug)]
pub struct LocalBucket {
    root: PathBuf,
    /// Folders whose leftovers have been looked for by this value.
    tidied: Mutex<HashSet<PathBuf>>,
}

impl LocalBucket {
    /// The bucket of files below `root`.
    pub fn new(root: impl Into<PathBuf>) -> LocalBucket {
        LocalBucket { root: root.into(), tidied: Mutex::new(HashSet::new()) }
    }

    /// The bucket called `name` in a folder of buckets, such as `data/s3`. The name must be a single component.
    pub fn in_store(store: &Path, name: &str) -> Result<LocalBucket, BucketError> {
        check_key(name)?;
        if name.contains('/') {
            let reason = "the name of a bucket has no slashes; folders inside it belong to the model prefix";
            return Err(BucketError::InvalidKey { key: name.to_owned(), reason });
        }
        Ok(LocalBucket::new(store.join(name)))
    }

    /// The folder that holds the bucket.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file or folder of a key; `""` is the root.
    pub fn path_of(&self, key: &str) -> Result<PathBuf, BucketError> {
        let key = check_folder(key)?;
        Ok(if key.is_empty() { self.root.clone() } else { self.root.join(key) })
    }

    fn description(&self) -> String {
        format!("`{}`", self.root.display())
    }

    /// Writes the object under a temporary name, then renames it.
    fn write(&self, path: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
        create_folder(folder)?;
        self.tidy(folder)?;
        let part = Part::create(folder)?;
        (&part.file).write_all(bytes)?;
        part.file.sync_all()?;
        part.rename(path)?;
        sync_folder(folder)
    }

    /// Removes what dead writers left in `folder`; once per folder and bucket value.
    fn tidy(&self, folder: &Path) -> io::Result<()> {
        let is_new = self.tidied.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_path_buf());
        if is_new {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                if is_part(&entry.file_name().to_string_lossy()) {
                    remove_if_abandoned(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// What stands in the way of writing `key`, if anything does.
    fn conflict(&self, key: &str) -> Option<BucketError> {
        let conflict = |existing: &str, existing_is_folder| BucketError::Conflict {
            key: key.to_owned(),
            bucket: self.description(),
            existing: existing.to_owned(),
            existing_is_folder,
        };
        if self.root.join(key).is_dir() {
            return Some(conflict(key, true));
        }
        key.match_indices('/')
            .map(|(slash, _)| &key[..slash])
            .find(|folder| self.root.join(folder).is_file())
            .map(|folder| conflict(folder, false))
    }

    /// Removes folders that became empty, upwards from `folder`, the root excluded.
    fn remove_empty_folders(&self, mut folder: PathBuf) {
        while folder != self.root && folder.starts_with(&self.root) && fs::remove_dir(&folder).is_ok() {
            folder.pop();
        }
    }
}

impl Bucket for LocalBucket {
    fn get(&self, key: &str) -> Result<Vec<u8>, BucketError> {
        check_key(key)?;
        let path = self.root.join(key);
        match fs::read(&path) {
            Ok(bytes) => Ok(bytes),
            Err(error) if is_absent(&error) => {
                Err(BucketError::NotFound { key: key.to_owned(), bucket: self.description() })
            }
            Err(error) => Err(BucketError::io("read", &path, error)),
        }
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        check_key(key)?;
        let path = self.root.join(key);
        // A checked key has a last component, so its path has a parent.
        let folder = path.parent().unwrap_or(&self.root);
        let mut attempt = 1;
        loop {
            match self.write(&path, folder, bytes) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::NotFound && attempt < PUT_ATTEMPTS => {
                    attempt += 1;
                    std::thread::yield_now();
                }
                Err(error) => {
                    return Err(self.conflict(key).unwrap_or_else(|| BucketError::io("write", &path, error)));
                }
            }
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>, BucketError> {
        let folder = check_folder(folder)?;
        let mut objects = Vec::new();
        collect(&self.path_of(folder)?, folder, &mut Vec::new(), &mut objects)?;
        objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(objects)
    }

    fn delete(&self, key: &str) -> Result<bool, BucketError> {
        check_key(key)?;
        let path = self.root.join(key);
        if path.is_dir() {
            return Ok(false);
        }
        match fs::remove_file(&path) {
            Ok(()) => {
                self.remove_empty_folders(path.parent().unwrap_or(&self.root).to_path_buf());
                Ok(true)
            }
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(BucketError::io("remove", &path, error)),
        }
    }

    fn exists(&self, key: &str) -> Result<bool, BucketError> {
        check_key(key)?;
        Ok(self.root.join(key).is_file())
    }

    fn delete_folder(&self, folder: &str) -> Result<usize, BucketError> {
        let num_objects = self.list(folder)?.len();
        let path = self.path_of(folder)?;
        if !path.is_dir() {
            return Ok(0);
        }
        // The whole folder, with empty folders and leftovers of dead writers.
        match fs::remove_dir_all(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(BucketError::io("remove", &path, error)),
        }
        self.remove_empty_folders(path.parent().unwrap_or(&self.root).to_path_buf());
        Ok(num_objects)
    }
}

/// A file being written. Dropping it before [`Part::rename`] removes it.
struct Part {
    path: PathBuf,
    file: File,
    renamed: bool,
}

impl Part {
    /// Makes a new, locked file in `folder`.
    fn create(folder: &Path) -> io::Result<Part> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{PART_PREFIX}{}-{number}{PART_SUFFIX}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let part = Part { path, file, renamed: false };
                    part.file.lock()?;
                    return Ok(part);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.renamed {
            // The write has failed already; a leftover is invisible and will be removed by a later put.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn is_part(file_name: &str) -> bool {
    file_name.starts_with(PART_PREFIX) && file_name.ends_with(PART_SUFFIX)
}

/// Removes the file of a dead writer: one whose lock is free. A writer caught between making and locking its file
/// finds it gone when renaming, and starts anew.
fn remove_if_abandoned(path: &Path) -> io::Result<()> {
    let result = File::open(path).and_then(|file| match file.try_lock() {
        Ok(()) => fs::remove_file(path),
        Err(_) => Ok(()),
    });
    match result {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether the error says that there is no such file: also when a folder of its path is a file, or the path is a folder.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}

/// Makes a folder and its ancestors, each entry safe on disk.
fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new(""));
    create_folder(parent)?;
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(parent),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Adds all files below `path`, whose key is `folder`. `ancestors` are the resolved folders above, to see links that
/// lead back to one of them.
fn collect(
    path: &Path,
    folder: &str,
    ancestors: &mut Vec<PathBuf>,
    objects: &mut Vec<ObjectInfo>,
) -> Result<(), BucketError> {
    let error = |error| BucketError::io("list", path, error);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(failure) if is_absent(&failure) => return Ok(()),
        Err(failure) => return Err(error(failure)),
    };
    let resolved = fs::canonicalize(path).map_err(error)?;
    if ancestors.contains(&resolved) {
        return Ok(());
    }
    ancestors.push(resolved);
    for entry in entries {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let reason = "it is the name of a file and not Unicode text; rename the file";
            return Err(BucketError::InvalidKey { key: entry.path().to_string_lossy().into_owned(), reason });
        };
        if is_part(name) {
            continue;
        }
        let key = join(folder, name);
        // Gone again, or a link to nowhere: not an object.
        let Ok(metadata) = fs::metadata(entry.path()) else {
            continue;
        };
        if metadata.is_dir() {
            collect(&entry.path(), &key, ancestors, objects)?;
        } else if metadata.is_file() {
            check_key(&key)?;
            objects.push(ObjectInfo { key, size_bytes: metadata.len(), modified: metadata.modified().ok() });
        }
    }
    ancestors.pop();
    Ok(())
}
