//! Converts a response into the pieces to write, including faults. Uses no sockets and no clock.

use std::io::Write as _;
use std::time::Duration;

use crate::behaviour::Framing;
use crate::fault::FaultKind;

/// A response to send.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) http10: bool,
    /// The client uses HTTP/1.0: no chunked coding, and `keep-alive` has to be announced.
    pub(crate) client10: bool,
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    pub(crate) body: Body,
    /// Additional header lines with line ends.
    pub(crate) headers: String,
    pub(crate) extensions: bool,
    pub(crate) trailers: bool,
    pub(crate) interim: u32,
    pub(crate) body_delay: Duration,
    /// Send only the head, as the response to HEAD.
    pub(crate) head_only: bool,
    /// Keep the connection open.
    pub(crate) keep_alive: bool,
    /// Announce a close.
    pub(crate) announce_close: bool,
    pub(crate) fault: Option<FaultKind>,
}

/// The content of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// This number of bytes of the pattern.
    Pattern(u64),
    Text(Vec<u8>),
}

impl Body {
    fn len(&self) -> u64 {
        match self {
            Self::Pattern(length) => *length,
            Self::Text(text) => text.len() as u64,
        }
    }

    fn halved(self) -> Self {
        match self {
            Self::Pattern(length) => Self::Pattern(length / 2),
            Self::Text(mut text) => {
                text.truncate(text.len() / 2);
                Self::Text(text)
            }
        }
    }
}

/// A piece of a response to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    /// That many bytes of the pattern.
    Pattern(u64),
    /// The pattern in chunks, without the final empty chunk.
    Chunks {
        total: u64,
        size: u64,
        extensions: bool,
    },
    Pause(Duration),
}

/// What happens to the connection after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Keep,
    Close,
    Reset,
    Hang,
}

/// A response as a sequence of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) ending: Ending,
}

impl Reply {
    /// Returns the pieces to write, in order.
    pub(crate) fn script(mut self) -> Script {
        if let Some(script) = self.instead_of_a_reply() {
            return script;
        }
        self.settle_framing();
        let mut ending = if self.keep_alive { Ending::Keep } else { Ending::Close };
        let mut head = self.head();
        let mut pieces = Vec::with_capacity(4);
        match self.fault {
            Some(FaultKind::ShortHead) => {
                head.truncate(head.len() / 2);
                return Script { pieces: vec![Piece::Bytes(head)], ending: Ending::Close };
            }
            Some(FaultKind::Short) => ending = Ending::Close,
            Some(FaultKind::ResetBody) => ending = Ending::Reset,
            Some(FaultKind::HangBody) => ending = Ending::Hang,
            _ => {}
        }
        pieces.push(Piece::Bytes(head));
        if !self.body_delay.is_zero() {
            pieces.push(Piece::Pause(self.body_delay));
        }
        if !self.is_bodiless() {
            self.push_body(&mut pieces);
        }
        Script { pieces, ending }
    }

    /// Returns whether a status line with a status is sent.
    pub(crate) fn has_status(&self) -> bool {
        let without =
            [FaultKind::Reset, FaultKind::Close, FaultKind::Hang, FaultKind::Garbage, FaultKind::BadStatus];
        self.fault.is_none_or(|fault| !without.contains(&fault))
    }

    fn instead_of_a_reply(&self) -> Option<Script> {
        let (bytes, ending) = match self.fault? {
            FaultKind::Reset => (&b""[..], Ending::Reset),
            FaultKind::Close => (&b""[..], Ending::Close),
            FaultKind::Hang => (&b""[..], Ending::Hang),
            FaultKind::Garbage => (GARBAGE, Ending::Close),
            _ => return None,
        };
        let pieces = if bytes.is_empty() { Vec::new() } else { vec![Piece::Bytes(bytes.to_vec())] };
        Some(Script { pieces, ending })
    }

    /// Makes framing, version, fault and keep-alive consistent.
    fn settle_framing(&mut self) {
        let wants_chunks = matches!(self.fault, Some(FaultKind::BadChunk | FaultKind::Smuggle));
        let wants_length =
            matches!(self.fault, Some(FaultKind::Conflict | FaultKind::BadLength | FaultKind::Excess));
        match self.framing {
            Framing::Length | Framing::UntilClose if wants_chunks => {
                self.framing = Framing::Chunked(crate::behaviour::USUAL_CHUNK);
            }
            Framing::Chunked(_) | Framing::UntilClose if wants_length => self.framing = Framing::Length,
            // The truncation of a body that ends with the connection could not be detected.
            Framing::UntilClose if self.is_cut() => self.framing = Framing::Length,
            Framing::Chunked(_) if self.http10 || self.client10 => self.framing = Framing::UntilClose,
            _ => {}
        }
        if self.is_cut() && self.body.len() == 0 {
            self.body = Body::Pattern(1);
        }
        let breaks = matches!(
            self.fault,
            Some(
                FaultKind::BadStatus
                    | FaultKind::BadHeader
                    | FaultKind::BadLength
                    | FaultKind::BadChunk
                    | FaultKind::Conflict
                    | FaultKind::Smuggle
            )
        );
        if breaks || (self.framing == Framing::UntilClose && !self.is_bodiless()) {
            self.keep_alive = false;
        }
    }

