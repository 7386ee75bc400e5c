//! With AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm_storel_epi64, _mm_storeu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_mul_ps, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi8, _mm256_setr_epi32, _mm256_shuffle_epi8, _mm256_srli_epi32,
    _mm256_storeu_si256,
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

#[target_feature(enable = "avx2")]
fn rgb_of_eights(pixels: &[u32], out: &mut [u8]) {
    let squeeze = _mm256_setr_epi8(
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
    );
    let join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    for (bytes, pixels) in out.chunks_exact_mut(24).zip(pixels.chunks_exact(8)) {
        // SAFETY: eight pixels are read, and 16 + 8 of 24 bytes written; neither needs alignment.
        unsafe {
            let squeezed = _mm256_shuffle_epi8(_mm256_loadu_si256(pixels.as_ptr().cast()), squeeze);
            let joined = _mm256_permutevar8x32_epi32(squeezed, join);
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm256_castsi256_si128(joined));
            _mm_storel_epi64(bytes.as_mut_ptr().add(16).cast(), _mm256_extracti128_si256::<1>(joined));
        }
    }
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
