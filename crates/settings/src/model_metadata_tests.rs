use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<(ModelMetadata, Vec<Warning>), MetadataError> {
    ModelMetadata::parse(text, "model_metadata.json")
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

const PERMISSIVE: &str = r#"{ "version": "4", "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_DEEP", "note": "spring set",
  "action_space": [ {"speed": 1, "steering_angle": 35, "index": 1},
                    {"steering_angle": -8.5, "speed": 6, "index": 2},
                    {"steering_angle": -8.5, "speed": 6} ],
  "preprocess_type": "GREY_SCALE" }"#;

#[test]
fn a_permissive_file_is_understood() {
    let (metadata, warnings) = parse(PERMISSIVE).expect("reads");
    let action = |steering_deg, speed_mps| DiscreteAction { steering_deg, speed_mps };
    let actions = vec![action(35.0, 1.0), action(-8.5, 6.0), action(-8.5, 6.0)];
    assert_eq!(metadata.action_space, ActionSpace::Discrete(actions));
    assert_eq!(metadata.sensors, [Sensor::FrontFacingCamera]);
    assert_eq!((metadata.network, metadata.algorithm), (Network::Deep, Algorithm::ClippedPpo));
    assert_eq!(metadata.version, Some(4.0));
    assert_eq!(
        texts(&warnings),
        [
            "note: model_metadata.json: 1 of 3 actions repeat others",
            "note: model_metadata.json: the index of actions does not count; their position in the list does, from 0",
            "warning: model_metadata.json: action 0 asks for 35° and 1 m/s; the car drives 30° and 1 m/s, the reward \
             function sees what was asked for",
            "warning: model_metadata.json: action 1 asks for -8.5° and 6 m/s; the car drives -8.5° and 4 m/s, the reward \
             function sees what was asked for",
            "warning: model_metadata.json: action 2 asks for -8.5° and 6 m/s; the car drives -8.5° and 4 m/s, the reward \
             function sees what was asked for",
        ]
    );
}

#[test]
fn an_export_keeps_unknown_keys_and_is_complete() {
    let (metadata, _) = parse(PERMISSIVE).expect("reads");
    let exported: Value = serde_json::from_str(&metadata.to_json()).expect("JSON");
    let original: Value = serde_json::from_str(PERMISSIVE).expect("JSON");
    for key in ["note", "preprocess_type", "version", "action_space", "neural_network"] {
        assert_eq!(exported[key], original[key], "{key}");
    }
    assert_eq!(exported["sensor"], serde_json::json!(["FRONT_FACING_CAMERA"]));
    assert_eq!(exported["training_algorithm"], "clipped_ppo");
    assert_eq!(exported["action_space_type"], "discrete");
    assert_eq!(parse(&metadata.to_json()).expect("reads back").0.action_space, metadata.action_space);
}

#[test]
fn the_log_lines_are_what_analysis_tools_read() {
    let text = r#"{"action_space": [{"steering_angle": -15, "speed": 1}, {"steering_angle": 15.5, "speed": 0.8}],
        "sensor": ["LIDAR", "STEREO_CAMERAS"], "version": "5"}"#;
    let [sensors, actions] = parse(text).expect("reads").0.log_lines();
    assert_eq!(
        sensors,
        "Sensor list ['LIDAR', 'STEREO_CAMERAS'], network DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, simapp_version 5.0, \
         training_algorithm clipped_ppo, action_space_type discrete lidar_config {'num_sectors': 8, \
         'num_values_per_sector': 8, 'clipping_dist': 2.0}"
    );
    let json = actions.strip_prefix("Action space from file: ").expect("the phrase").replace('\'', "\"");
    let expected = serde_json::json!([
        {"steering_angle": -15.0, "speed": 1.0, "index": 0}, {"steering_angle": 15.5, "speed": 0.8, "index": 1}
    ]);
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON"), expected);

    let text = r#"{"action_space": {"steering_angle": {"low": -25, "high": 25}, "speed": {"low": 0.8, "high": 2.2}}}"#;
    let [_, actions] = parse(text).expect("reads").0.log_lines();
    let json = actions.strip_prefix("Action space from file: ").expect("the phrase").replace('\'', "\"");
    let expected = serde_json::json!(
        {"steering_angle": {"high": 25.0, "low": -25.0}, "speed": {"high": 2.2, "low": 0.8}}
    );
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON"), expected);
}

