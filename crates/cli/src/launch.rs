//! From checked inputs to a process that drives.

use std::collections::BTreeMap;

use deepracer_bucket::Bucket as _;
use deepracer_job::artefact::layout::{ModelLayout, evaluation_stamp};
use deepracer_job::run::{self, RewardSource, RunKind, RunLogs, RunRecord, RunRequest, RunState, StartError, Started};
use jiff::civil::DateTime;
use jiff::{ToSpan as _, Zoned};

use crate::context::Context;
use crate::failure::Failure;
use crate::host::Host;

/// What a run needs besides the racing folder.
pub(crate) struct Launch {
    pub(crate) kind: RunKind,
    pub(crate) settings: Vec<BTreeMap<String, String>>,
    pub(crate) model_prefix: String,
    pub(crate) model_metadata: String,
    pub(crate) hyperparameters: Option<String>,
    pub(crate) reward: Option<RewardSource>,
}

/// A run of the same kind and id that lives is not disturbed.
pub(crate) fn refuse_second_start(context: &Context, kind: RunKind) -> Result<(), Failure> {
    let Some(record) = context.record(kind)?.filter(RunRecord::is_alive) else { return Ok(()) };
    let command = match kind {
        RunKind::Training => "dr-stop-training",
        RunKind::Evaluation => "dr-stop-evaluation",
    };
    Err(Failure::wrong_use(format!("a {kind} run is alive"))
        .cause(record.describe())
        .hint(format!("`{command}` stops it; another DR_RUN_ID runs beside it")))
}

/// A model that a living run trains or evaluates is not written by another one.
pub(crate) fn refuse_model_in_use(context: &Context) -> Result<(), Failure> {
    let prefix = context.config().storage.model_prefix.as_str();
    let user =
        RunRecord::all(context.folder()).into_iter().find(|record| record.model_prefix == prefix && record.is_alive());
    match user {
        None => Ok(()),
        Some(record) => Err(Failure::wrong_use(format!("the model `{prefix}` is in use"))
            .cause(record.describe())
            .hint("stop that run first, or train under another DR_LOCAL_S3_MODEL_PREFIX")),
    }
}

/// The time of day as the name of an evaluation. Short ones can follow each other within a second: then a second that is
/// still free names the next, so that no trace replaces another.
fn free_stamp(context: &Context, prefix: &str, mut time: DateTime) -> Result<String, Failure> {
    let failed = |error: &dyn std::error::Error| Failure::failed("cannot name the run's files").caused_by(error);
    let model = ModelLayout::new(prefix).map_err(|error| failed(&error))?;
    loop {
        let stamp = evaluation_stamp(time);
        if !context.bucket().exists(&model.evaluation_trace(&stamp)).map_err(|error| failed(&error))? {
            return Ok(stamp);
        }
        time = time.saturating_add(1.second());
    }
}

/// Starts the run and waits until it drives; a mistake its process finds comes back as a failure.
pub(crate) fn launch(context: &Context, launch: Launch, host: &dyn Host) -> Result<Started, Failure> {
    let now = Zoned::now();
    let stamp = free_stamp(context, &launch.model_prefix, now.datetime())?;
    let run_id = u64::from(context.config().run_id);
    let name = format!("{}-{stamp}-{}", launch.kind.run_name(run_id), std::process::id());
    let record = RunRecord {
        kind: launch.kind,
        run_id,
        model_prefix: launch.model_prefix,
        world: context.config().world_name.clone(),
        since: now.strftime("%Y-%m-%d %H:%M:%S %:z").to_string(),
        process: None,
        state: RunState::Starting,
        logs: RunLogs::of(context.folder(), &name, launch.settings.len()),
        request: RunRequest {
            racing_folder: context.folder().root().to_path_buf(),
            settings: launch.settings,
            model_metadata: launch.model_metadata,
            hyperparameters: launch.hyperparameters,
            reward: launch.reward,
            stamp,
        },
    };
    run::start(context.folder(), &record, &host.run_command(), &|| host.interrupted()).map_err(|error| match error {
        StartError::Interrupted => Failure::interrupted(),
        StartError::Ended(ending) => crate::logs::ending_failure(&ending),
        error => Failure::failed(format!("the {} did not start", launch.kind)).caused_by(&error),
    })
}
