//! One HTTP/1 connection, seen from the client.
//!
//! ```text
//!             start                    head complete                     body complete
//! calls: ──────────────► queue ──► Head ───────────────► Length │ Chunked │ UntilClose ──► Head, next call
//!                                   │ ▲                        │                             │
//!                                   └─┘ 1xx                    └ violation ► Over ◄ close ───┘
//! ```
//!
//! Replies are read straight from the input; only a head that is not yet complete is kept.

mod body;
mod encode;
mod head;

use crate::fields::Fields;
use crate::sink::{Cause, End, Head, ResponseSink};
use crate::template::{Asks, Fill, Template};
use crate::{CallId, Violation};
use body::{Chunked, Step};
pub use head::Heads;
use head::{Found, Framing};
use std::collections::VecDeque;

/// Limits on replies, and how their ends are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest head, and longest trailer section, in bytes. A head that is not complete within this is a violation.
    pub max_head: usize,
    /// Most header fields of a head.
    pub max_headers: usize,
    /// What determines where the body of a reply ends.
    pub reply_end: ReplyEnd,
}

/// What determines where the body of a reply ends. Old clients implement less than RFC 9112 section 6.3. Replies that never have
/// a body (to `HEAD`, 1xx) have none under any of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The framing of RFC 9112: a length, a last chunk, or the close.
    #[default]
    Framed,
    /// `Content-Length`, or else the close. The framing of chunks counts as body.
    Length,
    /// The close alone, whatever length was announced.
    Close,
}

impl Default for Limits {
    /// 64 KiB and 1,000 fields.
    fn default() -> Self {
        Self { max_head: 65_536, max_headers: 1_000, reply_end: ReplyEnd::Framed }
    }
}

/// A call that is sent and not yet answered.
#[derive(Clone, Copy, Debug)]
struct Pending {
    call: CallId,
    asks: Asks,
    /// It was abandoned: its reply is read and dropped.
    abandoned: bool,
    /// The first byte of its reply was received.
    begun: bool,
}

/// A request body that is being sent.
#[derive(Clone, Copy, Debug)]
struct Upload {
    call: CallId,
    offset: u64,
    length: u64,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// A head.
    Head,
    /// A body of which this many bytes are to come, more than zero.
    Length(u64),
    /// A chunked body.
    Chunked(Chunked),
    /// A body that ends with the connection.
    UntilClose,
    /// Nothing: the connection is over.
    Over,
}

/// The client's side of one HTTP/1.0 or 1.1 connection.
#[derive(Debug)]
pub struct Http1 {
    limits: Limits,
    pipeline: u32,
    reading: Reading,
    /// The connection is kept after the reply being read.
    kept: bool,
    /// No further call may start, whatever the server sends.
    closing: bool,
    /// Calls in `front` and `behind` that are not abandoned.
    in_flight: u32,
    /// The oldest call. Kept apart so that a connection without pipelining needs no memory for `behind`.
    front: Option<Pending>,
    behind: VecDeque<Pending>,
    upload: Option<Upload>,
    /// The bytes so far of a head or of trailer fields that are not complete.
    partial: Vec<u8>,
    heads: Heads,
}

impl Http1 {
    /// A new connection, on which up to `pipeline` calls may be outstanding; zero counts as one.
    #[must_use]
    pub fn new(limits: Limits, pipeline: usize) -> Self {
        Self::sharing(limits, pipeline, &Heads::default())
    }

    /// The same, sharing heads of the server with other connections of these limits.
    #[must_use]
    pub fn sharing(limits: Limits, pipeline: usize, heads: &Heads) -> Self {
        Self {
            limits,
            pipeline: u32::try_from(pipeline).unwrap_or(u32::MAX).max(1),
            reading: Reading::Head,
            kept: true,
            closing: false,
            in_flight: 0,
            front: None,
            behind: VecDeque::new(),
            upload: None,
            partial: Vec::new(),
            heads: heads.clone(),
        }
    }

    /// How many calls may start now. None while a body is still to be pumped.
    #[must_use]
    pub fn room(&self) -> usize {
        if self.closing || self.upload.is_some() {
            0
        } else {
            self.pipeline.saturating_sub(self.in_flight) as usize
        }
    }

