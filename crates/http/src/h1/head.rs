//! Reads the head of a reply: the status line, the fields, and from them where the reply ends.
//!
//! As lenient as browsers and curl where leniency does no harm to framing: a bare line feed ends a line, the reason
//! phrase may be missing, space before a colon and folded lines are accepted.

use super::{Limits, ReplyEnd};
use crate::template::{Asks, is_token_byte};
use crate::{Version, Violation};
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::rc::Rc;

/// Fields that fit on the stack while a head is read. More are read again into memory of their own.
const FIELDS_ON_STACK: usize = 128;

/// Where the body of a reply ends (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// An interim reply; the final one follows.
    Interim,
    /// No body, whatever the fields say.
    NoBody,
    /// After this many bytes.
    Length(u64),
    /// After the last chunk.
    Chunked,
    /// Where the connection ends.
    UntilClose,
}

/// What the connection needs of a head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Its length.
    pub(crate) bytes: usize,
    pub(crate) status: u16,
    pub(crate) version: Version,
    pub(crate) framing: Framing,
    /// The connection is kept after the reply.
    pub(crate) kept: bool,
}

/// Reads a head from the start of `input`. `None` when it is not complete.
///
/// At most `limits.max_head` bytes are read, so that the result does not depend on how the input is cut.
pub(crate) fn read(input: &[u8], asks: Asks, limits: &Limits) -> Result<Option<Found>, Violation> {
    let mut space = [const { MaybeUninit::uninit() }; FIELDS_ON_STACK];
    let slots = limits.max_headers.min(FIELDS_ON_STACK);
    match read_into(&mut space[..slots], input, asks, limits) {
        Err(Violation::TooManyHeaders) if limits.max_headers > FIELDS_ON_STACK => {
            read_many(input, asks, limits)
        }
        result => result,
    }
}

/// Reads a head with more fields than fit on the stack.
#[cold]
fn read_many(input: &[u8], asks: Asks, limits: &Limits) -> Result<Option<Found>, Violation> {
    read_into(&mut vec![MaybeUninit::uninit(); limits.max_headers], input, asks, limits)
}

/// Reads a head, with `space` for its fields.
fn read_into<'a>(
    space: &mut [MaybeUninit<httparse::Header<'a>>],
    input: &'a [u8],
    asks: Asks,
    limits: &Limits,
) -> Result<Option<Found>, Violation> {
    let within = &input[..input.len().min(limits.max_head)];
    let mut response = httparse::Response::new(&mut []);
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true);
    let parsed = config.parse_response_with_uninit_headers(&mut response, within, space);
    let bytes = match parsed {
        Ok(httparse::Status::Complete(bytes)) => bytes,
        Ok(httparse::Status::Partial) if input.len() < limits.max_head => return Ok(None),
        Ok(httparse::Status::Partial) => return Err(Violation::HeadTooLong),
        Err(error) => return Err(violation(error, response.code.is_some())),
    };
    let (Some(status @ 100..), Some(minor)) = (response.code, response.version) else {
        return Err(Violation::BadStatusLine);
    };
    let version = if minor == 0 { Version::Http10 } else { Version::Http11 };
    let (framing, kept) = frame(status, version, response.headers, asks, limits.reply_end)?;
    Ok(Some(Found { bytes, status, version, framing, kept }))
}

/// Heads that were read lately, for all connections of a worker that have the same limits. Servers repeat their heads, in which
/// at most the date changes once a second, so that a comparison is nearly always enough: 8 ns instead of 120 for a small head.
///
/// Clones share the heads, within one thread.
#[derive(Clone, Debug, Default)]
pub struct Heads(Rc<RefCell<Table>>);

#[derive(Debug, Default)]
struct Table {
    known: [Known; KNOWN],
    /// The head that the next new one replaces.
    oldest: usize,
}

#[derive(Debug, Default)]
struct Known {
    text: Vec<u8>,
    found: Option<(Asks, Found)>,
}

impl Heads {
    /// Reads a head, with the same result as [`read`].
    #[inline]
    pub(crate) fn read(&self, input: &[u8], asks: Asks, limits: &Limits) -> Result<Option<Found>, Violation> {
        let mut table = self.0.borrow_mut();
        for known in &table.known {
            if let Some((asked, found)) = known.found
                && asked == asks
                && input.starts_with(&known.text)
            {
                return Ok(Some(found));
            }
        }
        table.learn(input, asks, limits)
    }
}

impl Table {
    #[cold]
    fn learn(&mut self, input: &[u8], asks: Asks, limits: &Limits) -> Result<Option<Found>, Violation> {
        let found = read(input, asks, limits)?;
        if let Some(found) = found
            && found.bytes <= KNOWN_MAX
            && found.framing != Framing::Interim
        {
            let known = &mut self.known[self.oldest];
            known.text.clear();
            known.text.extend_from_slice(&input[..found.bytes]);
            known.found = Some((asks, found));
            self.oldest = (self.oldest + 1) % KNOWN;
        }
        Ok(found)
    }
}

/// How many heads are kept: a site sends few kinds, and searching many costs more than parsing.
const KNOWN: usize = 4;
/// The longest head that is kept, in bytes.
const KNOWN_MAX: usize = 1024;

