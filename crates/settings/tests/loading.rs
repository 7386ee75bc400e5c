//! Layers, messages, workers: what users meet when their env files are loaded.

use deepracer_settings::table;
use deepracer_settings::{Inspection, Loaded, RaceType, RacingFolder, Request, Settings, Severity};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// A racing folder that goes away with the value.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::Builder::new().prefix("my racing ").tempdir().expect("temporary folder"));
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            fs::write(path, text).expect("write");
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn request(&self) -> Request {
        Request::new(RacingFolder::at(self.path()))
    }

    fn load(&self) -> Loaded {
        Settings::load(&self.request()).expect("loads")
    }

    /// A message with the folder left out.
    fn local(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.path().display()), "")
    }

    fn warnings(&self) -> Vec<String> {
        let inspection: Inspection = Settings::inspect(&self.request()).expect("readable");
        inspection.warnings.iter().map(|warning| self.local(&warning.to_string())).collect()
    }

    fn error(&self) -> String {
        self.local(&Settings::load(&self.request()).expect_err("refused").to_string())
    }
}

fn run_env(text: &str) -> Folder {
    Folder::with(&[("run.env", text)])
}

fn text(settings: &Settings, name: &str) -> String {
    settings.values().get(name).expect("in the table").text.clone()
}

fn origin(folder: &Folder, settings: &Settings, name: &str) -> String {
    folder.local(&settings.values().get(name).expect("in the table").origin.to_string())
}

#[test]
fn quoted_values_are_loaded_and_an_illegal_colour_is_refused() {
    let folder = run_env(
        "DR_CAR_NAME=\"Blue Bird\"\nDR_DISPLAY_NAME='no $EXPANSION here'\nDR_RACER_NAME=plain value   # trailing remark\n\
         DR_CAR_COLOR=Red#1\nexport DR_RUN_ID=3\nDR_RACE_TYPE = TIME_TRIAL\nDR_EVAL_SAVE_MP4=\n   # indented remark\n",
    );
    assert_eq!(
        folder.error(),
        "run.env:4: DR_CAR_COLOR=Red#1: not one of Black, Grey, Blue, Red, Orange, White, Purple; did you mean Red?"
    );
    let inspection = Settings::inspect(&folder.request()).expect("readable");
    let config = inspection.settings.config();
    assert_eq!(config.car.name, "Blue Bird");
    assert_eq!(config.car.display_name, "no $EXPANSION here");
    assert_eq!(config.car.racer_name, "plain value");
    assert_eq!(config.run_id, 3);
    assert_eq!(text(&inspection.settings, "DR_EVAL_SAVE_MP4"), "");
    assert_eq!(folder.warnings(), ["warning: run.env:6: blanks around the = of DR_RACE_TYPE are ignored"]);
}

#[test]
fn near_misses_are_reported_and_helpers_are_kept() {
    let folder = run_env(
        "DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE=0.1\nxDR_EVAL_DEBUG_REWARD=True\nDR_WORLDNAME=reinvent_base\ndr_workers=2\n\
         MY_TAG=spring\nDR_LOCAL_S3_MODEL_PREFIX=${MY_TAG}-1\n",
    );
    let loaded = folder.load();
    let config = loaded.settings.config();
    assert_eq!(config.train.round_robin_advance, 0.1);
    assert_eq!((config.workers, config.storage.model_prefix.as_str()), (1, "spring-1"));
    assert_eq!(
        folder.warnings(),
        [
            "note: run.env:1: DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE is another spelling of \
             DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST; use the latter",
            "warning: run.env:2: unknown key xDR_EVAL_DEBUG_REWARD, did you mean DR_EVAL_DEBUG_REWARD?",
            "warning: run.env:3: unknown key DR_WORLDNAME, did you mean DR_WORLD_NAME?",
            "warning: run.env:4: unknown key dr_workers, did you mean DR_WORKERS?",
        ]
    );
}

#[test]
fn spellings_that_contradict_each_other_are_refused() {
    let folder = run_env("DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE=0.1\nDR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=0.2\n");
    assert_eq!(
        folder.error(),
        "run.env:2: DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=0.2: DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE=0.1 says otherwise; keep \
         DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST"
    );
    run_env("DR_COLLISION_PENALTY=3.0\nDR_EVAL_COLLISION_PENALTY=3.0\n").load();
}

