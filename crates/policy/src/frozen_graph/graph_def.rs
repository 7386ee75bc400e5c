//! The file format: the fields of TensorFlow's `GraphDef` messages that say what a network computes.
//!
//! Files come from anywhere, so memory is bounded before anything is decoded: file size, number of nodes, and the size of
//! all that is not a tensor. Tensors stay in the file's own bytes.

use std::collections::{BTreeMap, HashMap};

use prost::Message;
use prost::bytes::Bytes;

use super::FrozenGraphError;

/// Nodes of a graph at most. Real ones have 50 to 250.
const MAX_NODES: usize = 4096;
/// Bytes of all nodes without tensors at most. Real ones have less than 100 kB.
const MAX_DESCRIPTION_BYTES: usize = 1 << 20;
/// `DT_FLOAT` and `DT_INT32` of TensorFlow's `DataType`.
pub(super) const FLOAT: i32 = 1;
pub(super) const INT32: i32 = 3;

/// What is read of every node first.
#[derive(Clone, PartialEq, Message)]
struct Heading {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    operation: String,
}

/// An operation (`NodeDef`).
#[derive(Clone, PartialEq, Message)]
#[expect(clippy::struct_field_names, reason = "what an operation does is called so in the format")]
pub(super) struct Operation {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    /// What it does, for example `Conv2D`.
    #[prost(string, tag = "2")]
    pub(super) operation: String,
    /// Names of the nodes it takes its arguments from.
    #[prost(string, repeated, tag = "3")]
    pub(super) inputs: Vec<String>,
    #[prost(btree_map = "string, message", tag = "5")]
    pub(super) attributes: BTreeMap<String, Attribute>,
}

/// The value of an attribute (`AttrValue`): one of these.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(message, optional, tag = "1")]
    pub(super) list: Option<List>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) text: Bytes,
    #[prost(int64, tag = "3")]
    pub(super) integer: i64,
    #[prost(bool, tag = "5")]
    pub(super) truth: bool,
    #[prost(message, optional, tag = "7")]
    pub(super) shape: Option<Shape>,
}

/// A list of integers (`AttrValue.ListValue`).
#[derive(Clone, PartialEq, Message)]
pub(super) struct List {
    #[prost(int64, repeated, tag = "3")]
    pub(super) integers: Vec<i64>,
}

/// Sizes along the axes (`TensorShapeProto`); -1 where any size is possible.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Shape {
    #[prost(message, repeated, tag = "2")]
    pub(super) axes: Vec<Axis>,
}

/// One axis (`TensorShapeProto.Dim`).
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Axis {
    #[prost(int64, tag = "1")]
    pub(super) size: i64,
}

/// A node that holds a tensor. Its attributes are declared as *one* message rather than many, which the format decodes by
/// merging them: of the few that a constant has, only `value` is a tensor. So a damaged file cannot make many of them.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Constant {
    #[prost(message, optional, tag = "5")]
    pub(super) attribute: Option<ConstantEntry>,
}

/// An entry of a constant's attributes.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ConstantEntry {
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<ConstantValue>,
}

/// Its value.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ConstantValue {
    #[prost(message, optional, tag = "8")]
    pub(super) tensor: Option<TensorProto>,
}

/// Numbers (`TensorProto`): as little-endian bytes, or listed one by one, the last one standing for all that follow.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorProto {
    #[prost(int32, tag = "1")]
    pub(super) data_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<Shape>,
    #[prost(bytes = "bytes", tag = "4")]
    pub(super) content: Bytes,
    #[prost(float, repeated, tag = "5")]
    pub(super) floats: Vec<f32>,
    #[prost(int32, repeated, tag = "7")]
    pub(super) integers: Vec<i32>,
}

/// The nodes of a graph, by name.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) operations: HashMap<String, Operation>,
    pub(super) constants: HashMap<String, Tensor>,
}

/// A constant of the graph.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Values,
}

/// The numbers of a constant, row-major.
#[derive(Debug, Clone)]
pub(super) enum Values {
    /// `f32` as little-endian bytes.
    FloatBytes(Bytes),
    /// The last one stands for all that follow.
    Floats(Vec<f32>),
    /// As in `Floats`.
    Integers(Vec<i32>),
    /// Kinds of numbers that the networks do not compute with.
    Other,
}

impl Tensor {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The values of a tensor of floats.
    pub(super) fn floats(&self) -> Option<Box<dyn Iterator<Item = f32> + '_>> {
        match &self.values {
            Values::FloatBytes(bytes) => {
                Some(Box::new(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))))
            }
            Values::Floats(floats) => Some(Box::new(repeat_last(floats).take(self.len()))),
            Values::Integers(_) | Values::Other => None,
        }
    }

    /// The values of a short tensor of integers.
    pub(super) fn integers(&self) -> Option<Vec<i32>> {
        match &self.values {
            Values::Integers(integers) if self.len() <= 16 => Some(repeat_last(integers).take(self.len()).collect()),
            _ => None,
        }
    }
}

