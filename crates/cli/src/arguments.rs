//! The commands and their options. The comments on them are what `--help` prints.

#![expect(clippy::doc_markdown, reason = "help texts show names as they are typed")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Exit codes, told at the end of every help text.
const EXIT_CODES: &str = "Exit codes: 0 done, 1 the run finished but missed its goal, 2 wrong use or a wrong setting, 3 failed, \
130 interrupted.";

/// All commands under one name.
#[derive(Debug, Parser)]
#[command(
    name = "dr",
    version,
    about = "Train, evaluate and race DeepRacer models on this machine.",
    long_about = "Train, evaluate and race DeepRacer models on this machine.\n\nEach command is also a program of its own: \
                  `dr start-training` and `dr-start-training` are the same. Commands work from any folder inside a racing \
                  folder, or on the one named by the environment variable DR_DIR.",
    after_help = EXIT_CODES,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 110
)]
pub(crate) struct Dr {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a racing folder: system.env, run.env, custom_files/, data/
    #[command(after_help = examples("dr-init my-racing\n  dr-init --preset lap lap\n  dr-init --force .      # also replace files that differ"))]
    Init(Init),
    /// Show every setting, its value and where the value comes from
    #[command(after_help = examples("dr-config\n  dr-config DR_WORLD_NAME DR_WORKERS\n  dr-config --changed --json"))]
    Config(Config),
    /// Show the racing folder, the model and what runs
    #[command(after_help = examples("dr-summary\n  dr-summary --json"))]
    Summary(Summary),
    /// Read system.env and run.env again and report what is wrong (nothing needs to be sourced)
    #[command(after_help = examples("dr-update"))]
    Update(Check),
    /// The same as `dr-update`
    #[command(after_help = examples("dr-update-env"))]
    UpdateEnv(Check),
    /// Check the settings, the custom files and the reward function, and report
    #[command(after_help = examples("dr-reload\n  dr-reload --set DR_WORLD_NAME=Oval_track"))]
    Reload(Check),
    /// Check the installation and the racing folder, and say what to do
    #[command(after_help = examples("dr-doctor\n  dr-doctor --json\n  dr-doctor --repair"))]
    Doctor(Doctor),
    /// List, show, import and check tracks
    #[command(after_help = examples("dr-tracks list reinvent\n  dr-tracks show reinvent_base\n  dr-tracks import ~/routes\n  dr-tracks check my_track.npy"))]
    Tracks(Tracks),
    /// Copy changed files from custom_files/ to the bucket
    #[command(after_help = examples("dr-upload-custom-files"))]
    UploadCustomFiles(CustomFiles),
    /// Copy changed files from the bucket to custom_files/
    #[command(after_help = examples("dr-download-custom-files"))]
    DownloadCustomFiles(CustomFiles),
    /// Check everything, then start a training run
    #[command(after_help = examples("dr-start-training\n  dr-start-training -w -q      # empty the model first, do not follow the log\n  dr-start-training --resume   # after a stop or a crash\n  dr-start-training --set DR_WORKERS=2 -r 2"))]
    StartTraining(StartTraining),
    /// Ask the training run to save its checkpoint and end, and wait for it
    #[command(after_help = examples("dr-stop-training"))]
    StopTraining(Stop),
    /// Go on from the current model under the next name (edits run.env)
    #[command(after_help = examples("dr-increment-training          # foo-1 becomes foo-2, pretrained from foo-1\n  dr-increment-training -f -p blue-3"))]
    IncrementTraining(IncrementTraining),
    /// Evaluate the model from the start line
    #[command(after_help = examples("dr-start-evaluation\n  dr-start-evaluation -q -c\n  dr-start-evaluation --set DR_EVAL_NUMBER_OF_TRIALS=5"))]
    StartEvaluation(StartEvaluation),
    /// Ask the evaluation run to end, and wait for it
    #[command(after_help = examples("dr-stop-evaluation"))]
    StopEvaluation(Stop),
    /// Stop every run of this racing folder
    #[command(after_help = examples("dr-stop-all"))]
    StopAll(StopAll),
    /// Follow the log of the trainer (Ctrl-C ends following, not the run)
    #[command(after_help = examples("dr-logs-sagemaker\n  dr-logs-sagemaker -a | grep Entropy"))]
    LogsSagemaker(LogsSagemaker),
    /// Follow the log of a worker (Ctrl-C ends following, not the run)
    #[command(after_help = examples("dr-logs-robomaker\n  dr-logs-robomaker -n 2 -a\n  dr-logs-robomaker -e"))]
    LogsRobomaker(LogsRobomaker),
}

