//! Drawing rows of ground: every pixel is the weighted mean of a few texels.
//!
//! All arithmetic from the row's start and step on is in integers, so the portable code and the AVX2 code
//! give the same bytes.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use crate::kernel::Kernel;

/// Fixed point one: texel coordinates have 16 fractional bits.
pub(crate) const FIXED_ONE: f64 = 65536.0;
/// Sum of the weights of a row's taps.
pub(crate) const WEIGHT_ONE: u16 = 256;
/// Taps a row may have.
pub(crate) const MAX_TAPS: usize = 16;
/// Pixels drawn at a time; picture widths are multiples of it.
pub(crate) const LANES: usize = 8;

/// One line of lookups through one level of the ground picture: pixel `x` of the row reads at
/// (`u + x · u_step`, `v + x · v_step`), held within the level.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tap {
    /// Index of the level's first texel.
    pub(crate) start: usize,
    /// Texels in the level.
    pub(crate) num_texels: usize,
    /// Texels per row.
    pub(crate) columns: i32,
    pub(crate) u: i32,
    pub(crate) v: i32,
    pub(crate) u_step: i32,
    pub(crate) v_step: i32,
    /// Largest coordinates allowed; a lookup and, when interpolating, its right and upper neighbours
    /// lie within the level.
    pub(crate) u_max: i32,
    pub(crate) v_max: i32,
    /// Of 256.
    pub(crate) weight: u16,
}

/// How texels become a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampling {
    Nearest,
    Bilinear,
}

/// Draws one row: every pixel becomes the weighted mean of its taps, plus `rest` (weighted by what the taps'
/// weights leave of 256).
pub(crate) fn draw_row(kernel: Kernel, sampling: Sampling, taps: &[Tap], texels: &[u32], rest: u32, out: &mut [u32]) {
    debug_assert!(out.len().is_multiple_of(LANES) && taps.len() <= MAX_TAPS);
    let base = rest_of_row(taps, rest);
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => avx2::row(sampling, taps, texels, base, out),
        Kernel::Portable => portable::row(sampling, taps, texels, base, out),
    }
}

/// Start value of every pixel's sums: the share of `rest` and one half for rounding.
fn rest_of_row(taps: &[Tap], rest: u32) -> [u16; 4] {
    let share = WEIGHT_ONE - taps.iter().map(|tap| tap.weight).sum::<u16>().min(WEIGHT_ONE);
    rest.to_le_bytes().map(|channel| u16::from(channel) * share + WEIGHT_ONE / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn tap()(
            tiles in (1_usize..9, 1_usize..9),
            start in (any::<i32>(), any::<i32>()),
            step in (-200_000_i32..200_000, -200_000_i32..200_000),
            weight in 1_u16..17,
        ) -> Tap {
            let (width, height) = (tiles.0 * 4, tiles.1 * 4);
            Tap {
                start: 32,
                num_texels: width * height,
                columns: width as i32,
                u: start.0 >> 8,
                v: start.1 >> 8,
                u_step: step.0,
                v_step: step.1,
                u_max: ((width as i32 - 1) << 16) - 1,
                v_max: ((height as i32 - 1) << 16) - 1,
                weight,
            }
        }
    }

    proptest! {
        #[test]
        fn all_kernels_give_the_same_bytes(
            taps in prop::collection::vec(tap(), 0..16),
            texels in prop::collection::vec(0_u32..0x0100_0000, 32 + 1024),
            rest in 0_u32..0x0100_0000,
        ) {
            for sampling in [Sampling::Nearest, Sampling::Bilinear] {
                let (mut expected, mut found) = (vec![0; 160], vec![0; 160]);
                draw_row(Kernel::Portable, sampling, &taps, &texels, rest, &mut expected);
                draw_row(Kernel::detect(), sampling, &taps, &texels, rest, &mut found);
                prop_assert_eq!(&expected, &found);
            }
        }
    }

    #[test]
    fn a_row_of_one_colour_stays_that_colour() {
        let texels = vec![0x0012_3456; 64];
        let tap = |weight| Tap {
            num_texels: 64,
            columns: 8,
            u_step: 9_000,
            v_step: 3_000,
            u_max: (7 << 16) - 1,
            v_max: (7 << 16) - 1,
            weight,
            ..Tap::default()
        };
        for sampling in [Sampling::Nearest, Sampling::Bilinear] {
            let mut out = vec![0; 32];
            draw_row(Kernel::Portable, sampling, &[tap(100), tap(90)], &texels, 0x0012_3456, &mut out);
            assert_eq!(out, vec![0x0012_3456; 32]);
        }
    }
}
