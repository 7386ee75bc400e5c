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

/// Channels treated at once.
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
            use super::{Geometry, Grid, Taps, body, body::{ThreeTaps, TwoTaps}};

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
                Taps::Two => body::$name::<TwoTaps, 3, 2>(geometry, grid, $($argument),*),
                Taps::Three => body::$name::<ThreeTaps, 4, 3>(geometry, grid, $($argument),*),
            }
        }
    };
}

transforms!(portable);
#[cfg(target_arch = "x86_64")]
transforms!(avx2, features: "avx2,fma");

/// The transforms, generic over the number of taps `R` and the side of a tile of inputs `N = R + 1`.
#[expect(
    clippy::inline_always,
    reason = "a transform must be compiled inside the function that enables the instruction set"
)]
mod body {
    use super::{Geometry, Grid, LANES};

    type Lanes = [f32; LANES];

    /// The transforms of one algorithm in one direction: outputs = `output(weights(w) ⊙ input(x))`. Each has its transpose, which
    /// is what gradients go through.
    pub(super) trait Algorithm<const N: usize, const R: usize> {
        fn input(values: [Lanes; N]) -> [Lanes; N];
        fn input_transposed(values: [Lanes; N]) -> [Lanes; N];
        fn weights(values: [Lanes; R]) -> [Lanes; N];
        fn weights_transposed(values: [Lanes; N]) -> [Lanes; R];
        fn output(values: [Lanes; N]) -> [Lanes; 2];
        fn output_transposed(values: [Lanes; 2]) -> [Lanes; N];
    }

    /// F(2, 2): (x₀ − x₁)·w₀ + x₁·(w₀ + w₁) and x₁·(w₀ + w₁) + (x₂ − x₁)·w₁.
    pub(super) struct TwoTaps;

    impl Algorithm<3, 2> for TwoTaps {
        #[inline(always)]
        fn input([a, b, c]: [Lanes; 3]) -> [Lanes; 3] {
            [minus(a, b), b, minus(c, b)]
        }

        #[inline(always)]
        fn input_transposed([a, b, c]: [Lanes; 3]) -> [Lanes; 3] {
            [a, minus(minus(b, a), c), c]
        }

        #[inline(always)]
        fn weights([a, b]: [Lanes; 2]) -> [Lanes; 3] {
            [a, plus(a, b), b]
        }

        #[inline(always)]
        fn weights_transposed([a, b, c]: [Lanes; 3]) -> [Lanes; 2] {
            [plus(a, b), plus(b, c)]
        }

        #[inline(always)]
        fn output([a, b, c]: [Lanes; 3]) -> [Lanes; 2] {
            [plus(a, b), plus(b, c)]
        }

        #[inline(always)]
        fn output_transposed([a, b]: [Lanes; 2]) -> [Lanes; 3] {
            [a, plus(a, b), b]
        }
    }

    /// F(2, 3).
    pub(super) struct ThreeTaps;

    impl Algorithm<4, 3> for ThreeTaps {
        #[inline(always)]
        fn input([a, b, c, d]: [Lanes; 4]) -> [Lanes; 4] {
            [minus(a, c), plus(b, c), minus(c, b), minus(b, d)]
        }

        #[inline(always)]
        fn input_transposed([a, b, c, d]: [Lanes; 4]) -> [Lanes; 4] {
            [a, plus(minus(b, c), d), minus(plus(b, c), a), minus([0.0; LANES], d)]
        }

        #[inline(always)]
        fn weights([a, b, c]: [Lanes; 3]) -> [Lanes; 4] {
            let outer = plus(a, c);
            [a, half(plus(outer, b)), half(minus(outer, b)), c]
        }

        #[inline(always)]
        fn weights_transposed([a, b, c, d]: [Lanes; 4]) -> [Lanes; 3] {
            let sum = half(plus(b, c));
            [plus(a, sum), half(minus(b, c)), plus(sum, d)]
        }

        #[inline(always)]
        fn output([a, b, c, d]: [Lanes; 4]) -> [Lanes; 2] {
            [plus(plus(a, b), c), minus(minus(b, c), d)]
        }

        #[inline(always)]
        fn output_transposed([a, b]: [Lanes; 2]) -> [Lanes; 4] {
            [a, plus(a, b), minus(a, b), minus([0.0; LANES], b)]
        }
    }

    #[inline(always)]
    fn plus(mut left: Lanes, right: Lanes) -> Lanes {
        for lane in 0..LANES {
            left[lane] += right[lane];
        }
        left
    }

