//! Where the original's spectator cameras are: one follows a car, one looks down on the track.

use crate::scene_camera::{SceneCamera, Viewpoint};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Height of the following camera above the ground, metres.
const FOLLOW_HEIGHT_M: f64 = 1.0;
/// Its pitch, rad (18°).
const FOLLOW_PITCH_DOWN_RAD: f64 = 0.314;
/// From it to the car, metres along its optical axis; 1.427 m on the ground.
const FOLLOW_DISTANCE_M: f64 = 1.5;
/// Share of the way to its place that it moves per second.
const FOLLOW_DAMPING_PER_S: f64 = 1.0;

/// The camera that follows a car ("45-degree", "main"): at a fixed height, and slow to follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FollowCamera {
    position: DVec2,
    yaw_rad: f64,
}

impl FollowCamera {
    /// Straight behind a car, where the camera jumps whenever the car is put somewhere.
    pub fn behind(origin: DVec2, yaw_rad: f64) -> FollowCamera {
        FollowCamera { position: place_behind(origin, yaw_rad), yaw_rad }
    }

    /// Follows for `dt_s` seconds a car that is at `origin` now: it turns toward the bearing of the car, and moves toward the
    /// place behind it in that direction, each by the share `dt_s` of what is left.
    pub fn follow(&mut self, origin: DVec2, dt_s: f64) {
        let share = (dt_s * FOLLOW_DAMPING_PER_S).clamp(0.0, 1.0);
        let toward = origin - self.position;
        if toward != DVec2::ZERO {
            let turn_rad = (toward.to_angle() - self.yaw_rad + PI).rem_euclid(2.0 * PI) - PI;
            self.yaw_rad += turn_rad * share;
        }
        self.position = self.position.lerp(place_behind(origin, self.yaw_rad), share);
    }

    /// Where it is and looks.
    pub fn viewpoint(&self) -> Viewpoint {
        Viewpoint {
            position: self.position.extend(FOLLOW_HEIGHT_M),
            yaw_rad: self.yaw_rad,
            pitch_down_rad: FOLLOW_PITCH_DOWN_RAD,
        }
    }
}

fn place_behind(origin: DVec2, yaw_rad: f64) -> DVec2 {
    origin - DVec2::from_angle(yaw_rad) * (FOLLOW_DISTANCE_M * FOLLOW_PITCH_DOWN_RAD.cos())
}

/// Height of the camera above the track, metres.
const TOP_HEIGHT_M: f64 = 6.0;
/// How much more than the track it sees.
const TOP_MARGIN: f64 = 1.25;

/// The camera that looks down on a whole track ("sub"): the right of its picture is +x of the world, the top +y. `border` is
/// the outer border of the track, metres; a quarter more than it is seen.
///
/// The original looks at the width alone when the track is wider than high, and cuts tracks off that are only a little wider;
/// here the picture's shape counts.
pub fn top_camera(border: &[DVec2], width: usize, height: usize) -> (SceneCamera, Viewpoint) {
    let points = || border.iter().copied().filter(|point| point.is_finite());
    let min = points().reduce(DVec2::min).unwrap_or(DVec2::ZERO);
    let max = points().reduce(DVec2::max).unwrap_or(DVec2::ONE);
    let size = (max - min).max(DVec2::splat(0.1));
    let half_width_m = 0.5 * TOP_MARGIN * size.x.max(size.y * width as f64 / height as f64);
    let camera = SceneCamera {
        horizontal_field_of_view_rad: 2.0 * (half_width_m / TOP_HEIGHT_M).atan(),
        ..SceneCamera::of_size(width, height)
    };
    let position = DVec3::new(0.5 * (min.x + max.x), 0.5 * (min.y + max.y), TOP_HEIGHT_M);
    (camera, Viewpoint { position, yaw_rad: FRAC_PI_2, pitch_down_rad: FRAC_PI_2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_car_stays_in_the_middle() {
        let mut camera = FollowCamera::behind(DVec2::new(2.0, 3.0), 0.5);
        let before = camera;
        camera.follow(DVec2::new(2.0, 3.0), 1.0 / 15.0);
        assert!(
            (camera.position - before.position).length() < 1e-12 && (camera.yaw_rad - before.yaw_rad).abs() < 1e-12
        );
        let distance_m = camera.position.distance(DVec2::new(2.0, 3.0));
        assert!((distance_m - 1.427).abs() < 1e-3, "{distance_m}");
    }

    #[test]
    fn it_lags_about_a_second_behind() {
        // Straight ahead at 1 m/s: once settled, it is speed × 1 s further back than when standing.
        let mut camera = FollowCamera::behind(DVec2::ZERO, 0.0);
        let dt_s = 1.0 / 15.0;
        for step in 1..=300 {
            camera.follow(DVec2::new(f64::from(step) * dt_s, 0.0), dt_s);
        }
        let behind_m = 20.0 - camera.position.x;
        assert!((behind_m - 1.427 - (1.0 - dt_s)).abs() < 1e-3, "{behind_m}");
        assert!(camera.yaw_rad.abs() < 1e-12 && camera.position.y.abs() < 1e-12);
    }

    #[test]
    fn it_turns_the_short_way() {
        let mut camera = FollowCamera { position: DVec2::ZERO, yaw_rad: PI - 0.1 };
        camera.follow(DVec2::from_angle(0.1 - PI), 0.5);
        assert!((camera.yaw_rad - PI).abs() < 1e-9, "{}", camera.yaw_rad);
    }

    #[test]
    fn the_top_camera_sees_a_quarter_more_than_the_track() {
        let fits = |size: DVec2| {
            let (camera, from) = top_camera(&[DVec2::new(1.0, 2.0), DVec2::new(1.0, 2.0) + size], 640, 480);
            assert_eq!(from.position, DVec3::new(1.0 + 0.5 * size.x, 2.0 + 0.5 * size.y, 6.0));
            camera.horizontal_field_of_view_rad
        };
        // The original's formulas for wide and for high tracks.
        assert!((fits(DVec2::new(8.0, 4.0)) - 2.0 * f64::atan(0.5 * 1.25 * 8.0 / 6.0)).abs() < 1e-12);
        assert!((fits(DVec2::new(4.0, 8.0)) - 2.0 * f64::atan(4.0 / 3.0 * (0.5 * 1.25 * 8.0 / 6.0))).abs() < 1e-12);
        // A square: all of it, where the original would cut it.
        assert!((fits(DVec2::splat(6.0)) - 2.0 * f64::atan(4.0 / 3.0 * (0.5 * 1.25))).abs() < 1e-12);
    }
}
