//! Trying a reward function before any work starts.
//!
//! It is called on the four states that matter, in the order of one episode: the start, in the middle of the track, off the
//! track, and the finished lap. A branch that only runs at the end of the first complete lap would otherwise fail
//! after hours of training.

use std::fmt;

use deepracer_race::{Action, RewardParams};
use deepracer_track::{Difference, Line, Pose, Track};
use deepracer_vehicle::{Generation, Vehicle};
use glam::DVec2;

use crate::reward::{RewardError, RewardFunction, checked};

/// Rewards beyond this size are legal, but learning from them is known to go wrong.
pub const LARGE_REWARD: f64 = 1e3;

/// How far beside the border the car stands in the state off the track, metres.
const BESIDE_THE_ROAD_M: f64 = 0.6;

/// A state the function is tried on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The first call of an episode, at the start line.
    Start,
    /// Half a lap later, on the centre line.
    MidTrack,
    /// All wheels beside the road: the last call of an episode that failed.
    OffTrack,
    /// 100 % progress: the last call of a complete lap.
    FinishedLap,
}

impl State {
    /// All of them, in the order of an episode.
    pub const ALL: [Self; 4] = [Self::Start, Self::MidTrack, Self::OffTrack, Self::FinishedLap];
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::MidTrack => "mid-track",
            Self::OffTrack => "off track",
            Self::FinishedLap => "finished lap",
        })
    }
}

/// What came of the preflight.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The reward of each state, or why there is none.
    pub outcomes: Vec<(State, Result<f64, RewardError>)>,
    /// What is legal but probably not meant.
    pub remarks: Vec<String>,
    /// The function fails only because its first call comes at step 2: it sets itself up at `steps == 1`.
    pub waits_for_step_one: bool,
    /// What the function printed.
    pub printed: String,
}

impl Report {
    /// The first state that failed.
    pub fn failure(&self) -> Option<(State, &RewardError)> {
        self.outcomes.iter().find_map(|(state, outcome)| Some((*state, outcome.as_ref().err()?)))
    }

    /// What to do about a failure.
    pub fn hint(&self) -> Option<&'static str> {
        self.waits_for_step_one.then_some(
            "the function sets itself up when `steps == 1`, but the first call of an episode sees 2, as the motionless first \
             step counts; test for `steps <= 2`, or set DR_TRAIN_PREPARE_STEP=False so that the first call sees 1",
        )
    }
}

/// Where and how the function will be used.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The track in the direction of the first episode.
    pub track: &'a Track,
    /// The car.
    pub generation: Generation,
    /// An action of the model.
    pub action: Action,
    /// Whether the motionless first step counts (`DR_TRAIN_PREPARE_STEP`).
    pub prepare_step: bool,
}

/// Loads the function with `load` and calls it on all four states. Loads it once more when that may explain a failure.
///
/// # Errors
/// The function cannot be loaded.
pub fn preflight(
    load: &mut dyn FnMut() -> Result<Box<dyn RewardFunction>, RewardError>,
    circumstances: &Circumstances<'_>,
) -> Result<Report, RewardError> {
    let first_step = if circumstances.prepare_step { 2.0 } else { 1.0 };
    let mut function = load()?;
    let mut report =
        Report { outcomes: Vec::new(), remarks: Vec::new(), waits_for_step_one: false, printed: String::new() };
    for state in State::ALL {
        let params = params_of(state, circumstances, first_step);
        let outcome = call(&mut *function, &params, circumstances.track);
        if let Some(type_name) = function.unusual_type() {
            report.remark(format!("returns {type_name} instead of float; it is converted"));
        }
        if let Ok(reward) = outcome
            && reward.abs() > LARGE_REWARD
        {
            report.remark(format!("returns {reward} ({state}); rewards beyond ±{LARGE_REWARD} rarely train well"));
        }
        report.outcomes.push((state, outcome));
    }
    report.printed = function.take_output();
    if circumstances.prepare_step && report.failure().is_some() {
        let mut again = load()?;
        report.waits_for_step_one = State::ALL
            .iter()
            .all(|&state| call(&mut *again, &params_of(state, circumstances, 1.0), circumstances.track).is_ok());
    }
    Ok(report)
}

impl Report {
    fn remark(&mut self, text: String) {
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }
}

fn call(function: &mut dyn RewardFunction, params: &RewardParams, track: &Track) -> Result<f64, RewardError> {
    function.call(params, track).and_then(checked)
}

