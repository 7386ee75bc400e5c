//! Evaluation.

use super::{METRES, SECONDS, Status, Variable, idle, works};
use crate::choice::{EvaluationReward, RaceType};
use crate::value::Kind;

pub(super) const EVALUATION: &[Variable] = &[
    works(
        "DR_EVAL_NUMBER_OF_TRIALS",
        Kind::Integer { min: 1, max: 10_000 },
        "3",
        "5",
        "evaluation.number_of_trials",
        "Laps to drive.",
    )
    .in_evaluation(&["NUMBER_OF_TRIALS"]),
    works(
        "DR_EVAL_IS_CONTINUOUS",
        Kind::Flag,
        "True",
        "False",
        "evaluation.is_continuous",
        "With `True` the laps are driven in one go and the budget of resets is for all of them; with `False` every lap is an \
         episode with its own budget.",
    )
    .in_evaluation(&["IS_CONTINUOUS"]),
    works(
        "DR_EVAL_MAX_RESETS",
        Kind::Integer { min: 0, max: 1_000_000 },
        "100",
        "0",
        "evaluation.max_resets",
        "How often a failed car is put back on the track. 0: the first failure ends the episode; 1 is not possible.",
    )
    .or(&["DR_EVAL_NUMBER_OF_RESETS"])
    .in_evaluation(&["NUMBER_OF_RESETS"]),
    works(
        "DR_EVAL_RESET_BEHIND_DIST",
        METRES,
        "1.0",
        "0.5",
        "evaluation.reset_behind_m",
        "How far behind an obstacle the car is put back after a failure within a metre of it. Elsewhere it returns to where \
         it was.",
    )
    .in_evaluation(&["RESET_BEHIND_DIST"]),
    works(
        "DR_EVAL_MERCY_RESET",
        Kind::Flag,
        "False",
        "True",
        "evaluation.mercy_reset",
        "Whether a car that fails at the same obstacle again and again is put past it.",
    )
    .only_for(RaceType::ObjectAvoidance)
    .in_evaluation(&["ENABLE_MERCY_RESET"])
    .ours(),
    works(
        "DR_EVAL_MAX_RESETS_AFTER_CRASH",
        Kind::Integer { min: 1, max: 1_000_000 },
        "3",
        "2",
        "evaluation.max_resets_after_crash",
        "With `DR_EVAL_MERCY_RESET=True`: how many resets in a row at the same obstacle it takes; the last of them \
         puts the car past it.",
    )
    .only_for(RaceType::ObjectAvoidance)
    .in_evaluation(&["MAX_RESETS_AFTER_CRASH"])
    .ours(),
    works(
        "DR_EVAL_RESET_AHEAD_DIST",
        METRES,
        "1.0",
        "0.5",
        "evaluation.reset_ahead_m",
        "With `DR_EVAL_MERCY_RESET=True`: how far past the obstacle.",
    )
    .only_for(RaceType::ObjectAvoidance)
    .in_evaluation(&["RESET_AHEAD_DIST"])
    .ours(),
    works(
        "DR_EVAL_OFF_TRACK_PENALTY",
        SECONDS,
        "5.0",
        "2.0",
        "evaluation.off_track_penalty_s",
        "How long the car waits after leaving the track, when it has resets left.",
    )
    .in_evaluation(&["OFF_TRACK_PENALTY"]),
    works(
        "DR_EVAL_COLLISION_PENALTY",
        SECONDS,
        "5.0",
        "3.0",
        "evaluation.collision_penalty_s",
        "How long the car waits after a collision, when it has resets left.",
    )
    .or(&["DR_COLLISION_PENALTY"])
    .in_evaluation(&["COLLISION_PENALTY"]),
    works(
        "DR_EVAL_CHECKPOINT",
        Kind::Checkpoint,
        "last",
        "best",
        "evaluation.checkpoint",
        "The checkpoint to evaluate.",
    )
    .in_evaluation(&["EVAL_CHECKPOINT"]),
    works(
        "DR_EVAL_REVERSE_DIRECTION",
        Kind::Flag,
        "False",
        "True",
        "evaluation.reverse_direction",
        "Whether the car drives the track the other way round.",
    )
    .in_evaluation(&["REVERSE_DIR"]),
    works(
        "DR_EVAL_REWARD",
        Kind::Choice(EvaluationReward::NAMES),
        "centerline",
        "user",
        "evaluation.reward",
        "The reward that is recorded: the built-in centre-line reward, as in the original, or the user's function.",
    )
    .ours(),
    works(
        "DR_EVAL_SAMPLE_ACTIONS",
        Kind::Flag,
        "False",
        "True",
        "evaluation.sample_actions",
        "`True` draws actions as training does, with the policy's own chances; `False` takes the best one, as the original.",
    )
    .ours(),
    works(
        "DR_EVAL_SEED",
        Kind::Integer { min: 0, max: u64::MAX },
        "0",
        "7",
        "evaluation.seed",
        "Seed of everything random in an evaluation: drawn actions, places of objects, noise.",
    )
    .ours(),
    idle(
        "DR_EVAL_DEBUG_REWARD",
        Kind::Flag,
        "False",
        "True",
        Status::NoEffect("it printed the pace of the original's simulator; the log shows steps per second anyway"),
        "Prints the pace of the simulator during evaluation.",
    ),
    idle(
        "DR_EVAL_RTF",
        Kind::Text,
        "",
        "1.0",
        Status::NoEffect("time is simulated: the race runs as fast as the machine allows, with the same result"),
        "Real time factor of the original's simulator.",
    ),
    idle(
        "DR_EVAL_SAVE_MP4",
        Kind::Flag,
        "False",
        "True",
        Status::NotYetIgnored("videos"),
        "Saves videos of the evaluation.",
    ),
];
