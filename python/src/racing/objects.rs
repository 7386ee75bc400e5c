//! Obstacles and bot cars, as Python asks for them.

use deepracer_race::{BotRule, Lane, LaneChange, ObjectRules, ObstacleKind, ObstacleRule, Place, Places, Spread};
use deepracer_world::BoxKind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A place on the track: fraction of its length, and lane: -1 the outer one, else the inner one.
pub(super) type Position = (f64, i64);

/// Seconds for which bot cars wait after one of them was hit from behind: the original's.
const BOT_PENALTY_S: f64 = 2.0;

/// What is on the road: a dictionary with these keys, values checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct ObjectOptions {
    /// Where obstacles stand; when there are such places, number and distance do not matter.
    positions: Vec<Position>,
    num_obstacles: usize,
    /// Least distance between obstacles, percent of the track.
    obstacle_distance_percent: f64,
    obstacles_random: bool,
    /// `box_obstacle`, `amazon_box_obstacle`, `deepracer_box_obstacle` or `bot_car`.
    obstacle_kind: String,
    num_bots: usize,
    /// Least distance between bot cars, metres.
    bot_distance_m: f64,
    bots_random: bool,
    bot_speed_mps: f64,
    /// Least and most seconds between lane changes, and their length in metres.
    lane_change: Option<(f64, f64, f64)>,
}

impl ObjectOptions {
    /// The rules for a track of this length.
    ///
    /// # Errors
    /// `ValueError` when there is no such kind of obstacle.
    pub(super) fn rules(&self, length_m: f64) -> PyResult<ObjectRules> {
        let kind = self.kind()?;
        let min_distance_m = self.obstacle_distance_percent / 100.0 * length_m;
        let obstacles = match self.num_obstacles {
            _ if !self.positions.is_empty() => Some(places(&self.positions)),
            0 => None,
            number => Some(Places::Spread(Spread { number, min_distance_m, is_random: self.obstacles_random })),
        };
        let bots = (self.num_bots > 0).then(|| BotRule {
            places: Places::Spread(Spread {
                number: self.num_bots,
                min_distance_m: self.bot_distance_m,
                is_random: self.bots_random,
            }),
            speed_mps: self.bot_speed_mps,
            penalty_s: BOT_PENALTY_S,
            lane_change: self.lane_change.map(|(lower_s, upper_s, distance_m)| LaneChange {
                lower_s,
                upper_s,
                distance_m,
            }),
        });
        Ok(ObjectRules { obstacles: obstacles.map(|places| ObstacleRule { places, kind }), bots })
    }

    /// What obstacles are.
    ///
    /// # Errors
    /// `ValueError` when there is no such kind.
    pub(super) fn kind(&self) -> PyResult<ObstacleKind> {
        Ok(match self.obstacle_kind.as_str() {
            "box_obstacle" => ObstacleKind::Box(BoxKind::Plain),
            "amazon_box_obstacle" => ObstacleKind::Box(BoxKind::Amazon),
            "deepracer_box_obstacle" => ObstacleKind::Box(BoxKind::DeepRacer),
            "bot_car" => ObstacleKind::ParkedCar,
            other => return Err(PyValueError::new_err(format!("there is no obstacle called {other}"))),
        })
    }
}

/// These places, in their order.
pub(super) fn places(positions: &[Position]) -> Places {
    let place = |&(ndist, lane): &Position| Place { ndist, lane: if lane == -1 { Lane::Outer } else { Lane::Inner } };
    Places::Fixed(positions.iter().map(place).collect())
}
