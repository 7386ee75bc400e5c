//! Closed forms and published figures that every generation has to keep.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

use deepracer_vehicle::{
    CONTROL_PERIOD_S, Command, FOOTPRINT_M, Generation, MAX_STEERING_RAD, Motion, TOP_SPEED_MPS, Vehicle, body,
};
use glam::DVec2;

fn drive(car: &mut Vehicle, steering_deg: f64, speed_mps: f64, rows: usize) {
    for _ in 0..rows {
        car.drive(Command::from_request(steering_deg, speed_mps), CONTROL_PERIOD_S);
    }
}

/// Speed reached on the straight, as a multiple of the command.
fn straight_ratio(generation: Generation, speed_mps: f64) -> f64 {
    let mut car = Vehicle::new(generation);
    drive(&mut car, 0.0, speed_mps, 200);
    car.speed_mps() / speed_mps
}

#[test]
fn straight_speed_settles_at_the_ratio_of_the_wheel_radii() {
    for generation in Generation::ALL {
        for speed_mps in [2.0, 2.5, 3.0, 3.49] {
            let ratio = straight_ratio(generation, speed_mps);
            assert!((ratio - 1.029).abs() < 0.001, "{generation:?} {speed_mps}: {ratio}");
        }
        let ratio = straight_ratio(generation, 1.0);
        assert!((ratio - 1.029).abs() < 0.016, "{generation:?}: {ratio}");
    }
}

#[test]
fn slow_cars_roll_a_little_faster_as_measured() {
    // Speed reached over speed commanded, straight driving, A and B together. Two studies give
    // 1.03–1.055 at 1 m/s and 1.06–1.08 at 0.5 m/s.
    for (speed_mps, least, most) in
        [(0.33, 1.06, 1.08), (0.5, 1.06, 1.08), (1.0, 1.03, 1.055), (1.3, 1.01, 1.05), (2.0, 0.98, 1.03)]
    {
        for generation in [Generation::A, Generation::B] {
            let ratio = straight_ratio(generation, speed_mps);
            assert!((least..most).contains(&ratio), "{generation:?} {speed_mps}: {ratio}");
        }
    }
}

#[test]
fn top_speed_is_the_wheel_joints_limit() {
    for generation in Generation::ALL {
        for speed_mps in [3.6, 4.0, 100.0] {
            let mut car = Vehicle::new(generation);
            drive(&mut car, 0.0, speed_mps, 150);
            assert!((car.speed_mps() - TOP_SPEED_MPS).abs() < 0.001, "{generation:?}");
        }
    }
}

#[test]
fn straight_driving_keeps_the_line() {
    for generation in Generation::ALL {
        let mut car = Vehicle::new(generation);
        car.place(DVec2::new(3.0, -2.0), 0.0);
        drive(&mut car, 0.0, 4.0, 60);
        drive(&mut car, 0.0, 0.1, 60);
        assert_eq!(car.yaw_rad(), 0.0);
        assert_eq!(car.origin().y, -2.0);
        assert!(car.origin().x > 12.0);
    }
}

/// Largest change of speed in one control period, as an acceleration.
fn hardest(generation: Generation, from_mps: f64, to_mps: f64) -> f64 {
    let mut car = Vehicle::new(generation);
    drive(&mut car, 0.0, from_mps, 150);
    let mut hardest: f64 = 0.0;
    for _ in 0..15 {
        let before = car.speed_mps();
        drive(&mut car, 0.0, to_mps, 1);
        hardest = hardest.max((car.speed_mps() - before).abs() / CONTROL_PERIOD_S);
    }
    hardest
}

#[test]
fn acceleration_is_capped_by_friction() {
    // Measured caps on speeding up: A 2.6–3.2 m/s² (up to 3.6 at large errors), B 2.4–3.6,
    // C 10–14; on slowing down: A 3.5–4.5, B 3.7–4.5, C 9–12. One friction limit serves both.
    for (generation, least, most) in [(Generation::A, 2.6, 4.5), (Generation::B, 2.4, 4.5), (Generation::C, 8.0, 14.0)]
    {
        for (from_mps, to_mps) in [(0.1, 4.0), (3.5, 0.5)] {
            let found = hardest(generation, from_mps, to_mps);
            assert!((least..most).contains(&found), "{generation:?}: {found:.2} m/s²");
        }
    }
}

