//! Drawing what stands on the ground: walls, boxes, cars.
//!
//! Everything is convex, so drawing from back to front is right: walls by their distance, bodies by lines that separate
//! their footprints, parts of a body by the planes of its model. Without bodies only the walls are looked at.

use crate::appearance::Appearance;
use crate::camera::{FAR_M, NEAR_M, Raster, Seen};
use crate::mesh::MeshScratch;
use crate::polygon::{Canvas, Corner, Edge, Facet, MAX_CORNERS, Outline};
use crate::scene::{Scene, packed};
use deepracer_world::{Body, MAX_FACES, MAX_SIDES, Part, Wall};
use glam::{DVec2, DVec3};
use std::ops::Range;

/// Corners of the largest solid.
const MAX_SOLID_CORNERS: usize = 2 * MAX_SIDES;

/// A wall to draw.
#[derive(Debug, Clone, Copy)]
struct SortedWall {
    /// Between the lens and the field: drawn after what is on the field.
    is_before_field: bool,
    distance_m: f64,
    index: usize,
}

/// A body to draw.
#[derive(Debug, Clone, Copy)]
struct SortedBody {
    layer: Layer,
    distance_m: f64,
    /// What it spans across the picture, as tangents.
    across: [f64; 2],
    index: usize,
}

/// Where a body stands relative to walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    BehindWalls,
    OnField,
    BeforeWalls,
}

/// From where walls are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WallSides {
    Both,
    /// From the side of the field only.
    Inner,
}

/// Working memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    walls: Vec<SortedWall>,
    bodies: Vec<SortedBody>,
    meshes: MeshScratch,
}

/// A lens somewhere in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Eye<'a> {
    pub(crate) raster: &'a Raster,
    /// Of the lens.
    pub(crate) position: DVec3,
    /// Where the body's x axis points, a unit vector.
    pub(crate) heading: DVec2,
}

