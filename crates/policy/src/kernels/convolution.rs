//! "Valid" convolutions of one image, with `ReLU`: forward, gradient by the input, gradient by the weights.
//!
//! No patch matrix is stored: in `NHWC` one kernel row (`kernel · channels` values) is one contiguous run of the image, so a
//! patch is `kernel` runs. A block of `P` pixels times `V` output lanes is kept in registers. Weights are copied into
//! panels of [`LANES`] lanes, padded with zeros, so that any number of channels works and panels are read in order.

use super::instruction_set::InstructionSet;

/// Width of a weight panel.
const LANES: usize = 16;

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
    fn run(&self) -> usize {
        self.kernel * self.channels
    }

    /// Values of one row of the input.
    fn row(&self) -> usize {
        self.width * self.channels
    }

    /// Panels that cover one kernel row in the gradient by the input.
    fn run_panels(&self) -> usize {
        self.run().div_ceil(LANES)
    }
}

/// One convolution with its weights packed for the kernels.
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    geometry: Geometry,
    instructions: InstructionSet,
    /// Where the patch of each output pixel starts in the input.
    offsets: Vec<usize>,
    /// `[filter panel][patch][LANES]`, for the forward pass.
    filter_panels: Vec<f32>,
    /// `[kernel row][run panel][filter][LANES]`, for the gradient by the input; empty when that is never asked for.
    run_panels: Vec<f32>,
}

impl Convolution {
    /// A convolution without weights: [`pack`](Self::pack) must be called before the first use.
    pub(crate) fn new(geometry: Geometry, with_input_gradient: bool, instructions: InstructionSet) -> Self {
        let Geometry { channels, filters, kernel, stride, .. } = geometry;
        let (row, width) = (geometry.row(), geometry.output_width());
        let offsets =
            (0..geometry.pixels()).map(|pixel| (pixel / width * row + pixel % width * channels) * stride).collect();
        let run_panels = if with_input_gradient { kernel * geometry.run_panels() * filters * LANES } else { 0 };
        Self {
            geometry,
            instructions,
            offsets,
            filter_panels: vec![0.0; filters.div_ceil(LANES) * geometry.patch() * LANES],
            run_panels: vec![0.0; run_panels],
        }
    }

    /// The sizes.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Copies new weights (`[kernel, kernel, channels, filters]`) into the panels.
    pub(crate) fn pack(&mut self, weights: &[f32]) {
        let geometry = &self.geometry;
        let (filters, patch, run) = (geometry.filters, geometry.patch(), geometry.run());
        for (index, panel) in self.filter_panels.chunks_exact_mut(patch * LANES).enumerate() {
            let first = index * LANES;
            let count = LANES.min(filters - first);
            for (lanes, weights) in panel.chunks_exact_mut(LANES).zip(weights.chunks_exact(filters)) {
                lanes[..count].copy_from_slice(&weights[first..][..count]);
            }
        }
        let panels_per_row = geometry.run_panels();
        for (index, panel) in self.run_panels.chunks_exact_mut(filters * LANES).enumerate() {
            let first = index % panels_per_row * LANES;
            let start = (index / panels_per_row * run + first) * filters;
            for lane in 0..LANES.min(run - first) {
                let weights = &weights[start + lane * filters..][..filters];
                for (lanes, weight) in panel.chunks_exact_mut(LANES).zip(weights) {
                    lanes[lane] = *weight;
                }
            }
        }
    }

    /// `output = relu(bias + input ∗ weights)` for one image.
    pub(crate) fn forward(&self, input: &[f32], bias: &[f32], output: &mut [f32]) {
        let Self { geometry, offsets, filter_panels, .. } = self;
        assert_eq!(input.len(), geometry.input_len());
        assert_eq!(bias.len(), geometry.filters);
        assert_eq!(output.len(), geometry.output_len());
        dispatch!(self.instructions, forward(geometry, offsets, input, filter_panels, bias, output));
    }

