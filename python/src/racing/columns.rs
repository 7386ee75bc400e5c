//! Parameters and states of many races as arrays, one value per race.

use deepracer_race::{EpisodeStatus, RewardParams};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::entrant::{Entrant, is_ending};
use crate::params::Waypoints;

/// The columns of a vector environment's `info`.
struct Columns<'py> {
    py: Python<'py>,
    dictionary: Bound<'py, PyDict>,
    num_races: usize,
}

impl<'py> Columns<'py> {
    fn new(py: Python<'py>, num_races: usize) -> Self {
        Self { py, dictionary: PyDict::new(py), num_races }
    }

    /// A column, and Gymnasium's mask of the races that have it: all.
    fn set(&self, name: &str, column: Bound<'py, PyAny>) -> PyResult<()> {
        self.dictionary.set_item(name, column)?;
        self.dictionary.set_item(format!("_{name}"), all(self.py, self.num_races))
    }

    fn floats(&self, name: &str, values: impl Iterator<Item = f64>) -> PyResult<()> {
        self.set(name, PyArray1::from_iter(self.py, values).into_any())
    }

    fn flags(&self, name: &str, values: impl Iterator<Item = bool>) -> PyResult<()> {
        self.set(name, PyArray1::from_iter(self.py, values).into_any())
    }

    fn pairs(&self, name: &str, values: impl Iterator<Item = [usize; 2]>) -> PyResult<()> {
        let flat = PyArray1::from_iter(self.py, values.flatten().map(|index| index as i64));
        let pairs: Bound<'py, PyArray2<i64>> = flat.reshape([self.num_races, 2])?;
        self.set(name, pairs.into_any())
    }

    fn tuples(&self, name: &str, values: impl Iterator<Item = PyResult<Bound<'py, PyTuple>>>) -> PyResult<()> {
        let tuples = values.map(|tuple| Ok(tuple?.into_any().unbind())).collect::<PyResult<Vec<Py<PyAny>>>>()?;
        self.set(name, PyArray1::from_vec(self.py, tuples).into_any())
    }
}

/// An array of `True`.
fn all(py: Python<'_>, num_races: usize) -> Bound<'_, PyArray1<bool>> {
    PyArray1::from_iter(py, std::iter::repeat_n(true, num_races))
}

/// `reward_params` of all races: an array per key, what are lists in a single race as tuples.
pub(super) fn reward_params<'py>(
    py: Python<'py>,
    entrants: &[Entrant],
    waypoints: &mut Waypoints,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, entrants.len());
    let params = || entrants.iter().map(|entrant| &entrant.step.params);
    macro_rules! floats { ($($name:ident),+) => { $( columns.floats(stringify!($name), params().map(|p| p.$name))?; )+ }; }
    macro_rules! flags { ($($name:ident),+) => { $( columns.flags(stringify!($name), params().map(|p| p.$name))?; )+ }; }
    flags!(all_wheels_on_track);
    floats!(x, y, heading, distance_from_center, projection_distance, progress, steps, speed, steering_angle);
    floats!(track_width, track_length);
    columns.tuples("waypoints", entrants.iter().map(|entrant| waypoints.tuple(py, entrant.track())))?;
    columns.pairs("closest_waypoints", params().map(|p| p.closest_waypoints))?;
    flags!(is_left_of_center, is_reversed, is_crashed, is_offtrack);
    floats!(sim_time);
    columns.pairs("closest_objects", params().map(|p| p.objects.closest_objects))?;
    columns.flags("object_in_camera", params().map(|p| p.objects.object_in_camera))?;
    let point = |point: &[f64; 2]| PyTuple::new(py, point);
    let locations =
        |p: &RewardParams| PyTuple::new(py, p.objects.location.iter().map(point).collect::<PyResult<Vec<_>>>()?);
    columns.tuples("objects_location", params().map(locations))?;
    columns.tuples("objects_left_of_center", params().map(|p| PyTuple::new(py, &p.objects.left_of_center)))?;
    columns.tuples("objects_speed", params().map(|p| PyTuple::new(py, &p.objects.speed)))?;
    columns.tuples("objects_heading", params().map(|p| PyTuple::new(py, &p.objects.heading)))?;
    columns
        .tuples("objects_distance_from_center", params().map(|p| PyTuple::new(py, &p.objects.distance_from_center)))?;
    columns.tuples("objects_distance", params().map(|p| PyTuple::new(py, &p.objects.distance)))?;
    Ok(columns.dictionary)
}

/// `episode_status` of all races: an array of flags per state.
pub(super) fn episode_status<'py>(py: Python<'py>, entrants: &[Entrant]) -> PyResult<Bound<'py, PyDict>> {
    let columns = Columns::new(py, entrants.len());
    for status in EpisodeStatus::ALL {
        let is_shown = |entrant: &Entrant| entrant.step.status == status && is_ending(status);
        columns.flags(status.code(), entrants.iter().map(is_shown))?;
    }
    Ok(columns.dictionary)
}
