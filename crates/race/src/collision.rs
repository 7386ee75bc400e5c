//! Rectangles on the ground: who touches whom, and how a box stops a car.

use deepracer_vehicle::{FOOTPRINT_M, Motion, Vehicle};
use deepracer_world::{Body, BodyShape};
use glam::DVec2;

/// Length and width of the rectangle in which a box counts as hit: 5 cm more on each side than the box of
/// 0.4 m × 0.3 m, for every kind of box, as in the original.
pub const BOX_CRASH_SIZE_M: (f64, f64) = (0.5, 0.4);

/// A rectangle on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    center: DVec2,
    /// Unit vector along its length.
    along: DVec2,
    /// Half its length and width.
    half: DVec2,
}

impl Rectangle {
    pub(crate) fn new(center: DVec2, yaw_rad: f64, (length_m, width_m): (f64, f64)) -> Self {
        Self { center, along: DVec2::from_angle(yaw_rad), half: DVec2::new(length_m, width_m) * 0.5 }
    }

    /// The rectangle crash tests use for a body: the car's for cars, that of boxes for boxes.
    pub(crate) fn of_crash(body: &Body) -> Self {
        Self::new(body.position, body.yaw_rad, crash_size_m(body.shape))
    }

    pub(crate) fn of_car(vehicle: &Vehicle) -> Self {
        Self::new(vehicle.origin(), vehicle.yaw_rad(), FOOTPRINT_M)
    }

    /// Corners, counter-clockwise from the front left one.
    pub(crate) fn corners(&self) -> [DVec2; 4] {
        let (ahead, left) = (self.along * self.half.x, self.along.perp() * self.half.y);
        [self.center + ahead + left, self.center - ahead + left, self.center - ahead - left, self.center + ahead - left]
    }

    /// Whether a point lies strictly inside.
    pub(crate) fn contains(&self, point: DVec2) -> bool {
        let offset = point - self.center;
        offset.dot(self.along).abs() < self.half.x && offset.dot(self.along.perp()).abs() < self.half.y
    }

    /// Whether any corner of `other` lies strictly inside.
    pub(crate) fn contains_a_corner_of(&self, other: &Self) -> bool {
        let reach_m = self.half.length() + other.half.length();
        self.center.distance_squared(other.center) < reach_m * reach_m
            && other.corners().iter().any(|&corner| self.contains(corner))
    }

    /// The shortest way out of `other`: the direction, and how far. `None` when they do not overlap.
    pub(crate) fn way_out_of(&self, other: &Self) -> Option<(DVec2, f64)> {
        let offset = self.center - other.center;
        let reach_m = self.half.length() + other.half.length();
        if offset.length_squared() >= reach_m * reach_m {
            return None;
        }
        let mut shortest: Option<(DVec2, f64)> = None;
        for axis in [other.along, other.along.perp(), self.along, self.along.perp()] {
            let between_m = offset.dot(axis);
            let depth_m = self.reach_along(axis) + other.reach_along(axis) - between_m.abs();
            if depth_m <= 0.0 {
                return None;
            }
            if shortest.is_none_or(|(_, shortest_m)| depth_m < shortest_m) {
                shortest = Some((if between_m < 0.0 { -axis } else { axis }, depth_m));
            }
        }
        shortest
    }

    /// Half the extent along a direction.
    fn reach_along(&self, axis: DVec2) -> f64 {
        self.half.x * self.along.dot(axis).abs() + self.half.y * self.along.perp_dot(axis).abs()
    }

