//! Two cars in one race: where they start, what they know of each other, who is to blame.

mod common;

use std::sync::Arc;

use common::{at, follow, scenario};
use deepracer_race::{Action, EpisodeStatus, GridPlace, Penalties, Race, Rules, Scenario, Step};
use deepracer_track::{Direction, Line, progress::signed_gap_m};
use deepracer_world::{BodyShape, CarColour};

const COLOURS: [CarColour; 2] = [CarColour::Purple, CarColour::Orange];

/// Both cars told of each other.
fn meet(races: &mut [Race; 2]) {
    let rivals = [0, 1].map(|index: usize| races[index].as_rival(COLOURS[index]));
    races[0].meet(&rivals[1..]);
    races[1].meet(&rivals[..1]);
}

fn grid(rules: Rules) -> [Race; 2] {
    let mut races = [0, 1].map(|index| {
        let grid = Some(GridPlace::of_car(index));
        Race::new(Arc::new(Scenario { rules, grid, ..scenario("reInvent2019_wide") }))
    });
    for race in &mut races {
        race.reset(at(0.0), 0);
    }
    meet(&mut races);
    races
}

fn step(races: &mut [Race; 2], actions: [Action; 2]) -> [Step; 2] {
    let steps = [races[0].step(actions[0]), races[1].step(actions[1])];
    meet(races);
    steps
}

/// Both follow the outer lane, each at its speed.
fn follow_outer(races: &[Race; 2], speeds_mps: [f64; 2]) -> [Action; 2] {
    [0, 1].map(|index| follow(&races[index], Line::OuterLane, speeds_mps[index]))
}

fn forgiving() -> Rules {
    let penalties = Penalties { collision_s: 1.0, ..Rules::training().penalties };
    Rules { num_laps: 1, num_resets: 100, penalties, ..Rules::training() }
}

#[test]
fn the_second_car_starts_on_the_inner_lane_three_quarters_of_a_metre_behind() {
    let mut races = grid(forgiving());
    let track = races[0].track().clone();
    for (race, (line, behind_m)) in races.iter().zip([(Line::OuterLane, 0.0), (Line::InnerLane, 0.75)]) {
        let origin = race.vehicle().origin();
        assert!(track.line(line).project(origin).gap_m < 1e-9);
        let place_m = track.ndist(origin) * track.length_m();
        assert!((signed_gap_m(place_m, 0.0, track.length_m()) - behind_m).abs() < 0.05, "{place_m}");
    }
    let steps = step(&mut races, [Action::default(); 2]);
    // The lap of both begins at the line.
    assert!(steps[0].params.progress > 0.0);
    let expected = 100.0 * (0.14 - 0.75) / track.length_m();
    assert!((steps[1].params.progress - expected).abs() < 0.4, "{}", steps[1].params.progress);
}

#[test]
fn each_car_is_an_object_of_the_other_with_its_colour() {
    let mut races = grid(forgiving());
    for _ in 0..30 {
        let before = [0, 1].map(|index: usize| races[index].vehicle().origin());
        let actions = [0, 1].map(|index| follow(&races[index], [Line::OuterLane, Line::InnerLane][index], 1.0));
        let steps = step(&mut races, actions);
        for (index, step) in steps.iter().enumerate() {
            let other = 1 - index;
            // The reward function hears of the place before the step, the camera sees the one after it.
            assert_eq!(step.params.objects.location, [before[other].to_array()]);
            assert_eq!((&step.params.objects.speed[..], &step.params.objects.heading[..]), (&[0.0][..], &[0.0][..]));
            let body = races[index].bodies()[0];
            assert_eq!(body.position, races[other].vehicle().origin());
            assert_eq!(body.shape, BodyShape::Car(COLOURS[other]));
        }
    }
}

#[test]
fn the_car_behind_is_to_blame_and_stays_and_the_other_drives_on() {
    let mut races = grid(forgiving());
    let mut history: Vec<[Step; 2]> = Vec::new();
    for _ in 0..90 {
        let actions = follow_outer(&races, [0.5, 1.5]);
        history.push(step(&mut races, actions));
    }
    assert!(history.iter().all(|steps| steps[0].status != EpisodeStatus::Crashed), "the one ahead is not to blame");
    let crash = history.iter().position(|steps| steps[1].status == EpisodeStatus::Crashed).expect("a crash");
    assert!(history[crash][1].params.is_crashed && !history[crash][0].params.is_crashed);
    assert_eq!(history[crash][1].num_obstacle_crashes, 0);
    let pause: Vec<&Step> =
        history[crash + 1..].iter().map(|steps| &steps[1]).take_while(|s| s.status == EpisodeStatus::Pause).collect();
    assert_eq!(pause.len(), 15, "one second");
    assert!(pause.iter().all(|step| step.params.x == pause[0].params.x), "it stays");
    let ahead = &history[crash + 15][0];
    assert_eq!((ahead.status, ahead.is_rewarded), (EpisodeStatus::InProgress, true));
}

#[test]
fn a_car_that_waits_cannot_be_run_into() {
    let mut races = grid(forgiving());
    let mut num_steps = 0;
    while races[1].as_rival(COLOURS[1]).is_solid {
        let actions = follow_outer(&races, [0.5, 1.5]);
        step(&mut races, actions);
        num_steps += 1;
        assert!(num_steps < 90, "the second car runs into the first");
    }
    // The first car backs off in place: it is put into the waiting one, in front of which it drove.
    let mut waiting = races[1].as_rival(COLOURS[1]);
    waiting.body.position = races[0].vehicle().origin() + 0.2 * glam::DVec2::from_angle(races[0].vehicle().yaw_rad());
    races[0].meet(&[waiting]);
    let through = races[0].clone().step(Action { steering_deg: 0.0, speed_mps: 0.5 });
    assert_eq!(through.status, EpisodeStatus::InProgress);
    waiting.is_solid = true;
    races[0].meet(&[waiting]);
    let crash = races[0].step(Action { steering_deg: 0.0, speed_mps: 0.5 });
    assert_eq!(crash.status, EpisodeStatus::Crashed);
}

#[test]
fn a_lap_that_the_race_ends_without_is_told_as_far_as_it_is() {
    let mut races = grid(forgiving());
    for _ in 0..45 {
        let actions = follow_outer(&races, [1.0, 0.3]);
        step(&mut races, actions);
    }
    let lap = races[1].lap_so_far();
    assert_eq!((lap.status, lap.num_resets()), (EpisodeStatus::InProgress, 0));
    assert!((lap.elapsed_s() - 3.0).abs() < 1e-9 && lap.progress < races[0].lap_so_far().progress);
    races[1].reset(deepracer_race::Start { ndist: 0.0, direction: Direction::Forward }, 1);
    assert!(races[1].bodies().is_empty(), "forgotten until they meet again");
}
