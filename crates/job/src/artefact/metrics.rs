//! Episode metrics of training and evaluation: JSON files that are rewritten as a whole.

use deepracer_bucket::{Bucket, BucketError};
use deepracer_race::EpisodeStatus;
use serde::{Deserialize, Serialize};

use super::best_model::BestModelMetric;
use super::{ArtefactError, json_text};

/// An episode as metrics see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpisodeSummary {
    /// Sum of the step rewards.
    pub reward_sum: f64,
    /// Percent of the lap at the end.
    pub progress: f64,
    /// Simulated seconds at the start of the episode, its prepare step included.
    pub start_time_s: f64,
    /// Simulated seconds at the end.
    pub end_time_s: f64,
    /// How it ended.
    pub status: EpisodeStatus,
}

/// A lap or episode of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationTrial {
    /// Percent of the lap at the end.
    pub progress: f64,
    /// Simulated seconds at the start.
    pub start_time_s: f64,
    /// Simulated seconds at the end; penalties waited out are part of the time.
    pub end_time_s: f64,
    /// How it ended: lap complete, or what ended the episode.
    pub status: EpisodeStatus,
    /// Crashes of this lap.
    pub num_crashes: u32,
    /// Times the car stood still.
    pub num_immobilized: u32,
    /// Times the car left the road.
    pub num_off_tracks: u32,
    /// Times the car drove backwards.
    pub num_reversed: u32,
}

/// Simulated seconds as whole milliseconds.
fn milliseconds(time_s: f64) -> i64 {
    (time_s * 1000.0).round() as i64
}

/// Percent, cut to a whole number within 0 to 100: a car that rolled backwards over its start has done nothing.
fn whole_percent(progress: f64) -> u8 {
    // A float that is not a number becomes 0.
    progress.clamp(0.0, 100.0) as u8
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TrainingPhase {
    Training,
    Evaluation,
}

/// A row of the training metrics, fields in the original's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TrainingRow {
    reward_score: i64,
    metric_time: i64,
    start_time: i64,
    elapsed_time_in_milliseconds: i64,
    episode: u64,
    trial: u64,
    phase: TrainingPhase,
    completion_percentage: u8,
    episode_status: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct TrainingFile {
    metrics: Vec<TrainingRow>,
    version: f64,
    best_model_metric: BestModelMetric,
}

/// The metrics of one training worker.
///
/// Episodes count from 1 and run on through the whole training; trials count from 1 within an iteration (worker 0) or
/// run on as well (other workers). Rows of evaluations between iterations repeat both numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingMetrics {
    rows: Vec<TrainingRow>,
    best_model_metric: BestModelMetric,
    is_first_worker: bool,
    num_episodes: u64,
    num_trials: u64,
}

impl TrainingMetrics {
    /// Metrics without episodes, for a worker counted from 0.
    pub fn new(worker: usize, best_model_metric: BestModelMetric) -> TrainingMetrics {
        TrainingMetrics {
            rows: Vec::new(),
            best_model_metric,
            is_first_worker: worker == 0,
            num_episodes: 0,
            num_trials: 0,
        }
    }

    /// Continues the file of a run that is being resumed; a missing file is an empty one. Rows after the first
    /// `num_rows` are dropped: they belong to an iteration that will be driven again.
    pub fn resume(
        bucket: &dyn Bucket,
        key: &str,
        worker: usize,
        best_model_metric: BestModelMetric,
        num_rows: usize,
    ) -> Result<TrainingMetrics, ArtefactError> {
        let bytes = match bucket.get(key) {
            Ok(bytes) => bytes,
            Err(BucketError::NotFound { .. }) => return Ok(TrainingMetrics::new(worker, best_model_metric)),
            Err(error) => return Err(error.into()),
        };
        let mut file: TrainingFile = serde_json::from_slice(&bytes).map_err(|error| ArtefactError::Damaged {
            key: key.to_owned(),
            reason: error.to_string(),
            hint: "move it away to begin new metrics, then start again",
        })?;
        file.metrics.truncate(num_rows);
        let last = file.metrics.last();
        Ok(TrainingMetrics {
            num_episodes: last.map_or(0, |row| row.episode),
            num_trials: last.map_or(0, |row| row.trial),
            ..TrainingMetrics::new(worker, best_model_metric).with_rows(file.metrics)
        })
    }

    fn with_rows(mut self, rows: Vec<TrainingRow>) -> TrainingMetrics {
        self.rows = rows;
        self
    }

    /// Tells that the training part of a new iteration begins.
    pub fn begin_iteration(&mut self) {
        if self.is_first_worker {
            self.num_trials = 0;
        }
    }

    /// Adds an episode driven for training.
    pub fn push_training(&mut self, episode: &EpisodeSummary) {
        self.num_episodes += 1;
        self.num_trials += 1;
        self.push(TrainingPhase::Training, episode);
    }

