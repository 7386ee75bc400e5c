//! What a policy sees, how its networks are built, and what it answers.

use serde::{Deserialize, Serialize};

use crate::topology;

/// Largest number of dimensions of a continuous action.
pub const MAX_ACTION_DIMS: usize = 4;

/// One input of the networks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputSpec {
    /// The sensor's name, for example `FRONT_FACING_CAMERA`. It appears in the names of the variables, and decides, with the
    /// topology, how the input is embedded: `observation` and `STEREO_CAMERAS` have layers of their own.
    pub name: String,
    /// Size and kind of the input.
    pub shape: InputShape,
}

/// Size and kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputShape {
    /// A picture of bytes 0…255, row-major, channels last; divided by 255 inside the network.
    Image {
        /// Rows.
        height: usize,
        /// Columns.
        width: usize,
        /// Values per pixel.
        channels: usize,
    },
    /// A vector of `f32` (lidar), used as it is. In an observation it is stored as little-endian bytes.
    Vector {
        /// Number of values.
        len: usize,
    },
}

impl InputShape {
    /// Number of values.
    pub fn values(&self) -> usize {
        match *self {
            Self::Image { height, width, channels } => height * width * channels,
            Self::Vector { len } => len,
        }
    }

    /// Bytes this input takes in an observation.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Image { .. } => self.values(),
            Self::Vector { .. } => 4 * self.values(),
        }
    }
}

/// The layers between inputs and heads, one per `neural_network` value of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// `DEEP_CONVOLUTIONAL_NETWORK_SHALLOW`: three convolutions, dense 512.
    Shallow,
    /// `DEEP_CONVOLUTIONAL_NETWORK`: four convolutions and a per-pixel dense layer, dense 512.
    Mid,
    /// `DEEP_CONVOLUTIONAL_NETWORK_DEEP`: four convolutions and two per-pixel dense layers, dense 256 and 128.
    Deep,
}

/// The actions a policy chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionSpec {
    /// One of a list.
    Discrete {
        /// Length of the list.
        num_actions: usize,
    },
    /// A vector in agent units: the executed action is the vector clipped to [−1, 1] and mapped onto the ranges of the car.
    Continuous {
        /// Dimensions, 1…[`MAX_ACTION_DIMS`].
        num_dims: usize,
    },
}

impl ActionSpec {
    /// Values in one row of the policy's output.
    pub fn outputs(&self) -> usize {
        match *self {
            Self::Discrete { num_actions } => num_actions,
            Self::Continuous { num_dims } => num_dims,
        }
    }
}

impl std::fmt::Display for ActionSpec {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Discrete { num_actions: 1 } => write!(formatter, "1 discrete action"),
            Self::Discrete { num_actions } => write!(formatter, "{num_actions} discrete actions"),
            Self::Continuous { num_dims } => {
                write!(formatter, "continuous actions of {num_dims} dimensions")
            }
        }
    }
}

/// Everything that decides the shapes of the networks.
///
/// One observation is a run of [`observation_bytes`](Self::observation_bytes) bytes: the inputs one after the other, in
/// alphabetical order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicySpec {
    /// The inputs, in any order; a policy keeps them in alphabetical order of their names.
    pub inputs: Vec<InputSpec>,
    /// The layers.
    pub topology: Topology,
    /// The actions.
    pub actions: ActionSpec,
}

/// Why a [`PolicySpec`] cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no input.
    #[error("the policy has no input; list at least one sensor")]
    NoInput,
    /// Two inputs have one name.
    #[error("the input {0} is listed twice; list every sensor once")]
    RepeatedInput(String),
    /// A name is empty or cannot be part of a variable's name.
    #[error("the input name {0:?} is not usable; names are letters, digits and underscores")]
    InputName(String),
    /// The layers do not fit on the picture.
    #[error(
        "the input {name} of {height}×{width} is too small for its convolutions; use at least {least}×{least} pixels"
    )]
    ImageTooSmall {
        /// The input.
        name: String,
        /// Its rows.
        height: usize,
        /// Its columns.
        width: usize,
        /// Smallest possible side.
        least: usize,
    },
    /// An input without values.
    #[error("the input {0} has no values; give every dimension a size of at least 1")]
    EmptyInput(String),
    /// No action, or too many dimensions.
    #[error("{0} cannot be learned; use at least 1 discrete action, or 1 to {MAX_ACTION_DIMS} continuous dimensions")]
    Actions(ActionSpec),
}

impl PolicySpec {
    /// Bytes of one observation.
    pub fn observation_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.shape.bytes()).sum()
    }

    /// The same specification with the inputs in alphabetical order, or why it cannot be built.
    pub fn checked(mut self) -> Result<Self, SpecError> {
        if self.inputs.is_empty() {
            return Err(SpecError::NoInput);
        }
        self.inputs.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = self.inputs.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(SpecError::RepeatedInput(pair[0].name.clone()));
        }
        for InputSpec { name, shape } in &self.inputs {
            if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
                return Err(SpecError::InputName(name.clone()));
            }
            if shape.values() == 0 {
                return Err(SpecError::EmptyInput(name.clone()));
            }
            if let InputShape::Image { height, width, .. } = *shape {
                let least = topology::smallest_side(topology::camera_layers(self.topology, name));
                if height.min(width) < least {
                    return Err(SpecError::ImageTooSmall { name: name.clone(), height, width, least });
                }
            }
        }
        match self.actions {
            ActionSpec::Discrete { num_actions: 1.. } | ActionSpec::Continuous { num_dims: 1..=MAX_ACTION_DIMS } => {
                Ok(self)
            }
            actions => Err(SpecError::Actions(actions)),
        }
    }
}
