//! `dr-config`, `dr-summary`, `dr-update`.

use deepracer_job::prefix;
use deepracer_job::run::{RunRecord, RunState};
use deepracer_settings::{Entry, Inspection, Origin, nearest_variables, table};
use serde_json::json;

use crate::arguments::{Check, Config, Summary};
use crate::context::{Context, model, settings_failure, shown};
use crate::failure::{Exit, Failure};
use crate::output::{print_json, print_table, say};
use deepracer_settings::SettingsError;

pub(crate) fn config(arguments: &Config) -> Result<Exit, Failure> {
    let Inspection { settings, warnings, problems } = Context::inspect(&arguments.settings)?;
    for key in &arguments.keys {
        if table::find(key).is_none() {
            let near = nearest_variables(key);
            let failure = Failure::wrong_use(format!("there is no setting `{key}`"));
            return Err(if near.is_empty() {
                failure
            } else {
                failure.hint(format!("did you mean {}?", near.join(", ")))
            });
        }
    }
    let is_wanted = |entry: &&Entry| {
        let row = entry.variable;
        (!arguments.changed || entry.origin != Origin::Default)
            && (arguments.keys.is_empty()
                || arguments.keys.iter().any(|key| table::find(key).is_some_and(|wanted| wanted.name == row.name)))
    };
    let entries: Vec<&Entry> = settings.values().entries().iter().filter(is_wanted).collect();
    if arguments.json {
        let all = entries.iter().map(|entry| {
            json!({
                "key": entry.variable.name,
                "value": entry.text,
                "origin": origin_text(&entry.origin),
                "default": entry.variable.default,
                "doc": entry.variable.doc,
            })
        });
        print_json(&all.collect());
    } else {
        let rows: Vec<Vec<String>> = entries
            .iter()
            .map(|entry| vec![entry.variable.name.to_owned(), entry.text.clone(), origin_text(&entry.origin)])
            .collect();
        print_table(&rows);
    }
    for warning in &warnings {
        eprintln!("{warning}");
    }
    if problems.is_empty() { Ok(Exit::Done) } else { Err(settings_failure(&SettingsError::Invalid(problems))) }
}

fn origin_text(origin: &Origin) -> String {
    match origin {
        Origin::File { path, line } => format!("{}:{line}", shown(path)),
        other => other.to_string(),
    }
}

/// Reads the files and says what is wrong; there is nothing to be sourced.
pub(crate) fn update(arguments: &Check) -> Result<Exit, Failure> {
    let context = Context::load(&arguments.settings)?;
    let (_, warnings) = context.settings.workers().map_err(|error| settings_failure(&error))?;
    crate::inputs::tell(&warnings);
    let changed = context.settings.values().entries().iter().filter(|entry| entry.origin != Origin::Default).count();
    say!("{}: {changed} settings are not at their defaults; all can be used", context.folder().root().display());
    eprintln!("nothing needs to be sourced: every command reads the files itself");
    Ok(Exit::Done)
}

pub(crate) fn summary(arguments: &Summary) -> Result<Exit, Failure> {
    let inspection = Context::inspect(&arguments.settings)?;
    let context = Context { settings: inspection.settings };
    let config = context.config();
    let runs = RunRecord::all(context.folder());
    let model_facts = model(&config.storage.model_prefix)
        .ok()
        .and_then(|layout| prefix::find(&context.bucket(), &layout).ok().flatten())
        .map_or_else(|| "not there yet".to_owned(), |found| found.to_string());
    let pretrained = if config.pretrained.enabled {
        format!("{} ({})", config.pretrained.prefix, config.pretrained.checkpoint)
    } else {
        "no, training starts anew".to_owned()
    };
    let facts = [
        ("racing folder", context.folder().root().display().to_string()),
        ("experiment", config.experiment.clone().unwrap_or_else(|| "none".to_owned())),
        ("run id", config.run_id.to_string()),
        ("bucket", shown(&context.bucket_folder())),
        ("model", config.storage.model_prefix.clone()),
        ("model files", model_facts),
        ("pretrained from", pretrained),
        ("race", config.race_type.to_string()),
        ("track", track_facts(&context)),
        ("car", format!("{} ({}, {})", config.car.name, config.car.body_shell, config.car.color)),
        ("workers", config.workers.to_string()),
        ("reward in evaluations", config.evaluation.reward.to_string()),
    ];
    if arguments.json {
        let mut object: serde_json::Map<_, _> =
            facts.iter().map(|(name, value)| (name.replace(' ', "_"), json!(value))).collect();
        object.insert("runs".to_owned(), runs.iter().map(run_json).collect());
        object.insert("problems".to_owned(), inspection.problems.iter().map(ToString::to_string).collect());
        print_json(&object.into());
    } else {
        let mut rows: Vec<Vec<String>> =
            facts.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect();
        rows.extend(
            runs.iter().map(|record| vec![record.name(), format!("{}: {}", state_word(record), record.describe())]),
        );
        if runs.is_empty() {
            rows.push(vec!["runs".to_owned(), "none yet".to_owned()]);
        }
        print_table(&rows);
    }
    for warning in &inspection.warnings {
        eprintln!("{warning}");
    }
    if inspection.problems.is_empty() {
        Ok(Exit::Done)
    } else {
        Err(settings_failure(&SettingsError::Invalid(inspection.problems)))
    }
}

fn track_facts(context: &Context) -> String {
    let name = &context.config().world_name;
    match context.library().load(name) {
        Ok(route) => {
            let direction = if context.config().train.reverse_direction { "reversed" } else { "forward" };
            format!("{} ({} waypoints, {direction})", route.name, route.num_waypoints())
        }
        Err(_) => format!("{name} (unknown; `dr-tracks list` lists all)"),
    }
}

fn run_json(record: &RunRecord) -> serde_json::Value {
    json!({
        "name": record.name(),
        "state": state_word(record),
        "alive": record.is_alive(),
        "pid": record.process.as_ref().map(|process| process.pid),
        "model": record.model_prefix,
        "track": record.world,
        "since": record.since,
        "logs": record.logs.folder(),
    })
}

/// How a run stands, in a word or two.
fn state_word(record: &RunRecord) -> String {
    match (&record.state, record.is_alive()) {
        (RunState::Ended(ending), _) => match ending.exit_code {
            0 => "done".to_owned(),
            1 => "missed its goal".to_owned(),
            _ => format!("failed ({})", ending.what),
        },
        (_, false) => "killed".to_owned(),
        (RunState::Starting, true) => "starting".to_owned(),
        (RunState::Running, true) => "running".to_owned(),
    }
}
