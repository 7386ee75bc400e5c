//! The 160 × 120 pictures that policies see.
//!
//! The original draws 640 × 480 pixels and reduces them with a triangle filter that reaches four of them to each
//! side. Here the filter is part of the lookup: along a row by the scale of the ground picture, up and down by
//! several lookups per pixel, at walls by the share of the filter that they cover.

use crate::appearance::Appearance;
use crate::camera::{Camera, Pixels, Quality, Raster};
use crate::ground_rows::GroundRows;
use crate::kernel::Kernel;
use crate::moment::Moment;
use crate::pack;
use crate::polygon::Canvas;
use crate::scene::{Scene, packed};
use crate::scratch::Scratch;
use crate::upright::{Eye, WallSides};
use glam::DVec2;

/// Columns of an observation.
pub const WIDTH: usize = 160;
/// Rows of an observation.
pub const HEIGHT: usize = 120;

/// A camera that draws 160 × 120 observations of one scene. Immutable; share it between threads.
#[derive(Debug, Clone)]
pub struct ObservationCamera {
    raster: Raster,
    quality: Quality,
    kernel: Kernel,
    rows: GroundRows,
}

impl ObservationCamera {
    pub(crate) fn new(camera: &Camera, scene: &Scene, quality: Quality) -> ObservationCamera {
        let raster = camera.raster(WIDTH, HEIGHT);
        let rows = GroundRows::new(&raster, scene, quality);
        ObservationCamera { raster, quality, kernel: Kernel::detect(), rows }
    }

    /// Columns of the picture.
    pub fn width(&self) -> usize {
        self.raster.width
    }

    /// Rows of the picture.
    pub fn height(&self) -> usize {
        self.raster.height
    }

    /// Bytes of a picture.
    pub fn num_bytes(&self, pixels: Pixels) -> usize {
        self.width() * self.height() * pixels.num_channels()
    }

    /// Draws what the camera sees in a moment.
    ///
    /// `out` is row-major, `[height, width, channels]`. `scene` is the one the camera was made for. Allocates
    /// nothing once `scratch` has been used.
    ///
    /// # Panics
    /// When `out` has another length than [`num_bytes`](Self::num_bytes).
    pub fn draw(&self, scene: &Scene, moment: &Moment<'_>, pixels: Pixels, scratch: &mut Scratch, out: &mut [u8]) {
        assert_eq!(out.len(), self.num_bytes(pixels), "the picture's buffer has the wrong length");
        self.render(scene, moment, scratch);
        match pixels {
            Pixels::Rgb => pack::rgb(self.kernel, &scratch.pixels, out),
            Pixels::Grey => pack::grey(self.kernel, &scratch.pixels, out),
        }
    }

    /// Draws the pictures of a pair of cameras as two greys per pixel, left and right: `[height, width, 2]`.
    ///
    /// Each grey is rounded as Pillow's conversion to "L" does, unlike [`Pixels::Grey`].
    ///
    /// # Panics
    /// When `out` is not twice as long as a picture has pixels.
    pub fn draw_pair(
        pair: [&ObservationCamera; 2],
        scene: &Scene,
        moment: &Moment<'_>,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) {
        let [left, right] = pair;
        assert_eq!(out.len(), 2 * left.num_bytes(Pixels::Grey), "the pictures' buffer has the wrong length");
        left.render(scene, moment, scratch);
        std::mem::swap(&mut scratch.pixels, &mut scratch.left_pixels);
        right.render(scene, moment, scratch);
        pack::grey_pair(left.kernel, [&scratch.left_pixels, &scratch.pixels], out);
    }

    /// Draws into the pixels of `scratch`.
    fn render(&self, scene: &Scene, moment: &Moment<'_>, scratch: &mut Scratch) {
        let Some(variety) = moment.variety else {
            self.render_with(scene, moment, &self.raster, &self.rows, &Appearance::of(scene), scratch);
            return;
        };
        let appearance = variety.appearance(scene, moment.seed);
        if variety.keeps_mounts() {
            self.render_with(scene, moment, &self.raster, &self.rows, &appearance, scratch);
        } else {
            let (camera, left_rad) = variety.mounted(&self.raster.camera, moment.seed);
            let raster = camera.raster(self.width(), self.height());
            let turned =
                Moment { yaw_rad: moment.yaw_rad + left_rad, origin: self.turned_origin(moment, left_rad), ..*moment };
            let mut mounted = std::mem::take(&mut scratch.mounted);
            let known = mounted.iter().position(|(of, _)| *of == camera);
            let index = known.unwrap_or_else(|| {
                // A pair of cameras needs two; those of the episode before make room.
                if mounted.len() >= 2 {
                    mounted.clear();
                }
                mounted.push((camera, GroundRows::new(&raster, scene, self.quality)));
                mounted.len() - 1
            });
            self.render_with(scene, &turned, &raster, &mounted[index].1, &appearance, scratch);
            scratch.mounted = mounted;
        }
        // The two cameras of a pair have noise of their own.
        let is_right = self.raster.camera.position.y < 0.0;
        let frame = u64::from(moment.step) * 2 + u64::from(is_right);
        variety.develop(&mut scratch.pixels, self.width(), moment.seed, frame, &mut scratch.working);
    }

