//! Reward functions: the contract every host of user code keeps, and the built-in one.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use deepracer_race::RewardParams;
use deepracer_track::Track;

/// Rewards beyond this size stop a run, as in the original.
pub const MAX_ABS_REWARD: f64 = 1e5;

/// A reward function that lives in one worker: loaded once, called strictly in step order, keeping its own state for
/// the whole run.
pub trait RewardFunction: Send {
    /// The reward of one step: finite and within ±[`MAX_ABS_REWARD`].
    ///
    /// # Errors
    /// The function failed, or returned something that is not such a number.
    fn call(&mut self, params: &RewardParams, track: &Track) -> Result<f64, RewardError>;

    /// Takes what the function printed since the last call of this method. Hosts that capture nothing return nothing.
    fn take_output(&mut self) -> String {
        String::new()
    }

    /// The type of what the last call returned, when it had to be converted to a number (`str`, say).
    fn unusual_type(&self) -> Option<String> {
        None
    }
}

/// Where in the user's file something went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLine {
    /// The file.
    pub file: PathBuf,
    /// Line number, from 1.
    pub line: u32,
    /// The line itself, without its indentation.
    pub text: String,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file.display(), self.line)?;
        if !self.text.is_empty() {
            write!(f, ": {}", self.text)?;
        }
        Ok(())
    }
}

/// Why a reward function could not be loaded or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RewardError {
    /// The file could not be read or imported, or holds no usable `reward_function`.
    #[error("the reward function could not be loaded: {message}{}", at(.source_line.as_ref()))]
    Load {
        /// What Python said, e.g. `SyntaxError: invalid syntax`.
        message: String,
        /// The user's own line, when there is one.
        source_line: Option<SourceLine>,
        /// The traceback, cut to the user's own frames; may be empty.
        traceback: String,
    },
    /// The function raised.
    #[error("the reward function raised {message}{}", at(.source_line.as_ref()))]
    Raised {
        /// What Python said, e.g. `NameError: name 'BONUS' is not defined`.
        message: String,
        /// The user's own line.
        source_line: Option<SourceLine>,
        /// The traceback, cut to the user's own frames.
        traceback: String,
    },
    /// The function returned something that is not a number.
    #[error("the reward function returned {value} of type {type_name}; it must return a number")]
    NotANumber {
        /// `repr` of the value.
        value: String,
        /// Its Python type.
        type_name: String,
    },
    /// The function returned NaN or an infinity.
    #[error("the reward function returned {value}; it must return a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// The function returned a number beyond ±1e5.
    #[error("the reward function returned {value}; rewards must lie between -100000 and 100000")]
    OutOfRange {
        /// The value.
        value: f64,
    },
}

fn at(source_line: Option<&SourceLine>) -> String {
    source_line.map_or_else(String::new, |line| format!(" ({line})"))
}

/// Checks what a function returned once it is a number.
///
/// # Errors
/// It is not finite or beyond ±[`MAX_ABS_REWARD`].
pub fn checked(value: f64) -> Result<f64, RewardError> {
    if !value.is_finite() {
        Err(RewardError::NotFinite { value })
    } else if value.abs() > MAX_ABS_REWARD {
        Err(RewardError::OutOfRange { value })
    } else {
        Ok(value)
    }
}

/// The original's built-in reward of evaluation jobs: 1, 0.5 or 0.1 within 10, 25 or 50 % of the road's width from
/// the centre line, else 0.001.
#[derive(Clone, Copy, Debug, Default)]
pub struct CenterLine;

impl RewardFunction for CenterLine {
    fn call(&mut self, params: &RewardParams, _track: &Track) -> Result<f64, RewardError> {
        let markers = [(0.1, 1.0), (0.25, 0.5), (0.5, 0.1)];
        let reward = markers
            .into_iter()
            .find(|(share, _)| params.distance_from_center <= share * params.track_width)
            .map_or(1e-3, |(_, reward)| reward);
        Ok(reward)
    }
}

/// How long reward calls took, and how many there were.
#[derive(Clone, Copy, Debug, Default)]
pub struct RewardTime {
    /// Wall-clock time inside the function.
    pub spent: Duration,
    /// Number of calls.
    pub num_calls: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_are_finite_and_bounded() {
        assert_eq!(checked(1e5), Ok(1e5));
        assert_eq!(checked(-1e5), Ok(-1e5));
        assert_eq!(checked(100_000.1), Err(RewardError::OutOfRange { value: 100_000.1 }));
        assert!(matches!(checked(f64::NAN), Err(RewardError::NotFinite { .. })));
        assert!(matches!(checked(f64::INFINITY), Err(RewardError::NotFinite { .. })));
    }

    #[test]
    fn a_raised_error_shows_the_users_own_line() {
        let error = RewardError::Raised {
            message: "NameError: name 'BONUS' is not defined".into(),
            source_line: Some(SourceLine { file: "reward_function.py".into(), line: 3, text: "return BONUS".into() }),
            traceback: String::new(),
        };
        assert_eq!(
            error.to_string(),
            "the reward function raised NameError: name 'BONUS' is not defined (reward_function.py, line 3: return BONUS)"
        );
    }
}
