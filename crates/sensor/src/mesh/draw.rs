//! From a lens somewhere in the world to triangles in the picture.

use super::samples::{Corner, PER_PIXEL, Samples};
use super::{MeshScene, Paint, Triangle};
use crate::appearance::Appearance;
use crate::camera::{FAR_M, NEAR_M, Seen};
use crate::polygon::Canvas;
use crate::scene::{Scene, packed};
use crate::upright::Eye;
use deepracer_world::Body;
use glam::{DVec2, DVec3, Vec3};

/// Corners of a polygon cut at the near plane.
const MAX_CUT: usize = deepracer_world::MAX_SIDES + 1;

/// Working memory for drawing a world of meshes.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeshScratch {
    samples: Samples,
    order: Vec<Visible>,
    /// Corners of a chunk in camera axes (right, down, ahead), then in the picture (x, y, nearness).
    seen: [Vec<f32>; 3],
}

/// A chunk in the picture.
#[derive(Debug, Clone, Copy)]
struct Visible {
    nearest_m: f32,
    index: u32,
}

/// The lens in single precision.
struct Lens {
    position: Vec3,
    right: Vec3,
    down: Vec3,
    ahead: Vec3,
    /// Middle of the picture, and focal length, in samples.
    middle: [f32; 2],
    focal: f32,
    /// Half of the picture, as tangents.
    half: [f32; 2],
}

impl Lens {
    fn new(eye: &Eye<'_>) -> Lens {
        let raster = eye.raster;
        let column = |axis: DVec3| eye.see(eye.position + axis);
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(column);
        let axis = |part: fn(&Seen) -> f64| Vec3::new(part(&x) as f32, part(&y) as f32, part(&z) as f32);
        let scale = PER_PIXEL as f64;
        let middle = [raster.width, raster.height].map(|length| length as f64 * 0.5);
        Lens {
            position: eye.position.as_vec3(),
            right: axis(|seen| seen.right_m),
            down: axis(|seen| seen.down_m),
            ahead: axis(|seen| seen.depth_m),
            middle: middle.map(|length| (length * scale) as f32),
            focal: (raster.focal_px * scale) as f32,
            half: middle.map(|length| (length / raster.focal_px) as f32),
        }
    }

    fn project(&self, seen: Vec3, uv: [f32; 2]) -> Corner {
        let nearness = 1.0 / seen.z;
        Corner {
            x: self.middle[0] + seen.x * self.focal * nearness,
            y: self.middle[1] + seen.y * self.focal * nearness,
            nearness,
            uv,
        }
    }

    /// The planes through the lens and the four sides of the picture, pointing inward, and the view straight ahead.
    fn planes(&self) -> [Vec3; 4] {
        let (across, up) = (self.ahead * self.half[0], self.ahead * self.half[1]);
        [across - self.right, across + self.right, up - self.down, up + self.down]
    }
}

impl MeshScene {
    /// Draws all but the ground over a picture in which the ground is drawn, and marked by its opacity.
    pub(crate) fn draw(
        &self,
        eye: &Eye<'_>,
        scene: &Scene,
        bodies: &[Body],
        appearance: &Appearance,
        scratch: &mut MeshScratch,
        canvas: &mut Canvas<'_>,
    ) {
        let lens = Lens::new(eye);
        let nowhere = (1.0 / FAR_M) as f32;
        scratch.samples.begin(canvas.pixels, canvas.width, |row| {
            let row = (row as f64 + 0.5) / PER_PIXEL as f64;
            let ground = eye.raster.ground_at_row(row).map_or(nowhere, |ground| (1.0 / ground.depth_m) as f32);
            [ground, nowhere]
        });
        self.sort_chunks(&lens, &mut scratch.order);
        for visible in &scratch.order {
            self.draw_chunk(&lens, *visible, &mut scratch.seen, &mut scratch.samples);
        }
        scratch.samples.for_touched(|colours| appearance.tint_all(colours));
        for wall in &scene.walls {
            let [a, b] = wall.feet;
            let corners = [a.extend(0.0), a.extend(wall.height_m), b.extend(wall.height_m), b.extend(0.0)];
            let colour = opaque(packed(appearance.tint(wall.colour)));
            fill_polygon(&lens, &corners.map(|corner| seen(eye, corner)), colour, &mut scratch.samples);
        }
        for (index, body) in bodies.iter().enumerate() {
            draw_body(eye, &lens, (index, body), appearance, &mut scratch.samples);
        }
        scratch.samples.reduce(canvas.pixels);
    }

