//! Lines of the trainer's and the workers' logs whose words are read by scripts and analysis tools.

use super::checkpoint_index::CheckpointName;
use super::python_text::{float, push_bool};
use super::simtrace::{StepRow, push_action};

use std::fmt::{Display, Write as _};

/// One step of training or of an evaluation job; evaluations between iterations are not logged this way.
/// Numbers are rounded, unlike in the trace file.
pub fn sim_trace_log(row: &StepRow) -> String {
    let mut text = String::with_capacity(160);
    push_sim_trace_log(&mut text, row);
    text
}

/// Appends the line of [`sim_trace_log`], without a line end, to a text the caller reuses.
pub fn push_sim_trace_log(text: &mut String, row: &StepRow) {
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "SIM_TRACE_LOG:{},{},{:.4},{:.4},{:.4},{:.2},{:.2},",
        row.episode, row.steps, row.x, row.y, row.yaw_deg, row.steer_deg, row.throttle_mps
    );
    push_action(text, row.action);
    let _ = write!(text, ",{:.4},", row.reward);
    push_bool(text, row.done);
    text.push(',');
    push_bool(text, row.all_wheels_on_track);
    let _ = write!(
        text,
        ",{:.4},{},{:.2},{},{},{:.2},{},{:.4}",
        row.progress,
        row.closest_waypoint,
        row.track_length_m,
        float(row.time_s),
        row.status.code(),
        row.pause_s,
        row.obstacle_crash_counter,
        row.wall_clock_s
    );
}

/// One epoch of policy training; the figures are means over its minibatches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochReport {
    /// Counts from 0.
    pub epoch: u32,
    /// The clipped surrogate loss.
    pub surrogate_loss: f64,
    /// Divergence of the new from the old policy, nats.
    pub kl_divergence: f64,
    /// Entropy of the policy, nats.
    pub entropy: f64,
    /// The optimiser's step size.
    pub learning_rate: f64,
}

/// One epoch of policy training.
pub fn policy_training(report: &EpochReport) -> String {
    format!(
        "Policy training> Surrogate loss={}, KL divergence={}, Entropy={}, training epoch={}, learning_rate={}",
        float(report.surrogate_loss),
        float(report.kl_divergence),
        float(report.entropy),
        report.epoch,
        float(report.learning_rate)
    )
}

/// An episode as the trainer and the workers count it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpisodeReport {
    /// The worker that drove it, from 0.
    pub worker: usize,
    /// Training episodes so far, this one included.
    pub episode: u64,
    /// Sum of the rewards; shown with two decimals.
    pub total_reward: f64,
    /// Training steps so far.
    pub num_steps: u64,
    /// Iterations completed before this episode.
    pub iteration: u64,
}

/// An episode driven for training.
pub fn training_episode(report: &EpisodeReport) -> String {
    episode_line("Training", report)
}

/// An episode driven to judge the model.
pub fn testing_episode(report: &EpisodeReport) -> String {
    episode_line("Testing", report)
}

fn episode_line(phase: &str, report: &EpisodeReport) -> String {
    format!(
        "{phase}> Name=main_level/agent, Worker={}, Episode={}, Total reward={}, Steps={}, Training iteration={}",
        report.worker,
        report.episode,
        float((report.total_reward * 100.0).round_ties_even() / 100.0),
        report.num_steps,
        report.iteration
    )
}

/// A checkpoint is being saved to a folder.
pub fn saving_checkpoint(folder: &str, name: CheckpointName) -> String {
    format!("Checkpoint> Saving in path=['{folder}/{name}']")
}

/// A checkpoint is being loaded from a folder.
pub fn restoring_checkpoint(folder: &str, name: impl Display) -> String {
    format!("Checkpoint> Restoring from path={folder}/{name}")
}

/// A checkpoint's files are in the bucket.
pub fn uploaded_checkpoint(num_files: usize, name: CheckpointName) -> String {
    format!("Uploaded {num_files} files for checkpoint {}", name.number)
}

/// Which checkpoints are the best and the newest. Scripts take the second number as the last iteration.
pub fn best_and_last(best: Option<CheckpointName>, last: Option<CheckpointName>) -> String {
    let number = |name: Option<CheckpointName>| name.map_or(-1, |name| i64::from(name.number));
    format!("Best checkpoint number: {}, Last checkpoint number: {}", number(best), number(last))
}

