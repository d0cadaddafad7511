//! Counts the transactions of one worker.

use super::count::{Count, Transaction};
use crate::console::{Buffer, Console};
use warwolf_observe::{CallRecord, Observer};
use warwolf_workload::Interest;

/// Counts the calls of one worker as transactions and prints a line for each with a status of 500 or more.
pub struct Counter<'a> {
    count: Count,
    process: u32,
    lines: Buffer<'a>,
}

impl<'a> Counter<'a> {
    /// Creates an empty counter. Lines begin with the number of the `process`, as in the original.
    #[must_use]
    pub fn new(console: &'a dyn Console, process: u32) -> Self {
        Self { count: Count::default(), process, lines: Buffer::new(console) }
    }

    /// Returns the sum over all workers.
    #[must_use]
    pub fn total(counters: Vec<Self>) -> Count {
        let mut total = Count::default();
        counters.iter().for_each(|counter| total.merge(&counter.count));
        total
    }
}

impl Observer for Counter<'_> {
    fn add_interest(&self, interest: &mut Interest) {
        (interest.reason, interest.random_data) = (true, true);
    }

    fn call(&mut self, record: &CallRecord<'_>) {
        let (sample, kept) = (record.sample, record.kept);
        let took = sample.finished.since(sample.started);
        let transaction = Transaction {
            took_ns: took.saturating_sub(kept.preparing).as_nanos() as u64,
            making_ns: kept.preparing.as_nanos() as u64,
            finished_ns: sample.finished.as_nanos(),
            drawn_bytes: kept.drawn_bytes,
            body_bytes: sample.body_bytes,
            status: sample.status,
            reason: &kept.reason,
            outcome: sample.outcome,
        };
        let mut line = Vec::new();
        self.count.add(&transaction, self.process, &mut line);
        self.lines.stderr.push_str(&String::from_utf8_lossy(&line));
        self.lines.flush_if_full();
    }

    fn pause(&mut self) {
        self.lines.flush();
    }
}
