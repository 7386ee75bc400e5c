//! The machine, monitoring, and what only containers need.

use super::{Status, Variable, idle, works};
use crate::value::Kind;

pub(super) const MACHINE: &[Variable] = &[
    works(
        "DR_RUN_ID",
        Kind::Integer { min: 0, max: 99 },
        "0",
        "3",
        "run_id",
        "Number of the run, to keep several runs of one racing folder apart.",
    ),
    works(
        "DR_WORKERS",
        Kind::Integer { min: 1, max: 256 },
        "1",
        "4",
        "workers",
        "Workers: groups of races with their own scenario, trace and random numbers. They share the process.",
    )
    .in_training(&["NUM_WORKERS"]),
    works(
        "DR_THREADS",
        Kind::Integer { min: 0, max: 1024 },
        "0",
        "2",
        "threads",
        "Threads for pictures, physics and learning; 0 takes all processors. The result does not depend on it.",
    )
    .ours(),
    works(
        "DR_EXPERIMENT_NAME",
        Kind::Name,
        "",
        "wide-lines",
        "experiment",
        "Experiment: `experiments/<name>/` holds its own `run.env`, `worker-N.env` and `custom_files`.",
    ),
    works(
        "DR_DIR",
        Kind::Text,
        "",
        "/home/ada/racing",
        "racing folder",
        "The racing folder, when commands are called from outside it. Read from the environment only.",
    ),
    idle(
        "DR_QUIET_ACTIVATE",
        Kind::Flag,
        "False",
        "True",
        Status::NoEffect("there is no activation step that would print a summary"),
        "Keeps the original's activation quiet.",
    ),
];

const CLOUD_WATCH: Status = Status::NotYetIgnored("sending logs to AWS CloudWatch");
const CAMERAS: Status = Status::NotYetIgnored("the chase and top cameras");
const STREAMS: Status = Status::NotYetIgnored("camera streams");
const TELEGRAF: Status = Status::NotYetIgnored("sending metrics to Telegraf");
const VIEWER: Status = Status::NotYetIgnored("the web viewer");

pub(super) const MONITORING: &[Variable] = &[
    idle("DR_CAMERA_MAIN_ENABLE", Kind::Flag, "True", "False", CAMERAS, "Draws the chase camera.")
        .in_both(&["CAMERA_MAIN_ENABLE"])
        .quiet(&["False"])
        .per_worker(),
    idle("DR_CAMERA_SUB_ENABLE", Kind::Flag, "False", "True", CAMERAS, "Draws the top camera.")
        .in_both(&["CAMERA_SUB_ENABLE"])
        .per_worker(),
    idle("DR_CAMERA_KVS_ENABLE", Kind::Flag, "True", "False", STREAMS, "Publishes the camera stream with its overlay.")
        .or(&["DR_KINESIS_STREAM_ENABLE"])
        .quiet(&["False"])
        .per_worker(),
    idle(
        "DR_ENABLE_EXTRA_KVS_OVERLAY",
        Kind::Flag,
        "False",
        "True",
        STREAMS,
        "Draws more figures into the camera stream.",
    )
    .in_both(&["ENABLE_EXTRA_KVS_OVERLAY"])
    .per_worker(),
    idle("DR_KINESIS_STREAM_NAME", Kind::Text, "", "my-stream", STREAMS, "Name of an AWS Kinesis video stream.")
        .in_both(&["KINESIS_VIDEO_STREAM_NAME"]),
    idle(
        "DR_GUI_ENABLE",
        Kind::Flag,
        "False",
        "True",
        Status::NotYetIgnored("a window with the running race"),
        "Opens a window with the simulator.",
    ),
    idle(
        "DR_WEBVIEWER_PORT",
        Kind::Integer { min: 1, max: 65535 },
        "8100",
        "8090",
        VIEWER,
        "Port of the page with the streams of all workers.",
    ),
    idle("DR_CLOUD_WATCH_ENABLE", Kind::Flag, "False", "True", CLOUD_WATCH, "Sends log files to AWS CloudWatch."),
    idle(
        "DR_CLOUD_WATCH_LOG_STREAM_PREFIX",
        Kind::Text,
        "",
        "night",
        CLOUD_WATCH,
        "Prefix of the names of the log streams.",
    ),
    idle("DR_TELEGRAF_HOST", Kind::Text, "", "telegraf", TELEGRAF, "Host that collects metrics."),
    idle(
        "DR_TELEGRAF_PORT",
        Kind::Integer { min: 1, max: 65535 },
        "8092",
        "8093",
        TELEGRAF,
        "Port of the host that collects metrics.",
    ),
];

