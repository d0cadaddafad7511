//! Receives what the protocol reports about calls.

use crate::pool::Calls;
use crate::timers::{Timer, Timers};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_http::{CallId, Cause, End, Fields, Head, ResponseSink, Version};
use warwolf_measure::Outcome;
use warwolf_workload::{Interest, Workload};

/// Calls that ended and are not settled yet, in the order in which they ended.
#[derive(Default)]
pub(crate) struct Ends {
    calls: Vec<Ended>,
    /// How many of them have been taken.
    taken: usize,
}

impl Ends {
    pub(crate) fn with_capacity(calls: usize) -> Self {
        Self { calls: Vec::with_capacity(calls), taken: 0 }
    }

    pub(crate) fn push(&mut self, ended: Ended) {
        self.calls.push(ended);
    }

    /// Removes the call that ended first.
    pub(crate) fn take_next(&mut self) -> Option<Ended> {
        let next = self.calls.get(self.taken).copied();
        if next.is_some() {
            self.taken += 1;
        } else {
            self.calls.clear();
            self.taken = 0;
        }
        next
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.taken == self.calls.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len() - self.taken
    }

    /// The calls after the first `count`.
    pub(crate) fn since(&self, count: usize) -> &[Ended] {
        &self.calls[self.taken + count..]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ended> {
        self.calls[self.taken..].iter()
    }
}

/// A call that ended.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) call: u32,
    pub(crate) ending: Ending,
}

/// How a call ended.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    /// With a whole reply.
    Complete,
    /// The protocol gave it up, for this reason.
    Cause(Cause),
    /// Its connection could not be opened.
    Failed(Outcome),
    /// It timed out at this deadline.
    TimedOut(Timestamp),
    /// Its connection broke. `begun`: part of the reply had arrived.
    Broken { outcome: Outcome, begun: bool },
}

/// Records replies in the table of calls.
pub(crate) struct Sink<'a> {
    pub(crate) calls: &'a mut Calls,
    pub(crate) ended: &'a mut Ends,
    pub(crate) interest: &'a Interest,
    pub(crate) workload: &'a Workload,
    pub(crate) now: Timestamp,
    /// Where the reply timer restarts with the first byte, and its length.
    pub(crate) reply: Option<(&'a mut Timers, Duration)>,
}

impl ResponseSink for Sink<'_> {
    fn first_byte(&mut self, call: CallId) {
        self.calls[call.0 as usize].first_byte = self.now;
        if let Some((timers, limit)) = &mut self.reply {
            timers.set(Timer::Reply, call.0, self.now + *limit);
        }
    }

    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        let call = &mut self.calls[call.0 as usize];
        call.header_bytes += head.bytes as u32;
        if let Some(kept) = &mut call.kept
            && self.interest.reason
            && call.status == 0
        {
            kept.previous_status = head.status;
        }
    }

    fn head(&mut self, call: CallId, head: &Head<'_>) {
        let call = &mut self.calls[call.0 as usize];
        call.status = head.status;
        call.version = head.version;
        call.header_bytes += head.bytes as u32;
        let Some(kept) = &mut call.kept else { return };
        for (name, value) in head.fields().iter() {
            if let Some(name) = self.interest.named(name) {
                kept.headers.add(name, value);
            }
        }
        if let Some((step, scan)) = &mut kept.scan {
            let version = match head.version {
                Some(Version::Http10) => "HTTP/1.0",
                _ => "HTTP/1.1",
            };
            let fields = head.fields();
            scan.head(self.workload.scanner(*step), head.status, version, &mut fields.iter());
        }
        call.body_max = self.interest.body_of(head.status, head.header("content-type"));
        if self.interest.reason {
            kept.reason.extend_from_slice(head.reason());
        }
        if self.interest.exchange {
            head.write_text(&mut kept.head);
        }
    }

    fn body(&mut self, call: CallId, bytes: &[u8]) {
        let call = &mut self.calls[call.0 as usize];
        call.body_bytes += bytes.len() as u64;
        let Some(kept) = &mut call.kept else { return };
        if let Some(hash) = self.interest.body_hash {
            kept.body_hash = hash(kept.body_hash, bytes);
        }
        if let Some((step, scan)) = &mut kept.scan {
            scan.body(self.workload.scanner(*step), bytes);
        }
        let room = call.body_max.saturating_sub(kept.body.len());
        kept.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn trailers(&mut self, call: CallId, _fields: Fields<'_>, bytes: usize) {
        self.calls[call.0 as usize].footer_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    }

    fn end(&mut self, call: CallId, _end: End) {
        self.ended.push(Ended { call: call.0, ending: Ending::Complete });
    }

    fn failed(&mut self, call: CallId, cause: Cause) {
        self.ended.push(Ended { call: call.0, ending: Ending::Cause(cause) });
    }
}
