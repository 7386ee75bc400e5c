//! The two models that recorded rows decide between.

use deepracer_vehicle::{CONTROL_PERIOD_S, Command, FRONT_POINT_M, Generation, Vehicle, body};
use glam::DVec2;

use super::{Candidate, traces::Row};

impl Candidate for Vehicle {
    fn standing(&self, front: DVec2, yaw_rad: f64) -> Self {
        let mut car = self.clone();
        car.place(front - DVec2::from_angle(yaw_rad) * FRONT_POINT_M, yaw_rad);
        car
    }

    fn drive(&mut self, command: Command) {
        Vehicle::drive(self, command, CONTROL_PERIOD_S);
    }

    fn pose(&self) -> (DVec2, f64) {
        (self.front_point(), self.yaw_rad())
    }

    fn correct(&mut self, row: &Row, front_mps: DVec2, yaw_rate_radps: f64) {
        let origin = row.front - DVec2::from_angle(row.yaw_rad) * FRONT_POINT_M;
        self.set_pose(origin, row.yaw_rad);
        let lever_m = FRONT_POINT_M - self.contacts().centre_of_mass_m;
        let mut motion = self.motion();
        motion.yaw_rate_radps += yaw_rate_radps;
        motion.velocity_mps += front_mps - DVec2::new(0.0, yaw_rate_radps * lever_m);
        self.set_motion(motion);
    }
}

/// How the lateral acceleration that the wheels ask for is limited by what the ground gives.
#[derive(Clone, Copy)]
enum Saturation {
    Tanh,
    Hyperbola,
}

/// The compact description of the measurement study: speed and wheel angle follow their
/// commands with first-order lags, lateral acceleration saturates, and the front point lies
/// 0.215 m ahead of a pivot that never slips sideways.
#[derive(Clone)]
pub(crate) struct LagFormula {
    speed_lag_s: f64,
    acceleration_mps2: f64,
    deceleration_mps2: f64,
    steering_lag_s: f64,
    wheelbase_m: f64,
    lateral_limit_mps2: f64,
    saturation: Saturation,
    pivot: DVec2,
    yaw_rad: f64,
    speed_mps: f64,
    steering_rad: f64,
}

impl LagFormula {
    const LEAD_M: f64 = 0.215;
    const SUBSTEPS: u32 = 8;

    /// The published figures, the middle of each published range.
    pub(crate) fn new(generation: Generation) -> Self {
        let standing = Self {
            speed_lag_s: 0.19,
            acceleration_mps2: 3.2,
            deceleration_mps2: 4.1,
            steering_lag_s: 0.54,
            wheelbase_m: 0.20,
            lateral_limit_mps2: 2.9,
            saturation: Saturation::Tanh,
            pivot: DVec2::ZERO,
            yaw_rad: 0.0,
            speed_mps: 0.0,
            steering_rad: 0.0,
        };
        match generation {
            Generation::A => standing,
            Generation::B => Self {
                steering_lag_s: 0.12,
                wheelbase_m: 0.23,
                lateral_limit_mps2: 4.4,
                saturation: Saturation::Hyperbola,
                ..standing
            },
            Generation::C => Self {
                speed_lag_s: 0.03,
                acceleration_mps2: 12.0,
                deceleration_mps2: 10.5,
                steering_lag_s: 0.165,
                wheelbase_m: 0.25,
                lateral_limit_mps2: 6.5,
                ..standing
            },
        }
    }

    fn yaw_rate_radps(&self) -> f64 {
        let asked = self.speed_mps.powi(2) * self.steering_rad.tan() / self.wheelbase_m;
        let limit = self.lateral_limit_mps2;
        let given = match self.saturation {
            Saturation::Tanh => limit * (asked / limit).tanh(),
            Saturation::Hyperbola => asked / (1.0 + asked.abs() / limit),
        };
        if self.speed_mps.abs() > 0.01 { given / self.speed_mps } else { 0.0 }
    }
}

impl Candidate for LagFormula {
    fn standing(&self, front: DVec2, yaw_rad: f64) -> Self {
        let pivot = front - DVec2::from_angle(yaw_rad) * Self::LEAD_M;
        Self { pivot, yaw_rad, speed_mps: 0.0, steering_rad: 0.0, ..self.clone() }
    }

    fn drive(&mut self, command: Command) {
        let step_s = CONTROL_PERIOD_S / f64::from(Self::SUBSTEPS);
        let steering_share = 1.0 - (-step_s / self.steering_lag_s).exp();
        let speed_share = 1.0 - (-step_s / self.speed_lag_s).exp();
        let target_mps = (command.speed_mps * 0.036 / 0.035).min(3.6);
        for _ in 0..Self::SUBSTEPS {
            self.steering_rad += (command.steering_rad - self.steering_rad) * steering_share;
            self.speed_mps += ((target_mps - self.speed_mps) * speed_share)
                .clamp(-self.deceleration_mps2 * step_s, self.acceleration_mps2 * step_s);
            self.yaw_rad += self.yaw_rate_radps() * step_s;
            self.pivot += DVec2::from_angle(self.yaw_rad) * self.speed_mps * step_s;
        }
        self.yaw_rad = body::wrap_angle(self.yaw_rad);
    }

    fn pose(&self) -> (DVec2, f64) {
        (self.pivot + DVec2::from_angle(self.yaw_rad) * Self::LEAD_M, self.yaw_rad)
    }

    fn correct(&mut self, row: &Row, front_mps: DVec2, _yaw_rate_radps: f64) {
        self.pivot = row.front - DVec2::from_angle(row.yaw_rad) * Self::LEAD_M;
        self.yaw_rad = row.yaw_rad;
        self.speed_mps += front_mps.x;
    }
}
