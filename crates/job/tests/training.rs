//! A training run as a whole: it can be stopped and gone on with, repeats itself, ends where it should, starts from
//! other models, and leaves a loadable model whatever happens.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use deepracer_job::evaluate;
use deepracer_job::reward::{CenterLine, RewardError, RewardFunction};
use deepracer_job::run::{RunKind, RunLogs, RunRecord, RunRequest, RunState};
use deepracer_job::stop::StopFlag;
use deepracer_job::train::{self, Ended, TrainOutcome};
use deepracer_job::{JobError, setup};
use deepracer_race::RewardParams;
use deepracer_settings::RacingFolder;
use deepracer_track::Track;

type Failure = Box<dyn std::error::Error>;

const METADATA: &str = r#"{"action_space": [
    {"steering_angle": -30, "speed": 2.0}, {"steering_angle": 0, "speed": 2.0}, {"steering_angle": 30, "speed": 2.0}],
    "sensor": ["FRONT_FACING_CAMERA"], "neural_network": "DEEP_CONVOLUTIONAL_NETWORK_DEEP", "version": "5",
    "training_algorithm": "clipped_ppo", "action_space_type": "discrete"}"#;

/// A few short episodes, one pass of learning: a run of a second or two.
const HYPERPARAMETERS: &str =
    r#"{"num_episodes_between_training": 2, "num_epochs": 1, "batch_size": 16, "term_cond_max_episodes": 8}"#;

struct Racing {
    _home: tempfile::TempDir,
    root: PathBuf,
}

impl Racing {
    fn new() -> Result<Self, Failure> {
        let home = tempfile::tempdir()?;
        let root = home.path().join("my races");
        fs::create_dir(&root)?;
        fs::write(root.join("run.env"), "DR_WORLD_NAME=reinvent_base\n")?;
        Ok(Self { _home: home, root })
    }

    fn record(&self, kind: RunKind, prefix: &str, settings: &[(&str, &str)]) -> RunRecord {
        let mut values: BTreeMap<String, String> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        values.insert("DR_LOCAL_S3_MODEL_PREFIX".to_owned(), prefix.to_owned());
        values.entry("DR_TRAIN_MIN_EVAL_TRIALS".to_owned()).or_insert_with(|| "1".to_owned());
        let folder = RacingFolder::at(self.root.clone());
        RunRecord {
            kind,
            run_id: 0,
            model_prefix: prefix.to_owned(),
            world: "reinvent_base".to_owned(),
            since: "2024-01-31T23:59:59Z".to_owned(),
            process: None,
            state: RunState::Starting,
            logs: RunLogs::of(&folder, prefix, 1),
            request: RunRequest {
                racing_folder: self.root.clone(),
                settings: vec![values],
                model_metadata: METADATA.to_owned(),
                hyperparameters: Some(HYPERPARAMETERS.to_owned()),
                reward: None,
                stamp: "20240131235959".to_owned(),
            },
        }
    }

    fn train(&self, record: &RunRecord) -> Result<TrainOutcome, JobError> {
        assert_eq!(record.request.racing_folder, self.root);
        Self::train_with(record, &mut |_| Ok(Box::new(CenterLine)), &StopFlag::new())
    }

    fn train_with(
        record: &RunRecord,
        rewards: &mut train::RewardFactory<'_>,
        stop: &StopFlag,
    ) -> Result<TrainOutcome, JobError> {
        train::run(record, rewards, stop, &mut || {})
    }

    fn model(&self, prefix: &str) -> PathBuf {
        self.root.join("data/s3/bucket").join(prefix)
    }

    fn read(&self, prefix: &str, path: &str) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.model(prefix).join(path))?)
    }

    fn log(&self, prefix: &str) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.root.join("data/logs").join(prefix).join("sagemaker.log"))?)
    }
}

