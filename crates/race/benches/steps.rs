//! Race steps without pixels, reward parameters included: `cargo bench -p deepracer-race`.

use std::sync::Arc;

use deepracer_race::{Action, Race, Scenario};
use deepracer_track::Library;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// One core, 1,000 steps of weaving round the track; episodes restart where they end.
#[divan::bench(args = ["reinvent_base", "2022_june_pro"])]
fn steps(bencher: divan::Bencher<'_, '_>, name: &str) {
    let route = Library::new(None).load(name).expect("a built-in track");
    let scenario = Arc::new(Scenario::training(Arc::new(route)).expect("a usable route"));
    let mut race = Race::new(scenario.clone());
    let mut episode = 0;
    bencher.counter(ItemsCount::new(1_000_u32)).bench_local(|| {
        for number in 0..1_000_u32 {
            let steering_deg = f64::from(number % 21) * 3.0 - 30.0;
            if divan::black_box(race.step(Action { steering_deg, speed_mps: 1.5 })).done {
                episode += 1;
                race.reset(scenario.start_of_episode(episode), episode);
            }
        }
    });
}
