//! The typed view of all settings.

use serde::Serialize;

use crate::choice::{BestModelMetric, CarColor, Checkpoint, EvaluationReward, ObstacleType, Quality, RaceType};
use crate::object_position::ObjectPosition;
use crate::values::Values;

/// Everything the variables say about a run, checked. One of these exists for every worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunConfig {
    /// Number of the run (`DR_RUN_ID`), 0 to 99.
    pub run_id: u32,
    /// Track name as written (`DR_WORLD_NAME`); the catalogue of tracks decides whether it exists.
    pub world_name: String,
    /// Kind of race; [`RaceType::HeadToModel`] is for evaluations only.
    pub race_type: RaceType,
    /// Workers, at least 1.
    pub workers: u32,
    /// Threads, 0 for all processors.
    pub threads: u32,
    /// Experiment the run belongs to.
    pub experiment: Option<String>,
    /// The car.
    pub car: CarConfig,
    /// Whether light and paint change from episode to episode.
    pub domain_randomization: bool,
    /// How much episodes differ from the perfect simulation.
    pub sim2real: Sim2RealConfig,
    /// Training.
    pub train: TrainConfig,
    /// Evaluation.
    pub evaluation: EvaluationConfig,
    /// Boxes and parked cars; they only stand there in [`RaceType::ObjectAvoidance`].
    pub obstacles: ObstaclesConfig,
    /// Bot cars; they only drive in [`RaceType::HeadToBot`].
    pub bots: BotsConfig,
    /// The other model; it only drives in [`RaceType::HeadToModel`].
    pub opponent: OpponentConfig,
    /// Names of files and folders in the bucket.
    pub storage: StorageConfig,
    /// The model to start from.
    pub pretrained: PretrainedConfig,
}

/// How the car looks and what it is called.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CarConfig {
    /// Display name of the car.
    pub name: String,
    /// Shape of the shell.
    pub body_shell: String,
    /// Colour of the shell.
    pub color: CarColor,
    /// Name in overlays and result tables.
    pub display_name: String,
    /// Name of the racer.
    pub racer_name: String,
}

/// How much episodes differ from the perfect simulation. All are the greatest differences; 0 is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sim2RealConfig {
    /// How late commands arrive, in seconds.
    pub action_latency_s: f64,
    /// How much later still single commands arrive, in seconds.
    pub action_latency_jitter_s: f64,
    /// How often the car listens per second, 1 to 15; 15 is always.
    pub decision_rate_hz: f64,
    /// Cameras looking up or down, in degrees.
    pub camera_pitch_deg: f64,
    /// Cameras looking left or right, in degrees.
    pub camera_yaw_deg: f64,
    /// Cameras mounted higher or lower, in metres.
    pub camera_height_m: f64,
    /// A wider or narrower field of view, in degrees.
    pub field_of_view_deg: f64,
    /// Brighter or darker pictures, as a share of full scale.
    pub brightness: f64,
    /// More or less contrast, as a share.
    pub contrast: f64,
    /// Standard deviation of the blur, in pixels.
    pub blur_px: f64,
    /// Standard deviation of the noise, as a share of full scale.
    pub pixel_noise: f64,
    /// More or less grip, as a share.
    pub grip: f64,
    /// Steering that is off, in degrees.
    pub steering_bias_deg: f64,
}

/// How to train.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainConfig {
    /// Whether the start moves from episode to episode.
    pub change_start_position: bool,
    /// How far it moves each time, as a fraction of the track, 0 to 1.
    pub round_robin_advance: f64,
    /// Where the first episode starts, as a fraction of the track, 0 to 1.
    pub start_position_offset: f64,
    /// Whether the driving direction flips after every episode.
    pub alternate_direction: bool,
    /// Whether the track is driven the other way round.
    pub reverse_direction: bool,
    /// Evaluation episodes in every iteration, driven before it learns; 0 drives none.
    pub min_evaluation_trials: u32,
    /// What makes a checkpoint the best one.
    pub best_model_metric: BestModelMetric,
    /// Most steps of an iteration that are learnt from; `None` leaves it to the network (10000 shallow, 3000 deeper).
    pub max_steps_per_iteration: Option<u64>,
    /// Whether workers have their own settings (`worker-N.env`).
    pub multi_config: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// Quality of the camera pictures.
    pub quality: Quality,
    /// Whether an episode begins with a motionless step that counts.
    pub prepare_step: bool,
    /// Whether workers share out the start positions.
    pub interleave_workers: bool,
    /// How many of the newest checkpoints are kept, at least 1.
    pub keep_checkpoints: u32,
    /// Training ends after this many minutes.
    pub stop_minutes: Option<f64>,
    /// Training ends after this many iterations.
    pub stop_iterations: Option<u64>,
    /// Training ends with the iteration that reaches this many environment steps.
    pub stop_steps: Option<u64>,
    /// Training ends when an evaluation between iterations reaches this mean completion, in percent.
    pub stop_completion_percent: Option<f64>,
}

