//! Transfers over FTP: replies, companions and content.

use crate::diary::{Diary, Numbers};
use warwolf_http::{
    Action, Alive, CallId, Companion, CompanionEvent, Heads, Limits, Order, Protocol, ProtocolKind,
    RequestBody, Template, Violation,
};

const CALL: CallId = CallId(7);

/// A control connection on which a transfer was started, and what was sent and reported.
struct Talk {
    ftp: Protocol,
    sent: Vec<u8>,
    diary: Diary,
}

impl Talk {
    fn new(action: Action, content: RequestBody) -> Self {
        let order = Order::new(b"me", b"secret", action, b"/up.bin", false).unwrap();
        let order = if action == Action::Store { order.numbered(3) } else { order };
        let template = Template::transfer(order, 3, content);
        let mut ftp = protocol();
        let mut sent = Vec::new();
        assert_eq!((ftp.room(), ftp.reusable()), (1, true));
        ftp.start(CALL, &template, &mut Numbers, &mut sent);
        assert_eq!((ftp.room(), ftp.in_flight(), ftp.reusable()), (0, 1, false));
        Self { ftp, sent, diary: Diary::default() }
    }

    fn receive(&mut self, replies: &str) -> Result<(), Violation> {
        let now = warwolf_clock::Timestamp::ZERO;
        self.ftp.receive(now, replies.as_bytes(), &mut self.sent, &mut self.diary)
    }

    fn companion(&mut self, event: CompanionEvent<'_>) {
        self.ftp.companion(event, &mut self.sent, &mut self.diary);
    }

    fn needs(&mut self) -> Option<Companion> {
        self.ftp.needs().map(|needs| needs.companion)
    }

    /// Logs in and opens the companion.
    fn log_in(&mut self) {
        self.receive("220 a\r\n331 b\r\n230 c\r\n227 (1,2,3,4,4,1)\r\n").unwrap();
        assert_eq!(self.needs(), Some(Companion::Open { port: 1_025 }));
        assert_eq!(self.needs(), None, "an answer is given once");
        self.companion(CompanionEvent::Opened);
        self.receive("200 d\r\n").unwrap();
    }

    /// Receives `replies`, and returns the events after those of the login.
    fn rest(mut self, replies: &str) -> (Self, String) {
        self.receive(replies).unwrap();
        self.diary.note(format_args!("over"));
        let text = self.diary.read().split_once("200 7\n").expect("the login comes first").1.to_owned();
        (self, text)
    }
}

fn protocol() -> Protocol {
    Protocol::new(ProtocolKind::Ftp, Limits::default(), 9, &Heads::default(), false)
}

#[test]
fn a_file_is_fetched_through_the_companion() {
    let mut talk = Talk::new(Action::Retrieve, RequestBody::None);
    talk.log_in();
    talk.receive("213 5\r\n").unwrap();
    talk.companion(CompanionEvent::Received(b"ab"));
    talk.receive("150 e\r\n").unwrap();
    talk.companion(CompanionEvent::Received(b"cde"));
    talk.receive("226-x\r\n226 f\r\n").unwrap();
    assert_eq!(talk.needs(), None, "more data may be on its way");
    talk.companion(CompanionEvent::Ended { is_whole: true });
    assert_eq!(talk.needs(), Some(Companion::Close));
    let (talk, events) = talk.rest("221 bye\r\n");
    assert_eq!(talk.ftp.in_flight(), 0);
    let expected = "7 interim - 213 7\n7 first byte\n7 body ab\n7 interim - 150 7\n7 body cde\n7 head - 226 14\n\
                    7 interim - 221 9\n7 end Reply\nover\n";
    assert_eq!(events, expected);
    assert_eq!(talk.diary.reasons[7], "226 f", "the last line of the final reply");
    let commands = "USER me\r\nPASS secret\r\nPASV\r\nTYPE I\r\nSIZE /up.bin\r\nRETR /up.bin\r\nQUIT\r\n";
    assert_eq!(String::from_utf8_lossy(&talk.sent), commands);
}

