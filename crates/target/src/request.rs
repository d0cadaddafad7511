//! Parses the head of a request.

use std::ops::Range;

/// The relevant parts of a head. Ranges refer to the input buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The request target as sent.
    pub(crate) target: Range<usize>,
    /// Minor version of HTTP/1: 0 or 1.
    pub(crate) minor: u8,
    pub(crate) persistence: Persistence,
    pub(crate) upload: Incoming,
    pub(crate) expects_continue: bool,
    pub(crate) cookie: Option<Range<usize>>,
    pub(crate) authorization: Option<Range<usize>>,
    /// Length of the head in bytes, including the blank line.
    pub(crate) head_len: usize,
}

/// The methods that the server distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Connect,
    Post,
    Put,
    Other,
}

impl Method {
    /// Returns the name for the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Connect => "CONNECT",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Other => "OTHER",
        }
    }
}

/// The `Connection` option of the client (RFC 9112, section 9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// None: the default of its version.
    Unsaid,
    KeepAlive,
    Close,
}

impl Request {
    /// Returns whether a body follows the head.
    pub(crate) fn has_upload(&self) -> bool {
        self.upload != Incoming::NONE
    }

    /// Returns whether the client expects a server with HTTP/1.0 (`http10`) or HTTP/1.1 to keep the connection.
    pub(crate) fn keeps_alive(&self, http10: bool) -> bool {
        match self.persistence {
            Persistence::Unsaid => self.minor == 1 && !http10,
            Persistence::KeepAlive => true,
            Persistence::Close => false,
        }
    }
}

/// The body that follows a head (RFC 9112, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    Length(u64),
    Chunked,
}

impl Incoming {
    /// No body.
    pub(crate) const NONE: Self = Self::Length(0);
}

/// Why a head is rejected; the connection is closed afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadRequest {
    Malformed,
    TooLarge,
    UriTooLong,
    UnknownVersion,
    UnknownCoding,
}

impl BadRequest {
    /// Returns the status of the response (RFC 9110, section 15.5; RFC 6585, section 5).
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Malformed => 400,
            Self::TooLarge => 431,
            Self::UriTooLong => 414,
            Self::UnknownVersion => 505,
            Self::UnknownCoding => 501,
        }
    }
}

/// Limits of a head in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) head: usize,
    pub(crate) uri: usize,
}

/// Parses the head at the start of `input`; returns `None` if it is incomplete.
pub(crate) fn parse(input: &[u8], limits: Limits) -> Result<Option<Request>, BadRequest> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head_len = match parsed.parse(input) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return incomplete(input, limits),
        Err(httparse::Error::TooManyHeaders) => return Err(BadRequest::TooLarge),
        Err(httparse::Error::Version) => return Err(wrong_version(input)),
        Err(_) => return Err(BadRequest::Malformed),
    };
    let target = parsed.path.unwrap_or("/").as_bytes();
    if target.len() > limits.uri {
        return Err(BadRequest::UriTooLong);
    }
    if head_len > limits.head {
        return Err(BadRequest::TooLarge);
    }
    let minor = parsed.version.unwrap_or(1);
    let mut request = Request {
        method: method(parsed.method.unwrap_or_default()),
        target: range_of(target, input),
        minor,
        persistence: Persistence::Unsaid,
        upload: Incoming::NONE,
        expects_continue: false,
        cookie: None,
        authorization: None,
        head_len,
    };
    read_headers(&mut request, parsed.headers, input)?;
    Ok(Some(request))
}

/// Distinguishes unsupported versions, which have their own status, from malformed ones.
fn wrong_version(input: &[u8]) -> BadRequest {
    let line = input.split(|b| *b == b'\n').next().unwrap_or_default().trim_ascii_end();
    match line.rsplit(|b| *b == b' ').next() {
        Some([b'H', b'T', b'T', b'P', b'/', major, b'.', minor])
            if major.is_ascii_digit() && minor.is_ascii_digit() =>
        {
            BadRequest::UnknownVersion
        }
        _ => BadRequest::Malformed,
    }
}

fn incomplete(input: &[u8], limits: Limits) -> Result<Option<Request>, BadRequest> {
    let line = input.iter().position(|b| *b == b'\n').unwrap_or(input.len());
    if line > limits.uri + LONGEST_REST_OF_LINE {
        Err(BadRequest::UriTooLong)
    } else if input.len() > limits.head {
        Err(BadRequest::TooLarge)
    } else {
        Ok(None)
    }
}

