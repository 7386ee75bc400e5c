//! Trying a reward function before any work starts.
//!
//! It is called on the states that matter, in the order of one episode: the start, in the middle of the track, off the
//! track, and the finished lap; among objects also with one close ahead, with one beside the car, and in the step that
//! crashes. A branch that only runs at the end of the first complete lap would otherwise fail after hours of training.

use std::fmt;

use deepracer_race::{Action, Lane, Race, RewardParams};
use deepracer_track::{Difference, Line, Pose, Track};
use deepracer_vehicle::Vehicle;
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
    /// On the centre line, half a metre before the first object.
    ObjectAhead,
    /// On the other lane, level with the first object.
    BesideObject,
    /// In the first object: the last call of an episode that crashed.
    Crashed,
    /// All wheels beside the road: the last call of an episode that failed.
    OffTrack,
    /// 100 % progress: the last call of a complete lap.
    FinishedLap,
}

impl State {
    /// All of them, in the order of an episode.
    pub const ALL: [Self; 7] = [
        Self::Start,
        Self::MidTrack,
        Self::ObjectAhead,
        Self::BesideObject,
        Self::Crashed,
        Self::OffTrack,
        Self::FinishedLap,
    ];

    /// Those there are in a race.
    pub fn of(race: &Race) -> impl Iterator<Item = Self> {
        let has_objects = !race.bodies().is_empty();
        Self::ALL.into_iter().filter(move |state| has_objects || !state.is_among_objects())
    }

    fn is_among_objects(self) -> bool {
        matches!(self, Self::ObjectAhead | Self::BesideObject | Self::Crashed)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::MidTrack => "mid-track",
            Self::ObjectAhead => "object ahead",
            Self::BesideObject => "beside an object",
            Self::Crashed => "crashed",
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
    /// A race at the beginning of its first episode.
    pub race: &'a Race,
    /// An action of the model.
    pub action: Action,
    /// Whether the motionless first step counts (`DR_TRAIN_PREPARE_STEP`).
    pub prepare_step: bool,
}

/// Loads the function with `load` and calls it on all states. Loads it once more when that may explain a failure.
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
    for state in State::of(circumstances.race) {
        let params = params_of(state, circumstances, first_step);
        let outcome = call(&mut *function, &params, circumstances.race.track());
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
        let race = circumstances.race;
        report.waits_for_step_one =
            State::of(race).all(|state| call(&mut *again, &params_of(state, circumstances, 1.0), race.track()).is_ok());
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
    let &Circumstances { race, action, .. } = circumstances;
    let track = race.track();
    let length_m = track.length_m();
    let on_center = |fraction: f64| track.line(Line::Center).pose_at(fraction * length_m, Difference::Forward);
    // Without objects none of these states is asked for.
    let object = race.bodies().first().map_or(track.waypoints()[0], |body| body.position);
    let object_share = track.ndist(object);
    let level_with_object = |pose, share: f64| (pose, 100.0 * share, first_step + (197.0 * share).round());
    let (pose, progress, steps) = match state {
        State::Start => (on_center(0.0), 14.0 / length_m, first_step),
        State::MidTrack => (on_center(0.5), 50.0, first_step + 98.0),
        State::ObjectAhead => {
            let share = (object_share - 0.5 / length_m).max(0.0);
            level_with_object(on_center(share), share)
        }
        State::BesideObject => {
            let lane = Lane::of(track, object).opposite();
            level_with_object(lane.pose(track, object_share * length_m, Difference::Forward), object_share)
        }
        State::Crashed => {
            let lane = Lane::of(track, object);
            level_with_object(lane.pose(track, object_share * length_m, Difference::Forward), object_share)
        }
        State::OffTrack => (beside_the_road(track, on_center(0.6)), 60.0, first_step + 118.0),
        State::FinishedLap => (on_center(0.0), 100.0, first_step + 198.0),
    };
    let mut vehicle = Vehicle::new(race.scenario().generation);
    vehicle.place(pose.position, pose.yaw_rad);
    let is_crashed = state == State::Crashed;
    RewardParams { progress, steps, sim_time: steps / 15.0, is_crashed, ..race.params_of(&vehicle, action) }
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
    use deepracer_race::{ObjectRules, ObstacleKind, ObstacleRule, Place, Places, Scenario, Start};
    use deepracer_track::{Direction, Library};
    use deepracer_world::BoxKind;
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

    fn race(direction: Direction, objects: ObjectRules) -> Race {
        let route = Library::new(None).load("reinvent_base").expect("built in");
        let scenario = Scenario::training(Arc::new(route)).expect("sound").with_objects(objects).expect("they fit");
        let mut race = Race::new(Arc::new(scenario));
        race.reset(Start { ndist: 0.0, direction }, 0);
        race
    }

    fn a_box() -> ObjectRules {
        let places = Places::Fixed(vec![Place { ndist: 0.3, lane: Lane::Inner }]);
        let obstacles = Some(ObstacleRule { places, kind: ObstacleKind::Box(BoxKind::Plain) });
        ObjectRules { obstacles, ..ObjectRules::default() }
    }

    fn run<F: FnMut(&RewardParams, usize) -> f64 + Send + Clone + 'static>(function: F, prepare_step: bool) -> Report {
        run_in(&race(Direction::Forward, ObjectRules::default()), function, prepare_step)
    }

