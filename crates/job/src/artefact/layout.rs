//! Where each file of a model lies in its bucket. The original's tree, spelled once.

use deepracer_bucket::{BucketError, check_folder, check_key, join};

/// The keys of one model: everything lies below its prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelLayout {
    prefix: String,
}

impl ModelLayout {
    /// The layout of the model with this prefix, for example `rl-deepracer-1` or `season/spring-2`. One trailing slash
    /// is dropped.
    pub fn new(prefix: &str) -> Result<ModelLayout, BucketError> {
        let prefix = check_folder(prefix)?;
        check_key(prefix)?;
        Ok(ModelLayout { prefix: prefix.to_owned() })
    }

    /// The model's own folder.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The key of `path` below the model's folder.
    pub fn key(&self, path: &str) -> String {
        join(&self.prefix, path)
    }

    /// The folder of checkpoints, metadata and markers.
    pub fn model_folder(&self) -> String {
        self.key("model")
    }

    /// A file of the folder `model/`.
    pub fn in_model(&self, name: &str) -> String {
        join(&self.model_folder(), name)
    }

    /// The name of the newest checkpoint, as text.
    pub fn coach_checkpoint(&self) -> String {
        self.in_model(".coach_checkpoint")
    }

    /// Best and last checkpoint with their scores.
    pub fn checkpoint_index(&self) -> String {
        self.in_model("deepracer_checkpoints.json")
    }

    /// The copy of the user's model metadata.
    pub fn model_metadata(&self) -> String {
        self.in_model("model_metadata.json")
    }

    /// The frozen graph of a checkpoint number.
    pub fn frozen_graph(&self, checkpoint: u32) -> String {
        self.in_model(&format!("model_{checkpoint}.pb"))
    }

    /// The hyperparameters in effect.
    pub fn hyperparameters(&self) -> String {
        self.key("ip/hyperparameters.json")
    }

    /// The copy of the reward function in use.
    pub fn reward_function(&self) -> String {
        self.key("reward_function.py")
    }

    /// A parameter file, such as `training_params.yaml`.
    pub fn params(&self, file_name: &str) -> String {
        self.key(file_name)
    }

    /// The trace of one iteration of a training worker, both counted from 0. With several workers each has a folder.
    pub fn training_trace(&self, worker: usize, num_workers: usize, iteration: u64) -> String {
        self.key(&format!("{}/{iteration}-iteration.csv", training_trace_folder(worker, num_workers)))
    }

    /// The folder of all traces of a training worker.
    pub fn training_trace_folder(&self, worker: usize, num_workers: usize) -> String {
        self.key(&training_trace_folder(worker, num_workers))
    }

    /// The trace of a race that another model was evaluated in against this one. It has no time in its name: each race
    /// replaces the last one's.
    pub fn opponent_trace(&self) -> String {
        self.key("evaluation-simtrace/0-iteration.csv")
    }

    /// The trace of an evaluation that began at `stamp`, see [`evaluation_stamp`].
    pub fn evaluation_trace(&self, stamp: &str) -> String {
        self.key(&format!("evaluation-{stamp}/evaluation-simtrace/0-iteration.csv"))
    }
}

fn training_trace_folder(worker: usize, num_workers: usize) -> String {
    if num_workers > 1 { format!("{worker}/training-simtrace") } else { "training-simtrace".to_owned() }
}

/// The time of day as the 14 digits that name an evaluation: `20240131235959`.
pub fn evaluation_stamp(started: jiff::civil::DateTime) -> String {
    format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}",
        started.year(),
        started.month(),
        started.day(),
        started.hour(),
        started.minute(),
        started.second()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_original_tree() {
        let model = ModelLayout::new("season/rl-1/").unwrap();
        for (key, expected) in [
            (model.prefix().to_owned(), "season/rl-1"),
            (model.coach_checkpoint(), "season/rl-1/model/.coach_checkpoint"),
            (model.checkpoint_index(), "season/rl-1/model/deepracer_checkpoints.json"),
            (model.model_metadata(), "season/rl-1/model/model_metadata.json"),
            (model.frozen_graph(7), "season/rl-1/model/model_7.pb"),
            (model.hyperparameters(), "season/rl-1/ip/hyperparameters.json"),
            (model.reward_function(), "season/rl-1/reward_function.py"),
            (model.params("training_params_2.yaml"), "season/rl-1/training_params_2.yaml"),
            (model.training_trace(0, 1, 12), "season/rl-1/training-simtrace/12-iteration.csv"),
            (model.training_trace(0, 3, 12), "season/rl-1/0/training-simtrace/12-iteration.csv"),
            (model.training_trace(2, 3, 0), "season/rl-1/2/training-simtrace/0-iteration.csv"),
            (model.opponent_trace(), "season/rl-1/evaluation-simtrace/0-iteration.csv"),
            (
                model.evaluation_trace("20240131235959"),
                "season/rl-1/evaluation-20240131235959/evaluation-simtrace/0-iteration.csv",
            ),
        ] {
            assert_eq!(key, expected);
        }
    }

    #[test]
    fn a_prefix_must_be_a_name() {
        for prefix in ["", "/", "../x", "a//b", "rl-1\r"] {
            assert!(ModelLayout::new(prefix).is_err(), "{prefix:?}");
        }
    }

    #[test]
    fn a_stamp_has_fourteen_digits() {
        assert_eq!(evaluation_stamp(jiff::civil::date(2024, 1, 2).at(3, 4, 5, 678)), "20240102030405");
    }
}
