//! Convolutions with fewer multiplications, after Winograd.
//!
//! Two outputs of a filter with `r` taps need `r + 1` multiplications instead of `2·r`, once inputs and weights have been
//! replaced by certain sums of themselves. In two dimensions, four outputs of a 3×3 kernel need 16 instead of 36, those of a
//! 2×2 kernel 9 instead of 16. The map is cut into tiles of 2×2 outputs; for each of the 9 or 16 positions of a transformed
//! tile the work is a convolution with a 1×1 kernel over all tiles, done by [`Direct`]. The gradients go the same way
//! backwards through the transposed transforms; sums over images are taken before the last of them.
//!
//! A kernel of side `2·stride` is a 2×2 kernel with stride 1 over blocks of `stride × stride` pixels, so those are covered
//! too. All transforms have coefficients 0, ±1 and ½, which keeps the rounding error near that of the definition.

use std::cell::RefCell;

use super::convolution::Geometry;
use super::direct::Direct;
use super::instruction_set::InstructionSet;

mod transforms;

/// Channels treated at once by a transform.
const LANES: usize = 8;
/// Tiles treated at once, at most (but at least one row of them): their transforms should stay in the second-level cache.
const STRIP_TILES: usize = 72;

/// How many taps the filter has in each direction, counted in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taps {
    Two,
    Three,
}

/// One convolution with its transformed weights.
#[derive(Debug, Clone)]
pub(crate) struct Winograd {
    geometry: Geometry,
    instructions: InstructionSet,
    grid: Grid,
    /// The 1×1 convolution of each position of a transformed tile, over the tiles of a strip.
    positions: Vec<Direct>,
    no_bias: Vec<f32>,
}

/// How the map is cut into tiles and the image into blocks.
#[derive(Debug, Clone, Copy)]
struct Grid {
    taps: Taps,
    /// Side of a block in pixels.
    block: usize,
    /// Values of a block.
    depth: usize,
    tile_rows: usize,
    tile_columns: usize,
    /// Rows of tiles treated at once; divides `tile_rows`.
    strip_rows: usize,
}

/// Transformed tiles of one strip, `[position][tile][channel]`.
#[derive(Default)]
struct Scratch {
    inputs: Vec<f32>,
    outputs: Vec<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Winograd {
    /// The convolution, if this way of computing it fits and saves at least a quarter of the multiplications.
    pub(crate) fn new(geometry: Geometry, with_input_gradient: bool, instructions: InstructionSet) -> Option<Self> {
        let Geometry { channels, filters, kernel, stride, .. } = geometry;
        let (taps, block) = match (kernel, stride) {
            (3, 1) => (Taps::Three, 1),
            (kernel, stride) if kernel == 2 * stride => (Taps::Two, stride),
            _ => return None,
        };
        let [tile_rows, tile_columns] =
            [geometry.output_height(), geometry.output_width()].map(|side| side.div_ceil(2));
        let strips_of = |rows: &usize| tile_rows.is_multiple_of(*rows) && rows * tile_columns <= STRIP_TILES;
        let strip_rows = (1..=tile_rows).rev().find(strips_of).unwrap_or(1);
        let grid = Grid { taps, block, depth: block * block * channels, tile_rows, tile_columns, strip_rows };
        let multiplications = tile_rows * tile_columns * grid.positions();
        let saves = 4 * multiplications <= 3 * geometry.pixels() * grid.side_of_kernel().pow(2);
        if !saves || !(block * channels).is_multiple_of(LANES) || !filters.is_multiple_of(LANES) {
            return None;
        }
        let width = strip_rows * tile_columns;
        let position = Geometry { height: 1, width, channels: grid.depth, filters, kernel: 1, stride: 1 };
        let positions = vec![Direct::new(position, with_input_gradient, instructions); grid.positions()];
        Some(Self { geometry, instructions, grid, positions, no_bias: vec![0.0; filters] })
    }

    /// The sizes.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Transforms new weights.
    pub(crate) fn pack(&mut self, weights: &[f32]) {
        let mut transformed = vec![0.0; self.sums_len()];
        dispatch!(self.instructions, transform_weights(&self.geometry, &self.grid, weights, &mut transformed));
        let len = self.grid.depth * self.geometry.filters;
        for (position, weights) in self.positions.iter_mut().zip(transformed.chunks_exact(len)) {
            position.pack(weights);
        }
    }

    /// `output = relu(bias + input ∗ weights)` for one image.
    pub(crate) fn forward(&self, input: &[f32], bias: &[f32], output: &mut [f32]) {
        let Self { geometry, grid, .. } = self;
        assert_eq!(input.len(), geometry.input_len());
        assert_eq!(output.len(), geometry.output_len());
        SCRATCH.with_borrow_mut(|scratch| {
            let (inputs, outputs) = scratch.strip(grid, geometry.filters);
            for first_row in (0..grid.tile_rows).step_by(grid.strip_rows) {
                dispatch!(self.instructions, transform_input(geometry, grid, first_row, input, inputs));
                for ((position, inputs), outputs) in
                    self.positions.iter().zip(self.split(inputs)).zip(self.split_mut(outputs))
                {
                    position.forward(inputs, &self.no_bias, f32::NEG_INFINITY, outputs);
                }
                dispatch!(self.instructions, finish_output(geometry, grid, first_row, outputs, bias, output));
            }
        });
    }

    /// Length of the sums of [`backward`](Self::backward).
    pub(crate) fn sums_len(&self) -> usize {
        self.grid.positions() * self.grid.depth * self.geometry.filters
    }

    /// See [`Convolution::backward`](super::convolution::Convolution::backward). The sums are those of the transformed
    /// weights.
    pub(crate) fn backward(
        &self,
        input: &[f32],
        output_gradient: &[f32],
        sums: &mut [f32],
        mut input_gradient: Option<&mut [f32]>,
    ) {
        let Self { geometry, grid, .. } = self;
        assert_eq!(input.len(), geometry.input_len());
        assert_eq!(output_gradient.len(), geometry.output_len());
        assert_eq!(sums.len(), self.sums_len());
        if let Some(input_gradient) = &mut input_gradient {
            assert_eq!(input_gradient.len(), geometry.input_len());
            input_gradient.fill(0.0);
        }
        SCRATCH.with_borrow_mut(|scratch| {
            let (inputs, outputs) = scratch.strip(grid, geometry.filters);
            for first_row in (0..grid.tile_rows).step_by(grid.strip_rows) {
                dispatch!(self.instructions, transform_input(geometry, grid, first_row, input, inputs));
                dispatch!(
                    self.instructions,
                    transform_output_gradient(geometry, grid, first_row, output_gradient, outputs)
                );
                let sums = sums.chunks_exact_mut(grid.depth * geometry.filters);
                for (((position, inputs), outputs), sums) in
                    self.positions.iter().zip(self.split_mut(inputs)).zip(self.split(outputs)).zip(sums)
                {
                    position.weight_gradient(inputs, outputs, sums);
                    if input_gradient.is_some() {
                        position.input_gradient(outputs, inputs);
                    }
                }
                if let Some(input_gradient) = &mut input_gradient {
                    dispatch!(self.instructions, add_input_gradient(geometry, grid, first_row, inputs, input_gradient));
                }
            }
        });
    }

    /// Turns the sums into the gradient by the weights, at their front.
    pub(crate) fn finish_weight_gradient(&self, sums: &mut [f32]) {
        let mut gradient = vec![0.0; self.geometry.patch() * self.geometry.filters];
        dispatch!(self.instructions, finish_weight_gradient(&self.geometry, &self.grid, sums, &mut gradient));
        sums[..gradient.len()].copy_from_slice(&gradient);
    }

    /// The parts of transformed tiles that belong to the positions.
    fn split<'a>(&self, tiles: &'a [f32]) -> std::slice::ChunksExact<'a, f32> {
        tiles.chunks_exact(tiles.len() / self.positions.len())
    }

    fn split_mut<'a>(&self, tiles: &'a mut [f32]) -> std::slice::ChunksExactMut<'a, f32> {
        tiles.chunks_exact_mut(tiles.len() / self.positions.len())
    }
}

