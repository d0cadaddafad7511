//! Counts how often each value occurred: fixed range, known error, mergeable.
//!
//! Log-linear bins as in HdrHistogram (Tene), which is the reference in the tests: each doubling of the value is cut into
//! the same number of equal bins. A quantile is the middle of its bin instead of its end, which needs half the bins for
//! the same error; merging, clearing and storing touch non-empty bins only.

use std::ops::Range;

/// The precision of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// At most 1.6 % off, 10 KiB.
    Coarse,
    /// At most 0.8 % off, 19 KiB.
    Two,
    /// At most 0.1 % off, 136 KiB.
    Three,
}

impl Digits {
    /// Each doubling is cut into two to this power bins.
    const fn bits(self) -> u32 {
        match self {
            Self::Coarse => 5,
            Self::Two => 6,
            Self::Three => 9,
        }
    }
}

/// How often each nanosecond value from 0 to [`Histogram::LIMIT_NS`] occurred.
///
/// Values of a few hundred nanoseconds and less are kept exactly; greater ones with the relative error of [`Digits`];
/// values beyond the limit are counted at the limit. Memory grows with the greatest value, unless
/// [`Histogram::reserve`] has taken it all.
#[derive(Clone, Debug)]
pub struct Histogram {
    digits: Digits,
    /// [`Digits::bits`] of the precision.
    bits: u32,
    count: u64,
    /// Least and greatest value. Bins outside of theirs are neither read nor written by merging or clearing.
    min: u64,
    max: u64,
    bins: Vec<u64>,
}

impl Histogram {
    /// Greatest value that differs from greater ones: one hour.
    pub const LIMIT_NS: u64 = 3_600_000_000_000;

    /// Creates an empty histogram.
    #[must_use]
    pub const fn new(digits: Digits) -> Self {
        Self { digits, bits: digits.bits(), count: 0, min: u64::MAX, max: 0, bins: Vec::new() }
    }

    /// Allocates all the memory it can ever need, so that recording allocates nothing.
    pub fn reserve(&mut self) {
        // Allocates zeros: the system provides only the pages that are used.
        let mut all = vec![0; index(self.bits, Self::LIMIT_NS) + 1];
        all[..self.bins.len()].copy_from_slice(&self.bins);
        self.bins = all;
    }

