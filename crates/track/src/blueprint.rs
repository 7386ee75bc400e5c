//! Built-in drawings: a route for every published track without its file.
//!
//! A drawing is a chain of arcs. It is turned to run the published way round from the published start, cut into the
//! published number of rows, and given borders at half the published mean width. [`TrackInfo::waypoint_deviation_m`]
//! says how far its waypoints lie from the published ones.

mod drawings;

use glam::DVec2;

use crate::catalogue::{self, RowSpacing, TrackInfo, Winding};
use crate::line::{Difference, LineError, Polyline};
use crate::route::{Route, RouteSource};
use crate::track::doubled_area;

/// A centre line as a chain of arcs, joined smoothly.
struct Drawing {
    name: &'static str,
    start: DVec2,
    heading_deg: f64,
    /// Length in metres and turn in degrees (to the left positive) of each.
    arcs: &'static [[f64; 2]],
}

/// How far the short straight pieces by which arcs are replaced may lie beside them.
const FINE_SAGITTA_M: f64 = 1e-4;

/// How long those pieces may be.
const FINE_STEP_M: f64 = 0.2;

/// Where a `_cw` or `_ccw` route has rows besides the equally spaced ones: this far before and behind the start line
/// (measured on all of them).
const START_LINE_ROWS_M: f64 = 0.13;

/// Tracks whose published bounds differ by less were not moved; the difference is rounding and wider lines.
const LEAST_MOVE_M: f64 = 0.05;

/// The built-in route of a published track.
///
/// # Panics
/// When `info` does not come from the catalogue but was changed to figures that describe no track.
pub fn route(info: &TrackInfo) -> Route {
    let drawing = drawings::DRAWINGS.iter().find(|drawing| drawing.name == info.drawing);
    let original = catalogue::all().iter().find(|track| track.name == info.drawing);
    let (drawing, original) = drawing.zip(original).expect("every track of the catalogue names a drawing");
    draw(info, drawing, original).expect("every drawing has a length")
}

fn draw(info: &TrackInfo, drawing: &Drawing, original: &TrackInfo) -> Result<Route, LineError> {
    let closed = info.is_closed();
    let course = Polyline::new(place(drawing.fine_points(closed), info, original), closed)?;
    let rows: Vec<_> = row_distances_m(info, course.project(info.start_point).distance_m, course.length_m())
        .into_iter()
        .map(|distance_m| course.pose_at(distance_m, Difference::Central))
        .collect();
    let half_width_m = info.mean_width_m / 2.0;
    let inner_side = if info.winding == Winding::Cw { -1.0 } else { 1.0 };
    let border = |side: f64| -> Result<Vec<DVec2>, LineError> {
        let border = Border::new(&course, side * half_width_m)?;
        let mut points: Vec<DVec2> = rows.iter().map(|row| border.point(row.position, row.yaw_rad)).collect();
        close(&mut points, closed);
        Ok(points)
    };
    let mut center: Vec<DVec2> = rows.iter().map(|row| row.position).collect();
    close(&mut center, closed);
    Ok(Route {
        name: info.name.to_owned(),
        center,
        inner: border(inner_side)?,
        outer: border(-inner_side)?,
        closed,
        source: RouteSource::Blueprint { waypoint_deviation_m: info.waypoint_deviation_m },
    })
}

impl Drawing {
    /// Points along the arcs. What is missing to close the chain (millimetres) is spread over its length.
    fn fine_points(&self, closed: bool) -> Vec<DVec2> {
        let mut points = vec![self.start];
        let mut position = self.start;
        let mut heading_rad = self.heading_deg.to_radians();
        for &[length_m, turn_deg] in self.arcs {
            let turn_rad = turn_deg.to_radians().abs();
            // The sagitta of one of n chords of an arc is about length · turn / (8 n²).
            let steps =
                (length_m * turn_rad / (8.0 * FINE_SAGITTA_M)).sqrt().max(length_m / FINE_STEP_M).ceil().max(1.0);
            let half_turn_rad = turn_deg.to_radians() / steps / 2.0;
            let step_m = length_m / steps;
            // The chord of an arc is shorter than it by this factor.
            let chord_m = if half_turn_rad == 0.0 { step_m } else { step_m * half_turn_rad.sin() / half_turn_rad };
            for _ in 0..steps as usize {
                heading_rad += half_turn_rad;
                position += DVec2::from_angle(heading_rad) * chord_m;
                heading_rad += half_turn_rad;
                points.push(position);
            }
        }
        if closed {
            let missing = self.start - position;
            let last = points.len() - 1;
            for (index, point) in points.iter_mut().enumerate() {
                *point += missing * (index as f64 / last as f64);
            }
            close(&mut points, true);
        }
        points
    }
}

