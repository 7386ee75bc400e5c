//! Checks of the tree, and reference pages generated from the code.
//!
//! * `cargo run -p xtask -- variables` writes `docs/src/variables.md` from the settings table.
//! * `cargo run -p xtask -- check` fails when that page is stale, when a crate depends on one it must not know, or when a
//!   file has grown too long. The tests of this package run the same checks.

mod layers;
mod long_files;
mod variables_page;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = workspace_root();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let findings = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["variables"] => match variables_page::write(&root) {
            Ok(()) => Vec::new(),
            Err(error) => vec![error.to_string()],
        },
        ["check"] => check(&root),
        _ => vec!["usage: cargo run -p xtask -- variables | check".to_owned()],
    };
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Everything that is wrong with the tree.
fn check(root: &Path) -> Vec<String> {
    let mut findings = variables_page::check(root);
    findings.extend(layers::check(root));
    findings.extend(long_files::check(root));
    findings
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_in_order() {
        assert_eq!(check(&workspace_root()), Vec::<String>::new());
    }
}
