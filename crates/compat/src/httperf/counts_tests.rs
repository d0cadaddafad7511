use super::*;
use warwolf_measure::{Interval, Tally, Timeline};

const MS: u64 = 1_000_000;

/// Returns intervals whose starts serve as the timestamps of tests: every millisecond of a second.
fn clock() -> Vec<Interval> {
    let mut timeline = Timeline::new(Duration::from_millis(1));
    timeline.add(200, &Tally::new());
    timeline.intervals().collect()
}

/// Returns a reply with this status: sent, first byte and finished at these milliseconds.
fn reply(clock: &[Interval], status: u16, [sent, begun, finished]: [usize; 3]) -> Sample {
    Sample {
        intended: clock[0].start,
        started: clock[0].start,
        sent: clock[sent].start,
        first_byte: clock[begun].start,
        finished: clock[finished].start,
        body_bytes: 204,
        header_bytes: 237,
        sent_bytes: 62,
        status,
        target: 0,
        outcome: Outcome::Completed,
        check_failed: false,
    }
}

fn figures(counts: &Counts, wall_ms: u64) -> Figures {
    counts.figures(Duration::from_millis(wall_ms), [Duration::ZERO; 2], true, true)
}

/// Records one connection, begun at `from`, that receives replies at the given milliseconds and then closes.
fn connection(counts: &mut Counts, clock: &[Interval], number: u32, from: usize, replies: &[usize]) {
    let session = u64::from(number);
    counts.connecting(number, session, from as u64 * MS);
    counts.turn();
    counts.connected(number, (from as u64 + 1) * MS);
    let mut last = from;
    for at in replies {
        counts.written(62);
        let sample = reply(clock, 200, [last, *at, *at]);
        counts.call(&Ended { session, connection: number, sample: &sample, footer_bytes: 0 });
        last = *at;
    }
    counts.disconnected(number, last as u64 * MS, None);
    counts.session(session, false, from as u64 * MS, last as u64 * MS);
    counts.turn();
}

#[test]
fn connections_are_counted_by_their_lives() {
    let clock = clock();
    let mut counts = Counts::new((0, 1));
    connection(&mut counts, &clock, 0, 0, &[4]);
    connection(&mut counts, &clock, 1, 10, &[12, 20, 31]);
    connection(&mut counts, &clock, 2, 40, &[]);
    let figures = figures(&counts, 100);
    assert_eq!((figures.connections, figures.concurrent, figures.connect_burst), (3, 1, 1));
    assert_eq!((figures.requests, figures.request_bytes, figures.replies), (4, 248, 4));
    assert_eq!(figures.reply_bytes, [948, 816, 0]);
    assert_eq!(figures.lifetimes, 2, "one had no reply");
    let life = figures.lifetime_ms;
    assert_eq!((life.min, life.mean, life.max, life.median), (4.0, 12.5, 21.0, 4.5));
    assert_eq!(figures.lifetime_bins, [(4, 1), (21, 1)]);
    assert_eq!(figures.connect_ms, 1.0);
    assert_eq!(figures.response_ms, (4.0 + 2.0 + 8.0 + 11.0) / 4.0);
    assert_eq!(figures.periodic, Some([4, 0]));
}

#[test]
fn a_burst_of_connects_counts_when_another_follows() {
    let mut counts = Counts::new((0, 1));
    let mut bursts = Vec::new();
    let mut number = 0;
    for begun in [1, 0, 3, 0, 2, 5] {
        for _ in 0..begun {
            counts.connecting(number, 0, 0);
            number += 1;
        }
        bursts.push(figures(&counts, 1).connect_burst);
        counts.turn();
    }
    assert_eq!(bursts, [0, 0, 1, 1, 3, 3]);
    assert_eq!(figures(&counts, 1).connect_burst, 3, "the last turn is never entered");
    assert_eq!(figures(&counts, 1).concurrent, 11);
}

