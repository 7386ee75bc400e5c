//! `dr-start-evaluation`.

use deepracer_bucket::{Bucket as _, BucketError};
use deepracer_job::prefix;
use deepracer_job::run::{RewardSource, RunKind, RunRequest};
use deepracer_job::setup;
use deepracer_job::stored_policy::{self, model_metadata_key};
use deepracer_settings::{EvaluationReward, RaceType};

use crate::arguments::StartEvaluation;
use crate::context::{Context, model};
use crate::failure::{Exit, Failure};
use crate::host::Host;
use crate::inputs;
use crate::launch::{Launch, launch, refuse_second_start};
use crate::logs::{Shown, follow_started};

pub(crate) fn start(arguments: &StartEvaluation, host: &dyn Host) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    refuse_second_start(&context, RunKind::Evaluation)?;
    let launch_this = check(&context, arguments.clone, host)?;
    let mut started = launch(&context, launch_this, host)?;
    eprintln!("{} drives; `dr-stop-evaluation` stops it", started.record.describe());
    if arguments.quiet {
        return Ok(Exit::Done);
    }
    follow_started(&mut started, Shown::Worker(1), host)
}

fn check(context: &Context, clone: bool, host: &dyn Host) -> Result<Launch, Failure> {
    let config = context.config();
    let prefix = &config.storage.model_prefix;
    inputs::model_is_there(context, prefix).map_err(|failure| {
        failure.hint("train it first with `dr-start-training`, or set DR_LOCAL_S3_MODEL_PREFIX to a trained model")
    })?;
    let route = inputs::route(context, &config.world_name)?;
    inputs::race(config, route.clone())?;
    if config.race_type == RaceType::HeadToModel {
        inputs::opponent_is_there(context)?;
    }
    inputs::disk_has_room(context)?;
    let layout = context.model()?;
    let failed =
        |error: &dyn std::error::Error| Failure::failed(format!("cannot read the model `{prefix}`")).caused_by(error);
    let metadata_key = model_metadata_key(&context.bucket(), &layout).map_err(|error| failed(&error))?;
    let bytes = context.bucket().get(&metadata_key).map_err(|error| match error {
        BucketError::NotFound { .. } => {
            failed(&error).hint("copy the model_metadata.json the model was trained with there")
        }
        error => failed(&error),
    })?;
    let model_metadata = String::from_utf8_lossy(&bytes).into_owned();
    let metadata = inputs::parse_metadata(&model_metadata, &metadata_key)?;
    let reward = match config.evaluation.reward {
        EvaluationReward::CenterLine => None,
        EvaluationReward::User => {
            let source = model_reward(context)?;
            let scenario = setup::evaluation_scenario(route, setup::generation(&metadata), config);
            let report = inputs::try_reward(host, &source, config, &metadata, scenario)?;
            if let Some(failure) = inputs::preflight_failure(&report) {
                return Err(failure);
            }
            Some(source)
        }
    };
    let evaluated = if clone { clone_model(context)? } else { prefix.clone() };
    let mut settings = RunRequest::settings_to_keep(&context.settings);
    if clone {
        // The metrics of a clone stay with the model it was cloned from.
        settings.insert("DR_LOCAL_S3_METRICS_PREFIX".to_owned(), config.storage.metrics_prefix.clone());
        settings.insert("DR_LOCAL_S3_MODEL_PREFIX".to_owned(), evaluated.clone());
    }
    Ok(Launch {
        kind: RunKind::Evaluation,
        settings: vec![settings],
        model_prefix: evaluated,
        model_metadata,
        hyperparameters: None,
        reward,
    })
}

/// The reward function the model was trained with.
fn model_reward(context: &Context) -> Result<RewardSource, Failure> {
    let key = context.model()?.reward_function();
    let file = context.bucket_folder().join(&key);
    let mut source = RewardSource::read(&file).map_err(|error| {
        Failure::wrong_use("cannot read the model's reward function")
            .cause(format!("{}: {error}", file.display()))
            .hint("DR_EVAL_REWARD=centerline uses the built-in one")
    })?;
    // Its own imports lie where it was uploaded from.
    source.folder = context.bucket_folder().join(&context.config().storage.custom_files_prefix);
    Ok(source)
}

/// Copies `model/` and `ip/` to `<prefix>-E`, replacing an earlier clone.
fn clone_model(context: &Context) -> Result<String, Failure> {
    let from = context.model()?;
    let to = model(&format!("{}-E", from.prefix()))?;
    let bucket = context.bucket();
    let copied = prefix::wipe(&bucket, &to)
        .and_then(|_| stored_policy::copy(&bucket, &from, &to))
        .and_then(|()| bucket.copy_folder(&from.key("ip"), &to.key("ip")))
        .and_then(|_| {
            if bucket.exists(&from.reward_function())? {
                bucket.copy(&from.reward_function(), &to.reward_function())
            } else {
                Ok(())
            }
        });
    copied.map_err(|error| {
        Failure::failed(format!("cannot copy the model `{}` to `{}`", from.prefix(), to.prefix())).caused_by(&error)
    })?;
    eprintln!("copied the model `{}` to `{}`", from.prefix(), to.prefix());
    Ok(to.prefix().to_owned())
}
