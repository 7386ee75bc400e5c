//! The user's files on their way between a folder and the bucket: reward function, model metadata, hyperparameters and
//! whatever lies beside them.

use std::path::{Path, PathBuf};

use deepracer_bucket::{Bucket, BucketError, LocalBucket, SyncReport, sync};

/// Why custom files could not be moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CustomFilesError {
    /// The folder to upload is not there.
    #[error("there is no folder `{}` to upload; `dr-init` makes one with working files", .0.display())]
    NoFolder(PathBuf),
    /// The bucket holds no custom files.
    #[error("there are no custom files below `{0}` in the bucket; `dr-upload-custom-files` puts them there")]
    NothingInBucket(String),
    /// Reading or writing failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

/// Copies what is new or different in `folder` below `prefix` of the bucket. Nothing is deleted there.
pub fn upload(folder: &Path, bucket: &dyn Bucket, prefix: &str) -> Result<SyncReport, CustomFilesError> {
    if !folder.is_dir() {
        return Err(CustomFilesError::NoFolder(folder.to_path_buf()));
    }
    Ok(sync(&LocalBucket::new(folder), "", bucket, prefix)?)
}

/// Copies what is new or different below `prefix` of the bucket into `folder`, which is made when needed. Nothing is
/// deleted there.
pub fn download(bucket: &dyn Bucket, prefix: &str, folder: &Path) -> Result<SyncReport, CustomFilesError> {
    if !bucket.folder_exists(prefix)? {
        return Err(CustomFilesError::NothingInBucket(prefix.to_owned()));
    }
    Ok(sync(bucket, prefix, &LocalBucket::new(folder), "")?)
}

/// The folder with a racing folder's custom files: `custom_files/`, or that of the named experiment.
pub fn folder(racing_folder: &Path, experiment: Option<&str>) -> PathBuf {
    match experiment {
        Some(name) => racing_folder.join("experiments").join(name).join("custom_files"),
        None => racing_folder.join("custom_files"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;
    use std::fs;

    #[test]
    fn files_travel_there_and_back_and_only_when_changed() {
        let home = tempfile::tempdir().unwrap();
        let source = home.path().join("custom files");
        fs::create_dir(&source).unwrap();
        fs::write(source.join("reward_function.py"), "def reward_function(params):\n    return 1.0\n").unwrap();
        fs::write(source.join("hyperparameters.json"), "{}").unwrap();
        let bucket = MemoryBucket::new();
        bucket.put("custom_files/mine.txt", b"stays").unwrap();

        let report = upload(&source, &bucket, "custom_files").unwrap();
        assert_eq!(report.copied, ["hyperparameters.json", "reward_function.py"]);
        fs::write(source.join("hyperparameters.json"), "[]").unwrap();
        let report = upload(&source, &bucket, "custom_files").unwrap();
        assert_eq!((report.copied, report.num_unchanged), (vec!["hyperparameters.json".to_owned()], 1));
        assert!(bucket.exists("custom_files/mine.txt").unwrap());

        let target = home.path().join("new/custom_files");
        let report = download(&bucket, "custom_files", &target).unwrap();
        assert_eq!(report.copied, ["hyperparameters.json", "mine.txt", "reward_function.py"]);
        assert_eq!(fs::read_to_string(target.join("hyperparameters.json")).unwrap(), "[]");
        assert_eq!(download(&bucket, "custom_files", &target).unwrap().num_unchanged, 3);
    }

    #[test]
    fn missing_files_are_told() {
        let bucket = MemoryBucket::new();
        assert!(matches!(upload(Path::new("/nowhere"), &bucket, "c"), Err(CustomFilesError::NoFolder(_))));
        let error = download(&bucket, "custom_files", Path::new("/nowhere")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there are no custom files below `custom_files` in the bucket; `dr-upload-custom-files` puts them there"
        );
    }
}
