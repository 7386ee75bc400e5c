//! The rigid body: masses, wheel positions, reference points and footprint.
//!
//! All lengths are metres in the vehicle frame (x forward, y left), measured from the model
//! origin, the point that poses refer to. The figures reproduce the original's car
//! description; the mass totals are sums over its links.

use std::f64::consts::PI;

use glam::DVec2;

/// Acceleration of gravity in the original's worlds, m/s².
pub const GRAVITY_MPS2: f64 = 9.8;

/// Distance of the front point ahead of the model origin.
///
/// The front point is the one that progress, distances, waypoints and logs refer to.
pub const FRONT_POINT_M: f64 = 0.14;

/// Length and width of the rectangle, centred on the model origin, that crash tests use.
pub const FOOTPRINT_M: (f64, f64) = (0.323_52, 0.1961);

/// Distance of the rear axle behind the model origin.
pub const REAR_AXLE_M: f64 = 0.081_663;

/// Distance of the front axle ahead of the model origin.
pub const FRONT_AXLE_M: f64 = 0.082_311;

/// Distance of each rear wheel's centre from the middle line.
pub const REAR_HALF_TRACK_M: f64 = 0.081_05;

/// Distance of each front wheel's centre from the middle line.
pub const FRONT_HALF_TRACK_M: f64 = 0.079_601;

/// Distance between the axles.
pub const WHEELBASE_M: f64 = REAR_AXLE_M + FRONT_AXLE_M;

/// Wheel centres in the vehicle frame: left rear, right rear, left front, right front.
pub const WHEELS_M: [DVec2; 4] = [
    DVec2::new(-REAR_AXLE_M, REAR_HALF_TRACK_M),
    DVec2::new(-REAR_AXLE_M, -REAR_HALF_TRACK_M),
    DVec2::new(FRONT_AXLE_M, FRONT_HALF_TRACK_M),
    DVec2::new(FRONT_AXLE_M, -FRONT_HALF_TRACK_M),
];

/// Turns a point of the vehicle frame into a point of the world.
///
/// `heading` is the unit vector (cos yaw, sin yaw).
pub(crate) fn to_world(origin: DVec2, heading: DVec2, local: DVec2) -> DVec2 {
    origin + heading.rotate(local)
}

/// Brings an angle into (-π, π].
///
/// ```
/// use std::f64::consts::PI;
/// assert_eq!(deepracer_vehicle::body::wrap_angle(-PI), PI);
/// assert!((deepracer_vehicle::body::wrap_angle(4.0) - (4.0 - 2.0 * PI)).abs() < 1e-12);
/// ```
pub fn wrap_angle(angle_rad: f64) -> f64 {
    if angle_rad > -PI && angle_rad <= PI {
        return angle_rad;
    }
    let turned = (angle_rad + PI).rem_euclid(2.0 * PI) - PI;
    if turned <= -PI { PI } else { turned }
}
