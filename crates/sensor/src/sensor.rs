//! One sensor of a car, as a race asks it for its observation.

use std::sync::Arc;

use crate::camera::Pixels;
use crate::moment::Moment;
use crate::observation::{ObservationCamera, Scratch};
use crate::scene::Scene;

/// A sensor of a car. Cheap to clone; share it between races.
#[derive(Debug, Clone)]
pub enum Sensor {
    /// A camera: `[height, width, channels]` bytes.
    Camera {
        /// Its lens and mount.
        camera: Arc<ObservationCamera>,
        /// Colour or grey.
        pixels: Pixels,
    },
}

impl Sensor {
    /// Bytes of one observation.
    pub fn num_bytes(&self) -> usize {
        match self {
            Self::Camera { camera, pixels } => camera.num_bytes(*pixels),
        }
    }

    /// Observes a moment, into [`num_bytes`](Self::num_bytes) bytes.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn observe(&self, scene: &Scene, moment: &Moment<'_>, scratch: &mut Scratch, out: &mut [u8]) {
        match self {
            Self::Camera { camera, pixels } => camera.draw(scene, moment, *pixels, scratch, out),
        }
    }
}
