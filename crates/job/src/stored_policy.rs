//! The policies that a model holds, to evaluate or to start from: checkpoints of this program, or frozen graphs of the
//! original. A model that was trained elsewhere may hold nothing but `model_<n>.pb` and `model_metadata.json`, in its folder
//! `model/` or in the model's own folder.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use deepracer_bucket::{Bucket, BucketError};
use deepracer_policy::{ClippedPpo, FrozenGraph, Restore};
use deepracer_settings::Checkpoint;

use crate::artefact::checkpoint_index::{CheckpointIndex, CheckpointName, read_coach_checkpoint};
use crate::artefact::layout::ModelLayout;
use crate::error::JobError;
use crate::train::checkpoints;

/// A policy of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredPolicy {
    /// A checkpoint: policy, value network, and more.
    Checkpoint {
        /// Its name.
        name: CheckpointName,
        /// Where it lies.
        folder: PathBuf,
    },
    /// A frozen graph: the policy alone.
    FrozenGraph {
        /// The number of the checkpoint it was made of.
        number: u32,
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for StoredPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint { name, .. } => name.fmt(f),
            Self::FrozenGraph { number, .. } => f.write_str(&graph_name(*number)),
        }
    }
}

impl StoredPolicy {
    /// The checkpoint's number.
    pub fn number(&self) -> u32 {
        match self {
            Self::Checkpoint { name, .. } => name.number,
            Self::FrozenGraph { number, .. } => *number,
        }
    }

    /// Gives `policy` the weights that are stored. The value network stays as it is when there is none.
    ///
    /// # Errors
    /// The files are damaged, or belong to another network or other actions.
    pub fn load_into(&self, policy: &mut ClippedPpo) -> Result<(), JobError> {
        match self {
            Self::Checkpoint { folder, .. } => policy.load_weights_from(folder, Restore::Weights)?,
            Self::FrozenGraph { path, .. } => FrozenGraph::read(path)
                .and_then(|graph| policy.load_actor_from_frozen_graph(&graph))
                .map_err(|source| JobError::FrozenGraph { path: path.clone(), source })?,
        }
        Ok(())
    }
}

/// Looks for a policy of a finished or running model. The model is only read.
///
/// `best` and `last` are what the model's own files say, and the one with the highest number where they say nothing. A
/// checkpoint goes before a frozen graph of the same number. `root` is the bucket's own folder.
///
/// # Errors
/// The model does not exist, or has no such policy.
pub fn find(bucket: &dyn Bucket, root: &Path, prefix: &str, which: Checkpoint) -> Result<StoredPolicy, JobError> {
    let model = ModelLayout::new(prefix)?;
    let checkpoints = checkpoints::names(bucket, &model)?;
    let graphs = frozen_graphs(bucket, &model)?;
    let checkpoint = |name| StoredPolicy::Checkpoint { name, folder: checkpoints::folder(root, &model, name) };
    let graph = |number: u32| graphs.get(&number).map(|key| StoredPolicy::FrozenGraph { number, path: root.join(key) });
    let newest = || match checkpoints.last() {
        Some(name) => Some(checkpoint(*name)),
        None => graph(*graphs.last_key_value()?.0),
    };
    let named = match which {
        Checkpoint::Best => match CheckpointIndex::read(bucket, &model)? {
            Some(index) => Some(index.best_checkpoint.name),
            // The best is known from the first evaluation on; before that the newest is the best there is.
            None => read_coach_checkpoint(bucket, &model)?,
        },
        Checkpoint::Last => read_coach_checkpoint(bucket, &model)?,
        Checkpoint::Number(_) => None,
    };
    let found = match (which, named) {
        (Checkpoint::Number(number), _) => checkpoints
            .iter()
            .find(|name| u64::from(name.number) == number)
            .map(|name| checkpoint(*name))
            .or_else(|| graph(u32::try_from(number).ok()?)),
        (_, Some(name)) if checkpoints.contains(&name) => Some(checkpoint(name)),
        (_, Some(name)) => graph(name.number),
        (_, None) => newest(),
    };
    found.ok_or_else(|| {
        let names: Vec<_> =
            checkpoints.iter().map(ToString::to_string).chain(graphs.keys().map(|number| graph_name(*number))).collect();
        let what = match named {
            _ if names.is_empty() => "checkpoints".to_owned(),
            Some(name) => format!("checkpoint {name}"),
            None => format!("checkpoint `{which}`"),
        };
        let hint = if names.is_empty() {
            "check DR_LOCAL_S3_MODEL_PREFIX (or DR_LOCAL_S3_PRETRAINED_PREFIX) and the bucket; train the model first, or \
             copy model_<n>.pb and model_metadata.json of a trained one into it"
                .to_owned()
        } else {
            format!("it has {}", names.join(", "))
        };
        JobError::NoCheckpoint { prefix: prefix.to_owned(), what, hint }
    })
}

