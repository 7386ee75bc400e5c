//! Bot cars: they follow a lane at a fixed speed, change lanes, and wait when they have run into the car.
//!
//! A bot is where its clock says, not where physics puts it: its place along the centre line is its first place plus
//! speed × time, and the lane there is a smooth curve.

use std::sync::Arc;

use deepracer_track::{Line, Polyline, Track, progress::signed_gap_m};
use deepracer_vehicle::CONTROL_PERIOD_S;
use glam::DVec2;

use crate::chance::{Chance, Purpose};
use crate::placement::{Lane, Places};
use crate::spline::{Ends, Spline};

/// What bot cars do.
#[derive(Clone, Debug, PartialEq)]
pub struct BotRule {
    /// Where they begin.
    pub places: Places,
    /// How fast the point beside them runs along the centre line, m/s, ≥ 0.
    pub speed_mps: f64,
    /// How long all of them wait when the car was hit from behind by one of them, seconds.
    pub penalty_s: f64,
    /// How they change lanes; without it they keep theirs.
    pub lane_change: Option<LaneChange>,
}

/// How bot cars change lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneChange {
    /// Least time between the end of a change and the begin of the next, seconds.
    pub lower_s: f64,
    /// Most time, seconds.
    pub upper_s: f64,
    /// Length of a change along the centre line, metres, > 0.
    pub distance_m: f64,
}

/// Points of the lane a bot car is on that its way begins before it, and points of the new lane the way ends with, as in
/// the original.
const NUM_POINTS_BEFORE: usize = 3;
const NUM_POINTS_AFTER: usize = 4;
/// Points of a lane nearer than this to the beginning or end of a change give way to it, metres.
const SAME_PLACE_M: f64 = 0.02;
/// A lane's point lies beside the centre line near its own row; one found further away belongs to another part of the
/// track.
const SAME_PART_M: f64 = 1.0;

/// Both lanes of a track in a direction as smooth curves over the distance along the centre line.
#[derive(Debug)]
pub(crate) struct LaneCurves {
    inner: Spline,
    outer: Spline,
    length_m: f64,
    is_closed: bool,
}

impl LaneCurves {
    pub(crate) fn of(track: &Track) -> Self {
        Self {
            inner: curve(track, Lane::Inner),
            outer: curve(track, Lane::Outer),
            length_m: track.length_m(),
            is_closed: track.is_closed(),
        }
    }

    fn of_lane(&self, lane: Lane) -> &Spline {
        match lane {
            Lane::Inner => &self.inner,
            Lane::Outer => &self.outer,
        }
    }

    /// Number of points of a lane that count: on a loop the last one is the first.
    fn num_points(&self, lane: Lane) -> usize {
        self.of_lane(lane).knots().len() - usize::from(self.is_closed)
    }

    /// Place and derivative at a distance along the centre line, counted on over laps.
    fn at(&self, lane: Lane, distance_m: f64) -> (DVec2, DVec2) {
        self.of_lane(lane).at(distance_m.rem_euclid(self.length_m))
    }

    /// Distance, counted on over laps, and place of a lane's point number `index`; on a loop numbers run on over laps.
    fn point(&self, lane: Lane, index: i64) -> (f64, DVec2) {
        let curve = self.of_lane(lane);
        let count = self.num_points(lane) as i64;
        let (lap, index) = (index.div_euclid(count), index.rem_euclid(count) as usize);
        (curve.knots()[index] + lap as f64 * self.length_m, curve.points()[index])
    }

    /// Number of the last point of a lane that is not ahead of a distance, counted on over laps.
    fn point_before(&self, lane: Lane, distance_m: f64) -> i64 {
        let count = self.num_points(lane);
        let lap = (distance_m / self.length_m).floor();
        let in_lap_m = distance_m - lap * self.length_m;
        let passed = self.of_lane(lane).knots()[..count].partition_point(|&knot| knot <= in_lap_m);
        lap as i64 * count as i64 + passed as i64 - 1
    }
}

/// A lane as a curve over the distance along the centre line: through the lane's points, each at the distance of its
/// projection on the centre line, from exactly 0 to exactly the length.
fn curve(track: &Track, lane: Lane) -> Spline {
    let center = track.line(Line::Center);
    let points = track.line(lane.line()).points();
    let length_m = track.length_m();
    let mut curve = Spline::default();
    let last = points.len() - 1;
    curve.push(0.0, points[0]);
    for (row, &point) in points.iter().enumerate().take(last).skip(1) {
        let at_m = beside(center, center.distances_m()[row], point, length_m);
        if at_m > 0.0 && at_m < length_m {
            curve.push(at_m, point);
        }
    }
    curve.cut_from(length_m);
    curve.push(length_m, points[last]);
    curve.fit(if track.is_closed() { Ends::Closed } else { Ends::Open });
    curve
}

/// The distance along the centre line beside a lane's point that belongs to the row at `row_m`.
fn beside(center: &Polyline, row_m: f64, point: DVec2, length_m: f64) -> f64 {
    let projected_m = center.project(point).distance_m;
    let gap_m = if center.is_closed() { signed_gap_m(row_m, projected_m, length_m) } else { projected_m - row_m };
    if gap_m.abs() < SAME_PART_M { row_m + gap_m } else { row_m }
}