/// How to evaluate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationConfig {
    /// Laps to drive, at least 1.
    pub number_of_trials: u32,
    /// Whether all laps are one episode.
    pub is_continuous: bool,
    /// Budget of resets: 0, or at least 2.
    pub max_resets: u32,
    /// Wait after leaving the track, in seconds.
    pub off_track_penalty_s: f64,
    /// Wait after a collision, in seconds.
    pub collision_penalty_s: f64,
    /// How far behind an obstacle in its way the car is put back, in metres.
    pub reset_behind_m: f64,
    /// Whether the car is put past an obstacle it fails at again and again.
    pub mercy_reset: bool,
    /// How far past it, in metres.
    pub reset_ahead_m: f64,
    /// At how many resets in a row at the same obstacle, at least 1.
    pub max_resets_after_crash: u32,
    /// The checkpoint to evaluate.
    pub checkpoint: Checkpoint,
    /// Whether the track is driven the other way round.
    pub reverse_direction: bool,
    /// The reward that is recorded.
    pub reward: EvaluationReward,
    /// Whether actions are drawn with the policy's chances, as in training.
    pub sample_actions: bool,
    /// Seed of everything random.
    pub seed: u64,
}

/// Boxes and parked cars on the road.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObstaclesConfig {
    /// How many, unless `positions` says.
    pub number: u32,
    /// Least distance between them along the centre line, in metres.
    pub min_distance_m: f64,
    /// Whether their places change from episode to episode.
    pub random: bool,
    /// Whether they are parked cars instead of boxes.
    pub parked_cars: bool,
    /// What boxes look like.
    pub kind: ObstacleType,
    /// Fixed places; they override number and randomness.
    pub positions: Vec<ObjectPosition>,
}

/// Bot cars.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BotsConfig {
    /// How many.
    pub number: u32,
    /// Speed along the centre line, in m/s.
    pub speed_mps: f64,
    /// Least distance between them along the centre line, in metres.
    pub min_distance_m: f64,
    /// Whether they begin elsewhere in every episode.
    pub random: bool,
    /// Whether they change lanes.
    pub lane_change: bool,
    /// Least time between lane changes, in seconds.
    pub lower_lane_change_s: f64,
    /// Most time between lane changes, in seconds.
    pub upper_lane_change_s: f64,
    /// Length of a lane change, in metres.
    pub lane_change_distance_m: f64,
    /// How long all of them wait after one has run into the car, in seconds.
    pub penalty_s: f64,
}

/// The model to race against.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpponentConfig {
    /// Folder of the model.
    pub model_prefix: String,
    /// Which of its checkpoints.
    pub checkpoint: Checkpoint,
    /// Folder of its metrics files.
    pub metrics_prefix: String,
    /// Name of the car.
    pub name: String,
    /// Name of the car in overlays and result tables.
    pub display_name: String,
    /// Name of the racer.
    pub racer_name: String,
    /// Shape of the shell.
    pub body_shell: String,
}

/// Names of files and folders in the bucket. All are relative and stay inside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StorageConfig {
    /// Name of the bucket.
    pub bucket: String,
    /// Folder of the model.
    pub model_prefix: String,
    /// Folder of the metrics files.
    pub metrics_prefix: String,
    /// Folder of the custom files.
    pub custom_files_prefix: String,
    /// The model metadata file.
    pub model_metadata_key: String,
    /// The hyperparameters file.
    pub hyperparameters_key: String,
    /// The reward function file.
    pub reward_key: String,
    /// Name of the training parameter file in the model folder.
    pub training_params_file: String,
    /// Name of the evaluation parameter file in the model folder.
    pub evaluation_params_file: String,
    /// Region recorded in the parameter files.
    pub aws_region: String,
}

/// The model to start from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PretrainedConfig {
    /// Whether to start from it at all.
    pub enabled: bool,
    /// Its folder in the bucket.
    pub prefix: String,
    /// Which of its checkpoints.
    pub checkpoint: Checkpoint,
}

