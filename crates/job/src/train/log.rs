//! The two kinds of logs of a run, and what they say about an episode.

use std::path::PathBuf;

use deepracer_policy::Choice;
use deepracer_settings::model_metadata::ActionSpace;

use crate::artefact::log_lines;
use crate::artefact::simtrace::{ActionText, StepRow};
use crate::error::JobError;
use crate::rollout::{Episode, Row, to_action};
use crate::run::{LogFile, RunLogs};

/// A log with its place, for messages.
pub(crate) struct Log {
    file: LogFile,
    path: PathBuf,
}

impl Log {
    /// Opens a log for appending.
    pub(crate) fn open(path: PathBuf) -> Result<Self, JobError> {
        match LogFile::open(&path) {
            Ok(file) => Ok(Self { file, path }),
            Err(source) => Err(JobError::Log { path, source }),
        }
    }

    /// Appends lines.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), JobError> {
        self.file.write(text).map_err(|source| JobError::Log { path: self.path.clone(), source })
    }
}

/// The logs of a run: one of the trainer, one per worker.
pub(crate) struct Logs {
    pub(crate) trainer: Log,
    pub(crate) workers: Vec<Log>,
}

impl Logs {
    /// Opens all logs.
    pub(crate) fn open(logs: &RunLogs, num_workers: usize) -> Result<Self, JobError> {
        let workers = (0..num_workers).map(|index| Log::open(logs.worker(index))).collect::<Result<_, _>>()?;
        Ok(Self { trainer: Log::open(logs.trainer())?, workers })
    }
}

/// A step as traces spell it; `number` is the value of the trace's episode column.
pub(crate) fn step_row(number: u64, row: &Row, actions: &ActionSpace) -> StepRow {
    let params = &row.step.params;
    StepRow {
        episode: number,
        steps: params.steps as u32,
        x: params.x,
        y: params.y,
        yaw_deg: params.heading,
        steer_deg: row.action.steering_deg,
        throttle_mps: row.action.speed_mps,
        action: match row.choice {
            Choice::Index(index) => ActionText::Index(index),
            Choice::Vector(_) => {
                let action = to_action(actions, &row.choice);
                ActionText::SteeringAndSpeed { steering_deg: action.steering_deg, speed_mps: action.speed_mps }
            }
        },
        reward: row.reward,
        done: row.step.done,
        all_wheels_on_track: params.all_wheels_on_track,
        progress: params.progress,
        closest_waypoint: row.step.closest_waypoint,
        track_length_m: params.track_length,
        time_s: row.time_s,
        status: row.step.status,
        pause_s: row.step.pause_s,
        obstacle_crash_counter: row.step.num_obstacle_crashes,
        wall_clock_s: row.wall_clock_s,
    }
}

/// Appends what a worker's log says of an episode: its steps, and between them what the reward function printed.
pub(crate) fn push_episode(text: &mut String, episode: &Episode, rows: impl Iterator<Item = StepRow>) {
    let mut printed = episode.printed.iter().peekable();
    for (index, row) in rows.enumerate() {
        while let Some((_, line)) = printed.next_if(|(at, _)| *at <= index) {
            text.push_str(line.trim_end_matches('\n'));
            text.push('\n');
        }
        log_lines::push_sim_trace_log(text, &row);
        text.push('\n');
    }
}
