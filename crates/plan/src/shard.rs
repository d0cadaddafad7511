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
