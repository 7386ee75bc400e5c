//! Painting the ground pictures: patches by scan conversion, averaged over 4 × 4 samples per texel.

use crate::scene::{Level, STRIP, packed};
use deepracer_world::{Ground, Noise, Patch, World};
use glam::DVec2;
use rayon::prelude::*;
use std::ops::Range;

/// Samples per texel and axis.
const SAMPLES: usize = 4;
/// Sample value beyond the field.
const BEYOND: u8 = u8::MAX;

/// All levels of a world's ground, in the order of `levels`.
pub(crate) fn paint(world: &World, levels: &[Level]) -> Vec<u32> {
    let mut texels = vec![0_u32; levels.iter().map(Level::num_texels).sum()];
    let mut rest = texels.as_mut_slice();
    for level in levels {
        let (own, after) = rest.split_at_mut(level.num_texels());
        rest = after;
        paint_level(world, level, own);
    }
    texels
}

fn paint_level(world: &World, level: &Level, texels: &mut [u32]) {
    let palette = Palette::new(world, level);
    // Bands of several strips, so that few patches are looked at twice.
    let band_strips = 16;
    let columns = level.size[0];
    texels.par_chunks_mut(columns * STRIP * band_strips).enumerate().for_each(|(band, texels)| {
        let first_row = band * band_strips * STRIP;
        let samples = Samples::paint(&world.ground, level, first_row, texels.len() / columns);
        for (strip, texels) in texels.chunks_exact_mut(columns * STRIP).enumerate() {
            for (k, texel) in texels.iter_mut().enumerate() {
                let (x, y) = (k / STRIP, strip * STRIP + k % STRIP);
                *texel = palette.mean_colour(&samples.of_texel(x, y), x, first_row + y);
            }
        }
    });
}

/// What stands at each sample of a band of texel rows: an index into the ground's surfaces, or [`BEYOND`].
struct Samples {
    surfaces: Vec<u8>,
    row_length: usize,
}

impl Samples {
    fn paint(ground: &Ground, level: &Level, first_row: usize, num_rows: usize) -> Samples {
        let sample_m = level.texel_m / SAMPLES as f64;
        let row_length = level.size[0] * SAMPLES;
        let origin = level.origin + DVec2::new(0.0, first_row as f64 * level.texel_m);
        let mut samples = Samples { surfaces: vec![BEYOND; row_length * num_rows * SAMPLES], row_length };
        // Coordinates in samples; the middle of sample k is at k + 0.5.
        let to_samples = |point: DVec2| (point - origin) / sample_m;
        let [min, max] = [ground.min, ground.max].map(to_samples);
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        samples.fill([corners[0], corners[1], corners[2]], 0);
        samples.fill([corners[0], corners[2], corners[3]], 0);
        for Patch { surface, corners } in &ground.patches {
            samples.fill(corners.map(to_samples), *surface);
        }
        samples
    }

    /// Fills a triangle: every sample whose middle lies in it.
    fn fill(&mut self, corners: [DVec2; 3], surface: u8) {
        let size = [self.row_length, self.surfaces.len() / self.row_length];
        for_runs(corners, size, |row, run| self.surfaces[row * self.row_length..][run].fill(surface));
    }

    /// The samples of a texel, row by row.
    fn of_texel(&self, x: usize, y: usize) -> [[u8; SAMPLES]; SAMPLES] {
        let mut samples = [[0; SAMPLES]; SAMPLES];
        for (k, row) in samples.iter_mut().enumerate() {
            let start = (y * SAMPLES + k) * self.row_length + x * SAMPLES;
            row.copy_from_slice(&self.surfaces[start..start + SAMPLES]);
        }
        samples
    }
}

