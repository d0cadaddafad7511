//! Dedicated connections in virtual time: bursts, pauses, failures, and events for the observer.

use super::*;
use warwolf_observe::Event;
use warwolf_plan::{Burst, Cursor, FailureRule, ListEnd, OnClose, Reconnect, RequestId, Script, WhenFull};

/// `sessions` at `rate` of `calls` calls each, on `own` connections.
fn sessions(sessions: u64, rate: f64, calls: u64, own: u32) -> Plan {
    let mut plan = open(rate, Duration::from_secs(3_600));
    plan.stop = Stop { duration: None, calls: Some(sessions), grace: Duration::ZERO };
    plan.session.work =
        Work::Draw { calls: Some(calls), burst: 1, first_alone: false, order: Order::Sequential };
    plan.connections.ownership = if own > 0 { Ownership::Dedicated(own) } else { Ownership::Shared };
    plan.connections.pipeline = 32;
    plan.session.failure.on_error = true;
    plan
}

/// One after the other.
fn in_turns(count: u64, calls: u64) -> Plan {
    let mut plan = sessions(count, 1.0, calls, 1);
    plan.schedule = Schedule::Turns { users: 1 };
    plan.connections.reconnect = Reconnect::Never;
    plan.connections.on_close = OnClose::EndSession;
    plan
}

/// What happened, in short: `+` connecting, `=` connected, `w` written, `r` reply, `-` disconnected, `s` session over.
#[derive(Clone, Default)]
struct Diary(Rc<RefCell<Vec<String>>>);

impl Diary {
    fn note(&self, text: String) {
        self.0.borrow_mut().push(text);
    }

    fn read(&self) -> String {
        self.0.borrow().join(" ")
    }

    fn of(plan: &Plan, scenario: Scenario) -> String {
        Self::kept(plan, scenario).0
    }

    fn kept(plan: &Plan, scenario: Scenario) -> (String, Tally) {
        let diary = Self::default();
        let tally = run_watched(plan, Shard::WHOLE, scenario, Some(Box::new(diary.clone())));
        (diary.read(), tally)
    }
}

impl Observer for Diary {
    fn call(&mut self, record: &CallRecord<'_>) {
        let how = match record.sample.outcome {
            Outcome::Completed => format!("r{}", record.call),
            outcome => format!("{outcome:?}{}", record.call),
        };
        self.note(how);
    }
    fn event(&mut self, event: &Event<'_>, _now: Timestamp) {
        self.note(match *event {
            Event::Connecting { connection, session } => format!("+{connection}/{session}"),
            Event::Connected { connection } => format!("={connection}"),
            Event::Disconnected { connection, why } => {
                format!("-{connection}{}", why.map_or(String::new(), |why| format!("{why:?}")))
            }
            Event::Written { call, connection, bytes } => {
                assert!(bytes > 0);
                format!("w{call}/{connection}")
            }
            Event::SessionOver { session, is_failed, .. } => {
                format!("s{session}{}", if is_failed { "!" } else { "" })
            }
            Event::Cached { .. } | Event::Request { .. } => return,
        });
    }
}

fn seconds(log: &Log) -> Vec<f64> {
    let at = |exchange: &warwolf_sim::Exchange| exchange.arrived.as_nanos() as f64 / 1e9;
    log.exchanges().iter().map(|exchange| (at(exchange) * 100.0).round() / 100.0).collect()
}

#[test]
fn a_session_opens_and_closes_its_dedicated_connection() {
    let diary = Diary::of(&in_turns(2, 2), scenario(Reply::ok(1)));
    assert_eq!(diary, "+0/0 =0 w0/0 r0 w1/0 r1 s0 -0 +1/1 =1 w2/1 r2 w3/1 r3 s1 -1");
}

#[test]
fn back_to_back_sessions_follow_each_other_at_once() {
    let (scenario, log) = logged(Server::constant(Reply::ok(1).after(millis(100))));
    let tally = run(&in_turns(3, 1), scenario);
    assert_eq!((tally.completed(), log.connections()), (3, 3));
    let latency = tally.moments(Phase::Latency);
    assert_eq!(latency.max_ns(), Some((millis(100) + ROUND_TRIP * 2).as_nanos() as u64));
    assert_eq!(seconds(&log), [0.0, 0.1, 0.2]);
}

