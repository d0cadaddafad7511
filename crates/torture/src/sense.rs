//! What the bytes of a request mean to a server, and whether it owes them an answer.
//!
//! A server may wait for the rest of a request that is not complete, and half of what a fuzzer sends is not. Which half
//! depends on how the server reads it: lines may end in LF or CR LF, the last of two lengths may count, or the first. A
//! reply is owed when no reading is left under which anything is missing. That is judged by the bytes, not by what made
//! them, so that it holds for shrunk requests as well.

/// Whether any server has all it can wait for in `bytes`, so that silence or a closed connection is no answer.
#[must_use]
pub fn owes_reply(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    let Some(strict) = find(bytes, b"\r\n\r\n").map(|at| at + 4) else { return false };
    let lenient = [find(bytes, b"\n\n").map(|at| at + 2), find(bytes, b"\n\r\n").map(|at| at + 3)];
    let ends = lenient.into_iter().flatten().chain([strict]);
    let head = &bytes[..strict];
    ends.map(|end| &bytes[end..]).all(|body| head.split(|byte| *byte == b'\n').all(|line| is_met(line, body)))
}

/// Whether the first line of `bytes` says without doubt that the answer has a head: a method, a target and HTTP/1.x with a
/// blank between each. Without a version a server may answer as HTTP/0.9 did, with a body alone.
#[must_use]
pub fn is_versioned(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let line = bytes[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let [method, target, version] = words.as_slice() else { return false };
    is_token(method)
        && !target.is_empty()
        && is_plain(target)
        && matches!(*version, b"HTTP/1.0" | b"HTTP/1.1")
}

/// Whether `bytes` is a token (RFC 9110 section 5.6.2).
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// Whether `bytes` has neither blanks nor control characters.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (b'!'..=b'~').contains(byte))
}

/// Where `what` begins in `bytes`.
pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Whether `body` has all that this line of the head may announce.
fn is_met(line: &[u8], body: &[u8]) -> bool {
    let lower = line.to_ascii_lowercase();
    if let Some(at) = find(&lower, b"content-length") {
        let value = lower[at + b"content-length".len()..].trim_ascii();
        let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
        if !value.starts_with(b"-") && most_meant(value) > body.len() as u64 {
            return false;
        }
    }
    let is_chunked =
        find(&lower, b"transfer-encoding").is_some_and(|at| find(&lower[at..], b"chunk").is_some());
    !is_chunked || chunks(body) != Chunks::Unfinished
}

/// The largest number that anyone can read in a value.
fn most_meant(value: &[u8]) -> u64 {
    let mut most = 0;
    for (radix, is_digit) in [(10, u8::is_ascii_digit as fn(&u8) -> bool), (16, u8::is_ascii_hexdigit)] {
        // Hexadecimal only where it says so: `cafe` is no number.
        if radix == 16 && !value.contains(&b'x') {
            continue;
        }
        for digits in value.split(|byte| !is_digit(byte)).filter(|digits| !digits.is_empty()) {
            let number = digits.iter().fold(0_u64, |sum, digit| {
                let digit = char::from(*digit).to_digit(radix).unwrap_or(0);
                sum.saturating_mul(u64::from(radix)).saturating_add(u64::from(digit))
            });
            most = most.max(number);
        }
    }
    most
}

/// How a chunked body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunks {
    /// Its last chunk came.
    Complete,
    /// It is wrong beyond doubt.
    Wrong,
    /// A server may wait for more.
    Unfinished,
}

/// Reads a chunked body (RFC 9112 section 7.1) as leniently as any server may.
fn chunks(body: &[u8]) -> Chunks {
    const DIGITS_MAX: usize = 15;
    let mut rest = body;
    loop {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return Chunks::Unfinished };
        let line = rest[..end].trim_ascii();
        rest = &rest[end + 1..];
        let digits = line.strip_prefix(b"+").unwrap_or(line);
        let digits = &digits[..digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count()];
        if digits.is_empty() {
            return Chunks::Wrong;
        }
        if digits.len() > DIGITS_MAX {
            return Chunks::Unfinished;
        }
        let size = digits
            .iter()
            .fold(0, |sum, digit| sum * 16 + char::from(*digit).to_digit(16).unwrap_or(0) as usize);
        if size == 0 {
            let trailer = [b"\n".as_slice(), rest].concat();
            let is_over = find(&trailer, b"\n\r\n").is_some() || find(&trailer, b"\n\n").is_some();
            return if is_over { Chunks::Complete } else { Chunks::Unfinished };
        }
        let Some(behind) = rest.get(size..) else { return Chunks::Unfinished };
        rest = match behind {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [] | [b'\r'] => return Chunks::Unfinished,
            _ => return Chunks::Wrong,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_owed_when_nothing_can_be_missing() {
        for (bytes, expected) in [
            ("GET / HTTP/1.1\r\n\r\n", true),
            ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a", false),
            ("GET / HTTP/1.1\nHost: a\n\n", false),
            ("\r\n\r\n", false),
            ("", false),
            ("\0\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", false),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", true),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nab", false),
            ("POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nab", false),
            ("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nContent-Length: abc\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n0123456789", false),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\nab", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nX\r\n", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n\r\n", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n", false),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", true),
        ] {
            assert_eq!(owes_reply(bytes.as_bytes()), expected, "{}", bytes.escape_debug());
        }
    }

    #[test]
    fn a_version_is_a_promise_of_a_head() {
        for (bytes, expected) in [
            (&b"GET / HTTP/1.1\r\nx"[..], true),
            (b"\r\nGET /?a HTTP/1.0\n", true),
            (b"GET /\r\n\r\n", false),
            (b"GET  / HTTP/1.1\r\n", false),
            (b"GET /\x01 HTTP/1.1\r\n", false),
            (b"GET / HTTP/1.10\r\n", false),
            (b"GET /\nx HTTP/1.1\r\n", false),
        ] {
            assert_eq!(is_versioned(bytes), expected, "{}", bytes.escape_ascii());
        }
    }
}
