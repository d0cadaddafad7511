//! Texts with values, compiled: names are numbers, and what is constant is joined.

use super::names::Names;
use crate::seed::Stream;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Write as _;
use std::sync::Arc;
use time::OffsetDateTime;
use warwolf_plan::template::{Piece, Template, TimeFormat};

/// How a value is written so that it stays a value in the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// As it is.
    None,
    /// In a path: bytes that a URL does not allow are percent-encoded, `?`, `/` and `&` are not.
    Path,
    /// In a form or a query (WHATWG URL section 5.2).
    Form,
    /// In a string of JSON (RFC 8259 section 7).
    Json,
    /// In a header field: line ends and NUL become blanks.
    Field,
}

/// A text with values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pieces: Vec<TextPiece>,
}

#[derive(Clone, Debug)]
enum TextPiece {
    Constant(Box<[u8]>),
    Value {
        value: Value,
        escape: Escape,
        /// Its number among those of its request: values that are drawn differ by it.
        draw: u64,
    },
}

/// Where a value is found.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Capture(usize),
    Variable(usize),
    Cell { table: usize, column: usize },
    Constant(Arc<[u8]>),
    Text(Text),
    Int { min: i64, max: i64 },
    Sequence,
    Uuid,
    Now(TimeFormat),
    Base64(Box<Self>),
    HmacSha256 { key: Box<Self>, text: Box<Self> },
}

/// What values are taken from when a request is made.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) names: &'a Names,
    /// The number of the session.
    pub(crate) number: u64,
    /// The captures of the session.
    pub(crate) captures: &'a super::Captures,
    /// For values that are drawn for this request.
    pub(crate) stream: Stream,
    /// Nanoseconds since 1970.
    pub(crate) now_ns: u128,
}

impl Context<'_> {
    /// Appends a text that is not compiled. Returns false if a capture in it has no value.
    pub(crate) fn write_template(&self, template: &Template, out: &mut Vec<u8>) -> bool {
        let mut is_whole = true;
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value(source) => is_whole &= self.names.value(source).write(self, 0, out),
            }
        }
        is_whole
    }
}

impl Text {
    /// Compiles `template`. Constant parts are escaped too if `escapes_all`: they are texts of the plan and not of the
    /// format around them.
    pub(crate) fn compile(
        template: &Template,
        names: &Names,
        escape: Escape,
        escapes_all: bool,
        draws: &mut u64,
    ) -> Self {
        let mut text = Self::default();
        for piece in &template.pieces {
            match piece {
                Piece::Text(constant) => {
                    let mut bytes = constant.clone().into_bytes();
                    if escapes_all {
                        escape_from(&mut bytes, 0, escape);
                    }
                    text.push(&bytes);
                }
                Piece::Value(source) => {
                    let value = names.value(source);
                    *draws += 1;
                    text.pieces.push(TextPiece::Value { value, escape, draw: *draws });
                }
            }
        }
        text
    }

    /// Appends bytes that are the same for all requests.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            _ if bytes.is_empty() => {}
            Some(TextPiece::Constant(last)) => *last = [last, bytes].concat().into(),
            _ => self.pieces.push(TextPiece::Constant(bytes.into())),
        }
    }

    /// Appends another text.
    pub(crate) fn append(&mut self, other: Self) {
        for piece in other.pieces {
            match piece {
                TextPiece::Constant(bytes) => self.push(&bytes),
                value => self.pieces.push(value),
            }
        }
    }

    /// The Base64 form of the whole text.
    pub(crate) fn into_base64(self) -> Self {
        let piece = match self.as_constant() {
            Some(bytes) => TextPiece::Constant(STANDARD.encode(bytes).into_bytes().into()),
            None => {
                let value = Value::Base64(Box::new(Value::Text(self)));
                TextPiece::Value { value, escape: Escape::None, draw: 0 }
            }
        };
        Self { pieces: vec![piece] }
    }

    /// Its bytes, if it has no values.
    pub(crate) fn as_constant(&self) -> Option<&[u8]> {
        match &self.pieces[..] {
            [] => Some(&[]),
            [TextPiece::Constant(bytes)] => Some(bytes),
            _ => None,
        }
    }

    /// Appends the text to `out`. Returns false if a capture in it has no value, which then is empty.
    pub(crate) fn write(&self, context: &Context<'_>, out: &mut Vec<u8>) -> bool {
        let mut is_whole = true;
        for piece in &self.pieces {
            match piece {
                TextPiece::Constant(bytes) => out.extend_from_slice(bytes),
                TextPiece::Value { value, escape, draw } => {
                    let start = out.len();
                    is_whole &= value.write(context, *draw, out);
                    escape_from(out, start, *escape);
                }
            }
        }
        is_whole
    }
}