/// Every file below a folder with its bytes, the wall clock cut out of traces.
fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path)?;
            if path.extension().is_some_and(|extension| extension == "csv") {
                let text = String::from_utf8(bytes)?;
                let without_clock =
                    |line: &str| line.rsplit_once(',').map_or_else(String::new, |(rest, _)| rest.to_owned());
                bytes = text.lines().map(without_clock).collect::<Vec<_>>().join("\n").into_bytes();
            }
            files.insert(path.strip_prefix(folder)?.display().to_string(), bytes);
        }
    }
    Ok(files)
}

/// Names of the files that differ, apart from the seconds that `state.json` counts.
fn differences(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
    names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name))
        .filter(|name| !name.ends_with("state.json"))
        .cloned()
        .collect()
}

const THREE_ITERATIONS: (&str, &str) = ("DR_TRAIN_STOP_ITERATIONS", "3");

#[test]
fn stopping_and_going_on_changes_nothing() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let whole = racing.train(&racing.record(RunKind::Training, "whole", &[("DR_TRAIN_STOP_ITERATIONS", "2")]))?;
    assert_eq!((whole.ended, whole.num_iterations, whole.num_episodes), (Ended::Iterations, 2, 4));

    // The same in two sessions; the second repeats an iteration that was killed half-way.
    let parts = |iterations| racing.record(RunKind::Training, "parts", &[("DR_TRAIN_STOP_ITERATIONS", iterations)]);
    racing.train(&parts("1"))?;
    racing.train(&parts("2"))?;
    let (mut whole, mut parts) = (contents(&racing.model("whole"))?, contents(&racing.model("parts"))?);
    for files in [&mut whole, &mut parts] {
        // These name the model or its limits.
        files.retain(|name, _| !name.ends_with("_params.yaml"));
    }
    // The evaluation at the end of the first session adds a row of metrics that the second drops again.
    assert_eq!(differences(&whole, &parts), Vec::<String>::new());
    let log = racing.log("parts")?;
    assert!(log.contains("Start: resumed from parts 1_Step-"), "{log}");
    assert!(log.contains("(policy, value network, optimiser), iteration 1, 2 episodes"));
    Ok(())
}

#[test]
fn one_or_two_threads_give_the_same_model() -> Result<(), Failure> {
    let racing = Racing::new()?;
    for (prefix, threads) in [("one", "1"), ("two", "2")] {
        let settings = [("DR_TRAIN_STOP_ITERATIONS", "1"), ("DR_THREADS", threads)];
        racing.train(&racing.record(RunKind::Training, prefix, &settings))?;
    }
    let (mut one, mut two) = (contents(&racing.model("one"))?, contents(&racing.model("two"))?);
    for files in [&mut one, &mut two] {
        files.retain(|name, _| !name.ends_with("_params.yaml"));
    }
    assert_eq!(differences(&one, &two), Vec::<String>::new());
    let racing_other =
        racing.record(RunKind::Training, "other", &[("DR_TRAIN_SEED", "1"), ("DR_TRAIN_STOP_ITERATIONS", "1")]);
    racing.train(&racing_other)?;
    assert!(!differences(&one, &contents(&racing.model("other"))?).is_empty(), "another seed, another model");
    Ok(())
}

#[test]
fn training_ends_after_the_episodes_the_user_asked_for() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let outcome = racing.train(&racing.record(RunKind::Training, "all", &[]))?;
    assert_eq!((outcome.ended, outcome.num_episodes, outcome.num_iterations), (Ended::Episodes, 8, 4));
    assert!(racing.model("all").join("model/.finished").exists());
    let index: serde_json::Value = serde_json::from_str(&racing.read("all", "model/deepracer_checkpoints.json")?)?;
    assert_eq!(index["last_checkpoint"]["name"], outcome.last.to_string(), "the last checkpoint is judged too");
    assert_eq!(racing.read("all", "model/.coach_checkpoint")?, outcome.last.to_string());
    let metrics: serde_json::Value = serde_json::from_str(&racing.read("all", "metrics/TrainingMetrics.json")?)?;
    let rows = metrics["metrics"].as_array().ok_or("rows")?;
    let of_phase = |phase: &str| rows.iter().filter(|row| row["phase"] == phase).count();
    assert_eq!((of_phase("training"), of_phase("evaluation")), (8, 5));
    for iteration in 0..4 {
        assert!(racing.model("all").join(format!("training-simtrace/{iteration}-iteration.csv")).exists());
    }
    Ok(())
}

