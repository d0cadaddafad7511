//! Traps of bodies, of their framing, and of the way in which bytes are sent.

use super::{Parts, Trap};
use crate::rng::Rng;

/// The order determines the requests of a seed.
pub(super) const TRAPS: &[Trap] = &[
    Trap { name: "raw-body", apply: raw_body },
    Trap { name: "form-body", apply: form_body },
    Trap { name: "multipart-body", apply: multipart_body },
    Trap { name: "json-body", apply: json_body },
    Trap { name: "chunks", apply: chunks },
    Trap { name: "bad-chunk", apply: bad_chunk },
    Trap { name: "chunk-frills", apply: chunk_frills },
    Trap { name: "two-lengths", apply: two_lengths },
    Trap { name: "length-and-chunks", apply: length_and_chunks },
    Trap { name: "negative-length", apply: negative_length },
    Trap { name: "odd-length", apply: odd_length },
    Trap { name: "short-length", apply: short_length },
    Trap { name: "half-body", apply: half_body },
    Trap { name: "coding", apply: coding },
    Trap { name: "half-request", apply: half_request },
    Trap { name: "slow-bytes", apply: slow_bytes },
    Trap { name: "garbage", apply: garbage },
    Trap { name: "pipelined", apply: pipelined },
];

fn announce(parts: &mut Parts) {
    let length = format!("Content-Length: {}", parts.body.len());
    parts.fields.push(length.into_bytes());
}

fn kind(parts: &mut Parts, kind: &str) {
    parts.fields.push(format!("Content-Type: {kind}").into_bytes());
}

fn raw_body(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let length = rng.length(longest);
    parts.carry(rng.bytes(length));
    kind(parts, "application/octet-stream");
    announce(parts);
}

fn form_body(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let piece = rng.pick::<[u8]>(&[
        b"a=1&",
        b"&",
        b"=",
        b"a[]=1&",
        b"a[b][c]=1&",
        b"%",
        b"%00=%ff&",
        b"a=b=c;",
        b"+",
    ]);
    let times = rng.length(longest / piece.len());
    parts.carry(piece.repeat(times));
    kind(parts, "application/x-www-form-urlencoded");
    announce(parts);
}

fn multipart_body(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let mark = rng.pick(&["b", "----------b", "'()+_,-./:=?"]);
    let dispositions = [
        "form-data; name=\"a\"",
        "form-data; name=\"a\"; filename=\"../../x\"",
        "form-data; name=\"",
        "form-data",
        "",
        "form-data; filename=\"\u{0}\"",
        "form-data; name=a; name=b",
    ];
    let mut body = Vec::new();
    for _ in 0..rng.between(1, 20) {
        let disposition = rng.pick(&dispositions);
        body.extend_from_slice(format!("--{mark}\r\nContent-Disposition: {disposition}\r\n\r\n").as_bytes());
        let length = rng.length(longest / 20);
        body.extend(rng.bytes(length));
        body.extend_from_slice(b"\r\n");
    }
    if !rng.once_in(3) {
        body.extend_from_slice(format!("--{mark}--\r\n").as_bytes());
    }
    parts.carry(body);
    let kinds = ["boundary=", "boundary=\"", "Boundary=", ""];
    let word = rng.pick(&kinds);
    let mark = if word.is_empty() { "" } else { mark };
    kind(parts, &format!("multipart/form-data; {word}{mark}"));
    announce(parts);
}

fn json_body(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let body = match rng.below(7) {
        0 => {
            let depth = rng.length(longest / 2);
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            open + &close
        }
        1 => "{\"a\":".repeat(rng.length(longest / 5)),
        2 => "9".repeat(rng.length(longest)),
        3 => "{\"a\":1e999999,\"b\":-0,\"c\":1E+400}".to_owned(),
        4 => "{\"a\":1,\"a\":2,\"__proto__\":{\"x\":1},\"\":null}".to_owned(),
        5 => "\"\\ud800\\u0000\\uZZZZ\\".to_owned(),
        _ => "null,".repeat(rng.length(longest / 5)),
    };
    parts.carry(body.into_bytes());
    kind(parts, "application/json");
    announce(parts);
}

/// Returns a valid chunk.
fn chunk(data: &[u8]) -> Vec<u8> {
    let mut out = format!("{:x}\r\n", data.len()).into_bytes();
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
    out
}

fn chunked(parts: &mut Parts, body: Vec<u8>) {
    parts.carry(body);
    parts.fields.push(b"Transfer-Encoding: chunked".to_vec());
}

fn chunks(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let mut body = Vec::new();
    let many = if rng.once_in(4) { rng.length(longest / 8).min(4_000) } else { rng.between(0, 8) };
    for _ in 0..many {
        let length = if many > 8 { rng.between(1, 3) } else { rng.length(longest / 8).max(1) };
        body.extend(chunk(&rng.bytes(length)));
    }
    body.extend_from_slice(b"0\r\n\r\n");
    chunked(parts, body);
}

const SIZES: [&str; 20] = [
    "x",
    "-1",
    "zz",
    "0x5",
    "+5",
    "5g",
    "",
    " ",
    "ffffffff",
    "100000000",
    "ffffffffffffffff",
    "10000000000000000",
    "7fffffffffffffff",
    "00000000000000000000000000005",
    "5 ",
    "\u{0}",
    "5\n",
    "1.5",
    ";",
    "\u{b2}",
];

