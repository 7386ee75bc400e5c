//! Why a run failed.

use std::path::PathBuf;

use deepracer_bucket::BucketError;
use deepracer_policy::{CheckpointError, FrozenGraphError, LearnError, PolicyError};
use deepracer_race::ObjectsError;
use deepracer_settings::SettingsError;
use deepracer_settings::hyperparameters::HyperparametersError;
use deepracer_settings::model_metadata::MetadataError;
use deepracer_track::TrackError;
use deepracer_world::mesh::MeshError;

use crate::artefact::ArtefactError;
use crate::artefact::fault::{ExceptionType, Fault, FaultCode};
use crate::picture::PictureError;
use crate::reward::RewardError;
use crate::rollout::RolloutError;

/// Why a training or evaluation could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The env files are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// `model_metadata.json` is wrong.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// `hyperparameters.json` is wrong.
    #[error(transparent)]
    Hyperparameters(#[from] HyperparametersError),
    /// There is no such track, or its route is unusable.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// Obstacles or bot cars do not fit on the track, or cannot drive so.
    #[error(transparent)]
    Objects(#[from] ObjectsError),
    /// The imported meshes of a world cannot be read.
    #[error(transparent)]
    Meshes(#[from] MeshError),
    /// The reward function cannot be loaded.
    #[error(transparent)]
    Reward(#[from] RewardError),
    /// Driving failed.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// Learning failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The policy cannot be built.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The bucket failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// A file of the run is damaged.
    #[error(transparent)]
    Artefact(#[from] ArtefactError),
    /// The picture of the driven line cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A log cannot be written.
    #[error("could not write the log `{}`: {source}", path.display())]
    Log {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The threads cannot be started.
    #[error("could not start {num_threads} threads: {reason}")]
    Threads {
        /// How many were wanted.
        num_threads: usize,
        /// What the system said.
        reason: String,
    },
    /// Something this version does not do.
    #[error("not supported yet: {what}")]
    NotSupported {
        /// What.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// A training in a race that is for evaluations.
    #[error("HEAD_TO_MODEL is a race between two trained models, and for evaluations only")]
    TrainingAgainstModel,
    /// There is no such model or checkpoint.
    #[error("the model `{prefix}` has no {what}")]
    NoCheckpoint {
        /// The model.
        prefix: String,
        /// What was looked for.
        what: String,
        /// What there is.
        hint: String,
    },
    /// A frozen graph is damaged, or of another network.
    #[error("the frozen graph `{}` cannot be used: {source}", path.display())]
    FrozenGraph {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FrozenGraphError,
    },
    /// A run cannot be continued.
    #[error("the model `{prefix}` cannot be continued: {reason}")]
    Resume {
        /// The model.
        prefix: String,
        /// Why.
        reason: String,
    },
}

impl JobError {
    /// What to do about it, where the message does not say so itself.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotSupported { hint, .. } | Self::NoCheckpoint { hint, .. } => Some(hint.clone()),
            Self::Objects(error) => crate::objects::hint(error),
            Self::TrainingAgainstModel => Some(
                "train with DR_RACE_TYPE=TIME_TRIAL, OBJECT_AVOIDANCE or HEAD_TO_BOT; `dr-start-evaluation` races against \
                 the model of DR_EVAL_OPP_S3_MODEL_PREFIX"
                    .to_owned(),
            ),
            Self::Log { .. } => Some("check the free space and the rights of the racing folder".to_owned()),
            Self::Threads { .. } => Some("set DR_THREADS to a smaller number".to_owned()),
            Self::Resume { .. } => {
                Some("begin a new model: another DR_LOCAL_S3_MODEL_PREFIX, or `dr-increment-training`".to_owned())
            }
            Self::Rollout(RolloutError::Reward { .. }) => Some(
                "mend the reward function; a training goes on from its last checkpoint with `dr-start-training --resume`"
                    .to_owned(),
            ),
            Self::Learn(LearnError::EmptyRollout) => Some(
                "no episode of the iteration fits under DR_TRAIN_MAX_STEPS_PER_ITERATION: raise it, or reward progress, so \
                 that the car does not drive in circles"
                    .to_owned(),
            ),
            Self::Checkpoint(CheckpointError::Damaged { .. }) => Some(
                "`dr-increment-training` with DR_LOCAL_S3_PRETRAINED_CHECKPOINT set to a number goes on from an older one; \
                 an evaluation takes the one of DR_EVAL_CHECKPOINT"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// The original's number for this kind of failure.
    pub fn fault_code(&self) -> FaultCode {
        match self {
            Self::Metadata(_) => FaultCode::ModelMetadata,
            Self::Reward(_) => FaultCode::RewardFunctionImport,
            Self::Rollout(RolloutError::Reward { .. }) => FaultCode::RewardFunction,
            Self::Learn(LearnError::NotANumber { .. }) => FaultCode::NanLoss,
            Self::Learn(LearnError::EmptyRollout) => FaultCode::NoRolloutData,
            Self::Learn(_) | Self::Policy(_) => FaultCode::Training,
            Self::Checkpoint(CheckpointError::OtherActions { .. } | CheckpointError::OtherNetwork { .. }) => {
                FaultCode::ModelShape
            }
            Self::FrozenGraph {
                source:
                    FrozenGraphError::OtherActions { .. }
                    | FrozenGraphError::OtherInputs { .. }
                    | FrozenGraphError::OtherLayers { .. },
                ..
            } => FaultCode::ModelShape,
            Self::FrozenGraph { source: FrozenGraphError::Io { .. }, .. } => FaultCode::FileUpload,
            Self::Checkpoint(CheckpointError::Io { .. }) | Self::Bucket(_) | Self::Artefact(_) | Self::Log { .. } => {
                FaultCode::FileUpload
            }
            Self::Checkpoint(_) | Self::FrozenGraph { .. } => FaultCode::CheckpointCorrupt,
            Self::NoCheckpoint { .. } | Self::Resume { .. } => FaultCode::CheckpointNotFound,
            _ => FaultCode::Unclassified,
        }
    }

    /// What logs say of it: a JSON line and a fault code, in the original's format.
    pub fn log_lines(&self, function: &str) -> String {
        let message = match self.hint() {
            Some(hint) => format!("{self}; {hint}"),
            None => self.to_string(),
        };
        let exception_type = match self {
            Self::Learn(_) | Self::Policy(_) | Self::Checkpoint(_) | Self::FrozenGraph { .. } => {
                ExceptionType::TrainingWorker
            }
            Self::Bucket(_) | Self::Artefact(_) | Self::Log { .. } => ExceptionType::S3Datastore,
            _ => ExceptionType::SimulationWorker,
        };
        Fault {
            date: jiff::Zoned::now().datetime(),
            function,
            message: &message,
            exception_type,
            is_user_error: self.is_user_error(),
            code: self.fault_code(),
        }
        .log_lines()
        .join("\n")
    }

    /// Whether the user's files are the cause, and not the machine or the program.
    pub fn is_user_error(&self) -> bool {
        !matches!(
            self,
            Self::Bucket(_)
                | Self::Artefact(_)
                | Self::Checkpoint(CheckpointError::Io { .. })
                | Self::FrozenGraph { source: FrozenGraphError::Io { .. }, .. }
                | Self::Log { .. }
                | Self::Threads { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_that_cannot_be_written_is_not_the_users_mistake() {
        let source = std::io::ErrorKind::StorageFull.into();
        let full: JobError = CheckpointError::Io { action: "write", path: "weights".into(), source }.into();
        assert!(!full.is_user_error());
        assert_eq!(full.fault_code(), FaultCode::FileUpload);
        let damaged: JobError = CheckpointError::Damaged { path: "weights".into(), reason: "cut".into() }.into();
        assert_eq!(damaged.fault_code(), FaultCode::CheckpointCorrupt);
        assert!(damaged.hint().is_some_and(|hint| hint.contains("DR_LOCAL_S3_PRETRAINED_CHECKPOINT")));
    }
}