    /// Adds one value in nanoseconds.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        match self.bins.get_mut(index(self.bits, value_ns)) {
            Some(count) => *count += 1,
            None => self.add(self.bin(value_ns), 1),
        }
        self.count += 1;
        if value_ns < self.min || value_ns > self.max {
            self.extend(value_ns);
        }
    }

    /// Adds one value of zero, as frequent as any other and less work.
    #[inline]
    pub(crate) fn record_zero(&mut self) {
        match self.bins.first_mut() {
            Some(count) => *count += 1,
            None => self.add(0, 1),
        }
        self.count += 1;
        self.min = 0;
    }

    /// Makes a value that was recorded the least or the greatest if it is.
    #[cold]
    fn extend(&mut self, value_ns: u64) {
        self.min = self.min.min(value_ns);
        self.max = self.max.max(value_ns);
    }

    /// Adds one value in nanoseconds `count` times.
    pub fn record_many(&mut self, value_ns: u64, count: u64) {
        if count > 0 {
            self.add(self.bin(value_ns), count);
            self.count += count;
            self.extend(value_ns);
        }
    }

    /// Returns the bin of a value; the last one for values beyond the limit.
    fn bin(&self, value_ns: u64) -> usize {
        index(self.bits, value_ns.min(Self::LIMIT_NS))
    }

    /// Adds to a bin, which may not exist yet.
    #[cold]
    fn add(&mut self, bin: usize, count: u64) {
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += count;
    }

    /// Adds all values of `other`.
    ///
    /// # Panics
    /// When the two keep values to different [`Digits`].
    pub fn merge(&mut self, other: &Self) {
        assert!(self.digits == other.digits, "histograms of different precision cannot be added up");
        let range = other.range();
        if self.bins.len() < range.end {
            self.bins.resize(range.end, 0);
        }
        for (bin, count) in self.bins[range.clone()].iter_mut().zip(&other.bins[range]) {
            *bin += count;
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Clears all values and keeps the memory.
    pub fn clear(&mut self) {
        let range = self.range();
        self.bins[range].fill(0);
        (self.count, self.min, self.max) = (0, u64::MAX, 0);
    }

    /// Returns the bins from that of the least value to that of the greatest.
    fn range(&self) -> Range<usize> {
        if self.count > 0 { self.bin(self.min)..self.bin(self.max) + 1 } else { 0..0 }
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the least value in nanoseconds; none without values.
    pub(crate) fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Returns the greatest value in nanoseconds; none without values.
    pub(crate) fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the precision of values.
    #[must_use]
    pub const fn digits(&self) -> Digits {
        self.digits
    }

    /// Non-empty bins as index and count, in rising order.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (usize, u64)> {
        let range = self.range();
        let counts = range.clone().zip(&self.bins[range]);
        counts.filter(|(_, count)| **count > 0).map(|(bin, count)| (bin, *count))
    }

    /// Non-empty bins as the range of values they stand for (first, last; nanoseconds) and count, in rising order.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let bits = self.bits;
        self.filled().map(move |(bin, count)| (first_value(bits, bin), first_value(bits, bin + 1) - 1, count))
    }

    /// The value of the `rank`-th smallest (from 1), as the middle of its bin; none when there are fewer.
    #[must_use]
    pub fn value_at_rank(&self, rank: u64) -> Option<u64> {
        if rank == 0 || rank > self.count {
            return None;
        }
        let mut passed = 0;
        for (first, last, count) in self.bins() {
            passed += count;
            if passed >= rank {
                return Some((first + (last - first) / 2).min(Self::LIMIT_NS));
            }
        }
        None
    }

    /// The smallest value that at least the share `quantile` (0 to 1) of all values do not exceed; none without values.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        self.value_at_rank(rank(quantile, self.count))
    }

    /// How many values are at most `value_ns`, counting its whole bin.
    #[must_use]
    pub fn count_at_most(&self, value_ns: u64) -> u64 {
        self.count_before(self.bin(value_ns) + 1)
    }

    /// How many values are below `value_ns`, not counting its bin.
    #[must_use]
    pub fn count_below(&self, value_ns: u64) -> u64 {
        self.count_before(self.bin(value_ns))
    }

    fn count_before(&self, bin: usize) -> u64 {
        self.filled().take_while(|filled| filled.0 < bin).map(|filled| filled.1).sum()
    }

    /// Restores a histogram from its least and greatest value and its non-empty bins in rising order; none when a bin does not
    /// exist, or when the first and the last are not those of the two values.
    pub(crate) fn restore(
        digits: Digits,
        (min, max): (u64, u64),
        bins: impl Iterator<Item = (usize, u64)>,
    ) -> Option<Self> {
        let mut restored = Self { min, max, ..Self::new(digits) };
        let (first, last) = (restored.bin(min), restored.bin(max));
        restored.bins.resize(last + 1, 0);
        let mut ends = None;
        for (bin, count) in bins.filter(|(_, count)| *count > 0) {
            if !(first..=last).contains(&bin) {
                return None;
            }
            restored.bins[bin] += count;
            restored.count += count;
            ends = Some((ends.map_or(bin, |(first, _)| first), bin));
        }
        (ends == Some((first, last))).then_some(restored)
    }
}

/// Returns which of `count` values in rising order, from 1, is the `quantile`.
pub(crate) fn rank(quantile: f64, count: u64) -> u64 {
    // The small subtraction keeps 0.99 * 100 from becoming rank 100 by rounding.
    ((quantile * count as f64 - 1e-6).ceil() as u64).clamp(1, count.max(1))
}

/// Returns the bin of a value, where each doubling is cut into 2^bits bins.
#[inline]
const fn index(bits: u32, value: u64) -> usize {
    let shift = 63 - (value | (1 << bits)).leading_zeros() - bits;
    ((shift as usize) << bits) + (value >> shift) as usize
}

