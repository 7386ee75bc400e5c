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

/// A dense layer `output = input · kernel + bias`, with or without `ReLU`.
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
    /// `output_gradient` is the gradient by the output after `ReLU`; it is overwritten with that before `ReLU`.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::RandomStream;

    /// An optimiser that leaves the values alone and puts the gradient where the first moment would be.
    pub(crate) struct Record;

    impl Optimizer for Record {
        fn update(&self, block: Block<'_>, gradient: &[f32]) {
            block.first_moment.copy_from_slice(gradient);
        }
    }

    fn random_values(name: &str, len: usize) -> Vec<f32> {
        let mut random = RandomStream::new(5, name);
        (0..len).map(|_| random.uniform() as f32 - 0.5).collect()
    }

    /// More inputs than one block of either pass, odd sizes, one sample, one output.
    #[test]
    fn passes_match_the_definition() {
        for (count, inputs, outputs, rectified) in [
            (3, 2500, 37, true),
            (1, 300, 12, false),
            (8, 129, 64, true),
            (5, 17, 1, false),
            (64, 1024, 5, true),
            (2, 1, 3, true),
        ] {
            let stride = inputs + 3;
            let input = random_values("input", count * stride);
            let kernel = Variable::new("k".into(), vec![inputs, outputs], random_values("kernel", inputs * outputs));
            let bias = Variable::new("b".into(), vec![outputs], random_values("bias", outputs));
            let upstream = random_values("upstream", count * outputs);
            let mut layer = Dense { kernel, bias, rectified };

            let at = |row: usize, i: usize| f64::from(input[row * stride + i]);
            let weight = |layer: &Dense, i: usize, o: usize| f64::from(layer.kernel.values()[i * outputs + o]);
            let rows = Rows { values: &input, stride };
            let mut output = vec![f32::NAN; count * outputs];
            layer.forward(count, rows, &mut vec![], &mut output);
            let mut gradient = upstream.clone();
            let mut input_gradient = vec![f32::NAN; count * inputs];
            layer.backward(count, rows, &output, &mut gradient, &mut input_gradient, &Record);

            let mut before_relu = vec![0.0; count * outputs];
            for (row, o) in (0..count).flat_map(|row| (0..outputs).map(move |o| (row, o))) {
                let sum = f64::from(layer.bias.values()[o])
                    + (0..inputs).map(|i| at(row, i) * weight(&layer, i, o)).sum::<f64>();
                let expected = if rectified { sum.max(0.0) } else { sum };
                assert!((f64::from(output[row * outputs + o]) - expected).abs() < 1e-4);
                let passes = !rectified || output[row * outputs + o] > 0.0;
                before_relu[row * outputs + o] = if passes { f64::from(upstream[row * outputs + o]) } else { 0.0 };
            }
            for o in 0..outputs {
                let expected: f64 = (0..count).map(|row| before_relu[row * outputs + o]).sum();
                assert!((f64::from(layer.bias.first_moment()[o]) - expected).abs() < 1e-5);
                for i in 0..inputs {
                    let expected: f64 = (0..count).map(|row| at(row, i) * before_relu[row * outputs + o]).sum();
                    assert!((f64::from(layer.kernel.first_moment()[i * outputs + o]) - expected).abs() < 1e-5);
                }
            }
            for (row, i) in (0..count).flat_map(|row| (0..inputs).map(move |i| (row, i))) {
                let expected: f64 = (0..outputs).map(|o| before_relu[row * outputs + o] * weight(&layer, i, o)).sum();
                assert!((f64::from(input_gradient[row * inputs + i]) - expected).abs() < 1e-5);
            }
        }
    }
}
