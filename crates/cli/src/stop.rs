//! `dr-stop-training`, `dr-stop-evaluation`, `dr-stop-all`.

use std::time::Duration;

use deepracer_job::run::{self, RunKind, RunRecord, RunState, StopError, Stopped};

use crate::arguments::{Stop, StopAll};
use crate::context::{Context, racing_folder, record};
use crate::failure::{Exit, Failure};
use crate::host::Host;
use crate::logs::ending_failure;

/// Stops the run of the settings.
pub(crate) fn one(kind: RunKind, arguments: &Stop, host: &dyn Host) -> Result<Exit, Failure> {
    let settings = Context::inspect(&arguments.settings)?.settings;
    let run_id = u64::from(settings.config().run_id);
    if let Some(record) = record(settings.folder(), kind, run_id)?.filter(RunRecord::is_alive) {
        return stop(&record, arguments.timeout, host);
    }
    eprintln!("no {kind} run with DR_RUN_ID={run_id} is alive; there is nothing to stop");
    Ok(Exit::Done)
}

/// Stops every run of the racing folder, and no other.
pub(crate) fn all(arguments: &StopAll, host: &dyn Host) -> Result<Exit, Failure> {
    let folder = racing_folder()?;
    let living: Vec<RunRecord> = RunRecord::all(&folder).into_iter().filter(RunRecord::is_alive).collect();
    if living.is_empty() {
        eprintln!("no run of {} is alive; there is nothing to stop", folder.root().display());
    }
    let mut outcome = Ok(Exit::Done);
    for record in &living {
        let stopped = stop(record, arguments.timeout, host);
        if let Err(failure) = stopped {
            if failure.exit() == Exit::Interrupted {
                return Err(failure);
            }
            outcome = Err(failure);
        }
    }
    outcome
}

fn stop(record: &RunRecord, timeout_s: u64, host: &dyn Host) -> Result<Exit, Failure> {
    eprintln!("asked {} to finish", record.describe());
    let waiting = &mut |elapsed: Duration| {
        eprintln!("waiting for {} to finish ({} s, at most {timeout_s} s)", record.name(), elapsed.as_secs());
    };
    let stopped = run::stop(record, Duration::from_secs(timeout_s), waiting, &|| host.interrupted());
    match stopped {
        Ok(Stopped::Finished | Stopped::WasOver) => told(record),
        Ok(Stopped::Killed) => Err(Failure::failed(format!("{} had to be killed", record.name()))
            .cause(format!("it did not finish within {timeout_s} s"))
            .hint("its last checkpoint on disk is intact and can be used")),
        Err(error @ StopError::Interrupted { .. }) => {
            eprintln!("{error}");
            Err(Failure::interrupted())
        }
        Err(error) => Err(Failure::failed(format!("cannot stop {}", record.name())).caused_by(&error)),
    }
}

/// What the run said last.
fn told(record: &RunRecord) -> Result<Exit, Failure> {
    match RunRecord::read(&record.logs.record()).map(|record| record.state) {
        Ok(RunState::Ended(ending)) if ending.exit_code <= 1 => {
            eprintln!("{}: {}", record.name(), ending.what);
            Ok(Exit::Done)
        }
        Ok(RunState::Ended(ending)) => Err(ending_failure(&ending)),
        _ => {
            eprintln!("{} is over", record.name());
            Ok(Exit::Done)
        }
    }
}
