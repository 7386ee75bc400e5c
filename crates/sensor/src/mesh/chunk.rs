//! Dividing triangles into chunks that are drawn or left out together.

use super::{MeshScene, Triangle};
use deepracer_world::mesh::MeshTriangle;
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Triangles of a chunk at most.
const MAX_TRIANGLES: usize = 64;

/// Triangles near each other, and the box around them.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) min: Vec3,
    pub(super) max: Vec3,
    /// Of the scene's triangles.
    pub(super) triangles: [usize; 2],
    /// Of the scene's corners.
    pub(super) corners: [usize; 2],
}

/// Divides triangles into chunks.
pub(super) fn build(triangles: &[MeshTriangle], scene: &mut MeshScene) {
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    split(triangles, &mut order, scene);
}

/// Halves the triangles across the longest side of the box around their middles until few enough are left.
fn split(triangles: &[MeshTriangle], order: &mut [u32], scene: &mut MeshScene) {
    if order.len() <= MAX_TRIANGLES {
        if !order.is_empty() {
            push(triangles, order, scene);
        }
        return;
    }
    let middle = |index: u32| triangles[index as usize].corners.iter().sum::<DVec3>();
    let middles = || order.iter().map(|index| middle(*index));
    let size = middles().fold(DVec3::NEG_INFINITY, DVec3::max) - middles().fold(DVec3::INFINITY, DVec3::min);
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    order.sort_unstable_by(|a, b| middle(*a)[axis].total_cmp(&middle(*b)[axis]).then(a.cmp(b)));
    // Whole chunks on the left, so that few are nearly empty.
    let half = (order.len() / 2).next_multiple_of(MAX_TRIANGLES).min(order.len() - 1);
    let (low, high) = order.split_at_mut(half);
    split(triangles, low, scene);
    split(triangles, high, scene);
}

fn push(triangles: &[MeshTriangle], order: &[u32], scene: &mut MeshScene) {
    let (first_triangle, first_corner) = (scene.triangles.len(), scene.corners[0].len());
    let mut known: HashMap<[u32; 3], u8> = HashMap::new();
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for index in order {
        let triangle = &triangles[*index as usize];
        let corners = triangle.corners.map(|corner| {
            let corner = corner.as_vec3();
            min = min.min(corner);
            max = max.max(corner);
            *known.entry(corner.to_array().map(f32::to_bits)).or_insert_with(|| {
                for (axis, value) in scene.corners.iter_mut().zip(corner.to_array()) {
                    axis.push(value);
                }
                // At most 64 triangles have at most 192 corners.
                (scene.corners[0].len() - first_corner - 1) as u8
            })
        });
        let least = [0, 1].map(|k| triangle.uv.iter().fold(f32::INFINITY, |least, uv| least.min(uv[k])));
        // Small numbers are the more precise ones; whole repeats do not matter.
        let whole = least.map(f32::floor);
        // The picture's rows run down.
        let uv = triangle.uv.map(|[u, v]| [u - whole[0], 1.0 - (v - whole[1])]);
        scene.triangles.push(Triangle { corners, paint: triangle.material, uv });
    }
    let [triangles, corners] = [[first_triangle, scene.triangles.len()], [first_corner, scene.corners[0].len()]];
    scene.chunks.push(Chunk { min, max, triangles, corners });
}
