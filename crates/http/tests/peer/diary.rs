//! Writes down what a sink hears, as text to compare.

use std::fmt::Write as _;
use warwolf_http::{
    CallId, Cause, End, FieldWriter, Fields, Fill, Head, Http1, Limits, ResponseSink, Template,
    TemplateBuilder, Version,
};

/// One line per event. Pieces of a body are joined, since where they are cut is no fact about the reply.
#[derive(Default)]
pub(crate) struct Diary {
    text: String,
    body: Option<(u32, Vec<u8>)>,
    /// The reason phrases of heads, in order.
    pub(crate) reasons: Vec<String>,
    /// Trailer fields, each with its call and the length of the section.
    pub(crate) trailers: Vec<String>,
}

impl Diary {
    pub(crate) fn note(&mut self, words: std::fmt::Arguments<'_>) {
        if let Some((call, body)) = self.body.take() {
            let _ = writeln!(self.text, "{call} body {}", body.escape_ascii());
        }
        let _ = writeln!(self.text, "{words}");
    }

    /// What was written, up to now.
    pub(crate) fn read(&self) -> &str {
        assert!(self.body.is_none(), "a body is followed by an event");
        &self.text
    }

    fn note_head(&mut self, call: CallId, kind: &str, head: &Head<'_>) {
        let version = head.version.map_or("-", Version::name);
        self.note(format_args!("{} {kind} {version} {} {}", call.0, head.status, head.bytes));
        self.reasons.push(String::from_utf8_lossy(head.reason()).into_owned());
        for (name, value) in head.fields().iter() {
            self.note(format_args!("  {}: {}", name.escape_ascii(), value.escape_ascii()));
        }
    }
}

impl ResponseSink for Diary {
    fn first_byte(&mut self, call: CallId) {
        self.note(format_args!("{} first byte", call.0));
    }
    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        self.note_head(call, "interim", head);
    }
    fn head(&mut self, call: CallId, head: &Head<'_>) {
        self.note_head(call, "head", head);
    }
    fn body(&mut self, call: CallId, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "a piece of a body is never empty");
        match &mut self.body {
            Some((of, body)) if *of == call.0 => body.extend_from_slice(bytes),
            Some(_) => panic!("a body inside of another"),
            None => self.body = Some((call.0, bytes.to_vec())),
        }
    }
    fn trailers(&mut self, call: CallId, fields: Fields<'_>, bytes: usize) {
        for (name, value) in fields.iter() {
            let (name, value) = (name.escape_ascii(), value.escape_ascii());
            self.trailers.push(format!("{} {name}: {value} ({bytes})", call.0));
        }
    }
    fn end(&mut self, call: CallId, end: End) {
        self.note(format_args!("{} end {end:?}", call.0));
    }
    fn failed(&mut self, call: CallId, cause: Cause) {
        self.note(format_args!("{} failed {cause:?}", call.0));
    }
}

/// Fills a hole with its number as a field, and a body with the low bytes of the offsets.
pub(crate) struct Numbers;

impl Fill for Numbers {
    fn fields(&mut self, hole: u16, fields: &mut FieldWriter<'_>) {
        fields.add("Hole", |out| out.extend_from_slice(hole.to_string().as_bytes()));
    }
    fn value(&mut self, hole: u16, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("({hole})").as_bytes());
    }
    fn body(&mut self, offset: u64, max: usize, out: &mut Vec<u8>) {
        out.extend((offset..).take(max).map(|offset| offset as u8));
    }
}

pub(crate) fn template(method: &str) -> Template {
    TemplateBuilder::new(method, "/", Version::Http11).header("Host", "x").build().unwrap()
}

/// Starts a call and returns what is sent.
pub(crate) fn start(http: &mut Http1, call: u32, template: &Template) -> Vec<u8> {
    let mut out = Vec::new();
    http.start(CallId(call), template, &mut Numbers, &mut out);
    out
}

/// A connection with one call per method, numbered from zero.
pub(crate) fn asked(methods: &[&str], limits: Limits) -> Http1 {
    let mut http = Http1::new(limits, methods.len());
    for (call, method) in (0..).zip(methods) {
        start(&mut http, call, &template(method));
    }
    http
}

/// What is heard when the server sends these pieces and then closes.
pub(crate) fn heard_within<'a>(
    methods: &[&str],
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limits: Limits,
) -> String {
    let mut http = asked(methods, limits);
    let mut diary = Diary::default();
    if pieces.into_iter().try_for_each(|piece| http.receive(piece, &mut diary)).is_ok() {
        diary.note(format_args!("{}", if http.reusable() { "kept" } else { "not kept" }));
        http.finish(&mut diary);
    } else {
        diary.note(format_args!("violation"));
    }
    assert_eq!(http.in_flight(), 0);
    assert_eq!(http.room(), 0);
    diary.read().to_owned()
}

/// The same, within the usual limits.
pub(crate) fn heard<'a>(methods: &[&str], pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    heard_within(methods, pieces, Limits::default())
}