#[test]
fn errors_are_counted_once_for_a_connection_and_by_their_kind() {
    let mut counts = Counts::new((0, 1));
    let kinds = [
        Outcome::ResponseTimeout,
        Outcome::ConnectTimeout,
        Outcome::TlsTimeout,
        Outcome::Refused,
        Outcome::Reset,
        Outcome::Closed,
        Outcome::ClosedMidReply,
        Outcome::NoFiles,
        Outcome::NoPorts,
        Outcome::Unreachable,
        Outcome::Unfinished,
    ];
    for (number, why) in (0_u32..).zip(kinds) {
        counts.connecting(number, 0, 0);
        counts.disconnected(number, 5 * MS, Some(why));
    }
    let errors = figures(&counts, 1).errors;
    let expected = Errors {
        client_timeout: 3,
        refused: 1,
        reset: 3,
        no_files: 1,
        no_ports: 1,
        other: 1,
        ..Errors::default()
    };
    assert_eq!((errors, errors.total()), (expected, 10));
}

#[test]
fn sessions_are_counted_with_their_connections_and_replies() {
    let clock = clock();
    let mut counts = Counts::new((0, 1));
    connection(&mut counts, &clock, 0, 0, &[10, 20, 30]);
    connection(&mut counts, &clock, 1, 0, &[10, 20, 30, 50]);
    // A session on two connections that fails after one reply.
    counts.connecting(2, 7, 0);
    counts.connected(2, MS);
    let sample = reply(&clock, 503, [1, 2, 2]);
    counts.call(&Ended { session: 7, connection: 2, sample: &sample, footer_bytes: 2 });
    counts.connecting(3, 7, 0);
    counts.connected(3, MS);
    counts.session(7, true, 0, 80 * MS);
    // A session cut off by the stop.
    counts.connecting(4, 8, 0);
    let figures = figures(&counts, 100);
    let sessions = figures.sessions.unwrap();
    assert_eq!((sessions.completed, sessions.failed, sessions.connections), (2, 1, 2));
    assert_eq!((sessions.lifetime_s, sessions.failtime_s), (0.04, 0.08));
    assert_eq!(sessions.lengths, [0, 1, 0, 1, 1]);
    assert_eq!((figures.classes, figures.reply_bytes[2]), ([0, 7, 0, 0, 1], 2));
}

#[test]
fn a_status_of_no_class_is_an_error_and_no_reply() {
    let clock = clock();
    let mut counts = Counts::new((0, 1));
    for status in [99, 999] {
        let sample = reply(&clock, status, [1, 2, 3]);
        counts.call(&Ended { session: 0, connection: 0, sample: &sample, footer_bytes: 0 });
    }
    let figures = figures(&counts, 10);
    assert_eq!((figures.replies, figures.classes, figures.reply_bytes), (0, [0; 5], [0; 3]));
    assert_eq!(figures.errors.other, 2);
}

#[test]
fn samples_are_five_seconds_apart_but_for_the_first() {
    let second = 1_000 * MS;
    let samples = |client, wall_s: u64| {
        let mut samples = Samples::of_client(client);
        (0..wall_s * 10).for_each(|tenth| samples.add(tenth * second / 10, 0));
        let [replies, sessions] = samples.until(wall_s * second);
        assert!(sessions.iter().all(|rate| *rate == 0.0));
        replies
    };
    assert_eq!(samples((0, 1), 4), [0.0; 0]);
    assert_eq!(samples((0, 1), 5), [10.0]);
    assert_eq!(samples((0, 1), 12), [10.0, 10.0]);
    assert_eq!(samples((0, 5), 6), [10.0, 10.0]);
    assert_eq!(samples((4, 5), 9), [10.0]);
    let quiet = Samples::of_client((0, 1));
    assert_eq!(quiet.until(11 * second)[0], [0.0, 0.0], "nothing is a sample too");
}
