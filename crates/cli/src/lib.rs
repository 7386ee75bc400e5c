//! The `dr` commands: argument parsing, messages and exit codes. No racing and no learning happens here.
//!
//! Everything goes through [`main`]: results on the standard output, everything else on the standard error, the exit code
//! as the result. What only the carrying program can do (running reward functions, starting a detached process of the
//! same interpreter, noticing Ctrl-C) comes in as a [`Host`].

mod arguments;
mod configuration;
mod context;
mod custom_files;
mod doctor;
mod evaluation;
mod failure;
mod host;
mod init;
mod inputs;
mod launch;
mod logs;
mod output;
mod set_aside;
mod stop;
mod tracks;
mod training;
mod unsupported;

use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory as _, FromArgMatches as _};

use arguments::{Command, Dr};
use deepracer_job::run::RunKind;
pub use failure::{Exit, Failure};
pub use host::Host;

/// Runs one command and returns its exit code.
///
/// `arguments[0]` is the name the command was called by: `dr` (then a subcommand follows) or `dr-<subcommand>`.
pub fn main(arguments: &[String], host: &dyn Host) -> u8 {
    let work = || {
        parse(arguments).and_then(|command| match command {
            Some(command) => run(&command, host),
            None => Ok(Exit::Done),
        })
    };
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure::failed("an internal error, not a mistake of yours").hint("please report it with the lines above"))
    });
    match outcome {
        Ok(exit) => exit.code(),
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit().code()
        }
    }
}

/// Reads the command line. `None` when all was said already (help, version).
fn parse(arguments: &[String]) -> Result<Option<Command>, Failure> {
    let (called_as, rest) = arguments.split_first().map_or(("dr", &[][..]), |(name, rest)| (name.as_str(), rest));
    let named = called_as.strip_prefix("dr-").or_else(|| rest.first().map(String::as_str));
    if let Some(command) = named.and_then(unsupported::find) {
        return Err(Failure::wrong_use(format!("`dr-{}` is not supported yet: {}", command.name, command.instead)));
    }
    let Some(name) = called_as.strip_prefix("dr-") else {
        return read(Dr::command(), std::iter::once("dr").chain(rest.iter().map(String::as_str)));
    };
    let whole = Dr::command();
    let Some(command) = whole.find_subcommand(name) else {
        return Err(
            Failure::wrong_use(format!("there is no command `{called_as}`")).hint("`dr --help` lists the commands")
        );
    };
    // Once alone, so that help and mistakes speak of the program that was called; then as a part of `dr` for its type.
    let alone = command.clone().bin_name(called_as).version(env!("CARGO_PKG_VERSION"));
    let words = || rest.iter().map(String::as_str);
    if let Err(error) = alone.max_term_width(110).try_get_matches_from(std::iter::once(called_as).chain(words())) {
        return said_by_clap(&error);
    }
    read(Dr::command(), ["dr", name].into_iter().chain(words()))
}

fn read<'a>(command: clap::Command, words: impl Iterator<Item = &'a str>) -> Result<Option<Command>, Failure> {
    match command.try_get_matches_from(words).and_then(|matches| Dr::from_arg_matches(&matches)) {
        Ok(dr) => Ok(Some(dr.command)),
        Err(error) => said_by_clap(&error),
    }
}

/// Help goes to the standard output; a mistake becomes a [`Failure`] in our own form.
fn said_by_clap(error: &clap::Error) -> Result<Option<Command>, Failure> {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            print!("{error}");
            if error.exit_code() == 0 {
                Ok(None)
            } else {
                Err(Failure::wrong_use("which command?").hint("see the list above"))
            }
        }
        _ => {
            let text = error.to_string();
            let mut paragraphs =
                text.trim().split("\n\n").map(|paragraph| paragraph.trim().trim_start_matches("error: "));
            let mut failure = Failure::wrong_use(paragraphs.next().unwrap_or_default());
            for paragraph in paragraphs {
                failure = failure.hint(paragraph.trim_start_matches("tip: "));
            }
            Err(failure)
        }
    }
}

fn run(command: &Command, host: &dyn Host) -> Result<Exit, Failure> {
    match command {
        Command::Init(arguments) => init::run(arguments),
        Command::Config(arguments) => configuration::config(arguments),
        Command::Summary(arguments) => configuration::summary(arguments),
        Command::Update(arguments) | Command::UpdateEnv(arguments) => configuration::update(arguments),
        Command::Reload(arguments) => doctor::reload(arguments, host),
        Command::Doctor(arguments) => doctor::doctor(arguments, host),
        Command::Tracks(arguments) => tracks::run(arguments),
        Command::UploadCustomFiles(arguments) => custom_files::upload(arguments),
        Command::DownloadCustomFiles(arguments) => custom_files::download(arguments),
        Command::StartTraining(arguments) => training::start(arguments, host),
        Command::StopTraining(arguments) => stop::one(RunKind::Training, arguments, host),
        Command::IncrementTraining(arguments) => training::increment(arguments),
        Command::StartEvaluation(arguments) => evaluation::start(arguments, host),
        Command::StopEvaluation(arguments) => stop::one(RunKind::Evaluation, arguments, host),
        Command::StopAll(arguments) => stop::all(arguments, host),
        Command::LogsSagemaker(arguments) => logs::sagemaker(arguments, host),
        Command::LogsRobomaker(arguments) => logs::robomaker(arguments, host),
    }
}
