//! The fine structure of asphalt and grass, as procedural noise.
//!
//! The original's ground textures repeat once per metre; so does this noise. It replaces the pictures
//! of the original by something with the same mean colour, contrast and scale.

use glam::DVec2;

/// Cells of the noise per metre and axis (one cell is 3.9 mm, about one texel of the original's textures).
const CELLS: usize = 256;

/// Periodic noise over the plane: mean 0, standard deviation 1, repeating every metre.
#[derive(Debug, Clone)]
pub struct Noise {
    cells: Vec<f32>,
}

impl Default for Noise {
    fn default() -> Self {
        Self::new()
    }
}

impl Noise {
    /// The noise every world uses. Equal in every run and on every machine.
    pub fn new() -> Noise {
        let mut cells = vec![0.0_f32; CELLS * CELLS];
        // Two octaves: single cells, and a little of patches of four by four cells. On real frames the grain
        // fades with distance nearly as that of independent cells would.
        for (spacing, weight) in [(1_usize, 1.0_f32), (4, 0.2)] {
            for y in 0..CELLS {
                for x in 0..CELLS {
                    cells[y * CELLS + x] += weight * lattice_value(x, y, spacing);
                }
            }
        }
        let count = cells.len() as f32;
        let mean = cells.iter().sum::<f32>() / count;
        let variance = cells.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / count;
        let scale = variance.sqrt().recip();
        for value in &mut cells {
            *value = (*value - mean) * scale;
        }
        Noise { cells }
    }

    /// The noise at a point of the ground (metres): bilinear between cells.
    pub fn at(&self, point: DVec2) -> f32 {
        let (x, y) = (point.x * CELLS as f64, point.y * CELLS as f64);
        let (x_floor, y_floor) = (x.floor(), y.floor());
        let (tx, ty) = ((x - x_floor) as f32, (y - y_floor) as f32);
        let cell = |column: i64, row: i64| {
            let wrap = |k: i64| k.rem_euclid(CELLS as i64) as usize;
            self.cells[wrap(row) * CELLS + wrap(column)]
        };
        let (column, row) = (x_floor as i64, y_floor as i64);
        let low = cell(column, row) * (1.0 - tx) + cell(column + 1, row) * tx;
        let high = cell(column, row + 1) * (1.0 - tx) + cell(column + 1, row + 1) * tx;
        low * (1.0 - ty) + high * ty
    }
}

/// Value noise of one octave at a cell: bilinear between hashed lattice points `spacing` cells apart.
fn lattice_value(x: usize, y: usize, spacing: usize) -> f32 {
    let period = CELLS / spacing;
    let corner = |column: usize, row: usize| hashed(column % period, row % period, spacing);
    let (column, row) = (x / spacing, y / spacing);
    let (tx, ty) = ((x % spacing) as f32 / spacing as f32, (y % spacing) as f32 / spacing as f32);
    let low = corner(column, row) * (1.0 - tx) + corner(column + 1, row) * tx;
    let high = corner(column, row + 1) * (1.0 - tx) + corner(column + 1, row + 1) * tx;
    low * (1.0 - ty) + high * ty
}

/// A well-mixed value in [-1, 1) from three small integers (the finaliser of `SplitMix64`).
fn hashed(x: usize, y: usize, octave: usize) -> f32 {
    let mut z = (x as u64) | (y as u64) << 20 | (octave as u64) << 40;
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_every_metre() {
        let noise = Noise::new();
        for (x, y) in [(0.1, 0.2), (0.77, 0.003), (0.999, 0.5)] {
            let here = noise.at(DVec2::new(x, y));
            let there = noise.at(DVec2::new(x - 3.0, y + 2.0));
            assert!((here - there).abs() < 1e-6);
        }
    }

    #[test]
    fn has_mean_zero_and_standard_deviation_one() {
        let noise = Noise::new();
        let count = noise.cells.len() as f32;
        let mean = noise.cells.iter().sum::<f32>() / count;
        let variance = noise.cells.iter().map(|v| v * v).sum::<f32>() / count;
        assert!(mean.abs() < 1e-3, "mean {mean}");
        assert!((variance - 1.0).abs() < 1e-3, "variance {variance}");
    }
}
