//! Filters: change a value before it is stored or compared.

use crate::json;
use crate::path::Path;
use crate::pattern::Pattern;
use crate::select;
use crate::value::{Kind, Number, Value, write_as_json, write_json_value};
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use std::io::Write as _;
use warwolf_plan::query;

mod html;

/// As RFC 3986 has it, and the slash.
const URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A compiled filter.
#[derive(Debug)]
pub(crate) enum Filter {
    Count,
    Nth(i64),
    Unwrap,
    Json(Path),
    Regex(Pattern),
    Replace { old: String, new: String },
    ReplaceRegex { pattern: Pattern, new: String },
    Split(String),
    ToInt,
    ToFloat,
    ToText,
    ToHex,
    UrlEncode,
    UrlDecode,
    UrlParam(String),
    HtmlEscape,
    HtmlUnescape,
    Base64Encode,
    Base64Decode,
    Base64UrlEncode,
    Base64UrlDecode,
    Utf8Decode,
    Utf8Encode,
}

/// What a filter makes of a value: its kind, or `None` if nothing was found.
pub(crate) type Filtered = Result<Option<Kind>, &'static str>;

impl Filter {
    /// # Errors
    /// What would be right.
    pub(crate) fn new(filter: &query::Filter) -> Result<Self, String> {
        use query::Filter as Plan;
        Ok(match filter {
            Plan::Count => Self::Count,
            Plan::Nth(index) => Self::Nth(*index),
            Plan::First => Self::Nth(0),
            Plan::Last => Self::Nth(-1),
            Plan::Unwrap => Self::Unwrap,
            Plan::Json(path) => Self::Json(Path::parse(path)?),
            Plan::Regex(pattern) => Self::Regex(Pattern::new(pattern)?),
            Plan::Replace { old, new } => Self::Replace { old: old.clone(), new: new.clone() },
            Plan::ReplaceRegex { pattern, new } => {
                Self::ReplaceRegex { pattern: Pattern::new(pattern)?, new: new.clone() }
            }
            Plan::Split(separator) => Self::Split(separator.clone()),
            Plan::ToInt => Self::ToInt,
            Plan::ToFloat => Self::ToFloat,
            Plan::ToText => Self::ToText,
            Plan::ToHex => Self::ToHex,
            Plan::UrlEncode => Self::UrlEncode,
            Plan::UrlDecode => Self::UrlDecode,
            Plan::UrlParam(name) => Self::UrlParam(name.clone()),
            Plan::HtmlEscape => Self::HtmlEscape,
            Plan::HtmlUnescape => Self::HtmlUnescape,
            Plan::Base64Encode => Self::Base64Encode,
            Plan::Base64Decode => Self::Base64Decode,
            Plan::Base64UrlEncode => Self::Base64UrlEncode,
            Plan::Base64UrlDecode => Self::Base64UrlDecode,
            Plan::Utf8Decode => Self::Utf8Decode,
            Plan::Utf8Encode => Self::Utf8Encode,
        })
    }

    /// Appends what it makes of a value. It allocates only where `out` has to grow, and for regular expressions and
    /// conditions in JSON paths.
    ///
    /// # Errors
    /// Why it cannot be applied.
    pub(crate) fn apply(&self, value: Value<'_>, out: &mut Vec<u8>) -> Filtered {
        match self {
            Self::Count => count(value, out),
            Self::Nth(index) => nth(value, *index, out),
            Self::Unwrap => Ok(unwrap(value, out)),
            Self::Json(path) => json(value, path, out),
            Self::ToInt => to_int(value, out),
            Self::ToFloat => to_float(value, out),
            Self::ToText => match value.kind {
                Kind::List | Kind::Object | Kind::Bytes => Err("`to_text` takes no list, object or bytes"),
                _ => {
                    out.extend_from_slice(value.bytes);
                    Ok(Some(Kind::Text))
                }
            },
            Self::ToHex | Self::Base64Encode | Self::Base64UrlEncode | Self::Utf8Decode => match value.kind {
                Kind::Bytes | Kind::Text | Kind::Loose => self.of_bytes(value.bytes, out),
                _ => Err("the filter takes bytes or a text only"),
            },
            _ if value.is_text() => self.of_text(value.bytes, out),
            _ => Err("the filter takes a text only"),
        }
    }

