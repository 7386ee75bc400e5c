//! Routes: the points of a track as they stand in a route file.

use std::path::{Path, PathBuf};

use glam::DVec2;
use npyz::{NpyFile, Order, TypeChar, WriterBuilder};

/// Numbers in a row: centre x, y; inner border x, y; outer border x, y.
const NUM_COLUMNS: usize = 6;

/// Coordinates beyond this are refused: no track is that large, and distances stay exact to a micrometre within it.
const MAX_COORDINATE_M: f64 = 1e6;

/// Longer tables are refused: the longest published route has 401 rows, and the route checker compares all with all.
const MAX_ROWS: usize = 10_000;

/// The points of a track, row by row: waypoint, inner and outer border point belong together.
///
/// Waypoint 0 lies on (or, in `_cw` and `_ccw` tracks, just before) the start line. *Inner* is the border inside the
/// loop, whatever the driving direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Name of the track.
    pub name: String,
    /// Centre line: the waypoints.
    pub center: Vec<DVec2>,
    /// Border inside the loop.
    pub inner: Vec<DVec2>,
    /// Border outside the loop.
    pub outer: Vec<DVec2>,
    /// Whether the last row repeats the first in all six columns.
    pub closed: bool,
    /// Where the points come from.
    pub source: RouteSource,
}

/// Where the points of a [`Route`] come from.
#[derive(Debug, Clone, PartialEq)]
pub enum RouteSource {
    /// Drawn from a built-in blueprint.
    Blueprint {
        /// Largest distance between a waypoint and the published waypoint of the same index.
        waypoint_deviation_m: f64,
    },
    /// Read from this route file.
    File(PathBuf),
    /// Made by the program.
    Memory,
}

