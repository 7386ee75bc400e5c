//! What bodies are made of: a few convex solids each, of the size of the original's meshes.

use crate::body::BoxKind;
use crate::solid::Solid;
use glam::{DVec2, DVec3};
use std::sync::LazyLock;

/// What a part is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// Painted: the body of a car, all of a box.
    Body,
    /// A wheel.
    Wheel,
    /// Camera, lidar, bumpers.
    Plastic,
}

/// A convex piece of a body, in the body's axes: x ahead, y left, z up from the ground, metres.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its shape.
    pub solid: Solid,
    /// What it is made of.
    pub finish: Finish,
    /// Its number in the body.
    pub index: usize,
}

/// The parts of a body with planes between them, so that they can be drawn in the right order from anywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyModel {
    parts: Vec<Part>,
    tree: Tree,
    /// South-west corner of the rectangle around it, in its own axes, metres.
    pub min: DVec2,
    /// North-east corner.
    pub max: DVec2,
    /// Its top above the ground, metres.
    pub height_m: f64,
}

/// Parts on two sides of planes.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Part(usize),
    /// All of `low` has coordinates below `at` along the axis (0, 1, 2 for x, y, z), all of `high` above.
    Split {
        axis: usize,
        at: f64,
        low: Box<Tree>,
        high: Box<Tree>,
    },
}

impl BodyModel {
    /// All parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Radius around the body's origin that holds everything, on the ground, metres.
    pub fn reach_m(&self) -> f64 {
        self.min.abs().max(self.max.abs()).length()
    }

    /// Visits the parts so that none hides one visited later, seen from `eye` (in the body's axes).
    pub fn back_to_front<'a>(&'a self, eye: DVec3, mut visit: impl FnMut(&'a Part)) {
        self.visit(&self.tree, eye, &mut visit);
    }

    fn visit<'a>(&'a self, tree: &Tree, eye: DVec3, visit: &mut impl FnMut(&'a Part)) {
        match tree {
            Tree::Part(index) => visit(&self.parts[*index]),
            Tree::Split { axis, at, low, high } => {
                let order = if eye[*axis] > *at { [low, high] } else { [high, low] };
                for tree in order {
                    self.visit(tree, eye, visit);
                }
            }
        }
    }
}

/// Puts a model together.
#[derive(Default)]
struct Builder {
    parts: Vec<Part>,
}

impl Builder {
    fn part(&mut self, finish: Finish, solid: Solid) -> Tree {
        let index = self.parts.len();
        self.parts.push(Part { solid, finish, index });
        Tree::Part(index)
    }

    fn finish(mut self, tree: Tree) -> BodyModel {
        for index in 0..self.parts.len() {
            let (before, rest) = self.parts.split_at_mut(index);
            let Some((part, after)) = rest.split_first_mut() else {
                continue;
            };
            for other in before.iter().chain(&*after) {
                part.solid.mark_joints_with(&other.solid);
            }
        }
        let corners = || self.parts.iter().flat_map(|part| part.solid.corners());
        let low = corners().copied().reduce(DVec3::min).unwrap_or(DVec3::ZERO);
        let high = corners().copied().reduce(DVec3::max).unwrap_or(DVec3::ZERO);
        BodyModel { min: low.truncate(), max: high.truncate(), height_m: high.z, tree, parts: self.parts }
    }

    /// Four wheels, and `middle` between the left and the right ones.
    fn between_wheels(&mut self, middle: Tree) -> Tree {
        let mut pair = |side: f64| {
            let mut wheel = |x: f64, y: f64| {
                let middle = DVec3::new(x, y * side, WHEEL_RADIUS_M);
                self.part(Finish::Wheel, Solid::wheel(middle, WHEEL_RADIUS_M, WHEEL_WIDTH_M))
            };
            let rear = wheel(REAR_AXLE_X_M, REAR_WHEEL_Y_M);
            let front = wheel(FRONT_AXLE_X_M, FRONT_WHEEL_Y_M);
            split(0, 0.0, rear, front)
        };
        let (left, right) = (pair(1.0), pair(-1.0));
        split(1, -INSIDE_WHEELS_M, right, split(1, INSIDE_WHEELS_M, middle, left))
    }
}

fn split(axis: usize, at: f64, low: Tree, high: Tree) -> Tree {
    Tree::Split { axis, at, low: Box::new(low), high: Box::new(high) }
}

