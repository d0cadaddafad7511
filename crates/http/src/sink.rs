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

    /// What follows the data of a chunked body is complete: so many bytes after the line of its last chunk, trailer fields
    /// and the empty line.
    fn trailer(&mut self, call: CallId, bytes: usize) {
        let _ = (call, bytes);
    }

    /// The reply is complete.
    fn end(&mut self, call: CallId, end: End);

    /// There will be no complete reply.
    fn failed(&mut self, call: CallId, cause: Cause);
}

/// The head of a reply: status line and header fields.
///
/// Fields are looked for when they are asked for: most calls ask for none.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The status code, 100 to 999.
    pub status: u16,
    /// The version in the status line.
    pub version: Version,
    /// Length of the head on the wire, from the status line to the empty line, both included.
    pub bytes: usize,
    /// The head itself, already found to be well-formed.
    pub(crate) text: &'a [u8],
}

impl<'a> Head<'a> {
    /// The head as it came, from the status line to the empty line, both included.
    #[must_use]
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// What the status line says behind the status, without its line end; often nothing.
    #[must_use]
    pub fn reason(&self) -> &'a [u8] {
        let mut rest = self.text;
        let mut words = status_line(&mut rest);
        // Behind the version and the status.
        for _ in 0..2 {
            let blank = words.iter().position(u8::is_ascii_whitespace).unwrap_or(words.len());
            words = words[blank..].trim_ascii();
        }
        words
    }

    /// The value of the first field with this name, whatever its case; white space around it removed.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// The values of all fields with this name, whatever its case, in order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.fields().filter(move |(of, _)| of.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// All fields in order, names as the server spelt them. A value that was folded over several lines has the line ends
    /// in it.
    pub fn fields(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut rest = self.text;
        status_line(&mut rest);
        std::iter::from_fn(move || {
            let start = rest;
            let mut length = line(&mut rest).len();
            while matches!(rest.first(), Some(b' ' | b'\t')) {
                length += line(&mut rest).len();
            }
            let field = start[..length].trim_ascii_end();
            let colon = field.iter().position(|&byte| byte == b':')?;
            Some((field[..colon].trim_ascii_end(), field[colon + 1..].trim_ascii()))
        })
    }
}

/// Takes the status line, its end included, and empty lines before it off a head.
fn status_line<'a>(head: &mut &'a [u8]) -> &'a [u8] {
    loop {
        let first = line(head);
        if !first.trim_ascii().is_empty() || head.is_empty() {
            return first;
        }
    }
}

/// Takes the first line, its end included, off `text`.
fn line<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let length = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
    let (line, rest) = text.split_at(length);
    *text = rest;
    line
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
