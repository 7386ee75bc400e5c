//! How far the built-in drawings lie from the published route files, name by name.
//!
//! `cargo test -p deepracer-track --test blueprints -- --nocapture` prints the table.

mod shared;

use std::path::Path;

use deepracer_track::catalogue::{self, RowSpacing, TrackInfo};
use deepracer_track::check::{Severity, check};
use deepracer_track::{Direction, Library, Line, Polyline, Route, RouteSource, Track};
use glam::DVec2;

struct Deviations {
    /// Published centre points from the drawn centre line.
    line_m: f64,
    /// Rows of the same index, centre points.
    waypoint_m: f64,
    /// Published border points from the drawn borders.
    inner_m: f64,
    outer_m: f64,
    start_yaw_deg: f64,
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn from_line(points: &[DVec2], line: &Polyline) -> f64 {
    largest(points.iter().map(|&point| line.project(point).gap_m))
}

fn yaw_deg(route: &Route) -> f64 {
    let along = route.center[1] - route.center[0];
    along.y.atan2(along.x).to_degrees()
}

fn deviations(info: &TrackInfo, routes: &Path) -> Deviations {
    let published = shared::published(routes, info.name);
    let drawn = Library::new(None)
        .load(info.name)
        .expect("every track has a drawing");
    assert_eq!(
        drawn.num_waypoints(),
        published.num_waypoints(),
        "{}",
        info.name
    );
    assert_eq!(drawn.closed, published.closed, "{}", info.name);
    let track = Track::new(drawn.clone().into(), Direction::Forward).expect("a track");
    let turned = (yaw_deg(&drawn) - yaw_deg(&published)).abs() % 360.0;
    Deviations {
        line_m: from_line(&published.center, track.line(Line::Center)),
        waypoint_m: largest(
            drawn
                .center
                .iter()
                .zip(&published.center)
                .map(|(a, b)| a.distance(*b)),
        ),
        inner_m: from_line(&published.inner, track.line(Line::Inner)),
        outer_m: from_line(&published.outer, track.line(Line::Outer)),
        start_yaw_deg: turned.min(360.0 - turned),
    }
}

#[test]
fn drawings_lie_where_the_published_routes_do() {
    let Some(routes) = shared::routes() else {
        return;
    };
    println!(
        "{:32} {:>7} {:>9} {:>7} {:>7} {:>9}",
        "name", "line m", "waypoint", "inner", "outer", "yaw deg"
    );
    for info in catalogue::all() {
        let found = deviations(info, &routes);
        println!(
            "{:32} {:7.4} {:9.4} {:7.4} {:7.4} {:9.2}",
            info.name,
            found.line_m,
            found.waypoint_m,
            found.inner_m,
            found.outer_m,
            found.start_yaw_deg
        );
    }
}
