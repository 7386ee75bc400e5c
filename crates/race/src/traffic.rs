//! Everything on the road beside the car, as it stands and drives right now.

use deepracer_sensor::Camera;
use deepracer_track::{Difference, Line, Pose, Track, progress::signed_gap_m};
use deepracer_vehicle::{CONTROL_PERIOD_S, Command, FOOTPRINT_M, FRONT_POINT_M, Vehicle};
use deepracer_world::{Body, BodyShape};
use glam::{DVec2, DVec3};

use crate::bots::BotCars;
use crate::chance::{Chance, Purpose};
use crate::collision::{Rectangle, is_hit, solid, stop_at};
use crate::objects::Objects;
use crate::reward_params::ObjectParams;

/// An object whose centre-line distance differs by less from a place is in the way of a car put there, metres.
pub(crate) const IN_THE_WAY_M: f64 = 1.0;
/// A car can touch a box within this distance of its origin in one control step: two half diagonals and the way of a
/// car at its fastest, metres.
const TOUCHING_DISTANCE_M: f64 = 0.8;
/// Room before and behind a car that is put somewhere, metres. Beside it there is none to spare on the narrowest tracks.
const ROOM_M: f64 = 0.15;
/// In how many parts a control step near a box is driven: no part is longer than 3 cm.
const NUM_PARTS: u32 = 8;
/// Nothing nearer to the lens counts as seen, metres: the original's figure for `object_in_camera`.
const NEAREST_SEEN_M: f64 = 0.2;
/// Height of a picture over its width.
const ASPECT: f64 = 0.75;

/// The car of another model, as it is met on the road.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rival {
    /// Where it is and what it looks like.
    pub body: Body,
    /// Whether it can be run into; not while it waits for a penalty.
    pub is_solid: bool,
}

/// The objects of a race: other models' cars, then obstacles, then bot cars.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    bodies: Vec<Body>,
    /// The lists of the reward parameters, in the order of the bodies.
    params: ObjectParams,
    /// Whether each of the other models' cars can be run into.
    rivals_are_solid: Vec<bool>,
    num_obstacles: usize,
    bots: Option<BotCars>,
}

impl Traffic {
    pub(crate) fn new(objects: &Objects) -> Self {
        let bots = objects.bots.as_ref().map(|(rule, curves)| BotCars::new(rule.clone(), curves[0].clone()));
        Self { bots, ..Self::default() }
    }

    /// Puts everything where an episode begins.
    pub(crate) fn reset(&mut self, objects: &Objects, track: &Track, seed: u64) {
        self.bodies.clear();
        self.rivals_are_solid.clear();
        if let Some(rule) = &objects.obstacles {
            let places = rule.places.choose(track.length_m(), &mut Chance::new(seed, Purpose::Obstacles));
            self.bodies.extend(places.into_iter().map(|(distance_m, lane)| {
                let pose = lane.pose(track, distance_m, Difference::Central);
                Body::new(rule.kind.shape(), pose.position, pose.yaw_rad)
            }));
        }
        self.num_obstacles = self.bodies.len();
        if let (Some(bots), Some(curves)) = (&mut self.bots, objects.curves(track.direction())) {
            bots.reset(curves.clone(), seed);
            bots.place(|_, position, yaw_rad| self.bodies.push(Body::new(BodyShape::BotCar, position, yaw_rad)));
        }
        self.list(track);
    }

    /// Fills the lists of the reward parameters anew.
    fn list(&mut self, track: &Track) {
        let has_bots = self.bodies.len() > self.first_bot();
        let speed_mps = self.bots.as_ref().filter(|_| has_bots).map_or(0.0, BotCars::speed_mps);
        self.params.clear();
        for body in &self.bodies {
            let center = track.line(Line::Center).project(body.position);
            self.params.location.push(body.position.to_array());
            self.params.left_of_center.push(track.is_in_inner_polygon(body.position) == track.is_ccw());
            self.params.speed.push(speed_mps);
            self.params.heading.push(if has_bots { body.yaw_rad } else { 0.0 });
            self.params.distance_from_center.push(center.gap_m);
            self.params.distance.push(track.ndist_of(&center) * track.length_m());
        }
    }

