//! Policies that the original trained: frozen TensorFlow graphs (`model_<n>.pb`), read without TensorFlow.
//!
//! Such a file is a `GraphDef` with all weights as constants, and holds the actor only, since it is what a car needs to
//! drive: probabilities of discrete actions, or means of continuous ones. Their standard deviations are not in it, nor is
//! the critic.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use prost::bytes::Bytes;

use crate::ppo::ClippedPpo;
use crate::specification::{ActionSpec, InputShape, PolicySpec};
use graph_def::{Tensor, decode};
use walk::{Actor, Input, Linear};

mod graph_def;
#[cfg(test)]
mod tests;
mod walk;

/// The largest file that is read. The largest networks of the original have 231 MB.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Why a frozen graph cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FrozenGraphError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is larger than any policy.
    #[error(
        "it has {bytes} bytes, more than any policy of this kind ({MAX_FILE_BYTES}); use the file model_<n>.pb of a model"
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The file is cut off, altered, or something else.
    #[error("it is damaged or not a TensorFlow graph ({reason}); copy the file model_<n>.pb of the model again")]
    Damaged {
        /// What is wrong.
        reason: String,
    },
    /// A graph without the answer of a policy.
    #[error(
        "it is a graph without a policy: the operation {} is not in it; use the file model_<n>.pb of a model trained with clipped PPO",
        walk::ANSWER
    )]
    NotAPolicy,
    /// The policy was trained with SAC.
    #[error("it holds a policy trained with SAC, which cannot be read; use a model trained with clipped PPO")]
    Sac,
    /// The graph computes something that the networks do not have.
    #[error(
        "its operation {node} ({operation}) is not what is expected there, {expected}; only the networks of model_metadata.json's `neural_network` can be read"
    )]
    NotSupported {
        /// The operation.
        node: String,
        /// What it does.
        operation: String,
        /// What would have been possible.
        expected: &'static str,
    },
    /// The policy answers with other actions.
    #[error("it has {found}, the model metadata {expected}; use the model_metadata.json the model was trained with")]
    OtherActions {
        /// Of the graph.
        found: ActionSpec,
        /// Of the policy that was to take it over.
        expected: ActionSpec,
    },
    /// The policy sees other sensors.
    #[error(
        "it sees {found}, the model metadata says {expected}; use the model_metadata.json the model was trained with"
    )]
    OtherInputs {
        /// Of the graph.
        found: String,
        /// Of the policy that was to take it over.
        expected: String,
    },
    /// The policy has other layers.
    #[error(
        "it has other layers than the network of the model metadata ({found} instead of {expected}); set `neural_network` in model_metadata.json to the network the model was trained with"
    )]
    OtherLayers {
        /// Of the graph.
        found: String,
        /// Of the policy that was to take it over.
        expected: String,
    },
}

impl From<prost::DecodeError> for FrozenGraphError {
    fn from(error: prost::DecodeError) -> Self {
        Self::Damaged { reason: error.to_string() }
    }
}

/// The actor in a frozen graph.
///
/// Graphs of every version of the original are read: the layers are found by what the operations compute, not by their
/// names.
#[derive(Debug)]
pub struct FrozenGraph {
    actor: Actor,
    actions: ActionSpec,
}

impl FrozenGraph {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, FrozenGraphError> {
        let io_error = |source| FrozenGraphError::Io { path: path.to_owned(), source };
        let mut file = vec![];
        let opened = File::open(path).map_err(io_error)?;
        opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut file).map_err(io_error)?;
        Self::parse(file)
    }

    /// Reads the bytes of a file. The weights stay where they are; besides, memory is taken in proportion to their size at
    /// most, whatever the bytes are.
    pub fn parse(file: Vec<u8>) -> Result<Self, FrozenGraphError> {
        if file.len() as u64 > MAX_FILE_BYTES {
            return Err(FrozenGraphError::TooLarge { bytes: file.len() as u64 });
        }
        let actor = walk::actor(&decode(Bytes::from(file))?)?;
        let outputs = actor.layers.last().map_or(0, |head| head.bias.len());
        let actions = if actor.is_discrete {
            ActionSpec::Discrete { num_actions: outputs }
        } else {
            ActionSpec::Continuous { num_dims: outputs }
        };
        Ok(Self { actor, actions })
    }

    /// The actions it chooses from.
    pub fn actions(&self) -> ActionSpec {
        self.actions
    }

    /// Names of the sensors it sees, in the order of the networks.
    pub fn sensors(&self) -> impl Iterator<Item = &str> {
        self.actor.inputs.iter().map(|input| input.name.as_str())
    }

    /// Refuses the graph when it does not belong to this policy.
    fn check(&self, policy: &ClippedPpo) -> Result<(), FrozenGraphError> {
        let spec = policy.spec();
        if self.actions != spec.actions {
            return Err(FrozenGraphError::OtherActions { found: self.actions, expected: spec.actions });
        }
        self.check_inputs(spec)?;
        let expected: Vec<_> = policy.actor_layers().collect();
        let found = &self.actor.layers;
        let is_same = |(layer, (kernel_shape, stride)): (&Linear, &(&[usize], usize))| {
            layer.kernel.shape == *kernel_shape
                && layer.bias.len() == kernel_shape[kernel_shape.len() - 1]
                && layer.stride == *stride
        };
        if let Some((layer, (kernel_shape, stride))) = found.iter().zip(&expected).find(|pair| !is_same(*pair)) {
            return Err(FrozenGraphError::OtherLayers {
                found: format!("{}: {}", layer.node, describe_layer(&layer.kernel.shape, layer.stride)),
                expected: describe_layer(kernel_shape, *stride),
            });
        }
        if found.len() != expected.len() {
            let layers = |count: usize| format!("{count} layers");
            return Err(FrozenGraphError::OtherLayers { found: layers(found.len()), expected: layers(expected.len()) });
        }
        for layer in found {
            for tensor in [&layer.kernel, &layer.bias] {
                let is_finite = tensor.floats().is_some_and(|mut values| values.all(f32::is_finite));
                if !is_finite {
                    let reason = format!("weights of {} are not numbers", layer.node);
                    return Err(FrozenGraphError::Damaged { reason });
                }
            }
        }
        Ok(())
    }

    fn check_inputs(&self, spec: &PolicySpec) -> Result<(), FrozenGraphError> {
        let found = &self.actor.inputs;
        let is_same = found.len() == spec.inputs.len()
            && found
                .iter()
                .zip(&spec.inputs)
                .all(|(found, expected)| found.name == expected.name && has_shape(found, expected.shape));
        if is_same {
            return Ok(());
        }
        let found: Vec<_> = found.iter().map(describe_input).collect();
        let expected: Vec<_> =
            spec.inputs.iter().map(|input| format!("{} {:?}", input.name, sizes(input.shape))).collect();
        Err(FrozenGraphError::OtherInputs { found: found.join(" and "), expected: expected.join(" and ") })
    }
}

