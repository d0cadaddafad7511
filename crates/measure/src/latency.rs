//! Latency of all calls, including those without an end.
//!
//! A call in flight at the stop, or one that never started, has no latency; all that is known is that it would have been
//! longer than the time since its intended start. Leaving such calls out hides a server that stops answering. They are
//! right-censored observations: the product-limit estimator counts each among the slower ones up to its age (Kaplan and
//! Meier, "Nonparametric estimation from incomplete observations", 1958). Without such calls it is the plain distribution.

use crate::{Distribution, Phase, Tally};

/// A quantile of latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyQuantile {
    /// Nanoseconds.
    pub value_ns: u64,
    /// Whether it is greater than that, by an unknown amount: too many calls of that age had no end.
    pub is_at_least: bool,
}

/// The distribution of latency over calls that ended and calls that did not.
#[derive(Debug)]
pub struct Latency<'t> {
    ended: &'t Distribution,
    ages: [&'t Distribution; 2],
    /// One for each bin with calls that ended, in rising order; empty when all calls have an end.
    steps: Vec<Step>,
}

/// The estimate for one bin.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Share of calls that take longer than all bins before it.
    before: f64,
    /// Calls that took at least as long as this bin, or may have.
    at_risk: u64,
    /// Calls that ended in it.
    ended: u64,
    /// Calls that ended in bins before it.
    passed: u64,
    /// Its middle in nanoseconds.
    middle_ns: f64,
}

impl Step {
    /// Share of calls that take longer than this bin.
    fn after(&self) -> f64 {
        self.before * (1.0 - self.ended as f64 / self.at_risk as f64)
    }
}

impl<'t> Latency<'t> {
    /// The latency of all calls that a tally counts.
    #[must_use]
    pub fn of(tally: &'t Tally) -> Self {
        let ended = tally.phase(Phase::Latency);
        let ages = [tally.phase(Phase::UnfinishedAge), tally.phase(Phase::UnstartedAge)];
        let steps = if ages.iter().all(|ages| ages.count() == 0) { Vec::new() } else { steps(ended, ages) };
        Self { ended, ages, steps }
    }

    /// Returns the number of calls, with and without an end.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ended.count() + self.waiting()
    }

    /// Returns the number of calls without an end.
    fn waiting(&self) -> u64 {
        self.ages.iter().map(|ages| ages.count()).sum()
    }

    /// The smallest value that at least the share `quantile` (0 to 1) of all calls do not exceed. None without calls.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<LatencyQuantile> {
        match self.rank(quantile) {
            Some(rank) => {
                let value_ns = self.ended.value_at_rank(rank)?;
                Some(LatencyQuantile { value_ns, is_at_least: false })
            }
            None => Some(LatencyQuantile { value_ns: self.max_ns()?, is_at_least: true }),
        }
    }

    /// Which of the calls that ended, by rank from 1, is the `quantile`; none when it is greater than all that is known.
    pub(crate) fn rank(&self, quantile: f64) -> Option<u64> {
        if self.waiting() == 0 {
            return Some(crate::histogram::rank(quantile, self.ended.count()));
        }
        let longer = 1.0 - quantile;
        let step = self.steps.iter().find(|step| step.after() <= longer + 1e-12)?;
        let ended = (1.0 - longer / step.before) * step.at_risk as f64;
        Some(step.passed + ((ended - 1e-6).ceil() as u64).clamp(1, step.ended))
    }

    /// The mean up to the greatest value there is; a lower bound where that is the age of a call without an end.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        let exact = self.ended.moments().mean_ns();
        let Some(last) = self.steps.last() else {
            return exact.filter(|_| self.waiting() == 0).or(self.max_ns().map(|max| max as f64));
        };
        let binned: f64 = self.steps.iter().map(|step| step.ended as f64 * step.middle_ns).sum();
        let binned = binned / self.ended.count() as f64;
        // Bins are as wide as 0.1 %; what that changes is taken out again, because the mean of the ended calls is known.
        let scale = exact.filter(|_| binned > 0.0).map_or(1.0, |exact| exact / binned);
        let known: f64 =
            self.steps.iter().map(|step| (step.before - step.after()) * step.middle_ns * scale).sum();
        Some(known + last.after() * self.max_ns()? as f64)
    }

    /// The greatest latency, or the greatest age of a call without an end where that is greater.
    #[must_use]
    pub fn max_ns(&self) -> Option<u64> {
        let ages = self.ages.iter().filter_map(|ages| ages.moments().max_ns());
        self.ended.moments().max_ns().into_iter().chain(ages).max()
    }
}

