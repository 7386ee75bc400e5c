use crate::key::{below, join};
use crate::{Bucket, BucketError};

/// What [`sync`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Names, relative to the folders, of what was copied because it was new or different.
    pub copied: Vec<String>,
    /// How many objects were the same on both sides already.
    pub num_unchanged: usize,
}

/// Copies everything below `from_folder` of one bucket to `to_folder` of another, leaving out what is there already
/// with the same content. Nothing is deleted: objects that only the target has stay.
///
/// A folder on disk takes part as a [`LocalBucket`](crate::LocalBucket) of that folder and `""` as its folder.
pub fn sync(from: &dyn Bucket, from_folder: &str, to: &dyn Bucket, to_folder: &str) -> Result<SyncReport, BucketError> {
    let existing = to.list(to_folder)?;
    let mut report = SyncReport::default();
    for object in from.list(from_folder)? {
        let name = below(&object.key, from_folder);
        let target = join(to_folder, name);
        let bytes = from.get(&object.key)?;
        let same_size = existing
            .binary_search_by(|other| other.key.as_str().cmp(&target))
            .is_ok_and(|index| existing[index].size_bytes == bytes.len() as u64);
        if same_size && to.get(&target)? == bytes {
            report.num_unchanged += 1;
        } else {
            to.put(&target, &bytes)?;
            report.copied.push(name.to_owned());
        }
    }
    Ok(report)
}
