//! The route checker: what is wrong, odd, or worth knowing about a route.

use std::fmt;

use glam::DVec2;

use crate::route::Route;
use crate::track::{Direction, Line, Track, doubled_area};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; published tracks have it too.
    Note,
    /// The track can be driven, but something will surprise.
    Warning,
    /// The track cannot be driven.
    Error,
}

/// One thing found on a route.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is.
    pub problem: Problem,
}

/// What can be found on a route. Rows count from 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The points are not valid, for the reason given.
    Invalid(String),
    /// The track is not a loop; its ends are this far apart.
    Open {
        /// Distance between the first and the last waypoint.
        gap_m: f64,
    },
    /// A waypoint repeats the one before.
    RepeatedWaypoint {
        /// The repeated row.
        row: usize,
    },
    /// The road is narrower than the car, or has no width at all.
    Narrow {
        /// The narrowest row.
        row: usize,
        /// Width there.
        width_m: f64,
    },
    /// A waypoint does not lie between the borders.
    WaypointOffRoad {
        /// The row.
        row: usize,
    },
    /// The inner and the outer border cross.
    BordersCross {
        /// The row of the inner border before the crossing.
        inner_row: usize,
        /// The row of the outer border before the crossing.
        outer_row: usize,
    },
    /// The border given as inner encloses the one given as outer.
    BordersSwapped,
    /// The centre line crosses itself.
    CrossesItself {
        /// The row before the first passage.
        row: usize,
        /// The row before the second passage.
        other_row: usize,
    },
    /// Two far apart sections of the centre line come so near that progress may jump from one to the other: a warning
    /// when the roads touch, a note when it takes a car that leaves the road.
    NearTouching {
        /// A row of the one section.
        row: usize,
        /// A row of the other.
        other_row: usize,
        /// Distance between the two.
        gap_m: f64,
        /// Width of the road there.
        width_m: f64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Invalid(reason) => f.write_str(reason),
            Problem::Open { gap_m } => {
                write!(
                    f,
                    "the track is open: its ends are {gap_m:.2} m apart; repeat the first row at the end to close it"
                )
            }
            Problem::RepeatedWaypoint { row } => {
                write!(f, "row {row} repeats the waypoint before it; indices are kept")
            }
            Problem::Narrow { row, width_m } => {
                write!(f, "the road is {width_m:.3} m wide at row {row}; the car is {CAR_WIDTH_M:.2} m wide")
            }
            Problem::WaypointOffRoad { row } => write!(f, "the waypoint of row {row} does not lie between the borders"),
            Problem::BordersCross { inner_row, outer_row } => {
                write!(f, "the inner border crosses the outer one behind rows {inner_row} and {outer_row}")
            }
            Problem::BordersSwapped => {
                f.write_str("the inner border encloses the outer one; swap columns 2, 3 with columns 4, 5")
            }
            Problem::CrossesItself { row, other_row } => {
                write!(f, "the centre line crosses itself behind rows {row} and {other_row}")
            }
            Problem::NearTouching { row, other_row, gap_m, width_m } => write!(
                f,
                "at rows {row} and {other_row} the road runs by itself (centre lines {gap_m:.2} m apart, road {width_m:.2} m wide); progress may jump there"
            ),
        }
    }
}

/// The car's width over its wheels.
const CAR_WIDTH_M: f64 = 0.2;

/// A road narrower than this has no inside.
const NO_WIDTH_M: f64 = 1e-6;