    #[inline(always)]
    fn minus(mut left: Lanes, right: Lanes) -> Lanes {
        for lane in 0..LANES {
            left[lane] -= right[lane];
        }
        left
    }

    #[inline(always)]
    fn half(mut values: Lanes) -> Lanes {
        for value in &mut values {
            *value *= 0.5;
        }
        values
    }

    /// Applies a transform to the columns and then to the rows of a tile.
    #[inline(always)]
    fn transform<const FROM: usize, const TO: usize>(
        line: impl Fn([Lanes; FROM]) -> [Lanes; TO],
        tile: &[[Lanes; FROM]; FROM],
    ) -> [[Lanes; TO]; TO] {
        let mut columns = [[[0.0; LANES]; FROM]; TO];
        for column in 0..FROM {
            let mut values = [[0.0; LANES]; FROM];
            for row in 0..FROM {
                values[row] = tile[row][column];
            }
            let values = line(values);
            for row in 0..TO {
                columns[row][column] = values[row];
            }
        }
        let mut result = [[[0.0; LANES]; TO]; TO];
        for row in 0..TO {
            result[row] = line(columns[row]);
        }
        result
    }

    #[inline(always)]
    fn load(values: &[f32], at: usize) -> Lanes {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&values[at..][..LANES]);
        lanes
    }

    #[inline(always)]
    fn store(values: &mut [f32], at: usize, lanes: &Lanes) {
        values[at..][..LANES].copy_from_slice(lanes);
    }

    /// Where the values of a tile are: nowhere, for those outside of the image or map.
    type Places<const N: usize> = [[Option<usize>; N]; N];

    /// Loads a tile, with zeros where there is no place.
    #[inline(always)]
    fn load_places<const N: usize>(values: &[f32], places: &Places<N>, offset: usize) -> [[Lanes; N]; N] {
        let mut tile = [[[0.0; LANES]; N]; N];
        for row in 0..N {
            for column in 0..N {
                if let Some(place) = places[row][column] {
                    tile[row][column] = load(values, place + offset);
                }
            }
        }
        tile
    }

    /// Loads a transformed tile, whose positions are `stride` apart.
    #[inline(always)]
    fn load_positions<const N: usize>(values: &[f32], stride: usize, place: usize) -> [[Lanes; N]; N] {
        let mut tile = [[[0.0; LANES]; N]; N];
        for (position, lanes) in tile.as_flattened_mut().iter_mut().enumerate() {
            *lanes = load(values, position * stride + place);
        }
        tile
    }

    /// Stores a transformed tile, whose positions are `stride` apart.
    #[inline(always)]
    fn store_positions<const N: usize>(values: &mut [f32], stride: usize, place: usize, tile: &[[Lanes; N]; N]) {
        for (position, lanes) in tile.as_flattened().iter().enumerate() {
            store(values, position * stride + place, lanes);
        }
    }

    /// Where the blocks under a tile begin in the image. Blocks beyond the last that is needed are left out.
    #[inline(always)]
    fn input_places<const N: usize>(geometry: &Geometry, grid: &Grid, first_row: usize, tile: usize) -> Places<N> {
        let [rows, columns] = [geometry.output_height(), geometry.output_width()].map(|side| side + N - 2);
        let [row_len, column_len] = [geometry.row(), geometry.channels].map(|len| len * grid.block);
        let [row, column] = [2 * (first_row + tile / grid.tile_columns), 2 * (tile % grid.tile_columns)];
        let mut places = [[None; N]; N];
        for (y, places) in places.iter_mut().enumerate().take(rows - row) {
            for (x, place) in places.iter_mut().enumerate().take(columns - column) {
                *place = Some((row + y) * row_len + (column + x) * column_len);
            }
        }
        places
    }

    /// Where the outputs of a tile are in the map.
    #[inline(always)]
    fn output_places(geometry: &Geometry, grid: &Grid, first_row: usize, tile: usize) -> Places<2> {
        let [rows, columns] = [geometry.output_height(), geometry.output_width()];
        let [row, column] = [2 * (first_row + tile / grid.tile_columns), 2 * (tile % grid.tile_columns)];
        let mut places = [[None; 2]; 2];
        for (y, places) in places.iter_mut().enumerate().take(rows - row) {
            for (x, place) in places.iter_mut().enumerate().take(columns - column) {
                *place = Some(((row + y) * columns + column + x) * geometry.filters);
            }
        }
        places
    }

    /// Where the taps of a weight of a block begin in the kernel: `value` in row `row` of the block, filter `filter`.
    #[inline(always)]
    fn weight_places<const R: usize>(geometry: &Geometry, grid: &Grid, [row, value, filter]: [usize; 3]) -> Places<R> {
        let run = grid.block * geometry.channels;
        let mut places = [[None; R]; R];
        for (y, places) in places.iter_mut().enumerate() {
            for (x, place) in places.iter_mut().enumerate() {
                *place = Some(((y * grid.block + row) * R * run + x * run + value) * geometry.filters + filter);
            }
        }
        places
    }

    #[inline(always)]
    pub(super) fn transform_weights<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        weights: &[f32],
        transformed: &mut [f32],
    ) {
        let (filters, run) = (geometry.filters, grid.block * geometry.channels);
        for channel in 0..grid.depth {
            for filter in (0..filters).step_by(LANES) {
                let places = weight_places::<R>(geometry, grid, [channel / run, channel % run, filter]);
                let tile = transform(A::weights, &load_places(weights, &places, 0));
                store_positions(transformed, grid.depth * filters, channel * filters + filter, &tile);
            }
        }
    }

    #[inline(always)]
    pub(super) fn finish_weight_gradient<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        sums: &[f32],
        gradient: &mut [f32],
    ) {
        let (filters, run) = (geometry.filters, grid.block * geometry.channels);
        for channel in 0..grid.depth {
            for filter in (0..filters).step_by(LANES) {
                let places = weight_places::<R>(geometry, grid, [channel / run, channel % run, filter]);
                let tile = load_positions::<N>(sums, grid.depth * filters, channel * filters + filter);
                let tile = transform(A::weights_transposed, &tile);
                for (place, lanes) in places.as_flattened().iter().flatten().zip(tile.as_flattened()) {
                    store(gradient, *place, lanes);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn transform_input<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        first_row: usize,
        input: &[f32],
        tiles: &mut [f32],
    ) {
        let (stride, run) = (grid.strip_tiles() * grid.depth, grid.block * geometry.channels);
        for tile in 0..grid.strip_tiles() {
            let places = input_places::<N>(geometry, grid, first_row, tile);
            for row in 0..grid.block {
                for lane in (0..run).step_by(LANES) {
                    let values = load_places(input, &places, row * geometry.row() + lane);
                    let values = transform(A::input, &values);
                    store_positions(tiles, stride, tile * grid.depth + row * run + lane, &values);
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn add_input_gradient<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        first_row: usize,
        tiles: &[f32],
        gradient: &mut [f32],
    ) {
        let (stride, run) = (grid.strip_tiles() * grid.depth, grid.block * geometry.channels);
        for tile in 0..grid.strip_tiles() {
            let places = input_places::<N>(geometry, grid, first_row, tile);
            for row in 0..grid.block {
                for lane in (0..run).step_by(LANES) {
                    let values = load_positions::<N>(tiles, stride, tile * grid.depth + row * run + lane);
                    let values = transform(A::input_transposed, &values);
                    for y in 0..N {
                        for x in 0..N {
                            if let Some(place) = places[y][x] {
                                let at = place + row * geometry.row() + lane;
                                let sum = plus(load(gradient, at), values[y][x]);
                                store(gradient, at, &sum);
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn finish_output<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        first_row: usize,
        tiles: &[f32],
        bias: &[f32],
        output: &mut [f32],
    ) {
        let filters = geometry.filters;
        for tile in 0..grid.strip_tiles() {
            let places = output_places(geometry, grid, first_row, tile);
            for lane in (0..filters).step_by(LANES) {
                let values = load_positions::<N>(tiles, grid.strip_tiles() * filters, tile * filters + lane);
                let values = transform(A::output, &values);
                let bias = load(bias, lane);
                for y in 0..2 {
                    for x in 0..2 {
                        if let Some(place) = places[y][x] {
                            let mut sum = values[y][x];
                            for (sum, bias) in sum.iter_mut().zip(bias) {
                                let value = *sum + bias;
                                *sum = if value > 0.0 { value } else { 0.0 };
                            }
                            store(output, place + lane, &sum);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn transform_output_gradient<A: Algorithm<N, R>, const N: usize, const R: usize>(
        geometry: &Geometry,
        grid: &Grid,
        first_row: usize,
        gradient: &[f32],
        tiles: &mut [f32],
    ) {
        let filters = geometry.filters;
        for tile in 0..grid.strip_tiles() {
            let places = output_places(geometry, grid, first_row, tile);
            for lane in (0..filters).step_by(LANES) {
                let values = transform(A::output_transposed, &load_places(gradient, &places, lane));
                store_positions(tiles, grid.strip_tiles() * filters, tile * filters + lane, &values);
            }
        }
    }
}

#[cfg(test)]
mod tests;
