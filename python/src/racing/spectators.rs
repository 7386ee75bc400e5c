//! Pictures of a race from outside: the following camera and the top camera of the original.

use deepracer_race::Race;
use deepracer_sensor::{FollowCamera, SceneCamera, Scratch, top_camera};
use deepracer_vehicle::{CONTROL_PERIOD_S, Vehicle};
use deepracer_world::Body;
use glam::DVec2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::entrant::Entrant;

/// Columns and rows of a picture.
pub(super) const SIZE: [usize; 2] = [640, 480];

/// A car that moves further than this within a step was put somewhere, metres.
const JUMP_M: f64 = 0.5;

/// A following camera and what it follows.
pub(super) struct Follower {
    camera: FollowCamera,
    origin: DVec2,
}

impl Follower {
    pub(super) fn behind(vehicle: &Vehicle) -> Self {
        let origin = vehicle.origin();
        Self { camera: FollowCamera::behind(origin, vehicle.yaw_rad()), origin }
    }

    /// Follows for one control step; jumps behind a car that was put somewhere.
    pub(super) fn follow(&mut self, vehicle: &Vehicle) {
        let origin = vehicle.origin();
        if origin.distance(self.origin) > JUMP_M {
            *self = Self::behind(vehicle);
        } else {
            self.camera.follow(origin, CONTROL_PERIOD_S);
            self.origin = origin;
        }
    }
}

/// Draws a race as the camera called `follow` or `top` sees it, `[480, 640, 3]`.
///
/// # Errors
/// `ValueError` when there is no such camera, or nothing follows the car.
pub(super) fn draw(name: &str, entrant: &Entrant, race: &Race, out: &mut [u8]) -> PyResult<()> {
    let [width, height] = SIZE;
    let (camera, viewpoint) = match (name, entrant.follower()) {
        ("follow", Some(follower)) => (SceneCamera::of_size(width, height), follower.camera.viewpoint()),
        ("top", _) => top_camera(&entrant.track().route().outer, width, height),
        _ => return Err(PyValueError::new_err(format!("there is no camera '{name}'"))),
    };
    let view = entrant.view();
    let vehicle = race.vehicle();
    let mut bodies = race.bodies().to_vec();
    bodies.push(Body { position: vehicle.origin(), yaw_rad: vehicle.yaw_rad(), ..*entrant.car() });
    camera.draw(view.scene(), &view.appearance(race), &viewpoint, &bodies, &mut Scratch::new(), out);
    Ok(())
}
