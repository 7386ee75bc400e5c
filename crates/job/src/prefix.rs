//! Whether a model is already there, and how to take it away: the folder of exactly that name and no other.

use std::fmt;

use deepracer_bucket::{Bucket, BucketError, FolderSize};

use crate::artefact::layout::ModelLayout;

/// A model that is in the bucket already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingModel {
    /// Its prefix.
    pub prefix: String,
    /// How much there is of it.
    pub size: FolderSize,
}

impl fmt::Display for ExistingModel {
    /// `model foo-1 (12 files, 3.4 MB)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = if self.size.num_objects == 1 { "file" } else { "files" };
        write!(f, "model `{}` ({} {files}, {})", self.prefix, self.size.num_objects, Bytes(self.size.size_bytes))
    }
}

struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} bytes", self.0),
            1_000..1_000_000 => write!(f, "{:.1} kB", size / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", size / 1e6),
            _ => write!(f, "{:.1} GB", size / 1e9),
        }
    }
}

/// Looks for the model of exactly this prefix: `foo-1` is not there because `foo-10` is. Models whose prefix continues
/// this one after a slash (`foo-1/b`) lie inside it and count as part of it.
pub fn find(bucket: &dyn Bucket, model: &ModelLayout) -> Result<Option<ExistingModel>, BucketError> {
    let size = bucket.folder_size(model.prefix())?;
    Ok((size.num_objects > 0).then(|| ExistingModel { prefix: model.prefix().to_owned(), size }))
}

/// Whether `key`, an object or a folder, is the model's folder or lies inside it.
pub fn contains(model: &ModelLayout, key: &str) -> bool {
    key.strip_prefix(model.prefix()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Removes everything of the model of exactly this prefix and says what that was; none when there was nothing.
pub fn wipe(bucket: &dyn Bucket, model: &ModelLayout) -> Result<Option<ExistingModel>, BucketError> {
    let found = find(bucket, model)?;
    bucket.delete_folder(model.prefix())?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;

    #[test]
    fn a_longer_name_is_another_model() {
        let bucket = MemoryBucket::new();
        let others = ["foo-10/model/x", "foo-11/model/x", "foo-1.bak/x", "old/foo-1/x"];
        for key in others {
            bucket.put(key, key.as_bytes()).unwrap();
        }
        let model = ModelLayout::new("foo-1").unwrap();
        assert!(others.iter().all(|key| !contains(&model, key)));
        assert!(["foo-1", "foo-1/", "foo-1/model/x"].iter().all(|key| contains(&model, key)));
        assert_eq!(find(&bucket, &model).unwrap(), None);
        assert_eq!(wipe(&bucket, &model).unwrap(), None);

        bucket.put("foo-1/model/x", &[0; 2400]).unwrap();
        bucket.put("foo-1/reward_function.py", b"0123456789").unwrap();
        let found = find(&bucket, &model).unwrap().unwrap();
        assert_eq!(found.to_string(), "model `foo-1` (2 files, 2.4 kB)");
        assert_eq!(wipe(&bucket, &model).unwrap(), Some(found));
        assert_eq!(find(&bucket, &model).unwrap(), None);
        for key in others {
            assert_eq!(bucket.get(key).unwrap(), key.as_bytes());
        }
    }

    #[test]
    fn sizes_are_shown_in_fitting_units() {
        for (size, text) in
            [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_234_567, "1.2 MB"), (98_765_432_100, "98.8 GB")]
        {
            assert_eq!(Bytes(size).to_string(), text);
        }
        let one = ExistingModel { prefix: "m".to_owned(), size: FolderSize { num_objects: 1, size_bytes: 4 } };
        assert_eq!(one.to_string(), "model `m` (1 file, 4 bytes)");
    }
}
