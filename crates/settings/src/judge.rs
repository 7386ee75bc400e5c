//! From layers of text to values: what is legal, what does nothing, what must be refused.

use std::collections::BTreeMap;
use std::fmt;

use crate::choice::RaceType;
use crate::config::RunConfig;
use crate::layers::{Layer, Stack};
use crate::message::{Origin, Severity, Warning};
use crate::table::{self, Status, Variable};
use crate::value::{Kind, Value};
use crate::values::{Entry, Values};

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The variable.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Where it was written.
    pub origin: Origin,
    /// What is wrong and what to do.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}={}: {}", self.origin, self.name, self.text, self.reason)
    }
}

/// What came up while values were judged.
pub(crate) struct Judged {
    pub(crate) warnings: Vec<Warning>,
    pub(crate) problems: Vec<Problem>,
}

/// Reads and checks the value of every row.
pub(crate) fn judge(
    files: &[Layer],
    above_files: &[Layer],
    environment: &BTreeMap<String, String>,
) -> (Values, RunConfig, Judged) {
    let mut stack = Stack::new(files.iter().chain(above_files).collect(), environment);
    stack.check_names();
    let mut ignored = Ignored::default();
    let mut entries = Vec::new();
    for row in table::all() {
        let entry = read_entry(row, &mut stack);
        if row.name == "DR_DIR" && matches!(entry.origin, Origin::File { .. }) {
            stack.warnings.push(Warning::new(format!(
                "{}: DR_DIR is read from the environment only; this line has no effect",
                entry.origin
            )));
        }
        if asks_for_something(&entry, &mut stack) {
            match row.status {
                Status::Works => {}
                Status::NoEffect(reason) => ignored.add(&entry, Severity::Note, "no effect", reason),
                Status::NotYetIgnored(what) => ignored.add(&entry, Severity::Warning, "not supported yet", what),
                Status::NotYetRefused(what) => {
                    stack.problems.push(problem(&entry, format!("not supported yet: {what}")));
                }
            }
        }
        entries.push(entry);
    }
    let values = Values::new(entries);
    let config = RunConfig::of(&values);
    let mut problems = stack.problems;
    problems.extend(combination_problems(&values, &config));
    let mut warnings = stack.warnings;
    warnings.extend(ignored.into_warnings());
    (values, config, Judged { warnings, problems })
}

pub(crate) fn problem(entry: &Entry, reason: String) -> Problem {
    Problem { name: entry.variable.name.to_owned(), text: entry.text.clone(), origin: entry.origin.clone(), reason }
}

fn read_entry(row: &'static Variable, stack: &mut Stack<'_>) -> Entry {
    let resolved = stack.resolve(row);
    let mut entry = Entry { variable: row, text: resolved.text, value: Value::Unset, origin: resolved.origin };
    let default = stack.expand_default(row.default);
    let default_value =
        || if default.is_empty() { unset(row.kind) } else { row.kind.parse(&default).unwrap_or(Value::Unset) };
    if entry.text.is_empty() && (row.kind.empty_means_default() || row.default.is_empty()) {
        if entry.origin != Origin::Default && !row.default.is_empty() {
            stack.warnings.push(Warning::note(format!(
                "{}: {} is empty; the default {} is used",
                entry.origin, row.name, row.default
            )));
        }
        entry.value = default_value();
        return entry;
    }
    match row.kind.parse(&entry.text) {
        Ok(value) => entry.value = value,
        Err(reason) => {
            match row.status {
                // A default is only illegal because of the value it refers to, which is reported itself.
                _ if entry.origin == Origin::Default => {}
                Status::Works | Status::NotYetRefused(_) => stack.problems.push(problem(&entry, reason)),
                // A feature that is not there must not stop anybody.
                Status::NoEffect(_) | Status::NotYetIgnored(_) => {
                    stack.warnings.push(Warning::new(problem(&entry, reason).to_string()));
                }
            }
            entry.value = default_value();
        }
    }
    entry
}

/// The value of a row that has no default.
fn unset(kind: Kind) -> Value {
    match kind {
        Kind::Text | Kind::Name | Kind::ObjectKey => Value::Text(String::new()),
        Kind::ObjectPositions => Value::ObjectPositions(Vec::new()),
        _ => Value::Unset,
    }
}

fn asks_for_something(entry: &Entry, stack: &mut Stack<'_>) -> bool {
    let row = entry.variable;
    if row.status == Status::Works || entry.origin == Origin::Default {
        return false;
    }
    let quiet_texts = std::iter::once(&row.default).chain(row.quiet);
    !quiet_texts
        .map(|text| stack.expand_default(text))
        .any(|text| text == entry.text || row.kind.parse(&text).as_ref() == Ok(&entry.value))
}

/// Variables that do nothing, gathered so that each reason is said once.
#[derive(Default)]
struct Ignored {
    groups: Vec<(Severity, &'static str, &'static str, Vec<String>)>,
}

impl Ignored {
    fn add(&mut self, entry: &Entry, severity: Severity, verdict: &'static str, reason: &'static str) {
        let name = format!("{}={}", entry.variable.name, entry.text);
        match self.groups.iter_mut().find(|group| group.1 == verdict && group.2 == reason) {
            Some(group) => group.3.push(name),
            None => self.groups.push((severity, verdict, reason, vec![name])),
        }
    }

    fn into_warnings(self) -> impl Iterator<Item = Warning> {
        self.groups.into_iter().map(|(severity, verdict, reason, names)| {
            let names = names.join(", ");
            let text = match severity {
                Severity::Note => format!("{names}: {verdict}: {reason}"),
                Severity::Warning => format!("{names}: {verdict}: {reason}; ignored for now"),
            };
            Warning { severity, text }
        })
    }
}

/// Values that are legal each on its own but not for what can be run.
fn combination_problems(values: &Values, config: &RunConfig) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse = |name: &str, reason: &str| {
        problems.extend(values.get(name).map(|entry| problem(entry, reason.to_owned())));
    };
    let bots = &config.bots;
    if config.race_type == RaceType::HeadToBot && bots.lane_change {
        if bots.speed_mps == 0.0 {
            refuse(
                "DR_H2B_IS_LANE_CHANGE",
                "bot cars that stand still cannot change lanes; set it to False, or DR_H2B_BOT_CAR_SPEED above 0",
            );
        }
        if bots.lower_lane_change_s > bots.upper_lane_change_s {
            refuse("DR_H2B_LOWER_LANE_CHANGE_TIME", "more than DR_H2B_UPPER_LANE_CHANGE_TIME; make it at most as long");
        }
        if bots.lane_change_distance_m < 0.1 {
            refuse("DR_H2B_LANE_CHANGE_DISTANCE", "too short to change lanes in; give at least 0.1 m");
        }
    }
    if config.evaluation.max_resets == 1 {
        refuse(
            "DR_EVAL_MAX_RESETS",
            "not possible: 0 ends the episode at the first failure, else give at least 2 resets",
        );
    }
    if config.train.stop_minutes == Some(0.0) {
        refuse("DR_TRAIN_STOP_MINUTES", "not a time to train; leave it empty for no limit");
    }
    if config.train.stop_completion_percent.is_some() && config.train.min_evaluation_trials == 0 {
        refuse(
            "DR_TRAIN_STOP_COMPLETION",
            "no evaluation would ever reach it, DR_TRAIN_MIN_EVAL_TRIALS is 0; set that to 1 or more",
        );
    }
    problems
}
