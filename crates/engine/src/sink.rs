//! Where the protocol tells what came of a call.

use crate::pool::Calls;
use crate::timers::{Timer, Timers};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_http::{CallId, Cause, End, Fields, Head, ResponseSink};
use warwolf_measure::{Outcome, rotate_add};
use warwolf_observe::EXCHANGE_MAX;
use warwolf_workload::good_for;

/// A call that ended, to be settled once the connection has been dealt with.
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
    /// The protocol says why there will be none.
    Cause(Cause),
    /// Its connection never came to be.
    Failed(Outcome),
    /// At this deadline.
    TimedOut(Timestamp),
    /// Its connection broke; `begun` says whether any of the reply had come.
    Broken { outcome: Outcome, begun: bool },
}

/// Fills in the table of calls. Nothing is sent and nothing is decided here.
pub(crate) struct Sink<'a> {
    pub(crate) calls: &'a mut Calls,
    pub(crate) ended: &'a mut Vec<Ended>,
    pub(crate) now: Timestamp,
    /// Timers that begin anew with the first byte of a reply, and how far off they are.
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
        self.calls[call.0 as usize].header_bytes += head.bytes as u32;
    }

    fn head(&mut self, call: CallId, head: &Head<'_>) {
        let call = &mut self.calls[call.0 as usize];
        call.status = head.status;
        call.version = Some(head.version);
        call.header_bytes += head.bytes as u32;
        let Some(kept) = &mut call.kept else { return };
        if kept.keeps.fields {
            kept.location = head.header("location").map(<[u8]>::to_vec);
            kept.cookies = head.fields().all("set-cookie").map(<[u8]>::to_vec).collect();
            if !kept.cookies.is_empty() {
                kept.date = head.header("date").map(<[u8]>::to_vec);
            }
            kept.challenges = match head.status {
                401 => head.fields().all("www-authenticate").map(<[u8]>::to_vec).collect(),
                407 => head.fields().all("proxy-authenticate").map(<[u8]>::to_vec).collect(),
                _ => Vec::new(),
            };
        }
        if kept.keeps.lifetimes {
            kept.good_for = good_for(head.header("expires"), head.header("date"));
        }
        if kept.keeps.reason {
            kept.reason = head.reason().to_vec();
        }
        let encoding = || head.header("content-encoding").map(<[u8]>::to_vec);
        if kept.keeps.pages && head.status < 300 && is_html(head) {
            kept.page = Some((Vec::new(), encoding()));
        }
        if let Some(exchange) = &mut kept.exchange {
            exchange.head.clear();
            head.write_text(&mut exchange.head);
            exchange.encoding = encoding();
        }
    }

    fn body(&mut self, call: CallId, bytes: &[u8]) {
        let call = &mut self.calls[call.0 as usize];
        call.body_bytes += bytes.len() as u64;
        let Some(kept) = &mut call.kept else { return };
        if kept.keeps.checksum {
            kept.checksum = rotate_add(kept.checksum, bytes);
        }
        let page = kept.page.as_mut().map(|(page, _)| page);
        let exchange = kept.exchange.as_mut().map(|exchange| &mut exchange.body);
        for kept in page.into_iter().chain(exchange) {
            let room = EXCHANGE_MAX.saturating_sub(kept.len());
            kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
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

fn is_html(head: &Head<'_>) -> bool {
    let kind = head.header("content-type").and_then(|kind| kind.split(|&b| b == b';').next());
    kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"text/html"))
}