fn bad_chunk(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let mut body = Vec::new();
    for _ in 0..rng.below(3) {
        let length = rng.between(1, 50);
        body.extend(chunk(&rng.word(length)));
    }
    match rng.below(8) {
        0 => body.extend_from_slice(b"5\r\nhelloworld\r\n"),
        1 => body.extend_from_slice(b"5\r\nhel\r\n"),
        2 => body.extend_from_slice(b"5hello\r\n"),
        _ => {
            body.extend_from_slice(rng.pick(&SIZES).as_bytes());
            body.extend_from_slice(b"\r\nhello\r\n");
        }
    }
    body.extend_from_slice(b"0\r\n\r\n");
    chunked(parts, body);
}

fn chunk_frills(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    let mut body = Vec::new();
    let length = rng.length(longest / 4);
    match rng.below(6) {
        0 => {
            body.extend_from_slice(b"5;a=\"");
            body.extend(rng.word(length));
            body.extend_from_slice(b"\"\r\nhello\r\n0\r\n\r\n");
        }
        1 => {
            body.extend(vec![b'0'; length]);
            body.extend_from_slice(b"5\r\nhello\r\n0\r\n\r\n");
        }
        2 => {
            body.extend_from_slice(b"0\r\nX-Trailer: ");
            body.extend(rng.word(length));
            body.extend_from_slice(b"\r\n\r\n");
        }
        3 => {
            body.extend_from_slice(b"0\r\n");
            body.extend(b"X: y\r\n".repeat(length / 6));
            body.extend_from_slice(b"\r\n");
        }
        4 => body.extend_from_slice(b"5\nhello\n0\n\n"),
        _ => body.extend_from_slice(b"0\r\nContent-Length: 5\r\nHost: x\r\nno colon\r\n\r\n"),
    }
    chunked(parts, body);
}

fn some_body(rng: &mut Rng, parts: &mut Parts) {
    let length = rng.between(1, 64);
    let body = if parts.body.is_empty() { rng.word(length) } else { std::mem::take(&mut parts.body) };
    parts.carry(body);
}

fn two_lengths(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    some_body(rng, parts);
    let length = parts.body.len();
    let other = rng.below(length + 1);
    match rng.below(3) {
        0 => parts.fields.push(format!("Content-Length: {length}, {other}").into_bytes()),
        1 => {
            parts.fields.push(format!("Content-Length: {other}").into_bytes());
            announce(parts);
        }
        _ => {
            announce(parts);
            announce(parts);
        }
    }
}

fn length_and_chunks(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let length = rng.between(1, 40);
    let body = [chunk(&rng.word(length)), b"0\r\n\r\n".to_vec()].concat();
    let said = rng.below(body.len() + 1);
    chunked(parts, body);
    parts.add(rng, format!("Content-Length: {said}").into_bytes());
}

fn negative_length(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    if rng.once_in(2) {
        some_body(rng, parts);
    }
    let values = ["-1", "-0", "-2147483648", "-9223372036854775808", "-18446744073709551616", "- 5", "-"];
    let value = rng.pick(&values);
    parts.add(rng, format!("Content-Length: {value}").into_bytes());
}

fn odd_length(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    some_body(rng, parts);
    let value = match rng.below(12) {
        0 => "9".repeat(rng.length(longest.min(10_000)).max(1)),
        1 => "0".repeat(rng.length(longest.min(10_000)).max(1)),
        pick => {
            let values = [
                "+5",
                "0x10",
                "1e3",
                "5 5",
                "",
                "5a",
                "4294967296",
                "9223372036854775808",
                "18446744073709551616",
                "abc",
            ];
            values[pick - 2].to_owned()
        }
    };
    parts.add(rng, format!("Content-Length: {value}").into_bytes());
}

fn short_length(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    some_body(rng, parts);
    let said = rng.below(parts.body.len());
    parts.fields.push(format!("Content-Length: {said}").into_bytes());
}

fn half_body(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    some_body(rng, parts);
    let said = parts.body.len() + rng.between(1, 1_000);
    parts.fields.push(format!("Content-Length: {said}").into_bytes());
}

fn coding(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let codings = [
        "gzip",
        "chunked, chunked",
        "identity",
        "chunked;q=1",
        "x",
        "",
        "\u{b}chunked",
        "gzip, chunked",
        "CHUNKED",
        "chunked, identity",
        "\"chunked\"",
        "chunked\u{0}",
    ];
    let coding = rng.pick(&codings);
    parts.carry(b"5\r\nhello\r\n0\r\n\r\n".to_vec());
    parts.add(rng, format!("Transfer-Encoding: {coding}").into_bytes());
}

fn half_request(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    parts.share = rng.below(1_000);
}

fn slow_bytes(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    parts.pieces = rng.between(2, 12);
}

fn garbage(rng: &mut Rng, parts: &mut Parts, longest: usize) {
    match rng.below(5) {
        // The first bytes of a TLS handshake.
        0 => parts.before = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        1 => parts.before = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        2 => parts.before = b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n".to_vec(),
        _ => {
            let length = rng.length(longest);
            parts.before = rng.bytes(length);
        }
    }
}

fn pipelined(rng: &mut Rng, parts: &mut Parts, _longest: usize) {
    let another = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", parts.authority);
    let times = rng.between(1, 50);
    if !parts.body.is_empty() && parts.method != b"GET" {
        parts.body.extend_from_slice(&another.repeat(times).into_bytes());
        return;
    }
    parts.body = another.repeat(times).into_bytes();
}