/// Everything found on a route, errors first; nothing on a faultless one.
///
/// A finding of the same kind is listed once, at the first or worst place; repeated waypoints are listed each.
pub fn check(route: &Route) -> Vec<Finding> {
    let track = match Track::new(route.clone().into(), Direction::Forward) {
        Ok(track) => track,
        Err(error) => {
            let problem = Problem::Invalid(error.to_string());
            return vec![Finding { severity: Severity::Error, problem }];
        }
    };
    let mut findings = Vec::new();
    let mut found = |severity, problem| findings.push(Finding { severity, problem });
    let center = &route.center;
    if !route.closed {
        let gap_m = center[0].distance(center[center.len() - 1]);
        found(Severity::Warning, Problem::Open { gap_m });
    }
    for (row, pair) in center.windows(2).enumerate() {
        if pair[0] == pair[1] {
            found(Severity::Note, Problem::RepeatedWaypoint { row: row + 1 });
        }
    }
    let width = |row: usize| track.nearest(center[row]).width_m();
    let narrowest = (0..center.len()).map(|row| (row, width(row))).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((row, width_m)) = narrowest.filter(|&(_, width_m)| width_m < CAR_WIDTH_M) {
        let severity = if width_m < NO_WIDTH_M { Severity::Error } else { Severity::Warning };
        found(severity, Problem::Narrow { row, width_m });
    }
    // The end rows of an open track lie on the edge of its road.
    let rows_on_road = if route.closed { 0..center.len() } else { 1..center.len() - 1 };
    if let Some(row) = rows_on_road.into_iter().find(|&row| !track.is_on_road(center[row])) {
        found(Severity::Error, Problem::WaypointOffRoad { row });
    }
    if let Some((inner_row, outer_row)) = first_crossing(&route.inner, &route.outer) {
        found(Severity::Error, Problem::BordersCross { inner_row, outer_row });
    }
    if route.closed && doubled_area(&route.inner).abs() > doubled_area(&route.outer).abs() {
        found(Severity::Warning, Problem::BordersSwapped);
    }
    if let Some((row, other_row)) = first_self_crossing(center, route.closed) {
        found(Severity::Warning, Problem::CrossesItself { row, other_row });
    } else if let Some(problem) = nearest_touch(&track) {
        let touches = matches!(problem, Problem::NearTouching { gap_m, width_m, .. } if gap_m < width_m);
        let severity = if touches { Severity::Warning } else { Severity::Note };
        found(severity, problem);
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The first segments of two lines that properly cross.
fn first_crossing(line: &[DVec2], other: &[DVec2]) -> Option<(usize, usize)> {
    line.windows(2).enumerate().find_map(|(row, piece)| {
        let crossed = other.windows(2).position(|other_piece| pieces_cross(piece, other_piece))?;
        Some((row, crossed))
    })
}

/// The first two segments of one line that properly cross.
fn first_self_crossing(line: &[DVec2], closed: bool) -> Option<(usize, usize)> {
    let segments = line.len() - 1;
    (0..segments).find_map(|row| {
        let end = if closed && row == 0 { segments - 1 } else { segments };
        let other_row = (row + 2..end).find(|&other| pieces_cross(&line[row..row + 2], &line[other..other + 2]))?;
        Some((row, other_row))
    })
}

fn pieces_cross(piece: &[DVec2], other: &[DVec2]) -> bool {
    let side = |from: &[DVec2], point: DVec2| (from[1] - from[0]).perp_dot(point - from[0]);
    side(piece, other[0]) * side(piece, other[1]) < 0.0 && side(other, piece[0]) * side(other, piece[1]) < 0.0
}

/// The two rows of far apart sections that come nearest, if a car that leaves the road there comes nearer to the other
/// section than to its own: its reference point is then up to the car's width beyond the border.
fn nearest_touch(track: &Track) -> Option<Problem> {
    let line = track.line(Line::Center);
    let (points, distances_m) = (line.points(), line.distances_m());
    let widths: Vec<f64> = points.iter().map(|&point| track.nearest(point).width_m()).collect();
    let mut smallest_m = f64::INFINITY;
    let mut nearest = None;
    for row in 0..points.len() {
        for other_row in row + 1..points.len() {
            let gap_m = points[row].distance(points[other_row]);
            let width_m = widths[row].midpoint(widths[other_row]);
            let limit_m = width_m + 2.0 * CAR_WIDTH_M;
            if gap_m >= limit_m.min(smallest_m) {
                continue;
            }
            let along_m = distances_m[other_row] - distances_m[row];
            let along_m = if line.is_closed() { along_m.min(line.length_m() - along_m) } else { along_m };
            // The two ends of a half circle are π/2 times as far apart along the line as across; this is twice that.
            if along_m > std::f64::consts::PI * limit_m {
                smallest_m = gap_m;
                nearest = Some(Problem::NearTouching { row, other_row, gap_m, width_m });
            }
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::route::RouteSource;

    /// A round track of radius 2 m, 0.8 m wide, with 40 rows and the closing one.
    fn round() -> Route {
        let ring = |radius_m: f64| -> Vec<DVec2> {
            (0..=40).map(|index| DVec2::from_angle(f64::from(index % 40) / 40.0 * TAU) * radius_m).collect()
        };
        Route {
            name: "round".to_owned(),
            center: ring(2.0),
            inner: ring(1.6),
            outer: ring(2.4),
            closed: true,
            source: RouteSource::Memory,
        }
    }

    fn problems(route: &Route) -> Vec<(Severity, Problem)> {
        check(route).into_iter().map(|finding| (finding.severity, finding.problem)).collect()
    }

    #[test]
    fn a_faultless_route_has_no_findings() {
        assert_eq!(problems(&round()), []);
    }

    #[test]
    fn invalid_points_are_the_only_finding() {
        let mut route = round();
        route.outer[7].y = f64::INFINITY;
        let found = check(&route);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Error);
        assert!(found[0].to_string().contains("row 7, column 5"), "{}", found[0]);
    }

    #[test]
    fn repeated_waypoints_and_open_ends_are_named() {
        let mut route = round();
        route.center[5] = route.center[4];
        assert_eq!(problems(&route), [(Severity::Note, Problem::RepeatedWaypoint { row: 5 })]);
        let mut route = round();
        for line in [&mut route.center, &mut route.inner, &mut route.outer] {
            line.truncate(21);
        }
        route.closed = false;
        match problems(&route)[..] {
            [(Severity::Warning, Problem::Open { gap_m })] => assert!((gap_m - 4.0).abs() < 1e-9),
            ref other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_road_without_width_is_an_error_and_a_narrow_one_a_warning() {
        let with_width = |width_m: f64| {
            let mut route = round();
            route.inner = route.center.iter().map(|&point| point * (1.0 - width_m / 4.0)).collect();
            route.outer = route.center.iter().map(|&point| point * (1.0 + width_m / 4.0)).collect();
            problems(&route)
        };
        assert!(matches!(with_width(0.1)[..], [(Severity::Warning, Problem::Narrow { .. })]));
        let found = with_width(0.0);
        assert!(matches!(found[0], (Severity::Error, _)), "{found:?}");
        assert!(found.iter().any(|(severity, problem)| {
            *severity == Severity::Error && matches!(problem, Problem::Narrow { width_m, .. } if *width_m == 0.0)
        }));
    }

    #[test]
    fn crossed_and_swapped_borders_are_told_apart() {
        let mut route = round();
        for row in 10..15 {
            (route.inner[row], route.outer[row]) = (route.outer[row], route.inner[row]);
        }
        assert!(problems(&route).contains(&(Severity::Error, Problem::BordersCross { inner_row: 9, outer_row: 9 })));
        let mut route = round();
        std::mem::swap(&mut route.inner, &mut route.outer);
        assert_eq!(problems(&route), [(Severity::Warning, Problem::BordersSwapped)]);
        let mut route = round();
        route.center[3] *= 1.5;
        assert!(problems(&route).contains(&(Severity::Error, Problem::WaypointOffRoad { row: 3 })));
    }

    #[test]
    fn sections_that_touch_or_cross_are_found() {
        // A thick letter C whose two ends, half circles, come this near to each other.
        let letter_c = |gap_m: f64| {
            let (middle_m, end_m) = (2.2, 0.8);
            let opening = ((gap_m / 2.0 + end_m) / middle_m).asin();
            let line = |offset_m: f64| -> Vec<DVec2> {
                let arc = |middle: DVec2, radius_m: f64, from: f64, to: f64| {
                    (0..60).map(move |step| {
                        middle + DVec2::from_angle(from + (to - from) * f64::from(step) / 60.0) * radius_m
                    })
                };
                let (first, last) = (opening, TAU - opening);
                let end = |angle: f64| DVec2::from_angle(angle) * middle_m;
                let mut points: Vec<DVec2> = arc(DVec2::ZERO, middle_m + end_m + offset_m, first, last)
                    .chain(arc(end(last), end_m + offset_m, last, last + TAU / 2.0))
                    .chain(arc(DVec2::ZERO, middle_m - end_m - offset_m, last, first))
                    .chain(arc(end(first), end_m + offset_m, first + TAU / 2.0, first + TAU))
                    .collect();
                points.push(points[0]);
                points
            };
            Route { center: line(0.0), inner: line(-0.3), outer: line(0.3), ..round() }
        };
        assert_eq!(problems(&letter_c(1.1)), []);
        assert!(matches!(problems(&letter_c(0.7))[..], [(Severity::Note, Problem::NearTouching { .. })]));
        match problems(&letter_c(0.5))[..] {
            [(Severity::Warning, Problem::NearTouching { gap_m, .. })] => assert!((0.5..0.51).contains(&gap_m)),
            ref other => panic!("{other:?}"),
        }
        let eight = |scale: f64| -> Vec<DVec2> {
            (0..=60)
                .map(|index| f64::from(index % 60) / 60.0 * TAU + 0.05)
                .map(|turn| DVec2::new(turn.sin(), (2.0 * turn).sin() / 2.0) * 4.0 * scale)
                .collect()
        };
        let route = Route { center: eight(1.0), inner: eight(0.95), outer: eight(1.05), ..round() };
        assert!(problems(&route).iter().any(|(_, problem)| matches!(problem, Problem::CrossesItself { .. })));
    }
}
