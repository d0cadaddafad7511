//! Runs that follow each other as one, so that a report's rules judge them together: the slices of one side of a comparison.

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{HostEvidence, Interval, Run, Timeline};

/// Runs of one plan that were made one after the other, put into one timeline; what each measured in its warm-up and after
/// it.
#[derive(Clone, Debug, Default)]
pub struct Joining {
    whole: Option<Run>,
    intervals: u64,
    count: u32,
}

impl Joining {
    /// Adds a run behind the others. Rows of targets are kept where it has the first run's targets. False, and nothing is added, when it counts by another interval than the first.
    pub fn push(&mut self, run: &Run) -> bool {
        let interval = run.timeline.recorded_interval();
        if run.timeline.interval() != interval {
            return false;
        }
        let whole = self.whole.get_or_insert_with(|| Run {
            timeline: Timeline::new(interval),
            hosts: Vec::new(),
            warmup: Duration::ZERO,
            ..run.clone()
        });
        if whole.timeline.recorded_interval() != interval {
            return false;
        }
        for mut part in run.timeline.intervals() {
            if run.targets != whole.targets || run.labels != whole.labels {
                part.tally.forget_targets();
            }
            let start = interval_start(interval, self.intervals);
            whole.timeline.push(&Interval { number: self.intervals, start, end: start + interval, ..part });
            self.intervals += 1;
        }
        if self.count > 0 && run.labels == whole.labels {
            whole.examples.merge(&run.examples);
        }
        self.count += 1;
        whole.wall = interval.saturating_mul(u32::try_from(self.intervals).unwrap_or(u32::MAX));
        whole.nominal = run.nominal.map(|_| whole.wall);
        whole.hosts.resize_with(whole.hosts.len().max(run.hosts.len()), HostEvidence::default);
        for (sum, part) in whole.hosts.iter_mut().zip(&run.hosts) {
            add_evidence(sum, part, self.count);
        }
        true
    }

    /// The whole; none when nothing was added.
    #[must_use]
    pub fn finish(self) -> Option<Run> {
        self.whole
    }
}

/// All of `runs` as one. None when there is none, or they count by different intervals.
#[must_use]
pub fn joined(runs: &[Run]) -> Option<Run> {
    let mut whole = Joining::default();
    runs.iter().all(|run| whole.push(run)).then_some(whole)?.finish()
}

fn interval_start(interval: Duration, number: u64) -> Timestamp {
    Timestamp::ZERO + interval.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Adds what was observed in the `count`-th run: times add up, shares are means, peaks are the greatest.
fn add_evidence(sum: &mut HostEvidence, part: &HostEvidence, count: u32) {
    let before = std::mem::replace(sum, part.clone());
    if count > 1 {
        sum.environment = before.environment;
    }
    sum.workers.resize_with(before.workers.len().max(part.workers.len()), Default::default);
    for (worker, before) in sum.workers.iter_mut().zip(&before.workers) {
        worker.busy += before.busy;
        worker.wall += before.wall;
        worker.cpu_user += before.cpu_user;
        worker.cpu_system += before.cpu_system;
        worker.run_delay = add(worker.run_delay, before.run_delay);
        worker.late_pages += before.late_pages;
        worker.starved += before.starved;
    }
    sum.cgroup_throttled = add(before.cgroup_throttled, part.cgroup_throttled);
    sum.descriptors_peak = before.descriptors_peak.max(part.descriptors_peak);
    sum.connections_held = before.connections_held.max(part.connections_held);
    sum.cpu_user += before.cpu_user;
    sum.cpu_system += before.cpu_system;
    sum.interrupted |= before.interrupted;
    sum.mismatch = sum.mismatch.or(before.mismatch);
    sum.host_cpu_busy_share = mean(before.host_cpu_busy_share, part.host_cpu_busy_share, count);
    sum.steal_share = mean(before.steal_share, part.steal_share, count);
}

fn add(sum: Option<Duration>, part: Option<Duration>) -> Option<Duration> {
    match (sum, part) {
        (Some(sum), Some(part)) => Some(sum + part),
        (one, other) => one.or(other),
    }
}

/// The mean of `count` shares, given that of all but the last.
fn mean(before: Option<f64>, last: Option<f64>, count: u32) -> Option<f64> {
    match (before, last) {
        (Some(before), Some(last)) => Some(before + (last - before) / f64::from(count)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::{CheckExample, CheckLabel, RowLabel, Summary, Tally};

    fn slice(calls: u64) -> Run {
        let mut run = Run::new(Duration::from_millis(100));
        for number in 0..10 {
            let mut tally = Tally::new();
            tally.planned(calls);
            tally.unstarted(calls);
            run.timeline.add(number, &tally);
        }
        run.wall = Duration::from_secs(1);
        run.nominal = Some(run.wall);
        run
    }

    #[test]
    fn slices_become_one_run_whose_accounts_add_up() {
        let whole = joined(&[slice(1), slice(2), slice(3)]).unwrap();
        assert_eq!(whole.wall, Duration::from_secs(3));
        assert_eq!(Summary::of(&whole).accounting.planned, 60);
        assert_eq!(Summary::of(&whole).intervals.len(), 30);
    }

    #[test]
    fn checks_and_examples_add_up_where_the_steps_are_the_same() {
        let with = |name: &str, at_ns: u64| {
            let mut run = slice(1);
            run.labels.rows = vec![RowLabel { name: name.into(), ..RowLabel::default() }];
            run.labels.checks = vec![CheckLabel { row: 0, text: "status == 200".into() }];
            let mut tally = Tally::new();
            tally.check(0, false);
            run.timeline.add(0, &tally);
            let at = Timestamp::from_nanos(at_ns);
            run.examples.add(CheckExample::new(0, at, "GET /", 500, "500", b""));
            run
        };
        let whole = joined(&[with("login", 2), with("login", 1), with("other", 3)]).unwrap();
        assert_eq!(whole.timeline.whole().tally.check_results(0).failed, 2);
        assert_eq!(whole.examples.of(0).map(|example| example.at_ns).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn slices_that_count_differently_do_not_join() {
        let other = Run::new(Duration::from_millis(200));
        assert!(joined(&[slice(1), other]).is_none());
        assert!(joined(&[]).is_none());
    }

    #[test]
    fn times_add_up_and_shares_are_means() {
        let with = |share, user| {
            let mut run = slice(1);
            run.hosts[0].host_cpu_busy_share = Some(share);
            run.hosts[0].cpu_user = Duration::from_secs(user);
            run
        };
        let whole = joined(&[with(0.2, 1), with(0.4, 2), with(0.9, 3)]).unwrap();
        assert!((whole.hosts[0].host_cpu_busy_share.unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(whole.hosts[0].cpu_user, Duration::from_secs(6));
    }
}
