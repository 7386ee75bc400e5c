//! Plain tables and questions.

use std::io::{self, BufRead as _, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::host::Host;

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

/// Standard output that can be left: while nobody reads it (a paused pager, a full pipe), Ctrl-C still ends the writing.
pub(crate) struct Patient<'a> {
    fd: BorrowedFd<'a>,
    host: &'a dyn Host,
}

impl<'a> Patient<'a> {
    pub(crate) fn stdout(host: &'a dyn Host) -> Self {
        Self { fd: rustix::stdio::stdout(), host }
    }
}

impl Write for Patient<'_> {
    /// Fails with [`io::ErrorKind::WouldBlock`] when the output takes nothing and somebody asks to leave.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// A pipe that is ready takes this much without waiting (POSIX's `PIPE_BUF`, at least).
        const READY: usize = 512;
        const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        loop {
            match poll(&mut [PollFd::new(&self.fd, PollFlags::OUT)], Some(&POLL)) {
                Ok(0) | Err(Errno::INTR) => {
                    if self.host.interrupted() {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                }
                Ok(_) => match rustix::io::write(self.fd, &bytes[..bytes.len().min(READY)]) {
                    Err(Errno::INTR) => {}
                    other => return Ok(other?),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
