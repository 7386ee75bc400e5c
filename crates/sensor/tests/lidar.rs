//! The lidar against closed forms.

use deepracer_sensor::{LIDAR_RAYS, Lidar, LidarEncoding, Moment, Ranges, Scene, Scratch, Sensor};
use deepracer_track::Library;
use deepracer_world::{Body, BodyShape, BoxKind, World, look};
use glam::DVec2;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::{Arc, LazyLock};

/// The field of `reinvent_base` and its walls of one metre.
const FIELD: [DVec2; 2] = [DVec2::new(-0.59, -0.61), DVec2::new(8.58, 5.80)];
/// The sensor is 0.029 m ahead of the car's origin.
const MOUNT_M: f64 = 0.02913;
/// Height of the car's origin above the ground, and of the sensor above it.
const ORIGIN_HEIGHT_M: f64 = -0.001;
const MOUNT_HEIGHT_M: f64 = 0.184_699;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let route = Library::new(None).load("reinvent_base").expect("a built-in track");
    Scene::bake(&World::build(&route, &look::find("reinvent_base")))
});

fn scan(bodies: &[Body], origin: DVec2, yaw_rad: f64) -> Ranges {
    let mut ranges = [0.0; LIDAR_RAYS];
    Lidar::new(0.0).scan(&SCENE, bodies, origin, yaw_rad, &mut ranges);
    ranges
}

fn parcel(x: f64, y: f64) -> Body {
    Body::new(BodyShape::Box(BoxKind::Plain), DVec2::new(x, y), 0.0)
}

/// From a point inside the field along a direction to its edge.
fn to_edge(from: DVec2, yaw_rad: f64) -> f64 {
    let toward = DVec2::from_angle(yaw_rad);
    let along = |from: f64, toward: f64, min: f64, max: f64| {
        if toward > 0.0 { (max - from) / toward } else { (min - from) / toward }
    };
    f64::min(along(from.x, toward.x, FIELD[0].x, FIELD[1].x), along(from.y, toward.y, FIELD[0].y, FIELD[1].y))
}

#[test]
fn rays_run_from_front_left_round_the_back_to_front_right() {
    let degrees = |index: usize| Lidar::ray_yaw_rad(index).to_degrees();
    assert!((degrees(0) - 30.0).abs() < 1e-3);
    assert!((degrees(63) - 330.0).abs() < 1e-3);
    assert!((0.5 * (degrees(31) + degrees(32)) - 180.0).abs() < 1e-9);
}

proptest! {
    #[test]
    fn in_an_empty_field_ranges_are_those_to_its_walls(
        x in -0.5..8.5_f64, y in -0.5..5.7_f64, yaw_rad in -4.0..4.0_f64,
    ) {
        let origin = DVec2::new(x, y);
        let sensor = origin + DVec2::from_angle(yaw_rad) * MOUNT_M;
        prop_assume!(sensor.x > FIELD[0].x && sensor.x < FIELD[1].x && sensor.y > FIELD[0].y && sensor.y < FIELD[1].y);
        for (index, range) in scan(&[], origin, yaw_rad).into_iter().enumerate() {
            let expected = to_edge(sensor, yaw_rad + Lidar::ray_yaw_rad(index));
            prop_assert!((range - expected).abs() < 1e-9, "ray {index}: {range} of {expected}");
        }
    }

    /// Rays are asked only where a body may be: nothing is lost by that.
    #[test]
    fn a_body_is_met_by_the_same_rays_as_its_solids(
        x in 3.0..5.0_f64, y in 1.5..3.5_f64, body_yaw_rad in -4.0..4.0_f64, yaw_rad in -4.0..4.0_f64, kind in 0..3_usize,
    ) {
        let shape = [BodyShape::Box(BoxKind::Plain), BodyShape::Box(BoxKind::DeepRacer), BodyShape::BotCar][kind];
        let body = Body::new(shape, DVec2::new(x, y), body_yaw_rad);
        let origin = DVec2::new(4.0, 2.5);
        let sensor = origin + DVec2::from_angle(yaw_rad) * MOUNT_M;
        let height_m = ORIGIN_HEIGHT_M + MOUNT_HEIGHT_M;
        for (index, range) in scan(&[body], origin, yaw_rad).into_iter().enumerate() {
            let angle = yaw_rad + Lidar::ray_yaw_rad(index);
            let back = DVec2::from_angle(-body_yaw_rad);
            let from = back.rotate(sensor - body.position).extend(height_m);
            let toward = back.rotate(DVec2::from_angle(angle)).extend(0.0);
            let entries = body.model().parts().iter().filter_map(|part| part.solid.entry(from, toward));
            let expected = entries.map(|(t, _)| t).fold(to_edge(sensor, angle), f64::min);
            prop_assert!((range - expected).abs() < 1e-9, "ray {index}: {range} of {expected}");
        }
    }
}

