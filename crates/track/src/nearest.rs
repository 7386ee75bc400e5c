//! Which segment of a line is nearest to a point: a table of candidates per cell, exact.

use std::ops::Range;

use glam::DVec2;

use crate::cells::Cells;

/// A straight piece of a line, prepared for projection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) start: DVec2,
    /// From start to end.
    pub(crate) along: DVec2,
    /// Zero for a segment without length, which then projects everything on its start.
    per_length_squared: f64,
}

impl Segment {
    pub(crate) fn between(start: DVec2, end: DVec2) -> Segment {
        let along = end - start;
        let length_squared = along.length_squared();
        let per_length_squared = if length_squared > 0.0 { length_squared.recip() } else { 0.0 };
        Segment { start, along, per_length_squared }
    }

    /// Where along the segment (0 at its start, 1 at its end) it is nearest to `point`.
    #[inline]
    pub(crate) fn nearest_fraction(&self, point: DVec2) -> f64 {
        ((point - self.start).dot(self.along) * self.per_length_squared).clamp(0.0, 1.0)
    }

    #[inline]
    fn gap_squared(&self, point: DVec2) -> f64 {
        (self.start + self.along * self.nearest_fraction(point)).distance_squared(point)
    }
}

/// For each cell the segments that are nearest to some point of it.
#[derive(Debug, Clone)]
pub(crate) struct NearestTable {
    cells: Cells,
    /// First and one past the last entry in `candidates`, per cell; none in cells far from the line.
    entries: Vec<(u32, u32)>,
    /// Segment numbers, ascending within a cell.
    candidates: Vec<u32>,
}

/// Edge of a cell: a few candidates per cell near a line whose points lie 0.1 to 0.3 m apart, and a table made in a
/// millisecond or two.
const CELL_M: f64 = 0.2;

/// The table covers places this near to the line, which includes those of a car leaving the road; further away every
/// segment is looked at.
const MARGIN_M: f64 = 1.5;

impl NearestTable {
    pub(crate) fn new(points: &[DVec2], segments: &[Segment]) -> NearestTable {
        let cells = Cells::over(points, MARGIN_M, CELL_M);
        let (columns, rows) = (cells.columns(), cells.rows());
        let mut table = NearestTable { cells, entries: vec![(0, 0); columns * rows], candidates: Vec::new() };
        let mut pending: Vec<u32> = (0..segments.len() as u32).collect();
        table.fill(segments, 0..columns, 0..rows, &mut pending, 0);
        table
    }

    /// Fills a block of cells given the segments that may be nearest to a point of it: those in `pending` from `first`.
    ///
    /// No point of the block is further than its half diagonal from its middle, so a segment can only be nearest if its
    /// distance to the middle exceeds the smallest one by at most the whole diagonal.
    fn fill(
        &mut self,
        segments: &[Segment],
        columns: Range<usize>,
        rows: Range<usize>,
        pending: &mut Vec<u32>,
        first: usize,
    ) {
        let low = self.cells.corner(columns.start, rows.start);
        let high = self.cells.corner(columns.end, rows.end);
        let middle = low.midpoint(high);
        let gap = |segment: u32| segments[segment as usize].gap_squared(middle);
        let smallest = pending[first..].iter().map(|&segment| gap(segment)).fold(f64::INFINITY, f64::min);
        let diagonal_m = low.distance(high);
        if smallest.sqrt() > MARGIN_M + diagonal_m {
            return;
        }
        let limit = (smallest.sqrt() + diagonal_m + self.cells.slack_m()).powi(2);
        let kept = pending.len();
        for candidate in first..kept {
            if gap(pending[candidate]) <= limit {
                pending.push(pending[candidate]);
            }
        }
        if columns.len() == 1 && rows.len() == 1 {
            let start = self.candidates.len() as u32;
            self.candidates.extend_from_slice(&pending[kept..]);
            let cell = self.cells.number(columns.start, rows.start);
            self.entries[cell] = (start, self.candidates.len() as u32);
        } else if columns.len() >= rows.len() {
            let split = columns.start.midpoint(columns.end);
            self.fill(segments, columns.start..split, rows.clone(), pending, kept);
            self.fill(segments, split..columns.end, rows, pending, kept);
        } else {
            let split = rows.start.midpoint(rows.end);
            self.fill(segments, columns.clone(), rows.start..split, pending, kept);
            self.fill(segments, columns, split..rows.end, pending, kept);
        }
        pending.truncate(kept);
    }

    /// The nearest segment, the first of several at the same distance, and the square of the distance.
    #[inline]
    pub(crate) fn nearest(&self, segments: &[Segment], point: DVec2) -> (usize, f64) {
        let (start, end) = self.cells.at(point).map_or((0, 0), |cell| self.entries[cell]);
        if start == end {
            return nearest_of(segments, 0..segments.len(), point);
        }
        let candidates = &self.candidates[start as usize..end as usize];
        nearest_of(segments, candidates.iter().map(|&segment| segment as usize), point)
    }
}

/// The nearest of some segments, the first on ties. Of none, or for NaN, segment 0 at an infinite distance.
#[inline]
fn nearest_of(segments: &[Segment], among: impl Iterator<Item = usize>, point: DVec2) -> (usize, f64) {
    among.fold((0, f64::INFINITY), |nearest, segment| {
        let gap_squared = segments[segment].gap_squared(point);
        if gap_squared < nearest.1 { (segment, gap_squared) } else { nearest }
    })
}
