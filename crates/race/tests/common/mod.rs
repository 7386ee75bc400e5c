//! What tests of races share: scenarios and drivers.

#![allow(dead_code, reason = "every test file uses its share")]

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use deepracer_race::{Action, ObjectRules, ObstacleKind, ObstacleRule, Place, Places, Race, Scenario, Start, Step};
use deepracer_track::{Direction, Library, Line};
use deepracer_world::BoxKind;

pub(crate) fn scenario(name: &str) -> Scenario {
    Scenario::training(Arc::new(Library::new(None).load(name).expect("a built-in track"))).expect("a usable route")
}

pub(crate) fn at(ndist: f64) -> Start {
    Start { ndist, direction: Direction::Forward }
}

pub(crate) fn boxes(places: Places) -> ObjectRules {
    let obstacles = Some(ObstacleRule { places, kind: ObstacleKind::Box(BoxKind::Plain) });
    ObjectRules { obstacles, ..ObjectRules::default() }
}

pub(crate) fn fixed(places: &[(f64, deepracer_race::Lane)]) -> Places {
    Places::Fixed(places.iter().map(|&(ndist, lane)| Place { ndist, lane }).collect())
}

pub(crate) fn race(scenario: Scenario, objects: ObjectRules) -> Race {
    Race::new(Arc::new(scenario.with_objects(objects).expect("objects that fit")))
}

/// A driver that aims at a line 0.6 m ahead.
pub(crate) fn follow(race: &Race, line: Line, speed_mps: f64) -> Action {
    aim(race, line, 0.6, speed_mps)
}

/// A driver that aims at a line some way ahead; the less, the less it cuts corners.
pub(crate) fn aim(race: &Race, line: Line, ahead_m: f64, speed_mps: f64) -> Action {
    let front = race.vehicle().front_point();
    let line = race.track().line(line);
    let target = line.point_at(line.project(front).distance_m + ahead_m) - front;
    let bearing_rad = target.y.atan2(target.x) - race.vehicle().yaw_rad();
    let bearing_rad = (bearing_rad + PI).rem_euclid(TAU) - PI;
    Action { steering_deg: (2.0 * bearing_rad.to_degrees()).clamp(-30.0, 30.0), speed_mps }
}

/// Drives to the end of the episode, at most `most` steps.
pub(crate) fn drive(race: &mut Race, most: usize, mut driver: impl FnMut(&Race) -> Action) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    while steps.len() < most && steps.last().is_none_or(|step| !step.done) {
        let action = driver(race);
        steps.push(race.step(action));
    }
    steps
}
