//! A training that dies between any two writes, and is then gone on with, ends like one that never died.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use deepracer_bucket::{Bucket, BucketError, LocalBucket, ObjectInfo};
use deepracer_settings::RacingFolder;

use super::{TrainOutcome, Trainer};
use crate::error::JobError;
use crate::reward::CenterLine;
use crate::run::{RunKind, RunLogs, RunRecord, RunRequest, RunState};
use crate::stop::StopFlag;

const METADATA: &str = r#"{"action_space": [{"steering_angle": -30, "speed": 3.0}, {"steering_angle": 30, "speed": 3.0}],
    "sensor": ["FRONT_FACING_CAMERA"], "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_DEEP", "version": "5",
    "training_algorithm": "clipped_ppo", "action_space_type": "discrete"}"#;

const HYPERPARAMETERS: &str = r#"{"num_episodes_between_training": 1, "num_epochs": 1, "batch_size": 16}"#;

/// A bucket that dies: after so many changes nothing succeeds any more.
struct DyingBucket {
    bucket: LocalBucket,
    num_changes: AtomicUsize,
    dies_after: usize,
}

impl DyingBucket {
    fn new(folder: &Path, dies_after: usize) -> Self {
        Self { bucket: LocalBucket::new(folder), num_changes: AtomicUsize::new(0), dies_after }
    }

    fn change(&self, key: &str) -> Result<(), BucketError> {
        if self.num_changes.fetch_add(1, Ordering::Relaxed) < self.dies_after {
            Ok(())
        } else {
            Err(BucketError::InvalidKey { key: key.to_owned(), reason: "killed" })
        }
    }
}

impl Bucket for DyingBucket {
    fn get(&self, key: &str) -> Result<Vec<u8>, BucketError> {
        self.bucket.get(key)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        self.change(key)?;
        self.bucket.put(key, bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<ObjectInfo>, BucketError> {
        self.bucket.list(folder)
    }

    fn delete(&self, key: &str) -> Result<bool, BucketError> {
        self.change(key)?;
        self.bucket.delete(key)
    }

    fn exists(&self, key: &str) -> Result<bool, BucketError> {
        self.bucket.exists(key)
    }

    fn delete_folder(&self, folder: &str) -> Result<usize, BucketError> {
        self.change(folder)?;
        self.bucket.delete_folder(folder)
    }
}

fn record(root: &Path, num_iterations: u32) -> RunRecord {
    let folder = RacingFolder::at(root.to_path_buf());
    let settings = [
        ("DR_WORLD_NAME", "reinvent_base".to_owned()),
        ("DR_LOCAL_S3_MODEL_PREFIX", "model-1".to_owned()),
        ("DR_TRAIN_MIN_EVAL_TRIALS", "1".to_owned()),
        ("DR_TRAIN_KEEP_CHECKPOINTS", "1".to_owned()),
        ("DR_TRAIN_QUALITY", "fast".to_owned()),
        ("DR_TRAIN_STOP_ITERATIONS", num_iterations.to_string()),
    ];
    RunRecord {
        kind: RunKind::Training,
        run_id: 0,
        model_prefix: "model-1".to_owned(),
        world: "reinvent_base".to_owned(),
        since: "2024-01-31T23:59:59Z".to_owned(),
        process: None,
        state: RunState::Starting,
        logs: RunLogs::of(&folder, "deepracer-0", 1),
        request: RunRequest {
            racing_folder: root.to_path_buf(),
            settings: vec![settings.map(|(key, text)| (key.to_owned(), text)).into()],
            model_metadata: METADATA.to_owned(),
            hyperparameters: Some(HYPERPARAMETERS.to_owned()),
            reward: None,
            stamp: "20240131235959".to_owned(),
        },
    }
}

/// Trains in the folder `root` until the run ends or its bucket dies; also tells how many changes there were.
fn train(root: &Path, num_iterations: u32, dies_after: usize) -> (Result<TrainOutcome, JobError>, usize) {
    let record = record(root, num_iterations);
    let folder = record.racing_folder().bucket("bucket");
    let bucket = DyingBucket::new(&folder, dies_after);
    let outcome = record.request.settings().map_err(JobError::from).and_then(|settings| {
        let mut trainer =
            Trainer::start(&record, settings, &bucket, folder.clone(), &mut |_| Ok(Box::new(CenterLine)))?;
        let outcome = trainer.train(&StopFlag::new());
        trainer.finish(&outcome)?;
        outcome
    });
    (outcome, bucket.num_changes.into_inner())
}

/// All files of the model, without the wall clock of traces and the seconds of states.
fn files(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, Box<dyn Error>> {
    let model = RacingFolder::at(root.to_path_buf()).bucket("bucket").join("model-1");
    let mut files = BTreeMap::new();
    let mut folders = vec![model.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = std::fs::read(&path)?;
            if path.extension().is_some_and(|extension| extension == "csv") {
                let text = String::from_utf8(bytes)?;
                let rows = text.lines().map(|line| line.rsplit_once(',').map_or("", |(row, _)| row));
                bytes = rows.collect::<Vec<_>>().join("\n").into_bytes();
            } else if path.ends_with("state.json") {
                let text = String::from_utf8(bytes)?;
                let lines = text.lines().filter(|line| !line.contains("\"seconds\""));
                bytes = lines.collect::<Vec<_>>().join("\n").into_bytes();
            }
            files.insert(path.strip_prefix(&model)?.to_path_buf(), bytes);
        }
    }
    Ok(files)
}

#[test]
fn a_training_that_dies_between_two_writes_goes_on_as_if_nothing_had_happened() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let whole = home.path().join("whole");
    let (outcome, num_changes) = train(&whole, 3, usize::MAX);
    let (outcome, whole) = (outcome?, files(&whole)?);
    assert!(num_changes > 40, "{num_changes}");

    // Every seventh moment: they fall on every kind of file, and all of them would take a minute.
    for dies_after in (1..num_changes).step_by(7) {
        let root = home.path().join(format!("killed-{dies_after}"));
        let (died, _) = train(&root, 3, dies_after);
        assert!(died.is_err(), "after {dies_after} changes");
        let (resumed, _) = train(&root, 3, usize::MAX);
        assert_eq!(resumed.map_err(|error| format!("{dies_after}: {error}"))?, outcome);
        let resumed = files(&root)?;
        // Checkpoints that were to be deleted go with the next save, of which there may be none.
        let is_old = |name: &Path| name.iter().any(|part| part.to_string_lossy().ends_with(".ckpt"));
        let too_many: Vec<_> = resumed.keys().filter(|name| !whole.contains_key(*name) && !is_old(name)).collect();
        assert!(too_many.is_empty(), "{too_many:?} after {dies_after} changes");
        for (name, bytes) in &whole {
            assert!(resumed.get(name) == Some(bytes), "{} after {dies_after} changes", name.display());
        }
    }
    Ok(())
}
