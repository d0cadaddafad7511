//! Shrinking with functions as servers.

use super::*;
use crate::completeness::{find, requires_response};
use crate::spelling::{read, spell};
use std::time::Duration;

/// Returns the spelling that `text` shrinks to, and the number of tries.
fn shrunk(text: &str, reproduces: impl Fn(&[u8]) -> bool) -> (String, u32) {
    let mut tries = 0;
    let message = read(text).unwrap();
    assert!(reproduces(&message.bytes()), "the original triggers the failure");
    let small = shrink(&message, 5_000, &mut |message| {
        tries += 1;
        Ok(reproduces(&message.bytes()))
    });
    (spell(&small.unwrap()), tries)
}

fn query_length(bytes: &[u8]) -> usize {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let target = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    target.iter().position(|byte| *byte == b'?').map_or(0, |at| target.len() - at - 1)
}

#[test]
fn a_long_query_shrinks_to_its_length() {
    let text = r"POST /a/b?%41%42\{x*9000}&y HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\nContent-Length: 3\r\n\r\nabc";
    let (small, tries) = shrunk(text, |bytes| query_length(bytes) >= 8_193);
    assert_eq!(small, r"GET /?\{a*8193} HTTP/1.0\r\n\r\n");
    assert!(tries < 60, "{tries}");
}

#[test]
fn a_header_shrinks_to_its_zero_byte() {
    let text = r"GET /x?y HTTP/1.1\r\nHost: a.test\r\nX-Nul: ab\x00cd\r\nAccept: */*\r\nX: 1\r\n\r\n";
    let (small, tries) = shrunk(text, |bytes| bytes.contains(&0) && requires_response(bytes));
    assert_eq!(small, r"GET / HTTP/1.0\r\n\x00\r\n\r\n");
    assert!(tries < 100, "{tries}");
}

#[test]
fn valid_parts_stay_valid() {
    let text = r"GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: -18446744073709551616\r\n\r\n";
    let reproduces = |bytes: &[u8]| {
        let lower = bytes.to_ascii_lowercase();
        find(&lower, b"content-length:-").or(find(&lower, b"content-length: -")).is_some()
    };
    assert_eq!(shrunk(text, reproduces).0, r"GET / HTTP/1.0\r\nContent-Length:-\r\n\r\n");
}

#[test]
fn a_body_shrinks_by_lines_and_keeps_a_matching_length() {
    let text = r"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 14\r\n\r\n{\x22a\x22:[1,2,3]}\n";
    let reproduces = |bytes: &[u8]| {
        requires_response(bytes) && find(bytes, b"[").is_some() && find(bytes, b"Content-Length:").is_some()
    };
    assert_eq!(shrunk(text, reproduces).0, r"GET / HTTP/1.0\r\nContent-Length:1\r\n\r\n[");
    assert_eq!(shrunk(text, |bytes| find(bytes, b"[").is_some()).0, r"GET / HTTP/1.0\r\n\r\n[");
    let text = r"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\nhello\r\n0\r\n\r\n";
    let reproduces = |bytes: &[u8]| {
        let lower = bytes.to_ascii_lowercase();
        let is_chunked =
            find(&lower, b"transfer-encoding:chunked").or(find(&lower, b"transfer-encoding: chunked"));
        let body = find(bytes, b"\r\n\r\n").map(|at| &bytes[at + 4..]).unwrap_or_default();
        let is_bad = body
            .split(|byte| *byte == b'\n')
            .any(|line| line.first().is_some_and(|b| !b.is_ascii_hexdigit()));
        is_chunked.is_some() && is_bad && requires_response(bytes)
    };
    assert_eq!(shrunk(text, reproduces).0, r"GET / HTTP/1.0\r\nTransfer-Encoding:chunked\r\n\r\n\r\n");
}

#[test]
fn only_relevant_pauses_are_kept() {
    let text = r"GE\{pause 5ms}T / HTTP/1.1\r\n\{pause 5ms}\r\n";
    assert_eq!(shrunk(text, |bytes| bytes.starts_with(b"GET")).0, r"GET / HTTP/1.0\r\n\r\n");
    let message = read(text).unwrap();
    let one = Duration::from_millis(5);
    let small = shrink(&message, 100, &mut |message| Ok(message.pauses() >= one)).unwrap();
    assert_eq!((small.pauses(), small.bytes()), (one, message.bytes()));
}

#[test]
fn tries_are_counted_and_limited() {
    let mut bytes = b"GET /?".to_vec();
    // Every byte matters, so nothing can be removed.
    bytes.extend((0..4_000).map(|i| b'A' + (i % 26) as u8));
    bytes.extend_from_slice(b" HTTP/1.0\r\n\r\n");
    let message = Message::of(bytes);
    let mut tries = 0;
    let small = shrink(&message, 300, &mut |asked| {
        tries += 1;
        Ok(*asked == message)
    });
    assert_eq!(small.unwrap(), message);
    assert!(tries <= 300, "{tries}");
}

#[test]
fn incomplete_heads_and_garbage_shrink_by_bytes() {
    assert_eq!(shrunk(r"\x16\x03\x01\xff\xfe abc", |bytes| bytes.contains(&3)).0, r"\x03");
    assert_eq!(
        shrunk(r"GET /abc HTTP/1.1\r\nHos", |bytes| bytes.starts_with(b"GET ")).0,
        r"GET / HTTP/1.0\r\n"
    );
}
