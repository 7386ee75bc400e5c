//! Finds the layers of an actor in a graph: backwards from the answer to the inputs, by what the operations do.
//!
//! The names of operations between the layers are those of the framework that wrote the file and differ between its
//! versions (`Conv2d_4/Conv2D`, `Conv2d_4_1/convolution`), and so does the arithmetic around the layers (a per-pixel dense
//! layer is a `BatchMatMulV2` or a handful of operations). What it computes is the same, and that is what is read here.

use std::cell::Cell;

use super::FrozenGraphError;
use super::graph_def::{Nodes, Operation, Tensor, damaged};

/// The answer of every clipped PPO policy of the original.
pub(super) const ANSWER: &str = "main_level/agent/main/online/network_1/ppo_head_0/policy";
/// What every node of a SAC policy begins with.
const SAC: &str = "main_level/agent/policy/online/";
/// Nodes that are looked at; the largest real graph needs a tenth.
const MAX_VISITS: usize = 4096;

/// An actor as the graph has it.
#[derive(Debug)]
pub(super) struct Actor {
    pub(super) inputs: Vec<Input>,
    /// Layer by layer, those of the inputs first, input by input.
    pub(super) layers: Vec<Linear>,
    /// Whether the answers are probabilities.
    pub(super) is_discrete: bool,
}

/// An input of the graph.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: String,
    /// Sizes of one observation, −1 where any is possible; none when the graph does not say.
    pub(super) sizes: Option<Vec<i64>>,
    /// What the values are multiplied with.
    pub(super) scale: f64,
}

/// A convolution or a dense layer.
#[derive(Debug)]
pub(super) struct Linear {
    /// The operation that adds the bias.
    pub(super) node: String,
    pub(super) kernel: Tensor,
    pub(super) bias: Tensor,
    /// Of a convolution; 1 for dense layers.
    pub(super) stride: usize,
}

/// Reads the actor of a graph.
pub(super) fn actor(nodes: &Nodes) -> Result<Actor, FrozenGraphError> {
    let graph = Graph { nodes, visits: Cell::new(0) };
    let Some(answer) = nodes.operations.get(ANSWER) else {
        let is_sac = nodes.operations.keys().any(|name| name.starts_with(SAC));
        return Err(if is_sac { FrozenGraphError::Sac } else { FrozenGraphError::NotAPolicy });
    };
    let is_discrete = match answer.operation.as_str() {
        "Softmax" => true,
        "Identity" => false,
        _ => return Err(unexpected(answer, "the probabilities or means a policy answers with")),
    };
    let (head, below) = graph.linear(graph.operation(argument(answer, 0)?)?)?;
    // From here on backwards: the layers of the trunk, then those of every input.
    let mut trunk = vec![head];
    let mut inputs = vec![];
    let mut layers = vec![];
    match graph.chain(below, &mut trunk)? {
        End::Input(input) => inputs.push(input),
        End::Merger(merger) => {
            // The last argument is the axis.
            for branch in &merger.inputs[..merger.inputs.len().saturating_sub(1)] {
                let mut embedder = vec![];
                match graph.chain(graph.source(branch)?, &mut embedder)? {
                    End::Input(input) => inputs.push(input),
                    End::Merger(inner) => return Err(unexpected(inner, "a layer of a sensor")),
                }
                layers.extend(embedder.into_iter().rev());
            }
        }
    }
    layers.extend(trunk.into_iter().rev());
    Ok(Actor { inputs, layers, is_discrete })
}

/// Where a chain of layers begins.
enum End<'a> {
    Input(Input),
    /// The inputs' embeddings, one beside the other.
    Merger(&'a Operation),
}

struct Graph<'a> {
    nodes: &'a Nodes,
    /// A damaged graph may run in circles.
    visits: Cell<usize>,
}

