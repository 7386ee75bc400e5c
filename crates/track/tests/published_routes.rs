//! The geometry of every published route against the reference table, and the catalogue against the same table.

mod shared;

use std::collections::HashMap;
use std::path::Path;

use deepracer_track::catalogue::{self, Winding};
use deepracer_track::check::{self, Problem, Severity};
use deepracer_track::{Difference, Direction, Library, Line, Polyline, Track};
use glam::DVec2;

/// One line of `tracks.csv`, by column.
struct Row(HashMap<String, String>);

impl Row {
    fn text(&self, column: &str) -> &str {
        &self.0[column]
    }

    fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{column}: {}", self.text(column)))
    }

    fn bounds(&self) -> [f64; 4] {
        let values: Vec<f64> =
            self.text("outer_bounds").split(' ').map(|value| value.parse().expect("a number")).collect();
        values.try_into().expect("four numbers")
    }
}

fn reference() -> Option<Vec<Row>> {
    let routes = shared::routes()?;
    let table = std::fs::read_to_string(routes.join("../../reference/tracks.csv")).ok()?;
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next()?.split(',').collect();
    let row =
        |line: &str| Row(columns.iter().map(ToString::to_string).zip(line.split(',').map(str::to_owned)).collect());
    Some(lines.map(row).collect())
}

#[track_caller]
fn close(what: &str, value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, not {expected}");
}

/// Every 5 cm along a line.
fn samples(line: &Polyline) -> impl Iterator<Item = f64> {
    let count = (line.length_m() / 0.05).floor() as u32;
    (0..=count).map(|index| f64::from(index) * 0.05)
}

/// Radius of the circle through three points.
fn radius(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let doubled_area = (b - a).perp_dot(c - a).abs();
    a.distance(b) * b.distance(c) * c.distance(a) / (2.0 * doubled_area)
}

fn compare(row: &Row, routes: &Path) {
    let name = row.text("name");
    let what = |column: &str| format!("{name}, {column}");
    let route = shared::published(routes, name);
    let repeated = route.center.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!(route.num_waypoints() as f64, row.number("n_waypoints"), "{name}");
    assert_eq!(repeated as f64, row.number("n_zero_length_segments"), "{name}");
    assert_eq!((route.num_waypoints() - repeated) as f64, row.number("n_waypoints_deduplicated"), "{name}");
    assert_eq!(if route.closed { "yes" } else { "no" }, row.text("closed"), "{name}");

    let track = Track::new(route.into(), Direction::Forward).expect("a track");
    let center = track.line(Line::Center);
    // Figures of the table are rounded; half a last digit more for the rounding.
    close(&what("length"), track.length_m(), row.number("length_m"), 1e-4);
    let widths: Vec<f64> =
        samples(center).map(|distance_m| track.nearest(center.point_at(distance_m)).width_m()).collect();
    let mean = widths.iter().sum::<f64>() / widths.len() as f64;
    close(&what("mean width"), mean, row.number("mean_width_m"), 2e-4);
    close(&what("min width"), widths.iter().copied().fold(f64::INFINITY, f64::min), row.number("min_width_m"), 1e-3);
    close(&what("max width"), widths.iter().copied().fold(0.0, f64::max), row.number("max_width_m"), 1e-3);
    if track.is_closed() {
        let around = |d: f64| radius(center.point_at(d - 0.25), center.point_at(d), center.point_at(d + 0.25));
        let tightest = samples(center).map(around).fold(f64::INFINITY, f64::min);
        let expected = row.number("min_radius_m");
        close(&what("radius"), tightest, expected, 0.002 * expected);
    } else {
        assert_eq!(row.text("min_radius_m"), "inf");
    }
    let direction = match (track.is_closed(), track.is_ccw()) {
        (false, _) => "open",
        (true, true) => "ccw",
        (true, false) => "cw",
    };
    assert_eq!(direction, row.text("direction"), "{name}");

    let start = center.pose_at(0.0, Difference::Forward);
    close(&what("start x"), start.position.x, row.number("start_x"), 1e-4);
    close(&what("start y"), start.position.y, row.number("start_y"), 1e-4);
    close(&what("start yaw"), start.yaw_rad.to_degrees(), row.number("start_yaw_deg"), 0.006);
    let left =
        start.position + DVec2::from_angle(start.yaw_rad) * 0.01 + DVec2::from_angle(start.yaw_rad).perp() * 0.05;
    let inner_side = if track.is_in_inner_polygon(left) { "left" } else { "right" };
    assert_eq!(inner_side, row.text("inner_side_at_start"), "{name}");
    let (low, high) = track.bounds();
    for (value, expected) in [low.x, low.y, high.x, high.y].into_iter().zip(row.bounds()) {
        close(&what("bounds"), value, expected, 0.006);
    }
}

#[test]
fn geometry_of_every_route_is_that_of_the_reference_table() {
    let (Some(routes), Some(rows)) = (shared::routes(), reference()) else { return };
    assert_eq!(rows.len(), 127);
    for row in &rows {
        compare(row, &routes);
    }
}

