//! What a run is made of, checked before anything starts: track, custom files, reward function, model.

use std::path::PathBuf;
use std::sync::Arc;

use deepracer_bucket::{Bucket as _, BucketError};
use deepracer_job::JobError;
use deepracer_job::artefact::layout::ModelLayout;
use deepracer_job::objects;
use deepracer_job::prefix;
use deepracer_job::preflight::{Circumstances, Report, preflight};
use deepracer_job::reward::RewardError;
use deepracer_job::run::RewardSource;
use deepracer_job::stored_policy;
use deepracer_race::{Action, Race, Scenario, Start};
use deepracer_settings::hyperparameters::Hyperparameters;
use deepracer_settings::model_metadata::{ActionSpace, Algorithm, ModelMetadata, Sensor};
use deepracer_settings::{RunConfig, Settings, Warning};
use deepracer_track::Route;

use crate::context::{Context, model, shown};
use crate::failure::Failure;
use crate::host::Host;

/// Less free space than this on the disk of the racing folder stops a training before it starts.
const LEAST_FREE_BYTES: u64 = 500 << 20;

/// A custom file of the bucket: its text, and what to call it in messages.
pub(crate) struct CustomFile {
    pub(crate) text: String,
    /// The file in the bucket.
    pub(crate) stored: PathBuf,
    /// The file of the same content that the user edits, when there is one.
    pub(crate) edited: Option<PathBuf>,
}

impl CustomFile {
    /// Reads the object `key`. A newer, different file in the user's folder is mentioned.
    pub(crate) fn read(context: &Context, key: &str, what: &str) -> Result<Self, Failure> {
        let stored = context.bucket_folder().join(key);
        let bytes = context.bucket().get(key).map_err(|error| match error {
            BucketError::NotFound { .. } => Failure::wrong_use(format!("there is no {what} in the bucket"))
                .cause(format!("{} does not exist", stored.display()))
                .hint(format!("edit the files in {} and run `dr-upload-custom-files`", shown(&context.custom_files()))),
            error => Failure::failed(format!("cannot read the {what}")).caused_by(&error),
        })?;
        let edited = key
            .strip_prefix(&format!("{}/", context.config().storage.custom_files_prefix))
            .map(|name| context.custom_files().join(name))
            .filter(|file| file.is_file());
        let is_same = edited.as_ref().is_some_and(|file| std::fs::read(file).is_ok_and(|mine| mine == bytes));
        if let Some(file) = edited.as_ref().filter(|_| !is_same) {
            eprintln!(
                "warning: {} differs from the uploaded {what}, which is used; `dr-upload-custom-files` uploads it",
                shown(file)
            );
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::wrong_use(format!("the {what} is not UTF-8 text")).cause(format!("in {}", stored.display()))
        })?;
        let text = text.trim_start_matches('\u{feff}').to_owned();
        Ok(Self { text, stored, edited: edited.filter(|_| is_same) })
    }

    /// The file to name in messages: the one the user edits, else the one in the bucket.
    pub(crate) fn shown_file(&self) -> &PathBuf {
        self.edited.as_ref().unwrap_or(&self.stored)
    }
}

/// The route of a world.
pub(crate) fn route(context: &Context, world_name: &str) -> Result<Arc<Route>, Failure> {
    context.library().load(world_name).map(Arc::new).map_err(|error| {
        Failure::wrong_use(format!("could not load the track `{world_name}`"))
            .caused_by(&error)
            .hint("`dr-tracks list` lists all tracks; set DR_WORLD_NAME to one")
    })
}

/// The model metadata of the settings: the text, and what it says.
pub(crate) fn model_metadata(context: &Context) -> Result<(String, ModelMetadata), Failure> {
    let file = CustomFile::read(context, &context.config().storage.model_metadata_key, "model metadata")?;
    let origin = shown(file.shown_file());
    let metadata = parse_metadata(&file.text, &origin)?;
    Ok((file.text, metadata))
}

