//! The error table of the documentation.

use super::{Comparison, Errors, traces::TraceSet};

/// First two lines of the table.
pub(crate) const HEADER: &str = "\
| trace set | driven | model | 0.53 s | 1.0 s | 2.0 s | predictions |
|---|---|---|---|---|---|---|";

/// The lines of one set, one for each model.
pub(crate) fn lines(set: &TraceSet, comparison: &Comparison) -> [String; 3] {
    let name = format!("`{}`", set.folder);
    let driven = format!("{:?}: {}", set.generation, set.commands);
    [
        line(&name, &driven, "**four contacts, fitted**", &comparison.fitted),
        line("", "", "four contacts, documented", &comparison.documented),
        line("", "", "lag formula, documented", &comparison.lag_formula),
    ]
}

fn line(name: &str, driven: &str, model: &str, errors: &[Errors; 3]) -> String {
    let cells = errors
        .map(|errors| {
            format!("{:.3} / {:.3}, {:.1}", errors.position_median_m, errors.position_p90_m, errors.yaw_median_deg)
        })
        .join(" | ");
    let counts = errors.map(|errors| errors.count.to_string()).join(", ");
    format!("| {name} | {driven} | {model} | {cells} | {counts} |")
}
