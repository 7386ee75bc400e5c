//! Pinhole cameras and how they are mounted.

use crate::observation::ObservationCamera;
use crate::scene::Scene;
use glam::{DVec2, DVec3};

/// How much work goes into a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quality {
    /// Nearest texels: the quickest.
    Fast,
    /// Interpolated texels: what training and evaluation use.
    #[default]
    Standard,
    /// Interpolated texels of the next finer scale, twice as many of them.
    Fine,
}

/// What a picture holds per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pixels {
    /// Three bytes: red, green, blue.
    #[default]
    Rgb,
    /// One byte: `0.2989 R + 0.5870 G + 0.1140 B` of the RGB picture, truncated.
    Grey,
}

impl Pixels {
    /// Bytes per pixel.
    pub fn num_channels(self) -> usize {
        match self {
            Pixels::Rgb => 3,
            Pixels::Grey => 1,
        }
    }
}

/// Camera mount in the car, metres from the car's origin: the sum of the original's chassis, bracket and
/// lens offsets.
const FRONT_MOUNT: DVec3 = DVec3::new(0.145_293_79, 0.0, 0.130_325_55);
/// Downward pitch of the bracket, rad (15°).
const FRONT_PITCH_DOWN_RAD: f64 = 0.2618;
/// Half of the distance between the two cameras of the pair, metres: the original's.
const STEREO_HALF_BASE_M: f64 = 0.03;
/// Height of the car's origin above the ground at rest, metres, by the original's geometry: wheels of 0.036 m on axles
/// 0.039 m (rear, 0.082 m behind the origin) and 0.035 m (front, 0.082 m ahead of it) above it.
pub(crate) const ORIGIN_AT_REST_M: f64 = -0.001;
/// Horizontal field of view of the original's cameras, rad (64.7°).
pub(crate) const HORIZONTAL_FIELD_OF_VIEW_RAD: f64 = 1.13;
/// Nothing beyond this distance is drawn, metres (the original's far clip plane).
pub(crate) const FAR_M: f64 = 300.0;
/// Nothing nearer than this is drawn, metres (the original's near clip plane).
pub(crate) const NEAR_M: f64 = 0.02;

/// An ideal pinhole camera, mounted on a body that stands on the ground: no distortion, no noise, no roll.
///
/// Body axes are x ahead, y left, z up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Of the lens, in the body's axes, metres; z is the height above the ground.
    pub position: DVec3,
    /// Of the optical axis below the horizon, rad.
    pub pitch_down_rad: f64,
    /// Angle between the left and right edge of the picture, rad.
    pub horizontal_field_of_view_rad: f64,
}

impl Camera {
    /// The front camera of a car whose body rests `nose_up_rad` nose-up about its origin. The bracket points 15°
    /// down; a body that rests nose-up takes from that.
    ///
    /// ```
    /// use deepracer_sensor::Camera;
    /// // The car of model versions 3 and later: 13.6° down, 0.133 m above the road.
    /// let camera = Camera::front(0.0243);
    /// assert!((camera.pitch_down_rad.to_degrees() - 13.61).abs() < 0.01);
    /// assert!((camera.position.z - 0.133).abs() < 1e-3);
    /// ```
    pub fn front(nose_up_rad: f64) -> Camera {
        let (sin, cos) = nose_up_rad.sin_cos();
        let mount = FRONT_MOUNT;
        Camera {
            position: DVec3::new(
                mount.x * cos - mount.z * sin,
                mount.y,
                ORIGIN_AT_REST_M + mount.x * sin + mount.z * cos,
            ),
            pitch_down_rad: FRONT_PITCH_DOWN_RAD - nose_up_rad,
            horizontal_field_of_view_rad: HORIZONTAL_FIELD_OF_VIEW_RAD,
        }
    }

    /// The front camera of the car in frames of 2018 to 2020: 15.4° down, 0.125 m above the road. Measured on those
    /// frames, see `docs/src/camera.md`; for comparing pictures with them.
    pub fn front_of_2020() -> Camera {
        let mut camera = Camera::front(0.0);
        camera.position.z = 0.125;
        camera.pitch_down_rad = f64::to_radians(15.43);
        camera
    }

    /// The left and the right camera of the pair, 0.06 m apart; else as [`front`](Self::front).
    pub fn stereo(nose_up_rad: f64) -> [Camera; 2] {
        let front = Camera::front(nose_up_rad);
        [STEREO_HALF_BASE_M, -STEREO_HALF_BASE_M]
            .map(|left_m| Camera { position: DVec3::new(front.position.x, left_m, front.position.z), ..front })
    }

    /// Prepares the camera for drawing 160 × 120 observations of a scene.
    pub fn observation(&self, scene: &Scene, quality: Quality) -> ObservationCamera {
        ObservationCamera::new(self, scene, quality)
    }

    /// The rows, columns and focal length of a picture of this camera.
    pub(crate) fn raster(&self, width: usize, height: usize) -> Raster {
        let focal_px = width as f64 * 0.5 / (self.horizontal_field_of_view_rad * 0.5).tan();
        let (sin, cos) = self.pitch_down_rad.sin_cos();
        Raster { camera: *self, width, height, focal_px, sin, cos }
    }
}

/// A camera together with a picture size: the projection between the two.
///
/// Pixel coordinates run right and down from the picture's upper left corner; pixel (0, 0) has its middle
/// at (0.5, 0.5).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raster {
    pub(crate) camera: Camera,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) focal_px: f64,
    sin: f64,
    cos: f64,
}

/// A point seen from the lens, in camera axes: right, down, and ahead along the optical axis, metres.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_field_names)]
pub(crate) struct Seen {
    pub(crate) right_m: f64,
    pub(crate) down_m: f64,
    pub(crate) depth_m: f64,
}

impl Raster {
    /// Direction through a pixel coordinate in body axes, scaled to depth 1.
    pub(crate) fn direction(&self, column: f64, row: f64) -> DVec3 {
        let right = (column - self.width as f64 * 0.5) / self.focal_px;
        let down = (row - self.height as f64 * 0.5) / self.focal_px;
        DVec3::new(self.cos - down * self.sin, -right, -self.sin - down * self.cos)
    }

    /// Depth and distance ahead of the lens at which a row meets the ground, metres; `None` at or above
    /// the horizon and beyond the far plane.
    pub(crate) fn ground_at_row(&self, row: f64) -> Option<GroundRow> {
        let direction = self.direction(self.width as f64 * 0.5, row);
        let depth_m = -self.camera.position.z / direction.z;
        (direction.z < 0.0 && depth_m < FAR_M).then_some(GroundRow { depth_m, ahead_m: depth_m * direction.x })
    }

    /// A point given relative to the lens, in body axes, in camera axes.
    pub(crate) fn see(&self, point: DVec3) -> Seen {
        Seen {
            right_m: -point.y,
            down_m: -point.x * self.sin - point.z * self.cos,
            depth_m: point.x * self.cos - point.z * self.sin,
        }
    }

    /// Pixel coordinates of a seen point.
    pub(crate) fn project(&self, seen: Seen) -> DVec2 {
        let scale = self.focal_px / seen.depth_m;
        DVec2::new(self.width as f64 * 0.5 + seen.right_m * scale, self.height as f64 * 0.5 + seen.down_m * scale)
    }
}

/// Where a row of pixels meets the ground.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroundRow {
    /// Along the optical axis.
    pub(crate) depth_m: f64,
    /// Along the body's x axis, from the lens.
    pub(crate) ahead_m: f64,
}