/// Checks the text of a model metadata file, and that all it asks for exists.
pub(crate) fn parse_metadata(text: &str, origin: &str) -> Result<ModelMetadata, Failure> {
    let (metadata, warnings) = ModelMetadata::parse(text, origin)
        .map_err(|error| Failure::wrong_use("the model metadata cannot be used").caused_by(&error))?;
    tell(&warnings);
    let unsupported = |what: String, hint: &str| {
        Err(Failure::wrong_use(format!("not supported yet: {what}")).cause(format!("in {origin}")).hint(hint))
    };
    if metadata.algorithm == Algorithm::Sac {
        return unsupported("training_algorithm sac".to_owned(), "set \"training_algorithm\": \"clipped_ppo\"");
    }
    let is_front = |sensor: &Sensor| matches!(sensor, Sensor::Observation | Sensor::FrontFacingCamera);
    if let Some(sensor) = metadata.sensors.iter().find(|sensor| !is_front(sensor)) {
        return unsupported(format!("the sensor {sensor}"), "set \"sensor\": [\"FRONT_FACING_CAMERA\"]");
    }
    Ok(metadata)
}

/// The hyperparameters of the settings: the text, and what it says.
pub(crate) fn hyperparameters(context: &Context) -> Result<(String, Hyperparameters), Failure> {
    let file = CustomFile::read(context, &context.config().storage.hyperparameters_key, "hyperparameters file")?;
    let (hyperparameters, warnings) = Hyperparameters::parse(&file.text, &shown(file.shown_file()))
        .map_err(|error| Failure::wrong_use("the hyperparameters cannot be used").caused_by(&error))?;
    tell(&warnings);
    Ok((file.text, hyperparameters))
}

/// Says what does not stop the work but must not pass silently.
pub(crate) fn tell(warnings: &[Warning]) {
    for warning in warnings {
        eprintln!("{warning}");
    }
}

/// The reward function of the settings.
pub(crate) fn reward_source(context: &Context) -> Result<RewardSource, Failure> {
    let file = CustomFile::read(context, &context.config().storage.reward_key, "reward function")?;
    let folder = file.stored.parent().unwrap_or(file.stored.as_path()).to_path_buf();
    Ok(RewardSource { file: file.shown_file().clone(), folder, text: file.text })
}

/// Whether the race can be set up: the objects of its race type must fit on the track.
pub(crate) fn race(config: &RunConfig, route: Arc<Route>) -> Result<(), Failure> {
    objects::check(route, config).map_err(|error| cannot_race(config, &error))
}

/// Whether the race can be set up, and trained in.
pub(crate) fn training_race(config: &RunConfig, route: Arc<Route>) -> Result<(), Failure> {
    objects::check_training(route, config).map_err(|error| cannot_race(config, &error))
}

