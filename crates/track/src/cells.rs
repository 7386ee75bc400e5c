//! A rectangle of the plane cut into square cells: the index of the tables that speed up geometry.

use glam::DVec2;

/// Square cells numbered row by row from the lower left corner.
#[derive(Debug, Clone)]
pub(crate) struct Cells {
    origin: DVec2,
    size_m: f64,
    per_size: f64,
    columns: usize,
    rows: usize,
    slack_m: f64,
}

/// Most cells of one table; beyond it the cells grow, which costs speed only.
const MAX_CELLS: f64 = 60_000.0;

impl Cells {
    /// Cells of `size_m` (larger when the rectangle would need too many) over the points' bounding box and `margin_m`
    /// around it.
    pub(crate) fn over(points: &[DVec2], margin_m: f64, size_m: f64) -> Cells {
        let (low, high) = bounds(points);
        let origin = low - margin_m;
        let extent = high + margin_m - origin;
        let size_m = size_m.max((extent.x * extent.y / MAX_CELLS).sqrt()).max(extent.max_element() / MAX_CELLS);
        Cells {
            origin,
            size_m,
            per_size: size_m.recip(),
            columns: (extent.x / size_m).floor() as usize + 1,
            rows: (extent.y / size_m).floor() as usize + 1,
            slack_m: 1e-9 * (1.0 + low.abs().max(high.abs()).max_element()),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// More than the rounding error of any position computed here; tables widen every comparison by it.
    pub(crate) fn slack_m(&self) -> f64 {
        self.slack_m
    }

    pub(crate) fn number(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// The number of the cell a point lies in; `None` outside the rectangle (and for NaN).
    #[inline]
    pub(crate) fn at(&self, point: DVec2) -> Option<usize> {
        let position = (point - self.origin) * self.per_size;
        let inside =
            position.x >= 0.0 && position.y >= 0.0 && position.x < self.columns as f64 && position.y < self.rows as f64;
        inside.then(|| self.number(position.x as usize, position.y as usize))
    }

    /// The lower left corner of a cell; with one past the last column or row, the far edge of the rectangle.
    pub(crate) fn corner(&self, column: usize, row: usize) -> DVec2 {
        self.origin + DVec2::new(column as f64, row as f64) * self.size_m
    }
}

/// Lower left and upper right corner of the points' bounding box.
pub(crate) fn bounds(points: &[DVec2]) -> (DVec2, DVec2) {
    let nothing = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    points.iter().fold(nothing, |(low, high), &point| (low.min(point), high.max(point)))
}
