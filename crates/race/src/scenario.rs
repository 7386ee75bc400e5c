//! Everything that fixes an episode.

use std::sync::Arc;

use deepracer_track::{Direction, Route, Track, TrackError};
use deepracer_vehicle::Generation;

use crate::objects::{ObjectRules, Objects, ObjectsError};
use crate::rules::Rules;
use crate::sim_to_real::SimToReal;
use crate::start::{GridPlace, Start, StartRule};

/// A race before it starts: track, car, rules, starts. Shared by all races that run it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The track along its waypoints.
    pub forward: Arc<Track>,
    /// The track against its waypoints.
    pub reversed: Arc<Track>,
    /// Which of the original's car physics applies.
    pub generation: Generation,
    /// Laps, resets, penalties.
    pub rules: Rules,
    /// Start positions and directions.
    pub start: StartRule,
    /// Hold the car still in the first step of an episode, as the original does. The first reward call then sees
    /// `steps` 2, otherwise 1.
    pub prepare_step: bool,
    /// What is on the road besides the car.
    pub objects: Objects,
    /// The car's place among several that start together; alone it starts on the centre line.
    pub grid: Option<GridPlace>,
    /// How much episodes differ in how the car obeys.
    pub sim_to_real: SimToReal,
}

impl Scenario {
    /// A training time trial with the original's defaults: model version 5, starts round the track, no resets.
    ///
    /// # Errors
    /// The route is unusable.
    pub fn training(route: Arc<Route>) -> Result<Self, TrackError> {
        Ok(Self {
            forward: Arc::new(Track::new(route.clone(), Direction::Forward)?),
            reversed: Arc::new(Track::new(route, Direction::Reversed)?),
            generation: Generation::B,
            rules: Rules::training(),
            start: StartRule::round_robin(),
            prepare_step: true,
            objects: Objects::none(),
            grid: None,
            sim_to_real: SimToReal::default(),
        })
    }

    /// The same race with these objects on the road.
    ///
    /// # Errors
    /// They do not fit, or a number is out of range.
    pub fn with_objects(self, rules: ObjectRules) -> Result<Self, ObjectsError> {
        let objects = Objects::new(&self.forward, &self.reversed, rules)?;
        Ok(Self { objects, ..self })
    }

    /// The track as driven in `direction`.
    pub fn track(&self, direction: Direction) -> &Arc<Track> {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Reversed => &self.reversed,
        }
    }

    /// Where and which way episode number `episode` (from 0) starts.
    pub fn start_of_episode(&self, episode: u64) -> Start {
        self.start.of_episode(episode)
    }
}