    /// Other models' cars are here now.
    pub(crate) fn meet(&mut self, track: &Track, rivals: &[Rival]) {
        self.bodies.splice(..self.rivals_are_solid.len(), rivals.iter().map(|rival| rival.body));
        self.rivals_are_solid.clear();
        self.rivals_are_solid.extend(rivals.iter().map(|rival| rival.is_solid));
        self.list(track);
    }

    /// The number of the first bot car, if there is any.
    fn first_bot(&self) -> usize {
        self.rivals_are_solid.len() + self.num_obstacles
    }

    fn obstacles(&self) -> &[Body] {
        &self.bodies[self.rivals_are_solid.len()..self.first_bot()]
    }

    pub(crate) fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Centre-line distance of an object, metres.
    pub(crate) fn distance_m(&self, index: usize) -> f64 {
        self.params.distance[index]
    }

    /// Whether an object is an obstacle, which is always hit and never hits.
    pub(crate) fn is_obstacle(&self, index: usize) -> bool {
        (self.rivals_are_solid.len()..self.first_bot()).contains(&index)
    }

    /// Whether an object is a bot car.
    pub(crate) fn is_bot(&self, index: usize) -> bool {
        index >= self.first_bot()
    }

    /// Bot cars go on by one control step.
    pub(crate) fn advance(&mut self, track: &Track) {
        let first_bot = self.first_bot();
        let Some(bots) = &mut self.bots else { return };
        let bodies = &mut self.bodies[first_bot..];
        bots.advance();
        bots.place(|index, position, yaw_rad| {
            if let Some(body) = bodies.get_mut(index) {
                (body.position, body.yaw_rad) = (position, yaw_rad);
            }
        });
        self.list(track);
    }

    /// All bot cars wait: one of them has run into the car.
    pub(crate) fn hold_up_bots(&mut self) {
        if let Some(bots) = &mut self.bots {
            bots.hold_up();
        }
    }

    /// What the reward function is told of the objects; `distance_m` is that of the car's front point.
    pub(crate) fn describe(&self, track: &Track, vehicle: &Vehicle, distance_m: f64, params: &mut ObjectParams) {
        params.clone_from(&self.params);
        if self.bodies.is_empty() {
            return;
        }
        params.closest_objects = closest(&self.params.distance, distance_m, track.length_m());
        params.object_in_camera = is_seen(vehicle, &self.bodies[params.closest_objects[1]]);
    }

    /// The first object in which a corner of the car lies.
    pub(crate) fn touched(&self, vehicle: &Vehicle) -> Option<usize> {
        let origin = vehicle.origin();
        let touches = |body: &Body| {
            body.position.distance_squared(origin) < TOUCHING_DISTANCE_M * TOUCHING_DISTANCE_M && is_hit(vehicle, body)
        };
        let is_solid = |index: usize| self.rivals_are_solid.get(index).is_none_or(|&is_solid| is_solid);
        (0..self.bodies.len()).find(|&index| is_solid(index) && touches(&self.bodies[index]))
    }

    /// How far the front point of a car-like object is ahead of a place on the centre line, the short way round, metres.
    pub(crate) fn lead_m(&self, track: &Track, index: usize, distance_m: f64) -> f64 {
        let body = &self.bodies[index];
        let front = body.position + DVec2::from_angle(body.yaw_rad) * FRONT_POINT_M;
        gap_m(track, distance_m, track.ndist(front) * track.length_m())
    }

    /// The object nearest to a place on the centre line, when it is in the way of a car put there. `only_obstacles`
    /// leaves out cars that drive.
    pub(crate) fn in_the_way(&self, track: &Track, distance_m: f64, only_obstacles: bool) -> Option<usize> {
        let range = if only_obstacles { self.rivals_are_solid.len()..self.first_bot() } else { 0..self.bodies.len() };
        let gaps = range.map(|index| (index, gap_m(track, distance_m, self.params.distance[index]).abs()));
        let nearest = gaps.min_by(|one, other| one.1.total_cmp(&other.1))?;
        (nearest.1 < IN_THE_WAY_M).then_some(nearest.0)
    }