#[test]
fn a_box_is_seen_behind_left_and_right_and_not_ahead() {
    let (origin, alone) = (DVec2::new(4.0, 2.5), scan(&[], DVec2::new(4.0, 2.5), 0.0));
    // Behind: its front face is 0.8 m behind the origin, 0.8291 m behind the sensor.
    let behind = scan(&[parcel(3.0, 2.5)], origin, 0.0);
    let expected = (0.8 + MOUNT_M) / (PI - Lidar::ray_yaw_rad(31)).cos();
    assert!((behind[31] - expected).abs() < 1e-9 && (behind[32] - expected).abs() < 1e-9, "{:?}", &behind[30..34]);
    // To the left, 90° being between rays 12 and 13, and to the right.
    let left = scan(&[parcel(4.0, 3.5)], origin, 0.0);
    assert!((left[12] - 0.85 / (FRAC_PI_2 - Lidar::ray_yaw_rad(12)).cos()).abs() < 1e-9);
    let right = scan(&[parcel(4.0, 1.5)], origin, 0.0);
    assert!((right[51] - 0.85 / (1.5 * PI - Lidar::ray_yaw_rad(51)).cos()).abs() < 1e-9);
    // Straight ahead the lidar is blind.
    assert_eq!(scan(&[parcel(4.6, 2.5)], origin, 0.0), alone);
}

#[test]
fn a_car_is_met_at_its_cabin() {
    // 1 m behind, turned the same way: the bonnet is lower than the sensor, the sloping front of the cabin is not.
    let bot = Body::new(BodyShape::BotCar, DVec2::new(3.0, 2.5), 0.0);
    let ranges = scan(&[bot], DVec2::new(4.0, 2.5), 0.0);
    assert!((0.95..1.03).contains(&ranges[31]), "{}", ranges[31]);
}

#[test]
fn a_tilted_sensor_looks_over_a_low_rim_and_meets_the_ground() {
    // Nose up by 2°: backward rays run down and meet the ground 5.3 m behind.
    let tilt_rad = 2.0_f64.to_radians();
    let mut ranges = [0.0; LIDAR_RAYS];
    Lidar::new(tilt_rad).scan(&SCENE, &[], DVec2::new(7.5, 2.5), 0.0, &mut ranges);
    let sensor_m = ORIGIN_HEIGHT_M + MOUNT_M * tilt_rad.sin() + MOUNT_HEIGHT_M * tilt_rad.cos();
    let expected = sensor_m / (tilt_rad.sin() * (PI - Lidar::ray_yaw_rad(31)).cos());
    assert!((ranges[31] - expected).abs() < 1e-6, "{} of {expected}", ranges[31]);
}

/// Raw ranges of consecutive moments.
fn observe(moments: &[Moment<'_>]) -> Vec<Vec<f32>> {
    let sensor = Sensor::Lidar { lidar: Arc::new(Lidar::new(0.0)), encoding: LidarEncoding::Raw };
    let mut scratch = Scratch::new();
    let mut bytes = vec![0; sensor.num_bytes()];
    moments
        .iter()
        .map(|moment| {
            sensor.observe(&SCENE, moment, &mut scratch, &mut bytes);
            bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        })
        .collect()
}

fn standing(step: u32, seed: u64) -> Moment<'static> {
    Moment { step, seed, ..Moment::alone(DVec2::new(4.0, 2.5), 0.3) }
}

