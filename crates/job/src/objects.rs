//! From settings to what is on the road besides the car.

use std::sync::Arc;

use deepracer_race::{
    BotRule, Lane, LaneChange, Mercy, ObjectRules, ObjectsError, ObstacleKind, ObstacleRule, Place, Places, Scenario,
    Spread,
};
use deepracer_settings::{
    BotsConfig, EvaluationConfig, ObjectPosition, ObstacleType, ObstaclesConfig, RaceType, RunConfig, TrackLane,
};
use deepracer_track::Route;
use deepracer_world::BoxKind;

use crate::error::JobError;

/// What the race type puts on the road: nothing but in the races that are about it.
pub fn rules(config: &RunConfig) -> ObjectRules {
    match config.race_type {
        RaceType::TimeTrial | RaceType::HeadToModel => ObjectRules::default(),
        RaceType::ObjectAvoidance => {
            ObjectRules { obstacles: Some(obstacles(&config.obstacles)), ..ObjectRules::default() }
        }
        RaceType::HeadToBot => ObjectRules { bots: Some(bots(&config.bots)), ..ObjectRules::default() },
    }
}

fn obstacles(config: &ObstaclesConfig) -> ObstacleRule {
    let places = if config.positions.is_empty() {
        spread(config.number, config.min_distance_m, config.random)
    } else {
        Places::Fixed(config.positions.iter().map(place).collect())
    };
    let kind = match config.kind {
        _ if config.parked_cars => ObstacleKind::ParkedCar,
        ObstacleType::Box => ObstacleKind::Box(BoxKind::Plain),
        ObstacleType::AmazonBox => ObstacleKind::Box(BoxKind::Amazon),
        ObstacleType::DeepRacerBox => ObstacleKind::Box(BoxKind::DeepRacer),
    };
    ObstacleRule { places, kind }
}

fn place(position: &ObjectPosition) -> Place {
    let lane = match position.lane {
        TrackLane::Inner => Lane::Inner,
        TrackLane::Outer => Lane::Outer,
    };
    Place { ndist: position.progress, lane }
}

fn bots(config: &BotsConfig) -> BotRule {
    BotRule {
        places: spread(config.number, config.min_distance_m, config.random),
        speed_mps: config.speed_mps,
        penalty_s: config.penalty_s,
        lane_change: config.lane_change.then_some(LaneChange {
            lower_s: config.lower_lane_change_s,
            upper_s: config.upper_lane_change_s,
            distance_m: config.lane_change_distance_m,
        }),
    }
}

fn spread(number: u32, min_distance_m: f64, is_random: bool) -> Places {
    Places::Spread(Spread { number: number as usize, min_distance_m, is_random })
}

/// How a car is helped past an obstacle in an evaluation.
pub fn mercy(evaluation: &EvaluationConfig) -> Option<Mercy> {
    evaluation
        .mercy_reset
        .then_some(Mercy { num_resets: evaluation.max_resets_after_crash, ahead_m: evaluation.reset_ahead_m })
}

/// Whether a race can be set up on a route as the settings say; nothing is drawn or driven.
///
/// # Errors
/// The route is unusable, or the objects do not fit on it.
pub fn check(route: Arc<Route>, config: &RunConfig) -> Result<(), JobError> {
    Scenario::training(route)?.with_objects(rules(config))?;
    Ok(())
}

/// Whether a worker can be trained so.
///
/// # Errors
/// As [`check`], and races between models are for evaluations only.
pub fn check_training(route: Arc<Route>, config: &RunConfig) -> Result<(), JobError> {
    if config.race_type == RaceType::HeadToModel {
        return Err(JobError::TrainingAgainstModel);
    }
    check(route, config)
}

