//! What the commands need from the program that carries them.

use std::path::PathBuf;

use deepracer_job::reward::{RewardError, RewardFunction};
use deepracer_job::run::RewardSource;

/// The interpreter that runs the command: it also runs the user's reward functions and the detached run processes.
pub trait Host {
    /// Whether Ctrl-C was pressed since the command started. Asked several times a second by commands that wait.
    fn interrupted(&self) -> bool;

    /// The interpreter and the arguments after which the path of a run record follows.
    fn run_command(&self) -> (PathBuf, Vec<String>);

    /// Loads a reward function, as a worker would.
    fn load_reward(&self, source: &RewardSource) -> Result<Box<dyn RewardFunction>, RewardError>;

    /// The interpreter in words: name, version, where it is.
    fn describe(&self) -> String;

    /// What `import deepracer` means to programs of this interpreter, in words; with `repair`, makes it mean this package
    /// where it does not.
    ///
    /// # Errors
    /// It means something else: the reason, in words.
    fn facade(&self, repair: bool) -> Result<String, String>;

    /// Which of these Python modules can be imported, in their order.
    fn can_import(&self, modules: &[&str]) -> Vec<bool>;
}
