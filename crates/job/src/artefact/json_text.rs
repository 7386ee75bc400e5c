//! JSON with the blanks that Python's writer puts, on one line: `{"a": [1, 2.0]}`.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::python_text;

struct PythonFormatter;

impl Formatter for PythonFormatter {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(python_text::float(value).as_bytes())
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The JSON text of a value that consists of records, lists, text and finite numbers; such a value always has one.
pub(super) fn to_string<T: Serialize>(value: &T) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, PythonFormatter));
    debug_assert!(written.is_ok(), "plain records can be written as JSON");
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn blanks_and_numbers_are_pythons() {
        let value = serde_json::json!({"a": [1, 2.0, {"b": null}], "c": "x\"y", "d": 1e-5});
        assert_eq!(super::to_string(&value), r#"{"a": [1, 2.0, {"b": null}], "c": "x\"y", "d": 1e-05}"#);
    }
}
