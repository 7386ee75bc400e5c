//! What sensors are asked about: one moment of a race.

use deepracer_world::Body;
use glam::DVec2;

/// One moment of a race, as the sensors of one car perceive it.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// The car's origin (`base_link`), metres.
    pub origin: DVec2,
    /// Where the car points, rad.
    pub yaw_rad: f64,
    /// Everything on the track but this car.
    pub bodies: &'a [Body],
}

impl Moment<'static> {
    /// A car alone on the track.
    pub fn alone(origin: DVec2, yaw_rad: f64) -> Moment<'static> {
        Moment { origin, yaw_rad, bodies: &[] }
    }
}