const NO_CONTAINERS: Status = Status::NoEffect("there are no containers, everything runs in one process");
const NO_WINDOWS: Status = Status::NoEffect("drawing needs no display");
const NO_GPU: Status = Status::NoEffect("all work is done by the processor");
const NO_GAZEBO: Status = Status::NoEffect("the simulator is built in");

pub(super) const CONTAINERS: &[Variable] = &[
    idle("DR_DOCKER_STYLE", Kind::Text, "swarm", "compose", NO_CONTAINERS, "How containers are started."),
    idle(
        "DR_SIMAPP_SOURCE",
        Kind::Text,
        "awsdeepracercommunity/deepracer-simapp",
        "my/simapp",
        NO_CONTAINERS,
        "Name of the image.",
    ),
    idle("DR_SIMAPP_VERSION", Kind::Text, "", "6.0.4", NO_CONTAINERS, "Version of the image."),
    idle("DR_SAGEMAKER_IMAGE", Kind::Text, "", "5.2.1-cpu", NO_CONTAINERS, "Image of the trainer."),
    idle("DR_ROBOMAKER_IMAGE", Kind::Text, "", "5.2.1-cpu", NO_CONTAINERS, "Image of the simulator."),
    idle("DR_COACH_IMAGE", Kind::Text, "", "5.2.1", NO_CONTAINERS, "Image of the launcher."),
    idle("DR_MINIO_IMAGE", Kind::Text, "latest", "2024", NO_CONTAINERS, "Image of the storage server."),
    idle("DR_ANALYSIS_IMAGE", Kind::Text, "cpu", "gpu", NO_CONTAINERS, "Image for log analysis."),
    idle(
        "DR_ROBOMAKER_MOUNT_LOGS",
        Kind::Flag,
        "False",
        "True",
        Status::NoEffect("logs are files of the racing folder anyway"),
        "Makes the simulator's logs visible outside its container.",
    ),
    idle(
        "DR_ROBOMAKER_MOUNT_SIMAPP_DIR",
        Kind::Text,
        "",
        "/home/ada/bundle",
        NO_CONTAINERS,
        "Folder with a changed simulator.",
    ),
    idle(
        "DR_ROBOMAKER_MOUNT_SCRIPTS_DIR",
        Kind::Text,
        "",
        "/home/ada/scripts",
        NO_CONTAINERS,
        "Folder with changed start scripts.",
    ),
    idle("DR_HOST_X", Kind::Flag, "False", "True", NO_WINDOWS, "Draws through the host's X server."),
    idle("DR_DISPLAY", Kind::Text, "", ":99", NO_WINDOWS, "The host's X display."),
    idle("DR_SAGEMAKER_CUDA_DEVICES", Kind::Text, "", "0", NO_GPU, "Graphics cards of the trainer."),
    idle("DR_ROBOMAKER_CUDA_DEVICES", Kind::Text, "", "0", NO_GPU, "Graphics cards of the simulator."),
    idle("CUDA_VISIBLE_DEVICES", Kind::Text, "", "0", NO_GPU, "Graphics cards, when set in an env file."),
    idle("DR_GAZEBO_ARGS", Kind::Text, "", "-v 4", NO_GAZEBO, "Arguments of the original's simulator."),
    idle(
        "DR_GAZEBO_RENDER_ENGINE",
        Kind::Text,
        "ogre2",
        "ogre",
        NO_GAZEBO,
        "Drawing engine of the original's simulator.",
    ),
];
