//! Convolutions of one image by the definition: forward, gradient by the input, gradient by the weights.
//!
//! No patch matrix is stored: in `NHWC` one kernel row (`kernel · channels` values) is one contiguous run of the image, so a
//! patch is `kernel` runs. A block of `P` pixels times `V` output lanes is kept in registers. Weights are copied into
//! panels of [`LANES`] lanes, padded with zeros, so that any number of channels works and panels are read in order.

use super::convolution::Geometry;
use super::instruction_set::InstructionSet;

/// Width of a weight panel.
const LANES: usize = 16;

/// One convolution with its weights packed for the kernels.
#[derive(Debug, Clone)]
pub(crate) struct Direct {
    geometry: Geometry,
    instructions: InstructionSet,
    /// Where the patch of each output pixel starts in the input.
    offsets: Vec<usize>,
    /// `[filter panel][patch][LANES]`, for the forward pass.
    filter_panels: Vec<f32>,
    /// `[kernel row][run panel][filter][LANES]`, for the gradient by the input; empty when that is never asked for.
    run_panels: Vec<f32>,
}

impl Direct {
    /// A convolution without weights: [`pack`](Self::pack) must be called before the first use.
    pub(crate) fn new(geometry: Geometry, with_input_gradient: bool, instructions: InstructionSet) -> Self {
        let Geometry { channels, filters, kernel, stride, .. } = geometry;
        let (row, width) = (geometry.row(), geometry.output_width());
        let offsets =
            (0..geometry.pixels()).map(|pixel| (pixel / width * row + pixel % width * channels) * stride).collect();
        let run_panels = if with_input_gradient { kernel * run_panels(&geometry) * filters * LANES } else { 0 };
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
        let panels_per_row = run_panels(geometry);
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

    /// `output = max(bias + input ∗ weights, least)` for one image: `ReLU` with a `least` of 0, nothing with −∞.
    pub(crate) fn forward(&self, input: &[f32], bias: &[f32], least: f32, output: &mut [f32]) {
        let Self { geometry, offsets, filter_panels, .. } = self;
        assert_eq!(input.len(), geometry.input_len());
        assert_eq!(bias.len(), geometry.filters);
        assert_eq!(output.len(), geometry.output_len());
        dispatch!(self.instructions, forward(geometry, offsets, input, filter_panels, (bias, least), output));
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

/// Panels that cover one kernel row in the gradient by the input.
fn run_panels(geometry: &Geometry) -> usize {
    geometry.run().div_ceil(LANES)
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
            pub(super) fn forward(geometry: &Geometry, offsets: &[usize], input: &[f32], panels: &[f32], bias_and_least: (&[f32], f32), output: &mut [f32]) {
                body::forward::<$pixels, $fused>(geometry, offsets, input, panels, bias_and_least, output);
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
    use super::{Geometry, LANES, run_panels};

    type Lanes = [f32; LANES];

    /// `sum += factor · lanes`.
    #[inline(always)]
    fn add_product<const FUSED: bool>(sum: &mut Lanes, factor: f32, lanes: &Lanes) {
        for (sum, lane) in sum.iter_mut().zip(lanes) {
            *sum = if FUSED { factor.mul_add(*lane, *sum) } else { factor * lane + *sum };
        }
    }

    /// The part of `values` that `count` lanes cover. `FULL` says that it is all of them, so that the compiler knows too.
    #[inline(always)]
    fn covered<const FULL: bool>(values: &mut [f32], count: usize) -> &mut [f32] {
        if FULL { &mut values[..LANES] } else { &mut values[..count] }
    }

    /// `target += lanes`.
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
        (bias, least): (&[f32], f32),
        output: &mut [f32],
    ) {
        for (index, panel) in panels.chunks_exact(geometry.patch() * LANES).enumerate() {
            let first = index * LANES;
            let count = LANES.min(geometry.filters - first);
            let bias = padded(&bias[first..][..count]);
            let output = &mut output[first..];
            if count == LANES {
                forward_panel::<P, FUSED, true>(geometry, offsets, input, panel, (bias, least), output, count);
            } else {
                forward_panel::<P, FUSED, false>(geometry, offsets, input, panel, (bias, least), output, count);
            }
        }
    }

    #[inline(always)]
    fn forward_panel<const P: usize, const FUSED: bool, const FULL: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        input: &[f32],
        panel: &[f32],
        bias: (Lanes, f32),
        output: &mut [f32],
        count: usize,
    ) {
        let (pixels, filters) = (offsets.len(), geometry.filters);
        if pixels < P {
            for pixel in 0..pixels {
                let (offsets, output) = (&offsets[pixel..], &mut output[pixel * filters..]);
                forward_block::<1, FUSED, FULL>(geometry, offsets, input, panel, bias, output, count);
            }
            return;
        }
        for pixel in (0..pixels).step_by(P) {
            // The last block overlaps the one before it.
            let pixel = pixel.min(pixels - P);
            let (offsets, output) = (&offsets[pixel..], &mut output[pixel * filters..]);
            forward_block::<P, FUSED, FULL>(geometry, offsets, input, panel, bias, output, count);
        }
    }

    #[inline(always)]
    fn forward_block<const P: usize, const FUSED: bool, const FULL: bool>(
        geometry: &Geometry,
        offsets: &[usize],
        input: &[f32],
        panel: &[f32],
        (bias, least): (Lanes, f32),
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
            let output = covered::<FULL>(&mut output[p * filters..], count);
            for (output, value) in output.iter_mut().zip(sums) {
                *output = if *value > least { *value } else { least };
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
        let (row, filters, run_panels) = (geometry.row(), geometry.filters, run_panels(geometry));
        for (index, panel) in panels.chunks_exact(filters * LANES).enumerate() {
            let first = index % run_panels * LANES;
            let count = LANES.min(geometry.run() - first);
            let target = &mut input_gradient[index / run_panels * row + first..];
            if count == LANES {
                input_gradient_panel::<P, FUSED, true>(offsets, output_gradient, panel, target, count);
            } else {
                input_gradient_panel::<P, FUSED, false>(offsets, output_gradient, panel, target, count);
            }
        }
    }

    #[inline(always)]
    fn input_gradient_panel<const P: usize, const FUSED: bool, const FULL: bool>(
        offsets: &[usize],
        output_gradient: &[f32],
        panel: &[f32],
        target: &mut [f32],
        count: usize,
    ) {
        let filters = panel.len() / LANES;
        let whole = offsets.len() - offsets.len() % P;
        for pixel in (0..whole).step_by(P) {
            let (offsets, gradients) = (&offsets[pixel..], &output_gradient[pixel * filters..]);
            input_gradient_block::<P, FUSED, FULL>(offsets, gradients, panel, target, count);
        }
        for pixel in whole..offsets.len() {
            let (offsets, gradients) = (&offsets[pixel..], &output_gradient[pixel * filters..]);
            input_gradient_block::<1, FUSED, FULL>(offsets, gradients, panel, target, count);
        }
    }

    #[inline(always)]
    fn input_gradient_block<const P: usize, const FUSED: bool, const FULL: bool>(
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
            add(covered::<FULL>(&mut target[*offset..], count), sums);
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
pub(crate) mod tests;
