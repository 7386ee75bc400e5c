//! Boxes and parked cars: where they stand, what reward functions hear of them, what a crash costs, where the car goes.

mod common;

use std::sync::Arc;

use common::{aim, at, boxes, drive, fixed, follow, race, scenario};
use deepracer_race::{
    Action, EpisodeStatus, Lane, Mercy, ObjectRules, ObjectsError, ObstacleKind, ObstacleRule, Penalties, Places, Race,
    Rules, Scenario, Spread, Start, StartRule, Step,
};
use deepracer_track::{Difference, Direction, Library, Line, Track, progress::signed_gap_m};
use deepracer_vehicle::CONTROL_PERIOD_S;
use deepracer_world::{Body, BodyShape, BoxKind};
use proptest::prelude::*;

const STILL: Action = Action { steering_deg: 0.0, speed_mps: 0.1 };

/// Rules that forgive mishaps.
fn forgiving(collision_s: f64, mercy: Option<Mercy>) -> Rules {
    let penalties = Penalties { collision_s, off_track_s: 1.0, ..Rules::training().penalties };
    Rules { num_laps: 3, num_resets: 1_000, penalties, mercy, ..Rules::training() }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Centre-line distance of the car's origin in a step.
fn place_m(track: &Track, step: &Step) -> f64 {
    let params = &step.params;
    let heading = glam::DVec2::from_angle(params.heading.to_radians());
    track.ndist(glam::DVec2::new(params.x, params.y) - 0.14 * heading) * track.length_m()
}

fn distances_m(track: &Track, bodies: &[Body]) -> Vec<f64> {
    bodies.iter().map(|body| track.ndist(body.position) * track.length_m()).collect()
}

#[test]
fn boxes_stand_where_the_user_says() {
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.25, Lane::Outer), (0.7, Lane::Inner)])));
    race.reset(at(0.0), 3);
    let track = race.track().clone();
    for (body, (ndist, lane)) in race.bodies().iter().zip([(0.25, Lane::Outer), (0.7, Lane::Inner)]) {
        let on_center = track.line(Line::Center).point_at(ndist * track.length_m());
        let expected = track.line(lane.line()).project(on_center);
        assert!(body.position.distance(expected.point) < 1e-9);
        let pose = track.line(lane.line()).pose_at(expected.distance_m, Difference::Central);
        assert_eq!((body.yaw_rad, body.shape), (pose.yaw_rad, BodyShape::Box(BoxKind::Plain)));
        assert_eq!(track.is_in_inner_polygon(body.position), lane == Lane::Inner);
    }
}

#[test]
fn without_a_seed_boxes_are_spread_evenly_with_alternating_lanes() {
    let spread = Spread { number: 6, min_distance_m: 2.0, is_random: false };
    let mut race = race(scenario("reinvent_base"), boxes(Places::Spread(spread)));
    let length_m = race.track().length_m();
    for seed in 0..3 {
        race.reset(at(0.0), seed);
        let found = distances_m(race.track(), race.bodies());
        for (index, found_m) in found.iter().enumerate() {
            let expected_m = 2.0 + (length_m - 3.0) / 5.0 * index as f64;
            // A lane's point projects back to within a few centimetres of where it was looked for.
            assert!((found_m - expected_m).abs() < 0.1, "{index}: {found_m} is not {expected_m}");
            let is_inner = race.track().is_in_inner_polygon(race.bodies()[index].position);
            assert_eq!(is_inner, index % 2 == 0);
        }
    }
}

#[test]
fn every_kind_of_obstacle_has_its_shape() {
    for kind in [BoxKind::Plain, BoxKind::Amazon, BoxKind::DeepRacer].map(ObstacleKind::Box) {
        let rule = ObstacleRule { places: fixed(&[(0.5, Lane::Inner)]), kind };
        let rules = ObjectRules { obstacles: Some(rule), ..ObjectRules::default() };
        assert_eq!(race(scenario("reinvent_base"), rules).bodies()[0].shape, kind.shape());
    }
    let rule = ObstacleRule { places: fixed(&[(0.5, Lane::Inner)]), kind: ObstacleKind::ParkedCar };
    let rules = ObjectRules { obstacles: Some(rule), ..ObjectRules::default() };
    assert_eq!(race(scenario("reinvent_base"), rules).bodies()[0].shape, BodyShape::BotCar);
}