#[test]
fn the_index_names_checkpoints_that_are_there() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let goal = [("DR_TRAIN_STOP_COMPLETION", "0.1"), ("DR_TRAIN_BEST_MODEL_METRIC", "reward")];
    for (prefix, settings) in [("limit", &[THREE_ITERATIONS][..]), ("goal", &goal[..])] {
        let outcome = racing.train(&racing.record(RunKind::Training, prefix, settings))?;
        let index: serde_json::Value = serde_json::from_str(&racing.read(prefix, "model/deepracer_checkpoints.json")?)?;
        for which in ["best_checkpoint", "last_checkpoint"] {
            let name = index[which]["name"].as_str().ok_or("a name")?;
            assert!(
                racing.model(prefix).join("model").join(name).join("weights.safetensors").exists(),
                "{prefix}: {name}"
            );
        }
        assert_eq!(index["last_checkpoint"]["name"], outcome.last.to_string());
        evaluate::run(
            &racing.record(RunKind::Evaluation, prefix, &[("DR_EVAL_CHECKPOINT", "best"), ("DR_EVAL_MAX_RESETS", "0")]),
            &mut |_| Ok(Box::new(CenterLine)),
            &StopFlag::new(),
            &mut || {},
        )?;
    }
    Ok(())
}

#[test]
fn a_run_at_its_limit_drives_no_further() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let record = racing.record(RunKind::Training, "over", &[("DR_TRAIN_STOP_ITERATIONS", "1")]);
    let first = racing.train(&record)?;
    let before = contents(&racing.model("over"))?;
    assert_eq!(racing.train(&record)?, first);
    assert_eq!(contents(&racing.model("over"))?, before);
    Ok(())
}

#[test]
fn a_model_that_cannot_be_gone_on_with_stays_as_it_is() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train(&racing.record(RunKind::Training, "kept", &[("DR_TRAIN_STOP_ITERATIONS", "1")]))?;
    let before = contents(&racing.model("kept"))?;
    let mut other_actions = racing.record(RunKind::Training, "kept", &[THREE_ITERATIONS]);
    other_actions.request.model_metadata = METADATA.replace(r#"{"steering_angle": 0, "speed": 2.0}, "#, "");
    let mut more_workers = racing.record(RunKind::Training, "kept", &[THREE_ITERATIONS, ("DR_WORKERS", "2")]);
    more_workers.request.settings.push(more_workers.request.settings[0].clone());
    for record in [other_actions, more_workers] {
        let Err(error) = racing.train(&record) else { return Err("it must be refused".into()) };
        assert!(error.is_user_error(), "{error}");
        assert_eq!(contents(&racing.model("kept"))?, before);
    }
    Ok(())
}

#[test]
fn what_a_kill_left_between_two_files_is_tidied_up() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let one = [("DR_TRAIN_STOP_ITERATIONS", "1")];
    racing.train(&racing.record(RunKind::Training, "killed", &one))?;
    let model = racing.model("killed").join("model");
    // Killed while writing a checkpoint, and another time between a checkpoint and the file that names it.
    let unfinished = model.join(".2_Step-99.ckpt.writing-4711");
    fs::create_dir(&unfinished)?;
    fs::write(unfinished.join("weights.safetensors"), "half")?;
    fs::remove_file(model.join(".coach_checkpoint"))?;
    fs::write(model.join(".lock"), "")?;
    let outcome = racing.train(&racing.record(RunKind::Training, "killed", &[("DR_TRAIN_STOP_ITERATIONS", "2")]))?;
    assert_eq!((outcome.num_iterations, outcome.last.number), (2, 2), "it went on");
    assert!(!unfinished.exists() && !model.join(".lock").exists());
    Ok(())
}

