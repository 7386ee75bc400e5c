//! Traces of the original, read column by column and written by our writer, must come out byte for byte.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed step fails the test")]

use std::path::{Path, PathBuf};

use deepracer_job::artefact::simtrace::{ActionText, HEADER, StepRow, Trace};
use deepracer_race::EpisodeStatus;

fn shared_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("DEEPRACER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    folder.join("data/traces").is_dir().then_some(folder)
}

fn row_of(line: &str) -> StepRow {
    let columns: Vec<&str> = line.split(',').collect();
    let float = |index: usize| columns[index].parse::<f64>().unwrap();
    StepRow {
        episode: columns[0].parse().unwrap(),
        steps: float(1) as u32,
        x: float(2),
        y: float(3),
        yaw_deg: float(4),
        steer_deg: float(5),
        throttle_mps: float(6),
        action: ActionText::Index(columns[7].parse().unwrap()),
        reward: float(8),
        done: columns[9] == "True",
        all_wheels_on_track: columns[10] == "True",
        progress: float(11),
        closest_waypoint: columns[12].parse().unwrap(),
        track_length_m: float(13),
        time_s: float(14),
        status: EpisodeStatus::ALL.into_iter().find(|status| status.code() == columns[15]).expect("a known status"),
        pause_s: float(16),
        obstacle_crash_counter: columns[17].parse().unwrap(),
        wall_clock_s: float(18),
    }
}

#[test]
fn recorded_traces_are_written_byte_for_byte() {
    let Some(shared) = shared_folder() else {
        eprintln!("skipped: the shared folder with recorded traces is not there; set DEEPRACER_SHARED");
        return;
    };
    let mut num_steps = 0;
    for name in ["train-0-iteration.csv", "train-1-iteration.csv", "eval-0.csv"] {
        let recorded =
            std::fs::read_to_string(shared.join("data/traces/2026-03_v6port_Spain_track").join(name)).unwrap();
        assert_eq!(recorded.lines().next(), Some(HEADER), "{name}");
        let mut trace = Trace::new();
        for line in recorded.lines().skip(1) {
            trace.push(&row_of(line));
        }
        num_steps += trace.num_steps();
        for (ours, theirs) in trace.csv().lines().zip(recorded.lines()) {
            assert_eq!(ours, theirs, "{name}");
        }
        assert_eq!(trace.csv().len(), recorded.len(), "{name}");
    }
    assert!(num_steps > 2000, "{num_steps}");
}
