//! The checkpoints of the model being trained.

use std::path::{Path, PathBuf};

use deepracer_bucket::Bucket;
use deepracer_policy::ClippedPpo;

use super::state::TrainState;
use crate::artefact::checkpoint_index::{CheckpointName, Retention, read_coach_checkpoint, save_coach_checkpoint};
use crate::artefact::layout::ModelLayout;
use crate::artefact::marker::Marker;
use crate::error::JobError;
use crate::stored_policy::frozen_graphs;

/// The state of the optimiser: only the newest checkpoint needs it, so older ones are relieved of it.
const OPTIMIZER_FILE: &str = "optimizer.safetensors";

/// Where a model's checkpoints lie: one folder each, `<model prefix>/model/<number>_Step-<steps>.ckpt/`.
pub(crate) struct Checkpoints<'a> {
    pub(crate) bucket: &'a dyn Bucket,
    /// The bucket's own folder.
    pub(crate) root: PathBuf,
    pub(crate) model: ModelLayout,
    retention: Retention,
    newest: Option<CheckpointName>,
}

impl<'a> Checkpoints<'a> {
    /// The checkpoints of a model, which may have none yet.
    pub(crate) fn open(
        bucket: &'a dyn Bucket,
        root: PathBuf,
        model: ModelLayout,
        num_kept: usize,
    ) -> Result<Self, JobError> {
        remove_unfinished(bucket, &model)?;
        let existing = names(bucket, &model)?;
        if existing.is_empty() && !frozen_graphs(bucket, &model)?.is_empty() {
            let reason =
                "it holds a frozen graph, which has neither the value network nor the state of the training".to_owned();
            return Err(JobError::Resume { prefix: model.prefix().to_owned(), reason });
        }
        // A process may have been killed between its first checkpoint and the file that names it.
        let newest = read_coach_checkpoint(bucket, &model)?.or(existing.last().copied());
        Ok(Self { bucket, root, model, retention: Retention::of(existing, num_kept), newest })
    }

    /// The folder of a checkpoint on the disk.
    pub(crate) fn folder(&self, name: CheckpointName) -> PathBuf {
        folder(&self.root, &self.model, name)
    }

    /// The newest complete checkpoint.
    pub(crate) fn newest(&self) -> Option<CheckpointName> {
        self.newest
    }

    /// Saves a checkpoint, then says that it is the newest, then deletes what is no longer kept. A kill at any moment
    /// leaves a model whose newest checkpoint is complete.
    pub(crate) fn save(
        &mut self,
        policy: &ClippedPpo,
        state: &TrainState,
        best: Option<CheckpointName>,
    ) -> Result<CheckpointName, JobError> {
        Marker::Lock.set(self.bucket, &self.model)?;
        let saved = self.exchange(policy, state, best);
        // Also after a failure: nobody is to wait for a lock that nobody will take away.
        let unlocked = Marker::Lock.clear(self.bucket, &self.model);
        let name = saved?;
        unlocked?;
        Ok(name)
    }

    fn exchange(
        &mut self,
        policy: &ClippedPpo,
        state: &TrainState,
        best: Option<CheckpointName>,
    ) -> Result<CheckpointName, JobError> {
        let name = state.checkpoint_name();
        // A state is numbers and lists of numbers: it always has a JSON form.
        let extra = serde_json::to_value(state).unwrap_or_default();
        policy.save(&self.folder(name), &extra)?;
        save_coach_checkpoint(self.bucket, &self.model, name)?;
        if let Some(previous) = self.newest.replace(name).filter(|previous| *previous != name) {
            self.bucket.delete(&self.model.in_model(&format!("{previous}/{OPTIMIZER_FILE}")))?;
        }
        for old in self.retention.push(name, best) {
            self.bucket.delete_folder(&self.model.in_model(&old.to_string()))?;
        }
        Ok(name)
    }
}

/// The folder of a checkpoint on the disk, given the bucket's own folder.
pub(crate) fn folder(root: &Path, model: &ModelLayout, name: CheckpointName) -> PathBuf {
    root.join(model.in_model(&name.to_string()))
}

/// Removes checkpoints that a killed process did not finish writing; only the owner of the model may do so.
fn remove_unfinished(bucket: &dyn Bucket, model: &ModelLayout) -> Result<(), JobError> {
    let below = format!("{}/", model.model_folder());
    let mut folders: Vec<String> = bucket
        .list(&model.model_folder())?
        .iter()
        .filter_map(|object| Some(object.key.strip_prefix(&below)?.split_once('/')?.0.to_owned()))
        .filter(|name| name.starts_with('.') && name.contains(".ckpt.writing-"))
        .collect();
    folders.dedup();
    for folder in folders {
        bucket.delete_folder(&model.in_model(&folder))?;
    }
    Ok(())
}

/// All checkpoints of a model, oldest first.
pub(crate) fn names(bucket: &dyn Bucket, model: &ModelLayout) -> Result<Vec<CheckpointName>, JobError> {
    let below = format!("{}/", model.model_folder());
    let mut names: Vec<CheckpointName> = bucket
        .list(&model.model_folder())?
        .iter()
        .filter_map(|object| object.key.strip_prefix(&below)?.split_once('/')?.0.parse().ok())
        .collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
