//! Tests of [`super::Replay`].

use super::*;
use warwolf_measure::{Outcome, Sample, Tally};

const SECOND: i64 = 1_000_000_000;

fn call(at_ns: i64, url: &str, is_from_log: bool) -> Call {
    let request = Request::get(url).unwrap();
    Call {
        at_ns,
        whole_second: false,
        method: "HEAD".to_owned(),
        path: request.path.to_string(),
        endpoint: request.endpoint.clone(),
        headers: Vec::new(),
        body: Vec::new(),
        is_from_log,
    }
}

fn replay_with(template: Request, pace: Pace, schedule: Schedule) -> Replay {
    let mut plan = Plan::new(vec![template]);
    plan.schedule = schedule;
    prepare(&mut plan, pace);
    Replay::new(&plan.check().unwrap(), pace)
}

fn replay(pace: Pace) -> Replay {
    let users = Schedule::Closed { users: 3, ramp: Duration::ZERO };
    replay_with(Request::get("http://to.test/").unwrap(), pace, users)
}

fn at(millis: u64) -> Timestamp {
    Timestamp::ZERO + Duration::from_millis(millis)
}

/// The start in milliseconds of a request that the log has at this time, when it is read at `now`.
fn start_ms(replay: &mut Replay, at_ns: i64, now: Timestamp) -> u64 {
    let fed = replay.next(&call(at_ns, "http://a.test/x", false), now).unwrap();
    fed.at.as_nanos() / 1_000_000
}

#[test]
fn starts_follow_the_log_at_its_speed() {
    let mut replay = replay(Pace::Log(2.0));
    let starts = [10, 12, 40].map(|second| start_ms(&mut replay, second * SECOND, at(0)));
    assert_eq!(starts, [50, 1_050, 15_050]);
    assert_eq!(replay.shifted.count(), 0);
}

#[test]
fn what_is_read_late_starts_at_once_and_never_before_what_was_read_earlier() {
    let mut replay = replay(Pace::Log(1.0));
    assert_eq!(start_ms(&mut replay, 0, at(150)), 150);
    assert_eq!(start_ms(&mut replay, SECOND, at(150)), 1_050);
    assert_eq!(start_ms(&mut replay, SECOND / 2, at(160)), 1_050);
    assert_eq!((replay.shifted.count(), replay.shifted.quantile(1.0).unwrap() / 10_000_000), (2, 50));
}

#[test]
fn lag_and_late_reading_are_added_up() {
    let mut replay = replay(Pace::Log(1.0));
    assert_eq!(replay.timing(&Run::new(Duration::from_secs(1))), None, "nothing was sent");
    (0..1_000).for_each(|_| drop(replay.next(&call(0, "http://a.test/", false), at(52))));
    let mut run = Run::new(Duration::from_secs(1));
    let mut tally = Tally::new();
    for _ in 0..3_000 {
        tally.record(&on_time());
    }
    run.timeline.add(0, &tally);
    let timing = replay.timing(&run).unwrap();
    assert_eq!(timing.half_ns, 0);
    assert!((1_980_000..=2_020_000).contains(&timing.all_ns), "{timing:?}");
}

/// A call that started when it was intended.
fn on_time() -> Sample {
    Sample {
        intended: at(1),
        started: at(1),
        sent: at(1),
        first_byte: at(2),
        finished: at(2),
        body_bytes: 0,
        header_bytes: 0,
        sent_bytes: 0,
        status: 200,
        target: 0,
        outcome: Outcome::Completed,
        check_failed: false,
    }
}

#[test]
fn at_a_rate_the_plan_sets_the_times_and_may_end_before_the_log() {
    let steps = vec![warwolf_plan::RateStep { rate: 10.0, lasts: Duration::from_millis(300) }];
    let schedule = Schedule::Open { arrivals: ArrivalProcess::Steps { steps }, burst: 1 };
    let mut replay = replay_with(Request::get("http://to.test/").unwrap(), Pace::Plan, schedule);
    let times: Vec<u64> = std::iter::from_fn(|| replay.next(&call(0, "http://a.test/", false), at(0)))
        .map(|fed| fed.at.as_nanos() / 1_000_000)
        .collect();
    assert_eq!(times, [0, 100, 200]);
    assert_eq!(replay.timing(&Run::new(Duration::from_secs(1))), None);
}

#[test]
fn times_at_the_ends_of_the_scale_do_not_overflow() {
    let mut replay = replay(Pace::Log(1e6));
    for at_ns in [i64::MIN, i64::MAX, 0] {
        start_ms(&mut replay, at_ns, at(0));
    }
}

#[test]
fn a_server_that_only_the_log_names_receives_no_credentials() {
    let mut template = Request::get("http://to.test/").unwrap();
    template.basic_auth = Some("ann:secret".to_owned());
    for name in ["Authorization", "cookie", "Proxy-Authorization", "Accept"] {
        template.headers.push((name.to_owned(), "value".to_owned()));
    }
    let users = Schedule::Closed { users: 1, ramp: Duration::ZERO };
    let mut replay = replay_with(template, Pace::Plan, users);
    let from_log = replay.next(&call(0, "http://log.test/", true), at(0)).unwrap().request;
    let given = replay.next(&call(1, "http://to.test/", false), at(0)).unwrap().request;
    assert_eq!(from_log.basic_auth, None);
    assert_eq!(from_log.headers, [("Accept".to_owned(), "value".to_owned())]);
    assert!(given.basic_auth.is_some() && given.headers.len() == 4);
    assert_eq!(replay.withheld(), 1);
}

#[test]
fn fields_and_bodies_of_the_log_are_sent_but_those_of_the_user_come_first() {
    let mut template = Request::get("http://to.test/").unwrap();
    template.headers.push(("referer".to_owned(), "mine".to_owned()));
    let users = Schedule::Closed { users: 1, ramp: Duration::ZERO };
    let mut replay = replay_with(template, Pace::Plan, users);
    let fields = [("Referer", "theirs"), ("Cookie", "a=1"), ("Cookie", "b=2")];
    let headers = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let call = Call { headers, body: b"text".to_vec(), ..call(0, "http://a.test/", false) };
    let request = replay.next(&call, at(0)).unwrap().request;
    let values: Vec<&str> = request.headers.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!((values, &request.body), (vec!["mine", "a=1", "b=2"], &Body::Bytes(b"text".to_vec())));
}
