//! A request encoded once, before the run: pieces of bytes, and holes filled for each call.
//!
//! The engine makes templates from a plan; a protocol copies them into send buffers.

use crate::ftp::Transfer;
use crate::{FieldWriter, Version};
use std::fmt;
use std::sync::Arc;
use warwolf_ftp::{Order, OrderError};

/// Supplies what differs from call to call.
pub trait Fill {
    /// Adds the header fields that belong in a hole, if any.
    fn fields(&mut self, hole: u16, fields: &mut FieldWriter<'_>);

    /// Appends the bytes that belong in a hole of a request given byte for byte, or in the name of a file. Adds nothing
    /// unless overridden.
    fn value(&mut self, hole: u16, out: &mut Vec<u8>) {
        let _ = (hole, out);
    }

    /// Appends exactly `max` bytes of the request body from `offset` on.
    fn body(&mut self, offset: u64, max: usize, out: &mut Vec<u8>);
}

/// What is filled in for each call, with the number that [`Fill`] gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hole {
    /// Header fields.
    Fields(u16),
    /// Bytes as they are sent.
    Value(u16),
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestBody {
    /// None.
    None,
    /// Kept with the template and sent with the head.
    Inline(Vec<u8>),
    /// Asked of [`Fill::body`] piece by piece.
    Streamed {
        /// Its length in bytes.
        length: u64,
    },
}

/// The expected reply, as far as the method determines it (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// A reply with whatever body its head announces.
    Reply,
    /// A head alone: the method is `HEAD`.
    Head,
    /// A tunnel: the method is `CONNECT`.
    Tunnel,
}

/// A request, encoded.
#[derive(Clone, Debug)]
pub struct Template {
    /// The request with nothing in its holes; a streamed body is not in it.
    pub(crate) bytes: Vec<u8>,
    /// Where in `bytes` which hole is, in order.
    pub(crate) holes: Vec<(usize, Hole)>,
    pub(crate) asks: Asks,
    /// The request itself asks for the connection to be closed after the reply.
    pub(crate) closes: bool,
    /// Length of a body asked of [`Fill::body`], zero when there is none.
    pub(crate) streamed: u64,
    /// What replaces all of the above where the protocol is FTP.
    pub(crate) transfer: Option<Arc<Transfer>>,
    repeatable: bool,
    has_body: bool,
    body_bytes: usize,
}

impl Template {
    /// A request whose head is given as it is sent, up to but without the empty line that ends it; nothing is added but the
    /// fields of `hole`, at its end, and the body. `method` determines whether its reply has a body, and `closes` whether the
    /// connection ends with the reply.
    #[must_use]
    pub fn raw(method: &str, head: &[u8], hole: Option<u16>, closes: bool, body: RequestBody) -> Self {
        let mut bytes = head.to_vec();
        let holes = hole.map(|hole| (bytes.len(), Hole::Fields(hole))).into_iter().collect();
        bytes.extend_from_slice(b"\r\n");
        Self::complete(bytes, holes, method, closes, body)
    }

    /// A request given byte for byte as it is sent, its empty line included, with holes at these positions, in order.
    /// `method` determines whether its reply has a body, and `closes` whether the connection ends with the reply.
    ///
    /// # Panics
    /// When a hole is not within the bytes, or before the one that precedes it.
    #[must_use]
    pub fn exact(method: &str, bytes: Vec<u8>, holes: Vec<(usize, Hole)>, closes: bool) -> Self {
        let positions = holes.iter().map(|(position, _)| *position);
        assert!(
            positions.clone().is_sorted() && positions.max() <= Some(bytes.len()),
            "holes are in order and within"
        );
        Self::complete(bytes, holes, method, closes, RequestBody::None)
    }

    /// A transfer over FTP. `body` is the content of a file to be stored; [`Fill::value`] supplies the number in the name of
    /// a numbered order for `hole`.
    #[must_use]
    pub fn transfer(order: Order, hole: u16, body: RequestBody) -> Self {
        let has_body = body != RequestBody::None;
        let transfer = Transfer { order: Arc::new(order), hole, content: body };
        let empty = Self::complete(Vec::new(), Vec::new(), "", true, RequestBody::None);
        Self { transfer: Some(Arc::new(transfer)), has_body, ..empty }
    }