fn cannot_race(config: &RunConfig, error: &JobError) -> Failure {
    let failure = Failure::wrong_use(format!("the race on {} cannot be set up", config.world_name)).caused_by(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The other model of a race must be in the bucket, with metadata that can be used.
pub(crate) fn opponent_is_there(context: &Context) -> Result<(), Failure> {
    let prefix = &context.config().opponent.model_prefix;
    let failed =
        |error: &dyn std::error::Error| Failure::failed(format!("cannot read the model `{prefix}`")).caused_by(error);
    model_is_there(context, prefix)
        .map_err(|failure| failure.hint("set DR_EVAL_OPP_S3_MODEL_PREFIX to the trained model to race against"))?;
    let key = stored_policy::model_metadata_key(&context.bucket(), &model(prefix)?).map_err(|error| failed(&error))?;
    let bytes = context.bucket().get(&key).map_err(|error| failed(&error))?;
    parse_metadata(&String::from_utf8_lossy(&bytes), &key).map(drop)
}

/// Tries the reward function on the states of the preflight, in a race of this scenario.
pub(crate) fn try_reward(
    host: &dyn Host,
    source: &RewardSource,
    config: &RunConfig,
    metadata: &ModelMetadata,
    scenario: Result<Scenario, JobError>,
) -> Result<Report, Failure> {
    let scenario = scenario.map_err(|error| cannot_race(config, &error))?;
    let start = scenario.start_of_episode(0);
    let mut race = Race::new(Arc::new(scenario));
    race.reset(Start { ndist: 0.0, ..start }, config.train.seed);
    let circumstances = Circumstances {
        race: &race,
        action: an_action(&metadata.action_space),
        prepare_step: config.train.prepare_step,
    };
    let report = preflight(&mut || host.load_reward(source), &circumstances);
    if host.interrupted() {
        return Err(Failure::interrupted());
    }
    report.map_err(|error| {
        let failure = reward_failure("the reward function cannot be used", &error);
        match &error {
            RewardError::Load { message, .. } if message.starts_with("ModuleNotFoundError") => failure.hint(format!(
                "install the package with `{} -m pip install NAME`; a module of your own belongs beside the reward \
                 function (`dr-upload-custom-files` uploads both)",
                host.run_command().0.display()
            )),
            _ => failure.hint("correct the function and run `dr-upload-custom-files`"),
        }
    })
}

/// An action the model can choose: the one in the middle of its action space.
fn an_action(space: &ActionSpace) -> Action {
    match space {
        ActionSpace::Discrete(actions) => actions.get(actions.len() / 2).map_or_else(Action::default, |action| {
            Action { steering_deg: action.steering_deg, speed_mps: action.speed_mps }
        }),
        ActionSpace::Continuous { steering_deg, speed_mps } => Action {
            steering_deg: f64::midpoint(steering_deg.low, steering_deg.high),
            speed_mps: f64::midpoint(speed_mps.low, speed_mps.high),
        },
    }
}

/// The failure a preflight found, if any.
pub(crate) fn preflight_failure(report: &Report) -> Option<Failure> {
    let (state, error) = report.failure()?;
    let what = format!("the reward function fails when it is tried on the state \"{state}\"");
    let failure = reward_failure(&what, error);
    Some(match report.hint() {
        Some(hint) => failure.hint(hint),
        None => failure.hint("correct the function and run `dr-upload-custom-files`; `--skip-preflight` starts anyway"),
    })
}

/// A failure that shows the user's own line and traceback.
pub(crate) fn reward_failure(what: &str, error: &RewardError) -> Failure {
    let mut failure = Failure::wrong_use(what).cause(error.to_string());
    if let RewardError::Load { traceback, .. } | RewardError::Raised { traceback, .. } = error
        && !traceback.is_empty()
    {
        failure = failure.cause(format!("called from\n{traceback}"));
    }
    failure
}

/// The model that training starts from must be there, with something in its `model/` folder.
pub(crate) fn pretrained_exists(context: &Context) -> Result<(), Failure> {
    let pretrained = &context.config().pretrained;
    if !pretrained.enabled {
        return Ok(());
    }
    let layout = model(&pretrained.prefix)?;
    model_is_there(context, &pretrained.prefix).map_err(|failure| {
        failure
            .hint("set DR_LOCAL_S3_PRETRAINED_PREFIX to a trained model, or DR_LOCAL_S3_PRETRAINED=False to start anew")
    })?;
    if layout == context.model()? {
        return Err(Failure::wrong_use(format!("the model `{}` cannot be trained from itself", layout.prefix()))
            .cause("DR_LOCAL_S3_PRETRAINED_PREFIX and DR_LOCAL_S3_MODEL_PREFIX are the same")
            .hint("`dr-increment-training` names the next model"));
    }
    Ok(())
}

/// A trained model must be in the bucket.
pub(crate) fn model_is_there(context: &Context, prefix: &str) -> Result<(), Failure> {
    let layout = model(prefix)?;
    match stored_policy::is_there(&context.bucket(), &layout) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::wrong_use(format!("there is no trained model `{prefix}`")).cause(format!(
            "{} holds no checkpoint, and no frozen graph (model_<n>.pb)",
            context.bucket_folder().join(layout.model_folder()).display()
        ))),
        Err(error) => Err(Failure::failed(format!("cannot look for the model `{prefix}`")).caused_by(&error)),
    }
}

/// What is to become of a model that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Refuse,
    Wipe,
    Resume,
}

