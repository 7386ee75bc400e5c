//! A file past 600 lines needs a reason.

use std::fs;
use std::path::{Path, PathBuf};

/// Most lines a source file may have.
const LONGEST: usize = 600;
/// Folders with source files.
const FOLDERS: &[&str] = &["crates", "python", "xtask"];
/// Endings of source files.
const ENDINGS: &[&str] = &["py", "pyi", "rs"];
/// Files that may be longer, and why.
const ALLOWED: &[(&str, &str)] = &[];

/// Names every source file that is too long without a reason, and every reason without a long file.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let long: Vec<(String, usize)> = files
        .iter()
        .filter_map(|path| {
            let lines = fs::read_to_string(path).ok()?.lines().count();
            let name = path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
            (lines > LONGEST).then_some((name, lines))
        })
        .collect();
    findings(&long, ALLOWED)
}

fn findings(long: &[(String, usize)], allowed: &[(&str, &str)]) -> Vec<String> {
    let is_allowed = |name: &str| allowed.iter().any(|(path, _)| *path == name);
    let too_long = long.iter().filter(|(name, _)| !is_allowed(name)).map(|(name, lines)| {
        format!("{name} has {lines} lines, more than {LONGEST}: split it, or give a reason in xtask/src/long_files.rs")
    });
    let needless = allowed
        .iter()
        .filter(|(path, _)| !long.iter().any(|(name, _)| name == path))
        .map(|(path, _)| format!("{path} is not long any more: remove it from xtask/src/long_files.rs"));
    too_long.chain(needless).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_need_a_reason_and_reasons_need_a_long_file() {
        let long = [("a.rs".to_owned(), 700), ("b.rs".to_owned(), 800)];
        let allowed = [("b.rs", "one table"), ("c.rs", "gone")];
        assert_eq!(
            findings(&long, &allowed),
            [
                "a.rs has 700 lines, more than 600: split it, or give a reason in xtask/src/long_files.rs",
                "c.rs is not long any more: remove it from xtask/src/long_files.rs",
            ]
        );
    }
}
