//! Counts the fetches of one worker.

use super::Style;
use super::checksum::rotate_add;
use super::count::{Count, Ending, Fetch};
use super::report::{Totals, progress};
use crate::console::{Buffer, Console};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Interval, Outcome, Run, Sample};
use warwolf_observe::{CallRecord, Observer};
use warwolf_workload::Interest;

/// Counts the calls of one worker as fetches, and ends the run when all workers together have made the requested
/// number.
pub struct Counter<'a> {
    count: Count,
    lines: Buffer<'a>,
    abort: &'a (dyn Fn() + Sync),
}

impl<'a> Counter<'a> {
    /// Creates a counter for one part of `count`. `abort` ends the run.
    #[must_use]
    pub fn new(count: &Count, console: &'a dyn Console, abort: &'a (dyn Fn() + Sync)) -> Self {
        Self { count: count.part(), lines: Buffer::new(console), abort }
    }

    /// Adds the counts of all workers to `total`.
    pub fn add_to(total: &mut Count, counters: Vec<Self>) {
        counters.iter().for_each(|counter| total.merge(&counter.count));
    }
}

impl Observer for Counter<'_> {
    fn call(&mut self, record: &CallRecord<'_>) {
        self.count.add(&fetch(record), &mut self.lines.stderr);
        self.lines.flush_if_full();
    }

    fn add_interest(&self, interest: &mut Interest) {
        if self.count.wants_checksums() {
            interest.body_hash = Some(|sum, bytes| rotate_add(sum as u16, bytes).into());
        }
    }

    fn pause(&mut self) {
        self.lines.flush();
        if self.count.is_done() {
            (self.abort)();
        }
    }
}

fn fetch(record: &CallRecord<'_>) -> Fetch {
    let Sample { started, first_byte, finished, outcome, .. } = *record.sample;
    let reached = |moment: Timestamp| moment.is_reached().then(|| moment.as_nanos());
    // A connection closed in place of a reply counts as an answer.
    let closed = matches!(outcome, Outcome::Closed | Outcome::Reset) && record.connected.is_reached();
    Fetch {
        url: record.planned.map_or(usize::MAX, |request| request.0 as usize),
        started_ns: started.as_nanos(),
        connected_ns: reached(record.connected),
        answered_ns: reached(first_byte).or_else(|| closed.then(|| finished.as_nanos())),
        finished_ns: finished.as_nanos(),
        body_bytes: record.sample.body_bytes,
        status: record.sample.status,
        checksum: record.kept.body_hash as u16,
        ending: Ending::from(outcome),
    }
}

impl Totals {
    /// Computes the totals of `run`. A run by number of fetches lasts until its last fetch.
    #[must_use]
    pub fn of(run: &Run, style: &Style, count: &Count) -> Self {
        let elapsed = match style.fetches {
            Some(_) => Duration::from_nanos(count.last_ns()),
            None => run.wall,
        };
        Self { elapsed, max_parallel: run.timeline.whole().tally.counters().max_in_flight }
    }
}

/// Interval between two lines of `-verbose`.
const MINUTE: Duration = Duration::from_secs(60);

/// Prints the progress lines of `-verbose`, one per minute.
#[derive(Debug, Default)]
pub struct Minutes {
    started: u64,
    over: u64,
    printed: u32,
}

impl Minutes {
    /// Adds an interval; returns the line for stderr when a minute has passed.
    pub fn add(&mut self, interval: &Interval) -> Option<String> {
        let tally = &interval.tally;
        self.started += tally.counters().started;
        self.over += tally.completed() + tally.failed() + tally.timed_out();
        let at = interval.end.since(Timestamp::ZERO);
        if at < MINUTE * (self.printed + 1) {
            return None;
        }
        self.printed += 1;
        Some(progress(at, self.started, self.over))
    }
}
