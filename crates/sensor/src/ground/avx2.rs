//! Eight pixels at a time with AVX2.
#![allow(unsafe_code)]

use super::{LANES, Sampling, Tap};
use crate::scene::STRIP;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_maddubs_epi16, _mm256_max_epi32,
    _mm256_min_epi32, _mm256_mulhrs_epi16, _mm256_mullo_epi16, _mm256_mullo_epi32, _mm256_or_si256,
    _mm256_packus_epi16, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_slli_epi16, _mm256_slli_epi32, _mm256_srli_epi16, _mm256_srli_epi32,
    _mm256_storeu_si256, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_unpackhi_epi8, _mm256_unpackhi_epi32,
    _mm256_unpacklo_epi8, _mm256_unpacklo_epi32,
};

/// Eights of pixels whose sums are kept while the taps are gone through.
const BLOCK: usize = 20;

/// Draws a row. The caller has found AVX2 in this processor.
pub(super) fn row(sampling: Sampling, taps: &[Tap], texels: &[u32], base: [u16; 4], out: &mut [u32]) {
    for tap in taps {
        // What the unchecked lookups below rely on: every coordinate within (0, 0) … (u_max, v_max), and its
        // right and upper neighbour when interpolating, is a texel of the level.
        let neighbour = i32::from(sampling == Sampling::Bilinear);
        let (columns, rows) = ((tap.u_max >> 16) + neighbour, (tap.v_max >> 16) + neighbour);
        let within = tap.u_max >= 0
            && tap.v_max >= 0
            && columns < tap.columns
            && (rows as usize / STRIP + 1) * STRIP * tap.columns as usize <= tap.num_texels
            && tap.start + tap.num_texels <= texels.len();
        assert!(within, "a tap reaches beyond its level");
    }
    assert!(out.len().is_multiple_of(LANES));
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
    for (block, pixels) in out.chunks_mut(BLOCK * LANES).enumerate() {
        // Sixteen bits per channel, of pixels 0 1 4 5 and 2 3 6 7 of every eight.
        let mut sums = [[start; 2]; BLOCK];
        let sums = &mut sums[..pixels.len() / LANES];
        for tap in taps {
            // SAFETY: `row` has checked that the level lies within `texels`.
            let level = unsafe { texels.as_ptr().add(tap.start) };
            let first = (block * BLOCK * LANES) as i32;
            let mut u_ramp = ramp(tap.u.wrapping_add(tap.u_step.wrapping_mul(first)), tap.u_step);
            let mut v_ramp = ramp(tap.v.wrapping_add(tap.v_step.wrapping_mul(first)), tap.v_step);
            let u_step = _mm256_set1_epi32(tap.u_step.wrapping_mul(LANES as i32));
            let v_step = _mm256_set1_epi32(tap.v_step.wrapping_mul(LANES as i32));
            let (u_max, v_max) = (_mm256_set1_epi32(tap.u_max), _mm256_set1_epi32(tap.v_max));
            let strip = _mm256_set1_epi32(tap.columns * STRIP as i32);
            let weight = _mm256_set1_epi16(tap.weight as i16);
            for [low, high] in &mut *sums {
                let u = _mm256_min_epi32(_mm256_max_epi32(u_ramp, zero), u_max);
                let v = _mm256_min_epi32(_mm256_max_epi32(v_ramp, zero), v_max);
                u_ramp = _mm256_add_epi32(u_ramp, u_step);
                v_ramp = _mm256_add_epi32(v_ramp, v_step);
                let column = _mm256_slli_epi32::<2>(_mm256_srli_epi32::<16>(u));
                let row = _mm256_srli_epi32::<16>(v);
                let (texels_low, texels_high);
                if BILINEAR {
                    let lower = _mm256_add_epi32(row_part(row, strip), column);
                    let upper_row = _mm256_add_epi32(row, _mm256_set1_epi32(1));
                    let upper = _mm256_add_epi32(row_part(upper_row, strip), column);
                    // SAFETY: these and their right neighbours are texels of the level, as `row` has checked.
                    let [a, b, c, d] = unsafe {
                        let right = level.add(STRIP);
                        [load(level, lower), load(right, lower), load(level, upper), load(right, upper)]
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
                    // SAFETY: texels of the level, as `row` has checked.
                    let texel = unsafe { load(level, _mm256_add_epi32(row_part(row, strip), column)) };
                    texels_low = _mm256_unpacklo_epi8(texel, zero);
                    texels_high = _mm256_unpackhi_epi8(texel, zero);
                }
                *low = _mm256_add_epi16(*low, _mm256_mullo_epi16(texels_low, weight));
                *high = _mm256_add_epi16(*high, _mm256_mullo_epi16(texels_high, weight));
            }
        }
        for (pixels, [low, high]) in pixels.chunks_exact_mut(LANES).zip(sums) {
            let bytes = _mm256_packus_epi16(_mm256_srli_epi16::<8>(*low), _mm256_srli_epi16::<8>(*high));
            // SAFETY: `pixels` has eight elements; the store needs no alignment.
            unsafe { _mm256_storeu_si256(pixels.as_mut_ptr().cast(), bytes) };
        }
    }
}

/// `from`, `from + step`, … `from + 7 step`.
#[inline]
#[target_feature(enable = "avx2")]
fn ramp(from: i32, step: i32) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_add_epi32(_mm256_set1_epi32(from), _mm256_mullo_epi32(lanes, _mm256_set1_epi32(step)))
}

/// The part of a texel's index that its row decides.
#[inline]
#[target_feature(enable = "avx2")]
fn row_part(row: __m256i, strip: __m256i) -> __m256i {
    _mm256_add_epi32(
        _mm256_mullo_epi32(_mm256_srli_epi32::<2>(row), strip),
        _mm256_and_si256(row, _mm256_set1_epi32(3)),
    )
}

/// Eight texels. Single loads beat the gather instruction.
///
/// # Safety
/// All indices are texels of `level`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(level: *const u32, indices: __m256i) -> __m256i {
    let mut at = [0_u32; LANES];
    // SAFETY: `at` has room for eight; the caller guarantees the indices.
    unsafe {
        _mm256_storeu_si256(at.as_mut_ptr().cast(), indices);
        let texel = |k: usize| *level.add(at[k] as usize) as i32;
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