#[test]
fn another_metric_chooses_the_best_checkpoint_anew() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let with = |metric, iterations| {
        let settings = [("DR_TRAIN_BEST_MODEL_METRIC", metric), ("DR_TRAIN_STOP_ITERATIONS", iterations)];
        racing.record(RunKind::Training, "metric", &settings)
    };
    racing.train(&with("progress", "1"))?;
    // No lap is faster than the percents of a progress.
    let outcome = racing.train(&with("laptime", "2"))?;
    let index: serde_json::Value = serde_json::from_str(&racing.read("metric", "model/deepracer_checkpoints.json")?)?;
    assert_eq!(index["best_checkpoint"]["avg_eval_metric"], 999_999.0);
    assert_eq!(outcome.best, Some(outcome.last), "a tie goes to the newer one");
    assert!(racing.log("metric")?.contains("it was chosen by progress; the choice by laptime begins anew"));
    Ok(())
}

#[test]
fn a_step_cap_that_no_episode_fits_under_is_explained() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let record = racing.record(RunKind::Training, "cap", &[("DR_TRAIN_MAX_STEPS_PER_ITERATION", "3")]);
    let Err(error) = racing.train(&record) else { return Err("there is nothing to learn from".into()) };
    assert!(error.hint().is_some_and(|hint| hint.contains("DR_TRAIN_MAX_STEPS_PER_ITERATION")), "{error}");
    Ok(())
}

#[test]
fn metrics_are_the_sums_of_the_trace() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train(&racing.record(RunKind::Training, "sums", &[("DR_TRAIN_STOP_ITERATIONS", "2")]))?;
    let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for iteration in 0..2 {
        for line in racing.read("sums", &format!("training-simtrace/{iteration}-iteration.csv"))?.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let of_episode = sums.entry(fields[0].parse()?).or_default();
            of_episode.0 += fields[8].parse::<f64>()?;
            of_episode.1 = fields[11].parse()?;
        }
    }
    let metrics: serde_json::Value = serde_json::from_str(&racing.read("sums", "metrics/TrainingMetrics.json")?)?;
    let training = metrics["metrics"].as_array().ok_or("rows")?.iter().filter(|row| row["phase"] == "training");
    let mut num_compared = 0;
    for (row, (episode, (reward, progress))) in training.zip(&sums) {
        assert_eq!(row["episode"], episode + 1);
        assert_eq!(row["reward_score"], reward.round_ties_even() as i64);
        assert_eq!(row["completion_percentage"], progress.clamp(0.0, 100.0) as i64);
        num_compared += 1;
    }
    assert_eq!(num_compared, 4);
    Ok(())
}

#[test]
fn a_training_stops_when_asked_and_keeps_its_last_checkpoint() -> Result<(), Failure> {
    /// Asks for the end in the second iteration.
    struct Asks {
        stop: StopFlag,
        num_calls: u32,
    }
    impl RewardFunction for Asks {
        fn call(&mut self, params: &RewardParams, track: &Track) -> Result<f64, RewardError> {
            self.num_calls += 1;
            if self.num_calls == 60 {
                self.stop.request();
            }
            CenterLine.call(params, track)
        }
    }
    let racing = Racing::new()?;
    let stop = StopFlag::new();
    let record = racing.record(RunKind::Training, "asked", &[]);
    let asked = stop.clone();
    let mut rewards = move |_| Ok(Box::new(Asks { stop: asked.clone(), num_calls: 0 }) as Box<dyn RewardFunction>);
    let outcome = Racing::train_with(&record, &mut rewards, &stop)?;
    assert_eq!(outcome.ended, Ended::Stopped);
    assert_eq!(racing.read("asked", "model/.coach_checkpoint")?, outcome.last.to_string());
    assert!(!racing.model("asked").join("model/.finished").exists(), "it can be gone on with");
    racing.train(&racing.record(RunKind::Training, "asked", &[THREE_ITERATIONS]))?;
    Ok(())
}

