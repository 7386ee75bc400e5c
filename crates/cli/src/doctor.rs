//! `dr-doctor` and `dr-reload`: what is in order, what is not, and what to do about it.

use deepracer_job::run::RunRecord;
use deepracer_job::setup;
use deepracer_settings::{RaceType, Settings};
use serde_json::json;

use crate::arguments::{Check, Doctor};
use crate::context::{Context, settings_failure, shown};
use crate::failure::{Exit, Failure};
use crate::host::Host;
use crate::inputs;
use crate::output::{print_json, say};

/// One thing that was looked at.
struct Finding {
    about: &'static str,
    outcome: Result<String, Failure>,
}

/// Findings in the order in which they were made.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, about: &'static str, outcome: Result<String, Failure>) {
        self.0.push(Finding { about, outcome });
    }

    /// Notes what came of a step and hands on its result.
    fn step<T>(
        &mut self,
        about: &'static str,
        result: Result<T, Failure>,
        text: impl FnOnce(&T) -> String,
    ) -> Option<T> {
        match result {
            Ok(value) => {
                self.add(about, Ok(text(&value)));
                Some(value)
            }
            Err(failure) => {
                self.add(about, Err(failure));
                None
            }
        }
    }

    fn tell(&self, as_json: bool) -> Result<Exit, Failure> {
        if as_json {
            let all = self.0.iter().map(|finding| match &finding.outcome {
                Ok(text) => json!({ "about": finding.about, "ok": true, "text": text }),
                Err(failure) => json!({ "about": finding.about, "ok": false, "text": failure.to_string() }),
            });
            print_json(&all.collect());
        } else {
            for Finding { about, outcome } in &self.0 {
                match outcome {
                    Ok(text) => say!("ok    {about}: {text}"),
                    Err(failure) => say!("WRONG {about}\n{}", indented(&failure.to_string())),
                }
            }
        }
        let num_wrong = self.0.iter().filter(|finding| finding.outcome.is_err()).count();
        if num_wrong == 0 {
            return Ok(Exit::Done);
        }
        Err(Failure::wrong_use(format!("{num_wrong} of {} checks failed", self.0.len())).hint("each says what to do"))
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {line}")).collect::<Vec<_>>().join("\n")
}

pub(crate) fn doctor(arguments: &Doctor, host: &dyn Host) -> Result<Exit, Failure> {
    let mut findings = Findings::default();
    findings.add("commands", Ok(format!("version {}", env!("CARGO_PKG_VERSION"))));
    findings.add("interpreter", Ok(host.describe()));
    let modules = ["numpy", "scipy", "shapely"];
    let found: Vec<&str> =
        modules.iter().zip(host.can_import(&modules)).filter(|(_, found)| *found).map(|(name, _)| *name).collect();
    let packages = if found.is_empty() { "none of numpy, scipy, shapely" } else { &found.join(", ") };
    findings.add("packages for reward functions", Ok(format!("{packages} installed")));
    let facade = host
        .facade(arguments.repair)
        .map_err(|reason| Failure::wrong_use(reason).hint("`dr-doctor --repair` puts the start-up hook back"));
    findings.add("import deepracer", facade);
    let num_processors = std::thread::available_parallelism().map_or(1, usize::from);
    findings.add("processors", Ok(num_processors.to_string()));
    check_folder(&mut findings, Context::load(&arguments.settings), host);
    findings.tell(arguments.json)
}

pub(crate) fn reload(arguments: &Check, host: &dyn Host) -> Result<Exit, Failure> {
    let mut findings = Findings::default();
    let context = Context::load(&arguments.settings)?;
    check_folder(&mut findings, Ok(context), host);
    findings.tell(false)
}

/// What the workers race and where, each once; all of it can be set up.
fn races(context: &Context, workers: &[Settings]) -> Result<Vec<String>, Failure> {
    let mut races = Vec::new();
    for config in workers.iter().map(Settings::config) {
        inputs::race(config, inputs::route(context, &config.world_name)?)?;
        let race = format!("{} on {}", config.race_type, config.world_name);
        if !races.contains(&race) {
            races.push(race);
        }
    }
    Ok(races)
}

fn check_folder(findings: &mut Findings, context: Result<Context, Failure>, host: &dyn Host) {
    let text = |context: &Context| context.folder().root().display().to_string();
    let Some(context) = findings.step("racing folder and settings", context, text) else { return };
    let workers = context.settings.workers().map_err(|error| settings_failure(&error));
    let workers = findings.step("workers", workers, |(workers, _)| format!("{} (DR_WORKERS)", workers.len()));
    let free = inputs::disk_has_room(&context);
    findings.step("disk", free, |free_bytes| format!("{:.1} GB free", *free_bytes as f64 / 1e9));
    let route = inputs::route(&context, &context.config().world_name);
    let route = findings.step("track", route, |route| format!("{}, {} waypoints", route.name, route.num_waypoints()));
    let races = workers.as_ref().map(|(workers, _)| races(&context, workers));
    let races = races.and_then(|races| findings.step("races", races, |races| races.join(", ")));
    let metadata = inputs::model_metadata(&context);
    let metadata = findings.step("model metadata", metadata, |(_, metadata)| {
        format!("{} action space, {}", metadata.action_space.type_name(), metadata.network)
    });
    let hyperparameters = inputs::hyperparameters(&context);
    let hyperparameters = findings.step("hyperparameters", hyperparameters, |(_, hyperparameters)| {
        format!(
            "{} episodes an iteration, batch {}",
            hyperparameters.num_episodes_between_training, hyperparameters.batch_size
        )
    });
    if let (Some((workers, _)), Some((_, hyperparameters))) = (&workers, &hyperparameters) {
        for remark in inputs::worker_arithmetic(workers, hyperparameters) {
            eprintln!("warning: {remark}");
        }
    }
    let source = findings.step("reward function", inputs::reward_source(&context), |source| shown(&source.file));
    if let (Some(source), Some((_, metadata)), Some(route), Some(_)) = (source, metadata, route, races) {
        let config = context.config();
        let generation = setup::generation(&metadata);
        let scenario = match config.race_type {
            RaceType::HeadToModel => setup::evaluation_scenario(route, generation, config),
            _ => setup::training_scenario(route, generation, config, 0, 1),
        };
        let tried = inputs::try_reward(host, &source, config, &metadata, scenario).and_then(|report| {
            for remark in &report.remarks {
                eprintln!("warning: the reward function {remark}");
            }
            let failure = inputs::preflight_failure(&report);
            failure.map_or(Ok(report), Err)
        });
        findings.step("preflight of the reward function", tried, |report| {
            let rewards = report
                .outcomes
                .iter()
                .filter_map(|(state, reward)| Some(format!("{state} {:?}", reward.as_ref().ok()?)));
            rewards.collect::<Vec<_>>().join(", ")
        });
    }
    if context.config().race_type == RaceType::HeadToModel {
        findings
            .step("opponent", inputs::opponent_is_there(&context), |()| context.config().opponent.model_prefix.clone());
    }
    findings.step("pretrained model", inputs::pretrained_exists(&context), |()| {
        if context.config().pretrained.enabled {
            context.config().pretrained.prefix.clone()
        } else {
            "none asked for".to_owned()
        }
    });
    let living: Vec<String> =
        RunRecord::all(context.folder()).iter().filter(|record| record.is_alive()).map(RunRecord::describe).collect();
    findings.add("runs", Ok(if living.is_empty() { "none alive".to_owned() } else { living.join("; ") }));
}
