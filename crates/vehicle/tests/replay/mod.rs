//! Predicting recorded poses from recorded commands.
//!
//! A car follows every recorded episode from its start, driven by the recorded commands. After
//! each row the estimate takes over the recorded pose, and part of the gap between the
//! predicted and the recorded pose goes into its velocities (poses are sampled at a jittering
//! instant, so one row says little about speed). From every third row a copy of the estimate
//! drives on without looking, and its distance from the recorded pose is the error.

pub(crate) mod candidates;
pub(crate) mod table;
pub(crate) mod traces;

use candidates::LagFormula;
use deepracer_vehicle::{
    CONTROL_PERIOD_S, CURRENT, Command, Generation, LEGACY_3_4, LEGACY_5, Vehicle, body::wrap_angle,
};
use glam::DVec2;
use traces::{Episode, Row, TraceSet};

/// Rows that a prediction runs ahead: 0.53 s, 1.0 s, 2.0 s.
pub(crate) const HORIZONS_ROWS: [usize; 3] = [8, 15, 30];

/// Predictions start here, once the estimate has settled.
const FIRST_ROW: usize = 6;

/// Predictions start this many rows apart.
const STRIDE_ROWS: usize = 3;

/// A model of the car that can be held against recorded rows.
pub(crate) trait Candidate: Clone {
    /// A car standing with its front point here.
    fn standing(&self, front: DVec2, yaw_rad: f64) -> Self;
    /// One control period.
    fn drive(&mut self, command: Command);
    /// The front point and the heading.
    fn pose(&self) -> (DVec2, f64);
    /// Moves the car to a recorded pose and adds to its velocities: along and across the
    /// car at the front point in m/s, and the rate of turn in rad/s.
    fn correct(&mut self, row: &Row, front_mps: DVec2, yaw_rate_radps: f64);
}

/// Position error in metres and heading error in radians of one prediction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miss {
    pub(crate) position_m: f64,
    pub(crate) yaw_rad: f64,
}

/// Errors at one horizon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    pub(crate) position_median_m: f64,
    pub(crate) position_p90_m: f64,
    pub(crate) yaw_median_deg: f64,
    /// How many predictions these are taken over.
    pub(crate) count: usize,
}

/// The errors of the candidates on the held-out episodes of one trace set, for each horizon.
pub(crate) struct Comparison {
    /// Four contacts with the figures the generation drives with.
    pub(crate) fitted: [Errors; 3],
    /// Four contacts with the documented figures.
    pub(crate) documented: [Errors; 3],
    /// The compact lag formula with the documented figures.
    pub(crate) lag_formula: [Errors; 3],
}

/// Replays the held-out episodes of a set: every third one, which the fit has not seen.
pub(crate) fn compare(set: &TraceSet, episodes: &[Episode]) -> Comparison {
    let held_out: Vec<&Episode> = episodes.iter().skip(1).step_by(3).collect();
    let documented = match set.generation {
        Generation::A => LEGACY_3_4,
        Generation::B => LEGACY_5,
        Generation::C => CURRENT,
    };
    let documented = Vehicle::with_contacts(set.generation, documented);
    Comparison {
        fitted: errors(&Vehicle::new(set.generation), &held_out),
        documented: errors(&documented, &held_out),
        lag_formula: errors(&LagFormula::new(set.generation), &held_out),
    }
}

/// Errors of a candidate on some episodes, for each horizon.
fn errors<C: Candidate>(candidate: &C, episodes: &[&Episode]) -> [Errors; 3] {
    misses(candidate, episodes).map(|misses| {
        let position_m: Vec<f64> = misses.iter().map(|miss| miss.position_m).collect();
        let yaw_rad: Vec<f64> = misses.iter().map(|miss| miss.yaw_rad).collect();
        Errors {
            position_median_m: quantile(position_m.clone(), 0.5),
            position_p90_m: quantile(position_m, 0.9),
            yaw_median_deg: quantile(yaw_rad, 0.5).to_degrees(),
            count: misses.len(),
        }
    })
}

/// The value below which the given share of the values lies.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = (values.len().saturating_sub(1) as f64 * share) as usize;
    values.get(index).copied().unwrap_or(f64::NAN)
}

/// The misses of a candidate while driving, for each horizon.
fn misses<C: Candidate>(candidate: &C, episodes: &[&Episode]) -> [Vec<Miss>; 3] {
    let mut misses = [Vec::new(), Vec::new(), Vec::new()];
    for rows in episodes {
        let mut estimate = candidate.standing(rows[0].front, rows[0].yaw_rad);
        for (index, pair) in rows.windows(2).enumerate() {
            if index >= FIRST_ROW && (index - FIRST_ROW).is_multiple_of(STRIDE_ROWS) {
                predict(&estimate, &rows[index..], &mut misses);
            }
            follow(&mut estimate, pair[0].command, &pair[1]);
        }
    }
    misses
}

fn predict<C: Candidate>(estimate: &C, rows: &[Row], misses: &mut [Vec<Miss>; 3]) {
    let mut car = estimate.clone();
    for ahead in 1..rows.len().min(HORIZONS_ROWS[2] + 1) {
        car.drive(rows[ahead - 1].command);
        if let Some(horizon) = HORIZONS_ROWS.iter().position(|&rows| rows == ahead) {
            let (front, yaw_rad) = car.pose();
            misses[horizon].push(Miss {
                position_m: front.distance(rows[ahead].front),
                yaw_rad: wrap_angle(yaw_rad - rows[ahead].yaw_rad).abs(),
            });
        }
    }
}

/// Drives one period and corrects the estimate by the recorded row.
fn follow<C: Candidate>(estimate: &mut C, command: Command, row: &Row) {
    /// Part of the gap, taken as a velocity over one row, that the estimate accepts.
    const GAIN_ALONG: f64 = 0.25;
    const GAIN_ACROSS: f64 = 0.2;
    const GAIN_YAW: f64 = 0.45;
    estimate.drive(command);
    let (front, yaw_rad) = estimate.pose();
    let gap = DVec2::from_angle(-row.yaw_rad).rotate(row.front - front) / CONTROL_PERIOD_S;
    let yaw_gap = wrap_angle(row.yaw_rad - yaw_rad) / CONTROL_PERIOD_S;
    estimate.correct(row, DVec2::new(gap.x * GAIN_ALONG, gap.y * GAIN_ACROSS), yaw_gap * GAIN_YAW);
}
