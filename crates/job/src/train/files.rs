//! The files a training puts into its model's folder before it drives.

use deepracer_bucket::Bucket;
use deepracer_settings::hyperparameters::Hyperparameters;
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::params_yaml::{self, Param, Params};
use deepracer_settings::{RunConfig, Settings};
use serde_json::{Map, Value};

use crate::artefact::layout::ModelLayout;
use crate::artefact::log_header::LogHeader;
use crate::error::JobError;
use crate::run::RunRecord;

/// The metrics file of a worker, counted from 0.
pub(super) fn training_metrics_key(config: &RunConfig, worker: usize) -> String {
    params_yaml::training_metrics_key(config, Some(worker + 1))
}

/// How logs name the bucket.
pub(super) fn bucket_url(config: &RunConfig) -> String {
    format!("s3://{}", config.storage.bucket)
}

/// Writes what others look for in a model: metadata, hyperparameters, parameters, reward function.
pub(super) fn write(
    bucket: &dyn Bucket,
    model: &ModelLayout,
    record: &RunRecord,
    settings: &[Settings],
    metadata: &ModelMetadata,
    hyperparameters: &Hyperparameters,
) -> Result<(), JobError> {
    bucket.put(&model.model_metadata(), metadata.to_json().as_bytes())?;
    bucket.put(&model.hyperparameters(), hyperparameters.to_json(metadata.algorithm).as_bytes())?;
    // Workers of the original find their trainer through these two.
    bucket.put(&model.key("ip/ip.json"), br#"{"IP": "127.0.0.1"}"#)?;
    bucket.put(&model.key("ip/done"), b"done")?;
    if let Some(reward) = &record.request.reward {
        bucket.put(&model.reward_function(), reward.text.as_bytes())?;
    }
    for (worker, (name, settings)) in params_names(settings).into_iter().zip(settings).enumerate() {
        let is_multi_config = settings.config().train.multi_config;
        let params = Params::training(settings, is_multi_config.then_some(worker + 1));
        bucket.put(&model.params(&name), params.to_yaml().as_bytes())?;
    }
    Ok(())
}

/// The parameter files: one, or one per worker when workers have settings of their own.
fn params_names(settings: &[Settings]) -> Vec<String> {
    params_yaml::training_file_names(settings[0].config())
}

/// The head of a worker's log, from which log tools learn what they read.
pub(super) fn log_header(
    model: &ModelLayout,
    worker: usize,
    settings: &[Settings],
    metadata: &ModelMetadata,
    hyperparameters: &Hyperparameters,
) -> String {
    let of_worker = &settings[worker.min(settings.len() - 1)];
    let names = params_names(settings);
    let params = Params::training(of_worker, None);
    let as_json = |param: &Param| match param {
        Param::Scalar(text) => Value::from(text.as_str()),
        Param::List(texts) => Value::from(texts.as_slice()),
    };
    let params: Map<String, Value> = params.iter().map(|(key, param)| (key.to_owned(), as_json(param))).collect();
    let sensors: Vec<String> = metadata.sensors.iter().map(|sensor| sensor.as_str().to_owned()).collect();
    let hyperparameters = serde_json::from_str(&hyperparameters.to_json(metadata.algorithm)).unwrap_or_default();
    let document: Value = serde_json::from_str(&metadata.to_json()).unwrap_or_default();
    LogHeader {
        params_key: &model.params(&names[worker.min(names.len() - 1)]),
        params: &params,
        sensors: &sensors,
        network: metadata.network.as_str(),
        version: &format!("{:?}", metadata.effective_version()),
        training_algorithm: metadata.algorithm.as_str(),
        action_space_type: metadata.action_space.type_name(),
        hyperparameters: &hyperparameters,
        action_space: &document["action_space"],
    }
    .text()
}
