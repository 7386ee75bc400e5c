//! What can be seen and hit: the look of a world, and the bodies on it.
//!
//! A [`Look`] is a set of figures (colours, widths, dashes, walls, light); a [`World`] is a route dressed in a
//! look: a flat [`Ground`] painted with surfaces, [`Wall`]s around it and a background behind them. A [`Body`] is a box or a
//! car somewhere on it, made of convex [`Solid`]s.
//!
//! ```
//! use deepracer_track::Library;
//! use deepracer_world::{World, look};
//!
//! let route = Library::new(None).load("reinvent_base")?;
//! let world = World::build(&route, &look::find("reinvent_base"));
//! assert_eq!(world.walls.len(), 4);
//!
//! // In the middle of the road between two dashes there is asphalt.
//! let middle = (route.inner[30] + route.outer[30]) * 0.5;
//! let surface = world.ground.surface_at(middle).map(|index| world.ground.surfaces[index]);
//! assert!(surface.is_some());
//! # Ok::<(), deepracer_track::TrackError>(())
//! ```

mod body;
mod body_model;
pub mod chance;
mod colour;
mod grain;
mod ground;
mod light;
pub mod look;
mod look_table;
pub mod mesh;
mod solid;
mod strip;
mod wall;
mod world;

pub use body::{Body, BodyShape, BoxKind, CarColour, Shell};
pub use body_model::{BodyModel, Finish, Part};
pub use colour::Rgb;
pub use grain::Noise;
pub use ground::{Ground, Patch};
pub use light::{Light, Material};
pub use solid::{Face, MAX_FACES, MAX_SIDES, Solid};
pub use wall::Wall;
pub use world::World;
