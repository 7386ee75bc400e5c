//! Runs among obstacles and bot cars, from settings to files: each race type trains and is evaluated.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use deepracer_job::evaluate::{self, EvaluationOutcome};
use deepracer_job::reward::{CenterLine, RewardError, RewardFunction};
use deepracer_job::run::{RunKind, RunLogs, RunRecord, RunRequest, RunState};
use deepracer_job::stop::StopFlag;
use deepracer_job::train;
use deepracer_race::{EpisodeStatus, ObjectParams, RewardParams};
use deepracer_settings::RacingFolder;
use deepracer_track::Track;

type Failure = Box<dyn std::error::Error>;
type Values<'a> = &'a [(&'a str, &'a str)];

/// Straight ahead, always: on a straight with boxes on both lanes there is one way for it to end.
const STRAIGHT: &str = r#"{"action_space": [
    {"steering_angle": 0, "speed": 1.0}, {"steering_angle": 0, "speed": 1.1}],
    "sensor": ["FRONT_FACING_CAMERA"], "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_DEEP", "version": "5",
    "training_algorithm": "clipped_ppo", "action_space_type": "discrete"}"#;
const HYPERPARAMETERS: &str =
    r#"{"num_episodes_between_training": 2, "num_epochs": 1, "batch_size": 16, "term_cond_max_episodes": 8}"#;
/// Two boxes side by side, 1.24 m after the line.
const BARRIER: Values<'static> = &[("DR_RACE_TYPE", "OBJECT_AVOIDANCE"), ("DR_OA_OBJECT_POSITIONS", "0.07,-1;0.07,1")];

struct Racing {
    _home: tempfile::TempDir,
    root: PathBuf,
}

impl Racing {
    fn new() -> Result<Self, Failure> {
        let home = tempfile::tempdir()?;
        let root = home.path().to_path_buf();
        fs::write(root.join("run.env"), "")?;
        Ok(Self { _home: home, root })
    }

    /// A run with the settings of each worker; `prefix` names the model.
    fn record(&self, kind: RunKind, prefix: &str, workers: &[Values<'_>]) -> RunRecord {
        let values = |own: &Values<'_>| {
            let common = [
                ("DR_WORLD_NAME", "reinvent_base"),
                ("DR_TRAIN_MIN_EVAL_TRIALS", "1"),
                ("DR_TRAIN_STOP_ITERATIONS", "1"),
                ("DR_TRAIN_CHANGE_START_POSITION", "False"),
                ("DR_LOCAL_S3_MODEL_PREFIX", prefix),
            ];
            let all = common.iter().chain(*own).map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            all.collect::<BTreeMap<_, _>>()
        };
        let folder = RacingFolder::at(self.root.clone());
        RunRecord {
            kind,
            run_id: 0,
            model_prefix: prefix.to_owned(),
            world: "reinvent_base".to_owned(),
            since: "2024-01-31T23:59:59Z".to_owned(),
            process: None,
            state: RunState::Starting,
            logs: RunLogs::of(&folder, prefix, workers.len()),
            request: RunRequest {
                racing_folder: self.root.clone(),
                settings: workers.iter().map(values).collect(),
                model_metadata: STRAIGHT.to_owned(),
                hyperparameters: Some(HYPERPARAMETERS.to_owned()),
                reward: None,
                stamp: "20240131235959".to_owned(),
            },
        }
    }

    fn train(&self, prefix: &str, workers: &[Values<'_>]) -> Result<Vec<Vec<ObjectParams>>, Failure> {
        let seen: Vec<Seen> = workers.iter().map(|_| Seen::default()).collect();
        let record = self.record(RunKind::Training, prefix, workers);
        let mut rewards = |worker: usize| Ok(Box::new(seen[worker].clone()) as Box<dyn RewardFunction>);
        train::run(&record, &mut rewards, &StopFlag::new(), &mut || {})?;
        Ok(seen.iter().map(|seen| seen.0.lock().map_or_else(|_| Vec::new(), |objects| objects.clone())).collect())
    }

    fn evaluate(&self, prefix: &str, values: Values<'_>) -> Result<EvaluationOutcome, Failure> {
        let record = self.record(RunKind::Evaluation, prefix, &[values]);
        Ok(evaluate::run(&record, &mut |_| Ok(Box::new(CenterLine)), &StopFlag::new(), &mut || {})?)
    }

    fn file(&self, key: &str) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.root.join("data/s3/bucket").join(key))?)
    }
}