#[test]
fn too_many_obstacles_are_refused_by_name() {
    let ask = |number, min_distance_m| {
        let spread = Spread { number, min_distance_m, is_random: true };
        scenario("reinvent_base").with_objects(boxes(Places::Spread(spread)))
    };
    let Err(error) = ask(9, 2.0) else { panic!("nine do not fit") };
    assert!(matches!(error, ObjectsError::TooMany { number: 9, most: 8, .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "9 obstacles at least 2 m apart do not fit on reinvent_base, which is 17.7 m long; at most 8 do"
    );
    assert!(ask(8, 2.0).is_ok() && ask(100, 0.0).is_ok());
    assert!(matches!(ask(1, 40.0), Err(ObjectsError::TooMany { most: 0, .. })));
    assert!(matches!(ask(1, f64::NAN), Err(ObjectsError::OutOfRange { .. })));
    let far = scenario("reinvent_base").with_objects(boxes(fixed(&[(1.5, Lane::Inner)])));
    assert!(matches!(far, Err(ObjectsError::OutOfRange { .. })));
}

#[test]
fn places_count_in_the_driven_direction() {
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.25, Lane::Inner)])));
    let mut seen = Vec::new();
    for direction in [Direction::Forward, Direction::Reversed] {
        race.reset(Start { ndist: 0.0, direction }, 0);
        let step = race.step(STILL);
        let track = race.track();
        let objects = &step.params.objects;
        assert!((objects.distance[0] - 0.25 * track.length_m()).abs() < 0.1);
        // The inner lane is on the driver's left when the track is driven counter-clockwise.
        assert_eq!(objects.left_of_center, [track.is_ccw()]);
        seen.push(race.bodies()[0].position);
    }
    assert!(seen[0].distance(seen[1]) > 1.0, "another place in the world");
}

#[test]
fn left_and_right_are_the_drivers_on_clockwise_and_counter_clockwise_worlds() {
    for (name, is_ccw) in [("2022_reinvent_champ_cw", false), ("2022_reinvent_champ_ccw", true)] {
        let mut race = race(scenario(name), boxes(fixed(&[(0.3, Lane::Inner), (0.6, Lane::Outer)])));
        for direction in [Direction::Forward, Direction::Reversed] {
            race.reset(Start { ndist: 0.0, direction }, 0);
            let is_ccw = is_ccw != (direction == Direction::Reversed);
            assert_eq!(race.track().is_ccw(), is_ccw, "{name} {direction:?}");
            let objects = race.step(STILL).params.objects;
            assert_eq!(objects.left_of_center, [is_ccw, !is_ccw], "{name} {direction:?}");
            // Left is where a car that looks along the track has it.
            for (index, body) in race.bodies().iter().enumerate() {
                let center = race.track().line(Line::Center);
                let pose = center.pose_at(center.project(body.position).distance_m, Difference::Central);
                let is_left = glam::DVec2::from_angle(pose.yaw_rad).perp_dot(body.position - pose.position) > 0.0;
                assert_eq!(objects.left_of_center[index], is_left);
            }
        }
    }
}

#[test]
fn alternating_directions_meet_the_same_boxes_on_the_same_side_of_the_loop() {
    let rule = StartRule { alternate: true, ..StartRule::start_line(Direction::Forward) };
    let scenario = Scenario { start: rule, ..scenario("reinvent_base") };
    let starts = [0, 1, 2].map(|episode| scenario.start_of_episode(episode));
    let mut race = race(scenario, boxes(fixed(&[(0.2, Lane::Outer)])));
    let mut placed = Vec::new();
    for start in starts {
        race.reset(start, 0);
        let step = race.step(STILL);
        let at_m = step.params.objects.distance[0];
        assert!((at_m - 0.2 * step.params.track_length).abs() < 0.1, "a fifth of the way ahead: {at_m}");
        assert!(!race.track().is_in_inner_polygon(race.bodies()[0].position));
        assert_eq!(step.params.is_reversed, start.direction == Direction::Reversed);
        placed.push(race.bodies()[0]);
    }
    assert!(placed[0] == placed[2] && placed[0] != placed[1]);
}

