//! What holds for every sequence of commands.

use std::f64::consts::PI;

use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Generation, Vehicle};
use glam::DVec2;
use proptest::prelude::*;

fn generation() -> impl Strategy<Value = Generation> {
    prop_oneof![Just(Generation::A), Just(Generation::B), Just(Generation::C)]
}

/// Requests far beyond the limits, and some that are no numbers at all.
fn request() -> impl Strategy<Value = (f64, f64)> {
    let odd = prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)];
    prop_oneof![
        20 => (-40.0..40.0_f64, -1.0..6.0_f64),
        1 => (odd.clone(), odd),
    ]
}

proptest! {
    #[test]
    fn the_state_stays_finite_and_bounded(
        generation in generation(),
        requests in proptest::collection::vec((request(), 1_usize..20), 1..60),
    ) {
        let mut car = Vehicle::new(generation);
        car.place(DVec2::new(-3.0, 8.0), 2.0);
        for ((steering_deg, speed_mps), rows) in requests {
            for _ in 0..rows {
                let before = car.origin();
                let command = Command::from_request(steering_deg, speed_mps);
                car.drive(command, CONTROL_PERIOD_S);
                let motion = car.motion();
                prop_assert!(car.origin().is_finite());
                prop_assert!(-PI < car.yaw_rad() && car.yaw_rad() <= PI);
                // Nothing but the treads drives the car: it is never much faster than they are.
                prop_assert!(motion.velocity_mps.length() < 4.0, "{motion:?}");
                prop_assert!(motion.yaw_rate_radps.abs() < 30.0, "{motion:?}");
                prop_assert!(motion.steering_rad.abs() <= PI / 6.0 + 1e-12);
                prop_assert!(car.origin().distance(before) < 5.0 * CONTROL_PERIOD_S);
            }
        }
    }

    #[test]
    fn driving_does_not_depend_on_the_place(
        generation in generation(),
        x in -50.0..50.0_f64,
        y in -50.0..50.0_f64,
        yaw_rad in -PI..PI,
        requests in proptest::collection::vec(request(), 1..20),
    ) {
        let mut here = Vehicle::new(generation);
        let mut there = Vehicle::new(generation);
        there.place(DVec2::new(x, y), yaw_rad);
        for (steering_deg, speed_mps) in requests {
            let command = Command::from_request(steering_deg, speed_mps);
            here.drive(command, CONTROL_PERIOD_S);
            there.drive(command, CONTROL_PERIOD_S);
        }
        let moved = DVec2::new(x, y) + DVec2::from_angle(yaw_rad).rotate(here.origin());
        prop_assert!(there.origin().distance(moved) < 1e-9);
        prop_assert_eq!(here.motion(), there.motion());
    }
}
