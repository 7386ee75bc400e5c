//! `dr-logs-sagemaker`, `dr-logs-robomaker`, and following the log of a run that was just started.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use deepracer_job::run::{Ending, Followed, RunKind, RunLogs, RunRecord, RunState, Started, follow};

use crate::arguments::{LogsRobomaker, LogsSagemaker, Settings};
use crate::context::{Context, record};
use crate::failure::{Exit, Failure};
use crate::host::Host;
use crate::output::Patient;

/// How much of a log is shown before what is new.
const RECENT: Duration = Duration::from_secs(5 * 60);

/// Which logs of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Trainer,
    /// Number of the worker, from 1.
    Worker(usize),
    All,
}

impl Shown {
    /// The files with the labels before their lines.
    fn files(self, logs: &RunLogs) -> Result<Vec<(PathBuf, String)>, Failure> {
        let num_workers = logs.num_workers();
        match self {
            Self::Trainer => Ok(vec![(logs.trainer(), String::new())]),
            Self::Worker(number) if (1..=num_workers).contains(&number) => {
                Ok(vec![(logs.worker(number - 1), String::new())])
            }
            Self::Worker(number) => Err(Failure::wrong_use(format!("there is no worker {number}"))
                .cause(format!("the run has {num_workers} (DR_WORKERS), counted from 1"))),
            Self::All => {
                let workers = (0..num_workers).map(|index| (logs.worker(index), format!("[robomaker-{}] ", index + 1)));
                Ok(std::iter::once((logs.trainer(), "[sagemaker] ".to_owned())).chain(workers).collect())
            }
        }
    }
}

/// Follows a run this command has started, to its end.
pub(crate) fn follow_started(started: &mut Started, shown: Shown, host: &dyn Host) -> Result<Exit, Failure> {
    let record = started.record.clone();
    show(&record, shown, None, &mut || started.is_over(), host)
}

pub(crate) fn sagemaker(arguments: &LogsSagemaker, host: &dyn Host) -> Result<Exit, Failure> {
    let record = find_run(&arguments.settings, RunKind::Training, arguments.wait, host)?;
    follow_run(&record, Shown::Trainer, arguments.all, host)
}

pub(crate) fn robomaker(arguments: &LogsRobomaker, host: &dyn Host) -> Result<Exit, Failure> {
    let kind = if arguments.evaluation { RunKind::Evaluation } else { RunKind::Training };
    let record = find_run(&arguments.settings, kind, arguments.wait, host)?;
    follow_run(&record, Shown::Worker(arguments.number), arguments.all, host)
}

/// The living run, or the last one; waits for one when asked to.
fn find_run(options: &Settings, kind: RunKind, wait_s: u64, host: &dyn Host) -> Result<RunRecord, Failure> {
    let settings = Context::inspect(options)?.settings;
    let run_id = u64::from(settings.config().run_id);
    let begun = Instant::now();
    loop {
        let found = record(settings.folder(), kind, run_id)?;
        let is_alive = found.as_ref().is_some_and(RunRecord::is_alive);
        if is_alive || begun.elapsed() >= Duration::from_secs(wait_s) {
            let start = if kind == RunKind::Training { "dr-start-training" } else { "dr-start-evaluation" };
            return found.ok_or_else(|| {
                Failure::wrong_use(format!("there is no {kind} run with DR_RUN_ID={run_id}"))
                    .hint(format!("`{start}` starts one"))
            });
        }
        if host.interrupted() {
            return Err(Failure::interrupted());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Follows a living run; shows what a dead one has left.
fn follow_run(record: &RunRecord, shown: Shown, from_start: bool, host: &dyn Host) -> Result<Exit, Failure> {
    let is_alive = record.is_alive();
    if !is_alive {
        eprintln!("{} is over; this is its log", record.describe());
    }
    // Of a run that is over nothing is recent.
    let since = (is_alive && !from_start).then(|| SystemTime::now() - RECENT);
    show(record, shown, since, &mut || !record.is_alive(), host)
}

fn show(
    record: &RunRecord,
    shown: Shown,
    since: Option<SystemTime>,
    is_over: &mut dyn FnMut() -> bool,
    host: &dyn Host,
) -> Result<Exit, Failure> {
    let files = shown.files(&record.logs)?;
    let followed = follow(&files, since, &mut Patient::stdout(host), is_over, &|| host.interrupted())
        .map_err(|error| Failure::failed("cannot show the log").caused_by(&error))?;
    match followed {
        Followed::RunEnded => ending(record),
        Followed::ReaderGone => Ok(Exit::Done),
        Followed::Interrupted => {
            eprintln!("\n{} goes on; only following its log has ended", record.name());
            Ok(Exit::Interrupted)
        }
    }
}

/// What became of a run that is over.
pub(crate) fn ending(record: &RunRecord) -> Result<Exit, Failure> {
    let last = RunRecord::read(&record.logs.record())
        .map_err(|error| Failure::failed("cannot see how the run ended").caused_by(&error))?;
    let RunState::Ended(ending) = last.state else {
        return Err(Failure::failed(format!("{} was killed", record.name()))
            .cause("its process is gone and left no word")
            .hint(format!("see {}; the last checkpoint can be used", record.logs.process().display())));
    };
    match ending.exit_code {
        0 => {
            eprintln!("{}", ending.what);
            Ok(Exit::Done)
        }
        1 => {
            eprintln!("{}", ending.what);
            Ok(Exit::MissedGoal)
        }
        _ => Err(ending_failure(&ending)),
    }
}

/// A failure as the process of the run told it.
pub(crate) fn ending_failure(ending: &Ending) -> Failure {
    let failure = if ending.exit_code == 2 { Failure::wrong_use(&ending.what) } else { Failure::failed(&ending.what) };
    let failure = ending.causes.iter().fold(failure, Failure::cause);
    ending.hints.iter().fold(failure, Failure::hint)
}
