//! The grammar of env files.
//!
//! One assignment a line, `NAME=value`, optionally after `export`. A file is data: nothing in it is ever executed.
//!
//! * The first `=` separates name and value; blanks around it are tolerated with a warning.
//! * An unquoted value ends at the end of the line or at a `#` with white space before it; outer blanks are dropped.
//! * `'…'` is taken as it stands. In `"…"` and in unquoted text `$NAME` and `${NAME}` stand for another key, and `\$`
//!   is a dollar sign; in `"…"` also `\"`, `\\` and `` \` ``.
//! * Quotes may follow text (`$DIR/"a b"`), but an apostrophe inside a word (`Bob's car`) is a letter.
//! * `#` lines and empty lines are skipped; any other line is skipped with a warning.
//! * UTF-8, with or without byte order mark; LF, CR LF or CR; the last line needs no end.

use std::path::{Path, PathBuf};

use crate::message::Warning;

/// Why an env file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvFileError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}; the old file is unchanged", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is text in an encoding other than UTF-8.
    #[error("{} is encoded in {encoding}; save it as UTF-8", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// The encoding it seems to have.
        encoding: &'static str,
    },
    /// A quoted value does not end on its line.
    #[error("{}:{line}: the quote {quote} is not closed on this line", path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// Line number, first line is 1.
        line: usize,
        /// The quote that was opened.
        quote: char,
    },
}

/// A piece of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// The value of another key.
    Variable(String),
}

/// One `NAME=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The name before the `=`.
    pub name: String,
    /// The value, not yet expanded.
    pub value: Vec<Piece>,
    /// Line number, first line is 1.
    pub line: usize,
}

/// A parsed env file: what it assigns, in order, and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFile {
    /// The file, as it was opened.
    pub path: PathBuf,
    /// All assignments in the order of the file.
    pub assignments: Vec<Assignment>,
    /// Lines that were not understood, blanks around `=`, commands that are not executed, keys set twice.
    pub warnings: Vec<Warning>,
}

impl EnvFile {
    /// Reads and parses a file.
    pub fn read(path: &Path) -> Result<EnvFile, EnvFileError> {
        let bytes = std::fs::read(path).map_err(|source| EnvFileError::Read { path: path.to_path_buf(), source })?;
        EnvFile::parse(path, &bytes)
    }

    /// Parses the bytes of a file; `path` is only used in messages.
    ///
    /// ```
    /// use deepracer_settings::env_file::{EnvFile, Piece};
    /// let file = EnvFile::parse("run.env".as_ref(), b"DR_CAR_NAME='Blue Bird' # fast\n")?;
    /// assert_eq!(file.assignments[0].value, [Piece::Text("Blue Bird".to_owned())]);
    /// # Ok::<(), deepracer_settings::env_file::EnvFileError>(())
    /// ```
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<EnvFile, EnvFileError> {
        let text = decode(path, bytes)?;
        let mut file = EnvFile { path: path.to_path_buf(), assignments: Vec::new(), warnings: Vec::new() };
        for (index, (content, _)) in split_lines(text).enumerate() {
            file.parse_line(index + 1, content)?;
        }
        file.warn_of_repetitions();
        Ok(file)
    }

    fn parse_line(&mut self, line: usize, content: &str) -> Result<(), EnvFileError> {
        let parts = match Line::of(content) {
            Line::Blank => return Ok(()),
            Line::Other => {
                self.warn(line, "this line is not NAME=value; it is ignored");
                return Ok(());
            }
            Line::Assignment(parts) => parts,
        };
        let scanned = scan_value(&content[parts.value_start..]).map_err(|quote| EnvFileError::OpenQuote {
            path: self.path.clone(),
            line,
            quote,
        })?;
        if parts.blanks_around_equals {
            self.warn(line, &format!("blanks around the = of {} are ignored", parts.name));
        }
        for remark in scanned.remarks {
            self.warn(line, &format!("{}: {remark}", parts.name));
        }
        self.assignments.push(Assignment { name: parts.name.to_owned(), value: scanned.pieces, line });
        Ok(())
    }

    fn warn_of_repetitions(&mut self) {
        let mut texts = Vec::new();
        for (index, later) in self.assignments.iter().enumerate() {
            let earlier = self.assignments[..index].iter().rev().find(|a| a.name == later.name);
            if let Some(earlier) = earlier
                && earlier.value != later.value
            {
                let text = format!("{} was already set on line {}; this line counts", later.name, earlier.line);
                texts.push((later.line, text));
            }
        }
        for (line, text) in texts {
            self.warn(line, &text);
        }
    }

    fn warn(&mut self, line: usize, text: &str) {
        self.warnings.push(Warning::new(format!("{}:{line}: {text}", self.path.display())));
    }
}

/// The text of a file, without byte order mark.
pub(crate) fn decode<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, EnvFileError> {
    let refuse = |encoding| EnvFileError::Encoding { path: path.to_path_buf(), encoding };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(refuse("UTF-16"));
    }
    if bytes.contains(&0) {
        return Err(refuse("UTF-16 or a binary format"));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|_| refuse("something other than UTF-8 (perhaps Latin-1)"))
}

