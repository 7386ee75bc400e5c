//! From 32-bit pixels to the bytes that policies read.

/// Three bytes per pixel.
pub(crate) fn rgb(pixels: &[u32], out: &mut [u8]) {
    for (bytes, pixel) in out.chunks_exact_mut(3).zip(pixels) {
        let [r, g, b, _] = pixel.to_le_bytes();
        bytes.copy_from_slice(&[r, g, b]);
    }
}

/// One byte per pixel: `0.2989 R + 0.5870 G + 0.1140 B`, truncated.
pub(crate) fn grey(pixels: &[u32], out: &mut [u8]) {
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
        let mut out = [0; 6];
        rgb(&[0x0003_0201, 0x0006_0504], &mut out);
        assert_eq!(out, [1, 2, 3, 4, 5, 6]);
    }
}
