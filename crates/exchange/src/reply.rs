//! Reads one response, as far as it arrives.

use warwolf_http::{
    CallId, Cause, End, FieldWriter, Fill, Head, Http1, Limits, ResponseSink, Template, TemplateBuilder,
    Version, Violation,
};

/// The received part of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status; 0 without a complete head.
    pub status: u16,
    /// Header fields in order, names as the server spelled them.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body without transfer coding, up to [`BodyLimits::kept`].
    pub body: Vec<u8>,
    /// Total bytes of the body, including those that were not kept.
    pub body_bytes: u64,
    /// The first bytes as received (inside TLS), at most 256.
    pub start: Vec<u8>,
    /// The body reached [`BodyLimits::awaited`], and the rest was not read.
    pub is_cut: bool,
}

/// Maximum length of [`Reply::start`].
const START_KEPT: usize = 256;

impl Reply {
    /// Returns the value of the first field with this name, ignoring case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        let found = self.fields.iter().find(|(of, _)| of.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| value.as_slice())
    }
}

/// Limits of the length of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes to keep.
    pub kept: usize,
    /// Bytes to wait for; a longer response counts as complete when this many bytes have arrived.
    pub awaited: u64,
}

/// The state of reading a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// No byte has arrived.
    Empty,
    /// A part has arrived.
    Partial,
    /// The response is complete.
    Complete,
    /// The connection ended before the response was complete.
    Truncated,
    /// The bytes are not a valid response.
    Malformed(Violation),
}

/// Reads one response.
#[derive(Debug)]
pub(crate) struct Reader {
    protocol: Http1,
    collected: Collector,
}

/// Collects the response from the protocol.
#[derive(Debug)]
struct Collector {
    reply: Reply,
    limits: BodyLimits,
    state: State,
}

impl Reader {
    /// Creates a reader for the response to a request that begins with `request`.
    pub(crate) fn new(request: &[u8], limits: BodyLimits) -> Self {
        let mut protocol = Http1::new(Limits { max_head: 256 << 10, ..Limits::default() }, 1);
        // Only the method matters here, because it affects the framing of the response; the request itself is sent unchanged.
        if let Some(template) = template(method(request)) {
            protocol.start(CallId(0), &template, &mut Nothing, &mut Vec::new());
        }
        Self { protocol, collected: Collector { reply: Reply::default(), limits, state: State::Empty } }
    }

    /// Handles received bytes; bytes after a complete response are ignored.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> State {
        let room = START_KEPT.saturating_sub(self.collected.reply.start.len());
        self.collected.reply.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if matches!(self.collected.state, State::Empty | State::Partial) {
            self.collected.state = State::Partial;
            // The error was also reported to the sink.
            let _ = self.protocol.receive(bytes, &mut self.collected);
        }
        self.collected.state
    }

    /// Handles the end of the peer's side.
    pub(crate) fn finish(&mut self) -> State {
        if matches!(self.collected.state, State::Empty | State::Partial) {
            self.protocol.finish(&mut self.collected);
        }
        self.collected.state
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> State {
        self.collected.state
    }

    /// Returns the received part of the response.
    pub(crate) fn into_reply(self) -> Reply {
        self.collected.reply
    }
}

/// Returns the method of the first request in `request`: the first word of its first line.
fn method(request: &[u8]) -> &[u8] {
    let start = request.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(0);
    let rest = &request[start..];
    &rest[..rest.iter().position(|byte| *byte <= b' ').unwrap_or(rest.len())]
}

/// Returns a request whose response has the same framing rules as that of `method`.
fn template(method: &[u8]) -> Option<Template> {
    let known = match method {
        b"HEAD" => "HEAD",
        b"CONNECT" => "CONNECT",
        _ => "GET",
    };
    TemplateBuilder::new(known, "/", Version::Http11).build().ok()
}

/// Fills the holes of a request without holes.
struct Nothing;

impl Fill for Nothing {
    fn fields(&mut self, _hole: u16, _fields: &mut FieldWriter<'_>) {}

    fn body(&mut self, _offset: u64, max: usize, out: &mut Vec<u8>) {
        out.resize(out.len() + max, 0);
    }
}

impl ResponseSink for Collector {
    fn first_byte(&mut self, _call: CallId) {}

    fn head(&mut self, _call: CallId, head: &Head<'_>) {
        self.reply.status = head.status;
        self.reply.fields =
            head.fields().iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
    }

    fn body(&mut self, _call: CallId, bytes: &[u8]) {
        let room = self.limits.kept.saturating_sub(self.reply.body.len());
        self.reply.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.reply.body_bytes += bytes.len() as u64;
        if self.reply.body_bytes >= self.limits.awaited {
            self.reply.is_cut = true;
            self.state = State::Complete;
        }
    }

    fn end(&mut self, _call: CallId, _end: End) {
        self.reply.is_cut = false;
        self.state = State::Complete;
    }

    fn failed(&mut self, _call: CallId, cause: Cause) {
        // Bytes after a complete response may answer a second request in the same message.
        if self.state == State::Complete {
            return;
        }
        self.state = match cause {
            Cause::ClosedBeforeReply | Cause::Retired => State::Empty,
            Cause::ClosedMidReply => State::Truncated,
            Cause::Violation(violation) => State::Malformed(violation),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BodyLimits = BodyLimits { kept: 4, awaited: 100 };

    fn read(request: &[u8], came: &[u8]) -> (State, Reply) {
        let mut reader = Reader::new(request, LIMITS);
        reader.receive(came);
        (reader.state(), reader.into_reply())
    }

    #[test]
    fn a_response_ends_according_to_its_framing() {
        let (state, reply) =
            read(b"GET / HTTP/1.1", b"HTTP/1.1 404 No\r\nContent-Length: 5\r\nX: y\r\n\r\nhello");
        assert_eq!((state, reply.status), (State::Complete, 404));
        assert_eq!((reply.body.as_slice(), reply.body_bytes), (b"hell".as_slice(), 5));
        assert_eq!(reply.field("x"), Some(b"y".as_slice()));
        let (state, _) = read(b"\r\nHEAD / HTTP/1.1", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(state, State::Complete);
        let (state, _) = read(b"GET", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh");
        assert_eq!(state, State::Partial);
    }

    #[test]
    fn bytes_after_a_response_are_ignored() {
        let twice = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\0\0garbage";
        assert_eq!(read(b"GET / HTTP/1.1", twice).0, State::Complete);
        let (state, reply) = read(b"GET / HTTP/1.1", b"<html>no head");
        assert_eq!(state, State::Malformed(Violation::BadStatusLine));
        assert_eq!(reply.start, b"<html>no head");
    }

    #[test]
    fn a_body_longer_than_the_limit_is_cut() {
        let mut long = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".to_vec();
        long.resize(long.len() + 200, b'x');
        let (state, reply) = read(b"GET / HTTP/1.1", &long);
        assert!(state == State::Complete && reply.is_cut);
    }
}
