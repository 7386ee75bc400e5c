//! Bands along a polyline: the geometry of roads, lines, kerbs and dashes.

use glam::DVec2;

/// The longest a mitre may be, in widths: beyond it a sharp corner is cut.
const MITRE_LIMIT: f64 = 2.0;

/// A polyline without repeated points, ready to be offset.
pub(crate) struct Curve {
    points: Vec<DVec2>,
    /// Unit normals at the points, to the left, stretched so that offsets keep their width at corners.
    mitres: Vec<DVec2>,
    /// Arc length up to each point; for closed curves one more entry, the whole length.
    distances_m: Vec<f64>,
    closed: bool,
}

impl Curve {
    /// From a route's column. Repeated points, and the closing copy of the first one, are dropped.
    pub(crate) fn new(column: &[DVec2], closed: bool) -> Curve {
        let mut points: Vec<DVec2> = Vec::with_capacity(column.len());
        for &point in column.iter().filter(|p| p.is_finite()) {
            if points.last().is_none_or(|last| last.distance(point) > 1e-6) {
                points.push(point);
            }
        }
        if closed && points.len() > 1 && points[0].distance(points[points.len() - 1]) < 1e-6 {
            points.pop();
        }
        let count = points.len();
        let direction = |from: usize, to: usize| (points[to] - points[from]).normalize_or_zero();
        let mitres = (0..count)
            .map(|k| {
                let before = if k > 0 {
                    direction(k - 1, k)
                } else if closed {
                    direction(count - 1, 0)
                } else {
                    DVec2::ZERO
                };
                let after = if k + 1 < count {
                    direction(k, k + 1)
                } else if closed {
                    direction(k, 0)
                } else {
                    DVec2::ZERO
                };
                let normal = (before + after).normalize_or_zero().perp();
                let along = if after == DVec2::ZERO { before } else { after };
                normal / normal.dot(along.perp()).max(1.0 / MITRE_LIMIT)
            })
            .collect();
        let mut distances_m = vec![0.0];
        for k in 1..count + usize::from(closed) {
            distances_m.push(distances_m[k - 1] + points[k - 1].distance(points[k % count]));
        }
        Curve { points, mitres, distances_m, closed }
    }

    pub(crate) fn length_m(&self) -> f64 {
        self.distances_m.last().copied().unwrap_or(0.0)
    }

    pub(crate) fn num_segments(&self) -> usize {
        self.distances_m.len() - 1
    }

    /// The point `distance_m` along the curve (wrapping on closed ones, clamped on open ones), moved
    /// `offset_m` to the left.
    pub(crate) fn point_at(&self, distance_m: f64, offset_m: f64) -> DVec2 {
        let Some(last_segment) = self.num_segments().checked_sub(1) else {
            return self.points.first().copied().unwrap_or(DVec2::ZERO);
        };
        let length_m = self.length_m();
        let distance_m = if self.closed { distance_m.rem_euclid(length_m) } else { distance_m.clamp(0.0, length_m) };
        let segment = self.distances_m.partition_point(|&d| d <= distance_m).saturating_sub(1).min(last_segment);
        let next = (segment + 1) % self.points.len();
        let span = self.distances_m[segment + 1] - self.distances_m[segment];
        let t = (distance_m - self.distances_m[segment]) / span;
        let at = |k: usize| self.points[k] + self.mitres[k] * offset_m;
        at(segment).lerp(at(next), t)
    }

    /// Where `step_m` cuts the curve and its own corners lie between `from_m` and `to_m`, in order.
    /// `from_m` and `to_m` are the first and last entry.
    fn stations(&self, from_m: f64, to_m: f64) -> Vec<f64> {
        let length_m = self.length_m();
        let mut stations = vec![from_m];
        let laps: &[f64] = if self.closed { &[-length_m, 0.0, length_m] } else { &[0.0] };
        for lap_m in laps {
            stations
                .extend(self.distances_m.iter().map(|d| d + lap_m).filter(|d| *d > from_m + 1e-9 && *d < to_m - 1e-9));
        }
        stations.push(to_m);
        stations.sort_by(f64::total_cmp);
        stations
    }

    /// The band between the offsets `left_m` and `right_m` (positive to the left), from `from_m` to `to_m`
    /// along the curve, as triangles.
    pub(crate) fn band(&self, from_m: f64, to_m: f64, left_m: f64, right_m: f64, out: &mut Vec<[DVec2; 3]>) {
        let stations = self.stations(from_m, to_m);
        for pair in stations.windows(2) {
            let [near, far] = [pair[0], pair[1]];
            let at = |distance_m: f64, offset_m: f64| self.point_at(distance_m, offset_m);
            quad([at(near, left_m), at(near, right_m), at(far, right_m), at(far, left_m)], out);
        }
    }

    /// The band along the whole curve.
    pub(crate) fn whole_band(&self, left_m: f64, right_m: f64, out: &mut Vec<[DVec2; 3]>) {
        let count = self.points.len();
        for k in 0..self.num_segments() {
            let at = |k: usize, offset_m: f64| self.points[k % count] + self.mitres[k % count] * offset_m;
            quad([at(k, left_m), at(k, right_m), at(k + 1, right_m), at(k + 1, left_m)], out);
        }
    }

    /// +1 when `others` lie mostly to the left of the curve's `column` (row by row), else -1.
    pub(crate) fn side_of(column: &[DVec2], others: &[DVec2]) -> f64 {
        let leaning: f64 =
            column.windows(2).zip(others).map(|(pair, other)| (pair[1] - pair[0]).perp_dot(*other - pair[0])).sum();
        if leaning >= 0.0 { 1.0 } else { -1.0 }
    }
}

/// A quadrilateral as two triangles, without those that have no area or a corner that is not finite.
pub(crate) fn quad(corners: [DVec2; 4], out: &mut Vec<[DVec2; 3]>) {
    let [a, b, c, d] = corners;
    let doubled_area = |[a, b, c]: [DVec2; 3]| (b - a).perp_dot(c - a).abs();
    out.extend([[a, b, c], [a, c, d]].into_iter().filter(|t| doubled_area(*t) > 1e-12));
}
