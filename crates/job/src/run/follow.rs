//! Showing log files while they grow.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::log_file::position_at;

const POLL: Duration = Duration::from_millis(100);

/// Why following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// The run is over, and everything it logged was shown.
    RunEnded,
    /// The reader asked to leave.
    Interrupted,
    /// Nobody reads the output any more.
    ReaderGone,
}

/// One log being followed.
struct Tail {
    path: PathBuf,
    label: String,
    file: Option<File>,
    position: u64,
    /// The end of what was read, when no newline has followed it yet.
    unfinished: Vec<u8>,
}

/// Writes what stands in `logs` since `since` (from their start when `None`), and whatever is added, to `out`, line by
/// line. Each log comes with a label that is put before its lines.
///
/// Ends when `run_is_over` says so and all is shown, or when `interrupted` does. Where nobody reads what is written, a
/// write may never end: `out` gives up with [`io::ErrorKind::WouldBlock`] when it sees that the reader asked to leave.
pub fn follow(
    logs: &[(PathBuf, String)],
    since: Option<SystemTime>,
    out: &mut dyn Write,
    run_is_over: &mut dyn FnMut() -> bool,
    interrupted: &dyn Fn() -> bool,
) -> io::Result<Followed> {
    let mut tails: Vec<Tail> = logs
        .iter()
        .map(|(path, label)| Tail {
            path: path.clone(),
            label: label.clone(),
            file: None,
            position: since.map_or(0, |since| position_at(path, since)),
            unfinished: Vec::new(),
        })
        .collect();
    loop {
        // Asked before reading: what a run writes last is there when it is over.
        let is_over = run_is_over();
        for tail in &mut tails {
            match tail.show_new(out, is_over) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Followed::ReaderGone),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Followed::Interrupted),
                other => other?,
            }
        }
        if is_over {
            return Ok(Followed::RunEnded);
        }
        if interrupted() {
            return Ok(Followed::Interrupted);
        }
        std::thread::sleep(POLL);
    }
}

impl Tail {
    fn show_new(&mut self, out: &mut dyn Write, is_last: bool) -> io::Result<()> {
        let size = std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if size < self.position {
            // The log started anew: show the rest of the old file, then the new one from its start.
            self.show_rest(out)?;
            self.file = None;
            self.position = 0;
        }
        if self.file.is_none() {
            let Ok(mut file) = File::open(&self.path) else { return Ok(()) };
            file.seek(SeekFrom::Start(self.position))?;
            self.file = Some(file);
        }
        self.show_rest(out)?;
        if is_last && !self.unfinished.is_empty() {
            let line = std::mem::take(&mut self.unfinished);
            self.show_line(out, &line)?;
        }
        out.flush()
    }

    fn show_rest(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut bytes = std::mem::take(&mut self.unfinished);
        let num_read = file.read_to_end(&mut bytes)?;
        self.position += num_read as u64;
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |index| index + 1);
        self.unfinished = bytes.split_off(end);
        if self.label.is_empty() {
            return out.write_all(&bytes);
        }
        bytes.split_inclusive(|&byte| byte == b'\n').try_for_each(|line| self.show_line(out, &line[..line.len() - 1]))
    }

    fn show_line(&self, out: &mut dyn Write, line: &[u8]) -> io::Result<()> {
        out.write_all(self.label.as_bytes())?;
        out.write_all(line)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn shows_what_is_there_what_is_added_and_what_comes_last() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("sagemaker.log");
        std::fs::write(&path, "one\ntw")?;
        let mut shown = Vec::new();
        let round = Cell::new(0);
        let mut next_round = || {
            round.set(round.get() + 1);
            let text = ["", "one\ntwo\n", "one\ntwo\nthree"][round.get() - 1];
            !text.is_empty() && std::fs::write(&path, text).is_ok() && round.get() == 3
        };
        let ended = follow(&[(path.clone(), "| ".to_owned())], None, &mut shown, &mut next_round, &|| false)?;
        assert_eq!(ended, Followed::RunEnded);
        assert_eq!(String::from_utf8_lossy(&shown), "| one\n| two\n| three\n");
        Ok(())
    }

    #[test]
    fn a_reader_who_leaves_leaves_the_run_alone() -> io::Result<()> {
        let ended = follow(&[], None, &mut Vec::new(), &mut || false, &|| true)?;
        assert_eq!(ended, Followed::Interrupted);
        Ok(())
    }
}