/// Where settings come from, besides the files.
#[derive(Debug, Clone, Args)]
pub(crate) struct Settings {
    /// Use one setting for this call only, before every file (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Use the settings and custom files of `experiments/NAME`
    #[arg(long, value_name = "NAME")]
    pub(crate) experiment: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder to make; it may exist
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Which set of files: `default`, or `lap` for a first lap in minutes
    #[arg(long, default_value = "default")]
    pub(crate) preset: String,
    /// Replace files that exist and differ (each is kept as FILE.bak)
    #[arg(short, long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// Show only these keys
    pub(crate) keys: Vec<String>,
    /// Show only keys whose value does not come from the defaults
    #[arg(short, long)]
    pub(crate) changed: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct Summary {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Make `import deepracer` mean this package again, beside deepracer-utils
    #[arg(long)]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct Tracks {
    #[command(subcommand)]
    pub(crate) action: TracksAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TracksAction {
    /// List the tracks whose name, title or alias contains TEXT (all without it)
    List {
        /// Part of a name, in any case
        text: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the facts of a track and draw it as PNG
    Show {
        /// Name or alias of the track
        name: String,
        /// Where to write the picture (default: NAME.png)
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take published route files (.npy) and meshes of worlds (SDF, COLLADA) into the racing folder; they replace the built-in
    /// drawing and look of that name
    Import {
        /// A .npy file, an SDF world or model (.world, .sdf), a COLLADA mesh (.dae), or a folder with such files
        path: PathBuf,
        /// Replace tracks and meshes imported before under the same name
        #[arg(short, long)]
        force: bool,
        /// The track whose meshes these are, where the file is named otherwise
        #[arg(long, value_name = "TRACK")]
        track: Option<String>,
        /// Take meshes although files that belong to them are missing
        #[arg(long)]
        allow_missing: bool,
    },
    /// Check a route file and list what is wrong with it
    Check {
        /// A .npy file
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CustomFiles {
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct StartTraining {
    /// Empty the model's folder first, without asking
    #[arg(short, long)]
    pub(crate) wipe: bool,
    /// Go on from the last checkpoint of this model, with optimiser and counters
    #[arg(long, conflicts_with = "wipe")]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) follow: Follow,
    /// Refresh the viewer (there is none yet: says so and goes on)
    #[arg(short = 'v', long)]
    pub(crate) viewer: bool,
    /// Start even when the reward function fails on one of the states it is tried on
    #[arg(long)]
    pub(crate) skip_preflight: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Which log to follow after the start.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct Follow {
    /// Return as soon as the run drives; follow no log
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Follow the log of the trainer (default)
    #[arg(short = 's', long)]
    pub(crate) sagemaker: bool,
    /// Follow all logs
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Follow the log of worker N (from 1)
    #[arg(short = 'r', long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    pub(crate) robomaker: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct IncrementTraining {
    /// Do not ask
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Empty the new model's folder when it exists
    #[arg(short, long)]
    pub(crate) wipe: bool,
    /// The new name, instead of counting up
    #[arg(short, long, value_name = "NAME")]
    pub(crate) prefix: Option<String>,
    /// What stands between the name and its number
    #[arg(short, long, value_name = "TEXT", default_value = "-")]
    pub(crate) delimiter: String,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct StartEvaluation {
    /// Return as soon as the run drives; follow no log
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Copy the model to `<prefix>-E` first and evaluate the copy
    #[arg(short, long)]
    pub(crate) clone: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Insist (kill the process) after this many seconds; a checkpoint on disk stays loadable
    #[arg(short, long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct StopAll {
    /// Insist (kill a process) after this many seconds; a checkpoint on disk stays loadable
    #[arg(short, long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) timeout: u64,
}

#[derive(Debug, Args)]
pub(crate) struct LogsSagemaker {
    /// Wait up to this many seconds for a run to start
    #[arg(short, long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
    /// From the start of the log instead of the last 5 minutes
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct LogsRobomaker {
    /// Which worker, from 1
    #[arg(short, long, value_name = "WORKER", default_value_t = 1)]
    pub(crate) number: usize,
    /// The evaluation instead of the training
    #[arg(short, long)]
    pub(crate) evaluation: bool,
    /// Wait up to this many seconds for a run to start
    #[arg(short, long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
    /// From the start of the log instead of the last 5 minutes
    #[arg(short, long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

fn examples(lines: &str) -> String {
    format!("Examples:\n  {lines}\n\n{EXIT_CODES}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definitions_do_not_contradict_each_other() {
        Dr::command().debug_assert();
    }
}
