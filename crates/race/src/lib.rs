//! Racing: what an episode is, how a control step unfolds, which rule ends it, and what the reward function sees.
//!
//! | question | file |
//! |---|---|
//! | Why did my episode end? | [`rules`] |
//! | What is `is_left_of_center`? | [`reward_params`] |
//! | Where does the car start, and where is it put after a mishap? | [`start`] |
//! | Where do obstacles and bot cars stand? | [`placement`], [`objects`] |
//! | How do bot cars drive? | [`bots`] |
//! | Who touches whom? | [`collision`] |
//! | How is progress counted? | [`progress`] |
//! | In which order do things happen in one step? | [`race`] |
//! | What does the agent see? | [`view`] |
//! | What is less perfect than in the simulation? | [`sim_to_real`] |
//! | How are many races stepped at once? | [`batch`] |
//!
//! ```
//! use std::sync::Arc;
//! use deepracer_race::{Action, Race, Scenario};
//! use deepracer_track::Library;
//!
//! let route = Library::new(None).load("reinvent_base")?;
//! let scenario = Arc::new(Scenario::training(Arc::new(route))?);
//! let mut race = Race::new(scenario.clone());
//! race.reset(scenario.start_of_episode(0), 0);
//! let straight = Action { steering_deg: 0.0, speed_mps: 1.0 };
//! let mut last = race.step(straight);
//! while !last.done {
//!     last = race.step(straight);
//! }
//! assert_eq!(last.status.code(), "off_track"); // nobody steered
//! # Ok::<(), deepracer_track::TrackError>(())
//! ```

pub mod batch;
pub mod bots;
mod chance;
pub mod collision;
pub mod objects;
pub mod placement;
pub mod progress;
pub mod race;
pub mod reward_params;
pub mod rules;
pub mod scenario;
pub mod sim_to_real;
mod spline;
pub mod start;
pub mod status;
mod traffic;
pub mod view;

pub use batch::Batch;
pub use bots::{BotRule, LaneChange};
pub use objects::{ObjectRules, Objects, ObjectsError, ObstacleKind, ObstacleRule};
pub use placement::{Lane, Place, Places, Spread};
pub use race::{Action, LapResult, Race, Step};
pub use reward_params::{ObjectParams, RewardParams};
pub use rules::{Mercy, Penalties, Rules};
pub use scenario::Scenario;
pub use sim_to_real::SimToReal;
pub use start::{GridPlace, Start, StartRule};
pub use status::EpisodeStatus;
pub use traffic::Rival;
pub use view::View;
