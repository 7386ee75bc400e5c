//! What a reward function sees of a step.

use deepracer_track::Track;
use deepracer_vehicle::Vehicle;

use crate::race::Action;

/// The parameters of one reward call, spelled as DeepRacer users spell them.
///
/// All of them describe the pose **before** the step's action takes effect, together with that action. `x`, `y` and
/// everything derived from them belong to the car's *front point*, 0.14 m ahead of its origin. The waypoints are the
/// track's ([`Track::waypoints`]) and not repeated here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewardParams {
    /// All four wheel centres are strictly inside the road.
    pub all_wheels_on_track: bool,
    /// Front point, metres, world frame.
    pub x: f64,
    /// Front point, metres, world frame.
    pub y: f64,
    /// Direction of the car, degrees in (−180, 180], counter-clockwise from +x.
    pub heading: f64,
    /// Distance of the front point from the centre line, metres, ≥ 0.
    pub distance_from_center: f64,
    /// Distance along the centre line from waypoint 0, metres.
    pub projection_distance: f64,
    /// Percent of the lap done since the episode's start, about (−50, 100].
    pub progress: f64,
    /// Steps of this episode so far, the prepare step and pauses included: the first call sees 2.
    pub steps: f64,
    /// Speed the action asked for, m/s, unclipped.
    pub speed: f64,
    /// Steering the action asked for, degrees, positive to the left, unclipped.
    pub steering_angle: f64,
    /// Width of the road here, metres.
    pub track_width: f64,
    /// Length of the centre line, metres.
    pub track_length: f64,
    /// Waypoints just behind and just ahead.
    pub closest_waypoints: [usize; 2],
    /// The car is on the driver's left of the centre line.
    pub is_left_of_center: bool,
    /// The race drives the track against its waypoints. It says nothing about where the car points.
    pub is_reversed: bool,
    /// The crash rule fired and the car is to blame.
    pub is_crashed: bool,
    /// No wheel is on the road.
    pub is_offtrack: bool,
    /// Simulated seconds.
    pub sim_time: f64,
    /// The other objects on the track.
    pub objects: ObjectParams,
}

/// The object keys of a reward call. Without objects they keep the original's defaults: `[0, 0]`, `False`, empty lists.
///
/// All lists have one entry per object: other models' cars, then obstacles, then bot cars.
#[derive(Debug, Default, PartialEq)]
pub struct ObjectParams {
    /// Indices of the object just behind and just ahead along the centre line, round the track; the same one twice when
    /// there is only one. An object level with the car is behind.
    pub closest_objects: [usize; 2],
    /// The object ahead, number `closest_objects[1]`, is in the front camera's picture. (The original reported on the
    /// entry before it in its list.)
    pub object_in_camera: bool,
    /// Origins, metres.
    pub location: Vec<[f64; 2]>,
    /// Which objects are on the driver's left of the centre line.
    pub left_of_center: Vec<bool>,
    /// As the original: with bot cars their speed for every object, m/s; otherwise 0.
    pub speed: Vec<f64>,
    /// As the original: with bot cars the direction of every object, **radians**; otherwise 0.
    pub heading: Vec<f64>,
    /// Distances from the centre line, metres, ≥ 0.
    pub distance_from_center: Vec<f64>,
    /// Distances along the centre line from waypoint 0 in the driven direction, metres.
    pub distance: Vec<f64>,
}

impl ObjectParams {
    /// No objects; the memory is kept.
    pub fn clear(&mut self) {
        (self.closest_objects, self.object_in_camera) = ([0, 0], false);
        self.location.clear();
        self.left_of_center.clear();
        for list in [&mut self.speed, &mut self.heading, &mut self.distance_from_center, &mut self.distance] {
            list.clear();
        }
    }
}

impl Clone for ObjectParams {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies without allocating when the lists have been as long before.
    fn clone_from(&mut self, other: &Self) {
        (self.closest_objects, self.object_in_camera) = (other.closest_objects, other.object_in_camera);
        self.location.clone_from(&other.location);
        self.left_of_center.clone_from(&other.left_of_center);
        self.speed.clone_from(&other.speed);
        self.heading.clone_from(&other.heading);
        self.distance_from_center.clone_from(&other.distance_from_center);
        self.distance.clone_from(&other.distance);
    }
}