// Measured on the original's meshes and description; heights are above the ground with the car at rest.
const WHEEL_RADIUS_M: f64 = 0.036;
const WHEEL_WIDTH_M: f64 = 0.035;
const REAR_AXLE_X_M: f64 = -0.081_663;
const REAR_WHEEL_Y_M: f64 = 0.081_05;
const FRONT_AXLE_X_M: f64 = 0.082_311;
const FRONT_WHEEL_Y_M: f64 = 0.079_601;
const INSIDE_WHEELS_M: f64 = 0.062;
const BODY_X_M: [f64; 2] = [-0.1584, 0.1658];
const BODY_Y_M: [f64; 2] = [-0.0939, 0.0939];
const BODY_BOTTOM_M: f64 = 0.023;
const BODY_TOP_M: f64 = 0.217;
/// Just above the wheels.
const ABOVE_WHEELS_M: f64 = 0.074;
const SHOULDER_M: f64 = 0.12;
/// The original moves vans back by this much, so that they do not stand before their own camera.
const VAN_SHIFT_M: f64 = 0.26;

fn cuboid_box(kind: BoxKind) -> BodyModel {
    let size = kind.size_m();
    let mut builder = Builder::default();
    let low = [-0.5 * size.x, -0.5 * size.y, 0.0];
    let high = [0.5 * size.x, 0.5 * size.y, size.z];
    let tree = builder.part(Finish::Body, Solid::cuboid(low, high));
    builder.finish(tree)
}

/// The standard body: a hull between the wheels, a bonnet over them, a cabin, and the camera before it.
fn car() -> BodyModel {
    let mut builder = Builder::default();
    let hull = Solid::cuboid([-0.145, -0.06, BODY_BOTTOM_M], [0.15, 0.06, ABOVE_WHEELS_M]);
    let bonnet = Solid::frustum(BODY_X_M, BODY_Y_M, ABOVE_WHEELS_M, [-0.150, 0.145], [-0.085, 0.085], SHOULDER_M);
    let cabin = Solid::frustum([-0.135, 0.065], [-0.078, 0.078], SHOULDER_M, [-0.105, 0.0], [-0.06, 0.06], BODY_TOP_M);
    let camera = Solid::cuboid([0.0915, -0.023, SHOULDER_M], [0.1450, 0.023, 0.165]);
    let hull = builder.part(Finish::Body, hull);
    let below = builder.between_wheels(hull);
    let bonnet = builder.part(Finish::Body, bonnet);
    let cabin = builder.part(Finish::Body, cabin);
    let camera = builder.part(Finish::Plastic, camera);
    let top = split(0, 0.08, cabin, camera);
    let tree = split(2, ABOVE_WHEELS_M, below, split(2, SHOULDER_M, bonnet, top));
    builder.finish(tree)
}

/// A racing car with open wheels, between wings.
fn formula() -> BodyModel {
    let mut builder = Builder::default();
    let [rear, front] = BODY_X_M;
    let hull = builder.part(Finish::Body, Solid::cuboid([-0.12, -0.055, 0.02], [0.12, 0.055, ABOVE_WHEELS_M]));
    let hull = builder.between_wheels(hull);
    let front_wing = builder.part(Finish::Body, Solid::cuboid([0.125, -0.0939, 0.02], [front, 0.0939, 0.04]));
    let rear_wing = builder.part(Finish::Body, Solid::cuboid([rear, -0.08, 0.02], [-0.125, 0.08, 0.15]));
    let airbox = Solid::frustum([-0.12, 0.03], [-0.045, 0.045], ABOVE_WHEELS_M, [-0.08, -0.01], [-0.02, 0.02], 0.15);
    let airbox = builder.part(Finish::Body, airbox);
    let middle = split(2, ABOVE_WHEELS_M, hull, airbox);
    let tree = split(0, -0.1225, rear_wing, split(0, 0.1225, middle, front_wing));
    builder.finish(tree)
}

/// A high box behind the camera, on the chassis.
fn van() -> BodyModel {
    let mut builder = Builder::default();
    let [x_rear, x_front] = BODY_X_M.map(|x| x - VAN_SHIFT_M);
    let body = Solid::frustum([x_rear, x_front], BODY_Y_M, 0.02, [x_rear, x_front - 0.05], [-0.085, 0.085], 0.28);
    let chassis = Solid::cuboid([x_front, -0.06, 0.02], [0.15, 0.06, ABOVE_WHEELS_M]);
    let body = builder.part(Finish::Body, body);
    let chassis = builder.part(Finish::Plastic, chassis);
    let tree = split(0, x_front, body, chassis);
    builder.finish(tree)
}

