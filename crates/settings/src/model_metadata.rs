//! `model_metadata.json`: action space, sensors, network, version, algorithm.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::choice::{choices, not_one_of};
use crate::message::Warning;

/// Largest steering angle the car can take to either side, in degrees.
pub const LARGEST_STEERING_DEG: f64 = 30.0;
/// Slowest and fastest speed the car can be told to drive, in metres per second.
pub const SPEED_LIMITS_MPS: (f64, f64) = (0.1, 4.0);
/// Rays of the lidar; sectors must divide them evenly.
const LIDAR_RAYS: u64 = 64;
/// Range of the lidar in metres.
const LIDAR_RANGE_M: (f64, f64) = (0.15, 12.0);

choices! {
    /// A sensor of the car.
    Sensor {
        /// The front camera under its oldest name.
        Observation = "observation",
        /// The front camera.
        FrontFacingCamera = "FRONT_FACING_CAMERA",
        /// The left camera of the pair.
        LeftCamera = "LEFT_CAMERA",
        /// Both cameras.
        StereoCameras = "STEREO_CAMERAS",
        /// 64 distances.
        Lidar = "LIDAR",
        /// Eight sectors, near or not.
        SectorLidar = "SECTOR_LIDAR",
        /// Sectors with several distance steps.
        DiscretizedSectorLidar = "DISCRETIZED_SECTOR_LIDAR",
    }
}

impl Sensor {
    /// Whether it delivers pictures.
    pub fn is_camera(self) -> bool {
        matches!(self, Sensor::Observation | Sensor::FrontFacingCamera | Sensor::LeftCamera | Sensor::StereoCameras)
    }
}

choices! {
    /// The network of the policy.
    Network {
        /// Three convolutions.
        Shallow = "DEEP_CONVOLUTIONAL_NETWORK_SHALLOW",
        /// Four convolutions.
        Mid = "DEEP_CONVOLUTIONAL_NETWORK",
        /// Four convolutions and wide layers.
        Deep = "DEEP_CONVOLUTIONAL_NETWORK_DEEP",
    }
}

choices! {
    /// How the policy learns.
    Algorithm {
        /// Clipped proximal policy optimisation.
        ClippedPpo = "clipped_ppo",
        /// Soft actor-critic.
        Sac = "sac",
    }
}

/// One action of a discrete action space, as written; the car clips it to what it can do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DiscreteAction {
    /// Steering angle in degrees, positive is left.
    pub steering_deg: f64,
    /// Speed in metres per second.
    pub speed_mps: f64,
}

/// A range of a continuous action; `low < high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What the policy can choose from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum ActionSpace {
    /// A list; the position in it is the number of the action. Not empty.
    Discrete(Vec<DiscreteAction>),
    /// Any angle and speed of two ranges.
    Continuous {
        /// Steering angle in degrees, positive is left.
        steering_deg: Range,
        /// Speed in metres per second.
        speed_mps: Range,
    },
}

/// Settings of the discretised lidar.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LidarConfig {
    /// Sectors; divides 64.
    pub num_sectors: u64,
    /// Distance steps of a sector, at least 1.
    pub num_values_per_sector: u64,
    /// Distances beyond this count as clear, in metres, 0.15 to 12.
    pub clipping_dist_m: f64,
}

/// Why model metadata cannot be used. The message follows the original's wording, which fault tables look for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The text is not JSON.
    #[error("Model metadata does not exist: {origin}:{line}:{column}: not JSON: {reason}")]
    Json {
        /// The file.
        origin: String,
        /// Line of the error, first line is 1.
        line: usize,
        /// Column of the error, first column is 1.
        column: usize,
        /// What the JSON reader found.
        reason: String,
    },
    /// There are no actions.
    #[error("Model metadata does not exist: {origin}: no action space defined; add \"action_space\"")]
    NoActionSpace {
        /// The file.
        origin: String,
    },
    /// A value cannot be used.
    #[error("model_metadata ValueError: {origin}: {reason}")]
    Value {
        /// The file.
        origin: String,
        /// Which value, and what would be legal.
        reason: String,
    },
}