/// The evaluations between two iterations begin.
pub fn evaluation_started() -> String {
    "## agent: Starting evaluation phase".to_owned()
}

/// The evaluations between two iterations are over.
pub fn evaluation_finished(success_rate: f64, average_reward: f64) -> String {
    format!(
        "## agent: Finished evaluation phase. Success rate = {}, Avg Total Reward = {}",
        float(success_rate),
        float(average_reward)
    )
}

/// The training has reached its end.
pub const TRAINING_COMPLETE: &str = "Exited main loop. Done.";
/// The evaluation has reached its end.
pub const EVALUATION_COMPLETE: &str = "Evaluation job complete";

#[cfg(test)]
mod tests {
    use super::super::simtrace::ActionText;
    use super::*;
    use deepracer_race::EpisodeStatus;

    const NAME: CheckpointName = CheckpointName { number: 7, num_steps: 3120 };

    #[test]
    fn a_step_is_the_original_line() {
        let row = StepRow {
            episode: 4,
            steps: 17,
            x: 1.25,
            y: -0.5,
            yaw_deg: 88.1234,
            steer_deg: -15.0,
            throttle_mps: 1.2,
            action: ActionText::Index(1),
            reward: 0.95,
            done: false,
            all_wheels_on_track: true,
            progress: 12.34,
            closest_waypoint: 9,
            track_length_m: 17.67,
            time_s: 41.066,
            status: EpisodeStatus::InProgress,
            pause_s: 0.0,
            obstacle_crash_counter: 0,
            wall_clock_s: 1_700_000_000.123_4,
        };
        assert_eq!(
            sim_trace_log(&row),
            "SIM_TRACE_LOG:4,17,1.2500,-0.5000,88.1234,-15.00,1.20,1,0.9500,False,True,12.3400,9,17.67,41.066,\
             in_progress,0.00,0,1700000000.1234"
        );
        let continuous = StepRow {
            action: ActionText::SteeringAndSpeed { steering_deg: -7.25, speed_mps: 1.0 },
            done: true,
            time_s: 42.0,
            ..row
        };
        assert_eq!(
            sim_trace_log(&continuous),
            "SIM_TRACE_LOG:4,17,1.2500,-0.5000,88.1234,-15.00,1.20,[-7.25 1.0],0.9500,True,True,12.3400,9,17.67,42.0,\
             in_progress,0.00,0,1700000000.1234"
        );
    }

    #[test]
    fn trainer_lines_are_the_originals() {
        let epoch = EpochReport {
            epoch: 2,
            surrogate_loss: -0.0125,
            kl_divergence: 0.000_25,
            entropy: 1.609_437,
            learning_rate: 0.0003,
        };
        assert_eq!(
            policy_training(&epoch),
            "Policy training> Surrogate loss=-0.0125, KL divergence=0.00025, Entropy=1.609437, training epoch=2, \
             learning_rate=0.0003"
        );
        let episode = EpisodeReport { worker: 0, episode: 1, total_reward: 15_508.304, num_steps: 165, iteration: 0 };
        assert_eq!(
            training_episode(&episode),
            "Training> Name=main_level/agent, Worker=0, Episode=1, Total reward=15508.3, Steps=165, \
             Training iteration=0"
        );
        assert_eq!(
            testing_episode(&EpisodeReport { episode: 10, total_reward: 2.0, ..episode }),
            "Testing> Name=main_level/agent, Worker=0, Episode=10, Total reward=2.0, Steps=165, Training iteration=0"
        );
        assert_eq!(
            saving_checkpoint("./checkpoint/agent", NAME),
            "Checkpoint> Saving in path=['./checkpoint/agent/7_Step-3120.ckpt']"
        );
        assert_eq!(
            restoring_checkpoint("./checkpoint/agent", NAME),
            "Checkpoint> Restoring from path=./checkpoint/agent/7_Step-3120.ckpt"
        );
        assert_eq!(uploaded_checkpoint(3, NAME), "Uploaded 3 files for checkpoint 7");
        assert_eq!(best_and_last(None, Some(NAME)), "Best checkpoint number: -1, Last checkpoint number: 7");
    }

    #[test]
    fn worker_lines_are_the_originals() {
        assert_eq!(
            evaluation_finished(0.0, 141.25),
            "## agent: Finished evaluation phase. Success rate = 0.0, Avg Total Reward = 141.25"
        );
    }
}
