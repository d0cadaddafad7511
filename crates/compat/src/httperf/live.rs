//! Prints output during the run.

use super::counts::Samples;
use super::period::{Gaps, Period};
use super::translate::Visits;
use std::fmt::Write as _;
use std::iter::Peekable;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warwolf_measure::{Interval, Tally};

/// Text for each stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// For stdout.
    pub stdout: String,
    /// For stderr.
    pub stderr: String,
}

/// Rates that the worker counts and the printing thread reads.
#[derive(Clone, Debug)]
pub struct Rates(Arc<Mutex<Samples>>);

impl Rates {
    pub(super) fn lock(&self) -> MutexGuard<'_, Samples> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const SECOND_NS: u64 = 1_000_000_000;

/// Prints the progress of a run, interval by interval.
///
/// An interval is processed when the next one arrives, because only the last one of a run may end early.
#[derive(Debug)]
pub struct Live {
    verbose: u32,
    with_sessions: bool,
    periodic: bool,
    /// The scheduled end of the pending interval, and its counts.
    pending: Option<(u64, Statuses)>,
    /// Samples printed so far.
    samples: usize,
    rates: Rates,
    second: Statuses,
    second_due_ns: u64,
    /// Gaps to print, each with its time, if requested.
    gaps: Option<Peekable<Delays>>,
    program: String,
    /// Targets to print as calls are made, if requested.
    visits: Option<Visits>,
}

/// Counts of calls started and of replies with status 200 and 302.
#[derive(Clone, Copy, Debug, Default)]
struct Statuses {
    started: u64,
    ok: u64,
    found: u64,
}

impl Statuses {
    fn of(tally: &Tally) -> Self {
        let status =
            |wanted| tally.statuses().find(|(status, _)| *status == wanted).map_or(0, |(_, count)| count);
        Self { started: tally.counters().started, ok: status(200), found: status(302) }
    }
}

/// Gaps, each with the arrival at which it is drawn; the first gap is not printed.
#[derive(Debug)]
struct Delays {
    gaps: Gaps,
    at_s: f64,
    left: u64,
}

impl Iterator for Delays {
    /// Nanoseconds from the start, and the gap in seconds.
    type Item = (u64, f64);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let gap = self.gaps.next()?;
        let at_ns = (self.at_s * SECOND_NS as f64).round() as u64;
        self.at_s += gap;
        Some((at_ns, gap))
    }
}

impl Live {
    /// Creates a printer for a run of `sessions` arrivals, if their number is known.
    pub(super) fn new(verbose: u32, client: (u32, u32), period: &Period, sessions: Option<u64>) -> Self {
        let gaps = (verbose >= 3 && !period.is_sequential()).then(|| {
            let gaps = period.gaps(client.0);
            let mut delays = Delays { gaps, at_s: 0.0, left: sessions.unwrap_or(u64::MAX) };
            delays.next();
            delays.peekable()
        });
        Self {
            verbose,
            with_sessions: false,
            periodic: false,
            pending: None,
            samples: 0,
            rates: Rates(Arc::new(Mutex::new(Samples::of_client(client)))),
            second: Statuses::default(),
            second_due_ns: SECOND_NS,
            gaps,
            program: String::new(),
            visits: None,
        }
    }

    /// Sets whether the rate of sessions is printed too.
    pub(super) fn with_sessions(self, with_sessions: bool) -> Self {
        Self { with_sessions, ..self }
    }

    /// Sets whether a line is printed every second.
    pub(super) fn with_periodic_stats(self, periodic: bool) -> Self {
        Self { periodic, ..self }
    }

    /// Prints a line with the target of each call, if `visits` is given.
    pub(super) fn with_visits(self, program: &str, visits: Option<Visits>) -> Self {
        Self { program: program.to_owned(), visits, ..self }
    }

    /// Returns the rates to share with the observer of the run.
    #[must_use]
    pub fn rates(&self) -> Rates {
        self.rates.clone()
    }

    /// Adds one more interval. Returns the output that is due.
    pub fn interval(&mut self, interval: &Interval) -> Said {
        let said = self.settle(u64::MAX);
        self.pending = Some((interval.end.as_nanos(), Statuses::of(&interval.tally)));
        said
    }

