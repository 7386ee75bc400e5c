//! A slow renderer that is obviously right, to compare the quick one with.
//!
//! It follows a few rays through every pixel of a 640 × 480 picture to the world itself (not to the baked
//! picture of its ground), and reduces the result to 160 × 120 as Pillow's bilinear `resize` does.

use crate::camera::{Camera, FAR_M, NEAR_M};
use crate::moment::Moment;
use crate::observation::{HEIGHT, WIDTH};
use crate::oracle_meshes::MeshRays;
use deepracer_world::{Body, World};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// How many times smaller an observation is than the camera's picture.
const REDUCTION: usize = 4;
/// Side of a cell of the index over the ground's patches, metres.
const CELL_M: f64 = 0.25;

/// The oracle for one world.
pub struct Oracle<'a> {
    world: &'a World,
    /// South-west corner of the index.
    min: DVec2,
    columns: usize,
    /// Per cell, the patches that may touch it, last painted first.
    cells: Vec<Vec<usize>>,
    meshes: Option<MeshRays<'a>>,
    /// Rays per pixel and axis.
    rays: usize,
}

impl<'a> Oracle<'a> {
    /// With `rays` × `rays` rays through every pixel of the large picture.
    pub fn new(world: &'a World, rays: usize) -> Oracle<'a> {
        let patches = &world.ground.patches;
        let corners = || patches.iter().flat_map(|patch| patch.corners);
        let min = corners().reduce(DVec2::min).unwrap_or(DVec2::ZERO);
        let max = corners().reduce(DVec2::max).unwrap_or(DVec2::ZERO);
        let columns = ((max.x - min.x) / CELL_M) as usize + 1;
        let rows = ((max.y - min.y) / CELL_M) as usize + 1;
        let mut cells = vec![Vec::new(); columns * rows];
        for (index, patch) in patches.iter().enumerate().rev() {
            let low = patch.corners.into_iter().fold(patch.corners[0], DVec2::min);
            let high = patch.corners.into_iter().fold(patch.corners[0], DVec2::max);
            let (first, last) = ((low - min) / CELL_M, (high - min) / CELL_M);
            for row in first.y as usize..=(last.y as usize).min(rows - 1) {
                for column in first.x as usize..=(last.x as usize).min(columns - 1) {
                    cells[row * columns + column].push(index);
                }
            }
        }
        Oracle { world, min, columns, cells, meshes: world.meshes.as_deref().map(MeshRays::new), rays }
    }

    /// The observation in a moment: RGB bytes, `[120, 160, 3]`.
    pub fn draw(&self, camera: &Camera, moment: &Moment<'_>) -> Vec<u8> {
        let (width, height) = (WIDTH * REDUCTION, HEIGHT * REDUCTION);
        reduce(&self.draw_large(camera, moment, width, height), width, height)
    }

    /// The picture of any size that a camera takes in a moment, not reduced: RGB bytes, `[height, width, 3]`.
    pub fn draw_large(&self, camera: &Camera, moment: &Moment<'_>, width: usize, height: usize) -> Vec<u8> {
        let raster = camera.raster(width, height);
        let heading = DVec2::from_angle(moment.yaw_rad);
        let mount = camera.position;
        let lens = (moment.origin + heading * mount.x + heading.perp() * mount.y).extend(mount.z);
        let mut picture = vec![0; width * height * 3];
        picture.par_chunks_exact_mut(3).enumerate().for_each(|(pixel, bytes)| {
            let (column, row) = ((pixel % width) as f64, (pixel / width) as f64);
            let mut sum = [0.0_f32; 3];
            for ray in 0..self.rays * self.rays {
                let inside = DVec2::new((ray % self.rays) as f64 + 0.5, (ray / self.rays) as f64 + 0.5);
                let at = DVec2::new(column, row) + inside / self.rays as f64;
                let body = raster.direction(at.x, at.y);
                let level = heading * body.x + heading.perp() * body.y;
                let colour = self.colour_seen(lens, level.extend(body.z), moment.bodies);
                for (sum, channel) in sum.iter_mut().zip(colour) {
                    *sum += channel;
                }
            }
            let count = (self.rays * self.rays) as f32;
            bytes.copy_from_slice(&sum.map(|channel| (channel / count).round() as u8));
        });
        picture
    }

    /// What a ray meets first; `direction` has depth 1.
    fn colour_seen(&self, lens: DVec3, direction: DVec3, bodies: &[Body]) -> [f32; 3] {
        let mut nearest = FAR_M;
        let mut colour = self.world.background.0.map(f32::from);
        if let Some(meshes) = &self.meshes {
            if let Some(met) = meshes.nearest(lens, direction, NEAR_M, nearest) {
                nearest = met.depth;
                colour = met.colour;
            }
        } else if direction.z < 0.0 {
            let depth = -lens.z / direction.z;
            let point = lens.truncate() + direction.truncate() * depth;
            if depth < nearest
                && let Some(seen) = self.ground_colour(point)
            {
                nearest = depth;
                colour = seen;
            }
        }
        for wall in &self.world.walls {
            let [a, b] = wall.feet;
            let along = b - a;
            let (from, toward) = (lens.truncate() - a, direction.truncate());
            // lens + depth · direction = a + t · along, in the plane.
            let cross = toward.perp_dot(along);
            let depth = along.perp_dot(from) / cross;
            let t = toward.perp_dot(from) / cross;
            let height_m = lens.z + depth * direction.z;
            let is_hit = cross != 0.0 && (0.0..=1.0).contains(&t) && (0.0..=wall.height_m).contains(&height_m);
            if is_hit && depth > NEAR_M && depth < nearest {
                nearest = depth;
                colour = wall.colour.0.map(f32::from);
            }
        }
        for body in bodies {
            let ahead = DVec2::from_angle(body.yaw_rad);
            let local = |level: DVec2, z: f64| DVec3::new(ahead.dot(level), ahead.perp_dot(level), z);
            let eye = local(lens.truncate() - body.position, lens.z);
            let toward = local(direction.truncate(), direction.z);
            for part in body.model().parts() {
                let Some((depth, face)) = part.solid.entry(eye, toward) else {
                    continue;
                };
                if depth > NEAR_M && depth < nearest {
                    nearest = depth;
                    let normal = part.solid.faces()[face].normal;
                    let normal = ahead.rotate(normal.truncate()).extend(normal.z);
                    colour = self.world.light.shade(&body.material(part.finish), normal).0.map(f32::from);
                }
            }
        }
        colour
    }

    fn ground_colour(&self, point: DVec2) -> Option<[f32; 3]> {
        let ground = &self.world.ground;
        if point.cmplt(ground.min).any() || point.cmpgt(ground.max).any() {
            return None;
        }
        let at = ((point - self.min) / CELL_M).floor();
        let is_indexed = at.cmpge(DVec2::ZERO).all() && at.x < self.columns as f64;
        let cell = if is_indexed { self.cells.get(at.y as usize * self.columns + at.x as usize) } else { None };
        let top = cell.and_then(|cell| cell.iter().find(|index| ground.patches[**index].contains(point)));
        let surface = top.map_or(0, |index| usize::from(ground.patches[*index].surface));
        Some(ground.surfaces[surface].shade(ground.noise.at(point)))
    }
}

/// Reduces an RGB picture by four in both directions with a triangle filter that reaches four source pixels to each
/// side, rounding to bytes after each direction, as Pillow's `resize(…, BILINEAR)` does.
pub fn reduce(picture: &[u8], width: usize, height: usize) -> Vec<u8> {
    let (small_width, small_height) = (width / REDUCTION, height / REDUCTION);
    let mut narrow = vec![0_u8; small_width * height * 3];
    for row in 0..height {
        for column in 0..small_width {
            for channel in 0..3 {
                let at = |x: usize| picture[(row * width + x) * 3 + channel];
                narrow[(row * small_width + column) * 3 + channel] = filtered(column, width, at);
            }
        }
    }
    let mut small = vec![0_u8; small_width * small_height * 3];
    for row in 0..small_height {
        for column in 0..small_width {
            for channel in 0..3 {
                let at = |y: usize| narrow[(y * small_width + column) * 3 + channel];
                small[(row * small_width + column) * 3 + channel] = filtered(row, height, at);
            }
        }
    }
    small
}

/// One output value: the triangle-weighted mean of the source values around it; at the edges of what there is.
fn filtered(index: usize, length: usize, source: impl Fn(usize) -> u8) -> u8 {
    let reach = REDUCTION as f64;
    let middle = (index as f64 + 0.5) * reach;
    let first = (middle - reach + 0.5).max(0.0) as usize;
    let end = ((middle + reach + 0.5) as usize).min(length);
    let (mut sum, mut weights) = (0.0, 0.0);
    for k in first..end {
        let weight = (1.0 - ((k as f64 + 0.5 - middle) / reach).abs()).max(0.0);
        sum += weight * f64::from(source(k));
        weights += weight;
    }
    (sum / weights).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::Library;
    use deepracer_world::look;

    /// Values that Pillow 12 gives for this picture: `resize((8, 6), BILINEAR)`.
    #[test]
    fn reduces_as_pillow_does() {
        let (width, height) = (32, 24);
        let picture: Vec<u8> = (0..width * height)
            .flat_map(|k| {
                let (x, y) = (k % width, k / width);
                let blue = if (x / 5 + y / 3) % 2 == 1 { 255 } else { 10 };
                [((x * 37 + y * 91 + x * y * 5) % 256) as u8, ((x * x * 3 + y * 17) % 256) as u8, blue]
            })
            .collect();
        let small = reduce(&picture, width, height);
        let first_row = [
            114, 48, 92, 128, 121, 152, 137, 124, 133, 131, 124, 113, 127, 134, 163, 133, 139, 102, 136, 135, 152, 111,
            140, 139,
        ];
        let last_row = [
            119, 173, 138, 154, 113, 142, 120, 133, 125, 124, 152, 114, 123, 102, 119, 105, 163, 124, 119, 113, 130,
            124, 126,
        ];
        assert_eq!(small[..24], first_row);
        assert_eq!(small[144 - 23..], last_row);
    }

    #[test]
    fn the_index_finds_what_a_search_through_all_patches_finds() {
        let route = Library::new(None).load("Tokyo_Training_track").expect("a built-in track");
        let world = World::build(&route, &look::find("Tokyo_Training_track"));
        let oracle = Oracle::new(&world, 1);
        for k in 0..4000_u32 {
            let row = k as usize % route.center.len();
            let aside = f64::from(k % 101) / 50.0 - 1.0;
            let point = route.center[row] + (route.outer[row] - route.inner[row]) * (1.5 * aside);
            let expected = world
                .ground
                .surface_at(point)
                .map(|index| world.ground.surfaces[index].shade(world.ground.noise.at(point)));
            assert_eq!(oracle.ground_colour(point), expected, "at {point}");
        }
    }
}
