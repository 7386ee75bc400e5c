//! `dr-start-training` and `dr-increment-training`.

use std::sync::Arc;

use deepracer_job::increment::{Increment, IncrementOptions};
use deepracer_job::run::{RewardSource, RunKind, RunRequest};
use deepracer_job::setup;
use deepracer_settings::model_metadata::ModelMetadata;
use deepracer_settings::{Origin, Settings, env_edit};
use deepracer_track::Route;

use crate::arguments::{IncrementTraining, StartTraining};
use crate::context::{Context, settings_failure, shown};
use crate::failure::{Exit, Failure};
use crate::host::Host;
use crate::inputs::{self, Existing};
use crate::launch::{Launch, launch, refuse_model_in_use, refuse_second_start};
use crate::logs::{Shown, follow_started};
use crate::output::{confirm, say};
use crate::set_aside::SetAside;

pub(crate) fn start(arguments: &StartTraining, host: &dyn Host) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    refuse_second_start(&context, RunKind::Training)?;
    if arguments.viewer {
        eprintln!("warning: -v: there is no viewer yet; training starts without it");
    }
    let launch_this = check(&context, arguments, host)?;
    // With -w the old model is only gone for good when the new run drives.
    let set_aside = if arguments.wipe { SetAside::model(&context)? } else { None };
    let launched = launch(&context, launch_this, host);
    if let Some(set_aside) = set_aside {
        if launched.is_ok() { set_aside.discard() } else { set_aside.restore() }?;
    }
    let mut started = launched?;
    eprintln!("{} drives; `dr-stop-training` stops it", started.record.describe());
    let follow = &arguments.follow;
    let shown = match (follow.quiet, follow.all, follow.robomaker) {
        (true, ..) => return Ok(Exit::Done),
        (_, true, _) => Shown::All,
        (_, _, Some(worker)) => Shown::Worker(worker),
        _ => Shown::Trainer,
    };
    follow_started(&mut started, shown, host)
}

/// Everything that can be known to be wrong is found here, before anything is written.
fn check(context: &Context, arguments: &StartTraining, host: &dyn Host) -> Result<Launch, Failure> {
    let (workers, warnings) = context.settings.workers().map_err(|error| settings_failure(&error))?;
    inputs::tell(&warnings);
    refuse_model_in_use(context)?;
    inputs::model_is_free(
        context,
        match (arguments.wipe, arguments.resume) {
            (true, _) => Existing::Wipe,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        },
    )?;
    inputs::pretrained_exists(context)?;
    inputs::disk_has_room(context)?;
    let (metadata_text, metadata) = inputs::model_metadata(context)?;
    let (hyperparameters_text, hyperparameters) = inputs::hyperparameters(context)?;
    for remark in inputs::worker_arithmetic(&workers, &hyperparameters) {
        eprintln!("warning: {remark}");
    }
    let source = inputs::reward_source(context)?;
    let mut tried = Vec::new();
    for settings in &workers {
        let config = settings.config();
        let route = inputs::route(context, &config.world_name)?;
        inputs::training_race(config, route.clone())?;
        // Workers in the same race on the same track in the same direction would only repeat the preflight.
        let case = (config.world_name.clone(), config.race_type, config.train.reverse_direction);
        if !tried.contains(&case) {
            preflight(host, &source, settings, &metadata, route, arguments.skip_preflight)?;
            tried.push(case);
        }
    }
    Ok(Launch {
        kind: RunKind::Training,
        settings: workers.iter().map(RunRequest::settings_to_keep).collect(),
        model_prefix: context.config().storage.model_prefix.clone(),
        model_metadata: metadata_text,
        hyperparameters: Some(hyperparameters_text),
        reward: Some(source),
    })
}

fn preflight(
    host: &dyn Host,
    source: &RewardSource,
    settings: &Settings,
    metadata: &ModelMetadata,
    route: Arc<Route>,
    skip: bool,
) -> Result<(), Failure> {
    let config = settings.config();
    let scenario = setup::training_scenario(route, setup::generation(metadata), config, 0, 1);
    let report = inputs::try_reward(host, source, config, metadata, scenario)?;
    for remark in &report.remarks {
        eprintln!("warning: the reward function {remark}");
    }
    match inputs::preflight_failure(&report) {
        Some(failure) if skip => {
            eprintln!("warning: started in spite of this:\n{failure}");
            Ok(())
        }
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

pub(crate) fn increment(arguments: &IncrementTraining) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    for key in ["DR_LOCAL_S3_MODEL_PREFIX", "DR_LOCAL_S3_PRETRAINED", "DR_LOCAL_S3_PRETRAINED_PREFIX"] {
        let origin = context.settings.values().get(key).map(|entry| &entry.origin);
        if let Some(origin @ (Origin::CommandLine | Origin::Environment)) = origin {
            return Err(Failure::wrong_use("the change would have no effect")
                .cause(format!("{key} comes from the {origin}, which beats the file that would be edited"))
                .hint(format!("unset {key} there first")));
        }
    }
    let file = context.settings.run_file();
    let current = &context.config().storage.model_prefix;
    let options =
        IncrementOptions { name: arguments.prefix.as_deref(), delimiter: &arguments.delimiter, wipe: arguments.wipe };
    let bucket = context.bucket();
    let failed =
        |error: &dyn std::error::Error| Failure::wrong_use(format!("cannot go on from `{current}`")).caused_by(error);
    let increment = Increment::plan(&bucket, current, &options).map_err(|error| failed(&error))?;
    if increment.wiped.is_some() {
        inputs::wipe_spares_custom_files(&context, &increment.next)?;
    }
    let (current, next) = (increment.current.prefix(), increment.next.prefix());
    eprintln!("{}: the next model is `{next}`, pretrained from `{current}`", shown(file));
    if let Some(wiped) = &increment.wiped {
        eprintln!("{wiped} will be removed");
    }
    if !arguments.force && !confirm("Are you sure?") {
        eprintln!("nothing was changed");
        return Ok(Exit::MissedGoal);
    }
    increment.apply(&bucket, file).map_err(|error| failed(&error))?;
    say!("{next}");
    eprintln!("the old file is kept as {}", shown(&env_edit::backup_path(file)));
    Ok(Exit::Done)
}
