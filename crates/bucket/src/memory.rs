use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::key::{below, check_folder, check_key};
use crate::{Bucket, BucketError, ObjectInfo};

/// A bucket that lives in memory and is gone with its value. For tests.
#[derive(Debug, Default)]
pub struct MemoryBucket {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryBucket {
    /// An empty bucket.
    pub fn new() -> MemoryBucket {
        MemoryBucket::default()
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        // A map is whole whatever a panicking holder of the lock did.
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const NAME: &str = "the bucket in memory";

fn is_below(key: &str, folder: &str) -> bool {
    folder.is_empty() || key.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Bucket for MemoryBucket {
    fn get(&self, key: &str) -> Result<Vec<u8>, BucketError> {
        check_key(key)?;
        self.objects()
            .get(key)
            .cloned()
            .ok_or_else(|| BucketError::NotFound { key: key.to_owned(), bucket: NAME.to_owned() })
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        check_key(key)?;
        let mut objects = self.objects();
        let conflict = |existing: &str, existing_is_folder| BucketError::Conflict {
            key: key.to_owned(),
            bucket: NAME.to_owned(),
            existing: existing.to_owned(),
            existing_is_folder,
        };
        if objects.keys().any(|other| is_below(other, key)) {
            return Err(conflict(key, true));
        }
        for (slash, _) in key.match_indices('/') {
            if objects.contains_key(&key[..slash]) {
                return Err(conflict(&key[..slash], false));
            }
        }
        objects.insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>, BucketError> {
        let folder = check_folder(folder)?;
        Ok(self
            .objects()
            .iter()
            .filter(|(key, _)| is_below(key, folder) && !below(key, folder).is_empty())
            .map(|(key, bytes)| ObjectInfo { key: key.clone(), size_bytes: bytes.len() as u64, modified: None })
            .collect())
    }

    fn delete(&self, key: &str) -> Result<bool, BucketError> {
        check_key(key)?;
        Ok(self.objects().remove(key).is_some())
    }

    fn exists(&self, key: &str) -> Result<bool, BucketError> {
        check_key(key)?;
        Ok(self.objects().contains_key(key))
    }
}