/// Sizes of an input of the networks as graphs state them.
fn sizes(shape: InputShape) -> Vec<i64> {
    let sizes = match shape {
        InputShape::Image { height, width, channels } => vec![height, width, channels],
        InputShape::Vector { len } => vec![len],
    };
    sizes.into_iter().map(|size| size as i64).collect()
}

/// Whether an input can have this shape, and is scaled like one of it.
fn has_shape(input: &Input, shape: InputShape) -> bool {
    let scale = match shape {
        InputShape::Image { .. } => 1.0 / 255.0,
        InputShape::Vector { .. } => 1.0,
    };
    let expected = sizes(shape);
    let fits = input.sizes.as_ref().is_none_or(|sizes| {
        sizes.len() == expected.len()
            && sizes.iter().zip(&expected).all(|(size, expected)| *size == -1 || size == expected)
    });
    fits && (input.scale - scale).abs() < 1e-6
}

fn describe_input(input: &Input) -> String {
    let sizes = input.sizes.as_ref().map_or_else(String::new, |sizes| format!(" {sizes:?}"));
    let scale = if input.scale == 1.0 { String::new() } else { format!(" divided by {:.4}", 1.0 / input.scale) };
    format!("{}{sizes}{scale}", input.name)
}

fn describe_layer(kernel_shape: &[usize], stride: usize) -> String {
    let kind = if kernel_shape.len() == 4 { "convolution" } else { "dense" };
    let stride = if kernel_shape.len() == 4 { format!(", stride {stride}") } else { String::new() };
    format!("{kind} {kernel_shape:?}{stride}")
}

impl ClippedPpo {
    /// Takes over the actor of a frozen graph; Adam starts afresh for it. The critic, hyperparameters, seed and random
    /// streams stay, and so do the standard deviations of a continuous policy, which are not in the graph.
    ///
    /// On an error nothing has changed.
    ///
    /// ```no_run
    /// # use deepracer_policy::{ActionSpec, ClippedPpo, FrozenGraph, InputShape, InputSpec, PolicySpec, PpoHyperparameters, Topology};
    /// let camera = InputSpec {
    ///     name: "FRONT_FACING_CAMERA".into(),
    ///     shape: InputShape::Image { height: 120, width: 160, channels: 1 },
    /// };
    /// let spec = PolicySpec {
    ///     inputs: vec![camera],
    ///     topology: Topology::Shallow,
    ///     actions: ActionSpec::Discrete { num_actions: 12 },
    /// };
    /// let mut policy = ClippedPpo::new(spec, PpoHyperparameters::default(), 1)?;
    /// policy.load_actor_from_frozen_graph(&FrozenGraph::read("model_15.pb".as_ref())?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_actor_from_frozen_graph(&mut self, graph: &FrozenGraph) -> Result<(), FrozenGraphError> {
        graph.check(self)?;
        let mut tensors = graph.actor.layers.iter().flat_map(|layer| [&layer.kernel, &layer.bias]);
        let [_, actor] = self.networks_mut();
        actor.change_variables(|variable| {
            let block = variable.block();
            block.first_moment.fill(0.0);
            block.second_moment.fill(0.0);
            // Behind the layers come variables that a graph does not have.
            if let Some(values) = tensors.next().and_then(Tensor::floats) {
                for (value, given) in block.values.iter_mut().zip(values) {
                    *value = given;
                }
            }
        });
        Ok(())
    }
}
