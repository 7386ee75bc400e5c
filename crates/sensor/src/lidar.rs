//! The lidar: 64 rays over 300 degrees, ten times a second.

use crate::camera::ORIGIN_AT_REST_M;
use crate::moment::Moment;
use crate::random::Normals;
use crate::scene::Scene;
use deepracer_world::{Body, Wall};
use glam::{DVec2, DVec3};
use std::array;
use std::f64::consts::{PI, TAU};

/// Rays of a scan.
pub const LIDAR_RAYS: usize = 64;
/// Least and greatest range, metres: the original's. What is nearer reads as the least range, what is further as infinity.
pub const LIDAR_RANGE_M: [f64; 2] = [0.15, 12.0];
/// Direction of the first ray, rad to the left of straight ahead, and of the last one: the sensor faces backward and spans
/// ±2.61799 rad (150°), so 60° ahead of the car are blind.
const FIRST_RAY_RAD: f64 = PI - HALF_SPAN_RAD;
const HALF_SPAN_RAD: f64 = 2.617_99;
const RAY_SPACING_RAD: f64 = 2.0 * HALF_SPAN_RAD / (LIDAR_RAYS - 1) as f64;
/// Steps between ranges per metre (0.01 m) and standard deviation of the noise, metres: the original's.
const STEPS_PER_M: f64 = 100.0;
const NOISE_M: f64 = 0.01;
/// Of the sensor in `base_link`, metres: the sum of the original's chassis and sensor offsets.
const MOUNT: DVec3 = DVec3::new(0.029_13, 0.0, 0.023_249 + 0.161_45);
/// Further than a car drives in a control step: it was put somewhere else.
const JUMP_M: f64 = 0.5;

/// The lidar of a car. Immutable; share it between races.
#[derive(Debug, Clone)]
pub struct Lidar {
    /// Of the sensor in the car's axes; z above the ground.
    position: DVec3,
    /// In the car's axes, length 1.
    rays: [DVec3; LIDAR_RAYS],
    normals: &'static Normals,
}

/// The ranges of a scan, metres: 0.15 to 12, or infinity.
pub type Ranges = [f64; LIDAR_RAYS];

/// The newest scan of a car.
#[derive(Debug, Clone)]
pub(crate) struct LastScan {
    seed: u64,
    /// When it was last asked for, and where the car was.
    step: u32,
    origin: DVec2,
    yaw_rad: f64,
    number: u32,
    ranges_m: Ranges,
}

impl Lidar {
    /// On a car whose body rests `nose_up_rad` nose-up: the scan tilts with it.
    pub fn new(nose_up_rad: f64) -> Lidar {
        let (sin, cos) = nose_up_rad.sin_cos();
        let rays = array::from_fn(|k| {
            let (left, ahead) = (FIRST_RAY_RAD + k as f64 * RAY_SPACING_RAD).sin_cos();
            DVec3::new(ahead * cos, left, ahead * sin)
        });
        let position = DVec3::new(MOUNT.x * cos - MOUNT.z * sin, 0.0, ORIGIN_AT_REST_M + MOUNT.x * sin + MOUNT.z * cos);
        Lidar { position, rays, normals: Normals::table() }
    }

    /// Direction of a ray, rad, to the left of straight ahead: 30° for the first, 180° in the middle, 330° for the last.
    pub fn ray_yaw_rad(index: usize) -> f64 {
        FIRST_RAY_RAD + index as f64 * RAY_SPACING_RAD
    }

    /// Scans without noise and rounding: metres along each ray to walls, ground and bodies, infinity when there is nothing.
    pub fn scan(&self, scene: &Scene, bodies: &[Body], origin: DVec2, yaw_rad: f64, out: &mut Ranges) {
        let heading = DVec2::from_angle(yaw_rad);
        let sensor = origin + heading * self.position.x;
        for (range, ray) in out.iter_mut().zip(&self.rays) {
            *range = if ray.z < 0.0 { self.position.z / -ray.z } else { f64::INFINITY };
        }
        for wall in &scene.walls {
            self.meet_wall(wall, sensor, heading, out);
        }
        for body in bodies {
            self.meet_body(body, sensor, heading, out);
        }
        if let Some(meshes) = &scene.meshes {
            let from = sensor.extend(self.position.z);
            for (range, ray) in out.iter_mut().zip(&self.rays) {
                let direction = heading.rotate(ray.truncate()).extend(ray.z);
                *range = meshes.distance(from, direction, range.min(LIDAR_RANGE_M[1] + 1.0)).unwrap_or(*range);
            }
        }
    }

