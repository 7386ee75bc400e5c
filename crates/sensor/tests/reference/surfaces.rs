//! Which pixels of a frame show which surface of `reinvent_base@2020`.

use super::frames::{Frame, draw};
use deepracer_sensor::{Camera, HEIGHT, Pixels, Quality, Scene, Scratch, WIDTH};
use deepracer_track::Route;
use deepracer_world::look::{self, Surface};
use deepracer_world::{Rgb, World};

/// Name of the look that the frames show.
pub(crate) const WORLD: &str = "reinvent_base@2020";

/// A surface, and the colour that marks it.
pub(crate) const SURFACES: [(&str, [u8; 3]); 7] = [
    ("field", [0, 100, 0]),
    ("road", [0, 0, 100]),
    ("line", [100, 100, 100]),
    ("dash", [100, 100, 0]),
    ("west wall", [50, 0, 0]),
    ("east wall", [100, 0, 0]),
    ("north wall", [200, 0, 0]),
];

/// Values of the pixels that lie well within a surface, per channel, sorted.
pub(crate) struct Seen(pub(crate) [Vec<u8>; 3]);

impl Seen {
    pub(crate) fn num_pixels(&self) -> usize {
        self.0[0].len()
    }

    /// The value that this share of the pixels is below.
    pub(crate) fn quantile(&self, share: f64) -> [u8; 3] {
        [0, 1, 2].map(|k| self.0[k][(self.num_pixels() as f64 * share) as usize])
    }
}

/// Real and drawn values of every surface in the given rows of the frames.
pub(crate) fn compare(
    route: &Route,
    camera: &Camera,
    frames: &[Frame],
    rows: std::ops::Range<usize>,
) -> Vec<(&'static str, Seen, Seen)> {
    let marked = Scene::bake(&World::build(route, &marked_look()));
    let shown = Scene::bake(&World::build(route, &look::find(WORLD)));
    let observation = camera.observation(&marked, Quality::Standard);
    let mut scratch = Scratch::new();
    let num_bytes = observation.num_bytes(Pixels::Rgb);
    let (mut marks, mut drawn) = (vec![0; num_bytes], vec![0; num_bytes]);
    let empty = || Seen([Vec::new(), Vec::new(), Vec::new()]);
    let mut seen = SURFACES.map(|(name, _)| (name, empty(), empty()));
    for frame in frames {
        draw(&observation, &marked, frame.pose, Pixels::Rgb, &mut scratch, &mut marks);
        draw(&observation, &shown, frame.pose, Pixels::Rgb, &mut scratch, &mut drawn);
        for pixel in rows.start * WIDTH..rows.end * WIDTH {
            let at = pixel * 3;
            // The pixel and those around it are one surface.
            let around = [at, at.wrapping_sub(6), at + 6, at.wrapping_sub(6 * WIDTH), at + 6 * WIDTH];
            let surface = SURFACES.iter().position(|(_, code)| {
                around.into_iter().all(|at| marks.get(at..at.wrapping_add(3)) == Some(code.as_slice()))
            });
            if let Some(surface) = surface {
                for k in 0..3 {
                    seen[surface].1.0[k].push(frame.rgb[at + k]);
                    seen[surface].2.0[k].push(drawn[at + k]);
                }
            }
        }
    }
    debug_assert!(rows.end <= HEIGHT);
    for (_, real, drawn) in &mut seen {
        real.0.iter_mut().chain(&mut drawn.0).for_each(|values| values.sort_unstable());
    }
    seen.into_iter().filter(|(_, real, _)| real.num_pixels() > 0).collect()
}

/// The look with every surface in its own colour.
fn marked_look() -> look::Look {
    let coded = |texture: [u8; 3]| Surface { texture: Rgb(texture), gain: 1.0, grain: 0.0 };
    let mut marked = look::find(WORLD);
    marked.field = coded(SURFACES[0].1);
    marked.road = coded(SURFACES[1].1);
    marked.line = coded(SURFACES[2].1);
    marked.dash = coded(SURFACES[3].1);
    if let Some(walls) = &mut marked.walls {
        walls.texture = Rgb([50, 0, 0]);
        walls.gains = [1.0, 2.0, 3.0, 4.0];
    }
    marked
}