/// The key of a model's metadata: in its folder `model/`, or, when it is not there, in the model's own folder.
///
/// # Errors
/// The bucket cannot be read.
pub fn model_metadata_key(bucket: &dyn Bucket, model: &ModelLayout) -> Result<String, BucketError> {
    let keys = [model.model_metadata(), model.key("model_metadata.json")];
    for key in &keys {
        if bucket.exists(key)? {
            return Ok(key.clone());
        }
    }
    let [first, _] = keys;
    Ok(first)
}

/// Whether a model holds a policy, or files that should: anything in its folder `model/`, or a frozen graph beside it.
///
/// # Errors
/// The bucket cannot be read.
pub fn is_there(bucket: &dyn Bucket, model: &ModelLayout) -> Result<bool, BucketError> {
    Ok(bucket.folder_exists(&model.model_folder())? || !frozen_graphs(bucket, model)?.is_empty())
}

/// Copies everything that [`find`] and [`model_metadata_key`] may find of a model to another one.
///
/// # Errors
/// The bucket cannot be read or written.
pub fn copy(bucket: &dyn Bucket, from: &ModelLayout, to: &ModelLayout) -> Result<(), BucketError> {
    bucket.copy_folder(&from.model_folder(), &to.model_folder())?;
    let in_root = |key: &String| !key.starts_with(&format!("{}/", from.model_folder()));
    let graphs = frozen_graphs(bucket, from)?;
    for key in graphs.values().chain([&model_metadata_key(bucket, from)?]).filter(|key| in_root(key)) {
        let name = key.strip_prefix(from.prefix()).unwrap_or(key);
        bucket.copy(key, &to.key(name.trim_start_matches('/')))?;
    }
    Ok(())
}

/// The frozen graphs of a model: their keys, by number.
pub(crate) fn frozen_graphs(bucket: &dyn Bucket, model: &ModelLayout) -> Result<BTreeMap<u32, String>, BucketError> {
    let mut graphs = BTreeMap::new();
    let below = format!("{}/", model.prefix());
    for object in bucket.list(model.prefix())? {
        let Some(path) = object.key.strip_prefix(&below) else { continue };
        let (name, is_in_model) = match path.strip_prefix("model/") {
            Some(name) => (name, true),
            None => (path, false),
        };
        let number = name.strip_prefix("model_").and_then(|name| name.strip_suffix(".pb")?.parse().ok());
        let Some(number) = number.filter(|number| graph_name(*number) == name) else { continue };
        if is_in_model || !graphs.contains_key(&number) {
            graphs.insert(number, object.key);
        }
    }
    Ok(graphs)
}

