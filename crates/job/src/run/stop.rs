//! Asking a run to finish, and waiting until it has.

use std::time::{Duration, Instant};

use super::process_identity::ProcessIdentity;
use super::record::RunRecord;

const POLL: Duration = Duration::from_millis(50);

/// How a run was brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It was over already.
    WasOver,
    /// It saved and ended.
    Finished,
    /// It did not end in time and was killed. What it had saved before is intact.
    Killed,
}

/// A run could not be stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// The system refused to deliver the signal.
    #[error("could not signal process {pid}")]
    Signal {
        /// The process.
        pid: u32,
        /// What the system said.
        source: std::io::Error,
    },
    /// The wait was interrupted; the run still finishes.
    #[error("interrupted while process {pid} was finishing; it was asked to stop and goes on finishing")]
    Interrupted {
        /// The process.
        pid: u32,
    },
    /// Even killing did not end it.
    #[error("process {pid} does not end; it may be waiting for a disk")]
    Stuck {
        /// The process.
        pid: u32,
    },
}

/// Asks the run to finish (SIGTERM: it saves a checkpoint and exits with 0) and waits. After `timeout` it is killed.
///
/// `waiting` is told about once a second how long it has taken.
pub fn stop(
    record: &RunRecord,
    timeout: Duration,
    waiting: &mut dyn FnMut(Duration),
    interrupted: &dyn Fn() -> bool,
) -> Result<Stopped, StopError> {
    let Some(process) = record.process.as_ref().filter(|process| process.is_alive()) else {
        return Ok(Stopped::WasOver);
    };
    signal(process, rustix::process::Signal::TERM)?;
    if wait(process, timeout, waiting, interrupted)? {
        return Ok(Stopped::Finished);
    }
    signal(process, rustix::process::Signal::KILL)?;
    if wait(process, Duration::from_secs(10), waiting, interrupted)? {
        return Ok(Stopped::Killed);
    }
    Err(StopError::Stuck { pid: process.pid })
}

/// Waits until the process is gone; `false` when it is not within `timeout`.
fn wait(
    process: &ProcessIdentity,
    timeout: Duration,
    waiting: &mut dyn FnMut(Duration),
    interrupted: &dyn Fn() -> bool,
) -> Result<bool, StopError> {
    let begun = Instant::now();
    let mut next_report = Duration::from_secs(1);
    while process.is_alive() {
        if begun.elapsed() >= timeout {
            return Ok(false);
        }
        if interrupted() {
            return Err(StopError::Interrupted { pid: process.pid });
        }
        if begun.elapsed() >= next_report {
            waiting(begun.elapsed());
            next_report += Duration::from_secs(1);
        }
        std::thread::sleep(POLL);
    }
    Ok(true)
}

fn signal(process: &ProcessIdentity, signal: rustix::process::Signal) -> Result<(), StopError> {
    let Some(pid) = rustix::process::Pid::from_raw(process.pid.cast_signed()) else { return Ok(()) };
    match rustix::process::kill_process(pid, signal) {
        // It ended in between.
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(StopError::Signal { pid: process.pid, source: error.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;
    use deepracer_settings::RacingFolder;
    use std::process::{Child, Command};

    fn record_of(child: &Child) -> RunRecord {
        let mut record = example(&RacingFolder::at("racing"));
        record.process = ProcessIdentity::of(child.id());
        record
    }

    #[test]
    fn a_process_that_listens_finishes_and_one_that_does_not_is_killed() -> Result<(), Box<dyn std::error::Error>> {
        let mut polite = Command::new("sleep").arg("60").spawn()?;
        let record = record_of(&polite);
        assert_eq!(stop(&record, Duration::from_secs(20), &mut |_| (), &|| false)?, Stopped::Finished);
        polite.wait()?;
        assert_eq!(stop(&record, Duration::from_secs(20), &mut |_| (), &|| false)?, Stopped::WasOver);

        let mut deaf = Command::new("sh")
            .args(["-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"])
            .stdout(std::process::Stdio::piped())
            .spawn()?;
        let mut ready = [0; 6];
        if let Some(out) = &mut deaf.stdout {
            std::io::Read::read_exact(out, &mut ready)?;
        }
        let record = record_of(&deaf);
        assert_eq!(stop(&record, Duration::from_millis(300), &mut |_| (), &|| false)?, Stopped::Killed);
        deaf.wait()?;
        Ok(())
    }
}