#[test]
fn reward_functions_hear_of_every_object() {
    let places = fixed(&[(0.2, Lane::Outer), (0.5, Lane::Inner), (0.9, Lane::Outer)]);
    let mut race = race(scenario("reinvent_base"), boxes(places));
    for (ndist, closest) in [(0.1, [2, 0]), (0.3, [0, 1]), (0.6, [1, 2]), (0.95, [2, 0])] {
        race.reset(at(ndist), 0);
        let step = race.step(STILL);
        let objects = &step.params.objects;
        assert_eq!(objects.closest_objects, closest, "from {ndist}");
        let bodies = race.bodies();
        assert_eq!(objects.location, bodies.iter().map(|body| body.position.to_array()).collect::<Vec<_>>());
        assert_eq!(objects.left_of_center, [false, true, false], "counter-clockwise, the outer lane is the right one");
        assert_eq!((objects.speed.as_slice(), objects.heading.as_slice()), (&[0.0; 3][..], &[0.0; 3][..]));
        for (index, body) in bodies.iter().enumerate() {
            let center = race.track().line(Line::Center).project(body.position);
            assert_eq!(objects.distance[index], center.distance_m);
            assert_eq!(objects.distance_from_center[index], center.gap_m);
            assert!((0.1..0.3).contains(&center.gap_m), "a quarter of the road beside the centre line");
        }
    }
}

#[test]
fn the_object_ahead_is_in_the_camera_when_the_car_looks_at_it() {
    // Both boxes on the first straight: the nearer one is the next; once passed, the other one is.
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.1, Lane::Inner), (0.6, Lane::Inner)])));
    race.reset(at(0.0), 0);
    let ahead = race.step(STILL).params.objects;
    assert_eq!((ahead.closest_objects[1], ahead.object_in_camera), (0, true));
    race.reset(at(0.17), 0);
    let far = race.step(STILL).params.objects;
    assert_eq!((far.closest_objects[1], far.object_in_camera), (1, false), "half the track away, behind the bend");
}

#[test]
fn without_objects_the_keys_keep_their_defaults() {
    let mut race = Race::new(Arc::new(scenario("reinvent_base")));
    assert_eq!(race.step(STILL).params.objects, deepracer_race::ObjectParams::default());
    assert!(race.bodies().is_empty());
}

#[test]
fn a_step_reuses_the_lists_of_its_buffer() {
    let spread = Spread { number: 6, min_distance_m: 2.0, is_random: true };
    let mut race = race(scenario("reinvent_base"), boxes(Places::Spread(spread)));
    let mut step = Step::default();
    race.step_into(STILL, &mut step);
    let memory = |step: &Step| (step.params.objects.location.as_ptr(), step.params.objects.distance.as_ptr());
    let first = memory(&step);
    for _ in 0..30 {
        race.step_into(STILL, &mut step);
        assert_eq!(memory(&step), first);
    }
}

#[test]
fn driving_into_a_box_ends_a_training_episode() {
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.15, Lane::Inner)])));
    race.reset(at(0.0), 0);
    let steps = drive(&mut race, 200, |race| follow(race, Line::InnerLane, 1.0));
    let last = steps.last().expect("steps");
    assert_eq!((last.status, last.done, last.num_obstacle_crashes), (EpisodeStatus::Crashed, true, 1));
    assert!(last.params.is_crashed && last.params.all_wheels_on_track && last.is_rewarded);
    assert!(steps[..steps.len() - 1].iter().all(|step| !step.params.is_crashed && step.num_obstacle_crashes == 0));
    let lap = last.lap.expect("the broken-off lap");
    assert_eq!((lap.status, lap.num_crashes, lap.num_off_tracks), (EpisodeStatus::Crashed, 1, 0));
    // The crash is judged when the nose is 0.25 m before the box's middle: 5 cm before the box.
    let before = &steps[steps.len() - 2].params;
    let gap_m = |x: f64, y: f64| race.bodies()[0].position.distance(glam::DVec2::new(x, y));
    assert!(gap_m(last.params.x, last.params.y) < 0.25 && gap_m(before.x, before.y) > 0.2);
}

