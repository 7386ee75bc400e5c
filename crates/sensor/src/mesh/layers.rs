//! Baking layers of flat ground into the ground picture: as [`bake`](crate::bake) does with a look's patches, but with
//! textures.

use super::picture::Picture;
use crate::bake::for_runs;
use crate::scene::{Level, STRIP, packed};
use deepracer_world::World;
use deepracer_world::mesh::{ALPHA_THRESHOLD, MeshTriangle, Meshes};
use glam::DVec2;
use rayon::prelude::*;

/// Samples per texel and axis.
const SAMPLES: usize = 4;
/// Value of a sample without ground.
const NONE: u32 = u32::MAX;
/// Strips painted together.
const BAND_STRIPS: usize = 16;

/// All levels of the ground picture: colour, and opacity 255 where there is ground.
pub(crate) fn paint(world: &World, meshes: &Meshes, levels: &[Level]) -> Vec<u32> {
    let painting = Painting::new(meshes, packed(world.background));
    let mut texels = vec![0_u32; levels.iter().map(Level::num_texels).sum()];
    let mut rest = texels.as_mut_slice();
    for level in levels {
        let (own, after) = rest.split_at_mut(level.num_texels());
        rest = after;
        painting.paint_level(level, own);
    }
    texels
}

/// A layer ready for painting.
struct Layer {
    corners: [DVec2; 3],
    surface: Surface,
    /// Texture coordinates at the origin, and their change per metre to the east and to the north.
    uv: [DVec2; 3],
    /// Texels of the picture per metre.
    texels_per_m: f64,
}

#[derive(Clone, Copy)]
enum Surface {
    Flat([u8; 3]),
    Picture(usize),
}

struct Painting {
    layers: Vec<Layer>,
    pictures: Vec<Picture>,
    background: u32,
}

impl Painting {
    fn new(meshes: &Meshes, background: u32) -> Painting {
        let mut pictures = Vec::new();
        let mut surfaces: Vec<Option<Surface>> = vec![None; meshes.materials.len()];
        for layer in &meshes.layers {
            let index = layer.material as usize;
            let material = &meshes.materials[index];
            surfaces[index].get_or_insert_with(|| match material.texture {
                None => Surface::Flat(meshes.shade(material, None).map(|channel| (channel + 0.5) as u8)),
                Some(texture) => {
                    let shade = |colour| meshes.shade(material, Some(colour));
                    pictures.push(Picture::for_ground(&meshes.textures[texture], shade));
                    Surface::Picture(pictures.len() - 1)
                }
            });
        }
        let flat = Surface::Flat([0; 3]);
        let layers = meshes.layers.iter().map(|layer| {
            let surface = surfaces[layer.material as usize].unwrap_or(flat);
            prepare(layer, surface, &pictures)
        });
        Painting { layers: layers.collect(), pictures, background }
    }

    fn paint_level(&self, level: &Level, texels: &mut [u32]) {
        let columns = level.size[0];
        texels.par_chunks_mut(columns * STRIP * BAND_STRIPS).enumerate().for_each(|(band, texels)| {
            let first_row = band * BAND_STRIPS * STRIP;
            let samples = Samples::paint(self, level, first_row, texels.len() / columns);
            for (strip, texels) in texels.chunks_exact_mut(columns * STRIP).enumerate() {
                for (k, texel) in texels.iter_mut().enumerate() {
                    let (x, y) = (k / STRIP, strip * STRIP + k % STRIP);
                    *texel = self.texel(level, &samples, x, y, first_row);
                }
            }
        });
    }

    /// The mean of a texel's samples.
    fn texel(&self, level: &Level, samples: &Samples, x: usize, y: usize, first_row: usize) -> u32 {
        let own = samples.of_texel(x, y);
        let first = own[0][0];
        let corner = level.origin + DVec2::new(x as f64, (first_row + y) as f64) * level.texel_m;
        if own.iter().all(|row| *row == [first; SAMPLES]) {
            let Some(layer) = self.layers.get(first as usize) else {
                return self.background;
            };
            let [r, g, b] = self.colour(layer, corner + 0.5 * level.texel_m, level.texel_m);
            return u32::from_le_bytes([r, g, b, u8::MAX]);
        }
        let [background_r, background_g, background_b, _] = self.background.to_le_bytes();
        let mut sums = [0_u32; 4];
        let sample_m = level.texel_m / SAMPLES as f64;
        for (k, sample) in own.iter().flatten().enumerate() {
            let colour = match self.layers.get(*sample as usize) {
                Some(layer) => {
                    let inside = DVec2::new((k % SAMPLES) as f64 + 0.5, (k / SAMPLES) as f64 + 0.5) * sample_m;
                    let [r, g, b] = self.colour(layer, corner + inside, sample_m);
                    [r, g, b, u8::MAX]
                }
                None => [background_r, background_g, background_b, 0],
            };
            for (sum, channel) in sums.iter_mut().zip(colour) {
                *sum += u32::from(channel);
            }
        }
        let count = (SAMPLES * SAMPLES) as u32;
        u32::from_le_bytes(sums.map(|sum| ((sum + count / 2) / count) as u8))
    }