/// What to do about objects that cannot be placed or cannot drive.
pub(crate) fn hint(error: &ObjectsError) -> Option<String> {
    match error {
        ObjectsError::TooMany { what: "bot cars", .. } => Some(
            "lower DR_H2B_NUMBER_OF_BOT_CARS or DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS, or choose a longer track"
                .to_owned(),
        ),
        ObjectsError::TooMany { .. } => Some(
            "lower DR_OA_NUMBER_OF_OBSTACLES or DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES, or choose a longer track"
                .to_owned(),
        ),
        ObjectsError::StandingLaneChange => {
            Some("set DR_H2B_IS_LANE_CHANGE=False, or DR_H2B_BOT_CAR_SPEED above 0".to_owned())
        }
        ObjectsError::OutOfRange { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_settings::{RacingFolder, Request, Settings};
    use deepracer_track::Library;

    fn config(lines: &str) -> RunConfig {
        let root = tempfile::tempdir().expect("temporary folder");
        std::fs::write(root.path().join("run.env"), lines).expect("write");
        let request = Request::new(RacingFolder::at(root.path()));
        Settings::load(&request).expect("loads").settings.config().clone()
    }

    const AVOID: &str = "DR_RACE_TYPE=OBJECT_AVOIDANCE\n";
    const BOTS: &str = "DR_RACE_TYPE=HEAD_TO_BOT\n";

    fn obstacles_of(lines: &str) -> ObstacleRule {
        rules(&config(&format!("{AVOID}{lines}\n"))).obstacles.expect("obstacles")
    }

    fn bots_of(lines: &str) -> BotRule {
        rules(&config(&format!("{BOTS}{lines}\n"))).bots.expect("bots")
    }

    #[test]
    fn the_race_type_decides_what_is_on_the_road() {
        assert_eq!(rules(&config("DR_OA_NUMBER_OF_OBSTACLES=2\n")), ObjectRules::default());
        let avoidance = rules(&config(AVOID));
        assert!(avoidance.obstacles.is_some() && avoidance.bots.is_none());
        let head_to_bot = rules(&config(BOTS));
        assert!(head_to_bot.obstacles.is_none() && head_to_bot.bots.is_some());
    }

    #[test]
    fn defaults_are_those_of_the_template() {
        let spread = |number| Places::Spread(Spread { number, min_distance_m: 2.0, is_random: false });
        assert_eq!(obstacles_of(""), ObstacleRule { places: spread(6), kind: ObstacleKind::Box(BoxKind::Plain) });
        let expected = BotRule { places: spread(3), speed_mps: 0.2, penalty_s: 5.0, lane_change: None };
        assert_eq!(bots_of(""), expected);
    }

    #[test]
    fn every_variable_of_obstacles_has_its_effect() {
        let places = |rule: ObstacleRule| rule.places;
        let spread = |number, min_distance_m, is_random| Places::Spread(Spread { number, min_distance_m, is_random });
        assert_eq!(places(obstacles_of("DR_OA_NUMBER_OF_OBSTACLES=3")), spread(3, 2.0, false));
        assert_eq!(places(obstacles_of("DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES=2.5")), spread(6, 2.5, false));
        assert_eq!(places(obstacles_of("DR_OA_RANDOMIZE_OBSTACLE_LOCATIONS=True")), spread(6, 2.0, true));
        let fixed =
            Places::Fixed(vec![Place { ndist: 0.2, lane: Lane::Outer }, Place { ndist: 0.6, lane: Lane::Inner }]);
        assert_eq!(places(obstacles_of("DR_OA_OBJECT_POSITIONS=0.2,-1;0.6,1\nDR_OA_NUMBER_OF_OBSTACLES=5")), fixed);
        assert_eq!(obstacles_of("DR_OA_IS_OBSTACLE_BOT_CAR=True").kind, ObstacleKind::ParkedCar);
        for (name, kind) in [("amazon_box_obstacle", BoxKind::Amazon), ("deepracer_box_obstacle", BoxKind::DeepRacer)] {
            assert_eq!(obstacles_of(&format!("DR_OA_OBSTACLE_TYPE={name}")).kind, ObstacleKind::Box(kind));
        }
    }

    #[test]
    fn every_variable_of_bots_has_its_effect() {
        let places = |rule: BotRule| rule.places;
        let spread = |number, min_distance_m, is_random| Places::Spread(Spread { number, min_distance_m, is_random });
        assert_eq!(places(bots_of("DR_H2B_NUMBER_OF_BOT_CARS=1")), spread(1, 2.0, false));
        assert_eq!(places(bots_of("DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS=3")), spread(3, 3.0, false));
        assert_eq!(places(bots_of("DR_H2B_RANDOMIZE_BOT_CAR_LOCATIONS=True")), spread(3, 2.0, true));
        assert_eq!(bots_of("DR_H2B_BOT_CAR_SPEED=0.9").speed_mps, 0.9);
        assert_eq!(bots_of("DR_H2B_BOT_CAR_PENALTY=1.5").penalty_s, 1.5);
        let change = |lines: &str| bots_of(&format!("DR_H2B_IS_LANE_CHANGE=True\n{lines}")).lane_change;
        let default = LaneChange { lower_s: 3.0, upper_s: 5.0, distance_m: 1.0 };
        assert_eq!(change(""), Some(default));
        assert_eq!(change("DR_H2B_LOWER_LANE_CHANGE_TIME=2"), Some(LaneChange { lower_s: 2.0, ..default }));
        assert_eq!(change("DR_H2B_UPPER_LANE_CHANGE_TIME=8"), Some(LaneChange { upper_s: 8.0, ..default }));
        assert_eq!(change("DR_H2B_LANE_CHANGE_DISTANCE=2"), Some(LaneChange { distance_m: 2.0, ..default }));
    }

    #[test]
    fn races_between_models_are_for_evaluations() {
        let route = Arc::new(Library::new(None).load("reinvent_base").expect("built in"));
        let config = config("DR_RACE_TYPE=HEAD_TO_MODEL\n");
        assert!(check(route.clone(), &config).is_ok());
        let error = check_training(route, &config).expect_err("refused");
        assert!(error.is_user_error() && error.hint().is_some_and(|hint| hint.contains("DR_RACE_TYPE=TIME_TRIAL")));
    }

    #[test]
    fn mercy_is_the_users() {
        assert_eq!(mercy(&config("").evaluation), None);
        assert_eq!(mercy(&config("DR_EVAL_MERCY_RESET=True\n").evaluation), Some(Mercy::DEFAULT));
        let lines = "DR_EVAL_MERCY_RESET=True\nDR_EVAL_MAX_RESETS_AFTER_CRASH=2\nDR_EVAL_RESET_AHEAD_DIST=0.7\n";
        assert_eq!(mercy(&config(lines).evaluation), Some(Mercy { num_resets: 2, ahead_m: 0.7 }));
    }

    #[test]
    fn too_many_objects_are_found_before_anything_starts_and_say_what_to_change() {
        let route = Arc::new(Library::new(None).load("reinvent_base").expect("built in"));
        assert!(check(route.clone(), &config(AVOID)).is_ok());
        for (lines, key) in [
            ("DR_RACE_TYPE=OBJECT_AVOIDANCE\nDR_OA_NUMBER_OF_OBSTACLES=12\n", "DR_OA_NUMBER_OF_OBSTACLES"),
            ("DR_RACE_TYPE=HEAD_TO_BOT\nDR_H2B_NUMBER_OF_BOT_CARS=12\n", "DR_H2B_NUMBER_OF_BOT_CARS"),
        ] {
            let error = check(route.clone(), &config(lines)).expect_err("refused");
            assert!(error.to_string().contains("at most 8 do") && error.is_user_error(), "{error}");
            assert!(error.hint().is_some_and(|hint| hint.contains(key)), "{error}");
            assert!(check_training(route.clone(), &config(lines)).is_err());
            assert!(check(route.clone(), &config(lines.split_once('\n').expect("two lines").1)).is_ok(), "not raced");
        }
    }
}