impl RunConfig {
    /// Reads every field from the values; they are of the right kind already.
    pub(crate) fn of(values: &Values) -> RunConfig {
        RunConfig {
            run_id: values.integer("DR_RUN_ID") as u32,
            world_name: values.text("DR_WORLD_NAME"),
            race_type: values.choice("DR_RACE_TYPE", RaceType::from_name).unwrap_or(RaceType::TimeTrial),
            workers: values.integer("DR_WORKERS") as u32,
            threads: values.integer("DR_THREADS") as u32,
            experiment: Some(values.text("DR_EXPERIMENT_NAME")).filter(|name| !name.is_empty()),
            car: CarConfig::of(values),
            domain_randomization: values.flag("DR_ENABLE_DOMAIN_RANDOMIZATION"),
            sim2real: Sim2RealConfig::of(values),
            train: TrainConfig::of(values),
            evaluation: EvaluationConfig::of(values),
            obstacles: ObstaclesConfig::of(values),
            bots: BotsConfig::of(values),
            opponent: OpponentConfig::of(values),
            storage: StorageConfig::of(values),
            pretrained: PretrainedConfig {
                enabled: values.flag("DR_LOCAL_S3_PRETRAINED"),
                prefix: values.text("DR_LOCAL_S3_PRETRAINED_PREFIX"),
                checkpoint: values.checkpoint("DR_LOCAL_S3_PRETRAINED_CHECKPOINT"),
            },
        }
    }
}

impl CarConfig {
    fn of(values: &Values) -> CarConfig {
        CarConfig {
            name: values.text("DR_CAR_NAME"),
            body_shell: values.text("DR_CAR_BODY_SHELL_TYPE"),
            color: values.choice("DR_CAR_COLOR", CarColor::from_name).unwrap_or(CarColor::Red),
            display_name: values.text("DR_DISPLAY_NAME"),
            racer_name: values.text("DR_RACER_NAME"),
        }
    }
}

impl Sim2RealConfig {
    fn of(values: &Values) -> Sim2RealConfig {
        Sim2RealConfig {
            action_latency_s: values.number("DR_SIM2REAL_ACTION_LATENCY"),
            action_latency_jitter_s: values.number("DR_SIM2REAL_ACTION_LATENCY_JITTER"),
            decision_rate_hz: values.number("DR_SIM2REAL_DECISION_RATE"),
            camera_pitch_deg: values.number("DR_SIM2REAL_CAMERA_PITCH"),
            camera_yaw_deg: values.number("DR_SIM2REAL_CAMERA_YAW"),
            camera_height_m: values.number("DR_SIM2REAL_CAMERA_HEIGHT"),
            field_of_view_deg: values.number("DR_SIM2REAL_FIELD_OF_VIEW"),
            brightness: values.number("DR_SIM2REAL_BRIGHTNESS"),
            contrast: values.number("DR_SIM2REAL_CONTRAST"),
            blur_px: values.number("DR_SIM2REAL_BLUR"),
            pixel_noise: values.number("DR_SIM2REAL_PIXEL_NOISE"),
            grip: values.number("DR_SIM2REAL_GRIP"),
            steering_bias_deg: values.number("DR_SIM2REAL_STEERING_BIAS"),
        }
    }
}

impl TrainConfig {
    fn of(values: &Values) -> TrainConfig {
        TrainConfig {
            change_start_position: values.flag("DR_TRAIN_CHANGE_START_POSITION"),
            round_robin_advance: values.number("DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST"),
            start_position_offset: values.number("DR_TRAIN_START_POSITION_OFFSET"),
            alternate_direction: values.flag("DR_TRAIN_ALTERNATE_DRIVING_DIRECTION"),
            reverse_direction: values.flag("DR_TRAIN_REVERSE_DIRECTION"),
            min_evaluation_trials: values.integer("DR_TRAIN_MIN_EVAL_TRIALS") as u32,
            best_model_metric: values
                .choice("DR_TRAIN_BEST_MODEL_METRIC", BestModelMetric::from_name)
                .unwrap_or(BestModelMetric::Progress),
            max_steps_per_iteration: values.optional_integer("DR_TRAIN_MAX_STEPS_PER_ITERATION"),
            multi_config: values.flag("DR_TRAIN_MULTI_CONFIG"),
            seed: values.integer("DR_TRAIN_SEED"),
            quality: values.choice("DR_TRAIN_QUALITY", Quality::from_name).unwrap_or(Quality::Standard),
            prepare_step: values.flag("DR_TRAIN_PREPARE_STEP"),
            interleave_workers: values.flag("DR_TRAIN_INTERLEAVE_WORKERS"),
            keep_checkpoints: values.integer("DR_TRAIN_KEEP_CHECKPOINTS") as u32,
            stop_minutes: values.optional_number("DR_TRAIN_STOP_MINUTES"),
            stop_iterations: values.optional_integer("DR_TRAIN_STOP_ITERATIONS"),
            stop_steps: values.optional_integer("DR_TRAIN_STOP_STEPS"),
            stop_completion_percent: values.optional_number("DR_TRAIN_STOP_COMPLETION"),
        }
    }
}