/// The geometric part of the parameters, and what the rules need besides.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) params: RewardParams,
    /// Normalised distance of the front point, 0…1.
    pub(crate) ndist: f64,
    /// The nearer of the two closest waypoints: the trace's `closest_waypoint`.
    pub(crate) nearest_waypoint: usize,
}

impl RewardParams {
    /// The parameters of a step without the lists, for messages: `x 1.2, y 0.3, …`, numbers to four
    /// decimals, flags only when they are set.
    pub fn in_words(&self) -> String {
        let [behind, ahead] = self.closest_waypoints;
        let numbers = [
            ("steps", self.steps),
            ("progress", self.progress),
            ("x", self.x),
            ("y", self.y),
            ("heading", self.heading),
            ("speed", self.speed),
            ("steering_angle", self.steering_angle),
            ("distance_from_center", self.distance_from_center),
            ("track_width", self.track_width),
            ("track_length", self.track_length),
            ("projection_distance", self.projection_distance),
            ("sim_time", self.sim_time),
        ]
        .map(|(name, value)| format!("{name} {}", (value * 1e4).round() / 1e4));
        let flags: String = [
            ("all_wheels_on_track", self.all_wheels_on_track),
            ("is_left_of_center", self.is_left_of_center),
            ("is_reversed", self.is_reversed),
            ("is_offtrack", self.is_offtrack),
            ("is_crashed", self.is_crashed),
        ]
        .iter()
        .filter(|(_, is_set)| *is_set)
        .flat_map(|(name, _)| [", ", name])
        .collect();
        let objects = match (self.objects.location.len(), self.objects.closest_objects) {
            (0, _) => String::new(),
            (count, [behind, ahead]) => format!(", {count} objects, closest_objects {behind} and {ahead}"),
        };
        format!("{}, closest_waypoints {behind} and {ahead}{objects}{flags}", numbers.join(", "))
    }

    /// Everything that follows from the pose of `vehicle` on `track`; progress, steps, time and flags of the rules
    /// are left at their defaults except `is_offtrack`, which is geometric.
    pub fn of_pose(track: &Track, vehicle: &Vehicle, action: Action) -> Self {
        place(track, vehicle, action).params
    }
}

pub(crate) fn place(track: &Track, vehicle: &Vehicle, action: Action) -> Placed {
    let front = vehicle.front_point();
    let nearest = track.nearest(front);
    let length_m = track.length_m();
    let ndist = track.ndist_of(&nearest.center);
    let closest_waypoints = track.closest_waypoints(ndist);
    let waypoints = track.waypoints();
    let [behind, ahead] = closest_waypoints.map(|index| waypoints[index].distance_squared(front));
    let nearest_waypoint = closest_waypoints[usize::from(ahead < behind)];
    let wheels_on_road = vehicle.wheel_points().map(|wheel| track.is_on_road(wheel));
    let nearer_inner = front.distance_squared(nearest.inner.point) < front.distance_squared(nearest.outer.point);
    let params = RewardParams {
        all_wheels_on_track: wheels_on_road.iter().all(|&on| on),
        is_offtrack: !wheels_on_road.iter().any(|&on| on),
        x: front.x,
        y: front.y,
        heading: vehicle.yaw_rad().to_degrees(),
        distance_from_center: nearest.center.gap_m,
        projection_distance: ndist * length_m,
        speed: action.speed_mps,
        steering_angle: action.steering_deg,
        track_width: nearest.width_m(),
        track_length: length_m,
        closest_waypoints,
        is_left_of_center: nearer_inner == track.is_ccw(),
        is_reversed: track.is_reversed(),
        ..RewardParams::default()
    };
    Placed { params, ndist, nearest_waypoint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_parameters_as_users_spell_them() {
        let params = RewardParams {
            x: 1.234_567,
            steps: 23.0,
            closest_waypoints: [20, 21],
            is_offtrack: true,
            ..RewardParams::default()
        };
        let words = params.in_words();
        assert!(words.starts_with("steps 23, progress 0, x 1.2346, y 0, "), "{words}");
        assert!(words.ends_with("closest_waypoints 20 and 21, is_offtrack"), "{words}");
        let objects =
            ObjectParams { closest_objects: [2, 0], location: vec![[0.0, 0.0]; 3], ..ObjectParams::default() };
        let words = RewardParams { objects, ..params }.in_words();
        assert!(words.ends_with("20 and 21, 3 objects, closest_objects 2 and 0, is_offtrack"), "{words}");
    }
}
