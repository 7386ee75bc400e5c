//! What the commands need from the program that carries them.

use std::path::PathBuf;

/// The interpreter that runs the command: it also runs the user's reward functions and the detached run processes.
pub trait Host {
    /// Whether Ctrl-C was pressed since the command started. Asked several times a second by commands that wait.
    fn interrupted(&self) -> bool;

    /// The interpreter and the arguments after which the path of a run record follows.
    fn run_command(&self) -> (PathBuf, Vec<String>);
}
