//! The parameters of a reward call as Python values.

use std::sync::Arc;

use deepracer_race::RewardParams;
use deepracer_track::{Route, Track};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};

/// The waypoints of tracks as Python tuples, built once each.
#[derive(Default)]
pub(crate) struct Waypoints {
    known: Vec<TrackWaypoints>,
}

struct TrackWaypoints {
    route: Arc<Route>,
    is_reversed: bool,
    /// A tuple of `(x, y)` tuples.
    points: Py<PyTuple>,
}

impl Waypoints {
    /// The waypoints of a track in a fresh list: changing it changes nothing else.
    pub(crate) fn list<'py>(&mut self, py: Python<'py>, track: &Track) -> PyResult<Bound<'py, PyList>> {
        Ok(self.tuple(py, track)?.to_list())
    }

    /// The waypoints of a track, shared and immutable.
    pub(crate) fn tuple<'py>(&mut self, py: Python<'py>, track: &Track) -> PyResult<Bound<'py, PyTuple>> {
        let is_known = |known: &TrackWaypoints| {
            Arc::ptr_eq(&known.route, track.route()) && known.is_reversed == track.is_reversed()
        };
        if let Some(known) = self.known.iter().find(|known| is_known(known)) {
            return Ok(known.points.bind(py).clone());
        }
        let point = |point: &glam::DVec2| PyTuple::new(py, [point.x, point.y]);
        let points = track.waypoints().iter().map(point).collect::<PyResult<Vec<_>>>()?;
        let points = PyTuple::new(py, points)?;
        self.known.push(TrackWaypoints {
            route: track.route().clone(),
            is_reversed: track.is_reversed(),
            points: points.clone().unbind(),
        });
        Ok(points)
    }
}

/// The parameters as Python knows them: plain values, names interned once.
pub(crate) fn dictionary<'py>(
    py: Python<'py>,
    params: &RewardParams,
    waypoints: Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    macro_rules! set {
        ($($key:literal => $value:expr),+ $(,)?) => { $( dictionary.set_item(intern!(py, $key), $value)?; )+ };
    }
    let indices = |pair: [usize; 2]| PyList::new(py, pair);
    let objects = &params.objects;
    set! {
        "all_wheels_on_track" => params.all_wheels_on_track,
        "x" => params.x,
        "y" => params.y,
        "heading" => params.heading,
        "distance_from_center" => params.distance_from_center,
        "projection_distance" => params.projection_distance,
        "progress" => params.progress,
        "steps" => params.steps,
        "speed" => params.speed,
        "steering_angle" => params.steering_angle,
        "track_width" => params.track_width,
        "track_length" => params.track_length,
        "waypoints" => waypoints,
        "closest_waypoints" => indices(params.closest_waypoints)?,
        "is_left_of_center" => params.is_left_of_center,
        "is_reversed" => params.is_reversed,
        "closest_objects" => indices(objects.closest_objects)?,
        "objects_location" => objects.location.iter().map(|point| PyList::new(py, point)).collect::<PyResult<Vec<_>>>()?,
        "objects_left_of_center" => PyList::new(py, objects.left_of_center.iter().map(|&left| PyBool::new(py, left)))?,
        "object_in_camera" => objects.object_in_camera,
        "objects_speed" => PyList::new(py, &objects.speed)?,
        "objects_heading" => PyList::new(py, &objects.heading)?,
        "objects_distance_from_center" => PyList::new(py, &objects.distance_from_center)?,
        "objects_distance" => PyList::new(py, &objects.distance)?,
        "is_crashed" => params.is_crashed,
        "is_offtrack" => params.is_offtrack,
        "sim_time" => params.sim_time,
    }
    Ok(dictionary)
}