    /// Ends a run that took `wall`. Returns the remaining output.
    pub fn finish(&mut self, wall: Duration) -> Said {
        self.settle(u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Processes the pending interval, which ended on schedule or with the run.
    fn settle(&mut self, run_end_ns: u64) -> Said {
        let mut said = Said::default();
        let Some((end_ns, counts)) = self.pending.take() else { return said };
        self.second.ok += counts.ok;
        self.second.found += counts.found;
        if let Some(Visits { targets, sequence }) = &mut self.visits {
            let calls = usize::try_from(counts.started).unwrap_or(usize::MAX);
            for target in sequence.take(calls).filter_map(|target| targets.get(target)) {
                said.stdout += &format!("{}: accessing URI `{target}'\n", self.program);
            }
        }
        // Writing to a string cannot fail.
        let _ = self.print(end_ns.min(run_end_ns), &mut said);
        said
    }

    fn print(&mut self, end_ns: u64, said: &mut Said) -> std::fmt::Result {
        while let Some((_, gap)) = self.gaps.as_mut().and_then(|gaps| gaps.next_if(|(at, _)| *at < end_ns)) {
            writeln!(said.stderr, "next arrival delay = {gap:.4}")?;
        }
        if self.periodic && end_ns >= self.second_due_ns {
            let elapsed = end_ns as f64 / SECOND_NS as f64;
            writeln!(said.stdout, "[{elapsed:.6} s] 200={}, 302={}", self.second.ok, self.second.found)?;
            self.second = Statuses::default();
            self.second_due_ns = (end_ns / SECOND_NS + 1) * SECOND_NS;
        }
        let rates = self.rates.lock();
        while self.verbose >= 1 && rates.end_ns(self.samples).0 <= end_ns {
            let [replies, sessions] = rates.rates(self.samples);
            self.samples += 1;
            writeln!(said.stdout, "reply-rate = {replies:<8.1}")?;
            if self.with_sessions {
                writeln!(said.stdout, "session-rate = {sessions:<8.1}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::{Counts, Ended};
    use super::*;
    use warwolf_measure::{Outcome, Sample, Timeline};

    /// Returns intervals for `tenths` of a second with one reply in each.
    fn intervals(tenths: u64) -> Vec<Interval> {
        let mut timeline = Timeline::new(Duration::from_millis(100));
        (0..tenths).for_each(|number| timeline.add(number, &Tally::new()));
        let mut intervals: Vec<_> = timeline.intervals().collect();
        for interval in &mut intervals {
            let sample = sample(interval);
            interval.tally.started(1);
            interval.tally.record(&sample);
        }
        intervals
    }

    /// Returns a reply at the start of an interval.
    fn sample(interval: &Interval) -> Sample {
        let at = interval.start;
        Sample {
            intended: at,
            started: at,
            sent: at,
            first_byte: at,
            finished: at,
            body_bytes: 0,
            header_bytes: 40,
            sent_bytes: 60,
            status: 200,
            target: 0,
            outcome: Outcome::Completed,
            check_failed: false,
        }
    }

    /// Returns the output of a run of `tenths` of a second with one reply in each; the last may end early.
    fn follow(mut live: Live, client: (u32, u32), tenths: u64, wall_ms: u64) -> Said {
        let mut said = Said::default();
        let mut hear = |more: Said| {
            said.stdout += &more.stdout;
            said.stderr += &more.stderr;
        };
        let mut counts = Counts::new(client);
        let rates = live.rates();
        for interval in intervals(tenths) {
            counts.call(&Ended { session: 0, connection: 0, sample: &sample(&interval), footer_bytes: 0 });
            counts.publish(&rates);
            hear(live.interval(&interval));
        }
        hear(live.finish(Duration::from_millis(wall_ms)));
        said
    }

    fn live(verbose: u32, client: (u32, u32), period: &str) -> Live {
        Live::new(verbose, client, &Period::parse(period).unwrap(), Some(8))
    }

    #[test]
    fn rates_are_sampled_every_five_seconds_from_a_phase_of_the_clients_own() {
        let rows = [
            ((0, 1), 64, 6_400, 1, "one sample"),
            ((0, 5), 64, 6_400, 2, "at one second and at six"),
            ((4, 5), 64, 6_400, 1, "at five"),
            ((0, 1), 50, 4_999, 0, "a run that ends before its time is up"),
            ((0, 1), 50, 5_000, 1, "a run that ends just then"),
        ];
        for (client, tenths, end_ms, samples, why) in rows {
            let said = follow(live(1, client, "0"), client, tenths, end_ms);
            assert_eq!(said.stdout, "reply-rate = 10.0    \n".repeat(samples), "{why}");
        }
    }

    #[test]
    fn samples_are_told_to_those_who_listen() {
        let said = follow(live(1, (0, 1), "0"), (0, 1), 64, 6_400);
        assert_eq!(said.stdout, "reply-rate = 10.0    \n");
        let said = follow(live(1, (0, 1), "0").with_sessions(true), (0, 1), 64, 6_400);
        assert_eq!(said.stdout, "reply-rate = 10.0    \nsession-rate = 0.0     \n");
        let said = follow(live(0, (0, 1), "0").with_periodic_stats(true), (0, 1), 25, 2_500);
        assert_eq!(said.stdout, "[1.000000 s] 200=10, 302=0\n[2.000000 s] 200=10, 302=0\n");
    }

    #[test]
    fn calls_are_told_by_what_they_ask_for() {
        let visits = Visits {
            targets: ["/a", "/b"].map(str::to_owned).to_vec(),
            sequence: super::super::targets::Sequence::Round { next: 0, count: 2 },
        };
        let said = follow(live(1, (0, 1), "0").with_visits("httperf", Some(visits)), (0, 1), 3, 300);
        assert_eq!(
            said.stdout,
            "httperf: accessing URI `/a'\nhttperf: accessing URI `/b'\nhttperf: accessing URI `/a'\n"
        );
    }

    #[test]
    fn delays_are_told_when_they_are_drawn_but_for_the_first() {
        let said = follow(live(3, (0, 1), "e0.1"), (0, 1), 5, 415);
        let delays: Vec<_> = said.stderr.lines().map(|line| line.rsplit_once(' ').unwrap().1).collect();
        assert_eq!(delays, ["0.0323", "0.0092", "0.0566", "0.1023", "0.0315", "0.0172", "0.0388"]);
        let said = follow(live(3, (0, 1), "e0.1"), (0, 1), 3, 260);
        assert_eq!(said.stderr.lines().count(), 3, "{said:?}");
        let said = follow(live(3, (0, 1), "0"), (0, 1), 5, 415);
        assert_eq!(said.stderr, "");
    }
}
