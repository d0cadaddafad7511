//! Decides from the bytes of a request whether a server has to respond.
//!
//! A server may wait for the rest of an incomplete request, and half of the requests of a fuzzer are incomplete. Whether one is
//! depends on the parser of the server: lines may end with LF or CR LF, and the first or the last of two lengths may count. A
//! response is required if the request is complete under every interpretation. The decision uses only the bytes, so that it
//! also holds for shrunk requests.

/// Returns whether `bytes` is complete for every server, so that silence or a closed connection is a failure.
#[must_use]
pub fn requires_response(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    let Some(strict) = find(bytes, b"\r\n\r\n").map(|at| at + 4) else { return false };
    let lenient = [find(bytes, b"\n\n").map(|at| at + 2), find(bytes, b"\n\r\n").map(|at| at + 3)];
    let ends = lenient.into_iter().flatten().chain([strict]);
    let head = &bytes[..strict];
    ends.map(|end| &bytes[end..])
        .all(|body| head.split(|byte| *byte == b'\n').all(|line| is_complete_under(line, body)))
}

/// Returns whether the first line of `bytes` requires a response with a head: a method, a target and HTTP/1.x, separated by
/// single spaces. Without a version a server may respond as in HTTP/0.9, with a body only.
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

/// Returns whether `bytes` is a token (RFC 9110 section 5.6.2).
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// Returns whether `bytes` consists of printable ASCII without spaces.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (b'!'..=b'~').contains(byte))
}

/// Returns the index of `what` in `bytes`.
pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Returns whether `body` is complete under every interpretation of this header line.
fn is_complete_under(line: &[u8], body: &[u8]) -> bool {
    let lower = line.to_ascii_lowercase();
    if let Some(at) = find(&lower, b"content-length") {
        let value = lower[at + b"content-length".len()..].trim_ascii();
        let value = value.strip_prefix(b":").unwrap_or(value).trim_ascii();
        if !value.starts_with(b"-") && largest_number(value) > body.len() as u64 {
            return false;
        }
    }
    let is_chunked =
        find(&lower, b"transfer-encoding").is_some_and(|at| find(&lower[at..], b"chunk").is_some());
    !is_chunked || chunks(body) != Chunks::Unfinished
}

/// Returns the largest number that a parser could read from a value.
fn largest_number(value: &[u8]) -> u64 {
    let mut most = 0;
    for (radix, is_digit) in [(10, u8::is_ascii_digit as fn(&u8) -> bool), (16, u8::is_ascii_hexdigit)] {
        // Hexadecimal only with an `x`: `cafe` is not a number.
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

/// The state of a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunks {
    /// The last chunk is present.
    Complete,
    /// It is invalid under every interpretation.
    Wrong,
    /// A server may wait for more.
    Unfinished,
}

/// Parses a chunked body (RFC 9112 section 7.1) as leniently as possible.
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
    fn a_response_is_required_when_the_request_is_complete() {
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
            assert_eq!(requires_response(bytes.as_bytes()), expected, "{}", bytes.escape_debug());
        }
    }

    #[test]
    fn a_request_with_a_version_requires_a_head() {
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
