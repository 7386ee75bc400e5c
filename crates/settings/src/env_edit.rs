//! Changes chosen keys of an env file in place: remarks, order, line ends and every other byte stay.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::env_file::{EnvFileError, Line, decode, scan_value, split_lines};

/// Sets keys of an env file. The old file is kept as `<name>.bak`; the new one replaces it atomically.
///
/// The last assignment of a key is changed, as it is the one that counts; a key the file does not assign is appended.
/// Values are quoted when they need it.
pub fn edit_file(path: &Path, changes: &[(&str, &str)]) -> Result<(), EnvFileError> {
    let read = |source| EnvFileError::Read { path: path.to_path_buf(), source };
    let write = |source| EnvFileError::Write { path: path.to_path_buf(), source };
    let target = fs::canonicalize(path).map_err(read)?;
    let bytes = fs::read(&target).map_err(read)?;
    let text = decode(path, &bytes)?;
    let mark = bytes.len() - text.len();
    let edited = edit_text(text, changes);

    replace(&backup_path(&target), &bytes, &target).map_err(write)?;
    let mut new_bytes = bytes[..mark].to_vec();
    new_bytes.extend_from_slice(edited.as_bytes());
    replace(&target, &new_bytes, &target).map_err(write)
}

/// `run.env` → `run.env.bak`.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bak");
    PathBuf::from(name)
}

/// The text of an env file with keys set.
///
/// ```
/// let old = "DR_RUN_ID=0   # keep\r\n";
/// let new = deepracer_settings::env_edit::edit_text(old, &[("DR_RUN_ID", "1"), ("DR_CAR_NAME", "Blue Bird")]);
/// assert_eq!(new, "DR_RUN_ID=1   # keep\r\nDR_CAR_NAME='Blue Bird'\r\n");
/// ```
pub fn edit_text(text: &str, changes: &[(&str, &str)]) -> String {
    let mut lines: Vec<(String, &str)> = split_lines(text).map(|(content, end)| (content.to_owned(), end)).collect();
    let line_end = lines.iter().map(|(_, end)| *end).find(|end| !end.is_empty()).unwrap_or("\n");
    for (name, value) in changes {
        let value = quote(value);
        let assigned = lines.iter_mut().rev().find_map(|(content, _)| Some((value_range(content, name)?, content)));
        if let Some((range, content)) = assigned {
            content.replace_range(range, &value);
        } else {
            if let Some((_, end @ "")) = lines.last_mut() {
                *end = line_end;
            }
            lines.push((format!("{name}={value}"), line_end));
        }
    }
    lines.iter().flat_map(|(content, end)| [content.as_str(), end]).collect()
}

/// Where the value of `name` stands in a line, when the line assigns it.
fn value_range(content: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let Line::Assignment(parts) = Line::of(content) else { return None };
    if parts.name != name {
        return None;
    }
    let start = parts.value_start;
    Some(match scan_value(&content[start..]) {
        Ok(scanned) => start + scanned.range.start..start + scanned.range.end,
        Err(_) => start..content.len(),
    })
}

/// The value as it must be written to be read back the same. Line ends cannot be written and become blanks.
pub fn quote(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/_-.:,;@%+=#".contains(c);
    let value: String = value.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect();
    if value.chars().all(plain) {
        value
    } else if value.contains('\'') {
        let escaped: String =
            value.chars().flat_map(|c| "\\\"$`".contains(c).then_some('\\').into_iter().chain([c])).collect();
        format!("\"{escaped}\"")
    } else {
        format!("'{value}'")
    }
}

/// Writes beside the file and renames over it, with the permissions of `like`.
fn replace(path: &Path, bytes: &[u8], like: &Path) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let temporary = PathBuf::from(name);
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.set_permissions(fs::metadata(like)?.permissions())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The first failure is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env_file::{EnvFile, Piece};
    use proptest::prelude::*;

    #[test]
    fn everything_but_the_values_stays() {
        let old = "# banner =\n\nexport DR_A = 'old one'  # why\nOTHER=1\nDR_A=\nDR_B=$X # b";
        let new = edit_text(old, &[("DR_A", "n w"), ("DR_B", "2")]);
        assert_eq!(new, "# banner =\n\nexport DR_A = 'old one'  # why\nOTHER=1\nDR_A='n w'\nDR_B=2 # b");
    }

    #[test]
    fn a_missing_last_line_end_is_added_before_appending() {
        assert_eq!(edit_text("A=1", &[("B", "2")]), "A=1\nB=2\n");
        assert_eq!(edit_text("", &[("B", "2")]), "B=2\n");
        assert_eq!(edit_text("A=1\r\nC=3", &[("B", "2")]), "A=1\r\nC=3\r\nB=2\r\n");
    }

    #[test]
    fn the_old_file_is_kept_and_the_new_one_has_its_mark() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("my run.env");
        fs::write(&path, b"\xEF\xBB\xBFDR_A=1\r\n").expect("write");
        edit_file(&path, &[("DR_A", "2")]).expect("edit");
        assert_eq!(fs::read(&path).expect("read"), b"\xEF\xBB\xBFDR_A=2\r\n");
        assert_eq!(fs::read(backup_path(&path)).expect("read"), b"\xEF\xBB\xBFDR_A=1\r\n");
        assert_eq!(fs::read_dir(folder.path()).expect("list").count(), 2);
    }

    proptest! {
        #[test]
        fn a_written_value_is_read_back(value in "[^\r\n\0]*", before in "[ -~\n]{0,40}") {
            let text = edit_text(&before, &[("DR_KEY", &value)]);
            // Text that leaves a quote open elsewhere is refused as a whole; that is another test.
            if let Ok(file) = EnvFile::parse("x".as_ref(), text.as_bytes()) {
                let last = file.assignments.iter().rev().find(|a| a.name == "DR_KEY").expect("assigned");
                let expected = if value.is_empty() { vec![] } else { vec![Piece::Text(value)] };
                prop_assert_eq!(&last.value, &expected);
            }
        }
    }
}
