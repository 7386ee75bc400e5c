//! One network: embedders of the inputs, merger, middleware and a head, with explicit forward and backward passes.

use rayon::prelude::*;

use crate::kernels::adam::Optimizer;
use crate::kernels::convolution::{Convolution, Geometry, relu_gradient};
use crate::kernels::dense::{Dense, Rows};
use crate::kernels::instruction_set::InstructionSet;
use crate::random::RandomStream;
use crate::specification::{InputShape, InputSpec, PolicySpec};
use crate::topology::{self, Layer};
use crate::variable::Variable;

/// Samples whose gradients by the convolutions are summed by one thread; the sums are then added in order.
const GROUP: usize = 8;

/// What a network answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// The value of a state: one number.
    Value,
    /// The logits of a number of actions.
    Categorical { num_actions: usize },
    /// The means of a Gaussian, with a vector of log standard deviations that does not depend on the state.
    Gaussian { num_dims: usize },
}

/// The observations of a batch: rows of a larger array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'a> {
    /// Observations one after the other.
    pub(crate) observations: &'a [u8],
    /// Which of them, in order.
    pub(crate) rows: Rowset<'a>,
}

/// A choice of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rowset<'a> {
    /// Consecutive rows.
    Range { first: usize, count: usize },
    /// Rows by number.
    List(&'a [usize]),
}

impl Rowset<'_> {
    fn count(self) -> usize {
        match self {
            Self::Range { count, .. } => count,
            Self::List(rows) => rows.len(),
        }
    }

    fn row(self, index: usize) -> usize {
        match self {
            Self::Range { first, .. } => first + index,
            Self::List(rows) => rows[index],
        }
    }
}

/// A convolution of an embedder with its variables, and where its input and output are in the record of a sample.
#[derive(Debug, Clone)]
struct EmbedderLayer {
    convolution: Convolution,
    kernel: Variable,
    bias: Variable,
    input_at: usize,
    output_at: usize,
    /// Where its sums are in the gradients of a group: those of the convolution, then the bias.
    gradient_at: usize,
}

/// The layers of one input.
#[derive(Debug, Clone)]
struct Embedder {
    shape: InputShape,
    /// Where the input begins in an observation.
    observation_at: usize,
    /// Where it is put, as `f32`, in the record of a sample.
    input_at: usize,
    layers: Vec<EmbedderLayer>,
}

/// Scratch of one group of samples in the backward pass.
#[derive(Debug, Clone, Default)]
struct Group {
    gradients: Vec<f32>,
    /// Gradients by the output and by the input of the layer at hand.
    maps: [Vec<f32>; 2],
}

/// The buffers of forward and backward passes. They grow to the largest batch and are kept.
#[derive(Debug, Clone, Default)]
struct Workspace {
    /// One record per sample: the merged embeddings, then for every embedder its input and its hidden maps.
    records: Vec<f32>,
    /// Outputs of the dense layers, the last of them being the network's answer.
    outputs: Vec<Vec<f32>>,
    /// Partial sums of dense layers.
    partial: Vec<f32>,
    /// Gradients by the outputs of the dense layers.
    output_gradients: Vec<Vec<f32>>,
    /// Gradient by the merged embeddings.
    merged_gradient: Vec<f32>,
    groups: Vec<Group>,
}

/// A network with its variables.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    embedders: Vec<Embedder>,
    /// Middleware and head.
    dense: Vec<Dense>,
    log_std: Option<Variable>,
    /// A constant 1 that the reference counts among the variables.
    rescaler: Variable,
    observation_bytes: usize,
    merged_len: usize,
    record_len: usize,
    gradient_len: usize,
    workspace: Workspace,
}

impl Network {
    /// Network number `index` of an agent with fresh weights. `spec` must have been [checked](PolicySpec::checked).
    pub(crate) fn new(spec: &PolicySpec, index: usize, head: Head, seed: u64) -> Self {
        Builder {
            scope: format!("main_level/agent/main/online/network_{index}"),
            seed,
            instructions: InstructionSet::detect(),
        }
        .network(spec, head)
    }

