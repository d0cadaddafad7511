//! The connection as a whole: a script of what the server sends, and what the sink hears.

use super::*;
use crate::{TemplateBuilder, Version};
use std::fmt::Write as _;

/// Writes down what it hears, one word per event. Pieces of a body are joined, since where they are cut is not a fact
/// about the reply.
#[derive(Default)]
pub(crate) struct Diary {
    text: String,
    body: Option<(u32, Vec<u8>)>,
}

impl Diary {
    fn note(&mut self, words: std::fmt::Arguments<'_>) {
        if let Some((call, body)) = self.body.take() {
            let _ = writeln!(self.text, "{call} body {}", body.escape_ascii());
        }
        let _ = writeln!(self.text, "{words}");
    }

    pub(crate) fn read(mut self) -> String {
        self.note(format_args!(""));
        self.text.truncate(self.text.len() - 1);
        self.text
    }
}

impl ResponseSink for Diary {
    fn first_byte(&mut self, call: CallId) {
        self.note(format_args!("{} first", call.0));
    }
    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        self.note(format_args!("{} interim {}", call.0, head.status));
    }
    fn head(&mut self, call: CallId, head: &Head<'_>) {
        self.note(format_args!("{} head {} {} {}", call.0, head.status, head.bytes, head.fields().count()));
    }
    fn body(&mut self, call: CallId, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "a piece of a body is never empty");
        match &mut self.body {
            Some((of, body)) if *of == call.0 => body.extend_from_slice(bytes),
            Some(_) => panic!("a body inside of another"),
            None => self.body = Some((call.0, bytes.to_vec())),
        }
    }
    fn end(&mut self, call: CallId, end: End) {
        self.note(format_args!("{} end {end:?}", call.0));
    }
    fn failed(&mut self, call: CallId, cause: Cause) {
        self.note(format_args!("{} failed {cause:?}", call.0));
    }
}

/// Fills holes with their number as a field, and bodies with the low byte of the offset.
struct Numbers;

impl Fill for Numbers {
    fn fill(&mut self, hole: u16, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("Hole: {hole}\r\n").as_bytes());
    }
    fn body(&mut self, offset: u64, max: usize, out: &mut Vec<u8>) {
        out.extend((0..max).map(|index| (offset as usize + index) as u8));
    }
}

fn template(method: &str) -> Template {
    TemplateBuilder::new(method, "/", Version::Http11).header("Host", "x").build().unwrap()
}

fn start(http: &mut Http1, call: u32, template: &Template) -> Vec<u8> {
    let mut out = Vec::new();
    http.start(CallId(call), template, &mut Numbers, &mut out);
    out
}

/// A connection with one call per method given, numbered from zero.
fn asked(methods: &[&str]) -> Http1 {
    let mut http = Http1::new(Limits::default(), methods.len());
    for (call, method) in (0..).zip(methods) {
        start(&mut http, call, &template(method));
    }
    http
}

/// What the sink hears when the server sends `pieces` and closes.
fn heard(methods: &[&str], pieces: &[&[u8]]) -> String {
    let mut http = asked(methods);
    let mut diary = Diary::default();
    if pieces.iter().all(|piece| http.receive(piece, &mut diary).is_ok()) {
        diary.note(format_args!("{}", if http.reusable() { "kept" } else { "not kept" }));
        http.finish(&mut diary);
    } else {
        diary.note(format_args!("violation"));
    }
    assert_eq!(http.in_flight(), 0);
    diary.read()
}

#[test]
fn a_reply_with_a_length() {
    assert_eq!(
        heard(&["GET"], &[b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"]),
        "0 first\n0 head 200 38 1\n0 body hello\n0 end Length\nkept\n"
    );
}

#[test]
fn a_chunked_reply_with_extensions_and_trailers() {
    let reply =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n00A \r\n0123456789\r\n0\r\nT: x\r\n\r\n";
    assert_eq!(
        heard(&["GET"], &[reply]),
        "0 first\n0 head 200 47 1\n0 body abc0123456789\n0 end Chunked\nkept\n"
    );
}

#[test]
fn a_reply_that_ends_with_the_connection() {
    assert_eq!(
        heard(&["GET"], &[b"HTTP/1.0 200\n\nall the rest"]),
        "0 first\n0 head 200 14 0\n0 body all the rest\nnot kept\n0 end Closed\n"
    );
}