/// Translates the error of the library. It reads from left to right, so that a misplaced line feed belongs to the status line
/// until that has been read.
fn violation(error: httparse::Error, after_status: bool) -> Violation {
    match error {
        httparse::Error::HeaderName | httparse::Error::HeaderValue => Violation::BadHeader,
        httparse::Error::NewLine if after_status => Violation::BadHeader,
        httparse::Error::TooManyHeaders => Violation::TooManyHeaders,
        _ => Violation::BadStatusLine,
    }
}

/// Decides where the reply ends and whether the connection is kept after it.
#[inline]
fn frame(
    status: u16,
    version: Version,
    fields: &[httparse::Header<'_>],
    asks: Asks,
    reply_end: ReplyEnd,
) -> Result<(Framing, bool), Violation> {
    let mut length = Ok(None);
    let mut coding = Coding::None;
    let (mut close, mut keep_alive) = (false, false);
    for field in fields {
        let name = field.name;
        match name.len() {
            14 if name.eq_ignore_ascii_case("content-length") => length = add_length(length, field.value),
            17 if name.eq_ignore_ascii_case("transfer-encoding") => coding = coding.add(field.value),
            10 if name.eq_ignore_ascii_case("connection") => {
                for option in elements(field.value) {
                    close |= option.eq_ignore_ascii_case(b"close");
                    keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            _ => {}
        }
    }
    // RFC 9112 section 9.3: `close` overrides everything, 1.1 keeps by default, 1.0 by agreement.
    let kept = !close && (keep_alive || version == Version::Http11);
    let framing = match (status, asks) {
        // Another protocol follows: the connection carries no more HTTP.
        (101, _) | (200..=299, Asks::Tunnel) => return Ok((Framing::NoBody, false)),
        (100..=199, _) => return Ok((Framing::Interim, true)),
        (_, Asks::Head) => Framing::NoBody,
        _ if reply_end == ReplyEnd::Close => Framing::UntilClose,
        (204 | 304, _) => Framing::NoBody,
        _ if reply_end == ReplyEnd::Length => {
            length.unwrap_or(None).map_or(Framing::UntilClose, Framing::Length)
        }
        _ => match coding {
            Coding::Broken => return Err(Violation::UnsupportedTransferCoding),
            Coding::Chunked => Framing::Chunked,
            Coding::Other => Framing::UntilClose,
            Coding::None => length?.map_or(Framing::UntilClose, Framing::Length),
        },
    };
    Ok((framing, kept && framing != Framing::UntilClose))
}

/// The meaning of the `Transfer-Encoding` fields read so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// No field, or `identity`, which older servers send instead of none.
    None,
    /// `chunked` is the last one.
    Chunked,
    /// Another coding is the last: the body ends with the connection.
    Other,
    /// Not a list of codings, or one after `chunked`.
    Broken,
}

impl Coding {
    fn add(mut self, value: &[u8]) -> Self {
        for element in elements(value) {
            let name = element.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii_end();
            self = match self {
                Self::Broken | Self::Chunked => Self::Broken,
                _ if name.eq_ignore_ascii_case(b"chunked") => Self::Chunked,
                _ if name.eq_ignore_ascii_case(b"identity") => self,
                _ if !name.is_empty() && name.iter().all(|&byte| is_token_byte(byte)) => Self::Other,
                _ => Self::Broken,
            };
        }
        self
    }
}

/// Combines a `Content-Length` field with those before it. A list of equal values counts as one (RFC 9112 section 6.3). An
/// error is kept for later, because `Transfer-Encoding` makes it irrelevant.
fn add_length(known: Result<Option<u64>, Violation>, value: &[u8]) -> Result<Option<u64>, Violation> {
    let mut known = known?;
    if value.trim_ascii().is_empty() {
        return Err(Violation::BadContentLength);
    }
    for element in value.split(|&byte| byte == b',') {
        let length = decimal(element.trim_ascii()).ok_or(Violation::BadContentLength)?;
        if known.is_some_and(|known| known != length) {
            return Err(Violation::ConflictingLengths);
        }
        known = Some(length);
    }
    Ok(known)
}

/// A number of digits only, up to 2^63 - 1.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    u64::try_from(value).ok()
}

/// The elements of a comma-separated list that are not empty (RFC 9110 section 5.6.1).
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_reads_as_it_would_anew() {
        let heads = Heads::default();
        let other = heads.clone();
        // More kinds than are kept, some of them prefixes of others.
        let texts: Vec<String> = (0..KNOWN + 2)
            .map(|n| format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 10_usize.pow(n as u32)))
            .chain(["HTTP/1.1 100 Continue\r\n\r\n".to_owned(), "HTTP/1.1 204 x\r\n\r\n".to_owned()])
            .collect();
        for step in 0..200 {
            let text = format!("{}{}", texts[step * 7 % texts.len()], "body");
            let cut = if step % 5 == 0 { text.len() - 6 } else { text.len() };
            let asks = if step % 3 == 0 { Asks::Head } else { Asks::Reply };
            let input = &text.as_bytes()[..cut];
            let expected = read(input, asks, &Limits::default());
            let known = if step % 2 == 0 { &heads } else { &other };
            assert_eq!(
                format!("{:?}", known.read(input, asks, &Limits::default())),
                format!("{expected:?}"),
                "{step}"
            );
        }
    }
}
