//! Progress, closest waypoint and wheels on track, recomputed from the recorded poses of the original simulator.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use deepracer_track::{Direction, Track, progress};
use flate2::read::GzDecoder;
use glam::DVec2;

mod shared;

/// Model origin to front point, the point recorded as x and y.
const FRONT_POINT_M: f64 = 0.14;

/// Wheel centres from the model origin.
const WHEELS_M: [DVec2; 4] = [
    DVec2::new(-0.081_663, 0.081_05),
    DVec2::new(-0.081_663, -0.081_05),
    DVec2::new(0.082_311, 0.079_601),
    DVec2::new(0.082_311, -0.079_601),
];

struct Row {
    step: f64,
    front: DVec2,
    yaw_rad: f64,
    all_wheels_on_track: bool,
    progress: f64,
    closest_waypoint: usize,
}

/// The rows of all files of a folder, in the order of their names.
fn read_rows(folder: &Path) -> Vec<Row> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files.iter().flat_map(|file| read_file(file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the shared folder is readable") {
        let path = entry.expect("the shared folder is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "csv" || kind == "gz") {
            files.push(path);
        }
    }
}

fn read_file(path: &Path) -> Vec<Row> {
    const MARK: &str = "SIM_TRACE_LOG:";
    let bytes = fs::read(path).expect("the shared folder is readable");
    let packed = path.extension().is_some_and(|kind| kind == "gz");
    let mut text = Vec::new();
    if packed {
        GzDecoder::new(&bytes[..]).read_to_end(&mut text).expect("a gzip file");
    } else {
        text = bytes;
    }
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| if packed { line.split_once(MARK).map(|(_, row)| row) } else { Some(line) })
        .filter_map(row)
        .collect()
}

/// A row of either format; `None` for a heading.
fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let number = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some(Row {
        step: number(1)?,
        front: DVec2::new(number(2)?, number(3)?),
        yaw_rad: number(4)?.to_radians(),
        all_wheels_on_track: *fields.get(10)? == "True",
        progress: number(11)?,
        closest_waypoint: number(12)? as usize,
    })
}

/// One set of traces and how many of its rows may disagree.
struct Case {
    folder: &'static str,
    route: &'static str,
    /// Episodes start at a multiple of 5 % of the route; otherwise the start is taken from the first row's progress.
    starts_on_grid: bool,
    /// How far progress may differ, in percent of a lap.
    progress_tolerance: f64,
    /// How many indices the closest waypoint may differ; `None` where the rows of the route are others.
    waypoint_tolerance: Option<usize>,
    progress_misses: usize,
    waypoint_misses: usize,
    wheel_misses: usize,
}

/// Logs round positions to 0.1 mm; progress can follow to that, and no further.
const ROUNDING_PERCENT: f64 = 0.002;

/// Of the 34 865 rows on published routes 25 disagree somewhere. They are of these kinds:
///
/// * *wheels*: a wheel centre within 1.5 mm of the border. The original reads the wheels' poses one after the other,
///   not at the instant of the recorded pose (most rows).
/// * *wheels*, first row of an episode or of a penalty: the wheels' poses are those before the car was put down, or
///   the other way round (generation A once, the 2026 port four times).
/// * *progress*: the car far inside a bend, as far from one segment as from another; a tenth of a millimetre of
///   rounding moves the nearest point by up to 25 cm.
/// * *waypoint*: as far from one waypoint as from the next, to the rounding.
///
/// Two sets ran on routes that are not among the published files:
///
/// * `2022_reinvent_champ` without suffix: the same line as the counter-clockwise file, with other rows near the
///   start. Progress and wheels agree in every row; waypoint indices are off by up to 4.
/// * `reinvent_base` of 2020: 17.67 m instead of 17.71 m round, 71 rows instead of 119, and a little differently
///   drawn. Progress still agrees to half a percent of a lap (but for 54 rows), wheels in 94 of 100 rows.
const CASES: [Case; 7] = [
    Case {
        folder: "2020-08_v3_reinvent_base_train",
        route: "reinvent_base",
        starts_on_grid: false,
        progress_tolerance: 0.5,
        waypoint_tolerance: None,
        progress_misses: 54,
        waypoint_misses: 0,
        wheel_misses: 1692,
    },
    Case {
        folder: "2022-07_v4_reinvent_base_drfc1",
        route: "reinvent_base",
        starts_on_grid: true,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(0),
        progress_misses: 0,
        waypoint_misses: 0,
        wheel_misses: 2,
    },
    Case {
        folder: "2022-07_v5_reinvent_base_train",
        route: "reinvent_base",
        starts_on_grid: true,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(0),
        progress_misses: 0,
        waypoint_misses: 1,
        wheel_misses: 1,
    },
    Case {
        folder: "2022-06_v5_2022_june_pro_train",
        route: "2022_june_pro",
        starts_on_grid: true,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(0),
        progress_misses: 3,
        waypoint_misses: 0,
        wheel_misses: 2,
    },
    Case {
        folder: "2023_v5_FS_June2020_train",
        route: "FS_June2020",
        starts_on_grid: true,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(0),
        progress_misses: 2,
        waypoint_misses: 1,
        wheel_misses: 6,
    },
    Case {
        folder: "2023-02_v5_2022_reinvent_champ_obstacles",
        route: "2022_reinvent_champ_ccw",
        starts_on_grid: false,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(4),
        progress_misses: 0,
        waypoint_misses: 0,
        wheel_misses: 0,
    },
    Case {
        folder: "2026-03_v6port_Spain_track",
        route: "Spain_track",
        starts_on_grid: true,
        progress_tolerance: ROUNDING_PERCENT,
        waypoint_tolerance: Some(0),
        progress_misses: 0,
        waypoint_misses: 0,
        wheel_misses: 7,
    },
];

