//! Numbers and values as Python prints them: the tools that read traces and logs were written for that.

use std::fmt::Write as _;

use serde_json::Value;

/// Appends a number as Python's `repr` of a float: the shortest digits that read back the same, always with a point or
/// an exponent. `12.0`, `0.1`, `1e-05`, `1e+16`, `nan`, `inf`.
///
/// ```
/// let mut text = String::new();
/// deepracer_job::artefact::python_text::push_float(&mut text, 0.00001);
/// assert_eq!(text, "1e-05");
/// ```
pub fn push_float(text: &mut String, value: f64) {
    if value.is_nan() {
        text.push_str("nan");
        return;
    }
    if value.is_infinite() {
        text.push_str(if value > 0.0 { "inf" } else { "-inf" });
        return;
    }
    // Python switches to an exponent outside 1e-4 ..= 1e16; both languages print the shortest digits.
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        let start = text.len();
        // Writing to a string does not fail.
        let _ = write!(text, "{value}");
        if !text[start..].contains('.') {
            text.push_str(".0");
        }
        return;
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let _ = write!(text, "{digits}e{sign}{exponent:0>2}");
}

/// A number as Python's `repr` of a float, see [`push_float`].
pub fn float(value: f64) -> String {
    let mut text = String::new();
    push_float(&mut text, value);
    text
}

/// Appends `True` or `False`.
pub fn push_bool(text: &mut String, value: bool) {
    text.push_str(if value { "True" } else { "False" });
}

/// Appends a string as Python's `repr`: in single quotes, or in double quotes when it holds single ones only.
pub fn push_string(text: &mut String, value: &str) {
    let quote = if value.contains('\'') && !value.contains('"') { '"' } else { '\'' };
    text.push(quote);
    for letter in value.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            letter if letter == quote => {
                text.push('\\');
                text.push(quote);
            }
            letter if letter.is_control() => {
                let _ = write!(text, "\\x{:02x}", u32::from(letter));
            }
            letter => text.push(letter),
        }
    }
    text.push(quote);
}

/// A JSON value as Python's `repr` of the loaded object: `[{'speed': 1.0, 'index': 0}, None, True]`.
pub fn value(value: &Value) -> String {
    let mut text = String::new();
    push_value(&mut text, value);
    text
}

fn push_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("None"),
        Value::Bool(value) => push_bool(text, *value),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => push_float(text, float),
            _ => {
                let _ = write!(text, "{number}");
            }
        },
        Value::String(value) => push_string(text, value),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                push_value(text, value);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (name, value)) in fields.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                push_string(text, name);
                text.push_str(": ");
                push_value(text, value);
            }
            text.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_are_printed_as_python_prints_them() {
        // From `repr(...)` in CPython 3.11.
        for (value, text) in [
            (12.0, "12.0"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (-15.0, "-15.0"),
            (3.199_903_274_538_461_7, "3.1999032745384617"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.000_099_999, "9.9999e-05"),
            (1e-5, "1e-05"),
            (-1.5e-7, "-1.5e-07"),
            (5e-324, "5e-324"),
            (1_700_000_000.123_4, "1700000000.1234"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.234e22, "1.234e+22"),
            (1e100, "1e+100"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn values_are_printed_as_python_prints_them() {
        let loaded: Value = serde_json::from_str(
            r#"[{"steering_angle": -15.0, "speed": 1, "index": 0}, null, true, 1e-5, "it's", "a\"'\\\n", {"low": {}}]"#,
        )
        .unwrap();
        assert_eq!(
            value(&loaded),
            r#"[{'steering_angle': -15.0, 'speed': 1, 'index': 0}, None, True, 1e-05, "it's", 'a"\'\\\n', {'low': {}}]"#
        );
    }

    proptest! {
        #[test]
        fn floats_read_back_the_same(bits in any::<u64>()) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let text = float(number);
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            prop_assert!(text.contains('.') || text.contains('e'));
        }
    }
}