    fn of_bytes(&self, bytes: &[u8], out: &mut Vec<u8>) -> Filtered {
        match self {
            Self::ToHex => write_hex(bytes, out),
            Self::Base64Encode => encode(&STANDARD, bytes, out),
            Self::Base64UrlEncode => encode(&URL_SAFE_NO_PAD, bytes, out),
            _ if std::str::from_utf8(bytes).is_err() => return Err("the bytes are not a text in UTF-8"),
            _ => out.extend_from_slice(bytes),
        }
        Ok(Some(Kind::Text))
    }

    fn of_text(&self, text: &[u8], out: &mut Vec<u8>) -> Filtered {
        match self {
            Self::Regex(pattern) => match pattern.find(text) {
                Some(found) => out.extend_from_slice(found),
                None => return Ok(None),
            },
            Self::Replace { old, new } => replace(text, old.as_bytes(), new.as_bytes(), out),
            Self::ReplaceRegex { pattern, new } => pattern.replace_all(text, new, out),
            Self::Split(separator) => {
                split(text, separator.as_bytes(), out);
                return Ok(Some(Kind::List));
            }
            Self::UrlEncode => {
                percent_encode(text, URL).for_each(|part| out.extend_from_slice(part.as_bytes()))
            }
            Self::UrlDecode => out.extend(percent_decode(text)),
            Self::UrlParam(name) => return Ok(url_param(text, name.as_bytes(), out).then_some(Kind::Text)),
            Self::HtmlEscape => html::escape(text, out),
            Self::HtmlUnescape => html::unescape(text, out),
            Self::Base64Decode => return decode(&STANDARD, text, out),
            Self::Base64UrlDecode => return decode(&URL_SAFE_NO_PAD, text, out),
            Self::Utf8Encode => {
                out.extend_from_slice(text);
                return Ok(Some(Kind::Bytes));
            }
            _ => return Err("the filter takes no text"),
        }
        Ok(Some(Kind::Text))
    }
}

pub(crate) fn write_number(number: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{number}");
}

fn count(value: Value<'_>, out: &mut Vec<u8>) -> Filtered {
    let count = match value.kind {
        Kind::List => select::elements(value.bytes).count(),
        Kind::Bytes => value.bytes.len(),
        Kind::Text | Kind::Loose => characters(value.bytes),
        _ => return Err("`count` takes a list, a text or bytes"),
    };
    write_number(count, out);
    Ok(Some(Kind::Number))
}

/// The number of characters of a text in UTF-8.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

fn nth(value: Value<'_>, index: i64, out: &mut Vec<u8>) -> Filtered {
    match value.kind {
        Kind::List => match select::nth(value.bytes, index) {
            Some(element) => Ok(Some(write_json_value(element, out))),
            None => Err(NO_ELEMENT),
        },
        _ => Err(NO_LIST),
    }
}

/// The only element of a list, or the value itself.
fn unwrap(value: Value<'_>, out: &mut Vec<u8>) -> Option<Kind> {
    let mut elements = select::elements(value.bytes);
    if value.kind == Kind::List {
        let first = elements.next()?;
        if elements.next().is_none() {
            return Some(write_json_value(first, out));
        }
    }
    out.extend_from_slice(value.bytes);
    Some(value.kind)
}

pub(crate) const NO_ELEMENT: &str = "the list has fewer elements";
pub(crate) const NO_LIST: &str = "`nth`, `first` and `last` take a list";

fn json(value: Value<'_>, path: &Path, out: &mut Vec<u8>) -> Filtered {
    match value.kind {
        Kind::List | Kind::Object => {}
        _ if value.is_text() && json::is_valid(value.bytes) => {}
        _ if value.is_text() => return Err("the text is not JSON"),
        _ => return Err("`json` takes a text, a list or an object"),
    }
    let document = value.bytes.trim_ascii();
    if path.is_single() {
        let mut kind = None;
        select::select(document, document, &path.segments, &mut |found| {
            kind = Some(write_json_value(found, out));
        });
        return Ok(kind);
    }
    out.push(b'[');
    let mut is_first = true;
    select::select(document, document, &path.segments, &mut |found| {
        if !std::mem::replace(&mut is_first, false) {
            out.push(b',');
        }
        out.extend_from_slice(found);
    });
    out.push(b']');
    Ok(Some(Kind::List))
}

