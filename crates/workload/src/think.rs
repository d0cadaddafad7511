//! How long a user pauses.

use crate::seed::Stream;
use std::time::Duration;
use warwolf_plan::Think;

/// Returns pause `position` of the session that owns this stream.
pub(crate) fn draw(think: &Think, stream: Stream, position: u64) -> Duration {
    match *think {
        Think::None => Duration::ZERO,
        Think::Constant { time } => time,
        Think::Uniform { min, max, granularity } => {
            let span = nanos(max).saturating_sub(nanos(min));
            let drawn = nanos(min).saturating_add(stream.below(position, span.saturating_add(1)));
            let step = nanos(granularity).max(1);
            let steps = drawn / step + u64::from(drawn % step >= step.div_ceil(2));
            Duration::from_nanos(steps.saturating_mul(step))
        }
        // The cast saturates: a pause of more than 584 years becomes one of 584.
        Think::Exponential { mean } => {
            Duration::from_nanos((stream.exponential(position) * nanos(mean) as f64).round() as u64)
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Streams};

    fn drawn(think: Think) -> Vec<f64> {
        let streams = Streams::new(11, Purpose::THINK);
        // Across sessions and within them, as they are drawn in a run.
        (0..20_000).map(|i| draw(&think, streams.stream(i / 10), i % 10).as_secs_f64()).collect()
    }

    /// The largest distance to `cdf` times the root of the number of draws: above 1.63 once in a hundred samples.
    fn distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        sample.sort_by(f64::total_cmp);
        let n = sample.len() as f64;
        let apart = |(i, x): (usize, &f64)| (cdf(*x) - (i as f64 + 0.5) / n).abs();
        sample.iter().enumerate().map(apart).fold(0.0, f64::max) * n.sqrt()
    }

    #[test]
    fn pauses_have_the_distribution_asked_for() {
        let (min, max) = (Duration::from_millis(100), Duration::from_millis(500));
        let uniform = distance(drawn(Think::Uniform { min, max, granularity: Duration::ZERO }), |x| {
            ((x - 0.1) / 0.4).clamp(0.0, 1.0)
        });
        assert!(uniform < 1.63, "{uniform}");
        let mean = Duration::from_secs(2);
        let exponential = distance(drawn(Think::Exponential { mean }), |x| 1.0 - (-x / 2.0).exp());
        assert!(exponential < 1.63, "{exponential}");
        assert!(drawn(Think::Constant { time: min }).iter().all(|time| *time == 0.1));
        assert!(drawn(Think::None).iter().all(|time| *time == 0.0));
    }

    #[test]
    fn pauses_in_steps_have_their_ends_half_as_often() {
        let second = Duration::from_secs(1);
        let mut counts = [0_u32; 4];
        for time in drawn(Think::Uniform { min: Duration::ZERO, max: second * 3, granularity: second }) {
            assert_eq!(time.fract(), 0.0);
            counts[time as usize] += 1;
        }
        let expected = [1.0, 2.0, 2.0, 1.0].map(|share| share * 20_000.0 / 6.0);
        // Chi-squared with three degrees of freedom exceeds 11.3 once in a hundred.
        let chi: f64 = counts.iter().zip(expected).map(|(n, e)| (f64::from(*n) - e).powi(2) / e).sum();
        assert!(chi < 11.3, "{chi} {counts:?}");
    }

    #[test]
    fn the_longest_pauses_do_not_overflow() {
        // 584 years.
        const LONGEST: Duration = Duration::from_nanos(u64::MAX);
        let stream = Streams::new(0, Purpose::THINK).stream(0);
        let of = |think: Think| (0..1_000).map(move |position| draw(&think, stream, position));
        let longest = |min, granularity| Think::Uniform { min, max: LONGEST, granularity };
        // Longer than half of the longest there is: e^-0.5 = 61 % of an exponential's draws, and half of a uniform's.
        let long = |think| of(think).filter(|time| *time > LONGEST / 2).count();
        assert!((560..=660).contains(&long(Think::Exponential { mean: LONGEST })));
        assert!((450..=550).contains(&long(longest(Duration::ZERO, Duration::ZERO))));
        assert!(of(longest(LONGEST, Duration::ZERO)).all(|time| time == LONGEST));
        assert!(of(longest(Duration::ZERO, LONGEST)).all(|time| time.is_zero() || time == LONGEST));
    }
}
