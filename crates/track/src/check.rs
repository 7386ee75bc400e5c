//! The route checker: what is wrong, odd, or worth knowing about a route.

use std::fmt;

use glam::DVec2;

use crate::line::Polyline;
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
    /// Two far apart sections of the centre line come so near that the roads touch: progress may jump there.
    NearTouching {
        /// A row of the one section.
        row: usize,
        /// A row of the other.
        other_row: usize,
        /// Distance between the two.
        gap_m: f64,
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
                write!(
                    f,
                    "row {row} repeats the waypoint before it; indices are kept"
                )
            }
            Problem::Narrow { row, width_m } => {
                write!(
                    f,
                    "the road is {width_m:.3} m wide at row {row}; the car is {CAR_WIDTH_M:.2} m wide"
                )
            }
            Problem::WaypointOffRoad { row } => write!(
                f,
                "the waypoint of row {row} does not lie between the borders"
            ),
            Problem::BordersCross {
                inner_row,
                outer_row,
            } => {
                write!(
                    f,
                    "the inner border crosses the outer one behind rows {inner_row} and {outer_row}"
                )
            }
            Problem::BordersSwapped => f.write_str(
                "the inner border encloses the outer one; swap columns 2, 3 with columns 4, 5",
            ),
            Problem::CrossesItself { row, other_row } => {
                write!(
                    f,
                    "the centre line crosses itself behind rows {row} and {other_row}"
                )
            }
            Problem::NearTouching {
                row,
                other_row,
                gap_m,
            } => write!(
                f,
                "the road touches itself at rows {row} and {other_row} (centre lines {gap_m:.2} m apart); progress may jump there"
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
            return vec![Finding {
                severity: Severity::Error,
                problem,
            }];
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
    let narrowest = (0..center.len())
        .map(|row| (row, width(row)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((row, width_m)) = narrowest.filter(|&(_, width_m)| width_m < CAR_WIDTH_M) {
        let severity = if width_m < NO_WIDTH_M {
            Severity::Error
        } else {
            Severity::Warning
        };
        found(severity, Problem::Narrow { row, width_m });
    }
    // The end rows of an open track lie on the edge of its road.
    let rows_on_road = if route.closed {
        0..center.len()
    } else {
        1..center.len() - 1
    };
    if let Some(row) = rows_on_road
        .into_iter()
        .find(|&row| !track.is_on_road(center[row]))
    {
        found(Severity::Error, Problem::WaypointOffRoad { row });
    }
    if let Some((inner_row, outer_row)) = first_crossing(&route.inner, &route.outer) {
        found(
            Severity::Error,
            Problem::BordersCross {
                inner_row,
                outer_row,
            },
        );
    }
    if route.closed && doubled_area(&route.inner).abs() > doubled_area(&route.outer).abs() {
        found(Severity::Warning, Problem::BordersSwapped);
    }
    if let Some((row, other_row)) = first_self_crossing(center, route.closed) {
        found(Severity::Warning, Problem::CrossesItself { row, other_row });
    } else if let Some((row, other_row, gap_m)) = nearest_touch(&track) {
        found(
            Severity::Warning,
            Problem::NearTouching {
                row,
                other_row,
                gap_m,
            },
        );
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The first segments of two lines that properly cross.
fn first_crossing(line: &[DVec2], other: &[DVec2]) -> Option<(usize, usize)> {
    line.windows(2).enumerate().find_map(|(row, piece)| {
        let crossed = other
            .windows(2)
            .position(|other_piece| pieces_cross(piece, other_piece))?;
        Some((row, crossed))
    })
}

/// The first two segments of one line that properly cross.
fn first_self_crossing(line: &[DVec2], closed: bool) -> Option<(usize, usize)> {
    let segments = line.len() - 1;
    (0..segments).find_map(|row| {
        let end = if closed && row == 0 {
            segments - 1
        } else {
            segments
        };
        let other_row = (row + 2..end)
            .find(|&other| pieces_cross(&line[row..row + 2], &line[other..other + 2]))?;
        Some((row, other_row))
    })
}

fn pieces_cross(piece: &[DVec2], other: &[DVec2]) -> bool {
    let side = |from: &[DVec2], point: DVec2| (from[1] - from[0]).perp_dot(point - from[0]);
    side(piece, other[0]) * side(piece, other[1]) < 0.0
        && side(other, piece[0]) * side(other, piece[1]) < 0.0
}

/// The two rows of far apart sections that come nearest, if the road touches itself there.
fn nearest_touch(track: &Track) -> Option<(usize, usize, f64)> {
    let line: &Polyline = track.line(Line::Center);
    let (points, distances_m) = (line.points(), line.distances_m());
    let widths: Vec<f64> = points
        .iter()
        .map(|&point| track.nearest(point).width_m())
        .collect();
    let mut nearest: Option<(usize, usize, f64)> = None;
    for row in 0..points.len() {
        for other in row + 1..points.len() {
            let gap_m = points[row].distance(points[other]);
            let limit_m = widths[row].midpoint(widths[other]);
            if gap_m >= limit_m || nearest.is_some_and(|(.., smallest)| gap_m >= smallest) {
                continue;
            }
            let along_m = distances_m[other] - distances_m[row];
            let along_m = if line.is_closed() {
                along_m.min(line.length_m() - along_m)
            } else {
                along_m
            };
            // Round a half circle of the road's own width the centre line is π/2 of that width long.
            if along_m > std::f64::consts::PI * limit_m {
                nearest = Some((row, other, gap_m));
            }
        }
    }
    nearest
}