impl<'a> Graph<'a> {
    fn operation(&self, name: &str) -> Result<&'a Operation, FrozenGraphError> {
        self.visits.set(self.visits.get() + 1);
        if self.visits.get() > MAX_VISITS {
            return Err(damaged("its operations run in circles".to_owned()));
        }
        let name = name.strip_suffix(":0").unwrap_or(name);
        self.nodes.operations.get(name).ok_or_else(|| {
            if self.nodes.constants.contains_key(name) {
                damaged(format!("`{name}` is a constant where an operation belongs"))
            } else {
                damaged(format!("the node `{name}` is missing"))
            }
        })
    }

    /// Layers backwards from `node`, each after a `Relu`.
    fn chain(&self, mut node: &'a Operation, layers: &mut Vec<Linear>) -> Result<End<'a>, FrozenGraphError> {
        loop {
            match node.operation.as_str() {
                "Relu" => {
                    let (layer, below) = self.linear(self.operation(argument(node, 0)?)?)?;
                    layers.push(layer);
                    node = below;
                }
                "ConcatV2" => return Ok(End::Merger(node)),
                _ => return Ok(End::Input(self.input(node)?)),
            }
        }
    }

    /// A convolution or dense layer whose bias is added by `node`, and where its input comes from.
    fn linear(&self, node: &Operation) -> Result<(Linear, &'a Operation), FrozenGraphError> {
        if !matches!(node.operation.as_str(), "BiasAdd" | "Add" | "AddV2") {
            return Err(unexpected(node, "the bias of a layer"));
        }
        is_channels_last(node)?;
        let product = self.unchanged(argument(node, 0)?)?;
        let stride = match product.operation.as_str() {
            "Conv2D" => convolution_stride(product)?,
            "MatMul" | "BatchMatMul" | "BatchMatMulV2" => {
                let flags = ["transpose_a", "transpose_b", "adj_x", "adj_y"];
                if flags.iter().any(|flag| product.attributes.get(*flag).is_some_and(|attribute| attribute.truth)) {
                    return Err(unexpected(product, "a product of matrices that are not transposed"));
                }
                1
            }
            _ => return Err(unexpected(product, "a convolution or a dense layer")),
        };
        let layer = Linear {
            node: node.name.clone(),
            kernel: self.constant(argument(product, 1)?)?.clone(),
            bias: self.constant(argument(node, 1)?)?.clone(),
            stride,
        };
        Ok((layer, self.source(argument(product, 0)?)?))
    }

    /// The operation whose values arrive at `name`, in the same order.
    ///
    /// On the way may lie `(1 − r)·stop_gradient(x) + r·x`, which has to do with gradients and is `x`.
    fn source(&self, name: &str) -> Result<&'a Operation, FrozenGraphError> {
        let mut num_slices = 0;
        let node = self.pass(name, &mut num_slices)?;
        let mut source = node;
        if matches!(node.operation.as_str(), "Add" | "AddV2")
            && let [left, right] = [self.scaled(argument(node, 0)?)?, self.scaled(argument(node, 1)?)?]
            && let (Some((left, left_from)), Some((right, right_from))) = (left, right)
        {
            let mut num_slices_right = num_slices;
            source = self.pass(left_from, &mut num_slices)?;
            let other = self.pass(right_from, &mut num_slices_right)?;
            let is_whole = (left + right - 1.0).abs() < 1e-6;
            if !is_whole || source.name != other.name || num_slices != num_slices_right {
                return Err(unexpected(node, "a sum of two parts of one layer"));
            }
        }
        if num_slices == 0 { Ok(source) } else { Err(unexpected(node, "one array, packed and unpacked")) }
    }

    /// Like [`source`](Self::source), without anything but changes of shape on the way.
    fn unchanged(&self, name: &str) -> Result<&'a Operation, FrozenGraphError> {
        let mut num_slices = 0;
        let node = self.pass(name, &mut num_slices)?;
        if num_slices == 0 { Ok(node) } else { Err(unexpected(node, "one array, packed and unpacked")) }
    }

    /// Goes back through operations that keep the values and their order. `num_slices` counts the axes of length 1 that are
    /// taken away further on and must have been added before.
    fn pass(&self, name: &str, num_slices: &mut usize) -> Result<&'a Operation, FrozenGraphError> {
        let mut node = self.operation(name)?;
        loop {
            match node.operation.as_str() {
                "Identity" | "StopGradient" | "Reshape" | "Squeeze" | "ExpandDims" => {}
                "Transpose" => self.keeps_order(node)?,
                "StridedSlice" => {
                    let begin = self.constant(argument(node, 1)?)?.integers();
                    let axes = node.attributes.get("shrink_axis_mask").map_or(0, |attribute| attribute.integer);
                    if begin != Some(vec![0]) || axes != 1 {
                        return Err(unexpected(node, "the first part of an array"));
                    }
                    *num_slices += 1;
                }
                "Pack" if *num_slices > 0 && node.inputs.len() == 1 => *num_slices -= 1,
                _ => return Ok(node),
            }
            node = self.operation(argument(node, 0)?)?;
        }
    }

    /// A constant, through operations that keep its values and their order.
    fn constant(&self, name: &str) -> Result<&'a Tensor, FrozenGraphError> {
        let mut name = name.strip_suffix(":0").unwrap_or(name);
        loop {
            if let Some(tensor) = self.nodes.constants.get(name) {
                return Ok(tensor);
            }
            let node = self.operation(name)?;
            match node.operation.as_str() {
                "Identity" | "Reshape" | "Squeeze" => {}
                "Transpose" => self.keeps_order(node)?,
                _ => return Err(unexpected(node, "a constant")),
            }
            let argument = argument(node, 0)?;
            name = argument.strip_suffix(":0").unwrap_or(argument);
        }
    }

    /// Refuses a transposition that moves anything.
    fn keeps_order(&self, node: &Operation) -> Result<(), FrozenGraphError> {
        match self.permutation(argument(node, 1)?, 0)? {
            Some(axes) if (0..).zip(&axes).all(|(index, axis)| index == *axis) => Ok(()),
            _ => Err(unexpected(node, "an array whose axes stay where they are")),
        }
    }

    /// A list of axes: a constant, or a concatenation of constants.
    fn permutation(&self, name: &str, depth: usize) -> Result<Option<Vec<i32>>, FrozenGraphError> {
        if let Some(tensor) = self.nodes.constants.get(name.strip_suffix(":0").unwrap_or(name)) {
            return Ok(tensor.integers());
        }
        let node = self.operation(name)?;
        if node.operation != "ConcatV2" || depth > 2 {
            return Ok(None);
        }
        let mut axes = vec![];
        for part in &node.inputs[..node.inputs.len().saturating_sub(1)] {
            let Some(part) = self.permutation(part, depth + 1)? else { return Ok(None) };
            axes.extend(part);
        }
        Ok(Some(axes))
    }

    /// `x · s` with a constant `s`: `s` and the name of `x`.
    fn scaled(&self, name: &str) -> Result<Option<(f64, &'a str)>, FrozenGraphError> {
        let Some(node) = self.nodes.operations.get(name.strip_suffix(":0").unwrap_or(name)) else { return Ok(None) };
        if node.operation != "Mul" {
            return Ok(None);
        }
        let [left, right] = [argument(node, 0)?, argument(node, 1)?];
        Ok(match (self.scalar(left, 0)?, self.scalar(right, 0)?) {
            (Some(scalar), _) => Some((scalar, right)),
            (None, Some(scalar)) => Some((scalar, left)),
            (None, None) => None,
        })
    }

    /// A number that does not depend on the inputs.
    fn scalar(&self, name: &str, depth: usize) -> Result<Option<f64>, FrozenGraphError> {
        let name = name.strip_suffix(":0").unwrap_or(name);
        if let Some(tensor) = self.nodes.constants.get(name) {
            let value = tensor.floats().and_then(|mut values| values.next());
            return Ok(value.filter(|_| tensor.len() == 1).map(f64::from));
        }
        let node = self.operation(name)?;
        Ok(match node.operation.as_str() {
            _ if depth > 4 => None,
            "Identity" => self.scalar(argument(node, 0)?, depth + 1)?,
            "Sub" => {
                let arguments = [argument(node, 0)?, argument(node, 1)?].map(|name| self.scalar(name, depth + 1));
                let [left, right] = arguments;
                left?.zip(right?).map(|(left, right)| left - right)
            }
            _ => None,
        })
    }

    /// The input at the beginning of a chain, behind a division and a subtraction that bring its values into range.
    fn input(&self, mut node: &'a Operation) -> Result<Input, FrozenGraphError> {
        let mut scale = 1.0;
        loop {
            let number = |index| -> Result<f64, FrozenGraphError> {
                self.scalar(argument(node, index)?, 0)?
                    .ok_or_else(|| unexpected(node, "a number to scale an input with"))
            };
            match node.operation.as_str() {
                "Placeholder" => break,
                "RealDiv" => scale /= number(1)?,
                "Sub" if number(1)? == 0.0 => {}
                "Identity" => {}
                _ => return Err(unexpected(node, "a layer or an input of a policy")),
            }
            node = self.operation(argument(node, 0)?)?;
        }
        let name = node.name.rsplit('/').next().unwrap_or_default().to_owned();
        let shape = node.attributes.get("shape").and_then(|attribute| attribute.shape.as_ref());
        // The first axis counts the observations.
        let sizes = shape.map(|shape| shape.axes.iter().skip(1).map(|axis| axis.size).collect());
        Ok(Input { name, sizes, scale })
    }
}

