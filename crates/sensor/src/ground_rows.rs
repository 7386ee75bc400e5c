//! Looking the ground up row by row, for a camera at one height and pitch.

use crate::camera::{Quality, Raster};
use crate::ground::{self, FIXED_ONE, MAX_TAPS, Sampling, Tap, WEIGHT_ONE};
use crate::kernel::Kernel;
use crate::scene::{Scene, packed};
use glam::DVec2;
use std::ops::Range;

/// How a quality level looks the ground up.
struct Filter {
    sampling: Sampling,
    /// Lookups per pixel at most.
    max_taps: usize,
    /// Best width of a texel, in pixels.
    texel_px: f64,
    /// Texels from one lookup to the next, where there are few enough lookups.
    spacing_texels: f64,
}

impl Filter {
    /// Chosen by measuring pictures of `reinvent_base` against the oracle, and their time.
    fn of(quality: Quality) -> Filter {
        let (sampling, max_taps, texel_px, spacing_texels) = match quality {
            Quality::Fast => (Sampling::Nearest, 4, 1.4, 1.5),
            Quality::Standard => (Sampling::Bilinear, 4, 1.2, 2.0),
            Quality::Fine => (Sampling::Bilinear, 8, 1.0, 1.0),
        };
        Filter { sampling, max_taps, texel_px, spacing_texels }
    }
}

/// A lookup of a row, independent of where the car is.
#[derive(Debug, Clone, Copy)]
struct RowTap {
    /// Ahead of the lens, metres.
    ahead_m: f64,
    /// To the left of the lens at the middle of the first pixel, metres.
    left_m: f64,
    /// To the right per pixel, metres.
    step_m: f64,
    level: usize,
    weight: u16,
}

/// The lookups of all rows of a picture. They depend on the camera's height, pitch, lens and picture size only.
#[derive(Debug, Clone)]
pub(crate) struct GroundRows {
    sampling: Sampling,
    /// Per row, the range of its lookups.
    rows: Vec<[usize; 2]>,
    taps: Vec<RowTap>,
    /// The first row that sees ground.
    pub(crate) first: usize,
}

impl GroundRows {
    pub(crate) fn new(raster: &Raster, scene: &Scene, quality: Quality) -> GroundRows {
        let filter = Filter::of(quality);
        let mut taps = Vec::new();
        let rows: Vec<[usize; 2]> = (0..raster.height)
            .map(|row| {
                let start = taps.len();
                row_taps(raster, scene, &filter, row, &mut taps);
                [start, taps.len()]
            })
            .collect();
        let first = rows.iter().position(|[start, end]| start < end).unwrap_or(raster.height);
        GroundRows { sampling: filter.sampling, rows, taps, first }
    }

    /// Draws some columns of a row, from a lens at `lens` that looks along `heading`. Their number is a multiple of eight.
    pub(crate) fn draw(
        &self,
        kernel: Kernel,
        scene: &Scene,
        row: usize,
        columns: Range<usize>,
        (lens, heading): (DVec2, DVec2),
        out: &mut [u32],
    ) {
        let [start, end] = self.rows[row];
        let row_taps = &self.taps[start..end];
        let mut taps = [Tap::default(); MAX_TAPS];
        for (tap, row_tap) in taps.iter_mut().zip(row_taps) {
            *tap = self.place(scene, row_tap, &columns, lens, heading);
        }
        let background = packed(scene.background);
        ground::draw_row(kernel, self.sampling, &taps[..row_taps.len()], &scene.texels, background, out);
    }

