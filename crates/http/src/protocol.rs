//! The interface between a connection and the protocol on it.

use crate::{CallId, Fill, Ftp, Heads, Http1, Limits, ResponseSink, Template, Violation};
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

/// The protocol of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolKind {
    /// HTTP, of the version that was agreed on.
    Http,
    /// FTP.
    Ftp,
}

impl ProtocolKind {
    /// Whether its protocol may ask for a companion connection.
    #[must_use]
    pub fn has_companions(self) -> bool {
        self == Self::Ftp
    }
}

/// What a protocol asks of its owner besides sending what was appended to `out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The time of the next call of [`Protocol::receive`] without bytes, for a timer of the protocol; [`Timestamp::NEVER`] when
    /// it has none.
    pub wake: Timestamp,
    /// What to do with the companion.
    pub companion: Companion,
}

/// What to do with the companion of a connection: a second socket to the same address, opened because the protocol asks for
/// it. Its bytes belong to the calls of the main connection. A connection has one companion at most; both close together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Companion {
    /// Nothing.
    #[default]
    Keep,
    /// Open it, to this port.
    Open {
        /// The port.
        port: u16,
    },
    /// Send it the body of [`Protocol::companion_body`].
    Pump,
    /// Close it, if it is open or opening.
    Close,
}

/// Something that happened on a companion connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanionEvent<'a> {
    /// It is open.
    Opened,
    /// These bytes were received.
    Received(&'a [u8]),
    /// The kernel has all that was sent so far. This ends no call.
    Delivered,
    /// It was closed by the server, or broke.
    Ended {
        /// It did not break.
        is_whole: bool,
    },
}

/// The client's side of one connection, whatever the protocol and its version. It is created once the connection can carry
/// calls: open, through a proxy's tunnel, and with TLS set up.
///
/// Methods with an `out` append to it whatever has to be sent, which may belong to no call.
#[derive(Debug)]
pub enum Protocol {
    /// HTTP/1.0 or 1.1.
    Http1(Http1),
    /// FTP.
    Ftp(Box<Ftp>),
}

impl Protocol {
    /// A protocol of this kind. Over HTTP/1, up to `pipeline` calls may be outstanding, and `heads` is shared with other
    /// connections of these limits. `is_ipv6` tells the family of the server's address.
    #[must_use]
    pub fn new(kind: ProtocolKind, limits: Limits, pipeline: usize, heads: &Heads, is_ipv6: bool) -> Self {
        match kind {
            ProtocolKind::Http => Self::Http1(Http1::sharing(limits, pipeline, heads)),
            ProtocolKind::Ftp => Self::Ftp(Box::new(Ftp::new(is_ipv6))),
        }
    }

    /// How many calls may start now.
    #[must_use]
    #[inline]
    pub fn room(&self) -> usize {
        match self {
            Self::Http1(http) => http.room(),
            Self::Ftp(ftp) => ftp.room(),
        }
    }

    /// Calls that are outstanding, abandoned ones left out.
    #[must_use]
    #[inline]
    pub fn in_flight(&self) -> usize {
        match self {
            Self::Http1(http) => http.in_flight(),
            Self::Ftp(ftp) => ftp.in_flight(),
        }
    }

    /// Whether further calls may start on this connection, now or later. If not, it is to be closed as soon as nothing is in
    /// flight.
    #[must_use]
    #[inline]
    pub fn reusable(&self) -> bool {
        match self {
            Self::Http1(http) => http.reusable(),
            Self::Ftp(ftp) => ftp.reusable(),
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
            Self::Ftp(ftp) => ftp.start(call, template, fill),
        }
    }

    /// The call whose body should be sent next; none when no body is unfinished, or none may go now.
    #[must_use]
    #[inline]
    pub fn next_body(&self) -> Option<CallId> {
        match self {
            Self::Http1(http) => http.next_body(),
            Self::Ftp(_) => None,
        }
    }

    /// How many bytes of a call's streamed body may be sent now.
    #[must_use]
    #[inline]
    pub fn body_room(&self, call: CallId) -> usize {
        match self {
            Self::Http1(http) => http.body_room(call),
            Self::Ftp(ftp) => ftp.body_room(call),
        }
    }

    /// Whether part of a call's streamed body has not been sent yet.
    #[must_use]
    #[inline]
    pub fn is_uploading(&self, call: CallId) -> bool {
        match self {
            Self::Http1(http) => http.body_room(call) > 0,
            Self::Ftp(ftp) => ftp.body_room(call) > 0,
        }
    }

    /// Appends up to `max` bytes of a call's body to `out`, and no more than there is [room](Self::body_room) for.
    ///
    /// # Panics
    /// When `fill` appends another number of bytes than it was asked for.
    pub fn pump(&mut self, call: CallId, fill: &mut (impl Fill + ?Sized), max: usize, out: &mut Vec<u8>) {
        match self {
            Self::Http1(http) => http.pump(call, fill, max, out),
            Self::Ftp(ftp) => ftp.pump(call, fill, max, out),
        }
    }

    /// Takes bytes from the server; all of them are used, or kept inside. Also to be called without any when the time of
    /// [`Needs::wake`] has come.
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
                // HTTP/1 sends nothing by itself and has no timers.
                let _ = (now, out);
                http.receive(input, sink)
            }
            Self::Ftp(ftp) => ftp.receive(input, out, sink),
        }
    }

    /// What the protocol needs besides sending. To be asked after every method with an `out`; an answer is given once.
    #[must_use]
    #[inline]
    pub fn needs(&mut self) -> Option<Needs> {
        match self {
            Self::Http1(_) => None,
            Self::Ftp(ftp) => ftp.needs(),
        }
    }

    /// Takes an event of the companion.
    pub fn companion(&mut self, event: CompanionEvent<'_>, out: &mut Vec<u8>, sink: &mut impl ResponseSink) {
        match self {
            // It never asks for one.
            Self::Http1(_) => {}
            Self::Ftp(ftp) => ftp.companion(event, out, sink),
        }
    }

    /// The call whose body should be [pumped](Self::pump) to the companion next.
    #[must_use]
    pub fn companion_body(&self) -> Option<CallId> {
        match self {
            Self::Http1(_) => None,
            Self::Ftp(ftp) => ftp.companion_body(),
        }
    }

    /// Gives up a call, which gets no further events, and says whether the connection survives it.
    pub fn abandon(&mut self, call: CallId, out: &mut Vec<u8>) -> Alive {
        match self {
            Self::Http1(http) => {
                // HTTP/1 cannot tell the server.
                let _ = out;
                http.abandon(call);
                Alive::No
            }
            Self::Ftp(ftp) => {
                ftp.abandon(call);
                Alive::No
            }
        }
    }

    /// The server closed its side. Every outstanding call ends here.
    pub fn finish(&mut self, sink: &mut impl ResponseSink) {
        match self {
            Self::Http1(http) => http.finish(sink),
            Self::Ftp(ftp) => ftp.finish(sink),
        }
    }

    /// Forgets all outstanding calls and names each, oldest first: the connection broke.
    pub fn drain(&mut self, each: impl FnMut(CallId)) {
        match self {
            Self::Http1(http) => http.drain(each),
            Self::Ftp(ftp) => ftp.drain(each),
        }
    }
}
