//! The car on the ground: pose, motion and what it was told.

use glam::DVec2;

use crate::{
    CONTROL_PERIOD_S,
    body::{FOOTPRINT_M, FRONT_POINT_M, WHEELS_M, to_world, wrap_angle},
    command::Command,
    contacts::{Contacts, Joints, Motion},
    generation::Generation,
    handling::{Handling, Line},
};

/// Sub-steps per control period.
const SUBSTEPS: f64 = 8.0;

/// One car.
///
/// Copies are cheap and independent; the same commands always give the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Vehicle {
    generation: Generation,
    /// The figures of the generation, and those of this car.
    nominal: Contacts,
    contacts: Contacts,
    handling: Handling,
    line: Line,
    origin_m: DVec2,
    yaw_rad: f64,
    motion: Motion,
    command: Command,
    /// What the joints followed before `command`, and still do while `wait_s` runs.
    previous: Joints,
    wait_s: f64,
}

impl Vehicle {
    /// A car of this generation, standing at the world's origin and heading along +x.
    pub fn new(generation: Generation) -> Self {
        Self::with_contacts(generation, generation.contacts())
    }

    /// A car with figures of your own, for studies; `generation` gives its attitude.
    pub fn with_contacts(generation: Generation, contacts: Contacts) -> Self {
        Self {
            generation,
            nominal: contacts,
            contacts,
            handling: Handling::default(),
            line: Line::new(),
            origin_m: DVec2::ZERO,
            yaw_rad: 0.0,
            motion: Motion::default(),
            command: Command::STOP,
            previous: Joints::default(),
            wait_s: 0.0,
        }
    }

    /// Puts the car down: standing, wheels straight, no command pending.
    ///
    /// `origin` is the model origin in metres, `yaw_rad` the heading, counter-clockwise from
    /// +x. A pose that is not finite stays so until the next `place`; motion is unaffected.
    pub fn place(&mut self, origin: DVec2, yaw_rad: f64) {
        self.set_pose(origin, yaw_rad);
        self.motion = Motion::default();
        self.command = Command::STOP;
        self.previous = Joints::default();
        self.wait_s = 0.0;
        self.line.clear();
    }

    /// Makes this car differ from its generation, from now on.
    pub fn set_handling(&mut self, handling: Handling) {
        self.handling = handling;
        self.contacts = handling.contacts(&self.nominal);
    }

    /// Lets commands from now on arrive this much later than the generation's own latency, 0 to
    /// [`MAX_LATENESS_S`](crate::MAX_LATENESS_S). They keep their order.
    pub fn set_lateness_s(&mut self, lateness_s: f64) {
        self.line.set_lateness_s(lateness_s);
    }

    /// Moves the car to a pose without touching its motion or commands.
    pub fn set_pose(&mut self, origin: DVec2, yaw_rad: f64) {
        self.origin_m = origin;
        self.yaw_rad = wrap_angle(yaw_rad);
    }

    /// Sets velocity, rate of turn and wheel angle, to continue from a recorded state.
    ///
    /// Figures no car reaches are bounded: 10 m/s along each axis, 30 rad/s, 30°; what is not a
    /// number becomes 0.
    pub fn set_motion(&mut self, motion: Motion) {
        self.motion = motion.bounded();
    }

    /// Drives for `duration_s` seconds under `command`.
    ///
    /// The command is bounded to ±30° and 0–4 m/s and, when it differs from the last one,
    /// acts after the generation's latency. Sub-steps last at most 1/120 s. The time
    /// it takes grows with the duration; one that is zero, negative or not finite moves nothing.
    pub fn drive(&mut self, command: Command, duration_s: f64) {
        let command = self.handling.trimmed(command.bounded());
        if self.line.is_prompt() {
            self.line.pass(command);
            self.drive_now(command, duration_s);
            return;
        }
        self.line.give(command);
        let mut left_s = if duration_s.is_finite() { duration_s } else { 0.0 };
        while left_s > 1e-9 {
            let (command, span_s) = self.line.next(left_s);
            self.drive_now(command, span_s);
            left_s -= span_s;
        }
    }

