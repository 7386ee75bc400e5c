//! The log files of a run.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use deepracer_settings::RacingFolder;
use serde::{Deserialize, Serialize};

/// A log starts a new file when it has grown to this size; one older file is kept.
const MAX_SIZE_BYTES: u64 = 64 << 20;

/// Every so many seconds the position in the log is noted, so that "the last five minutes" can be found.
const MARK_EVERY_S: u64 = 5;

/// Where a run logs: one folder with one file per writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLogs {
    folder: PathBuf,
    num_workers: usize,
}

impl RunLogs {
    /// The logs of a run of `num_workers` workers in the folder `data/logs/<name>`.
    pub fn of(folder: &RacingFolder, name: &str, num_workers: usize) -> Self {
        Self { folder: folder.data().join("logs").join(name), num_workers }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many workers have a log.
    pub const fn num_workers(&self) -> usize {
        self.num_workers
    }

    /// What the trainer does: iterations, losses, checkpoints (`dr-logs-sagemaker`).
    pub fn trainer(&self) -> PathBuf {
        self.folder.join("sagemaker.log")
    }

    /// What worker `index` (from 0) does: episodes, steps, what the reward function prints (`dr-logs-robomaker`).
    pub fn worker(&self, index: usize) -> PathBuf {
        self.folder.join(format!("robomaker-{}.log", index + 1))
    }

    /// The record of the run, kept beside its logs: what it was asked to do and how it ended.
    pub fn record(&self) -> PathBuf {
        self.folder.join("record.json")
    }

    /// Nothing of interest: as long as the run lives it keeps room on the disk for the last version of the record.
    pub(super) fn reserve(&self) -> PathBuf {
        self.folder.join("reserve")
    }

    /// What the process itself says when something goes wrong outside all of these.
    pub fn process(&self) -> PathBuf {
        self.folder.join("process.log")
    }
}

/// A log file with bounded size. Whole lines are appended; beside it a small file notes when the log had which size.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    marks: File,
    size_bytes: u64,
    marked_at_s: u64,
    max_size_bytes: u64,
}

impl LogFile {
    /// Opens the log for appending, making it and its folder when they are not there.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_bounded(path, MAX_SIZE_BYTES)
    }

    fn open_bounded(path: &Path, max_size_bytes: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let append = |path: &Path| File::options().append(true).create(true).open(path);
        let file = append(path)?;
        let size_bytes = file.metadata()?.len();
        let marks = append(&marks_path(path))?;
        Ok(Self { path: path.to_path_buf(), file, marks, size_bytes, marked_at_s: 0, max_size_bytes })
    }

    /// Appends lines. `text` may hold several; a missing newline at its end is added.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.size_bytes > self.max_size_bytes {
            self.start_anew()?;
        }
        let now_s = unix_time_s();
        if now_s >= self.marked_at_s + MARK_EVERY_S {
            writeln!(self.marks, "{now_s} {}", self.size_bytes)?;
            self.marked_at_s = now_s;
        }
        self.file.write_all(text.as_bytes())?;
        self.size_bytes += text.len() as u64;
        if !text.ends_with('\n') {
            self.file.write_all(b"\n")?;
            self.size_bytes += 1;
        }
        Ok(())
    }

    fn start_anew(&mut self) -> io::Result<()> {
        std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
        std::fs::remove_file(marks_path(&self.path))?;
        *self = Self::open_bounded(&self.path, self.max_size_bytes)?;
        Ok(())
    }
}

/// The position in the log `path` from which on everything was written after `since`; the start when nothing is known.
pub(super) fn position_at(path: &Path, since: SystemTime) -> u64 {
    let since_s = since.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let marks = std::fs::read_to_string(marks_path(path)).unwrap_or_default();
    let marks: Vec<(u64, u64)> = marks
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(time, at)| Some((time.parse().ok()?, at.parse().ok()?)))
        .collect();
    let first_later = marks.partition_point(|&(time_s, _)| time_s < since_s);
    match marks.get(first_later) {
        Some(&(_, position)) => position,
        // Nothing was written since.
        None => std::fs::metadata(path).map_or(0, |metadata| if marks.is_empty() { 0 } else { metadata.len() }),
    }
}

fn marks_path(path: &Path) -> PathBuf {
    path.with_extension("marks")
}

fn unix_time_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_position_of_a_time_is_that_of_the_first_line_written_after_it() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("sagemaker.log");
        std::fs::write(&path, "old\nnewer\nnew\n")?;
        std::fs::write(marks_path(&path), "1000 0\n1300 4\n1600 10\n")?;
        let at = |time_s| position_at(&path, UNIX_EPOCH + Duration::from_secs(time_s));
        assert_eq!([at(900), at(1000), at(1001), at(1300), at(1301), at(1601)], [0, 0, 4, 4, 10, 14]);
        Ok(())
    }

    #[test]
    fn a_full_log_starts_anew_and_keeps_one_older_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("robomaker-1.log");
        let mut log = LogFile::open_bounded(&path, 10)?;
        for line in ["first line", "second line", "third line\n"] {
            log.write(line)?;
        }
        assert_eq!(std::fs::read_to_string(&path)?, "third line\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("robomaker-1.log.1"))?, "second line\n");
        Ok(())
    }
}
