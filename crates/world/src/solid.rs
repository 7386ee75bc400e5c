//! Convex solids between two polygons: boxes, frusta, wheels.

use glam::DVec3;
use std::array;

/// Sides a solid may have between its two ends.
pub const MAX_SIDES: usize = 8;
/// Faces a solid may have: its sides and its two ends.
pub const MAX_FACES: usize = MAX_SIDES + 2;

/// One flat face of a [`Solid`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    corners: [u8; MAX_SIDES],
    neighbours: [u8; MAX_SIDES],
    num_corners: usize,
    /// Points out of the solid, length 1.
    pub normal: DVec3,
    /// The face's plane holds the points `p` with `normal · p = offset_m`.
    pub offset_m: f64,
    /// Whether all of it touches a face of another part of the same body: no light gets between the two.
    pub is_joint: bool,
}

impl Face {
    /// The numbers of its corners, counter-clockwise seen from outside.
    pub fn corners(&self) -> &[u8] {
        &self.corners[..self.num_corners]
    }

    /// The numbers of the faces beyond its edges; edge `k` leads from corner `k` to the next one.
    pub fn neighbours(&self) -> &[u8] {
        &self.neighbours[..self.num_corners]
    }

    /// How far a point lies before the face, metres; negative behind it.
    pub fn distance_m(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset_m
    }
}

/// A convex solid: two convex polygons with equally many corners, and the flat quadrilaterals between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    corners: Vec<DVec3>,
    faces: Vec<Face>,
}

impl Solid {
    /// The solid between two ends. Corner `k` of one is joined to corner `k` of the other; all faces must be flat.
    ///
    /// # Panics
    /// When an end has more than [`MAX_SIDES`] corners; the ends are figures of this crate, not of users.
    pub(crate) fn between<const N: usize>(ends: [[DVec3; N]; 2]) -> Solid {
        assert!((3..=MAX_SIDES).contains(&N), "an end of {N} corners");
        let corners = ends.concat();
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let mut faces = Vec::with_capacity(N + 2);
        let side = |k: usize| (2 + k % N) as u8;
        faces.push(face(&corners, middle, &array::from_fn::<_, N, _>(|k| k as u8), &array::from_fn::<_, N, _>(side)));
        let second = array::from_fn::<_, N, _>(|k| (N + k) as u8);
        faces.push(face(&corners, middle, &second, &array::from_fn::<_, N, _>(side)));
        for k in 0..N {
            let (here, next) = (k as u8, ((k + 1) % N) as u8);
            let round = [here, next, next + N as u8, here + N as u8];
            faces.push(face(&corners, middle, &round, &[0, side(k + 1), 1, side(k + N - 1)]));
        }
        Solid { corners, faces }
    }

    /// An upright cuboid between two opposite corners.
    pub(crate) fn cuboid(low: [f64; 3], high: [f64; 3]) -> Solid {
        Solid::frustum([low[0], high[0]], [low[1], high[1]], low[2], [low[0], high[0]], [low[1], high[1]], high[2])
    }

    /// Between a level rectangle (ranges of x and y, height) and another one above it.
    pub(crate) fn frustum(
        bottom_x: [f64; 2],
        bottom_y: [f64; 2],
        bottom: f64,
        top_x: [f64; 2],
        top_y: [f64; 2],
        top: f64,
    ) -> Solid {
        let level = |x: [f64; 2], y: [f64; 2], z: f64| {
            [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]].map(|[x, y]| DVec3::new(x, y, z))
        };
        Solid::between([level(bottom_x, bottom_y, bottom), level(top_x, top_y, top)])
    }

    /// A wheel as an upright octagonal disc that rolls along x.
    pub(crate) fn wheel(middle: DVec3, radius_m: f64, width_m: f64) -> Solid {
        let rim = |y: f64| {
            array::from_fn::<_, MAX_SIDES, _>(|k| {
                let (sin, cos) = ((k as f64 + 0.5) * std::f64::consts::FRAC_PI_4).sin_cos();
                // The octagon has the disc's height: it stands on the ground on one of its sides.
                let reach_m = radius_m / std::f64::consts::FRAC_PI_8.cos();
                middle + DVec3::new(cos * reach_m, y, sin * reach_m)
            })
        };
        Solid::between([rim(-0.5 * width_m), rim(0.5 * width_m)])
    }

    /// All corners, metres.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// All faces.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Marks the faces that touch a face of another solid with all of their area.
    pub(crate) fn mark_joints_with(&mut self, other: &Solid) {
        let Solid { corners, faces } = self;
        for face in faces {
            let at = || face.corners().iter().map(|corner| corners[usize::from(*corner)]);
            face.is_joint |= other.faces.iter().any(|touching| {
                touching.normal.dot(face.normal) < -1.0 + 1e-9
                    && at().all(|corner| touching.distance_m(corner).abs() < 1e-9)
                    && at().all(|corner| other.faces.iter().all(|side| side.distance_m(corner) < 1e-9))
            });
        }
    }

    /// Where a ray enters: how many `direction`s from `from`, and the number of the face. `None` when it misses, starts
    /// inside, or points away.
    pub fn entry(&self, from: DVec3, direction: DVec3) -> Option<(f64, usize)> {
        let (mut enter, mut leave, mut entered) = (0.0, f64::INFINITY, None);
        for (index, face) in self.faces.iter().enumerate() {
            let distance_m = face.distance_m(from);
            let approach = -face.normal.dot(direction);
            if approach > 0.0 {
                let t = distance_m / approach;
                if t >= enter {
                    enter = t;
                    entered = Some(index);
                }
            } else if approach < 0.0 {
                leave = f64::min(leave, distance_m / approach);
            } else if distance_m > 0.0 {
                return None;
            }
        }
        entered.filter(|_| enter <= leave).map(|index| (enter, index))
    }
}

