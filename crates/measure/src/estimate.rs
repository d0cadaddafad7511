//! Estimates 95 % confidence intervals that account for correlation between neighbouring calls.
//!
//! The run is cut into up to twenty batches of equal time. The values that a figure has in the batches show how much it
//! varies (batch means: Schmeiser, "Batch size effects in the analysis of simulation output", 1982, who finds 10 to
//! 30 batches right). For quantiles the same variation is taken of "is above the quantile", and the interval is between
//! the order statistics that far from it (Woodruff, "Confidence intervals for medians and other position measures",
//! 1952). Dependence that spans more than a batch is not detected; then the intervals are too narrow.

use crate::Distribution;

/// 97.5 % point of the standard normal distribution.
const NORMAL: f64 = 1.959_963_985;

/// Maximum number of batches.
pub(crate) const BATCHES: usize = 20;

/// Minimum number of batches for an estimate of dependence.
const FEWEST_BATCHES: usize = 5;

/// Returns the 97.5 % point of Student's distribution with `freedom` degrees of freedom.
fn student(freedom: usize) -> f64 {
    student_point(NORMAL, freedom)
}

/// The point of Student's distribution with `freedom` degrees of freedom, at least 4, that is exceeded as often as `normal`
/// is by the standard normal distribution: within 0.3 % for 97.5 %, 0.6 % for 99.5 % (Cornish and Fisher's expansion;
/// Abramowitz and Stegun 26.7.5).
#[must_use]
pub fn student_point(normal: f64, freedom: usize) -> f64 {
    let (z, v) = (normal, freedom as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v.powi(3))
}

/// Sums by batch of a numerator and its denominator, such as completions and seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ratio {
    parts: Vec<(f64, f64)>,
}

impl Ratio {
    /// Adds to the sums of batch `batch`.
    pub(crate) fn add(&mut self, batch: usize, above: f64, below: f64) {
        if batch >= self.parts.len() {
            self.parts.resize(batch + 1, (0.0, 0.0));
        }
        self.parts[batch].0 += above;
        self.parts[batch].1 += below;
    }

    /// Returns the ratio of the sums; none if the denominator is zero.
    pub(crate) fn value(&self) -> Option<f64> {
        let (above, below) = self.sums();
        (below > 0.0).then(|| above / below)
    }

    fn sums(&self) -> (f64, f64) {
        self.parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }

    /// Returns the variance of the numerator, given the ratio, estimated from the batches; and the degrees of freedom.
    fn variance(&self) -> Option<(f64, usize)> {
        let filled = self.parts.iter().filter(|part| part.1 > 0.0).count();
        let ratio = self.value()?;
        (filled >= FEWEST_BATCHES).then(|| {
            let squares: f64 = self.parts.iter().map(|(above, below)| (above - ratio * below).powi(2)).sum();
            (squares * filled as f64 / (filled - 1) as f64, filled - 1)
        })
    }

    /// Returns the 95 % interval of the ratio; none with too few batches.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        let ratio = self.value()?;
        let (variance, freedom) = self.variance()?;
        let half = student(freedom) * variance.sqrt() / self.sums().1;
        Some(((ratio - half).max(0.0), ratio + half))
    }

    /// Returns the relative change from the first half of the batches to the second, and whether it is significant.
    pub(crate) fn trend(&self) -> Option<(f64, bool)> {
        if self.parts.len() < 2 * FEWEST_BATCHES {
            return None;
        }
        let (first, second) = self.parts.split_at(self.parts.len() / 2);
        let (first, second) = (Self { parts: first.to_vec() }, Self { parts: second.to_vec() });
        let (before, after) = (first.value()?, second.value()?);
        let (low_before, high_before) = first.interval()?;
        let (low_after, high_after) = second.interval()?;
        (before > 0.0).then(|| (after / before - 1.0, low_after > high_before || high_after < low_before))
    }
}

/// Returns whether `count` values are enough for the `quantile` of their population: whether the greatest of them is
/// above it with 97.5 % (David and Nagaraja, "Order Statistics", section 7.1). For p99 that takes 368 values, for p99.9
/// 3,688. With fewer values a percentile is only the greatest value under another name.
#[must_use]
pub fn is_known(quantile: f64, count: u64) -> bool {
    (count as f64 * quantile.ln()).exp() <= 0.025
}

/// Returns how many values make a `quantile` known; see [`is_known`].
#[must_use]
pub fn samples_needed(quantile: f64) -> u64 {
    (0.025f64.ln() / quantile.ln()).ceil() as u64
}

/// Ranks, from 1, between which the `quantile` lies with 95 %. `variance` is that of the number of values above it,
/// taken as the binomial one where that is greater. None when the upper one is not among the values.
fn order_statistics(quantile: f64, count: u64, variance: f64, point: f64) -> Option<(u64, u64)> {
    let n = count as f64;
    let binomial = n * quantile * (1.0 - quantile);
    let independent = variance <= binomial;
    let half = if independent { NORMAL * binomial.sqrt() } else { point * variance.sqrt() };
    let low = (n * quantile - half).floor().max(1.0) as u64;
    let high = (n * quantile + half).ceil() as u64;
    // At the edge the normal approximation asks for a few values more than `is_known`, which is exact.
    let high = if independent { high.min(count) } else { high };
    (is_known(quantile, count) && high <= count).then_some((low, high.max(low)))
}