#[test]
fn ten_scans_a_second_of_fifteen_steps() {
    let scans = observe(&(0..30).map(|step| standing(step, 5)).collect::<Vec<_>>());
    for step in 1..30 {
        // Scans are due at 0, 1.5, 3, 4.5 … steps: steps 1, 4, 7 … bring no new one.
        assert_eq!(scans[step] == scans[step - 1], step % 3 == 1, "step {step}");
    }
    let mut distinct = scans;
    distinct.dedup();
    assert_eq!(distinct.len(), 20, "two seconds");
}

#[test]
fn the_same_seed_repeats_and_another_differs() {
    let moments = |seed: u64| (0..6).map(|step| standing(step, seed)).collect::<Vec<_>>();
    assert_eq!(observe(&moments(5)), observe(&moments(5)));
    assert_ne!(observe(&moments(5))[0], observe(&moments(6))[0]);
    // A new episode begins with a new scan, also with the seed of the last one.
    let twice = observe(&[standing(0, 5), standing(1, 5), Moment { origin: DVec2::new(2.0, 2.5), ..standing(0, 5) }]);
    assert_ne!(twice[1], twice[2]);
    let asked_again = observe(&[standing(3, 5), standing(3, 5)]);
    assert_eq!(asked_again[0], asked_again[1]);
}

#[test]
fn ranges_are_rounded_to_centimetres_with_noise_of_one() {
    let exact = scan(&[], DVec2::new(4.0, 2.5), 0.3);
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for seed in 0..200 {
        let scan = &observe(&[standing(0, seed)])[0];
        for (read, exact) in scan.iter().zip(exact) {
            let steps = f64::from(*read) * 100.0;
            assert!((steps - steps.round()).abs() < 1e-4, "{read}");
            let error = f64::from(*read) - exact;
            sum += error;
            squares += error * error;
            count += 1.0;
        }
    }
    let (mean, deviation) = (sum / count, f64::sqrt(squares / count));
    // Noise of 0.01 m, and steps of 0.01 m: √(0.01² + 0.01² / 12).
    assert!(mean.abs() < 3e-4, "{mean}");
    assert!((deviation - 0.0104).abs() < 3e-4, "{deviation}");
}

#[test]
fn a_scan_between_steps_is_taken_between_the_places_of_the_car() {
    // Away from the wall in the west by 0.3 m per step: the scan of step 2 was due at step 1.5.
    let at = |step: u32| Moment { step, seed: 1, ..Moment::alone(DVec2::new(3.0 + 0.3 * f64::from(step), 2.5), 0.0) };
    let scans = observe(&[at(0), at(1), at(2), at(3)]);
    let moved = |scan: &[f32]| f64::from(0.5 * (scan[31] + scan[32]) - 0.5 * (scans[0][31] + scans[0][32]));
    assert!(moved(&scans[1]) == 0.0, "repeated");
    assert!((moved(&scans[2]) - 0.45).abs() < 0.04, "{}", moved(&scans[2]));
    assert!((moved(&scans[3]) - 0.9).abs() < 0.04, "{}", moved(&scans[3]));
    // Put somewhere else between steps: there is no half way.
    let elsewhere = Moment { origin: DVec2::new(6.0, 2.5), ..at(2) };
    let scans = observe(&[at(0), at(1), elsewhere]);
    let expected = (6.0 + MOUNT_M - FIELD[0].x) / (PI - Lidar::ray_yaw_rad(31)).cos();
    assert!((f64::from(scans[2][31]) - expected).abs() < 0.05);
}

#[test]
fn turning_through_the_seam_of_the_angle_turns_the_short_way() {
    let at = |step: u32, yaw_rad: f64| Moment { step, seed: 1, ..Moment::alone(DVec2::new(4.0, 2.5), yaw_rad) };
    let around = observe(&[at(0, PI - 0.1), at(1, PI - 0.1), at(2, 0.1 - PI)]);
    let straight = observe(&[at(0, PI - 0.1), at(1, PI - 0.1), at(2, 0.1 - PI + TAU)]);
    assert_eq!(around, straight);
}