/// The model folder must be empty, unless the user wants it emptied, or wants to go on from it.
pub(crate) fn model_is_free(context: &Context, existing: Existing) -> Result<(), Failure> {
    let layout = context.model()?;
    let found = prefix::find(&context.bucket(), &layout).map_err(|error| {
        Failure::failed(format!("cannot look for the model `{}`", layout.prefix())).caused_by(&error)
    })?;
    match (existing, found) {
        (Existing::Wipe, Some(_)) => wipe_spares_custom_files(context, &layout),
        (Existing::Refuse, Some(found)) => Err(Failure::wrong_use(format!("{found} exists already"))
            .hint("`dr-start-training --resume` goes on from its last checkpoint")
            .hint("`dr-increment-training` goes on from it under the next name")
            .hint("`dr-start-training -w` empties it first")),
        (Existing::Resume, None) => Err(Failure::wrong_use("there is nothing to resume")
            .cause(format!("the model `{}` is not there", layout.prefix()))
            .hint("start without --resume, or set DR_LOCAL_S3_MODEL_PREFIX to the model to go on from")),
        _ => Ok(()),
    }
}

/// A folder that is to be emptied must not hold the custom files: it is no model.
pub(crate) fn wipe_spares_custom_files(context: &Context, layout: &ModelLayout) -> Result<(), Failure> {
    let storage = &context.config().storage;
    let keys = [
        ("DR_LOCAL_S3_CUSTOM_FILES_PREFIX", &storage.custom_files_prefix),
        ("DR_LOCAL_S3_MODEL_METADATA_KEY", &storage.model_metadata_key),
        ("DR_LOCAL_S3_HYPERPARAMETERS_KEY", &storage.hyperparameters_key),
        ("DR_LOCAL_S3_REWARD_KEY", &storage.reward_key),
    ];
    match keys.into_iter().find(|(_, key)| prefix::contains(layout, key)) {
        Some((name, key)) => Err(Failure::wrong_use(format!("`{}` is not emptied", layout.prefix()))
            .cause(format!("it holds your custom files ({name}={key})"))
            .hint("give the model a folder of its own: another DR_LOCAL_S3_MODEL_PREFIX")),
        None => Ok(()),
    }
}

/// There must be room for checkpoints and traces.
pub(crate) fn disk_has_room(context: &Context) -> Result<u64, Failure> {
    // The data folder, or the bucket in it, may lie on a disk of its own; either may not be there yet.
    let bucket = context.bucket_folder();
    let root = bucket.ancestors().find(|folder| folder.is_dir()).unwrap_or(context.folder().root());
    let status = rustix::fs::statvfs(root).map_err(|error| {
        Failure::failed(format!("cannot tell how much space is left below {}", root.display()))
            .caused_by(&std::io::Error::from(error))
    })?;
    let free_bytes = status.f_bavail.saturating_mul(status.f_frsize);
    if free_bytes < LEAST_FREE_BYTES {
        return Err(Failure::failed("the disk is nearly full")
            .cause(format!(
                "{} MB are left below {}; a run needs at least {} MB",
                free_bytes >> 20,
                root.display(),
                LEAST_FREE_BYTES >> 20
            ))
            .hint("free some space, or move the racing folder or its data folder"));
    }
    Ok(free_bytes)
}

/// What is odd, but legal, about how workers share the episodes of an iteration and the start positions.
pub(crate) fn worker_arithmetic(workers: &[Settings], hyperparameters: &Hyperparameters) -> Vec<String> {
    let num_workers = workers.len();
    let num_episodes = hyperparameters.num_episodes_between_training as usize;
    let mut remarks = Vec::new();
    if num_episodes < num_workers {
        remarks.push(format!(
            "{num_episodes} episodes an iteration for {num_workers} workers: {} of them stay idle; raise \
             num_episodes_between_training or lower DR_WORKERS",
            num_workers - num_episodes
        ));
    }
    let Some(train) = workers.first().map(|settings| &settings.config().train) else { return remarks };
    if train.change_start_position && num_episodes > 0 {
        let laps = num_episodes as f64 / num_workers.min(num_episodes) as f64 * train.round_robin_advance;
        if (laps - laps.round()).abs() > 1e-6 || laps < 0.5 {
            remarks.push(format!(
                "the start positions of an iteration do not close a round: {num_episodes} episodes, {num_workers} workers, \
                 advance {} give {laps:.2} laps; make episodes x advance / workers a whole number",
                train.round_robin_advance
            ));
        }
    }
    remarks
}
