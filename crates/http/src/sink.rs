//! The events that a protocol reports about its calls.

use crate::fields::{Fields, line};
use crate::{CallId, Version, Violation};

/// Receives the events of calls. For each call in this order: `first_byte`, any `interim`, `head`, any `body`, `trailers`
/// where the protocol has them, `end`; or `failed` at any point, which is the last event of the call.
///
/// Over FTP, `interim` may come before `first_byte` and after `head`, and `head` after `body`: the dialog precedes the transfer,
/// and the final reply follows it.
///
/// Nothing may be sent from inside these methods; slices are valid for the duration of the method only.
pub trait ResponseSink {
    /// The first byte of the response to this call was received. Over FTP: of the data, or of the reply that accepts or refuses
    /// the transfer.
    fn first_byte(&mut self, call: CallId);

    /// A reply other than the final one was received: 1xx other than 101 (RFC 9110 section 15.2), or any other reply of an FTP
    /// dialog.
    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        let _ = (call, head);
    }

    /// The head of the final reply is complete.
    fn head(&mut self, call: CallId, head: &Head<'_>);

    /// A piece of the body, transfer coding removed. Never empty.
    fn body(&mut self, call: CallId, bytes: &[u8]);

    /// The trailer section that follows a chunked body is complete; mostly it has no fields. `bytes` is its length on the
    /// wire: all that follows the line of the last chunk, the empty line included.
    fn trailers(&mut self, call: CallId, fields: Fields<'_>, bytes: usize) {
        let _ = (call, fields, bytes);
    }

    /// The reply is complete.
    fn end(&mut self, call: CallId, end: End);

    /// The call ended without a complete reply.
    fn failed(&mut self, call: CallId, cause: Cause);
}

/// The head of a reply: status, version and header fields.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The status code, 100 to 999.
    pub status: u16,
    /// The version in the status line; none over FTP.
    pub version: Option<Version>,
    /// Length of the head on the wire, from the status line to the empty line, both included.
    pub bytes: usize,
    /// The head as HTTP/1 sent it, already found to be well-formed; over FTP the last line of the reply.
    pub(crate) text: &'a [u8],
}

impl<'a> Head<'a> {
    /// Appends the head as HTTP/1 text, from the status line to the empty line, both included.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.text);
    }

    /// The reason phrase of the status line, without its line end; often empty. Over FTP the last line of the reply, its code
    /// included.
    #[must_use]
    pub fn reason(&self) -> &'a [u8] {
        if self.version.is_none() {
            return self.text;
        }
        let mut rest = self.text;
        let mut words = status_line(&mut rest);
        // The reason follows the version and the status.
        for _ in 0..2 {
            let blank = words.iter().position(u8::is_ascii_whitespace).unwrap_or(words.len());
            words = words[blank..].trim_ascii();
        }
        words
    }

    /// The value of the first field with this name, whatever its case; white space around it removed.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.fields().get(name)
    }

    /// The header fields.
    #[must_use]
    pub fn fields(&self) -> Fields<'a> {
        // A reply of FTP is one line without fields.
        let mut rest = self.text;
        status_line(&mut rest);
        Fields::of_lines(rest)
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

/// How the end of a complete reply was found (RFC 9112 section 6.3).
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
    /// The final reply of FTP.
    Reply,
}

/// Why a call has no complete reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The server closed the connection before the first byte of the reply.
    ClosedBeforeReply,
    /// The server closed the connection in the middle of the reply.
    ClosedMidReply,
    /// The server broke the protocol.
    Violation(Violation),
    /// An earlier reply was the last of this connection: this pipelined call was never answered.
    Retired,
}