/// Model metadata, checked, with everything else the file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelMetadata {
    /// What the policy can choose from.
    pub action_space: ActionSpace,
    /// Exactly one camera, at most one lidar, in the order of the file.
    pub sensors: Vec<Sensor>,
    /// The network.
    pub network: Network,
    /// How the policy learns.
    pub algorithm: Algorithm,
    /// Version of the simulator the model is made for; it chooses the dynamics. `None` when the file does not say.
    pub version: Option<f64>,
    /// Settings of the discretised lidar.
    pub lidar: LidarConfig,
    /// The document, with keys that mean nothing here.
    document: Map<String, Value>,
}

impl ModelMetadata {
    /// Reads and checks the text of a file; `origin` names it in messages.
    ///
    /// ```
    /// use deepracer_settings::model_metadata::{ActionSpace, ModelMetadata};
    /// let text = r#"{"action_space": [{"steering_angle": 0, "speed": 1}], "note": "kept"}"#;
    /// let (metadata, warnings) = ModelMetadata::parse(text, "model_metadata.json")?;
    /// assert!(matches!(&metadata.action_space, ActionSpace::Discrete(actions) if actions.len() == 1));
    /// assert!(metadata.to_json().contains("\"note\": \"kept\""));
    /// # assert!(warnings.is_empty());
    /// # Ok::<(), deepracer_settings::model_metadata::MetadataError>(())
    /// ```
    pub fn parse(text: &str, origin: &str) -> Result<(ModelMetadata, Vec<Warning>), MetadataError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document: Value = serde_json::from_str(text).map_err(|error| MetadataError::Json {
            origin: origin.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: error.to_string(),
        })?;
        let mut reader = Reader { origin, warnings: Vec::new() };
        let Value::Object(document) = document else {
            return Err(reader.value("must be an object {…}"));
        };
        let metadata = reader.read(document)?;
        Ok((metadata, reader.warnings))
    }

    /// The document, complete: everything the file held, and every key analysis tools ask for.
    pub fn to_json(&self) -> String {
        let mut document = self.document.clone();
        let mut complete = |key: &str, value: Value| {
            document.entry(key).or_insert(value);
        };
        complete("sensor", self.sensors.iter().map(|sensor| sensor.as_str()).collect());
        complete("neural_network", self.network.as_str().into());
        complete("training_algorithm", self.algorithm.as_str().into());
        complete("action_space_type", self.action_space.type_name().into());
        complete("version", python_float(self.effective_version()).into());
        let mut text = format!("{:#}", Value::Object(document));
        text.push('\n');
        text
    }

    /// The version that holds: what the file says, else 2 with sensors and 1 without, as in the original.
    pub fn effective_version(&self) -> f64 {
        let implied = if self.document.contains_key("sensor") { 2.0 } else { 1.0 };
        self.version.unwrap_or(implied)
    }

    /// The two log lines analysis tools read: sensors with network and version, and the action space.
    ///
    /// Tools stop reading at the first one, so whatever else they look for must come before it.
    pub fn log_lines(&self) -> [String; 2] {
        let sensors: Vec<String> = self.sensors.iter().map(|sensor| format!("'{sensor}'")).collect();
        let sensor_line = format!(
            "Sensor list [{}], network {}, simapp_version {}, training_algorithm {}, action_space_type {} lidar_config {}",
            sensors.join(", "),
            self.network,
            python_float(self.effective_version()),
            self.algorithm,
            self.action_space.type_name(),
            self.lidar.to_python(),
        );
        [sensor_line, format!("Action space from file: {}", self.action_space.to_python())]
    }
}

