//! Episodes that differ in how the car obeys and in what it sees: off is off, the same seed repeats, another one differs.

use std::sync::Arc;

use deepracer_race::{Action, Batch, Race, Scenario, SimToReal, Step, View};
use deepracer_sensor::{Camera, Pixels, Quality, Scene, Variety};
use deepracer_track::Library;
use deepracer_world::{World, look};
use glam::DVec2;

fn scenario(sim_to_real: SimToReal) -> Arc<Scenario> {
    let route = Library::new(None).load("reinvent_base").expect("a built-in track");
    Arc::new(Scenario { sim_to_real, ..Scenario::training(Arc::new(route)).expect("a usable route") })
}

fn action(step: usize) -> Action {
    Action { steering_deg: [12.0, -8.0, 5.0, 0.0][step % 4], speed_mps: 1.0 + 0.5 * (step % 3) as f64 }
}

/// Where the car is after each of 12 steps of the episode with this seed, the motionless first one included.
fn driven(sim_to_real: SimToReal, seed: u64) -> Vec<(DVec2, f64)> {
    let scenario = scenario(sim_to_real);
    let mut race = Race::new(scenario.clone());
    race.reset(scenario.start_of_episode(0), seed);
    (0..12)
        .map(|step| {
            race.step(action(step));
            (race.vehicle().origin(), race.vehicle().yaw_rad())
        })
        .collect()
}

#[test]
fn each_kind_changes_the_drive_repeats_with_its_seed_and_differs_by_seed() {
    let none = SimToReal::default();
    let usual = driven(none, 4);
    assert_eq!(usual, driven(none, 5), "off, the seed does not matter");
    for (what, sim_to_real) in [
        ("latency", SimToReal { action_latency_s: 0.2, ..none }),
        ("jitter", SimToReal { action_latency_jitter_s: 0.1, ..none }),
        ("grip", SimToReal { grip: 0.5, ..none }),
        ("steering", SimToReal { steering_bias_rad: 0.1, ..none }),
    ] {
        let drive = driven(sim_to_real, 4);
        assert_ne!(drive, usual, "{what} changes something");
        assert_eq!(drive, driven(sim_to_real, 4), "{what} repeats");
        assert_ne!(drive, driven(sim_to_real, 5), "{what} differs by seed");
    }
    let seldom = SimToReal { decision_rate_hz: 10.0, ..none };
    assert_ne!(driven(seldom, 4), usual);
    assert_eq!(driven(seldom, 4), driven(seldom, 5), "a rate is not drawn");
}

#[test]
fn ten_decisions_a_second_are_a_drive_in_which_every_third_action_is_the_one_before() {
    let heard = driven(SimToReal { decision_rate_hz: 10.0, ..SimToReal::default() }, 0);
    let scenario = scenario(SimToReal::default());
    let mut race = Race::new(scenario.clone());
    race.reset(scenario.start_of_episode(0), 0);
    for (step, (origin, yaw_rad)) in heard.into_iter().enumerate() {
        // The race counts steps from 1; those after 3, 6, 9 … are not decided anew. Step 1 stands still.
        let number = step + 1;
        let decided = if number % 3 == 1 && number > 1 { step - 1 } else { step };
        race.step(action(decided));
        assert_eq!((race.vehicle().origin(), race.vehicle().yaw_rad()), (origin, yaw_rad), "step {number}");
    }
}

/// Frames of some races side by side, on a number of threads.
fn frames(variety: Variety, seeds: &[u64], num_threads: usize) -> Vec<u8> {
    let scenario = scenario(SimToReal::default());
    let scene = Arc::new(Scene::bake(&World::build(scenario.forward.route(), &look::find("reinvent_base"))));
    let camera = Arc::new(Camera::front(0.0).observation(&scene, Quality::Fast));
    let view = View::through(scene, camera, Pixels::Grey).with_variety(variety);
    let mut batch = Batch::new(seeds.iter().map(|_| (Race::new(scenario.clone()), view.clone())).collect());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().expect("threads");
    let mut out = vec![0; seeds.len() * batch.observation_bytes()];
    let mut all = Vec::new();
    pool.install(|| {
        for (index, seed) in seeds.iter().enumerate() {
            batch.reset(index, scenario.start_of_episode(0), *seed);
        }
        let mut steps = vec![Step::default(); seeds.len()];
        for step in 0..4 {
            batch.advance(&vec![action(step); seeds.len()], &mut steps);
            batch.observe(&mut out);
            all.extend_from_slice(&out);
        }
    });
    all
}

#[test]
fn what_is_seen_belongs_to_the_seed_whatever_the_threads() {
    let variety = Variety { domain: true, pitch_rad: 0.03, pixel_noise: 0.02, blur_px: 0.7, ..Variety::default() };
    let (one, three) = (frames(variety, &[1, 2, 1], 1), frames(variety, &[1, 2, 1], 3));
    assert!(one == three);
    let len = one.len() / 12;
    for step in one.chunks(3 * len) {
        assert!(step[..len] == step[2 * len..] && step[..len] != step[len..2 * len]);
    }
    let plain = frames(Variety::default(), &[1, 2, 1], 1);
    assert!(plain[..len] == plain[len..2 * len] && plain != one);
}
