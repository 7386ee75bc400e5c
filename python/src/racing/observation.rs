//! From what the sensors write to the arrays that Gymnasium spaces describe.
//!
//! Cameras write `[height, width, channels]`; spaces have `[channels, height, width]`. Distances are written as
//! little-endian bytes and become `float32`.

use deepracer_race::View;
use deepracer_sensor::Sensor;
use numpy::{PyArrayMethods, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

/// How the observation of a sensor lies in an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    /// Bytes `[channels, height, width]`.
    Planes {
        /// 3 in colour, 1 per grey picture.
        channels: usize,
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
    },
    /// `float32` numbers.
    Numbers {
        /// How many.
        len: usize,
    },
}

impl Layout {
    fn of(sensor: &Sensor) -> Self {
        match sensor {
            Sensor::Camera { camera, pixels } => {
                Self::Planes { channels: pixels.num_channels(), height: camera.height(), width: camera.width() }
            }
            Sensor::StereoCameras { cameras: [left, _] } => {
                Self::Planes { channels: 2, height: left.height(), width: left.width() }
            }
            Sensor::Lidar { encoding, .. } => Self::Numbers { len: encoding.num_values() },
        }
    }

    /// Shape of one observation.
    fn shape(self) -> Vec<usize> {
        match self {
            Self::Planes { channels, height, width } => vec![channels, height, width],
            Self::Numbers { len } => vec![len],
        }
    }

    /// `NumPy`'s name for the type of its numbers.
    fn dtype(self) -> &'static str {
        match self {
            Self::Planes { .. } => "uint8",
            Self::Numbers { .. } => "float32",
        }
    }

    /// Numbers of one observation.
    fn len(self) -> usize {
        self.shape().iter().product()
    }
}

/// The observation of one race: sensors in alphabetical order of their names.
pub(super) struct ObservationLayout {
    sensors: Vec<SensorLayout>,
    num_bytes: usize,
}

struct SensorLayout {
    name: String,
    layout: Layout,
    /// Where its bytes begin in an observation.
    start: usize,
    num_bytes: usize,
}

/// Arrays held for writing, in the order of the layout's sensors.
pub(super) struct Arrays<'py>(Vec<Array<'py>>);

enum Array<'py> {
    Bytes(PyReadwriteArrayDyn<'py, u8>),
    Numbers(PyReadwriteArrayDyn<'py, f32>),
}

/// The memory of [`Arrays`], free of the interpreter.
pub(super) struct Slices<'a>(Vec<Slice<'a>>);

