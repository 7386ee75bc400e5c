//! Normally distributed values as a function of a seed and a place.

use deepracer_world::chance::mixed;
use std::sync::LazyLock;

/// Entries of the table of normal values.
const NORMALS: usize = 4096;
/// Bits that choose one of them.
const NORMAL_BITS: u32 = NORMALS.trailing_zeros();

/// Normally distributed values: the middles of 4096 equally likely ranges, quick to draw.
#[derive(Debug)]
pub(crate) struct Normals {
    table: Vec<f32>,
}

impl Normals {
    /// The only table; made when it is asked for first.
    pub(crate) fn table() -> &'static Normals {
        static TABLE: LazyLock<Normals> = LazyLock::new(|| {
            let table = (0..NORMALS).map(|k| normal_quantile((k as f64 + 0.5) / NORMALS as f64) as f32).collect();
            Normals { table }
        });
        &TABLE
    }

    /// Fills `out` with values of mean 0 and standard deviation 1 that belong to a seed and a place.
    pub(crate) fn fill(&self, seed: u64, place: u64, out: &mut [f32]) {
        let base = mixed(seed, place);
        let per_word = (u64::BITS / NORMAL_BITS) as usize;
        for (k, values) in out.chunks_mut(per_word).enumerate() {
            let mut bits = mixed(base, k as u64);
            for value in values {
                *value = self.table[bits as usize % NORMALS];
                bits >>= NORMAL_BITS;
            }
        }
    }
}

/// Where the normal distribution has this share of its area to its left, 0 < share < 1.
///
/// By bisection on a series of its integral: slow, exact to single precision, and the same everywhere.
fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal_share(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The share of the normal distribution's area to the left of a value: `1/2 + φ(z) · (z + z³/3 + z⁵/15 + …)`.
fn normal_share(z: f64) -> f64 {
    let (mut sum, mut term, mut k) = (z, z, 1.0);
    while term.abs() > 1e-17 * sum.abs() && k < 400.0 {
        k += 2.0;
        term *= z * z / k;
        sum += term;
    }
    0.5 + sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for (share, z) in [(0.5, 0.0), (0.841_344_746, 1.0), (0.977_249_868, 2.0), (0.001_349_898, -3.0)] {
            assert!((normal_quantile(share) - z).abs() < 1e-6, "{share}");
        }
    }

    #[test]
    fn values_have_mean_zero_and_deviation_one_and_repeat() {
        let normals = Normals::table();
        let mut values = vec![0.0; 64 * 500];
        for (scan, values) in values.chunks_exact_mut(64).enumerate() {
            normals.fill(7, scan as u64, values);
        }
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let variance = values.iter().map(|v| v * v).sum::<f32>() / values.len() as f32;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let mut again = [0.0; 64];
        normals.fill(7, 3, &mut again);
        assert_eq!(again[..], values[3 * 64..4 * 64]);
        normals.fill(8, 3, &mut again);
        assert_ne!(again[..], values[3 * 64..4 * 64]);
    }
}