#[test]
fn a_failing_reward_names_worker_episode_step_and_leaves_a_usable_model() -> Result<(), Failure> {
    struct Fails(u32);
    impl RewardFunction for Fails {
        fn call(&mut self, _: &RewardParams, _: &Track) -> Result<f64, RewardError> {
            self.0 += 1;
            if self.0 == 25 { deepracer_job::reward::checked(f64::NAN) } else { Ok(1.0) }
        }
    }
    let racing = Racing::new()?;
    let record = racing.record(RunKind::Training, "fails", &[]);
    let failed = Racing::train_with(&record, &mut |_| Ok(Box::new(Fails(0))), &StopFlag::new());
    let Err(error) = failed else { return Err("it must fail".into()) };
    let text = error.to_string();
    assert!(text.contains("worker 0, episode ") && text.contains("step ") && text.contains("NaN"), "{text}");
    assert!(error.hint().is_some_and(|hint| hint.contains("--resume")));
    let log = racing.log("fails")?;
    assert!(log.contains("\"simapp_exception\"") && log.contains("ERROR: FAULT_CODE: 41"), "{log}");
    racing.train(&racing.record(RunKind::Training, "fails", &[("DR_TRAIN_STOP_ITERATIONS", "1")]))?;
    Ok(())
}

#[test]
fn a_model_starts_from_another_one_that_stays_as_it_is() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let first = racing.train(&racing.record(RunKind::Training, "first-1", &[("DR_TRAIN_STOP_ITERATIONS", "2")]))?;
    let before = contents(&racing.model("first-1"))?;
    let pretrained = |prefix: &str, which: &str| {
        let settings = [
            ("DR_LOCAL_S3_PRETRAINED", "True"),
            ("DR_LOCAL_S3_PRETRAINED_PREFIX", "first-1"),
            ("DR_LOCAL_S3_PRETRAINED_CHECKPOINT", which),
            ("DR_TRAIN_STOP_ITERATIONS", "1"),
        ];
        racing.record(RunKind::Training, prefix, &settings)
    };
    for (prefix, which, from) in [("last", "last", first.last), ("best", "best", first.best.ok_or("a best one")?)] {
        let outcome = racing.train(&pretrained(prefix, which))?;
        assert_eq!(outcome.last.number, from.number + 2, "numbers go on");
        assert!(racing.log(prefix)?.contains(&format!("Start: policy and value network of first-1 {from}")));
    }
    racing.train(&pretrained("number", "1"))?;
    assert_eq!(contents(&racing.model("first-1"))?, before, "the source is only read");
    let Err(error) = racing.train(&pretrained("none", "77")) else { return Err("there is no number 77".into()) };
    assert!(error.to_string().contains("`77`") && error.hint().is_some_and(|hint| hint.contains("_Step-")), "{error}");
    Ok(())
}

#[test]
fn another_number_of_actions_is_refused_with_both_counts() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train(&racing.record(RunKind::Training, "three", &[("DR_TRAIN_STOP_ITERATIONS", "1")]))?;
    let settings = [("DR_LOCAL_S3_PRETRAINED", "True"), ("DR_LOCAL_S3_PRETRAINED_PREFIX", "three")];
    let mut record = racing.record(RunKind::Training, "four", &settings);
    record.request.model_metadata = METADATA
        .replace("{\"steering_angle\": 30,", "{\"steering_angle\": 15, \"speed\": 1.0}, {\"steering_angle\": 30,");
    let Err(error) = racing.train(&record) else { return Err("it must be refused".into()) };
    let text = error.to_string();
    assert!(text.contains('3') && text.contains('4') && text.contains("action"), "{text}");
    Ok(())
}

