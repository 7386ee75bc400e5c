//! Where a car starts, and where it is put back after a mishap.

use deepracer_track::{Difference, Direction, Line, Pose, Track};
use glam::DVec2;

use crate::placement::Lane;
use crate::traffic::Traffic;

/// How start positions and directions follow each other from episode to episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartRule {
    /// First start, as a fraction of the track's length from waypoint 0.
    pub offset: f64,
    /// Fraction of the track by which each further episode starts later; 0 keeps the start.
    pub advance: f64,
    /// Direction of the first episode.
    pub direction: Direction,
    /// Drive every other episode in the opposite direction.
    pub alternate: bool,
}

impl StartRule {
    /// The original's default in training: round the track in steps of 5 %, always forwards.
    pub const fn round_robin() -> Self {
        Self { offset: 0.0, advance: 0.05, direction: Direction::Forward, alternate: false }
    }

    /// Always the start line.
    pub const fn start_line(direction: Direction) -> Self {
        Self { offset: 0.0, advance: 0.0, direction, alternate: false }
    }

    /// The start of an episode, counted from 0.
    pub fn of_episode(&self, episode: u64) -> Start {
        let direction = if self.alternate && episode % 2 == 1 { opposite(self.direction) } else { self.direction };
        // Rounded to a billionth of a lap so that twenty steps of 0.05 come back to exactly 0.
        let ndist = (self.offset + self.advance * episode as f64).rem_euclid(1.0);
        let ndist = (ndist * 1e9).round() / 1e9;
        Start { ndist: if ndist < 1.0 { ndist } else { 0.0 }, direction }
    }
}

/// The start of one episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Fraction of the track's length from waypoint 0 of the driven direction.
    pub ndist: f64,
    /// Which way the track is driven.
    pub direction: Direction,
}

/// A place on the starting grid of several cars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridPlace {
    /// The lane it is on.
    pub lane: Lane,
    /// How far behind the start along the centre line, metres.
    pub behind_m: f64,
}

impl GridPlace {
    /// Distance from one car to the next.
    pub const GAP_M: f64 = 0.75;

    /// The place of car number `index`, from 0: the first on the outer lane, the next on the inner one and further back,
    /// and so on.
    pub fn of_car(index: usize) -> Self {
        let lane = if index.is_multiple_of(2) { Lane::Outer } else { Lane::Inner };
        Self { lane, behind_m: index as f64 * Self::GAP_M }
    }

    pub(crate) fn pose(&self, track: &Track, ndist: f64) -> Pose {
        self.lane.pose(track, ndist * track.length_m() - self.behind_m, Difference::Forward)
    }
}

/// The other direction.
fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Forward => Direction::Reversed,
        Direction::Reversed => Direction::Forward,
    }
}

/// Start pose of a car alone on the track: on the centre line, looking at the next waypoint.
pub fn start_pose(track: &Track, ndist: f64) -> Pose {
    track.line(Line::Center).pose_at(ndist * track.length_m(), Difference::Forward)
}

/// Start pose of a car among objects: on the centre line, or, with an object within a metre along it, on the lane opposite
/// to that object. An object further along the line may still stand there: beside a hairpin, or where sections are close.
pub(crate) fn start_pose_among(track: &Track, ndist: f64, traffic: &Traffic) -> Pose {
    let distance_m = ndist * track.length_m();
    match traffic.in_the_way(track, distance_m, false) {
        None => {
            let pose = start_pose(track, ndist);
            if traffic.is_free(pose) { pose } else { free_pose(track, distance_m, Lane::Inner, traffic) }
        }
        Some(object) => free_pose(track, distance_m, opposite_lane(track, object, traffic), traffic),
    }
}

/// Where a car goes after a mishap with nothing in the way: the point of the inner or outer lane beside `distance_m` on
/// the centre line that is nearer to `last_origin`, looking along that lane.
pub(crate) fn reset_pose(track: &Track, distance_m: f64, last_origin: DVec2, traffic: &Traffic) -> Pose {
    let [inner, outer] = [Lane::Inner, Lane::Outer].map(|lane| {
        let pose = lane.pose(track, distance_m, Difference::Forward);
        pose.position.distance_squared(last_origin)
    });
    free_pose(track, distance_m, if inner <= outer { Lane::Inner } else { Lane::Outer }, traffic)
}

/// The lane an object does not stand on.
pub(crate) fn opposite_lane(track: &Track, object: usize, traffic: &Traffic) -> Lane {
    Lane::of(track, traffic.bodies()[object].position).opposite()
}

/// The pose on a lane beside a place on the centre line, looking along the lane. Where the car would stand in an object,
/// the other lane is taken, or the next free place behind. (The original put it into the object.)
pub(crate) fn free_pose(track: &Track, distance_m: f64, lane: Lane, traffic: &Traffic) -> Pose {
    /// A car's length finds the gap between two objects on the same lane that a car fits into.
    const BACK_M: f64 = 0.3;
    let num_places = (track.length_m() / BACK_M) as usize + 1;
    let mut places = (0..num_places).flat_map(|number| {
        let place_m = distance_m - number as f64 * BACK_M;
        [lane, lane.opposite()].map(|lane| lane.pose(track, place_m, Difference::Forward))
    });
    let pose =
        places.find(|&pose| traffic.is_free(pose)).unwrap_or_else(|| lane.pose(track, distance_m, Difference::Forward));
    if pose.position.is_finite() && pose.yaw_rad.is_finite() { pose } else { start_pose(track, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_episodes_go_once_round_and_come_back_to_the_line() {
        let rule = StartRule::round_robin();
        assert_eq!(rule.of_episode(0).ndist, 0.0);
        assert_eq!(rule.of_episode(7).ndist, 0.35);
        assert_eq!(rule.of_episode(20).ndist, 0.0);
        assert_eq!(rule.of_episode(1_000_001).ndist, 0.05);
    }

    #[test]
    fn alternating_flips_every_episode() {
        let rule = StartRule { alternate: true, ..StartRule::start_line(Direction::Reversed) };
        assert_eq!(rule.of_episode(0).direction, Direction::Reversed);
        assert_eq!(rule.of_episode(1).direction, Direction::Forward);
        assert_eq!(rule.of_episode(2).direction, Direction::Reversed);
    }
}