    /// Overwrites `input_gradient` with the gradient by the input, given the gradient by the output before `ReLU`.
    pub(crate) fn input_gradient(&self, output_gradient: &[f32], input_gradient: &mut [f32]) {
        let Self { geometry, offsets, run_panels, .. } = self;
        assert_eq!(output_gradient.len(), geometry.output_len());
        assert_eq!(input_gradient.len(), geometry.input_len());
        assert!(!run_panels.is_empty(), "this convolution was made without the gradient by its input");
        input_gradient.fill(0.0);
        dispatch!(self.instructions, input_gradient(geometry, offsets, output_gradient, run_panels, input_gradient));
    }

    /// Adds the gradient by the weights to `weight_gradient`, given the gradient by the output before `ReLU`.
    pub(crate) fn weight_gradient(&self, input: &[f32], output_gradient: &[f32], weight_gradient: &mut [f32]) {
        let Self { geometry, offsets, .. } = self;
        assert_eq!(input.len(), geometry.input_len());
        assert_eq!(output_gradient.len(), geometry.output_len());
        assert_eq!(weight_gradient.len(), geometry.patch() * geometry.filters);
        dispatch!(self.instructions, weight_gradient(geometry, offsets, input, output_gradient, weight_gradient));
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

/// Calls a kernel compiled for the instruction set. The check for the processor's features is repeated here, where it
/// makes the call sound, instead of trusting whoever made the `InstructionSet`.
macro_rules! dispatch {
    ($instructions:expr, $kernel:ident($($argument:expr),*)) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 if super::instruction_set::has_avx2() => {
                #[allow(unsafe_code)]
                // SAFETY: the guard of this arm has found AVX2 and FMA on this processor.
                unsafe {
                    avx2::$kernel($($argument),*);
                }
            }
            _ => portable::$kernel($($argument),*),
        }
    };
}
use dispatch;