#[test]
fn version_and_sensors_follow_the_originals_rules() {
    let with = |rest: &str| {
        let text = format!(r#"{{"action_space": [{{"steering_angle": 0, "speed": 1}}]{rest}}}"#);
        let (metadata, _) = parse(&text).expect("reads");
        (metadata.effective_version(), metadata.sensors)
    };
    assert_eq!(with(""), (1.0, vec![Sensor::Observation]));
    assert_eq!(with(r#", "sensor": ["LEFT_CAMERA"]"#), (2.0, vec![Sensor::LeftCamera]));
    assert_eq!(with(r#", "version": 3"#), (3.0, vec![Sensor::FrontFacingCamera]));
    assert_eq!(with(r#", "version": "1.5", "sensor": ["LEFT_CAMERA"]"#), (1.5, vec![Sensor::Observation]));
}

#[test]
fn what_cannot_be_driven_is_refused() {
    let one = r#""action_space": [{"steering_angle": 0, "speed": 1}]"#;
    let refusals = [
        (
            "{}".to_owned(),
            "Model metadata does not exist: model_metadata.json: no action space defined; add \"action_space\"",
        ),
        (
            "{\n \"a\" 1}".to_owned(),
            "Model metadata does not exist: model_metadata.json:2:6: not JSON: expected `:` at line 2 column 6",
        ),
        ("[]".to_owned(), "model_metadata ValueError: model_metadata.json: must be an object {…}"),
        (
            r#"{"action_space": []}"#.to_owned(),
            "model_metadata ValueError: model_metadata.json: action_space is empty; list at least one action",
        ),
        (
            r#"{"action_space": [{"speed": 1}]}"#.to_owned(),
            "model_metadata ValueError: model_metadata.json: action_space[0].steering_angle is missing",
        ),
        (
            r#"{"action_space": [{"steering_angle": 0, "speed": "fast"}]}"#.to_owned(),
            "model_metadata ValueError: model_metadata.json: action_space[0].speed \"fast\" is not a number",
        ),
        (
            r#"{"action_space": {"steering_angle": {"low": 5, "high": 5}, "speed": {"low": 1, "high": 2}}}"#.to_owned(),
            "model_metadata ValueError: model_metadata.json: action_space.steering_angle: low (5) must be less than high (5)",
        ),
        (
            format!(r#"{{{one}, "sensor": ["FRONT_FACING_CAMERA", "LEFT_CAMERA"]}}"#),
            "model_metadata ValueError: model_metadata.json: exactly one camera sensor is required, there are 2; choose one of observation, FRONT_FACING_CAMERA, LEFT_CAMERA, STEREO_CAMERAS",
        ),
        (
            format!(r#"{{{one}, "sensor": ["LIDAR"]}}"#),
            "model_metadata ValueError: model_metadata.json: exactly one camera sensor is required, there are 0; choose one of observation, FRONT_FACING_CAMERA, LEFT_CAMERA, STEREO_CAMERAS",
        ),
        (
            format!(r#"{{{one}, "sensor": ["LEFT_CAMERA", "LIDAR", "SECTOR_LIDAR"]}}"#),
            "model_metadata ValueError: model_metadata.json: at most one lidar sensor is possible, there are 2",
        ),
        (
            format!(r#"{{{one}, "sensor": ["FRONT_FACING_CAMERAS"]}}"#),
            "model_metadata ValueError: model_metadata.json: sensor \"FRONT_FACING_CAMERAS\": not one of observation, FRONT_FACING_CAMERA, LEFT_CAMERA, STEREO_CAMERAS, LIDAR, SECTOR_LIDAR, DISCRETIZED_SECTOR_LIDAR; did you mean FRONT_FACING_CAMERA?",
        ),
        (
            format!(r#"{{{one}, "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_DEEPER"}}"#),
            "model_metadata ValueError: model_metadata.json: neural_network \"DEEP_CONVOLUTIONAL_NETWORK_DEEPER\": not one of DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, DEEP_CONVOLUTIONAL_NETWORK, DEEP_CONVOLUTIONAL_NETWORK_DEEP; did you mean DEEP_CONVOLUTIONAL_NETWORK_DEEP?",
        ),
        (
            format!(r#"{{{one}, "training_algorithm": "dqn"}}"#),
            "model_metadata ValueError: model_metadata.json: training_algorithm \"dqn\": not one of clipped_ppo, sac",
        ),
        (
            format!(r#"{{{one}, "training_algorithm": "SAC"}}"#),
            "model_metadata ValueError: model_metadata.json: training_algorithm sac needs a continuous action space; use clipped_ppo",
        ),
        (
            format!(r#"{{{one}, "action_space_type": "continuous"}}"#),
            "model_metadata ValueError: model_metadata.json: action_space_type is continuous, but action_space is discrete",
        ),
        (
            format!(r#"{{{one}, "action_space_type": "discreet"}}"#),
            "model_metadata ValueError: model_metadata.json: action_space_type \"discreet\": not one of discrete, continuous; did you mean discrete?",
        ),
        (
            format!(r#"{{{one}, "version": "five"}}"#),
            "model_metadata ValueError: model_metadata.json: version \"five\" is not a number",
        ),
        (
            format!(r#"{{{one}, "lidar_config": {{"num_sectors": 7}}}}"#),
            "model_metadata ValueError: model_metadata.json: lidar_config.num_sectors 7 must be 1, 2, 4, 8, 16, 32 or 64",
        ),
        (
            format!(r#"{{{one}, "lidar_config": {{"clipping_dist": 20}}}}"#),
            "model_metadata ValueError: model_metadata.json: lidar_config.clipping_dist 20 must be from 0.15 to 12 (m)",
        ),
    ];
    for (text, expected) in refusals {
        assert_eq!(parse(&text).expect_err("refused").to_string(), expected, "{text}");
    }
}

#[test]
fn real_files_are_read() {
    let shared = std::env::var_os("DEEPRACER_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let files = [("traces/2022-07_v4_reinvent_base_drfc1", 14, 4.0), ("models/reinvent_base_12_actions", 12, 3.0)];
    for (folder, actions, version) in files {
        let path = shared.join("data").join(folder).join("model_metadata.json");
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        };
        let (metadata, _) = parse(&text).expect("reads");
        assert!(matches!(&metadata.action_space, ActionSpace::Discrete(list) if list.len() == actions));
        assert_eq!(metadata.version, Some(version));
        assert_eq!(metadata.sensors, [Sensor::FrontFacingCamera]);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn any_values_are_read_or_refused(
        space in "(\\[(\\{\"steering_angle\": ?-?[0-9]{1,3}, ?\"speed\": ?[0-9.]{1,3}\\},?){0,3}\\]|\\{\\}|null|3)",
        sensor in "(null|3|\"LIDAR\"|\\[\"[A-Z_]{0,12}\"\\]|\\[\\])",
        version in "(null|[0-9]{1,3}|\"[0-9.]{0,4}\"|\\{\\})",
    ) {
        let _ = parse(&format!(r#"{{"action_space": {space}, "sensor": {sensor}, "version": {version}}}"#));
    }
}