    /// Every variable, in the order of the layers.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &Variable> {
        let embedders = self.embedders.iter().flat_map(|embedder| &embedder.layers);
        embedders
            .flat_map(|layer| [&layer.kernel, &layer.bias])
            .chain(self.dense.iter().flat_map(|layer| [&layer.kernel, &layer.bias]))
            .chain(&self.log_std)
            .chain([&self.rescaler])
    }

    /// Shape of the kernel and stride of every layer; kernel and bias of each lead the [`variables`](Self::variables).
    pub(crate) fn layers(&self) -> impl Iterator<Item = (&[usize], usize)> {
        let embedders = self.embedders.iter().flat_map(|embedder| &embedder.layers);
        embedders
            .map(|layer| (layer.kernel.shape(), layer.convolution.geometry().stride))
            .chain(self.dense.iter().map(|layer| (layer.kernel.shape(), 1)))
    }

    /// Lets `change` write the variables and puts the new weights to use.
    pub(crate) fn change_variables(&mut self, change: impl FnMut(&mut Variable)) {
        self.embedders
            .iter_mut()
            .flat_map(|embedder| &mut embedder.layers)
            .flat_map(|layer| [&mut layer.kernel, &mut layer.bias])
            .chain(self.dense.iter_mut().flat_map(|layer| [&mut layer.kernel, &mut layer.bias]))
            .chain(&mut self.log_std)
            .chain([&mut self.rescaler])
            .for_each(change);
        for layer in self.embedders.iter_mut().flat_map(|embedder| &mut embedder.layers) {
            layer.convolution.pack(layer.kernel.values());
        }
    }

    /// The log standard deviations of a Gaussian head.
    pub(crate) fn log_std(&self) -> Option<&Variable> {
        self.log_std.as_ref()
    }

    /// The log standard deviations of a Gaussian head, to be updated.
    pub(crate) fn log_std_mut(&mut self) -> Option<&mut Variable> {
        self.log_std.as_mut()
    }

    /// The answer to every sample of the batch, row-major: values, logits or means.
    pub(crate) fn forward(&mut self, batch: Batch<'_>) -> &[f32] {
        let count = batch.rows.count();
        let Self { embedders, dense, workspace, record_len, observation_bytes, .. } = self;
        let Workspace { records, outputs, partial, .. } = workspace;
        grow(records, count * *record_len);
        records[..count * *record_len].par_chunks_exact_mut(*record_len).enumerate().for_each(|(index, record)| {
            let observation = &batch.observations[batch.rows.row(index) * *observation_bytes..][..*observation_bytes];
            for embedder in &*embedders {
                embedder.forward(observation, record);
            }
        });
        let mut input = Rows { values: records, stride: *record_len };
        for (layer, output) in dense.iter().zip(outputs) {
            grow(output, count * layer.outputs());
            layer.forward(count, input, partial, output);
            input = Rows { values: output, stride: layer.outputs() };
        }
        &input.values[..count * input.stride]
    }

    /// Hands the gradients of all layers to `optimizer`, given the gradient by the answers of the last
    /// [`forward`](Self::forward) pass of `count` samples.
    pub(crate) fn backward(&mut self, count: usize, answer_gradient: &[f32], optimizer: &impl Optimizer) {
        let Self { embedders, dense, workspace, merged_len, record_len, gradient_len, .. } = self;
        let Workspace { records, outputs, output_gradients, merged_gradient, groups, .. } = workspace;
        let last = dense.len() - 1;
        for (layer, gradient) in dense.iter().zip(&mut *output_gradients) {
            grow(gradient, count * layer.outputs());
        }
        output_gradients[last][..answer_gradient.len()].copy_from_slice(answer_gradient);
        grow(merged_gradient, count * *merged_len);
        for index in (0..=last).rev() {
            let layer = &mut dense[index];
            let (before, after) = output_gradients.split_at_mut(index);
            let (input, input_gradient) = match before.last_mut() {
                Some(gradient) => (Rows { values: &outputs[index - 1], stride: layer.inputs() }, gradient),
                None => (Rows { values: records, stride: *record_len }, &mut *merged_gradient),
            };
            layer.backward(count, input, &outputs[index], &mut after[0], input_gradient, optimizer);
        }

        groups.resize_with(groups.len().max(count.div_ceil(GROUP)), Group::default);
        let groups = &mut groups[..count.div_ceil(GROUP)];
        groups
            .par_iter_mut()
            .zip(merged_gradient[..count * *merged_len].par_chunks_mut(GROUP * *merged_len))
            .zip(records[..count * *record_len].par_chunks(GROUP * *record_len))
            .for_each(|((group, merged_gradients), records)| {
                group.gradients.clear();
                group.gradients.resize(*gradient_len, 0.0);
                for (gradient, record) in
                    merged_gradients.chunks_exact_mut(*merged_len).zip(records.chunks_exact(*record_len))
                {
                    for embedder in &*embedders {
                        embedder.backward(record, gradient, group);
                    }
                }
            });
        let Some((sum, others)) = groups.split_first_mut() else {
            return;
        };
        for group in others {
            for (sum, gradient) in sum.gradients.iter_mut().zip(&group.gradients) {
                *sum += gradient;
            }
        }
        for layer in embedders.iter_mut().flat_map(|embedder| &mut embedder.layers) {
            let (sums, bias) = sum.gradients[layer.gradient_at..].split_at_mut(layer.convolution.sums_len());
            layer.convolution.finish_weight_gradient(sums);
            let kernel = &sums[..layer.kernel.values().len()];
            let bias = &bias[..layer.bias.values().len()];
            optimizer.update(layer.kernel.block(), kernel);
            optimizer.update(layer.bias.block(), bias);
            layer.convolution.pack(layer.kernel.values());
        }
    }
}

