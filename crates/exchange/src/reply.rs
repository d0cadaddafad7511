//! What came back: a reply as far as it was one.

use warwolf_http::{
    CallId, Cause, End, FieldWriter, Fill, Head, Http1, Limits, ResponseSink, Template, TemplateBuilder,
    Version, Violation,
};

/// A reply, as far as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status, 0 while no whole head came.
    pub status: u16,
    /// Header fields in order, names as the server spelt them.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body, transfer coding removed, up to the length that is kept.
    pub body: Vec<u8>,
    /// Bytes of the body, kept or not.
    pub body_bytes: u64,
    /// The first bytes that came, as they were on the wire (inside TLS), at most 256.
    pub start: Vec<u8>,
    /// Whether the rest of the body was not waited for because it is too long.
    pub is_cut: bool,
}

/// How much of what came is kept as it was.
const START_KEPT: usize = 256;

impl Reply {
    /// The value of the first field with this name, whatever its case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        let found = self.fields.iter().find(|(of, _)| of.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| value.as_slice())
    }
}

/// How much of a body is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes kept.
    pub kept: usize,
    /// Bytes waited for; a longer reply counts as complete when so much of it came.
    pub awaited: u64,
}

/// How reading stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing of a reply came.
    Nothing,
    /// A part of one came.
    Begun,
    /// All of it.
    Complete,
    /// It ended before it was complete.
    Cut,
    /// It is none.
    Malformed(Violation),
}

/// Reads one reply.
#[derive(Debug)]
pub(crate) struct Reader {
    protocol: Http1,
    heard: Heard,
}

/// What the protocol told so far.
#[derive(Debug)]
struct Heard {
    reply: Reply,
    limits: BodyLimits,
    standing: Standing,
}

impl Reader {
    /// Before the first byte of the reply to a request that begins with `request`.
    pub(crate) fn new(request: &[u8], limits: BodyLimits) -> Self {
        let mut protocol = Http1::new(Limits { max_head: 256 << 10, ..Limits::default() }, 1);
        // Only what the method means for the reply counts; the request itself is sent as it is.
        if let Some(template) = template(method(request)) {
            protocol.start(CallId(0), &template, &mut Nothing, &mut Vec::new());
        }
        Self { protocol, heard: Heard { reply: Reply::default(), limits, standing: Standing::Nothing } }
    }

    /// Takes bytes; what follows a complete reply does not matter.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Standing {
        let room = START_KEPT.saturating_sub(self.heard.reply.start.len());
        self.heard.reply.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if matches!(self.heard.standing, Standing::Nothing | Standing::Begun) {
            self.heard.standing = Standing::Begun;
            // What is wrong was told to the sink as well.
            let _ = self.protocol.receive(bytes, &mut self.heard);
        }
        self.heard.standing
    }

    /// The peer ended its side.
    pub(crate) fn finish(&mut self) -> Standing {
        if matches!(self.heard.standing, Standing::Nothing | Standing::Begun) {
            self.protocol.finish(&mut self.heard);
        }
        self.heard.standing
    }

    /// How it stands.
    pub(crate) fn standing(&self) -> Standing {
        self.heard.standing
    }

    /// What came.
    pub(crate) fn into_reply(self) -> Reply {
        self.heard.reply
    }
}

/// The method of the first request in `request`: the word that its first line begins with.
fn method(request: &[u8]) -> &[u8] {
    let start = request.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(0);
    let rest = &request[start..];
    &rest[..rest.iter().position(|byte| *byte <= b' ').unwrap_or(rest.len())]
}

/// Something that the protocol expects a reply to, as it does to `method`.
fn template(method: &[u8]) -> Option<Template> {
    let known = match method {
        b"HEAD" => "HEAD",
        b"CONNECT" => "CONNECT",
        _ => "GET",
    };
    TemplateBuilder::new(known, "/", Version::Http11).build().ok()
}

/// Fills the holes of a request that has none.
struct Nothing;

impl Fill for Nothing {
    fn fields(&mut self, _hole: u16, _fields: &mut FieldWriter<'_>) {}

    fn body(&mut self, _offset: u64, max: usize, out: &mut Vec<u8>) {
        out.resize(out.len() + max, 0);
    }
}

impl ResponseSink for Heard {
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
            self.standing = Standing::Complete;
        }
    }

    fn end(&mut self, _call: CallId, _end: End) {
        self.reply.is_cut = false;
        self.standing = Standing::Complete;
    }

    fn failed(&mut self, _call: CallId, cause: Cause) {
        // What follows a complete reply may answer what followed the request in the same bytes.
        if self.standing == Standing::Complete {
            return;
        }
        self.standing = match cause {
            Cause::ClosedBeforeReply | Cause::Retired => Standing::Nothing,
            Cause::ClosedMidReply => Standing::Cut,
            Cause::Violation(violation) => Standing::Malformed(violation),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BodyLimits = BodyLimits { kept: 4, awaited: 100 };

    fn read(request: &[u8], came: &[u8]) -> (Standing, Reply) {
        let mut reader = Reader::new(request, LIMITS);
        reader.receive(came);
        (reader.standing(), reader.into_reply())
    }

    #[test]
    fn a_reply_ends_where_its_framing_says() {
        let (standing, reply) =
            read(b"GET / HTTP/1.1", b"HTTP/1.1 404 No\r\nContent-Length: 5\r\nX: y\r\n\r\nhello");
        assert_eq!((standing, reply.status), (Standing::Complete, 404));
        assert_eq!((reply.body.as_slice(), reply.body_bytes), (b"hell".as_slice(), 5));
        assert_eq!(reply.field("x"), Some(b"y".as_slice()));
        let (standing, _) = read(b"\r\nHEAD / HTTP/1.1", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(standing, Standing::Complete);
        let (standing, _) = read(b"GET", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh");
        assert_eq!(standing, Standing::Begun);
    }

    #[test]
    fn what_follows_a_reply_is_no_fault_of_it() {
        let twice = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\0\0garbage";
        assert_eq!(read(b"GET / HTTP/1.1", twice).0, Standing::Complete);
        let (standing, reply) = read(b"GET / HTTP/1.1", b"<html>no head");
        assert_eq!(standing, Standing::Malformed(Violation::BadStatusLine));
        assert_eq!(reply.start, b"<html>no head");
    }

    #[test]
    fn a_long_body_is_cut() {
        let mut long = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".to_vec();
        long.resize(long.len() + 200, b'x');
        let (standing, reply) = read(b"GET / HTTP/1.1", &long);
        assert!(standing == Standing::Complete && reply.is_cut);
    }
}
