//! What is on the road besides the car: asked for, checked against the track, ready to be placed.

use std::sync::Arc;

use deepracer_track::{Direction, Track};
use deepracer_world::{BodyShape, BoxKind};

use crate::bots::{BotRule, LaneCurves};
use crate::placement::Places;

/// What obstacles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObstacleKind {
    /// Boxes: they stop a car that drives into them.
    Box(BoxKind),
    /// Parked bot cars: nothing holds a car that drives through them, but the crash rule.
    ParkedCar,
}

impl ObstacleKind {
    /// What it looks like.
    pub const fn shape(self) -> BodyShape {
        match self {
            Self::Box(kind) => BodyShape::Box(kind),
            Self::ParkedCar => BodyShape::BotCar,
        }
    }
}

/// Obstacles: where they stand and what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct ObstacleRule {
    /// Where they stand.
    pub places: Places,
    /// What they are.
    pub kind: ObstacleKind,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectRules {
    /// Boxes or parked cars.
    pub obstacles: Option<ObstacleRule>,
    /// Driving cars.
    pub bots: Option<BotRule>,
}

/// Objects that fit on a track.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub(crate) obstacles: Option<Arc<ObstacleRule>>,
    pub(crate) bots: Option<(Arc<BotRule>, [Arc<LaneCurves>; 2])>,
}

/// Why objects cannot be placed or cannot drive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObjectsError {
    /// There are more than fit.
    #[error(
        "{number} {what} at least {min_distance_m} m apart do not fit on {track}, which is {length_m:.1} m long; at most \
         {most} do"
    )]
    TooMany {
        /// "obstacles" or "bot cars".
        what: &'static str,
        /// How many were asked for.
        number: usize,
        /// How far apart, metres.
        min_distance_m: f64,
        /// The track.
        track: String,
        /// Its length, metres.
        length_m: f64,
        /// How many fit.
        most: usize,
    },
    /// A number is negative, not finite or otherwise not possible.
    #[error("{what} is {value}; it must be {legal}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        legal: &'static str,
    },
    /// Bot cars that do not move cannot change lanes.
    #[error("bot cars that stand still cannot change lanes: their speed is 0 m/s")]
    StandingLaneChange,
}

impl Objects {
    /// No objects: a car alone on the track.
    pub fn none() -> Self {
        Self::default()
    }

    /// Objects on a track, given in both directions.
    ///
    /// # Errors
    /// They do not fit, or a number is out of range.
    pub fn new(forward: &Track, reversed: &Track, rules: ObjectRules) -> Result<Self, ObjectsError> {
        if let Some(rule) = &rules.obstacles {
            check_places("obstacles", &rule.places, forward)?;
        }
        let bots = match rules.bots {
            Some(rule) => {
                check_places("bot cars", &rule.places, forward)?;
                check_bots(&rule)?;
                let curves = [forward, reversed].map(|track| Arc::new(LaneCurves::of(track)));
                Some((Arc::new(rule), curves))
            }
            None => None,
        };
        Ok(Self { obstacles: rules.obstacles.map(Arc::new), bots })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let num_obstacles = self.obstacles.as_ref().map_or(0, |rule| rule.places.len());
        num_obstacles + self.bots.as_ref().map_or(0, |(rule, _)| rule.places.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn curves(&self, direction: Direction) -> Option<&Arc<LaneCurves>> {
        self.bots.as_ref().map(|(_, curves)| &curves[usize::from(direction == Direction::Reversed)])
    }
}

fn in_range(what: &'static str, value: f64, is_legal: bool, legal: &'static str) -> Result<(), ObjectsError> {
    if is_legal && value.is_finite() { Ok(()) } else { Err(ObjectsError::OutOfRange { what, value, legal }) }
}

fn check_places(what: &'static str, places: &Places, track: &Track) -> Result<(), ObjectsError> {
    match places {
        Places::Fixed(places) => places.iter().try_for_each(|place| {
            in_range("a place on the track", place.ndist, (0.0..=1.0).contains(&place.ndist), "from 0 to 1")
        }),
        Places::Spread(spread) => {
            let min_distance_m = spread.min_distance_m;
            in_range("the least distance between objects", min_distance_m, min_distance_m >= 0.0, "0 m or more")?;
            match spread.most(track.length_m()) {
                Some(most) if spread.number > most => Err(ObjectsError::TooMany {
                    what,
                    number: spread.number,
                    min_distance_m,
                    track: track.name().to_owned(),
                    length_m: track.length_m(),
                    most,
                }),
                _ => Ok(()),
            }
        }
    }
}

fn check_bots(rule: &BotRule) -> Result<(), ObjectsError> {
    in_range("the speed of bot cars", rule.speed_mps, rule.speed_mps >= 0.0, "0 m/s or more")?;
    in_range("the penalty of bot cars", rule.penalty_s, rule.penalty_s >= 0.0, "0 s or more")?;
    let Some(change) = &rule.lane_change else { return Ok(()) };
    let (lower_s, upper_s, distance_m) = (change.lower_s, change.upper_s, change.distance_m);
    in_range("the least time between lane changes", lower_s, lower_s >= 0.0, "0 s or more")?;
    in_range("the most time between lane changes", upper_s, upper_s >= lower_s, "at least the least time")?;
    // Half a metre sideways in less than a hand's breadth is no change but a jump.
    in_range("the length of a lane change", distance_m, distance_m >= 0.1, "0.1 m or more")?;
    if rule.speed_mps > 0.0 { Ok(()) } else { Err(ObjectsError::StandingLaneChange) }
}