#[test]
fn wheels_follow_a_steering_step_with_the_lag_of_their_generation() {
    for generation in Generation::ALL {
        let figures = generation.contacts();
        let mut car = Vehicle::new(generation);
        drive(&mut car, 0.0, 1.0, 30);
        let rows = 4;
        drive(&mut car, 30.0, 1.0, rows);
        let time_s = rows as f64 * CONTROL_PERIOD_S - figures.latency_s;
        let closed = if figures.steering_lag_s > 0.0 { 1.0 - (-time_s / figures.steering_lag_s).exp() } else { 1.0 };
        let found = car.motion().steering_rad / FRAC_PI_6;
        assert!((found - closed).abs() < 0.01, "{generation:?}: {found} of the step, not {closed}");
        assert!(car.motion().yaw_rate_radps > 0.0, "left is positive");
    }
}

#[test]
fn turns_mirror() {
    for generation in Generation::ALL {
        let (mut left, mut right) = (Vehicle::new(generation), Vehicle::new(generation));
        for (steering_deg, speed_mps) in [(20.0, 1.0), (-5.0, 3.0), (30.0, 2.0), (0.0, 0.5)] {
            drive(&mut left, steering_deg, speed_mps, 10);
            drive(&mut right, -steering_deg, speed_mps, 10);
        }
        assert!(left.origin().distance(right.origin() * DVec2::new(1.0, -1.0)) < 1e-9);
        assert!((left.yaw_rad() + right.yaw_rad()).abs() < 1e-9);
    }
}

#[test]
fn placing_forgets_all_motion() {
    for generation in Generation::ALL {
        let mut used = Vehicle::new(generation);
        drive(&mut used, 30.0, 4.0, 40);
        used.drive(Command::from_request(-30.0, 1.0), 0.001);
        used.place(DVec2::new(1.0, 2.0), 0.5);
        assert_eq!(used.speed_mps(), 0.0);
        assert_eq!(used.motion(), Motion::default());

        let mut fresh = Vehicle::new(generation);
        fresh.place(DVec2::new(1.0, 2.0), 0.5);
        assert_eq!(used, fresh);
        drive(&mut used, 10.0, 1.0, 20);
        drive(&mut fresh, 10.0, 1.0, 20);
        assert_eq!(used, fresh);
    }
}

#[test]
fn a_stopped_car_comes_to_rest_and_stays() {
    for generation in Generation::ALL {
        let mut car = Vehicle::new(generation);
        drive(&mut car, 15.0, 2.0, 30);
        for _ in 0..90 {
            car.drive(Command::STOP, CONTROL_PERIOD_S);
        }
        let rest = car.origin();
        assert!(car.speed_mps() < 1e-4);
        car.drive(Command::STOP, 10.0);
        assert!(car.origin().distance(rest) < 1e-4);
    }
}

#[test]
fn same_commands_give_the_same_bits() {
    let run = || {
        let mut car = Vehicle::new(Generation::B);
        for row in 0..500 {
            let steering_deg = f64::from(row * 37 % 61) - 30.0;
            drive(&mut car, steering_deg, f64::from(row % 40) / 10.0, 1);
        }
        (car.origin().x.to_bits(), car.origin().y.to_bits(), car.yaw_rad().to_bits())
    };
    assert_eq!(run(), run());
}

#[test]
fn requests_are_clipped() {
    assert_eq!(Command::from_request(31.0, 5.0).steering_rad, MAX_STEERING_RAD);
    assert_eq!(Command::from_request(-90.0, 5.0).steering_rad, -MAX_STEERING_RAD);
    assert_eq!(Command::from_request(15.0, 5.0).speed_mps, 4.0);
    assert_eq!(Command::from_request(15.0, 0.0).speed_mps, 0.1);
    assert_eq!(Command::from_request(15.0, -3.0).speed_mps, 0.1);
    assert_eq!(Command::from_request(15.0, f64::INFINITY).speed_mps, 4.0);
    let odd = Command::from_request(f64::NAN, f64::NAN);
    assert_eq!((odd.steering_rad, odd.speed_mps), (0.0, 0.1));
}

