//! Rays among triangles: what a lidar meets.

use super::MeshScene;
use glam::{DVec3, Vec3};

impl MeshScene {
    /// How many `direction`s away the nearest triangle is, up to `limit`. Holes in textures count as surface, the ground is not
    /// looked at.
    pub(crate) fn distance(&self, from: DVec3, direction: DVec3, limit: f64) -> Option<f64> {
        let (from, direction) = (from.as_vec3(), direction.as_vec3());
        let inverse = direction.recip();
        let mut nearest = limit.min(f64::from(f32::MAX)) as f32;
        let mut is_met = false;
        for chunk in &self.chunks {
            let (low, high) = ((chunk.min - from) * inverse, (chunk.max - from) * inverse);
            let (enter, leave) = (low.min(high).max_element(), low.max(high).min_element());
            // Rays along a side of a box give no number there, and do not rule it out.
            if enter > leave || leave < 0.0 || enter > nearest {
                continue;
            }
            let first = chunk.corners[0];
            for triangle in &self.triangles[chunk.triangles[0]..chunk.triangles[1]] {
                let corner = |k: usize| {
                    let index = first + usize::from(triangle.corners[k]);
                    Vec3::new(self.corners[0][index], self.corners[1][index], self.corners[2][index])
                };
                if let Some(distance) = entry([corner(0), corner(1), corner(2)], from, direction)
                    && distance < nearest
                {
                    nearest = distance;
                    is_met = true;
                }
            }
        }
        is_met.then_some(f64::from(nearest))
    }
}

/// Where a ray meets a triangle from either side.
fn entry([a, b, c]: [Vec3; 3], from: Vec3, direction: Vec3) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let inverse = 1.0 / ab.dot(across);
    let offset = from - a;
    let u = offset.dot(across) * inverse;
    let turned = offset.cross(ab);
    let v = direction.dot(turned) * inverse;
    let t = ac.dot(turned) * inverse;
    // Infinities and no-numbers of a ray along the triangle fail here.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 && t.is_finite()).then_some(t)
}
