//! The dynamics against recorded rows of the original simulator.

mod replay;

use std::{fs, path::Path};

use replay::{
    Comparison, Errors, compare, table,
    traces::{TRACE_SETS, TraceSet, shared_folder},
};

/// Position median and 90th percentile in metres, yaw median in degrees, for each horizon.
type Limits = [(f64, f64, f64); 3];

/// What the measurement study reached on its own traces: the rows of its table.
const SLOW_A: Limits = [(0.03, 0.06, 2.4), (0.06, 0.11, 4.0), (0.13, 0.27, 6.5)];
const MEDIUM_A: Limits = [(0.05, 0.10, 4.1), (0.11, 0.25, 6.8), (0.29, 0.7, 11.0)];
const FAST_B: Limits = [(0.08, 0.18, 6.5), (0.17, 0.42, 9.6), (0.43, 1.1, 14.5)];
const MEDIUM_C: Limits = [(0.06, 0.14, 4.2), (0.12, 0.29, 5.4), (0.27, 0.66, 7.5)];

/// For each of our sets the published row of its generation with the nearest commands. The set
/// with boxes is left out: its episodes are too short.
const PUBLISHED: [(&str, Limits); 6] = [
    ("2020-08_v3_reinvent_base_train", SLOW_A),
    ("2022-07_v4_reinvent_base_drfc1", MEDIUM_A),
    ("2022-07_v5_reinvent_base_train", FAST_B),
    ("2022-06_v5_2022_june_pro_train", FAST_B),
    ("2023_v5_FS_June2020_train", FAST_B),
    ("2026-03_v6port_Spain_track", MEDIUM_C),
];

/// The published figures are rounded to two digits, and a third of a set's episodes is a sample:
/// 5 % more is still no worse.
const TOLERANCE: f64 = 1.05;

/// Every set compared; none (said aloud) where there is no recorded data.
fn comparisons() -> Vec<(&'static TraceSet, Comparison)> {
    let Some(shared) = shared_folder() else {
        println!("skipped: no recorded data; set DEEPRACER_SHARED");
        return Vec::new();
    };
    TRACE_SETS.iter().map(|set| (set, compare(set, &set.read(&shared)))).collect()
}

fn published(set: &TraceSet) -> Option<Limits> {
    PUBLISHED.iter().find(|(folder, _)| *folder == set.folder).map(|(_, limits)| *limits)
}

/// Median position and yaw errors relative to the published ones, over all horizons.
fn score(errors: &[Errors; 3], limits: &Limits) -> f64 {
    let relative = |(errors, limits): (&Errors, &(f64, f64, f64))| {
        errors.position_median_m / limits.0 + errors.yaw_median_deg / limits.2
    };
    errors.iter().zip(limits).map(relative).sum()
}

#[test]
fn predictions_are_no_worse_than_the_published_ones() {
    for (set, comparison) in comparisons() {
        let Some(limits) = published(set) else { continue };
        for (errors, limits) in comparison.fitted.iter().zip(limits) {
            assert!(errors.count > 50, "{}: too few predictions", set.folder);
            for (found, limit) in [
                (errors.position_median_m, limits.0),
                (errors.position_p90_m, limits.1),
                (errors.yaw_median_deg, limits.2),
            ] {
                assert!(found <= limit * TOLERANCE, "{}: {found:.3}, not {limit}", set.folder);
            }
        }
    }
}

#[test]
fn the_chosen_model_predicts_best() {
    for (set, comparison) in comparisons() {
        let Some(limits) = published(set) else { continue };
        let chosen = score(&comparison.fitted, &limits);
        for (other, what) in [
            (score(&comparison.documented, &limits), "the documented figures"),
            (score(&comparison.lag_formula, &limits), "the lag formula"),
        ] {
            assert!(chosen < other, "{}: {chosen:.2}, {what} {other:.2}", set.folder);
        }
    }
}

#[test]
fn the_documented_table_is_the_measured_one() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/dynamics.md");
    let text = fs::read_to_string(page).expect("the page on dynamics is readable");
    assert!(text.contains(table::HEADER));
    for (set, comparison) in comparisons() {
        for line in table::lines(set, &comparison) {
            assert!(text.contains(&line), "run the example error_table; missing: {line}");
        }
    }
}
