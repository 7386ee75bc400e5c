//! The files a new racing folder begins with.

/// `system.env`: settings of the machine.
pub const SYSTEM_ENV: &str = include_str!("../templates/system.env");
/// `run.env`: settings of the run.
pub const RUN_ENV: &str = include_str!("../templates/run.env");
/// `worker-N.env`: what a worker does differently.
pub const WORKER_ENV: &str = include_str!("../templates/worker.env");
/// `model_metadata.json`: five actions, front camera, shallow network.
pub const MODEL_METADATA_JSON: &str = include_str!("../templates/model_metadata.json");
/// `hyperparameters.json`: the defaults of the original's command line tools.
pub const HYPERPARAMETERS_JSON: &str = include_str!("../templates/hyperparameters.json");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hyperparameters::{Hyperparameters, LossType};
    use crate::model_metadata::ModelMetadata;
    use crate::{RacingFolder, Request, Settings};
    use std::fs;

    #[test]
    fn the_env_files_say_what_holds_without_them() {
        let empty = tempfile::tempdir().expect("temporary folder");
        fs::write(empty.path().join("run.env"), "").expect("write");
        let defaults = Settings::load(&Request::new(RacingFolder::at(empty.path()))).expect("loads");

        let filled = tempfile::tempdir().expect("temporary folder");
        fs::write(filled.path().join("system.env"), SYSTEM_ENV).expect("write");
        fs::write(filled.path().join("run.env"), RUN_ENV).expect("write");
        let loaded = Settings::load(&Request::new(RacingFolder::at(filled.path()))).expect("loads");
        assert_eq!(loaded.warnings, []);
        // The shipped hyperparameters play ten episodes an iteration, and one evaluation tells what five would.
        let mut expected = defaults.settings.config().clone();
        expected.train.round_robin_advance = 0.1;
        expected.train.min_evaluation_trials = 1;
        assert_eq!(loaded.settings.config(), &expected);
    }

    #[test]
    fn the_worker_file_is_legal_for_a_worker() {
        let root = tempfile::tempdir().expect("temporary folder");
        fs::write(root.path().join("run.env"), RUN_ENV).expect("write");
        fs::write(root.path().join("worker-2.env"), WORKER_ENV).expect("write");
        let mut request = Request::new(RacingFolder::at(root.path()));
        for (name, text) in [("DR_WORKERS", "2"), ("DR_TRAIN_MULTI_CONFIG", "True")] {
            request.overrides.push((name.to_owned(), text.to_owned()));
        }
        let (workers, warnings) = Settings::load(&request).expect("loads").settings.workers().expect("workers");
        assert_eq!(warnings, []);
        assert_eq!(workers[1].config().world_name, "reInvent2019_track");
    }

    #[test]
    fn the_json_files_are_legal() {
        let (metadata, warnings) = ModelMetadata::parse(MODEL_METADATA_JSON, "model_metadata.json").expect("reads");
        assert_eq!(warnings, []);
        assert_eq!(metadata.effective_version(), 5.0);
        let (hyperparameters, warnings) =
            Hyperparameters::parse(HYPERPARAMETERS_JSON, "hyperparameters.json").expect("reads");
        assert_eq!(warnings, []);
        assert_eq!((hyperparameters.num_epochs, hyperparameters.loss_type), (5, LossType::MeanSquaredError));
        assert_eq!((hyperparameters.discount_factor, hyperparameters.term_cond_max_episodes), (0.95, 1000));
        let advance = 1.0 / hyperparameters.num_episodes_between_training as f64;
        assert!(
            RUN_ENV.contains(&format!("DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST={advance}\n")),
            "an iteration is one round"
        );
    }
}
