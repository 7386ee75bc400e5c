//! What the process of a run does: trains or evaluates as its record says, and tells how it went.

use std::cmp::Ordering;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::Path;

use deepracer_bucket::{Bucket as _, LocalBucket, join};
use deepracer_race::LapResult;

use crate::artefact::layout::ModelLayout;
use crate::artefact::simtrace::StepRow;
use crate::error::JobError;
use crate::evaluate::{self, EvaluationOutcome, OpponentOutcome};
use crate::picture::{Caption, DrivenLine, draw_driven_lines};
use crate::reward::{CenterLine, RewardError, RewardFunction};
use crate::rollout::RolloutError;
use crate::run::{self, Ending, LogFile, RewardSource, RunKind, RunProcess, RunRecord};
use crate::stop::StopFlag;
use crate::train::{self, Ended, TrainOutcome};

/// Loads a reward function; called once per worker.
pub type LoadReward<'a> = dyn FnMut(&RewardSource) -> Result<Box<dyn RewardFunction>, RewardError> + Send + 'a;

/// Carries the run of the record at `path` to its end and returns the exit code of its process.
pub fn carry_out(path: &Path, load: &mut LoadReward<'_>, stop: &StopFlag) -> u8 {
    run::carry_out(path, &mut |run| work(run, load, stop))
}

fn work(run: &mut RunProcess, load: &mut LoadReward<'_>, stop: &StopFlag) -> Ending {
    let record = run.record().clone();
    let mut rewards = |_worker: usize| match &record.request.reward {
        Some(source) => load(source),
        None => Ok(Box::new(CenterLine) as Box<dyn RewardFunction>),
    };
    let mut drives = false;
    let mut running = || {
        drives = true;
        if let Err(error) = run.running() {
            // The work goes on; whoever started the run waits for its end instead.
            eprintln!("{error}");
        }
    };
    let ending = match record.kind {
        RunKind::Training => {
            train::run(&record, &mut rewards, stop, &mut running).map(|outcome| trained(&record, &outcome))
        }
        RunKind::Evaluation => {
            evaluate::run(&record, &mut rewards, stop, &mut running).and_then(|outcome| evaluated(&record, &outcome))
        }
    };
    ending.unwrap_or_else(|error| match error {
        JobError::Rollout(RolloutError::Stopped) => done(0, format!("the {} was stopped", record.kind)),
        error => failed(&record, &error, drives),
    })
}

fn done(exit_code: u8, what: String) -> Ending {
    Ending { exit_code, what, causes: Vec::new(), hints: Vec::new() }
}

/// A training that was to reach a completion but ran out of what it was given has missed its goal.
fn trained(record: &RunRecord, outcome: &TrainOutcome) -> Ending {
    let best = outcome.best.map_or_else(|| "none".to_owned(), |name| name.to_string());
    let what = format!(
        "training of `{}` ended: {}; {} iterations, {} episodes, {} steps; best checkpoint {best}, last {}",
        record.model_prefix,
        outcome.ended.reason(),
        outcome.num_iterations,
        outcome.num_episodes,
        outcome.num_steps,
        outcome.last,
    );
    let has_goal = record
        .request
        .configs()
        .is_ok_and(|configs| configs.first().is_some_and(|config| config.train.stop_completion_percent.is_some()));
    let missed = has_goal && !matches!(outcome.ended, Ended::Completion | Ended::Stopped);
    done(u8::from(missed), what)
}

/// Tells of the laps in the worker's log, draws the driven line beside the trace.
fn evaluated(record: &RunRecord, outcome: &EvaluationOutcome) -> Result<Ending, JobError> {
    let config = record.request.configs()?.swap_remove(0);
    let folder = record.racing_folder().bucket(&config.storage.bucket);
    let bucket = LocalBucket::new(&folder);
    let model = ModelLayout::new(&config.storage.model_prefix)?;
    let picture_key = join(&model.key(&format!("evaluation-{}", record.request.stamp)), "driven_line.png");
    let mut lines = driven_lines("lap", &outcome.rows, &outcome.laps);
    let mut report = lap_table(&outcome.laps);
    let mut files = vec![("picture", &picture_key), ("trace", &outcome.trace_key), ("metrics", &outcome.metrics_key)];
    if let Some(opponent) = &outcome.opponent {
        lines.extend(driven_lines("opponent's lap", &opponent.rows, &opponent.laps));
        report = format!("{}\n{report}\n{}\n{}", record.model_prefix, opponent.prefix, lap_table(&opponent.laps));
        files.extend([("opponent's trace", &opponent.trace_key), ("opponent's metrics", &opponent.metrics_key)]);
    }
    bucket.put(&picture_key, &draw_driven_lines(&outcome.track, &Caption::of(&outcome.track), &lines)?)?;
    for (name, key) in files {
        let _ = writeln!(report, "{name}: {}", folder.join(key).display());
    }
    let path = record.logs.worker(0);
    LogFile::open(&path).and_then(|mut log| log.write(&report)).map_err(|source| JobError::Log { path, source })?;
    let (num_completed, num_trials) = (outcome.num_completed(), outcome.num_trials as usize);
    let sum = |count: fn(&LapResult) -> u32| outcome.laps.iter().map(count).sum::<u32>();
    let num_crashes = sum(|lap| lap.num_crashes);
    let crashes = if num_crashes > 0 { format!(", {num_crashes} crashes") } else { String::new() };
    let what = format!(
        "evaluation of `{}`, checkpoint {}: {num_completed} of {num_trials} laps complete, {} times off the track{crashes}{}",
        record.model_prefix,
        outcome.policy,
        sum(|lap| lap.num_off_tracks),
        outcome.opponent.as_ref().map_or_else(String::new, |opponent| against(outcome, opponent)),
    );
    Ok(done(u8::from(num_completed < num_trials), what))
}

