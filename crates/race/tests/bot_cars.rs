//! Bot cars: where they drive, when they change lanes, who is to blame, who waits.

mod common;

use std::sync::Arc;

use common::{at, drive, fixed, follow, race, scenario};
use deepracer_race::{
    Action, BotRule, EpisodeStatus, Lane, LaneChange, ObjectRules, ObjectsError, Penalties, Places, Race, Rules,
    Scenario, Spread, Start, Step,
};
use deepracer_track::{Direction, Library, Line, progress::signed_gap_m};
use deepracer_world::{Body, BodyShape};
use glam::DVec2;
use proptest::prelude::*;

const STILL: Action = Action { steering_deg: 0.0, speed_mps: 0.1 };
/// Seconds of a step.
const STEP_S: f64 = 1.0 / 15.0;

fn rule(places: Places, speed_mps: f64) -> BotRule {
    BotRule { places, speed_mps, penalty_s: 2.0, lane_change: None }
}

fn bots(rule: BotRule) -> ObjectRules {
    ObjectRules { bots: Some(rule), ..ObjectRules::default() }
}

fn spread(number: usize) -> Places {
    Places::Spread(Spread { number, min_distance_m: 2.0, is_random: true })
}

/// Centre-line distance of a body, metres.
fn place_m(race: &Race, body: &Body) -> f64 {
    race.track().ndist(body.position) * race.track().length_m()
}

fn forgiving() -> Rules {
    let penalties = Penalties { collision_s: 1.0, ..Rules::training().penalties };
    Rules { num_laps: 3, num_resets: 1_000, penalties, ..Rules::training() }
}

#[test]
fn a_bot_is_where_its_clock_says() {
    let places = fixed(&[(0.25, Lane::Outer), (0.75, Lane::Inner)]);
    let mut race = race(scenario("reinvent_base"), bots(rule(places, 0.6)));
    race.reset(at(0.0), 0);
    let length_m = race.track().length_m();
    let lanes = [Line::OuterLane, Line::InnerLane];
    // More than once round: 17.7 m at 0.6 m/s take 29.5 s.
    for step in 1..=500 {
        // The car keeps out of their way.
        let params = race.step(follow(&race, Line::Center, 0.6)).params;
        // In the prepare step they stand, then they are where the clock at the step's beginning says.
        let driven_m = 0.6 * f64::from(step - 1) * STEP_S;
        for (index, body) in race.bodies().iter().enumerate() {
            let expected_m = ([0.25, 0.75][index] * length_m + driven_m).rem_euclid(length_m);
            let off_m = signed_gap_m(expected_m, place_m(&race, body), length_m);
            // Round the outside of a corner of the centre line the nearest point stands still for some centimetres.
            assert!(off_m.abs() < 0.1, "step {step}, bot {index}: {off_m} m off");
            let lane = race.track().line(lanes[index]).project(body.position);
            assert!(lane.gap_m < 0.03, "step {step}, bot {index}: {} m beside its lane", lane.gap_m);
            assert_eq!(body.shape, BodyShape::BotCar);
            assert_eq!(params.objects.location[index], body.position.to_array());
            assert_eq!((params.objects.speed[index], params.objects.heading[index]), (0.6, body.yaw_rad));
        }
    }
}

#[test]
fn bots_follow_both_lanes_of_every_track_in_both_directions() {
    let library = Library::new(None);
    for info in deepracer_track::catalogue::all() {
        let Ok(route) = library.load(info.name) else { continue };
        let scenario = Scenario::training(Arc::new(route)).expect("a usable route");
        let places = fixed(&[(0.0, Lane::Inner), (0.5, Lane::Outer)]);
        // Nothing holds them up, not even the car that stands there.
        let mut race = race(scenario, bots(BotRule { penalty_s: 0.0, ..rule(places, 4.0) }));
        for direction in [Direction::Forward, Direction::Reversed] {
            race.reset(Start { ndist: 0.25, direction }, 0);
            race.step(STILL);
            let num_steps = (race.track().length_m() / 4.0 / STEP_S) as usize;
            let mut before: Vec<Body> = race.bodies().to_vec();
            for step in 0..num_steps {
                race.step(STILL);
                for (index, (body, before)) in race.bodies().iter().zip(&before).enumerate() {
                    let track = race.track();
                    let context = || format!("{} {direction:?} bot {index} step {step}", info.name);
                    assert!(track.is_on_road(body.position), "{}", context());
                    let lane = track.line([Line::InnerLane, Line::OuterLane][index]);
                    let lane = lane.project(body.position).gap_m;
                    // The curve is round where the lane has corners, up to 70 cm apart.
                    assert!(lane < 0.15, "{}: {lane} m beside the lane", context());
                    let way = body.position - before.position;
                    let jumps = !track.is_closed() && place_m(&race, body) < place_m(&race, before);
                    if !jumps {
                        assert!(way.length() < 0.6, "{}: {} m in a step", context(), way.length());
                        let sideways = DVec2::from_angle(body.yaw_rad).dot(way.normalize_or_zero());
                        assert!(way.length() < 0.05 || sideways > 0.5, "{}: looks elsewhere", context());
                    }
                }
                before = race.bodies().to_vec();
            }
        }
    }
}

