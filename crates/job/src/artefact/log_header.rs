//! The head of a worker's log: what log tools must know before the first step.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::python_text;

/// What the head of a worker's log tells.
#[derive(Debug, Clone, Copy)]
pub struct LogHeader<'run> {
    /// The key of the parameter file, `<model prefix>/training_params.yaml`. Tools take the model's name from it.
    pub params_key: &'run str,
    /// The content of the parameter file; `JOB_TYPE`, `RACE_TYPE` and `WORLD_NAME` are read by tools.
    pub params: &'run Map<String, Value>,
    /// Names of the sensors, in order.
    pub sensors: &'run [String],
    /// Name of the network, such as `DEEP_CONVOLUTIONAL_NETWORK_SHALLOW`.
    pub network: &'run str,
    /// The `version` of the model metadata, such as `5`.
    pub version: &'run str,
    /// `clipped_ppo` or `sac`.
    pub training_algorithm: &'run str,
    /// `discrete` or `continuous`.
    pub action_space_type: &'run str,
    /// The hyperparameters in effect.
    pub hyperparameters: &'run Map<String, Value>,
    /// The action space as the metadata has it: a list of actions, or a record of ranges.
    pub action_space: &'run Value,
}

impl LogHeader<'_> {
    /// The text, every line ended.
    ///
    /// The order matters: one tool stops reading at the line with the sensors and needs the world before it, another
    /// needs that line before the action space.
    pub fn text(&self) -> String {
        let mut text = format!(
            "[s3] Successfully downloaded yaml file from s3 key {} to local ./custom_files/{}.\n{}\n",
            self.params_key,
            self.params_key.rsplit('/').next().unwrap_or(self.params_key),
            python_text::value(&Value::Object(self.params.clone()))
        );
        for (name, value) in self.params {
            let value = match value {
                Value::String(value) => value.clone(),
                value => python_text::value(value),
            };
            // Writing to a string does not fail.
            let _ = writeln!(text, " * /{name}: {value}");
        }
        let sensors = Value::from(self.sensors);
        let _ = writeln!(
            text,
            "Sensor list {}, network {}, simapp_version {}, training_algorithm {}, action_space_type {} \
             lidar_config {{}}",
            python_text::value(&sensors),
            self.network,
            self.version,
            self.training_algorithm,
            self.action_space_type
        );
        let _ =
            writeln!(text, "Using the following hyper-parameters\n{:#}", Value::Object(self.hyperparameters.clone()));
        let _ = writeln!(text, "Action space from file: {}", python_text::value(self.action_space));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("not a record: {other}"),
        }
    }

    #[test]
    fn the_head_is_what_log_tools_expect() {
        let header = LogHeader {
            params_key: "demo-model/training_params.yaml",
            params: &map(json!({
                "JOB_TYPE": "TRAINING", "RACE_TYPE": "TIME_TRIAL", "WORLD_NAME": "reinvent_base",
                "CAR_COLOR": ["Red"], "NUM_WORKERS": "1"
            })),
            sensors: &["FRONT_FACING_CAMERA".to_owned()],
            network: "DEEP_CONVOLUTIONAL_NETWORK_SHALLOW",
            version: "5.0",
            training_algorithm: "clipped_ppo",
            action_space_type: "discrete",
            hyperparameters: &map(json!({"batch_size": 64, "lr": 0.0003, "num_episodes_between_training": 20})),
            action_space: &json!([
                {"speed": 1.0, "steering_angle": -15.0}, {"speed": 1.0, "steering_angle": 15.0}
            ]),
        };
        assert_eq!(
            header.text(),
            "[s3] Successfully downloaded yaml file from s3 key demo-model/training_params.yaml to local \
             ./custom_files/training_params.yaml.\n\
             {'JOB_TYPE': 'TRAINING', 'RACE_TYPE': 'TIME_TRIAL', 'WORLD_NAME': 'reinvent_base', \
             'CAR_COLOR': ['Red'], 'NUM_WORKERS': '1'}\n\
             \x20* /JOB_TYPE: TRAINING\n\
             \x20* /RACE_TYPE: TIME_TRIAL\n\
             \x20* /WORLD_NAME: reinvent_base\n\
             \x20* /CAR_COLOR: ['Red']\n\
             \x20* /NUM_WORKERS: 1\n\
             Sensor list ['FRONT_FACING_CAMERA'], network DEEP_CONVOLUTIONAL_NETWORK_SHALLOW, simapp_version 5.0, \
             training_algorithm clipped_ppo, action_space_type discrete lidar_config {}\n\
             Using the following hyper-parameters\n\
             {\n  \"batch_size\": 64,\n  \"lr\": 0.0003,\n  \"num_episodes_between_training\": 20\n}\n\
             Action space from file: [{'speed': 1.0, 'steering_angle': -15.0}, \
             {'speed': 1.0, 'steering_angle': 15.0}]\n"
        );
    }
}