#[test]
fn a_session_may_end_with_its_connection() {
    // Closed by the server after the first reply: no failure, and no new connection.
    let (scenario, log) = logged(Server::constant(Reply::ok(1)).with_requests_max(1));
    let (diary, tally) = Diary::kept(&in_turns(2, 3), scenario);
    assert_eq!(diary, "+0/0 =0 w0/0 r0 s0 -0 +1/1 =1 w1/1 r1 s1 -1");
    assert_eq!((tally.completed(), tally.failed(), log.connections()), (2, 0, 2));
    // Closed without notice, with a call in flight.
    let diary = Diary::of(&in_turns(1, 3), scenario_closing_after(1));
    assert_eq!(diary, "+0/0 =0 w0/0 r0 w1/0 Closed1 s0! -0Closed");
}

/// A server that answers so many requests of a connection and closes it at the next, without notice.
fn scenario_closing_after(requests: u64) -> Scenario {
    scenario_of(move |request| {
        if request.on_connection < requests {
            Reply::ok(1)
        } else {
            Reply { cut: Some(0), ..Reply::default() }.then(Ending::CloseSilently)
        }
    })
}

fn scenario_of(script: impl FnMut(&warwolf_sim::Request<'_>) -> Reply + Send + 'static) -> Scenario {
    Scenario::new(1, Server::new(script))
}

#[test]
fn a_burst_is_pipelined_and_the_next_follows_at_once() {
    let mut plan = in_turns(1, 5);
    plan.session.work = Work::Draw { calls: Some(5), burst: 3, first_alone: false, order: Order::Sequential };
    let diary = Diary::of(&plan, scenario(Reply::ok(1).after(millis(10))));
    assert_eq!(diary, "+0/0 =0 w0/0 w1/0 w2/0 r0 r1 r2 w3/0 w4/0 r3 r4 s0 -0");
}

#[test]
fn a_refused_connection_ends_its_session() {
    for burst in [1, 3] {
        let mut plan = sessions(2, 5.0, 6, 1);
        plan.session.work =
            Work::Draw { calls: Some(6), burst, first_alone: false, order: Order::Sequential };
        let (diary, tally) = Diary::kept(&plan, scenario(Reply::ok(0)).with_fate(|_, _| Fate::Refused));
        assert_eq!(tally.counters().connections_failed, 2);
        assert!(diary.ends_with("s1! -0Refused"), "{diary}");
    }
}

#[test]
fn several_calls_without_a_connection_pause_their_session_once() {
    // Without a rule of failure the session goes on; three calls at once must not wake it three times.
    let mut plan = closed(1, 9);
    plan.session.work = Work::Draw { calls: None, burst: 3, first_alone: false, order: Order::Sequential };
    plan.connections.pipeline = 3;
    let tally = run(
        &plan,
        scenario(Reply::ok(0)).with_fate(|number, _| if number < 2 { Fate::Refused } else { Fate::Accepted }),
    );
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 3), (Outcome::Refused, 6)]);
    let mut plan = sessions(3, 5.0, 6, 0);
    plan.session.work = Work::Draw { calls: Some(6), burst: 3, first_alone: false, order: Order::Sequential };
    let tally = run(&plan, scenario(Reply::ok(0)).with_fate(|_, _| Fate::Refused));
    assert_eq!(outcomes(&tally), [(Outcome::Refused, 9)]);
}

#[test]
fn bursts_lead_and_sessions_think() {
    let mut plan = sessions(2, 5.0, 6, 4);
    plan.session.work = Work::Draw { calls: Some(6), burst: 3, first_alone: true, order: Order::Sequential };
    plan.session.think = Think::Constant { time: millis(200) };
    let (scenario, log) = logged(Server::constant(Reply::ok(1).after(millis(10))));
    let tally = run(&plan, scenario);
    assert_eq!((tally.completed(), log.connections()), (12, 2));
    // Replies to pipelined requests come one after the other.
    let of_first: Vec<f64> = seconds(&log).into_iter().filter(|at| *at < 0.2).collect();
    assert_eq!(of_first, [0.0, 0.01, 0.01]);
    assert_eq!(log.exchanges().iter().filter(|e| e.arrived < at(millis(300))).count(), 3 + 6);
}

