//! Eight pixels at a time with AVX2.
#![allow(unsafe_code)]

use super::{LANES, MAX_TAPS, Sampling, Tap};
use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_maddubs_epi16, _mm256_max_epi32,
    _mm256_min_epi32, _mm256_mulhrs_epi16, _mm256_mullo_epi16, _mm256_mullo_epi32, _mm256_or_si256,
    _mm256_packus_epi16, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_slli_epi16, _mm256_slli_epi32, _mm256_srai_epi32, _mm256_srli_epi16,
    _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_unpackhi_epi8,
    _mm256_unpackhi_epi32, _mm256_unpacklo_epi8, _mm256_unpacklo_epi32,
};

/// Draws a row. The caller has found AVX2 in this processor.
pub(super) fn row(sampling: Sampling, taps: &[Tap], texels: &[u32], base: [u16; 4], out: &mut [u32]) {
    for tap in taps {
        // What the unchecked lookups below rely on: every coordinate within (0, 0) … (u_max, v_max), and its
        // right and upper neighbour when interpolating, is a texel of the level.
        let neighbour = i32::from(sampling == Sampling::Bilinear);
        let (columns, rows) = ((tap.u_max >> 16) + neighbour, (tap.v_max >> 16) + neighbour);
        let within = tap.u_max >= 0
            && tap.v_max >= 0
            && columns < tap.tiles_per_row * 4
            && (rows as usize / 4 + 1) * tap.tiles_per_row as usize * 16 <= tap.num_texels
            && tap.start + tap.num_texels <= texels.len();
        assert!(within, "a tap reaches beyond its level");
    }
    assert!(taps.len() <= MAX_TAPS && out.len().is_multiple_of(LANES));
    // SAFETY: AVX2 is there (`Kernel::detect` is the only maker of `Kernel::Avx2`), and the assertions above
    // hold: all lookups stay within `texels`.
    unsafe {
        match sampling {
            Sampling::Nearest => row_of::<false>(taps, texels, base, out),
            Sampling::Bilinear => row_of::<true>(taps, texels, base, out),
        }
    }
}

/// # Safety
/// Needs AVX2, and taps checked as in [`row`].
#[target_feature(enable = "avx2")]
unsafe fn row_of<const BILINEAR: bool>(taps: &[Tap], texels: &[u32], base: [u16; 4], out: &mut [u32]) {
    let zero = _mm256_setzero_si256();
    let [r, g, b, a] = base.map(u64::from);
    let start = _mm256_set1_epi64x((r | g << 16 | b << 32 | a << 48) as i64);
    let (mut us, mut vs) = ([zero; MAX_TAPS], [zero; MAX_TAPS]);
    for ((tap, u), v) in taps.iter().zip(&mut us).zip(&mut vs) {
        *u = ramp(tap.u, tap.u_step);
        *v = ramp(tap.v, tap.v_step);
    }
    for pixels in out.chunks_exact_mut(LANES) {
        // Sixteen bits per channel of pixels 0 1 4 5 and 2 3 6 7.
        let (mut low, mut high) = (start, start);
        for ((tap, u_ramp), v_ramp) in taps.iter().zip(&mut us).zip(&mut vs) {
            let u = _mm256_min_epi32(_mm256_max_epi32(*u_ramp, zero), _mm256_set1_epi32(tap.u_max));
            let v = _mm256_min_epi32(_mm256_max_epi32(*v_ramp, zero), _mm256_set1_epi32(tap.v_max));
            *u_ramp = _mm256_add_epi32(*u_ramp, _mm256_set1_epi32(tap.u_step.wrapping_mul(LANES as i32)));
            *v_ramp = _mm256_add_epi32(*v_ramp, _mm256_set1_epi32(tap.v_step.wrapping_mul(LANES as i32)));
            let weight = _mm256_set1_epi16(tap.weight as i16);
            let (column, row) = (_mm256_srli_epi32::<16>(u), _mm256_srli_epi32::<16>(v));
            let level = &texels[tap.start..];
            let (texels_low, texels_high);
            if BILINEAR {
                let one = _mm256_set1_epi32(1);
                let columns = [column_part(column), column_part(_mm256_add_epi32(column, one))];
                let rows = [row_part(row, tap), row_part(_mm256_add_epi32(row, one), tap)];
                // SAFETY: indices of texels of the level, as `row` has checked.
                let [a, b, c, d] = unsafe {
                    [
                        load(level, _mm256_add_epi32(rows[0], columns[0])),
                        load(level, _mm256_add_epi32(rows[0], columns[1])),
                        load(level, _mm256_add_epi32(rows[1], columns[0])),
                        load(level, _mm256_add_epi32(rows[1], columns[1])),
                    ]
                };
                let across = _mm256_and_si256(_mm256_srli_epi32::<10>(u), _mm256_set1_epi32(63));
                let up = _mm256_and_si256(_mm256_srli_epi32::<9>(v), _mm256_set1_epi32(127));
                // Per pixel, for both 16-bit halves: bytes (64 - across, across), and up in the high byte.
                let pair = _mm256_or_si256(
                    _mm256_sub_epi32(_mm256_set1_epi32(64), across),
                    _mm256_slli_epi32::<8>(across),
                );
                let pair = _mm256_or_si256(pair, _mm256_slli_epi32::<16>(pair));
                let up = _mm256_slli_epi16::<8>(_mm256_or_si256(up, _mm256_slli_epi32::<16>(up)));
                texels_low = interpolate(
                    _mm256_unpacklo_epi8(a, b),
                    _mm256_unpacklo_epi8(c, d),
                    _mm256_unpacklo_epi32(pair, pair),
                    _mm256_unpacklo_epi32(up, up),
                );
                texels_high = interpolate(
                    _mm256_unpackhi_epi8(a, b),
                    _mm256_unpackhi_epi8(c, d),
                    _mm256_unpackhi_epi32(pair, pair),
                    _mm256_unpackhi_epi32(up, up),
                );
            } else {
                // SAFETY: indices of texels of the level, as `row` has checked.
                let texel = unsafe { load(level, _mm256_add_epi32(row_part(row, tap), column_part(column))) };
                texels_low = _mm256_unpacklo_epi8(texel, zero);
                texels_high = _mm256_unpackhi_epi8(texel, zero);
            }
            low = _mm256_add_epi16(low, _mm256_mullo_epi16(texels_low, weight));
            high = _mm256_add_epi16(high, _mm256_mullo_epi16(texels_high, weight));
        }
        let bytes = _mm256_packus_epi16(_mm256_srli_epi16::<8>(low), _mm256_srli_epi16::<8>(high));
        // SAFETY: `pixels` has eight elements; the store needs no alignment.
        unsafe { _mm256_storeu_si256(pixels.as_mut_ptr().cast(), bytes) };
    }
}

