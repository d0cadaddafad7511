//! What must hold for any bytes: of a server's reply, over HTTP or FTP, of a plan's text, of what checks look at, of a run file,
//! of an access log, of a Hurl file, of files that are imported, and of the files that the classics read.
//!
//! Each function is one fuzz target: it panics when something does not hold. `cargo xtask fuzz` runs them all.
#![forbid(unsafe_code)]

#[path = "../../http/tests/peer/bodies.rs"]
mod bodies;
mod classics;
#[expect(dead_code, reason = "the tests it belongs to use more of it")]
#[path = "../../http/tests/peer/diary.rs"]
mod diary;
mod hurl;
mod import;
mod logs;
#[path = "../../http/tests/peer/reference.rs"]
mod reference;
mod scan;

pub use classics::{http_load, httperf, siege};
pub use hurl::hurl;
pub use import::{import_curl, import_har, import_http, import_openapi, import_postman, import_vegeta};
pub use logs::log;
pub use scan::scan;
use std::sync::Arc;
use warwolf_clock::Timestamp;
use warwolf_ftp::{Conversation, Event};
use warwolf_http::{
    Action, CallId, Cause, Companion, CompanionEvent, End, FieldWriter, Fill, Head, Heads, Http1, Limits,
    Order, Protocol, ProtocolKind, RequestBody, ResponseSink, Template, TemplateBuilder, Version,
};
use warwolf_measure::Run;

/// What was said about calls, bodies in one piece however they came.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    FirstByte(CallId),
    Interim(CallId, u16),
    Head(CallId, u16, usize, usize),
    Body(CallId, Vec<u8>),
    End(CallId, End),
    Failed(CallId, Cause),
}

/// Writes down what it hears, and minds the order the protocol promises.
#[derive(Default)]
struct Witness {
    said: Vec<Said>,
    over: Vec<CallId>,
}

impl Witness {
    fn note(&mut self, call: CallId, said: Said) {
        assert!(!self.over.contains(&call), "nothing is said about a call that is over: {said:?}");
        if matches!(said, Said::End(..) | Said::Failed(..)) {
            self.over.push(call);
        }
        self.said.push(said);
    }
}

impl ResponseSink for Witness {
    fn first_byte(&mut self, call: CallId) {
        self.note(call, Said::FirstByte(call));
    }

    fn interim(&mut self, call: CallId, head: &Head<'_>) {
        self.note(call, Said::Interim(call, head.status));
    }

    fn head(&mut self, call: CallId, head: &Head<'_>) {
        // Looking at all fields must be possible, whatever is in them.
        let fields = head.fields().iter().count();
        let _ = (head.header("location"), head.fields().all("set-cookie").count());
        self.note(call, Said::Head(call, head.status, head.bytes, fields));
    }

    fn body(&mut self, call: CallId, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "a piece of a body is never empty");
        if let Some(Said::Body(last, all)) =
            self.said.last_mut().filter(|said| matches!(said, Said::Body(..)))
            && *last == call
        {
            all.extend_from_slice(bytes);
            return;
        }
        self.note(call, Said::Body(call, bytes.to_vec()));
    }

    fn end(&mut self, call: CallId, end: End) {
        self.note(call, Said::End(call, end));
    }

    fn failed(&mut self, call: CallId, cause: Cause) {
        self.note(call, Said::Failed(call, cause));
    }
}

/// Fills nothing: the requests have no holes.
struct Nothing;