    /// Whether a car put there would stand in no object, nor right before or behind one.
    pub(crate) fn is_free(&self, pose: Pose) -> bool {
        let room_m = (FOOTPRINT_M.0 + 2.0 * ROOM_M, FOOTPRINT_M.1);
        let car = Rectangle::new(pose.position, pose.yaw_rad, room_m);
        self.bodies.iter().all(|body| car.way_out_of(&Rectangle::of_crash(body)).is_none())
    }

    /// Drives one control step. Boxes do not let the car through.
    pub(crate) fn drive(&self, vehicle: &mut Vehicle, command: Command) {
        let origin = vehicle.origin();
        let is_near = |body: &&Body| body.position.distance_squared(origin) < TOUCHING_DISTANCE_M * TOUCHING_DISTANCE_M;
        let near = || self.obstacles().iter().filter(is_near).filter_map(solid);
        if near().next().is_none() {
            vehicle.drive(command, CONTROL_PERIOD_S);
            return;
        }
        for _ in 0..NUM_PARTS {
            vehicle.drive(command, CONTROL_PERIOD_S / f64::from(NUM_PARTS));
            near().for_each(|solid| stop_at(vehicle, &solid));
        }
    }
}

/// The way from one place on the centre line to another: on a loop the short way round.
pub(crate) fn gap_m(track: &Track, from_m: f64, to_m: f64) -> f64 {
    if track.is_closed() { signed_gap_m(from_m, to_m, track.length_m()) } else { to_m - from_m }
}

/// Indices of the objects just behind and just ahead, round the track. An object level with the car is behind.
fn closest(distances_m: &[f64], own_m: f64, length_m: f64) -> [usize; 2] {
    let (mut behind, mut ahead) = ((0, f64::INFINITY), (0, f64::INFINITY));
    for (index, &distance_m) in distances_m.iter().enumerate() {
        let behind_m = (own_m - distance_m).rem_euclid(length_m);
        let ahead_m = length_m - behind_m;
        if behind_m <= behind.1 {
            behind = (index, behind_m);
        }
        if ahead_m < ahead.1 {
            ahead = (index, ahead_m);
        }
    }
    [behind.0, ahead.0]
}