/// Who won, in words that go on a sentence.
fn against(outcome: &EvaluationOutcome, opponent: &OpponentOutcome) -> String {
    let [own, other] = [&outcome.laps, &opponent.laps].map(|laps| total_progress(laps));
    let num_completed = opponent.laps.iter().filter(|lap| lap.progress >= 100.0).count();
    let verdict = match own.total_cmp(&other) {
        Ordering::Greater => "won against",
        Ordering::Less => "lost against",
        Ordering::Equal => "drew with",
    };
    format!("; {verdict} `{}`, checkpoint {}, which completed {num_completed}", opponent.prefix, opponent.policy)
}

/// How far a car came in all laps, percent of a lap.
fn total_progress(laps: &[LapResult]) -> f64 {
    laps.iter().map(|lap| lap.progress.clamp(0.0, 100.0)).sum()
}

/// One line per lap, named "`name` 1" and so on; a lap's rows carry its number in the trace's episode column.
fn driven_lines(name: &str, rows: &[StepRow], laps: &[LapResult]) -> Vec<DrivenLine> {
    rows.chunk_by(|row, next| row.episode == next.episode)
        .zip(laps)
        .enumerate()
        .map(|(index, (rows, lap))| DrivenLine::from_steps(format!("{name} {}", index + 1), rows, lap.elapsed_s()))
        .collect()
}

/// The laps as a table, with the sum of the complete ones.
fn lap_table(laps: &[LapResult]) -> String {
    let mut table = format!(
        "{:>4}  {:>9}  {:>9}  {:<14}  {:>9}  {:>7}\n",
        "LAP", "TIME", "PROGRESS", "END", "OFF TRACK", "CRASHES"
    );
    for (index, lap) in laps.iter().enumerate() {
        let _ = writeln!(
            table,
            "{:>4}  {:>7.3} s  {:>7.1} %  {:<14}  {:>9}  {:>7}",
            index + 1,
            lap.end_s - lap.start_s,
            lap.progress.clamp(0.0, 100.0),
            lap.status.label(),
            lap.num_off_tracks,
            lap.num_crashes,
        );
    }
    let complete: Vec<f64> =
        laps.iter().filter(|lap| lap.progress >= 100.0).map(|lap| lap.end_s - lap.start_s).collect();
    if let Some(fastest) = complete.iter().copied().reduce(f64::min) {
        let mean = complete.iter().sum::<f64>() / complete.len() as f64;
        let _ = writeln!(table, "{} complete, fastest {fastest:.3} s, mean {mean:.3} s", complete.len());
    }
    table
}

/// An error in words: before it drives most are the user's to mend (exit code 2), later ones are failures (3).
fn failed(record: &RunRecord, error: &JobError, drives: bool) -> Ending {
    let (exit_code, what) = match (drives, error.is_user_error()) {
        (false, true) => (2, format!("the {} of `{}` cannot start", record.kind, record.model_prefix)),
        (false, false) => (3, format!("the {} of `{}` cannot start", record.kind, record.model_prefix)),
        (true, _) => (3, format!("the {} of `{}` had to end", record.kind, record.model_prefix)),
    };
    let mut causes: Vec<String> = Vec::new();
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !causes.iter().any(|cause| cause.contains(&text)) {
            causes.push(text);
        }
        next = error.source();
    }
    causes.extend(traceback(error).map(|traceback| format!("called from\n{traceback}")));
    let mut hints: Vec<String> = error.hint().into_iter().collect();
    if is_disk_full(error) {
        hints.push(
            "free some space on that disk; a training goes on from its last checkpoint with `dr-start-training --resume`"
                .to_owned(),
        );
    }
    Ending { exit_code, what, causes, hints }
}

/// Whether an error goes back to a disk, or the user's share of it, being full.
fn is_disk_full(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)) {
            return true;
        }
        next = error.source();
    }
    false
}

/// The traceback of a reward function.
fn traceback(error: &JobError) -> Option<&str> {
    let (JobError::Reward(reward) | JobError::Rollout(RolloutError::Reward { source: reward, .. })) = error else {
        return None;
    };
    let (RewardError::Load { traceback, .. } | RewardError::Raised { traceback, .. }) = reward else { return None };
    Some(traceback.trim_end()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_race::EpisodeStatus;

    #[test]
    fn the_table_shows_every_lap_and_sums_up_the_complete_ones() {
        let lap = |time_s: f64, progress: f64, status| LapResult {
            start_s: 10.0,
            end_s: 10.0 + time_s,
            progress,
            status,
            num_crashes: 0,
            num_off_tracks: u32::from(progress < 100.0),
            num_immobilized: 0,
            num_reversed: 0,
        };
        let laps = [
            lap(12.0, 100.0, EpisodeStatus::LapComplete),
            lap(3.5, 30.25, EpisodeStatus::OffTrack),
            lap(11.0, 100.0, EpisodeStatus::LapComplete),
        ];
        assert_eq!(
            lap_table(&laps),
            " LAP       TIME   PROGRESS  END             OFF TRACK  CRASHES\n   \
             1   12.000 s    100.0 %  Lap complete            0        0\n   \
             2    3.500 s     30.2 %  Off track               1        0\n   \
             3   11.000 s    100.0 %  Lap complete            0        0\n\
             2 complete, fastest 11.000 s, mean 11.500 s\n"
        );
    }
}
