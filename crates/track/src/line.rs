//! Lines through points: distances along them, projection, poses.

use glam::DVec2;

use crate::nearest::{NearestTable, Segment};

/// A line through points, open or closed (the last point then repeats the first).
///
/// Repeated points are allowed and keep their indices.
#[derive(Debug, Clone)]
pub struct Polyline {
    points: Vec<DVec2>,
    /// Distance along the line of each point.
    distances_m: Vec<f64>,
    segments: Vec<Segment>,
    table: NearestTable,
    closed: bool,
}

/// The point of a line nearest to some other point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projected {
    /// Distance along the line, from 0 to its length.
    pub distance_m: f64,
    /// The point on the line.
    pub point: DVec2,
    /// Distance to the projected point.
    pub gap_m: f64,
    /// The segment it lies on: from point `segment` to the next.
    pub segment: usize,
}

/// A place and a heading on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where.
    pub position: DVec2,
    /// Heading, in (-π, π], counter-clockwise from the x axis.
    pub yaw_rad: f64,
}

/// Between which points the heading of a [`Pose`] on a line is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// From the place itself to the next point of the line: how cars are placed.
    Forward,
    /// From the previous to the next point of the line: how obstacles are placed.
    Central,
}

/// Why points do not make a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Fewer than two points.
    #[error("a line needs at least 2 points, not {0}")]
    TooFewPoints(usize),
    /// A coordinate is NaN or infinite, or the line is too long for its length to be finite.
    #[error("the line's points are not all finite")]
    NotFinite,
    /// All points coincide.
    #[error("the line has no length: all its points coincide")]
    NoLength,
    /// A closed line does not end where it starts.
    #[error("the line is marked as closed but does not end where it starts")]
    NotClosed,
}

/// Points nearer than this give no direction.
const SAME_PLACE_M: f64 = 1e-9;

impl Polyline {
    /// A line through `points`; when `closed`, the last must repeat the first.
    pub fn new(points: Vec<DVec2>, closed: bool) -> Result<Polyline, LineError> {
        if points.len() < 2 {
            return Err(LineError::TooFewPoints(points.len()));
        }
        let mut distances_m = Vec::with_capacity(points.len());
        let mut length_m = 0.0;
        distances_m.push(length_m);
        for pair in points.windows(2) {
            length_m += pair[0].distance(pair[1]);
            distances_m.push(length_m);
        }
        if !length_m.is_finite() {
            return Err(LineError::NotFinite);
        }
        if length_m == 0.0 {
            return Err(LineError::NoLength);
        }
        if closed && points.first() != points.last() {
            return Err(LineError::NotClosed);
        }
        let segments: Vec<Segment> = points.windows(2).map(|pair| Segment::between(pair[0], pair[1])).collect();
        let table = NearestTable::new(&points, &segments);
        Ok(Polyline { points, distances_m, segments, table, closed })
    }

    /// The points, the closing one included.
    pub fn points(&self) -> &[DVec2] {
        &self.points
    }

    /// Distance along the line of each point; the first is 0, the last the length.
    pub fn distances_m(&self) -> &[f64] {
        &self.distances_m
    }

    /// Length of the whole line.
    #[inline]
    pub fn length_m(&self) -> f64 {
        self.distances_m[self.distances_m.len() - 1]
    }

    /// Whether the line ends where it starts.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The nearest point of the whole line, the first one on ties.
    ///
    /// There is no memory: where two sections of a track nearly touch, the projection may jump from one to the other.
    #[inline]
    pub fn project(&self, point: DVec2) -> Projected {
        let (index, gap_squared) = self.table.nearest(&self.segments, point);
        let segment = &self.segments[index];
        let fraction = segment.nearest_fraction(point);
        let start_m = self.distances_m[index];
        Projected {
            distance_m: start_m + fraction * (self.distances_m[index + 1] - start_m),
            point: segment.start + segment.along * fraction,
            gap_m: gap_squared.sqrt(),
            segment: index,
        }
    }

    /// The point at a distance along the line. Closed lines wrap in both directions; open ones stop at their ends.
    pub fn point_at(&self, distance_m: f64) -> DVec2 {
        let distance_m = self.wrap(distance_m);
        self.point_on(self.segment_at(distance_m), distance_m)
    }

    /// The pose at a distance along the line (wrapping like [`point_at`](Self::point_at)), heading along it.
    ///
    /// On a line of straight pieces both differences mean the same heading; they are computed from different points.
    pub fn pose_at(&self, distance_m: f64, difference: Difference) -> Pose {
        let distance_m = self.wrap(distance_m);
        let index = self.segment_at(distance_m);
        let position = self.point_on(index, distance_m);
        let ahead = match difference {
            Difference::Forward => self.points[index + 1] - position,
            Difference::Central => self.segments[index].along,
        };
        // Within a nanometre of the next point (or at the end of an open line) only the segment has a direction.
        let direction = if ahead.length() > SAME_PLACE_M { ahead } else { self.segments[index].along };
        Pose { position, yaw_rad: yaw(direction) }
    }

