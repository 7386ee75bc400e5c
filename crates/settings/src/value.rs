//! Types of values, and texts turned into them.

use crate::choice::{Checkpoint, not_one_of};
use crate::object_position::ObjectPosition;

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `True` or `False`; also yes, t, 1 and no, f, 0, in any case. Empty is `False`.
    Flag,
    /// A whole number in an inclusive range.
    Integer {
        /// Smallest legal value.
        min: u64,
        /// Largest legal value.
        max: u64,
    },
    /// A number in an inclusive range.
    Number {
        /// Smallest legal value.
        min: f64,
        /// Largest legal value.
        max: f64,
        /// Unit of the value, for messages and documentation; empty for none.
        unit: &'static str,
    },
    /// One word of a list, in any case.
    Choice(&'static [&'static str]),
    /// `best`, `last` or the number of a checkpoint.
    Checkpoint,
    /// Any text, also empty.
    Text,
    /// A name that is one folder or file name, not empty.
    Name,
    /// A path inside a bucket: not empty, no leading `/`, no `..`.
    ObjectKey,
    /// Places on the track: pairs of progress and lane, separated by `;`.
    ObjectPositions,
}

/// A value of the kind its key asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// Of [`Kind::Integer`].
    Integer(u64),
    /// Of [`Kind::Number`].
    Number(f64),
    /// Of [`Kind::Checkpoint`].
    Checkpoint(Checkpoint),
    /// Of [`Kind::ObjectPositions`].
    ObjectPositions(Vec<ObjectPosition>),
    /// Of all other kinds; choices in the spelling of their list.
    Text(String),
    /// An optional number that is not given.
    Unset,
}

impl Value {
    /// The value as env files and parameter files spell it: flags are `True` and `False`.
    pub fn to_text(&self) -> String {
        match self {
            Value::Flag(true) => "True".to_owned(),
            Value::Flag(false) => "False".to_owned(),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => format!("{number:?}"),
            Value::Checkpoint(checkpoint) => checkpoint.to_string(),
            Value::ObjectPositions(positions) => {
                positions.iter().map(ToString::to_string).collect::<Vec<_>>().join(";")
            }
            Value::Text(text) => text.clone(),
            Value::Unset => String::new(),
        }
    }
}

impl Kind {
    /// Turns text into a value; the error says what is wrong, to follow `NAME=text: `.
    pub fn parse(self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Flag => parse_flag(text).map(Value::Flag),
            Kind::Integer { min, max } => match text.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Integer(number)),
                _ => Err(format!("not a whole number from {min} to {max}")),
            },
            Kind::Number { min, max, unit } => match text.parse::<f64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
                _ if unit.is_empty() => Err(format!("not a number from {min} to {max}")),
                _ => Err(format!("not a number from {min} to {max} ({unit})")),
            },
            Kind::Choice(legal) => legal
                .iter()
                .find(|name| name.eq_ignore_ascii_case(text))
                .map(|name| Value::Text((*name).to_owned()))
                .ok_or_else(|| not_one_of(text, legal)),
            Kind::Checkpoint => Checkpoint::from_name(text)
                .map(Value::Checkpoint)
                .ok_or_else(|| "not best, last or the number of a checkpoint".to_owned()),
            Kind::Text => Ok(Value::Text(text.to_owned())),
            Kind::Name => parse_name(text).map(Value::Text),
            Kind::ObjectKey => parse_object_key(text).map(Value::Text),
            Kind::ObjectPositions => ObjectPosition::parse_list(text).map(Value::ObjectPositions),
        }
    }

    /// Whether an empty text means "the default" rather than an empty value.
    pub(crate) fn empty_means_default(self) -> bool {
        matches!(self, Kind::Integer { .. } | Kind::Number { .. } | Kind::Choice(_) | Kind::Checkpoint)
    }

    /// What may be written, in words, for the reference page.
    pub fn describe(self) -> String {
        match self {
            Kind::Flag => "`True` or `False`".to_owned(),
            Kind::Integer { min, max } => format!("whole number, {min} to {max}"),
            Kind::Number { min, max, unit: "" } => format!("number, {min} to {max}"),
            Kind::Number { min, max, unit } => format!("number, {min} to {max} {unit}"),
            Kind::Choice(legal) => legal.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            Kind::Checkpoint => "`best`, `last` or a number".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Name => "name without `/`".to_owned(),
            Kind::ObjectKey => "path inside the bucket".to_owned(),
            Kind::ObjectPositions => "pairs `progress,lane`, separated by `;`".to_owned(),
        }
    }
}

fn parse_flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "t" | "1" => Ok(true),
        "false" | "no" | "f" | "0" | "" => Ok(false),
        _ => Err("not True or False".to_owned()),
    }
}

fn parse_name(text: &str) -> Result<String, String> {
    if text.contains(['/', '\\']) {
        return Err("must be one name, without / or \\".to_owned());
    }
    parse_object_key(text)
}

/// A trailing `/` is dropped; everything else is kept, as names may hold blanks, dots and dashes.
fn parse_object_key(text: &str) -> Result<String, String> {
    let key = text.trim_end_matches('/');
    if key.is_empty() {
        return Err("must not be empty".to_owned());
    }
    if key.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
        return Err("must be a path inside the bucket: no leading /, no //, no . or ..".to_owned());
    }
    if key.chars().any(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    Ok(key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_as_the_original_reads_them() {
        for text in ["True", "true", "YES", "t", "1"] {
            assert_eq!(Kind::Flag.parse(text), Ok(Value::Flag(true)));
        }
        for text in ["False", "no", "F", "0", ""] {
            assert_eq!(Kind::Flag.parse(text), Ok(Value::Flag(false)));
        }
        assert_eq!(Kind::Flag.parse("Ture"), Err("not True or False".to_owned()));
    }

    #[test]
    fn numbers_have_ranges() {
        let fraction = Kind::Number { min: 0.0, max: 1.0, unit: "" };
        assert_eq!(fraction.parse("0.05"), Ok(Value::Number(0.05)));
        for text in ["NaN", "inf", "-0.1", "1.5", "5%", "0,05"] {
            assert_eq!(fraction.parse(text), Err("not a number from 0 to 1".to_owned()));
        }
        let whole = Kind::Integer { min: 1, max: 9 };
        assert_eq!(whole.parse("9"), Ok(Value::Integer(9)));
        for text in ["0", "10", "-1", "1.0", "two"] {
            assert_eq!(whole.parse(text), Err("not a whole number from 1 to 9".to_owned()));
        }
    }

    #[test]
    fn choices_keep_their_spelling() {
        let kind = Kind::Choice(&["Red", "Grey"]);
        assert_eq!(kind.parse("red"), Ok(Value::Text("Red".to_owned())));
        assert_eq!(kind.parse("Gray"), Err("not one of Red, Grey; did you mean Grey?".to_owned()));
        assert_eq!(kind.parse("Pink"), Err("not one of Red, Grey".to_owned()));
    }

    #[test]
    fn keys_stay_inside_the_bucket() {
        let legal = ["foo-1", "v8.1/2025-06-01 night", "Ñandú", "a..b"];
        for text in legal {
            assert_eq!(Kind::ObjectKey.parse(text), Ok(Value::Text(text.to_owned())));
        }
        assert_eq!(Kind::ObjectKey.parse("foo-1/"), Ok(Value::Text("foo-1".to_owned())));
        for text in ["", "/", "/a", "a//b", "../a", "a/..", "a\tb"] {
            assert!(Kind::ObjectKey.parse(text).is_err(), "{text:?}");
        }
        assert!(Kind::Name.parse("a/b").is_err());
    }
}
