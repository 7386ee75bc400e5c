//! Progress round the track from one step to the next.
//!
//! ```
//! use deepracer_track::progress;
//!
//! // Started at 20 % of the track, now a little behind the place it started from: nearly round...
//! assert_eq!(progress::percent(0.19, 0.2, 98.5), 99.0);
//! // ...or, at the first step, a little backwards.
//! assert!(progress::percent(0.19, 0.2, 0.0) < 0.0);
//! ```

/// A change beyond this between two steps is a crossing of the finish, not a drive.
const LARGEST_STEP_PERCENT: f64 = 50.0;

/// Progress of an episode in percent, from about -50 to 100, given the places now and at its start (fractions of the
/// length) and the previous step's progress.
///
/// Reproduces the original's arithmetic: crossing the finish forward is kept at 100, crossing it backward gives
/// negative values.
pub fn percent(ndist: f64, start_ndist: f64, previous_percent: f64) -> f64 {
    let mut percent = 100.0 * (ndist - start_ndist);
    if percent <= 0.0 {
        percent += 100.0;
    }
    if previous_percent > percent + LARGEST_STEP_PERCENT {
        percent += 100.0;
    }
    if percent > previous_percent + LARGEST_STEP_PERCENT {
        percent -= 100.0;
    }
    percent.min(100.0)
}

/// The way from one distance along a closed line to another, signed: positive ahead, at most half the length.
pub fn signed_gap_m(from_m: f64, to_m: f64, length_m: f64) -> f64 {
    let ahead_m = (to_m - from_m).rem_euclid(length_m);
    if ahead_m > length_m / 2.0 { ahead_m - length_m } else { ahead_m }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn a_lap_from_anywhere_runs_from_nearly_zero_to_a_hundred() {
        for start in [0.0, 0.3, 0.95] {
            let mut previous = 0.0;
            for step in 1..100 {
                let ndist = (start + f64::from(step) / 100.0).rem_euclid(1.0);
                previous = percent(ndist, start, previous);
                close(previous, f64::from(step));
            }
            close(percent((start + 0.005).rem_euclid(1.0), start, previous), 100.0);
        }
    }

    #[test]
    fn driving_back_over_the_start_gives_negative_progress() {
        close(percent(0.99, 0.0, 0.5), -1.0);
        close(percent(0.98, 0.0, -1.0), -2.0);
        close(percent(0.01, 0.0, -2.0), 1.0);
    }

    #[test]
    fn exactly_at_the_start_counts_by_what_came_before() {
        close(percent(0.2, 0.2, 0.0), 0.0);
        close(percent(0.2, 0.2, 99.0), 100.0);
    }

    #[test]
    fn gaps_take_the_short_way_round() {
        close(signed_gap_m(1.0, 3.0, 20.0), 2.0);
        close(signed_gap_m(19.0, 1.0, 20.0), 2.0);
        close(signed_gap_m(1.0, 19.0, 20.0), -2.0);
        close(signed_gap_m(0.0, 10.0, 20.0), 10.0);
    }
}