    /// The chunks that may be in the picture, near ones first: they hide what comes after.
    fn sort_chunks(&self, lens: &Lens, order: &mut Vec<Visible>) {
        let planes = lens.planes();
        let sizes = planes.map(Vec3::abs);
        let ahead_size = lens.ahead.abs();
        order.clear();
        for (index, chunk) in self.chunks.iter().enumerate() {
            let middle = (chunk.min + chunk.max) * 0.5 - lens.position;
            let half = (chunk.max - chunk.min) * 0.5;
            let (depth, reach) = (lens.ahead.dot(middle), ahead_size.dot(half));
            let nearest_m = depth - reach;
            if depth + reach < NEAR_M as f32 || nearest_m > FAR_M as f32 {
                continue;
            }
            if planes.iter().zip(&sizes).all(|(plane, size)| plane.dot(middle) + size.dot(half) > 0.0) {
                order.push(Visible { nearest_m, index: index as u32 });
            }
        }
        order.sort_unstable_by(|a, b| a.nearest_m.total_cmp(&b.nearest_m).then(a.index.cmp(&b.index)));
    }

    fn draw_chunk(&self, lens: &Lens, visible: Visible, seen: &mut [Vec<f32>; 3], samples: &mut Samples) {
        let chunk = &self.chunks[visible.index as usize];
        let [first, end] = chunk.corners;
        let [xs, ys, zs] = self.corners.each_ref().map(|axis| &axis[first..end]);
        let count = end - first;
        for axis in seen.iter_mut() {
            axis.resize(count, 0.0);
        }
        let [right, down, ahead] = seen.each_mut().map(|axis| &mut axis[..count]);
        for k in 0..count {
            let offset = Vec3::new(xs[k], ys[k], zs[k]) - lens.position;
            right[k] = lens.right.x * offset.x + lens.right.y * offset.y + lens.right.z * offset.z;
            down[k] = lens.down.x * offset.x + lens.down.y * offset.y + lens.down.z * offset.z;
            ahead[k] = lens.ahead.x * offset.x + lens.ahead.y * offset.y + lens.ahead.z * offset.z;
        }
        let triangles = &self.triangles[chunk.triangles[0]..chunk.triangles[1]];
        if visible.nearest_m < 2.0 * NEAR_M as f32 {
            for triangle in triangles {
                let corners = triangle.corners.map(|corner| {
                    let k = usize::from(corner);
                    Vec3::new(right[k], down[k], ahead[k])
                });
                self.draw_cut(lens, triangle, corners, samples);
            }
            return;
        }
        for k in 0..count {
            let nearness = 1.0 / ahead[k];
            right[k] = lens.middle[0] + right[k] * lens.focal * nearness;
            down[k] = lens.middle[1] + down[k] * lens.focal * nearness;
            ahead[k] = nearness;
        }
        for triangle in triangles {
            let mut corners = [Corner::default(); 3];
            for (corner, (index, uv)) in corners.iter_mut().zip(triangle.corners.iter().zip(triangle.uv)) {
                let k = usize::from(*index);
                *corner = Corner { x: right[k], y: down[k], nearness: ahead[k], uv };
            }
            self.fill(triangle, corners, samples);
        }
    }

