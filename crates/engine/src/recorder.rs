//! Where a worker keeps what it counts, and how that reaches the thread that sums it up.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::Tally;

/// What one worker counted in one interval.
pub(crate) struct Page {
    /// Which interval: the one that ends at `(number + 1) * length`.
    pub(crate) number: u64,
    pub(crate) worker: usize,
    pub(crate) tally: Box<Tally>,
    /// The worker has finished.
    pub(crate) last: bool,
}

/// A worker's current tally, swapped with an empty one at the end of each interval: no lock and no allocation.
pub(crate) struct Recorder {
    pub(crate) tally: Box<Tally>,
    worker: usize,
    number: u64,
    length: Duration,
    pages: SyncSender<Page>,
    empties: Receiver<Box<Tally>>,
    /// Intervals that could not be handed over in time and were added to the next.
    pub(crate) late_pages: u64,
}

impl Recorder {
    pub(crate) fn new(
        worker: usize,
        tally: Box<Tally>,
        length: Duration,
        pages: SyncSender<Page>,
        empties: Receiver<Box<Tally>>,
    ) -> Self {
        Self { tally, worker, number: 0, length, pages, empties, late_pages: 0 }
    }

    /// When the current interval ends.
    pub(crate) fn next(&self) -> Timestamp {
        let end = u128::from(self.number + 1) * self.length.as_nanos();
        Timestamp::from_nanos(u64::try_from(end).unwrap_or(u64::MAX))
    }

    /// Hands the tally over when its interval is past. Without an empty one at hand, or with the queue full, it goes on
    /// into the next interval.
    pub(crate) fn turn_page(&mut self, now: Timestamp) {
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
        let page = Page { number: number.max(self.number - 1), worker: self.worker, tally, last: false };
        if let Err(TrySendError::Full(page)) = self.pages.try_send(page) {
            self.late_pages += 1;
            self.tally = page.tally;
        }
    }

    /// Hands over the last tally. This one waits: the run is over.
    pub(crate) fn close(self) {
        let page = Page { number: self.number, worker: self.worker, tally: self.tally, last: true };
        // The receiver is gone only when the run is being aborted, and then nobody wants it.
        let _ = self.pages.send(page);
    }
}