/// Moves and mirrors the points drawn for `original` to where `info` has them, and turns them to run its way.
fn place(points: Vec<DVec2>, info: &TrackInfo, original: &TrackInfo) -> Vec<DVec2> {
    let middle = original.bounds.0.midpoint(original.bounds.1);
    let moved = info.bounds.0.midpoint(info.bounds.1) - middle;
    let moved = if moved.length() < LEAST_MOVE_M { DVec2::ZERO } else { moved };
    let mut points: Vec<DVec2> = points
        .into_iter()
        .map(|point| {
            let x = if info.mirrored { 2.0 * middle.x - point.x } else { point.x };
            DVec2::new(x, point.y) + moved
        })
        .collect();
    let is_clockwise = doubled_area(&points) < 0.0;
    if info.is_closed() && is_clockwise != (info.winding == Winding::Cw) {
        points.reverse();
    }
    points
}

/// The distance of each row along the drawn course, whose published row 0 lies at `start_m`.
fn row_distances_m(info: &TrackInfo, start_m: f64, length_m: f64) -> Vec<f64> {
    let rows = info.num_waypoints;
    match info.row_spacing {
        RowSpacing::Even => {
            let spacing_m = length_m / (rows - 1) as f64;
            (0..rows).map(|row| start_m + row as f64 * spacing_m).collect()
        }
        RowSpacing::EvenRepeating(repeated) => {
            let spacing_m = length_m / (rows - 2) as f64;
            let place = |row: usize| if row > repeated { row - 1 } else { row };
            (0..rows).map(|row| start_m + place(row) as f64 * spacing_m).collect()
        }
        RowSpacing::Uneven(measured) => {
            // The drawn line is not exactly as long as the published one.
            let scale = length_m / info.length_m;
            let mut distances = vec![start_m];
            for pair in measured.windows(2) {
                let [(row, from_m), (next_row, to_m)] = [pair[0], pair[1]];
                let spacing_m = (to_m - from_m) / (next_row - row) as f64;
                distances
                    .extend((1..=next_row - row).map(|index| start_m + scale * (from_m + index as f64 * spacing_m)));
            }
            distances
        }
        RowSpacing::StartLine => {
            let line_m = start_m + START_LINE_ROWS_M;
            let spacing_m = length_m / (rows - 3) as f64;
            let mut distances = vec![start_m, line_m, line_m + START_LINE_ROWS_M];
            distances.extend((1..rows - 3).map(|row| line_m + row as f64 * spacing_m));
            distances.push(start_m + length_m);
            distances
        }
    }
}

/// A line beside the course, without the loops it would make in bends tighter than its distance.
struct Border<'a> {
    course: &'a Polyline,
    /// To the left of the course; negative to the right.
    left_m: f64,
    /// Present where the course is so tight that the plain offset would turn back on itself.
    trimmed: Option<Polyline>,
}

impl Border<'_> {
    fn new(course: &Polyline, left_m: f64) -> Result<Border<'_>, LineError> {
        let mut border = Border { course, left_m, trimmed: None };
        let plain: Vec<DVec2> = course
            .points()
            .windows(2)
            .map(|pair| pair[0].midpoint(pair[1]) + (pair[1] - pair[0]).normalize_or_zero().perp() * left_m)
            .collect();
        let mut trimmed: Vec<DVec2> = plain.iter().copied().filter(|&point| border.is_clear(point)).collect();
        if trimmed.len() < plain.len() {
            if course.is_closed() {
                trimmed.extend(trimmed.first().copied());
            }
            border.trimmed = Some(Polyline::new(trimmed, course.is_closed())?);
        }
        Ok(border)
    }

    /// Whether nothing of the course is nearer to a point of the border than the place it was drawn for.
    fn is_clear(&self, point: DVec2) -> bool {
        self.course.project(point).gap_m > self.left_m.abs() - 10.0 * FINE_SAGITTA_M
    }

    fn point(&self, position: DVec2, yaw_rad: f64) -> DVec2 {
        let beside = position + DVec2::from_angle(yaw_rad).perp() * self.left_m;
        match &self.trimmed {
            Some(trimmed) if !self.is_clear(beside) => trimmed.project(position).point,
            _ => beside,
        }
    }
}

/// Makes the last point of a closed line repeat the first exactly.
fn close(points: &mut [DVec2], closed: bool) {
    if let (true, [first, .., last]) = (closed, points) {
        *last = *first;
    }
}