impl ActionSpace {
    /// `discrete` or `continuous`.
    pub fn type_name(&self) -> &'static str {
        match self {
            ActionSpace::Discrete(_) => "discrete",
            ActionSpace::Continuous { .. } => "continuous",
        }
    }

    /// The action space as Python prints it; with double for single quotes it is JSON.
    fn to_python(&self) -> String {
        match self {
            ActionSpace::Discrete(actions) => {
                let actions: Vec<String> = actions
                    .iter()
                    .enumerate()
                    .map(|(index, action)| {
                        format!(
                            "{{'steering_angle': {:?}, 'speed': {:?}, 'index': {index}}}",
                            action.steering_deg, action.speed_mps
                        )
                    })
                    .collect();
                format!("[{}]", actions.join(", "))
            }
            ActionSpace::Continuous { steering_deg, speed_mps } => format!(
                "{{'steering_angle': {{'high': {:?}, 'low': {:?}}}, 'speed': {{'high': {:?}, 'low': {:?}}}}}",
                steering_deg.high, steering_deg.low, speed_mps.high, speed_mps.low
            ),
        }
    }
}

impl LidarConfig {
    /// What holds when the file says nothing.
    pub const DEFAULT: LidarConfig = LidarConfig { num_sectors: 8, num_values_per_sector: 8, clipping_dist_m: 2.0 };

    fn to_python(self) -> String {
        format!(
            "{{'num_sectors': {}, 'num_values_per_sector': {}, 'clipping_dist': {:?}}}",
            self.num_sectors, self.num_values_per_sector, self.clipping_dist_m
        )
    }
}

fn python_float(number: f64) -> String {
    format!("{number:?}")
}

