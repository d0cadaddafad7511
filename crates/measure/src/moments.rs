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

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, sum: 0, squares: 0, min: u64::MAX, max: 0 }
    }
}

impl Moments {
    /// Adds one value in nanoseconds.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.count += 1;
        self.sum += u128::from(value_ns);
        self.squares = self.squares.saturating_add(u128::from(value_ns) * u128::from(value_ns));
        self.min = self.min.min(value_ns);
        self.max = self.max.max(value_ns);
    }

    /// Adds one value in nanoseconds `count` times.
    pub(crate) fn record_many(&mut self, value_ns: u64, count: u64) {
        if count > 0 {
            let (value, many) = (u128::from(value_ns), u128::from(count));
            let squares = (value * value).saturating_mul(many);
            self.merge(&Self { count, sum: value * many, squares, min: value_ns, max: value_ns });
        }
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares = self.squares.saturating_add(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Whether at most `most` values could have these sums: what was read from a file need not be what was written.
    pub(crate) fn is_sound(&self, most: u64) -> bool {
        let sums = self.sum <= u128::from(self.count) * u128::from(self.max)
            && self.sum >= u128::from(self.count) * u128::from(self.min);
        self.count <= most
            && if self.count == 0 { *self == Self::default() } else { self.min <= self.max && sums }
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

    fn of(values: &[u64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|v| moments.record(*v));
        moments
    }

    #[test]
    fn without_values_there_are_no_figures() {
        let none = Moments::default();
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

    #[test]
    fn merging_is_recording_all() {
        let mut left = of(&[1, 2, 3]);
        left.merge(&of(&[10, 20]));
        left.merge(&Moments::default());
        assert_eq!(left, of(&[10, 3, 20, 1, 2]));
    }
}