impl Eye<'_> {
    /// Draws the walls of a scene, and bodies.
    pub(crate) fn draw(
        &self,
        scene: &Scene,
        sides: WallSides,
        bodies: &[Body],
        appearance: &Appearance,
        order: &mut Order,
        canvas: &mut Canvas<'_>,
    ) {
        if let Some(meshes) = &scene.meshes {
            meshes.draw(self, scene, bodies, appearance, &mut order.meshes, canvas);
            return;
        }
        self.sort_walls(scene, &mut order.walls);
        order.bodies.clear();
        if !bodies.is_empty() {
            self.sort_bodies(scene, bodies, &mut order.bodies);
        }
        let Order { walls, bodies: sorted, .. } = order;
        let num_behind = walls.partition_point(|wall| !wall.is_before_field);
        let draw_layer = |layer: Layer, canvas: &mut Canvas<'_>| {
            for body in sorted.iter().filter(|body| body.layer == layer) {
                self.draw_body(&bodies[body.index], body.index, appearance, canvas);
            }
        };
        draw_layer(Layer::BehindWalls, canvas);
        self.draw_walls(scene, appearance, walls, 0..num_behind, canvas);
        draw_layer(Layer::OnField, canvas);
        if sides == WallSides::Both {
            self.draw_walls(scene, appearance, walls, num_behind..walls.len(), canvas);
        }
        draw_layer(Layer::BeforeWalls, canvas);
    }

    /// Draws the field as far as it reaches: `paint` fills a run of columns of a row of the ground.
    pub(crate) fn fill_field(
        &self,
        scene: &Scene,
        canvas: &mut Canvas<'_>,
        paint: impl FnMut(usize, Range<usize>, &mut [u32]),
    ) {
        let [min, max] = scene.field;
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
        let corners = corners.map(|corner| (self.see(corner.extend(0.0)), false));
        let mut cut = [Corner::default(); MAX_CORNERS];
        let count = self.cut_at_near_plane(&corners, &mut cut);
        canvas.fill_with(&cut[..count], paint);
    }

    fn ground_position(&self) -> DVec2 {
        self.position.truncate()
    }

    /// Far walls first, those between the lens and the field last.
    fn sort_walls(&self, scene: &Scene, order: &mut Vec<SortedWall>) {
        let lens = self.ground_position();
        order.clear();
        order.extend(scene.walls.iter().enumerate().map(|(index, wall)| SortedWall {
            is_before_field: is_outside(wall, scene.middle(), lens),
            distance_m: distance(wall, lens),
            index,
        }));
        order.sort_unstable_by(|a, b| {
            let by_distance = b.distance_m.total_cmp(&a.distance_m).then(a.index.cmp(&b.index));
            a.is_before_field.cmp(&b.is_before_field).then(by_distance)
        });
    }

    fn draw_walls(
        &self,
        scene: &Scene,
        appearance: &Appearance,
        order: &[SortedWall],
        range: Range<usize>,
        canvas: &mut Canvas<'_>,
    ) {
        for position in range {
            let wall = &scene.walls[order[position].index];
            let later = &order[position + 1..];
            let is_seam = wall.feet.map(|foot| {
                later.iter().any(|w| scene.walls[w.index].feet.iter().any(|f| f.distance_squared(foot) < 1e-12))
            });
            let [a, b] = wall.feet;
            // The edges: foot a up, along the top, foot b down, along the ground.
            let corners = [
                (self.see(a.extend(0.0)), is_seam[0]),
                (self.see(a.extend(wall.height_m)), false),
                (self.see(b.extend(wall.height_m)), is_seam[1]),
                (self.see(b.extend(0.0)), false),
            ];
            let mut cut = [Corner::default(); MAX_CORNERS];
            let count = self.cut_at_near_plane(&corners, &mut cut);
            canvas.fill(&cut[..count], packed(appearance.tint(wall.colour)));
        }
    }

    pub(crate) fn see(&self, point: DVec3) -> Seen {
        let offset = point - self.position;
        let level = offset.truncate();
        self.raster.see(DVec3::new(level.dot(self.heading), self.heading.perp_dot(level), offset.z))
    }

    /// A polygon's corners in the picture, cut at the near plane; each with whether the edge from it is a seam.
    fn cut_at_near_plane(&self, corners: &[(Seen, bool)], out: &mut [Corner; MAX_CORNERS]) -> usize {
        let mut count = 0;
        let mut push = |seen: Seen, is_seam: bool| {
            if count < out.len() {
                out[count] = Corner { at: self.raster.project(seen), is_seam };
                count += 1;
            }
        };
        for k in 0..corners.len() {
            let (here, is_seam) = corners[k];
            let (there, _) = corners[(k + 1) % corners.len()];
            let is_visible = here.depth_m >= NEAR_M;
            if is_visible {
                push(here, is_seam);
            }
            if is_visible != (there.depth_m >= NEAR_M) {
                let t = (NEAR_M - here.depth_m) / (there.depth_m - here.depth_m);
                let cut = Seen {
                    right_m: here.right_m + (there.right_m - here.right_m) * t,
                    down_m: here.down_m + (there.down_m - here.down_m) * t,
                    depth_m: NEAR_M,
                };
                push(cut, is_seam && !is_visible);
            }
        }
        count
    }

    /// The bodies that may be in the picture, so that none hides one after it.
    fn sort_bodies(&self, scene: &Scene, bodies: &[Body], order: &mut Vec<SortedBody>) {
        let Raster { width, height, focal_px, .. } = *self.raster;
        let edge = DVec2::new(0.5 * width as f64, 0.5 * height as f64) / focal_px;
        // Lengths of the vectors that stand on the picture's side, upper and lower planes.
        let lengths = DVec2::new(1.0 + edge.x * edge.x, 1.0 + edge.y * edge.y).powf(0.5);
        for (index, body) in bodies.iter().enumerate() {
            let model = body.model();
            let half_height_m = 0.5 * model.height_m;
            let radius_m = model.reach_m().hypot(half_height_m);
            let Seen { right_m, down_m, depth_m } = self.see(body.position.extend(half_height_m));
            let is_within = depth_m > NEAR_M - radius_m
                && depth_m < FAR_M
                && right_m.abs() - depth_m * edge.x < radius_m * lengths.x
                && down_m.abs() - depth_m * edge.y < radius_m * lengths.y;
            if !is_within {
                continue;
            }
            let across = if depth_m > 2.0 * radius_m {
                let (middle, reach) = (right_m / depth_m, radius_m / (depth_m - radius_m));
                let reach = reach * (1.0 + middle * middle).sqrt();
                [middle - reach, middle + reach]
            } else {
                [f64::NEG_INFINITY, f64::INFINITY]
            };
            let distance_m = body.position.distance(self.ground_position());
            order.push(SortedBody { layer: self.layer(scene, body.position), distance_m, across, index });
        }
        order.sort_unstable_by(|a, b| b.distance_m.total_cmp(&a.distance_m).then(a.index.cmp(&b.index)));
        // Take the furthest body that hides no other one left, again and again.
        for place in 0..order.len().saturating_sub(1) {
            let left = &order[place..];
            let hides_none = |candidate: &SortedBody| {
                left.iter().all(|other| {
                    let is_apart = other.across[0] > candidate.across[1] || other.across[1] < candidate.across[0];
                    other.index == candidate.index
                        || is_apart
                        || !hides(&bodies[candidate.index], &bodies[other.index], self.ground_position())
                })
            };
            let next = left.iter().position(hides_none).unwrap_or(0);
            order[place..=place + next].rotate_right(1);
        }
    }

    fn layer(&self, scene: &Scene, at: DVec2) -> Layer {
        let is_behind = |wall: &Wall, point: DVec2| is_outside(wall, scene.middle(), point);
        if !scene.walls.iter().any(|wall| is_behind(wall, at)) {
            Layer::OnField
        } else if scene.walls.iter().any(|wall| is_behind(wall, at) && is_behind(wall, self.ground_position())) {
            Layer::BeforeWalls
        } else {
            Layer::BehindWalls
        }
    }

    fn draw_body(&self, body: &Body, index: usize, appearance: &Appearance, canvas: &mut Canvas<'_>) {
        let model = body.model();
        let ahead = DVec2::from_angle(body.yaw_rad);
        let away = body.position - self.ground_position();
        // The lens in the body's axes, and the body's axes in those of the lens.
        let eye = DVec3::new(-ahead.dot(away), -ahead.perp_dot(away), self.position.z);
        let turned = DVec2::new(self.heading.dot(ahead), self.heading.perp_dot(ahead));
        let offset = DVec3::new(self.heading.dot(away), self.heading.perp_dot(away), -self.position.z);
        let placed = Placed { eye, turned, offset, ahead };
        model.back_to_front(eye, |part| {
            let material = appearance.material(body, index, part);
            let shade = |normal: DVec3| {
                let level = placed.ahead.rotate(normal.truncate());
                packed(appearance.light().shade(&material, level.extend(normal.z)))
            };
            self.draw_solid(part, &placed, shade, canvas);
        });
    }

    fn draw_solid(&self, part: &Part, placed: &Placed, shade: impl Fn(DVec3) -> u32, canvas: &mut Canvas<'_>) {
        let faces = part.solid.faces();
        let mut is_visible = [false; MAX_FACES];
        for (is_visible, face) in is_visible.iter_mut().zip(faces) {
            *is_visible = face.distance_m(placed.eye) > 1e-9;
        }
        if is_visible == [false; MAX_FACES] {
            return;
        }
        let mut seen = [Seen { right_m: 0.0, down_m: 0.0, depth_m: 0.0 }; MAX_SOLID_CORNERS];
        let mut is_cut = false;
        for (seen, corner) in seen.iter_mut().zip(part.solid.corners()) {
            let level = placed.turned.rotate(corner.truncate());
            *seen = self.raster.see(level.extend(corner.z) + placed.offset);
            is_cut |= seen.depth_m < NEAR_M;
        }
        let visible = || faces.iter().enumerate().filter(|(index, _)| is_visible[*index]);
        if is_cut {
            for (index, face) in visible() {
                let mut corners = [(seen[0], false); MAX_SIDES];
                for (k, corner) in corners.iter_mut().enumerate().take(face.corners().len()) {
                    let neighbour = usize::from(face.neighbours()[k]);
                    *corner = (seen[usize::from(face.corners()[k])], is_visible[neighbour] && neighbour > index);
                }
                let mut cut = [Corner::default(); MAX_CORNERS];
                let count = self.cut_at_near_plane(&corners[..face.corners().len()], &mut cut);
                canvas.fill(&cut[..count], shade(face.normal));
            }
            return;
        }
        let mut at = [DVec2::ZERO; MAX_SOLID_CORNERS];
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for (at, seen) in at.iter_mut().zip(&seen[..part.solid.corners().len()]) {
            *at = self.raster.project(*seen);
            low = low.min(*at);
            high = high.max(*at);
        }
        let size = DVec2::new(canvas.width as f64, canvas.height as f64) + 1.0;
        if !(low.cmple(size).all() && high.cmpge(DVec2::NEG_ONE).all()) {
            return;
        }
        let mut outline = Outline::within(low, high);
        for (index, face) in visible() {
            let mut facet = Facet::new(shade(face.normal));
            let corners = face.corners();
            for (k, neighbour) in face.neighbours().iter().enumerate() {
                let neighbour = usize::from(*neighbour);
                if is_visible[neighbour] && neighbour > index {
                    continue;
                }
                let [from, to] = [corners[k], corners[(k + 1) % corners.len()]].map(|corner| at[usize::from(corner)]);
                let Some(edge) = Edge::between(from, to) else {
                    continue;
                };
                if is_visible[neighbour] {
                    facet.add_seam(edge);
                } else {
                    // What it touches there is drawn later: nothing may shine through between the two.
                    outline.add_edge(if face.is_joint { edge.one_pixel_out() } else { edge });
                }
            }
            outline.add_facet(facet);
        }
        canvas.fill_outline(&outline);
    }
}

