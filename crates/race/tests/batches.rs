//! Races in a batch are independent: a batch gives what single races give, whatever the number of threads, and
//! finished races neither move nor are drawn.

use std::sync::Arc;

use deepracer_race::{
    Action, Batch, BotRule, LaneChange, ObjectRules, ObstacleKind, ObstacleRule, Places, Race, Scenario, Spread, Step,
    View,
};
use deepracer_sensor::{Camera, Pixels, Quality, Scene};
use deepracer_track::Library;
use deepracer_world::{BoxKind, World, look};

fn scenario_and_view() -> (Arc<Scenario>, View) {
    let route = Library::new(None).load("reinvent_base").expect("a built-in track");
    let scene = Arc::new(Scene::bake(&World::build(&route, &look::find("reinvent_base"))));
    let camera = Arc::new(Camera::front(0.0).observation(&scene, Quality::Standard));
    let view = View::through(scene, camera, Pixels::Grey);
    (Arc::new(Scenario::training(Arc::new(route)).expect("a usable route")), view)
}

/// Actions that differ from race to race and step to step.
fn action(race: usize, step: usize) -> Action {
    Action { steering_deg: ((race * 7 + step * 3) % 41) as f64 - 20.0, speed_mps: 0.5 + (race % 4) as f64 * 0.5 }
}

/// Steps and frames of `num_races` races over `num_steps` steps, race by race.
fn run(scenario: &Arc<Scenario>, view: &View, num_races: usize, num_steps: usize) -> Vec<Vec<(Step, Vec<u8>)>> {
    let races = (0..num_races).map(|_| (Race::new(scenario.clone()), view.clone())).collect();
    let mut batch = Batch::new(races);
    for index in 0..num_races {
        batch.reset(index, scenario.start_of_episode(index as u64), index as u64);
    }
    let mut history = vec![Vec::new(); num_races];
    let mut steps = vec![Step::default(); num_races];
    let mut frames = vec![0; num_races * batch.observation_bytes()];
    for number in 0..num_steps {
        let active: Vec<usize> = (0..num_races).filter(|&index| batch.is_active(index)).collect();
        let actions: Vec<_> = active.iter().map(|&index| action(index, number)).collect();
        batch.advance(&actions, &mut steps);
        batch.observe(&mut frames);
        for (row, &index) in active.iter().enumerate() {
            let frame = frames[row * batch.observation_bytes()..][..batch.observation_bytes()].to_vec();
            history[index].push((steps[row].clone(), frame));
            if steps[row].done {
                batch.deactivate(index);
            }
        }
    }
    history
}

fn same(a: &[(Step, Vec<u8>)], b: &[(Step, Vec<u8>)]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|((step, frame), (other, other_frame))| {
            step.params == other.params && step.status == other.status && frame == other_frame
        })
}

#[test]
fn one_or_two_threads_give_the_same_bytes() {
    let (scenario, view) = scenario_and_view();
    let with_threads = |num_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().expect("a thread pool");
        pool.install(|| run(&scenario, &view, 24, 40))
    };
    let (one, two) = (with_threads(1), with_threads(2));
    assert!(one.iter().zip(&two).all(|(a, b)| same(a, b)));
    assert!(one.iter().any(|race| race.last().is_some_and(|(step, _)| step.done)), "some races ended on the way");
}

/// The same scenario among boxes and bot cars on random places.
fn among_objects(scenario: &Scenario) -> Arc<Scenario> {
    let places = |number| Places::Spread(Spread { number, min_distance_m: 1.5, is_random: true });
    let lane_change = Some(LaneChange { lower_s: 0.2, upper_s: 0.5, distance_m: 0.5 });
    let rules = ObjectRules {
        obstacles: Some(ObstacleRule { places: places(4), kind: ObstacleKind::Box(BoxKind::Amazon) }),
        bots: Some(BotRule { places: places(3), speed_mps: 1.0, penalty_s: 0.5, lane_change }),
    };
    Arc::new(scenario.clone().with_objects(rules).expect("objects that fit"))
}

#[test]
fn one_or_two_threads_give_the_same_bytes_among_objects() {
    let (scenario, view) = scenario_and_view();
    let scenario = among_objects(&scenario);
    let with_threads = |num_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().expect("a thread pool");
        pool.install(|| run(&scenario, &view, 24, 40))
    };
    let (one, two) = (with_threads(1), with_threads(2));
    assert!(one.iter().zip(&two).all(|(a, b)| same(a, b)));
    assert!(one.iter().flatten().all(|(step, _)| step.params.objects.location.len() == 7));
}

#[test]
fn a_race_in_a_batch_is_the_race_alone() {
    let (scenario, view) = scenario_and_view();
    let scenario = among_objects(&scenario);
    let batch = run(&scenario, &view, 5, 30);
    for (index, history) in batch.iter().enumerate() {
        let mut race = Race::new(scenario.clone());
        race.reset(scenario.start_of_episode(index as u64), index as u64);
        for (number, (step, frame)) in history.iter().enumerate() {
            let alone = race.step(action(index, number));
            assert_eq!((&alone.params, alone.status), (&step.params, step.status));
            let mut drawn = vec![0; view.observation_bytes()];
            let mut scratch = deepracer_sensor::Scratch::new();
            view.observe(&race, &mut scratch, &mut drawn);
            assert_eq!(&drawn, frame);
        }
    }
}