#[test]
fn the_higher_layer_wins_and_origins_say_so() {
    let folder = Folder::with(&[
        ("system.env", "DR_WORKERS=2\nDR_RUN_ID=1\nDR_CAR_NAME=System\nDR_WORLD_NAME=Oval_track\n"),
        ("run.env", "DR_CAR_NAME=Run\nDR_WORLD_NAME=reinvent_base\nDR_EVAL_NUMBER_OF_TRIALS=4\n"),
        ("experiments/wide/run.env", "DR_WORLD_NAME=Spain_track\nDR_TRAIN_SEED=5\n"),
    ]);
    let mut request = folder.request();
    request.experiment = Some("wide".to_owned());
    request.environment.insert("DR_TRAIN_SEED".to_owned(), "6".to_owned());
    request.overrides.push(("DR_EVAL_NUMBER_OF_TRIALS".to_owned(), "9".to_owned()));
    let Loaded { settings, warnings } = Settings::load(&request).expect("loads");
    let expected = [
        ("DR_WORKERS", "2", "system.env:1"),
        ("DR_CAR_NAME", "Run", "run.env:1"),
        ("DR_WORLD_NAME", "Spain_track", "experiments/wide/run.env:1"),
        ("DR_TRAIN_SEED", "6", "environment"),
        ("DR_EVAL_NUMBER_OF_TRIALS", "9", "command line"),
        ("DR_EXPERIMENT_NAME", "wide", "command line"),
        ("DR_THREADS", "0", "default"),
    ];
    for (name, value, place) in expected {
        assert_eq!((text(&settings, name).as_str(), origin(&folder, &settings, name).as_str()), (value, place));
    }
    let texts: Vec<String> = warnings.iter().map(|warning| folder.local(&warning.text)).collect();
    assert_eq!(
        texts,
        ["DR_TRAIN_SEED=6 comes from the environment of this process and replaces experiments/wide/run.env:2; \
          `unset DR_TRAIN_SEED` to use the file"]
    );
    assert_eq!(settings.run_file(), folder.path().join("experiments/wide/run.env"));
    assert_eq!(settings.custom_files(), folder.path().join("experiments/wide/custom_files"));
}

#[test]
fn an_experiment_can_be_chosen_in_a_file_and_in_the_environment() {
    let folder = Folder::with(&[
        ("system.env", "DR_EXPERIMENT_NAME=wide\n"),
        ("run.env", "DR_TRAIN_SEED=1\n"),
        ("experiments/wide/run.env", "DR_TRAIN_SEED=2\n"),
        ("experiments/thin/run.env", "DR_TRAIN_SEED=3\n"),
    ]);
    assert_eq!(folder.load().settings.config().train.seed, 2);
    let mut request = folder.request();
    request.environment.insert("DR_EXPERIMENT_NAME".to_owned(), "thin".to_owned());
    let settings = Settings::load(&request).expect("loads").settings;
    assert_eq!((settings.config().train.seed, settings.config().experiment.as_deref()), (3, Some("thin")));
}

#[test]
fn what_refers_to_a_key_follows_the_layer_that_counts() {
    let folder = Folder::with(&[
        ("system.env", "BASE=models\n"),
        ("run.env", "DR_LOCAL_S3_MODEL_PREFIX=$BASE/a\nDR_LOCAL_S3_METRICS_PREFIX=$DR_LOCAL_S3_MODEL_PREFIX/m\n"),
        ("experiments/x/run.env", "DR_LOCAL_S3_MODEL_PREFIX=${DR_LOCAL_S3_MODEL_PREFIX}-x\n"),
    ]);
    assert_eq!(folder.load().settings.config().storage.metrics_prefix, "models/a/m");
    let mut request = folder.request();
    request.experiment = Some("x".to_owned());
    let storage = Settings::load(&request).expect("loads").settings.config().storage.clone();
    assert_eq!((storage.model_prefix.as_str(), storage.metrics_prefix.as_str()), ("models/a-x", "models/a-x/m"));
}