/// Lateral position of a bot in every step, from -1 (inner lane) to 1 (outer lane), and its poses.
fn lateral(race: &mut Race, num_steps: usize) -> (Vec<f64>, Vec<Body>) {
    let mut bodies = Vec::new();
    let values = (0..num_steps)
        .map(|_| {
            // The car keeps out of its way.
            race.step(follow(race, Line::Center, 0.5));
            let body = race.bodies()[0];
            bodies.push(body);
            let [inner, outer] =
                [Line::InnerLane, Line::OuterLane].map(|lane| race.track().line(lane).project(body.position).gap_m);
            (inner - outer) / (inner + outer)
        })
        .collect();
    (values, bodies)
}

#[test]
fn a_bot_changes_lanes_between_the_times_the_user_gives() {
    let change = LaneChange { lower_s: 3.0, upper_s: 5.0, distance_m: 1.0 };
    let rule = BotRule { lane_change: Some(change), ..rule(fixed(&[(0.1, Lane::Inner)]), 0.5) };
    let mut first_changes = Vec::new();
    for seed in 0..6 {
        let mut race = race(scenario("reInvent2019_wide"), bots(rule.clone()));
        race.reset(at(0.5), seed);
        let (lateral, bodies) = lateral(&mut race, 600);
        // A change is a run of steps off both lanes.
        let changing: Vec<usize> = (0..600).filter(|&step| lateral[step].abs() < 0.85).collect();
        let changes: Vec<(usize, usize)> =
            changing.chunk_by(|one, next| next - one < 8).map(|run| (run[0], run[run.len() - 1])).collect();
        assert!(changes.len() >= 4, "{changes:?}");
        first_changes.push(changes[0].0);
        for (begin, end) in &changes {
            // One metre at 0.5 m/s: two seconds, less the parts next to a lane.
            assert!((12..=30).contains(&(end - begin)), "{changes:?}");
            assert!(lateral[begin - 1] * lateral[(end + 1).min(599)] < 0.0, "over to the other lane");
        }
        for pair in changes.windows(2) {
            let between_s = (pair[1].0 - pair[0].1) as f64 * STEP_S;
            assert!((3.0..=5.0 + 1.2).contains(&between_s), "{between_s} s between changes, {changes:?}");
        }
        assert!((3.0..=5.6).contains(&(changes[0].0 as f64 * STEP_S)), "the first one: {changes:?}");
        for pair in bodies.windows(2) {
            let way = pair[1].position - pair[0].position;
            assert!((0.0..0.055).contains(&way.length()), "no jump: {} m", way.length());
            let turn = DVec2::from_angle(pair[0].yaw_rad).angle_to(DVec2::from_angle(pair[1].yaw_rad));
            assert!(turn.abs() < 0.25, "no jerk: {turn} rad");
        }
        race.reset(at(0.5), seed);
        assert_eq!(self::lateral(&mut race, 600).1, bodies, "the same seed, the same changes");
    }
    first_changes.dedup();
    assert!(first_changes.len() > 2, "{first_changes:?}");
}

