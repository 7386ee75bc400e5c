//! The transforms, generic over the number of taps `R` and the side of a tile of inputs `N = R + 1`. Everything is inlined
//! into the function that enables the instruction set.
#![expect(
    clippy::inline_always,
    reason = "a transform must be compiled inside the function that enables the instruction set"
)]

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