    /// Adds the body to a head.
    fn complete(
        mut bytes: Vec<u8>,
        holes: Vec<(usize, Hole)>,
        method: &str,
        closes: bool,
        body: RequestBody,
    ) -> Self {
        let has_body = body != RequestBody::None;
        let head_bytes = bytes.len();
        let mut streamed = 0;
        match body {
            RequestBody::None => {}
            RequestBody::Inline(body) => bytes.extend_from_slice(&body),
            RequestBody::Streamed { length } => streamed = length,
        }
        bytes.shrink_to_fit();
        let body_bytes = bytes.len() - head_bytes;
        let asks = match method {
            "HEAD" => Asks::Head,
            "CONNECT" => Asks::Tunnel,
            _ => Asks::Reply,
        };
        let repeatable = matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE" | "PUT" | "DELETE");
        Self { bytes, holes, asks, closes, streamed, transfer: None, repeatable, has_body, body_bytes }
    }

    /// Length of a body that is kept with the request, at its end.
    #[must_use]
    pub fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    /// Whether the request may be sent again when its connection closed without a reply: its method is idempotent (RFC
    /// 9110 section 9.2.2).
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    /// Whether the request carries a body, even an empty one.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.has_body
    }

    /// Whether replies to this request may carry a body: not for `HEAD`.
    #[must_use]
    pub fn expects_body(&self) -> bool {
        self.asks != Asks::Head
    }

    /// Whether the request itself asks for the connection to be closed after the reply.
    #[must_use]
    pub fn closes(&self) -> bool {
        self.closes
    }

    /// The encoded request with nothing in its holes and without a streamed body.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Makes a [`Template`]. Header fields are sent in the order given, a computed `Content-Length` last.
#[derive(Clone, Debug)]
pub struct TemplateBuilder {
    method: String,
    target: String,
    target_hole: Option<u16>,
    version: Version,
    lines: Vec<Line>,
    body: RequestBody,
    body_hole: Option<u16>,
}

#[derive(Clone, Debug)]
enum Line {
    Field(String, String),
    /// A field whose value is filled in.
    FieldHole(String, u16),
    Hole(u16),
    Raw(Vec<u8>),
}

