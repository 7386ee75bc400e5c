//! What a command prints when it cannot do its work, and the exit code it ends with.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: the run finished but missed its goal (no evaluation lap was complete, say).
    MissedGoal,
    /// 2: wrong use: an unknown option, a wrong setting, something that is not supported.
    WrongUse,
    /// 3: failed.
    Failed,
    /// 130: interrupted with Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number handed to the shell.
    ///
    /// ```
    /// assert_eq!(deepracer_cli::Exit::Interrupted.code(), 130);
    /// ```
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::MissedGoal => 1,
            Self::WrongUse => 2,
            Self::Failed => 3,
            Self::Interrupted => 130,
        }
    }
}

/// A failure in the three parts every message has: what failed, why, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    exit: Exit,
    what: String,
    causes: Vec<String>,
    hints: Vec<String>,
}

impl Failure {
    /// A failure of the work itself (exit code 3).
    pub fn failed(what: impl Into<String>) -> Self {
        Self::with_exit(Exit::Failed, what)
    }

    /// A failure of the one who typed the command or wrote a setting (exit code 2).
    pub fn wrong_use(what: impl Into<String>) -> Self {
        Self::with_exit(Exit::WrongUse, what)
    }

    /// Ctrl-C (exit code 130).
    pub fn interrupted() -> Self {
        Self::with_exit(Exit::Interrupted, "interrupted")
    }

    fn with_exit(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), causes: Vec::new(), hints: Vec::new() }
    }

    /// Adds a line that says why.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds the text of an error and of everything that caused it.
    #[must_use]
    pub fn caused_by(mut self, error: &dyn Error) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            // Errors that repeat their source in their own text would print it twice.
            if !self.causes.iter().any(|cause| cause.contains(&text)) {
                self.causes.push(text);
            }
            next = error.source();
        }
        self
    }

    /// Adds a line that says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The exit code of the command.
    pub const fn exit(&self) -> Exit {
        self.exit
    }
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "error: {}", indented(&self.what, 7))?;
        for cause in &self.causes {
            write!(formatter, "\n  cause: {}", indented(cause, 9))?;
        }
        for hint in &self.hints {
            write!(formatter, "\n  hint: {}", indented(hint, 8))?;
        }
        Ok(())
    }
}

impl Error for Failure {}

/// Keeps the further lines of a text below its first one.
fn indented(text: &str, columns: usize) -> String {
    text.trim_end().replace('\n', &format!("\n{:columns$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_why_and_how_with_further_lines_aligned() {
        let failure = Failure::wrong_use("could not load track `reinvent_bse`")
            .cause("no track has this name\nnor an alias of it")
            .hint("did you mean `reinvent_base`?");
        assert_eq!(
            failure.to_string(),
            "error: could not load track `reinvent_bse`\n  cause: no track has this name\n         nor an alias of it\n  \
             hint: did you mean `reinvent_base`?",
        );
        assert_eq!(failure.exit().code(), 2);
    }

    #[test]
    fn a_cause_already_told_is_not_repeated() {
        #[derive(Debug)]
        struct Outer(std::io::Error);
        impl Display for Outer {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                write!(formatter, "reading a.txt: {}", self.0)
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let failure = Failure::failed("x").caused_by(&Outer(std::io::Error::other("disk on fire")));
        assert_eq!(failure.to_string(), "error: x\n  cause: reading a.txt: disk on fire");
    }
}
