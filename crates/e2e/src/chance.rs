//! The little statistics that truth tests need.

/// The value that a share of `share` of all samples does not exceed, counted as histograms count: the smallest sample
/// with at least that share at or below it.
///
/// # Panics
/// When there are no samples.
pub fn quantile(samples: &[u64], share: f64) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let rank = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len());
    sorted[rank - 1]
}

/// The Kolmogorov-Smirnov distance: how far the samples' distribution is from `expected` at the most.
pub fn distance(samples: &[f64], expected: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mut most: f64 = 0.0;
    for (index, sample) in sorted.iter().enumerate() {
        let at = expected(*sample);
        most = most.max((at - index as f64 / count).abs()).max(((index + 1) as f64 / count - at).abs());
    }
    most
}

/// The distance that chance alone exceeds once in a thousand runs, for so many samples.
pub fn critical(samples: usize) -> f64 {
    1.95 / (samples as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_sample() {
        assert_eq!(quantile(&[30, 10, 20], 0.5), 20);
        assert_eq!(quantile(&[30, 10, 20], 1.0), 30);
        assert_eq!(quantile(&[30, 10, 20], 0.0), 10);
    }

    #[test]
    fn the_distance_from_the_right_distribution_is_small_and_from_a_wrong_one_large() {
        let even: Vec<f64> = (0..1000).map(|k| (f64::from(k) + 0.5) / 1000.0).collect();
        assert!(distance(&even, |x| x) < 0.001);
        assert!(distance(&even, |x| x * x) > 0.2);
        assert!(critical(1000) < 0.07);
    }
}
