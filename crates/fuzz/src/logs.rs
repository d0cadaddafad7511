//! Access logs of any bytes.

use std::io::{BufReader, Cursor, Read};
use warwolf_accesslog::Format;
use warwolf_clock::Timestamp;
use warwolf_plan::{Plan, Request};
use warwolf_replay::{Call, Counts, Destinations, Filter, Keep, Log, Pace, Replay, prepare};

/// Logs of any bytes: every line is in exactly one count, every request that is sent is a valid one, and how the bytes are cut
/// changes nothing. The first byte selects the format and whether the log names the servers.
pub fn log(bytes: &[u8]) {
    let [kind, text @ ..] = bytes else { return };
    let Some((calls, counts)) = parsed(*kind, text, 1 << 16) else { return };
    assert_eq!(counts.to_send(), calls.len() as u64, "every line is in one count: {counts:?}");
    let report = counts.report("log", calls.len() as u64, 0);
    assert!(report.adds_up() && report.not_sent == 0, "{report:?}");
    let again = parsed(*kind, text, 3).map(|(calls, _)| calls);
    assert_eq!(Some(&calls), again.as_ref(), "in pieces of three bytes");
    check(&calls);
}

/// The requests of a log that arrives in pieces of so many bytes; `None` if it is empty.
fn parsed(kind: u8, text: &[u8], piece: usize) -> Option<(Vec<Call>, Counts)> {
    let format = [None, Some(Format::Common), Some(Format::Squid), Some(Format::Json), Some(Format::Har)]
        [usize::from(kind % 5)];
    let to = (kind & 128 == 0).then_some("http://to.test/");
    let keep = Keep { host: kind & 64 > 0, agent: true };
    let mut destinations = Destinations::new(to).expect("a URL");
    destinations.keep = keep;
    let input: Box<dyn Read + Send> = Box::new(BufReader::with_capacity(piece, Cursor::new(text.to_vec())));
    let filter = Filter { methods: None, ..Filter::of_methods(&[]) };
    let mut log = Log::new(input, format, filter, destinations).ok()?;
    let calls = std::iter::from_fn(|| log.part()).flatten().collect();
    Some((calls, log.counts().clone()))
}

/// Every request can be sent, and none starts before the one before it.
fn check(calls: &[Call]) {
    let pace = Pace::Log(1.0);
    let mut plan = Plan::new(vec![Request::get("http://to.test/").expect("a URL")]);
    prepare(&mut plan, pace);
    let mut replay = Replay::new(&plan.check().expect("a plan"), pace);
    replay.note(calls);
    let mut last = Timestamp::ZERO;
    for call in calls {
        let fed = replay.next(call, Timestamp::ZERO).expect("the log sets the times");
        assert!(fed.at >= last, "{call:?}");
        last = fed.at;
        let request = Plan::new(vec![fed.request]).check();
        assert!(request.is_ok(), "{:?}: {call:?}", request.err());
    }
}