/// Walks the bins of calls that ended, and takes calls without an end out at their age. One whose age lies in the same bin
/// is still among the slower ones.
fn steps(ended: &Distribution, ages: [&Distribution; 2]) -> Vec<Step> {
    let mut ages: Vec<(u64, u64)> =
        ages.iter().flat_map(|ages| ages.histogram().bins()).map(|(_, last, count)| (last, count)).collect();
    ages.sort_unstable();
    let mut ages = ages.into_iter().peekable();
    let mut at_risk = ended.count() + ages.clone().map(|(_, count)| count).sum::<u64>();
    let (mut before, mut passed) = (1.0, 0);
    let mut steps = Vec::new();
    for (first, last, count) in ended.histogram().bins() {
        while let Some((_, younger)) = ages.next_if(|(age, _)| *age < first) {
            at_risk -= younger;
        }
        let middle_ns = first as f64 + (last - first) as f64 / 2.0;
        let step = Step { before, at_risk, ended: count, passed, middle_ns };
        (before, passed, at_risk) = (step.after(), passed + count, at_risk - count);
        steps.push(step);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Sample};
    use std::time::Duration;
    use warwolf_clock::Timestamp;

    const MS: u64 = 1_000_000;

    fn sample(latency_ns: u64, outcome: Outcome) -> Sample {
        let at = |nanos| Timestamp::ZERO + Duration::from_nanos(nanos);
        Sample {
            intended: at(0),
            started: at(0),
            sent: at(0),
            first_byte: at(0),
            finished: at(latency_ns),
            body_bytes: 0,
            header_bytes: 0,
            sent_bytes: 0,
            status: 200,
            target: 0,
            outcome,
            check_failed: false,
        }
    }

    fn tally(ended: impl IntoIterator<Item = u64>, ages: impl IntoIterator<Item = u64>) -> Tally {
        let mut tally = Tally::new();
        ended.into_iter().for_each(|ns| tally.record(&sample(ns, Outcome::Completed)));
        ages.into_iter().for_each(|ns| tally.record(&sample(ns, Outcome::Unfinished)));
        tally
    }

    #[track_caller]
    fn assert_near(found: Option<f64>, expected: f64) {
        let found = found.expect("a figure");
        assert!((found / expected - 1.0).abs() < 0.01, "{found}, not {expected}");
    }

    #[test]
    fn without_unfinished_calls_it_is_the_plain_distribution() {
        let tally = tally((1..=1_000).map(|n| n * MS), []);
        let (latency, plain) = (Latency::of(&tally), tally.phase(Phase::Latency));
        for quantile in [0.001, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let expected = plain.quantile(quantile);
            assert_eq!(
                latency.quantile(quantile).map(|q| (Some(q.value_ns), q.is_at_least)),
                Some((expected, false))
            );
        }
        assert_eq!(
            (latency.mean_ns(), latency.max_ns()),
            (plain.moments().mean_ns(), plain.moments().max_ns())
        );
        assert_eq!(Latency::of(&Tally::new()).quantile(0.5), None);
        assert_eq!(Latency::of(&Tally::new()).mean_ns(), None);
    }

    /// The example of Kaplan and Meier's paper, section 2: deaths at 0.8, 3.1, 5.4, 9.2, losses at 1.0, 2.7, 7.0, 12.1.
    #[test]
    fn it_estimates_what_the_paper_does() {
        let tenths = |values: [u64; 4]| values.map(|tenth| tenth * 100 * MS);
        let tally = tally(tenths([8, 31, 54, 92]), tenths([10, 27, 70, 121]));
        let latency = Latency::of(&tally);
        let shares: Vec<f64> = latency.steps.iter().map(Step::after).collect();
        let expected = [7.0 / 8.0, 7.0 / 8.0 * 4.0 / 5.0, 7.0 / 8.0 * 3.0 / 5.0, 7.0 / 8.0 * 3.0 / 10.0];
        for (found, expected) in shares.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
        }
        let quantile = |q| latency.quantile(q).map(|q| (q.value_ns as f64, q.is_at_least)).unwrap();
        for (q, seconds) in [(0.1, 0.8), (0.3, 3.1), (0.4, 5.4), (0.5, 9.2), (0.7, 9.2)] {
            assert_near(Some(quantile(q).0), seconds * 1e9);
            assert!(!quantile(q).1);
        }
        assert_eq!(quantile(0.75), (12.1e9, true));
        let mean = 0.8 / 8.0 + 0.175 * 3.1 + 0.175 * 5.4 + 0.2625 * 9.2 + 0.2625 * 12.1;
        assert_near(latency.mean_ns(), mean * 1e9);
        assert_eq!(latency.count(), 8);
    }

    #[test]
    fn a_server_that_stops_answering_shows_in_every_percentile_above_its_share() {
        // 747 fast replies, then 1,253 calls that wait up to 2.5 s.
        let tally = tally((0..747).map(|_| MS / 5), (0..1_253).map(|n| n * 2 * MS));
        let latency = Latency::of(&tally);
        assert!(!latency.quantile(0.37).unwrap().is_at_least);
        for quantile in [0.38, 0.5, 0.9, 0.99, 0.9999] {
            let expected = LatencyQuantile { value_ns: 2_504 * MS, is_at_least: true };
            assert_eq!(latency.quantile(quantile), Some(expected), "{quantile}");
        }
        assert_near(latency.mean_ns(), 0.6265 * 2.504e9);
    }

    #[test]
    fn calls_of_the_usual_age_change_nothing() {
        // A closed loop of 50 users, stopped in the middle of 50 calls of 10 ms each.
        let tally = tally((0..50_000).map(|n| 10 * MS + n), (0..50).map(|n| n * MS / 5));
        let latency = Latency::of(&tally);
        for quantile in [0.01, 0.5, 0.99, 0.9999] {
            let found = latency.quantile(quantile).unwrap();
            assert!(!found.is_at_least);
            assert_near(Some(found.value_ns as f64), 10.0 * MS as f64);
        }
        assert_near(latency.mean_ns(), 10.025 * MS as f64);
    }

    #[test]
    fn calls_that_never_started_count_with_their_age() {
        let mut tally = tally([MS; 100], []);
        tally.unstarted_after(Duration::from_secs(1), 100);
        let half = Latency::of(&tally).quantile(0.6);
        assert_eq!(half, Some(LatencyQuantile { value_ns: 1_000 * MS, is_at_least: true }));
    }

    #[test]
    fn without_any_end_all_are_greater_than_the_greatest_age() {
        let tally = tally([], [MS, 3 * MS]);
        let latency = Latency::of(&tally);
        assert_eq!(latency.quantile(0.01), Some(LatencyQuantile { value_ns: 3 * MS, is_at_least: true }));
        assert_eq!(latency.mean_ns(), Some(3.0 * MS as f64));
    }
}
