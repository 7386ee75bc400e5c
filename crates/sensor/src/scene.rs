//! A world prepared for drawing: its ground baked into pictures of several scales.

use crate::bake;
use crate::mesh::{self, MeshScene};
use deepracer_world::{Light, Rgb, Wall, World};
use glam::DVec2;

/// Finest texels per metre, for worlds whose road area allows it. Whole numbers keep the grain, which
/// repeats every metre, in step with the texels.
const TEXELS_PER_M: [usize; 4] = [250, 200, 160, 125];
/// Texels the finest picture may have (four bytes each).
const MAX_FINEST_TEXELS: f64 = 16.0e6;
/// Scales at most: each has half the resolution of the one before.
const MAX_LEVELS: usize = 9;
/// Up to this many of its texels away from the lens a scale is used: the next one takes over at half a scale
/// further, at a focal length of 126 pixels, and the picture's corners are a fifth further than its middle.
const REACH_TEXELS: f64 = 1.5 * 126.0 * 1.2;
/// How far ahead of the car's origin the lens is, and the car may be beside the road, metres.
const REACH_SLACK_M: f64 = 0.5;
/// Rows per strip. Within a strip texels are stored column by column: four columns are one cache line,
/// and the right neighbour of a texel is always [`STRIP`] further on.
pub(crate) const STRIP: usize = 4;

/// One scale of the ground picture, in strips of four rows.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    /// Index of its first texel in the scene's texels.
    pub(crate) start: usize,
    /// Lower left corner, in texels of this level from the world's origin.
    pub(crate) first: [i64; 2],
    /// The same in metres.
    pub(crate) origin: DVec2,
    /// Side of a texel, metres.
    pub(crate) texel_m: f64,
    pub(crate) texels_per_m: f64,
    /// Texels per row and rows, multiples of four.
    pub(crate) size: [usize; 2],
    /// Whether it covers the whole field: beyond its edge its edge texels go on.
    pub(crate) is_whole: bool,
}

impl Level {
    pub(crate) fn num_texels(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// Whether both points can be looked up without reaching the edge, or reaching it does not matter.
    pub(crate) fn holds(&self, a: DVec2, b: DVec2) -> bool {
        if self.is_whole {
            return true;
        }
        let margin = DVec2::splat(2.0 * self.texel_m);
        let size = DVec2::new(self.size[0] as f64, self.size[1] as f64) * self.texel_m;
        let (min, max) = (self.origin + margin, self.origin + size - margin);
        a.min(b).cmpge(min).all() && a.max(b).cmple(max).all()
    }
}

/// A world prepared for drawing. Immutable; share it between threads and races.
#[derive(Debug, Clone)]
pub struct Scene {
    pub(crate) levels: Vec<Level>,
    /// All levels after one another; 0x00BBGGRR.
    pub(crate) texels: Vec<u32>,
    pub(crate) walls: Vec<Wall>,
    /// South-west and north-east corner of the field.
    pub(crate) field: [DVec2; 2],
    pub(crate) background: Rgb,
    /// The light on bodies.
    pub(crate) light: Light,
    /// What stands in a world of meshes.
    pub(crate) meshes: Option<MeshScene>,
}

impl Scene {
    /// Bakes a world, on all threads of the current pool. The same bytes whatever their number.
    pub fn bake(world: &World) -> Scene {
        let levels = lay_out(world);
        let texels = match &world.meshes {
            Some(meshes) => mesh::paint(world, meshes, &levels),
            None => bake::paint(world, &levels),
        };
        Scene {
            levels,
            texels,
            walls: world.walls.clone(),
            field: [world.ground.min, world.ground.max],
            background: world.background,
            light: world.light,
            meshes: world.meshes.as_deref().map(MeshScene::new),
        }
    }

    /// A point that all walls look at.
    pub(crate) fn middle(&self) -> DVec2 {
        self.field[0].midpoint(self.field[1])
    }

    /// Memory of the baked picture, bytes.
    pub fn num_bytes(&self) -> usize {
        self.texels.len() * size_of::<u32>()
    }
}

/// A colour as the texels store it.
pub(crate) fn packed(colour: Rgb) -> u32 {
    let [r, g, b] = colour.0;
    u32::from_le_bytes([r, g, b, 0])
}

fn lay_out(world: &World) -> Vec<Level> {
    let ground = &world.ground;
    let corners = || ground.patches.iter().flat_map(|patch| patch.corners);
    let [road_min, road_max] = world.meshes.as_ref().map_or_else(
        || {
            let min = corners().reduce(DVec2::min).unwrap_or(ground.min);
            [min, corners().reduce(DVec2::max).unwrap_or(ground.max)]
        },
        |meshes| meshes.road,
    );

    let level_bounds = |texel_m: f64| {
        let reach_m = texel_m * REACH_TEXELS + REACH_SLACK_M;
        let min = (road_min - reach_m).max(ground.min - 2.0 * texel_m);
        let max = (road_max + reach_m).min(ground.max + 2.0 * texel_m);
        (min, max)
    };
    let finest_per_m = TEXELS_PER_M
        .into_iter()
        .find(|per_m| {
            let (min, max) = level_bounds(1.0 / *per_m as f64);
            (max - min).element_product() * (per_m * per_m) as f64 <= MAX_FINEST_TEXELS
        })
        .unwrap_or(TEXELS_PER_M[TEXELS_PER_M.len() - 1]);

    let mut levels = Vec::new();
    let mut start = 0;
    for scale in 0..MAX_LEVELS {
        let texel_m = (1_u32 << scale) as f64 / finest_per_m as f64;
        let (min, max) = level_bounds(texel_m);
        let first = (min / texel_m).floor();
        let last = (max / texel_m).ceil();
        let size =
            [last.x - first.x, last.y - first.y].map(|texels| (texels.max(1.0) as usize).next_multiple_of(STRIP));
        let level = Level {
            start,
            first: [first.x as i64, first.y as i64],
            origin: first * texel_m,
            texel_m,
            texels_per_m: 1.0 / texel_m,
            size,
            is_whole: min.cmple(ground.min).all() && max.cmpge(ground.max).all(),
        };
        start += level.num_texels();
        levels.push(level);
    }
    if let Some(coarsest) = levels.last_mut() {
        coarsest.is_whole = true;
    }
    levels
}
