//! How one car differs from the figures of its generation.

use crate::{
    command::{Command, MAX_STEERING_RAD},
    contacts::Contacts,
};

/// The longest a command can be late, s.
pub const MAX_LATENESS_S: f64 = 1.0;

/// How one car differs from the figures of its generation. The default differs in nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handling {
    /// Friction of all wheels, times that of the generation.
    pub grip: f64,
    /// The wheels stand at this angle, rad, left positive, when they are told to stand straight.
    pub steering_bias_rad: f64,
}

impl Default for Handling {
    fn default() -> Self {
        Self { grip: 1.0, steering_bias_rad: 0.0 }
    }
}

impl Handling {
    /// The figures of a generation on this car's tyres.
    pub(crate) fn contacts(&self, nominal: &Contacts) -> Contacts {
        Contacts {
            friction_along: nominal.friction_along * self.grip,
            front_friction_across: nominal.front_friction_across * self.grip,
            rear_friction_across: nominal.rear_friction_across * self.grip,
            ..*nominal
        }
    }

    /// What the servo makes of a command.
    pub(crate) fn trimmed(&self, command: Command) -> Command {
        if self.steering_bias_rad == 0.0 {
            return command;
        }
        let steering_rad = (command.steering_rad + self.steering_bias_rad).clamp(-MAX_STEERING_RAD, MAX_STEERING_RAD);
        Command { steering_rad, ..command }
    }
}

/// Commands that can be on their way at a time: more than control periods in [`MAX_LATENESS_S`].
const MAX_ON_THEIR_WAY: usize = 20;

/// Commands on their way to the car. They arrive in the order they were given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    lateness_s: f64,
    /// What arrived last.
    arrived: Command,
    /// What was given last.
    given: Command,
    /// Seconds left until each arrives, and what it is.
    on_their_way: [(f64, Command); MAX_ON_THEIR_WAY],
    len: usize,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self {
            lateness_s: 0.0,
            arrived: Command::STOP,
            given: Command::STOP,
            on_their_way: [(0.0, Command::STOP); MAX_ON_THEIR_WAY],
            len: 0,
        }
    }

    /// Commands given from now on arrive this late.
    pub(crate) fn set_lateness_s(&mut self, lateness_s: f64) {
        self.lateness_s = if lateness_s.is_nan() { 0.0 } else { lateness_s.clamp(0.0, MAX_LATENESS_S) };
    }

    /// Forgets what is on its way; the car stands still.
    pub(crate) fn clear(&mut self) {
        *self = Self { lateness_s: self.lateness_s, ..Self::new() };
    }

    /// Whether commands act at once.
    pub(crate) fn is_prompt(&self) -> bool {
        self.lateness_s == 0.0 && self.len == 0
    }

    /// Sends a command on its way, if it is a new one.
    pub(crate) fn give(&mut self, command: Command) {
        if command == self.given {
            return;
        }
        self.given = command;
        if self.len == MAX_ON_THEIR_WAY {
            self.arrive();
        }
        let before_s = self.on_their_way[..self.len].last().map_or(0.0, |(left_s, _)| *left_s);
        self.on_their_way[self.len] = (self.lateness_s.max(before_s), command);
        self.len += 1;
    }

    /// What drives the car now, and for how much of `left_s`.
    pub(crate) fn next(&mut self, left_s: f64) -> (Command, f64) {
        while self.len > 0 && self.on_their_way[0].0 <= 1e-9 {
            self.arrive();
        }
        let on_their_way = &mut self.on_their_way[..self.len];
        let span_s = on_their_way.first().map_or(left_s, |(wait_s, _)| wait_s.min(left_s));
        for (wait_s, _) in on_their_way {
            *wait_s -= span_s;
        }
        (self.arrived, span_s)
    }

    /// What drives the car while nothing is late.
    pub(crate) fn pass(&mut self, command: Command) {
        self.given = command;
        self.arrived = command;
    }

    fn arrive(&mut self) {
        self.arrived = self.on_their_way[0].1;
        self.on_their_way.copy_within(1..self.len, 0);
        self.len -= 1;
    }
}