    /// The scan the car has in a moment: ten a second of simulated time, the newest one until the next. `last` is the scan
    /// the same car had before.
    ///
    /// Scans fall between control steps: one that was due half a step ago is taken half way between the car's places.
    pub(crate) fn observe<'a>(&self, scene: &Scene, moment: &Moment<'_>, last: &'a mut Option<LastScan>) -> &'a Ranges {
        let Moment { origin, yaw_rad, bodies, step, seed, .. } = *moment;
        // Step k is at k / 15 s, scan n at n / 10 s.
        let number = (u64::from(step) * 2 / 3) as u32;
        let half_steps_ago = step * 2 - number * 3;
        let scan = last.get_or_insert_with(|| LastScan {
            seed: !seed,
            step: u32::MAX,
            origin,
            yaw_rad,
            number: u32::MAX,
            ranges_m: [f64::INFINITY; LIDAR_RAYS],
        });
        let is_same_moment = scan.step == step && scan.origin == origin && scan.yaw_rad == yaw_rad;
        let is_next_moment = scan.step.checked_add(1) == Some(step);
        let is_known = scan.seed == seed && (is_same_moment || is_next_moment);
        if !(is_known && scan.number == number) {
            let moved = origin - scan.origin;
            let half = if is_known && half_steps_ago == 1 && moved.length() < JUMP_M { 0.5 } else { 0.0 };
            let turned_rad = (yaw_rad - scan.yaw_rad).sin().atan2((yaw_rad - scan.yaw_rad).cos());
            self.scan(scene, bodies, origin - moved * half, yaw_rad - turned_rad * half, &mut scan.ranges_m);
            self.read(seed, number, &mut scan.ranges_m);
        }
        *scan = LastScan { seed, step, origin, yaw_rad, number, ..scan.clone() };
        &scan.ranges_m
    }

    /// What the sensor makes of exact distances: noise, rounding, limits.
    fn read(&self, seed: u64, number: u32, ranges_m: &mut Ranges) {
        let mut noise = [0.0; LIDAR_RAYS];
        self.normals.fill(seed, u64::from(number), &mut noise);
        let [least, greatest] = LIDAR_RANGE_M;
        for (range, noise) in ranges_m.iter_mut().zip(noise) {
            *range = if *range <= greatest {
                let read = (*range + NOISE_M * f64::from(noise)).clamp(least, greatest);
                (read * STEPS_PER_M).round() / STEPS_PER_M
            } else {
                f64::INFINITY
            };
        }
    }

    fn meet_wall(&self, wall: &Wall, sensor: DVec2, heading: DVec2, ranges_m: &mut Ranges) {
        let local = |point: DVec2| DVec2::new((point - sensor).dot(heading), heading.perp_dot(point - sensor));
        let [from, to] = wall.feet.map(local);
        let along = to - from;
        // ray · t = from + along · s, level.
        let beyond = from.perp_dot(along);
        for (range, ray) in ranges_m.iter_mut().zip(&self.rays) {
            let level = ray.truncate();
            let inverse = 1.0 / level.perp_dot(along);
            let t = beyond * inverse;
            let s = from.perp_dot(level) * inverse;
            let height_m = self.position.z + t * ray.z;
            let is_met = t >= 0.0 && (0.0..=1.0).contains(&s) && (0.0..=wall.height_m).contains(&height_m);
            if is_met && t < *range {
                *range = t;
            }
        }
    }

    fn meet_body(&self, body: &Body, sensor: DVec2, heading: DVec2, ranges_m: &mut Ranges) {
        let model = body.model();
        let away = body.position - sensor;
        let (reach_m, distance_m) = (model.reach_m(), away.length());
        if distance_m > LIDAR_RANGE_M[1] + reach_m {
            return;
        }
        let ranges_of_rays = if distance_m > reach_m {
            let bearing_rad = heading.perp_dot(away).atan2(heading.dot(away)).rem_euclid(TAU);
            let half_rad = (reach_m / distance_m).asin();
            let ray_at = |angle_rad: f64| (angle_rad - FIRST_RAY_RAD) / RAY_SPACING_RAD;
            // A body ahead reaches into the first rays, the last ones, or both.
            [-TAU, 0.0, TAU].map(|lap_rad| {
                let middle_rad = bearing_rad + lap_rad;
                let first = ray_at(middle_rad - half_rad).ceil().clamp(0.0, LIDAR_RAYS as f64);
                let end = (ray_at(middle_rad + half_rad).floor() + 1.0).clamp(0.0, LIDAR_RAYS as f64);
                first as usize..end as usize
            })
        } else {
            [0..LIDAR_RAYS, 0..0, 0..0]
        };
        let ahead = DVec2::from_angle(body.yaw_rad);
        let turned = DVec2::new(ahead.dot(heading), ahead.perp_dot(heading));
        let from = DVec3::new(-ahead.dot(away), -ahead.perp_dot(away), self.position.z);
        for index in ranges_of_rays.into_iter().flatten() {
            let ray = self.rays[index];
            let toward = turned.rotate(ray.truncate()).extend(ray.z);
            for part in model.parts() {
                if let Some((t, _)) = part.solid.entry(from, toward)
                    && t < ranges_m[index]
                {
                    ranges_m[index] = t;
                }
            }
        }
    }
}
