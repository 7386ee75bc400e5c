//! Geometry against definitions written out the slow way, on lines of any shape.

use std::f64::consts::TAU;

use deepracer_track::{Difference, Direction, Line, Polyline, Route, RouteSource, Track, progress};
use glam::DVec2;
use proptest::prelude::*;

/// The nearest point of a line by looking at every segment: distance along, gap.
fn brute_force(points: &[DVec2], place: DVec2) -> (f64, f64) {
    let mut start_m = 0.0;
    let mut nearest = (0.0, f64::INFINITY);
    for pair in points.windows(2) {
        let along = pair[1] - pair[0];
        let length_m = along.length();
        let fraction =
            if length_m > 0.0 { ((place - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
        let gap_m = place.distance(pair[0] + along * fraction);
        if gap_m < nearest.1 {
            nearest = (start_m + fraction * length_m, gap_m);
        }
        start_m += length_m;
    }
    nearest
}

fn vectors(points: &[(f64, f64)]) -> Vec<DVec2> {
    points.iter().copied().map(DVec2::from).collect()
}

fn point() -> impl Strategy<Value = (f64, f64)> {
    (-6.0f64..6.0, -4.0f64..4.0)
}

/// A loop without crossings around the origin, of 3 to 40 points at least 1 m away from it; some repeated.
fn course() -> impl Strategy<Value = Route> {
    (prop::collection::vec((1.5f64..4.0, prop::bool::weighted(0.1)), 3..40), 0.1f64..0.9).prop_map(
        |(radii, half_width_m)| {
            let count = radii.len() as f64;
            let mut rows: Vec<(DVec2, f64)> = Vec::new();
            for (index, &(radius_m, repeat)) in radii.iter().enumerate() {
                let row = (DVec2::from_angle(index as f64 / count * TAU), radius_m);
                rows.push(row);
                if repeat {
                    rows.push(row);
                }
            }
            rows.push(rows[0]);
            let line = |offset_m: f64| rows.iter().map(|&(toward, radius_m)| toward * (radius_m + offset_m)).collect();
            Route {
                name: "course".to_owned(),
                center: line(0.0),
                inner: line(-half_width_m),
                outer: line(half_width_m),
                closed: true,
                source: RouteSource::Memory,
            }
        },
    )
}

fn track(route: Route, direction: Direction) -> Track {
    Track::new(route.into(), direction).expect("a track")
}

proptest! {
    /// The table gives what a look at every segment gives: near, far away, and at the points themselves.
    #[test]
    fn projection_agrees_with_a_look_at_every_segment(
        points in prop::collection::vec(point(), 2..40),
        repeated in any::<prop::sample::Index>(),
        places in prop::collection::vec(point(), 32),
        far in prop::collection::vec((-60.0f64..60.0, -60.0f64..60.0), 4),
    ) {
        let mut points = vectors(&points);
        let index = repeated.index(points.len());
        points.insert(index, points[index]);
        let line = Polyline::new(points.clone(), false).expect("a line");
        for place in vectors(&places).into_iter().chain(vectors(&far)).chain(points.iter().copied()) {
            let projected = line.project(place);
            let (distance_m, gap_m) = brute_force(&points, place);
            prop_assert!((projected.gap_m - gap_m).abs() < 1e-9, "{place}: gap {} not {gap_m}", projected.gap_m);
            prop_assert!((projected.point.distance(place) - gap_m).abs() < 1e-9);
            // Where two segments are equally near up to rounding, either may win.
            let same = (projected.distance_m - distance_m).abs() < 1e-6;
            let on_line = line.point_at(projected.distance_m);
            prop_assert!(same || (on_line.distance(place) - gap_m).abs() < 1e-9, "{place}");
        }
    }

    /// Places on the line project to themselves, with headings along it.
    #[test]
    fn places_on_the_line_are_their_own_projection(route in course(), fraction in -2.0f64..2.0) {
        let track = track(route, Direction::Forward);
        let center = track.line(Line::Center);
        let pose = center.pose_at(fraction * track.length_m(), Difference::Forward);
        let central = center.pose_at(fraction * track.length_m(), Difference::Central);
        prop_assert!(center.project(pose.position).gap_m < 1e-9);
        prop_assert_eq!(pose.position, central.position);
        prop_assert!((DVec2::from_angle(pose.yaw_rad) - DVec2::from_angle(central.yaw_rad)).length() < 1e-3);
        let ahead = pose.position + DVec2::from_angle(pose.yaw_rad) * 1e-7;
        prop_assert!(center.project(ahead).gap_m < 1e-7);
    }

    /// Driving along the line from any place: progress rises all the way from 0 to 100, over the start line too.
    #[test]
    fn progress_rises_along_the_line_from_anywhere(route in course(), start in 0.0f64..1.0, reversed in any::<bool>()) {
        let direction = if reversed { Direction::Reversed } else { Direction::Forward };
        let track = track(route, direction);
        let center = track.line(Line::Center);
        let start_ndist = track.ndist(center.point_at(start * track.length_m()));
        let mut previous = 0.0;
        for step in 1..=400 {
            let distance_m = (start_ndist + f64::from(step) / 400.0) * track.length_m();
            let percent = progress::percent(track.ndist(center.point_at(distance_m)), start_ndist, previous);
            prop_assert!((percent - f64::from(step) / 4.0).abs() < 1e-6, "step {step}: {percent}");
            prop_assert!(percent > previous);
            previous = percent;
        }
    }

    /// Waypoint indices stay in range whatever the place, and enclose the place when it is on the line.
    #[test]
    fn closest_waypoints_enclose_the_place(route in course(), place in point(), fraction in 0.0f64..1.0) {
        for direction in [Direction::Forward, Direction::Reversed] {
            let track = track(route.clone(), direction);
            let count = track.waypoints().len();
            let ndist = track.ndist(DVec2::from(place));
            prop_assert!((0.0..1.0).contains(&ndist));
            let [previous, next] = track.closest_waypoints(ndist);
            prop_assert!(previous < count && next < count);
            let ndist = track.ndist(track.line(Line::Center).point_at(fraction * track.length_m()));
            let [previous, next] = track.closest_waypoints(ndist);
            let ndists = track.waypoint_ndists();
            prop_assert!(ndists[previous] <= ndist && ndist < ndists[next]);
            prop_assert_eq!(previous + 1, next);
        }
    }

    /// On a course round the origin, a place is on the road exactly when its ray from the origin says so.
    #[test]
    fn the_road_lies_between_the_borders(route in course(), angle in 0.0f64..TAU, radius_m in 0.0f64..6.0) {
        let toward = DVec2::from_angle(angle);
        // Where the ray crosses a border.
        let reach_m = |border: &[DVec2]| {
            border.windows(2).find_map(|pair| {
                let along = pair[1] - pair[0];
                let across = toward.perp_dot(along);
                let fraction = pair[0].perp_dot(toward) / across;
                let reach_m = pair[0].perp_dot(along) / across;
                ((0.0..=1.0).contains(&fraction) && reach_m > 0.0).then_some(reach_m)
            })
        };
        let (Some(inner_m), Some(center_m), Some(outer_m)) =
            (reach_m(&route.inner), reach_m(&route.center), reach_m(&route.outer)) else { return Ok(()) };
        let track = track(route, Direction::Forward);
        let place = toward * radius_m;
        prop_assume!([inner_m, center_m, outer_m].iter().all(|border_m| (border_m - radius_m).abs() > 1e-9));
        prop_assert_eq!(track.is_on_road(place), (inner_m..outer_m).contains(&radius_m));
        prop_assert_eq!(track.is_in_inner_polygon(place), (inner_m..center_m).contains(&radius_m));
    }

    /// A route file of any bytes is either read or refused, never a crash.
    #[test]
    fn damaged_route_files_are_refused(route in course(), position in any::<prop::sample::Index>(), byte in any::<u8>(), kept in any::<prop::sample::Index>()) {
        let mut bytes = route.to_npy();
        let header = 60;
        let position = position.index(header);
        bytes[position] = byte;
        bytes.truncate(header + kept.index(bytes.len() - header + 1));
        if let Ok(read) = Route::from_npy("damaged", &bytes) {
            prop_assert!(read.validate().is_ok());
        }
    }
}

/// The smallest routes there are: two rows open, three rows there and back, a triangle.
#[test]
fn tiny_tracks_work() {
    let tiny = |points: &[(f64, f64)], closed: bool| {
        let line = |dy: f64| points.iter().map(|&(x, y)| DVec2::new(x, y + dy)).collect::<Vec<_>>();
        Route {
            name: "tiny".into(),
            center: line(0.0),
            inner: line(0.3),
            outer: line(-0.3),
            closed,
            source: RouteSource::Memory,
        }
    };
    for (points, closed) in [
        (&[(0.0, 0.0), (0.05, 0.0)][..], false),
        (&[(0.0, 0.0), (1.0, 0.0), (0.0, 0.0)][..], true),
        (&[(0.0, 0.0), (0.01, 0.0), (0.0, 0.01), (0.0, 0.0)][..], true),
    ] {
        for direction in [Direction::Forward, Direction::Reversed] {
            let track = track(tiny(points, closed), direction);
            for index in -20..=20 {
                let place = DVec2::new(f64::from(index) * 0.01, 0.001);
                let ndist = track.ndist(place);
                let [previous, next] = track.closest_waypoints(ndist);
                assert!((0.0..=1.0).contains(&ndist) && previous < points.len() && next < points.len());
                let pose = track.line(Line::Center).pose_at(f64::from(index) * 0.01, Difference::Forward);
                assert!(pose.position.is_finite() && pose.yaw_rad.is_finite());
            }
        }
    }
}

/// Known answers on a closed square: behind and ahead, before the first and after the last.
#[test]
fn closest_waypoints_wrap_at_the_start() {
    let square = |side: f64| {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)].map(|(x, y)| DVec2::new(x, y) * side).to_vec()
    };
    let route = Route {
        name: "square".into(),
        center: square(2.0),
        inner: square(1.0),
        outer: square(3.0),
        closed: true,
        source: RouteSource::Memory,
    };
    let track = track(route, Direction::Forward);
    assert_eq!(track.waypoint_ndists(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    for (ndist, expected) in
        [(0.0, [0, 1]), (0.1, [0, 1]), (0.25, [1, 2]), (0.9, [3, 4]), (1.0, [4, 0]), (-0.1, [4, 0])]
    {
        assert_eq!(track.closest_waypoints(ndist), expected, "{ndist}");
    }
    assert_eq!(track.ndist(DVec2::ZERO), 0.0);
    assert!(track.is_ccw());
}