#[test]
fn calls_spread_over_slots_and_wait_for_room() {
    let mut plan = sessions(1, 5.0, 8, 3);
    plan.session.work = Work::Draw { calls: Some(8), burst: 8, first_alone: true, order: Order::Sequential };
    plan.connections.pipeline = 2;
    let diary = Diary::of(&plan, scenario(Reply::ok(1).after(millis(10))));
    let (opening, rest) = diary.split_once(" r0 ").unwrap();
    assert_eq!(opening, "+0/0 =0 w0/0");
    // Two on the first, two each on two more; the eighth call waits for the first room.
    assert!(rest.starts_with("+1/0 +2/0 w1/0 w2/0 =1 =2 "), "{rest}");
    for call in ["w3/1", "w4/1", "w5/2", "w6/2", "r1 r2 w7/0"] {
        assert!(rest.contains(call), "{call}: {rest}");
    }
    assert!(rest.ends_with("s0 -0 -1 -2"), "{rest}");
}

#[test]
fn a_connection_that_had_completed_calls_is_replaced() {
    let mut plan = sessions(1, 5.0, 4, 1);
    plan.requests[0].method = "POST".to_owned();
    plan.connections.reconnect = Reconnect::AfterReply;
    let diary = Diary::of(&plan, scenario_closing_after(2));
    assert_eq!(
        diary, "+0/0 =0 w0/0 r0 w1/0 r1 w2/0 +1/0 -0Closed =1 w2/1 r2 w3/1 r3 s0 -1",
        "whatever the method, with its number kept"
    );
    assert_eq!(Diary::of(&plan, scenario_closing_after(0)), "+0/0 =0 w0/0 Closed0 s0! -0Closed");
}

#[test]
fn any_connection_may_be_replaced() {
    let mut plan = sessions(1, 5.0, 2, 1);
    plan.connections.reconnect = Reconnect::Always;
    let refused = |number| if number < 3 { Fate::Refused } else { Fate::Accepted };
    let (diary, tally) =
        Diary::kept(&plan, scenario(Reply::ok(1)).with_fate(move |number, _| refused(number)));
    assert!(
        diary.starts_with("+0/0 -0Refused +0/0 -0Refused +0/0 -0Refused +0/0 =0 w0/0 r0 w1/0"),
        "{diary}"
    );
    assert_eq!((tally.completed(), tally.failed()), (2, 0));
    // Not hammered: ten milliseconds lie between attempts.
    assert!(tally.moments(Phase::Latency).max_ns() > Some(30_000_000));
    let mut requests = 0;
    let flaky = scenario_of(move |_| {
        requests += 1;
        if requests <= 3 { Reply { cut: Some(20), ..Reply::ok(9) }.then(Ending::Reset) } else { Reply::ok(1) }
    });
    let tally = run(&plan, flaky);
    assert_eq!((tally.completed(), tally.counters().reconnects), (2, 3));
}

#[test]
fn a_failed_session_takes_its_calls_and_connections_with_it() {
    let mut plan = sessions(1, 5.0, 8, 2);
    plan.session.work = Work::Draw { calls: Some(8), burst: 4, first_alone: false, order: Order::Sequential };
    plan.connections.pipeline = 2;
    plan.session.failure = FailureRule { statuses: vec![503], on_error: true, retry: false };
    let slow = scenario_of(|request| match request.number {
        0 => Reply::status(503),
        _ => Reply::ok(1).after(Duration::from_secs(5)),
    });
    let (diary, tally) = Diary::kept(&plan, slow);
    assert!(diary.ends_with("s0! -0 -1"), "{diary}");
    assert_eq!((tally.completed(), tally.failed(), tally.unfinished()), (1, 0, 3));
}

#[test]
fn a_call_may_be_made_again_for_its_status() {
    let mut plan = sessions(1, 5.0, 3, 1);
    plan.session.failure = FailureRule { statuses: vec![503], on_error: true, retry: true };
    let flaky = || {
        scenario_of(|request| match request.number {
            0 | 2 => Reply::status(503),
            _ => Reply::ok(7),
        })
    };
    let (diary, tally) = Diary::kept(&plan, flaky());
    assert_eq!(diary, "+0/0 =0 w0/0 r0 w0/0 r0 w1/0 r1 w1/0 r1 w2/0 r2 s0 -0");
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 3), (503, 2)]);
    // It works without connections of one's own just the same.
    plan.connections.ownership = Ownership::Shared;
    assert_eq!(run(&plan, flaky()).completed(), 5);
    // A run that ends meanwhile ends.
    plan.stop.duration = Some(millis(100));
    assert!(run(&plan, scenario(Reply::status(503).after(millis(30)))).completed() >= 3);
}

