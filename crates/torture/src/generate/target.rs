//! Traps of the request line: method, target, version.

use super::{Parts, Trap};
use crate::rng::Rng;

/// The order determines the requests of a seed.
pub(super) const TRAPS: &[Trap] = &[
    Trap { name: "query", apply: query },
    Trap { name: "long-query", apply: long_query },
    Trap { name: "path", apply: path },
    Trap { name: "long-path", apply: long_path },
    Trap { name: "deep-path", apply: deep_path },
    Trap { name: "escapes", apply: escapes },
    Trap { name: "utf8", apply: utf8 },
    Trap { name: "raw-target", apply: raw_target },
    Trap { name: "target-form", apply: target_form },
    Trap { name: "method", apply: method },
    Trap { name: "long-method", apply: long_method },
    Trap { name: "version", apply: version },
    Trap { name: "request-line", apply: request_line },
];

/// Percent-encodes bytes that are not allowed in a target.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 3);
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    out
}

fn with_query(parts: &mut Parts, query: &[u8]) {
    let mut target = parts.path().to_vec();
    target.push(b'?');
    target.extend_from_slice(query);
    parts.target = target;
}

fn with_path(parts: &mut Parts, path: &[u8]) {
    let mut target = parts.path().to_vec();
    if target.last() != Some(&b'/') {
        target.push(b'/');
    }
    target.extend_from_slice(path);
    parts.target = target;
}

fn query(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.between(1, 300.min(longest));
    let mut query = escaped(&rng.bytes(length));
    for _ in 0..rng.below(4) {
        let at = rng.below(query.len() + 1);
        query.splice(
            at..at,
            rng.pick::<[u8]>(&[b"&", b"=", b"&&=", b"[]=", b"%", b";", b"+", b"?", b"&a=1&a=2"])
                .iter()
                .copied(),
        );
    }
    with_query(parts, &query);
}

fn long_query(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    let query = match rng.below(3) {
        0 => rng.word(length),
        1 => {
            let mut query = escaped(&rng.bytes(length));
            query.truncate(length);
            query
        }
        _ => b"a=1&".iter().copied().cycle().take(length).collect(),
    };
    with_query(parts, &query);
}

fn path(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.between(1, 300.min(longest));
    let path = escaped(&rng.bytes(length));
    with_path(parts, &path);
}

fn long_path(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    let path = rng.word(length);
    with_path(parts, &path);
}

fn deep_path(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let piece =
        rng.pick::<[u8]>(&[b"a/", b"/", b"../", b"./", b"a/../", b"%2e%2e/", b"..%2f", b"..;/", b"..\\"]);
    let times = rng.length(longest / piece.len()).min(4_096);
    let path = piece.repeat(times);
    with_path(parts, &path);
}

const ESCAPES: [&[u8]; 16] = [
    b"%00",
    b"%0d%0aX:%20y",
    b"%",
    b"%2",
    b"%zz",
    b"%u0041",
    b"%%32%35",
    b"%2e%2e%2f",
    b"%252e",
    b"%c0%ae",
    b"%ff",
    b"%0a",
    b"%20",
    b"%7f",
    b"%5c",
    b"%80",
];

fn escapes(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let mut text = Vec::new();
    for _ in 0..rng.between(1, 12) {
        text.extend_from_slice(rng.pick(&ESCAPES));
    }
    if rng.once_in(2) { with_query(parts, &text) } else { with_path(parts, &text) }
}

/// Overlong encodings, surrogates, code points out of range, incomplete characters, byte order marks.
const UTF8: [&[u8]; 12] = [
    b"\xc0\xae",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc3",
    b"\xe2\x82",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\x80",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x92\xa9",
];

fn utf8(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let mut text = Vec::new();
    for _ in 0..rng.between(1, 8) {
        text.extend_from_slice(rng.pick(&UTF8));
    }
    let text = if rng.once_in(2) { escaped(&text) } else { text };
    if rng.once_in(2) { with_query(parts, &text) } else { with_path(parts, &text) }
}

fn raw_target(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let length = rng.between(1, 60);
    let bytes = rng.bytes(length);
    if rng.once_in(2) { with_query(parts, &bytes) } else { with_path(parts, &bytes) }
}

/// Uses only the authority of the server itself, so that a proxy does not contact other hosts.
fn target_form(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let (own, target) = (parts.authority.clone(), String::from_utf8_lossy(&parts.target).into_owned());
    let forms = [
        "*".to_owned(),
        String::new(),
        format!("http://{own}{target}"),
        format!("HTTP://{own}"),
        format!("http://{own}:0{target}"),
        format!("http://user:pw@{own}{target}"),
        format!("//{own}{target}"),
        format!("http:///{target}"),
        "http://".to_owned(),
        "?".to_owned(),
        "#".to_owned(),
        format!("{target}#fragment"),
        target.trim_start_matches('/').to_owned() + "x",
        format!("http://[::1{target}"),
    ];
    parts.target = forms[rng.below(forms.len())].clone().into_bytes();
}

const METHODS: [&str; 20] = [
    "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "GETT", "G", "",
    "GET\t", "GET,POST", "A-B", "\u{7f}", "GET/", "\"GET\"", "PRI", "LOCK",
];

fn method(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    parts.method = rng.pick(&METHODS).as_bytes().to_vec();
}

fn long_method(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    parts.method = rng.word(length).to_ascii_uppercase();
}

const VERSIONS: [&str; 18] = [
    "HTTP/1.0",
    "HTTP/0.9",
    "HTTP/1.2",
    "HTTP/1.10",
    "HTTP/1.",
    "HTTP/2.0",
    "HTTP/3",
    "HTTP/9.9",
    "HTTP/01.1",
    "HTTP/1.1.1",
    "HTTP/4294967297.1",
    "http/1.1",
    "HTTP/-1.1",
    "HTTP/1.1 x",
    "HTTP",
    "FTP/1.1",
    "HTTP/1,1",
    "HTTP/\u{0}.1",
];

fn version(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    if rng.once_in(12) {
        let length = rng.length(longest.min(20_000));
        parts.version = [b"HTTP/1.".to_vec(), vec![b'1'; length]].concat();
    } else {
        parts.version = rng.pick(&VERSIONS).as_bytes().to_vec();
    }
}

fn request_line(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    match rng.below(6) {
        0 => parts.before = b"\r\n".repeat(rng.between(1, 200)),
        1 => parts.before = b"\n".repeat(rng.between(1, 20)),
        2 => parts.method.extend(vec![b' '; rng.between(1, 100)]),
        3 => parts.version.extend(vec![b' '; rng.between(1, 100)]),
        4 => parts.target = parts.target.iter().copied().chain(*b"\t").collect(),
        _ => parts.before = vec![b' '; rng.between(1, 10)],
    }
}
