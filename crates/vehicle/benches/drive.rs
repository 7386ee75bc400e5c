//! Time of one control period of driving.

use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Generation, Vehicle};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// A period with a new command each time, as a driving policy gives them.
#[divan::bench(args = [Generation::A, Generation::B, Generation::C], sample_count = 200, sample_size = 1000)]
fn one_period(bencher: Bencher<'_, '_>, generation: Generation) {
    let mut car = Vehicle::new(generation);
    let commands = [-25.0, 10.0, 30.0, -5.0].map(|angle| Command::from_request(angle, 1.5));
    let mut turn = 0;
    bencher.bench_local(|| {
        turn = (turn + 1) % commands.len();
        car.drive(black_box(commands[turn]), CONTROL_PERIOD_S);
        black_box(car.yaw_rad())
    });
}
