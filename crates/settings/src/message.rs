//! Where a value came from, and what is worth telling the user about it.

use std::fmt;
use std::path::PathBuf;

/// Where a value was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: the default of the settings table.
    Default,
    /// A line (counted from 1) of an env file.
    File {
        /// The file, as it was opened.
        path: PathBuf,
        /// Line number, first line is 1.
        line: usize,
    },
    /// A variable exported in the environment of the process.
    Environment,
    /// The command line.
    CommandLine,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Origin::Environment => formatter.write_str("environment"),
            Origin::CommandLine => formatter.write_str("command line"),
        }
    }
}

/// How loudly to say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a line, nothing to do.
    Note,
    /// Probably not what was meant.
    Warning,
}

/// Something that does not stop the work but must not pass silently. Each appears once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// How loudly to say it.
    pub severity: Severity,
    /// A whole sentence, with the place it is about.
    pub text: String,
}

impl Warning {
    /// Probably not what was meant.
    pub fn new(text: impl Into<String>) -> Warning {
        Warning { severity: Severity::Warning, text: text.into() }
    }

    /// Worth a line, nothing to do.
    pub fn note(text: impl Into<String>) -> Warning {
        Warning { severity: Severity::Note, text: text.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
        };
        write!(formatter, "{label}: {}", self.text)
    }
}