enum Slice<'a> {
    Bytes(&'a mut [u8]),
    Numbers(&'a mut [f32]),
}

impl ObservationLayout {
    pub(super) fn of(view: &View) -> Self {
        let mut start = 0;
        let sensors = view
            .sensors()
            .iter()
            .map(|(name, sensor)| {
                let num_bytes = sensor.num_bytes();
                let layout = SensorLayout { name: name.clone(), layout: Layout::of(sensor), start, num_bytes };
                start += num_bytes;
                layout
            })
            .collect();
        Self { sensors, num_bytes: start }
    }

    /// Bytes of one race's observation.
    pub(super) fn num_bytes(&self) -> usize {
        self.num_bytes
    }

    /// Name, shape and type of each sensor's observation.
    pub(super) fn describe(&self) -> Vec<(String, Vec<usize>, &'static str)> {
        self.sensors.iter().map(|sensor| (sensor.name.clone(), sensor.layout.shape(), sensor.layout.dtype())).collect()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.describe() == other.describe()
    }

    /// Holds the arrays that observations of `num_races` races go to.
    ///
    /// # Errors
    /// `ValueError` or `TypeError` when their number, type or size is wrong, or they are not contiguous.
    pub(super) fn arrays<'py>(&self, arrays: &[Bound<'py, PyAny>], num_races: usize) -> PyResult<Arrays<'py>> {
        if arrays.len() != self.sensors.len() {
            return Err(PyValueError::new_err(format!("{} arrays for {} sensors", arrays.len(), self.sensors.len())));
        }
        let hold = |(array, sensor): (&Bound<'py, PyAny>, &SensorLayout)| match sensor.layout {
            Layout::Planes { .. } => sensor.hold(array, num_races).map(Array::Bytes),
            Layout::Numbers { .. } => sensor.hold(array, num_races).map(Array::Numbers),
        };
        arrays.iter().zip(&self.sensors).map(hold).collect::<PyResult<_>>().map(Arrays)
    }

    /// Puts the raw observations of as many races as `raw` holds into the arrays, on all threads of the current pool when
    /// there are several races.
    pub(super) fn scatter(&self, raw: &[u8], out: &mut Slices<'_>) {
        for (sensor, out) in self.sensors.iter().zip(&mut out.0) {
            let own = sensor.start..sensor.start + sensor.num_bytes;
            match (out, sensor.layout) {
                (Slice::Bytes(out), Layout::Planes { channels: 1, .. }) => {
                    self.each(raw, out, sensor.layout.len(), |raw, out| out.copy_from_slice(&raw[own.clone()]));
                }
                (Slice::Bytes(out), Layout::Planes { channels, .. }) => {
                    self.each(raw, out, sensor.layout.len(), |raw, out| separate(channels, &raw[own.clone()], out));
                }
                (Slice::Numbers(out), Layout::Numbers { len }) => {
                    self.each(raw, out, len, |raw, out| to_numbers(&raw[own.clone()], out));
                }
                _ => unreachable!("arrays are held as their layouts say"),
            }
        }
    }

    /// Does something for every race.
    fn each<T: Send>(&self, raw: &[u8], out: &mut [T], len: usize, place: impl Fn(&[u8], &mut [T]) + Sync) {
        if raw.len() <= self.num_bytes {
            place(raw, out);
        } else {
            raw.par_chunks_exact(self.num_bytes).zip(out.par_chunks_exact_mut(len)).for_each(|(r, o)| place(r, o));
        }
    }
}

impl SensorLayout {
    fn hold<'py, T: numpy::Element>(
        &self,
        array: &Bound<'py, PyAny>,
        num_races: usize,
    ) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
        let array = array
            .cast::<numpy::PyArrayDyn<T>>()
            .map_err(|_| PyTypeError::new_err(format!("{} goes to an array of {}", self.name, self.layout.dtype())))?;
        let mut array = array.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if array.as_slice_mut()?.len() != num_races * self.layout.len() {
            return Err(PyValueError::new_err(format!("the array for {} has the wrong size", self.name)));
        }
        Ok(array)
    }
}

/// Little-endian `f32` as numbers.
fn to_numbers(bytes: &[u8], out: &mut [f32]) {
    let (values, _) = bytes.as_chunks();
    for (value, out) in values.iter().zip(out) {
        *out = f32::from_le_bytes(*value);
    }
}

/// Channels of interleaved pixels, one plane after the other.
fn separate(channels: usize, pixels: &[u8], planes: &mut [u8]) {
    let num_pixels = pixels.len() / channels;
    if channels == 3 {
        let (red, rest) = planes.split_at_mut(num_pixels);
        let (green, blue) = rest.split_at_mut(num_pixels);
        for (((pixel, red), green), blue) in pixels.chunks_exact(3).zip(red).zip(green).zip(blue) {
            [*red, *green, *blue] = [pixel[0], pixel[1], pixel[2]];
        }
        return;
    }
    for (channel, plane) in planes.chunks_exact_mut(num_pixels).enumerate() {
        for (pixel, out) in pixels.chunks_exact(channels).zip(plane) {
            *out = pixel[channel];
        }
    }
}

impl Arrays<'_> {
    /// Their memory.
    pub(super) fn slices<'a>(&'a mut self) -> PyResult<Slices<'a>> {
        let slice = |array: &'a mut Array<'_>| -> PyResult<Slice<'a>> {
            Ok(match array {
                Array::Bytes(array) => Slice::Bytes(array.as_slice_mut()?),
                Array::Numbers(array) => Slice::Numbers(array.as_slice_mut()?),
            })
        };
        self.0.iter_mut().map(slice).collect::<PyResult<_>>().map(Slices)
    }
}
