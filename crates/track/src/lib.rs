//! Where the car drives: route files, the catalogue of track names, lines, projection, progress.
//!
//! A [`Route`] is a table of points (centre line, inner and outer border), read from a route file or drawn from a
//! built-in blueprint by the [`Library`]. A [`Track`] is a route driven in a [`Direction`]: it answers where a point
//! lies along the lines and whether it is on the road, in nanoseconds and without allocating.
//!
//! Lengths are metres, angles radians counter-clockwise from the x axis, unless a name says otherwise.
//!
//! ```
//! use std::sync::Arc;
//! use deepracer_track::{Difference, Direction, Library, Line, Track};
//!
//! let route = Library::new(None).load("reinvent_base")?;
//! assert_eq!(route.num_waypoints(), 119);
//!
//! let track = Track::new(Arc::new(route), Direction::Forward)?;
//! let start = track.line(Line::Center).pose_at(0.0, Difference::Forward);
//! assert!(track.is_on_road(start.position));
//!
//! let ahead = track.line(Line::Center).point_at(1.0);
//! let ndist = track.ndist(ahead);
//! assert!((ndist * track.length_m() - 1.0).abs() < 1e-9);
//! assert_eq!(track.closest_waypoints(ndist), [6, 7]);
//! # Ok::<(), deepracer_track::TrackError>(())
//! ```

mod area;
pub mod blueprint;
pub mod catalogue;
mod cells;
pub mod check;
mod library;
mod line;
mod nearest;
pub mod progress;
mod route;
mod track;

pub use area::Area;
pub use library::{ImportOutcome, Imported, Library};
pub use line::{Difference, LineError, Polyline, Pose, Projected};
pub use route::{Route, RouteError, RouteSource};
pub use track::{Direction, Line, Nearest, Track, TrackError};
