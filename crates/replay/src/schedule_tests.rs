//! Tests of [`super::Replay`].

use super::*;
use warwolf_measure::{Outcome, Sample};

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

fn calls(times_ns: &[i64]) -> Vec<Call> {
    times_ns.iter().map(|at_ns| call(*at_ns, "http://a.test/x", false)).collect()
}

fn replay(pace: Pace) -> Replay {
    Replay::new(Plan::new(vec![Request::get("http://to.test/").unwrap()]), pace)
}

fn at(millis: u64) -> Timestamp {
    Timestamp::ZERO + Duration::from_millis(millis)
}

fn starts_ms(plan: &Plan) -> Vec<u64> {
    match &plan.schedule {
        Schedule::Open { arrivals: ArrivalProcess::Trace { at_ns }, .. } => {
            at_ns.iter().map(|ns| ns / 1_000_000).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn starts_follow_the_log_at_its_speed() {
    let mut replay = replay(Pace::Log(2.0));
    let first = calls(&[10 * SECOND, 12 * SECOND]);
    assert_eq!(replay.pause(&first, at(0)), Duration::ZERO);
    assert_eq!(starts_ms(&replay.plan(&first, at(0))), [50, 1_050]);
    let second = calls(&[40 * SECOND]);
    assert_eq!(replay.pause(&second, at(2_000)), Duration::from_millis(13_000));
    assert_eq!(starts_ms(&replay.plan(&second, at(15_000))), [50]);
    assert_eq!(replay.shifted.count(), 0);
}

#[test]
fn a_start_is_late_when_its_part_begins_late() {
    let mut replay = replay(Pace::Log(1.0));
    replay.pause(&calls(&[0]), at(0));
    let plan = replay.plan(&calls(&[0, SECOND]), at(150));
    assert_eq!(starts_ms(&plan), [0, 900]);
    assert_eq!((replay.shifted.count(), replay.shifted.quantile(1.0).unwrap() / 1_000_000), (1, 100));
}

#[test]
fn lag_and_late_parts_are_added_up_whatever_their_number() {
    let mut replay = replay(Pace::Log(1.0));
    for _ in 0..1_000 {
        replay.start_ns(0, 2_000_000);
    }
    assert_eq!(replay.timing(), None, "nothing was sent");
    let mut run = Run::new(Duration::from_secs(1));
    let mut tally = Tally::new();
    for _ in 0..3_000 {
        tally.record(&on_time());
    }
    run.timeline.add(0, &tally);
    replay.add(&run);
    let timing = replay.timing().unwrap();
    assert_eq!((timing.half_ns, timing.parts), (0, 1));
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
    }
}

#[test]
fn with_a_plan_of_its_own_a_part_is_a_number_of_calls() {
    let mut replay = replay(Pace::Plan);
    let part = calls(&[5 * SECOND, 600 * SECOND]);
    assert_eq!(replay.pause(&part, at(0)), Duration::ZERO);
    let plan = replay.plan(&part, at(0));
    assert_eq!((plan.stop.calls, plan.requests.len()), (Some(2), 2));
    assert_eq!((plan.requests[0].method.as_str(), &*plan.requests[0].path), ("HEAD", "/x"));
}

#[test]
fn times_at_the_ends_of_the_scale_do_not_overflow() {
    let mut replay = replay(Pace::Log(1e6));
    let part = calls(&[i64::MIN, i64::MAX]);
    replay.pause(&part, at(0));
    replay.plan(&part, at(0));
}

#[test]
fn a_host_without_an_address_is_asked_for_once_and_its_requests_are_counted() {
    let mut replay = replay(Pace::Plan);
    let mut asked = Vec::new();
    for _ in 0..2 {
        let mut part = vec![
            call(0, "http://gone.test/1", true),
            call(1, "http://there.test/2", true),
            call(2, "http://gone.test/3", true),
            call(3, "http://given.test/4", false),
        ];
        replay.leave_out_unresolved(&mut part, |endpoint| {
            asked.push(endpoint.host.clone());
            endpoint.host == "there.test"
        });
        let left: Vec<&str> = part.iter().map(|call| call.path.as_str()).collect();
        assert_eq!(left, ["/2", "/4"]);
    }
    assert_eq!(asked, ["gone.test", "there.test"]);
    assert_eq!(replay.unresolved()["gone.test"], 4);
}

#[test]
fn a_server_that_only_the_log_names_receives_no_credentials() {
    let mut template = Request::get("http://to.test/").unwrap();
    template.basic_auth = Some("ann:secret".to_owned());
    for name in ["Authorization", "cookie", "Proxy-Authorization", "Accept"] {
        template.headers.push((name.to_owned(), "value".to_owned()));
    }
    let mut replay = Replay::new(Plan::new(vec![template]), Pace::Plan);
    let part = [call(0, "http://log.test/", true), call(1, "http://to.test/", false)];
    let plan = replay.plan(&part, at(0));
    assert_eq!(plan.requests[0].basic_auth, None);
    assert_eq!(plan.requests[0].headers, [("Accept".to_owned(), "value".to_owned())]);
    assert!(plan.requests[1].basic_auth.is_some() && plan.requests[1].headers.len() == 4);
    assert_eq!(replay.withheld(), 1);
}