    /// Turns a lookup with the car and finds the finest level that holds all columns.
    fn place(&self, scene: &Scene, tap: &RowTap, columns: &Range<usize>, lens: DVec2, heading: DVec2) -> Tap {
        let left = heading.perp();
        let step = left * -tap.step_m;
        let first = lens + heading * tap.ahead_m + left * tap.left_m + step * columns.start as f64;
        let last = first + step * (columns.len() - 1) as f64;
        let coarser = &scene.levels[tap.level..];
        let level = coarser.iter().find(|level| level.holds(first, last)).unwrap_or(&coarser[coarser.len() - 1]);

        let neighbour = usize::from(self.sampling == Sampling::Bilinear);
        let shift = 0.5 * neighbour as f64;
        // Far outside any level the exact place does not matter: it is held at the level's edge.
        let fixed = |texels: f64| (texels.clamp(-30000.0, 30000.0) * FIXED_ONE) as i32;
        let at = (first - level.origin) * level.texels_per_m - shift;
        let step = step * level.texels_per_m;
        let max = level.size.map(|texels| (((texels - neighbour) as i32) << 16) - 1);
        Tap {
            start: level.start,
            num_texels: level.num_texels(),
            columns: level.size[0] as i32,
            u: fixed(at.x),
            v: fixed(at.y),
            u_step: fixed(step.x),
            v_step: fixed(step.y),
            u_max: max[0],
            v_max: max[1],
            weight: tap.weight,
        }
    }
}

/// The lookups of one row: the triangle filter over the rows above and below, in steps small enough for the
/// texels.
fn row_taps(raster: &Raster, scene: &Scene, filter: &Filter, row: usize, out: &mut Vec<RowTap>) {
    let middle = row as f64 + 0.5;
    let ground = |offset: f64| raster.ground_at_row(middle + offset);
    // What the filter spans on the ground, in texels, decides how many lookups it takes.
    let count = match (ground(-0.7), ground(0.7)) {
        (Some(far), Some(near)) => {
            let texel_m = scene.levels[level_for(raster, scene, filter, near.depth_m)].texel_m;
            let taps = (far.ahead_m - near.ahead_m) / (texel_m * filter.spacing_texels);
            (taps.ceil() as usize).clamp(1, filter.max_taps)
        }
        _ => filter.max_taps,
    };
    let mut left = WEIGHT_ONE;
    for k in 0..count {
        // Equal shares of the triangle's area, each looked up at its middle.
        let before = k as f64 / count as f64;
        let after = (k + 1) as f64 / count as f64;
        let offset = triangle_quantile(0.5 * (before + after));
        let weight = if k + 1 == count { left } else { WEIGHT_ONE / count as u16 };
        left -= weight;
        let Some(ground) = ground(offset) else {
            continue;
        };
        let step_m = ground.depth_m / raster.focal_px;
        out.push(RowTap {
            ahead_m: ground.ahead_m,
            left_m: step_m * (raster.width as f64 * 0.5 - 0.5),
            step_m,
            level: level_for(raster, scene, filter, ground.depth_m),
            weight,
        });
    }
}

/// Where a triangle filter of half-width 1 has this share of its area to its left.
fn triangle_quantile(share: f64) -> f64 {
    if share < 0.5 { (2.0 * share).sqrt() - 1.0 } else { 1.0 - (2.0 * (1.0 - share)).sqrt() }
}

/// The level whose texels are nearest to the best width at a depth.
fn level_for(raster: &Raster, scene: &Scene, filter: &Filter, depth_m: f64) -> usize {
    let best_m = depth_m / raster.focal_px * filter.texel_px;
    let steps = (best_m / scene.levels[0].texel_m).log2().round();
    (steps.max(0.0) as usize).min(scene.levels.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::observation::{HEIGHT, WIDTH};
    use deepracer_track::Library;
    use deepracer_world::{World, look};

    #[test]
    fn the_weights_of_every_row_make_a_whole() {
        let route = Library::new(None).load("reinvent_base").expect("a built-in track");
        let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
        let rows = GroundRows::new(&Camera::front(0.0).raster(WIDTH, HEIGHT), &scene, Quality::Fine);
        let sums: Vec<u16> =
            rows.rows.iter().map(|[a, b]| rows.taps[*a..*b].iter().map(|tap| tap.weight).sum()).collect();
        let horizon = sums.iter().position(|sum| *sum > 0).expect("the camera sees ground");
        assert!(sums[horizon + 2..].iter().all(|sum| *sum == WEIGHT_ONE), "{sums:?}");
        // 15 degrees down, 126 pixels to the radian: 34 rows above the middle.
        assert!((24..=27).contains(&horizon), "{horizon}");
    }

    #[test]
    fn equal_shares_of_a_triangle() {
        assert_eq!(triangle_quantile(0.5), 0.0);
        assert_eq!(triangle_quantile(0.125), -0.5);
        assert_eq!(triangle_quantile(0.875), 0.5);
    }
}
