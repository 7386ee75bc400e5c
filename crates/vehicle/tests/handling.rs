//! Cars that differ from their generation: late commands, worn tyres, a bent steering.

use deepracer_vehicle::{CONTROL_PERIOD_S, Command, Generation, Handling, MAX_SPEED_MPS, Vehicle};
use glam::DVec2;

fn car() -> Vehicle {
    let mut car = Vehicle::new(Generation::B);
    car.place(DVec2::ZERO, 0.0);
    car
}

fn command(step: usize) -> Command {
    Command::from_request((step * 7 % 41) as f64 - 20.0, 0.5 + (step % 5) as f64 * 0.4)
}

#[test]
fn the_default_is_the_generation_itself() {
    let (mut usual, mut handled) = (car(), car());
    handled.set_handling(Handling::default());
    handled.set_lateness_s(0.0);
    for step in 0..200 {
        usual.drive(command(step), CONTROL_PERIOD_S);
        handled.drive(command(step), CONTROL_PERIOD_S);
        assert_eq!(usual, handled, "step {step}");
    }
}

#[test]
fn late_commands_act_in_order_after_their_time() {
    // By whole periods: exactly the same drive, later.
    let (mut prompt, mut late) = (car(), car());
    late.set_lateness_s(3.0 * CONTROL_PERIOD_S);
    for step in 0..60 {
        late.drive(command(step), CONTROL_PERIOD_S);
        if step < 3 {
            assert_eq!(late.origin(), DVec2::ZERO, "nothing has arrived");
        } else {
            prompt.drive(command(step - 3), CONTROL_PERIOD_S);
            let apart_m = prompt.origin().distance(late.origin());
            assert!(apart_m < 1e-9 && (prompt.yaw_rad() - late.yaw_rad()).abs() < 1e-9, "step {step}: {apart_m}");
        }
    }
}

#[test]
fn a_part_of_a_period_late_is_a_part_of_the_way_behind() {
    let driven = |lateness_s: f64| {
        let mut car = car();
        car.set_lateness_s(lateness_s);
        (0..45).for_each(|_| car.drive(Command::from_request(0.0, 1.5), CONTROL_PERIOD_S));
        car.origin().x
    };
    let speed_mps = 1.5 * 0.036 / 0.035;
    for lateness_s in [0.02, 0.05, 0.1, 0.31] {
        let behind_m = driven(0.0) - driven(lateness_s);
        assert!((behind_m - lateness_s * speed_mps).abs() < 2e-3, "{lateness_s}: {behind_m}");
    }
}

#[test]
fn a_later_command_does_not_overtake() {
    // The second command is less late, and still waits for the first.
    let mut car = car();
    car.set_lateness_s(0.2);
    car.drive(Command::from_request(0.0, 1.0), CONTROL_PERIOD_S);
    car.set_lateness_s(0.0);
    car.drive(Command::from_request(0.0, 2.0), CONTROL_PERIOD_S);
    assert_eq!(car.origin().x, 0.0);
    (0..45).for_each(|_| car.drive(Command::from_request(0.0, 2.0), CONTROL_PERIOD_S));
    assert!((car.speed_mps() - 2.0 * 0.036 / 0.035).abs() < 0.01, "{}", car.speed_mps());
}

#[test]
fn being_placed_forgets_what_is_on_its_way() {
    let mut car = car();
    car.set_lateness_s(0.3);
    car.drive(Command::from_request(0.0, 2.0), CONTROL_PERIOD_S);
    car.place(DVec2::ONE, 1.0);
    // Within the lateness of new commands nothing moves it.
    (0..4).for_each(|_| car.drive(Command::from_request(0.0, 2.0), CONTROL_PERIOD_S));
    assert!(car.origin().distance(DVec2::ONE) < 1e-9, "{}", car.origin());
}

#[test]
fn any_number_of_commands_may_be_on_their_way() {
    let mut car = car();
    car.set_lateness_s(1.0);
    for step in 0..500 {
        car.drive(command(step), 0.001);
    }
    assert!(car.origin().is_finite());
}

#[test]
fn grip_scales_how_fast_the_car_gathers_speed_and_turns() {
    let gathered = |grip: f64| {
        let mut car = car();
        car.set_handling(Handling { grip, ..Handling::default() });
        (0..4).for_each(|_| car.drive(Command::from_request(0.0, MAX_SPEED_MPS), CONTROL_PERIOD_S));
        car.speed_mps()
    };
    // From rest the wheels spin: acceleration is friction.
    let ratio = gathered(0.5) / gathered(1.0);
    assert!((ratio - 0.5).abs() < 0.02, "{ratio}");
    let turned = |grip: f64| {
        let mut car = car();
        car.set_handling(Handling { grip, ..Handling::default() });
        (0..60).for_each(|_| car.drive(Command::from_request(15.0, 2.5), CONTROL_PERIOD_S));
        car.motion().yaw_rate_radps
    };
    assert!(turned(0.6) < 0.8 * turned(1.0), "{} {}", turned(0.6), turned(1.0));
}

#[test]
fn a_biased_steering_is_a_command_of_another_angle() {
    let (mut biased, mut told) = (car(), car());
    biased.set_handling(Handling { steering_bias_rad: 3.0_f64.to_radians(), ..Handling::default() });
    for _ in 0..30 {
        biased.drive(Command::from_request(5.0, 1.0), CONTROL_PERIOD_S);
        told.drive(Command::from_request(8.0, 1.0), CONTROL_PERIOD_S);
    }
    assert!(biased.origin().distance(told.origin()) < 1e-9);
    // The joints end at 30°.
    biased.drive(Command::from_request(30.0, 1.0), CONTROL_PERIOD_S);
    assert!(biased.motion().steering_rad <= 30.0_f64.to_radians() + 1e-12);
}