    /// Adds an episode driven to judge the model between iterations.
    pub fn push_evaluation(&mut self, episode: &EpisodeSummary) {
        self.push(TrainingPhase::Evaluation, episode);
    }

    fn push(&mut self, phase: TrainingPhase, episode: &EpisodeSummary) {
        let start_time = milliseconds(episode.start_time_s);
        let metric_time = milliseconds(episode.end_time_s);
        self.rows.push(TrainingRow {
            reward_score: episode.reward_sum.round_ties_even() as i64,
            metric_time,
            start_time,
            elapsed_time_in_milliseconds: metric_time - start_time,
            episode: self.num_episodes,
            trial: self.num_trials,
            phase,
            completion_percentage: whole_percent(episode.progress),
            episode_status: episode.status.label().to_owned(),
        });
    }

    /// Training episodes so far.
    pub fn num_episodes(&self) -> u64 {
        self.num_episodes
    }

    /// Rows so far, evaluations included. A checkpoint remembers this number for [`TrainingMetrics::resume`].
    pub fn num_rows(&self) -> usize {
        self.rows.len()
    }

    /// The text of the file.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct File<'rows> {
            metrics: &'rows [TrainingRow],
            version: f64,
            best_model_metric: BestModelMetric,
        }
        json_text::to_string(&File { metrics: &self.rows, version: 2.0, best_model_metric: self.best_model_metric })
    }

    /// Writes the file.
    pub fn save(&self, bucket: &dyn Bucket, key: &str) -> Result<(), BucketError> {
        bucket.put(key, self.json().as_bytes())
    }
}

/// A row of the evaluation metrics, fields in the original's order.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct EvaluationRow {
    completion_percentage: u8,
    metric_time: i64,
    start_time: i64,
    elapsed_time_in_milliseconds: i64,
    episode_status: &'static str,
    crash_count: u32,
    immobilized_count: u32,
    off_track_count: u32,
    reversed_count: u32,
    reset_count: u32,
    trial: usize,
}

/// The metrics of an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EvaluationMetrics {
    #[serde(rename = "metrics")]
    rows: Vec<EvaluationRow>,
}

impl EvaluationMetrics {
    /// Metrics without trials.
    pub fn new() -> EvaluationMetrics {
        EvaluationMetrics::default()
    }

    /// Adds a finished trial: a lap, or an episode that has ended.
    pub fn push(&mut self, trial: &EvaluationTrial) {
        let start_time = milliseconds(trial.start_time_s);
        let metric_time = milliseconds(trial.end_time_s);
        self.rows.push(EvaluationRow {
            completion_percentage: whole_percent(trial.progress),
            metric_time,
            start_time,
            elapsed_time_in_milliseconds: metric_time - start_time,
            episode_status: trial.status.label(),
            crash_count: trial.num_crashes,
            immobilized_count: trial.num_immobilized,
            off_track_count: trial.num_off_tracks,
            reversed_count: trial.num_reversed,
            reset_count: trial.num_crashes + trial.num_immobilized + trial.num_off_tracks + trial.num_reversed,
            trial: self.rows.len() + 1,
        });
    }

    /// Tells of a trial that was under way when the evaluation ended. It is only added when no trial was finished, so
    /// that the file is never empty because of a single early failure.
    pub fn push_unfinished(&mut self, trial: &EvaluationTrial) {
        if self.rows.is_empty() {
            self.push(trial);
        }
    }

    /// How many trials there are.
    pub fn num_trials(&self) -> usize {
        self.rows.len()
    }

    /// The text of the file.
    pub fn json(&self) -> String {
        json_text::to_string(self)
    }

