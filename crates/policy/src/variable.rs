//! The trainable values of a network.

/// A named trainable tensor with its Adam moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    name: String,
    shape: Vec<usize>,
    values: Vec<f32>,
    first_moment: Vec<f32>,
    second_moment: Vec<f32>,
}

/// Why a variable cannot be replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableError {
    /// The policy has no such variable.
    #[error("the policy has no variable {0}; the sensors, the network or the kind of actions are different")]
    Unknown(String),
    /// The number of values is another.
    #[error(
        "{name} has the shape {shape:?}, which {found} values do not fill; the number of actions or the size of the picture is different"
    )]
    Length {
        /// The variable.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Values given.
        found: usize,
    },
}

/// A run of values of a variable with their moments, all of the same length.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) values: &'a mut [f32],
    pub(crate) first_moment: &'a mut [f32],
    pub(crate) second_moment: &'a mut [f32],
}

impl Variable {
    /// A variable with zero moments.
    pub(crate) fn new(name: String, shape: Vec<usize>, values: Vec<f32>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        let len = values.len();
        // Two allocations of zeros rather than a copy: the pages stay untouched until the first step.
        Self { name, shape, values, first_moment: vec![0.0; len], second_moment: vec![0.0; len] }
    }

    /// The full name, as in the reference's checkpoints: `main_level/agent/main/online/network_1/…/kernel`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The shape; convolution kernels are height, width, input channels, output channels; dense kernels inputs, outputs.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values, row-major.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Replaces the values.
    pub(crate) fn set(&mut self, values: &[f32]) -> Result<(), VariableError> {
        if values.len() != self.values.len() {
            let (name, shape) = (self.name.clone(), self.shape.clone());
            return Err(VariableError::Length { name, shape, found: values.len() });
        }
        self.values.copy_from_slice(values);
        Ok(())
    }

    /// Adam's running mean of the gradient.
    pub(crate) fn first_moment(&self) -> &[f32] {
        &self.first_moment
    }

    /// Adam's running mean of the squared gradient.
    pub(crate) fn second_moment(&self) -> &[f32] {
        &self.second_moment
    }

    /// The whole variable as one block.
    pub(crate) fn block(&mut self) -> Block<'_> {
        Block { values: &mut self.values, first_moment: &mut self.first_moment, second_moment: &mut self.second_moment }
    }
}