#[test]
fn workers_share_the_episodes_and_have_their_own_traces() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let settings = [("DR_WORKERS", "2"), ("DR_TRAIN_STOP_ITERATIONS", "2")];
    let mut record = racing.record(RunKind::Training, "pair", &settings);
    record.request.settings.push(record.request.settings[0].clone());
    record.logs = RunLogs::of(&RacingFolder::at(racing.root.clone()), "pair", 2);
    record.request.hyperparameters =
        Some(HYPERPARAMETERS.replace("\"num_episodes_between_training\": 2", "\"num_episodes_between_training\": 3"));
    racing.train(&record)?;
    for (worker, share) in [(0, 2), (1, 1)] {
        for iteration in 0..2_u64 {
            let trace = racing.read("pair", &format!("{worker}/training-simtrace/{iteration}-iteration.csv"))?;
            let episodes: std::collections::BTreeSet<u64> = trace
                .lines()
                .skip(1)
                .map(|line| line.split(',').next().unwrap_or_default().parse())
                .collect::<Result<_, _>>()?;
            let expected: std::collections::BTreeSet<u64> = (iteration * share..(iteration + 1) * share).collect();
            assert_eq!(episodes, expected, "worker {worker}, iteration {iteration}");
        }
    }
    assert!(racing.model("pair").join("metrics/TrainingMetrics_1.json").exists());
    Ok(())
}

#[test]
fn an_evaluation_drives_the_checkpoint_and_changes_nothing_of_the_model() -> Result<(), Failure> {
    let racing = Racing::new()?;
    racing.train(&racing.record(RunKind::Training, "judged", &[("DR_TRAIN_STOP_ITERATIONS", "1")]))?;
    let model = racing.model("judged").join("model");
    let before = contents(&model)?;
    let settings = [
        ("DR_EVAL_NUMBER_OF_TRIALS", "3"),
        ("DR_EVAL_IS_CONTINUOUS", "False"),
        ("DR_EVAL_MAX_RESETS", "2"),
        ("DR_EVAL_OFF_TRACK_PENALTY", "1.0"),
    ];
    let record = racing.record(RunKind::Evaluation, "judged", &settings);
    let outcome = evaluate::run(&record, &mut |_| Ok(Box::new(CenterLine)), &StopFlag::new(), &mut || {})?;
    assert_eq!(contents(&model)?, before);
    assert_eq!(outcome.laps.len(), 3, "one entry per trial");
    let metrics: serde_json::Value =
        serde_json::from_str(&racing.read("judged", "metrics/evaluation/evaluation-20240131235959.json")?)?;
    let rows = metrics["metrics"].as_array().ok_or("rows")?;
    assert_eq!(rows.len(), 3);
    for (row, lap) in rows.iter().zip(&outcome.laps) {
        assert_eq!(row["off_track_count"], lap.num_off_tracks);
        assert_eq!(row["reset_count"], lap.num_resets());
        let elapsed_ms = (lap.elapsed_s() * 1000.0) as i64;
        let written_ms = row["elapsed_time_in_milliseconds"].as_i64().ok_or("a number")?;
        assert!((written_ms - elapsed_ms).abs() <= 1, "{written_ms} for {elapsed_ms}");
        if lap.num_off_tracks == 3 {
            assert!(lap.elapsed_s() > 2.0, "two penalties of a second are part of the time");
        }
    }
    let trace = racing.read("judged", "evaluation-20240131235959/evaluation-simtrace/0-iteration.csv")?;
    assert_eq!(trace.lines().count(), outcome.rows.len() + 1);
    Ok(())
}

