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
mod solid;
mod strip;
mod wall;

pub use body::{Body, BodyShape, BoxKind, CarColour, Shell};
pub use body_model::{BodyModel, Finish, Part};
pub use colour::Rgb;
pub use grain::Noise;
pub use ground::{Ground, Patch};
pub use light::{Light, Material};
pub use solid::{Face, MAX_FACES, MAX_SIDES, Solid};
pub use wall::Wall;

use deepracer_track::Route;
use look::Look;

/// A route dressed in a look: all that a camera can see.
#[derive(Debug, Clone)]
pub struct World {
    /// Name of the route it was built from.
    pub name: String,
    /// The flat part.
    pub ground: Ground,
    /// The upright part.
    pub walls: Vec<Wall>,
    /// The colour of everything beyond.
    pub background: Rgb,
    /// The light on bodies; that on ground and walls is in their colours.
    pub light: Light,
}

impl World {
    /// Builds the world of a route. Points that are not finite are skipped.
    pub fn build(route: &Route, look: &Look) -> World {
        let ground = Ground::build(route, look);
        let walls = wall::around_field(ground.min, ground.max, look);
        World {
            name: route.name.clone(),
            ground,
            walls,
            background: look.background,
            light: Light::of_gain(look.road.gain),
        }
    }
}