/// `from`, `from + step`, … `from + 7 step`.
#[inline]
#[target_feature(enable = "avx2")]
fn ramp(from: i32, step: i32) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_add_epi32(_mm256_set1_epi32(from), _mm256_mullo_epi32(lanes, _mm256_set1_epi32(step)))
}

/// The part of a texel's index that its column decides.
#[inline]
#[target_feature(enable = "avx2")]
fn column_part(column: __m256i) -> __m256i {
    let three = _mm256_set1_epi32(3);
    _mm256_or_si256(
        _mm256_slli_epi32::<4>(_mm256_srai_epi32::<2>(column)),
        _mm256_and_si256(column, three),
    )
}

/// The part of a texel's index that its row decides.
#[inline]
#[target_feature(enable = "avx2")]
fn row_part(row: __m256i, tap: &Tap) -> __m256i {
    let tile_row = _mm256_set1_epi32(tap.tiles_per_row * 16);
    _mm256_add_epi32(
        _mm256_mullo_epi32(_mm256_srai_epi32::<2>(row), tile_row),
        _mm256_slli_epi32::<2>(_mm256_and_si256(row, _mm256_set1_epi32(3))),
    )
}

/// Eight texels. Single loads beat the gather instruction.
///
/// # Safety
/// All indices are within `level`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(level: &[u32], indices: __m256i) -> __m256i {
    let mut at = [0_i32; LANES];
    // SAFETY: `at` has room for eight; the caller guarantees the indices.
    unsafe {
        _mm256_storeu_si256(at.as_mut_ptr().cast(), indices);
        let texel = |k: usize| *level.get_unchecked(at[k] as usize) as i32;
        _mm256_setr_epi32(texel(0), texel(1), texel(2), texel(3), texel(4), texel(5), texel(6), texel(7))
    }
}

/// Interpolates across the lower and upper texel pairs, then up, giving eight bits in sixteen.
#[inline]
#[target_feature(enable = "avx2")]
fn interpolate(lower: __m256i, upper: __m256i, across: __m256i, up: __m256i) -> __m256i {
    let low = _mm256_maddubs_epi16(lower, across);
    let high = _mm256_maddubs_epi16(upper, across);
    let rise = _mm256_mulhrs_epi16(_mm256_sub_epi16(high, low), up);
    _mm256_srli_epi16::<6>(_mm256_add_epi16(low, rise))
}