impl Fill for Nothing {
    fn fields(&mut self, _: u16, _: &mut FieldWriter<'_>) {}

    fn body(&mut self, _: u64, max: usize, out: &mut Vec<u8>) {
        out.resize(out.len() + max, 0);
    }
}

fn request(method: &str, version: Version) -> Template {
    TemplateBuilder::new(method, "/", version).header("Host", "a").build().expect("a plain request")
}

/// Gives `input` to a new connection with these requests outstanding, cut before each of `cuts`.
fn converse(requests: &[Template], input: &[u8], cuts: &[usize]) -> Vec<Said> {
    let limits = Limits { max_head: 2048, ..Limits::default() };
    let mut connection = Http1::new(limits, requests.len());
    let mut out = Vec::new();
    let mut started = 0;
    // Over HTTP/1.0 there is room for one; the others would go on another connection.
    while let Some(template) = requests.get(started).filter(|_| connection.room() > 0) {
        connection.start(CallId(started as u32), template, &mut Nothing, &mut out);
        started += 1;
    }
    let mut witness = Witness::default();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([input.len()]) {
        let piece = &input[from.min(input.len())..cut.clamp(from, input.len())];
        from = from.max(cut.min(input.len()));
        if !piece.is_empty() && connection.receive(piece, &mut witness).is_err() {
            assert_eq!(connection.in_flight(), 0, "after a violation nothing is in flight");
            return witness.said;
        }
    }
    connection.finish(&mut witness);
    assert_eq!(witness.over.len(), started, "every call ends: {:?}", witness.said);
    witness.said
}

/// Replies of any bytes: every call ends exactly once, and how the bytes are cut changes nothing.
///
/// The first byte says which requests are outstanding, the second where the bytes are cut.
pub fn reply(bytes: &[u8]) {
    let [kind, cut, input @ ..] = bytes else { return };
    let version = if kind & 1 == 0 { Version::Http11 } else { Version::Http10 };
    let first = if kind & 2 == 0 { "GET" } else { "HEAD" };
    let count = usize::from(kind >> 2 & 3) + 1;
    let requests: Vec<Template> =
        (0..count).map(|number| request(if number == 0 { first } else { "GET" }, version)).collect();
    let whole = converse(&requests, input, &[]);
    assert_eq!(whole, converse(&requests, input, &[usize::from(*cut)]), "in two pieces");
    let singly: Vec<usize> = (1..input.len()).collect();
    assert_eq!(whole, converse(&requests, input, &singly), "byte by byte");
}

/// Heads of any bytes are read as the slow reference reads them, whole and byte by byte.
pub fn h1_head(bytes: &[u8]) {
    bodies::h1_head(bytes);
}

/// Bodies of any bytes are read as the slow reference reads them, whole and byte by byte.
pub fn h1_body(bytes: &[u8]) {
    bodies::h1_body(bytes);
}

/// Whatever both sides of a connection do in whatever order, every call is told about as promised.
pub fn h1_api(bytes: &[u8]) {
    bodies::h1_api(bytes);
}

/// What came of an FTP conversation.
#[derive(Debug, PartialEq, Eq)]
struct Talk {
    said: Vec<u8>,
    events: Vec<Event>,
    broken: Option<warwolf_ftp::Violation>,
    ending: warwolf_ftp::Ending,
    status: u16,
    replies: Vec<(u16, Vec<u8>)>,
}

/// What a first byte of this kind asks for.
fn order(kind: u8) -> Order {
    let action = match kind & 3 {
        0 => Action::List,
        1 => Action::Store,
        _ => Action::Retrieve,
    };
    Order::new(b"me", b"secret", action, b"/a.bin", kind & 4 > 0).expect("plain texts")
}

/// Says `replies` in pieces of so many bytes; data connections open, carry their data and end at once.
fn talk(kind: u8, replies: &[u8], piece: usize) -> Talk {
    let order = order(kind);
    let mut conversation = Conversation::new(Arc::new(order), b"1".to_vec(), kind & 8 > 0);
    let (mut said, mut events, mut seen, mut broken) = (Vec::new(), Vec::new(), Vec::new(), None);
    'talk: for mut input in replies.chunks(piece) {
        while !input.is_empty() {
            let before = input.len();
            let event = match conversation.receive(&mut input, &mut said) {
                Ok(event) => event,
                Err(violation) => {
                    broken = Some(violation);
                    break 'talk;
                }
            };
            assert!(input.len() < before, "a conversation takes what it is given");
            seen.extend(conversation.reply().map(|(code, line)| (code, line.to_vec())));
            match event {
                Event::Quiet => continue,
                Event::Connect(port) => {
                    assert!(port > 0, "a port can be connected to");
                    conversation.connected(&mut said);
                }
                Event::Begun => {
                    conversation.received(usize::from(kind >> 5));
                    events.push(event);
                    events.push(conversation.data_ended(kind & 16 > 0, &mut said));
                    continue;
                }
                Event::Settled => {}
                Event::Over => {
                    events.push(event);
                    break 'talk;
                }
            }
            events.push(event);
        }
    }
    Talk { said, events, broken, ending: conversation.ending(), status: conversation.status(), replies: seen }
}

