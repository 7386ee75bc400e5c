//! Random numbers of the world of an episode: the same seed, the same world.

/// What the numbers are for. Every purpose has a stream of its own, so that one more draw here moves nothing there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Where obstacles stand.
    Obstacles = 1,
    /// Where bot cars begin.
    Bots = 2,
    /// When bot cars change lanes.
    LaneChanges = 3,
}

/// A stream of random numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        let mut chance = Self(seed ^ (purpose as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
        // The seed and the purpose are mixed before the first number that is used.
        chance.0 = chance.bits();
        chance
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` (inclusive) to `high` (exclusive, up to rounding).
    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
        low + (self.bits() >> 11) as f64 * UNIT * (high - low)
    }

    /// A whole number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_repeats_itself_and_differs_by_seed_and_purpose() {
        let numbers = |seed, purpose| {
            let mut chance = Chance::new(seed, purpose);
            (0..8).map(|_| chance.bits()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(5, Purpose::Bots), numbers(5, Purpose::Bots));
        assert_ne!(numbers(5, Purpose::Bots), numbers(6, Purpose::Bots));
        assert_ne!(numbers(5, Purpose::Bots), numbers(5, Purpose::Obstacles));
    }

    #[test]
    fn numbers_are_even_over_their_range() {
        let mut chance = Chance::new(1, Purpose::LaneChanges);
        let mean = (0..10_000).map(|_| chance.uniform(3.0, 5.0)).sum::<f64>() / 10_000.0;
        assert!((mean - 4.0).abs() < 0.02, "{mean}");
        let mut counts = [0_u32; 5];
        (0..10_000).for_each(|_| counts[chance.below(5)] += 1);
        assert!(counts.iter().all(|count| (1_800..2_200).contains(count)), "{counts:?}");
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..20).collect();
        Chance::new(3, Purpose::Bots).shuffle(&mut items);
        assert_ne!(items, (0..20).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
