//! A route driven in a direction: lines, waypoints, road.

use std::sync::Arc;

use glam::DVec2;

use crate::area::Area;
use crate::catalogue::UnknownTrack;
use crate::cells;
use crate::check::Finding;
use crate::line::{LineError, Polyline, Projected};
use crate::route::{Route, RouteError};

/// Which way the rows of a route are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// In the order of the rows.
    #[default]
    Forward,
    /// From the last row to the first.
    Reversed,
}

/// The lines of a track, all with one point per row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// The centre line.
    Center,
    /// The border inside the loop.
    Inner,
    /// The border outside the loop.
    Outer,
    /// Halfway between inner border and centre line, row by row.
    InnerLane,
    /// Halfway between outer border and centre line, row by row.
    OuterLane,
}

/// A route driven in a direction.
///
/// Lines run in driving direction; waypoint 0 of a reversed track is the old last row, on a closed track the same
/// place. The road does not depend on the direction.
#[derive(Debug, Clone)]
pub struct Track {
    route: Arc<Route>,
    direction: Direction,
    forward_is_ccw: bool,
    /// In the order of [`Line`].
    lines: [Polyline; 5],
    waypoint_ndists: Vec<f64>,
    road: Area,
    inner_area: Area,
    bounds: (DVec2, DVec2),
}

/// The points of centre line and borders nearest to a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// On the centre line, nearest to the place.
    pub center: Projected,
    /// On the inner border, nearest to the centre point (not to the place).
    pub inner: Projected,
    /// On the outer border, nearest to the centre point (not to the place).
    pub outer: Projected,
}

impl Nearest {
    /// Width of the road there: from the inner to the outer point, the reward's `track_width`.
    pub fn width_m(&self) -> f64 {
        self.inner.point.distance(self.outer.point)
    }
}

/// Why there is no track to drive on.
#[derive(Debug, thiserror::Error)]
pub enum TrackError {
    /// Neither a published track nor an imported route has this name.
    #[error("{0}; a route file of your own is added with `dr-tracks import PATH`")]
    Unknown(#[from] UnknownTrack),
    /// The route file cannot be used.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// A line of the route cannot be driven along.
    #[error("track '{track}', {line:?} line: {source}")]
    Line {
        /// Name of the track.
        track: String,
        /// Which line.
        line: Line,
        /// What is wrong with it.
        source: LineError,
    },
    /// The route's geometry cannot be driven.
    #[error(
        "the route of track '{track}' cannot be driven: {}; `dr-tracks check` shows everything it finds",
        findings.first().map_or_else(String::new, ToString::to_string)
    )]
    Unfit {
        /// Name of the track.
        track: String,
        /// What is wrong, errors only.
        findings: Vec<Finding>,
    },
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Files {
        /// What was tried, for example "read the folder".
        action: &'static str,
        /// The file or folder.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder without route files was to be imported.
    #[error("there is no route file (.npy) in {}", .0.display())]
    NothingToImport(std::path::PathBuf),
    /// The library was made without a folder for imported routes.
    #[error("there is no folder to import routes into; run the command in a folder made by `dr-init`")]
    NoImportFolder,
}

impl Track {
    /// The track of a route in a direction.
    ///
    /// # Errors
    /// When the route's points are not valid (see [`Route::validate`]) or one of its lines has no length.
    pub fn new(route: Arc<Route>, direction: Direction) -> Result<Track, TrackError> {
        route.validate()?;
        let in_order = |mut points: Vec<DVec2>| {
            if direction == Direction::Reversed {
                points.reverse();
            }
            points
        };
        let line = |line: Line, points: Vec<DVec2>| {
            Polyline::new(in_order(points), route.closed).map_err(|source| TrackError::Line {
                track: route.name.clone(),
                line,
                source,
            })
        };
        let halfway = |border: &[DVec2]| -> Vec<DVec2> {
            border.iter().zip(&route.center).map(|(border, &center)| border.midpoint(center)).collect()
        };
        let lines = [
            line(Line::Center, route.center.clone())?,
            line(Line::Inner, route.inner.clone())?,
            line(Line::Outer, route.outer.clone())?,
            line(Line::InnerLane, halfway(&route.inner))?,
            line(Line::OuterLane, halfway(&route.outer))?,
        ];
        let between = |outside: &[DVec2]| {
            if route.closed {
                Area::new(outside, &route.inner)
            } else {
                let ring: Vec<DVec2> = outside.iter().chain(route.inner.iter().rev()).copied().collect();
                Area::new(&ring, &[])
            }
        };
        let mut track = Track {
            direction,
            forward_is_ccw: !route.closed || doubled_area(&route.center) >= 0.0,
            lines,
            waypoint_ndists: Vec::with_capacity(route.num_waypoints()),
            road: between(&route.outer),
            inner_area: between(&route.center),
            bounds: cells::bounds(&route.outer),
            route,
        };
        track.waypoint_ndists = track.waypoints().iter().map(|&waypoint| track.ndist(waypoint)).collect();
        if let Some(last) = track.waypoint_ndists.last_mut() {
            *last = 1.0;
        }
        Ok(track)
    }

