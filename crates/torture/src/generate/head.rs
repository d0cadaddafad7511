//! Traps of the header lines.

use super::{Parts, Trap};
use crate::rng::Rng;

/// The order determines the requests of a seed.
pub(super) const TRAPS: &[Trap] = &[
    Trap { name: "header-value", apply: header_value },
    Trap { name: "long-header", apply: long_header },
    Trap { name: "long-header-name", apply: long_header_name },
    Trap { name: "many-headers", apply: many_headers },
    Trap { name: "header-name", apply: header_name },
    Trap { name: "known-header", apply: known_header },
    Trap { name: "nul-header", apply: nul_header },
    Trap { name: "control-header", apply: control_header },
    Trap { name: "bare-lf", apply: bare_lf },
    Trap { name: "bare-cr", apply: bare_cr },
    Trap { name: "folded-header", apply: folded_header },
    Trap { name: "host", apply: host },
    Trap { name: "cookie", apply: cookie },
    Trap { name: "range", apply: range },
];

fn line(name: &[u8], value: &[u8]) -> Vec<u8> {
    [name, b": ", value].concat()
}

fn header_value(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.between(1, 200.min(longest));
    // Other traps insert line ends.
    let value: Vec<u8> =
        rng.bytes(length).into_iter().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)).collect();
    parts.add(rng, line(b"X-Value", &value));
}

fn long_header(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    let value = rng.word(length);
    let name =
        *rng.pick(&[&"X-Long", &"User-Agent", &"Referer", &"Accept", &"Authorization", &"If-None-Match"]);
    parts.add(rng, line(name.as_bytes(), &value));
}

fn long_header_name(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    let name = rng.word(length);
    parts.add(rng, line(&name, b"1"));
}

fn many_headers(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let times = rng.length((longest / 8).max(2)).min(4_000);
    let is_same = rng.once_in(2);
    for number in 0..times {
        let name = if is_same { "X-Same".to_owned() } else { format!("X-{number}") };
        parts.fields.push(line(name.as_bytes(), b"1"));
    }
}

const LINES: [&[u8]; 16] = [
    b": no name",
    b"no colon",
    b" X: leading blank",
    b"X : blank before colon",
    b"X\t: tab",
    b"X:",
    b":",
    b"X::y",
    b"(X): y",
    b"X\xff: y",
    b"\xef\xbb\xbfX: y",
    b"X@Y: z",
    b"\"X\": y",
    b"X Y: z",
    b"-: y",
    b"{}: ${jndi}",
];

fn header_name(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    for _ in 0..rng.between(1, 3) {
        let line = rng.pick(&LINES).to_vec();
        parts.add(rng, line);
    }
}

const KNOWN: [&str; 26] = [
    "If-Modified-Since: Thu, 99 Foo 99999 99:99:99 GMT",
    "If-Modified-Since: ",
    "If-None-Match: \"",
    "If-None-Match: W/",
    "If-Match: *, *",
    "If-Unmodified-Since: -1",
    "Accept-Encoding: gzip;q=999, *;q=-1, ;;;",
    "Accept-Encoding: identity;q=0, *;q=0",
    "Accept-Language: *-*-*-*;q=1e9",
    "Accept: a/b;c=\"",
    "Authorization: Basic",
    "Authorization: Basic =",
    "Authorization: Basic ////",
    "Authorization: Digest username=\"",
    "Connection: ,,,,",
    "Connection: host, content-length",
    "Expect: 200-ok",
    "Content-Type: multipart/form-data",
    "Content-Type: ;;;=",
    "Content-Encoding: gzip",
    "TE: trailers, deflate;q=9",
    "Via: 1.1 a, 1.1 a",
    "X-Forwarded-For: 999.999.999.999, ::::",
    "Forwarded: for=\"",
    "Max-Forwards: -1",
    "Date: never",
];

fn known_header(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    for _ in 0..rng.between(1, 3) {
        let line = rng.pick(&KNOWN).as_bytes().to_vec();
        parts.add(rng, line);
    }
}