    fn run_in<F: FnMut(&RewardParams, usize) -> f64 + Send + Clone + 'static>(
        race: &Race,
        function: F,
        prepare_step: bool,
    ) -> Report {
        let action = Action { steering_deg: 10.0, speed_mps: 1.5 };
        let circumstances = Circumstances { race, action, prepare_step };
        preflight(&mut || Ok(Box::new(Written { function: function.clone(), calls: 0 })), &circumstances)
            .expect("loads")
    }

    #[test]
    fn the_four_states_are_what_they_are_called_in_both_directions() {
        for direction in [Direction::Forward, Direction::Reversed] {
            let race = race(direction, ObjectRules::default());
            let action = Action { steering_deg: -15.0, speed_mps: 0.8 };
            let circumstances = Circumstances { race: &race, action, prepare_step: true };
            let states: Vec<_> = State::of(&race).map(|state| params_of(state, &circumstances, 2.0)).collect();
            let [start, mid, off, finished] = states.as_slice() else { panic!("four states: {states:?}") };
            assert_eq!((start.steps, start.speed, start.steering_angle), (2.0, 0.8, -15.0));
            assert!(start.progress > 0.0 && start.progress < 1.0 && start.distance_from_center < 0.02);
            assert!((mid.projection_distance / mid.track_length - 0.5).abs() < 0.01 && mid.all_wheels_on_track);
            assert!(off.is_offtrack && !off.all_wheels_on_track && off.distance_from_center > off.track_width / 2.0);
            assert!(finished.progress == 100.0 && !finished.is_offtrack);
        }
    }

    #[test]
    fn among_objects_there_are_states_beside_and_in_one() {
        for direction in [Direction::Forward, Direction::Reversed] {
            let race = race(direction, a_box());
            let action = Action { steering_deg: 0.0, speed_mps: 1.0 };
            let circumstances = Circumstances { race: &race, action, prepare_step: true };
            let of = |state| params_of(state, &circumstances, 2.0);
            let (ahead, beside, crashed) = (of(State::ObjectAhead), of(State::BesideObject), of(State::Crashed));
            assert_eq!((ahead.objects.location.len(), ahead.objects.closest_objects), (1, [0, 0]));
            // The front point is 14 cm ahead of the origin.
            let gap_m = ahead.objects.distance[0] - ahead.projection_distance;
            assert!((gap_m - 0.36).abs() < 0.05 && ahead.objects.object_in_camera, "{gap_m}");
            assert!(beside.is_left_of_center != beside.objects.left_of_center[0] && beside.all_wheels_on_track);
            assert!(crashed.is_crashed && crashed.is_left_of_center == crashed.objects.left_of_center[0]);
            assert!(!ahead.is_crashed && !beside.is_crashed && ahead.steps > 2.0 && crashed.steps < 202.0);
        }
    }

    #[test]
    fn an_error_that_needs_an_object_is_found() {
        let fails_near_objects = |params: &RewardParams, _: usize| {
            let gap_m = params.objects.distance.first().map_or(9.0, |at_m| at_m - params.projection_distance);
            if gap_m.abs() < 0.5 { f64::NAN } else { 1.0 }
        };
        let report = run_in(&race(Direction::Forward, a_box()), fails_near_objects, true);
        assert_eq!(report.failure().map(|(state, _)| state.to_string()), Some("object ahead".to_owned()));
        assert_eq!(report.outcomes.len(), 7);
        assert_eq!(run(fails_near_objects, true).failure(), None, "a time trial has no such states");
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
