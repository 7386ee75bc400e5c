use std::io;
use std::path::{Path, PathBuf};

/// Why a bucket could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BucketError {
    /// The key (or folder) is not one a bucket can have.
    #[error("`{key}` cannot be a name in a bucket: {reason}")]
    InvalidKey {
        /// The key as given.
        key: String,
        /// The rule it breaks.
        reason: &'static str,
    },
    /// There is no such object.
    #[error("there is no `{key}` in {bucket}")]
    NotFound {
        /// The key as given.
        key: String,
        /// The bucket that was asked: its folder, or a description.
        bucket: String,
    },
    /// The key, or the beginning of it, is already in use as the other kind of thing.
    #[error(
        "cannot write `{key}` in {bucket}: `{existing}` is already {}; use another name or remove it first",
        if *existing_is_folder { "a folder" } else { "a file" }
    )]
    Conflict {
        /// The key that was to be written.
        key: String,
        /// The bucket that was asked.
        bucket: String,
        /// The name that is in the way.
        existing: String,
        /// Whether that name is a folder (`true`) or a file.
        existing_is_folder: bool,
    },
    /// The disk, or the user's share of it, is full. The previous content of the key is untouched.
    #[error(
        "no space left to write `{}`; free some space on that disk and start again: everything saved before is intact",
        path.display()
    )]
    Full {
        /// The file that was to be written.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The operating system refused to read or write.
    #[error("could not {action} `{}`{}", path.display(), hint(source))]
    Io {
        /// What was being done: "read", "write", "list", "remove".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

impl BucketError {
    /// Sorts an error of the operating system into [`BucketError::Full`] or [`BucketError::Io`].
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> BucketError {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let path = path.to_path_buf();
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => BucketError::Full { path, source },
            _ => BucketError::Io { action, path, source },
        }
    }
}

fn hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => "; check who owns it and that you may write there",
        io::ErrorKind::ReadOnlyFilesystem => "; it lies on a read-only disk",
        io::ErrorKind::InvalidFilename => "; the name is too long for this disk",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_names_the_file_and_says_what_to_do() {
        let error = BucketError::io("write", Path::new("data/s3/bucket/m/ip/done"), io::ErrorKind::StorageFull.into());
        assert_eq!(
            error.to_string(),
            "no space left to write `data/s3/bucket/m/ip/done`; free some space on that disk and start again: \
             everything saved before is intact"
        );
    }

    #[test]
    fn a_refusal_of_the_operating_system_carries_a_hint() {
        let error = BucketError::io("write", Path::new("a/b"), io::ErrorKind::PermissionDenied.into());
        assert_eq!(error.to_string(), "could not write `a/b`; check who owns it and that you may write there");
    }
}
