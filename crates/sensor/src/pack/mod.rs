//! From 32-bit pixels (0x00BBGGRR) to the bytes that policies read.

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::kernel::Kernel;

/// Three bytes per pixel.
pub(crate) fn rgb(kernel: Kernel, pixels: &[u32], out: &mut [u8]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => avx2::rgb(pixels, out),
        Kernel::Portable => rgb_portable(pixels, out),
    }
}

/// One byte per pixel: `0.2989 R + 0.5870 G + 0.1140 B`, truncated.
pub(crate) fn grey(kernel: Kernel, pixels: &[u32], out: &mut [u8]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => avx2::grey(pixels, out),
        Kernel::Portable => grey_portable(pixels, out),
    }
}

/// Two bytes per pixel, the greys of two pictures of equally many pixels: `(19595 R + 38470 G + 7471 B + 32768) >> 16`.
pub(crate) fn grey_pair(kernel: Kernel, pictures: [&[u32]; 2], out: &mut [u8]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => avx2::grey_pair(pictures, out),
        Kernel::Portable => grey_pair_portable(pictures, out),
    }
}

fn rgb_portable(pixels: &[u32], out: &mut [u8]) {
    let (fours, rest) = pixels.as_chunks::<4>();
    let (bytes, rest_bytes) = out.split_at_mut(fours.len() * 12);
    for (bytes, [a, b, c, d]) in bytes.chunks_exact_mut(12).zip(fours) {
        let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    for (bytes, pixel) in rest_bytes.chunks_exact_mut(3).zip(rest) {
        bytes.copy_from_slice(&pixel.to_le_bytes()[..3]);
    }
}

fn grey_portable(pixels: &[u32], out: &mut [u8]) {
    for (byte, pixel) in out.iter_mut().zip(pixels) {
        *byte = grey_of(*pixel);
    }
}

fn grey_of(pixel: u32) -> u8 {
    let (r, g, b) = (pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255);
    let ten_thousandths = 2989 * r + 5870 * g + 1140 * b;
    // Half a unit keeps whole numbers clear of the rounding of the division.
    ((ten_thousandths as f32 + 0.5) * 1e-4) as u8
}

fn grey_pair_portable([left, right]: [&[u32]; 2], out: &mut [u8]) {
    for (bytes, (left, right)) in out.as_chunks_mut().0.iter_mut().zip(left.iter().zip(right)) {
        *bytes = [rounded_grey_of(*left), rounded_grey_of(*right)];
    }
}

fn rounded_grey_of(pixel: u32) -> u8 {
    let (r, g, b) = (pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255);
    ((19_595 * r + 38_470 * g + 7471 * b + 32_768) >> 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_truncates_the_exact_sum() {
        for pixel in (0..0x0100_0000_u32).step_by(7) {
            let [r, g, b, _] = pixel.to_le_bytes().map(u32::from);
            let exact = (2989 * r + 5870 * g + 1140 * b) / 10_000;
            assert_eq!(u32::from(grey_of(pixel)), exact, "{pixel:06x}");
        }
    }

    /// Values that Pillow 12 gives: `Image.convert("L")`.
    #[test]
    fn greys_of_a_pair_are_those_of_pillow() {
        for ([r, g, b], grey) in
            [([0, 0, 0], 0), ([255, 255, 255], 255), ([36, 49, 64], 47), ([194, 117, 1], 127), ([251, 193, 0], 188)]
        {
            assert_eq!(rounded_grey_of(u32::from_le_bytes([r, g, b, 0])), grey, "{r} {g} {b}");
        }
        let left: Vec<u32> = (0..0x0100_0000).step_by(8191).collect();
        let right: Vec<u32> = left.iter().map(|pixel| pixel ^ 0x00A5_5A33).collect();
        for kernel in [Kernel::Portable, Kernel::detect()] {
            let mut out = vec![0; 2 * left.len()];
            grey_pair(kernel, [&left, &right], &mut out);
            for (k, pair) in out.chunks_exact(2).enumerate() {
                assert_eq!(pair, [rounded_grey_of(left[k]), rounded_grey_of(right[k])], "{kernel:?} at {k}");
            }
        }
    }

    #[test]
    fn rgb_keeps_the_order() {
        for count in [24_u8, 27] {
            let pixels: Vec<u32> =
                (0..count).map(|k| u32::from_le_bytes([3 * k + 1, 3 * k + 2, 3 * k + 3, 0])).collect();
            let expected: Vec<u8> = (1..=3 * count).collect();
            for kernel in [Kernel::Portable, Kernel::detect()] {
                let mut out = vec![0; expected.len()];
                rgb(kernel, &pixels, &mut out);
                assert_eq!(out, expected, "{kernel:?}");
            }
        }
    }

    #[test]
    fn all_kernels_make_the_same_grey() {
        let pixels: Vec<u32> = (0..0x0100_0000).step_by(4099).collect();
        let greys = [Kernel::Portable, Kernel::detect()].map(|kernel| {
            let mut out = vec![0; pixels.len()];
            grey(kernel, &pixels, &mut out);
            out
        });
        assert!(greys[0] == greys[1]);
    }
}