    /// The colour of a layer at a point, averaged over about `size_m`.
    fn colour(&self, layer: &Layer, point: DVec2, size_m: f64) -> [u8; 3] {
        match layer.surface {
            Surface::Flat(colour) => colour,
            Surface::Picture(picture) => {
                let [r, g, b, _] = self.pictures[picture].interpolated(layer.level(size_m), layer.uv_at(point));
                [r, g, b].map(|channel| (channel + 0.5) as u8)
            }
        }
    }
}

impl Layer {
    fn uv_at(&self, point: DVec2) -> [f64; 2] {
        let [origin, east, north] = self.uv;
        (origin + east * point.x + north * point.y).to_array()
    }

    /// The scale of the picture whose texels are as large as `size_m`.
    fn level(&self, size_m: f64) -> usize {
        (self.texels_per_m * size_m).max(1.0).log2().round() as usize
    }
}

fn prepare(layer: &MeshTriangle, surface: Surface, pictures: &[Picture]) -> Layer {
    let [a, b, c] = layer.corners.map(glam::DVec3::truncate);
    let uv = layer.uv.map(|[u, v]| DVec2::new(f64::from(u), f64::from(v)));
    let (ab, ac) = (b - a, c - a);
    let doubled_area = ab.perp_dot(ac);
    let (du, dv) = (uv[1] - uv[0], uv[2] - uv[0]);
    // Layers enclose an area seen from above.
    let east = (du * ac.y - dv * ab.y) / doubled_area;
    let north = (dv * ab.x - du * ac.x) / doubled_area;
    let texels_per_m = match surface {
        Surface::Flat(_) => 0.0,
        Surface::Picture(picture) => {
            let [width, height] = pictures[picture].size().map(f64::from);
            let size = DVec2::new(width, height);
            (east * size).perp_dot(north * size).abs().sqrt()
        }
    };
    Layer { corners: [a, b, c], surface, uv: [uv[0] - east * a.x - north * a.y, east, north], texels_per_m }
}

/// Which layer is on top at each sample of a band of texel rows, or [`NONE`].
struct Samples {
    layers: Vec<u32>,
    row_length: usize,
}

impl Samples {
    fn paint(painting: &Painting, level: &Level, first_row: usize, num_rows: usize) -> Samples {
        let sample_m = level.texel_m / SAMPLES as f64;
        let row_length = level.size[0] * SAMPLES;
        let origin = level.origin + DVec2::new(0.0, first_row as f64 * level.texel_m);
        let mut samples = Samples { layers: vec![NONE; row_length * num_rows * SAMPLES], row_length };
        for (index, layer) in painting.layers.iter().enumerate() {
            let corners = layer.corners.map(|corner| (corner - origin) / sample_m);
            let holed = match layer.surface {
                Surface::Picture(picture) if painting.pictures[picture].has_holes => Some(&painting.pictures[picture]),
                _ => None,
            };
            for_runs(corners, [row_length, num_rows * SAMPLES], |row, run| {
                let own = &mut samples.layers[row * row_length..][run.clone()];
                let Some(picture) = holed else {
                    own.fill(index as u32);
                    return;
                };
                for (sample, column) in own.iter_mut().zip(run) {
                    let at = origin + DVec2::new(column as f64 + 0.5, row as f64 + 0.5) * sample_m;
                    let [.., opacity] = picture.interpolated(layer.level(sample_m), layer.uv_at(at));
                    if opacity >= f32::from(ALPHA_THRESHOLD) {
                        *sample = index as u32;
                    }
                }
            });
        }
        samples
    }

    /// The samples of a texel, row by row.
    fn of_texel(&self, x: usize, y: usize) -> [[u32; SAMPLES]; SAMPLES] {
        let mut samples = [[0; SAMPLES]; SAMPLES];
        for (k, row) in samples.iter_mut().enumerate() {
            let start = (y * SAMPLES + k) * self.row_length + x * SAMPLES;
            row.copy_from_slice(&self.layers[start..start + SAMPLES]);
        }
        samples
    }
}