#[test]
fn the_environment_can_be_referred_to() {
    let folder = run_env("DR_CAR_NAME=$TEAM car\n");
    let mut request = folder.request();
    request.environment.insert("TEAM".to_owned(), "Blue".to_owned());
    assert_eq!(Settings::load(&request).expect("loads").settings.config().car.name, "Blue car");
}

#[test]
fn references_to_nothing_are_reported() {
    let folder = run_env("DR_CAR_NAME=a$LATER$NEVER\nLATER=1\n");
    assert_eq!(folder.load().settings.config().car.name, "a");
    assert_eq!(
        folder.warnings(),
        [
            "warning: run.env:1: $LATER is set only later (run.env:2); it stands for nothing",
            "warning: run.env:1: $NEVER is not set; it stands for nothing",
        ]
    );
}

#[test]
fn circles_and_floods_are_refused() {
    // The metrics prefix does not stand in the file, so its default refers back to the model prefix.
    let circle = run_env("DR_LOCAL_S3_MODEL_PREFIX=$DR_LOCAL_S3_METRICS_PREFIX\n");
    assert!(circle.error().contains("refers to itself"), "{}", circle.error());

    let doubled = |step: usize| format!("A{step}=$A{0}$A{0}\n", step - 1);
    let flood = format!("A0=ha\n{}DR_CAR_NAME=$A39\n", (1..40).map(doubled).collect::<String>());
    assert!(run_env(&flood).error().contains("longer than 32768 bytes"));

    let linked = |step: usize| format!("A{step}=$A{}\n", step - 1);
    let chain = format!("A0=ha\n{}DR_CAR_NAME=$A1999\n", (1..2000).map(linked).collect::<String>());
    assert!(run_env(&chain).error().contains("refers to too many others in a row"));
}

#[test]
fn every_illegal_value_is_listed_with_its_place() {
    let folder = run_env(
        "DR_WORKERS=two\nDR_TRAIN_START_POSITION_OFFSET=1.5\nDR_TRAIN_REVERSE_DIRECTION=Ture\nDR_WORLD_NAME=\n\
         DR_LOCAL_S3_BUCKET=a/b\nDR_EVAL_CHECKPOINT=newest\nDR_LOCAL_S3_MODEL_PREFIX=../x\nDR_EVAL_OFF_TRACK_PENALTY=-1\n\
         DR_EVAL_MAX_RESETS=1\nDR_TRAIN_BEST_MODEL_METRIC=lap_time\n",
    );
    let mut lines: Vec<String> = folder.error().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "run.env:10: DR_TRAIN_BEST_MODEL_METRIC=lap_time: not one of progress, reward, laptime; did you mean laptime?",
            "run.env:1: DR_WORKERS=two: not a whole number from 1 to 256",
            "run.env:2: DR_TRAIN_START_POSITION_OFFSET=1.5: not a number from 0 to 1",
            "run.env:3: DR_TRAIN_REVERSE_DIRECTION=Ture: not True or False",
            "run.env:4: DR_WORLD_NAME=: must not be empty",
            "run.env:5: DR_LOCAL_S3_BUCKET=a/b: must be one name, without / or \\",
            "run.env:6: DR_EVAL_CHECKPOINT=newest: not best, last or the number of a checkpoint",
            "run.env:7: DR_LOCAL_S3_MODEL_PREFIX=../x: must be a path inside the bucket: no leading /, no //, no . or ..",
            "run.env:8: DR_EVAL_OFF_TRACK_PENALTY=-1: not a number from 0 to 3600 (s)",
            "run.env:9: DR_EVAL_MAX_RESETS=1: not possible: 0 ends the episode at the first failure, else give at least 2 resets",
        ]
    );
}

#[test]
fn a_goal_that_no_evaluation_could_reach_is_refused() {
    let folder = run_env("DR_TRAIN_MIN_EVAL_TRIALS=0\nDR_TRAIN_STOP_COMPLETION=90\n");
    assert_eq!(
        folder.error(),
        "run.env:2: DR_TRAIN_STOP_COMPLETION=90: no evaluation would ever reach it, DR_TRAIN_MIN_EVAL_TRIALS is 0; set that \
         to 1 or more"
    );
}