    /// Draws a triangle that may reach behind the near plane.
    fn draw_cut(&self, lens: &Lens, triangle: &Triangle, corners: [Vec3; 3], samples: &mut Samples) {
        let near = NEAR_M as f32;
        let mut cut = [Corner::default(); 4];
        let mut count = 0;
        let mut push = |seen: Vec3, uv: [f32; 2]| {
            if count < cut.len() {
                cut[count] = lens.project(seen, uv);
                count += 1;
            }
        };
        for k in 0..3 {
            let (here, there) = (corners[k], corners[(k + 1) % 3]);
            let (uv_here, uv_there) = (triangle.uv[k], triangle.uv[(k + 1) % 3]);
            if here.z >= near {
                push(here, uv_here);
            }
            if (here.z >= near) != (there.z >= near) {
                let t = (near - here.z) / (there.z - here.z);
                let uv = [0, 1].map(|axis| uv_here[axis] + (uv_there[axis] - uv_here[axis]) * t);
                push(here.lerp(there, t).with_z(near), uv);
            }
        }
        for k in 2..count {
            self.fill(triangle, [cut[0], cut[k - 1], cut[k]], samples);
        }
    }

    fn fill(&self, triangle: &Triangle, corners: [Corner; 3], samples: &mut Samples) {
        match self.paints[triangle.paint as usize] {
            Paint::Flat(colour) => samples.fill_flat(corners, colour),
            Paint::Whole(picture) => samples.fill_picture::<false>(corners, &self.pictures[picture]),
            Paint::Holed(picture) => samples.fill_picture::<true>(corners, &self.pictures[picture]),
        }
    }
}

fn seen(eye: &Eye<'_>, point: DVec3) -> Vec3 {
    let Seen { right_m, down_m, depth_m } = eye.see(point);
    DVec3::new(right_m, down_m, depth_m).as_vec3()
}

fn opaque(colour: u32) -> u32 {
    colour | 0xFF00_0000
}

/// Draws a convex polygon, given in camera axes.
fn fill_polygon(lens: &Lens, corners: &[Vec3], colour: u32, samples: &mut Samples) {
    let near = NEAR_M as f32;
    let mut cut = [Corner::default(); MAX_CUT];
    let mut count = 0;
    let mut push = |seen: Vec3| {
        if count < cut.len() {
            cut[count] = lens.project(seen, [0.0; 2]);
            count += 1;
        }
    };
    for k in 0..corners.len() {
        let (here, there) = (corners[k], corners[(k + 1) % corners.len()]);
        if here.z >= near {
            push(here);
        }
        if (here.z >= near) != (there.z >= near) {
            push(here.lerp(there, (near - here.z) / (there.z - here.z)).with_z(near));
        }
    }
    for k in 2..count {
        samples.fill_flat([cut[0], cut[k - 1], cut[k]], colour);
    }
}

/// Draws the faces of a body that look at the lens.
fn draw_body(
    eye: &Eye<'_>,
    lens: &Lens,
    (index, body): (usize, &Body),
    appearance: &Appearance,
    samples: &mut Samples,
) {
    let ahead = DVec2::from_angle(body.yaw_rad);
    let away = eye.position.truncate() - body.position;
    let own_eye = DVec3::new(ahead.dot(away), ahead.perp_dot(away), eye.position.z);
    for part in body.model().parts() {
        let material = appearance.material(body, index, part);
        for face in part.solid.faces() {
            if face.distance_m(own_eye) <= 1e-9 {
                continue;
            }
            let mut corners = [Vec3::ZERO; deepracer_world::MAX_SIDES];
            let count = face.corners().len();
            for (corner, index) in corners.iter_mut().zip(face.corners()) {
                let own = part.solid.corners()[usize::from(*index)];
                let level = ahead.rotate(own.truncate()) + body.position;
                *corner = seen(eye, level.extend(own.z));
            }
            let normal = ahead.rotate(face.normal.truncate()).extend(face.normal.z);
            let colour = opaque(packed(appearance.light().shade(&material, normal)));
            fill_polygon(lens, &corners[..count], colour, samples);
        }
    }
}