fn face(corners: &[DVec3], middle: DVec3, round: &[u8], neighbours: &[u8]) -> Face {
    let at = |k: usize| corners[usize::from(round[k])];
    let normal = (at(1) - at(0)).cross(at(2) - at(1)).normalize();
    if normal.dot(at(0) - middle) < 0.0 {
        // The other way round: the edge that led to a corner now leads from it.
        let turned = |of: &[u8]| of.iter().rev().copied().collect::<Vec<_>>();
        let (round, mut neighbours) = (turned(round), turned(neighbours));
        neighbours.rotate_left(1);
        return face(corners, middle, &round, &neighbours);
    }
    let mut face = Face {
        corners: [0; MAX_SIDES],
        neighbours: [0; MAX_SIDES],
        num_corners: round.len(),
        normal,
        offset_m: normal.dot(at(0)),
        is_joint: false,
    };
    face.corners[..round.len()].copy_from_slice(round);
    face.neighbours[..round.len()].copy_from_slice(neighbours);
    face
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> [Solid; 3] {
        [
            Solid::cuboid([-1.0, -2.0, 0.0], [1.0, 2.0, 3.0]),
            Solid::frustum([-1.0, 1.0], [-0.5, 0.5], 0.0, [-0.5, 0.25], [-0.2, 0.2], 0.7),
            Solid::wheel(DVec3::new(0.1, 0.2, 0.036), 0.036, 0.035),
        ]
    }

    #[test]
    fn all_corners_lie_on_or_behind_every_face() {
        for solid in shapes() {
            for face in solid.faces() {
                let distances: Vec<f64> = solid.corners().iter().map(|corner| face.distance_m(*corner)).collect();
                assert!(distances.iter().all(|d| *d < 1e-12), "{distances:?}");
                let on_it = distances.iter().filter(|d| **d > -1e-9).count();
                assert_eq!(on_it, face.corners().len(), "the face is flat and holds no other corner");
            }
        }
    }

    #[test]
    fn corners_run_counter_clockwise_seen_from_outside() {
        for solid in shapes() {
            for face in solid.faces() {
                let [a, b, c] = [0, 1, 2].map(|k| solid.corners()[usize::from(face.corners()[k])]);
                assert!((b - a).cross(c - b).dot(face.normal) > 0.0);
            }
        }
    }

    #[test]
    fn neighbours_share_the_edge() {
        for solid in shapes() {
            for (index, face) in solid.faces().iter().enumerate() {
                let corners = face.corners();
                for (k, neighbour) in face.neighbours().iter().enumerate() {
                    let other = &solid.faces()[usize::from(*neighbour)];
                    let edge = [corners[k], corners[(k + 1) % corners.len()]];
                    assert!(edge.iter().all(|corner| other.corners().contains(corner)), "edge {k} of face {index}");
                }
            }
        }
    }

    #[test]
    fn a_ray_enters_a_cuboid_where_arithmetic_says() {
        let solid = Solid::cuboid([-1.0, -2.0, 0.0], [1.0, 2.0, 3.0]);
        let (t, face) = solid.entry(DVec3::new(-5.0, 0.0, 1.0), DVec3::X).expect("a hit");
        assert!((t - 4.0).abs() < 1e-12);
        assert_eq!(solid.faces()[face].normal, -DVec3::X);
        assert_eq!(solid.entry(DVec3::new(-5.0, 2.1, 1.0), DVec3::X), None, "beside it");
        assert_eq!(solid.entry(DVec3::new(-5.0, 0.0, 1.0), -DVec3::X), None, "behind the ray");
        assert_eq!(solid.entry(DVec3::new(0.0, 0.0, 1.0), DVec3::X), None, "from inside");
    }

    #[test]
    fn a_wheel_stands_on_the_ground() {
        let wheel = Solid::wheel(DVec3::new(0.0, 0.0, 0.036), 0.036, 0.035);
        let low = wheel.corners().iter().map(|c| c.z).fold(f64::INFINITY, f64::min);
        let high = wheel.corners().iter().map(|c| c.z).fold(0.0, f64::max);
        assert!(low.abs() < 1e-12 && (high - 0.072).abs() < 1e-12, "{low} {high}");
    }
}