#[test]
fn stereo_cameras_and_a_sector_lidar_train_repeat_and_load() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let record = |prefix: &str, kind: RunKind| {
        let mut record =
            racing.record(kind, prefix, &[("DR_TRAIN_STOP_ITERATIONS", "1"), ("DR_EVAL_NUMBER_OF_TRIALS", "1")]);
        record.request.model_metadata = METADATA
            .replace("[\"FRONT_FACING_CAMERA\"]", "[\"STEREO_CAMERAS\", \"SECTOR_LIDAR\"]")
            .replace("NETWORK_DEEP\"", "NETWORK_SHALLOW\"");
        record
    };
    racing.train(&record("once", RunKind::Training))?;
    racing.train(&record("again", RunKind::Training))?;
    let differing = differences(&contents(&racing.model("once"))?, &contents(&racing.model("again"))?);
    assert_eq!(differing, ["training_params.yaml"], "which names the model");
    // The checkpoint drives, and is gone on from.
    let mut reward = |_| -> Result<Box<dyn RewardFunction>, RewardError> { Ok(Box::new(CenterLine)) };
    let driven = evaluate::run(&record("once", RunKind::Evaluation), &mut reward, &StopFlag::new(), &mut || {})?;
    assert_eq!(driven.laps.len(), 1);
    let mut further = record("once", RunKind::Training);
    further.request.settings[0].insert("DR_TRAIN_STOP_ITERATIONS".to_owned(), "2".to_owned());
    assert_eq!(racing.train(&further)?.num_iterations, 2);
    Ok(())
}

#[test]
fn episodes_that_differ_from_the_perfect_simulation_repeat_with_their_seed() -> Result<(), Failure> {
    let racing = Racing::new()?;
    let every = [
        ("DR_TRAIN_STOP_ITERATIONS", "1"),
        ("DR_ENABLE_DOMAIN_RANDOMIZATION", "True"),
        ("DR_SIM2REAL_ACTION_LATENCY", "0.1"),
        ("DR_SIM2REAL_ACTION_LATENCY_JITTER", "0.02"),
        ("DR_SIM2REAL_DECISION_RATE", "10"),
        ("DR_SIM2REAL_CAMERA_PITCH", "1"),
        ("DR_SIM2REAL_FIELD_OF_VIEW", "2"),
        ("DR_SIM2REAL_PIXEL_NOISE", "0.02"),
        ("DR_SIM2REAL_GRIP", "0.2"),
        ("DR_SIM2REAL_STEERING_BIAS", "1"),
    ];
    racing.train(&racing.record(RunKind::Training, "rough", &every))?;
    racing.train(&racing.record(RunKind::Training, "again", &every))?;
    racing.train(&racing.record(RunKind::Training, "smooth", &every[..1]))?;
    let [rough, again, smooth] = ["rough", "again", "smooth"].map(|prefix| contents(&racing.model(prefix)));
    let (rough, again, smooth) = (rough?, again?, smooth?);
    assert_eq!(differences(&rough, &again), ["training_params.yaml"], "which names the model");
    assert!(differences(&rough, &smooth).iter().any(|name| name.ends_with("0-iteration.csv")));
    Ok(())
}

#[test]
fn what_cannot_be_trained_yet_is_refused_by_name() -> Result<(), Failure> {
    let mut text = METADATA.replace(
        "\"clipped_ppo\", \"action_space_type\": \"discrete\"",
        "\"sac\", \"action_space_type\": \"continuous\"",
    );
    let list = text.find('[').ok_or("a list")?..=text.find(']').ok_or("a list")?;
    text.replace_range(list, r#"{"steering_angle": {"low": -30, "high": 30}, "speed": {"low": 1, "high": 2}}"#);
    let (metadata, _) = deepracer_settings::model_metadata::ModelMetadata::parse(&text, "model_metadata.json")?;
    let Err(error) = setup::policy_spec(&metadata) else { return Err("sac must be refused".into()) };
    assert!(error.to_string().starts_with("not supported yet: ") && error.to_string().contains("sac"), "{error}");
    assert!(error.hint().is_some());
    Ok(())
}
