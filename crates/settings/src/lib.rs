//! What the user asked for, from text to checked, typed settings.
//!
//! * [`env_file`] is the grammar of env files and [`env_edit`] changes them in place.
//! * [`table`] holds every `DR_*` variable; the reference page is generated from it.
//! * [`Settings::load`] lays command line, environment, experiment, `run.env`, `system.env` and defaults over each other
//!   and checks the result. [`RunConfig`] is the typed view, [`Values`] knows where each value comes from.
//! * [`model_metadata`], [`hyperparameters`] and [`params_yaml`] read and write the other files of a run.
//!
//! Precedence, highest first: command line; `DR_*` variables exported in the environment of the process; the experiment's
//! `run.env`; `run.env`; `system.env`; defaults. (Of a worker: its `worker-N.env` comes above the experiment's.) An
//! exported variable that replaces another value of a file is reported.
//!
//! ```
//! use deepracer_settings::{RacingFolder, Request, Settings};
//!
//! let root = tempfile::tempdir()?;
//! std::fs::write(root.path().join("system.env"), "DR_WORKERS=2\n")?;
//! std::fs::write(root.path().join("run.env"), "DR_LOCAL_S3_MODEL_PREFIX=night-1\n")?;
//!
//! let mut request = Request::new(RacingFolder::find(root.path(), None)?);
//! request.overrides.push(("DR_CAR_COLOR".into(), "Blue".into()));
//! let settings = Settings::load(&request)?.settings;
//!
//! assert_eq!(settings.config().storage.metrics_prefix, "night-1/metrics");
//! let workers = settings.values().get("DR_WORKERS").ok_or("in the table")?;
//! assert!(workers.origin.to_string().ends_with("system.env:1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod config;
pub mod did_you_mean;
pub mod env_edit;
pub mod env_file;
mod folder;
pub mod hyperparameters;
mod judge;
mod layers;
mod message;
pub mod model_metadata;
mod object_position;
pub mod params_yaml;
mod settings;
pub mod table;
pub mod templates;
mod value;
mod values;

pub use choice::{BestModelMetric, CarColor, Checkpoint, Cloud, EvaluationReward, ObstacleType, Quality, RaceType};
pub use config::{
    BotsConfig, CarConfig, EvaluationConfig, ObstaclesConfig, OpponentConfig, PretrainedConfig, RunConfig,
    Sim2RealConfig, StorageConfig, TrainConfig,
};
pub use folder::RacingFolder;
pub use hyperparameters::Hyperparameters;
pub use judge::Problem;
pub use message::{Origin, Severity, Warning};
pub use model_metadata::{ActionSpace, Algorithm, ModelMetadata, Network, Sensor};
pub use object_position::{ObjectPosition, TrackLane};
pub use settings::{Inspection, Loaded, Request, Settings, SettingsError, nearest_variables};
pub use value::{Kind, Value};
pub use values::{Entry, Values};
