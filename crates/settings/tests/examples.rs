//! The examples are legal racing folders, and say nothing that needs a warning.

use std::path::{Path, PathBuf};

use deepracer_settings::{Hyperparameters, ModelMetadata, RaceType, RacingFolder, Request, Settings};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[test]
fn every_example_loads_without_a_warning() {
    for (name, race_type) in [("object_avoidance", RaceType::ObjectAvoidance), ("head_to_bot", RaceType::HeadToBot)] {
        let folder = example(name);
        let loaded = Settings::load(&Request::new(RacingFolder::at(&folder))).expect(name);
        assert_eq!(loaded.warnings, [], "{name}");
        assert_eq!(loaded.settings.config().race_type, race_type);
        let read = |file: &str| std::fs::read_to_string(folder.join("custom_files").join(file)).expect(file);
        let (_, warnings) = ModelMetadata::parse(&read("model_metadata.json"), "model_metadata.json").expect(name);
        assert_eq!(warnings, [], "{name}");
        let (hyperparameters, warnings) =
            Hyperparameters::parse(&read("hyperparameters.json"), "hyperparameters.json").expect(name);
        assert_eq!(warnings, [], "{name}");
        let train = &loaded.settings.config().train;
        let laps = hyperparameters.num_episodes_between_training as f64 * train.round_robin_advance;
        assert!((laps - 1.0).abs() < 1e-9, "{name}: an iteration is one round");
        assert!(read("reward_function.py").contains("def reward_function(params):"));
    }
}