#[test]
fn commands_out_of_range_drive_as_the_nearest_in_range() {
    let wild = Command { steering_rad: 7.0, speed_mps: -2.0 };
    let tame = Command { steering_rad: MAX_STEERING_RAD, speed_mps: 0.0 };
    let (mut first, mut second) = (Vehicle::new(Generation::B), Vehicle::new(Generation::B));
    drive(&mut first, 0.0, 2.0, 15);
    drive(&mut second, 0.0, 2.0, 15);
    first.drive(wild, CONTROL_PERIOD_S);
    second.drive(tame, CONTROL_PERIOD_S);
    assert_eq!(first, second);
}

#[test]
fn odd_durations_move_nothing() {
    let mut car = Vehicle::new(Generation::A);
    drive(&mut car, 10.0, 1.0, 15);
    let before = (car.origin(), car.yaw_rad());
    for duration_s in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        car.drive(Command::from_request(10.0, 1.0), duration_s);
    }
    assert_eq!((car.origin(), car.yaw_rad()), before);
}

#[test]
fn a_pose_that_is_not_finite_is_gone_with_the_next() {
    let mut car = Vehicle::new(Generation::B);
    car.place(DVec2::new(f64::NAN, f64::INFINITY), f64::NAN);
    drive(&mut car, 20.0, 2.0, 30);
    assert!(car.speed_mps().is_finite());
    car.place(DVec2::ZERO, 0.0);
    drive(&mut car, 20.0, 2.0, 30);
    assert!(car.origin().is_finite() && car.yaw_rad().is_finite());
}

#[test]
fn motion_set_by_hand_is_bounded() {
    for wild in [f64::NAN, f64::INFINITY, -1e300] {
        let mut car = Vehicle::new(Generation::A);
        car.set_motion(Motion { velocity_mps: DVec2::splat(wild), yaw_rate_radps: wild, steering_rad: wild });
        drive(&mut car, 20.0, 2.0, 60);
        assert!(car.origin().is_finite() && car.yaw_rad().is_finite() && car.speed_mps() < 4.0);
    }
}

#[test]
fn versions_pick_generations() {
    let picked = [1.0, 2.9, 3.0, 4.0, 4.9, 5.0, 5.9, 6.0, 7.0, f64::NAN].map(Generation::from_model_version);
    let (a, b, c) = (Generation::A, Generation::B, Generation::C);
    assert_eq!(picked, [b, b, a, a, a, b, b, c, c, b]);
}

#[test]
fn reference_points_turn_with_the_car() {
    let mut car = Vehicle::new(Generation::B);
    car.place(DVec2::new(1.0, 2.0), FRAC_PI_2);
    assert!(car.front_point().distance(DVec2::new(1.0, 2.14)) < 1e-12);
    let wheels = car.wheel_points();
    let expected = [
        DVec2::new(1.0 - 0.081_05, 2.0 - 0.081_663),
        DVec2::new(1.0 + 0.081_05, 2.0 - 0.081_663),
        DVec2::new(1.0 - 0.079_601, 2.0 + 0.082_311),
        DVec2::new(1.0 + 0.079_601, 2.0 + 0.082_311),
    ];
    for (found, expected) in wheels.iter().zip(expected) {
        assert!(found.distance(expected) < 1e-12, "left rear, right rear, left front, right front");
    }
    let corners = car.footprint();
    assert!(corners[0].distance(DVec2::new(1.0 - 0.09805, 2.0 + 0.16176)) < 1e-12, "front left");
    assert!((corners[0].distance(corners[1]) - FOOTPRINT_M.0).abs() < 1e-12);
    assert!((corners[1].distance(corners[2]) - FOOTPRINT_M.1).abs() < 1e-12);
    assert!((body::WHEELBASE_M - 0.163_974).abs() < 1e-9);
}