#[test]
fn the_reply_timer_limits_the_first_byte_and_then_the_last() {
    let mut plan = in_turns(1, 1);
    (plan.timeouts.call, plan.timeouts.reply) = (None, Some(millis(1_000)));
    let took = |reply: Reply| {
        let tally = run(&plan, scenario(reply));
        let [(outcome, 1)] = outcomes(&tally)[..] else { panic!("{:?}", outcomes(&tally)) };
        (outcome, tally.moments(Phase::Latency).max_ns().unwrap() / 1_000_000)
    };
    assert_eq!(took(Reply::ok(1).after(millis(900))), (Outcome::Completed, 900));
    assert_eq!(took(Reply::never()), (Outcome::ResponseTimeout, 1_000));
    // A body in pieces, a tenth of a second apart: each may be in time, and all together too late.
    let slow =
        |pieces: usize| Reply { pace: Some((60, millis(100))), ..Reply::ok(60 * pieces).after(millis(900)) };
    assert_eq!(took(slow(5)).0, Outcome::Completed);
    let (outcome, milliseconds) = took(slow(20));
    assert_eq!(outcome, Outcome::ResponseTimeout);
    assert!((1_900..1_910).contains(&milliseconds), "{milliseconds}");
}

#[test]
fn a_timeout_ends_all_calls_of_its_connection() {
    let mut plan = sessions(1, 5.0, 3, 1);
    plan.session.work = Work::Draw { calls: Some(3), burst: 3, first_alone: false, order: Order::Sequential };
    plan.connections.reconnect = Reconnect::AfterReply;
    plan.timeouts.reply = Some(millis(500));
    let server = scenario_of(|request| if request.number == 0 { Reply::ok(1) } else { Reply::never() });
    let diary = Diary::of(&plan, server);
    assert!(diary.ends_with("r0 ResponseTimeout1 ResponseTimeout2 s0! -0ResponseTimeout"), "{diary}");
}

#[test]
fn a_server_that_does_not_read_is_given_up() {
    let mut plan = in_turns(1, 1);
    plan.requests[0].body = warwolf_plan::Body::Bytes(vec![7; 40_000]);
    plan.timeouts.send = Some(millis(300));
    plan.timeouts.call = None;
    let mut stuck = scenario(Reply::ok(1));
    (stuck.send_window, stuck.stalls) = (1_000, vec![at(millis(1))..at(millis(5_000))]);
    let tally = run(&plan, stuck);
    assert_eq!(outcomes(&tally), [(Outcome::ResponseTimeout, 1)]);
    assert!(tally.moments(Phase::Latency).max_ns() < Some(310_000_000));
}

#[test]
fn arrivals_without_a_connection_may_fail() {
    let mut plan = sessions(20, 100.0, 1, 1);
    plan.connections.limit = 5;
    plan.connections.when_full = WhenFull::Fail;
    let tally = run(&plan, scenario(Reply::ok(1).after(Duration::from_secs(1))));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 5), (Outcome::ConnectionLimit, 15)]);
}

#[test]
fn requests_that_are_used_up_end_the_run() {
    let mut plan = in_turns(7, 1);
    plan.requests = (0..3).map(|n| Request::get(&format!("{URL}{n}")).unwrap()).collect();
    plan.threads = Some(1);
    plan.session.work = Work::Draw {
        calls: Some(1),
        burst: 1,
        first_alone: false,
        order: Order::Shared(Cursor { end: ListEnd::Stop, ..Cursor::default() }),
    };
    let (scenario, log) = logged(Server::constant(Reply::ok(1)));
    let tally = run(&plan, scenario);
    assert_eq!((tally.completed(), tally.unfinished()), (3, 0));
    let asked: Vec<String> = log.exchanges().into_iter().map(|exchange| exchange.target).collect();
    assert_eq!(asked, ["/0", "/1", "/2"]);
}

#[test]
fn scripts_run_on_dedicated_connections_with_their_last_cookie() {
    let mut plan = sessions(1, 5.0, 1, 1);
    plan.requests = (0..4).map(|n| Request::get(&format!("{URL}{n}")).unwrap()).collect();
    let burst = |first, then: &[u32], think| Burst {
        first: RequestId(first),
        then: then.iter().copied().map(RequestId).collect(),
        think: millis(think),
    };
    plan.session.work =
        Work::Scripts { scripts: vec![Script { bursts: vec![burst(0, &[1, 2], 500), burst(3, &[], 0)] }] };
    plan.session.cookies = CookiePolicy::LastValue;
    let server = Server::new(|request| {
        let cookie = request.header("cookie").unwrap_or("none").to_owned();
        Reply::ok(1).with_header("Set-Cookie", &format!("{}={cookie}; Path=/never", request.number))
    });
    let log = server.log();
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(tally.completed(), 4);
    assert_eq!(seconds(&log), [0.0, 0.0, 0.0, 0.5]);
}

