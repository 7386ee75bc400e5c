//! Meshes ready for drawing: layers of flat ground, and everything else.

use super::scenery::{MeshMaterial, MeshTriangle, Scenery};
use super::sdf::Sky;
use super::texture::Texture;
use crate::colour::Rgb;
use crate::grain::Noise;
use crate::ground::Ground;
use crate::light::Light;
use crate::look::Look;
use crate::look_table::SKY;
use crate::world::World;
use deepracer_track::Route;
use glam::{DVec2, DVec3};
use std::sync::Arc;

/// A triangle whose corners differ less in height is flat, metres.
const FLAT_M: f64 = 1e-3;
/// Flat triangles so far below or above the road are layers of the ground, metres. What lies lower is hidden by the road or
/// far from it (the original's lowest field lies 12 mm below its road); what lies higher is seen in front of what is
/// behind it.
const LAYERS_M: [f64; 2] = [-0.06, 0.005];
/// The road lies this near to height 0, metres. The original's roads lie between -24 and 10 mm.
const ROAD_WITHIN_M: f64 = 0.1;
/// At how many places along the track the road's height is looked for, at both sides of the centre line.
const PROBES: usize = 48;
/// Heights nearer than this are one, metres.
const HEIGHT_STEP_M: f64 = 1e-5;

/// The meshes of a world, ready for drawing. The road lies at height 0.
#[derive(Debug, Clone)]
pub struct Meshes {
    /// What triangles show.
    pub materials: Vec<MeshMaterial>,
    /// Pictures on them.
    pub textures: Vec<Texture>,
    /// Flat triangles at about the road's height, in painting order: later ones hide earlier ones.
    pub layers: Vec<MeshTriangle>,
    /// Everything else.
    pub upright: Vec<MeshTriangle>,
    /// What the light does to all surfaces that do not shine by themselves. As the original's worlds show it: its light is
    /// nearly even, see `docs/src/worlds.md`.
    pub gain: f32,
    /// South-west and north-east corner of the rectangle around the road, metres.
    pub road: [DVec2; 2],
    /// The height in the files that became 0, metres.
    pub road_height_m: f64,
}

impl Meshes {
    /// The colour shown where a texture has this colour, or without one.
    pub fn shade(&self, material: &MeshMaterial, texture: Option<[f32; 3]>) -> [f32; 3] {
        let emission = material.emission.0.map(f32::from);
        match texture {
            Some(colour) if material.is_texture_emitted => colour.map(|channel| channel.min(Rgb::LIT_MAX)),
            other => {
                let colour = other.unwrap_or(material.colour.0.map(f32::from));
                [0, 1, 2].map(|k| (colour[k] * self.gain + emission[k]).min(Rgb::LIT_MAX))
            }
        }
    }
}

impl World {
    /// The world of a route as its meshes show it. `look` gives the light, and the background where the files do not.
    pub fn of_meshes(route: &Route, look: &Look, scenery: Scenery) -> World {
        let road_height_m = road_height_m(route, &scenery.triangles);
        let mut layers = Vec::new();
        let mut upright = Vec::new();
        for mut triangle in scenery.triangles {
            for corner in &mut triangle.corners {
                corner.z -= road_height_m;
            }
            let is_layer = flat_height_m(&triangle.corners)
                .is_some_and(|height_m| (LAYERS_M[0]..=LAYERS_M[1]).contains(&height_m));
            if is_layer { layers.push(triangle) } else { upright.push(triangle) }
        }
        let height_step = |triangle: &MeshTriangle| (mean_height_m(&triangle.corners) / HEIGHT_STEP_M).round() as i64;
        layers.sort_by_key(height_step);

        let points = || route.outer.iter().chain(&route.inner).copied().filter(|point| point.is_finite());
        let road = [points().reduce(DVec2::min), points().reduce(DVec2::max)].map(Option::unwrap_or_default);
        let corners = || layers.iter().flat_map(|layer| layer.corners).map(DVec3::truncate);
        let min = corners().reduce(DVec2::min).unwrap_or(road[0]);
        let max = corners().reduce(DVec2::max).unwrap_or(road[1]);
        let background = match scenery.sky {
            Sky::Unknown => look.background,
            Sky::Blue => SKY,
            Sky::Plain(colour) => colour,
        };
        World {
            name: route.name.clone(),
            ground: Ground { min, max, surfaces: vec![look.field], patches: Vec::new(), noise: Noise::new() },
            walls: Vec::new(),
            background,
            light: Light::of_gain(look.road.gain),
            meshes: Some(Arc::new(Meshes {
                materials: scenery.materials,
                textures: scenery.textures,
                layers,
                upright,
                gain: look.road.gain,
                road,
                road_height_m,
            })),
        }
    }
}

/// The height of a flat triangle that encloses an area seen from above.
fn flat_height_m(corners: &[DVec3; 3]) -> Option<f64> {
    let [a, b, c] = corners;
    let low = a.z.min(b.z).min(c.z);
    let high = a.z.max(b.z).max(c.z);
    let doubled_area = (b - a).truncate().perp_dot((c - a).truncate()).abs();
    (high - low <= FLAT_M && doubled_area > 1e-12).then(|| mean_height_m(corners))
}

fn mean_height_m(corners: &[DVec3; 3]) -> f64 {
    (corners[0].z + corners[1].z + corners[2].z) / 3.0
}

/// The height at which most of the road lies: the median, along the track, of the highest flat triangle between centre line
/// and borders; 0 when there is none.
fn road_height_m(route: &Route, triangles: &[MeshTriangle]) -> f64 {
    let flat: Vec<([DVec2; 3], f64)> = triangles
        .iter()
        .filter_map(|triangle| {
            let height_m = flat_height_m(&triangle.corners).filter(|height_m| height_m.abs() <= ROAD_WITHIN_M)?;
            Some((triangle.corners.map(DVec3::truncate), height_m))
        })
        .collect();
    let rows = route.center.len().min(route.inner.len()).min(route.outer.len());
    let step = rows.div_ceil(PROBES).max(1);
    let mut heights: Vec<f64> = (0..rows)
        .step_by(step)
        .flat_map(|row| {
            let center = route.center[row];
            [center.midpoint(route.inner[row]), center.midpoint(route.outer[row])]
        })
        .filter_map(|probe| {
            let above = flat.iter().filter(|(corners, _)| contains(corners, probe)).map(|(_, height_m)| *height_m);
            above.max_by(f64::total_cmp)
        })
        .collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or(0.0)
}

fn contains([a, b, c]: &[DVec2; 3], point: DVec2) -> bool {
    let sides = [(b - a).perp_dot(point - a), (c - b).perp_dot(point - b), (a - c).perp_dot(point - c)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}