impl Embedder {
    /// Computes every map of one sample.
    fn forward(&self, observation: &[u8], record: &mut [f32]) {
        let bytes = &observation[self.observation_at..][..self.shape.bytes()];
        let input = &mut record[self.input_at..][..self.shape.values()];
        match self.shape {
            InputShape::Image { .. } => {
                for (value, byte) in input.iter_mut().zip(bytes) {
                    *value = f32::from(*byte) * (1.0 / 255.0);
                }
            }
            InputShape::Vector { .. } => {
                for (value, bytes) in input.iter_mut().zip(bytes.as_chunks().0) {
                    *value = f32::from_le_bytes(*bytes);
                }
            }
        }
        for layer in &self.layers {
            let geometry = layer.convolution.geometry();
            let (input, output) =
                two_ranges(record, layer.input_at, geometry.input_len(), layer.output_at, geometry.output_len());
            layer.convolution.forward(input, layer.bias.values(), output);
        }
    }

    /// Adds the gradients of one sample to those of its group.
    fn backward(&self, record: &[f32], merged_gradient: &mut [f32], group: &mut Group) {
        let Group { gradients, maps: [output_map, input_map] } = group;
        for (index, layer) in self.layers.iter().enumerate().rev() {
            let geometry = layer.convolution.geometry();
            let output_gradient = if index + 1 == self.layers.len() {
                &mut merged_gradient[layer.output_at..][..geometry.output_len()]
            } else {
                std::mem::swap(output_map, input_map);
                &mut output_map[..geometry.output_len()]
            };
            let (sums, bias_gradient) = gradients[layer.gradient_at..].split_at_mut(layer.convolution.sums_len());
            let output = &record[layer.output_at..][..geometry.output_len()];
            relu_gradient(output, output_gradient, &mut bias_gradient[..geometry.filters]);
            let input = &record[layer.input_at..][..geometry.input_len()];
            let input_gradient = (index > 0).then(|| {
                grow(input_map, geometry.input_len());
                &mut input_map[..geometry.input_len()]
            });
            layer.convolution.backward(input, output_gradient, sums, input_gradient);
        }
    }
}