fn to_int(value: Value<'_>, out: &mut Vec<u8>) -> Filtered {
    let text = std::str::from_utf8(value.bytes).unwrap_or_default();
    let integer = match value.kind {
        Kind::Number => match Number::parse(value.bytes) {
            Some(Number::Integer(integer)) => Some(integer),
            Some(Number::Float(float)) => Some(float as i64),
            None => None,
        },
        Kind::Text | Kind::Loose => text.parse().ok(),
        _ => None,
    };
    write_number(integer.ok_or("the value is not a whole number")?, out);
    Ok(Some(Kind::Number))
}

fn to_float(value: Value<'_>, out: &mut Vec<u8>) -> Filtered {
    let text = std::str::from_utf8(value.bytes).unwrap_or_default();
    let is_number = matches!(value.kind, Kind::Number | Kind::Text | Kind::Loose);
    let float: f64 = text
        .parse()
        .ok()
        .filter(|float: &f64| is_number && float.is_finite())
        .ok_or("the value is not a number")?;
    // With a fraction, so that it is no whole number.
    let _ = write!(out, "{float:?}");
    Ok(Some(Kind::Number))
}

pub(crate) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    bytes.iter().for_each(|byte| {
        let _ = write!(out, "{byte:02x}");
    });
}

fn encode(engine: &impl base64::Engine, bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let length = engine.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + length);
}

fn decode(engine: &impl base64::Engine, text: &[u8], out: &mut Vec<u8>) -> Filtered {
    let start = out.len();
    out.resize(start + text.len().div_ceil(4) * 3, 0);
    match engine.decode_slice(text, &mut out[start..]) {
        Ok(length) => {
            out.truncate(start + length);
            Ok(Some(Kind::Bytes))
        }
        Err(_) => Err("the text is not Base64"),
    }
}

fn replace(text: &[u8], old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    for found in memchr::memmem::find_iter(text, old) {
        out.extend_from_slice(&text[at..found]);
        out.extend_from_slice(new);
        at = found + old.len();
    }
    out.extend_from_slice(&text[at..]);
}

fn split(text: &[u8], separator: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    out.push(b'[');
    for found in memchr::memmem::find_iter(text, separator).filter(|_| !separator.is_empty()) {
        write_as_json(Value::new(Kind::Text, &text[at..found]), out);
        out.push(b',');
        at = found + separator.len();
    }
    write_as_json(Value::new(Kind::Text, &text[at..]), out);
    out.push(b']');
}

/// Appends the value of a parameter of a URL's query, decoded; false if it is not there.
fn url_param(url: &[u8], name: &[u8], out: &mut Vec<u8>) -> bool {
    let without_fragment = url.split(|byte| *byte == b'#').next().unwrap_or_default();
    let Some(at) = memchr::memchr(b'?', without_fragment) else { return false };
    for parameter in without_fragment[at + 1..].split(|byte| *byte == b'&').filter(|part| !part.is_empty()) {
        let end = memchr::memchr(b'=', parameter).unwrap_or(parameter.len());
        if form_decoded(&parameter[..end]).eq(name.iter().copied()) {
            out.extend(form_decoded(parameter.get(end + 1..).unwrap_or_default()));
            return true;
        }
    }
    false
}

fn form_decoded(part: &[u8]) -> impl Iterator<Item = u8> + '_ {
    // A plus stands for a blank; one that was encoded is decoded after that.
    part.split_inclusive(|byte| *byte == b'+').flat_map(|piece| {
        let (piece, blank) = match piece.split_last() {
            Some((b'+', piece)) => (piece, Some(b' ')),
            _ => (piece, None),
        };
        percent_decode(piece).chain(blank)
    })
}
