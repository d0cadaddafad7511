use super::*;
use crate::siege::testing::Paper;
use crate::siege::{Classic, parse};

fn style(rc: &str) -> Style {
    let world = Paper::default().with_file("rc", rc);
    let argv: Vec<String> = "siege -R rc a.test".split(' ').map(str::to_owned).collect();
    let Classic { style, .. } = parse(&argv, &world).unwrap();
    style
}

fn reply(status: u16) -> Call {
    Call {
        user: 0,
        end: End::Reply,
        status,
        bytes: 100,
        time: Duration::from_millis(20),
        goes_on: false,
        gives_up: false,
        opening: false,
    }
}

fn nothing() -> Call {
    Call { end: End::Nothing, status: 0, bytes: 0, ..reply(0) }
}

/// Counts: transactions, successful, failed.
type Found = (u64, u64, u64);

fn found(calls: &[Call]) -> Found {
    let mut counter = CallCounter::default();
    let style = style("");
    for call in calls {
        counter.take(&style, call);
    }
    let counts = counter.counts(Duration::ZERO, 0);
    (counts.hits, counts.successful, counts.failed)
}

#[test]
fn each_status_counts_as_in_the_original() {
    let rows: [(&[u16], Found); 6] = [
        (&[200, 201, 204, 206, 299, 300, 301, 304, 308, 399, 100], (1, 1, 0)),
        (&[400, 402, 403, 404, 405, 406, 409, 410, 429, 451, 499], (1, 0, 0)),
        (&[401, 407], (1, 1, 0)),
        (&[408, 500, 501, 502, 503, 504, 505, 509], (0, 0, 1)),
        (&[418], (1, 0, 1)),
        (&[510, 511, 520, 599], (1, 0, 0)),
    ];
    for (statuses, expected) in rows {
        for status in statuses {
            assert_eq!(found(&[reply(*status)]), expected, "{status}");
        }
    }
    assert_eq!(found(&[nothing()]), (0, 0, 1));
    assert_eq!(found(&[Call { end: End::NotHttp, ..nothing() }]), (1, 0, 1));
}

#[test]
fn a_chain_counts_by_its_end() {
    let redirect = Call { goes_on: true, ..reply(302) };
    assert_eq!(found(&[redirect, reply(200)]), (2, 2, 0));
    assert_eq!(found(&[redirect, reply(500), redirect, reply(500)]), (0, 2, 2));
    assert_eq!(found(&[redirect, redirect, nothing()]), (0, 2, 1));
    assert_eq!(found(&[redirect, reply(404)]), (2, 1, 0));
    let challenge = Call { goes_on: true, ..reply(401) };
    assert_eq!(found(&[challenge, challenge, challenge, challenge, reply(401)]), (5, 5, 0));
    assert_eq!(found(&[Call { gives_up: true, ..reply(401) }]), (0, 1, 1), "no login for a digest");
    let other = |call: Call| Call { user: 7, ..call };
    assert_eq!(
        found(&[redirect, other(redirect), nothing(), other(reply(200))]),
        (2, 3, 1),
        "each user's own"
    );
}

#[test]
fn the_first_request_of_a_user_may_fail() {
    let opening = |call: Call| Call { opening: true, ..call };
    assert_eq!(found(&[opening(nothing()), opening(reply(500)), opening(reply(200))]), (1, 1, 0));
}

#[test]
fn a_reply_without_a_body_may_be_none() {
    let empty = Call { bytes: 0, ..reply(200) };
    let mut counter = CallCounter::default();
    assert_eq!(counter.take(&style(""), &empty), Some(200));
    assert_eq!(counter.take(&style("zero-data-ok = false"), &empty), None);
    let counts = counter.counts(Duration::ZERO, 0);
    assert_eq!((counts.hits, counts.successful, counts.failed), (1, 1, 1));
}

#[test]
fn times_and_bytes_are_those_of_all_replies() {
    let style = style("");
    let mut counter = CallCounter::default();
    let millis = Duration::from_millis;
    counter.take(&style, &Call { time: millis(30), ..reply(200) });
    counter.take(&style, &Call { time: millis(10), ..reply(500) });
    counter.take(&style, &nothing());
    let mut other = CallCounter::default();
    other.take(&style, &Call { time: millis(50), bytes: 7, ..reply(404) });
    let mut all = CallCounter::default();
    all.merge(&counter);
    all.merge(&other);
    all.merge(&CallCounter::default());
    let counts = all.counts(millis(1_000), 9);
    assert_eq!((counts.total, counts.longest, counts.shortest), (millis(90), millis(50), millis(10)));
    assert_eq!((counts.bytes, counts.ok, counts.head_bytes), (207, 1, 9));
    assert_eq!(counts.elapsed, millis(1_000));
}

#[test]
fn what_is_shown_of_something_else_than_http_is_418() {
    let mut counter = CallCounter::default();
    assert_eq!(counter.take(&style(""), &Call { end: End::NotHttp, ..nothing() }), Some(418));
    assert_eq!(counter.take(&style(""), &nothing()), None);
}

#[test]
fn what_is_forbidden_fails_from_4_1_7_on_unless_the_user_is_let_in() {
    let world = Paper::default().with_file("rc", "").with_file("in", "auth-url = http://a.test/in\n");
    let style = |line: &str| {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&argv, &world).unwrap().style
    };
    let found = |line: &str, calls: &[Call]| {
        let (mut counter, style) = (CallCounter::default(), style(line));
        calls.iter().for_each(|call| _ = counter.take(&style, call));
        let counts = counter.counts(Duration::ZERO, 0);
        (counts.hits, counts.successful, counts.failed)
    };
    let asking = |status| Call { goes_on: true, ..reply(status) };
    let nobody = Call { goes_on: true, ..nothing() };
    let rows: [(&str, &[Call], Found); 9] = [
        ("siege -R rc a.test", &[reply(403)], (1, 0, 0)),
        ("siege --as 4.1.7 -R rc a.test", &[reply(403)], (0, 0, 1)),
        ("siege -R in a.test", &[reply(403)], (0, 0, 1)),
        ("siege --quirks -R in a.test", &[reply(403)], (1, 0, 0)),
        ("siege -R in a.test", &[asking(403), asking(200), reply(200)], (2, 2, 0)),
        ("siege -R in a.test", &[asking(403), asking(200), reply(403)], (0, 1, 1)),
        ("siege -R in a.test", &[asking(403), asking(500), reply(500)], (0, 0, 1)),
        ("siege -R in a.test", &[asking(403), nobody, asking(200), reply(200)], (2, 2, 0)),
        ("siege -R in a.test", &[asking(403), nothing()], (0, 0, 1)),
    ];
    for (line, calls, expected) in rows {
        assert_eq!(found(line, calls), expected, "{line} {calls:?}");
    }
}