    /// The middle of what this rectangle has in common with `other`; this rectangle's centre when there is nothing.
    fn middle_of_overlap(&self, other: &Self) -> DVec2 {
        // Cutting a rectangle four times leaves at most eight corners.
        let mut ring = [DVec2::ZERO; 8];
        ring[..4].copy_from_slice(&self.corners());
        let mut count = 4;
        let sides = [(other.along, other.half.x), (other.along.perp(), other.half.y)];
        for (axis, half_m) in sides.into_iter().flat_map(|(axis, half_m)| [(axis, half_m), (-axis, half_m)]) {
            let limit_m = other.center.dot(axis) + half_m;
            let mut cut = [DVec2::ZERO; 8];
            let mut num_cut = 0;
            for index in 0..count {
                let (from, to) = (ring[index], ring[(index + 1) % count]);
                let (from_m, to_m) = (limit_m - from.dot(axis), limit_m - to.dot(axis));
                if from_m >= 0.0 && num_cut < cut.len() {
                    cut[num_cut] = from;
                    num_cut += 1;
                }
                if from_m * to_m < 0.0 && num_cut < cut.len() {
                    cut[num_cut] = from.lerp(to, from_m / (from_m - to_m));
                    num_cut += 1;
                }
            }
            (ring, count) = (cut, num_cut);
        }
        if count == 0 { self.center } else { ring[..count].iter().sum::<DVec2>() / count as f64 }
    }
}

/// Length and width of the rectangle crash tests use for a body of this shape, metres.
pub const fn crash_size_m(shape: BodyShape) -> (f64, f64) {
    match shape {
        BodyShape::Box(_) => BOX_CRASH_SIZE_M,
        BodyShape::BotCar | BodyShape::Car(_) => FOOTPRINT_M,
    }
}

/// Whether a car counts as having hit a body: a corner of the car's rectangle is strictly inside the body's. As in the
/// original the test is one-sided: a body's corner inside the car is no crash.
pub fn is_hit(vehicle: &Vehicle, body: &Body) -> bool {
    Rectangle::of_crash(body).contains_a_corner_of(&Rectangle::of_car(vehicle))
}

/// The box itself, as it can be touched; `None` for cars, which pass through each other.
pub(crate) fn solid(body: &Body) -> Option<Rectangle> {
    match body.shape {
        BodyShape::Box(kind) => {
            let size = kind.size_m();
            Some(Rectangle::new(body.position, body.yaw_rad, (size.x, size.y)))
        }
        BodyShape::BotCar | BodyShape::Car(_) => None,
    }
}