#[test]
fn passing_a_box_on_the_other_lane_is_no_crash() {
    let mut race = race(scenario("reInvent2019_wide"), boxes(fixed(&[(0.3, Lane::Inner), (0.7, Lane::Inner)])));
    race.reset(at(0.0), 0);
    let steps = drive(&mut race, 400, |race| follow(race, Line::OuterLane, 1.0));
    assert_eq!(steps.last().map(|step| step.status), Some(EpisodeStatus::LapComplete));
}

/// Steps of a car that follows `line` at 1 m/s, with resets.
fn race_with_resets(rules: Rules, places: Places, line: Line, start: f64, most: usize) -> (Race, Vec<Step>) {
    let mut race = race(Scenario { rules, ..scenario("reInvent2019_wide") }, boxes(places));
    race.reset(at(start), 0);
    let steps = drive(&mut race, most, |race| follow(race, line, 1.0));
    (race, steps)
}

#[test]
fn after_a_crash_the_car_waits_a_metre_behind_the_box_on_the_other_lane() {
    let (race, steps) = race_with_resets(forgiving(2.0, None), fixed(&[(0.3, Lane::Inner)]), Line::InnerLane, 0.0, 200);
    let crash = steps.iter().position(|step| step.status == EpisodeStatus::Crashed).expect("a crash");
    assert!(close(steps[crash].pause_s, 2.0) && !steps[crash].done);
    let pause: Vec<_> = steps[crash + 1..].iter().take_while(|step| step.status == EpisodeStatus::Pause).collect();
    assert_eq!(pause.len(), 30, "two seconds");
    let track = race.track();
    let box_m = track.ndist(race.bodies()[0].position) * track.length_m();
    for step in pause {
        let origin = glam::DVec2::new(step.params.x, step.params.y)
            - 0.14 * glam::DVec2::from_angle(step.params.heading.to_radians());
        let place_m = track.ndist(origin) * track.length_m();
        assert!((place_m - (box_m - 1.0)).abs() < 0.02, "{place_m} is not a metre before {box_m}");
        assert!(track.line(Line::OuterLane).project(origin).gap_m < 1e-6, "on the other lane");
        assert!(!step.params.is_crashed && step.num_obstacle_crashes == 1 && !step.is_rewarded);
    }
    // The driver goes back to its lane and crashes again: there is no end to it.
    assert!(steps.last().is_some_and(|step| step.num_obstacle_crashes >= 2));
}

#[test]
fn the_distance_behind_the_box_is_the_users() {
    let places = fixed(&[(0.3, Lane::Inner)]);
    let rules = Rules { reset_behind_m: 0.6, ..forgiving(1.0, None) };
    let (race, steps) = race_with_resets(rules, places, Line::InnerLane, 0.2, 100);
    let pause = steps.iter().find(|step| step.status == EpisodeStatus::Pause).expect("a pause");
    let track = race.track();
    let box_m = track.ndist(race.bodies()[0].position) * track.length_m();
    assert!((place_m(track, pause) - (box_m - 0.6)).abs() < 0.02);
}

