//! What an episode is: its first step, its ends, its laps, its penalties.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use deepracer_race::{Action, EpisodeStatus, LapResult, Penalties, Race, Rules, Scenario, Start, StartRule, Step};
use deepracer_track::{Direction, Library, Line};
use deepracer_vehicle::CONTROL_PERIOD_S;
use proptest::prelude::*;

fn scenario(name: &str) -> Scenario {
    Scenario::training(Arc::new(Library::new(None).load(name).expect("a built-in track"))).expect("a usable route")
}

fn start_line() -> Start {
    Start { ndist: 0.0, direction: Direction::Forward }
}

/// A driver that aims at the centre line 0.6 m ahead.
fn follow_center(race: &Race, speed_mps: f64) -> Action {
    let track = race.track();
    let front = race.vehicle().front_point();
    let center = track.line(Line::Center);
    let target = center.point_at(center.project(front).distance_m + 0.6) - front;
    let bearing_rad = target.y.atan2(target.x) - race.vehicle().yaw_rad();
    let bearing_rad = (bearing_rad + PI).rem_euclid(TAU) - PI;
    Action { steering_deg: (2.0 * bearing_rad.to_degrees()).clamp(-30.0, 30.0), speed_mps }
}

fn drive(race: &mut Race, mut driver: impl FnMut(&Race) -> Action) -> Vec<Step> {
    let mut steps = Vec::new();
    loop {
        let action = driver(race);
        steps.push(race.step(action));
        if steps.last().is_some_and(|step| step.done) {
            return steps;
        }
    }
}

fn laps(steps: &[Step]) -> Vec<LapResult> {
    steps.iter().filter_map(|step| step.lap).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn the_first_step_prepares_and_the_first_reward_call_sees_two_steps() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    let before = race.vehicle().origin();
    let first = race.step(Action { steering_deg: 20.0, speed_mps: 3.0 });
    assert_eq!((first.status, first.is_rewarded, first.params.steps), (EpisodeStatus::Prepare, false, 1.0));
    assert_eq!(race.vehicle().origin(), before, "the car is held");
    let second = race.step(Action { steering_deg: 20.0, speed_mps: 3.0 });
    assert_eq!((second.status, second.is_rewarded, second.params.steps), (EpisodeStatus::InProgress, true, 2.0));
    assert!(close(second.time_s, 2.0 / 15.0));
    assert_eq!((second.params.speed, second.params.steering_angle), (3.0, 20.0));
}

#[test]
fn without_the_prepare_step_the_first_reward_call_sees_one_step() {
    let mut race = Race::new(Arc::new(Scenario { prepare_step: false, ..scenario("reinvent_base") }));
    race.reset(start_line(), 0);
    let first = race.step(Action { steering_deg: 0.0, speed_mps: 1.0 });
    assert_eq!((first.status, first.is_rewarded, first.params.steps), (EpisodeStatus::InProgress, true, 1.0));
}

#[test]
fn the_reward_sees_the_pose_before_the_action_acts() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    race.step(Action::default());
    let front = race.vehicle().front_point();
    let step = race.step(Action { steering_deg: 0.0, speed_mps: 4.0 });
    assert_eq!((step.params.x, step.params.y), (front.x, front.y));
    assert!(race.vehicle().front_point().distance(front) > 0.0);
}

#[test]
fn first_progress_at_the_line_is_the_front_points_lead() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    let step = race.step(Action::default());
    let expected = 100.0 * 0.14 / step.params.track_length;
    assert!((step.params.progress - expected).abs() < 0.01, "{} against {expected}", step.params.progress);
}

#[test]
fn requests_beyond_the_cars_limits_reach_the_reward_unclipped() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    let mut clipped = race.clone();
    for _ in 0..6 {
        let step = race.step(Action { steering_deg: 45.0, speed_mps: 9.0 });
        assert_eq!((step.params.steering_angle, step.params.speed), (45.0, 9.0));
        clipped.step(Action { steering_deg: 30.0, speed_mps: 4.0 });
    }
    assert_eq!(race.vehicle().origin(), clipped.vehicle().origin());
}

#[test]
fn going_straight_leaves_the_road_and_ends_a_training_episode() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    let steps = drive(&mut race, |_| Action { steering_deg: 0.0, speed_mps: 1.0 });
    let last = steps.last().expect("steps");
    assert_eq!(last.status, EpisodeStatus::OffTrack);
    assert!(last.params.is_offtrack && !last.params.all_wheels_on_track && last.is_rewarded);
    assert!(steps[..steps.len() - 1].iter().all(|step| !step.params.is_offtrack));
    let lap = last.lap.expect("the broken-off lap");
    assert_eq!((lap.status, lap.num_off_tracks, lap.num_resets()), (EpisodeStatus::OffTrack, 1, 1));
    assert!(close(lap.elapsed_s(), steps.len() as f64 / 15.0));
}

#[test]
fn a_lap_ends_at_exactly_100_percent() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    race.reset(start_line(), 0);
    let steps = drive(&mut race, |race| follow_center(race, 1.0));
    let last = steps.last().expect("steps");
    assert_eq!((last.status, last.params.progress), (EpisodeStatus::LapComplete, 100.0));
    for pair in steps.windows(2) {
        assert!(pair[1].params.progress >= pair[0].params.progress - 0.05, "progress grows");
    }
    let lap_s = last.lap.expect("a lap").elapsed_s();
    assert!((16.0..20.0).contains(&lap_s), "17.7 m at 1.03 m/s take about 17.5 s, not {lap_s}");
}