/// 95 % interval of the `quantile` in nanoseconds, where `shares` have by batch the values above it, the values not below
/// it, and all values. None when the values are too few, or too dependent, for an upper bound.
pub(crate) fn quantile_interval(of: &Distribution, quantile: f64, shares: [&Ratio; 2]) -> Option<(u64, u64)> {
    let variances = shares.iter().filter_map(|share| share.variance());
    let (variance, point) = variances
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or((0.0, NORMAL), |(variance, freedom)| (variance, student(freedom)));
    let (low, high) = order_statistics(quantile, of.count(), variance, point)?;
    Some((of.value_at_rank(low)?, of.value_at_rank(high)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digits;

    #[test]
    fn students_points_are_those_of_the_tables() {
        for (freedom, expected) in [(4, 2.776), (5, 2.571), (9, 2.262), (19, 2.093), (100, 1.984)] {
            assert!((student(freedom) / expected - 1.0).abs() < 0.003, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn a_percentile_needs_values_beyond_it() {
        for (quantile, fewest) in [(0.5, 6), (0.9, 36), (0.99, 368), (0.999, 3_688), (0.9999, 36_887)] {
            assert!(is_known(quantile, fewest), "{quantile} of {fewest}");
            assert!(!is_known(quantile, fewest - 1), "{quantile} of {}", fewest - 1);
        }
        assert!(!is_known(0.5, 0));
    }

    #[test]
    fn a_ratio_without_variation_is_certain() {
        let mut ratio = Ratio::default();
        (0..10).for_each(|batch| ratio.add(batch, 500.0, 1.0));
        assert_eq!((ratio.value(), ratio.interval()), (Some(500.0), Some((500.0, 500.0))));
        assert_eq!(ratio.trend(), Some((0.0, false)));
    }

    #[test]
    fn too_few_batches_give_no_interval() {
        let mut ratio = Ratio::default();
        (0..4).for_each(|batch| ratio.add(batch, 1.0, 1.0));
        assert_eq!((ratio.value(), ratio.interval(), ratio.trend()), (Some(1.0), None, None));
        assert_eq!(Ratio::default().value(), None);
    }

    #[test]
    fn a_trend_is_told_from_noise() {
        let (mut rising, mut noisy) = (Ratio::default(), Ratio::default());
        for batch in 0..20 {
            rising.add(batch, 100.0 + 10.0 * batch as f64, 1.0);
            noisy.add(batch, if batch % 3 == 0 { 50.0 } else { 150.0 }, 1.0);
        }
        assert!(rising.trend().unwrap().1);
        assert!(!noisy.trend().unwrap().1);
    }

    /// Random numbers between 0 and 1 (SplitMix64, Steele, Lea and Flood 2014).
    struct Chance(u64);
    impl Chance {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// In which share of `runs` runs of `count` calls in 20 batches the interval holds the true quantile. Latencies are
    /// exponential with mean 1 ms; each is that of the call before with probability `stickiness`.
    fn coverage(runs: u32, seed: u64, quantile: f64, count: usize, stickiness: f64) -> f64 {
        let mut chance = Chance(seed);
        let truth = -(1.0 - quantile).ln() * 1e6;
        let mut hits = 0;
        for _ in 0..runs {
            let mut value = 0.0;
            let values: Vec<u64> = (0..count)
                .map(|i| {
                    if i == 0 || chance.next() >= stickiness {
                        value = -chance.next().max(1e-300).ln() * 1e6;
                    }
                    value as u64
                })
                .collect();
            let mut all = Distribution::new(Digits::Three);
            values.iter().for_each(|v| all.record(*v));
            let found = all.quantile(quantile).unwrap();
            let mut above = Ratio::default();
            for (i, value) in values.iter().enumerate() {
                above.add(i * BATCHES / count, f64::from(u8::from(*value > found)), 1.0);
            }
            // An interval without upper bound counts as a hit.
            hits += quantile_interval(&all, quantile, [&above, &above])
                .is_none_or(|(low, high)| low as f64 <= truth * 1.001 && truth * 0.999 <= high as f64)
                as u32;
        }
        f64::from(hits) / f64::from(runs)
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        intervals_hold(200, 0.91);
    }

    #[test]
    #[ignore = "nightly: 1,000 runs"]
    fn intervals_hold_the_truth_in_1000_runs() {
        intervals_hold(1_000, 0.92);
    }

    /// Checks that intervals contain the true value in at least this share of so many runs.
    fn intervals_hold(runs: u32, least: f64) {
        for (seed, quantile, count, stickiness) in [
            (1, 0.5, 1_000, 0.0),
            (2, 0.99, 400, 0.0),
            (3, 0.99, 4_000, 0.0),
            (4, 0.5, 4_000, 0.9),
            (5, 0.9, 4_000, 0.9),
            (6, 0.99, 10_000, 0.9),
        ] {
            let covered = coverage(runs, seed, quantile, count, stickiness);
            assert!(
                covered >= least,
                "seed {seed}: p{} of {count} ({stickiness}): {covered}",
                quantile * 100.0
            );
        }
    }
}
