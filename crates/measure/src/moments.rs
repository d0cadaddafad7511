//! Count, sum, sum of squares, least and greatest: what can be kept exactly.

use serde::{Deserialize, Serialize};

/// Exact sums of a set of nanosecond values.
///
/// Integers throughout, so that adding up in any order gives the same. The sum of squares holds 2^54 values of an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments {
    count: u64,
    sum: u128,
    squares: u128,
    min: u64,
    max: u64,
}

impl Moments {
    /// `ends`: the least and the greatest value; none without values.
    pub(crate) fn new(count: u64, sum: u128, squares: u128, ends: Option<(u64, u64)>) -> Self {
        let (min, max) = ends.unwrap_or((u64::MAX, 0));
        Self { count, sum, squares, min, max }
    }

    /// Whether at most `most` values could have these sums: what was read from a file need not be what was written.
    pub(crate) fn is_sound(&self, most: u64) -> bool {
        let sums = self.sum <= u128::from(self.count) * u128::from(self.max)
            && self.sum >= u128::from(self.count) * u128::from(self.min);
        self.count <= most
            && if self.count == 0 { *self == Self::new(0, 0, 0, None) } else { self.min <= self.max && sums }
    }

    /// How many values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their sum in nanoseconds.
    #[must_use]
    pub const fn sum_ns(&self) -> u128 {
        self.sum
    }

    /// The sum of their squares.
    pub(crate) const fn squares(&self) -> u128 {
        self.squares
    }

    /// The least and the greatest in nanoseconds; none without values.
    pub(crate) fn ends(&self) -> Option<(u64, u64)> {
        (self.count > 0).then_some((self.min, self.max))
    }

    /// The least in nanoseconds; none without values.
    #[must_use]
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The greatest in nanoseconds; none without values.
    #[must_use]
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean in nanoseconds; none without values.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The standard deviation of a sample (divided by count - 1) in nanoseconds; zero for one value, none for none.
    #[must_use]
    pub fn stddev_ns(&self) -> Option<f64> {
        match self.count {
            0 => None,
            1 => Some(0.0),
            n => {
                // n * squares - sum * sum in whole numbers where they fit: the difference of two close large numbers
                // would lose everything in floating point.
                let n_wide = u128::from(n);
                let spread = match (self.squares.checked_mul(n_wide), self.sum.checked_mul(self.sum)) {
                    (Some(a), Some(b)) => a.saturating_sub(b) as f64,
                    _ => {
                        let mean = self.sum as f64 / n as f64;
                        (self.squares as f64 - mean * self.sum as f64).max(0.0) * n as f64
                    }
                };
                Some((spread / (n as f64) / ((n - 1) as f64)).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digits, Distribution};

    fn of(values: &[u64]) -> Moments {
        let mut distribution = Distribution::new(Digits::Coarse);
        values.iter().for_each(|value| distribution.record(*value));
        distribution.moments()
    }

    #[test]
    fn without_values_there_are_no_figures() {
        let none = of(&[]);
        assert_eq!(
            (none.min_ns(), none.max_ns(), none.mean_ns(), none.stddev_ns()),
            (None, None, None, None)
        );
    }

    #[test]
    fn figures_are_exact() {
        let moments = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(moments.count(), 8);
        assert_eq!(moments.mean_ns(), Some(5.0));
        assert!((moments.stddev_ns().unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!((moments.min_ns(), moments.max_ns()), (Some(2), Some(9)));
    }

    #[test]
    fn equal_values_have_no_deviation_however_large() {
        assert_eq!(of(&[3_599_999_999_999; 1000]).stddev_ns(), Some(0.0));
    }
}