fn read_headers(
    request: &mut Request,
    headers: &[httparse::Header<'_>],
    input: &[u8],
) -> Result<(), BadRequest> {
    let (mut hosts, mut length, mut chunked) = (0, None, false);
    for header in headers {
        let (name, value) = (header.name.as_bytes(), header.value);
        // The length distinguishes almost all names without comparing letters.
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => hosts += 1,
            6 if name.eq_ignore_ascii_case(b"cookie") => request.cookie = Some(range_of(value, input)),
            6 if name.eq_ignore_ascii_case(b"expect") => {
                request.expects_continue = value.eq_ignore_ascii_case(b"100-continue");
            }
            10 if name.eq_ignore_ascii_case(b"connection") => connection(request, value),
            13 if name.eq_ignore_ascii_case(b"authorization") => {
                request.authorization = Some(range_of(value, input));
            }
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let value = content_length(value).ok_or(BadRequest::Malformed)?;
                if length.is_some_and(|known| known != value) {
                    return Err(BadRequest::Malformed);
                }
                length = Some(value);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                if !value.eq_ignore_ascii_case(b"chunked") || chunked {
                    return Err(BadRequest::UnknownCoding);
                }
                chunked = true;
            }
            _ => {}
        }
    }
    // RFC 9112, sections 3.2 and 6.1: exactly one Host in HTTP/1.1, and only one kind of framing.
    if (request.minor == 1 && hosts != 1) || (chunked && (length.is_some() || request.minor == 0)) {
        return Err(BadRequest::Malformed);
    }
    request.upload = if chunked { Incoming::Chunked } else { Incoming::Length(length.unwrap_or(0)) };
    Ok(())
}

fn connection(request: &mut Request, value: &[u8]) {
    for option in value.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
        if option.eq_ignore_ascii_case(b"close") {
            request.persistence = Persistence::Close;
        } else if option.eq_ignore_ascii_case(b"keep-alive") && request.persistence == Persistence::Unsaid {
            request.persistence = Persistence::KeepAlive;
        }
    }
}

fn content_length(value: &[u8]) -> Option<u64> {
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    if digits { str::from_utf8(value).ok()?.parse().ok() } else { None }
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "CONNECT" => Method::Connect,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        _ => Method::Other,
    }
}

/// Returns the range of `part`, a slice of `whole`, in it.
fn range_of(part: &[u8], whole: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

const MOST_HEADERS: usize = 100;
/// Maximum length of a request line without its target: method, version and spaces.
const LONGEST_REST_OF_LINE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { head: 1000, uri: 100 };

    fn parsed(input: &str) -> Request {
        parse(input.as_bytes(), LIMITS).unwrap().unwrap()
    }

    #[test]
    fn a_head_is_complete_with_its_blank_line() {
        let whole = "GET /a?b HTTP/1.1\r\nHost: x\r\nCookie: c=1\r\n\r\nnext";
        let request = parsed(whole);
        assert_eq!(&whole[request.target.clone()], "/a?b");
        assert_eq!(&whole[request.cookie.clone().unwrap()], "c=1");
        assert_eq!(request.head_len, whole.len() - 4);
        for cut in 0..request.head_len {
            assert_eq!(parse(&whole.as_bytes()[..cut], LIMITS), Ok(None), "cut at {cut}");
        }
    }

    #[test]
    fn keep_alive_depends_on_the_version() {
        for (input, server_11, server_10) in [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", true, false),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n", false, false),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close, keep-alive\r\n\r\n", false, false),
            ("GET / HTTP/1.0\r\n\r\n", false, false),
            ("GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n", true, true),
        ] {
            assert_eq!(parsed(input).keeps_alive(false), server_11, "{input}");
            assert_eq!(parsed(input).keeps_alive(true), server_10, "{input}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_head_decides_the_status() {
        let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100));
        let longer = format!("GET /{}", "a".repeat(300));
        let large = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}", "a".repeat(1000));
        for (input, status) in [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
            ("GET / HTTX/1.1\r\nHost: x\r\n\r\n", 400),
            ("\x01\x02\x03\r\n\r\n", 400),
            (&long, 414),
            (&longer, 414),
            (&large, 431),
        ] {
            let bad = parse(input.as_bytes(), LIMITS).unwrap_err();
            assert_eq!(bad.status(), status, "{input}");
        }
    }

    #[test]
    fn the_framing_of_an_upload_is_parsed() {
        assert_eq!(
            parsed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n").upload,
            Incoming::Length(7)
        );
        let chunked = parsed(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nExpect: 100-Continue\r\n\r\n",
        );
        assert_eq!(chunked.upload, Incoming::Chunked);
        assert!(chunked.expects_continue);
    }
}