/// Transfers a file through the protocol interface, where companions open, carry data and end at once. The call must end once.
fn transfer(kind: u8, replies: &[u8], piece: usize) {
    let content = RequestBody::Inline(vec![1; usize::from(kind >> 5)]);
    let template = Template::transfer(order(kind), 0, content);
    let mut ftp = Protocol::new(ProtocolKind::Ftp, Limits::default(), 1, &Heads::default(), kind & 8 > 0);
    let (mut out, mut stored, mut witness) = (Vec::new(), Vec::new(), Witness::default());
    ftp.start(CallId(0), &template, &mut Nothing, &mut out);
    for input in replies.chunks(piece) {
        let result = ftp.receive(Timestamp::ZERO, input, &mut out, &mut witness);
        while let Some(needs) = ftp.needs() {
            let event = match needs.companion {
                Companion::Open { .. } => CompanionEvent::Opened,
                Companion::Pump => {
                    let call = ftp.companion_body().expect("something to pump");
                    ftp.pump(call, &mut Nothing, usize::MAX, &mut stored);
                    CompanionEvent::Delivered
                }
                Companion::Keep | Companion::Close => continue,
            };
            ftp.companion(event, &mut out, &mut witness);
            if event == CompanionEvent::Opened && kind & 3 != 1 {
                ftp.companion(CompanionEvent::Received(b"data"), &mut out, &mut witness);
                ftp.companion(CompanionEvent::Ended { is_whole: kind & 16 > 0 }, &mut out, &mut witness);
            }
        }
        if result.is_err() || ftp.in_flight() == 0 {
            break;
        }
    }
    ftp.finish(&mut witness);
    assert_eq!((witness.over.as_slice(), ftp.in_flight()), (&[CallId(0)][..], 0), "{:?}", witness.said);
    assert!(stored.len() <= usize::from(kind >> 5), "content is sent once");
}

/// Replies of an FTP server of any bytes: what is said and done does not depend on how they are cut, and what is said is whole
/// lines. Behind the protocol interface the call ends once. The first byte says what is transferred, and how.
pub fn ftp(bytes: &[u8]) {
    let [kind, replies @ ..] = bytes else { return };
    let whole = talk(*kind, replies, replies.len().max(1));
    assert!(whole.said.is_empty() || whole.said.ends_with(b"\r\n"), "{whole:?}");
    assert_eq!(whole, talk(*kind, replies, 1), "byte by byte");
    assert_eq!(whole, talk(*kind, replies, 7), "in sevens");
    transfer(*kind, replies, replies.len().max(1));
    transfer(*kind, replies, 7);
}

/// Plans of any text: what is understood is written back as the same plan.
pub fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(plan) = warwolf_plan::text::parse(text) {
        let toml = warwolf_plan::text::to_toml(&plan);
        assert_eq!(warwolf_plan::text::parse(&toml).as_ref(), Ok(&plan), "as TOML: {toml}");
        let json = warwolf_plan::text::to_json(&plan);
        assert_eq!(warwolf_plan::text::parse(&json).as_ref(), Ok(&plan), "as JSON: {json}");
    }
}

/// Run files of any bytes: what is understood is written back as the same run.
pub fn run_file(bytes: &[u8]) {
    if let Ok(run) = Run::decode(bytes) {
        let again = Run::decode(&run.encode()).expect("what we wrote ourselves");
        assert_eq!(again.encode(), run.encode());
    }
}