/// A range to read and a range to write of one slice; they must not overlap.
fn two_ranges(
    values: &mut [f32],
    read_at: usize,
    read_len: usize,
    write_at: usize,
    write_len: usize,
) -> (&[f32], &mut [f32]) {
    if read_at < write_at {
        let (low, high) = values.split_at_mut(write_at);
        (&low[read_at..][..read_len], &mut high[..write_len])
    } else {
        let (low, high) = values.split_at_mut(read_at);
        (&high[..read_len], &mut low[write_at..][..write_len])
    }
}

/// Makes a buffer at least `len` long.
fn grow(buffer: &mut Vec<f32>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
}

/// Builds a network: names, shapes and first values of its variables.
struct Builder {
    scope: String,
    seed: u64,
    instructions: InstructionSet,
}

impl Builder {
    fn network(&self, spec: &PolicySpec, head: Head) -> Network {
        let tables: Vec<_> = spec.inputs.iter().map(|input| maps(input, spec)).collect();
        let merged_len =
            tables.iter().filter_map(|table| table.last()).map(|(_, geometry)| geometry.output_len()).sum();
        let (mut observation_at, mut merged_at, mut record_len, mut gradient_len) = (0, 0, merged_len, 0);
        let mut embedders = vec![];
        for (input, table) in spec.inputs.iter().zip(&tables) {
            let input_at = record_len;
            record_len += input.shape.values();
            let mut embedder = Embedder { shape: input.shape, observation_at, input_at, layers: vec![] };
            let mut layer_input_at = input_at;
            for (index, (layer, geometry)) in table.iter().enumerate() {
                let (kind, kernel_shape) = match layer {
                    Layer::Convolution { .. } => {
                        ("Conv2d", vec![geometry.kernel, geometry.kernel, geometry.channels, geometry.filters])
                    }
                    Layer::PerPixelDense { .. } => ("Dense", vec![geometry.channels, geometry.filters]),
                };
                // The reference numbers layers and activations together, so learned layers have even numbers.
                let name = format!("{}/{kind}_{}", input.name, 2 * index);
                let output_at = if index + 1 == table.len() {
                    merged_at
                } else {
                    record_len += geometry.output_len();
                    record_len - geometry.output_len()
                };
                let kernel = self.glorot_uniform(&name, kernel_shape);
                let mut convolution = Convolution::new(*geometry, index > 0, self.instructions);
                convolution.pack(kernel.values());
                let sums_len = convolution.sums_len();
                embedder.layers.push(EmbedderLayer {
                    convolution,
                    kernel,
                    bias: self.zeros(&format!("{name}/bias"), vec![geometry.filters]),
                    input_at: layer_input_at,
                    output_at,
                    gradient_at: gradient_len,
                });
                layer_input_at = output_at;
                gradient_len += sums_len + geometry.filters;
            }
            merged_at += table.last().map_or(0, |(_, geometry)| geometry.output_len());
            observation_at += input.shape.bytes();
            embedders.push(embedder);
        }

        let mut dense = vec![];
        let mut inputs = merged_len;
        for (index, units) in topology::middleware_units(spec.topology).iter().enumerate() {
            let name = format!("middleware_fc_embedder/Dense_{}", 2 * index);
            dense.push(self.dense(&name, self.glorot_uniform(&name, vec![inputs, *units]), true));
            inputs = *units;
        }
        let (name, kernel, log_std) = match head {
            Head::Value => {
                let name = "v_values_head_0/output";
                (name, self.normalized_columns(name, inputs, 1, 1.0), None)
            }
            Head::Categorical { num_actions } => {
                let name = "ppo_head_0/policy_fc";
                (name, self.glorot_uniform(name, vec![inputs, num_actions]), None)
            }
            Head::Gaussian { num_dims } => {
                let name = "ppo_head_0/policy_mean";
                let log_std = self.zeros("ppo_head_0/policy_log_std", vec![1, num_dims]);
                (name, self.normalized_columns(name, inputs, num_dims, 0.01), Some(log_std))
            }
        };
        dense.push(self.dense(name, kernel, false));
        let buffers = vec![vec![]; dense.len()];
        Network {
            embedders,
            dense,
            log_std,
            rescaler: Variable::new(format!("{}/gradients_from_head_0-0_rescalers", self.scope), vec![], vec![1.0]),
            observation_bytes: observation_at,
            merged_len,
            record_len,
            gradient_len,
            workspace: Workspace { outputs: buffers.clone(), output_gradients: buffers, ..Workspace::default() },
        }
    }