#[test]
fn what_would_train_something_else_is_refused() {
    let folder = run_env("DR_CLOUD=aws\n");
    assert_eq!(
        folder.error(),
        "run.env:1: DR_CLOUD=aws: not supported yet: storage other than local; set DR_CLOUD=local to use the data folder of \
         this machine"
    );
}

#[test]
fn objects_that_cannot_be_are_refused_with_what_is_legal() {
    let folder = run_env(
        "DR_RACE_TYPE=OBJECT_AVOIDANCE\nDR_OA_OBJECT_POSITIONS=1.2,-1\nDR_OA_OBSTACLE_TYPE=box\nDR_OA_NUMBER_OF_OBSTACLES=-1\n\
         DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES=-2\nDR_EVAL_MAX_RESETS_AFTER_CRASH=0\n",
    );
    assert_eq!(
        folder.error().lines().collect::<Vec<_>>(),
        [
            "run.env:6: DR_EVAL_MAX_RESETS_AFTER_CRASH=0: not a whole number from 1 to 1000000",
            "run.env:4: DR_OA_NUMBER_OF_OBSTACLES=-1: not a whole number from 0 to 100",
            "run.env:5: DR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES=-2: not a number from 0 to 1000 (m)",
            "run.env:3: DR_OA_OBSTACLE_TYPE=box: not one of box_obstacle, amazon_box_obstacle, deepracer_box_obstacle",
            "run.env:2: DR_OA_OBJECT_POSITIONS=1.2,-1: the progress of `1.2,-1` is not a number from 0 to 1; write pairs of \
             progress (0 to 1) and lane (-1 outer, 1 inner) as in 0.23,-1;0.46,1",
        ]
    );
}

#[test]
fn bot_cars_that_cannot_drive_so_are_refused_only_where_they_drive() {
    let lines = "DR_H2B_IS_LANE_CHANGE=True\nDR_H2B_BOT_CAR_SPEED=0\nDR_H2B_LOWER_LANE_CHANGE_TIME=6\n\
                 DR_H2B_LANE_CHANGE_DISTANCE=0.05\n";
    assert_eq!(
        run_env(&format!("{lines}DR_RACE_TYPE=HEAD_TO_BOT\n")).error().lines().collect::<Vec<_>>(),
        [
            "run.env:1: DR_H2B_IS_LANE_CHANGE=True: bot cars that stand still cannot change lanes; set it to False, or \
             DR_H2B_BOT_CAR_SPEED above 0",
            "run.env:3: DR_H2B_LOWER_LANE_CHANGE_TIME=6: more than DR_H2B_UPPER_LANE_CHANGE_TIME; make it at most as long",
            "run.env:4: DR_H2B_LANE_CHANGE_DISTANCE=0.05: too short to change lanes in; give at least 0.1 m",
        ]
    );
    run_env(lines).load();
}

#[test]
fn workers_race_in_races_of_their_own() {
    let folder = Folder::with(&[
        ("run.env", "DR_WORKERS=3\nDR_TRAIN_MULTI_CONFIG=True\nDR_OA_NUMBER_OF_OBSTACLES=2\n"),
        ("worker-2.env", "DR_RACE_TYPE=OBJECT_AVOIDANCE\nDR_WORLD_NAME=Oval_track\nDR_OA_OBJECT_POSITIONS=0.3,1\n"),
        ("worker-3.env", "DR_RACE_TYPE=HEAD_TO_BOT\nDR_H2B_BOT_CAR_SPEED=0.7\n"),
    ]);
    let (workers, warnings) = folder.load().settings.workers().expect("workers");
    assert_eq!(warnings, []);
    let configs: Vec<_> = workers.iter().map(Settings::config).collect();
    let types = [RaceType::TimeTrial, RaceType::ObjectAvoidance, RaceType::HeadToBot];
    assert_eq!(configs.iter().map(|config| config.race_type).collect::<Vec<_>>(), types);
    assert_eq!((configs[1].world_name.as_str(), configs[1].obstacles.positions.len()), ("Oval_track", 1));
    assert_eq!((configs[2].bots.speed_mps, configs[2].obstacles.positions.len()), (0.7, 0), "nothing is inherited");
}

