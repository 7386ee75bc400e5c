//! Areas enclosed by rings: whether a point lies strictly inside, from a table per cell, exact.

use glam::DVec2;

use crate::cells::Cells;

/// The area enclosed by one ring, or between two (the inner one is a hole).
///
/// A point is inside when a ray from it crosses the rings an odd number of times; a point exactly on a ring is outside.
#[derive(Debug, Clone)]
pub struct Area {
    edges: Vec<Edge>,
    cells: Cells,
    /// What is known about each cell.
    entries: Vec<Entry>,
    /// Numbers of the edges that need a look, per cell.
    listed: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    start: DVec2,
    end: DVec2,
}

/// How a point relates to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// A ray to the right from the point crosses the edge.
    Crossing,
    /// It does not.
    Clear,
    /// The point lies on the edge.
    On,
}

impl Edge {
    fn low(&self) -> DVec2 {
        self.start.min(self.end)
    }

    fn high(&self) -> DVec2 {
        self.start.max(self.end)
    }

    #[inline]
    fn relation(&self, point: DVec2) -> Relation {
        let side = (self.end - self.start).perp_dot(point - self.start);
        if side == 0.0 && point.cmpge(self.low()).all() && point.cmple(self.high()).all() {
            return Relation::On;
        }
        let start_above = self.start.y > point.y;
        let end_above = self.end.y > point.y;
        // An upward edge is crossed from its left, a downward one from its right.
        if start_above != end_above && (side > 0.0) == end_above { Relation::Crossing } else { Relation::Clear }
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// First listed edge.
    start: u32,
    /// Number of listed edges; none where no edge comes near the cell.
    count: u32,
    /// Whether the number of crossings of the edges not listed is odd.
    odd: bool,
}

/// Edge of a cell: most cells of a road 0.6 m wide touch no border.
const CELL_M: f64 = 0.1;

impl Area {
    /// The area within `ring`, less the area within `hole` (empty for none). Rings are closed from their last point to
    /// their first.
    pub fn new(ring: &[DVec2], hole: &[DVec2]) -> Area {
        let mut edges = Vec::with_capacity(ring.len() + hole.len());
        for ring in [ring, hole] {
            let ends = ring.iter().cycle().skip(1);
            edges.extend(ring.iter().zip(ends).map(|(&start, &end)| Edge { start, end }));
        }
        let corners: Vec<DVec2> = edges.iter().map(|edge| edge.start).collect();
        let cells = Cells::over(if corners.is_empty() { &[DVec2::ZERO] } else { &corners }, CELL_M, CELL_M);
        let mut area =
            Area { edges, entries: Vec::with_capacity(cells.columns() * cells.rows()), cells, listed: Vec::new() };
        let mut of_row: Vec<u32> = Vec::new();
        for row in 0..area.cells.rows() {
            let bottom = area.cells.corner(0, row).y - area.cells.slack_m();
            let top = area.cells.corner(0, row + 1).y + area.cells.slack_m();
            of_row.clear();
            of_row.extend(
                (0u32..)
                    .zip(&area.edges)
                    .filter_map(|(number, edge)| (edge.low().y <= top && edge.high().y >= bottom).then_some(number)),
            );
            for column in 0..area.cells.columns() {
                let entry = area.describe(column, row, &of_row);
                area.entries.push(entry);
            }
        }
        area
    }

    /// Sorts the edges that reach the row of a cell: those to the left never matter, those to the right that span the
    /// whole height of the cell are crossed from all of it, the others are listed. When none touches the cell, the
    /// whole of it lies on the same side as its middle.
    fn describe(&mut self, column: usize, row: usize, of_row: &[u32]) -> Entry {
        let slack_m = self.cells.slack_m();
        let low = self.cells.corner(column, row) - slack_m;
        let high = self.cells.corner(column + 1, row + 1) + slack_m;
        let start = self.listed.len();
        let mut odd = false;
        let mut touched = false;
        for &number in of_row {
            let edge = &self.edges[number as usize];
            if edge.high().x < low.x {
                continue;
            }
            let to_the_right = edge.low().x > high.x;
            if to_the_right && edge.low().y < low.y && edge.high().y > high.y {
                odd = !odd;
            } else {
                touched |= !to_the_right;
                self.listed.push(number);
            }
        }
        if !touched {
            odd ^= is_odd(&self.edges, &self.listed[start..], low.midpoint(high)) == Some(true);
            self.listed.truncate(start);
        }
        Entry { start: start as u32, count: (self.listed.len() - start) as u32, odd }
    }