/// Returns the least value of a bin.
const fn first_value(bits: u32, bin: usize) -> u64 {
    let block = bin >> bits;
    if block < 2 {
        return bin as u64;
    }
    let shift = block as u32 - 1;
    ((bin - ((shift as usize) << bits)) as u64) << shift
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.digits == other.digits && self.filled().eq(other.filled())
    }
}

impl Eq for Histogram {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed sequence of values spread over the range (xorshift, Marsaglia 2003).
    fn values(count: usize) -> impl Iterator<Item = u64> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let magnitude = 10 + (state >> 58) % 30;
            (state & 0xFFFF_FFFF) % (1 << magnitude)
        })
        .take(count)
    }

    #[test]
    fn bins_follow_each_other_without_gap() {
        for digits in [Digits::Coarse, Digits::Two, Digits::Three] {
            let bits = digits.bits();
            for bin in 0..index(bits, Histogram::LIMIT_NS) {
                assert_eq!(index(bits, first_value(bits, bin)), bin);
                assert_eq!(index(bits, first_value(bits, bin + 1) - 1), bin);
            }
        }
    }

    #[test]
    fn the_error_is_what_it_is_said_to_be() {
        for (digits, bound) in [(Digits::Coarse, 0.016), (Digits::Two, 0.008), (Digits::Three, 0.001)] {
            for value in values(10_000) {
                let mut histogram = Histogram::new(digits);
                histogram.record(value);
                let kept = histogram.quantile(0.5).unwrap();
                assert!(kept.abs_diff(value) as f64 <= bound * value as f64, "{value} became {kept}");
            }
        }
    }

    #[test]
    fn quantiles_agree_with_hdrhistogram() {
        let mut ours = Histogram::new(Digits::Three);
        let mut theirs = hdrhistogram::Histogram::<u64>::new_with_bounds(1, Histogram::LIMIT_NS, 4).unwrap();
        for value in values(100_000) {
            ours.record(value);
            theirs.record(value).unwrap();
        }
        for quantile in [0.001, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999] {
            let (a, b) = (ours.quantile(quantile).unwrap() as f64, theirs.value_at_quantile(quantile) as f64);
            assert!((a - b).abs() <= 0.0012 * b, "{quantile}: {a} and {b}");
        }
    }

    #[test]
    fn values_beyond_the_limit_count_at_the_limit() {
        let mut histogram = Histogram::new(Digits::Three);
        histogram.record(u64::MAX);
        assert_eq!(histogram.quantile(1.0), Some(Histogram::LIMIT_NS));
    }

    #[test]
    fn quantiles_of_a_hundred_values_are_the_values() {
        let mut histogram = Histogram::new(Digits::Three);
        (1..=100).for_each(|v| histogram.record(v));
        assert_eq!(histogram.quantile(0.0), Some(1));
        assert_eq!(histogram.quantile(0.5), Some(50));
        assert_eq!(histogram.quantile(0.99), Some(99));
        assert_eq!(histogram.quantile(1.0), Some(100));
        assert_eq!((histogram.count_at_most(75), histogram.count_below(75)), (75, 74));
        assert_eq!(Histogram::new(Digits::Two).quantile(0.5), None);
    }

    #[test]
    fn merging_is_recording_all_and_clearing_is_new() {
        let (mut left, mut right, mut both) =
            (Histogram::new(Digits::Two), Histogram::new(Digits::Two), Histogram::new(Digits::Two));
        left.reserve();
        for (i, value) in values(1_000).enumerate() {
            if i % 3 == 0 {
                left.record(value)
            } else {
                right.record(value)
            }
            both.record(value);
        }
        left.merge(&right);
        left.merge(&Histogram::new(Digits::Two));
        assert_eq!(left, both);
        left.clear();
        assert_eq!(left, Histogram::new(Digits::Two));
        assert!(left.bins.iter().all(|count| *count == 0));
    }
}