#[test]
fn what_is_not_there_yet_warns_once_for_each_reason() {
    let folder = run_env(
        "DR_EVAL_SAVE_MP4=True\nDR_CAMERA_SUB_ENABLE=True\nDR_KINESIS_STREAM_NAME=s\nDR_ENABLE_EXTRA_KVS_OVERLAY=maybe\n\
         DR_DOCKER_STYLE=compose\nDR_SIMAPP_VERSION=6.0.4\n",
    );
    assert_eq!(
        folder.warnings(),
        [
            "warning: run.env:4: DR_ENABLE_EXTRA_KVS_OVERLAY=maybe: not True or False",
            "warning: DR_EVAL_SAVE_MP4=True: not supported yet: videos; ignored for now",
            "warning: DR_CAMERA_SUB_ENABLE=True: not supported yet: the chase and top cameras; ignored for now",
            "warning: DR_KINESIS_STREAM_NAME=s: not supported yet: camera streams; ignored for now",
            "note: DR_DOCKER_STYLE=compose, DR_SIMAPP_VERSION=6.0.4: no effect: there are no containers, everything runs in \
             one process",
        ]
    );
    folder.load();
}

#[test]
fn an_empty_number_means_the_default() {
    let folder =
        run_env("DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=\nDR_TRAIN_STOP_MINUTES=\nDR_TRAIN_MAX_STEPS_PER_ITERATION=\n");
    assert_eq!(folder.load().settings.config().train.round_robin_advance, 0.05);
    assert_eq!(
        folder.warnings(),
        ["note: run.env:1: DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST is empty; the default 0.05 is used"]
    );
}

#[test]
fn an_unknown_override_is_refused() {
    let folder = run_env("");
    let mut request = folder.request();
    request.overrides.push(("DR_WORLDNAME".to_owned(), "x".to_owned()));
    let error = Settings::load(&request).expect_err("refused").to_string();
    assert_eq!(error, "command line: DR_WORLDNAME=x: unknown variable; did you mean DR_WORLD_NAME?");
}

#[test]
fn a_missing_experiment_names_the_others() {
    let folder = Folder::with(&[("run.env", ""), ("experiments/wide/run.env", ""), ("experiments/thin/run.env", "")]);
    let mut request = folder.request();
    request.experiment = Some("wild".to_owned());
    let error = Settings::load(&request).expect_err("refused").to_string();
    assert_eq!(
        folder.local(&error),
        "there is no experiment wild: experiments/wild/run.env does not exist; there are thin, wide"
    );
}

#[test]
fn workers_lay_only_their_own_file_over_the_run() {
    let folder = Folder::with(&[
        ("run.env", "DR_WORKERS=3\nDR_TRAIN_MULTI_CONFIG=True\nDR_WORLD_NAME=reinvent_base\nBASE=0.25\n"),
        ("worker-2.env", "\nDR_WORLD_NAME=Oval_track\n\nDR_TRAIN_START_POSITION_OFFSET=$BASE\nNOTE=a=b\n"),
        ("worker-3.env", "DR_TRAIN_REVERSE_DIRECTION=True\r\n"),
    ]);
    let settings = folder.load().settings;
    let (workers, warnings) = settings.workers().expect("workers");
    assert_eq!(warnings, []);
    let seen: Vec<_> = workers
        .iter()
        .map(|worker| {
            let config = worker.config();
            (config.world_name.as_str(), config.train.start_position_offset, config.train.reverse_direction)
        })
        .collect();
    assert_eq!(seen, [("reinvent_base", 0.0, false), ("Oval_track", 0.25, false), ("reinvent_base", 0.0, true)]);
    assert_eq!(origin(&folder, &workers[1], "DR_WORLD_NAME"), "worker-2.env:2");
}