    /// Calls that are outstanding, abandoned ones left out.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight as usize
    }

    /// Whether further calls may start on this connection, now or later. When not, it is to be closed as soon as
    /// nothing is in flight.
    #[must_use]
    pub fn reusable(&self) -> bool {
        !self.closing
    }

    /// Appends the request to `out`; of a streamed body nothing yet.
    ///
    /// # Panics
    /// When there is no [`room`](Self::room).
    #[inline]
    pub fn start(
        &mut self,
        call: CallId,
        template: &Template,
        fill: &mut (impl Fill + ?Sized),
        out: &mut Vec<u8>,
    ) {
        assert!(self.room() > 0, "a call may start only where there is room");
        encode::encode(template, fill, out);
        let pending = Pending { call, asks: template.asks, abandoned: false, begun: false };
        match self.front {
            None => self.front = Some(pending),
            Some(_) => self.behind.push_back(pending),
        }
        self.in_flight += 1;
        // Nothing may follow a request for a tunnel before its answer (RFC 9110 section 9.3.6).
        self.closing |= template.closes || template.asks == Asks::Tunnel;
        if template.streamed > 0 {
            self.upload = Some(Upload { call, offset: 0, length: template.streamed });
        }
    }

    /// The call of which more body is to be sent.
    #[must_use]
    pub fn next_body(&self) -> Option<CallId> {
        self.upload.map(|upload| upload.call)
    }

    /// How many bytes of a call's body may be sent now: all that are left.
    #[must_use]
    pub fn body_room(&self, call: CallId) -> usize {
        let upload = self.upload.filter(|upload| upload.call == call);
        upload.map_or(0, |upload| usize::try_from(upload.length - upload.offset).unwrap_or(usize::MAX))
    }

    /// Appends up to `max` bytes of a call's body; nothing when all of it was sent.
    ///
    /// # Panics
    /// When `fill` appends another number of bytes than it was asked for.
    pub fn pump(&mut self, call: CallId, fill: &mut (impl Fill + ?Sized), max: usize, out: &mut Vec<u8>) {
        let Some(upload) = self.upload.as_mut().filter(|upload| upload.call == call) else { return };
        let size = usize::try_from(upload.length - upload.offset).unwrap_or(usize::MAX).min(max);
        let before = out.len();
        fill.body(upload.offset, size, out);
        assert_eq!(out.len() - before, size, "a body must be filled to the length that was promised");
        upload.offset += size as u64;
        if upload.offset == upload.length {
            self.upload = None;
        }
    }

    /// Takes bytes from the server. All of them are used, or kept inside.
    ///
    /// # Errors
    /// The server broke the protocol: the call whose reply it was has been reported to `sink` as failed, those behind it as
    /// retired, and the connection is to be closed.
    pub fn receive(&mut self, input: &[u8], sink: &mut impl ResponseSink) -> Result<(), Violation> {
        let result = self.read(input, sink);
        if let Err(violation) = result {
            self.give_up(Cause::Violation(violation), Cause::Retired, sink);
        }
        result
    }

    /// The server closed its side. Every call outstanding ends here.
    pub fn finish(&mut self, sink: &mut impl ResponseSink) {
        let begun = self.front.is_some_and(|pending| pending.begun);
        if matches!(self.reading, Reading::UntilClose) {
            self.end(End::Closed, sink);
        }
        let oldest = if begun { Cause::ClosedMidReply } else { Cause::ClosedBeforeReply };
        self.give_up(oldest, Cause::ClosedBeforeReply, sink);
    }

    /// Forgets a call, which gets no further events. Calls before and behind it may still be answered, but no further
    /// one may start.
    pub fn abandon(&mut self, call: CallId) {
        let found = self.front.iter_mut().chain(&mut self.behind).find(|p| p.call == call && !p.abandoned);
        let Some(pending) = found else { return };
        pending.abandoned = true;
        self.in_flight -= 1;
        self.closing = true;
        self.upload = self.upload.filter(|upload| upload.call != call);
    }

    /// Forgets all calls outstanding and names each, oldest first: the connection broke.
    pub fn drain(&mut self, mut each: impl FnMut(CallId)) {
        for pending in self.front.take().into_iter().chain(self.behind.drain(..)) {
            if !pending.abandoned {
                each(pending.call);
            }
        }
        self.over();
    }

    fn read(&mut self, mut input: &[u8], sink: &mut impl ResponseSink) -> Result<(), Violation> {
        while !input.is_empty() {
            let Some(front) = &mut self.front else { return Err(Violation::UnexpectedBytes) };
            let Pending { call, abandoned, .. } = *front;
            match &mut self.reading {
                Reading::Head => {
                    if !front.begun {
                        front.begun = true;
                        if !abandoned {
                            sink.first_byte(call);
                        }
                    }
                    let front = *front;
                    input = self.read_head(front, input, sink)?;
                }
                Reading::Length(left) => {
                    let size = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                    let (data, rest) = input.split_at(size);
                    input = rest;
                    *left -= size as u64;
                    let complete = *left == 0;
                    if !abandoned {
                        sink.body(call, data);
                    }
                    if complete {
                        self.end(End::Length, sink);
                    }
                }
                Reading::Chunked(chunked) => {
                    match chunked.step(&mut input, &self.limits, &mut self.partial)? {
                        Step::Data(data) if !abandoned => sink.body(call, data),
                        Step::Data(_) | Step::Hungry => {}
                        Step::End(bytes) => {
                            if !abandoned {
                                sink.trailers(call, Fields::of_lines(&self.partial), bytes);
                            }
                            self.forget_partial();
                            self.end(End::Chunked, sink);
                        }
                    }
                }
                Reading::UntilClose => {
                    if !abandoned {
                        sink.body(call, input);
                    }
                    return Ok(());
                }
                Reading::Over => return Err(Violation::UnexpectedBytes),
            }
        }
        Ok(())
    }

    /// Reads a head, from `input` alone where it can, and returns what of `input` is behind it.
    #[inline]
    fn read_head<'i>(
        &mut self,
        front: Pending,
        input: &'i [u8],
        sink: &mut impl ResponseSink,
    ) -> Result<&'i [u8], Violation> {
        let before = self.partial.len();
        let text = if before == 0 {
            input
        } else {
            let wanted = self.limits.max_head.saturating_sub(before).min(input.len());
            self.partial.extend_from_slice(&input[..wanted]);
            &self.partial
        };
        let Some(found) = self.heads.read(text, front.asks, &self.limits)? else {
            if before == 0 {
                self.partial.extend_from_slice(input);
            }
            return Ok(&[]);
        };
        let Found { bytes, status, version, framing, kept } = found;
        if !front.abandoned {
            let head = Head { status, version: Some(version), bytes, text: &text[..bytes] };
            match framing {
                Framing::Interim => sink.interim(front.call, &head),
                _ => sink.head(front.call, &head),
            }
        }
        if before > 0 {
            self.forget_partial();
        }
        self.begin_body(framing, kept, sink);
        Ok(&input[bytes - before..])
    }

    fn forget_partial(&mut self) {
        self.partial.clear();
        if self.partial.capacity() > PARTIAL_KEPT {
            self.partial = Vec::new();
        }
    }

    #[inline]
    fn begin_body(&mut self, framing: Framing, kept: bool, sink: &mut impl ResponseSink) {
        if framing == Framing::Interim {
            return;
        }
        self.kept = kept;
        self.closing |= !kept;
        match framing {
            Framing::Length(0) => self.end(End::Length, sink),
            Framing::Length(length) => self.reading = Reading::Length(length),
            Framing::Chunked => self.reading = Reading::Chunked(Chunked::new()),
            Framing::UntilClose => self.reading = Reading::UntilClose,
            Framing::NoBody | Framing::Interim => self.end(End::NoBody, sink),
        }
    }

    /// The reply to the oldest call is complete.
    #[inline]
    fn end(&mut self, end: End, sink: &mut impl ResponseSink) {
        let Some(done) = self.front.take() else { return };
        self.reading = Reading::Head;
        if let Some(upload) = self.upload
            && upload.call == done.call
        {
            // The server replied before it had the whole request. How it would read the rest is unknown.
            self.upload = None;
            self.kept = false;
        }
        if !done.abandoned {
            self.in_flight -= 1;
            sink.end(done.call, end);
        }
        if self.kept {
            self.front = self.behind.pop_front();
        } else {
            self.give_up(Cause::Retired, Cause::Retired, sink);
        }
    }

    /// Ends all calls, the oldest for one cause and the others for another. The connection is over.
    fn give_up(&mut self, oldest: Cause, behind: Cause, sink: &mut impl ResponseSink) {
        if let Some(pending) = self.front.take().filter(|pending| !pending.abandoned) {
            sink.failed(pending.call, oldest);
        }
        for pending in self.behind.drain(..).filter(|pending| !pending.abandoned) {
            sink.failed(pending.call, behind);
        }
        self.over();
    }

    fn over(&mut self) {
        self.reading = Reading::Over;
        self.closing = true;
        self.in_flight = 0;
        self.upload = None;
        self.forget_partial();
    }
}

/// Memory that a connection keeps for the next incomplete head, in bytes.
const PARTIAL_KEPT: usize = 4096;
