//! From 32-bit pixels (0x00BBGGRR) to the bytes that policies read.

#[cfg(target_arch = "x86_64")]
mod avx2;

use crate::kernel::Kernel;

/// Three bytes per pixel; the number of pixels is a multiple of eight.
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

fn rgb_portable(pixels: &[u32], out: &mut [u8]) {
    for (bytes, pixels) in out.chunks_exact_mut(12).zip(pixels.chunks_exact(4)) {
        let &[a, b, c, d] = pixels else {
            continue;
        };
        let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
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

    #[test]
    fn rgb_keeps_the_order() {
        let pixels: Vec<u32> = (0..24).map(|k| u32::from_le_bytes([3 * k + 1, 3 * k + 2, 3 * k + 3, 0])).collect();
        let expected: Vec<u8> = (1..=72).collect();
        for kernel in [Kernel::Portable, Kernel::detect()] {
            let mut out = vec![0; 72];
            rgb(kernel, &pixels, &mut out);
            assert_eq!(out, expected, "{kernel:?}");
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