/// Compiles the generic kernels below for one instruction set.
macro_rules! kernels {
    ($module:ident, pixels: $pixels:literal, fused: $fused:literal $(, features: $features:literal)?) => {
        mod $module {
            use super::{Geometry, body};

            $(#[target_feature(enable = $features)])?
            pub(super) fn forward(geometry: &Geometry, offsets: &[usize], input: &[f32], panels: &[f32], bias: &[f32], output: &mut [f32]) {
                body::forward::<$pixels, $fused>(geometry, offsets, input, panels, bias, output);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn input_gradient(geometry: &Geometry, offsets: &[usize], output_gradient: &[f32], panels: &[f32], input_gradient: &mut [f32]) {
                body::input_gradient::<$pixels, $fused>(geometry, offsets, output_gradient, panels, input_gradient);
            }

            $(#[target_feature(enable = $features)])?
            pub(super) fn weight_gradient(geometry: &Geometry, offsets: &[usize], input: &[f32], output_gradient: &[f32], weight_gradient: &mut [f32]) {
                body::weight_gradient::<$fused>(geometry, offsets, input, output_gradient, weight_gradient);
            }
        }
    };
}

kernels!(portable, pixels: 2, fused: false);
#[cfg(target_arch = "x86_64")]
kernels!(avx2, pixels: 6, fused: true, features: "avx2,fma");

/// The kernels, generic over the block of pixels `P` and over fused multiply-add. They are plain safe code over arrays of a
/// fixed size, which the compiler keeps in vector registers; everything is inlined into the function that enables the
/// instruction set.
#[expect(
    clippy::inline_always,
    reason = "a kernel must be compiled inside the function that enables the instruction set"
)]
mod body {
    use super::{Geometry, LANES};

    type Lanes = [f32; LANES];

    /// `sum += factor · lanes`.
    #[inline(always)]
    fn add_product<const FUSED: bool>(sum: &mut Lanes, factor: f32, lanes: &Lanes) {
        for (sum, lane) in sum.iter_mut().zip(lanes) {
            *sum = if FUSED { factor.mul_add(*lane, *sum) } else { factor * lane + *sum };
        }
    }

    #[inline(always)]
    fn add(target: &mut [f32], lanes: &Lanes) {
        for (target, lane) in target.iter_mut().zip(lanes) {
            *target += lane;
        }
    }

    /// The first lanes from `values`, the others zero.
    #[inline(always)]
    fn padded(values: &[f32]) -> Lanes {
        let mut lanes = [0.0; LANES];
        lanes[..values.len()].copy_from_slice(values);
        lanes
    }

    #[inline(always)]
    pub(super) fn forward<const P: usize, const FUSED: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        input: &[f32],
        panels: &[f32],
        bias: &[f32],
        output: &mut [f32],
    ) {
        let pixels = offsets.len();
        for (index, panel) in panels.chunks_exact(geometry.patch() * LANES).enumerate() {
            let first = index * LANES;
            let count = LANES.min(geometry.filters - first);
            let bias = padded(&bias[first..][..count]);
            if pixels < P {
                for pixel in 0..pixels {
                    forward_block::<1, FUSED>(
                        geometry,
                        &offsets[pixel..],
                        input,
                        panel,
                        bias,
                        &mut output[pixel * geometry.filters + first..],
                        count,
                    );
                }
                continue;
            }
            for pixel in (0..pixels).step_by(P) {
                // The last block overlaps the one before it.
                let pixel = pixel.min(pixels - P);
                forward_block::<P, FUSED>(
                    geometry,
                    &offsets[pixel..],
                    input,
                    panel,
                    bias,
                    &mut output[pixel * geometry.filters + first..],
                    count,
                );
            }
        }
    }

    #[inline(always)]
    fn forward_block<const P: usize, const FUSED: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        input: &[f32],
        panel: &[f32],
        bias: Lanes,
        output: &mut [f32],
        count: usize,
    ) {
        let (run, row, filters) = (geometry.run(), geometry.row(), geometry.filters);
        let mut sums = [bias; P];
        for (kernel_row, panel) in panel.chunks_exact(run * LANES).enumerate() {
            let patches: [&[f32]; P] = std::array::from_fn(|p| &input[offsets[p] + kernel_row * row..][..run]);
            for (index, lanes) in panel.as_chunks::<LANES>().0.iter().enumerate().take(run) {
                for p in 0..P {
                    add_product::<FUSED>(&mut sums[p], patches[p][index], lanes);
                }
            }
        }
        for (p, sums) in sums.iter().enumerate() {
            let rectified = sums.map(|value| value.max(0.0));
            let output = &mut output[p * filters..];
            if let Some(full) = output.first_chunk_mut::<LANES>().filter(|_| count == LANES) {
                *full = rectified;
            } else {
                output[..count].copy_from_slice(&rectified[..count]);
            }
        }
    }

    #[inline(always)]
    pub(super) fn input_gradient<const P: usize, const FUSED: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        output_gradient: &[f32],
        panels: &[f32],
        input_gradient: &mut [f32],
    ) {
        let (row, filters, run_panels) = (geometry.row(), geometry.filters, geometry.run_panels());
        let whole = offsets.len() - offsets.len() % P;
        for (index, panel) in panels.chunks_exact(filters * LANES).enumerate() {
            let first = index % run_panels * LANES;
            let count = LANES.min(geometry.run() - first);
            let target = &mut input_gradient[index / run_panels * row + first..];
            for pixel in (0..whole).step_by(P) {
                input_gradient_block::<P, FUSED>(
                    &offsets[pixel..],
                    &output_gradient[pixel * filters..],
                    panel,
                    target,
                    count,
                );
            }
            for pixel in whole..offsets.len() {
                input_gradient_block::<1, FUSED>(
                    &offsets[pixel..],
                    &output_gradient[pixel * filters..],
                    panel,
                    target,
                    count,
                );
            }
        }
    }

    #[inline(always)]
    fn input_gradient_block<const P: usize, const FUSED: bool>(
        offsets: &[usize],
        output_gradient: &[f32],
        panel: &[f32],
        target: &mut [f32],
        count: usize,
    ) {
        let filters = panel.len() / LANES;
        let gradients: [&[f32]; P] = std::array::from_fn(|p| &output_gradient[p * filters..][..filters]);
        let mut sums = [[0.0; LANES]; P];
        for (filter, lanes) in panel.as_chunks::<LANES>().0.iter().enumerate().take(filters) {
            for p in 0..P {
                add_product::<FUSED>(&mut sums[p], gradients[p][filter], lanes);
            }
        }
        for (sums, offset) in sums.iter().zip(offsets) {
            let target = &mut target[*offset..];
            if let Some(full) = target.first_chunk_mut::<LANES>().filter(|_| count == LANES) {
                add(full, sums);
            } else {
                add(&mut target[..count], sums);
            }
        }
    }

    #[inline(always)]
    pub(super) fn weight_gradient<const FUSED: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        input: &[f32],
        output_gradient: &[f32],
        weight_gradient: &mut [f32],
    ) {
        let (run, row, filters) = (geometry.run(), geometry.row(), geometry.filters);
        for kernel_row in 0..geometry.kernel {
            let mut start = 0;
            while start < run {
                let left = run - start;
                let input = &input[kernel_row * row + start..];
                let target = &mut weight_gradient[(kernel_row * run + start) * filters..];
                // Six and four rows of the kernel fill the registers; every even run is a sum of those.
                start += if left.is_multiple_of(6) || left > 8 {
                    weight_gradient_rows::<6, FUSED>(filters, offsets, input, output_gradient, target)
                } else if left >= 4 {
                    weight_gradient_rows::<4, FUSED>(filters, offsets, input, output_gradient, target)
                } else {
                    weight_gradient_rows::<1, FUSED>(filters, offsets, input, output_gradient, target)
                };
            }
        }
    }

    /// Gradient of `R` consecutive weights of a patch, all filters. Returns `R`.
    #[inline(always)]
    fn weight_gradient_rows<const R: usize, const FUSED: bool>(
        filters: usize,
        offsets: &[usize],
        input: &[f32],
        output_gradient: &[f32],
        target: &mut [f32],
    ) -> usize {
        for first in (0..filters).step_by(LANES) {
            let count = LANES.min(filters - first);
            let sums = if count == LANES {
                let lanes = |gradients: &[f32]| padded(&gradients[first..][..LANES]);
                sum_of_products::<R, FUSED>(filters, offsets, input, output_gradient, lanes)
            } else {
                let lanes = |gradients: &[f32]| padded(&gradients[first..]);
                sum_of_products::<R, FUSED>(filters, offsets, input, output_gradient, lanes)
            };
            for (r, sums) in sums.iter().enumerate() {
                add(&mut target[r * filters + first..][..count], sums);
            }
        }
        R
    }

    /// Sums, over all pixels, of `R` inputs times the lanes of the pixel's gradients.
    #[inline(always)]
    fn sum_of_products<const R: usize, const FUSED: bool>(
        filters: usize,
        offsets: &[usize],
        input: &[f32],
        output_gradient: &[f32],
        lanes: impl Fn(&[f32]) -> Lanes,
    ) -> [Lanes; R] {
        let mut sums = [[0.0; LANES]; R];
        for (offset, gradients) in offsets.iter().zip(output_gradient.chunks_exact(filters)) {
            let lanes = lanes(gradients);
            let values = &input[*offset..][..R];
            for r in 0..R {
                add_product::<FUSED>(&mut sums[r], values[r], &lanes);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    /// Layers of the three networks, and odd sizes: channels that do not fill a panel, maps of few pixels, one pixel.
    const GEOMETRIES: [Geometry; 12] = [
        Geometry { height: 21, width: 26, channels: 1, filters: 32, kernel: 8, stride: 4 },
        Geometry { height: 9, width: 11, channels: 32, filters: 64, kernel: 4, stride: 2 },
        Geometry { height: 6, width: 7, channels: 64, filters: 64, kernel: 3, stride: 1 },
        Geometry { height: 13, width: 12, channels: 2, filters: 32, kernel: 5, stride: 2 },
        Geometry { height: 7, width: 7, channels: 16, filters: 128, kernel: 3, stride: 2 },
        Geometry { height: 3, width: 6, channels: 64, filters: 48, kernel: 1, stride: 1 },
        Geometry { height: 1, width: 1, channels: 64, filters: 256, kernel: 1, stride: 1 },
        Geometry { height: 5, width: 8, channels: 3, filters: 5, kernel: 2, stride: 1 },
        Geometry { height: 7, width: 9, channels: 7, filters: 17, kernel: 3, stride: 2 },
        Geometry { height: 4, width: 5, channels: 1, filters: 1, kernel: 1, stride: 1 },
        Geometry { height: 8, width: 6, channels: 5, filters: 33, kernel: 3, stride: 3 },
        Geometry { height: 11, width: 10, channels: 19, filters: 20, kernel: 1, stride: 2 },
    ];

    fn random_values(name: &str, len: usize) -> Vec<f32> {
        let mut random = RandomStream::new(3, name);
        (0..len).map(|_| random.uniform() as f32 - 0.5).collect()
    }

    /// Visits every (output index, input index, weight index) that is multiplied, straight from the definition.
    fn visit(geometry: &Geometry, mut visitor: impl FnMut(usize, usize, usize)) {
        let Geometry { width, channels, filters, kernel, stride, .. } = *geometry;
        for row in 0..geometry.output_height() {
            for column in 0..geometry.output_width() {
                for (y, x) in (0..kernel).flat_map(|y| (0..kernel).map(move |x| (y, x))) {
                    for (channel, filter) in (0..channels).flat_map(|c| (0..filters).map(move |f| (c, f))) {
                        visitor(
                            (row * geometry.output_width() + column) * filters + filter,
                            ((row * stride + y) * width + column * stride + x) * channels + channel,
                            ((y * kernel + x) * channels + channel) * filters + filter,
                        );
                    }
                }
            }
        }
    }

    fn assert_close(found: &[f32], expected: &[f64], context: &str) {
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            let difference = (f64::from(*found) - expected).abs();
            assert!(difference < 1e-5 * expected.abs().max(1.0), "{context}: [{index}] is {found}, not {expected}");
        }
    }

    #[test]
    fn kernels_match_the_definition() {
        for geometry in GEOMETRIES {
            let input = random_values("input", geometry.input_len());
            let weights = random_values("weights", geometry.patch() * geometry.filters);
            let bias = random_values("bias", geometry.filters);
            let gradient = random_values("gradient", geometry.output_len());

            let mut output: Vec<f64> =
                (0..geometry.output_len()).map(|index| f64::from(bias[index % geometry.filters])).collect();
            let mut input_gradient = vec![0.0; input.len()];
            let mut weight_gradient = vec![1.0; weights.len()];
            visit(&geometry, |o, i, w| {
                output[o] += f64::from(input[i]) * f64::from(weights[w]);
                input_gradient[i] += f64::from(gradient[o]) * f64::from(weights[w]);
                weight_gradient[w] += f64::from(gradient[o]) * f64::from(input[i]);
            });
            output.iter_mut().for_each(|value| *value = value.max(0.0));

            for instructions in InstructionSet::available() {
                let context = format!("{geometry:?} {instructions:?}");
                let mut convolution = Convolution::new(geometry, true, instructions);
                convolution.pack(&weights);
                let mut found = vec![f32::NAN; output.len()];
                convolution.forward(&input, &bias, &mut found);
                assert_close(&found, &output, &format!("forward {context}"));
                let mut found = vec![f32::NAN; input.len()];
                convolution.input_gradient(&gradient, &mut found);
                assert_close(&found, &input_gradient, &format!("input gradient {context}"));
                let mut found = vec![1.0; weights.len()];
                convolution.weight_gradient(&input, &gradient, &mut found);
                assert_close(&found, &weight_gradient, &format!("weight gradient {context}"));
            }
        }
    }

    /// The gradients are those of the forward pass: central differences of a weighted sum of the outputs. The step is exact
    /// up to rounding wherever no `ReLU` switches, so those few places are left out.
    #[test]
    fn gradients_match_finite_differences() {
        const STEP: f32 = 1e-2;
        for geometry in GEOMETRIES {
            let mut input = random_values("input", geometry.input_len());
            let mut weights = random_values("weights", geometry.patch() * geometry.filters);
            let bias = random_values("bias", geometry.filters);
            let upstream = random_values("gradient", geometry.output_len());
            let mut convolution = Convolution::new(geometry, true, InstructionSet::detect());
            let run = |convolution: &mut Convolution, input: &[f32], weights: &[f32]| {
                let mut output = vec![0.0; geometry.output_len()];
                convolution.pack(weights);
                convolution.forward(input, &bias, &mut output);
                output
            };
            let output = run(&mut convolution, &input, &weights);
            let mut gradient = upstream.clone();
            relu_gradient(&output, &mut gradient, &mut vec![0.0; geometry.filters]);
            let mut input_gradient = vec![0.0; input.len()];
            convolution.input_gradient(&gradient, &mut input_gradient);
            let mut weight_gradient = vec![0.0; weights.len()];
            convolution.weight_gradient(&input, &gradient, &mut weight_gradient);

            let difference = |high: &[f32], low: &[f32]| {
                let switches = high.iter().zip(low).any(|(high, low)| (*high > 0.0) != (*low > 0.0));
                let terms = high
                    .iter()
                    .zip(low)
                    .zip(&upstream)
                    .map(|((high, low), weight)| f64::from(high - low) * f64::from(*weight));
                (!switches).then(|| terms.sum::<f64>() / f64::from(2.0 * STEP))
            };
            let mut random = RandomStream::new(4, "places");
            let mut compared = 0;
            for _ in 0..40 {
                let place = random.index(input.len());
                let value = input[place];
                input[place] = value + STEP;
                let high = run(&mut convolution, &input, &weights);
                input[place] = value - STEP;
                let low = run(&mut convolution, &input, &weights);
                input[place] = value;
                if let Some(expected) = difference(&high, &low) {
                    assert!((f64::from(input_gradient[place]) - expected).abs() < 2e-3, "{geometry:?} input {place}");
                    compared += 1;
                }
                let place = random.index(weights.len());
                let value = weights[place];
                weights[place] = value + STEP;
                let high = run(&mut convolution, &input, &weights);
                weights[place] = value - STEP;
                let low = run(&mut convolution, &input, &weights);
                weights[place] = value;
                if let Some(expected) = difference(&high, &low) {
                    assert!((f64::from(weight_gradient[place]) - expected).abs() < 2e-3, "{geometry:?} weight {place}");
                    compared += 1;
                }
            }
            assert!(compared >= 20, "{geometry:?}: only {compared} places without a switch");
        }
    }

    #[test]
    fn relu_gradient_masks_and_sums() {
        let mut gradient = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut bias = [10.0, 20.0];
        relu_gradient(&[1.0, 0.0, 0.5, 2.0, 0.0, 1.0], &mut gradient, &mut bias);
        assert_eq!(gradient, [1.0, 0.0, 3.0, 4.0, 0.0, 6.0]);
        assert_eq!(bias, [14.0, 30.0]);
    }
}
