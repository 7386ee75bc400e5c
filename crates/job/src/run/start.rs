//! Starting a run as a process of its own.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use deepracer_settings::RacingFolder;

use super::record::{Ending, RecordError, RunRecord, RunState};

const POLL: Duration = Duration::from_millis(10);

/// A run that drives.
#[derive(Debug)]
pub struct Started {
    /// Its record, as its process wrote it.
    pub record: RunRecord,
    child: Child,
}

impl Started {
    /// Whether the process has ended. (A child that nobody waits for is not gone.)
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Why a run did not come to drive.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The log or record could not be written, or the process not be started.
    #[error("could not start the process of the run: {action}")]
    Process {
        /// What was being done.
        action: String,
        /// What the system said.
        source: io::Error,
    },
    /// The record could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The run looked at what it was asked to do and ended.
    #[error("{}", .0.what)]
    Ended(Ending),
    /// The process died without a word.
    #[error("the process of the run died while starting; the end of {} says:\n{tail}", log.display())]
    Died {
        /// What the process said last.
        tail: String,
        /// The whole of it.
        log: PathBuf,
    },
    /// Somebody pressed Ctrl-C; the process was stopped.
    #[error("interrupted while starting")]
    Interrupted,
}

/// Writes the record beside the logs of the run, starts `command` with the record's path as its last argument, and waits until the run drives or
/// says why it cannot.
///
/// The process gets no input, writes to the run's process log, and is expected to leave the terminal's session.
pub fn start(
    folder: &RacingFolder,
    record: &RunRecord,
    command: &(PathBuf, Vec<String>),
    interrupted: &dyn Fn() -> bool,
) -> Result<Started, StartError> {
    let failed = |action: &str| {
        let action = action.to_owned();
        move |source| StartError::Process { action, source }
    };
    let path = record.logs.record();
    let log = record.logs.process();
    std::fs::create_dir_all(record.logs.folder()).map_err(failed("making the folder of its logs"))?;
    let output = File::options().create(true).append(true).open(&log).map_err(failed("opening its log"))?;
    let errors = output.try_clone().map_err(failed("opening its log"))?;
    record.write(&path)?;
    let (program, arguments) = command;
    let mut child = Command::new(program)
        .args(arguments)
        .arg(&path)
        .current_dir(folder.root())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(failed(&format!("running {}", program.display())))?;
    loop {
        // In this order: what a process wrote before it ended is there when it has ended.
        let exit = child.try_wait().map_err(failed("waiting for it"))?;
        let record = RunRecord::read(&path)?;
        match record.state {
            RunState::Running => return Ok(Started { record, child }),
            RunState::Ended(ref ending) if ending.exit_code == 0 => return Ok(Started { record, child }),
            RunState::Ended(ending) => {
                let _ = child.wait();
                return Err(StartError::Ended(ending));
            }
            RunState::Starting if exit.is_some() => return Err(StartError::Died { tail: tail(&log), log }),
            RunState::Starting => {}
        }
        if interrupted() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(StartError::Interrupted);
        }
        std::thread::sleep(POLL);
    }
}

/// The last lines of a text file.
fn tail(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    /// A process made of a shell line; `$0` is the record's path.
    fn shell(line: &str) -> (PathBuf, Vec<String>) {
        ("sh".into(), vec!["-c".to_owned(), line.to_owned()])
    }

    #[test]
    fn waits_for_the_word_running_and_passes_on_a_refusal() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().join("my racing"));
        std::fs::create_dir_all(folder.root())?;
        let record = example(&folder);
        let say = |state: &str| {
            shell(&format!("sed 's/\"starting\"/{state}/' \"$0\" > \"$0.x\" && mv \"$0.x\" \"$0\"; exec sleep 0.1"))
        };

        let mut started = start(&folder, &record, &say("\"running\""), &|| false)?;
        assert_eq!(started.record.state, RunState::Running);
        while !started.is_over() {
            std::thread::sleep(POLL);
        }

        let refusal =
            start(&folder, &record, &say("{\"ended\":{\"exit_code\":3,\"what\":\"no such track\"}}"), &|| false);
        assert_eq!(refusal.map(|_| ()).map_err(|error| error.to_string()), Err("no such track".to_owned()));
        Ok(())
    }

    #[test]
    fn a_silent_death_shows_the_end_of_the_process_log() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().to_path_buf());
        let died = start(&folder, &example(&folder), &shell("echo out of memory >&2; exit 9"), &|| false);
        let Err(StartError::Died { tail, .. }) = died else { return Err("it did not die".into()) };
        assert_eq!(tail, "out of memory");
        Ok(())
    }
}
