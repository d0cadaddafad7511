//! The interface between a connection and the protocol on it.

use crate::{CallId, Fill, Http1, ResponseSink, Template, Violation};
use warwolf_clock::Timestamp;

/// Whether a connection can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Alive {
    /// Its other calls continue.
    Yes,
    /// It must be closed: none of its calls can be answered any more.
    No,
}

/// The client's side of one connection, whatever the version of HTTP. It is made once the connection can carry calls: open,
/// through a proxy's tunnel, and with TLS set up.
///
/// Methods with an `out` append to it whatever has to be sent, which may belong to no call.
#[derive(Debug)]
pub enum Protocol {
    /// HTTP/1.0 or 1.1.
    Http1(Http1),
}

impl Protocol {
    /// How many calls may start now.
    #[must_use]
    #[inline]
    pub fn room(&self) -> usize {
        match self {
            Self::Http1(http) => http.room(),
        }
    }

    /// Calls that are outstanding, abandoned ones left out.
    #[must_use]
    #[inline]
    pub fn in_flight(&self) -> usize {
        match self {
            Self::Http1(http) => http.in_flight(),
        }
    }

    /// Whether further calls may start on this connection, now or later. If not, it is to be closed as soon as nothing is in
    /// flight.
    #[must_use]
    #[inline]
    pub fn reusable(&self) -> bool {
        match self {
            Self::Http1(http) => http.reusable(),
        }
    }

    /// Starts a call: appends the request to `out`, without a streamed body.
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
        match self {
            Self::Http1(http) => http.start(call, template, fill, out),
        }
    }

    /// The call whose body should be sent next; none when no body is unfinished, or none may go now.
    #[must_use]
    #[inline]
    pub fn next_body(&self) -> Option<CallId> {
        match self {
            Self::Http1(http) => http.next_body(),
        }
    }

    /// How many bytes of a call's streamed body may be sent now.
    #[must_use]
    #[inline]
    pub fn body_room(&self, call: CallId) -> usize {
        match self {
            Self::Http1(http) => http.body_room(call),
        }
    }

    /// Whether part of a call's streamed body has not been sent yet.
    #[must_use]
    #[inline]
    pub fn is_uploading(&self, call: CallId) -> bool {
        match self {
            Self::Http1(http) => http.body_room(call) > 0,
        }
    }

    /// Appends up to `max` bytes of a call's body to `out`, and no more than there is [room](Self::body_room) for.
    ///
    /// # Panics
    /// When `fill` appends another number of bytes than it was asked for.
    pub fn pump(&mut self, call: CallId, fill: &mut (impl Fill + ?Sized), max: usize, out: &mut Vec<u8>) {
        match self {
            Self::Http1(http) => http.pump(call, fill, max, out),
        }
    }

    /// Takes bytes from the server; all of them are used, or kept inside. Also to be called without any when the time of
    /// [`wake`](Self::wake) has come.
    ///
    /// # Errors
    /// The server broke the protocol: the call whose reply it was has been reported to `sink` as failed, those behind it as
    /// retired, and the connection is to be closed.
    #[inline]
    pub fn receive(
        &mut self,
        now: Timestamp,
        input: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl ResponseSink,
    ) -> Result<(), Violation> {
        match self {
            Self::Http1(http) => {
                // HTTP/1 sends nothing of its own accord and keeps no time.
                let _ = (now, out);
                http.receive(input, sink)
            }
        }
    }

    /// When the protocol wants to be woken for a timer of its own; [`Timestamp::NEVER`] when it has none.
    #[must_use]
    #[inline]
    pub fn wake(&self) -> Timestamp {
        match self {
            Self::Http1(_) => Timestamp::NEVER,
        }
    }

    /// Gives up a call, which gets no further events, and says whether the connection survives it.
    pub fn abandon(&mut self, call: CallId, out: &mut Vec<u8>) -> Alive {
        match self {
            Self::Http1(http) => {
                // HTTP/1 has no way to say so to the server.
                let _ = out;
                http.abandon(call);
                Alive::No
            }
        }
    }

    /// The server closed its side. Every outstanding call ends here.
    pub fn finish(&mut self, sink: &mut impl ResponseSink) {
        match self {
            Self::Http1(http) => http.finish(sink),
        }
    }

    /// Forgets all outstanding calls and names each, oldest first: the connection broke.
    pub fn drain(&mut self, each: impl FnMut(CallId)) {
        match self {
            Self::Http1(http) => http.drain(each),
        }
    }
}
