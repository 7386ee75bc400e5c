//! Dense layers of a batch, over single-threaded matrix products of fixed blocks.

use std::cell::RefCell;

use rayon::prelude::*;

use super::adam::Optimizer;
use super::matrix::{ColumnWriter, Strides, multiply};
use crate::variable::{Block, Variable};

/// Inputs of one partial product of the forward pass.
const FORWARD_INPUTS: usize = 1024;
/// Inputs of one block of the backward pass: the block's weights, moments and gradient stay in the second-level cache, so
/// the weights are read from memory once for the gradient by the input and for their own update.
const BACKWARD_INPUTS: usize = 128;

/// The rows of a batch inside a larger matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// The values, beginning with the first row.
    pub(crate) values: &'a [f32],
    /// Distance between rows.
    pub(crate) stride: usize,
}

/// A dense layer `output = input · kernel + bias`, with or without ReLU.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    pub(crate) kernel: Variable,
    pub(crate) bias: Variable,
    pub(crate) rectified: bool,
}

thread_local! {
    /// The gradient of one block of a kernel.
    static GRADIENT: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

impl Dense {
    /// Number of inputs.
    pub(crate) fn inputs(&self) -> usize {
        self.kernel.shape()[0]
    }

    /// Number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.kernel.shape()[1]
    }

    /// Computes `output[count, outputs]`; `partial` is scratch.
    pub(crate) fn forward(&self, count: usize, input: Rows<'_>, partial: &mut Vec<f32>, output: &mut [f32]) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let size = count * outputs;
        partial.resize(partial.len().max(inputs.div_ceil(FORWARD_INPUTS) * size), 0.0);
        let partial = &mut partial[..inputs.div_ceil(FORWARD_INPUTS) * size];
        partial
            .par_chunks_exact_mut(size)
            .zip(self.kernel.values().par_chunks(FORWARD_INPUTS * outputs))
            .enumerate()
            .for_each(|(index, (partial, kernel))| {
                let input = (&input.values[index * FORWARD_INPUTS..], Strides::rows(input.stride));
                let kernel_inputs = kernel.len() / outputs;
                multiply([count, outputs, kernel_inputs], input, (kernel, Strides::rows(outputs)), partial, outputs);
            });
        for row in output[..size].chunks_exact_mut(outputs) {
            row.copy_from_slice(self.bias.values());
        }
        for partial in partial.chunks_exact(size) {
            for (output, partial) in output.iter_mut().zip(partial) {
                *output += partial;
            }
        }
        if self.rectified {
            for value in &mut output[..size] {
                *value = value.max(0.0);
            }
        }
    }

    /// Hands the gradients of kernel and bias to `optimizer` and writes the gradient by the input.
    ///
    /// `output_gradient` is the gradient by the output after ReLU; it is overwritten with that before ReLU.
    pub(crate) fn backward(
        &mut self,
        count: usize,
        input: Rows<'_>,
        output: &[f32],
        output_gradient: &mut [f32],
        input_gradient: &mut [f32],
        optimizer: &impl Optimizer,
    ) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let output_gradient = &mut output_gradient[..count * outputs];
        if self.rectified {
            for (gradient, output) in output_gradient.iter_mut().zip(output) {
                *gradient = if *output > 0.0 { *gradient } else { 0.0 };
            }
        }
        let output_gradient = &*output_gradient;
        let mut bias_gradient = vec![0.0; outputs];
        for row in output_gradient.chunks_exact(outputs) {
            for (sum, gradient) in bias_gradient.iter_mut().zip(row) {
                *sum += gradient;
            }
        }
        optimizer.update(self.bias.block(), &bias_gradient);

        let block_len = BACKWARD_INPUTS * outputs;
        let Block { values, first_moment, second_moment } = self.kernel.block();
        let blocks = values
            .par_chunks_mut(block_len)
            .zip(first_moment.par_chunks_mut(block_len))
            .zip(second_moment.par_chunks_mut(block_len));
        let columns: Vec<_> = ColumnWriter::new(input_gradient, count, inputs).split(BACKWARD_INPUTS).collect();
        blocks.zip(columns).enumerate().for_each(|(index, (((values, first_moment), second_moment), mut columns))| {
            columns.write_product(
                outputs,
                (output_gradient, Strides::rows(outputs)),
                (values, Strides::transposed(outputs)),
            );
            GRADIENT.with_borrow_mut(|gradient| {
                gradient.resize(gradient.len().max(values.len()), 0.0);
                let gradient = &mut gradient[..values.len()];
                let input = (&input.values[index * BACKWARD_INPUTS..], Strides::transposed(input.stride));
                let size = [values.len() / outputs, outputs, count];
                multiply(size, input, (output_gradient, Strides::rows(outputs)), gradient, outputs);
                optimizer.update(Block { values, first_moment, second_moment }, gradient);
            });
        });
    }
}
