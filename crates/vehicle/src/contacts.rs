//! A planar body on four slipping contacts.
//!
//! All four wheels turn at one speed and both front wheels stand at one angle, as in the
//! original, so the wheels scrub: the car understeers, and slides when asked for too much.
//! Each contact pulls against its slip, along and across the wheel independently:
//!
//! * along: `friction_along · load · z / √(1 + z²)`, `z = slip / slip_along_mps`
//! * across: `friction_across · load · z / (1 + |z|)`, `z = slip / slip_across_mps`
//!
//! Front and rear wheels differ in `friction_across`. The load on a wheel is its static share of
//! the weight.

use glam::DVec2;

use crate::{
    body::{FRONT_AXLE_M, FRONT_HALF_TRACK_M, GRAVITY_MPS2, REAR_AXLE_M, REAR_HALF_TRACK_M, WHEELBASE_M},
    command::{Command, MAX_STEERING_RAD},
};

/// Ratio of the wheel radius that rolls (0.036 m) to the one commands are computed with
/// (0.035 m).
pub const SPEED_RATIO: f64 = 0.036 / 0.035;

/// Speed of the tread at the wheel joints' limit of 100 rad/s, m/s.
pub const TOP_SPEED_MPS: f64 = 3.6;

/// Most by which [`Contacts::low_speed_excess_mps`] raises the speed ratio.
const MAX_RATIO_EXCESS: f64 = 0.045;

/// Commands from here on drive at [`SPEED_RATIO`] exactly, m/s.
const EXCESS_END_MPS: f64 = 2.0;

/// The figures of one generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// Friction coefficient along the wheels.
    pub friction_along: f64,
    /// Slip speed along a wheel at which the pull reaches 71 % of its limit, m/s.
    pub slip_along_mps: f64,
    /// Friction coefficient across the front wheels.
    pub front_friction_across: f64,
    /// Friction coefficient across the rear wheels.
    pub rear_friction_across: f64,
    /// Slip speed across a wheel at which the pull reaches half its limit, m/s.
    pub slip_across_mps: f64,
    /// How much faster than the ratio of the wheel radii a slow car rolls: the ratio grows by
    /// this times (1/speed − 1/2 m/s), at least by 0 and at most by 0.045.
    pub low_speed_excess_mps: f64,
    /// Time constant with which the wheel angle follows its command, s; 0 is at once.
    pub steering_lag_s: f64,
    /// Time a new command takes to reach the joints, s.
    pub latency_s: f64,
    /// Mass of the car, kg.
    pub mass_kg: f64,
    /// Moment of inertia about the vertical axis, kg m².
    pub yaw_inertia_kgm2: f64,
    /// Distance of the centre of mass ahead of the model origin, m.
    pub centre_of_mass_m: f64,
}

/// How the body moves, in its own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Velocity of the centre of mass, m/s: x forward, y left.
    pub velocity_mps: DVec2,
    /// Rate of turn, rad/s, counter-clockwise positive.
    pub yaw_rate_radps: f64,
    /// Angle of the front wheels, rad, left positive.
    pub steering_rad: f64,
}

impl Motion {
    /// The same motion within what the model is made for.
    pub(crate) fn bounded(self) -> Self {
        const MAX_SPEED_MPS: f64 = 10.0;
        const MAX_YAW_RATE_RADPS: f64 = 30.0;
        let within = |value: f64, limit: f64| if value.is_nan() { 0.0 } else { value.clamp(-limit, limit) };
        Self {
            velocity_mps: DVec2::new(
                within(self.velocity_mps.x, MAX_SPEED_MPS),
                within(self.velocity_mps.y, MAX_SPEED_MPS),
            ),
            yaw_rate_radps: within(self.yaw_rate_radps, MAX_YAW_RATE_RADPS),
            steering_rad: within(self.steering_rad, MAX_STEERING_RAD),
        }
    }

    /// Velocity of a point fixed to the body, `ahead_m` of the model origin, body frame.
    pub(crate) fn velocity_at(&self, contacts: &Contacts, ahead_m: f64) -> DVec2 {
        let lever_m = ahead_m - contacts.centre_of_mass_m;
        self.velocity_mps + DVec2::new(0.0, self.yaw_rate_radps * lever_m)
    }
}

/// What the joints are told: a [`Command`] in the wheels' own terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Joints {
    /// Angle of the front wheels, rad.
    pub(crate) steering_rad: f64,
    /// Speed of every wheel's tread, m/s.
    pub(crate) tread_mps: f64,
}

