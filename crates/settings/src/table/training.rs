//! Training.

use super::{FRACTION, Status, Variable, idle, works};
use crate::choice::{BestModelMetric, Quality};
use crate::value::Kind;

pub(super) const TRAINING: &[Variable] = &[
    works(
        "DR_TRAIN_CHANGE_START_POSITION",
        Kind::Flag,
        "True",
        "False",
        "train.change_start_position",
        "Whether the start moves along the track from episode to episode.",
    )
    .or(&["DR_CHANGE_START_POSITION"])
    .in_training(&["CHANGE_START_POSITION"])
    .per_worker(),
    works(
        "DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST",
        FRACTION,
        "0.05",
        "0.1",
        "train.round_robin_advance",
        "How far the start moves each time, as a fraction of the track. Episodes of a worker × this should be 1, so that \
         every iteration starts at the same places.",
    )
    .or(&["DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE"])
    .in_training(&["ROUND_ROBIN_ADVANCE_DIST"])
    .per_worker(),
    works(
        "DR_TRAIN_START_POSITION_OFFSET",
        FRACTION,
        "0.0",
        "0.25",
        "train.start_position_offset",
        "Where the first episode starts, as a fraction of the track.",
    )
    .in_training(&["START_POSITION_OFFSET"])
    .per_worker(),
    works(
        "DR_TRAIN_ALTERNATE_DRIVING_DIRECTION",
        Kind::Flag,
        "False",
        "True",
        "train.alternate_direction",
        "Whether the driving direction flips after every episode.",
    )
    .or(&["DR_ALTERNATE_DRIVING_DIRECTION"])
    .in_training(&["ALTERNATE_DRIVING_DIRECTION"])
    .per_worker(),
    works(
        "DR_TRAIN_REVERSE_DIRECTION",
        Kind::Flag,
        "False",
        "True",
        "train.reverse_direction",
        "Whether the car drives the track the other way round.",
    )
    .in_training(&["REVERSE_DIR"])
    .per_worker(),
    works(
        "DR_TRAIN_MIN_EVAL_TRIALS",
        Kind::Integer { min: 0, max: 1000 },
        "5",
        "3",
        "train.min_evaluation_trials",
        "Evaluation episodes in every iteration, from the start line, before it learns. They choose the best model; 0 drives none.",
    )
    .in_training(&["MIN_EVAL_TRIALS"]),
    works(
        "DR_TRAIN_BEST_MODEL_METRIC",
        Kind::Choice(BestModelMetric::NAMES),
        "progress",
        "laptime",
        "train.best_model_metric",
        "What makes a model the best: mean completion, mean reward or mean lap time of its evaluation episodes.",
    )
    .in_training(&["BEST_MODEL_METRIC"]),
    works(
        "DR_TRAIN_MAX_STEPS_PER_ITERATION",
        Kind::Integer { min: 1, max: 100_000_000 },
        "",
        "20000",
        "train.max_steps_per_iteration",
        "Most steps of an iteration that are learnt from; the log says how many were dropped. Empty: 10000 for the shallow \
         network, 3000 for the deeper ones.",
    ),
    works(
        "DR_TRAIN_MULTI_CONFIG",
        Kind::Flag,
        "False",
        "True",
        "train.multi_config",
        "Whether worker N (from 2) takes its own track and settings from `worker-N.env`, laid over those of the run.",
    ),
    idle(
        "DR_TRAIN_RTF",
        Kind::Text,
        "",
        "1.0",
        Status::NoEffect("time is simulated: the race runs as fast as the machine allows, with the same result"),
        "Real time factor of the original's simulator.",
    ),
    works(
        "DR_TRAIN_SEED",
        Kind::Integer { min: 0, max: u64::MAX },
        "0",
        "7",
        "train.seed",
        "Seed of everything random. The same seed, files and machine give the same bytes.",
    )
    .ours(),
    works(
        "DR_TRAIN_QUALITY",
        Kind::Choice(Quality::NAMES),
        "standard",
        "fast",
        "train.quality",
        "Quality of the camera pictures: speed against closeness to the original's antialiasing.",
    )
    .ours(),
    works(
        "DR_TRAIN_PREPARE_STEP",
        Kind::Flag,
        "True",
        "False",
        "train.prepare_step",
        "Whether an episode begins with the original's motionless step, so that the first reward call sees `steps` 2. \
         `False` makes it 1, as some older reward functions expect.",
    )
    .ours(),
    works(
        "DR_TRAIN_INTERLEAVE_WORKERS",
        Kind::Flag,
        "True",
        "False",
        "train.interleave_workers",
        "Whether workers share out the start positions; with `False` all of them start at the same places, as in the \
         original.",
    )
    .ours(),
    works(
        "DR_TRAIN_KEEP_CHECKPOINTS",
        Kind::Integer { min: 1, max: 1_000_000 },
        "4",
        "10",
        "train.keep_checkpoints",
        "How many of the newest checkpoints are kept; the best one is kept besides.",
    )
    .ours(),
    works(
        "DR_TRAIN_STOP_MINUTES",
        Kind::Number { min: 0.0, max: 1e6, unit: "min" },
        "",
        "90",
        "train.stop_minutes",
        "Training ends in good order after this time. Empty: no limit.",
    )
    .ours(),
    works(
        "DR_TRAIN_STOP_ITERATIONS",
        Kind::Integer { min: 1, max: 1_000_000_000 },
        "",
        "50",
        "train.stop_iterations",
        "Training ends after this many iterations of this run. Empty: no limit.",
    )
    .ours(),
    works(
        "DR_TRAIN_STOP_STEPS",
        Kind::Integer { min: 1, max: 1_000_000_000_000 },
        "",
        "100000",
        "train.stop_steps",
        "Training ends with the iteration that reaches this many environment steps of this run. Empty: no limit.",
    )
    .ours(),
    works(
        "DR_TRAIN_STOP_COMPLETION",
        Kind::Number { min: 0.0, max: 100.0, unit: "%" },
        "",
        "100",
        "train.stop_completion_percent",
        "Training ends when the evaluation after an iteration reaches this mean completion. Empty: never.",
    )
    .ours(),
];