/// Rows that disagree in each of the three.
#[derive(Default)]
struct Misses {
    progress: usize,
    waypoint: usize,
    wheels: usize,
}

impl Case {
    fn count(&self, track: &Track, rows: &[Row]) -> Misses {
        let mut misses = Misses::default();
        let (mut start, mut previous) = (0.0, 0.0);
        for row in rows {
            let ndist = track.ndist(row.front);
            if row.step == 1.0 {
                start = self.start_ndist(ndist, row.progress);
                previous = 0.0;
            }
            let percent = progress::percent(ndist, start, previous);
            previous = if percent == 100.0 { 0.0 } else { percent };
            if (percent - row.progress).abs() > self.progress_tolerance {
                misses.progress += 1;
            }
            let apart = closest_waypoint(track, ndist, row.front).abs_diff(row.closest_waypoint);
            let apart = apart.min(track.waypoints().len().saturating_sub(apart));
            if self.waypoint_tolerance.is_some_and(|tolerance| apart > tolerance) {
                misses.waypoint += 1;
            }
            if all_wheels_on_track(track, row) != row.all_wheels_on_track {
                misses.wheels += 1;
            }
        }
        misses
    }

    /// Where an episode started. The first pose of an episode need not lie there: it may be the last of the one before.
    fn start_ndist(&self, ndist: f64, percent: f64) -> f64 {
        let start = ndist - percent / 100.0;
        if self.starts_on_grid { (start * 20.0).round() / 20.0 } else { start }
    }
}

/// The nearer of the waypoints behind and ahead, the one that is recorded.
fn closest_waypoint(track: &Track, ndist: f64, front: DVec2) -> usize {
    let [behind, ahead] = track.closest_waypoints(ndist);
    let distance = |index: usize| track.waypoints()[index].distance(front);
    if distance(behind) <= distance(ahead) { behind } else { ahead }
}

fn all_wheels_on_track(track: &Track, row: &Row) -> bool {
    let heading = DVec2::from_angle(row.yaw_rad);
    let origin = row.front - heading * FRONT_POINT_M;
    WHEELS_M.iter().all(|wheel| track.is_on_road(origin + heading.rotate(*wheel)))
}

#[test]
fn recorded_rows_are_reproduced() {
    let Some(routes) = shared::routes() else { return };
    for case in CASES {
        let track = Track::new(Arc::new(shared::published(&routes, case.route)), Direction::Forward)
            .expect("the published route is fit to drive");
        let rows = read_rows(&routes.join("../traces").join(case.folder));
        assert!(rows.len() > 1000, "{}: only {} rows", case.folder, rows.len());
        let misses = case.count(&track, &rows);
        let agreement = |misses: usize| format!("{:.2} %", 100.0 * (1.0 - misses as f64 / rows.len() as f64));
        println!(
            "{}: {} rows agree in progress {}, waypoint {}, wheels {}",
            case.folder,
            rows.len(),
            agreement(misses.progress),
            case.waypoint_tolerance.map_or_else(|| "not compared".to_owned(), |_| agreement(misses.waypoint)),
            agreement(misses.wheels),
        );
        assert!(misses.progress <= case.progress_misses, "{}: progress, {} rows", case.folder, misses.progress);
        assert!(misses.waypoint <= case.waypoint_misses, "{}: waypoint, {} rows", case.folder, misses.waypoint);
        assert!(misses.wheels <= case.wheel_misses, "{}: wheels, {} rows", case.folder, misses.wheels);
    }
}