    /// The route this track drives.
    pub fn route(&self) -> &Arc<Route> {
        &self.route
    }

    /// Name of the track.
    pub fn name(&self) -> &str {
        &self.route.name
    }

    /// The direction it is driven in.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Whether it is driven against the order of the route's rows.
    pub fn is_reversed(&self) -> bool {
        self.direction == Direction::Reversed
    }

    /// Whether it is driven counter-clockwise. Open tracks count as counter-clockwise when driven forward.
    pub fn is_ccw(&self) -> bool {
        self.forward_is_ccw != self.is_reversed()
    }

    /// Whether the track is a loop.
    pub fn is_closed(&self) -> bool {
        self.route.closed
    }

    /// Length of the centre line.
    #[inline]
    pub fn length_m(&self) -> f64 {
        self.line(Line::Center).length_m()
    }

    /// The points of the centre line in driving order, the closing one included.
    pub fn waypoints(&self) -> &[DVec2] {
        self.line(Line::Center).points()
    }

    /// One of the track's lines, in driving order.
    #[inline]
    pub fn line(&self, line: Line) -> &Polyline {
        &self.lines[line as usize]
    }

    /// Where the nearest centre-line point lies, as a fraction of the length: in [0, 1) on closed tracks, [0, 1] on
    /// open ones.
    #[inline]
    pub fn ndist(&self, point: DVec2) -> f64 {
        self.ndist_of(&self.line(Line::Center).project(point))
    }

    /// Like [`ndist`](Self::ndist), of a point already projected on the centre line.
    #[inline]
    pub fn ndist_of(&self, center: &Projected) -> f64 {
        let ndist = center.distance_m / self.length_m();
        if self.is_closed() && ndist >= 1.0 { 0.0 } else { ndist }
    }

    /// The `ndist` of each waypoint; that of the last is 1.
    pub fn waypoint_ndists(&self) -> &[f64] {
        &self.waypoint_ndists
    }

    /// The indices of the waypoints behind and ahead of an `ndist`.
    ///
    /// A waypoint exactly there counts as behind. Behind the first is the last, ahead of the last the first.
    #[inline]
    pub fn closest_waypoints(&self, ndist: f64) -> [usize; 2] {
        let ndists = &self.waypoint_ndists;
        // Bisection written out: on a line that crosses itself the values need not ascend.
        let (mut low, mut high) = (0, ndists.len());
        while low < high {
            let middle = low.midpoint(high);
            if ndist < ndists[middle] {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let next = if low == ndists.len() { 0 } else { low };
        let previous = if low == 0 { ndists.len() - 1 } else { low - 1 };
        [previous, next]
    }

    /// The points of centre line and borders nearest to a place.
    #[inline]
    pub fn nearest(&self, point: DVec2) -> Nearest {
        let center = self.line(Line::Center).project(point);
        Nearest {
            center,
            inner: self.line(Line::Inner).project(center.point),
            outer: self.line(Line::Outer).project(center.point),
        }
    }

    /// Whether a point lies strictly between the borders; on a border is off the road.
    #[inline]
    pub fn is_on_road(&self, point: DVec2) -> bool {
        self.road.contains(point)
    }

    /// Whether a point lies strictly between centre line and inner border.
    #[inline]
    pub fn is_in_inner_polygon(&self, point: DVec2) -> bool {
        self.inner_area.contains(point)
    }

    /// Lower left and upper right corner of the outer border.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        self.bounds
    }
}

/// Twice the area within a ring, negative when it runs clockwise.
pub(crate) fn doubled_area(ring: &[DVec2]) -> f64 {
    let Some(&origin) = ring.first() else {
        return 0.0;
    };
    ring.windows(2).map(|pair| (pair[0] - origin).perp_dot(pair[1] - origin)).sum()
}
