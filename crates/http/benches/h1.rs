//! What one small call costs the protocol: the request encoded, the reply read. `cargo bench -p warwolf-http`.
//!
//! Each figure is the best of many short rounds, because on a shared machine the best is the one that repeats.

use std::hint::black_box;
use std::time::Instant;
use warwolf_http::{
    CallId, Cause, End, FieldWriter, Fill, Head, Http1, Limits, ResponseSink, Template, TemplateBuilder,
    Version,
};

/// Counts what the engine counts.
#[derive(Default)]
struct Counts {
    replies: u64,
    status: u64,
    bytes: u64,
}

impl ResponseSink for Counts {
    fn first_byte(&mut self, _call: CallId) {}
    fn head(&mut self, _call: CallId, head: &Head<'_>) {
        self.status += u64::from(head.status);
        self.bytes += head.bytes as u64;
    }
    fn body(&mut self, _call: CallId, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
    }
    fn end(&mut self, _call: CallId, _end: End) {
        self.replies += 1;
    }
    fn failed(&mut self, _call: CallId, cause: Cause) {
        panic!("the reply is well-formed: {cause:?}");
    }
}

/// For templates without holes.
struct Nothing;

impl Fill for Nothing {
    fn fields(&mut self, _hole: u16, _fields: &mut FieldWriter<'_>) {}
    fn body(&mut self, _offset: u64, _max: usize, _out: &mut Vec<u8>) {}
}

fn template() -> Template {
    TemplateBuilder::new("GET", "/index.html", Version::Http11)
        .header("Host", "127.0.0.1:8080")
        .header("User-Agent", "warwolf")
        .header("Accept", "*/*")
        .build()
        .expect("the request is well-formed")
}

/// Prints the best time per call of `round`, which makes `calls` calls.
fn measure(name: &str, calls: u32, mut round: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..2000 {
        let began = Instant::now();
        round();
        best = best.min(began.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    println!("{name:<32} {best:>8.1} ns/call");
}

const CALLS: u32 = 500;

fn main() {
    let template = template();
    let mut out = Vec::with_capacity(65_536);
    let mut http = Http1::new(Limits::default(), 1);
    let mut counts = Counts::default();
    let small = [NGINX, b"hello\n"].concat();
    let chunked = [CHUNKED, b"6\r\nhello\n\r\n0\r\n\r\n"].concat();

    measure("encode and read, nginx small", CALLS, || {
        for call in 0..CALLS {
            out.clear();
            http.start(CallId(call), &template, &mut Nothing, &mut out);
            let _ = http.receive(black_box(&small), &mut counts);
        }
    });
    measure("the same, chunked", CALLS, || {
        for call in 0..CALLS {
            out.clear();
            http.start(CallId(call), &template, &mut Nothing, &mut out);
            let _ = http.receive(black_box(&chunked), &mut counts);
        }
    });
    measure("the same, in two pieces", CALLS, || {
        for call in 0..CALLS {
            out.clear();
            http.start(CallId(call), &template, &mut Nothing, &mut out);
            let _ = http.receive(black_box(&small[..100]), &mut counts);
            let _ = http.receive(black_box(&small[100..]), &mut counts);
        }
    });
    let other = String::from_utf8_lossy(&small).replace("07:04:31", "07:04:32").into_bytes();
    measure("the same, another date each time", CALLS, || {
        for call in 0..CALLS {
            out.clear();
            http.start(CallId(call), &template, &mut Nothing, &mut out);
            let _ = http.receive(black_box(if call % 2 == 0 { &small } else { &other }), &mut counts);
        }
    });
    let mut pipelined = Http1::new(Limits::default(), 16);
    let sixteen = small.repeat(16);
    measure("pipelined, 16 deep", 16, || {
        out.clear();
        for call in 0..16 {
            pipelined.start(CallId(call), &template, &mut Nothing, &mut out);
        }
        let _ = pipelined.receive(black_box(&sixteen), &mut counts);
    });
    black_box((counts.replies, counts.status, counts.bytes, out.len()));
}

/// What nginx says to a request for a small file.
const NGINX: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.26.3\r\nDate: Fri, 21 Nov 2025 07:04:31 GMT\r\n\
    Content-Type: text/html\r\nContent-Length: 6\r\nLast-Modified: Fri, 21 Nov 2025 06:58:02 GMT\r\n\
    Connection: keep-alive\r\nETag: \"69200d2a-6\"\r\nAccept-Ranges: bytes\r\n\r\n";

/// What nginx says when it passes on a reply of unknown length.
const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.26.3\r\nDate: Fri, 21 Nov 2025 07:04:31 GMT\r\n\
    Content-Type: text/html\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n";
