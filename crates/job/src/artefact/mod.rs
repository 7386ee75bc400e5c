//! The files and log lines of a run, in the original's names and formats, so that the tools people have read them.
//!
//! | what | module |
//! |---|---|
//! | where each file lies below a model prefix | [`layout`] |
//! | step traces, one CSV file per iteration | [`simtrace`] |
//! | episode metrics of training and evaluation | [`metrics`] |
//! | which checkpoint is the best and which the last, and which are kept | [`checkpoint_index`] |
//! | how the best is found | [`best_model`] |
//! | lines of the trainer's and the workers' logs | [`log_lines`] |
//! | the head of a worker's log | [`log_header`] |
//! | errors as JSON lines with fault codes | [`fault`] |
//! | `.ready`, `.finished`, `.lock` | [`marker`] |
//! | numbers and values as Python prints them | [`python_text`] |
//!
//! Everything goes through a [`Bucket`](deepracer_bucket::Bucket), whole objects at once, so that a reader never finds a
//! part of a file and a full disk leaves the previous one.
//!
//! ```
//! use deepracer_bucket::{Bucket, MemoryBucket};
//! use deepracer_job::artefact::layout::ModelLayout;
//! use deepracer_job::artefact::simtrace::{ActionText, StepRow, Trace};
//! use deepracer_race::EpisodeStatus;
//!
//! let model = ModelLayout::new("my-model")?;
//! let mut trace = Trace::new();
//! trace.push(&StepRow {
//!     episode: 0, steps: 1, x: 3.06, y: 0.68, yaw_deg: 0.18, steer_deg: 0.0, throttle_mps: 0.0,
//!     action: ActionText::Index(2), reward: 0.0, done: false, all_wheels_on_track: true, progress: 0.4,
//!     closest_waypoint: 1, track_length_m: 17.7, time_s: 10.0, status: EpisodeStatus::Prepare, pause_s: 0.0,
//!     obstacle_crash_counter: 0, wall_clock_s: 1_700_000_000.5,
//! });
//! let bucket = MemoryBucket::new();
//! trace.save(&bucket, &model.training_trace(0, 1, 0))?;
//! assert!(bucket.exists("my-model/training-simtrace/0-iteration.csv")?);
//! # Ok::<(), deepracer_bucket::BucketError>(())
//! ```

pub mod best_model;
pub mod checkpoint_index;
pub mod fault;
mod json_text;
pub mod layout;
pub mod log_header;
pub mod log_lines;
pub mod marker;
pub mod metrics;
pub mod python_text;
pub mod simtrace;

use deepracer_bucket::BucketError;

/// Why a file of a run could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtefactError {
    /// The bucket failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// The file is there, but its content is not what it should be.
    #[error("`{key}` is damaged: {reason}; {hint}")]
    Damaged {
        /// The file's key in the bucket.
        key: String,
        /// What is wrong with it.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
}