/// Lines without their ends, and the ends.
pub(crate) fn split_lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let after = &rest[end..];
        let length = if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
        let line = (&rest[..end], &after[..length]);
        rest = &after[length..];
        Some(line)
    })
}

/// What a line is.
pub(crate) enum Line<'a> {
    Blank,
    Assignment(AssignmentParts<'a>),
    Other,
}

/// The parts of an assignment line.
pub(crate) struct AssignmentParts<'a> {
    pub(crate) name: &'a str,
    /// Byte offset in the line of the first byte after `=`.
    pub(crate) value_start: usize,
    pub(crate) blanks_around_equals: bool,
}

impl<'a> Line<'a> {
    pub(crate) fn of(content: &'a str) -> Line<'a> {
        let trimmed = content.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Line::Blank;
        }
        let Some((before, after)) = content.split_once('=') else { return Line::Other };
        let mut name = before.trim_start();
        if let Some(exported) = name.strip_prefix("export")
            && exported.starts_with(char::is_whitespace)
        {
            name = exported.trim_start();
        }
        let blank_before = name.ends_with(char::is_whitespace);
        name = name.trim_end();
        if !is_name(name) {
            return Line::Other;
        }
        let blank_after =
            after.starts_with(char::is_whitespace) && !matches!(after.trim_start().chars().next(), None | Some('#'));
        Line::Assignment(AssignmentParts {
            name,
            value_start: before.len() + 1,
            blanks_around_equals: blank_before || blank_after,
        })
    }
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A value taken apart.
#[derive(Default)]
pub(crate) struct ScannedValue {
    pub(crate) pieces: Vec<Piece>,
    /// Byte range of the value in the scanned text, without outer blanks and remark.
    pub(crate) range: std::ops::Range<usize>,
    remarks: Vec<&'static str>,
}

impl ScannedValue {
    fn push(&mut self, c: char) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push(c);
        } else {
            self.pieces.push(Piece::Text(c.to_string()));
        }
    }

    fn remark(&mut self, remark: &'static str) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Takes what stands at the start of `text`, one character or one variable; returns the bytes taken.
    fn take(&mut self, text: &str, escapes: &[char]) -> usize {
        let mut chars = text.chars();
        let Some(first) = chars.next() else { return 0 };
        let second = chars.next();
        match (first, second) {
            ('\\', Some(escaped)) if escapes.contains(&escaped) => {
                self.push(escaped);
                return 1 + escaped.len_utf8();
            }
            ('$', Some('(')) | ('`', _) => self.remark("commands are text here, they are not executed"),
            ('$', Some('{')) => {
                if let Some((name, _)) = text[2..].split_once('}')
                    && is_name(name)
                {
                    self.pieces.push(Piece::Variable(name.to_owned()));
                    return name.len() + 3;
                }
                self.remark("only $NAME and ${NAME} are replaced, other uses of ${…} are text");
            }
            ('$', Some(_)) => {
                let tail = &text[1..];
                let end = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(tail.len());
                if is_name(&tail[..end]) {
                    self.pieces.push(Piece::Variable(tail[..end].to_owned()));
                    return end + 1;
                }
            }
            _ => {}
        }
        self.push(first);
        first.len_utf8()
    }
}

/// Takes the text after `=` apart; the error is the quote that is not closed.
pub(crate) fn scan_value(text: &str) -> Result<ScannedValue, char> {
    let mut scanned = ScannedValue::default();
    let mut position = 0;
    let mut begun = false;
    let mut blanks = String::new();
    let mut after_letter = false;
    while let Some(c) = text[position..].chars().next() {
        if c.is_whitespace() {
            blanks.push(c);
            position += c.len_utf8();
            after_letter = false;
            continue;
        }
        if c == '#' && !blanks.is_empty() {
            break;
        }
        let quoted = if matches!(c, '\'' | '"') && !after_letter {
            let inside = closing_quote(&text[position + 1..], c);
            if inside.is_none() && !begun {
                return Err(c);
            }
            inside
        } else {
            None
        };
        if begun {
            blanks.drain(..).for_each(|blank| scanned.push(blank));
        } else {
            blanks.clear();
            scanned.range.start = position;
            begun = true;
        }
        if let Some(length) = quoted {
            scan_quoted(&mut scanned, &text[position + 1..position + 1 + length], c);
            position += length + 2;
            after_letter = false;
        } else {
            let pieces = scanned.pieces.len();
            position += scanned.take(&text[position..], &['$']);
            let variable = scanned.pieces.len() > pieces && matches!(scanned.pieces.last(), Some(Piece::Variable(_)));
            after_letter = c.is_alphanumeric() && !variable;
        }
        scanned.range.end = position;
    }
    if !begun {
        scanned.range = 0..0;
    }
    Ok(scanned)
}

fn scan_quoted(scanned: &mut ScannedValue, inside: &str, quote: char) {
    if quote == '\'' {
        inside.chars().for_each(|c| scanned.push(c));
        return;
    }
    let mut position = 0;
    while position < inside.len() {
        position += scanned.take(&inside[position..], &['$', '"', '\\', '`']);
    }
}

fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        if c == quote && !escaped {
            return Some(index);
        }
        escaped = quote == '"' && c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
#[path = "env_file_tests.rs"]
mod tests;