/// A reward function that keeps what it is told of the objects.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<ObjectParams>>>);

impl RewardFunction for Seen {
    fn call(&mut self, params: &RewardParams, track: &Track) -> Result<f64, RewardError> {
        if let Ok(mut objects) = self.0.lock() {
            objects.push(params.objects.clone());
        }
        CenterLine.call(params, track)
    }
}

#[test]
fn a_training_among_boxes_hears_of_them_and_records_its_crashes() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let objects = racing.train("avoid", &[BARRIER])?.swap_remove(0);
    assert!(objects.len() > 20 && objects.iter().all(|objects| objects.location.len() == 2));
    assert!(objects.iter().all(|objects| objects.speed == [0.0, 0.0] && objects.heading == [0.0, 0.0]));
    assert!(objects.iter().any(|objects| objects.object_in_camera));

    let trace = racing.file("avoid/training-simtrace/0-iteration.csv")?;
    let crashes: Vec<&str> = trace.lines().filter(|line| line.contains(",crashed,")).collect();
    assert_eq!(crashes.len(), 2, "each episode ends so");
    for line in crashes {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[9], fields[10], fields[17]), ("True", "True", "1"), "done, on the road, one crash");
    }
    let metrics = racing.file("avoid/metrics/TrainingMetrics.json")?;
    assert_eq!(metrics.matches(r#""episode_status": "Crashed""#).count(), 4, "training and evaluation: {metrics}");
    let params = racing.file("avoid/training_params.yaml")?;
    assert!(params.contains("'RACE_TYPE': 'OBJECT_AVOIDANCE'") && params.contains("- '0.07,-1'"), "{params}");
    assert!(params.contains("'NUMBER_OF_OBSTACLES': '2'"), "{params}");
    Ok(())
}

#[test]
fn an_evaluation_among_boxes_counts_crashes_and_their_penalties() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train("avoid", &[BARRIER])?;
    let evaluate = |more: Values<'_>| racing.evaluate("avoid", &[BARRIER, more].concat());
    let crashes =
        |outcome: &EvaluationOutcome| outcome.rows.iter().filter(|row| row.status == EpisodeStatus::Crashed).count();
    let pauses = |outcome: &EvaluationOutcome| {
        outcome.rows.iter().filter(|row| row.status == EpisodeStatus::Pause).map(|row| row.x).collect::<Vec<_>>()
    };

    let final_ = evaluate(&[("DR_EVAL_MAX_RESETS", "0"), ("DR_EVAL_NUMBER_OF_TRIALS", "1")])?;
    assert_eq!((crashes(&final_), final_.laps.len(), pauses(&final_).len()), (1, 1, 0));
    assert_eq!((final_.laps[0].num_crashes, final_.laps[0].status), (1, EpisodeStatus::Crashed));

    // Two forgiven crashes, the third one ends it; each pause lasts the penalty.
    let twice: Values<'_> = &[("DR_EVAL_MAX_RESETS", "2"), ("DR_EVAL_NUMBER_OF_TRIALS", "1")];
    let forgiven = evaluate(&[twice, &[("DR_EVAL_COLLISION_PENALTY", "2")]].concat())?;
    assert_eq!((crashes(&forgiven), pauses(&forgiven).len()), (3, 60));
    assert_eq!(forgiven.rows.last().map(|row| row.obstacle_crash_counter), Some(3));
    let metrics = racing.file(&forgiven.metrics_key)?;
    assert!(metrics.contains(r#""crash_count": 3"#) && metrics.contains(r#""reset_count": 3"#), "{metrics}");
    assert_eq!(pauses(&evaluate(&[twice, &[("DR_EVAL_COLLISION_PENALTY", "0")]].concat())?).len(), 2);

    // The car waits as far behind the boxes as the user says...
    let near = evaluate(&[twice, &[("DR_EVAL_RESET_BEHIND_DIST", "0.6")]].concat())?;
    let shift_m = pauses(&near)[0] - pauses(&forgiven)[0];
    assert!((shift_m.abs() - 0.4).abs() < 0.02, "{shift_m}");
    // ...or is helped past them.
    let mercy: Values<'_> = &[("DR_EVAL_MERCY_RESET", "True"), ("DR_EVAL_MAX_RESETS_AFTER_CRASH", "1")];
    let helped = evaluate(&[twice, mercy].concat())?;
    let past_m = pauses(&helped)[0] - pauses(&forgiven)[0];
    assert!((past_m.abs() - 2.0).abs() < 0.1, "{past_m}");
    let further = evaluate(&[twice, mercy, &[("DR_EVAL_RESET_AHEAD_DIST", "1.3")]].concat())?;
    assert!(((pauses(&further)[0] - pauses(&helped)[0]).abs() - 0.3).abs() < 0.1);
    let later = evaluate(&[twice, mercy, &[("DR_EVAL_MAX_RESETS_AFTER_CRASH", "2")]].concat())?;
    assert_eq!(pauses(&later)[0], pauses(&forgiven)[0]);
    let params = racing.file("avoid/evaluation_params.yaml")?;
    assert!(params.contains("'ENABLE_MERCY_RESET': 'True'") && params.contains("'MAX_RESETS_AFTER_CRASH': '2'"));
    Ok(())
}

#[test]
fn separate_laps_have_boxes_in_other_places_and_repeat_themselves() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train("avoid", &[BARRIER])?;
    let values: Values<'_> = &[
        ("DR_RACE_TYPE", "OBJECT_AVOIDANCE"),
        ("DR_OA_RANDOMIZE_OBSTACLE_LOCATIONS", "True"),
        ("DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES", "1.2"),
        ("DR_OA_NUMBER_OF_OBSTACLES", "10"),
        ("DR_EVAL_IS_CONTINUOUS", "False"),
        ("DR_EVAL_MAX_RESETS", "0"),
        ("DR_EVAL_NUMBER_OF_TRIALS", "4"),
    ];
    let steps = |outcome: EvaluationOutcome| {
        let laps = outcome.rows.chunk_by(|row, next| row.episode == next.episode).map(<[_]>::len);
        laps.collect::<Vec<_>>()
    };
    let first = steps(racing.evaluate("avoid", values)?);
    assert_eq!(first.len(), 4);
    assert!(first.windows(2).any(|pair| pair[0] != pair[1]), "a straight driver tells places apart: {first:?}");
    assert_eq!(steps(racing.evaluate("avoid", values)?), first);
    Ok(())
}

