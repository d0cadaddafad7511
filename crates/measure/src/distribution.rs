//! A histogram together with the exact sums of the same values.

use crate::{Digits, Histogram, Moments};

/// The distribution of a duration: exact count, sum, squares, least and greatest, and quantiles within a bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    moments: Moments,
    histogram: Histogram,
}

impl Distribution {
    /// Creates an empty distribution.
    #[must_use]
    pub fn new(digits: Digits) -> Self {
        Self { moments: Moments::default(), histogram: Histogram::new(digits) }
    }

    /// Allocates all the memory it can ever need, so that recording allocates nothing.
    pub fn reserve(&mut self) {
        self.histogram.reserve();
    }

    pub(crate) const fn from_parts(moments: Moments, histogram: Histogram) -> Self {
        Self { moments, histogram }
    }

    /// Adds one value in nanoseconds.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.moments.record(value_ns);
        self.histogram.record(value_ns);
    }

    /// Adds one value in nanoseconds `count` times.
    pub fn record_many(&mut self, value_ns: u64, count: u64) {
        self.moments.record_many(value_ns, count);
        self.histogram.record_many(value_ns, count);
    }

    /// Adds all values of `other`, which must have the same [`Digits`].
    pub fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
    }

    /// Clears all values and keeps the memory.
    pub fn clear(&mut self) {
        self.moments = Moments::default();
        self.histogram.clear();
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.moments.count()
    }

    /// Returns the exact sums.
    #[must_use]
    pub const fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns the histogram.
    #[must_use]
    pub const fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// Returns the value of the `rank`-th smallest (from 1) in nanoseconds: the middle of its bin, but never outside the
    /// recorded range.
    #[must_use]
    pub fn value_at_rank(&self, rank: u64) -> Option<u64> {
        let value = self.histogram.value_at_rank(rank)?;
        let (min, max) = (self.moments.min_ns()?, self.moments.max_ns()?);
        let at_limit = value >= Histogram::LIMIT_NS;
        Some(if rank == self.count() || at_limit { max } else { value.clamp(min, max) })
    }

    /// Returns the smallest value in nanoseconds that at least the share `quantile` (0 to 1) of all values do not exceed.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        self.value_at_rank(crate::histogram::rank(quantile, self.count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_stay_within_what_was_seen() {
        let mut distribution = Distribution::new(Digits::Coarse);
        [1_000_003, 1_000_005, 1_000_007].iter().for_each(|v| distribution.record(*v));
        let median = distribution.quantile(0.5).unwrap();
        assert!((1_000_003..=1_000_007).contains(&median));
        assert_eq!(distribution.quantile(1.0), Some(1_000_007));
    }

    #[test]
    fn values_beyond_the_limit_show_as_the_greatest_seen() {
        let mut distribution = Distribution::new(Digits::Two);
        distribution.record(Histogram::LIMIT_NS * 2);
        assert_eq!(distribution.quantile(0.5), Some(Histogram::LIMIT_NS * 2));
    }
}
