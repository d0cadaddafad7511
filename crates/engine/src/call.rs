//! Calls in flight.

use crate::setup::RequestRef;
use warwolf_clock::Timestamp;
use warwolf_http::Version;
use warwolf_measure::{Outcome, Sample};
use warwolf_observe::Kept;
use warwolf_workload::Token;

/// Stands for "none" in small indices.
pub(crate) const NONE: u32 = u32::MAX;

/// One request in flight, from its start to its end.
pub(crate) struct Call {
    /// Its number in order of creation in this worker. A call that is sent or made again keeps its number.
    pub(crate) serial: u64,
    pub(crate) session: u32,
    /// Identifies it to its session.
    pub(crate) token: Token,
    pub(crate) connection: u32,
    /// The next call in its list: calls waiting for a connection, or written and not yet handed over.
    pub(crate) next: u32,
    pub(crate) request: RequestRef,
    pub(crate) intended: Timestamp,
    pub(crate) started: Timestamp,
    pub(crate) sent: Timestamp,
    pub(crate) first_byte: Timestamp,
    pub(crate) body_bytes: u64,
    pub(crate) header_bytes: u32,
    /// Bytes after the line of the last chunk.
    pub(crate) footer_bytes: u32,
    pub(crate) sent_bytes: u64,
    pub(crate) status: u16,
    /// The version of the reply, once its head has come.
    pub(crate) version: Option<Version>,
    /// It was written to a connection with earlier calls. If that closes before the first byte of the reply, the server may not
    /// have read the request.
    pub(crate) on_used: bool,
    /// The kernel has the whole request. Tracked only where something depends on it.
    pub(crate) written: bool,
    /// How often it was sent again on another connection.
    pub(crate) repeats: u8,
    /// When the connection that was opened for it was established.
    pub(crate) connected: Timestamp,
    /// What the interest of the run keeps of it; `None` in a plain run.
    pub(crate) kept: Option<Box<Kept>>,
    /// Bytes of the body to keep.
    pub(crate) body_max: usize,
}

impl Call {
    pub(crate) fn new(
        serial: u64,
        session: u32,
        token: Token,
        request: RequestRef,
        intended: Timestamp,
        started: Timestamp,
    ) -> Self {
        Self {
            serial,
            session,
            token,
            connection: NONE,
            next: NONE,
            request,
            intended,
            started,
            sent: Timestamp::NEVER,
            first_byte: Timestamp::NEVER,
            body_bytes: 0,
            header_bytes: 0,
            footer_bytes: 0,
            sent_bytes: 0,
            status: 0,
            version: None,
            on_used: false,
            written: false,
            repeats: 0,
            connected: Timestamp::NEVER,
            kept: None,
            body_max: 0,
        }
    }

    /// Resets what a broken connection left, so that the call can be sent again on another.
    pub(crate) fn begin_again(&mut self) {
        self.connection = NONE;
        self.sent = Timestamp::NEVER;
        self.first_byte = Timestamp::NEVER;
        self.body_bytes = 0;
        self.header_bytes = 0;
        self.footer_bytes = 0;
        self.sent_bytes = 0;
        self.status = 0;
        self.version = None;
        self.written = false;
        self.repeats = self.repeats.saturating_add(1);
        self.kept.iter_mut().for_each(|kept| kept.clear());
        self.body_max = 0;
    }

    pub(crate) fn sample(&self, target: u32, finished: Timestamp, outcome: Outcome) -> Sample {
        Sample {
            intended: self.intended,
            started: self.started,
            sent: self.sent,
            first_byte: self.first_byte,
            finished,
            body_bytes: self.body_bytes,
            header_bytes: self.header_bytes,
            sent_bytes: u32::try_from(self.sent_bytes).unwrap_or(u32::MAX),
            status: self.status,
            target: u16::try_from(target).unwrap_or(u16::MAX),
            outcome,
            check_failed: false,
        }
    }
}

/// A list of calls, linked through [`Call::next`].
#[derive(Clone, Copy)]
pub(crate) struct CallList {
    first: u32,
    last: u32,
    length: u32,
}

impl CallList {
    pub(crate) const EMPTY: Self = Self { first: NONE, last: NONE, length: 0 };

    pub(crate) fn push(&mut self, calls: &mut slab::Slab<Call>, index: u32) {
        calls[index as usize].next = NONE;
        match self.last {
            NONE => self.first = index,
            last => calls[last as usize].next = index,
        }
        self.last = index;
        self.length += 1;
    }

    pub(crate) fn pop(&mut self, calls: &slab::Slab<Call>) -> Option<u32> {
        let index = self.first;
        if index == NONE {
            return None;
        }
        self.first = calls[index as usize].next;
        self.length -= 1;
        if self.first == NONE {
            self.last = NONE;
        }
        Some(index)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.first == NONE
    }

    pub(crate) fn len(self) -> u32 {
        self.length
    }

    /// The call that has been in the list longest.
    pub(crate) fn first(self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Removes `index` from the list. Walks the list: for timeouts, not for the common path.
    pub(crate) fn remove(&mut self, calls: &mut slab::Slab<Call>, index: u32) {
        let mut kept = Self::EMPTY;
        while let Some(call) = self.pop(calls) {
            if call != index {
                kept.push(calls, call);
            }
        }
        *self = kept;
    }
}
