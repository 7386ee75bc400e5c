//! Where objects stand along the track, and on which lane.

use deepracer_track::{Difference, Line, Pose, Track};
use glam::DVec2;

use crate::chance::Chance;

/// No object stands in the last metre of a track, where the car that starts at the line would meet it from behind.
const FREE_BEFORE_THE_LINE_M: f64 = 1.0;
/// Two distances that differ by less are the same.
const ROUNDING_M: f64 = 1e-9;

/// One of the two quarter lines: halfway between the centre line and a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// On the side of the border inside the loop, whatever the driving direction.
    Inner,
    /// On the side of the border outside the loop.
    Outer,
}

impl Lane {
    /// The line it follows.
    pub const fn line(self) -> Line {
        match self {
            Self::Inner => Line::InnerLane,
            Self::Outer => Line::OuterLane,
        }
    }

    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Inner => Self::Outer,
            Self::Outer => Self::Inner,
        }
    }

    /// The side of the centre line a point lies on.
    pub fn of(track: &Track, point: DVec2) -> Self {
        if track.is_in_inner_polygon(point) { Self::Inner } else { Self::Outer }
    }

    /// The point of this lane beside a distance along the centre line.
    pub fn pose(self, track: &Track, distance_m: f64, difference: Difference) -> Pose {
        let on_center = track.line(Line::Center).point_at(distance_m);
        let lane = track.line(self.line());
        lane.pose_at(lane.project(on_center).distance_m, difference)
    }
}

/// A place the user chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Fraction of the track's length from waypoint 0 of the driven direction, 0 to 1.
    pub ndist: f64,
    /// Which lane.
    pub lane: Lane,
}

/// How places are chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// Always these.
    Fixed(Vec<Place>),
    /// Spread over the track.
    Spread(Spread),
}

/// Places spread over the track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many.
    pub number: usize,
    /// Least distance along the centre line between two of them, and from waypoint 0 to the first, metres.
    pub min_distance_m: f64,
    /// Places and lanes are drawn anew in every episode; otherwise the distances are equal and the lanes alternate,
    /// beginning with the inner one.
    pub is_random: bool,
}

impl Places {
    /// How many objects are placed.
    pub fn len(&self) -> usize {
        match self {
            Self::Fixed(places) => places.len(),
            Self::Spread(spread) => spread.number,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Distances along the centre line of a track of this length, ascending when they are spread, and lanes.
    pub(crate) fn choose(&self, length_m: f64, chance: &mut Chance) -> Vec<(f64, Lane)> {
        match self {
            Self::Fixed(places) => places.iter().map(|place| (place.ndist * length_m, place.lane)).collect(),
            Self::Spread(spread) => spread.choose(length_m, chance),
        }
    }
}

impl Spread {
    /// How many places there are on a track of this length; `None` when there is no limit.
    pub fn most(&self, length_m: f64) -> Option<usize> {
        let room_m = length_m - FREE_BEFORE_THE_LINE_M - self.min_distance_m;
        if room_m < 0.0 {
            Some(0)
        } else if self.min_distance_m <= 0.0 {
            None
        } else {
            Some(((room_m + ROUNDING_M) / self.min_distance_m).floor() as usize + 1)
        }
    }

    fn choose(&self, length_m: f64, chance: &mut Chance) -> Vec<(f64, Lane)> {
        let (first_m, last_m) = (self.min_distance_m, length_m - FREE_BEFORE_THE_LINE_M);
        let gap_m = (last_m - first_m) / self.number.saturating_sub(1).max(1) as f64;
        let mut places: Vec<(f64, Lane)> = (0..self.number)
            .map(|index| {
                let lane = if index % 2 == 0 { Lane::Inner } else { Lane::Outer };
                (first_m + gap_m * index as f64, lane)
            })
            .collect();
        if self.is_random {
            let mut order: Vec<usize> = (0..self.number).collect();
            chance.shuffle(&mut order);
            for index in order {
                let low_m = if index == 0 { first_m } else { places[index - 1].0 + self.min_distance_m };
                let high_m = places.get(index + 1).map_or(last_m, |next| next.0 - self.min_distance_m);
                if low_m < high_m {
                    places[index].0 = chance.uniform(low_m, high_m);
                }
            }
            for (_, lane) in &mut places {
                *lane = if chance.coin() { Lane::Inner } else { Lane::Outer };
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Purpose;

    fn choose(spread: Spread, length_m: f64) -> Vec<(f64, Lane)> {
        spread.choose(length_m, &mut Chance::new(0, Purpose::Obstacles))
    }

    #[test]
    fn places_are_equally_far_from_the_first_to_a_metre_before_the_line() {
        let spread = Spread { number: 4, min_distance_m: 2.0, is_random: false };
        let expected = [(2.0, Lane::Inner), (4.0, Lane::Outer), (6.0, Lane::Inner), (8.0, Lane::Outer)];
        assert_eq!(choose(spread, 9.0), expected);
        assert_eq!(choose(Spread { number: 1, ..spread }, 9.0), [(2.0, Lane::Inner)]);
        assert_eq!(choose(Spread { number: 0, ..spread }, 9.0), []);
    }

    #[test]
    fn a_track_has_so_many_places_and_no_more() {
        let spread = Spread { number: 1, min_distance_m: 2.0, is_random: false };
        assert_eq!(spread.most(9.0), Some(4));
        assert_eq!(spread.most(8.99), Some(3));
        assert_eq!(spread.most(3.0), Some(1));
        assert_eq!(spread.most(2.9), Some(0));
        assert_eq!(Spread { min_distance_m: 0.0, ..spread }.most(9.0), None);
    }
}
