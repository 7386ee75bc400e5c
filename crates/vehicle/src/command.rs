//! What the driver asks of the car.

use std::f64::consts::FRAC_PI_6;

/// Largest steering angle a command can ask for, radians (30 degrees), to either side.
pub const MAX_STEERING_RAD: f64 = FRAC_PI_6;

/// Smallest speed of a driving command, m/s. Only [`Command::STOP`] is slower.
pub const MIN_SPEED_MPS: f64 = 0.1;

/// Largest speed a command can ask for, m/s. The wheels turn no faster than 3.6 m/s.
pub const MAX_SPEED_MPS: f64 = 4.0;

/// A steering angle and a speed, held by the car until the next command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Angle of both front wheels, radians, positive to the left.
    pub steering_rad: f64,
    /// Speed in m/s.
    pub speed_mps: f64,
}

impl Command {
    /// Wheels straight and standing: what the car is told whenever it is not racing.
    pub const STOP: Self = Self { steering_rad: 0.0, speed_mps: 0.0 };

    /// The command that an action asks for: degrees to radians, clipped to ±30° and
    /// 0.1–4 m/s as the original does. A request that is not a number becomes the nearest
    /// harmless one: straight, at the least speed.
    ///
    /// ```
    /// use deepracer_vehicle::Command;
    /// let command = Command::from_request(-45.0, 0.0);
    /// assert_eq!(command.steering_rad, -std::f64::consts::FRAC_PI_6);
    /// assert_eq!(command.speed_mps, 0.1);
    /// ```
    pub fn from_request(steering_deg: f64, speed_mps: f64) -> Self {
        let command = Self { steering_rad: steering_deg.to_radians(), speed_mps }.bounded();
        Self { speed_mps: command.speed_mps.max(MIN_SPEED_MPS), ..command }
    }

    /// The same command inside the range the actuators accept: ±30°, 0–4 m/s; 0 for a figure
    /// that is not a number.
    pub(crate) fn bounded(self) -> Self {
        let number = |value: f64| if value.is_nan() { 0.0 } else { value };
        Self {
            steering_rad: number(self.steering_rad).clamp(-MAX_STEERING_RAD, MAX_STEERING_RAD),
            speed_mps: number(self.speed_mps).clamp(0.0, MAX_SPEED_MPS),
        }
    }
}