/// The name of an argument of an operation.
fn argument(node: &Operation, index: usize) -> Result<&str, FrozenGraphError> {
    // Names that begin with ^ only say what is to be computed before.
    let name = node.inputs.get(index).filter(|name| !name.starts_with('^'));
    name.map(String::as_str).ok_or_else(|| damaged(format!("the node `{}` has too few arguments", node.name)))
}

/// The stride of a convolution of the kind the networks have.
fn convolution_stride(node: &Operation) -> Result<usize, FrozenGraphError> {
    is_channels_last(node)?;
    let list = |name: &str| {
        let attribute = node.attributes.get(name)?;
        Some(attribute.list.as_ref()?.integers.as_slice())
    };
    let is_valid = node.attributes.get("padding").is_some_and(|attribute| attribute.text == "VALID");
    let is_dense = list("dilations").is_none_or(|dilations| dilations.iter().all(|dilation| *dilation == 1));
    match list("strides") {
        Some([1, down, right, 1]) if down == right && *down > 0 && is_valid && is_dense => Ok(*down as usize),
        _ => Err(unexpected(node, "a convolution without padding and with the same stride down and right")),
    }
}

fn is_channels_last(node: &Operation) -> Result<(), FrozenGraphError> {
    match node.attributes.get("data_format") {
        Some(attribute) if attribute.text != "NHWC" => {
            Err(unexpected(node, "an array whose last axis is the channels"))
        }
        _ => Ok(()),
    }
}

fn unexpected(node: &Operation, expected: &'static str) -> FrozenGraphError {
    FrozenGraphError::NotSupported { node: node.name.clone(), operation: node.operation.clone(), expected }
}
