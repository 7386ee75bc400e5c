//! Obstacles, bots, opponents: read only in their race types.

use super::{METRES, SECONDS, Status, Variable, idle};
use crate::choice::RaceType;
use crate::value::Kind;

const COUNT: Kind = Kind::Integer { min: 0, max: 100 };
const OBSTACLES: Status = Status::NotYetIgnored("obstacles (DR_RACE_TYPE=OBJECT_AVOIDANCE)");
const BOTS: Status = Status::NotYetIgnored("bot cars (DR_RACE_TYPE=HEAD_TO_BOT)");
const OPPONENT: Status = Status::NotYetIgnored("races against another model (DR_RACE_TYPE=HEAD_TO_MODEL)");

const fn obstacles(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Variable {
    idle(name, kind, default, example, OBSTACLES, doc).only_for(RaceType::ObjectAvoidance).in_both(keys).per_worker()
}

const fn bots(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Variable {
    idle(name, kind, default, example, BOTS, doc).only_for(RaceType::HeadToBot).in_both(keys).per_worker()
}

const fn opponent(name: &'static str, default: &'static str, example: &'static str, doc: &'static str) -> Variable {
    idle(name, Kind::Text, default, example, OPPONENT, doc).only_for(RaceType::HeadToModel)
}

pub(super) const OBJECTS: &[Variable] = &[
    obstacles("DR_OA_NUMBER_OF_OBSTACLES", COUNT, "6", "3", &["NUMBER_OF_OBSTACLES"], "Obstacles on the track."),
    obstacles(
        "DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES",
        METRES,
        "2.0",
        "3.0",
        &["MIN_DISTANCE_BETWEEN_OBSTACLES"],
        "Least distance between obstacles.",
    ),
    obstacles(
        "DR_OA_RANDOMIZE_OBSTACLE_LOCATIONS",
        Kind::Flag,
        "False",
        "True",
        &["RANDOMIZE_OBSTACLE_LOCATIONS"],
        "Whether obstacles move from episode to episode.",
    ),
    obstacles(
        "DR_OA_IS_OBSTACLE_BOT_CAR",
        Kind::Flag,
        "False",
        "True",
        &["IS_OBSTACLE_BOT_CAR"],
        "Whether obstacles are parked cars instead of boxes.",
    ),
    obstacles(
        "DR_OA_OBSTACLE_TYPE",
        Kind::Text,
        "box_obstacle",
        "deepracer_box_obstacle",
        &["OBSTACLE_TYPE"],
        "Shape of the obstacles.",
    ),
    obstacles(
        "DR_OA_OBJECT_POSITIONS",
        Kind::Text,
        "",
        "0.23,-1;0.46,1",
        &["OBJECT_POSITIONS"],
        "Fixed places: pairs of progress (0 to 1) and lane (-1 outer, 1 inner), separated by `;`.",
    ),
    bots("DR_H2B_NUMBER_OF_BOT_CARS", COUNT, "3", "1", &["NUMBER_OF_BOT_CARS"], "Bot cars on the track."),
    bots(
        "DR_H2B_BOT_CAR_SPEED",
        Kind::Number { min: 0.0, max: 4.0, unit: "m/s" },
        "0.2",
        "0.5",
        &["BOT_CAR_SPEED"],
        "Speed of the bot cars.",
    ),
    bots(
        "DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS",
        METRES,
        "2.0",
        "3.0",
        &["MIN_DISTANCE_BETWEEN_BOT_CARS"],
        "Least distance between bot cars.",
    ),
    bots(
        "DR_H2B_RANDOMIZE_BOT_CAR_LOCATIONS",
        Kind::Flag,
        "False",
        "True",
        &["RANDOMIZE_BOT_CAR_LOCATIONS"],
        "Whether bot cars start elsewhere in every episode.",
    ),
    bots("DR_H2B_IS_LANE_CHANGE", Kind::Flag, "False", "True", &["IS_LANE_CHANGE"], "Whether bot cars change lanes."),
    bots(
        "DR_H2B_LOWER_LANE_CHANGE_TIME",
        SECONDS,
        "3.0",
        "2.0",
        &["LOWER_LANE_CHANGE_TIME"],
        "Least time between lane changes.",
    ),
    bots(
        "DR_H2B_UPPER_LANE_CHANGE_TIME",
        SECONDS,
        "5.0",
        "6.0",
        &["UPPER_LANE_CHANGE_TIME"],
        "Most time between lane changes.",
    ),
    bots("DR_H2B_LANE_CHANGE_DISTANCE", METRES, "1.0", "1.5", &["LANE_CHANGE_DISTANCE"], "Length of a lane change."),
    bots(
        "DR_H2B_BOT_CAR_PENALTY",
        SECONDS,
        "5.0",
        "2.0",
        &["PENALTY_SECONDS"],
        "How long the car waits after hitting a bot car.",
    ),
    opponent(
        "DR_EVAL_OPP_S3_MODEL_PREFIX",
        "rl-deepracer-sagemaker",
        "rival-3",
        "The other model: its folder in the bucket.",
    ),
    opponent(
        "DR_EVAL_OPP_S3_METRICS_PREFIX",
        "$DR_EVAL_OPP_S3_MODEL_PREFIX/metrics",
        "rival-3/measurements",
        "Folder of the metrics files of the other model.",
    ),
    opponent("DR_EVAL_OPP_MODEL_PREFIX", "", "rival-3", "Folder of the videos of the other model."),
    opponent("DR_EVAL_OPP_CAR_NAME", "FasterCar", "Rival", "Name of the other car."),
    opponent(
        "DR_EVAL_OPP_DISPLAY_NAME",
        "$DR_EVAL_OPP_CAR_NAME",
        "Rival",
        "Name of the other car in overlays and result tables.",
    ),
    opponent(
        "DR_EVAL_OPP_RACER_NAME",
        "$DR_EVAL_OPP_CAR_NAME",
        "Bob",
        "Name of the other racer in overlays and result tables.",
    ),
    opponent("DR_EVAL_OPP_CAR_BODY_SHELL_TYPE", "deepracer", "deepracer_f1", "Shape of the other car's shell."),
];