#[test]
fn lane_changes_are_on_the_road_on_every_track() {
    let library = Library::new(None);
    let change = LaneChange { lower_s: 0.5, upper_s: 1.0, distance_m: 1.0 };
    for info in deepracer_track::catalogue::all() {
        let Ok(route) = library.load(info.name) else { continue };
        let scenario = Scenario::training(Arc::new(route)).expect("a usable route");
        let places = Places::Spread(Spread { number: 2, min_distance_m: 2.0, is_random: true });
        let rule = BotRule { lane_change: Some(change), penalty_s: 0.0, ..rule(places, 2.0) };
        let mut race = race(scenario, bots(rule));
        for direction in [Direction::Forward, Direction::Reversed] {
            race.reset(Start { ndist: 0.0, direction }, 5);
            for step in 0..200 {
                race.step(STILL);
                for body in race.bodies() {
                    assert!(body.position.is_finite() && body.yaw_rad.is_finite());
                    let center = race.track().line(Line::Center).project(body.position);
                    assert!(
                        race.track().is_on_road(body.position),
                        "{} {direction:?} step {step}: {center:?}",
                        info.name
                    );
                }
            }
        }
    }
}

/// The car drives along the inner lane at `speed_mps` from `start`, one bot of `bot_mps` ahead of or behind it.
fn chase(bot: f64, bot_mps: f64, start: f64, speed_mps: f64, rules: Rules, most: usize) -> (Vec<Step>, Vec<f64>) {
    let places = fixed(&[(bot, Lane::Inner), ((bot + 0.5).rem_euclid(1.0), Lane::Inner)]);
    let mut race = race(Scenario { rules, ..scenario("reinvent_base") }, bots(rule(places, bot_mps)));
    race.reset(at(start), 0);
    let mut places = Vec::new();
    let steps = drive(&mut race, most, |race| {
        places.push(place_m(race, &race.bodies()[1]));
        follow(race, Line::InnerLane, speed_mps)
    });
    (steps, places)
}

#[test]
fn a_car_that_runs_into_a_bot_is_to_blame_and_stays() {
    let (steps, places) = chase(0.2, 0.2, 0.0, 1.5, forgiving(), 200);
    let crash = steps.iter().position(|step| step.status == EpisodeStatus::Crashed).expect("a crash");
    assert!(steps[crash].params.is_crashed && !steps[crash].done);
    assert_eq!(steps[crash].num_obstacle_crashes, 0, "a bot is no obstacle");
    let pause: Vec<&Step> = steps[crash + 1..].iter().take_while(|step| step.status == EpisodeStatus::Pause).collect();
    assert_eq!(pause.len(), 15, "one second");
    let first = (pause[0].params.x, pause[0].params.y);
    assert!(pause.iter().all(|step| (step.params.x, step.params.y) == first), "pinned");
    // It stays where it was when it was judged: it drove on for that step.
    let drift = DVec2::from(first).distance(DVec2::new(steps[crash].params.x, steps[crash].params.y));
    assert!(drift < 1.6 * STEP_S, "{drift}");
    // The bots drive on.
    let driven_m = places[crash + 10] - places[crash];
    assert!((driven_m - 10.0 * 0.2 * STEP_S).abs() < 0.02, "{driven_m}");
    assert!(steps.iter().all(|step| step.status != EpisodeStatus::OffTrack));
}

#[test]
fn in_training_running_into_a_bot_ends_the_episode() {
    let (steps, _) = chase(0.2, 0.2, 0.0, 1.5, Rules::training(), 200);
    let last = steps.last().expect("steps");
    assert_eq!((last.status, last.done), (EpisodeStatus::Crashed, true));
    assert_eq!(last.lap.map(|lap| lap.num_crashes), Some(1));
}

#[test]
fn bots_that_run_into_the_car_wait_all_of_them() {
    // The car crawls, the bot behind it does 1 m/s.
    let (steps, places) = chase(0.1, 1.0, 0.2, 0.1, Rules::training(), 120);
    assert!(steps.iter().all(|step| step.status != EpisodeStatus::Crashed && !step.params.is_crashed));
    let moves: Vec<bool> = places.windows(2).map(|pair| (pair[1] - pair[0]).abs() > 1e-6).collect();
    let first = moves[2..].iter().position(|moves| !moves).expect("they wait") + 2;
    let waits = moves[first..].iter().take_while(|&&moves| !moves).count();
    assert_eq!(waits, 30, "two seconds");
    assert!(moves[first + 30], "and then they drive on");
}

