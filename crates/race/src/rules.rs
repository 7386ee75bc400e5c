//! The rules that end an episode or cost time.
//!
//! | status | when |
//! |---|---|
//! | `lap_complete` | progress reaches 100 % (in continuous racing: of the last lap) |
//! | `crashed` | a corner of the car's rectangle is strictly inside an obstacle's, or inside that of a car ahead of it |
//! | `off_track` | none of the four wheel centres is on the road |
//! | `immobilized` | the car's origin moved at most 0.3 mm per step for 15 steps |
//! | `reversed` | progress fell for 15 steps in a row |
//! | end of the world | 100,000 steps in one episode |
//!
//! With resets left, a mishap costs a penalty and the car is put back on the road; without, it ends the episode. Only
//! after running into another car it stays where it is.

use crate::status::EpisodeStatus;

/// Steps without movement, or of falling progress, before a rule fires (one second).
pub const NUM_LATCH_STEPS: u32 = 15;
/// A car that moves no further than this in a step stands still.
pub const IMMOBILIZED_DISTANCE_M: f64 = 0.0003;
/// No episode is longer.
pub const MAX_EPISODE_STEPS: u32 = 100_000;

/// Seconds of waiting after each kind of mishap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// After leaving the road.
    pub off_track_s: f64,
    /// After driving into something.
    pub collision_s: f64,
    /// After driving backwards.
    pub reversed_s: f64,
    /// After standing still.
    pub immobilized_s: f64,
}

/// What counts as a finished race and what a mishap costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Laps of one episode: 1, or the number of trials in continuous racing.
    pub num_laps: u32,
    /// Mishaps forgiven per episode; the next one ends it. Training forgives none.
    pub num_resets: u32,
    /// Waiting times of forgiven mishaps.
    pub penalties: Penalties,
    /// Consecutive steps of falling progress that count as driving backwards.
    pub num_reverse_steps: u32,
    /// How far behind an obstacle the car is put when the obstacle is within a metre of where it would be put, metres.
    pub reset_behind_m: f64,
    /// Helps a car past an obstacle it cannot get by.
    pub mercy: Option<Mercy>,
}

/// How a car is helped past an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mercy {
    /// Resets in a row at the same obstacle of which the last puts the car ahead of it, at least 1.
    pub num_resets: u32,
    /// How far ahead of the obstacle, metres.
    pub ahead_m: f64,
}

impl Mercy {
    /// The original's figures: the third reset, 1 m ahead.
    pub const DEFAULT: Self = Self { num_resets: 3, ahead_m: 1.0 };
}

impl Rules {
    /// Training: one lap, the first mishap ends the episode, nothing costs time.
    pub const fn training() -> Self {
        Self {
            num_laps: 1,
            num_resets: 0,
            penalties: Penalties { off_track_s: 0.0, collision_s: 0.0, reversed_s: 0.0, immobilized_s: 0.0 },
            num_reverse_steps: NUM_LATCH_STEPS,
            reset_behind_m: 1.0,
            mercy: None,
        }
    }

    /// Seconds of waiting after `status`.
    pub fn penalty_s(&self, status: EpisodeStatus) -> f64 {
        match status {
            EpisodeStatus::OffTrack => self.penalties.off_track_s,
            EpisodeStatus::Crashed => self.penalties.collision_s,
            EpisodeStatus::Reversed => self.penalties.reversed_s,
            EpisodeStatus::Immobilized => self.penalties.immobilized_s,
            _ => 0.0,
        }
    }
}

/// What the rules look at in one step.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// Progress now, percent.
    pub progress: f64,
    /// Progress one step earlier, percent.
    pub previous_progress: f64,
    /// Distance the car's origin moved since the step before, metres.
    pub moved_m: f64,
    /// No wheel is on the road.
    pub off_track: bool,
    /// The car touches something and is the one to blame.
    pub crashed: bool,
}

/// Counters of the rules that look back over several steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Referee {
    num_still: u32,
    num_backward: u32,
}

impl Referee {
    /// Judges a step of driving. When several rules hold, the first in the order lap, crash, off track, immobilized,
    /// reversed is reported, as in the original.
    pub fn judge(&mut self, rules: &Rules, seen: &Observed) -> EpisodeStatus {
        self.num_still = if seen.moved_m <= IMMOBILIZED_DISTANCE_M { self.num_still + 1 } else { 0 };
        self.num_backward = if seen.progress < seen.previous_progress { self.num_backward + 1 } else { 0 };
        if seen.progress >= 100.0 {
            EpisodeStatus::LapComplete
        } else if seen.crashed {
            EpisodeStatus::Crashed
        } else if seen.off_track {
            EpisodeStatus::OffTrack
        } else if self.num_still >= NUM_LATCH_STEPS {
            EpisodeStatus::Immobilized
        } else if self.num_backward >= rules.num_reverse_steps {
            EpisodeStatus::Reversed
        } else {
            EpisodeStatus::InProgress
        }
    }

    /// Forgets everything: after a lap, a reset, a pause.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVING: Observed =
        Observed { progress: 10.0, previous_progress: 9.0, moved_m: 0.1, off_track: false, crashed: false };

    fn steps_until(status: EpisodeStatus, seen: Observed) -> u32 {
        let mut referee = Referee::default();
        (1..100).find(|_| referee.judge(&Rules::training(), &seen) == status).expect("the rule fires")
    }

    #[test]
    fn standing_still_is_judged_at_the_fifteenth_step() {
        assert_eq!(steps_until(EpisodeStatus::Immobilized, Observed { moved_m: 0.0003, ..DRIVING }), 15);
    }

    #[test]
    fn falling_progress_is_judged_at_the_fifteenth_step() {
        assert_eq!(steps_until(EpisodeStatus::Reversed, Observed { previous_progress: 11.0, ..DRIVING }), 15);
    }

    #[test]
    fn one_forward_step_forgives_falling_progress() {
        let mut referee = Referee::default();
        let back = Observed { previous_progress: 11.0, ..DRIVING };
        for _ in 0..14 {
            assert_eq!(referee.judge(&Rules::training(), &back), EpisodeStatus::InProgress);
        }
        referee.judge(&Rules::training(), &DRIVING);
        assert_eq!(referee.judge(&Rules::training(), &back), EpisodeStatus::InProgress);
    }

    #[test]
    fn a_finished_lap_beats_every_mishap() {
        let seen = Observed { progress: 100.0, off_track: true, crashed: true, ..DRIVING };
        assert_eq!(Referee::default().judge(&Rules::training(), &seen), EpisodeStatus::LapComplete);
        let seen = Observed { off_track: true, crashed: true, ..DRIVING };
        assert_eq!(Referee::default().judge(&Rules::training(), &seen), EpisodeStatus::Crashed);
    }
}