impl TemplateBuilder {
    /// Begins a request line. `target` is in the form the receiver wants: origin, absolute, authority or `*` (RFC 9112
    /// section 3.2).
    #[must_use]
    pub fn new(method: &str, target: &str, version: Version) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            target_hole: None,
            version,
            lines: Vec::new(),
            body: RequestBody::None,
            body_hole: None,
        }
    }

    /// Adds a hole at the end of the target, which [`Fill::value`] supplies: bytes without white space and control characters.
    #[must_use]
    pub fn target_hole(mut self, hole: u16) -> Self {
        self.target_hole = Some(hole);
        self
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.lines.push(Line::Field(name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a header field whose value [`Fill::value`] supplies: bytes without line ends.
    #[must_use]
    pub fn header_hole(mut self, name: &str, hole: u16) -> Self {
        self.lines.push(Line::FieldHole(name.to_owned(), hole));
        self
    }

    /// Adds a hole for header fields, which [`Fill::fields`] supplies.
    #[must_use]
    pub fn hole(mut self, hole: u16) -> Self {
        self.lines.push(Line::Hole(hole));
        self
    }

    /// Adds bytes to the head as they are, unchecked: whole lines, each with its line end.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.lines.push(Line::Raw(bytes.to_vec()));
        self
    }

    /// Sets the body. `Content-Length` is added unless the fields given contain it or `Transfer-Encoding`.
    #[must_use]
    pub fn body(mut self, body: RequestBody) -> Self {
        self.body = body;
        self
    }

    /// Makes the body a hole: [`Fill::value`] supplies the end of the head, with the field `Content-Length` and the empty line,
    /// and then the body.
    #[must_use]
    pub fn body_hole(mut self, hole: u16) -> Self {
        self.body_hole = Some(hole);
        self
    }

    /// Encodes the request.
    ///
    /// # Errors
    /// When a method, target, field name or value would change the structure of the request.
    pub fn build(self) -> Result<Template, TemplateError> {
        if !is_token(&self.method) {
            return Err(TemplateError::Method(self.method));
        }
        let is_empty = self.target.is_empty() && self.target_hole.is_none();
        if is_empty || self.target.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(TemplateError::Target(self.target));
        }
        let mut bytes = Vec::with_capacity(256);
        for piece in [&self.method, " ", &self.target] {
            bytes.extend_from_slice(piece.as_bytes());
        }
        let hole = self.target_hole.map(|hole| (bytes.len(), Hole::Value(hole)));
        let mut holes: Vec<_> = hole.into_iter().collect();
        for piece in [" ", self.version.name(), "\r\n"] {
            bytes.extend_from_slice(piece.as_bytes());
        }
        for line in &self.lines {
            match line {
                Line::Field(name, value) => push_field(name, value, &mut bytes)?,
                Line::FieldHole(name, hole) => {
                    push_field(name, "", &mut bytes)?;
                    holes.push((bytes.len() - 2, Hole::Value(*hole)));
                }
                Line::Hole(hole) => holes.push((bytes.len(), Hole::Fields(*hole))),
                Line::Raw(raw) => bytes.extend_from_slice(raw),
            }
        }
        if let Some(hole) = self.body_hole {
            holes.push((bytes.len(), Hole::Value(hole)));
            let closes = self.closes();
            let template = Template::complete(bytes, holes, &self.method, closes, RequestBody::None);
            return Ok(Template { has_body: true, ..template });
        }
        if let Some(length) = self.length()
            && !self.names("content-length")
            && !self.names("transfer-encoding")
        {
            push_field("Content-Length", &length.to_string(), &mut bytes)?;
        }
        bytes.extend_from_slice(b"\r\n");
        let closes = self.closes();
        Ok(Template::complete(bytes, holes, &self.method, closes, self.body))
    }

    /// The value of `Content-Length`. Requests whose method implies a body have it even for an empty one (RFC 9110 section 8.6).
    fn length(&self) -> Option<u64> {
        match &self.body {
            RequestBody::None => matches!(self.method.as_str(), "POST" | "PUT" | "PATCH").then_some(0),
            RequestBody::Inline(body) => Some(body.len() as u64),
            RequestBody::Streamed { length } => Some(*length),
        }
    }

    /// Whether a field of this name was given.
    fn names(&self, wanted: &str) -> bool {
        self.fields().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    }

    /// Whether the request asks for the connection to be closed after the reply (RFC 9112 section 9.3).
    fn closes(&self) -> bool {
        let says = |option: &str| {
            self.fields()
                .filter(|(name, _)| name.eq_ignore_ascii_case("connection"))
                .flat_map(|(_, value)| value.split(','))
                .any(|word| word.trim().eq_ignore_ascii_case(option))
        };
        match self.version {
            Version::Http10 => says("close") || !says("keep-alive"),
            Version::Http11 => says("close"),
        }
    }

    fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().filter_map(|line| match line {
            Line::Field(name, value) => Some((name.as_str(), value.as_str())),
            Line::FieldHole(name, _) => Some((name.as_str(), "")),
            _ => None,
        })
    }
}

/// Why a request cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// The method is not a token (RFC 9110 section 9.1).
    Method(String),
    /// The target is empty or has white space or control characters in it.
    Target(String),
    /// A field name is not a token (RFC 9110 section 5.1).
    FieldName(String),
    /// The value of the field named here has an end of line or a NUL in it (RFC 9110 section 5.5).
    FieldValue(String),
    /// The request cannot be expressed in commands of FTP.
    Transfer(OrderError),
}