    /// Writes the file.
    pub fn save(&self, bucket: &dyn Bucket, key: &str) -> Result<(), BucketError> {
        bucket.put(key, self.json().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;

    const EPISODE: EpisodeSummary = EpisodeSummary {
        reward_sum: 411.6,
        progress: 57.9,
        start_time_s: 30.01,
        end_time_s: 41.23,
        status: EpisodeStatus::OffTrack,
    };
    const TRIAL: EvaluationTrial = EvaluationTrial {
        progress: 100.0,
        start_time_s: 15.2,
        end_time_s: 30.5,
        status: EpisodeStatus::LapComplete,
        num_crashes: 0,
        num_immobilized: 0,
        num_off_tracks: 1,
        num_reversed: 0,
    };

    fn numbers(metrics: &TrainingMetrics) -> Vec<(u64, u64)> {
        metrics.rows.iter().map(|row| (row.episode, row.trial)).collect()
    }

    #[test]
    fn the_training_file_is_the_original_text() {
        let mut metrics = TrainingMetrics::new(0, BestModelMetric::Progress);
        metrics.begin_iteration();
        metrics.push_training(&EPISODE);
        metrics.push_evaluation(&EpisodeSummary {
            reward_sum: 90.5,
            progress: 100.0,
            start_time_s: 45.0,
            end_time_s: 60.0,
            status: EpisodeStatus::LapComplete,
        });
        assert_eq!(
            metrics.json(),
            "{\"metrics\": [{\"reward_score\": 412, \"metric_time\": 41230, \"start_time\": 30010, \
             \"elapsed_time_in_milliseconds\": 11220, \"episode\": 1, \"trial\": 1, \"phase\": \"training\", \
             \"completion_percentage\": 57, \"episode_status\": \"Off track\"}, \
             {\"reward_score\": 90, \"metric_time\": 60000, \"start_time\": 45000, \
             \"elapsed_time_in_milliseconds\": 15000, \"episode\": 1, \"trial\": 1, \"phase\": \"evaluation\", \
             \"completion_percentage\": 100, \"episode_status\": \"Lap complete\"}], \
             \"version\": 2.0, \"best_model_metric\": \"progress\"}"
        );
    }

    #[test]
    fn trials_restart_with_each_iteration_on_the_first_worker_only() {
        for (worker, expected) in [(0, [(1, 1), (2, 2), (2, 2), (3, 1)]), (1, [(1, 1), (2, 2), (2, 2), (3, 3)])] {
            let mut metrics = TrainingMetrics::new(worker, BestModelMetric::LapTime);
            metrics.begin_iteration();
            metrics.push_training(&EPISODE);
            metrics.push_training(&EPISODE);
            metrics.push_evaluation(&EPISODE);
            metrics.begin_iteration();
            metrics.push_training(&EPISODE);
            assert_eq!(numbers(&metrics), expected);
        }
    }

    #[test]
    fn percentages_stay_within_the_lap() {
        for (progress, expected) in [(-0.3, 0), (-49.0, 0), (99.999, 99), (100.0, 100), (100.4, 100), (f64::NAN, 0)] {
            assert_eq!(whole_percent(progress), expected);
        }
    }

    #[test]
    fn a_resumed_run_continues_the_numbers_and_drops_what_is_driven_again() {
        let bucket = MemoryBucket::new();
        let key = "m/metrics/TrainingMetrics.json";
        let fresh = TrainingMetrics::resume(&bucket, key, 0, BestModelMetric::Reward, 0).unwrap();
        assert_eq!(fresh, TrainingMetrics::new(0, BestModelMetric::Reward));

        let mut metrics = fresh;
        for _ in 0..3 {
            metrics.begin_iteration();
            metrics.push_training(&EPISODE);
            metrics.push_training(&EPISODE);
            metrics.push_evaluation(&EPISODE);
        }
        metrics.save(&bucket, key).unwrap();
        let mut resumed = TrainingMetrics::resume(&bucket, key, 0, BestModelMetric::Reward, 6).unwrap();
        assert_eq!((resumed.num_rows(), resumed.num_episodes()), (6, 4));
        resumed.begin_iteration();
        resumed.push_training(&EPISODE);
        assert_eq!(numbers(&resumed)[5..], [(4, 2), (5, 1)]);
        resumed.push_training(&EPISODE);
        resumed.push_evaluation(&EPISODE);
        assert_eq!(resumed, metrics);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let bucket = MemoryBucket::new();
        bucket.put("m/x.json", b"{\"metrics\": [").unwrap();
        let error = TrainingMetrics::resume(&bucket, "m/x.json", 0, BestModelMetric::Reward, 9).unwrap_err();
        assert!(error.to_string().starts_with("`m/x.json` is damaged: EOF while parsing"), "{error}");
    }

    #[test]
    fn the_evaluation_file_is_the_original_text() {
        let mut metrics = EvaluationMetrics::new();
        metrics.push(&TRIAL);
        metrics.push_unfinished(&TRIAL);
        assert_eq!(
            metrics.json(),
            "{\"metrics\": [{\"completion_percentage\": 100, \"metric_time\": 30500, \"start_time\": 15200, \
             \"elapsed_time_in_milliseconds\": 15300, \"episode_status\": \"Lap complete\", \"crash_count\": 0, \
             \"immobilized_count\": 0, \"off_track_count\": 1, \"reversed_count\": 0, \"reset_count\": 1, \
             \"trial\": 1}]}"
        );
    }

    #[test]
    fn an_unfinished_trial_counts_only_alone() {
        let mut metrics = EvaluationMetrics::new();
        metrics.push_unfinished(&EvaluationTrial { progress: 12.0, status: EpisodeStatus::Crashed, ..TRIAL });
        assert_eq!(metrics.num_trials(), 1);
        assert_eq!(metrics.rows[0].completion_percentage, 12);
        assert_eq!(EvaluationMetrics::new().json(), "{\"metrics\": []}");
    }
}