impl Value {
    /// Appends the value. Returns false if a capture has none.
    pub(crate) fn write(&self, context: &Context<'_>, draw: u64, out: &mut Vec<u8>) -> bool {
        // Writing to memory cannot fail.
        match self {
            Self::Capture(index) => match context.captures.get(*index) {
                Some(value) => out.extend_from_slice(value),
                None => return false,
            },
            Self::Variable(index) => return context.names.variable(*index).write(context, out),
            Self::Cell { table, column } => {
                out.extend_from_slice(context.names.cell(*table, *column, context.number))
            }
            Self::Constant(bytes) => out.extend_from_slice(bytes),
            Self::Text(text) => return text.write(context, out),
            Self::Int { min, max } => {
                let span = max.wrapping_sub(*min) as u64;
                let drawn = if span == u64::MAX {
                    context.stream.bits(draw)
                } else {
                    context.stream.below(draw, span + 1)
                };
                let _ = write!(out, "{}", min.wrapping_add(drawn as i64));
            }
            Self::Sequence => {
                let _ = write!(out, "{}", context.number);
            }
            Self::Uuid => write_uuid(context.stream.branch(draw), out),
            Self::Now(format) => write_time(*format, context.now_ns, out),
            Self::Base64(value) => {
                let start = out.len();
                let is_whole = value.write(context, draw, out);
                encode_base64(out, start);
                return is_whole;
            }
            Self::HmacSha256 { key, text } => {
                let start = out.len();
                let has_key = key.write(context, draw, out);
                let middle = out.len();
                let has_text = text.write(context, draw, out);
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &out[start..middle]);
                let signature = ring::hmac::sign(&key, &out[middle..]);
                out.truncate(start);
                signature.as_ref().iter().for_each(|byte| out.extend_from_slice(&hex(*byte)));
                return has_key && has_text;
            }
        }
        true
    }
}

/// Replaces what follows `start` by its Base64 form, in place.
fn encode_base64(out: &mut Vec<u8>, start: usize) {
    let middle = out.len();
    let length = (middle - start).div_ceil(3) * 4;
    out.resize(middle + length, 0);
    let (before, encoded) = out.split_at_mut(middle);
    // The length is that of the encoded form.
    let _ = STANDARD.encode_slice(&before[start..], encoded);
    out.drain(start..middle);
}

fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// Appends a UUID of version 4 (RFC 9562 section 5.4).
fn write_uuid(stream: Stream, out: &mut Vec<u8>) {
    let mut bytes = (u128::from(stream.bits(0)) << 64 | u128::from(stream.bits(1))).to_be_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    for (number, byte) in bytes.into_iter().enumerate() {
        if matches!(number, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend_from_slice(&hex(byte));
    }
}

fn write_time(format: TimeFormat, now_ns: u128, out: &mut Vec<u8>) {
    let _ = match format {
        TimeFormat::Unix => write!(out, "{}", now_ns / 1_000_000_000),
        TimeFormat::UnixMs => write!(out, "{}", now_ns / 1_000_000),
        TimeFormat::Rfc3339 => {
            let now = i128::try_from(now_ns)
                .ok()
                .and_then(|now| OffsetDateTime::from_unix_timestamp_nanos(now).ok());
            let now = now.unwrap_or(OffsetDateTime::UNIX_EPOCH);
            let (year, month, day) = (now.year(), u8::from(now.month()), now.day());
            let (hour, minute, second, micro) = now.to_hms_micro();
            write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro:06}Z")
        }
    };
}

