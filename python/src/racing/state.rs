//! The state vector: where the car is and what lies ahead, without a picture.

use deepracer_race::Race;
use deepracer_track::Line;
use glam::DVec2;

use super::entrant::Entrant;

/// Distances at which the centre line ahead is told, metres.
const AHEAD_M: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0];

/// What the numbers are, in their order.
pub(crate) const NAMES: [&str; 23] = [
    "x_m",
    "y_m",
    "heading_cos",
    "heading_sin",
    "speed_mps",
    "yaw_rate_radps",
    "wheel_angle_rad",
    "left_of_center_m",
    "heading_error_rad",
    "track_width_m",
    "lap_fraction",
    "ahead_0_x_m",
    "ahead_0_y_m",
    "ahead_1_x_m",
    "ahead_1_y_m",
    "ahead_2_x_m",
    "ahead_2_y_m",
    "ahead_3_x_m",
    "ahead_3_y_m",
    "ahead_4_x_m",
    "ahead_4_y_m",
    "ahead_5_x_m",
    "ahead_5_y_m",
];

/// Numbers before the points ahead.
const NUM_OWN: usize = 11;

/// No number is below these.
pub(crate) fn low() -> [f32; NAMES.len()] {
    high().map(|value| -value)
}

/// No number is above these.
pub(crate) fn high() -> [f32; NAMES.len()] {
    let mut high = [f32::INFINITY; NAMES.len()];
    [high[2], high[3]] = [1.0; 2];
    high[8] = std::f32::consts::PI;
    high[10] = 1.0;
    high
}

/// Writes the state of a race: metres, radians, m/s; points ahead in the car's own axes, x ahead and y left, from its front
/// point.
pub(super) fn write(entrant: &Entrant, race: &Race, out: &mut [f32]) {
    let vehicle = race.vehicle();
    let track = entrant.track();
    let center = track.line(Line::Center);
    let front = vehicle.front_point();
    let heading = DVec2::from_angle(vehicle.yaw_rad());
    let projected = center.project(front);
    let points = center.points();
    let along = (points[projected.segment + 1] - points[projected.segment]).normalize_or(heading);
    let motion = vehicle.motion();
    let own: [f64; NUM_OWN] = [
        front.x,
        front.y,
        heading.x,
        heading.y,
        vehicle.speed_mps(),
        motion.yaw_rate_radps,
        motion.steering_rad,
        along.perp_dot(front - projected.point),
        along.angle_to(heading),
        entrant.step.params.track_width,
        (entrant.step.params.progress / 100.0).clamp(-1.0, 1.0),
    ];
    let (own_out, ahead_out) = out.split_at_mut(NUM_OWN);
    for (out, value) in own_out.iter_mut().zip(own) {
        *out = value as f32;
    }
    for (out, ahead_m) in ahead_out.chunks_exact_mut(2).zip(AHEAD_M) {
        let offset = center.point_at(projected.distance_m + ahead_m) - front;
        out[0] = offset.dot(heading) as f32;
        out[1] = heading.perp_dot(offset) as f32;
    }
}
