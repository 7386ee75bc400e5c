//! A route dressed in a look or in meshes.

use crate::colour::Rgb;
use crate::ground::Ground;
use crate::light::Light;
use crate::look::{self, Look};
use crate::mesh::{MeshError, MeshLibrary, Meshes};
use crate::wall::{self, Wall};
use deepracer_track::Route;
use std::sync::Arc;

/// A route dressed in a look, or in imported meshes: all that a camera can see.
#[derive(Debug, Clone)]
pub struct World {
    /// Name of the route it was built from.
    pub name: String,
    /// The flat part. In a world of meshes only its extent counts: its layers are among the meshes.
    pub ground: Ground,
    /// The upright part.
    pub walls: Vec<Wall>,
    /// The colour of everything beyond.
    pub background: Rgb,
    /// The light on bodies; that on ground and walls is in their colours.
    pub light: Light,
    /// Imported meshes, which are drawn instead of a look.
    pub meshes: Option<Arc<Meshes>>,
}

impl World {
    /// The world of a track: its imported meshes, else its look.
    ///
    /// # Errors
    /// The imported files cannot be read.
    pub fn of_track(route: &Route, meshes: Option<&MeshLibrary>) -> Result<World, MeshError> {
        let look = look::find(&route.name);
        Ok(match meshes.map(|meshes| meshes.load(route)).transpose()?.flatten() {
            Some(scenery) => World::of_meshes(route, &look, scenery),
            None => World::build(route, &look),
        })
    }

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
            meshes: None,
        }
    }
}