/// What the function sees in a state. An episode of 200 steps that began at the start line with step `first_step`.
fn params_of(state: State, circumstances: &Circumstances<'_>, first_step: f64) -> RewardParams {
    let &Circumstances { track, generation, action, .. } = circumstances;
    let on_center = |fraction: f64| track.line(Line::Center).pose_at(fraction * track.length_m(), Difference::Forward);
    let (pose, progress, steps) = match state {
        State::Start => (on_center(0.0), 14.0 / track.length_m(), first_step),
        State::MidTrack => (on_center(0.5), 50.0, first_step + 98.0),
        State::OffTrack => (beside_the_road(track, on_center(0.6)), 60.0, first_step + 118.0),
        State::FinishedLap => (on_center(0.0), 100.0, first_step + 198.0),
    };
    let mut vehicle = Vehicle::new(generation);
    vehicle.place(pose.position, pose.yaw_rad);
    RewardParams { progress, steps, sim_time: steps / 15.0, ..RewardParams::of_pose(track, &vehicle, action) }
}

/// A pose beside the outer border, level with `pose`.
fn beside_the_road(track: &Track, pose: Pose) -> Pose {
    let border = track.line(Line::Outer).project(pose.position).point;
    let outwards = (border - pose.position).normalize_or(DVec2::from_angle(pose.yaw_rad).perp());
    Pose { position: border + BESIDE_THE_ROAD_M * outwards, ..pose }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_track::{Direction, Library};
    use std::sync::Arc;

    /// A reward function written in Rust; `calls` counts its calls.
    struct Written<F> {
        function: F,
        calls: usize,
    }

    impl<F: FnMut(&RewardParams, usize) -> f64 + Send> RewardFunction for Written<F> {
        fn call(&mut self, params: &RewardParams, _track: &Track) -> Result<f64, RewardError> {
            self.calls += 1;
            checked((self.function)(params, self.calls))
        }
    }

    fn track(direction: Direction) -> Track {
        let route = Library::new(None).load("reinvent_base").expect("built in");
        Track::new(Arc::new(route), direction).expect("sound")
    }

    fn run<F: FnMut(&RewardParams, usize) -> f64 + Send + Clone + 'static>(function: F, prepare_step: bool) -> Report {
        let track = track(Direction::Forward);
        let action = Action { steering_deg: 10.0, speed_mps: 1.5 };
        let circumstances = Circumstances { track: &track, generation: Generation::B, action, prepare_step };
        preflight(&mut || Ok(Box::new(Written { function: function.clone(), calls: 0 })), &circumstances)
            .expect("loads")
    }

    #[test]
    fn the_four_states_are_what_they_are_called_in_both_directions() {
        for direction in [Direction::Forward, Direction::Reversed] {
            let track = track(direction);
            let action = Action { steering_deg: -15.0, speed_mps: 0.8 };
            let circumstances = Circumstances { track: &track, generation: Generation::B, action, prepare_step: true };
            let [start, mid, off, finished] = State::ALL.map(|state| params_of(state, &circumstances, 2.0));
            assert_eq!((start.steps, start.speed, start.steering_angle), (2.0, 0.8, -15.0));
            assert!(start.progress > 0.0 && start.progress < 1.0 && start.distance_from_center < 0.02);
            assert!((mid.projection_distance / mid.track_length - 0.5).abs() < 0.01 && mid.all_wheels_on_track);
            assert!(off.is_offtrack && !off.all_wheels_on_track && off.distance_from_center > off.track_width / 2.0);
            assert!(finished.progress == 100.0 && !finished.is_offtrack);
        }
    }

    #[test]
    fn an_error_in_the_branch_of_the_finished_lap_is_found() {
        let report = run(|params, _| if params.progress >= 100.0 { f64::NAN } else { 1.0 }, true);
        let Some((state, RewardError::NotFinite { .. })) = report.failure() else { panic!("{report:?}") };
        assert_eq!(state.to_string(), "finished lap");
        assert_eq!(report.outcomes[0], (State::Start, Ok(1.0)));
        assert_eq!(report.hint(), None);
    }

    #[test]
    fn a_function_that_waits_for_step_one_is_told_both_ways_out() {
        let latched = |divisor: f64| {
            let mut divisor = divisor;
            move |params: &RewardParams, _: usize| {
                if params.steps == 1.0 {
                    divisor = 1.0;
                }
                1.0 / divisor
            }
        };
        let report = run(latched(0.0), true);
        assert!(report.failure().is_some());
        assert!(
            report
                .hint()
                .is_some_and(|hint| hint.contains("DR_TRAIN_PREPARE_STEP=False") && hint.contains("steps <= 2"))
        );
        assert!(run(latched(0.0), false).failure().is_none());
    }

    #[test]
    fn large_rewards_are_remarked_once_a_value_and_too_large_ones_fail() {
        let report = run(|_, _| -2000.0, true);
        assert_eq!(report.failure(), None);
        assert_eq!(report.remarks.len(), 4);
        assert_eq!(report.remarks[0], "returns -2000 (start); rewards beyond ±1000 rarely train well");
        assert!(matches!(run(|_, _| 1e6, true).failure(), Some((State::Start, RewardError::OutOfRange { .. }))));
    }
}
