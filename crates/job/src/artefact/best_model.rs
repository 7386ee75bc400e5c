//! Which checkpoint is the best: the mean of its evaluations in the chosen metric decides.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::checkpoint_index::{CheckpointIndex, CheckpointName, ScoredCheckpoint};
use super::metrics::EpisodeSummary;
use super::python_text::push_float;
use super::simtrace::push_progress;

/// The lap time, in milliseconds, that an unfinished lap counts as.
pub const UNFINISHED_LAP_MS: f64 = 999_999.0;

/// What checkpoints are compared by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BestModelMetric {
    /// Percent of the lap; more is better.
    #[default]
    Progress,
    /// Sum of the rewards of the episode; more is better.
    Reward,
    /// Milliseconds of a finished lap; less is better. An unfinished one counts as [`UNFINISHED_LAP_MS`].
    LapTime,
}

/// A text that names no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a metric to choose the best model by; use `progress`, `reward` or `laptime`")]
pub struct UnknownMetric(String);

impl FromStr for BestModelMetric {
    type Err = UnknownMetric;

    /// Capital letters are accepted, as in the original.
    fn from_str(text: &str) -> Result<BestModelMetric, UnknownMetric> {
        match text.to_lowercase().as_str() {
            "progress" => Ok(BestModelMetric::Progress),
            "reward" => Ok(BestModelMetric::Reward),
            "laptime" => Ok(BestModelMetric::LapTime),
            _ => Err(UnknownMetric(text.to_owned())),
        }
    }
}

impl fmt::Display for BestModelMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BestModelMetric::Progress => "progress",
            BestModelMetric::Reward => "reward",
            BestModelMetric::LapTime => "laptime",
        })
    }
}

impl BestModelMetric {
    /// The value of an evaluation episode.
    pub fn value(self, episode: &EpisodeSummary) -> f64 {
        match self {
            BestModelMetric::Progress => episode.progress,
            BestModelMetric::Reward => episode.reward_sum,
            BestModelMetric::LapTime if episode.progress < 100.0 => UNFINISHED_LAP_MS,
            BestModelMetric::LapTime => ((episode.end_time_s - episode.start_time_s) * 1000.0).round(),
        }
    }

    /// Whether `new` replaces `old` as the best. A tie goes to the newer checkpoint.
    fn is_as_good(self, new: f64, old: f64) -> bool {
        match self {
            BestModelMetric::Progress | BestModelMetric::Reward => new >= old,
            BestModelMetric::LapTime => new <= old,
        }
    }
}

/// Keeps track of the best checkpoint of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BestModelSelection {
    metric: BestModelMetric,
    best: Option<ScoredCheckpoint>,
}

/// The outcome of [`BestModelSelection::judge`].
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The index to write.
    pub index: CheckpointIndex,
    /// The lines to log, in order.
    pub log_lines: Vec<String>,
    /// Whether the judged checkpoint is the best now.
    pub is_best: bool,
}

impl BestModelSelection {
    /// Without a best checkpoint: a new model, or one that starts from another (whose score is not inherited).
    pub fn new(metric: BestModelMetric) -> BestModelSelection {
        BestModelSelection { metric, best: None }
    }

    /// With the best checkpoint of a run that is being resumed.
    pub fn resume(metric: BestModelMetric, index: &CheckpointIndex) -> BestModelSelection {
        BestModelSelection { metric, best: Some(index.best_checkpoint.clone()) }
    }

    /// The best checkpoint so far.
    pub fn best(&self) -> Option<CheckpointName> {
        self.best.as_ref().map(|best| best.name)
    }

    /// Judges a checkpoint by the values of its evaluations ([`BestModelMetric::value`]) at a simulated time.
    ///
    /// The first checkpoint of a run becomes the best one for want of another. One without evaluations does not
    /// replace a best one that has a score.
    pub fn judge(&mut self, checkpoint: CheckpointName, values: &[f64], time_s: f64) -> Judgement {
        let metric = self.metric;
        let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let best_mean = self.best.as_ref().and_then(|best| best.avg_eval_metric);
        let judged = ScoredCheckpoint { name: checkpoint, avg_eval_metric: mean, time_stamp: time_s };
        let is_best = match (mean, best_mean) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(mean), Some(best)) => metric.is_as_good(mean, best),
        };

        let mut log_lines = vec![
            format!(
                "[BestModelSelection] Number of evaluations: {} Evaluation episode {metric}: {}",
                values.len(),
                list(values)
            ),
            format!("[BestModelSelection] Evaluation episode {metric} mean: {}", number(mean)),
        ];
        if is_best {
            let old_name = self.best().map_or_else(|| "None".to_owned(), |name| name.to_string());
            log_lines.push(format!(
                "[BestModelSelection] current {metric} mean: {} >= best {metric} mean: {}",
                number(mean),
                number(best_mean)
            ));
            log_lines.push(format!(
                "[BestModelSelection] Updating the best checkpoint to \"{checkpoint}\" from \"{old_name}\"."
            ));
            self.best = Some(judged.clone());
        }
        let best_checkpoint = self.best.clone().unwrap_or_else(|| judged.clone());
        Judgement { index: CheckpointIndex { best_checkpoint, last_checkpoint: judged }, log_lines, is_best }
    }
}

