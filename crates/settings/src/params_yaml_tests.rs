use super::*;
use crate::{RacingFolder, Request};
use proptest::prelude::*;

fn settings(run_env: &str) -> Settings {
    let root = tempfile::tempdir().expect("temporary folder");
    std::fs::write(root.path().join("run.env"), run_env).expect("write");
    Settings::load(&Request::new(RacingFolder::at(root.path()))).expect("loads").settings
}

const RUN: &str =
    "DR_WORLD_NAME=Oval_track\nDR_CAR_NAME=\"Bob's car\"\nDR_LOCAL_S3_MODEL_PREFIX=night-1\nDR_WORKERS=2\n";

#[test]
fn training_follows_the_originals_table() {
    let yaml = Params::training(&settings(RUN), None).to_yaml();
    let expected = "---
'ALTERNATE_DRIVING_DIRECTION': 'False'
'AWS_REGION': 'us-east-1'
'BEST_MODEL_METRIC': 'progress'
'BODY_SHELL_TYPE': 'deepracer'
'CAMERA_MAIN_ENABLE': 'True'
'CAMERA_SUB_ENABLE': 'False'
'CAR_COLOR': 'Red'
'CAR_NAME': 'Bob''s car'
'CHANGE_START_POSITION': 'True'
'DISPLAY_NAME': 'Bob''s car'
'ENABLE_DOMAIN_RANDOMIZATION': 'False'
'ENABLE_EXTRA_KVS_OVERLAY': 'False'
'JOB_TYPE': 'TRAINING'
'KINESIS_VIDEO_STREAM_NAME': ''
'METRICS_S3_BUCKET': 'bucket'
'METRICS_S3_OBJECT_KEY': 'night-1/metrics/TrainingMetrics.json'
'MIN_EVAL_TRIALS': '5'
'MODEL_METADATA_FILE_S3_KEY': 'custom_files/model_metadata.json'
'NUM_WORKERS': '2'
'RACER_NAME': 'Bob''s car'
'RACE_TYPE': 'TIME_TRIAL'
'REVERSE_DIR': 'False'
'REWARD_FILE_S3_KEY': 'custom_files/reward_function.py'
'ROBOMAKER_SIMULATION_JOB_ACCOUNT_ID': 'Dummy'
'ROUND_ROBIN_ADVANCE_DIST': '0.05'
'SAGEMAKER_SHARED_S3_BUCKET': 'bucket'
'SAGEMAKER_SHARED_S3_PREFIX': 'night-1'
'SIMTRACE_S3_BUCKET': 'bucket'
'SIMTRACE_S3_PREFIX': 'night-1'
'START_POSITION_OFFSET': '0.0'
'TRAINING_JOB_ARN': 'arn:Dummy'
'WORLD_NAME': 'Oval_track'
";
    assert_eq!(yaml, expected);
}

#[test]
fn evaluation_follows_the_originals_table() {
    let yaml = Params::evaluation(&settings(RUN), "20250131235959").to_yaml();
    let expected = "---
'AWS_REGION': 'us-east-1'
'BODY_SHELL_TYPE':
- 'deepracer'
'CAMERA_MAIN_ENABLE': 'True'
'CAMERA_SUB_ENABLE': 'False'
'CAR_COLOR':
- 'Red'
'CAR_NAME': 'Bob''s car'
'COLLISION_PENALTY': '5.0'
'DISPLAY_NAME':
- 'Bob''s car'
'ENABLE_DOMAIN_RANDOMIZATION': 'False'
'ENABLE_EXTRA_KVS_OVERLAY': 'False'
'EVAL_CHECKPOINT': 'last'
'IS_CONTINUOUS': 'True'
'JOB_TYPE': 'EVALUATION'
'KINESIS_VIDEO_STREAM_NAME': ''
'METRICS_S3_BUCKET':
- 'bucket'
'METRICS_S3_OBJECT_KEY':
- 'night-1/metrics/evaluation/evaluation-20250131235959.json'
'MODEL_S3_BUCKET':
- 'bucket'
'MODEL_S3_PREFIX':
- 'night-1'
'MP4_S3_BUCKET': []
'MP4_S3_OBJECT_PREFIX': []
'NUMBER_OF_RESETS': '100'
'NUMBER_OF_TRIALS': '3'
'OFF_TRACK_PENALTY': '5.0'
'RACER_NAME':
- 'Bob''s car'
'RACE_TYPE': 'TIME_TRIAL'
'RESET_BEHIND_DIST': '1.0'
'REVERSE_DIR': 'False'
'SIMTRACE_S3_BUCKET':
- 'bucket'
'SIMTRACE_S3_PREFIX':
- 'night-1/evaluation-20250131235959'
'WORLD_NAME': 'Oval_track'
";
    assert_eq!(yaml, expected);
}

