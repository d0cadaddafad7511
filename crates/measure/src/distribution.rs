//! A histogram together with the exact sums of the same values.

use crate::{Digits, Histogram, Moments};

/// The distribution of a duration: exact count, sum, squares, least and greatest, and quantiles within a bin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    histogram: Histogram,
    sum: u128,
    squares: u128,
}

impl Distribution {
    /// Creates an empty distribution.
    #[must_use]
    pub fn new(digits: Digits) -> Self {
        Self { histogram: Histogram::new(digits), sum: 0, squares: 0 }
    }

    /// Allocates all the memory it can ever need, so that recording allocates nothing.
    pub fn reserve(&mut self) {
        self.histogram.reserve();
    }

    /// Creates the distribution of this histogram with these sums of its values; their number and ends are the histogram's.
    pub(crate) const fn from_parts(moments: Moments, histogram: Histogram) -> Self {
        Self { histogram, sum: moments.sum_ns(), squares: moments.squares() }
    }

    /// Adds one value in nanoseconds.
    #[expect(
        clippy::inline_always,
        reason = "six times for each call; saving registers is a third of the work"
    )]
    #[inline(always)]
    pub fn record(&mut self, value_ns: u64) {
        if value_ns == 0 {
            self.histogram.record_zero();
            return;
        }
        let value = u128::from(value_ns);
        self.sum += value;
        let (squares, is_too_great) = self.squares.overflowing_add(value * value);
        self.squares = squares;
        if is_too_great {
            self.saturate();
        }
        self.histogram.record(value_ns);
    }

    /// The sum of squares has reached the greatest number.
    #[cold]
    fn saturate(&mut self) {
        self.squares = u128::MAX;
    }

    /// Adds one value in nanoseconds `count` times.
    pub fn record_many(&mut self, value_ns: u64, count: u64) {
        let (value, many) = (u128::from(value_ns), u128::from(count));
        self.sum += value * many;
        self.squares = self.squares.saturating_add((value * value).saturating_mul(many));
        self.histogram.record_many(value_ns, count);
    }

    /// Adds all values of `other`, which must have the same [`Digits`].
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.squares = self.squares.saturating_add(other.squares);
        self.histogram.merge(&other.histogram);
    }

    /// Clears all values and keeps the memory.
    pub fn clear(&mut self) {
        (self.sum, self.squares) = (0, 0);
        self.histogram.clear();
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.histogram.count()
    }

    /// Returns the exact sums.
    #[must_use]
    pub fn moments(&self) -> Moments {
        let ends = self.histogram.min_ns().zip(self.histogram.max_ns());
        Moments::new(self.histogram.count(), self.sum, self.squares, ends)
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
        let (min, max) = (self.histogram.min_ns()?, self.histogram.max_ns()?);
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

    #[test]
    fn merging_is_recording_all() {
        let of = |values: &[u64]| {
            let mut distribution = Distribution::new(Digits::Two);
            values.iter().for_each(|value| distribution.record(*value));
            distribution
        };
        let mut left = of(&[1, 2, 0]);
        left.merge(&of(&[10, 20]));
        left.merge(&of(&[]));
        left.record_many(7, 2);
        left.record_many(9, 0);
        assert_eq!(left, of(&[10, 0, 7, 20, 1, 7, 2]));
        left.clear();
        assert_eq!((left.moments(), &left), (of(&[]).moments(), &of(&[])));
    }
}
