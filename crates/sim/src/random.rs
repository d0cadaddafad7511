//! The random numbers of the simulator, from the seed of the scenario.

/// A SplitMix64 generator: identical numbers for a seed on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator for `seed`.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..=most`. The bias of the remainder does not matter here.
    pub(crate) const fn up_to(&mut self, most: u64) -> u64 {
        if most == u64::MAX { self.bits() } else { self.bits() % (most + 1) }
    }

    /// Returns true with probability `share`.
    pub(crate) fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && (self.bits() >> 11) as f64 / ((1u64 << 53) as f64) < share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut random = Random::new(1);
        assert_eq!(random.bits(), 0x910a_2dec_8902_5cc1);
        assert_eq!(Random::new(1).bits(), 0x910a_2dec_8902_5cc1);
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(7);
        let seen: Vec<u64> = (0..100).map(|_| random.up_to(2)).collect();
        assert!((0..=2).all(|number| seen.contains(&number)) && seen.iter().all(|number| *number <= 2));
        assert!(!random.happens(0.0) && random.happens(1.0));
    }
}