#[test]
fn objects_are_written_for_their_race_type_only() {
    let keys = |run_env: &str| {
        let params = Params::training(&settings(run_env), None);
        let of_objects = params.iter().filter(|(key, _)| {
            let words = ["OBSTACLE", "OBJECT_POSITIONS", "BOT_CAR", "LANE", "PENALTY"];
            words.iter().any(|word| key.contains(word))
        });
        of_objects.map(|(key, param)| (key.to_owned(), param.clone())).collect::<Vec<_>>()
    };
    let scalar = |key: &str, text: &str| (key.to_owned(), Param::Scalar(text.to_owned()));
    assert_eq!(keys(RUN), []);
    assert_eq!(
        keys("DR_RACE_TYPE=OBJECT_AVOIDANCE\n"),
        [
            scalar("IS_OBSTACLE_BOT_CAR", "False"),
            scalar("MIN_DISTANCE_BETWEEN_OBSTACLES", "2.0"),
            scalar("NUMBER_OF_OBSTACLES", "6"),
            scalar("OBSTACLE_TYPE", "box_obstacle"),
            scalar("RANDOMIZE_OBSTACLE_LOCATIONS", "False"),
        ]
    );
    let fixed = keys("DR_RACE_TYPE=OBJECT_AVOIDANCE\nDR_OA_OBJECT_POSITIONS=0.2,-1;0.6,1\n");
    assert!(fixed.contains(&scalar("NUMBER_OF_OBSTACLES", "2")), "{fixed:?}");
    let places = Param::List(vec!["0.2,-1".to_owned(), "0.6,1".to_owned()]);
    assert!(fixed.contains(&("OBJECT_POSITIONS".to_owned(), places)), "{fixed:?}");
    assert_eq!(
        keys("DR_RACE_TYPE=HEAD_TO_BOT\n"),
        [
            scalar("BOT_CAR_SPEED", "0.2"),
            scalar("IS_LANE_CHANGE", "False"),
            scalar("LANE_CHANGE_DISTANCE", "1.0"),
            scalar("LOWER_LANE_CHANGE_TIME", "3.0"),
            scalar("MIN_DISTANCE_BETWEEN_BOT_CARS", "2.0"),
            scalar("NUMBER_OF_BOT_CARS", "3"),
            scalar("PENALTY_SECONDS", "5.0"),
            scalar("RANDOMIZE_BOT_CAR_LOCATIONS", "False"),
            scalar("UPPER_LANE_CHANGE_TIME", "5.0"),
        ]
    );
}

#[test]
fn a_race_between_models_has_two_entries_in_every_list() {
    let run =
        format!("{RUN}DR_RACE_TYPE=HEAD_TO_MODEL\nDR_EVAL_OPP_S3_MODEL_PREFIX=rival\nDR_EVAL_OPP_CAR_NAME=Rival\n");
    let settings = settings(&run);
    let params = Params::evaluation(&settings, "20250131235959").against_opponent(&settings, 1_738_364_399);
    for (key, expected) in [
        ("BODY_SHELL_TYPE", ["deepracer", "deepracer"]),
        ("CAR_COLOR", ["Purple", "Orange"]),
        ("DISPLAY_NAME", ["Bob's car", "Rival"]),
        (
            "METRICS_S3_OBJECT_KEY",
            [
                "night-1/metrics/evaluation/evaluation-20250131235959.json",
                "rival/metrics/EvaluationMetrics-1738364399.json",
            ],
        ),
        ("METRICS_S3_BUCKET", ["bucket", "bucket"]),
        ("MODEL_NAME", ["Bob's car", "Rival"]),
        ("MODEL_S3_BUCKET", ["bucket", "bucket"]),
        ("MODEL_S3_PREFIX", ["night-1", "rival"]),
        ("RACER_NAME", ["Bob's car", "Rival"]),
        ("SIMTRACE_S3_BUCKET", ["bucket", "bucket"]),
        ("SIMTRACE_S3_PREFIX", ["night-1/evaluation-20250131235959", "rival"]),
    ] {
        assert_eq!(params.list(key), Some(expected.to_vec()), "{key}");
    }
    assert_eq!((params.text("VIDEO_JOB_TYPE"), params.text("RACE_TYPE")), (Some("EVALUATION"), Some("HEAD_TO_MODEL")));
    assert_eq!(Params::from_yaml(&params.to_yaml()), Ok(params));
}