#[test]
fn workers_train_in_races_and_on_tracks_of_their_own() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let multi: Values<'_> = &[("DR_WORKERS", "3"), ("DR_TRAIN_MULTI_CONFIG", "True")];
    let alone = multi.to_vec();
    let boxes = [
        multi,
        &[
            ("DR_RACE_TYPE", "OBJECT_AVOIDANCE"),
            ("DR_WORLD_NAME", "Oval_track"),
            ("DR_OA_IS_OBSTACLE_BOT_CAR", "True"),
            ("DR_OA_NUMBER_OF_OBSTACLES", "4"),
            ("DR_TRAIN_ALTERNATE_DRIVING_DIRECTION", "True"),
        ],
    ]
    .concat();
    let bots = [
        multi,
        &[
            ("DR_RACE_TYPE", "HEAD_TO_BOT"),
            ("DR_WORLD_NAME", "2022_reinvent_champ_cw"),
            ("DR_H2B_NUMBER_OF_BOT_CARS", "2"),
            ("DR_H2B_BOT_CAR_SPEED", "0.6"),
            ("DR_H2B_IS_LANE_CHANGE", "True"),
        ],
    ]
    .concat();
    let mut record = racing.record(RunKind::Training, "mixed", &[&alone, &boxes, &bots]);
    record.request.hyperparameters = Some(HYPERPARAMETERS.replace(r#"training": 2"#, r#"training": 6"#));
    let seen: Vec<Seen> = (0..3).map(|_| Seen::default()).collect();
    let mut rewards = |worker: usize| Ok(Box::new(seen[worker].clone()) as Box<dyn RewardFunction>);
    train::run(&record, &mut rewards, &StopFlag::new(), &mut || {})?;
    for (seen, (count, speed)) in seen.iter().zip([(0, 0.0), (4, 0.0), (2, 0.6)]) {
        let objects = seen.0.lock().map_err(|_| "a lock")?;
        assert!(objects.len() > 10);
        assert!(objects.iter().all(|objects| objects.location.len() == count && objects.speed == vec![speed; count]));
    }
    let moves = seen[2].0.lock().map_err(|_| "a lock")?;
    assert!(moves.windows(2).any(|pair| pair[0].location != pair[1].location), "bots drive");
    for (number, race_type) in [(1, "TIME_TRIAL"), (2, "OBJECT_AVOIDANCE"), (3, "HEAD_TO_BOT")] {
        let params = racing.file(&format!("mixed/training_params_{number}.yaml"))?;
        assert!(params.contains(&format!("'RACE_TYPE': '{race_type}'")), "{params}");
        assert_eq!(params.contains("BOT_CAR_SPEED"), race_type == "HEAD_TO_BOT");
    }
    Ok(())
}

#[test]
fn an_evaluation_among_bots_blames_the_one_behind() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let bots: Values<'_> = &[
        ("DR_RACE_TYPE", "HEAD_TO_BOT"),
        // The first bot is 1.5 m ahead on the inner lane of a straight; the car drives between the lanes.
        ("DR_H2B_NUMBER_OF_BOT_CARS", "1"),
        ("DR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS", "1.5"),
        ("DR_H2B_BOT_CAR_SPEED", "0.2"),
        ("DR_EVAL_MAX_RESETS", "2"),
        ("DR_EVAL_COLLISION_PENALTY", "1"),
        ("DR_EVAL_NUMBER_OF_TRIALS", "1"),
    ];
    racing.train("overtake", &[bots])?;
    let outcome = racing.evaluate("overtake", bots)?;
    let crash = outcome.rows.iter().position(|row| row.status == EpisodeStatus::Crashed).ok_or("a crash")?;
    assert!(outcome.rows.iter().all(|row| row.obstacle_crash_counter == 0), "a bot is no obstacle");
    let pause = outcome.rows[crash + 1..].iter().take_while(|row| row.status == EpisodeStatus::Pause).count();
    assert_eq!(pause, 15, "DR_EVAL_COLLISION_PENALTY");
    assert!(outcome.laps[0].num_crashes > 0);
    let params = racing.file("overtake/evaluation_params.yaml")?;
    assert!(params.contains("'BOT_CAR_SPEED': '0.2'") && params.contains("'PENALTY_SECONDS': '5.0'"), "{params}");
    Ok(())
}

