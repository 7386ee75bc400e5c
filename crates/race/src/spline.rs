//! Cubic splines through points of the plane.

use glam::DVec2;

/// How a spline ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The last point is the first one again, and the curve goes on smoothly there.
    Closed,
    /// The first and the last two pieces are one cubic each ("not a knot").
    Open,
}

/// An interpolating curve, twice continuously differentiable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spline {
    /// Parameter of each point, strictly ascending.
    at: Vec<f64>,
    points: Vec<DVec2>,
    /// Second derivative at each point.
    bend: Vec<DVec2>,
    /// Intermediate values of fitting, kept for their memory.
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    diagonal: Vec<f64>,
    right: Vec<DVec2>,
    column: Vec<f64>,
}

/// A parameter must exceed the one before by this much.
const SMALLEST_STEP: f64 = 1e-6;

impl Spline {
    /// Forgets all points and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.at.clear();
        self.points.clear();
        self.bend.clear();
    }

    /// Whether there are too few points to draw a curve through.
    pub(crate) fn is_empty(&self) -> bool {
        self.bend.len() < 2
    }

    /// Parameters of the points, ascending.
    pub(crate) fn knots(&self) -> &[f64] {
        &self.at
    }

    /// The points.
    pub(crate) fn points(&self) -> &[DVec2] {
        &self.points
    }

    /// Adds a point; one whose parameter does not exceed the last is left out.
    pub(crate) fn push(&mut self, at: f64, point: DVec2) {
        if self.at.last().is_none_or(|&last| at > last + SMALLEST_STEP) {
            self.at.push(at);
            self.points.push(point);
        }
    }

    /// Leaves out the last points whose parameter is not below `limit`.
    pub(crate) fn cut_from(&mut self, limit: f64) {
        while self.at.last().is_some_and(|&last| last >= limit - SMALLEST_STEP) {
            self.at.pop();
            self.points.pop();
        }
    }

    /// Draws the curve through the points. Three points and fewer are joined by straight pieces.
    pub(crate) fn fit(&mut self, ends: Ends) {
        self.bend.clear();
        self.bend.resize(self.at.len(), DVec2::ZERO);
        if self.at.len() < 4 {
            return;
        }
        match ends {
            Ends::Closed => self.fit_closed(),
            Ends::Open => self.fit_open(),
        }
    }

    fn step(&self, piece: usize) -> f64 {
        self.at[piece + 1] - self.at[piece]
    }

    fn slope(&self, piece: usize) -> DVec2 {
        (self.points[piece + 1] - self.points[piece]) / self.step(piece)
    }

    /// The equations of the inner points, with the first and last unknown expressed by their neighbours.
    fn fit_open(&mut self) {
        let last = self.at.len() - 1;
        let num_unknown = last - 1;
        let (first_step, second_step) = (self.step(0), self.step(1));
        let (last_step, before_step) = (self.step(last - 1), self.step(last - 2));
        let (first_ratio, last_ratio) = (first_step / second_step, last_step / before_step);
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { diagonal, right, .. } = &mut scratch;
        diagonal.clear();
        right.clear();
        // Unknown k belongs to point k + 1; its equation reads below·M(k) + middle·M(k+1) + above·M(k+2) = right.
        let mut above_before = 0.0;
        for unknown in 0..num_unknown {
            let (mut below, mut above) = (self.step(unknown), self.step(unknown + 1));
            let mut middle = 2.0 * (below + above);
            if unknown == 0 {
                middle += below * (1.0 + first_ratio);
                above -= below * first_ratio;
                below = 0.0;
            }
            if unknown + 1 == num_unknown {
                middle += self.step(unknown + 1) * (1.0 + last_ratio);
                below -= self.step(unknown + 1) * last_ratio;
                above = 0.0;
            }
            let mut value = 6.0 * (self.slope(unknown + 1) - self.slope(unknown));
            if unknown > 0 {
                let factor = below / diagonal[unknown - 1];
                middle -= factor * above_before;
                value -= right[unknown - 1] * factor;
            }
            diagonal.push(middle);
            right.push(value);
            above_before = above;
        }
        for unknown in (0..num_unknown).rev() {
            let mut above = self.step(unknown + 1);
            if unknown == 0 {
                above -= self.step(0) * first_ratio;
            }
            let next = if unknown + 1 == num_unknown { DVec2::ZERO } else { self.bend[unknown + 2] * above };
            self.bend[unknown + 1] = (right[unknown] - next) / diagonal[unknown];
        }
        self.bend[0] = self.bend[1] * (1.0 + first_ratio) - self.bend[2] * first_ratio;
        self.bend[last] = self.bend[last - 1] * (1.0 + last_ratio) - self.bend[last - 2] * last_ratio;
        self.scratch = scratch;
    }

    /// The equations of a ring of points: a tridiagonal system with two corner entries (Sherman and Morrison).
    fn fit_closed(&mut self) {
        let count = self.at.len() - 1;
        let corner = self.step(count - 1);
        let before = |piece: usize| if piece == 0 { count - 1 } else { piece - 1 };
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { diagonal, right, column } = &mut scratch;
        for values in [&mut *diagonal, &mut *column] {
            values.clear();
        }
        right.clear();
        let gamma = -2.0 * (self.step(count - 1) + self.step(0));
        for index in 0..count {
            let (below, above) = (self.step(before(index)), self.step(index));
            let mut middle = 2.0 * (below + above);
            if index == 0 {
                middle -= gamma;
            }
            if index + 1 == count {
                middle -= corner * corner / gamma;
            }
            let mut value = 6.0 * (self.slope(index) - self.slope(before(index)));
            let mut update = if index == 0 { gamma } else { 0.0 };
            if index + 1 == count {
                update = corner;
            }
            if index > 0 {
                let factor = below / diagonal[index - 1];
                middle -= factor * self.step(index - 1);
                value -= right[index - 1] * factor;
                update -= column[index - 1] * factor;
            }
            diagonal.push(middle);
            right.push(value);
            column.push(update);
        }
        for index in (0..count).rev() {
            if index + 1 < count {
                let above = self.step(index);
                right[index] = right[index] - right[index + 1] * above;
                column[index] -= column[index + 1] * above;
            }
            right[index] /= diagonal[index];
            column[index] /= diagonal[index];
        }
        let share = corner / gamma;
        let scale = 1.0 + column[0] + share * column[count - 1];
        let correction = (right[0] + right[count - 1] * share) / scale;
        for index in 0..count {
            self.bend[index] = right[index] - correction * column[index];
        }
        self.bend[count] = self.bend[0];
        self.scratch = scratch;
    }

    /// Place and derivative by the parameter; beyond the ends the outermost piece goes on.
    pub(crate) fn at(&self, at: f64) -> (DVec2, DVec2) {
        let piece = self.at.partition_point(|&knot| knot <= at).clamp(1, self.at.len() - 1) - 1;
        let step = self.step(piece);
        let (ahead, behind) = ((at - self.at[piece]) / step, (self.at[piece + 1] - at) / step);
        let (from, to) = (self.bend[piece], self.bend[piece + 1]);
        let sixth = step * step / 6.0;
        let point = self.points[piece] * behind
            + self.points[piece + 1] * ahead
            + (from * (behind.powi(3) - behind) + to * (ahead.powi(3) - ahead)) * sixth;
        let derivative = self.slope(piece)
            + (to * (3.0 * ahead * ahead - 1.0) - from * (3.0 * behind * behind - 1.0)) * (step / 6.0);
        (point, derivative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn an_open_spline_reproduces_a_cubic() {
        let cubic = |t: f64| DVec2::new(t.powi(3) - 2.0 * t, 0.5 * t * t + 1.0);
        let slope = |t: f64| DVec2::new(3.0 * t * t - 2.0, t);
        let mut spline = Spline::default();
        for knots in [&[0.0, 0.3, 1.1, 1.5][..], &[-1.0, -0.2, 0.5, 0.6, 2.0, 2.2, 3.5][..]] {
            spline.clear();
            for &t in knots {
                spline.push(t, cubic(t));
            }
            spline.fit(Ends::Open);
            for step in 0..50 {
                let t = knots[0] + (knots[knots.len() - 1] - knots[0]) * f64::from(step) / 49.0;
                let (point, derivative) = spline.at(t);
                assert!(point.distance(cubic(t)) < 1e-9 && derivative.distance(slope(t)) < 1e-9, "{knots:?} at {t}");
            }
        }
    }

    #[test]
    fn a_closed_spline_through_a_circle_is_round_and_smooth_at_the_seam() {
        let mut spline = Spline::default();
        (0..=24).for_each(|index| {
            // Uneven steps, as on a track.
            let t = f64::from(index) + if index % 3 == 1 { 0.2 } else { 0.0 };
            let angle = TAU * t / 24.0;
            spline.push(t, if index == 24 { DVec2::X } else { DVec2::from_angle(angle) });
        });
        spline.fit(Ends::Closed);
        for step in 0..240 {
            let (point, derivative) = spline.at(f64::from(step) / 10.0);
            assert!((point.length() - 1.0).abs() < 1e-4, "{point}");
            assert!((derivative.length() - TAU / 24.0).abs() < 2e-3 && derivative.dot(point).abs() < 2e-3);
        }
        let (start, end) = (spline.at(0.0), spline.at(24.0));
        assert!(start.0.distance(end.0) < 1e-12 && start.1.distance(end.1) < 1e-9);
        assert!((spline.bend[0] - spline.bend[24]).length() < 1e-12);
    }

    #[test]
    fn points_that_do_not_advance_are_left_out() {
        let mut spline = Spline::default();
        for at in [0.0, 1.0, 1.0, 0.5, 2.0, 3.0] {
            spline.push(at, DVec2::new(at, 0.0));
        }
        assert_eq!(spline.knots(), [0.0, 1.0, 2.0, 3.0]);
        spline.cut_from(2.0);
        assert_eq!(spline.knots(), [0.0, 1.0]);
    }
}
