use super::*;
use proptest::prelude::*;

fn order(action: Action) -> Arc<Order> {
    Arc::new(Order::new(b"me", b"secret", action, b"/dir/file.bin", false).unwrap())
}

/// What came of a conversation.
struct Talk {
    sent: String,
    events: Vec<Event>,
    /// The replies, each with its last line.
    replies: Vec<(u16, String)>,
    end: Conversation,
}

impl Talk {
    /// The code of the reply before the final one.
    fn previous(&self) -> u16 {
        let mut codes = self.replies.iter().map(|(code, _)| *code);
        let before = codes.position(|code| code == self.end.status()).unwrap_or(self.replies.len());
        before.checked_sub(1).map_or(0, |at| self.replies[at].0)
    }
}

/// Passes `replies` in pieces of this size. Data connections open at once, and `data` bytes are transferred in no time.
fn talk(order: Arc<Order>, replies: &[u8], piece: usize, data: usize) -> Result<Talk, Violation> {
    let mut end = Conversation::new(order, b"4".to_vec(), false);
    let (mut sent, mut events, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    'talk: for mut input in replies.chunks(piece.max(1)) {
        while !input.is_empty() {
            let event = end.receive(&mut input, &mut sent)?;
            seen.extend(end.reply().map(|(code, line)| (code, String::from_utf8_lossy(line).into_owned())));
            match event {
                Event::Quiet => continue,
                Event::Connect(_) => end.connected(&mut sent),
                Event::Begun => {
                    end.received(data);
                    events.push(event);
                    match end.data_ended(true, &mut sent) {
                        Event::Quiet => continue,
                        more => events.push(more),
                    }
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
    let sent = String::from_utf8_lossy(&sent).into_owned();
    Ok(Talk { sent, events, replies: seen, end })
}

const FETCHED: &str = "220-hello\r\n220 ready\r\n331 who\r\n230 in\r\n227 (127,0,0,1,4,1)\r\n200 I\r\n213 1000\r\n\
                       125 go\r\n226 done\r\n221 bye\r\n";

#[test]
fn a_file_is_fetched_however_the_replies_are_cut() {
    for piece in 1..=FETCHED.len() {
        let talk = talk(order(Action::Retrieve), FETCHED.as_bytes(), piece, 1_000).unwrap();
        let expected = "USER me\r\nPASS secret\r\nPASV\r\nTYPE I\r\nSIZE /dir/file.bin\r\nRETR /dir/file.bin\r\n\
                        QUIT\r\n";
        assert_eq!(talk.sent, expected, "in pieces of {piece}");
        assert_eq!(talk.events, [Event::Connect(1_025), Event::Begun, Event::Settled, Event::Over]);
        assert_eq!((talk.end.ending(), talk.end.status(), talk.previous()), (Ending::Answered, 226, 125));
        let lines: Vec<_> = talk.replies.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines[..2], ["220 ready", "331 who"]);
        assert_eq!(lines[6..], ["125 go", "226 done", "221 bye"]);
        assert_eq!(talk.end.reply_bytes(), FETCHED.len() as u64);
    }
}

#[test]
fn each_step_can_be_refused() {
    let login = "220 a\r\n331 b\r\n230 c\r\n";
    let port = format!("{login}227 (1,2,3,4,5,6)\r\n");
    let ready = format!("{port}200 d\r\n");
    // replies, the last command before QUIT, status, the one before
    let rows = [
        ("530 full\r\n221 bye\r\n".to_owned(), "", 530, 0),
        ("220 a\r\n530 no\r\n221 bye\r\n".to_owned(), "USER me", 530, 220),
        ("220 a\r\n331 b\r\n530 no\r\n221 bye\r\n".to_owned(), "PASS secret", 530, 331),
        ("220 a\r\n332 account\r\n221 bye\r\n".to_owned(), "USER me", 332, 220),
        (format!("{login}425 no\r\n221 bye\r\n"), "PASV", 425, 230),
        (format!("{port}504 no\r\n221 bye\r\n"), "TYPE I", 504, 227),
        (format!("{ready}550 no\r\n221 bye\r\n"), "SIZE /dir/file.bin", 550, 200),
        (format!("{ready}213 5\r\n550 no\r\n221 bye\r\n"), "RETR /dir/file.bin", 550, 213),
        (format!("{ready}213 5\r\n150 go\r\n426 no\r\n221 bye\r\n"), "RETR /dir/file.bin", 426, 150),
    ];
    for (replies, last, status, previous) in rows {
        let talk = talk(order(Action::Retrieve), replies.as_bytes(), 7, 5).unwrap();
        let mut commands = talk.sent.lines().rev();
        assert_eq!(commands.next(), Some("QUIT"), "{replies}");
        assert_eq!(commands.next().unwrap_or_default(), last, "{replies}");
        assert_eq!(
            (talk.end.ending(), talk.end.status(), talk.previous()),
            (Ending::Answered, status, previous),
            "{replies}"
        );
        assert!(talk.events.ends_with(&[Event::Settled, Event::Over]), "{replies}");
    }
    let Talk { sent, events, end, .. } = talk(order(Action::Retrieve), b"421 busy\r\n", 99, 0).unwrap();
    assert_eq!(
        (sent.as_str(), events.as_slice(), end.status()),
        ("", &[Event::Over][..], 421),
        "it has hung up"
    );
}

#[test]
fn a_server_without_size_and_a_list_and_a_text_are_served() {
    let ready = "220 a\r\n230 in at once\r\n227 (1,2,3,4,5,6)\r\n200 d\r\n";
    let rest = "150 go\r\n250 done\r\n221 bye\r\n";
    let text = Arc::new(Order::new(b"me", b"", Action::Retrieve, b"t", true).unwrap());
    let rows = [
        (
            order(Action::Retrieve),
            format!("{ready}502 what\r\n{rest}"),
            "I",
            "SIZE /dir/file.bin\r\nRETR /dir/file.bin",
        ),
        (order(Action::List), format!("{ready}{rest}"), "I", "NLST /dir/file.bin"),
        (order(Action::Store), format!("{ready}{rest}"), "I", "STOR /dir/file.bin"),
        (text, format!("{ready}{rest}"), "A", "RETR t"),
    ];
    for (order, replies, kind, commands) in rows {
        let Talk { sent, end, .. } = talk(order, replies.as_bytes(), 3, 20).unwrap();
        assert_eq!(sent, format!("USER me\r\nPASV\r\nTYPE {kind}\r\n{commands}\r\nQUIT\r\n"));
        assert_eq!((end.ending(), end.status()), (Ending::Answered, 250));
    }
}

#[test]
fn data_cut_short_is_told_from_data_that_is_whole() {
    let Talk { end, .. } = talk(order(Action::Retrieve), FETCHED.as_bytes(), 99, 999).unwrap();
    assert_eq!((end.ending(), end.status()), (Ending::Cut, 226), "less than SIZE said");
    let Talk { end, .. } = talk(order(Action::Retrieve), FETCHED.as_bytes(), 99, 1_001).unwrap();
    assert_eq!(end.ending(), Ending::Answered, "a file that grew");
    let until = |words: &str| &FETCHED[..FETCHED.find(words).unwrap()];
    let ending =
        |replies: &str| talk(order(Action::Retrieve), replies.as_bytes(), 99, 1_000).unwrap().end.ending();
    assert_eq!(ending(until("125")), Ending::Unanswered);
    assert_eq!(ending(until("226")), Ending::Cut);
    assert_eq!(ending(until("221")), Ending::Answered, "nobody needs the goodbye");
}

#[test]
fn the_last_of_the_data_may_come_after_the_reply() {
    let mut conversation = Conversation::new(order(Action::Retrieve), Vec::new(), true);
    let mut said = Vec::new();
    let replies = "220 a\r\n331 b\r\n230 c\r\n229 (|||5|)\r\n";
    let mut input = replies.as_bytes();
    let mut event = Event::Quiet;
    while !input.is_empty() {
        event = conversation.receive(&mut input, &mut said).unwrap();
    }
    assert_eq!(event, Event::Connect(5));
    assert!(said.ends_with(b"EPSV\r\n"));
    conversation.connected(&mut said);
    let mut input = b"200 d\r\n213 9\r\n150 e\r\n226 f\r\n".as_slice();
    while !input.is_empty() {
        event = conversation.receive(&mut input, &mut said).unwrap();
    }
    assert_eq!((event, conversation.ending()), (Event::Quiet, Ending::Cut), "the data is still awaited");
    conversation.received(9);
    assert_eq!(conversation.data_ended(true, &mut said), Event::Settled);
    assert_eq!(conversation.ending(), Ending::Answered);
    assert!(said.ends_with(b"RETR /dir/file.bin\r\nQUIT\r\n"));
}

#[test]
fn an_upload_that_is_confirmed_too_early_is_cut() {
    let mut conversation = Conversation::new(order(Action::Store), Vec::new(), false);
    let mut said = Vec::new();
    let mut input = b"220 a\r\n230 b\r\n227 (1,2,3,4,5,6)\r\n".as_slice();
    while !input.is_empty() {
        conversation.receive(&mut input, &mut said).unwrap();
    }
    conversation.connected(&mut said);
    let mut input = b"200 d\r\n150 e\r\n226 f\r\n".as_slice();
    let mut events = Vec::new();
    while !input.is_empty() {
        events.push(conversation.receive(&mut input, &mut said).unwrap());
    }
    assert_eq!(events, [Event::Quiet, Event::Begun, Event::Settled]);
    assert_eq!(conversation.ending(), Ending::Cut);
}

#[test]
fn replies_out_of_turn_break_the_protocol() {
    let rows = [
        ("331 who\r\n", Violation::UnexpectedReply),
        ("220 a\r\n150 b\r\n", Violation::UnexpectedReply),
        ("220 a\r\n331 b\r\n331 c\r\n", Violation::UnexpectedReply),
        ("220 a\r\n230 b\r\n227 no port\r\n", Violation::BadPort),
        ("HTTP/1.1 400 Bad Request\r\n", Violation::BadReply),
    ];
    for (replies, expected) in rows {
        let result = talk(order(Action::Retrieve), replies.as_bytes(), 99, 0);
        assert_eq!(result.err(), Some(expected), "{replies}");
    }
}

/// Bytes with enough sense in them to come far.
fn replies() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => Just(b"220 a\r\n".to_vec()),
        4 => Just(b"331 b\r\n".to_vec()),
        4 => Just(b"230 c\r\n".to_vec()),
        4 => Just(b"227 (1,2,3,4,5,6)\r\n".to_vec()),
        2 => Just(b"213 7\r\n".to_vec()),
        2 => Just(b"150-x\r\n150 y\r\n".to_vec()),
        2 => Just(b"226 z\r\n".to_vec()),
        1 => Just(b"550 no\r\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ];
    proptest::collection::vec(line, 0..14).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_taken_and_cuts_change_nothing(bytes in replies(), piece in 1_usize..40) {
        for action in [Action::Retrieve, Action::Store, Action::List] {
            let seen = |piece| {
                talk(order(action), &bytes, piece, 7)
                    .map(|talk| (talk.sent, talk.events, talk.replies, talk.end.ending(), talk.end.status()))
            };
            prop_assert_eq!(seen(piece), seen(bytes.len().max(1)));
        }
    }
}