impl Contacts {
    /// The joints' share of a command within bounds.
    pub(crate) fn joints(&self, command: Command) -> Joints {
        let speed_mps = command.speed_mps;
        let excess = if speed_mps > 0.0 && speed_mps < EXCESS_END_MPS {
            let growth = self.low_speed_excess_mps * (1.0 / speed_mps - 1.0 / EXCESS_END_MPS);
            growth.min(MAX_RATIO_EXCESS)
        } else {
            0.0
        };
        Joints {
            steering_rad: command.steering_rad,
            tread_mps: (speed_mps * (SPEED_RATIO + excess)).min(TOP_SPEED_MPS),
        }
    }

    /// Advances `motion` by one sub-step and returns the turned angle as (cos, sin).
    ///
    /// `steering_share` is the part of the remaining steering error closed in `step_s`.
    /// Explicit Euler on the forces, exact rotation of the body frame: turning alone neither
    /// adds nor loses speed, and every change of velocity is bounded by the friction limits.
    #[inline]
    pub(crate) fn step(&self, motion: &mut Motion, joints: Joints, steering_share: f64, step_s: f64) -> DVec2 {
        motion.steering_rad += (joints.steering_rad - motion.steering_rad) * steering_share;
        let steering = small_angle(motion.steering_rad);
        let (vx, vy, yaw_rate) = (motion.velocity_mps.x, motion.velocity_mps.y, motion.yaw_rate_radps);

        let rear_lever_m = -REAR_AXLE_M - self.centre_of_mass_m;
        let front_lever_m = FRONT_AXLE_M - self.centre_of_mass_m;
        // Static load on one wheel, as acceleration of the whole mass.
        let half_weight = 0.5 * GRAVITY_MPS2 / WHEELBASE_M;
        let rear_load = half_weight * front_lever_m;
        let front_load = -half_weight * rear_lever_m;

        let rear_vy = vy + yaw_rate * rear_lever_m;
        let front_vy = vy + yaw_rate * front_lever_m;
        let rear_swing = yaw_rate * REAR_HALF_TRACK_M;
        let front_swing = yaw_rate * FRONT_HALF_TRACK_M;
        let (left_vx, right_vx) = (vx - front_swing, vx + front_swing);

        // Pulls: left rear, right rear, left front, right front, in units of the load.
        let along = [
            vx - rear_swing,
            vx + rear_swing,
            left_vx * steering.x + front_vy * steering.y,
            right_vx * steering.x + front_vy * steering.y,
        ]
        .map(|speed| self.pull_along(speed - joints.tread_mps));
        let across = |slip_mps: f64| -slip_mps / (self.slip_across_mps + slip_mps.abs());
        let left_across = self.front_friction_across * across(front_vy * steering.x - left_vx * steering.y);
        let right_across = self.front_friction_across * across(front_vy * steering.x - right_vx * steering.y);

        let left = steering.rotate(DVec2::new(along[2], left_across)) * front_load;
        let right = steering.rotate(DVec2::new(along[3], right_across)) * front_load;
        let rear_x = (along[0] + along[1]) * rear_load;
        let rear_y = 2.0 * self.rear_friction_across * across(rear_vy) * rear_load;
        let force = DVec2::new(rear_x, rear_y) + left + right;
        let moment = rear_y * rear_lever_m
            + (left.y + right.y) * front_lever_m
            + (along[1] - along[0]) * rear_load * REAR_HALF_TRACK_M
            + (right.x - left.x) * FRONT_HALF_TRACK_M;

        let yaw_rate = yaw_rate + moment * (self.mass_kg / self.yaw_inertia_kgm2) * step_s;
        let turn = small_angle(yaw_rate * step_s);
        let velocity = motion.velocity_mps + force * step_s;
        motion.yaw_rate_radps = yaw_rate;
        motion.velocity_mps = DVec2::new(turn.x, -turn.y).rotate(velocity);
        turn
    }

    #[inline]
    fn pull_along(&self, slip_mps: f64) -> f64 {
        // Not `hypot`: it guards against an overflow that bounded speeds cannot cause.
        let square = slip_mps * slip_mps + self.slip_along_mps * self.slip_along_mps;
        -self.friction_along * slip_mps / square.sqrt()
    }
}

/// (cos, sin) of an angle of at most about half a radian; the error there is below 1e-8.
#[inline]
fn small_angle(angle_rad: f64) -> DVec2 {
    let square = angle_rad * angle_rad;
    let cos = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    let sin = angle_rad * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)));
    DVec2::new(cos, sin)
}