#[test]
fn the_catalogue_is_the_reference_table() {
    let Some(rows) = reference() else { return };
    assert_eq!(rows.len(), catalogue::all().len());
    for (row, info) in rows.iter().zip(catalogue::all()) {
        assert_eq!(info.name, row.text("name"));
        assert_eq!(info.display_name.unwrap_or_default(), row.text("display_name"));
        assert_eq!(info.world_model, row.text("world_model"));
        assert_eq!(info.num_waypoints as f64, row.number("n_waypoints"));
        for (column, value) in [
            ("length_m", info.length_m),
            ("mean_width_m", info.mean_width_m),
            ("min_width_m", info.min_width_m),
            ("max_width_m", info.max_width_m),
            ("min_radius_m", info.min_radius_m),
            ("start_x", info.start_point.x),
            ("start_y", info.start_point.y),
            ("start_yaw_deg", info.start_yaw_deg),
        ] {
            assert_eq!(value, row.number(column), "{} {column}", info.name);
        }
        let listed = row.text("listed_length_m");
        assert_eq!(info.listed_length_m.map_or(String::new(), |_| listed.to_owned()), listed);
        assert!(info.listed_length_m.is_none_or(|length_m| length_m == row.number("listed_length_m")));
        let winding = match info.winding {
            Winding::Ccw => "ccw",
            Winding::Cw => "cw",
            Winding::Open => "open",
        };
        assert_eq!(winding, row.text("direction"));
        let (low, high) = info.bounds;
        assert_eq!([low.x, low.y, high.x, high.y], row.bounds());
    }
}

/// Published routes are fit to drive: the checker notes their repeated waypoints and warns of what they have, no more.
#[test]
fn the_checker_finds_no_error_on_published_routes() {
    let (Some(routes), Some(rows)) = (shared::routes(), reference()) else { return };
    for row in &rows {
        let route = shared::published(&routes, row.text("name"));
        let findings = check::check(&route);
        let repeated = findings.iter().filter(|finding| matches!(finding.problem, Problem::RepeatedWaypoint { .. }));
        assert_eq!(repeated.count() as f64, row.number("n_zero_length_segments"), "{}", route.name);
        for finding in findings {
            if !matches!(finding.problem, Problem::RepeatedWaypoint { .. }) {
                println!("{}: {:?}: {finding}", route.name, finding.severity);
            }
            assert!(finding.severity < Severity::Error, "{}: {finding}", route.name);
        }
    }
}

/// Driven backward, the same places have mirrored distances and the same road.
#[test]
fn reversed_tracks_mirror_the_distances() {
    let Some(routes) = shared::routes() else { return };
    for info in catalogue::all() {
        let route = std::sync::Arc::new(shared::published(&routes, info.name));
        let forward = Track::new(route.clone(), Direction::Forward).expect("a track");
        let reversed = Track::new(route, Direction::Reversed).expect("a track");
        assert_eq!(forward.is_ccw(), info.winding != Winding::Cw, "{}", info.name);
        assert_eq!(reversed.is_ccw(), info.winding == Winding::Cw, "{}", info.name);
        close(info.name, forward.length_m(), reversed.length_m(), 1e-9);
        assert_eq!(forward.waypoints().first(), reversed.waypoints().last());
        for fraction in [0.1, 0.37, 0.8] {
            let place = forward.line(Line::Center).point_at(fraction * forward.length_m());
            close(info.name, reversed.ndist(place), 1.0 - fraction, 1e-9);
            assert!(forward.is_on_road(place) && reversed.is_on_road(place), "{}", info.name);
        }
    }
}

/// A car put on the centre line, at any of the twenty places training starts from, stands on the road with all wheels;
/// on a lane, where a narrow road bends, with one at least, so that an episode does not end where it starts.
#[test]
fn cars_stand_on_the_road_wherever_they_are_put() {
    let Some(routes) = shared::routes() else { return };
    for info in catalogue::all() {
        let published = shared::published(&routes, info.name);
        let drawn = Library::new(None).load(info.name).expect("every track has a drawing");
        for direction in [Direction::Forward, Direction::Reversed] {
            for route in [&published, &drawn] {
                let track = Track::new(route.clone().into(), direction).expect("a track");
                for (line, fewest_wheels) in [(Line::Center, 4), (Line::InnerLane, 1), (Line::OuterLane, 1)] {
                    let wheels = wheels_on_road(&track, line);
                    assert!(wheels >= fewest_wheels, "{} {direction:?} {line:?}: {wheels}", info.name);
                }
            }
        }
    }
}

/// The fewest wheels on the road of a car put at twenty places along a line.
fn wheels_on_road(track: &Track, line: Line) -> usize {
    let wheels = [(-0.0817, 0.0811), (-0.0817, -0.0811), (0.0823, 0.0796), (0.0823, -0.0796)].map(DVec2::from);
    // On the open track a car at the very start has its rear wheels behind the road.
    let skipped = usize::from(!track.is_closed());
    let line = track.line(line);
    let count_at = |place: i32| {
        let pose = line.pose_at(f64::from(place) / 20.0 * line.length_m(), Difference::Forward);
        let forward = DVec2::from_angle(pose.yaw_rad);
        wheels.iter().filter(|&&wheel| track.is_on_road(pose.position + forward.rotate(wheel))).count()
    };
    (0..20).skip(skipped).map(count_at).min().unwrap_or_default()
}
