//! Every variable of the table does what the table says of it, and nothing else.

use deepracer_settings::params_yaml::Params;
use deepracer_settings::table::{self, Status, Variable};
use deepracer_settings::{Inspection, RaceType, RacingFolder, Request, RunConfig, Settings, Severity, Value};
use std::collections::BTreeSet;
use std::fs;

/// What loading gives when `run.env` has one line.
fn inspect(line: &str) -> Inspection {
    let root = tempfile::tempdir().expect("temporary folder");
    let experiment = root.path().join("experiments/wide-lines");
    fs::create_dir_all(&experiment).expect("folder");
    fs::write(experiment.join("run.env"), "").expect("write");
    fs::write(root.path().join("run.env"), line).expect("write");
    Settings::inspect(&Request::new(RacingFolder::at(root.path()))).expect("readable")
}

fn with_example(row: &Variable) -> Inspection {
    inspect(&format!("{}='{}'\n", row.name, row.example))
}

/// Paths of the fields in which two configs differ.
fn differing_fields(one: &RunConfig, other: &RunConfig) -> BTreeSet<String> {
    let flat = |config: &RunConfig| {
        let mut fields = BTreeSet::new();
        let document = serde_json::to_value(config).expect("serializes");
        for (key, value) in document.as_object().expect("object") {
            match value.as_object() {
                Some(inner) => {
                    fields.extend(inner.iter().map(|(field, value)| (format!("{key}.{field}"), value.to_string())));
                }
                None => {
                    fields.insert((key.clone(), value.to_string()));
                }
            }
        }
        fields
    };
    flat(one).symmetric_difference(&flat(other)).map(|(field, _)| field.clone()).collect()
}

/// Fields that take their default from another variable.
fn follows(field: &str) -> &'static [&'static str] {
    match field {
        "car.name" => &["car.display_name", "car.racer_name"],
        "storage.model_prefix" => &["storage.metrics_prefix"],
        "evaluation.checkpoint" => &["opponent.checkpoint"],
        "opponent.model_prefix" => &["opponent.metrics_prefix"],
        "opponent.name" => &["opponent.display_name", "opponent.racer_name"],
        "storage.custom_files_prefix" => {
            &["storage.model_metadata_key", "storage.hyperparameters_key", "storage.reward_key"]
        }
        _ => &[],
    }
}

#[test]
fn a_working_variable_sets_its_field_and_no_other() {
    let defaults = inspect("");
    for row in table::all().filter(|row| row.status == Status::Works && row.name != "DR_DIR") {
        let set = with_example(row);
        let mut expected: BTreeSet<String> = follows(row.field).iter().map(ToString::to_string).collect();
        expected.insert(row.field.to_owned());
        let changed = differing_fields(defaults.settings.config(), set.settings.config());
        assert_eq!(changed, expected, "{}", row.name);
        assert_eq!(set.warnings, [], "{}", row.name);
        assert_eq!(set.problems, [], "{}", row.name);
    }
}

#[test]
fn another_spelling_sets_the_same_field_with_a_note() {
    for row in table::all() {
        for alias in row.aliases {
            let named = with_example(row);
            let aliased = inspect(&format!("{alias}='{}'\n", row.example));
            assert_eq!(named.settings.config(), aliased.settings.config(), "{alias}");
            assert_eq!(
                named.settings.values().get(row.name).map(|e| &e.value),
                aliased.settings.values().get(alias).map(|e| &e.value)
            );
            let note = format!("{alias} is another spelling of {}; use the latter", row.name);
            assert!(
                aliased.warnings.iter().any(|w| w.severity == Severity::Note && w.text.ends_with(&note)),
                "{alias}"
            );
        }
    }
}

#[test]
fn a_variable_of_a_parameter_file_is_written_there() {
    for row in table::all().filter(|row| row.only_for != Some(RaceType::HeadToModel)) {
        let race = row.only_for.map_or_else(String::new, |race_type| format!("DR_RACE_TYPE={race_type}\n"));
        let defaults = inspect(&race).settings;
        let set = inspect(&format!("{race}{}='{}'\n", row.name, row.example)).settings;
        let training = (Params::training(&defaults, None), Params::training(&set, None), row.training_keys);
        let time = "20250102030405";
        let evaluation = (Params::evaluation(&defaults, time), Params::evaluation(&set, time), row.evaluation_keys);
        for (before, after, keys) in [training, evaluation] {
            for key in keys {
                assert!(after.text(key).is_some(), "{}: {key}", row.name);
                assert_ne!(before.text(key), after.text(key), "{}: {key}", row.name);
            }
        }
    }
}

#[test]
fn what_does_not_work_says_so_once_and_changes_nothing() {
    let defaults = inspect("");
    for row in table::all().filter(|row| row.status != Status::Works) {
        let set = with_example(row);
        assert_eq!(set.settings.config(), defaults.settings.config(), "{}", row.name);
        let quiet = row.quiet.contains(&row.example);
        let said: Vec<String> = set.warnings.iter().map(|warning| warning.text.clone()).collect();
        let refused: Vec<String> = set.problems.iter().map(|problem| problem.reason.clone()).collect();
        let named = format!("{}={}", row.name, row.example);
        let (expected_said, expected_refused) = match row.status {
            _ if quiet => (vec![], vec![]),
            Status::NoEffect(reason) => (vec![format!("{named}: no effect: {reason}")], vec![]),
            Status::NotYetIgnored(what) => {
                (vec![format!("{named}: not supported yet: {what}; ignored for now")], vec![])
            }
            Status::NotYetRefused(what) => (vec![], vec![format!("not supported yet: {what}")]),
            Status::Works => (vec![], vec![]),
        };
        assert_eq!((said, refused), (expected_said, expected_refused), "{}", row.name);
    }
}

#[test]
fn defaults_and_quiet_values_written_out_are_silent() {
    for row in table::all().filter(|row| row.name != "DR_EXPERIMENT_NAME" && row.name != "DR_DIR") {
        for text in std::iter::once(&row.default).chain(row.quiet) {
            let set = inspect(&format!("{}={text}\n", row.name));
            assert_eq!((set.warnings, set.problems), (vec![], vec![]), "{}={text}", row.name);
        }
    }
}

#[test]
fn the_racing_folder_is_found_by_its_variable() {
    let root = tempfile::tempdir().expect("temporary folder");
    fs::write(root.path().join("run.env"), "DR_DIR=/somewhere\n").expect("write");
    let elsewhere = tempfile::tempdir().expect("temporary folder");
    let folder = RacingFolder::find(elsewhere.path(), Some(root.path())).expect("found");
    assert_eq!(folder.root(), root.path());
    let loaded = Settings::load(&Request::new(folder)).expect("loads");
    assert_eq!(loaded.settings.folder().root(), root.path());
    assert!(
        loaded.warnings[0]
            .text
            .ends_with("run.env:1: DR_DIR is read from the environment only; this line has no effect")
    );
}

#[test]
fn values_know_their_text() {
    let set = inspect("DR_CAR_COLOR=purple\nDR_TRAIN_REVERSE_DIRECTION=yes\n").settings;
    let text = |name: &str| set.values().get(name).map(|entry| entry.value.to_text());
    assert_eq!(text("DR_CAR_COLOR").as_deref(), Some("Purple"));
    assert_eq!(text("DR_TRAIN_REVERSE_DIRECTION").as_deref(), Some("True"));
    assert_eq!(set.values().get("DR_TRAIN_STOP_MINUTES").map(|entry| &entry.value), Some(&Value::Unset));
}