#[test]
fn content_is_pumped_to_the_companion_and_its_close_ends_the_file() {
    let bytes: Vec<u8> = (0..10).collect();
    for content in [RequestBody::Inline(bytes.clone()), RequestBody::Streamed { length: 10 }] {
        let mut talk = Talk::new(Action::Store, content);
        talk.log_in();
        assert_eq!(talk.ftp.companion_body(), None, "the server has not asked for it");
        talk.receive("150 e\r\n").unwrap();
        assert_eq!(talk.needs(), Some(Companion::Pump));
        let mut stored = Vec::new();
        while let Some(call) = talk.ftp.companion_body() {
            assert_eq!((call, talk.ftp.next_body()), (CALL, None));
            talk.companion(CompanionEvent::Delivered);
            assert_eq!(talk.needs(), None, "there is more");
            talk.ftp.pump(call, &mut Numbers, 4, &mut stored);
        }
        assert_eq!(stored, bytes);
        talk.companion(CompanionEvent::Delivered);
        assert_eq!(talk.needs(), Some(Companion::Close));
        let (talk, events) = talk.rest("226 f\r\n221 g\r\n");
        let expected =
            "7 interim - 150 7\n7 first byte\n7 head - 226 7\n7 interim - 221 7\n7 end Reply\nover\n";
        assert_eq!(events, expected);
        assert!(talk.sent.ends_with(b"STOR /up(3).bin\r\nQUIT\r\n"), "the number comes from the hole");
    }
}

#[test]
fn an_empty_file_ends_at_once() {
    for content in [RequestBody::None, RequestBody::Inline(Vec::new())] {
        let mut talk = Talk::new(Action::Store, content);
        talk.log_in();
        talk.receive("150 e\r\n").unwrap();
        assert_eq!((talk.ftp.companion_body(), talk.needs()), (None, Some(Companion::Close)));
        assert!(talk.rest("226 f\r\n221 g\r\n").1.ends_with("7 end Reply\nover\n"));
    }
}

#[test]
fn a_refusal_closes_a_companion_that_is_being_opened() {
    let mut talk = Talk::new(Action::Retrieve, RequestBody::None);
    talk.receive("220 a\r\n230 c\r\n227 (1,2,3,4,4,1)\r\n425 no\r\n").unwrap();
    assert_eq!(talk.needs(), Some(Companion::Close));
    talk.receive("221 bye\r\n").unwrap();
    let expected = "7 interim - 220 7\n7 interim - 230 7\n7 interim - 227 19\n7 first byte\n7 head - 425 8\n\
                    7 interim - 221 9\n7 end Reply\n";
    assert_eq!(talk.diary.read(), expected);
}

#[test]
fn content_without_a_companion_is_cut() {
    let mut talk = Talk::new(Action::Store, RequestBody::Inline(vec![1; 10]));
    talk.log_in();
    talk.companion(CompanionEvent::Ended { is_whole: true });
    talk.receive("150 e\r\n").unwrap();
    assert_eq!((talk.ftp.companion_body(), talk.needs()), (None, None));
    assert!(talk.rest("226 f\r\n221 g\r\n").1.ends_with("7 failed ClosedMidReply\nover\n"));
}

#[test]
fn every_call_ends_once() {
    let started = || Talk::new(Action::Retrieve, RequestBody::None);
    let mut talk = started();
    talk.ftp.finish(&mut talk.diary);
    talk.ftp.finish(&mut talk.diary);
    assert_eq!(talk.diary.read(), "7 failed ClosedBeforeReply\n");
    let mut talk = started();
    assert_eq!(talk.receive("HTTP/1.1 400\r\n"), Err(Violation::BadStatusLine));
    talk.ftp.finish(&mut talk.diary);
    assert_eq!(talk.diary.read(), "7 failed Violation(BadStatusLine)\n");
    let mut talk = started();
    assert_eq!(talk.ftp.abandon(CALL, &mut talk.sent), Alive::No);
    talk.companion(CompanionEvent::Received(b"late"));
    talk.receive("220 late\r\n").unwrap();
    talk.ftp.drain(|_| panic!("it was abandoned"));
    assert_eq!((talk.diary.read(), talk.ftp.in_flight()), ("", 0));
    let mut talk = started();
    let mut drained = Vec::new();
    talk.ftp.drain(|call| drained.push(call));
    assert_eq!((drained, talk.ftp.in_flight(), talk.ftp.room()), (vec![CALL], 0, 0));
}

#[test]
fn bytes_before_the_call_break_the_protocol() {
    let mut ftp = protocol();
    let result =
        ftp.receive(warwolf_clock::Timestamp::ZERO, b"220 a\r\n", &mut Vec::new(), &mut Diary::default());
    assert_eq!(result, Err(Violation::UnexpectedBytes));
}
