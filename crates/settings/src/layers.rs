//! Several sources of assignments laid over each other, and the values they result in.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::env_file::{EnvFile, Piece, is_name, scan_value};
use crate::message::{Origin, Warning};
use crate::table;
use crate::{Problem, did_you_mean};

/// Longest value after expansion, in bytes; guards against `A=$B$B`, `B=$C$C`, ….
const LONGEST_VALUE: usize = 32 * 1024;
/// Longest chain of variables that refer to each other.
const DEEPEST_CHAIN: usize = 64;

/// One source of assignments.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    source: Source,
    assignments: Vec<Assigned>,
}

#[derive(Debug, Clone)]
struct Assigned {
    /// As it was written.
    spelling: String,
    /// As the table calls it.
    name: String,
    value: Vec<Piece>,
    line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    File(PathBuf),
    Environment,
    CommandLine,
}

impl Layer {
    pub(crate) fn of_file(file: EnvFile) -> Layer {
        let assignments = file
            .assignments
            .into_iter()
            .map(|a| Assigned { name: table_name(&a.name), spelling: a.name, value: a.value, line: a.line })
            .collect();
        Layer { source: Source::File(file.path), assignments }
    }

    /// The `DR_` variables of a process environment.
    pub(crate) fn of_environment(environment: &BTreeMap<String, String>) -> Layer {
        let exported = environment.iter().filter(|(name, _)| name.starts_with("DR_"));
        Layer::of_texts(Source::Environment, exported)
    }

    pub(crate) fn of_command_line(overrides: &[(String, String)]) -> Layer {
        Layer::of_texts(Source::CommandLine, overrides.iter().map(|(name, text)| (name, text)))
    }

    fn of_texts<'a>(source: Source, texts: impl Iterator<Item = (&'a String, &'a String)>) -> Layer {
        let assignments = texts
            .map(|(spelling, text)| Assigned {
                spelling: spelling.clone(),
                name: table_name(spelling),
                value: vec![Piece::Text(text.clone())],
                line: 0,
            })
            .collect();
        Layer { source, assignments }
    }

    fn origin(&self, index: usize) -> Origin {
        match &self.source {
            Source::File(path) => Origin::File { path: path.clone(), line: self.assignments[index].line },
            Source::Environment => Origin::Environment,
            Source::CommandLine => Origin::CommandLine,
        }
    }

    fn last(&self, name: &str, before: usize) -> Option<usize> {
        self.assignments[..before].iter().rposition(|assigned| assigned.name == name)
    }
}

fn table_name(spelling: &str) -> String {
    table::find(spelling).map_or(spelling, |row| row.name).to_owned()
}

/// The value of one table row, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// What evaluation is at: an assignment (layer and index), or the default of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place {
    Assignment(usize, usize),
    Default(&'static str),
}

/// Layers, lowest first, and the environment variables that values may refer to.
pub(crate) struct Stack<'a> {
    layers: Vec<&'a Layer>,
    environment: &'a BTreeMap<String, String>,
    known: HashMap<Place, String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) problems: Vec<Problem>,
}