#[test]
fn mercy_puts_the_car_past_a_box_it_cannot_get_by() {
    let places = fixed(&[(0.3, Lane::Inner)]);
    let mercy = Some(Mercy { num_resets: 2, ahead_m: 1.0 });
    let (race, steps) = race_with_resets(forgiving(0.0, mercy), places, Line::InnerLane, 0.0, 500);
    let track = race.track();
    let box_m = track.ndist(race.bodies()[0].position) * track.length_m();
    let pauses: Vec<f64> = steps
        .iter()
        .filter(|step| step.status == EpisodeStatus::Pause)
        .map(|step| place_m(track, step) - box_m)
        .collect();
    assert!((pauses[0] + 1.0).abs() < 0.05 && (pauses[1] - 1.0).abs() < 0.05, "{pauses:?}");
    // The count begins anew in the next lap.
    assert!((pauses[2] + 1.0).abs() < 0.05, "{pauses:?}");
    assert!(steps.iter().any(|step| step.lap.is_some_and(|lap| lap.progress == 100.0)));
}

#[test]
fn a_box_just_past_the_line_is_behind_the_car_that_crashed_into_it_from_before_the_line() {
    // The box begins 0.2 m after the line: its distance is nearly a whole lap less than the car's.
    let places = fixed(&[(0.012, Lane::Inner)]);
    let (race, steps) = race_with_resets(forgiving(1.0, None), places, Line::InnerLane, 0.9, 120);
    let track = race.track();
    let box_m = track.ndist(race.bodies()[0].position) * track.length_m();
    assert!(box_m < 0.3, "{box_m}");
    let crash = steps.iter().position(|step| step.status == EpisodeStatus::Crashed).expect("a crash");
    assert!(steps[crash].params.projection_distance > track.length_m() - 0.3, "before the line");
    let place_m = place_m(track, &steps[crash + 1]);
    assert!((signed_gap_m(place_m, box_m, track.length_m()) - 1.0).abs() < 0.02, "{place_m}");
}

#[test]
fn off_the_road_beside_a_box_the_car_is_put_behind_it() {
    let mut race = race(
        Scenario { rules: forgiving(0.0, None), ..scenario("reInvent2019_wide") },
        boxes(fixed(&[(0.3, Lane::Inner)])),
    );
    let box_m = 0.3 * race.track().length_m();
    race.reset(at(0.26), 0);
    let mut steps = Vec::new();
    for number in 0..60 {
        // To the right, off the road level with the box.
        let steering_deg = if number < 4 { 0.0 } else { -30.0 };
        steps.push(race.step(Action { steering_deg, speed_mps: 1.0 }));
    }
    let off = steps.iter().position(|step| step.status == EpisodeStatus::OffTrack).expect("off the road");
    let left_m = steps[off - 1].params.projection_distance;
    assert!((left_m - box_m).abs() < 1.0, "beside the box: {left_m} and {box_m}");
    let back = &steps[off + 1].params;
    assert!((back.projection_distance - 0.14 - (box_m - 1.0)).abs() < 0.1, "{back:?}");
    assert!(!back.is_left_of_center, "on the lane opposite to the box");
    assert_eq!(steps[off].num_obstacle_crashes, 0);
}

#[test]
fn the_car_starts_beside_an_object_that_stands_at_its_start() {
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.5, Lane::Inner)])));
    for (ndist, line) in [(0.5, Line::OuterLane), (0.46, Line::OuterLane), (0.54, Line::OuterLane), (0.3, Line::Center)]
    {
        race.reset(at(ndist), 0);
        assert!(race.track().line(line).project(race.vehicle().origin()).gap_m < 1e-6, "from {ndist}");
        let steps = [race.step(STILL), race.step(STILL), race.step(STILL)];
        assert!(steps.iter().all(|step| step.status != EpisodeStatus::Crashed && !step.params.is_offtrack));
    }
}

#[test]
fn both_lanes_taken_send_the_start_back_to_where_there_is_room() {
    let mut race = race(scenario("reinvent_base"), boxes(fixed(&[(0.5, Lane::Inner), (0.5, Lane::Outer)])));
    race.reset(at(0.5), 0);
    let track = race.track().clone();
    let place_m = track.ndist(race.vehicle().origin()) * track.length_m();
    let gap_m = 0.5 * track.length_m() - place_m;
    assert!((0.3..1.0).contains(&gap_m), "{gap_m}");
    assert_ne!(race.step(STILL).status, EpisodeStatus::Crashed);
    assert_ne!(race.step(STILL).status, EpisodeStatus::Crashed);
}

