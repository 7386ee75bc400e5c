//! Chance as a function of a seed and a place: no state, the same on every machine.

/// A well-mixed number from a seed and where it is used (the finaliser of `SplitMix64` over both).
pub fn mixed(seed: u64, place: u64) -> u64 {
    let mut z = seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x2545_F491_4F6C_DD1D);
    for _ in 0..2 {
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    z
}

/// A number from 0 to below 1 that belongs to a seed and a place.
pub fn share(seed: u64, place: u64) -> f64 {
    (mixed(seed, place) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number from `-reach` to `reach` that belongs to a seed and a place.
pub fn around_zero(seed: u64, place: u64, reach: f64) -> f64 {
    (2.0 * share(seed, place) - 1.0) * reach
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spread_evenly_over_seeds_and_over_places() {
        for (what, numbers) in [
            ("seeds", (0..4000).map(|seed| share(seed, 3)).collect::<Vec<_>>()),
            ("places", (0..4000).map(|place| share(3, place)).collect()),
        ] {
            let mean = numbers.iter().sum::<f64>() / 4000.0;
            let variance = numbers.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>() / 4000.0;
            assert!((mean - 0.5).abs() < 0.02 && (variance - 1.0 / 12.0).abs() < 0.005, "{what}: {mean} {variance}");
            assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        }
        assert!((0..100).all(|seed| around_zero(seed, 0, 0.3).abs() <= 0.3));
        assert_eq!(share(5, 6), share(5, 6));
        assert_ne!(share(5, 6), share(6, 5));
    }
}