/// Two models in one race: "steady" drives straight ahead, and so does "rival".
fn two_models(racing: &Racing) -> Result<(), Failure> {
    racing.train("steady", &[&[]])?;
    racing.train("rival", &[&[("DR_TRAIN_SEED", "1")]])?;
    Ok(())
}

const AGAINST_RIVAL: Values<'static> = &[
    ("DR_RACE_TYPE", "HEAD_TO_MODEL"),
    ("DR_EVAL_OPP_S3_MODEL_PREFIX", "rival"),
    ("DR_EVAL_NUMBER_OF_TRIALS", "1"),
    ("DR_EVAL_MAX_RESETS", "2"),
    ("DR_EVAL_OFF_TRACK_PENALTY", "1"),
];

#[test]
fn two_models_race_and_both_have_their_files() -> Result<(), Failure> {
    let racing = Racing::new()?;
    two_models(&racing)?;
    let outcome = racing.evaluate("steady", AGAINST_RIVAL)?;
    let rival = outcome.opponent.as_ref().ok_or("an opponent")?;
    assert_eq!(
        (rival.prefix.as_str(), rival.trace_key.as_str()),
        ("rival", "rival/evaluation-simtrace/0-iteration.csv")
    );
    let digits = rival
        .metrics_key
        .strip_prefix("rival/metrics/EvaluationMetrics-")
        .and_then(|rest| rest.strip_suffix(".json"))
        .ok_or("the original's name")?;
    assert!(digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{digits}");

    // The same race for both, step by step, to its end.
    assert_eq!(outcome.rows.len(), rival.rows.len());
    assert!(outcome.rows.iter().zip(&rival.rows).all(|(own, other)| own.time_s == other.time_s));
    let last = (outcome.rows.last().ok_or("rows")?, rival.rows.last().ok_or("rows")?);
    assert!(last.0.done && last.1.done);
    assert_eq!((outcome.laps.len(), rival.laps.len()), (1, 1));
    // The second car starts behind the line, on the other lane.
    let (first, second) = (&outcome.rows[0], &rival.rows[0]);
    assert!(first.progress > 0.0 && second.progress < 0.0, "{} and {}", first.progress, second.progress);
    let gap_m = (first.x - second.x).hypot(first.y - second.y);
    assert!((0.75..1.0).contains(&gap_m), "0.75 m along and two quarters of the road across: {gap_m}");
    for (trace, rows) in [(&outcome.trace_key, &outcome.rows), (&rival.trace_key, &rival.rows)] {
        assert_eq!(racing.file(trace)?.lines().count(), rows.len() + 1);
    }
    assert!(racing.file(&rival.metrics_key)?.contains(r#""trial": 1"#));
    let params = racing.file("steady/evaluation_params.yaml")?;
    assert!(params.contains("- 'steady'\n- 'rival'") && params.contains("- 'Purple'\n- 'Orange'"), "{params}");
    assert!(params.contains(&rival.metrics_key), "{params}");

    // It can be repeated.
    let again = racing.evaluate("steady", AGAINST_RIVAL)?;
    let places = |rows: &[deepracer_job::artefact::simtrace::StepRow]| {
        rows.iter().map(|row| (row.x, row.y, row.status)).collect::<Vec<_>>()
    };
    assert_eq!(places(&again.rows), places(&outcome.rows));
    Ok(())
}

#[test]
fn each_model_has_its_own_actions_and_the_race_ends_when_one_has_finished() -> Result<(), Failure> {
    let racing = Racing::new()?;
    two_models(&racing)?;
    // Both drive straight ahead and are put back in every bend; the rival is three times as fast.
    let metadata = STRAIGHT.replace("1.0}", "3.0}").replace("1.1}", "3.1}");
    fs::write(racing.root.join("data/s3/bucket/rival/model/model_metadata.json"), metadata)?;
    let often: Values<'_> =
        &[("DR_WORLD_NAME", "Oval_track"), ("DR_EVAL_MAX_RESETS", "1000"), ("DR_EVAL_OFF_TRACK_PENALTY", "0")];
    let outcome = racing.evaluate("steady", &[AGAINST_RIVAL, often].concat())?;
    let rival = outcome.opponent.as_ref().ok_or("an opponent")?;
    assert_eq!((outcome.rows[5].throttle_mps.floor(), rival.rows[5].throttle_mps.floor()), (1.0, 3.0));
    assert_eq!((rival.laps[0].status, rival.laps[0].progress), (EpisodeStatus::LapComplete, 100.0));
    assert_eq!((outcome.laps[0].status, outcome.num_completed()), (EpisodeStatus::InProgress, 0));
    assert!((5.0..90.0).contains(&outcome.laps[0].progress), "{}", outcome.laps[0].progress);
    Ok(())
}

#[test]
fn separate_trials_are_separate_races() -> Result<(), Failure> {
    let racing = Racing::new()?;
    two_models(&racing)?;
    let separate: Values<'_> =
        &[("DR_EVAL_IS_CONTINUOUS", "False"), ("DR_EVAL_NUMBER_OF_TRIALS", "3"), ("DR_EVAL_MAX_RESETS", "0")];
    let outcome = racing.evaluate("steady", &[&AGAINST_RIVAL[..2], separate].concat())?;
    let rival = outcome.opponent.as_ref().ok_or("an opponent")?;
    assert_eq!((outcome.laps.len(), rival.laps.len()), (3, 3));
    let metrics = racing.file(&rival.metrics_key)?;
    assert!(metrics.contains(r#""trial": 3"#), "{metrics}");
    // The race ends with the first mishap of either; the other one was still driving.
    let statuses = [outcome.laps[0].status, rival.laps[0].status];
    assert!(statuses.contains(&EpisodeStatus::InProgress), "{statuses:?}");
    Ok(())
}

#[test]
fn an_opponent_that_is_not_there_is_named() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train("steady", &[&[]])?;
    let Err(error) = racing.evaluate("steady", AGAINST_RIVAL) else { return Err("there is no rival".into()) };
    assert!(error.to_string().contains("rival"), "{error}");
    Ok(())
}

#[test]
fn nobody_trains_against_a_model() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let Err(error) = racing.train("steady", &[&[("DR_RACE_TYPE", "HEAD_TO_MODEL")]]) else {
        return Err("it must be refused".into());
    };
    assert!(error.to_string().contains("for evaluations only"), "{error}");
    Ok(())
}
