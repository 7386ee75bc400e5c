//! Plain tables and questions.

use std::io::{self, BufRead as _, Write as _};

/// Prints a line on the standard output; a reader that has gone away is not an error of ours.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($argument)*);
    }};
}
pub(crate) use say;

/// Prints rows with aligned columns, the last one ragged.
pub(crate) fn print_table(rows: &[Vec<String>]) {
    let num_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..num_columns).map(width).collect();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        say!("{}", cells.join("  ").trim_end());
    }
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &serde_json::Value) {
    say!("{value:#}");
}

/// Asks on the terminal; only y and yes (in any case) mean yes.
pub(crate) fn confirm(question: &str) -> bool {
    let mut answer = String::new();
    let asked = write!(io::stderr(), "{question} [y/N] ").and_then(|()| io::stderr().flush());
    let read = io::stdin().lock().read_line(&mut answer);
    asked.is_ok() && read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