#[test]
fn a_raw_head_goes_out_as_it_is() {
    let mut plan = in_turns(1, 1);
    plan.requests[0].head = Some("GET /a b HTTP/1.1\r\nX: \u{e9}\r\n".to_owned());
    plan.requests[0].body = warwolf_plan::Body::Bytes(vec![0, 255]);
    let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    assert_eq!(prepared.requests[0].template().bytes(), b"GET /a b HTTP/1.1\r\nX: \xe9\r\n\r\n\x00\xff");
    assert!(!prepared.requests[0].template().closes());
    plan.connections.keep_alive = false;
    assert!(Prepared::new(&plan, &Arc::default()).unwrap().requests[0].template().closes());
}

#[test]
fn local_ports_are_taken_in_turn() {
    let mut plan = in_turns(3, 1);
    plan.network.bind_ports = Some((2_000, 2_001));
    let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let port = |number| {
        let to = warwolf_driver::Address::Ip("10.0.0.1:80".parse().unwrap());
        prepared.socket_options(number, &to).bind.unwrap().port()
    };
    assert_eq!([port(1), port(2), port(3)], [2_000, 2_001, 2_000]);
    let in_use =
        |number| if number < 1 { Fate::Failed(warwolf_driver::SocketError::NoPorts) } else { Fate::Accepted };
    let tally = run(&plan, scenario(Reply::ok(1)).with_fate(move |number, _| in_use(number)));
    assert_eq!((tally.completed(), tally.counters().connections_failed), (3, 0));
    let tally = run(
        &plan,
        scenario(Reply::ok(1)).with_fate(|_, _| Fate::Failed(warwolf_driver::SocketError::NoPorts)),
    );
    assert_eq!(outcomes(&tally), [(Outcome::NoPorts, 3)]);
}

#[test]
fn the_accounting_of_dedicated_connections_adds_up_under_random_faults() {
    let rules =
        [Reconnect::Safe, Reconnect::Never, Reconnect::AfterReply, Reconnect::Always, Reconnect::Never];
    for seed in 0..40 {
        let mut plan = sessions(150, 200.0, 7, 1 + (seed % 3) as u32);
        plan.session.work =
            Work::Draw { calls: Some(7), burst: 3, first_alone: seed % 2 == 0, order: Order::Sequential };
        plan.connections.pipeline = 1 + (seed % 4) as u32;
        plan.connections.reconnect = rules[seed as usize % rules.len()];
        plan.connections.on_close = if seed % 5 == 4 { OnClose::EndSession } else { OnClose::Continue };
        plan.connections.limit = if seed % 7 == 0 { 5 } else { 1_000 };
        plan.connections.when_full = if seed % 14 == 0 { WhenFull::Fail } else { WhenFull::Wait };
        plan.timeouts.reply = Some(millis(300));
        plan.session.failure.on_error = seed % 5 != 1;
        plan.session.failure.statuses = vec![503];
        plan.session.failure.retry = seed % 2 == 1;
        plan.stop.duration = Some(Duration::from_secs(20));
        let mut scenario = scenario_of(|request| match request.number % 29 {
            3 => Reply::ok(10).then(Ending::Close),
            7 => Reply { cut: Some(30), ..Reply::ok(99) }.then(Ending::CloseSilently),
            11 => Reply::raw("nonsense\r\n\r\n"),
            13 => Reply::never(),
            17 => Reply::status(503),
            19 => Reply { cut: Some(0), ..Reply::default() }.then(Ending::Reset),
            _ => Reply::ok(300).after(Duration::from_micros(request.number % 900)),
        });
        (scenario.seed, scenario.jitter, scenario.reset_rate) = (seed, Duration::from_micros(300), 0.005);
        let (diary, tally) = Diary::kept(&plan, scenario);
        assert!(tally.completed() > 40, "seed {seed}: {:?}", outcomes(&tally));
        let count = |mark: &str| diary.split(' ').filter(|word| word.starts_with(mark)).count();
        assert!(count("+") >= count("-") && count("s") <= 150, "seed {seed}");
    }
}