#[test]
fn workers_with_their_own_settings_have_their_own_files() {
    let base = settings(RUN);
    assert_eq!(training_file_names(base.config()), ["training_params.yaml"]);
    let multi = settings("DR_WORKERS=3\nDR_TRAIN_MULTI_CONFIG=True\n");
    let names = ["training_params_1.yaml", "training_params_2.yaml", "training_params_3.yaml"];
    assert_eq!(training_file_names(multi.config()), names);
    let second = Params::training(&base, Some(2));
    assert_eq!(second.text("MULTI_CONFIG"), Some("True"));
    assert_eq!(second.text("METRICS_S3_OBJECT_KEY"), Some("night-1/metrics/TrainingMetrics_1.json"));
    assert_eq!(Params::training(&base, Some(1)).text("MULTI_CONFIG"), None);
}

#[test]
fn files_of_the_original_are_read() {
    let yaml = "---\n'CAR_NAME': 'a name that is so long that it was folded over two lines by
  the writer'\n'NUM_WORKERS': !!int '1'\nREVERSE_DIR: !!bool 'false'\nWORLD_NAME: Oval_track # remark\n'NOTHING': !!null 'null'
'QUOTED': \"caf\\xE9 \\\"x\\\"\"\n'MP4': []\n'LIST':\n  - a\n  - 'b c'\nINLINE: ['a', b]\nEMPTY:\n'TIME': 12:30\n";
    let params = Params::from_yaml(yaml).expect("reads");
    assert_eq!(params.text("CAR_NAME"), Some("a name that is so long that it was folded over two lines by the writer"));
    let texts = [
        ("NUM_WORKERS", "1"),
        ("REVERSE_DIR", "false"),
        ("WORLD_NAME", "Oval_track"),
        ("NOTHING", ""),
        ("QUOTED", "café \"x\""),
        ("EMPTY", ""),
        ("TIME", "12:30"),
    ];
    for (key, text) in texts {
        assert_eq!(params.text(key), Some(text), "{key}");
    }
    assert_eq!(params.list("MP4"), Some(vec![]));
    assert_eq!(params.list("LIST"), Some(vec!["a", "b c"]));
    assert_eq!(params.list("INLINE"), Some(vec!["a", "b"]));
}

#[test]
fn what_is_not_a_parameter_file_is_refused_with_its_line() {
    let refusals = [
        ("---\nA: 1\nno colon\n", "line 3: not `key: value`"),
        ("- a\n", "line 1: a list item without a key"),
        ("A: 'open\n", "line 1: a quote that is not closed"),
        ("A: {b: c}\n", "line 1: nested values, anchors and text blocks do not belong into a parameter file"),
        ("A: [b, c\n", "line 1: a list that is not closed on its line"),
        ("A: 'b' c\n", "line 1: text after a closed value"),
        ("A: \"\\xZZ\"\n", "line 1: an escape that is not a character"),
    ];
    for (yaml, expected) in refusals {
        assert_eq!(Params::from_yaml(yaml).expect_err("refused").to_string(), expected);
    }
}

proptest! {
    #[test]
    fn written_files_are_read_back(
        scalars in proptest::collection::btree_map(any::<String>(), any::<String>(), 0..8),
        lists in proptest::collection::btree_map("[A-Z]{9}", proptest::collection::vec(any::<String>(), 0..4), 0..4),
    ) {
        let mut params = Params::default();
        params.params.extend(scalars.into_iter().map(|(key, text)| (key, Param::Scalar(text))));
        params.params.extend(lists.into_iter().map(|(key, texts)| (key, Param::List(texts))));
        prop_assert_eq!(Params::from_yaml(&params.to_yaml()), Ok(params));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([A-Z]{0,2}[:\\-\\['\"!#\\\\]?[ x'\\],\n]{0,4}){0,12}", noise in any::<String>()) {
        let _ = Params::from_yaml(&text);
        let _ = Params::from_yaml(&noise);
    }
}