/// Whether the origin or a corner of an object's crash rectangle, on the ground, is in the front camera's picture. As in
/// the original the lens is that of a car that stands level, and stereo cameras count as the one between them.
fn is_seen(vehicle: &Vehicle, body: &Body) -> bool {
    let camera = Camera::front(0.0);
    let heading = DVec2::from_angle(-vehicle.yaw_rad());
    let (sin, cos) = camera.pitch_down_rad.sin_cos();
    let widest = (camera.horizontal_field_of_view_rad * 0.5).tan();
    let is_in_picture = |point: DVec2| {
        let ground = heading.rotate(point - vehicle.origin());
        let from_lens = DVec3::new(ground.x, ground.y, 0.0) - camera.position;
        let depth_m = from_lens.x * cos - from_lens.z * sin;
        let up_m = from_lens.x * sin + from_lens.z * cos;
        depth_m >= NEAREST_SEEN_M && from_lens.y.abs() <= depth_m * widest && up_m.abs() <= depth_m * widest * ASPECT
    };
    is_in_picture(body.position) || Rectangle::of_crash(body).corners().into_iter().any(is_in_picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_vehicle::Generation;
    use deepracer_world::BoxKind;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn no_car_gets_through_a_box(
            (x, y) in (-1.0..-0.35_f64, -0.4..0.4_f64),
            aim_rad in -0.6..0.6_f64,
            yaw_rad in 0.0..3.2_f64,
            speed_mps in 0.1..4.0_f64,
            steering_deg in -30.0..30.0_f64,
        ) {
            let body = Body::new(BodyShape::Box(BoxKind::Plain), DVec2::ZERO, yaw_rad);
            let traffic = Traffic { bodies: vec![body], num_obstacles: 1, ..Traffic::default() };
            let solid = solid(&body).expect("boxes are solid");
            let mut car = Vehicle::new(Generation::B);
            let start = DVec2::new(x, y);
            car.place(start, (-start).to_angle() + aim_rad);
            prop_assume!(Rectangle::of_car(&car).way_out_of(&solid).is_none());
            for _ in 0..45 {
                traffic.drive(&mut car, Command::from_request(steering_deg, speed_mps));
                let depth_m = Rectangle::of_car(&car).way_out_of(&solid).map_or(0.0, |(_, depth_m)| depth_m);
                prop_assert!(depth_m < 1e-9, "{depth_m} m inside");
                prop_assert!(car.origin().is_finite() && car.speed_mps() < 4.0);
            }
        }
    }

    #[test]
    fn a_car_that_pushes_a_box_stands() {
        let body = Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(1.0, 0.0), 0.0);
        let traffic = Traffic { bodies: vec![body], num_obstacles: 1, ..Traffic::default() };
        let mut car = Vehicle::new(Generation::B);
        car.place(DVec2::ZERO, 0.0);
        for _ in 0..60 {
            traffic.drive(&mut car, Command::from_request(0.0, 3.0));
        }
        // The box begins at 0.8 m, the car's nose is half its length ahead of its origin.
        assert!((car.origin().x - (0.8 - FOOTPRINT_M.0 / 2.0)).abs() < 0.01 && car.origin().y.abs() < 1e-6, "{car:?}");
    }

    #[test]
    fn parked_cars_let_the_car_through() {
        let body = Body::new(BodyShape::BotCar, DVec2::new(1.0, 0.0), 0.0);
        let traffic = Traffic { bodies: vec![body], num_obstacles: 1, ..Traffic::default() };
        let mut car = Vehicle::new(Generation::B);
        car.place(DVec2::ZERO, 0.0);
        (0..30).for_each(|_| traffic.drive(&mut car, Command::from_request(0.0, 2.0)));
        assert!(car.origin().x > 2.0);
    }

    #[test]
    fn the_closest_objects_are_found_round_the_line() {
        let distances_m = [2.0, 9.0, 5.0];
        assert_eq!(closest(&distances_m, 3.0, 10.0), [0, 2]);
        assert_eq!(closest(&distances_m, 9.5, 10.0), [1, 0]);
        assert_eq!(closest(&distances_m, 1.0, 10.0), [1, 0]);
        assert_eq!(closest(&distances_m, 5.0, 10.0), [2, 1], "level is behind");
        assert_eq!(closest(&[4.0], 3.0, 10.0), [0, 0]);
    }

    /// A car at the world's origin that looks along +x, and a box whose middle is at `position`.
    fn sees(position: (f64, f64)) -> bool {
        let mut car = Vehicle::new(Generation::B);
        car.place(DVec2::ZERO, 0.0);
        is_seen(&car, &Body::new(BodyShape::Box(BoxKind::Plain), position.into(), 0.0))
    }

    #[test]
    fn the_camera_sees_what_is_in_its_picture() {
        assert!(sees((1.0, 0.0)) && sees((5.0, 1.0)) && sees((2.0, -1.0)));
        assert!(!sees((-1.0, 0.0)), "behind");
        assert!(!sees((1.0, 1.6)) && !sees((1.0, -1.6)), "beside");
        // The right edge of the picture: 0.565 rad beside the axis. The nearest corner decides.
        let edge_m = |x_m: f64| {
            let depth_m = (x_m - 0.145_293_79) * 0.2618_f64.cos() + 0.1261 * 0.2618_f64.sin();
            depth_m * 0.565_f64.tan()
        };
        let y_m = edge_m(3.25) + 0.2;
        assert!(sees((3.0, y_m - 0.01)) && !sees((3.0, y_m + 0.01)));
        // The lower edge hides the ground up to 0.25 m before the lens: what is nearer than that is not seen.
        assert!(!sees((0.0, 0.0)));
    }

    #[test]
    fn the_picture_turns_with_the_car() {
        let mut car = Vehicle::new(Generation::B);
        car.place(DVec2::new(3.0, 4.0), std::f64::consts::FRAC_PI_2);
        let sees = |x: f64, y: f64| is_seen(&car, &Body::new(BodyShape::BotCar, DVec2::new(x, y), 0.0));
        assert!(sees(3.0, 5.0) && !sees(3.0, 3.0) && !sees(4.5, 4.5));
    }
}