fn graph_name(number: u32) -> String {
    format!("model_{number}.pb")
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;

    type Failure = Box<dyn std::error::Error>;

    fn bucket(keys: &[&str]) -> Result<MemoryBucket, Failure> {
        let bucket = MemoryBucket::new();
        for key in keys {
            bucket.put(key, b"x")?;
        }
        Ok(bucket)
    }

    fn found(bucket: &MemoryBucket, which: Checkpoint) -> String {
        match find(bucket, Path::new("/b"), "m", which) {
            Ok(StoredPolicy::Checkpoint { folder, .. }) => folder.display().to_string(),
            Ok(StoredPolicy::FrozenGraph { path, .. }) => path.display().to_string(),
            Err(error) => format!("{error}; {}", error.hint().unwrap_or_default()),
        }
    }

    #[test]
    fn a_graph_is_found_in_the_model_or_in_its_folder_model() -> Result<(), Failure> {
        for place in ["m/model_15.pb", "m/model/model_15.pb"] {
            let bucket = bucket(&[place, "m/model_x.pb", "m/old/model_99.pb", "m/model_016.pb", "m1/model_20.pb"])?;
            for which in [Checkpoint::Best, Checkpoint::Last, Checkpoint::Number(15)] {
                assert_eq!(found(&bucket, which), format!("/b/{place}"));
            }
            assert_eq!(
                found(&bucket, Checkpoint::Number(16)),
                "the model `m` has no checkpoint `16`; it has model_15.pb"
            );
            assert!(is_there(&bucket, &ModelLayout::new("m")?)?);
        }
        let bucket = bucket(&["m10/model/model_15.pb"])?;
        assert!(found(&bucket, Checkpoint::Last).starts_with("the model `m` has no checkpoints; check DR_LOCAL_S3_"));
        assert!(!is_there(&bucket, &ModelLayout::new("m")?)?);
        Ok(())
    }

    #[test]
    fn the_models_own_files_say_which_graph_is_the_best_and_which_the_last() -> Result<(), Failure> {
        let bucket = bucket(&["m/model/model_9.pb", "m/model/model_10.pb", "m/model/model_11.pb", "m/model_11.pb"])?;
        assert_eq!(found(&bucket, Checkpoint::Best), "/b/m/model/model_11.pb", "nothing is said: the newest");
        assert_eq!(found(&bucket, Checkpoint::Number(9)), "/b/m/model/model_9.pb");
        bucket.put("m/model/.coach_checkpoint", b"10_Step-7000.ckpt\n")?;
        assert_eq!(found(&bucket, Checkpoint::Last), "/b/m/model/model_10.pb");
        assert_eq!(found(&bucket, Checkpoint::Best), "/b/m/model/model_10.pb", "not judged yet: the last");
        bucket.put(
            "m/model/deepracer_checkpoints.json",
            br#"{"last_checkpoint": {"name": "10_Step-7000.ckpt"}, "best_checkpoint": {"name": "9_Step-6000.ckpt"}}"#,
        )?;
        assert_eq!(found(&bucket, Checkpoint::Best), "/b/m/model/model_9.pb");
        bucket.delete("m/model/model_9.pb")?;
        assert_eq!(
            found(&bucket, Checkpoint::Best),
            "the model `m` has no checkpoint 9_Step-6000.ckpt; it has model_10.pb, model_11.pb",
            "another one is not taken for it"
        );
        Ok(())
    }

    #[test]
    fn a_checkpoint_goes_before_the_graph_made_of_it() -> Result<(), Failure> {
        let bucket = bucket(&["m/model/3_Step-30.ckpt/state.json", "m/model/model_3.pb", "m/model/model_2.pb"])?;
        assert_eq!(found(&bucket, Checkpoint::Last), "/b/m/model/3_Step-30.ckpt");
        assert_eq!(found(&bucket, Checkpoint::Number(3)), "/b/m/model/3_Step-30.ckpt");
        assert_eq!(found(&bucket, Checkpoint::Number(2)), "/b/m/model/model_2.pb");
        Ok(())
    }

    #[test]
    fn a_copy_has_everything_that_is_needed_to_drive() -> Result<(), Failure> {
        let [from, to] = [ModelLayout::new("m")?, ModelLayout::new("m-E")?];
        let in_root = bucket(&["m/model_15.pb", "m/model_metadata.json", "m/metrics/x.json"])?;
        copy(&in_root, &from, &to)?;
        let keys: Vec<_> = in_root.list("m-E")?.into_iter().map(|object| object.key).collect();
        assert_eq!(keys, ["m-E/model_15.pb", "m-E/model_metadata.json"]);
        let in_folder = bucket(&["m/model/model_15.pb", "m/model/model_metadata.json", "m/model/.ready"])?;
        copy(&in_folder, &from, &to)?;
        assert_eq!(in_folder.list("m-E/model")?.len(), 3);
        assert_eq!(model_metadata_key(&in_folder, &to)?, "m-E/model/model_metadata.json");
        Ok(())
    }
}