impl From<OrderError> for TemplateError {
    fn from(error: OrderError) -> Self {
        Self::Transfer(error)
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => {
                write!(f, "method `{}`: use letters, as in `GET`", method.escape_debug())
            }
            Self::Target(target) => {
                write!(f, "target `{}`: percent-encode spaces and control characters", target.escape_debug())
            }
            Self::FieldName(name) => {
                write!(f, "header name `{}`: use letters, digits and `-`", name.escape_debug())
            }
            Self::FieldValue(name) => {
                write!(f, "value of header `{name}`: remove the end of line or NUL in it")
            }
            Self::Transfer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TemplateError {}

fn push_field(name: &str, value: &str, bytes: &mut Vec<u8>) -> Result<(), TemplateError> {
    if !is_token(name) {
        return Err(TemplateError::FieldName(name.to_owned()));
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(TemplateError::FieldValue(name.to_owned()));
    }
    for piece in [name, ": ", value, "\r\n"] {
        bytes.extend_from_slice(piece.as_bytes());
    }
    Ok(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// A character of a token (RFC 9110 section 5.6.2).
pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(builder: TemplateBuilder) -> String {
        String::from_utf8(builder.build().unwrap().bytes).unwrap()
    }

    #[test]
    fn a_request_is_its_line_its_fields_in_order_and_an_empty_line() {
        let builder =
            TemplateBuilder::new("GET", "/a?b", Version::Http11).header("Host", "x").header("A", "");
        assert_eq!(text(builder), "GET /a?b HTTP/1.1\r\nHost: x\r\nA: \r\n\r\n");
    }

    #[test]
    fn content_length_is_added_where_it_has_to_be() {
        let of = |method, body| text(TemplateBuilder::new(method, "/", Version::Http10).body(body));
        assert_eq!(of("GET", RequestBody::None), "GET / HTTP/1.0\r\n\r\n");
        assert_eq!(of("POST", RequestBody::None), "POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(
            of("GET", RequestBody::Inline(b"ab".to_vec())),
            "GET / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab"
        );
        assert_eq!(
            of("PUT", RequestBody::Streamed { length: 5_000_000_000 }),
            "PUT / HTTP/1.0\r\nContent-Length: 5000000000\r\n\r\n"
        );
    }

    #[test]
    fn a_length_or_coding_given_by_the_user_stays_the_only_one() {
        for given in ["content-length", "Transfer-Encoding"] {
            let builder = TemplateBuilder::new("POST", "/", Version::Http11).header(given, "7");
            assert_eq!(
                text(builder.body(RequestBody::Inline(b"x".to_vec()))),
                format!("POST / HTTP/1.1\r\n{given}: 7\r\n\r\nx")
            );
        }
    }

    #[test]
    fn whether_the_connection_ends_depends_on_version_and_field() {
        let table = [
            (Version::Http11, None, false),
            (Version::Http11, Some("close"), true),
            (Version::Http11, Some("Upgrade, Close"), true),
            (Version::Http10, None, true),
            (Version::Http10, Some("Keep-Alive"), false),
            (Version::Http10, Some("keep-alive, close"), true),
        ];
        for (version, field, closes) in table {
            let mut builder = TemplateBuilder::new("GET", "/", version);
            if let Some(value) = field {
                builder = builder.header("Connection", value);
            }
            assert_eq!(builder.build().unwrap().closes(), closes, "{version:?} {field:?}");
        }
    }

    #[test]
    fn a_raw_head_is_sent_as_it_is() {
        let body = RequestBody::Inline(b"ab".to_vec());
        let template = Template::raw("POST", b"POST  /\xff \n HTTP/1.0\r\n", Some(3), true, body);
        assert_eq!(template.bytes(), b"POST  /\xff \n HTTP/1.0\r\n\r\nab");
        assert_eq!((template.holes.as_slice(), template.body_bytes()), (&[(21, Hole::Fields(3))][..], 2));
        assert!(template.closes() && template.has_body() && !template.is_repeatable());
        assert!(!Template::raw("HEAD", b"", None, false, RequestBody::None).expects_body());
    }

    #[test]
    fn idempotent_methods_are_repeatable() {
        for (method, repeatable) in [("GET", true), ("PUT", true), ("POST", false), ("get", false)] {
            let template = TemplateBuilder::new(method, "/", Version::Http11).build().unwrap();
            assert_eq!(template.is_repeatable(), repeatable, "{method}");
        }
    }

    #[test]
    fn what_would_break_the_request_is_refused() {
        let error = |builder: TemplateBuilder| builder.build().unwrap_err().to_string();
        let get = || TemplateBuilder::new("GET", "/", Version::Http11);
        assert_eq!(
            error(TemplateBuilder::new("G ET", "/", Version::Http11)),
            "method `G ET`: use letters, as in `GET`"
        );
        assert_eq!(
            error(TemplateBuilder::new("GET", "/a b", Version::Http11)),
            "target `/a b`: percent-encode spaces and control characters"
        );
        assert_eq!(error(get().header("A:", "b")), "header name `A:`: use letters, digits and `-`");
        assert_eq!(
            error(get().header("A", "b\r\nC: d")),
            "value of header `A`: remove the end of line or NUL in it"
        );
    }
}
