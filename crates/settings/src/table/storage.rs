//! Models, files, clouds.

use super::{Status, Variable, idle, works};
use crate::choice::Cloud;
use crate::value::Kind;

pub(super) const STORAGE: &[Variable] = &[
    works(
        "DR_LOCAL_S3_BUCKET",
        Kind::Name,
        "bucket",
        "my-bucket",
        "storage.bucket",
        "The bucket: the folder `data/s3/<bucket>` of the racing folder.",
    )
    .in_training(&["METRICS_S3_BUCKET", "SAGEMAKER_SHARED_S3_BUCKET", "SIMTRACE_S3_BUCKET"])
    .in_evaluation(&["METRICS_S3_BUCKET", "MODEL_S3_BUCKET", "SIMTRACE_S3_BUCKET"]),
    works(
        "DR_LOCAL_S3_MODEL_PREFIX",
        Kind::ObjectKey,
        "rl-deepracer-sagemaker",
        "night-run-1",
        "storage.model_prefix",
        "The model: its folder in the bucket. `dr-increment-training` counts it up.",
    )
    .in_training(&["SAGEMAKER_SHARED_S3_PREFIX", "SIMTRACE_S3_PREFIX"])
    .in_evaluation(&["MODEL_S3_PREFIX", "SIMTRACE_S3_PREFIX"]),
    works(
        "DR_LOCAL_S3_METRICS_PREFIX",
        Kind::ObjectKey,
        "$DR_LOCAL_S3_MODEL_PREFIX/metrics",
        "measurements",
        "storage.metrics_prefix",
        "Folder of the metrics files in the bucket.",
    )
    .in_training(&["METRICS_S3_OBJECT_KEY"])
    .in_evaluation(&["METRICS_S3_OBJECT_KEY"]),
    works(
        "DR_LOCAL_S3_PRETRAINED",
        Kind::Flag,
        "False",
        "True",
        "pretrained.enabled",
        "Whether training starts from the weights of another model.",
    ),
    works(
        "DR_LOCAL_S3_PRETRAINED_PREFIX",
        Kind::ObjectKey,
        "rl-sagemaker-pretrained",
        "night-run-0",
        "pretrained.prefix",
        "The model to start from: its folder in the bucket.",
    ),
    works(
        "DR_LOCAL_S3_PRETRAINED_CHECKPOINT",
        Kind::Checkpoint,
        "last",
        "12",
        "pretrained.checkpoint",
        "The checkpoint to start from.",
    ),
    works(
        "DR_LOCAL_S3_CUSTOM_FILES_PREFIX",
        Kind::ObjectKey,
        "custom_files",
        "my_files",
        "storage.custom_files_prefix",
        "Folder in the bucket that `dr-upload-custom-files` fills.",
    ),
    works(
        "DR_LOCAL_S3_MODEL_METADATA_KEY",
        Kind::ObjectKey,
        "$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/model_metadata.json",
        "other/model_metadata.json",
        "storage.model_metadata_key",
        "The file with action space, sensors and network.",
    )
    .in_training(&["MODEL_METADATA_FILE_S3_KEY"]),
    works(
        "DR_LOCAL_S3_HYPERPARAMETERS_KEY",
        Kind::ObjectKey,
        "$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/hyperparameters.json",
        "other/hyperparameters.json",
        "storage.hyperparameters_key",
        "The file with the hyperparameters.",
    ),
    works(
        "DR_LOCAL_S3_REWARD_KEY",
        Kind::ObjectKey,
        "$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/reward_function.py",
        "other/reward_function.py",
        "storage.reward_key",
        "The file with the reward function.",
    )
    .in_training(&["REWARD_FILE_S3_KEY"]),
    works(
        "DR_LOCAL_S3_TRAINING_PARAMS_FILE",
        Kind::Name,
        "training_params.yaml",
        "train.yaml",
        "storage.training_params_file",
        "Name of the file in the model folder that records what a training run was started with.",
    ),
    works(
        "DR_LOCAL_S3_EVAL_PARAMS_FILE",
        Kind::Name,
        "evaluation_params.yaml",
        "evaluate.yaml",
        "storage.evaluation_params_file",
        "Name of the file in the model folder that records what an evaluation was started with.",
    ),
    works(
        "DR_AWS_APP_REGION",
        Kind::Text,
        "us-east-1",
        "eu-central-1",
        "storage.aws_region",
        "Region recorded in the parameter files; local storage has none.",
    )
    .in_both(&["AWS_REGION"]),
];

const CREDENTIALS: Status = Status::NoEffect("storage is a folder of this machine, no credentials are needed");
const UPLOAD: Status = Status::NotYetIgnored("uploading models to another bucket");
const REMOTE_STORAGE: Status = Status::NotYetIgnored("storage on another machine");
const DROA: Status = Status::NotYetIgnored("the commands for DeepRacer on AWS");

pub(super) const REMOTE: &[Variable] = &[
    idle(
        "DR_CLOUD",
        Kind::Choice(Cloud::NAMES),
        "local",
        "aws",
        Status::NotYetRefused("storage other than local; set DR_CLOUD=local to use the data folder of this machine"),
        "Where models are stored.",
    ),
    idle(
        "DR_LOCAL_S3_PROFILE",
        Kind::Text,
        "default",
        "minio",
        CREDENTIALS,
        "Profile with the credentials of the storage.",
    ),
    idle("DR_LOCAL_S3_AUTH_MODE", Kind::Text, "profile", "role", CREDENTIALS, "How to log in to the storage."),
    idle(
        "DR_MINIO_URL",
        Kind::Text,
        "",
        "http://minio:9000",
        Status::NoEffect("storage is a folder of this machine, no server is needed"),
        "Address of the original's storage server, which it computes itself.",
    ),
    idle(
        "DR_REMOTE_MINIO_URL",
        Kind::Text,
        "",
        "http://nas:9000",
        REMOTE_STORAGE,
        "Address of a storage server elsewhere.",
    ),
    idle("DR_UPLOAD_S3_PROFILE", Kind::Text, "default", "racing", UPLOAD, "Profile with the credentials for uploads."),
    idle("DR_UPLOAD_S3_BUCKET", Kind::Text, "", "aws-deepracer-1", UPLOAD, "Bucket models are uploaded to.")
        .quiet(&["not-defined"]),
    idle(
        "DR_UPLOAD_S3_PREFIX",
        Kind::Text,
        "$DR_LOCAL_S3_MODEL_PREFIX-1",
        "DeepRacer-1",
        UPLOAD,
        "Folder models are uploaded to.",
    )
    .quiet(&["upload", "$DR_LOCAL_S3_MODEL_PREFIX"]),
    idle("DR_DROA_URL", Kind::Text, "", "https://droa.example", DROA, "Address of a DeepRacer on AWS installation."),
    idle("DR_DROA_USERNAME", Kind::Text, "", "ada", DROA, "User of a DeepRacer on AWS installation."),
];
