//! Request lines as servers log them: escapes undone, and what no request line may contain percent-encoded.

use crate::Unreadable;
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

/// Bytes that cannot be part of a target: controls, blanks, and all that is not ASCII.
const NOT_SENT: &AsciiSet = &CONTROLS.add(b' ');

/// Splits a request line into method and target. The target ends before the version, which is the last word; targets with
/// blanks are logged as they came.
pub(crate) fn split(line: &[u8]) -> Result<(String, String), Unreadable> {
    let line = line.trim_ascii();
    let blank = line.iter().position(|byte| *byte == b' ').ok_or(Unreadable::Request)?;
    let (method, rest) = (&line[..blank], line[blank..].trim_ascii_start());
    let last = rest.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    let target = if rest[last..].starts_with(b"HTTP/") { rest[..last].trim_ascii_end() } else { rest };
    checked(method, target)
}

/// A method and a target that can be sent.
pub(crate) fn checked(method: &[u8], target: &[u8]) -> Result<(String, String), Unreadable> {
    let is_method =
        !method.is_empty() && method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-');
    // CONNECT has a host instead of a path and cannot be replayed; `*` stands for the server and goes only with OPTIONS.
    let is_sendable = method != b"CONNECT" && (target != b"*" || method == b"OPTIONS");
    if !is_method || !is_sendable || target.is_empty() {
        return Err(Unreadable::Request);
    }
    Ok((String::from_utf8_lossy(method).into_owned(), percent_encode(target, NOT_SENT).to_string()))
}

/// Which escapes a text may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// `\xHH`, `\"`, `\\`, `\n` and so on: Apache's, and nginx's, which are the first kind only.
    All,
    /// `\xHH` only, in JSON that was written with nginx's usual escapes.
    Hex,
}

/// Undoes the escapes of a logged text. An unknown escape stays as it is.
pub(crate) fn unescape(text: &[u8], escapes: Escapes) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        let (byte, length) = escape(&rest[at..], escapes).unwrap_or((b'\\', 1));
        out.push(byte);
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest);
    out
}

/// The byte that a text which begins with a backslash stands for, and the length of the escape.
fn escape(text: &[u8], escapes: Escapes) -> Option<(u8, usize)> {
    let kind = *text.get(1)?;
    if kind == b'x' {
        let digit = |at: usize| text.get(at).and_then(|digit| (*digit as char).to_digit(16));
        return Some(((digit(2)? * 16 + digit(3)?) as u8, 4));
    }
    let byte = match kind {
        _ if escapes == Escapes::Hex => return None,
        b'"' | b'\\' => kind,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'v' => 11,
        b'f' => 12,
        _ => return None,
    };
    Some((byte, 2))
}