    /// Whether a point lies strictly inside; a point on a border, or NaN, does not.
    #[inline]
    pub fn contains(&self, point: DVec2) -> bool {
        let Some(cell) = self.cells.at(point) else {
            return false;
        };
        let entry = self.entries[cell];
        if entry.count == 0 {
            return entry.odd;
        }
        let listed = &self.listed[entry.start as usize..(entry.start + entry.count) as usize];
        match is_odd(&self.edges, listed, point) {
            Some(odd) => odd != entry.odd,
            None => false,
        }
    }
}

/// Whether a ray to the right crosses an odd number of the listed edges; `None` when the point lies on one of them.
#[inline]
fn is_odd(edges: &[Edge], listed: &[u32], point: DVec2) -> Option<bool> {
    let mut odd = false;
    for &number in listed {
        match edges[number as usize].relation(point) {
            Relation::Crossing => odd = !odd,
            Relation::Clear => {}
            Relation::On => return None,
        }
    }
    Some(odd)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rectangle(low: (f64, f64), high: (f64, f64)) -> Vec<DVec2> {
        [(low.0, low.1), (high.0, low.1), (high.0, high.1), (low.0, high.1)].map(DVec2::from).to_vec()
    }

    #[test]
    fn borders_and_hole_are_outside() {
        let frame = Area::new(&rectangle((0.0, 0.0), (4.0, 3.0)), &rectangle((1.0, 1.0), (3.0, 2.0)));
        for (x, y, inside) in [
            (0.5, 0.5, true),
            (2.0, 0.999, true),
            (2.0, 1.0, false),
            (2.0, 1.5, false),
            (3.0, 1.5, false),
            (3.25, 1.5, true),
            (4.0, 1.5, false),
            (0.0, 0.0, false),
            (1.0, 1.0, false),
            (-5.0, 1.0, false),
            (f64::NAN, 1.0, false),
        ] {
            assert_eq!(frame.contains(DVec2::new(x, y)), inside, "({x}, {y})");
        }
        assert!(!Area::new(&[], &[]).contains(DVec2::ZERO));
    }

    proptest! {
        /// The table answers as a look at all edges does, on rings of any shape, also at their corners and grid lines.
        #[test]
        fn the_table_agrees_with_a_look_at_all_edges(
            ring in prop::collection::vec((-30i32..30, -20i32..20), 3..24),
            hole in prop::collection::vec((-30i32..30, -20i32..20), 0..8),
            points in prop::collection::vec((-3.5f64..3.5, -2.5f64..2.5), 64),
        ) {
            let scaled = |ring: &[(i32, i32)]| -> Vec<DVec2> {
                ring.iter().map(|&(x, y)| DVec2::new(f64::from(x), f64::from(y)) * 0.1).collect()
            };
            let (ring, hole) = (scaled(&ring), scaled(&hole));
            let area = Area::new(&ring, &hole);
            let all: Vec<u32> = (0..area.edges.len() as u32).collect();
            let middles = ring.windows(2).map(|pair| pair[0].midpoint(pair[1]));
            let rounded = points.iter().map(|&(x, y)| DVec2::new((x * 10.0).round() / 10.0, (y * 10.0).round() / 10.0));
            let points = points.iter().copied().map(DVec2::from);
            for point in points.chain(rounded).chain(middles).chain(ring.iter().copied()) {
                let expected = is_odd(&area.edges, &all, point).unwrap_or(false);
                prop_assert_eq!(area.contains(point), expected, "{}", point);
            }
        }
    }
}
