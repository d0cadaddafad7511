//! Values of replies and how they compare.

use crate::json;
use crate::select;
use std::cmp::Ordering;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    /// A text that is known to be a text, such as a string in JSON.
    Text,
    /// A text whose kind its source does not tell: of a header field, the body, a variable. It equals the number that it
    /// spells.
    Loose,
    Bytes,
    /// A list as JSON text.
    List,
    /// An object as JSON text.
    Object,
}

/// A value: its kind, and its text as `{{…}}` inserts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) kind: Kind,
    pub(crate) bytes: &'a [u8],
}

/// A predicate that cannot be applied to a value of this kind. Its opposite does not hold either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// Reads a number as JSON writes it; `None` for anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let first = *bytes.first()?;
        if !(first.is_ascii_digit() || first == b'-') || !bytes.last()?.is_ascii_digit() {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        match text.parse() {
            Ok(integer) => Some(Self::Integer(integer)),
            Err(_) => text.parse().ok().filter(|float: &f64| float.is_finite()).map(Self::Float),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }
}

impl<'a> Value<'a> {
    pub(crate) const fn new(kind: Kind, bytes: &'a [u8]) -> Self {
        Self { kind, bytes }
    }

    pub(crate) const fn is_text(self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Loose)
    }

    /// The number that it is, or that a text without a known kind spells.
    fn number(self) -> Option<Number> {
        matches!(self.kind, Kind::Number | Kind::Loose).then(|| Number::parse(self.bytes)).flatten()
    }

    /// Whether it is a number without a fraction or an exponent.
    pub(crate) fn is_integer(self) -> bool {
        self.kind == Kind::Number && !self.bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Whether both are the same: of the same kind, or one spells the other.
    pub(crate) fn equals(self, other: Self) -> bool {
        match (self.kind, other.kind) {
            (Kind::Number, Kind::Number) | (Kind::Number, Kind::Loose) | (Kind::Loose, Kind::Number) => {
                self.bytes == other.bytes
                    || matches!((self.number(), other.number()), (Some(one), Some(other))
                        if one.compare(other) == Some(Ordering::Equal))
            }
            (Kind::List, Kind::List) | (Kind::Object, Kind::Object) => {
                self.bytes == other.bytes || select::is_same(self.bytes, other.bytes)
            }
            (Kind::Loose, Kind::List | Kind::Object) => select::is_same(self.bytes, other.bytes),
            (Kind::List | Kind::Object, Kind::Loose) => select::is_same(self.bytes, other.bytes),
            (Kind::Loose, _) | (_, Kind::Loose) => self.bytes == other.bytes,
            (Kind::Bytes, Kind::Text) | (Kind::Text, Kind::Bytes) => self.bytes == other.bytes,
            (one, other_kind) => one == other_kind && self.bytes == other.bytes,
        }
    }

    /// Whether both are the same: of the same kind. A text without a known kind is a text.
    pub(crate) fn is_same(self, other: Self) -> bool {
        let strict = |value: Self| match value.kind {
            Kind::Loose => Self::new(Kind::Text, value.bytes),
            _ => value,
        };
        let (one, other) = (strict(self), strict(other));
        one.kind == other.kind && one.equals(other)
    }

    /// Whether it is the same as `expected`, or a list with an element that is.
    pub(crate) fn includes(self, expected: Value<'_>) -> bool {
        if self.kind != Kind::List {
            return self.is_same(expected);
        }
        select::elements(self.bytes).any(|element| {
            let mut is_same = false;
            select::with_value(element, |value| is_same = value.is_same(expected));
            is_same
        })
    }

    /// Their order: of numbers by value, of texts byte by byte.
    pub(crate) fn compare(self, other: Self) -> Result<Ordering, Mismatch> {
        let is_number = self.kind == Kind::Number || other.kind == Kind::Number;
        match (self.number(), other.number()) {
            (Some(one), Some(other)) => one.compare(other).ok_or(Mismatch),
            _ if is_number || !self.is_text() || !other.is_text() => Err(Mismatch),
            _ => Ok(self.bytes.cmp(other.bytes)),
        }
    }

    /// The bytes of a text, of bytes, or of an expected value that stands for its text.
    fn as_expected_text(self) -> Result<&'a [u8], Mismatch> {
        match self.kind {
            Kind::Null | Kind::List | Kind::Object => Err(Mismatch),
            _ => Ok(self.bytes),
        }
    }

    fn as_text(self) -> Result<&'a [u8], Mismatch> {
        match self.kind {
            Kind::Text | Kind::Loose | Kind::Bytes => Ok(self.bytes),
            _ => Err(Mismatch),
        }
    }

    pub(crate) fn contains(self, expected: Value<'_>) -> Result<bool, Mismatch> {
        if self.kind == Kind::List {
            return Ok(select::elements(self.bytes).any(|element| {
                let mut is_equal = false;
                select::with_value(element, |value| is_equal = value.equals(expected));
                is_equal
            }));
        }
        let needle = expected.as_expected_text()?;
        Ok(memchr::memmem::find(self.as_text()?, needle).is_some())
    }

    pub(crate) fn starts_with(self, expected: Value<'_>) -> Result<bool, Mismatch> {
        Ok(self.as_text()?.starts_with(expected.as_expected_text()?))
    }

    pub(crate) fn ends_with(self, expected: Value<'_>) -> Result<bool, Mismatch> {
        Ok(self.as_text()?.ends_with(expected.as_expected_text()?))
    }

    /// Elements of a list, members of an object, or bytes.
    pub(crate) fn is_empty(self) -> Result<bool, Mismatch> {
        match self.kind {
            Kind::Text | Kind::Loose | Kind::Bytes => Ok(self.bytes.is_empty()),
            Kind::List => Ok(select::elements(self.bytes).next().is_none()),
            Kind::Object => Ok(select::members(self.bytes).next().is_none()),
            _ => Err(Mismatch),
        }
    }
}

/// The value of a JSON text without the blanks around it: a string is as it stands, with its quotes and escapes.
pub(crate) fn kind_of(text: &[u8]) -> Kind {
    match text.first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::List,
        Some(b'"') => Kind::Text,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') | None => Kind::Null,
        Some(_) => Kind::Number,
    }
}

/// Writes a JSON text as a value: strings without quotes and escapes, everything else as it stands.
pub(crate) fn write_json_value(text: &[u8], out: &mut Vec<u8>) -> Kind {
    let kind = kind_of(text);
    match kind {
        Kind::Text => json::unescape(&text[1..text.len() - 1], out),
        _ => out.extend_from_slice(text),
    }
    kind
}

/// Writes a text as a JSON string.
pub(crate) fn write_json_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&digits);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Writes a value as JSON text.
pub(crate) fn write_as_json(value: Value<'_>, out: &mut Vec<u8>) {
    match value.kind {
        Kind::Text | Kind::Loose | Kind::Bytes => write_json_string(value.bytes, out),
        _ => out.extend_from_slice(value.bytes),
    }
}