fn nul_header(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let (before, behind) = (rng.below(20), rng.below(20));
    let text = [rng.word(before), vec![0], rng.word(behind)].concat();
    let line = if rng.once_in(3) { line(&text, b"1") } else { line(b"X-Nul", &text) };
    parts.add(rng, line);
}

fn control_header(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    const CONTROLS: [u8; 8] = [0x01, 0x07, 0x08, 0x0b, 0x0c, 0x1b, 0x7f, 0x9b];
    let mut text = rng.word(4);
    text.insert(rng.below(5), CONTROLS[rng.below(CONTROLS.len())]);
    parts.add(rng, line(b"X-Control", &text));
}

fn bare_lf(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    match rng.below(4) {
        0 => parts.line_end = b"\n".to_vec(),
        1 => parts.add(rng, b"X-A: 1\nX-B: 2".to_vec()),
        2 => parts.add(rng, b"X-A: 1\n\r".to_vec()),
        _ => parts.add(rng, b"X-A: 1\r\r\n\tx".to_vec()),
    }
}

fn bare_cr(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    match rng.below(3) {
        0 => parts.add(rng, b"X-A: 1\rX-B: 2".to_vec()),
        1 => parts.add(rng, b"X-A: 1\r\r".to_vec()),
        _ => parts.add(rng, b"\rX-A: 1".to_vec()),
    }
}

fn folded_header(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let mut text = b"X-Folded: 1".to_vec();
    for _ in 0..rng.between(1, 200) {
        text.extend_from_slice(rng.pick::<[u8]>(&[b"\r\n x", b"\r\n\tx", b"\r\n "]));
    }
    if rng.once_in(4) { parts.fields.insert(0, text) } else { parts.add(rng, text) }
}

const HOSTS: [&str; 16] = [
    "Host:",
    "Host: :",
    "Host: :80",
    "Host: a b",
    "Host: [::1",
    "Host: [::1]:99999",
    "Host: ..",
    "Host: .",
    "Host: a:-1",
    "Host: a/b",
    "Host: a\\b",
    "Host: %00",
    "Host: a@b",
    "Host: ,",
    "Host: \u{fe}",
    "Host: 0x7f.1",
];

fn host(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    match rng.below(5) {
        0 => drop(parts.fields.remove(0)),
        1 => parts.fields.insert(0, b"Host: other.test".to_vec()),
        2 => {
            let length = rng.length(longest.min(20_000));
            parts.fields[0] = line(b"Host", &rng.word(length));
        }
        _ => parts.fields[0] = rng.pick(&HOSTS).as_bytes().to_vec(),
    }
}

fn cookie(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let mut text = b"Cookie: ".to_vec();
    match rng.below(3) {
        0 => text.extend_from_slice(b"a=\"; =; ;;; b; $Version=9; c=d=e=f;"),
        1 => text.extend(b"a=1; ".repeat(rng.length(longest / 5).min(2_000))),
        _ => {
            let length = rng.length(longest);
            text.extend_from_slice(b"a=");
            text.extend(rng.word(length));
        }
    }
    parts.add(rng, text);
}

const RANGES: [&str; 12] = [
    "bytes=0-",
    "bytes=-1",
    "bytes=-0",
    "bytes=5-1",
    "bytes=0-0,-1",
    "bytes=",
    "bytes=a-b",
    "bytes=18446744073709551615-",
    "bytes=0-18446744073709551615",
    "bytes=-9223372036854775808",
    "lines=1-2",
    "bytes=0-0,0-0,0-0,0-0",
];

fn range(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let value = if rng.once_in(4) {
        let times = rng.length(longest / 4).min(1_500);
        format!("bytes={}", "0-1,".repeat(times))
    } else {
        (*rng.pick(&RANGES)).to_owned()
    };
    parts.add(rng, line(b"Range", value.as_bytes()));
}
