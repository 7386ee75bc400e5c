//! The safe twin of the AVX2 code, for every processor.

use super::{Sampling, Tap};
use crate::scene::STRIP;

pub(super) fn row(sampling: Sampling, taps: &[Tap], texels: &[u32], base: [u16; 4], out: &mut [u32]) {
    for (x, pixel) in out.iter_mut().enumerate() {
        let mut sums = base;
        for tap in taps {
            let level = &texels[tap.start..][..tap.num_texels];
            let along = |from: i32, step: i32, max: i32| from.wrapping_add(step.wrapping_mul(x as i32)).clamp(0, max);
            let (u, v) = (along(tap.u, tap.u_step, tap.u_max), along(tap.v, tap.v_step, tap.v_max));
            let value = match sampling {
                Sampling::Nearest => level[index(tap, u >> 16, v >> 16)].to_le_bytes().map(u16::from),
                Sampling::Bilinear => interpolate(tap, level, u, v),
            };
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum = sum.wrapping_add(value.wrapping_mul(tap.weight));
            }
        }
        *pixel = u32::from_le_bytes(sums.map(|sum| (sum >> 8) as u8));
    }
}

fn index(tap: &Tap, column: i32, row: i32) -> usize {
    let strip = STRIP as i32;
    ((row / strip) * tap.columns * strip + column * strip + row % strip) as usize
}

/// Between four texels, with 6 fractional bits across and 7 up.
fn interpolate(tap: &Tap, level: &[u32], u: i32, v: i32) -> [u16; 4] {
    let (column, row) = (u >> 16, v >> 16);
    let (across, up) = ((u >> 10) & 63, (v >> 9) & 127);
    let texel = |column: i32, row: i32| level[index(tap, column, row)].to_le_bytes().map(i32::from);
    let [a, b] = [texel(column, row), texel(column + 1, row)];
    let [c, d] = [texel(column, row + 1), texel(column + 1, row + 1)];
    let mut value = [0_u16; 4];
    for (k, value) in value.iter_mut().enumerate() {
        let low = a[k] * (64 - across) + b[k] * across;
        let high = c[k] * (64 - across) + d[k] * across;
        let rise = ((((high - low) * (up << 8)) >> 14) + 1) >> 1;
        *value = ((low + rise) >> 6) as u16;
    }
    value
}
