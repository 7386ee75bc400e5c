//! Crashes with boxes recorded by the original simulator: the recorded poses, judged by our rules.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deepracer_race::Lane;
use deepracer_race::collision::is_hit;
use deepracer_track::{Difference, Direction, Library, Track};
use deepracer_vehicle::{FRONT_POINT_M, Generation, Vehicle};
use deepracer_world::{Body, BodyShape, BoxKind};
use glam::DVec2;

struct Row {
    episode: u32,
    car: Vehicle,
    done: bool,
    status: String,
}

fn shared_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("DEEPRACER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = folder.join("data/traces/2023-02_v5_2022_reinvent_champ_obstacles");
    folder.is_dir().then_some(folder)
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |index: usize| fields[index].parse::<f64>().expect("a number");
    let yaw_rad = number(4).to_radians();
    let mut car = Vehicle::new(Generation::B);
    car.place(DVec2::new(number(2), number(3)) - FRONT_POINT_M * DVec2::from_angle(yaw_rad), yaw_rad);
    Row { episode: number(0) as u32, car, done: fields[9] == "True", status: fields[15].to_owned() }
}

/// Where boxes were is not recorded; they stood on a lane, somewhere. For every recorded crash there is such a place
/// where our rule fires in the step that was judged a crash and in no step before; and the crash ended the episode.
#[test]
fn every_recorded_crash_is_one_by_our_rule_and_no_step_before_it_is() {
    let Some(folder) = shared_folder() else {
        eprintln!("skipped: the shared folder with recorded traces is not there; set DEEPRACER_SHARED");
        return;
    };
    let route = Library::new(None).load("2022_reinvent_champ_ccw").expect("a built-in track");
    let track = Track::new(Arc::new(route), Direction::Forward).expect("a usable route");
    let mut rows: Vec<Row> = Vec::new();
    for iteration in 0..4 {
        let text = fs::read_to_string(folder.join(format!("{iteration}-iteration.csv"))).expect("readable");
        rows.extend(text.lines().skip(1).map(row));
    }
    let mut num_crashes = 0;
    for episode in rows.chunk_by(|one, next| one.episode == next.episode) {
        let (last, before) = episode.split_last().expect("rows");
        assert!(before.iter().all(|row| row.status != "crashed" && !row.done));
        if last.status != "crashed" {
            continue;
        }
        num_crashes += 1;
        assert!(last.done, "no resets in training");
        let at_m = track.ndist(last.car.origin()) * track.length_m();
        let places = (-60..=60).flat_map(|step| [Lane::Inner, Lane::Outer].map(|lane| (f64::from(step) * 0.01, lane)));
        let fitting = places
            .map(|(ahead_m, lane)| lane.pose(&track, at_m + ahead_m, Difference::Central))
            .map(|pose| Body::new(BodyShape::Box(BoxKind::Plain), pose.position, pose.yaw_rad))
            // The prepare step is not judged.
            .filter(|body| is_hit(&last.car, body) && before.iter().skip(1).all(|row| !is_hit(&row.car, body)))
            .count();
        assert!(fitting > 0, "episode {}", last.episode);
    }
    assert_eq!(num_crashes, 8);
}