impl<'a> Stack<'a> {
    pub(crate) fn new(layers: Vec<&'a Layer>, environment: &'a BTreeMap<String, String>) -> Stack<'a> {
        Stack { layers, environment, known: HashMap::new(), warnings: Vec::new(), problems: Vec::new() }
    }

    /// The text and the origin of a row.
    pub(crate) fn resolve(&mut self, row: &'static table::Variable) -> Resolved {
        for layer in (0..self.layers.len()).rev() {
            if let Some(index) = self.layers[layer].last(row.name, self.len(layer)) {
                let text = self.evaluate(&Place::Assignment(layer, index), &mut Vec::new());
                self.note_environment_over_file(row.name, layer, &text);
                return Resolved { text, origin: self.layers[layer].origin(index) };
            }
        }
        let text = self.evaluate(&Place::Default(row.name), &mut Vec::new());
        Resolved { text, origin: Origin::Default }
    }

    /// A text with variables (a quiet value of the table), seen from above all layers.
    pub(crate) fn expand_default(&mut self, text: &str) -> String {
        let pieces = scan_value(text).map(|scanned| scanned.pieces).unwrap_or_default();
        self.join(&pieces, None, &mut Vec::new())
    }

    /// Reports names nobody knows, old spellings, and spellings that contradict each other.
    pub(crate) fn check_names(&mut self) {
        for layer in 0..self.layers.len() {
            for index in 0..self.len(layer) {
                self.check_name(layer, index);
            }
        }
    }

    fn check_name(&mut self, layer: usize, index: usize) {
        let current = self.layers[layer];
        let assigned = &current.assignments[index];
        let is_last_of_spelling =
            !current.assignments[index + 1..].iter().any(|later| later.spelling == assigned.spelling);
        if !is_last_of_spelling {
            return;
        }
        let origin = current.origin(index);
        if table::find(&assigned.spelling).is_none() {
            self.report_unknown(current, index);
            return;
        }
        if assigned.spelling != assigned.name {
            self.warnings.push(Warning::note(format!(
                "{origin}: {} is another spelling of {}; use the latter",
                assigned.spelling, assigned.name
            )));
        }
        let other = current.assignments[..index]
            .iter()
            .rposition(|other| other.name == assigned.name && other.spelling != assigned.spelling);
        if let Some(other) = other {
            let text = self.evaluate(&Place::Assignment(layer, index), &mut Vec::new());
            let other_text = self.evaluate(&Place::Assignment(layer, other), &mut Vec::new());
            if text != other_text {
                let other = &current.assignments[other];
                self.problems.push(Problem {
                    name: assigned.spelling.clone(),
                    text: text.clone(),
                    origin,
                    reason: format!("{}={other_text} says otherwise; keep {}", other.spelling, assigned.name),
                });
            }
        }
    }

    fn report_unknown(&mut self, layer: &Layer, index: usize) {
        let Assigned { spelling: name, value, .. } = &layer.assignments[index];
        let origin = layer.origin(index);
        let hint = did_you_mean::hint(name, table::names());
        if layer.source == Source::CommandLine {
            let hint = hint.unwrap_or_else(|| "`dr-config` lists all variables".to_owned());
            let text = self.join(value, None, &mut Vec::new());
            let reason = format!("unknown variable; {hint}");
            self.problems.push(Problem { name: name.clone(), text, origin, reason });
            return;
        }
        let upper = name.to_ascii_uppercase();
        let is_near = did_you_mean::nearest(name, table::names(), 1)
            .first()
            .is_some_and(|nearest| strsim::damerau_levenshtein(&upper, nearest) <= 2);
        if upper.starts_with("DR_") || is_near {
            let hint = hint.map(|hint| format!(", {hint}")).unwrap_or_default();
            self.warnings.push(Warning::new(format!("{origin}: unknown key {name}{hint}")));
        }
    }

    fn note_environment_over_file(&mut self, name: &str, layer: usize, text: &str) {
        if self.layers[layer].source != Source::Environment {
            return;
        }
        for lower in (0..layer).rev() {
            let Some(index) = self.layers[lower].last(name, self.len(lower)) else { continue };
            if self.evaluate(&Place::Assignment(lower, index), &mut Vec::new()) != text {
                let origin = self.layers[lower].origin(index);
                self.warnings.push(Warning::new(format!(
                    "{name}={text} comes from the environment of this process and replaces {origin}; `unset {name}` to use the file"
                )));
            }
            return;
        }
    }

    fn len(&self, layer: usize) -> usize {
        self.layers[layer].assignments.len()
    }

    fn evaluate(&mut self, place: &Place, chain: &mut Vec<Place>) -> String {
        if let Some(text) = self.known.get(place) {
            return text.clone();
        }
        if chain.contains(place) || chain.len() >= DEEPEST_CHAIN {
            let reason = if chain.contains(place) { "refers to itself" } else { "refers to too many others in a row" };
            self.refuse(place, reason.to_owned());
            return String::new();
        }
        let (pieces, at) = match place {
            Place::Assignment(layer, index) => {
                (self.layers[*layer].assignments[*index].value.clone(), Some((*layer, *index)))
            }
            Place::Default(name) => {
                let text = table::find(name).map_or("", |row| row.default);
                (scan_value(text).map(|scanned| scanned.pieces).unwrap_or_default(), None)
            }
        };
        chain.push(place.clone());
        let mut text = self.join(&pieces, at, chain);
        chain.pop();
        if text.len() > LONGEST_VALUE {
            self.refuse(place, format!("longer than {LONGEST_VALUE} bytes"));
            text.clear();
        }
        self.known.insert(place.clone(), text.clone());
        text
    }

    fn join(&mut self, pieces: &[Piece], at: Option<(usize, usize)>, chain: &mut Vec<Place>) -> String {
        let mut joined = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => joined.push_str(text),
                Piece::Variable(name) => joined.push_str(&self.refer(name, at, chain)),
            }
            if joined.len() > LONGEST_VALUE {
                break;
            }
        }
        joined
    }

    /// What `$NAME` stands for, seen from an assignment (or from a default, below all layers): a higher layer wins, so
    /// that what an experiment or the command line changes also changes what refers to it; then earlier lines of the same
    /// file, lower layers, the environment, and the default of the table.
    fn refer(&mut self, name: &str, at: Option<(usize, usize)>, chain: &mut Vec<Place>) -> String {
        let name = table_name(name);
        let (own, index) = at.map_or((None, 0), |(layer, index)| (Some(layer), index));
        let first_above = own.map_or(0, |layer| layer + 1);
        let above = (first_above..self.layers.len()).rev().map(|layer| (layer, self.len(layer)));
        let here = own.map(|layer| (layer, index));
        let below = (0..own.unwrap_or(0)).rev().map(|layer| (layer, self.len(layer)));
        let found = above
            .chain(here)
            .chain(below)
            .find_map(|(layer, before)| Some((layer, self.layers[layer].last(&name, before)?)));
        if let Some((layer, index)) = found {
            return self.evaluate(&Place::Assignment(layer, index), chain);
        }
        if let Some(text) = self.environment.get(&name) {
            return text.clone();
        }
        if let Some(row) = table::find(&name) {
            return self.evaluate(&Place::Default(row.name), chain);
        }
        if let Some((layer, index)) = at {
            let origin = self.layers[layer].origin(index);
            let later = self.layers[layer].last(&name, self.len(layer)).map(|later| self.layers[layer].origin(later));
            let reason = match later {
                Some(later) => format!("is set only later ({later})"),
                None => "is not set".to_owned(),
            };
            self.warnings.push(Warning::new(format!("{origin}: ${name} {reason}; it stands for nothing")));
        }
        String::new()
    }

    fn refuse(&mut self, place: &Place, reason: String) {
        let (name, origin) = match place {
            Place::Assignment(layer, index) => {
                (self.layers[*layer].assignments[*index].spelling.clone(), self.layers[*layer].origin(*index))
            }
            Place::Default(name) => ((*name).to_owned(), Origin::Default),
        };
        let problem = Problem { name, text: String::new(), origin, reason };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// The variables of this process that are valid text.
pub(crate) fn process_environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)))
        .filter(|(name, _)| is_name(name))
        .collect()
}
