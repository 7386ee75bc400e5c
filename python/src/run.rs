//! The process of a run: signals in, work, exit code out.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use deepracer_job::run::{self, Ending, RunKind, RunProcess};
use deepracer_job::stop::StopFlag;
use signal_hook::consts::{SIGINT, SIGTERM};

/// A flag that SIGTERM and SIGINT set; the run then saves and ends.
pub(crate) fn stop_on_signals() -> io::Result<StopFlag> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(StopFlag::from_shared(flag))
}

/// Carries the run of a record to its end.
pub(crate) fn carry_out(record: &Path, stop: &StopFlag) -> u8 {
    run::carry_out(record, &mut |run| work(run, stop))
}

fn work(run: &mut RunProcess, _stop: &StopFlag) -> Ending {
    let what = match run.record().kind {
        RunKind::Training => "training",
        RunKind::Evaluation => "evaluation",
    };
    Ending { exit_code: 3, what: format!("this build has no {what} yet"), causes: vec![], hints: vec![] }
}