/// Escapes what follows `start`, in place.
pub(crate) fn escape_from(out: &mut Vec<u8>, start: usize, escape: Escape) {
    let longer: usize = match escape {
        Escape::None => return,
        Escape::Field => {
            let is_line_end = |byte: &&mut u8| matches!(**byte, b'\r' | b'\n' | 0);
            out[start..].iter_mut().filter(is_line_end).for_each(|byte| *byte = b' ');
            return;
        }
        _ => out[start..].iter().map(|byte| escaped_length(*byte, escape) - 1).sum(),
    };
    if longer == 0 && escape != Escape::Form {
        return;
    }
    let (mut from, mut to) = (out.len(), out.len() + longer);
    out.resize(to, 0);
    while from > start {
        from -= 1;
        let byte = out[from];
        let length = escaped_length(byte, escape);
        to -= length;
        write_escaped(byte, escape, &mut out[to..to + length]);
    }
}

fn escaped_length(byte: u8, escape: Escape) -> usize {
    match escape {
        Escape::None | Escape::Field => 1,
        Escape::Path => {
            if byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte) {
                1
            } else {
                3
            }
        }
        Escape::Form => {
            if byte == b' ' || byte.is_ascii_alphanumeric() || b"*-._".contains(&byte) {
                1
            } else {
                3
            }
        }
        Escape::Json => match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
            0..0x20 => 6,
            _ => 1,
        },
    }
}

fn write_escaped(byte: u8, escape: Escape, out: &mut [u8]) {
    const UPPER: &[u8; 16] = b"0123456789ABCDEF";
    match (out.len(), byte) {
        (1, b' ') if escape == Escape::Form => out[0] = b'+',
        (1, _) => out[0] = byte,
        (2, _) => {
            let letter = match byte {
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                other => other,
            };
            out.copy_from_slice(&[b'\\', letter]);
        }
        (3, _) => out.copy_from_slice(&[b'%', UPPER[usize::from(byte >> 4)], UPPER[usize::from(byte & 15)]]),
        _ => {
            let [high, low] = hex(byte);
            out.copy_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_in_place() {
        let escaped = |text: &str, escape| {
            let mut out = [b"=", text.as_bytes()].concat();
            escape_from(&mut out, 1, escape);
            String::from_utf8(out).unwrap()
        };
        let rows = [
            (Escape::None, "a \"\n\u{e9}&", "=a \"\n\u{e9}&"),
            (Escape::Path, "/a b?c=d&e=\u{e9}#", "=/a%20b?c=d&e=%C3%A9%23"),
            (Escape::Form, "a b+c=d&\u{e9}*", "=a+b%2Bc%3Dd%26%C3%A9*"),
            (Escape::Json, "a\"b\\c\n\u{1}\u{e9}", "=a\\\"b\\\\c\\n\\u0001\u{e9}"),
            (Escape::Field, "a\r\nX: b", "=a  X: b"),
        ];
        for (escape, text, expected) in rows {
            assert_eq!(escaped(text, escape), expected, "{escape:?}");
        }
    }

    #[test]
    fn times_and_identifiers_have_their_forms() {
        let time = |format| {
            let mut out = Vec::new();
            write_time(format, 1_767_323_045_678_901_234, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(time(TimeFormat::Rfc3339), "2026-01-02T03:04:05.678901Z");
        assert_eq!(time(TimeFormat::Unix), "1767323045");
        assert_eq!(time(TimeFormat::UnixMs), "1767323045678");
        let stream = crate::seed::Streams::new(1, crate::seed::Purpose::DATA).stream(0);
        let mut uuid = Vec::new();
        write_uuid(stream, &mut uuid);
        assert_eq!((uuid.len(), uuid[14], uuid[8]), (36, b'4', b'-'));
        assert!(b"89ab".contains(&uuid[19]));
        let mut text = b"x=user:pass".to_vec();
        encode_base64(&mut text, 2);
        assert_eq!(text, b"x=dXNlcjpwYXNz");
    }
}