#[test]
fn the_one_behind_is_to_blame_across_the_line_too() {
    // The bot is just past the line, the car comes from before it: its distance is a lap more, its place is behind.
    let (steps, _) = chase(0.005, 0.0, 0.93, 1.0, Rules::training(), 100);
    let last = steps.last().expect("steps");
    assert_eq!(last.status, EpisodeStatus::Crashed);
    assert!(last.params.projection_distance > 0.9 * last.params.track_length, "the car is before the line");
    // And the other way round: the car is past the line, the bot comes from before it.
    let (steps, places) = chase(0.96, 1.0, 0.03, 0.1, Rules::training(), 60);
    assert!(steps.iter().all(|step| step.status != EpisodeStatus::Crashed));
    assert!(places.windows(2).skip(2).any(|pair| pair[0] == pair[1]), "the bot waits");
}

#[test]
fn bots_that_stand_keep_standing() {
    let places = fixed(&[(0.3, Lane::Outer)]);
    let mut race = race(scenario("reinvent_base"), bots(rule(places, 0.0)));
    race.reset(at(0.0), 0);
    let before = race.bodies().to_vec();
    (0..30).for_each(|_| drop(race.step(STILL)));
    assert_eq!(race.bodies(), before);
}

#[test]
fn every_episode_begins_anew_and_places_follow_the_seed() {
    let mut race = race(scenario("reinvent_base"), bots(rule(spread(4), 0.5)));
    race.reset(at(0.0), 7);
    let first = race.bodies().to_vec();
    (0..100).for_each(|_| drop(race.step(STILL)));
    assert_ne!(race.bodies(), first);
    race.reset(at(0.0), 7);
    assert_eq!(race.bodies(), first);
    race.reset(at(0.0), 8);
    assert_ne!(race.bodies(), first);
}

#[test]
fn the_direction_turns_the_bots_round() {
    let mut race = race(scenario("reinvent_base"), bots(rule(fixed(&[(0.3, Lane::Inner)]), 1.0)));
    for direction in [Direction::Forward, Direction::Reversed, Direction::Forward] {
        race.reset(Start { ndist: 0.7, direction }, 0);
        race.step(STILL);
        let before = place_m(&race, &race.bodies()[0]);
        (0..15).for_each(|_| drop(race.step(STILL)));
        let driven_m = place_m(&race, &race.bodies()[0]) - before;
        assert!((driven_m - 1.0).abs() < 0.1, "{direction:?}: {driven_m}");
    }
}

#[test]
fn what_bots_cannot_do_is_refused_by_name() {
    let ask = |rule: BotRule| scenario("reinvent_base").with_objects(bots(rule)).map(drop);
    let change = LaneChange { lower_s: 3.0, upper_s: 5.0, distance_m: 1.0 };
    let standing = BotRule { lane_change: Some(change), ..rule(spread(1), 0.0) };
    assert_eq!(ask(standing), Err(ObjectsError::StandingLaneChange));
    let wrong_times = LaneChange { lower_s: 5.0, upper_s: 3.0, ..change };
    let error = ask(BotRule { lane_change: Some(wrong_times), ..rule(spread(1), 1.0) }).expect_err("refused");
    assert_eq!(error.to_string(), "the most time between lane changes is 3; it must be at least the least time");
    assert!(matches!(ask(rule(spread(1), -1.0)), Err(ObjectsError::OutOfRange { .. })));
    assert!(matches!(ask(rule(spread(20), 1.0)), Err(ObjectsError::TooMany { what: "bot cars", .. })));
    assert_eq!(ask(BotRule { lane_change: Some(change), ..rule(spread(1), 1.0) }), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn bots_keep_their_distance_for_ever(seed: u64, number in 2..7_usize, speed_mps in 0.1..3.0_f64) {
        let mut race = race(scenario("reinvent_base"), bots(rule(spread(number), speed_mps)));
        race.reset(at(0.0), seed);
        let length_m = race.track().length_m();
        for _ in 0..150 {
            race.step(STILL);
            let places: Vec<f64> = race.bodies().iter().map(|body| place_m(&race, body)).collect();
            for (index, &one) in places.iter().enumerate() {
                for &other in &places[index + 1..] {
                    let gap_m = signed_gap_m(one, other, length_m).abs();
                    prop_assert!(gap_m > 2.0 - 0.15, "{gap_m}");
                }
            }
        }
    }
}
