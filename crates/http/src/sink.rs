//! What a protocol tells about its calls, and to whom.

use crate::{CallId, Version, Violation};

/// Hears what came of calls. For each call in this order: `first_byte`, any `interim`, `head`, any `body`, `end`; or
/// `failed` at any point, after which nothing more is said about it.
///
/// Nothing may be sent from inside these methods; slices are valid for the duration of the method only.
pub trait ResponseSink {
    /// The first byte of whatever the server says to this call has come.
    fn first_byte(&mut self, call: CallId);

    /// An interim reply (1xx other than 101) came; the final one is still to come. RFC 9110 section 15.2.
    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        let _ = (call, head);
    }

    /// The head of the final reply is complete.
    fn head(&mut self, call: CallId, head: &Head<'_>);

    /// A piece of the body, transfer coding removed. Never empty.
    fn body(&mut self, call: CallId, bytes: &[u8]);

    /// The reply is complete.
    fn end(&mut self, call: CallId, end: End);

    /// There will be no complete reply.
    fn failed(&mut self, call: CallId, cause: Cause);
}

/// The head of a reply: status line and header fields.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The status code, 100 to 999.
    pub status: u16,
    /// The version in the status line.
    pub version: Version,
    /// Length of the head on the wire, from the status line to the empty line, both included.
    pub bytes: usize,
    pub(crate) fields: &'a [httparse::Header<'a>],
}

impl<'a> Head<'a> {
    /// The value of the first field with this name, whatever its case; white space around it removed.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }

    /// The values of all fields with this name, whatever its case, in order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
    }

    /// All fields in order, names as the server spelt them.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.fields.iter().map(|field| (field.name, field.value))
    }
}

/// What told where a complete reply ends (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// `Content-Length`.
    Length,
    /// The last chunk.
    Chunked,
    /// The server closed the connection.
    Closed,
    /// The method or the status: replies to `HEAD`, 1xx, 204 and 304 have no body.
    NoBody,
}

/// Why a call has no complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The server closed the connection and no byte of the reply had come.
    ClosedBeforeReply,
    /// The server closed the connection in the middle of the reply.
    ClosedMidReply,
    /// The server broke the protocol.
    Violation(Violation),
    /// An earlier reply was the last of this connection: this pipelined call was not answered and never will be.
    Retired,
}
