//! One sensor of a car, as a race asks it for its observation.

use std::sync::Arc;

use crate::camera::Pixels;
use crate::lidar::Lidar;
use crate::lidar_encoding::LidarEncoding;
use crate::moment::Moment;
use crate::observation::ObservationCamera;
use crate::scene::Scene;
use crate::scratch::Scratch;

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
    /// A pair of cameras: `[height, width, 2]` bytes, the grey of the left one and of the right one.
    StereoCameras {
        /// Left and right.
        cameras: [Arc<ObservationCamera>; 2],
    },
    /// A lidar: [`num_values`](LidarEncoding::num_values) little-endian `f32`.
    Lidar {
        /// Its rays.
        lidar: Arc<Lidar>,
        /// What is told of a scan.
        encoding: LidarEncoding,
    },
}

impl Sensor {
    /// Bytes of one observation.
    pub fn num_bytes(&self) -> usize {
        match self {
            Self::Camera { camera, pixels } => camera.num_bytes(*pixels),
            Self::StereoCameras { cameras: [left, _] } => 2 * left.num_bytes(Pixels::Grey),
            Self::Lidar { encoding, .. } => 4 * encoding.num_values(),
        }
    }

    /// Observes a moment, into [`num_bytes`](Self::num_bytes) bytes. `scratch` belongs to the car: a lidar, which is slower
    /// than the control steps, repeats its newest scan from there.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn observe(&self, scene: &Scene, moment: &Moment<'_>, scratch: &mut Scratch, out: &mut [u8]) {
        match self {
            Self::Camera { camera, pixels } => camera.draw(scene, moment, *pixels, scratch, out),
            Self::StereoCameras { cameras: [left, right] } => {
                ObservationCamera::draw_pair([left, right], scene, moment, scratch, out);
            }
            Self::Lidar { lidar, encoding } => {
                encoding.encode(lidar.observe(scene, moment, &mut scratch.last_scan), out);
            }
        }
    }
}
