//! Convolutions of one image: their sizes, and the choice of the way they are computed.

use super::direct::Direct;
use super::instruction_set::InstructionSet;
use super::winograd::Winograd;

/// Sizes of one convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Height of the input.
    pub(crate) height: usize,
    /// Width of the input.
    pub(crate) width: usize,
    /// Channels of the input.
    pub(crate) channels: usize,
    /// Channels of the output.
    pub(crate) filters: usize,
    /// Side of the square kernel.
    pub(crate) kernel: usize,
    /// Step between neighbouring patches, in both directions.
    pub(crate) stride: usize,
}

impl Geometry {
    /// Height of the output map.
    pub(crate) fn output_height(&self) -> usize {
        (self.height - self.kernel) / self.stride + 1
    }

    /// Width of the output map.
    pub(crate) fn output_width(&self) -> usize {
        (self.width - self.kernel) / self.stride + 1
    }

    /// Pixels of the output map.
    pub(crate) fn pixels(&self) -> usize {
        self.output_height() * self.output_width()
    }

    /// Values in one patch: the inputs of one output pixel.
    pub(crate) fn patch(&self) -> usize {
        self.kernel * self.run()
    }

    /// Values of the input.
    pub(crate) fn input_len(&self) -> usize {
        self.height * self.row()
    }

    /// Values of the output.
    pub(crate) fn output_len(&self) -> usize {
        self.pixels() * self.filters
    }

    /// Contiguous values of one kernel row.
    pub(crate) fn run(&self) -> usize {
        self.kernel * self.channels
    }

    /// Values of one row of the input.
    pub(crate) fn row(&self) -> usize {
        self.width * self.channels
    }
}

/// A convolution with its weights prepared for the kernels.
#[derive(Debug, Clone)]
pub(crate) enum Convolution {
    /// By its definition.
    Direct(Direct),
    /// With fewer multiplications.
    Winograd(Winograd),
}

impl Convolution {
    /// A convolution without weights: [`pack`](Self::pack) must be called before the first use.
    pub(crate) fn new(geometry: Geometry, with_input_gradient: bool, instructions: InstructionSet) -> Self {
        match Winograd::new(geometry, with_input_gradient, instructions) {
            Some(winograd) => Self::Winograd(winograd),
            None => Self::Direct(Direct::new(geometry, with_input_gradient, instructions)),
        }
    }

    /// The sizes.
    pub(crate) fn geometry(&self) -> &Geometry {
        match self {
            Self::Direct(direct) => direct.geometry(),
            Self::Winograd(winograd) => winograd.geometry(),
        }
    }

    /// Takes over new weights (`[kernel, kernel, channels, filters]`).
    pub(crate) fn pack(&mut self, weights: &[f32]) {
        match self {
            Self::Direct(direct) => direct.pack(weights),
            Self::Winograd(winograd) => winograd.pack(weights),
        }
    }

    /// `output = relu(bias + input ∗ weights)` for one image.
    pub(crate) fn forward(&self, input: &[f32], bias: &[f32], output: &mut [f32]) {
        match self {
            Self::Direct(direct) => direct.forward(input, bias, 0.0, output),
            Self::Winograd(winograd) => winograd.forward(input, bias, output),
        }
    }

    /// Length of the sums that [`backward`](Self::backward) adds to.
    pub(crate) fn sums_len(&self) -> usize {
        match self {
            Self::Direct(direct) => direct.geometry().patch() * direct.geometry().filters,
            Self::Winograd(winograd) => winograd.sums_len(),
        }
    }

    /// Given the gradient by the output before `ReLU`: adds this image's share of the gradient by the weights to `sums`, and
    /// overwrites the gradient by the input, if that is asked for.
    pub(crate) fn backward(
        &self,
        input: &[f32],
        output_gradient: &[f32],
        sums: &mut [f32],
        input_gradient: Option<&mut [f32]>,
    ) {
        match self {
            Self::Direct(direct) => {
                direct.weight_gradient(input, output_gradient, sums);
                if let Some(input_gradient) = input_gradient {
                    direct.input_gradient(output_gradient, input_gradient);
                }
            }
            Self::Winograd(winograd) => winograd.backward(input, output_gradient, sums, input_gradient),
        }
    }

    /// Turns the sums over all images into the gradient by the weights, at the front of `sums`.
    pub(crate) fn finish_weight_gradient(&self, sums: &mut [f32]) {
        if let Self::Winograd(winograd) = self {
            winograd.finish_weight_gradient(sums);
        }
    }
}

/// Sets the gradient to zero where the output of `ReLU` is zero, and adds the rest, channel by channel, to the gradient by
/// the bias.
pub(crate) fn relu_gradient(output: &[f32], gradient: &mut [f32], bias_gradient: &mut [f32]) {
    let channels = bias_gradient.len();
    for (gradient, output) in gradient.chunks_exact_mut(channels).zip(output.chunks_exact(channels)) {
        for ((gradient, output), bias) in gradient.iter_mut().zip(output).zip(&mut *bias_gradient) {
            *gradient = if *output > 0.0 { *gradient } else { 0.0 };
            *bias += *gradient;
        }
    }
}
