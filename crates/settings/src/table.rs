//! The settings table: every variable there is, in one place.

use crate::choice::RaceType;
use crate::value::Kind;

mod evaluation;
mod objects;
mod platform;
mod race;
mod sim2real;
mod storage;
mod training;

/// One row: what a variable is called, what it may hold, what it sets and whether it works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Other spellings that are understood, with a note.
    pub aliases: &'static [&'static str],
    /// What it may hold.
    pub kind: Kind,
    /// Its value when nothing sets it: what the original's template files say. May refer to other variables (`$NAME`).
    pub default: &'static str,
    /// A legal value that is not the default.
    pub example: &'static str,
    /// Meaning, in one or two sentences.
    pub doc: &'static str,
    /// Path in [`RunConfig`](crate::RunConfig) of the field it sets (`train.seed`); empty when there is none.
    pub field: &'static str,
    /// Keys it writes in `training_params.yaml`.
    pub training_keys: &'static [&'static str],
    /// Keys it writes in `evaluation_params.yaml`.
    pub evaluation_keys: &'static [&'static str],
    /// Only means something in races of this type.
    pub only_for: Option<RaceType>,
    /// Whether `worker-N.env` may change it.
    pub per_worker: bool,
    /// Whether it is ours, unknown to the original.
    pub ours: bool,
    /// Whether it works.
    pub status: Status,
    /// Values besides the default that ask for nothing, so nothing needs saying.
    pub quiet: &'static [&'static str],
}

/// Whether a variable works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It does what its documentation says.
    Works,
    /// Accepted, but there is nothing here it could change; the reason.
    NoEffect(&'static str),
    /// A feature that does not exist yet. A value that asks for it is ignored with a warning.
    NotYetIgnored(&'static str),
    /// A feature that does not exist yet. A value that asks for it is refused, as going on would train something else.
    NotYetRefused(&'static str),
}

/// Rows that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    /// Heading on the reference page.
    pub title: &'static str,
    /// Its rows.
    pub variables: &'static [Variable],
}

/// The whole table.
pub const THEMES: &[Theme] = &[
    Theme { title: "Race and car", variables: race::RACE },
    Theme { title: "Training", variables: training::TRAINING },
    Theme { title: "From simulation to reality", variables: sim2real::SIM2REAL },
    Theme { title: "Evaluation", variables: evaluation::EVALUATION },
    Theme { title: "Models and files", variables: storage::STORAGE },
    Theme { title: "Machine, workers, racing folder", variables: platform::MACHINE },
    Theme { title: "Obstacles, bots, opponents", variables: objects::OBJECTS },
    Theme { title: "Video, streams, monitoring", variables: platform::MONITORING },
    Theme { title: "Other clouds and uploads", variables: storage::REMOTE },
    Theme { title: "Containers", variables: platform::CONTAINERS },
];

/// All rows, in the order of the reference page.
pub fn all() -> impl Iterator<Item = &'static Variable> {
    THEMES.iter().flat_map(|theme| theme.variables)
}

/// The row of a variable, by name or by another spelling.
pub fn find(name: &str) -> Option<&'static Variable> {
    all().find(|variable| variable.name == name || variable.aliases.contains(&name))
}

/// All names and other spellings.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|variable| std::iter::once(variable.name).chain(variable.aliases.iter().copied()))
}

/// A row that works.
const fn works(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    field: &'static str,
    doc: &'static str,
) -> Variable {
    Variable {
        name,
        aliases: &[],
        kind,
        default,
        example,
        doc,
        field,
        training_keys: &[],
        evaluation_keys: &[],
        only_for: None,
        per_worker: false,
        ours: false,
        status: Status::Works,
        quiet: &[],
    }
}

/// A row that does not set anything.
const fn idle(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    example: &'static str,
    status: Status,
    doc: &'static str,
) -> Variable {
    let mut row = works(name, kind, default, example, "", doc);
    row.status = status;
    row
}

impl Variable {
    const fn or(mut self, aliases: &'static [&'static str]) -> Variable {
        self.aliases = aliases;
        self
    }

    const fn in_training(mut self, keys: &'static [&'static str]) -> Variable {
        self.training_keys = keys;
        self
    }

    const fn in_evaluation(mut self, keys: &'static [&'static str]) -> Variable {
        self.evaluation_keys = keys;
        self
    }

    const fn in_both(self, keys: &'static [&'static str]) -> Variable {
        self.in_training(keys).in_evaluation(keys)
    }

    const fn only_for(mut self, race_type: RaceType) -> Variable {
        self.only_for = Some(race_type);
        self
    }

    const fn per_worker(mut self) -> Variable {
        self.per_worker = true;
        self
    }

    const fn ours(mut self) -> Variable {
        self.ours = true;
        self
    }

    const fn quiet(mut self, values: &'static [&'static str]) -> Variable {
        self.quiet = values;
        self
    }
}

const FRACTION: Kind = Kind::Number { min: 0.0, max: 1.0, unit: "" };
const SECONDS: Kind = Kind::Number { min: 0.0, max: 3600.0, unit: "s" };
const METRES: Kind = Kind::Number { min: 0.0, max: 1000.0, unit: "m" };

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_unique_and_documented() {
        let mut seen = HashSet::new();
        assert!(names().all(|name| seen.insert(name)), "a name appears twice");
        for row in all() {
            assert!(row.doc.ends_with('.'), "{}", row.name);
            assert!(row.name.starts_with("DR_") || row.name == "CUDA_VISIBLE_DEVICES");
            assert_eq!(row.field.is_empty(), row.status != Status::Works, "{}", row.name);
        }
    }

    #[test]
    fn examples_are_legal_and_differ_from_the_default() {
        for row in all() {
            assert_ne!(row.example, row.default, "{}", row.name);
            assert!(row.kind.parse(row.example).is_ok(), "{}", row.name);
            let optional = row.default.is_empty();
            assert!(optional || row.default.contains('$') || row.kind.parse(row.default).is_ok(), "{}", row.name);
        }
    }

    #[test]
    fn the_documented_variables_are_all_there() {
        // The names of the original's reference page and of its parameter tables.
        let names = include_str!("../tests/documented_names.txt");
        let missing: Vec<&str> = names.split_whitespace().filter(|name| find(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