impl EvaluationConfig {
    fn of(values: &Values) -> EvaluationConfig {
        EvaluationConfig {
            number_of_trials: values.integer("DR_EVAL_NUMBER_OF_TRIALS") as u32,
            is_continuous: values.flag("DR_EVAL_IS_CONTINUOUS"),
            max_resets: values.integer("DR_EVAL_MAX_RESETS") as u32,
            off_track_penalty_s: values.number("DR_EVAL_OFF_TRACK_PENALTY"),
            collision_penalty_s: values.number("DR_EVAL_COLLISION_PENALTY"),
            reset_behind_m: values.number("DR_EVAL_RESET_BEHIND_DIST"),
            mercy_reset: values.flag("DR_EVAL_MERCY_RESET"),
            reset_ahead_m: values.number("DR_EVAL_RESET_AHEAD_DIST"),
            max_resets_after_crash: values.integer("DR_EVAL_MAX_RESETS_AFTER_CRASH") as u32,
            checkpoint: values.checkpoint("DR_EVAL_CHECKPOINT"),
            reverse_direction: values.flag("DR_EVAL_REVERSE_DIRECTION"),
            reward: values
                .choice("DR_EVAL_REWARD", EvaluationReward::from_name)
                .unwrap_or(EvaluationReward::CenterLine),
            sample_actions: values.flag("DR_EVAL_SAMPLE_ACTIONS"),
            seed: values.integer("DR_EVAL_SEED"),
        }
    }
}

impl ObstaclesConfig {
    fn of(values: &Values) -> ObstaclesConfig {
        ObstaclesConfig {
            number: values.integer("DR_OA_NUMBER_OF_OBSTACLES") as u32,
            min_distance_m: values.number("DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES"),
            random: values.flag("DR_OA_RANDOMIZE_OBSTACLE_LOCATIONS"),
            parked_cars: values.flag("DR_OA_IS_OBSTACLE_BOT_CAR"),
            kind: values.choice("DR_OA_OBSTACLE_TYPE", ObstacleType::from_name).unwrap_or(ObstacleType::Box),
            positions: values.object_positions("DR_OA_OBJECT_POSITIONS"),
        }
    }
}

impl BotsConfig {
    fn of(values: &Values) -> BotsConfig {
        BotsConfig {
            number: values.integer("DR_H2B_NUMBER_OF_BOT_CARS") as u32,
            speed_mps: values.number("DR_H2B_BOT_CAR_SPEED"),
            min_distance_m: values.number("DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS"),
            random: values.flag("DR_H2B_RANDOMIZE_BOT_CAR_LOCATIONS"),
            lane_change: values.flag("DR_H2B_IS_LANE_CHANGE"),
            lower_lane_change_s: values.number("DR_H2B_LOWER_LANE_CHANGE_TIME"),
            upper_lane_change_s: values.number("DR_H2B_UPPER_LANE_CHANGE_TIME"),
            lane_change_distance_m: values.number("DR_H2B_LANE_CHANGE_DISTANCE"),
            penalty_s: values.number("DR_H2B_BOT_CAR_PENALTY"),
        }
    }
}

impl OpponentConfig {
    fn of(values: &Values) -> OpponentConfig {
        OpponentConfig {
            model_prefix: values.text("DR_EVAL_OPP_S3_MODEL_PREFIX"),
            checkpoint: values.checkpoint("DR_EVAL_OPP_CHECKPOINT"),
            metrics_prefix: values.text("DR_EVAL_OPP_S3_METRICS_PREFIX"),
            name: values.text("DR_EVAL_OPP_CAR_NAME"),
            display_name: values.text("DR_EVAL_OPP_DISPLAY_NAME"),
            racer_name: values.text("DR_EVAL_OPP_RACER_NAME"),
            body_shell: values.text("DR_EVAL_OPP_CAR_BODY_SHELL_TYPE"),
        }
    }
}

impl StorageConfig {
    fn of(values: &Values) -> StorageConfig {
        StorageConfig {
            bucket: values.text("DR_LOCAL_S3_BUCKET"),
            model_prefix: values.text("DR_LOCAL_S3_MODEL_PREFIX"),
            metrics_prefix: values.text("DR_LOCAL_S3_METRICS_PREFIX"),
            custom_files_prefix: values.text("DR_LOCAL_S3_CUSTOM_FILES_PREFIX"),
            model_metadata_key: values.text("DR_LOCAL_S3_MODEL_METADATA_KEY"),
            hyperparameters_key: values.text("DR_LOCAL_S3_HYPERPARAMETERS_KEY"),
            reward_key: values.text("DR_LOCAL_S3_REWARD_KEY"),
            training_params_file: values.text("DR_LOCAL_S3_TRAINING_PARAMS_FILE"),
            evaluation_params_file: values.text("DR_LOCAL_S3_EVAL_PARAMS_FILE"),
            aws_region: values.text("DR_AWS_APP_REGION"),
        }
    }
}
