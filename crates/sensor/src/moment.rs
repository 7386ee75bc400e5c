//! What sensors are asked about: one moment of a race.

use crate::variety::Variety;
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
    /// Control steps of 1/15 s since the episode began.
    pub step: u32,
    /// What fixes all chance in the episode.
    pub seed: u64,
    /// How episodes differ in what cameras see; `None`: not at all.
    pub variety: Option<&'a Variety>,
}

impl<'a> Moment<'a> {
    /// A car among others at the begin of an episode with seed 0.
    pub fn among(bodies: &'a [Body], origin: DVec2, yaw_rad: f64) -> Moment<'a> {
        Moment { origin, yaw_rad, bodies, step: 0, seed: 0, variety: None }
    }

    /// A car alone on the track, at the begin of an episode with seed 0.
    pub fn alone(origin: DVec2, yaw_rad: f64) -> Moment<'static> {
        Moment::among(&[], origin, yaw_rad)
    }
}
