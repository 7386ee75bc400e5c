//! With AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_storel_epi64, _mm_storeu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_mul_ps, _mm256_mullo_epi32, _mm256_or_si256, _mm256_packus_epi16, _mm256_packus_epi32,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi8,
    _mm256_setr_epi32, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_si256,
};

/// See [`super::rgb`]. The caller has found AVX2 in this processor.
pub(super) fn rgb(pixels: &[u32], out: &mut [u8]) {
    // SAFETY: `Kernel::detect` is the only maker of the kernel that leads here.
    unsafe { rgb_of_eights(pixels, out) }
}

/// See [`super::grey`]. The caller has found AVX2 in this processor.
pub(super) fn grey(pixels: &[u32], out: &mut [u8]) {
    // SAFETY: as above.
    unsafe { grey_of_all(pixels, out) }
}

/// See [`super::grey_pair`]. The caller has found AVX2 in this processor.
pub(super) fn grey_pair(pictures: [&[u32]; 2], out: &mut [u8]) {
    // SAFETY: as above.
    unsafe { grey_pair_of_all(pictures, out) }
}

#[target_feature(enable = "avx2")]
fn rgb_of_eights(pixels: &[u32], out: &mut [u8]) {
    let squeeze = _mm256_setr_epi8(
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
    );
    let join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    let mut bytes = out.chunks_exact_mut(24);
    let mut pixels = pixels.chunks_exact(8);
    for (bytes, pixels) in (&mut bytes).zip(&mut pixels) {
        // SAFETY: eight pixels are read, and 16 + 8 of 24 bytes written; neither needs alignment.
        unsafe {
            let squeezed = _mm256_shuffle_epi8(_mm256_loadu_si256(pixels.as_ptr().cast()), squeeze);
            let joined = _mm256_permutevar8x32_epi32(squeezed, join);
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm256_castsi256_si128(joined));
            _mm_storel_epi64(bytes.as_mut_ptr().add(16).cast(), _mm256_extracti128_si256::<1>(joined));
        }
    }
    super::rgb_portable(pixels.remainder(), bytes.into_remainder());
}

#[target_feature(enable = "avx2")]
fn grey_of_all(pixels: &[u32], out: &mut [u8]) {
    let in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let mut bytes = out.chunks_exact_mut(32);
    let mut pixels = pixels.chunks_exact(32);
    for (bytes, pixels) in (&mut bytes).zip(&mut pixels) {
        // SAFETY: 32 pixels are read, and 32 bytes written; neither needs alignment.
        unsafe {
            let eight = |k: usize| grey_of_eight(_mm256_loadu_si256(pixels.as_ptr().add(8 * k).cast()));
            let halves = [_mm256_packus_epi32(eight(0), eight(1)), _mm256_packus_epi32(eight(2), eight(3))];
            let packed = _mm256_packus_epi16(halves[0], halves[1]);
            _mm256_storeu_si256(bytes.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(packed, in_order));
        }
    }
    super::grey_portable(pixels.remainder(), bytes.into_remainder());
}

#[target_feature(enable = "avx2")]
fn grey_pair_of_all([left, right]: [&[u32]; 2], out: &mut [u8]) {
    let mut bytes = out.chunks_exact_mut(32);
    let (mut left, mut right) = (left.chunks_exact(16), right.chunks_exact(16));
    for (bytes, (left, right)) in (&mut bytes).zip((&mut left).zip(&mut right)) {
        // SAFETY: 16 pixels of each picture are read, and 32 bytes written; none needs alignment.
        unsafe {
            let eight = |k: usize| {
                let left = rounded_grey_of_eight(_mm256_loadu_si256(left.as_ptr().add(8 * k).cast()));
                let right = rounded_grey_of_eight(_mm256_loadu_si256(right.as_ptr().add(8 * k).cast()));
                _mm256_or_si256(left, _mm256_slli_epi32::<8>(right))
            };
            // Four pairs of each eight lie in every half: back in order.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(eight(0), eight(1)));
            _mm256_storeu_si256(bytes.as_mut_ptr().cast(), packed);
        }
    }
    super::grey_pair_portable([left.remainder(), right.remainder()], bytes.into_remainder());
}

/// The steps of [`super::rounded_grey_of`].
#[target_feature(enable = "avx2")]
fn rounded_grey_of_eight(pixels: __m256i) -> __m256i {
    let red_and_blue = _mm256_and_si256(pixels, _mm256_set1_epi32(0x00FF_00FF));
    let green = _mm256_and_si256(_mm256_srli_epi32::<8>(pixels), _mm256_set1_epi32(0xFF));
    let sum = _mm256_add_epi32(
        _mm256_madd_epi16(red_and_blue, _mm256_set1_epi32((7471 << 16) + 19_595)),
        _mm256_mullo_epi32(green, _mm256_set1_epi32(38_470)),
    );
    _mm256_srli_epi32::<16>(_mm256_add_epi32(sum, _mm256_set1_epi32(32_768)))
}

/// The steps of [`super::grey_of`].
#[target_feature(enable = "avx2")]
fn grey_of_eight(pixels: __m256i) -> __m256i {
    let red_and_blue = _mm256_and_si256(pixels, _mm256_set1_epi32(0x00FF_00FF));
    let green = _mm256_and_si256(_mm256_srli_epi32::<8>(pixels), _mm256_set1_epi32(0xFF));
    let ten_thousandths = _mm256_add_epi32(
        _mm256_madd_epi16(red_and_blue, _mm256_set1_epi32((1140 << 16) + 2989)),
        _mm256_madd_epi16(green, _mm256_set1_epi32(5870)),
    );
    let clear_of_rounding = _mm256_add_ps(_mm256_cvtepi32_ps(ten_thousandths), _mm256_set1_ps(0.5));
    _mm256_cvttps_epi32(_mm256_mul_ps(clear_of_rounding, _mm256_set1_ps(1e-4)))
}
