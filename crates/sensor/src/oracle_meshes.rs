//! The oracle's rays through the triangles of a world of meshes.

use deepracer_world::mesh::{ALPHA_THRESHOLD, MeshTriangle, Meshes};
use glam::DVec3;

/// Triangles of a leaf at most.
const LEAF: usize = 8;
/// Depths nearer than this, relative to them, are one: the triangle painted later is seen.
const SAME_DEPTH: f64 = 1e-9;

/// All triangles of a world, ground and the rest alike, at their own heights, in a tree of boxes.
pub(crate) struct MeshRays<'a> {
    meshes: &'a Meshes,
    /// In painting order.
    triangles: Vec<MeshTriangle>,
    /// Numbers of triangles, leaf by leaf.
    order: Vec<usize>,
    root: Option<Branch>,
}

struct Branch {
    min: DVec3,
    max: DVec3,
    kind: Kind,
}

enum Kind {
    Leaf([usize; 2]),
    Halves([Box<Branch>; 2]),
}

/// What a ray has met so far.
pub(crate) struct Met {
    pub(crate) depth: f64,
    index: usize,
    pub(crate) colour: [f32; 3],
}

impl<'a> MeshRays<'a> {
    pub(crate) fn new(meshes: &'a Meshes) -> MeshRays<'a> {
        let triangles: Vec<MeshTriangle> = meshes.layers.iter().chain(&meshes.upright).copied().collect();
        let mut order: Vec<usize> = (0..triangles.len()).collect();
        let root = (!order.is_empty()).then(|| {
            let end = order.len();
            branch(&triangles, &mut order, [0, end])
        });
        MeshRays { meshes, triangles, order, root }
    }

    /// The nearest triangle between two depths, by a ray whose direction has depth 1.
    pub(crate) fn nearest(&self, from: DVec3, direction: DVec3, near: f64, far: f64) -> Option<Met> {
        let mut met = Met { depth: far, index: usize::MAX, colour: [0.0; 3] };
        if let Some(root) = &self.root {
            self.visit(root, from, direction, near, &mut met);
        }
        (met.index != usize::MAX).then_some(met)
    }

    fn visit(&self, branch: &Branch, from: DVec3, direction: DVec3, near: f64, met: &mut Met) {
        let low = (branch.min - from) / direction;
        let high = (branch.max - from) / direction;
        let (enter, leave) = (low.min(high).max_element(), low.max(high).min_element());
        // Rays along a side of a box give no number there, and do not rule it out.
        if enter > leave || leave < near || enter > met.depth * (1.0 + SAME_DEPTH) {
            return;
        }
        match &branch.kind {
            Kind::Halves(halves) => halves.iter().for_each(|half| self.visit(half, from, direction, near, met)),
            Kind::Leaf([first, end]) => {
                for index in &self.order[*first..*end] {
                    self.meet(*index, from, direction, near, met);
                }
            }
        }
    }

    fn meet(&self, index: usize, from: DVec3, direction: DVec3, near: f64, met: &mut Met) {
        let triangle = &self.triangles[index];
        let [a, b, c] = triangle.corners;
        let normal = (b - a).cross(c - a);
        let depth = normal.dot(a - from) / normal.dot(direction);
        let slack = depth * SAME_DEPTH;
        let is_nearer = depth < met.depth - slack || (depth < met.depth + slack && index > met.index);
        let is_first = met.index == usize::MAX && depth < met.depth;
        if !(depth > near && (is_nearer || is_first)) {
            return;
        }
        // Shares of the corners: areas opposite of them.
        let point = from + direction * depth;
        let area = normal.length_squared();
        let share = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(normal) / area;
        let shares = [share(b, c), share(c, a), share(a, b)];
        if shares.iter().any(|share| *share < 0.0) {
            return;
        }
        let material = &self.meshes.materials[triangle.material as usize];
        let colour = match material.texture {
            None => self.meshes.shade(material, None),
            Some(texture) => {
                let uv = [0, 1].map(|axis| {
                    let at = |k: usize| f64::from(triangle.uv[k][axis]) * shares[k];
                    at(0) + at(1) + at(2)
                });
                let [r, g, b, opacity] = self.meshes.textures[texture].at(uv);
                if opacity < f32::from(ALPHA_THRESHOLD) {
                    return;
                }
                self.meshes.shade(material, Some([r, g, b]))
            }
        };
        *met = Met { depth, index, colour };
    }
}

fn branch(triangles: &[MeshTriangle], order: &mut [usize], [first, end]: [usize; 2]) -> Branch {
    let own = &mut order[first..end];
    let corners = || own.iter().flat_map(|index| triangles[*index].corners);
    let min = corners().fold(DVec3::INFINITY, DVec3::min);
    let max = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
    if own.len() <= LEAF {
        return Branch { min, max, kind: Kind::Leaf([first, end]) };
    }
    let size = max - min;
    let axis = (0..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    let middle = |index: &usize| triangles[*index].corners.iter().map(|corner| corner[axis]).sum::<f64>();
    own.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let half = first.midpoint(end);
    let halves = [[first, half], [half, end]].map(|part| Box::new(branch(triangles, order, part)));
    Branch { min, max, kind: Kind::Halves(halves) }
}