/// A body relative to the lens.
struct Placed {
    /// The lens in the body's axes.
    eye: DVec3,
    /// The body's x axis in the lens's, level.
    turned: DVec2,
    /// The body's origin in the lens's axes.
    offset: DVec3,
    /// The body's x axis in the world.
    ahead: DVec2,
}

/// Whether a point lies beyond a wall, seen from the middle of the field.
fn is_outside(wall: &Wall, middle: DVec2, point: DVec2) -> bool {
    let [a, b] = wall.feet;
    let side = |p: DVec2| (b - a).perp_dot(p - a);
    side(point) * side(middle) < 0.0
}

/// From a point of the ground to the nearest point of a wall's foot.
fn distance(wall: &Wall, from: DVec2) -> f64 {
    let [a, b] = wall.feet;
    let along = b - a;
    let t = ((from - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (a + along * t).distance(from)
}

/// Whether `front` may hide a part of `back`, seen from `lens`: decided by lines along their sides that separate them, or by
/// distance when they overlap.
fn hides(front: &Body, back: &Body, lens: DVec2) -> bool {
    let mut is_apart = false;
    for (near, far, is_front) in [(front, back, true), (back, front, false)] {
        let ahead = DVec2::from_angle(near.yaw_rad);
        let local = |point: DVec2| {
            let offset = point - near.position;
            DVec2::new(ahead.dot(offset), ahead.perp_dot(offset))
        };
        let corners = footprint(far).map(local);
        let low = corners.into_iter().fold(corners[0], DVec2::min);
        let high = corners.into_iter().fold(corners[0], DVec2::max);
        let eye = local(lens);
        let (min, max) = (near.model().min, near.model().max);
        // Per side of `near`: whether `far` lies beyond it, and whether the lens does.
        let sides = [
            (low.x >= max.x, eye.x > max.x),
            (low.y >= max.y, eye.y > max.y),
            (high.x <= min.x, eye.x < min.x),
            (high.y <= min.y, eye.y < min.y),
        ];
        for (_, is_lens_beyond) in sides.into_iter().filter(|(is_far_beyond, _)| *is_far_beyond) {
            is_apart = true;
            if is_lens_beyond == is_front {
                return false;
            }
        }
    }
    is_apart || front.position.distance_squared(lens) < back.position.distance_squared(lens)
}

/// The corners of the rectangle around a body.
fn footprint(body: &Body) -> [DVec2; 4] {
    let (min, max) = (body.model().min, body.model().max);
    let ahead = DVec2::from_angle(body.yaw_rad);
    [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)].map(|corner| body.position + ahead.rotate(corner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_world::{BodyShape, BoxKind};

    fn parcel(x: f64, y: f64) -> Body {
        Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(x, y), 0.0)
    }

    #[test]
    fn the_nearer_of_two_in_a_row_hides_the_other() {
        let lens = DVec2::new(-2.0, 0.0);
        assert!(hides(&parcel(0.0, 0.0), &parcel(1.0, 0.1), lens));
        assert!(!hides(&parcel(1.0, 0.1), &parcel(0.0, 0.0), lens));
    }

    #[test]
    fn a_long_body_beside_the_lens_may_be_hidden_by_a_far_one() {
        // The bodies' middles are equally far or reversed; only the separating line tells.
        let wide = Body { yaw_rad: std::f64::consts::FRAC_PI_2, ..parcel(1.0, 0.0) };
        let behind = parcel(1.36, 0.0);
        let lens = DVec2::new(0.0, 0.3);
        assert!(hides(&wide, &behind, lens) && !hides(&behind, &wide, lens));
        let from_behind = DVec2::new(2.0, 0.0);
        assert!(!hides(&wide, &behind, from_behind) && hides(&behind, &wide, from_behind));
    }

    #[test]
    fn bodies_that_overlap_are_told_apart_by_distance() {
        let lens = DVec2::new(-2.0, 0.0);
        assert!(hides(&parcel(0.0, 0.0), &parcel(0.1, 0.0), lens));
        assert!(!hides(&parcel(0.1, 0.0), &parcel(0.0, 0.0), lens));
    }
}
