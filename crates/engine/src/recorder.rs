//! Holds what a worker counts and hands it to the aggregator, interval by interval.

use crate::accounting::Tallied;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Examples, IntervalBatch, Tally};

/// A worker's current tally, swapped with an empty one at the end of each interval: no lock and no allocation.
pub(crate) struct Recorder {
    pub(crate) tally: Box<Tally>,
    /// Replies that did not pass a check.
    pub(crate) examples: Examples,
    source: u32,
    number: u64,
    length: Duration,
    batches: SyncSender<IntervalBatch>,
    empties: Receiver<Box<Tally>>,
    /// Intervals that could not be handed over in time and were added to the next.
    pub(crate) late_pages: u64,
    /// What the tallies handed over came to.
    handed_over: Tallied,
}

impl Recorder {
    pub(crate) fn new(
        source: u32,
        tally: Box<Tally>,
        length: Duration,
        batches: SyncSender<IntervalBatch>,
        empties: Receiver<Box<Tally>>,
    ) -> Self {
        Self {
            tally,
            examples: Examples::default(),
            source,
            number: 0,
            length,
            batches,
            empties,
            late_pages: 0,
            handed_over: Tallied::default(),
        }
    }

    /// When the current interval ends.
    pub(crate) fn next(&self) -> Timestamp {
        let end = u128::from(self.number + 1) * self.length.as_nanos();
        Timestamp::from_nanos(u64::try_from(end).unwrap_or(u64::MAX))
    }

    /// Hands the tally over when its interval is past. If no empty tally is available or the queue is full, the worker
    /// keeps the tally for the next interval.
    pub(crate) fn end_interval(&mut self, now: Timestamp) {
        if now < self.next() {
            return;
        }
        let number = self.number;
        while self.next() <= now {
            self.number += 1;
        }
        let Ok(empty) = self.empties.try_recv() else {
            self.late_pages += 1;
            return;
        };
        let tally = std::mem::replace(&mut self.tally, empty);
        let number = number.max(self.number - 1);
        let tallied = Tallied::of(&tally);
        let batch = IntervalBatch { source: self.source, number, tally, last: false };
        if let Err(TrySendError::Full(batch)) = self.batches.try_send(batch) {
            self.late_pages += 1;
            self.tally = batch.tally;
        } else {
            self.handed_over = self.handed_over.plus(tallied);
        }
    }

    /// What all tallies came to, the current one included.
    pub(crate) fn tallied(&self) -> Tallied {
        self.handed_over.plus(Tallied::of(&self.tally))
    }

    /// Hands over the last tally. Blocks while the queue is full: the run is over.
    pub(crate) fn close(self) {
        let Self { source, number, tally, .. } = self;
        let batch = IntervalBatch { source, number, tally, last: true };
        // The receiver is gone only when the run is being aborted, and then the batch is not needed.
        let _ = self.batches.send(batch);
    }
}
