//! The inside of a run's process, around the work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use deepracer_settings::RacingFolder;

use super::lock::{Lock, LockError};
use super::process_identity::ProcessIdentity;
use super::record::{Ending, RecordError, RunKind, RunRecord, RunState, runs_folder};

/// Size of the file that keeps room for the last word of a run: both copies of its record, should the disk be full.
const RESERVE_BYTES: usize = 128 << 10;

/// Why a process could not take up its run.
#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    /// Another run has the run id or the model.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The record could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// The run this process carries: its record is kept up to date, its locks are held until this is dropped.
#[derive(Debug)]
pub struct RunProcess {
    record: RunRecord,
    /// Where the record is written: beside its logs, and once the locks are held also where everybody looks.
    paths: Vec<PathBuf>,
    locks: Vec<Lock>,
}

impl RunProcess {
    /// Takes up the run described by the record at `path`: takes the lock of the run id and, for a training, that of the
    /// model, and writes this process into the record.
    ///
    /// When a lock is taken, the refusal is written into the record for whoever waits for the start.
    pub fn enter(path: &Path) -> Result<Self, EnterError> {
        let record = RunRecord::read(path)?;
        let folder = record.racing_folder();
        let mut run = Self { record, paths: vec![path.to_path_buf()], locks: Vec::new() };
        run.record.process = Some(ProcessIdentity::current());
        match take_locks(&folder, &run.record) {
            Ok(locks) => run.locks = locks,
            Err(error) => {
                let hints = vec![
                    "`dr-summary` shows what runs; stop it first, or use another DR_RUN_ID and model prefix".to_owned(),
                ];
                let what = format!("{} cannot start", run.record.name());
                run.ended(Ending { exit_code: 3, what, causes: vec![error.to_string()], hints })?;
                return Err(error.into());
            }
        }
        run.paths.push(RunRecord::path(&folder, run.record.kind, run.record.run_id));
        let reserve = run.record.logs.reserve();
        std::fs::write(&reserve, vec![0; RESERVE_BYTES]).map_err(|source| RecordError::File {
            action: "write",
            path: reserve,
            source,
        })?;
        run.change(RunState::Starting)?;
        Ok(run)
    }

    /// What is to be done.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Says that the run drives; whoever started it stops waiting.
    pub fn running(&mut self) -> Result<(), RecordError> {
        self.change(RunState::Running)
    }

    /// Says how the run ended. Room for that was reserved, so that a full disk cannot silence it.
    pub fn ended(&mut self, ending: Ending) -> Result<(), RecordError> {
        // It may be gone already; what matters is whether the record can be written.
        let _ = std::fs::remove_file(self.record.logs.reserve());
        self.change(RunState::Ended(ending))
    }

    fn change(&mut self, state: RunState) -> Result<(), RecordError> {
        self.record.state = state;
        self.paths.iter().try_for_each(|path| self.record.write(path))
    }
}

/// Takes up the run described by the record at `path`, does `work`, and writes down how it ended. Returns the exit code
/// of the process.
///
/// `work` calls [`RunProcess::running`] when it drives. A panic in it is written down like any other failure.
pub fn carry_out(path: &Path, work: &mut dyn FnMut(&mut RunProcess) -> Ending) -> u8 {
    let mut run = match RunProcess::enter(path) {
        Ok(run) => run,
        Err(error) => {
            eprintln!("{error}");
            return 3;
        }
    };
    let ending = catch_unwind(AssertUnwindSafe(|| work(&mut run))).unwrap_or_else(|_| Ending {
        exit_code: 3,
        what: format!("{} failed: an internal error, not a mistake of yours", run.record.name()),
        causes: vec![format!("see {}", run.record.logs.process().display())],
        hints: vec!["please report it with that file; the last checkpoint can be used".to_owned()],
    });
    let exit_code = ending.exit_code;
    if let Err(error) = run.ended(ending) {
        // A full disk, say: the exit code still tells.
        eprintln!("{error}");
        return 3;
    }
    exit_code
}