#[test]
fn obstacles_stay_where_they_are_through_crashes_and_move_with_the_seed() {
    let spread = Spread { number: 5, min_distance_m: 2.0, is_random: true };
    let rules = forgiving(0.0, None);
    let mut race = race(Scenario { rules, ..scenario("reInvent2019_wide") }, boxes(Places::Spread(spread)));
    race.reset(at(0.0), 11);
    let placed = race.bodies().to_vec();
    let steps = drive(&mut race, 300, |race| follow(race, Line::InnerLane, 1.5));
    assert!(steps.iter().any(|step| step.status == EpisodeStatus::Crashed));
    assert_eq!(race.bodies(), placed);
    race.reset(at(0.0), 12);
    assert_ne!(race.bodies(), placed, "another episode, other places");
    race.reset(at(0.35), 11);
    assert_eq!(race.bodies(), placed, "the same seed, the same places");
}

#[test]
fn an_evaluation_with_obstacles_adds_penalties_to_the_time() {
    let places = fixed(&[(0.3, Lane::Inner), (0.6, Lane::Inner)]);
    let mercy = Some(Mercy { num_resets: 1, ahead_m: 1.0 });
    let laps_s = [0.0, 3.0].map(|collision_s| {
        let rules = Rules { num_laps: 1, ..forgiving(collision_s, mercy) };
        let (_, steps) = race_with_resets(rules, places.clone(), Line::InnerLane, 0.0, 1_000);
        let lap = steps.last().and_then(|step| step.lap).expect("a lap");
        assert_eq!((lap.status, lap.num_crashes), (EpisodeStatus::LapComplete, 2));
        lap.elapsed_s()
    });
    // Without a penalty each crash still costs one step.
    let expected_s = 2.0 * (3.0 - CONTROL_PERIOD_S);
    assert!(close(laps_s[1] - laps_s[0], expected_s), "{laps_s:?}");
}

/// Tracks of different shapes and widths; all are closed.
const TRACKS: [&str; 5] = ["reinvent_base", "Oval_track", "2022_reinvent_champ_cw", "Monaco", "Bowtie_track"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn random_obstacles_keep_their_distance_on_the_lanes(
        name in prop::sample::select(&TRACKS[..]),
        seed: u64,
        min_distance_m in 0.5..4.0_f64,
        share in 0.0..1.0_f64,
        reversed: bool,
    ) {
        let scenario = scenario(name);
        let direction = if reversed { Direction::Reversed } else { Direction::Forward };
        let track = scenario.track(direction).clone();
        let most = Spread { number: 1, min_distance_m, is_random: true }.most(track.length_m()).expect("a limit");
        let number = (most as f64 * share) as usize;
        let spread = Spread { number, min_distance_m, is_random: true };
        let mut race = race(scenario, boxes(Places::Spread(spread)));
        race.reset(Start { ndist: 0.0, direction }, seed);
        prop_assert_eq!(race.bodies().len(), number);
        let distances_m = distances_m(&track, race.bodies());
        for (index, body) in race.bodies().iter().enumerate() {
            let lane = [Line::InnerLane, Line::OuterLane].map(|lane| track.line(lane).project(body.position).gap_m);
            prop_assert!(lane[0].min(lane[1]) < 1e-9, "on a lane: {lane:?}");
            prop_assert!(track.is_on_road(body.position));
            if let Some(next_m) = distances_m.get(index + 1) {
                // Distances are chosen along the centre line; the lane's point beside it is a little off in bends.
                prop_assert!(next_m - distances_m[index] > min_distance_m - 0.25, "{distances_m:?}");
            }
        }
        let bodies = race.bodies().to_vec();
        race.reset(Start { ndist: 0.5, direction }, seed);
        prop_assert_eq!(race.bodies(), &bodies[..]);
        if number > 0 {
            race.reset(Start { ndist: 0.5, direction }, seed.wrapping_add(1));
            prop_assert_ne!(race.bodies(), &bodies[..]);
        }
    }

    #[test]
    fn whatever_stands_where_the_car_begins_on_the_road_and_free(
        name in prop::sample::select(&TRACKS[..]),
        seed: u64,
        ndist in 0.0..1.0_f64,
        reversed: bool,
    ) {
        let spread = Spread { number: 8, min_distance_m: 1.5, is_random: true };
        let mut race = race(scenario(name), boxes(Places::Spread(spread)));
        let direction = if reversed { Direction::Reversed } else { Direction::Forward };
        race.reset(Start { ndist, direction }, seed);
        for _ in 0..3 {
            let step = race.step(STILL);
            prop_assert!(step.status != EpisodeStatus::Crashed && !step.params.is_offtrack, "{:?}", step.status);
        }
    }
}

