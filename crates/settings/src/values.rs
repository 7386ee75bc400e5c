//! The values of all variables, and where each comes from.

use std::collections::HashMap;

use crate::choice::Checkpoint;
use crate::message::Origin;
use crate::object_position::ObjectPosition;
use crate::table::{self, Variable};
use crate::value::Value;

/// The value of one variable and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its row in the table.
    pub variable: &'static Variable,
    /// The value, as text after expansion.
    pub text: String,
    /// The value; the default when the text cannot be used.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// The values of all variables, in the order of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    entries: Vec<Entry>,
    index: HashMap<&'static str, usize>,
}

impl Values {
    pub(crate) fn new(entries: Vec<Entry>) -> Values {
        let index = entries.iter().enumerate().map(|(index, entry)| (entry.variable.name, index)).collect();
        Values { entries, index }
    }

    /// All of them, in the order of the table.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One of them, by name or another spelling.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        let name = table::find(name)?.name;
        self.index.get(name).map(|index| &self.entries[*index])
    }

    fn value(&self, name: &str) -> &Value {
        self.get(name).map_or(&Value::Unset, |entry| &entry.value)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.value(name), Value::Flag(true))
    }

    pub(crate) fn integer(&self, name: &str) -> u64 {
        self.optional_integer(name).unwrap_or_default()
    }

    pub(crate) fn optional_integer(&self, name: &str) -> Option<u64> {
        if let Value::Integer(number) = self.value(name) { Some(*number) } else { None }
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.optional_number(name).unwrap_or_default()
    }

    pub(crate) fn optional_number(&self, name: &str) -> Option<f64> {
        if let Value::Number(number) = self.value(name) { Some(*number) } else { None }
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.value(name).to_text()
    }

    pub(crate) fn checkpoint(&self, name: &str) -> Checkpoint {
        if let Value::Checkpoint(checkpoint) = self.value(name) { *checkpoint } else { Checkpoint::Last }
    }

    pub(crate) fn object_positions(&self, name: &str) -> Vec<ObjectPosition> {
        if let Value::ObjectPositions(positions) = self.value(name) { positions.clone() } else { Vec::new() }
    }

    pub(crate) fn choice<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        read(&self.text(name))
    }
}