#[test]
fn a_worker_without_file_or_with_foreign_keys_is_refused() {
    let run = "DR_WORKERS=2\nDR_TRAIN_MULTI_CONFIG=True\n";
    let error_of = |files: &[(&str, &str)]| {
        let folder = Folder::with(files);
        folder.local(&folder.load().settings.workers().expect_err("refused").to_string())
    };
    assert_eq!(
        error_of(&[("run.env", run)]),
        "worker 2 has no settings: worker-2.env does not exist; write it (it may be empty), lower DR_WORKERS, or set \
         DR_TRAIN_MULTI_CONFIG=False"
    );
    assert_eq!(
        error_of(&[("run.env", run), ("worker-2.env", "DR_LOCAL_S3_BUCKET=other\n")]),
        "worker-2.env:1: DR_LOCAL_S3_BUCKET=other: a worker cannot differ from its run in this (bucket)"
    );
    assert_eq!(
        error_of(&[("run.env", run), ("worker-2.env", "DR_CAR_COLOR=Pink\n")]),
        "worker-2.env:1: DR_CAR_COLOR=Pink: not one of Black, Grey, Blue, Red, Orange, White, Purple"
    );
}

#[test]
fn what_a_worker_file_asks_for_in_vain_is_reported() {
    let folder = Folder::with(&[
        ("run.env", "DR_WORKERS=2\nDR_TRAIN_MULTI_CONFIG=True\nDR_OA_NUMBER_OF_OBSTACLES=2\n"),
        ("worker-2.env", "DR_CAMERA_SUB_ENABLE=True\nDR_WORLDNAME=x\n"),
    ]);
    let (_, warnings) = folder.load().settings.workers().expect("workers");
    let texts: Vec<String> = warnings.iter().map(|warning| folder.local(&warning.text)).collect();
    assert_eq!(
        texts,
        [
            "worker-2.env:2: unknown key DR_WORLDNAME, did you mean DR_WORLD_NAME?",
            "worker-2.env: DR_CAMERA_SUB_ENABLE=True: not supported yet: the chase and top cameras; ignored for now",
        ]
    );
}

#[test]
fn a_training_run_must_not_destroy_what_it_needs() {
    let fine = run_env(
        "DR_LOCAL_S3_MODEL_PREFIX=a-1\nDR_LOCAL_S3_PRETRAINED=True\nDR_LOCAL_S3_PRETRAINED_PREFIX=a-10\n\
         DR_LOCAL_S3_CUSTOM_FILES_PREFIX=a\n",
    );
    assert!(fine.load().settings.check_training().is_ok());
    let folder = run_env(
        "DR_LOCAL_S3_MODEL_PREFIX=a\nDR_LOCAL_S3_PRETRAINED=True\nDR_LOCAL_S3_PRETRAINED_PREFIX=a\n\
         DR_LOCAL_S3_CUSTOM_FILES_PREFIX=a/custom_files\n",
    );
    let error = folder.load().settings.check_training().expect_err("refused").to_string();
    assert_eq!(
        folder.local(&error),
        "run.env:4: DR_LOCAL_S3_CUSTOM_FILES_PREFIX=a/custom_files: the custom files would lie in the folder of the model \
         (a); choose another name\n\
         run.env:3: DR_LOCAL_S3_PRETRAINED_PREFIX=a: the model to start from would be overwritten by the new one (a); give \
         DR_LOCAL_S3_MODEL_PREFIX another name, `dr-increment-training` does it"
    );
}

#[test]
fn a_missing_run_env_is_reported() {
    let folder = Folder::with(&[("system.env", "DR_WORKERS=2\n")]);
    assert_eq!(folder.warnings(), ["warning: run.env does not exist, defaults hold; `dr-init` makes one"]);
}

#[test]
fn workers_without_files_of_their_own_are_all_the_same() {
    let settings = run_env("DR_WORKERS=3\n").load().settings;
    let (workers, _) = settings.workers().expect("workers");
    assert_eq!(workers.len(), 3);
    assert!(workers.iter().all(|worker| worker.config() == settings.config()));
}

#[test]
fn other_encodings_are_refused_before_anything_else() {
    let folder = run_env("");
    let wide: Vec<u8> = "\u{feff}DR_RUN_ID=1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("run.env"), wide).expect("write");
    assert_eq!(folder.error(), "run.env is encoded in UTF-16; save it as UTF-8");
}