/// Two wheels in a row below a narrow body.
fn bike() -> BodyModel {
    let mut builder = Builder::default();
    let mut wheel = |x: f64| {
        let solid = Solid::wheel(DVec3::new(x, 0.0, 0.05), 0.05, 0.02);
        builder.part(Finish::Wheel, solid)
    };
    let wheels = [wheel(-0.1), wheel(0.1)];
    let body = Solid::frustum([-0.13, 0.12], [-0.03, 0.03], 0.105, [-0.05, 0.05], [-0.02, 0.02], BODY_TOP_M);
    let body = builder.part(Finish::Body, body);
    let [rear, front] = wheels;
    let tree = split(2, 0.1025, split(0, 0.0, rear, front), body);
    builder.finish(tree)
}

/// A closed shell of the car's size over its wheels.
fn closed() -> BodyModel {
    let mut builder = Builder::default();
    let lower = Solid::cuboid([BODY_X_M[0], BODY_Y_M[0], 0.01], [BODY_X_M[1], BODY_Y_M[1], SHOULDER_M]);
    let upper = Solid::frustum(BODY_X_M, BODY_Y_M, SHOULDER_M, [-0.11, 0.08], [-0.06, 0.06], BODY_TOP_M);
    let lower = builder.part(Finish::Body, lower);
    let upper = builder.part(Finish::Body, upper);
    let tree = split(2, SHOULDER_M, lower, upper);
    builder.finish(tree)
}

pub(crate) struct Models {
    pub(crate) large_box: BodyModel,
    pub(crate) small_box: BodyModel,
    pub(crate) car: BodyModel,
    pub(crate) formula: BodyModel,
    pub(crate) van: BodyModel,
    pub(crate) bike: BodyModel,
    pub(crate) closed: BodyModel,
}

pub(crate) static MODELS: LazyLock<Models> = LazyLock::new(|| Models {
    large_box: cuboid_box(BoxKind::Plain),
    small_box: cuboid_box(BoxKind::DeepRacer),
    car: car(),
    formula: formula(),
    van: van(),
    bike: bike(),
    closed: closed(),
});

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [&'static BodyModel; 7] {
        let Models { large_box, small_box, car, formula, van, bike, closed } = &*MODELS;
        [large_box, small_box, car, formula, van, bike, closed]
    }

    /// Range of the coordinates of all parts below a tree along an axis; checks every split on the way.
    fn checked_range(model: &BodyModel, tree: &Tree, along: usize) -> [f64; 2] {
        match tree {
            Tree::Part(index) => model.parts[*index]
                .solid
                .corners()
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], corner| {
                    [low.min(corner[along]), high.max(corner[along])]
                }),
            Tree::Split { axis, at, low, high } => {
                assert!(checked_range(model, low, *axis)[1] <= at + 1e-12, "axis {axis} at {at}");
                assert!(checked_range(model, high, *axis)[0] >= at - 1e-12, "axis {axis} at {at}");
                let [a, b] = [checked_range(model, low, along), checked_range(model, high, along)];
                [a[0].min(b[0]), a[1].max(b[1])]
            }
        }
    }

    #[test]
    fn planes_separate_the_parts() {
        for model in all() {
            checked_range(model, &model.tree, 0);
            let mut seen = 0;
            model.back_to_front(DVec3::new(1.0, 0.2, 0.1), |_| seen += 1);
            assert_eq!(seen, model.parts.len(), "every part is in the tree once");
        }
    }

    #[test]
    fn the_car_has_the_size_of_the_original() {
        let car = &MODELS.car;
        let length_m = car.max.x - car.min.x;
        let width_m = car.max.y - car.min.y;
        assert!((length_m - 0.324).abs() < 1e-3, "{length_m}");
        assert!((width_m - 0.196).abs() < 2e-3, "{width_m}");
        assert!((car.height_m - 0.217).abs() < 1e-9);
    }

    #[test]
    fn the_cabin_stands_on_the_bonnet_and_the_bonnet_on_the_hull() {
        let joints: Vec<(Finish, DVec3)> = MODELS
            .car
            .parts
            .iter()
            .flat_map(|part| part.solid.faces().iter().map(|face| (part.finish, face)))
            .filter(|(_, face)| face.is_joint)
            .map(|(finish, face)| (finish, face.normal))
            .collect();
        // Top of the hull, bottoms of cabin and camera.
        assert_eq!(joints, [(Finish::Body, DVec3::Z), (Finish::Body, -DVec3::Z), (Finish::Plastic, -DVec3::Z)]);
    }

    #[test]
    fn nothing_reaches_below_the_ground() {
        for model in all() {
            let low = model.parts.iter().flat_map(|part| part.solid.corners()).map(|c| c.z).fold(1.0, f64::min);
            assert!((0.0..0.03).contains(&(low + 1e-12)), "{low}");
        }
    }
}