struct Reader<'a> {
    origin: &'a str,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn value(&self, reason: impl Into<String>) -> MetadataError {
        MetadataError::Value { origin: self.origin.to_owned(), reason: reason.into() }
    }

    fn warn(&mut self, text: &str) {
        self.warnings.push(Warning::new(format!("{}: {text}", self.origin)));
    }

    fn note(&mut self, text: &str) {
        self.warnings.push(Warning::note(format!("{}: {text}", self.origin)));
    }

    fn read(&mut self, document: Map<String, Value>) -> Result<ModelMetadata, MetadataError> {
        let action_space = match document.get("action_space") {
            None | Some(Value::Null) => {
                return Err(MetadataError::NoActionSpace { origin: self.origin.to_owned() });
            }
            Some(Value::Array(actions)) => self.discrete(actions)?,
            Some(Value::Object(ranges)) => self.continuous(ranges)?,
            Some(_) => return Err(self.value("action_space must be a list of actions or an object with two ranges")),
        };
        self.check_action_space_type(&document, &action_space)?;
        let version = document.get("version").map(|version| self.number("version", version)).transpose()?;
        let sensors = self.sensors(&document, version)?;
        let network =
            self.choice(&document, "neural_network", Network::NAMES, Network::from_name)?.unwrap_or(Network::Shallow);
        let algorithm = self
            .choice(&document, "training_algorithm", Algorithm::NAMES, Algorithm::from_name)?
            .unwrap_or(Algorithm::ClippedPpo);
        if algorithm == Algorithm::Sac && matches!(action_space, ActionSpace::Discrete(_)) {
            return Err(self.value("training_algorithm sac needs a continuous action space; use clipped_ppo"));
        }
        let lidar = self.lidar(document.get("lidar_config"))?;
        Ok(ModelMetadata { action_space, sensors, network, algorithm, version, lidar, document })
    }

    fn discrete(&mut self, entries: &[Value]) -> Result<ActionSpace, MetadataError> {
        if entries.is_empty() {
            return Err(self.value("action_space is empty; list at least one action"));
        }
        let mut actions: Vec<DiscreteAction> = Vec::with_capacity(entries.len());
        let mut duplicates = 0;
        let mut misnumbered = false;
        for (position, entry) in entries.iter().enumerate() {
            let field = |key: &str| -> Result<f64, MetadataError> {
                let name = format!("action_space[{position}].{key}");
                match entry.get(key) {
                    Some(value) => self.number(&name, value),
                    None => Err(self.value(format!("{name} is missing"))),
                }
            };
            let action = DiscreteAction { steering_deg: field("steering_angle")?, speed_mps: field("speed")? };
            duplicates += usize::from(actions.contains(&action));
            misnumbered |= entry.get("index").is_some_and(|index| index.as_f64() != Some(position as f64));
            actions.push(action);
        }
        misnumbered |=
            entries.iter().any(|e| e.get("index").is_some()) && entries.iter().any(|e| e.get("index").is_none());
        if duplicates > 0 {
            self.note(&format!("{duplicates} of {} actions repeat others", actions.len()));
        }
        if misnumbered {
            self.note("the index of actions does not count; their position in the list does, from 0");
        }
        for (position, action) in actions.iter().enumerate() {
            self.warn_if_clipped(position, *action);
        }
        Ok(ActionSpace::Discrete(actions))
    }

    fn warn_if_clipped(&mut self, position: usize, action: DiscreteAction) {
        let steering = action.steering_deg.clamp(-LARGEST_STEERING_DEG, LARGEST_STEERING_DEG);
        let speed = action.speed_mps.clamp(SPEED_LIMITS_MPS.0, SPEED_LIMITS_MPS.1);
        if steering != action.steering_deg || speed != action.speed_mps {
            self.warn(&format!(
                "action {position} asks for {}° and {} m/s; the car drives {steering}° and {speed} m/s, \
                 the reward function sees what was asked for",
                action.steering_deg, action.speed_mps
            ));
        }
    }

    fn continuous(&mut self, ranges: &Map<String, Value>) -> Result<ActionSpace, MetadataError> {
        let steering_deg = self.range(ranges, "steering_angle")?;
        let speed_mps = self.range(ranges, "speed")?;
        for (position, (steering_deg, speed_mps)) in
            [(steering_deg.low, speed_mps.low), (steering_deg.high, speed_mps.high)].into_iter().enumerate()
        {
            let end = ["low", "high"][position];
            let clipped = steering_deg.abs() > LARGEST_STEERING_DEG
                || !(SPEED_LIMITS_MPS.0..=SPEED_LIMITS_MPS.1).contains(&speed_mps);
            if clipped {
                self.warn(&format!(
                    "the {end} end of the action space is {steering_deg}° and {speed_mps} m/s; the car is limited to \
                     ±{LARGEST_STEERING_DEG}° and {} to {} m/s",
                    SPEED_LIMITS_MPS.0, SPEED_LIMITS_MPS.1
                ));
            }
        }
        Ok(ActionSpace::Continuous { steering_deg, speed_mps })
    }

    fn range(&self, ranges: &Map<String, Value>, key: &str) -> Result<Range, MetadataError> {
        let end = |end: &str| -> Result<f64, MetadataError> {
            let name = format!("action_space.{key}.{end}");
            match ranges.get(key).and_then(|range| range.get(end)) {
                Some(value) => self.number(&name, value),
                None => Err(self.value(format!("{name} is missing"))),
            }
        };
        let range = Range { low: end("low")?, high: end("high")? };
        if range.low < range.high {
            Ok(range)
        } else {
            Err(self.value(format!("action_space.{key}: low ({}) must be less than high ({})", range.low, range.high)))
        }
    }

    fn check_action_space_type(
        &self,
        document: &Map<String, Value>,
        action_space: &ActionSpace,
    ) -> Result<(), MetadataError> {
        let Some(written) = document.get("action_space_type") else { return Ok(()) };
        let written = written.as_str().unwrap_or_default().trim().to_lowercase();
        let found = action_space.type_name();
        if written == found {
            return Ok(());
        }
        if matches!(written.as_str(), "discrete" | "continuous") {
            return Err(self.value(format!("action_space_type is {written}, but action_space is {found}")));
        }
        let legal = ["discrete", "continuous"];
        Err(self.value(format!("action_space_type {written:?}: {}", not_one_of(&written, &legal))))
    }

    fn sensors(&mut self, document: &Map<String, Value>, version: Option<f64>) -> Result<Vec<Sensor>, MetadataError> {
        let written = match document.get("sensor") {
            None | Some(Value::Null) => {
                // Before version 2 the camera had its old name; later the front camera is meant.
                let sensor = match version {
                    Some(version) if version >= 2.0 => Sensor::FrontFacingCamera,
                    _ => Sensor::Observation,
                };
                return Ok(vec![sensor]);
            }
            Some(Value::String(name)) => vec![Value::String(name.clone())],
            Some(Value::Array(names)) => names.clone(),
            Some(_) => return Err(self.value("sensor must be a list of names")),
        };
        if version.is_some_and(|version| version < 2.0) {
            if written == [Value::from(Sensor::Observation.as_str())] {
                return Ok(vec![Sensor::Observation]);
            }
            self.note("before version 2 there is only one camera; sensor is ignored");
            return Ok(vec![Sensor::Observation]);
        }
        let mut sensors = Vec::new();
        for name in &written {
            let name = name.as_str().unwrap_or_default();
            let sensor = Sensor::from_name(name)
                .ok_or_else(|| self.value(format!("sensor {name:?}: {}", not_one_of(name, Sensor::NAMES))))?;
            sensors.push(sensor);
        }
        let cameras = sensors.iter().filter(|sensor| sensor.is_camera()).count();
        if cameras != 1 {
            return Err(self.value(format!(
                "exactly one camera sensor is required, there are {cameras}; choose one of observation, \
                 FRONT_FACING_CAMERA, LEFT_CAMERA, STEREO_CAMERAS"
            )));
        }
        if sensors.len() - cameras > 1 {
            return Err(
                self.value(format!("at most one lidar sensor is possible, there are {}", sensors.len() - cameras))
            );
        }
        Ok(sensors)
    }

    fn choice<T>(
        &self,
        document: &Map<String, Value>,
        key: &str,
        legal: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, MetadataError> {
        let Some(written) = document.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let name = written.as_str().unwrap_or_default().trim();
        match read(name) {
            Some(value) => Ok(Some(value)),
            None => Err(self.value(format!("{key} {written}: {}", not_one_of(name, legal)))),
        }
    }

    fn lidar(&self, written: Option<&Value>) -> Result<LidarConfig, MetadataError> {
        let mut lidar = LidarConfig::DEFAULT;
        let Some(written) = written else { return Ok(lidar) };
        let whole = |key: &str, default: u64| -> Result<u64, MetadataError> {
            let Some(value) = written.get(key) else { return Ok(default) };
            let number = self.number(&format!("lidar_config.{key}"), value)?;
            if number.fract() == 0.0 && (1.0..=4096.0).contains(&number) {
                Ok(number as u64)
            } else {
                Err(self.value(format!("lidar_config.{key} {number} must be a whole number from 1")))
            }
        };
        lidar.num_sectors = whole("num_sectors", lidar.num_sectors)?;
        lidar.num_values_per_sector = whole("num_values_per_sector", lidar.num_values_per_sector)?;
        if let Some(value) = written.get("clipping_dist") {
            lidar.clipping_dist_m = self.number("lidar_config.clipping_dist", value)?;
        }
        if !LIDAR_RAYS.is_multiple_of(lidar.num_sectors) {
            return Err(
                self.value(format!("lidar_config.num_sectors {} must be 1, 2, 4, 8, 16, 32 or 64", lidar.num_sectors))
            );
        }
        if !(LIDAR_RANGE_M.0..=LIDAR_RANGE_M.1).contains(&lidar.clipping_dist_m) {
            return Err(self.value(format!(
                "lidar_config.clipping_dist {} must be from {} to {} (m)",
                lidar.clipping_dist_m, LIDAR_RANGE_M.0, LIDAR_RANGE_M.1
            )));
        }
        Ok(lidar)
    }

    /// A number, or text that is one.
    fn number(&self, name: &str, value: &Value) -> Result<f64, MetadataError> {
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| number.is_finite()).ok_or_else(|| self.value(format!("{name} {value} is not a number")))
    }
}

#[cfg(test)]
#[path = "model_metadata_tests.rs"]
mod tests;