/// Files as users of the original have them: banners, helpers, nested variables, installer values, old spellings.
#[test]
fn unchanged_files_of_time_trial_users_load() {
    let folder = Folder::with(&[
        (
            "system.env",
            "DR_CLOUD=local\nDR_AWS_APP_REGION=us-east-1\nDR_UPLOAD_S3_PROFILE=default\nDR_UPLOAD_S3_BUCKET=not-defined\n\
             DR_LOCAL_S3_BUCKET=bucket\nDR_LOCAL_S3_PROFILE=minio\nDR_GUI_ENABLE=False\nDR_KINESIS_STREAM_NAME=\n\
             DR_CAMERA_MAIN_ENABLE=True\nDR_CAMERA_SUB_ENABLE=False\nDR_CAMERA_KVS_ENABLE=True\nDR_ENABLE_EXTRA_KVS_OVERLAY=False\n\
             DR_SIMAPP_SOURCE=awsdeepracercommunity/deepracer-simapp\nDR_SIMAPP_VERSION=5.3.3-cpu\nDR_MINIO_IMAGE=latest\n\
             DR_ANALYSIS_IMAGE=cpu\nDR_WORKERS=1\nDR_ROBOMAKER_MOUNT_LOGS=False\n# DR_ROBOMAKER_MOUNT_SIMAPP_DIR=\n\
             DR_CLOUD_WATCH_ENABLE=False\nDR_CLOUD_WATCH_LOG_STREAM_PREFIX=\nDR_DOCKER_STYLE=swarm\nDR_HOST_X=False\n\
             DR_WEBVIEWER_PORT=8100\n# DR_DISPLAY=:99\n# DR_REMOTE_MINIO_URL=http://mynas:9000\n",
        ),
        (
            "run.env",
            "################\n# FAST = GOOD #\n################\nDR_RUN_ID=0\nDR_WORLD_NAME=reinvent_base\n\
             DR_RACE_TYPE=TIME_TRIAL\nDR_CAR_NAME=FastCar\nDR_CAR_BODY_SHELL_TYPE=deepracer\nDR_CAR_COLOR=Black\n\
             DR_DISPLAY_NAME=$DR_CAR_NAME\nDR_RACER_NAME=$DR_CAR_NAME\nDR_ENABLE_DOMAIN_RANDOMIZATION=False\n\
             DR_EVAL_NUMBER_OF_TRIALS=3\nDR_EVAL_IS_CONTINUOUS=True\nDR_EVAL_MAX_RESETS=100\nDR_EVAL_OFF_TRACK_PENALTY=3.0\n\
             DR_EVAL_COLLISION_PENALTY=5.0\nDR_EVAL_SAVE_MP4=True\nDR_EVAL_CHECKPOINT=last\n\
             DR_EVAL_OPP_S3_MODEL_PREFIX=rl-deepracer-sagemaker\nDR_EVAL_OPP_CAR_BODY_SHELL_TYPE=deepracer\n\
             DR_EVAL_OPP_CAR_NAME=FasterCar\nDR_EVAL_OPP_DISPLAY_NAME=$DR_EVAL_OPP_CAR_NAME\n\
             DR_EVAL_OPP_RACER_NAME=$DR_EVAL_OPP_CAR_NAME\nDR_EVAL_DEBUG_REWARD=False\nDR_EVAL_RESET_BEHIND_DIST=1.0\n\
             #DR_EVAL_RTF=1.0\nDR_TRAIN_CHANGE_START_POSITION=True\nDR_TRAIN_ALTERNATE_DRIVING_DIRECTION=False\n\
             DR_TRAIN_START_POSITION_OFFSET=0.0\nDR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=0.05\nDR_TRAIN_MULTI_CONFIG=False\n\
             DR_TRAIN_MIN_EVAL_TRIALS=5\n#DR_TRAIN_RTF=1.0\nMY_SERIES=spring\n\
             DR_LOCAL_S3_MODEL_PREFIX=$MY_SERIES-model-7     # the name\nDR_LOCAL_S3_PRETRAINED=False\n\
             DR_LOCAL_S3_PRETRAINED_PREFIX=rl-sagemaker-pretrained\nDR_LOCAL_S3_PRETRAINED_CHECKPOINT=last\n\
             DR_LOCAL_S3_CUSTOM_FILES_PREFIX=custom_files\nDR_LOCAL_S3_TRAINING_PARAMS_FILE=taining_params.yaml\n\
             DR_LOCAL_S3_EVAL_PARAMS_FILE=evaluation_params.yaml\n\
             DR_LOCAL_S3_MODEL_METADATA_KEY=$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/model_metadata.json\n\
             DR_LOCAL_S3_HYPERPARAMETERS_KEY=$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/hyperparameters.json\n\
             DR_LOCAL_S3_REWARD_KEY=$DR_LOCAL_S3_CUSTOM_FILES_PREFIX/reward_function.py\n\
             DR_LOCAL_S3_METRICS_PREFIX=$DR_LOCAL_S3_MODEL_PREFIX/metrics\nDR_UPLOAD_S3_PREFIX=$DR_LOCAL_S3_MODEL_PREFIX-1\n\
             DR_OA_NUMBER_OF_OBSTACLES=6\nDR_OA_MIN_DISTANCE_BETWEEN_OBSTACLES=2.0\nDR_OA_RANDOMIZE_OBSTACLE_LOCATIONS=False\n\
             DR_OA_IS_OBSTACLE_BOT_CAR=False\nDR_OA_OBSTACLE_TYPE=box_obstacle\nDR_OA_OBJECT_POSITIONS=\nDR_H2B_IS_LANE_CHANGE=False\n\
             DR_H2B_LOWER_LANE_CHANGE_TIME=3.0\nDR_H2B_UPPER_LANE_CHANGE_TIME=5.0\nDR_H2B_LANE_CHANGE_DISTANCE=1.0\n\
             DR_H2B_NUMBER_OF_BOT_CARS=3\nDR_H2B_MIN_DISTANCE_BETWEEN_BOT_CARS=2.0\n\
             DR_H2B_RANDOMIZE_BOT_CAR_LOCATIONS=False\nDR_H2B_BOT_CAR_SPEED=0.2\nDR_H2B_BOT_CAR_PENALTY=5.0",
        ),
    ]);
    let Loaded { settings, warnings } = folder.load();
    let storage = &settings.config().storage;
    assert_eq!(storage.metrics_prefix, "spring-model-7/metrics");
    assert_eq!(storage.training_params_file, "taining_params.yaml");
    let loud: Vec<_> =
        warnings.iter().filter(|warning| warning.severity == Severity::Warning).map(|w| w.text.as_str()).collect();
    assert_eq!(loud, ["DR_EVAL_SAVE_MP4=True: not supported yet: videos; ignored for now"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the files say, loading ends with settings that are within their limits, or with an error.
    #[test]
    fn any_files_are_loaded_or_refused(
        lines in proptest::collection::vec(
            (proptest::sample::select(table::names().collect::<Vec<_>>()), "['\"]?[ -~é]{0,12}['\"]?", proptest::option::of(0..20_usize)),
            0..20,
        ),
    ) {
        let names: Vec<&str> = lines.iter().map(|(name, _, _)| *name).collect();
        let texts: Vec<String> = lines
            .iter()
            .filter(|(name, _, _)| *name != "DR_EXPERIMENT_NAME")
            .map(|(name, value, other)| {
                let reference = other.and_then(|other| names.get(other)).map(|name| format!("${name}"));
                format!("{name}={value}{}\n", reference.unwrap_or_default())
            })
            .collect();
        let (system, run) = texts.split_at(texts.len() / 2);
        let folder = Folder::with(&[("system.env", &system.concat()), ("run.env", &run.concat())]);
        if let Ok(inspection) = Settings::inspect(&folder.request()) {
            let config = inspection.settings.config();
            prop_assert!((1..=256).contains(&config.workers) && config.run_id <= 99);
            prop_assert!((0.0..=1.0).contains(&config.train.start_position_offset));
            prop_assert!(!config.world_name.is_empty() && !config.storage.model_prefix.contains(".."));
            prop_assert_eq!(inspection.problems.is_empty(), Settings::load(&folder.request()).is_ok());
        }
    }
}