/// One bot car.
#[derive(Clone, Debug)]
struct Bot {
    /// Distance along the centre line at the episode's start.
    start_m: f64,
    /// The lane it is on, or leaves with its next change.
    lane: Lane,
    /// The way it follows while it changes lanes; without one it follows its lane.
    way: Spline,
    /// Driven seconds at which its way ends and the next is chosen.
    way_ends_s: f64,
    /// Whether the way that ends leads to the other lane.
    changes: bool,
}

/// All bot cars of a race.
#[derive(Clone, Debug)]
pub(crate) struct BotCars {
    rule: Arc<BotRule>,
    curves: Arc<LaneCurves>,
    bots: Vec<Bot>,
    chance: Chance,
    /// Steps in which they drove.
    num_driven: u32,
    /// Whether the next step is the first one of the episode, in which they stand where they begin.
    is_first: bool,
    waits_s: f64,
}

impl BotCars {
    pub(crate) fn new(rule: Arc<BotRule>, curves: Arc<LaneCurves>) -> Self {
        let chance = Chance::new(0, Purpose::LaneChanges);
        Self { rule, curves, bots: Vec::new(), chance, num_driven: 0, is_first: true, waits_s: 0.0 }
    }

    /// Puts all bot cars where an episode begins.
    pub(crate) fn reset(&mut self, curves: Arc<LaneCurves>, seed: u64) {
        self.curves = curves;
        self.chance = Chance::new(seed, Purpose::LaneChanges);
        (self.num_driven, self.is_first, self.waits_s) = (0, true, 0.0);
        let places = self.rule.places.choose(self.curves.length_m, &mut Chance::new(seed, Purpose::Bots));
        let mut old = std::mem::take(&mut self.bots).into_iter();
        self.bots.extend(places.into_iter().map(|(start_m, lane)| {
            let mut way = old.next().map_or_else(Spline::default, |bot| bot.way);
            way.clear();
            Bot { start_m, lane, way, way_ends_s: 0.0, changes: false }
        }));
    }

    /// Speed of every bot car, m/s.
    pub(crate) fn speed_mps(&self) -> f64 {
        self.rule.speed_mps
    }

    /// Lets all of them wait for the penalty, unless they wait already.
    pub(crate) fn hold_up(&mut self) {
        if self.waits_s <= 0.0 {
            self.waits_s = self.rule.penalty_s;
        }
    }

    /// Goes on by one control step.
    pub(crate) fn advance(&mut self) {
        if self.is_first {
            self.is_first = false;
        } else if self.waits_s > 0.0 {
            self.waits_s -= CONTROL_PERIOD_S;
            if self.waits_s < 1e-9 {
                self.waits_s = 0.0;
            }
        } else {
            self.num_driven += 1;
        }
    }

    /// Tells the pose of every bot car: number, position, direction.
    pub(crate) fn place(&mut self, mut tell: impl FnMut(usize, DVec2, f64)) {
        let driven_s = f64::from(self.num_driven) * CONTROL_PERIOD_S;
        for (index, bot) in self.bots.iter_mut().enumerate() {
            let at_m = bot.start_m + self.rule.speed_mps * driven_s;
            if let Some(change) = self.rule.lane_change.filter(|_| self.rule.speed_mps > 0.0) {
                bot.choose_way(&self.curves, &change, self.rule.speed_mps, driven_s, at_m, &mut self.chance);
            }
            let (position, along) = if bot.way.is_empty() { self.curves.at(bot.lane, at_m) } else { bot.way.at(at_m) };
            tell(index, position, along.to_angle());
        }
    }
}

impl Bot {
    /// When the old way has come to its end: on along the lane it leads to, and over to the other one after a while.
    fn choose_way(
        &mut self,
        curves: &LaneCurves,
        change: &LaneChange,
        speed_mps: f64,
        now_s: f64,
        at_m: f64,
        chance: &mut Chance,
    ) {
        if now_s < self.way_ends_s {
            return;
        }
        if self.changes {
            self.lane = self.lane.opposite();
        }
        let waits_s = chance.uniform(change.lower_s, change.upper_s);
        let starts_m = at_m + waits_s * speed_mps;
        let ends_m = starts_m + change.distance_m;
        self.way_ends_s = now_s + waits_s + change.distance_m / speed_mps;
        self.way.clear();
        // A track that is no loop has no lane beyond its end: the bot keeps its lane until it begins anew.
        let lap_ends_m = ((at_m / curves.length_m).floor() + 1.0) * curves.length_m;
        self.changes = curves.is_closed || ends_m < lap_ends_m - SAME_PLACE_M;
        if !self.changes {
            self.way_ends_s = now_s + (lap_ends_m - at_m) / speed_mps;
            return;
        }
        let within_lap = |m: f64| curves.is_closed || (m >= lap_ends_m - curves.length_m && m <= lap_ends_m);
        let mut index = curves.point_before(self.lane, at_m) + 1 - NUM_POINTS_BEFORE as i64;
        loop {
            let (point_m, point) = curves.point(self.lane, index);
            if point_m >= starts_m - SAME_PLACE_M {
                break;
            }
            if within_lap(point_m) {
                self.way.push(point_m, point);
            }
            index += 1;
        }
        self.way.push(starts_m, curves.at(self.lane, starts_m).0);
        let other = self.lane.opposite();
        self.way.push(ends_m, curves.at(other, ends_m).0);
        let first = curves.point_before(other, ends_m + SAME_PLACE_M) + 1;
        for index in first..first + NUM_POINTS_AFTER as i64 {
            let (point_m, point) = curves.point(other, index);
            if within_lap(point_m) {
                self.way.push(point_m, point);
            }
        }
        self.way.fit(Ends::Open);
    }
}
