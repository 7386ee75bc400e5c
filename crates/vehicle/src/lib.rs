//! The car as a body: dynamics generations, actuators, footprint.
//!
//! A [`Vehicle`] is placed at a pose and driven by [`Command`]s, one per control period. Three
//! [`Generation`]s reproduce the vehicle physics the original had over the years; a model's
//! metadata `version` picks one.
//!
//! ```
//! use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Generation, Vehicle};
//! use glam::DVec2;
//!
//! let mut car = Vehicle::new(Generation::from_model_version(5.0));
//! car.place(DVec2::new(1.0, 2.0), 0.0);
//! for _ in 0..45 {
//!     car.drive(Command::from_request(0.0, 2.0), CONTROL_PERIOD_S);
//! }
//! // Three seconds later the car has reached 1.029 times the commanded speed.
//! assert!((car.speed_mps() / 2.0 - 1.029).abs() < 0.001);
//! assert_eq!(car.yaw_rad(), 0.0);
//! ```
//!
//! Units are metres, seconds and radians; x forward, y left, angles counter-clockwise.

pub mod body;
mod command;
mod contacts;
mod figures;
mod generation;
mod handling;
mod vehicle;

pub use body::{FOOTPRINT_M, FRONT_POINT_M, WHEELBASE_M};
pub use command::{Command, MAX_SPEED_MPS, MAX_STEERING_RAD, MIN_SPEED_MPS};
pub use contacts::{Contacts, Motion, SPEED_RATIO, TOP_SPEED_MPS};
pub use figures::{CURRENT, FITTED_A, FITTED_B, FITTED_C, LEGACY_3_4, LEGACY_5};
pub use generation::Generation;
pub use handling::{Handling, MAX_LATENESS_S};
pub use vehicle::Vehicle;

/// Time from one command to the next: the camera takes 15 pictures per simulated second.
pub const CONTROL_PERIOD_S: f64 = 1.0 / 15.0;