/// Why a route file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The file cannot be read.
    #[error("cannot read the route file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a `NumPy` array, or one that breaks off.
    #[error("{file} is not a whole NumPy array (.npy): {reason}")]
    NotAnArray {
        /// The file or the name of the route.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The numbers are of a type that cannot be a coordinate.
    #[error("{file} holds numbers of type {found}; a route is float64 or float32")]
    NumberType {
        /// The file or the name of the route.
        file: String,
        /// The type as `NumPy` writes it.
        found: String,
    },
    /// The array is not a table of six columns.
    #[error("{file} has shape {shape:?}; a route has shape (rows, 6): centre x, y, inner x, y, outer x, y")]
    Shape {
        /// The file or the name of the route.
        file: String,
        /// The shape found.
        shape: Vec<u64>,
    },
    /// Fewer than two rows.
    #[error("{file} has {rows} row(s); a route has at least 2")]
    TooFewRows {
        /// The file or the name of the route.
        file: String,
        /// Rows found.
        rows: usize,
    },
    /// More rows than any road needs.
    #[error("{file} has {rows} rows; a route has at most 10000, one each few centimetres")]
    TooManyRows {
        /// The file or the name of the route.
        file: String,
        /// Rows found.
        rows: usize,
    },
    /// A coordinate is not a number, infinite, or too large to be metres.
    #[error("{file}: row {row}, column {column} is {value}; coordinates are finite metres (at most 1e6)")]
    Coordinate {
        /// The file or the name of the route.
        file: String,
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// The three lines of a route made by the program have different numbers of points.
    #[error("{file}: centre, inner and outer line have {center}, {inner} and {outer} points; they must agree")]
    LineLengths {
        /// The name of the route.
        file: String,
        /// Points of the centre line.
        center: usize,
        /// Points of the inner border.
        inner: usize,
        /// Points of the outer border.
        outer: usize,
    },
    /// A route made by the program says it is closed but its last row does not repeat the first.
    #[error("{file} is marked as closed, but its last row does not repeat the first")]
    NotClosed {
        /// The name of the route.
        file: String,
    },
}

impl Route {
    /// Reads a route from the bytes of a `.npy` file: float64 or float32, shape (rows, 6), C or Fortran order.
    ///
    /// `name` becomes the route's name and stands in error messages.
    pub fn from_npy(name: &str, bytes: &[u8]) -> Result<Route, RouteError> {
        parse(name, name, bytes, RouteSource::Memory)
    }

    /// Reads a route file; the route is named after the file.
    pub fn read(path: &Path) -> Result<Route, RouteError> {
        let bytes = std::fs::read(path).map_err(|source| RouteError::Read { path: path.to_owned(), source })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let source = RouteSource::File(path.to_owned());
        parse(&path.display().to_string(), &name, &bytes, source)
    }

    /// The route as the bytes of a `.npy` file: float64, shape (rows, 6), C order.
    ///
    /// # Panics
    /// When the three lines have different numbers of points; see [`Route::validate`].
    pub fn to_npy(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut write = || -> std::io::Result<()> {
            let mut writer = npyz::WriteOptions::<f64>::new()
                .default_dtype()
                .shape(&[self.center.len() as u64, NUM_COLUMNS as u64])
                .writer(&mut bytes)
                .begin_nd()?;
            for row in 0..self.center.len() {
                writer.extend(self.row(row))?;
            }
            writer.finish()
        };
        write().expect("writing to memory cannot fail");
        bytes
    }

    /// Number of rows, the closing one included.
    pub fn num_waypoints(&self) -> usize {
        self.center.len()
    }

    /// Checks what every use relies on: lines of equal length, 2 to 10,000 rows, finite coordinates, and a last row
    /// that repeats the first exactly when the route is closed.
    pub fn validate(&self) -> Result<(), RouteError> {
        self.validate_as(&self.name)
    }

    fn validate_as(&self, file: &str) -> Result<(), RouteError> {
        let file = || file.to_owned();
        let rows = self.center.len();
        if self.inner.len() != rows || self.outer.len() != rows {
            return Err(RouteError::LineLengths {
                file: file(),
                center: rows,
                inner: self.inner.len(),
                outer: self.outer.len(),
            });
        }
        if rows < 2 {
            return Err(RouteError::TooFewRows { file: file(), rows });
        }
        if rows > MAX_ROWS {
            return Err(RouteError::TooManyRows { file: file(), rows });
        }
        for row in 0..rows {
            for (column, value) in self.row(row).into_iter().enumerate() {
                if value.is_nan() || value.abs() > MAX_COORDINATE_M {
                    return Err(RouteError::Coordinate { file: file(), row, column, value });
                }
            }
        }
        if self.closed && self.row(0) != self.row(rows - 1) {
            return Err(RouteError::NotClosed { file: file() });
        }
        Ok(())
    }

    fn row(&self, row: usize) -> [f64; NUM_COLUMNS] {
        let (center, inner, outer) = (self.center[row], self.inner[row], self.outer[row]);
        [center.x, center.y, inner.x, inner.y, outer.x, outer.y]
    }
}

fn parse(file: &str, name: &str, bytes: &[u8], source: RouteSource) -> Result<Route, RouteError> {
    let not_an_array =
        |error: std::io::Error| RouteError::NotAnArray { file: file.to_owned(), reason: error.to_string() };
    let array = NpyFile::new(bytes).map_err(not_an_array)?;
    let rows = match *array.shape() {
        [rows, columns] if columns == NUM_COLUMNS as u64 => rows,
        _ => {
            return Err(RouteError::Shape { file: file.to_owned(), shape: array.shape().to_vec() });
        }
    };
    let number_type = array.dtype();
    let float_bytes = match &number_type {
        npyz::DType::Plain(plain) if plain.type_char() == TypeChar::Float => plain.size_field(),
        _ => 0,
    };
    let order = array.order();
    let values: Vec<f64> = match float_bytes {
        8 => array.into_vec::<f64>().map_err(not_an_array)?,
        4 => {
            let values = array.into_vec::<f32>().map_err(not_an_array)?;
            values.into_iter().map(f64::from).collect()
        }
        _ => {
            return Err(RouteError::NumberType { file: file.to_owned(), found: number_type.descr() });
        }
    };
    let rows = rows as usize;
    if rows.checked_mul(NUM_COLUMNS) != Some(values.len()) {
        return Err(RouteError::NotAnArray {
            file: file.to_owned(),
            reason: format!("{} numbers for {rows} rows", values.len()),
        });
    }
    let value = |row: usize, column: usize| match order {
        Order::C => values[row * NUM_COLUMNS + column],
        Order::Fortran => values[column * rows + row],
    };
    let line = |first_column: usize| -> Vec<DVec2> {
        (0..rows).map(|row| DVec2::new(value(row, first_column), value(row, first_column + 1))).collect()
    };
    let mut route =
        Route { name: name.to_owned(), center: line(0), inner: line(2), outer: line(4), closed: false, source };
    route.validate_as(file)?;
    route.closed = route.row(0) == route.row(rows - 1);
    Ok(route)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `.npy` file of version 1.0 written by hand.
    fn npy(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    const ROWS: [[f64; 6]; 3] =
        [[0.0, 0.5, 0.0, 1.0, 0.0, 0.0], [1.0, 0.5, 1.0, 1.0, 1.0, 0.0], [2.0, 0.75, 2.0, 1.25, 2.0, 0.25]];

    fn expected() -> [Vec<DVec2>; 3] {
        [0, 2, 4].map(|column| ROWS.iter().map(|row| DVec2::new(row[column], row[column + 1])).collect())
    }

    fn lines(route: &Route) -> [Vec<DVec2>; 3] {
        [route.center.clone(), route.inner.clone(), route.outer.clone()]
    }

    #[test]
    fn reads_both_number_types_byte_orders_and_array_orders() {
        let rows: Vec<f64> = ROWS.concat();
        let columns: Vec<f64> = (0..6).flat_map(|column| ROWS.iter().map(move |row| row[column])).collect();
        let encode = |kind: &str, value: f64| match kind {
            "<f8" => value.to_le_bytes().to_vec(),
            ">f8" => value.to_be_bytes().to_vec(),
            _ => (value as f32).to_le_bytes().to_vec(),
        };
        for kind in ["<f8", ">f8", "<f4"] {
            for (fortran, values) in [(false, &rows), (true, &columns)] {
                let data: Vec<u8> = values.iter().flat_map(|&value| encode(kind, value)).collect();
                let route = Route::from_npy("x", &npy(kind, fortran, "(3, 6)", &data)).expect(kind);
                assert_eq!(lines(&route), expected(), "{kind}, Fortran order {fortran}");
                assert!(!route.closed);
            }
        }
    }

    #[test]
    fn written_files_read_back_equal_and_close() {
        let [center, inner, outer] = expected().map(|mut line| {
            line.push(line[0]);
            line
        });
        let route = Route { name: "loop".into(), center, inner, outer, closed: true, source: RouteSource::Memory };
        let bytes = route.to_npy();
        assert_eq!(Route::from_npy("loop", &bytes).expect("valid"), route);
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("my loop.npy");
        std::fs::write(&path, &bytes).expect("written");
        let read = Route::read(&path).expect("valid");
        assert_eq!((read.name.as_str(), &read.source), ("my loop", &RouteSource::File(path)));
    }

    #[test]
    fn errors_say_what_is_wrong_and_where() {
        let message = |bytes: &[u8]| Route::from_npy("x.npy", bytes).expect_err("invalid").to_string();
        let doubles = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
        assert!(message(b"").starts_with("x.npy is not a whole NumPy array"));
        assert!(message(b"centre x, centre y").starts_with("x.npy is not a whole NumPy array"));
        let cut = npy("<f8", false, "(3, 6)", &doubles(&[0.0; 17]));
        assert!(message(&cut).starts_with("x.npy is not a whole NumPy array"));
        let five = npy("<f8", false, "(3, 5)", &doubles(&[0.0; 15]));
        assert!(message(&five).contains("shape [3, 5]"));
        let flat = npy("<f8", false, "(18,)", &doubles(&[0.0; 18]));
        assert!(message(&flat).contains("shape [18]"));
        let short = npy("<f8", false, "(1, 6)", &doubles(&[0.0; 6]));
        assert!(message(&short).contains("has 1 row(s)"));
        let long = npy("<f8", false, "(10001, 6)", &doubles(&vec![0.0; 60_006]));
        assert!(message(&long).contains("has 10001 rows"));
        let integers = npy("<i8", false, "(2, 6)", &doubles(&[0.0; 12]));
        assert!(message(&integers).contains("type '<i8'"));
        let mut values = [0.5; 12];
        values[9] = f64::NAN;
        assert!(message(&npy("<f8", false, "(2, 6)", &doubles(&values))).contains("row 1, column 3 is NaN"));
        values[9] = -3e7;
        assert!(message(&npy("<f8", false, "(2, 6)", &doubles(&values))).contains("row 1, column 3 is -30000000"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Route::read(Path::new("no/such/route.npy")).expect_err("missing");
        assert!(error.to_string().contains("no/such/route.npy"));
    }
}