    fn dense(&self, name: &str, kernel: Variable, rectified: bool) -> Dense {
        let bias = self.zeros(&format!("{name}/bias"), vec![kernel.shape()[1]]);
        Dense { kernel, bias, rectified }
    }

    fn zeros(&self, name: &str, shape: Vec<usize>) -> Variable {
        let values = vec![0.0; shape.iter().product()];
        Variable::new(format!("{}/{name}", self.scope), shape, values)
    }

    /// Uniform within ±√(6 / (inputs + outputs)), where a convolution counts its kernel's area in both.
    fn glorot_uniform(&self, layer: &str, shape: Vec<usize>) -> Variable {
        let name = format!("{}/{layer}/kernel", self.scope);
        let area: usize = shape[..shape.len() - 2].iter().product();
        let fans = area * (shape[shape.len() - 2] + shape[shape.len() - 1]);
        let limit = (6.0 / fans as f64).sqrt();
        let mut random = RandomStream::new(self.seed, &name);
        let values = (0..shape.iter().product()).map(|_| ((2.0 * random.uniform() - 1.0) * limit) as f32).collect();
        Variable::new(name, shape, values)
    }

    /// Normal numbers, every column scaled to the given L2 norm.
    fn normalized_columns(&self, layer: &str, inputs: usize, outputs: usize, norm: f64) -> Variable {
        let name = format!("{}/{layer}/kernel", self.scope);
        let mut random = RandomStream::new(self.seed, &name);
        let numbers: Vec<f64> = (0..inputs * outputs).map(|_| random.normal()).collect();
        let norms: Vec<f64> = (0..outputs)
            .map(|column| numbers[column..].iter().step_by(outputs).map(|number| number * number).sum::<f64>().sqrt())
            .collect();
        let values =
            numbers.iter().enumerate().map(|(index, number)| (norm * number / norms[index % outputs]) as f32).collect();
        Variable::new(name, vec![inputs, outputs], values)
    }
}

/// The layers of an input with the sizes of their maps.
fn maps(input: &InputSpec, spec: &PolicySpec) -> Vec<(Layer, Geometry)> {
    let (layers, mut size) = match input.shape {
        InputShape::Image { height, width, channels } => {
            (topology::camera_layers(spec.topology, &input.name), (height, width, channels))
        }
        InputShape::Vector { len } => (topology::lidar_layers(), (1, 1, len)),
    };
    let geometries = layers.iter().map(|layer| {
        let (height, width, channels) = size;
        let geometry = match *layer {
            Layer::Convolution { filters, kernel, stride } => {
                Geometry { height, width, channels, filters, kernel, stride }
            }
            Layer::PerPixelDense { units } => {
                Geometry { height, width, channels, filters: units, kernel: 1, stride: 1 }
            }
        };
        size = (geometry.output_height(), geometry.output_width(), geometry.filters);
        (*layer, geometry)
    });
    geometries.collect()
}

#[cfg(test)]
mod tests;