/// The numbers, then the last of them for ever; without any, zeros.
fn repeat_last<T: Copy + Default>(numbers: &[T]) -> impl Iterator<Item = T> + '_ {
    numbers.iter().copied().chain(std::iter::repeat(numbers.last().copied().unwrap_or_default()))
}

/// Reads the nodes of a `GraphDef`.
pub(super) fn decode(mut file: Bytes) -> Result<Nodes, FrozenGraphError> {
    let mut nodes = Nodes::default();
    let mut num_nodes = 0;
    let mut description_bytes = 0;
    while !file.is_empty() {
        let Some(node) = next_node(&mut file)? else { continue };
        num_nodes += 1;
        if num_nodes > MAX_NODES {
            return Err(damaged(format!("it has more than {MAX_NODES} nodes")));
        }
        let Heading { name, operation } = Heading::decode(node.clone())?;
        let is_new = if operation == "Const" {
            let tensor = constant(&name, node)?;
            !nodes.operations.contains_key(&name) && nodes.constants.insert(name.clone(), tensor).is_none()
        } else {
            description_bytes += node.len();
            if description_bytes > MAX_DESCRIPTION_BYTES {
                return Err(damaged(format!("its nodes have more than {MAX_DESCRIPTION_BYTES} bytes without weights")));
            }
            let operation = Operation::decode(node)?;
            !nodes.constants.contains_key(&name) && nodes.operations.insert(name.clone(), operation).is_none()
        };
        if !is_new {
            return Err(damaged(format!("two nodes have the name `{name}`")));
        }
    }
    Ok(nodes)
}

/// Takes the next field from the front of a `GraphDef`; none when it is no node.
fn next_node(file: &mut Bytes) -> Result<Option<Bytes>, FrozenGraphError> {
    const NODE: usize = 1;
    // Keys of fields are numbers of the same form as lengths: field number and, in the lowest three bits, kind.
    let key = prost::decode_length_delimiter(&mut *file)?;
    let length = prost::decode_length_delimiter(&mut *file)?;
    match key & 7 {
        0 => Ok(None),
        2 if length <= file.len() => {
            let field = file.split_to(length);
            Ok((key >> 3 == NODE).then_some(field))
        }
        2 => Err(damaged(format!("it ends {} bytes before the end of a node", length - file.len()))),
        _ => Err(damaged("it does not begin like a graph".to_owned())),
    }
}

/// The tensor of a constant.
fn constant(name: &str, node: Bytes) -> Result<Tensor, FrozenGraphError> {
    let tensor = Constant::decode(node)?
        .attribute
        .and_then(|attribute| attribute.value)
        .and_then(|value| value.tensor)
        .ok_or_else(|| damaged(format!("the constant `{name}` has no value")))?;
    let axes = tensor.shape.unwrap_or_default().axes;
    let shape: Option<Vec<usize>> = axes.iter().map(|axis| usize::try_from(axis.size).ok()).collect();
    let len = |shape: &Vec<usize>| shape.iter().try_fold(1_usize, |len, size| len.checked_mul(*size));
    let (shape, len) = shape
        .and_then(|shape| len(&shape).map(|len| (shape, len)))
        .ok_or_else(|| damaged(format!("the constant `{name}` has no possible shape")))?;
    let is_filled = |num_values: usize| num_values == len;
    let (values, is_complete) = match tensor.data_type {
        FLOAT if !tensor.content.is_empty() => {
            let is_complete = tensor.content.len() % 4 == 0 && is_filled(tensor.content.len() / 4);
            (Values::FloatBytes(tensor.content), is_complete)
        }
        FLOAT => {
            let is_complete = !tensor.floats.is_empty() && tensor.floats.len() <= len;
            (Values::Floats(tensor.floats), is_complete)
        }
        INT32 if !tensor.content.is_empty() => {
            let is_complete = tensor.content.len() % 4 == 0 && is_filled(tensor.content.len() / 4);
            let integers = tensor.content.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
            (Values::Integers(integers), is_complete)
        }
        INT32 => {
            let is_complete = tensor.integers.len() <= len;
            (Values::Integers(tensor.integers), is_complete)
        }
        _ => (Values::Other, true),
    };
    if is_complete {
        Ok(Tensor { shape, values })
    } else {
        Err(damaged(format!("the constant `{name}` of shape {shape:?} does not hold as many numbers")))
    }
}

pub(super) fn damaged(reason: String) -> FrozenGraphError {
    FrozenGraphError::Damaged { reason }
}
