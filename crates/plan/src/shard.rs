/// Which arrivals are mine: those whose number is `index` modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The only part of one.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Part `index` of `count`; none unless `index < count`.
    #[must_use]
    pub const fn new(index: u32, count: u32) -> Option<Self> {
        if index < count { Some(Self { index, count }) } else { None }
    }

    /// Which part, from zero.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Of how many.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Whether arrival `number` belongs to this part.
    #[must_use]
    pub const fn owns(self, number: u64) -> bool {
        number % self.count as u64 == self.index as u64
    }

    /// How many of the numbers below `whole` belong to this part. The shares of all parts add up to `whole`; where it
    /// does not divide evenly, the first parts have one more.
    #[must_use]
    pub const fn share(self, whole: u64) -> u64 {
        whole.saturating_sub(self.index as u64).div_ceil(self.count as u64)
    }

    /// Part `part` of `parts` of this part: a thread's share of a machine's share. Interleaves like everything else.
    #[must_use]
    pub const fn split(self, part: u32, parts: u32) -> Option<Self> {
        if part >= parts {
            return None;
        }
        match self.count.checked_mul(parts) {
            Some(count) => Some(Self { index: self.index + part * self.count, count }),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_count_of_owned_numbers() {
        for (index, count) in [(0, 1), (0, 3), (1, 3), (2, 3), (4, 5)] {
            let shard = Shard::new(index, count).unwrap();
            for whole in 0..20 {
                let owned = (0..whole).filter(|number| shard.owns(*number)).count() as u64;
                assert_eq!(shard.share(whole), owned, "{index} of {count}, {whole}");
            }
        }
        assert_eq!(Shard::WHOLE.share(u64::MAX), u64::MAX);
    }
}