fn take_locks(folder: &RacingFolder, record: &RunRecord) -> Result<Vec<Lock>, LockError> {
    let name = record.name();
    let mut locks = vec![Lock::take(&run_lock(folder, &name), &name, &format!("the run id {}", record.run_id))?];
    if record.kind == RunKind::Training {
        let purpose = format!("the model `{}`", record.model_prefix);
        locks.push(Lock::take(&model_lock(folder, &record.model_prefix), &name, &purpose)?);
    }
    Ok(locks)
}

/// The lock of a run's name.
fn run_lock(folder: &RacingFolder, name: &str) -> PathBuf {
    runs_folder(folder).join("locks").join(format!("{name}.lock"))
}

/// The lock of a model that is being written.
pub(super) fn model_lock(folder: &RacingFolder, prefix: &str) -> PathBuf {
    // One file whatever the prefix holds: `/` and `%` are written as in a URL.
    let name = prefix.replace('%', "%25").replace('/', "%2F");
    runs_folder(folder).join("locks").join(format!("model {name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    #[test]
    fn a_process_takes_up_its_run_and_says_how_far_it_is() -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().to_path_buf());
        let path = RunRecord::path(&folder, RunKind::Training, 0);
        let mut record = example(&folder);
        record.model_prefix = "team/a%b".to_owned();
        record.write(&record.logs.record())?;
        assert!(!path.exists());

        let mut run = RunProcess::enter(&record.logs.record())?;
        assert_eq!(RunRecord::read(&path)?.process, Some(ProcessIdentity::current()));
        assert!(Lock::owner(&model_lock(&folder, "team/a%b")).is_some());
        assert!(Lock::owner(&model_lock(&folder, "team")).is_none());
        run.running()?;
        assert_eq!(RunRecord::read(&path)?.state, RunState::Running);
        assert_eq!(std::fs::metadata(record.logs.reserve())?.len(), RESERVE_BYTES as u64);
        let ending = Ending { exit_code: 0, what: "done".to_owned(), causes: vec![], hints: vec![] };
        run.ended(ending.clone())?;
        drop(run);
        assert_eq!(RunRecord::read(&path)?.state, RunState::Ended(ending));
        assert!(!record.logs.reserve().exists());
        assert_eq!(RunRecord::read(&record.logs.record())?, RunRecord::read(&path)?);
        assert!(Lock::owner(&model_lock(&folder, "team/a%b")).is_none());
        Ok(())
    }

    #[test]
    fn a_run_that_finds_its_model_in_use_says_so_and_leaves_the_other_record_alone()
    -> Result<(), Box<dyn std::error::Error>> {
        let base = tempfile::tempdir()?;
        let folder = RacingFolder::at(base.path().to_path_buf());
        let mut other = std::process::Command::new("sleep").arg("60").spawn()?;
        let owner = ProcessIdentity::of(other.id()).ok_or("the child is not there")?;
        let lock = model_lock(&folder, "foo-1");
        std::fs::create_dir_all(lock.parent().ok_or("no parent")?)?;
        std::fs::write(&lock, serde_json::json!({ "name": "deepracer-3", "process": owner }).to_string())?;

        let record = example(&folder);
        record.write(&record.logs.record())?;
        let refused = RunProcess::enter(&record.logs.record()).map(|_| ());
        other.kill()?;
        other.wait()?;
        assert!(matches!(refused, Err(EnterError::Lock(LockError::Taken { .. }))));
        let RunState::Ended(ending) = RunRecord::read(&record.logs.record())?.state else {
            return Err("not told".into());
        };
        assert_eq!(ending.causes, [format!("the model `foo-1` is in use by process {} (deepracer-3)", other.id())]);
        assert!(!RunRecord::path(&folder, RunKind::Training, 0).exists());
        Ok(())
    }
}
