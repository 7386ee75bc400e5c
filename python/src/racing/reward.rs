//! Reward functions of environments: the built-in ones, and the user's.

use deepracer_race::RewardParams;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::params::{self, Waypoints};
use deepracer_track::Track;

/// The built-in rewards. `deepracer_native.environments.rewards` has the same ones for Python.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BuiltIn {
    /// 1, 0.5 or 0.1 within 10, 25 or 50 % of the road's width from the centre line, else 0.001.
    CenterLine,
    /// Percent of the lap per step so far; 0.001 off the road and when there is none.
    Progress,
    /// The speed asked for with all wheels on the road, m/s, else 0.001.
    Speed,
}

impl BuiltIn {
    fn named(name: &str) -> PyResult<Self> {
        match name {
            "center_line" => Ok(Self::CenterLine),
            "progress" => Ok(Self::Progress),
            "speed" => Ok(Self::Speed),
            other => Err(PyValueError::new_err(format!("there is no built-in reward '{other}'"))),
        }
    }

    pub(super) fn of(self, params: &RewardParams) -> f64 {
        const LEAST: f64 = 1e-3;
        match self {
            Self::CenterLine => {
                let distance_m = params.distance_from_center;
                let bands = [(0.1, 1.0), (0.25, 0.5), (0.5, 0.1)];
                bands
                    .into_iter()
                    .find(|(share, _)| distance_m <= share * params.track_width)
                    .map_or(LEAST, |(_, reward)| reward)
            }
            Self::Progress if params.is_offtrack => LEAST,
            Self::Progress => (params.progress / params.steps.max(1.0)).max(LEAST),
            Self::Speed if params.all_wheels_on_track => params.speed,
            Self::Speed => LEAST,
        }
    }
}

/// What judges the steps of a race.
pub(super) enum Reward {
    BuiltIn(BuiltIn),
    Function(Py<PyAny>),
}

impl Reward {
    /// From the name of a built-in reward or a callable.
    pub(super) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        match value.extract::<String>() {
            Ok(name) => Ok(Self::BuiltIn(BuiltIn::named(&name)?)),
            Err(_) => Ok(Self::Function(value.clone().unbind())),
        }
    }
}

/// Calls a user's function. What it returns is a finite number or goes to `checked`, which converts or refuses it.
pub(super) fn call(
    py: Python<'_>,
    function: &Py<PyAny>,
    checked: &Py<PyAny>,
    params: &RewardParams,
    track: &Track,
    waypoints: &mut Waypoints,
) -> PyResult<f64> {
    let dictionary = params::dictionary(py, params, waypoints.list(py, track)?)?;
    let result = function.bind(py).call1((dictionary,)).inspect_err(|error| explain(py, error, params))?;
    if let Ok(number) = result.cast_exact::<PyFloat>()
        && number.value().is_finite()
    {
        return Ok(number.value());
    }
    checked.bind(py).call1((result,))?.extract::<f64>().inspect_err(|error| explain(py, error, params))
}

/// Adds what the function saw to its error, where Python has notes (from 3.11 on).
fn explain(py: Python<'_>, error: &PyErr, params: &RewardParams) {
    let note = format!("the reward function was called with {}", params.in_words());
    // Without notes the error still says what is wrong.
    let _ = error.value(py).call_method1("add_note", (note,));
}