/// `[44.8, 100]`; a finished lap is the only whole number, as in traces.
fn list(values: &[f64]) -> String {
    let mut text = String::from("[");
    for (index, value) in values.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ", " });
        push_progress(&mut text, *value);
    }
    text.push(']');
    text
}

fn number(value: Option<f64>) -> String {
    let mut text = String::new();
    match value {
        Some(value) => push_float(&mut text, value),
        None => text.push_str("None"),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_race::EpisodeStatus;

    fn name(number: u32) -> CheckpointName {
        CheckpointName { number, num_steps: 0 }
    }

    #[test]
    fn the_first_selections_are_logged_as_in_the_original() {
        let mut selection = BestModelSelection::new(BestModelMetric::Progress);
        let first = selection.judge(name(308), &[], 35.0);
        assert_eq!(
            first.log_lines,
            [
                "[BestModelSelection] Number of evaluations: 0 Evaluation episode progress: []",
                "[BestModelSelection] Evaluation episode progress mean: None",
                "[BestModelSelection] current progress mean: None >= best progress mean: None",
                "[BestModelSelection] Updating the best checkpoint to \"308_Step-0.ckpt\" from \"None\".",
            ]
        );
        let second = selection.judge(name(308), &[44.824_225_232_137_58, 100.0], 90.0);
        assert_eq!(
            second.log_lines,
            [
                "[BestModelSelection] Number of evaluations: 2 Evaluation episode progress: [44.82422523213758, 100]",
                "[BestModelSelection] Evaluation episode progress mean: 72.41211261606878",
                "[BestModelSelection] current progress mean: 72.41211261606878 >= best progress mean: None",
                "[BestModelSelection] Updating the best checkpoint to \"308_Step-0.ckpt\" from \"308_Step-0.ckpt\".",
            ]
        );
        let third = selection.judge(name(309), &[72.0], 130.0);
        assert!(!third.is_best);
        assert_eq!(third.log_lines.len(), 2);
        assert_eq!(third.index.best_checkpoint.name, name(308));
        assert_eq!(
            third.index.last_checkpoint,
            ScoredCheckpoint { name: name(309), avg_eval_metric: Some(72.0), time_stamp: 130.0 }
        );
    }

    #[test]
    fn ties_go_to_the_newer_checkpoint_and_lap_times_to_the_smaller() {
        for (metric, better, worse) in [
            (BestModelMetric::Progress, 60.0, 50.0),
            (BestModelMetric::Reward, 60.0, 50.0),
            (BestModelMetric::LapTime, 9000.0, UNFINISHED_LAP_MS),
        ] {
            let mut selection = BestModelSelection::new(metric);
            assert!(selection.judge(name(0), &[worse], 1.0).is_best);
            assert!(selection.judge(name(1), &[worse], 2.0).is_best, "a tie");
            assert!(selection.judge(name(2), &[better], 3.0).is_best);
            assert!(!selection.judge(name(3), &[worse], 4.0).is_best);
            assert!(!selection.judge(name(4), &[], 5.0).is_best, "never evaluated");
            assert_eq!(selection.best(), Some(name(2)));
        }
    }

    #[test]
    fn a_resumed_run_keeps_its_best_score() {
        let mut selection = BestModelSelection::new(BestModelMetric::Reward);
        let judgement = selection.judge(name(5), &[10.0, 20.0], 1.0);
        let mut resumed = BestModelSelection::resume(BestModelMetric::Reward, &judgement.index);
        assert_eq!(resumed, selection);
        assert!(!resumed.judge(name(6), &[14.9], 2.0).is_best);
    }

    #[test]
    fn values_follow_the_metric() {
        let lap = EpisodeSummary {
            reward_sum: 812.25,
            progress: 100.0,
            start_time_s: 10.0,
            end_time_s: 23.801,
            status: EpisodeStatus::LapComplete,
        };
        let part = EpisodeSummary { progress: 99.9, status: EpisodeStatus::OffTrack, ..lap };
        assert_eq!(BestModelMetric::Progress.value(&part), 99.9);
        assert_eq!(BestModelMetric::Reward.value(&lap), 812.25);
        assert_eq!(BestModelMetric::LapTime.value(&lap), 13_801.0);
        assert_eq!(BestModelMetric::LapTime.value(&part), 999_999.0);
    }

    #[test]
    fn metrics_are_named_in_any_case() {
        assert_eq!("LapTime".parse(), Ok(BestModelMetric::LapTime));
        assert_eq!(BestModelMetric::LapTime.to_string(), "laptime");
        assert_eq!(
            "speed".parse::<BestModelMetric>().unwrap_err().to_string(),
            "`speed` is not a metric to choose the best model by; use `progress`, `reward` or `laptime`"
        );
    }
}