#[test]
fn a_lap_in_either_direction_from_anywhere_counts_the_same() {
    let scenario = Arc::new(scenario("reinvent_base"));
    for direction in [Direction::Forward, Direction::Reversed] {
        for start in 0..8 {
            let mut race = Race::new(scenario.clone());
            race.reset(Start { ndist: f64::from(start) / 8.0, direction }, 0);
            let steps = drive(&mut race, |race| follow_center(race, 1.0));
            let last = steps.last().expect("steps");
            assert_eq!(last.status, EpisodeStatus::LapComplete, "{direction:?} from {start}/8");
            assert_eq!(last.params.is_reversed, direction == Direction::Reversed);
            assert!((240..300).contains(&steps.len()), "{} steps", steps.len());
        }
    }
}

#[test]
fn laps_of_a_continuous_race_add_up_to_its_time() {
    let rules = Rules { num_laps: 3, ..Rules::training() };
    let mut race = Race::new(Arc::new(Scenario { rules, ..scenario("reinvent_base") }));
    race.reset(start_line(), 0);
    let steps = drive(&mut race, |race| follow_center(race, 1.0));
    let laps = laps(&steps);
    assert_eq!(laps.len(), 3);
    assert!(laps.iter().all(|lap| lap.status == EpisodeStatus::LapComplete && lap.progress == 100.0));
    let sum: f64 = laps.iter().map(LapResult::elapsed_s).sum();
    assert!(close(sum, steps.len() as f64 * CONTROL_PERIOD_S));
    assert!(laps.windows(2).all(|pair| pair[0].end_s == pair[1].start_s));
    assert_eq!(steps.iter().filter(|step| step.status == EpisodeStatus::LapComplete).count(), 1, "the last one only");
    assert!(laps[1].elapsed_s() < laps[0].elapsed_s(), "a flying lap has no standing start");
}

fn forgiving(num_resets: u32, off_track_s: f64) -> Scenario {
    let penalties = Penalties { off_track_s, ..Rules::training().penalties };
    let rules = Rules { num_resets, penalties, ..Rules::training() };
    Scenario { rules, start: StartRule::start_line(Direction::Forward), ..scenario("reinvent_base") }
}

#[test]
fn a_forgiven_mishap_costs_its_penalty_and_puts_the_car_back_on_the_road() {
    let mut race = Race::new(Arc::new(forgiving(1, 2.0)));
    race.reset(start_line(), 0);
    let steps = drive(&mut race, |_| Action { steering_deg: 0.0, speed_mps: 1.0 });
    let mishap = steps.iter().position(|step| step.status == EpisodeStatus::OffTrack).expect("off the road");
    assert!(!steps[mishap].done && close(steps[mishap].pause_s, 2.0));
    let pauses: Vec<_> = steps.iter().filter(|step| step.status == EpisodeStatus::Pause).collect();
    assert_eq!(pauses.len(), 30, "two seconds");
    assert!(pauses.iter().all(|step| !step.is_rewarded && step.params.all_wheels_on_track));
    assert!(pauses.windows(2).all(|pair| pair[0].params.x == pair[1].params.x), "the car is held");
    let back = &steps[mishap + 1].params;
    assert!((back.progress - steps[mishap - 1].params.progress).abs() < 2.0, "near where it left");
    let last = steps.last().expect("steps");
    assert_eq!(last.status, EpisodeStatus::OffTrack, "the second mishap is not forgiven");
    let lap = last.lap.expect("a lap");
    assert_eq!(lap.num_off_tracks, 2);
    assert!(close(lap.elapsed_s(), steps.len() as f64 / 15.0), "the pause is part of the time");
}

#[test]
fn a_penalty_of_nothing_still_costs_one_step() {
    let mut race = Race::new(Arc::new(forgiving(1, 0.0)));
    race.reset(start_line(), 0);
    let steps = drive(&mut race, |_| Action { steering_deg: 0.0, speed_mps: 1.0 });
    assert_eq!(steps.iter().filter(|step| step.status == EpisodeStatus::Pause).count(), 1);
}

#[test]
fn every_track_can_be_started_anywhere_in_both_directions() {
    let library = Library::new(None);
    for info in deepracer_track::catalogue::all() {
        let Ok(route) = library.load(info.name) else { continue };
        let scenario = Arc::new(Scenario::training(Arc::new(route)).expect("a usable route"));
        let mut race = Race::new(scenario);
        for direction in [Direction::Forward, Direction::Reversed] {
            for start in 0..20 {
                race.reset(Start { ndist: f64::from(start) / 20.0, direction }, 0);
                let step = race.step(Action::default());
                assert!(!step.params.is_offtrack, "{} {direction:?} from {start}/20", info.name);
                assert!(step.params.track_width > 0.3, "{} is a road", info.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_driven_the_parameters_stay_sane(
        actions in prop::collection::vec((-60.0..60.0f64, -5.0..12.0f64), 1..120),
        start in 0.0..1.0f64,
    ) {
        let rules = Rules { num_resets: 1_000, ..Rules::training() };
        let scenario = Arc::new(Scenario { rules, ..scenario("reinvent_base") });
        let mut race = Race::new(scenario);
        race.reset(Start { ndist: start, direction: Direction::Forward }, 0);
        for (steering_deg, speed_mps) in actions {
            let step = race.step(Action { steering_deg, speed_mps });
            let params = &step.params;
            prop_assert!(params.x.is_finite() && params.y.is_finite());
            prop_assert!(params.progress > -51.0 && params.progress <= 100.0);
            prop_assert!(params.heading > -180.0 - 1e-9 && params.heading <= 180.0);
            prop_assert!(params.distance_from_center >= 0.0);
            prop_assert!((0.0..=params.track_length).contains(&params.projection_distance));
            let num_waypoints = race.track().waypoints().len();
            prop_assert!(params.closest_waypoints.iter().all(|&index| index < num_waypoints));
            if step.done { break; }
        }
    }
}
