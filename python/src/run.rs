//! The process of a run: signals in, work, exit code out.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use deepracer_job::stop::StopFlag;
use deepracer_job::work;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::reward_host::PythonReward;

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
    work::carry_out(record, &mut |source| Ok(Box::new(PythonReward::load(source)?)), stop)
}
