//! Obstacles, bots, opponents: read only in their race types.

use super::{METRES, SECONDS, Status, Variable, idle, works};
use crate::choice::{ObstacleType, RaceType};
use crate::value::Kind;

const COUNT: Kind = Kind::Integer { min: 0, max: 100 };

const fn obstacles(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    field: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Variable {
    works(name, kind, default, example, field, doc).only_for(RaceType::ObjectAvoidance).in_both(keys).per_worker()
}

const fn bots(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    field: &'static str,
    keys: &'static [&'static str],
    doc: &'static str,
) -> Variable {
    works(name, kind, default, example, field, doc).only_for(RaceType::HeadToBot).in_both(keys).per_worker()
}

const fn opponent(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    field: &'static str,
    doc: &'static str,
) -> Variable {
    works(name, kind, default, example, field, doc).only_for(RaceType::HeadToModel)
}

pub(super) const OBJECTS: &[Variable] = &[
    obstacles(
        "DR_OA_NUMBER_OF_OBSTACLES",
        COUNT,
        "6",
        "3",
        "obstacles.number",
        &["NUMBER_OF_OBSTACLES"],
        "How many obstacles stand on the track. More than fit at their least distance are refused.",
    ),
    obstacles(
        "DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES",
        METRES,
        "2.0",
        "3.0",
        "obstacles.min_distance_m",
        &["MIN_DISTANCE_BETWEEN_OBSTACLES"],
        "Least distance along the centre line between obstacles, and from the start line to the first one.",
    ),
    obstacles(
        "DR_OA_RANDOMIZE_OBSTACLE_LOCATIONS",
        Kind::Flag,
        "False",
        "True",
        "obstacles.random",
        &["RANDOMIZE_OBSTACLE_LOCATIONS"],
        "Whether places and lanes change from episode to episode. Otherwise distances are equal and lanes alternate, \
         inner first.",
    ),
    obstacles(
        "DR_OA_IS_OBSTACLE_BOT_CAR",
        Kind::Flag,
        "False",
        "True",
        "obstacles.parked_cars",
        &["IS_OBSTACLE_BOT_CAR"],
        "Whether obstacles are parked cars instead of boxes.",
    ),
    obstacles(
        "DR_OA_OBSTACLE_TYPE",
        Kind::Choice(ObstacleType::NAMES),
        "box_obstacle",
        "deepracer_box_obstacle",
        "obstacles.kind",
        &["OBSTACLE_TYPE"],
        "What boxes look like: plain, a parcel, or navy and a little smaller.",
    ),
    obstacles(
        "DR_OA_OBJECT_POSITIONS",
        Kind::ObjectPositions,
        "",
        "0.23,-1;0.46,1",
        "obstacles.positions",
        &["OBJECT_POSITIONS"],
        "Fixed places: pairs of progress (0 to 1, in driving direction) and lane (-1 outer, 1 inner), separated by \
         `;`. They override the number and the randomness. Empty: none.",
    ),
    bots(
        "DR_H2B_NUMBER_OF_BOT_CARS",
        COUNT,
        "3",
        "1",
        "bots.number",
        &["NUMBER_OF_BOT_CARS"],
        "How many bot cars drive on the track. More than fit at their least distance are refused.",
    ),
    bots(
        "DR_H2B_BOT_CAR_SPEED",
        Kind::Number { min: 0.0, max: 4.0, unit: "m/s" },
        "0.2",
        "0.5",
        "bots.speed_mps",
        &["BOT_CAR_SPEED"],
        "Speed of the bot cars along the centre line.",
    ),
    bots(
        "DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS",
        METRES,
        "2.0",
        "3.0",
        "bots.min_distance_m",
        &["MIN_DISTANCE_BETWEEN_BOT_CARS"],
        "Least distance along the centre line between bot cars, and from the start line to the first one.",
    ),
    bots(
        "DR_H2B_RANDOMIZE_BOT_CAR_LOCATIONS",
        Kind::Flag,
        "False",
        "True",
        "bots.random",
        &["RANDOMIZE_BOT_CAR_LOCATIONS"],
        "Whether bot cars begin elsewhere in every episode. Otherwise distances are equal and lanes alternate, inner \
         first.",
    ),
    bots(
        "DR_H2B_IS_LANE_CHANGE",
        Kind::Flag,
        "False",
        "True",
        "bots.lane_change",
        &["IS_LANE_CHANGE"],
        "Whether bot cars change lanes.",
    ),
    bots(
        "DR_H2B_LOWER_LANE_CHANGE_TIME",
        SECONDS,
        "3.0",
        "2.0",
        "bots.lower_lane_change_s",
        &["LOWER_LANE_CHANGE_TIME"],
        "Least time from the end of a lane change to the next.",
    ),
    bots(
        "DR_H2B_UPPER_LANE_CHANGE_TIME",
        SECONDS,
        "5.0",
        "6.0",
        "bots.upper_lane_change_s",
        &["UPPER_LANE_CHANGE_TIME"],
        "Most time from the end of a lane change to the next.",
    ),
    bots(
        "DR_H2B_LANE_CHANGE_DISTANCE",
        METRES,
        "1.0",
        "1.5",
        "bots.lane_change_distance_m",
        &["LANE_CHANGE_DISTANCE"],
        "Length of a lane change along the centre line, at least 0.1 m.",
    ),
    bots(
        "DR_H2B_BOT_CAR_PENALTY",
        SECONDS,
        "5.0",
        "2.0",
        "bots.penalty_s",
        &["PENALTY_SECONDS"],
        "How long all bot cars wait after one of them has run into the car. A car that runs into a bot waits for \
         `DR_EVAL_COLLISION_PENALTY`.",
    ),
    opponent(
        "DR_EVAL_OPP_S3_MODEL_PREFIX",
        Kind::ObjectKey,
        "rl-deepracer-sagemaker",
        "rival-3",
        "opponent.model_prefix",
        "The other model: its folder in the bucket. It is only read, but for the trace and the metrics of the race.",
    ),
    opponent(
        "DR_EVAL_OPP_CHECKPOINT",
        Kind::Checkpoint,
        "$DR_EVAL_CHECKPOINT",
        "12",
        "opponent.checkpoint",
        "The checkpoint of the other model.",
    )
    .ours(),
    opponent(
        "DR_EVAL_OPP_S3_METRICS_PREFIX",
        Kind::ObjectKey,
        "$DR_EVAL_OPP_S3_MODEL_PREFIX/metrics",
        "rival-3/measurements",
        "opponent.metrics_prefix",
        "Folder of the metrics files of the other model.",
    ),
    idle(
        "DR_EVAL_OPP_MODEL_PREFIX",
        Kind::Text,
        "",
        "rival-3",
        Status::NotYetIgnored("videos"),
        "Folder of the videos of the other model.",
    ),
    opponent("DR_EVAL_OPP_CAR_NAME", Kind::Text, "FasterCar", "Rival", "opponent.name", "Name of the other car."),
    opponent(
        "DR_EVAL_OPP_DISPLAY_NAME",
        Kind::Text,
        "$DR_EVAL_OPP_CAR_NAME",
        "Rival",
        "opponent.display_name",
        "Name of the other car in overlays and result tables.",
    ),
    opponent(
        "DR_EVAL_OPP_RACER_NAME",
        Kind::Text,
        "$DR_EVAL_OPP_CAR_NAME",
        "Bob",
        "opponent.racer_name",
        "Name of the other racer in overlays and result tables.",
    ),
    opponent(
        "DR_EVAL_OPP_CAR_BODY_SHELL_TYPE",
        Kind::Text,
        "deepracer",
        "deepracer_f1",
        "opponent.body_shell",
        "Shape of the other car's shell, as the car sees it. The two cars are purple and orange.",
    ),
];
