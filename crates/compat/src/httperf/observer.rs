//! Counts the events of a run by httperf's rules, and prints requests and replies if requested.

use super::counts::{Counts, Ended};
use super::live::Rates;
use super::transcript::Transcript;
use crate::console::{Buffer, Console};
use warwolf_clock::Timestamp;
use warwolf_measure::Outcome;
use warwolf_observe::{CallRecord, Event, Observer};
use warwolf_workload::Interest;

/// Maximum number of bytes of a body that are printed.
const BODY_MAX: usize = 1 << 20;

/// Observes a run. Plans of httperf have one worker, like the original's one process, so there is nothing to merge.
pub struct Counter<'a> {
    counts: Counts,
    transcript: Transcript,
    rates: Rates,
    lines: Buffer<'a>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(
        counts: Counts,
        transcript: Transcript,
        rates: Rates,
        console: &'a dyn Console,
    ) -> Self {
        Self { counts, transcript, rates, lines: Buffer::new(console) }
    }

    pub(super) const fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl Observer for Counter<'_> {
    fn call(&mut self, record: &CallRecord<'_>) {
        let CallRecord { sample, session, connection, footer_bytes, call, kept, .. } = *record;
        self.counts.call(&Ended { session, connection, sample, footer_bytes });
        if sample.outcome == Outcome::Completed {
            let out = &mut self.lines.stdout;
            self.transcript.head(call, &kept.head, out);
            self.transcript.body(call, &kept.body, out);
            let sizes = [sample.header_bytes.into(), sample.body_bytes, footer_bytes.into()];
            self.transcript.end(call, sizes, out);
        }
        self.lines.flush_if_full();
    }

    fn event(&mut self, event: &Event<'_>, now: Timestamp) {
        let now_ns = now.as_nanos();
        match *event {
            Event::Connecting { connection, session } => self.counts.connecting(connection, session, now_ns),
            Event::Connected { connection } => self.counts.connected(connection, now_ns),
            Event::Disconnected { connection, why } => self.counts.disconnected(connection, now_ns, why),
            Event::Request { call, head, body } => {
                self.transcript.request(call, head, body, &mut self.lines.stdout);
            }
            Event::Written { bytes, .. } => self.counts.written(bytes),
            Event::SessionOver { session, is_failed, began } => {
                self.counts.session(session, is_failed, began.as_nanos(), now_ns);
            }
            Event::Cached { .. } => {}
        }
    }

    fn pause(&mut self) {
        self.counts.turn();
        self.counts.publish(&self.rates);
        self.lines.flush();
    }

    fn add_interest(&self, interest: &mut Interest) {
        interest.requests = self.transcript.wants_requests();
        if self.transcript.wants_replies() {
            interest.exchange = true;
            interest.add_body(BODY_MAX);
        }
    }
}