    /// A distance brought into [0, length), or [0, length] on an open line.
    pub fn wrap(&self, distance_m: f64) -> f64 {
        let length_m = self.length_m();
        if self.closed {
            let wrapped = distance_m.rem_euclid(length_m);
            // A tiny negative distance rounds up to the length itself.
            if wrapped < length_m { wrapped } else { 0.0 }
        } else {
            distance_m.clamp(0.0, length_m)
        }
    }

    /// The segment, never one without length, that a distance from 0 to the length lies on.
    fn segment_at(&self, distance_m: f64) -> usize {
        let next = self.distances_m.partition_point(|&distance| distance <= distance_m);
        if next < self.points.len() {
            return next.saturating_sub(1);
        }
        // At the very end: the segment that reaches it.
        let length_m = self.length_m();
        self.distances_m.partition_point(|&distance| distance < length_m).saturating_sub(1)
    }

    fn point_on(&self, segment: usize, distance_m: f64) -> DVec2 {
        let (start_m, end_m) = (self.distances_m[segment], self.distances_m[segment + 1]);
        let fraction = (distance_m - start_m) / (end_m - start_m);
        self.points[segment].lerp(self.points[segment + 1], fraction)
    }
}

/// The angle of a direction, in (-π, π].
fn yaw(direction: DVec2) -> f64 {
    let angle = direction.y.atan2(direction.x);
    // atan2 gives -π for a negative zero.
    if angle == -std::f64::consts::PI { std::f64::consts::PI } else { angle }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn square() -> Polyline {
        let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0), (0.0, 0.0)];
        Polyline::new(corners.map(DVec2::from).to_vec(), true).expect("a line")
    }

    fn step() -> Polyline {
        let points = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 2.0), (1.0, 2.0)];
        Polyline::new(points.map(DVec2::from).to_vec(), false).expect("a line")
    }

    #[test]
    fn projects_on_the_nearest_side_and_on_the_first_of_equals() {
        let square = square();
        let projected = square.project(DVec2::new(5.0, 1.0));
        assert_eq!((projected.distance_m, projected.gap_m, projected.segment), (5.0, 1.0, 1));
        assert_eq!(projected.point, DVec2::new(4.0, 1.0));
        // The middle is as far from all four sides, the corner belongs to two, the start to the first and the last.
        assert_eq!(square.project(DVec2::new(2.0, 2.0)).segment, 0);
        assert_eq!(square.project(DVec2::new(4.0, 4.0)).segment, 1);
        assert_eq!(square.project(DVec2::ZERO).distance_m, 0.0);
        assert_eq!(square.project(DVec2::new(-100.0, 1.0)).distance_m, 15.0);
        assert_eq!(square.project(DVec2::NAN).segment, 0);
    }

    #[test]
    fn closed_lines_wrap_and_open_ones_stop() {
        let square = square();
        assert_eq!(square.length_m(), 16.0);
        assert_eq!(square.point_at(18.0), DVec2::new(2.0, 0.0));
        assert_eq!(square.point_at(-1.0), DVec2::new(0.0, 1.0));
        assert_eq!(square.point_at(16.0), DVec2::ZERO);
        assert_eq!(square.point_at(-1e-20), DVec2::ZERO);
        let step = step();
        assert_eq!(step.point_at(-1.0), DVec2::ZERO);
        assert_eq!(step.point_at(9.0), DVec2::new(1.0, 2.0));
    }

    #[test]
    fn headings_follow_the_line_over_repeated_points_and_at_the_ends() {
        for difference in [Difference::Forward, Difference::Central] {
            let yaw = |line: &Polyline, distance_m| line.pose_at(distance_m, difference).yaw_rad;
            let step = step();
            assert_eq!(yaw(&step, 0.0), 0.0);
            assert_eq!(yaw(&step, 1.0), FRAC_PI_2);
            assert_eq!(yaw(&step, 3.0), FRAC_PI_2);
            let square = square();
            assert_eq!(yaw(&square, 8.0), PI);
            assert_eq!(yaw(&square, -1.0), -FRAC_PI_2);
            assert_eq!(yaw(&square, 16.0), 0.0);
        }
        assert_eq!(yaw(DVec2::new(-1.0, -0.0)), PI);
    }

    #[test]
    fn points_that_are_no_line_are_refused() {
        let line = |points: &[(f64, f64)], closed| {
            Polyline::new(points.iter().copied().map(DVec2::from).collect(), closed).err()
        };
        assert_eq!(line(&[(0.0, 0.0)], false), Some(LineError::TooFewPoints(1)));
        assert_eq!(line(&[(1.0, 0.0), (1.0, 0.0)], true), Some(LineError::NoLength));
        assert_eq!(line(&[(1.0, 0.0), (f64::NAN, 0.0)], false), Some(LineError::NotFinite));
        assert_eq!(line(&[(1.0, 0.0), (2.0, 0.0)], true), Some(LineError::NotClosed));
    }
}