    fn is_cut(&self) -> bool {
        matches!(self.fault, Some(FaultKind::Short | FaultKind::ResetBody | FaultKind::HangBody))
    }

    /// RFC 9112, section 6.3: these have no body, regardless of the head.
    fn is_bodiless(&self) -> bool {
        self.head_only || matches!(self.status, 204 | 304)
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Vec::with_capacity(256);
        // RFC 9110, section 15.2: no interim responses to an HTTP/1.0 client.
        let interim = if self.client10 || self.http10 { 0 } else { self.interim };
        for _ in 0..interim {
            head.extend_from_slice(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n");
        }
        let version = if self.http10 { "1.0" } else { "1.1" };
        match self.fault {
            Some(FaultKind::BadStatus) => put(&mut head, format_args!("HTTP/{version} 2xx Perhaps\r\n")),
            _ => put(&mut head, format_args!("HTTP/{version} {} {}\r\n", self.status, reason(self.status))),
        }
        head.extend_from_slice(b"Server: warwolf-target\r\nContent-Type: text/plain\r\n");
        head.extend_from_slice(self.headers.as_bytes());
        self.put_framing(&mut head);
        match self.fault {
            Some(FaultKind::BadHeader) => head.extend_from_slice(b"a line without a colon\r\n"),
            Some(FaultKind::LongHead) => {
                head.extend_from_slice(b"X-Long: ");
                head.resize(head.len() + LONG_HEAD, b'x');
                head.extend_from_slice(b"\r\n");
            }
            _ => {}
        }
        if !self.keep_alive && self.announce_close {
            head.extend_from_slice(b"Connection: close\r\n");
        } else if self.keep_alive && (self.client10 || self.http10) {
            head.extend_from_slice(b"Connection: keep-alive\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    fn put_framing(&self, head: &mut Vec<u8>) {
        // RFC 9110, section 8.6: no Content-Length in a 204.
        if self.status == 204 {
            return;
        }
        let length = self.body.len();
        match self.framing {
            _ if self.fault == Some(FaultKind::BadLength) => {
                head.extend_from_slice(b"Content-Length: many\r\n")
            }
            Framing::Length => put(head, format_args!("Content-Length: {length}\r\n")),
            Framing::Chunked(_) => {
                head.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
                if self.trailers {
                    head.extend_from_slice(b"Trailer: X-Checksum, X-Done\r\n");
                }
            }
            Framing::UntilClose => {}
        }
        match self.fault {
            Some(FaultKind::Conflict) => put(head, format_args!("Content-Length: {}\r\n", length + 1)),
            Some(FaultKind::Smuggle) => put(head, format_args!("Content-Length: {length}\r\n")),
            _ => {}
        }
    }

    fn push_body(self, pieces: &mut Vec<Piece>) {
        let is_cut = self.is_cut();
        let body = if is_cut { self.body.halved() } else { self.body };
        let Framing::Chunked(size) = self.framing else {
            match body {
                Body::Pattern(length) => pieces.push(Piece::Pattern(length)),
                Body::Text(text) => pieces.push(Piece::Bytes(text)),
            }
            if self.fault == Some(FaultKind::Excess) {
                pieces.push(Piece::Pattern(EXCESS));
            }
            return;
        };
        match body {
            Body::Pattern(total) => pieces.push(Piece::Chunks { total, size, extensions: self.extensions }),
            Body::Text(text) => pieces.push(Piece::Bytes(chunked_text(&text, size, self.extensions))),
        }
        match self.fault {
            Some(FaultKind::BadChunk) => pieces.push(Piece::Bytes(b"xyz\r\nno such size\r\n".to_vec())),
            _ if is_cut => {}
            _ if self.trailers => {
                pieces.push(Piece::Bytes(b"0\r\nX-Checksum: 0\r\nX-Done: yes\r\n\r\n".to_vec()));
            }
            _ => pieces.push(Piece::Bytes(b"0\r\n\r\n".to_vec())),
        }
    }
}

fn chunked_text(text: &[u8], size: u64, extensions: bool) -> Vec<u8> {
    let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
    let mut out = Vec::with_capacity(text.len() + 64);
    for chunk in text.chunks(size) {
        put_chunk_size(&mut out, chunk.len() as u64, extensions);
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// Writes the line before a chunk of `size` bytes.
pub(crate) fn put_chunk_size(out: &mut Vec<u8>, size: u64, extensions: bool) {
    let extension = if extensions { ";note=\"a; b\";flag" } else { "" };
    put(out, format_args!("{size:x}{extension}\r\n"));
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    drop(out.write_fmt(text));
}

/// Returns the reason phrase (RFC 9110, section 15).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        414 => "URI Too Long",
        417 => "Expectation Failed",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Status",
    }
}

/// Contains no status line at any offset.
const GARBAGE: &[u8] =
    b"\x16\x03\x00\xff\xfe\x00lorem ipsum\x00\x80\x81\x82 no http here\r\n\r\n\xde\xad\xbe\xef";
const LONG_HEAD: usize = 1 << 20;
const EXCESS: u64 = 16;

#[cfg(test)]
mod tests;
