//! What the fuzz targets do with their input. The tests here do the same with a little random input; `fuzz/` includes this
//! file.

use crate::diary::{Numbers, heard_within};
use crate::reference::expected;
use std::collections::BTreeMap;
use warwolf_http::{
    CallId, Cause, End, Head, Http1, Limits, RequestBody, ResponseSink, Template, TemplateBuilder, Version,
};

/// A stream of replies: product and reference agree, whole and in single bytes.
fn agree(methods: &[&str], bytes: &[u8], limits: Limits) {
    let wanted = expected(methods, bytes, &limits);
    assert_eq!(heard_within(methods, [bytes], limits), wanted);
    assert_eq!(heard_within(methods, bytes.chunks(1), limits), wanted);
}

/// The first byte chooses methods and limits, the rest is what the server sends.
pub(crate) fn h1_head(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let methods: &[&str] = match choice % 4 {
        0 => &["GET"],
        1 => &["HEAD"],
        2 => &["CONNECT"],
        _ => &["GET", "HEAD", "POST"],
    };
    let tight = Limits { max_head: 64, max_headers: 3, ..Limits::default() };
    agree(methods, bytes, if choice & 0x80 == 0 { Limits::default() } else { tight });
}

/// The first byte chooses a head, the rest is the body.
pub(crate) fn h1_body(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else { return };
    let head: &[u8] = match choice % 4 {
        0 => b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n",
        1 => b"HTTP/1.0 200 OK\r\n\r\n",
        _ => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    };
    let limits = Limits { max_head: 100, ..Limits::default() };
    agree(&["GET", "GET"], &[head, body].concat(), limits);
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Stage {
    Started,
    Begun,
    Body,
}

/// The calls outstanding, as a connection has to see them; panics when it is told otherwise.
#[derive(Default)]
struct Book {
    calls: BTreeMap<u32, Stage>,
}

impl Book {
    fn step(&mut self, CallId(call): CallId, from: &[Stage], to: Option<Stage>) {
        let stage = self.calls.remove(&call).expect("only outstanding calls are told about");
        assert!(from.contains(&stage), "call {call} was at {stage:?}");
        assert!(self.calls.keys().all(|other| *other > call), "calls are answered in order");
        if let Some(to) = to {
            self.calls.insert(call, to);
        }
    }
}

impl ResponseSink for Book {
    fn first_byte(&mut self, call: CallId) {
        self.step(call, &[Stage::Started], Some(Stage::Begun));
    }
    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        assert!((100..200).contains(&head.status) && head.status != 101);
        self.step(call, &[Stage::Begun], Some(Stage::Begun));
    }
    fn head(&mut self, call: CallId, head: &Head<'_>) {
        assert!((101..=999).contains(&head.status));
        self.step(call, &[Stage::Begun], Some(Stage::Body));
    }
    fn body(&mut self, call: CallId, bytes: &[u8]) {
        assert!(!bytes.is_empty());
        self.step(call, &[Stage::Body], Some(Stage::Body));
    }
    fn end(&mut self, call: CallId, _end: End) {
        self.step(call, &[Stage::Body], None);
    }
    fn failed(&mut self, call: CallId, cause: Cause) {
        let from: &[Stage] = match cause {
            Cause::ClosedBeforeReply | Cause::Retired => &[Stage::Started],
            Cause::ClosedMidReply => &[Stage::Begun, Stage::Body],
            Cause::Violation(_) => &[Stage::Begun, Stage::Body],
        };
        self.step(call, from, None);
    }
}

/// Requests of every kind that matters.
fn templates() -> Vec<Template> {
    let of = |method| TemplateBuilder::new(method, "/", Version::Http11).header("Host", "x");
    [
        of("GET"),
        of("HEAD"),
        of("CONNECT"),
        of("GET").header("Connection", "close"),
        of("POST").body(RequestBody::Inline(b"body".to_vec())),
        of("PUT").hole(3).body(RequestBody::Streamed { length: 10 }),
    ]
    .into_iter()
    .map(|builder| builder.build().unwrap())
    .collect()
}

/// Whole replies for the server to say; `0` in an instruction means a piece of the fuzzer's own.
const REPLIES: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.0 200 OK\r\n\r\n",
    b"hello",
];

/// Reads `data` as instructions for both sides of a connection. Every call is heard of as the sink's contract says, at
/// most once to its end, in order; the counts are right; nothing panics.
pub(crate) fn h1_api(data: &[u8]) {
    let templates = templates();
    let mut bytes = data.iter().copied();
    let depth = usize::from(bytes.next().unwrap_or(0) % 4);
    let limits = Limits { max_head: 256, max_headers: 8, ..Limits::default() };
    let mut http = Http1::new(limits, depth);
    let mut book = Book::default();
    let mut out = Vec::new();
    let mut calls = 0..;
    while let Some(instruction) = bytes.next() {
        let argument = usize::from(instruction >> 3);
        match instruction & 7 {
            0 | 1 if http.room() > 0 => {
                let call = calls.next().unwrap();
                http.start(CallId(call), &templates[argument % templates.len()], &mut Numbers, &mut out);
                book.calls.insert(call, Stage::Started);
            }
            0..=3 => {
                let own: Vec<u8>;
                let reply = match REPLIES.get(argument % (REPLIES.len() + 1)) {
                    Some(reply) => *reply,
                    None => {
                        own = bytes.by_ref().take(argument).collect();
                        &own
                    }
                };
                if http.receive(reply, &mut book).is_err() {
                    assert!(book.calls.is_empty(), "a violation leaves no call behind");
                    assert!(!http.reusable());
                }
            }
            4 => {
                let call = http.next_body().unwrap_or(CallId(argument as u32));
                let (before, room) = (out.len(), http.body_room(call));
                http.pump(call, &mut Numbers, argument, &mut out);
                assert_eq!(out.len() - before, room.min(argument));
                assert_eq!(http.body_room(call), room - room.min(argument));
            }
            5 => {
                if let Some(&call) = book.calls.keys().nth(argument % 4) {
                    book.calls.remove(&call);
                    http.abandon(CallId(call));
                    assert!(!http.reusable());
                }
            }
            6 if argument % 2 == 0 => {
                http.finish(&mut book);
                assert!(book.calls.is_empty(), "no call outlives the connection");
            }
            6 => http.drain(|call| book.step(call, &[Stage::Started, Stage::Begun, Stage::Body], None)),
            _ => {
                http = Http1::new(limits, depth);
                book.calls.clear();
                assert!(http.reusable());
            }
        }
        assert_eq!(http.in_flight(), book.calls.len());
        assert!(http.room() <= depth.max(1) - book.calls.len().min(depth.max(1)));
        assert!(http.reusable() || http.room() == 0);
        assert!(http.next_body().is_none_or(|CallId(call)| book.calls.contains_key(&call)));
    }
}