impl Grid {
    /// Side of the kernel in blocks.
    fn side_of_kernel(&self) -> usize {
        match self.taps {
            Taps::Two => 2,
            Taps::Three => 3,
        }
    }

    /// Positions of a transformed tile.
    fn positions(&self) -> usize {
        (self.side_of_kernel() + 1).pow(2)
    }

    /// Tiles of a strip.
    fn strip_tiles(&self) -> usize {
        self.strip_rows * self.tile_columns
    }
}

impl Scratch {
    /// Space for the transformed inputs and outputs of a strip.
    fn strip(&mut self, grid: &Grid, filters: usize) -> (&mut [f32], &mut [f32]) {
        let tiles = grid.positions() * grid.strip_tiles();
        let [inputs_len, outputs_len] = [tiles * grid.depth, tiles * filters];
        self.inputs.resize(self.inputs.len().max(inputs_len), 0.0);
        self.outputs.resize(self.outputs.len().max(outputs_len), 0.0);
        (&mut self.inputs[..inputs_len], &mut self.outputs[..outputs_len])
    }
}

/// Calls a transform compiled for the instruction set; see the same in [`direct`](super::direct).
macro_rules! dispatch {
    ($instructions:expr, $transform:ident($($argument:expr),*)) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 if super::instruction_set::has_avx2() => {
                #[allow(unsafe_code)]
                // SAFETY: the guard of this arm has found AVX2 and FMA on this processor.
                unsafe {
                    avx2::$transform($($argument),*);
                }
            }
            _ => portable::$transform($($argument),*),
        }
    };
}
use dispatch;

/// Compiles the transforms for one instruction set and both numbers of taps.
macro_rules! transforms {
    ($module:ident $(, features: $features:literal)?) => {
        mod $module {
            use super::transforms::{self, ThreeTaps, TwoTaps};
            use super::{Geometry, Grid, Taps};

            transforms!(@functions [$($features)?]
                transform_weights(weights: &[f32], transformed: &mut [f32]);
                finish_weight_gradient(sums: &[f32], gradient: &mut [f32]);
                transform_input(first_row: usize, input: &[f32], tiles: &mut [f32]);
                add_input_gradient(first_row: usize, tiles: &[f32], gradient: &mut [f32]);
                finish_output(first_row: usize, tiles: &[f32], bias: &[f32], output: &mut [f32]);
                transform_output_gradient(first_row: usize, gradient: &[f32], tiles: &mut [f32]);
            );
        }
    };
    (@functions $features:tt $($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(transforms!(@function $features $name($($argument: $type),*));)*
    };
    (@function [$($features:literal)?] $name:ident($($argument:ident: $type:ty),*)) => {
        $(#[target_feature(enable = $features)])?
        pub(super) fn $name(geometry: &Geometry, grid: &Grid, $($argument: $type),*) {
            match grid.taps {
                Taps::Two => transforms::$name::<TwoTaps, 3, 2>(geometry, grid, $($argument),*),
                Taps::Three => transforms::$name::<ThreeTaps, 4, 3>(geometry, grid, $($argument),*),
            }
        }
    };
}

transforms!(portable);
#[cfg(target_arch = "x86_64")]
transforms!(avx2, features: "avx2,fma");

#[cfg(test)]
mod tests;
