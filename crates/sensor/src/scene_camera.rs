//! Pictures of any size from anywhere: what spectators see.

use crate::appearance::Appearance;
use crate::camera::{Camera, HORIZONTAL_FIELD_OF_VIEW_RAD, Quality};
use crate::ground_rows::GroundRows;
use crate::kernel::Kernel;
use crate::pack;
use crate::polygon::Canvas;
use crate::scene::{Scene, packed};
use crate::scratch::Scratch;
use crate::upright::{Eye, WallSides};
use deepracer_world::Body;
use glam::{DVec2, DVec3};

/// Columns drawn at once. Each run of columns takes the finest picture of the ground that holds it.
const RUN: usize = 128;

/// Where a camera is and looks, without roll.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewpoint {
    /// Of the lens, metres; z is the height above the ground, above 0.
    pub position: DVec3,
    /// Direction of the picture's middle on a map, rad. A camera that looks straight down has this direction at the top of its
    /// picture.
    pub yaw_rad: f64,
    /// Of the optical axis below the horizon, rad.
    pub pitch_down_rad: f64,
}

/// A camera that is not on a car: an ideal pinhole and the size of its picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SceneCamera {
    /// Columns, at least 1.
    pub width: usize,
    /// Rows, at least 1.
    pub height: usize,
    /// Angle between the left and right edge of the picture, rad, 0 to π.
    pub horizontal_field_of_view_rad: f64,
    /// How much work goes into the ground.
    pub quality: Quality,
}

impl SceneCamera {
    /// With the lens of the original's cameras (1.13 rad) and a picture of this size; the original's spectators have
    /// 640 × 480.
    pub fn of_size(width: usize, height: usize) -> SceneCamera {
        let horizontal_field_of_view_rad = HORIZONTAL_FIELD_OF_VIEW_RAD;
        SceneCamera { width, height, horizontal_field_of_view_rad, quality: Quality::Standard }
    }

    /// Bytes of a picture.
    pub fn num_bytes(&self) -> usize {
        self.width * self.height * 3
    }

    /// Draws a scene as it appears in an episode, and bodies: RGB bytes, `[height, width, 3]`.
    ///
    /// Walls are seen from inside the field only, so that a camera behind one still sees the track.
    ///
    /// # Panics
    /// When `out` is not [`num_bytes`](Self::num_bytes) long.
    pub fn draw(
        &self,
        scene: &Scene,
        appearance: &Appearance,
        from: &Viewpoint,
        bodies: &[Body],
        scratch: &mut Scratch,
        out: &mut [u8],
    ) {
        assert_eq!(out.len(), self.num_bytes(), "the picture's buffer has the wrong length");
        let (width, height) = (self.width, self.height);
        let camera = Camera {
            position: DVec3::new(0.0, 0.0, from.position.z),
            pitch_down_rad: from.pitch_down_rad,
            horizontal_field_of_view_rad: self.horizontal_field_of_view_rad,
        };
        let raster = camera.raster(width, height);
        let kernel = Kernel::detect();
        let rows = GroundRows::new(&raster, scene, self.quality);
        let heading = DVec2::from_angle(from.yaw_rad);
        let eye = Eye { raster: &raster, position: from.position, heading };

        scratch.pixels.clear();
        scratch.pixels.resize(width * height, packed(scene.background));
        scratch.line.resize(width.next_multiple_of(RUN), 0);
        let mut canvas = Canvas { pixels: &mut scratch.pixels, width, height, line: &mut scratch.line };
        let lens = from.position.truncate();
        eye.fill_field(scene, &mut canvas, |row, columns, line| {
            if row < rows.first {
                line[columns].fill(packed(scene.background));
                return;
            }
            let first = columns.start / RUN * RUN;
            for start in (first..columns.end).step_by(RUN) {
                let run = start..start + RUN;
                let out = &mut line[run.clone()];
                rows.draw(kernel, scene, row, run, (lens, heading), out);
                appearance.tint_all(out);
            }
        });
        eye.draw(scene, WallSides::Inner, bodies, appearance, &mut scratch.order, &mut canvas);
        pack::rgb(kernel, &scratch.pixels, out);
    }
}
