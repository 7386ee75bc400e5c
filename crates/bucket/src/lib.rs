//! Where files live: one small trait, [`Bucket`], over a local folder ([`LocalBucket`]) or over memory
//! ([`MemoryBucket`], for tests).
//!
//! A bucket maps *keys* to bytes. A key is a relative path with forward slashes, for example
//! `my-model/metrics/TrainingMetrics.json`; the components before the last one are *folders*. Folders are always
//! meant by their whole name: the folder `foo-1` has nothing to do with `foo-10`. A folder exists exactly as long as
//! an object lies somewhere below it.
//!
//! ```
//! use deepracer_bucket::{Bucket, LocalBucket};
//!
//! let store = tempfile::tempdir()?;
//! let bucket = LocalBucket::new(store.path().join("bucket"));
//! bucket.put("foo-1/ip/done", b"done")?;
//! bucket.put("foo-10/ip/done", b"done")?;
//!
//! assert_eq!(bucket.delete_folder("foo-1")?, 1);
//! assert!(bucket.exists("foo-10/ip/done")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod key;
mod local;
mod memory;
mod sync;

pub use error::BucketError;
pub use key::{check_folder, check_key, join};
pub use local::LocalBucket;
pub use memory::MemoryBucket;
pub use sync::{SyncReport, sync};

use std::time::SystemTime;

/// What [`Bucket::list`] tells about one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// The whole key, folders included.
    pub key: String,
    /// Size of the content in bytes.
    pub size_bytes: u64,
    /// When the object was last written, where the store knows it.
    pub modified: Option<SystemTime>,
}

/// Number and total size of the objects below a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderSize {
    /// How many objects there are.
    pub num_objects: usize,
    /// Their sizes added up, in bytes.
    pub size_bytes: u64,
}

/// A place for objects.
///
/// Guarantees every implementation gives (the conformance tests of this crate run on each of them):
///
/// * **Atomic put.** A reader sees the old content or the new content, never a part; a writer that dies at any moment
///   leaves the old content. When `put` has returned, the new content survives a power failure (as far as the
///   store can promise this).
/// * **Read after write.** What was put is listed and read at once by everybody.
/// * **Exact folders.** `list`, `delete_folder` and `folder_exists` compare whole path components. `""` is the whole
///   bucket; one trailing slash is allowed.
/// * **One name, one thing.** A key cannot be an object and a folder at the same time; a put that would make it so is
///   refused with [`BucketError::Conflict`].
/// * **Keys are checked** by [`check_key`]: nothing outside the bucket can be reached.
/// * **Order.** Lists are sorted by key, bytewise.
/// * Several threads and processes may use the same store; the last put of a key wins.
pub trait Bucket: Send + Sync {
    /// The content of an object; [`BucketError::NotFound`] when there is none.
    fn get(&self, key: &str) -> Result<Vec<u8>, BucketError>;

    /// Writes an object, replacing the one of the same key.
    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), BucketError>;

    /// All objects below `folder`, at any depth. Empty when the folder does not exist.
    fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>, BucketError>;

    /// Removes an object. `false` when there was none.
    fn delete(&self, key: &str) -> Result<bool, BucketError>;

    /// Whether there is an object of exactly this key.
    fn exists(&self, key: &str) -> Result<bool, BucketError>;

    /// Removes everything below `folder` and returns how many objects that were.
    fn delete_folder(&self, folder: &str) -> Result<usize, BucketError> {
        let mut num_deleted = 0;
        for object in self.list(folder)? {
            num_deleted += usize::from(self.delete(&object.key)?);
        }
        Ok(num_deleted)
    }

    /// Copies one object inside the bucket.
    fn copy(&self, from: &str, to: &str) -> Result<(), BucketError> {
        self.put(to, &self.get(from)?)
    }

    /// Copies everything below the folder `from` to the same places below `to`; returns how many objects that were.
    /// Objects that are already below `to` and have no counterpart stay.
    fn copy_folder(&self, from: &str, to: &str) -> Result<usize, BucketError> {
        let objects = self.list(from)?;
        for object in &objects {
            self.copy(&object.key, &join(to, key::below(&object.key, from)))?;
        }
        Ok(objects.len())
    }

    /// Whether at least one object lies below `folder`.
    fn folder_exists(&self, folder: &str) -> Result<bool, BucketError> {
        Ok(!self.list(folder)?.is_empty())
    }

    /// How much lies below `folder`.
    fn folder_size(&self, folder: &str) -> Result<FolderSize, BucketError> {
        Ok(self.list(folder)?.iter().fold(FolderSize::default(), |size, object| FolderSize {
            num_objects: size.num_objects + 1,
            size_bytes: size.size_bytes + object.size_bytes,
        }))
    }
}
