//! What makes a race less perfect than the simulation, so that a policy learns not to count on it.

use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Handling};
use deepracer_world::chance;

/// How much episodes differ in how the car obeys. The default differs in nothing; ranges are drawn per episode from its seed,
/// evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimToReal {
    /// Commands arrive late by at most this much, seconds; the same in all of an episode.
    pub action_latency_s: f64,
    /// Each command is later still by at most this much, seconds.
    pub action_latency_jitter_s: f64,
    /// How often the car listens, per second: 15 is every control step; between two times it keeps to what it heard last.
    pub decision_rate_hz: f64,
    /// The grip is higher or lower by at most this share.
    pub grip: f64,
    /// The steering is off by at most this angle, rad.
    pub steering_bias_rad: f64,
}

impl Default for SimToReal {
    fn default() -> Self {
        Self {
            action_latency_s: 0.0,
            action_latency_jitter_s: 0.0,
            decision_rate_hz: 1.0 / CONTROL_PERIOD_S,
            grip: 0.0,
            steering_bias_rad: 0.0,
        }
    }
}

/// Where chances are drawn.
#[derive(Clone, Copy)]
enum Draw {
    Grip,
    SteeringBias,
    Latency,
    Jitter,
}

impl Draw {
    fn place(self) -> u64 {
        0x5352_4541_4C00 + self as u64
    }
}

impl SimToReal {
    /// The car of the episode with this seed.
    pub(crate) fn handling(&self, seed: u64) -> Handling {
        Handling {
            grip: 1.0 + chance::around_zero(seed, Draw::Grip.place(), self.grip),
            steering_bias_rad: chance::around_zero(seed, Draw::SteeringBias.place(), self.steering_bias_rad),
        }
    }

    /// How late a command given in this step is, seconds.
    pub(crate) fn lateness_s(&self, seed: u64, step: u32) -> f64 {
        if self.action_latency_s == 0.0 && self.action_latency_jitter_s == 0.0 {
            return 0.0;
        }
        let latency_s = self.action_latency_s * chance::share(seed, Draw::Latency.place());
        let of_steps = chance::mixed(seed, Draw::Jitter.place());
        latency_s + self.action_latency_jitter_s * chance::share(of_steps, u64::from(step))
    }

    /// What the car does in a step in which `command` is given; `held` is when and what it heard last.
    pub(crate) fn heard(&self, held: &mut Option<(u32, Command)>, step: u32, command: Command) -> Command {
        let number_of = |step: u32| (f64::from(step) * CONTROL_PERIOD_S * self.decision_rate_hz + 1e-9).floor();
        match *held {
            // Only what it heard since it was last held up counts.
            Some((last, kept)) if last + 1 == step && number_of(step) == number_of(last) => {
                *held = Some((step, kept));
                kept
            }
            _ => {
                *held = Some((step, command));
                command
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(step: u32) -> Command {
        Command::from_request(f64::from(step), 1.0)
    }

    fn heard(rate_hz: f64, steps: impl Iterator<Item = u32>) -> Vec<u32> {
        let sim = SimToReal { decision_rate_hz: rate_hz, ..SimToReal::default() };
        let mut held = None;
        steps.map(|step| sim.heard(&mut held, step, command(step)).steering_rad.to_degrees().round() as u32).collect()
    }

    #[test]
    fn at_ten_a_second_every_third_command_is_not_heard() {
        assert_eq!(heard(10.0, 2..14), [2, 3, 3, 5, 6, 6, 8, 9, 9, 11, 12, 12]);
        assert_eq!(heard(15.0, 2..14), (2..14).collect::<Vec<_>>());
        assert_eq!(heard(5.0, 3..12), [3, 3, 3, 6, 6, 6, 9, 9, 9]);
    }

    #[test]
    fn after_a_pause_the_first_command_is_heard() {
        assert_eq!(heard(5.0, (3..5).chain(8..10)), [3, 3, 8, 9]);
    }

    #[test]
    fn draws_stay_within_their_ranges_repeat_and_differ_by_seed() {
        let sim = SimToReal {
            action_latency_s: 0.2,
            action_latency_jitter_s: 0.05,
            grip: 0.3,
            steering_bias_rad: 0.04,
            ..SimToReal::default()
        };
        let mut grips = Vec::new();
        for seed in 0..200 {
            let Handling { grip, steering_bias_rad } = sim.handling(seed);
            assert!((0.7..=1.3).contains(&grip) && steering_bias_rad.abs() <= 0.04);
            assert_eq!(sim.handling(seed), sim.handling(seed));
            let late: Vec<f64> = (0..50).map(|step| sim.lateness_s(seed, step)).collect();
            let least = late.iter().copied().fold(1.0, f64::min);
            let most = late.iter().copied().fold(0.0, f64::max);
            // One latency per episode, a jitter per step.
            assert!(least >= 0.0 && most <= 0.25 && most - least <= 0.05 && most > least, "{least} {most}");
            grips.push(grip);
        }
        assert!(grips.iter().any(|grip| *grip < 0.8) && grips.iter().any(|grip| *grip > 1.2));
        assert_eq!(SimToReal::default().handling(9), Handling::default());
        assert_eq!(SimToReal::default().lateness_s(9, 3), 0.0);
    }
}