#[test]
fn an_object_beside_a_hairpin_is_kept_clear_of_although_it_is_far_along_the_line() {
    let spread = Spread { number: 8, min_distance_m: 1.5, is_random: true };
    let mut race = race(scenario("Bowtie_track"), boxes(Places::Spread(spread)));
    race.reset(Start { ndist: 0.065_434_901_057_458_1, direction: Direction::Reversed }, 7_860_254_800_271_964_550);
    for _ in 0..3 {
        let step = race.step(STILL);
        assert!(step.status != EpisodeStatus::Crashed && !step.params.is_offtrack, "{:?}", step.status);
    }
}

#[test]
fn open_tracks_have_obstacles_too() {
    let route = Library::new(None).load("Straight_track").expect("a built-in track");
    let scenario = Scenario::training(Arc::new(route)).expect("a usable route");
    let spread = Spread { number: 2, min_distance_m: 1.5, is_random: true };
    let mut race = race(scenario, boxes(Places::Spread(spread)));
    for seed in 0..20 {
        race.reset(at(0.0), seed);
        let found = distances_m(race.track(), race.bodies());
        assert!(found[0] >= 1.5 - 1e-6 && found[1] - found[0] >= 1.5 - 1e-6 && found[1] < 4.71, "{found:?}");
        assert_eq!(race.step(STILL).params.objects.closest_objects[1], 0);
    }
}

/// Steers for the free lane from 1.5 m before an object to 0.3 m behind it and for the centre line elsewhere, knowing
/// nothing but what the reward function of the example knows.
fn swerve(race: &Race, step: &Step, speed_mps: f64) -> Action {
    let (params, objects) = (&step.params, &step.params.objects);
    let [behind, ahead] = objects.closest_objects;
    let near = [(ahead, 0.0, 1.5), (behind, -0.3, 0.0)].into_iter().find(|&(index, from_m, to_m)| {
        let at_m = objects.distance.get(index).copied().unwrap_or(f64::INFINITY);
        (from_m..=to_m).contains(&signed_gap_m(params.projection_distance, at_m, params.track_length))
    });
    let line = match near {
        Some((index, ..)) if objects.left_of_center[index] == race.track().is_ccw() => Line::OuterLane,
        Some(_) => Line::InnerLane,
        None => Line::Center,
    };
    aim(race, line, 0.35, speed_mps)
}

#[test]
fn who_makes_for_the_free_lane_gets_round() {
    let spread = Spread { number: 5, min_distance_m: 2.5, is_random: true };
    let mut race = race(scenario("reInvent2019_wide"), boxes(Places::Spread(spread)));
    for (seed, direction) in (0..20_u64).zip([Direction::Forward, Direction::Reversed].into_iter().cycle()) {
        race.reset(Start { ndist: 0.05 * seed as f64, direction }, seed);
        let mut step = race.step(STILL);
        while !step.done {
            step = race.step(swerve(&race, &step, 0.8));
        }
        assert_eq!(step.status, EpisodeStatus::LapComplete, "seed {seed}: {:?}", step.params);
    }
}