/// Lets a box that does not give way stop a car that has driven into it: the car is put beside the box, and loses the
/// speed it hit it with (no rebound, no friction).
pub(crate) fn stop_at(vehicle: &mut Vehicle, solid: &Rectangle) {
    let car = Rectangle::of_car(vehicle);
    let Some((out, depth_m)) = car.way_out_of(solid) else { return };
    let contacts = *vehicle.contacts();
    let heading = DVec2::from_angle(vehicle.yaw_rad());
    let center_of_mass = vehicle.origin() + heading * contacts.centre_of_mass_m;
    let lever = car.middle_of_overlap(solid) - center_of_mass;
    vehicle.set_pose(vehicle.origin() + out * depth_m, vehicle.yaw_rad());
    let motion = vehicle.motion();
    let velocity_mps = heading.rotate(motion.velocity_mps);
    let inwards_mps = -(velocity_mps + lever.perp() * motion.yaw_rate_radps).dot(out);
    if inwards_mps <= 0.0 {
        return;
    }
    let turning = lever.perp_dot(out);
    let impulse = inwards_mps / (1.0 / contacts.mass_kg + turning * turning / contacts.yaw_inertia_kgm2);
    let velocity_mps = velocity_mps + out * (impulse / contacts.mass_kg);
    vehicle.set_motion(Motion {
        velocity_mps: DVec2::new(heading.x, -heading.y).rotate(velocity_mps),
        yaw_rate_radps: motion.yaw_rate_radps + turning * impulse / contacts.yaw_inertia_kgm2,
        ..motion
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_vehicle::Generation;
    use std::f64::consts::FRAC_PI_4;

    const UNIT: (f64, f64) = (2.0, 1.0);

    #[test]
    fn a_corner_on_the_edge_is_not_inside() {
        let rectangle = Rectangle::new(DVec2::ZERO, 0.0, UNIT);
        assert!(rectangle.contains(DVec2::new(0.999, 0.499)));
        assert!(!rectangle.contains(DVec2::new(1.0, 0.0)) && !rectangle.contains(DVec2::new(0.0, -0.5)));
        let turned = Rectangle::new(DVec2::ZERO, FRAC_PI_4, UNIT);
        assert!(turned.contains(DVec2::new(0.7, 0.7)) && !turned.contains(DVec2::new(0.7, -0.7)));
    }

    #[test]
    fn the_test_is_one_sided_as_in_the_original() {
        // A small rectangle that pokes into the long side of a large one: its corners are inside, not the other way.
        let large = Rectangle::new(DVec2::ZERO, 0.0, (4.0, 1.0));
        let small = Rectangle::new(DVec2::new(0.0, 0.6), 0.0, (0.4, 0.4));
        assert!(large.contains_a_corner_of(&small) && !small.contains_a_corner_of(&large));
    }

    #[test]
    fn the_shortest_way_out_separates() {
        let box_ = Rectangle::new(DVec2::ZERO, 0.0, UNIT);
        let car = Rectangle::new(DVec2::new(1.2, 0.1), 0.0, (1.0, 1.0));
        let (out, depth_m) = car.way_out_of(&box_).expect("they overlap");
        assert!((out - DVec2::X).length() < 1e-12 && (depth_m - 0.3).abs() < 1e-12, "{out} {depth_m}");
        let apart = Rectangle { center: car.center + out * depth_m, ..car };
        assert!(apart.way_out_of(&box_).is_none_or(|(_, depth_m)| depth_m < 1e-12));
        // Their bounding circles touch, they do not.
        let beside = Rectangle::new(DVec2::new(1.6, 1.1), 0.0, (1.0, 1.0));
        assert!(beside.way_out_of(&box_).is_none());
    }

    #[test]
    fn the_overlap_of_two_squares_has_its_middle() {
        let one = Rectangle::new(DVec2::ZERO, 0.0, (2.0, 2.0));
        let other = Rectangle::new(DVec2::new(1.0, 1.0), 0.0, (2.0, 2.0));
        assert!((one.middle_of_overlap(&other) - DVec2::new(0.5, 0.5)).length() < 1e-12);
        let turned = Rectangle::new(DVec2::ZERO, FRAC_PI_4, (2.0, 2.0));
        assert!(one.middle_of_overlap(&turned).length() < 1e-12, "an octagon");
    }

    #[test]
    fn a_frontal_hit_takes_all_speed_and_an_offset_one_turns_the_car() {
        let hit = |lateral_m: f64| {
            let mut car = Vehicle::new(Generation::B);
            car.place(DVec2::ZERO, 0.0);
            car.set_motion(Motion { velocity_mps: DVec2::new(2.0, 0.0), ..Motion::default() });
            let solid = Rectangle::new(DVec2::new(0.35, lateral_m), 0.0, (0.4, 0.3));
            stop_at(&mut car, &solid);
            assert!(Rectangle::of_car(&car).way_out_of(&solid).is_none_or(|(_, depth_m)| depth_m < 1e-9));
            car.motion()
        };
        let frontal = hit(0.0);
        assert!(frontal.velocity_mps.length() < 1e-9 && frontal.yaw_rate_radps.abs() < 1e-9, "{frontal:?}");
        // A box ahead on the left holds the left side back: the car turns left and keeps some speed.
        let left = hit(0.2);
        assert!(left.yaw_rate_radps > 0.5 && left.velocity_mps.x > 0.05 && left.velocity_mps.x < 2.0, "{left:?}");
        assert!((left.yaw_rate_radps + hit(-0.2).yaw_rate_radps).abs() < 1e-9, "mirrored");
    }

    #[test]
    fn a_car_that_drives_away_from_a_box_is_not_held() {
        let mut car = Vehicle::new(Generation::B);
        car.place(DVec2::ZERO, 0.0);
        let away = Motion { velocity_mps: DVec2::new(-1.0, 0.0), ..Motion::default() };
        car.set_motion(away);
        stop_at(&mut car, &Rectangle::new(DVec2::new(0.35, 0.0), 0.0, (0.4, 0.3)));
        assert_eq!(car.motion(), away);
    }
}
