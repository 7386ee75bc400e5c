//! Race steps without pixels, reward parameters included: `cargo bench -p deepracer-race`.

use std::sync::Arc;

use deepracer_race::{
    Action, BotRule, LaneChange, ObjectRules, ObstacleKind, ObstacleRule, Places, Race, Scenario, Spread, Step,
};
use deepracer_track::Library;
use deepracer_world::BoxKind;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// One core, 1,000 steps of weaving round the track; episodes restart where they end.
#[divan::bench(args = ["reinvent_base", "2022_june_pro"])]
fn steps(bencher: divan::Bencher<'_, '_>, name: &str) {
    weave(bencher, name, ObjectRules::default());
}

/// The same among six boxes on random places.
#[divan::bench]
fn steps_among_boxes(bencher: divan::Bencher<'_, '_>) {
    let rule = ObstacleRule { places: random_places(6), kind: ObstacleKind::Box(BoxKind::Plain) };
    weave(bencher, "reinvent_base", ObjectRules { obstacles: Some(rule), ..ObjectRules::default() });
}

/// The same among three bot cars that change lanes.
#[divan::bench]
fn steps_among_bots(bencher: divan::Bencher<'_, '_>) {
    let lane_change = Some(LaneChange { lower_s: 3.0, upper_s: 5.0, distance_m: 1.0 });
    let rule = BotRule { places: random_places(3), speed_mps: 0.5, penalty_s: 2.0, lane_change };
    weave(bencher, "reinvent_base", ObjectRules { bots: Some(rule), ..ObjectRules::default() });
}

fn random_places(number: usize) -> Places {
    Places::Spread(Spread { number, min_distance_m: 2.0, is_random: true })
}

fn weave(bencher: divan::Bencher<'_, '_>, name: &str, objects: ObjectRules) {
    let route = Library::new(None).load(name).expect("a built-in track");
    let scenario = Scenario::training(Arc::new(route)).expect("a usable route");
    let scenario = Arc::new(scenario.with_objects(objects).expect("objects that fit"));
    let mut race = Race::new(scenario.clone());
    let mut episode = 0;
    let mut step = Step::default();
    bencher.counter(ItemsCount::new(1_000_u32)).bench_local(|| {
        for number in 0..1_000_u32 {
            let steering_deg = f64::from(number % 21) * 3.0 - 30.0;
            race.step_into(Action { steering_deg, speed_mps: 1.5 }, &mut step);
            if divan::black_box(&step).done {
                episode += 1;
                race.reset(scenario.start_of_episode(episode), episode);
            }
        }
    });
}
