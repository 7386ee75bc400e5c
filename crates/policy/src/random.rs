//! Random numbers that depend on a seed, a name and a count, and on nothing else.

use serde::{Deserialize, Serialize};

/// A counter-based random stream (`SplitMix64`): number `n` of a stream is a function of its key and `n` alone.
///
/// The whole state is two numbers, so a stream is stored in a checkpoint and continued exactly where it was. Streams of
/// different names are independent.
///
/// ```
/// use deepracer_policy::RandomStream;
/// let mut first = RandomStream::new(7, "worker 0");
/// first.uniform();
/// let mut again = first.clone();
/// assert_eq!(first.uniform(), again.uniform());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomStream {
    key: u64,
    position: u64,
}

/// The odd constant of `SplitMix64`, 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl RandomStream {
    /// The stream called `name` of a run with this seed.
    pub fn new(seed: u64, name: &str) -> Self {
        let key = name.bytes().fold(mix(seed ^ GOLDEN), |key, byte| mix(key ^ u64::from(byte)).wrapping_add(GOLDEN));
        Self { key, position: 0 }
    }

    /// How many numbers have been drawn.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.position += 1;
        mix(self.key.wrapping_add(self.position.wrapping_mul(GOLDEN)))
    }

    /// A number in [0, 1), one of 2⁵³ equally spaced ones.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index below `count`, which must not be 0. The bias is below `count` / 2⁶⁴.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A standard normal number (Box–Muller; always two draws).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Puts the items in a random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

/// The finaliser of `SplitMix64`.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs of `SplitMix64` for the seed 1234567.
    #[test]
    fn bits_are_splitmix64() {
        let mut stream = RandomStream { key: 1_234_567, position: 0 };
        let bits: Vec<u64> = (0..3).map(|_| stream.bits()).collect();
        assert_eq!(bits, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut stream = RandomStream::new(1, "normal");
        let numbers: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|number| number * number).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.015, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn every_index_is_equally_likely() {
        let mut stream = RandomStream::new(2, "index");
        let mut counts = [0_u32; 12];
        (0..120_000).for_each(|_| counts[stream.index(12)] += 1);
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }

    #[test]
    fn streams_of_other_names_and_seeds_differ() {
        let first = |seed, name| RandomStream::new(seed, name).bits();
        let bits = [first(1, "a"), first(1, "b"), first(2, "a"), first(1, "ab"), first(1, "ba")];
        for (index, value) in bits.iter().enumerate() {
            assert!(!bits[..index].contains(value));
        }
    }
}