/// Visits the samples whose middles lie in a triangle, row by row; `size` says how many there are per row, and rows.
pub(crate) fn for_runs(corners: [DVec2; 3], size: [usize; 2], mut visit: impl FnMut(usize, Range<usize>)) {
    let [length, num_rows] = size.map(|count| count as f64);
    let low = corners.iter().fold(f64::INFINITY, |low, c| low.min(c.y));
    let high = corners.iter().fold(f64::NEG_INFINITY, |high, c| high.max(c.y));
    let first = (low - 0.5).ceil().clamp(0.0, num_rows) as usize;
    let end = ((high - 0.5).floor() + 1.0).clamp(0.0, num_rows) as usize;
    for row in first..end {
        let y = row as f64 + 0.5;
        let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if (a.y <= y) != (b.y <= y) {
                let x = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
                left = left.min(x);
                right = right.max(x);
            }
        }
        if left > right {
            continue;
        }
        let from = (left - 0.5).ceil().clamp(0.0, length) as usize;
        let to = ((right - 0.5).floor() + 1.0).clamp(0.0, length) as usize;
        if from < to {
            visit(row, from..to);
        }
    }
}

/// Colours of a level's texels.
struct Palette<'a> {
    ground: &'a Ground,
    background: u32,
    /// What lies beyond the field: the field goes on behind walls, else it is the background.
    is_enclosed: bool,
    /// The noise averaged over each texel, for as many texels as its period has.
    noise: Vec<f32>,
    period: usize,
    first: [usize; 2],
}

impl<'a> Palette<'a> {
    fn new(world: &'a World, level: &Level) -> Palette<'a> {
        // Whole texels of the finest level fit into a metre, so any level repeats after that many texels.
        let period = (1..=16)
            .map(|k| f64::from(k) / level.texel_m)
            .find(|texels| (texels - texels.round()).abs() < 1e-6)
            .map_or(1, |texels| texels.round() as usize);
        Palette {
            ground: &world.ground,
            background: packed(world.background),
            is_enclosed: !world.walls.is_empty(),
            noise: mean_noise(&world.ground.noise, level.texel_m, period),
            period,
            first: level.first.map(|texel| texel.rem_euclid(period as i64) as usize),
        }
    }

    fn mean_colour(&self, samples: &[[u8; SAMPLES]; SAMPLES], x: usize, y: usize) -> u32 {
        let noise = self.noise[(self.first[1] + y) % self.period * self.period + (self.first[0] + x) % self.period];
        let first = samples[0][0];
        if samples.iter().all(|row| *row == [first; SAMPLES]) {
            return self.colour(first, noise);
        }
        let mut sums = [0_u32; 3];
        for surface in samples.iter().flatten() {
            let colour = self.colour(*surface, noise).to_le_bytes();
            for (sum, channel) in sums.iter_mut().zip(colour) {
                *sum += u32::from(channel);
            }
        }
        let count = (SAMPLES * SAMPLES) as u32;
        let [r, g, b] = sums.map(|sum| ((sum + count / 2) / count) as u8);
        u32::from_le_bytes([r, g, b, 0])
    }

    fn colour(&self, surface: u8, noise: f32) -> u32 {
        if surface == BEYOND && !self.is_enclosed {
            return self.background;
        }
        let surface = if surface == BEYOND { 0 } else { usize::from(surface) };
        let [r, g, b] = self.ground.surfaces[surface].shade(noise).map(|channel| (channel + 0.5) as u8);
        u32::from_le_bytes([r, g, b, 0])
    }
}

/// The noise averaged over texels, for `period` × `period` texels from the world's origin.
fn mean_noise(noise: &Noise, texel_m: f64, period: usize) -> Vec<f32> {
    // Enough points per texel for its average, whatever its size.
    let points = ((texel_m / 0.002).ceil() as usize).clamp(2, 8);
    let step_m = texel_m / points as f64;
    (0..period * period)
        .into_par_iter()
        .map(|index| {
            let corner = DVec2::new((index % period) as f64, (index / period) as f64) * texel_m;
            let mut sum = 0.0;
            for k in 0..points * points {
                let inside = DVec2::new((k % points) as f64 + 0.5, (k / points) as f64 + 0.5) * step_m;
                sum += noise.at(corner + inside);
            }
            sum / (points * points) as f32
        })
        .collect()
}
