//! A training or evaluation run from start to end: rollouts, learning, files.
//!
//! | question | module |
//! |---|---|
//! | How is a reward function called, and what may it return? | [`reward`] |
//! | How is it tried before any work starts? | [`preflight`] |
//! | What is on the road besides the car? | [`objects`] |
//! | How do episodes become experience? | [`rollout`] |
//! | What happens in an iteration? | [`train`] |
//! | How is a model judged? | [`evaluate`] |
//! | How do two models race each other? | [`head_to_model`] |
//! | Which policies does a model hold? | [`stored_policy`] |
//! | What files and log lines does a run leave, and where? | [`artefact`] |
//! | How is a track, or a driven line, drawn? | [`picture`] |
//! | How does a run become a process, and how is it stopped? | [`run`] |
//! | What does that process do, and how does it tell the outcome? | [`work`] |

pub mod artefact;
pub mod custom_files;
mod error;
pub mod evaluate;
pub mod head_to_model;
pub mod increment;
pub mod objects;
pub mod picture;
pub mod prefix;
pub mod preflight;
pub mod reward;
pub mod rollout;
pub mod run;
pub mod setup;
pub mod stop;
pub mod stored_policy;
pub mod train;
pub mod work;

pub use error::JobError;