    /// Drives under a command that has arrived.
    fn drive_now(&mut self, command: Command, duration_s: f64) {
        if command != self.command {
            self.previous = self.contacts.joints(self.command);
            self.command = command;
            self.wait_s = self.contacts.latency_s;
        }
        if !duration_s.is_finite() || duration_s <= 0.0 {
            return;
        }
        let count = (duration_s * (SUBSTEPS / CONTROL_PERIOD_S) - 1e-9).ceil().max(1.0);
        let step_s = duration_s / count;
        let steering_share =
            if self.contacts.steering_lag_s > 0.0 { -(-step_s / self.contacts.steering_lag_s).exp_m1() } else { 1.0 };

        let wanted = self.contacts.joints(command);
        let mut heading = DVec2::from_angle(self.yaw_rad);
        let mut centre_m = to_world(self.origin_m, heading, DVec2::new(self.contacts.centre_of_mass_m, 0.0));
        let mut turned_rad = 0.0;
        for _ in 0..count as u64 {
            let joints = self.next_joints(wanted, step_s);
            let turn = self.contacts.step(&mut self.motion, joints, steering_share, step_s);
            heading = heading.rotate(turn);
            turned_rad += self.motion.yaw_rate_radps * step_s;
            centre_m += heading.rotate(self.motion.velocity_mps) * step_s;
        }
        self.yaw_rad = wrap_angle(self.yaw_rad + turned_rad);
        let heading = DVec2::from_angle(self.yaw_rad);
        self.origin_m = to_world(centre_m, heading, DVec2::new(-self.contacts.centre_of_mass_m, 0.0));
    }

    /// What the joints follow during the next sub-step: while a change is on its way, the old
    /// and the new mixed by the time each of them acts.
    #[inline]
    fn next_joints(&mut self, wanted: Joints, step_s: f64) -> Joints {
        if self.wait_s <= 0.0 {
            return wanted;
        }
        let share = (1.0 - self.wait_s / step_s).max(0.0);
        self.wait_s -= step_s;
        let old = self.previous;
        Joints {
            steering_rad: old.steering_rad + (wanted.steering_rad - old.steering_rad) * share,
            tread_mps: old.tread_mps + (wanted.tread_mps - old.tread_mps) * share,
        }
    }

    /// The generation the car was made with.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The figures the car drives with.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Model origin, metres: the point that poses, crash tests and the immobilised rule use.
    pub fn origin(&self) -> DVec2 {
        self.origin_m
    }

    /// Heading in (-π, π], counter-clockwise from +x.
    pub fn yaw_rad(&self) -> f64 {
        self.yaw_rad
    }

    /// Velocity of the centre of mass in the vehicle frame, rate of turn and wheel angle.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Speed of the model origin over the ground, m/s, never negative.
    pub fn speed_mps(&self) -> f64 {
        self.motion.velocity_at(&self.contacts, 0.0).length()
    }

    /// The point 0.14 m ahead of the model origin, which logs and progress refer to.
    pub fn front_point(&self) -> DVec2 {
        self.point(DVec2::new(FRONT_POINT_M, 0.0))
    }

    /// Wheel centres: left rear, right rear, left front, right front.
    pub fn wheel_points(&self) -> [DVec2; 4] {
        let heading = DVec2::from_angle(self.yaw_rad);
        WHEELS_M.map(|wheel| to_world(self.origin_m, heading, wheel))
    }

    /// Corners of the footprint rectangle, counter-clockwise from the front left one.
    pub fn footprint(&self) -> [DVec2; 4] {
        let heading = DVec2::from_angle(self.yaw_rad);
        let (x, y) = (FOOTPRINT_M.0 / 2.0, FOOTPRINT_M.1 / 2.0);
        [DVec2::new(x, y), DVec2::new(-x, y), DVec2::new(-x, -y), DVec2::new(x, -y)]
            .map(|corner| to_world(self.origin_m, heading, corner))
    }

    /// How far the car's nose points up, radians; see [`Generation::nose_up_rad`].
    pub fn nose_up_rad(&self) -> f64 {
        self.generation.nose_up_rad()
    }

    fn point(&self, local: DVec2) -> DVec2 {
        to_world(self.origin_m, DVec2::from_angle(self.yaw_rad), local)
    }
}