    /// Where the car would be, turned by an angle, for the lens to stay in its place.
    fn turned_origin(&self, moment: &Moment<'_>, left_rad: f64) -> DVec2 {
        let mount = self.raster.camera.position.truncate();
        let offset = |yaw_rad: f64| DVec2::from_angle(yaw_rad).rotate(mount);
        moment.origin + offset(moment.yaw_rad) - offset(moment.yaw_rad + left_rad)
    }

    fn render_with(
        &self,
        scene: &Scene,
        moment: &Moment<'_>,
        raster: &Raster,
        rows: &GroundRows,
        appearance: &Appearance,
        scratch: &mut Scratch,
    ) {
        let heading = DVec2::from_angle(moment.yaw_rad);
        let mount = raster.camera.position;
        let lens = moment.origin + heading * mount.x + heading.perp() * mount.y;
        let (width, height) = (self.width(), self.height());
        scratch.pixels.resize(width * height, 0);
        scratch.line.resize(width, 0);
        let (sky, ground) = scratch.pixels.split_at_mut(rows.first * width);
        sky.fill(packed(scene.background));
        for (row, out) in ground.chunks_exact_mut(width).enumerate() {
            rows.draw(self.kernel, scene, rows.first + row, 0..width, (lens, heading), out);
        }
        appearance.tint_all(ground);
        let eye = Eye { raster, position: lens.extend(mount.z), heading };
        let mut canvas = Canvas { pixels: &mut scratch.pixels, width, height, line: &mut scratch.line };
        eye.draw(scene, WallSides::Both, moment.bodies, appearance, &mut scratch.order, &mut canvas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variety::Variety;
    use deepracer_track::Library;
    use deepracer_world::{World, look};

    fn base_scene() -> (deepracer_track::Route, Scene) {
        let route = Library::new(None).load("reinvent_base").expect("a built-in track");
        let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
        (route, scene)
    }

    #[test]
    fn whole_pictures_do_not_depend_on_the_processor() {
        let (route, scene) = base_scene();
        for quality in [Quality::Fast, Quality::Standard, Quality::Fine] {
            let quick = Camera::front(0.0).observation(&scene, quality);
            let portable = ObservationCamera { kernel: Kernel::Portable, ..quick.clone() };
            let mut scratch = Scratch::new();
            let mut pictures = [vec![0; quick.num_bytes(Pixels::Rgb)], vec![0; quick.num_bytes(Pixels::Rgb)]];
            for (k, origin) in route.center.iter().enumerate() {
                let yaw_rad = k as f64 * 0.37;
                for (camera, picture) in [&quick, &portable].into_iter().zip(&mut pictures) {
                    camera.draw(&scene, &Moment::alone(*origin, yaw_rad), Pixels::Rgb, &mut scratch, picture);
                }
                assert!(pictures[0] == pictures[1], "{quality:?} at row {k}");
            }
        }
    }

    #[test]
    fn a_camera_that_is_mounted_differently_sees_what_such_a_camera_sees() {
        let (route, scene) = base_scene();
        let camera = Camera::front(0.0243);
        let usual = camera.observation(&scene, Quality::Standard);
        let draw = |camera: &ObservationCamera, moment: &Moment<'_>| {
            let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
            camera.draw(&scene, moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
            picture
        };
        let variety = Variety { pitch_rad: 0.1, height_m: 0.03, field_of_view_rad: 0.2, ..Variety::default() };
        for seed in 0..5 {
            let (mounted, left_rad) = variety.mounted(&camera, seed);
            assert!((mounted.pitch_down_rad - camera.pitch_down_rad).abs() <= 0.1 && mounted != camera);
            assert_eq!(left_rad, 0.0);
            let moment = Moment { seed, variety: Some(&variety), ..Moment::alone(route.center[9], 0.3) };
            let expected = draw(&mounted.observation(&scene, Quality::Standard), &Moment::alone(route.center[9], 0.3));
            assert!(draw(&usual, &moment) == expected, "seed {seed}");
        }
        // Looking to the left is turning about the lens.
        let variety = Variety { yaw_rad: 0.2, ..Variety::default() };
        let (_, left_rad) = variety.mounted(&camera, 3);
        let lens = |moment: &Moment<'_>| moment.origin + DVec2::from_angle(moment.yaw_rad) * camera.position.x;
        let moment = Moment { seed: 3, variety: Some(&variety), ..Moment::alone(route.center[9], 0.3) };
        let mut turned = Moment::alone(route.center[9], 0.3 + left_rad);
        turned.origin += lens(&moment) - lens(&turned);
        let (a, b) = (draw(&usual, &moment), draw(&usual, &turned));
        assert!(a.iter().zip(&b).filter(|(a, b)| a.abs_diff(**b) > 1).count() < 100, "up to rounding");
    }
}
