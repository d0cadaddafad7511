//! Whole runs of one worker in virtual time, compared with what the simulated server knows.

mod accounting;
mod dedicated;
mod fed;
mod ftp;
mod hostile;
mod replies;
mod steps;
mod unplanned;

use super::*;
use crate::capacity::Capacity;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use warwolf_measure::{IntervalBatch, Latency, Mismatch, Phase, ProxyKind, Shape, Tally, ViolationKind};
use warwolf_observe::CallRecord;
use warwolf_plan::{
    ArrivalProcess, Auth, CheckedPlan, CookiePolicy, Credentials, HttpVersion, Order, Ownership, Plan, Proxy,
    RedirectPolicy, Request, Resolve, Schedule, SessionShape, Shard, Stop, Think, Timeouts, Unresolved,
    Verify, Work,
};
use warwolf_sim::{
    Actions, ConnectionId, Ending, Fate, Framing, Log, Peer, Reply, Scenario, Server, SimDriver, alloc,
};

const URL: &str = "http://10.0.0.1/";
/// The round trip time of the simulated network.
const ROUND_TRIP: Duration = Duration::from_micros(200);

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn at(time: Duration) -> Timestamp {
    Timestamp::ZERO + time
}

/// `users` in a closed loop, `calls` in all.
fn closed(users: u32, calls: u64) -> Plan {
    let mut plan = Plan::new(vec![Request::get(URL).unwrap()]);
    plan.schedule = Schedule::Closed { users, ramp: Duration::ZERO };
    plan.stop = Stop::after_calls(calls);
    plan
}

/// `rate` arrivals a second of one call each, for `duration`.
fn open(rate: f64, duration: Duration) -> Plan {
    let mut plan = Plan::new(vec![Request::get(URL).unwrap()]);
    plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate }, burst: 1 };
    plan.session.work = Work::Draw { calls: Some(1), burst: 1, first_alone: false, order: Order::Sequential };
    plan.stop = Stop { grace: Duration::from_secs(60), ..Stop::after(duration) };
    plan
}

/// A worker with what it runs, and the channels of its interval batches.
struct Bench<'p> {
    plan: &'p CheckedPlan,
    prepared: &'p Prepared,
    shard: Shard,
    worker: Worker<'p, SimDriver>,
    batches: Receiver<IntervalBatch>,
    give: SyncSender<Box<Tally>>,
}

impl<'p> Bench<'p> {
    fn new(
        plan: &'p CheckedPlan,
        prepared: &'p Prepared,
        shard: Shard,
        scenario: Scenario,
        interval: Duration,
        control: &Control,
    ) -> Self {
        let (send, batches) = sync_channel(8);
        let (give, empties) = sync_channel(8);
        (0..2).for_each(|_| give.send(Box::new(Tally::new())).unwrap());
        let capacity = Capacity::of(plan, shard);
        let task = Task {
            prepared,
            plan,
            shard,
            endpoints: prepared.endpoints.clone(),
            tls: crate::setup::tls_config(plan, false).unwrap(),
            recorder: Recorder::new(0, Box::new(Tally::reserved(Shape::of_rows(1))), interval, send, empties),
            control: control.clone(),
            observer: None,
            feed: None,
            sessions: capacity.sessions,
            connections: capacity.connections as usize,
        };
        Self { plan, prepared, shard, worker: Worker::new(SimDriver::new(scenario), task), batches, give }
    }

    /// One turn; then the part of the aggregator: tallies are received and returned empty.
    fn turn(&mut self) -> Turn {
        let turn = self.worker.turn().unwrap();
        while let Ok(mut batch) = self.batches.try_recv() {
            batch.tally.reset();
            self.give.try_send(batch.tally).unwrap();
        }
        turn
    }

    fn check_accounting(&self) -> Result<(), Mismatch> {
        self.worker.final_accounting().check(self.plan, self.shard, self.prepared.calls_per_session)
    }
}

impl Worker<'_, SimDriver> {
    fn watch(&mut self, observer: Box<dyn Observer>) {
        self.observation = Observation::new(self.prepared, &self.workload, Some(observer));
    }
}

/// Runs the whole of `plan` and returns the tally. The accounting must add up.
fn run(plan: &Plan, scenario: Scenario) -> Tally {
    run_shard(plan, Shard::WHOLE, scenario)
}

fn run_shard(plan: &Plan, shard: Shard, scenario: Scenario) -> Tally {
    run_watched(plan, shard, scenario, None)
}

fn run_watched(plan: &Plan, shard: Shard, scenario: Scenario, observer: Option<Box<dyn Observer>>) -> Tally {
    let plan = &plan.clone().check().unwrap();
    run_prepared(plan, &Prepared::new(plan, plan.contents()).unwrap(), shard, scenario, observer)
}

fn run_prepared(
    plan: &CheckedPlan,
    prepared: &Prepared,
    shard: Shard,
    scenario: Scenario,
    observer: Option<Box<dyn Observer>>,
) -> Tally {
    let never = Duration::from_secs(1_000_000);
    let mut bench = Bench::new(plan, prepared, shard, scenario, never, &Control::new());
    if let Some(observer) = observer {
        bench.worker.watch(observer);
    }
    let Bench { worker, batches, .. } = bench;
    let finished = worker.run().unwrap();
    finished.accounting.check(plan, shard, prepared.calls_per_session).expect("the accounting must add up");
    let tally = *batches.recv().unwrap().tally;
    assert_sums(&tally);
    tally
}

#[track_caller]
fn assert_sums(tally: &Tally) {
    let counters = tally.counters();
    assert_eq!(counters.planned, counters.started + counters.unstarted, "planned = started + unstarted");
    assert_eq!(
        counters.started,
        tally.completed() + tally.failed() + tally.timed_out() + tally.unfinished(),
        "started = completed + failed + timed out + unfinished"
    );
}

/// The outcomes that occurred, and how often.
fn outcomes(tally: &Tally) -> Vec<(Outcome, u64)> {
    tally.outcomes().filter(|(_, count)| *count > 0).collect()
}

fn quantile(tally: &Tally, phase: Phase, quantile: f64) -> Duration {
    Duration::from_nanos(tally.phase(phase).quantile(quantile).unwrap())
}

/// Within what a histogram of three digits may add.
#[track_caller]
fn assert_near(found: Duration, expected: Duration) {
    let allowed = expected / 500 + Duration::from_nanos(1);
    assert!(found.abs_diff(expected) <= allowed, "found {found:?}, expected {expected:?}");
}

fn scenario(reply: Reply) -> Scenario {
    Scenario::new(1, Server::constant(reply))
}

fn logged(server: Server) -> (Scenario, Log) {
    let log = server.log();
    (Scenario::new(1, server), log)
}

#[test]
fn a_closed_loop_makes_the_planned_number_of_calls() {
    let (scenario, log) = logged(Server::constant(Reply::ok(75_000).after(millis(10))));
    let tally = run(&closed(10, 105), scenario);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 105)]);
    assert_eq!(tally.counters().body_bytes, 105 * 75_000);
    assert_eq!((log.exchanges().len(), log.connections()), (105, 10));
    assert_eq!(tally.counters().max_in_flight, 10);
    assert_eq!((tally.counters().connections_opened, tally.counters().connections_reused), (10, 95));
    assert_near(quantile(&tally, Phase::Service, 0.5), millis(10) + ROUND_TRIP);
    assert_near(Duration::from_nanos(tally.moments(Phase::Connect).max_ns().unwrap()), ROUND_TRIP);
}

#[test]
fn one_second_of_stall_shows_in_latency_as_long_as_it_lasted() {
    let stall = at(millis(3_000))..at(millis(4_000));
    let mut plan = open(1_000.0, Duration::from_secs(10));
    plan.connections.limit = 10;
    let server = Server::constant(Reply::ok(10).after(millis(1))).stalling(stall);
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 10_000)]);
    // Ten calls saw the stall from the inside; a thousand and more were due while it lasted or behind those.
    assert!(quantile(&tally, Phase::Service, 0.99) < millis(2));
    assert!(quantile(&tally, Phase::Latency, 0.95) > millis(450));
    assert!(quantile(&tally, Phase::Latency, 0.99) > millis(850));
    assert!(quantile(&tally, Phase::Lag, 0.99) > millis(850));
    assert!(tally.counters().held_back > 900);
    let late = 10_000 - tally.phase(Phase::Lag).histogram().count_at_most(0);
    assert_eq!(tally.counters().held_back, late, "exactly the late ones waited for a slot");
}

#[test]
fn back_to_back_sessions_are_not_held_back() {
    let mut plan = closed(4, 100);
    plan.schedule = Schedule::Turns { users: 4 };
    plan.session.work = Work::Draw { order: Order::Sequential, calls: Some(1), burst: 1, first_alone: false };
    let tally = run(&plan, scenario(Reply::ok(10).after(millis(5))));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 100)]);
    assert_eq!(tally.moments(Phase::Lag).max_ns(), Some(0));
    assert_eq!(tally.counters().held_back, 0);
}

#[test]
fn without_a_limit_no_call_waits_for_a_connection() {
    let stall = at(millis(3_000))..at(millis(4_000));
    let server = Server::constant(Reply::ok(10).after(millis(1))).stalling(stall);
    let tally = run(&open(1_000.0, Duration::from_secs(10)), Scenario::new(1, server));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 10_000)]);
    assert_eq!(tally.moments(Phase::Lag).max_ns(), Some(0));
    assert_eq!(tally.counters().held_back, 0);
    assert!(tally.counters().max_in_flight >= 1_000);
    assert!(quantile(&tally, Phase::Latency, 0.95) > millis(450));
}

#[test]
fn percentiles_are_those_of_the_server() {
    let delay = |n: u64| Duration::from_micros(500 + (n * 7_919) % 20_011);
    let (scenario, log) = logged(Server::new(move |request| Reply::ok(5).after(delay(request.number))));
    let tally = run(&open(2_000.0, Duration::from_secs(5)), scenario);
    let mut truth: Vec<Duration> =
        log.exchanges().iter().map(|e| e.left.unwrap().since(e.arrived) + ROUND_TRIP).collect();
    truth.sort_unstable();
    assert_eq!(truth.len(), 10_000);
    for q in [0.5, 0.75, 0.9, 0.95, 0.99, 0.999] {
        let rank = (q * truth.len() as f64).ceil() as usize - 1;
        assert_near(quantile(&tally, Phase::Service, q), truth[rank]);
    }
}

#[test]
fn a_kept_connection_that_the_server_closes_costs_a_reconnect() {
    let mut replies = 0;
    let server = Server::new(move |_| {
        replies += 1;
        // Every third request meets a connection that closes without a byte.
        if replies % 3 == 0 {
            Reply { cut: Some(0), ..Reply::default() }.then(Ending::CloseSilently)
        } else {
            Reply::ok(1)
        }
    });
    let tally = run(&closed(1, 100), Scenario::new(1, server));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 100)]);
    assert_eq!((tally.counters().reconnects, tally.counters().resent), (49, 49));
}

#[test]
fn bytes_after_a_complete_reply_are_counted() {
    let twice = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    for (extra, count) in [("", 0), ("x", 20), (twice, 20)] {
        let tally = run(&closed(2, 20), scenario(Reply::raw(format!("{twice}{extra}"))));
        assert_eq!(outcomes(&tally), [(Outcome::Completed, 20)]);
        assert_eq!(tally.counters().unexpected_bytes, count, "{extra:?}");
    }
}

#[test]
fn a_proxy_that_refuses_the_tunnel_is_named_with_its_status() {
    for (status, kind) in [
        (403, ProxyKind::Forbidden),
        (407, ProxyKind::AuthenticationRequired),
        (503, ProxyKind::Unavailable),
        (405, ProxyKind::Other),
    ] {
        let mut plan = closed(2, 6);
        plan.requests = vec![Request::get("https://10.0.0.2/").unwrap()];
        plan.network.proxy = Some(Proxy::parse("10.0.0.1:80").unwrap());
        let tally = run(&plan, scenario(Reply::status(status)));
        assert_eq!(outcomes(&tally), [(Outcome::Proxy(kind), 6)]);
    }
}

#[test]
fn requests_that_are_not_repeatable_are_not_sent_again() {
    let mut plan = closed(1, 4);
    plan.requests[0].method = "POST".to_owned();
    let mut replies = 0;
    let server = Server::new(move |_| {
        replies += 1;
        if replies == 2 {
            Reply { cut: Some(0), ..Reply::default() }.then(Ending::Reset)
        } else {
            Reply::ok(1)
        }
    });
    let (scenario, log) = logged(server);
    let tally = run(&plan, scenario);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 3), (Outcome::Reset, 1)]);
    assert_eq!(log.exchanges().len(), 4);
}

#[test]
fn a_first_request_without_an_answer_is_a_failure() {
    let tally =
        run(&closed(2, 6), scenario(Reply { cut: Some(0), ..Reply::default() }.then(Ending::CloseSilently)));
    assert_eq!(outcomes(&tally), [(Outcome::Closed, 6)]);
    assert_eq!(tally.counters().reconnects, 0);
}

#[test]
fn a_limit_of_requests_per_connection_costs_no_call() {
    for silent in [false, true] {
        let server = Server::new(move |request| {
            let last = request.on_connection % 3 == 2;
            Reply::ok(9).then(if last && silent { Ending::CloseSilently } else { Ending::Keep })
        });
        let server = if silent { server } else { server.with_requests_max(3) };
        let (scenario, log) = logged(server);
        let tally = run(&closed(7, 300), scenario);
        assert_eq!(outcomes(&tally), [(Outcome::Completed, 300)], "silent: {silent}");
        assert!(log.connections() >= 100);
    }
}

#[test]
fn calls_time_out_at_their_deadline() {
    let mut plan = closed(3, 9);
    plan.timeouts.call = Some(millis(250));
    let (scenario, log) = logged(Server::constant(Reply::never()));
    let tally = run(&plan, scenario);
    assert_eq!(outcomes(&tally), [(Outcome::ResponseTimeout, 9)]);
    assert_eq!(tally.timed_out(), 9);
    // A reply that comes late must not meet the next call: each gets a connection of its own.
    assert_eq!(log.connections(), 9);
    let latency = tally.moments(Phase::Latency);
    assert_eq!((latency.min_ns(), latency.max_ns()), (Some(250_000_000), Some(250_000_000)));
}

#[test]
fn a_timeout_of_one_pipelined_call_is_not_counted_for_the_others() {
    let mut plan = closed(1, 2);
    plan.timeouts = Timeouts { call: None, reply: Some(millis(250)), ..plan.timeouts };
    plan.connections.pipeline = 2;
    plan.session.work = Work::Draw { calls: None, burst: 2, first_alone: false, order: Order::Sequential };
    // The first reply begins after 100 ms and never ends: the second call is due first.
    let reply = Reply { cut: Some(60), ..Reply::ok(99) }.then(Ending::Keep).after(millis(100));
    let tally = run(&plan, scenario(reply));
    assert_eq!(outcomes(&tally), [(Outcome::ResponseTimeout, 1), (Outcome::Abandoned, 1)]);
    assert_near(quantile(&tally, Phase::Service, 1.0), millis(250));
}

#[test]
fn pipelined_calls_that_are_due_together_time_out_together() {
    for method in ["GET", "POST"] {
        let mut plan = closed(1, 4);
        plan.requests[0].method = method.to_owned();
        plan.timeouts.call = Some(millis(250));
        plan.connections.pipeline = 4;
        plan.session.work =
            Work::Draw { calls: None, burst: 4, first_alone: false, order: Order::Sequential };
        let (scenario, log) = logged(Server::constant(Reply::never()));
        let tally = run(&plan, scenario);
        assert_eq!(outcomes(&tally), [(Outcome::ResponseTimeout, 4)], "{method}");
        assert_eq!(log.connections(), 1);
    }
}

#[test]
fn connections_that_are_not_answered_time_out() {
    let mut plan = closed(2, 4);
    plan.timeouts.connect = Some(millis(100));
    let tally = run(&plan, scenario(Reply::ok(0)).with_fate(|_, _| Fate::Unanswered));
    assert_eq!(outcomes(&tally), [(Outcome::ConnectTimeout, 4)]);
    assert_eq!(tally.counters().connections_failed, 4);
}

/// A server that accepts connections and sends nothing.
struct Mute;

impl Peer for Mute {
    fn received(&mut self, _: ConnectionId, _: &[u8], _: Timestamp, _: &mut Actions) {}
}

#[test]
fn handshakes_time_out_by_their_own_limit() {
    let mut plan = closed(2, 4);
    plan.requests[0] = Request::get("https://10.0.0.1/").unwrap();
    plan.tls.verify = Verify::Off;
    // Limits for connect and TLS, and when a call to a silent server times out.
    for (connect, tls, after) in [
        (Some(100), None, millis(100)),
        (Some(100), Some(700), millis(700) + ROUND_TRIP),
        (Some(700), Some(100), millis(100) + ROUND_TRIP),
        (None, Some(250), millis(250) + ROUND_TRIP),
    ] {
        plan.timeouts = Timeouts {
            connect: connect.map(millis),
            tls: tls.map(millis),
            call: None,
            ..Timeouts::default()
        };
        let tally = run(&plan, Scenario::new(7, Mute));
        assert_eq!(outcomes(&tally), [(Outcome::TlsTimeout, 4)], "{connect:?} {tls:?}");
        let latency = tally.moments(Phase::Latency);
        let after = u64::try_from(after.as_nanos()).unwrap();
        assert_eq!((latency.min_ns(), latency.max_ns()), (Some(after), Some(after)), "{connect:?} {tls:?}");
        assert_eq!(tally.counters().connections_failed, 4);
    }
    plan.timeouts.connect = Some(millis(100));
    let tally = run(&plan, scenario(Reply::ok(0)).with_fate(|_, _| Fate::Unanswered));
    assert_eq!(outcomes(&tally), [(Outcome::ConnectTimeout, 4)], "no handshake ever began");
}

#[test]
fn after_a_refusal_the_session_pauses() {
    let mut plan = closed(1, 1);
    plan.stop = Stop::after(Duration::from_secs(1));
    let tally = run(&plan, scenario(Reply::ok(0)).with_fate(|_, _| Fate::Refused));
    let [(Outcome::Refused, count)] = outcomes(&tally)[..] else { panic!("{:?}", outcomes(&tally)) };
    assert!((50..=100).contains(&count), "{count}");
}

#[test]
fn all_addresses_of_a_name_are_tried() {
    let mut plan = closed(2, 20);
    plan.requests[0].endpoint.host = "a.test".to_owned();
    let addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
    plan.network.resolve = addresses
        .map(|address| Resolve { host: "a.test".into(), port: 80, address: address.parse().unwrap() })
        .to_vec();
    let dead = ["10.0.0.1:80", "10.0.0.3:80"].map(|a| warwolf_driver::Address::Ip(a.parse().unwrap()));
    let tally = run(&plan, scenario(Reply::ok(0)).refusing(dead.to_vec()));
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 20)]);
}

#[test]
fn a_name_without_an_address_may_be_counted() {
    let mut plan = closed(2, 4);
    plan.network.unresolved = Unresolved::Count;
    // An address of the other family only, so that no resolver is asked.
    plan.network.ipv6 = Some(true);
    let tally = run(&plan, scenario(Reply::ok(0)));
    assert_eq!(outcomes(&tally), [(Outcome::Resolve, 4)]);
    plan.network.unresolved = Unresolved::Refuse;
    assert!(Prepared::new(&plan, &Arc::default()).is_err());
}

#[test]
fn the_cookie_line_is_sent_where_the_plan_puts_it() {
    let mut plan = closed(1, 2);
    plan.session.cookies = CookiePolicy::Jar;
    plan.requests[0].headers = vec![("Cookie".into(), String::new()), ("Last".into(), "1".into())];
    let server = Server::new(|request| {
        let head = String::from_utf8_lossy(request.head).into_owned();
        let in_place = head.contains("Cookie: a=b\r\nLast: 1\r\n");
        match request.number {
            0 if !head.contains("Cookie") => Reply::ok(0).with_header("Set-Cookie", "a=b"),
            1 if in_place => Reply::ok(0),
            _ => Reply::status(400),
        }
    });
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 2)]);
}

#[test]
fn broken_replies_are_named() {
    let cases = [
        (Reply::raw("SSH-2.0-OpenSSH_9.2\r\n"), Outcome::Violation(ViolationKind::BadStatusLine)),
        (
            Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
            Outcome::Violation(ViolationKind::ConflictingLengths),
        ),
        (
            Reply::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            Outcome::Violation(ViolationKind::BadChunkSize),
        ),
        (
            Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").then(Ending::CloseSilently),
            Outcome::ClosedMidReply,
        ),
        (Reply { cut: Some(60), ..Reply::ok(500) }.then(Ending::Reset), Outcome::Reset),
    ];
    for (reply, outcome) in cases {
        let tally = run(&closed(2, 6), scenario(reply.clone()));
        assert_eq!(outcomes(&tally), [(outcome, 6)], "{reply:?}");
    }
}

#[test]
fn bodies_end_as_their_framing_says() {
    let cases = [
        Reply::ok(5_000),
        Reply { framing: Framing::Chunked(700), ..Reply::ok(5_000) },
        Reply { framing: Framing::UntilClose, ..Reply::ok(5_000) }.then(Ending::CloseSilently),
        Reply { interim: vec![100, 103], ..Reply::ok(5_000) },
        Reply { pace: Some((499, millis(3))), ..Reply::ok(5_000) },
    ];
    for reply in cases {
        for (version, keep_alive) in [
            (HttpVersion::Http10, false),
            (HttpVersion::Http10, true),
            (HttpVersion::Http11, false),
            (HttpVersion::Http11, true),
        ] {
            let mut plan = closed(3, 30);
            plan.connections.version = version;
            plan.connections.keep_alive = keep_alive;
            let (scenario, log) = logged(Server::constant(reply.clone()));
            let tally = run(&plan, scenario);
            assert_eq!(outcomes(&tally), [(Outcome::Completed, 30)], "{reply:?} {version:?} {keep_alive}");
            assert_eq!(tally.counters().body_bytes, 30 * 5_000);
            if !keep_alive {
                assert_eq!(log.connections(), 30);
            }
        }
    }
}

#[test]
fn users_think_between_calls() {
    let mut plan = closed(1, 11);
    plan.session.think = Think::Constant { time: millis(100) };
    let (scenario, log) = logged(Server::constant(Reply::ok(0)));
    let tally = run(&plan, scenario);
    let arrived: Vec<_> = log.exchanges().iter().map(|exchange| exchange.arrived).collect();
    // The first also waits for its connection.
    assert_eq!(arrived[10].since(arrived[1]), (millis(100) + ROUND_TRIP) * 9);
    assert_eq!(tally.moments(Phase::Lag).max_ns(), Some(0));
}

#[test]
fn calls_in_flight_at_the_end_are_counted_with_their_age() {
    let mut plan = closed(4, 1);
    plan.stop = Stop::after(Duration::from_secs(2));
    plan.timeouts.call = None;
    let tally = run(&plan, scenario(Reply::never()));
    assert_eq!(tally.unfinished(), 4);
    let age = tally.moments(Phase::UnfinishedAge);
    assert_eq!((age.min_ns(), age.max_ns()), (Some(2_000_000_000), Some(2_000_000_000)));
}

#[test]
fn arrivals_that_never_started_are_counted() {
    let mut plan = open(100.0, Duration::from_secs(3));
    plan.connections.limit = 1;
    plan.stop.grace = Duration::ZERO;
    let tally = run(&plan, scenario(Reply::ok(0).after(Duration::from_secs(1))));
    let counters = tally.counters();
    assert_eq!((counters.planned, counters.started, counters.unstarted), (300, 3, 297));
    assert_eq!((tally.completed(), tally.unfinished()), (2, 1));
}

#[test]
fn arrivals_due_before_the_stop_are_started_late() {
    let plan = open(5_000.0, Duration::from_secs(1));
    let mut scenario = scenario(Reply::ok(0));
    // The last turn begins before the stop and ends behind it.
    scenario.turn_cost = millis(7);
    let tally = run(&plan, scenario);
    assert_eq!((tally.counters().planned, tally.completed()), (5_000, 5_000));
    assert!(quantile(&tally, Phase::Lag, 1.0) >= millis(6));
}

#[test]
fn a_worker_without_a_core_until_the_stop_begins_nothing() {
    let mut closed = closed(10, 1);
    closed.stop = Stop::after(millis(500));
    let mut turns = closed.clone();
    turns.schedule = Schedule::Turns { users: 10 };
    for (plan, sessions) in [(closed, 10), (turns, 10), (open(100.0, millis(500)), 50)] {
        let plan = plan.check().unwrap();
        let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
        let (scenario, log) = logged(Server::constant(Reply::ok(0)));
        let mut bench =
            Bench::new(&plan, &prepared, Shard::WHOLE, scenario, Duration::from_secs(1), &Control::new());
        let late = at(Duration::from_secs(4));
        bench.worker.driver.wait(late, &mut Vec::new()).unwrap();
        while bench.turn() == Turn::More {}
        bench.check_accounting().unwrap();
        let finished = bench.worker.run().unwrap();
        assert_eq!((finished.accounting.starved(), finished.at), (sessions, late), "{:?}", plan.schedule);
        assert_eq!(log.connections(), 0);
    }
}

#[test]
fn arrivals_without_a_slot_at_the_stop_are_not_started() {
    let mut plan = open(5_000.0, Duration::from_secs(1));
    plan.connections.limit = 8;
    let mut scenario = scenario(Reply::ok(0).after(millis(2)));
    scenario.turn_cost = millis(7);
    let counters = *run(&plan, scenario).counters();
    assert_eq!(counters.planned, 5_000);
    assert!(counters.unstarted > 2_500, "{counters:?}");
}

#[test]
fn pipelined_calls_share_a_connection() {
    let mut plan = closed(2, 64);
    plan.connections.pipeline = 4;
    plan.connections.limit = 2;
    plan.session.work = Work::Draw { calls: None, burst: 4, first_alone: false, order: Order::Sequential };
    let (scenario, log) = logged(Server::constant(Reply::ok(100).after(millis(1))));
    let tally = run(&plan, scenario);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 64)]);
    assert_eq!((log.connections(), tally.counters().max_in_flight), (2, 8));
}

#[test]
fn sessions_share_connections_that_have_room() {
    for (burst, limit, connections) in [(2, 10, 1), (5, 10, 3), (4, 2, 2)] {
        let mut plan = open(1.0, millis(500));
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 1.0 }, burst };
        plan.connections.pipeline = 2;
        plan.connections.limit = limit;
        let (scenario, log) = logged(Server::constant(Reply::ok(100).after(millis(1))));
        let tally = run(&plan, scenario);
        assert_eq!(outcomes(&tally), [(Outcome::Completed, u64::from(burst))]);
        assert_eq!((log.connections(), tally.counters().max_in_flight), (connections, u64::from(burst)));
    }
}

#[test]
fn bursts_without_pipelining_wait_for_each_other() {
    let mut plan = closed(1, 12);
    plan.session.work = Work::Draw { calls: None, burst: 4, first_alone: false, order: Order::Sequential };
    let (scenario, log) = logged(Server::constant(Reply::ok(100).after(millis(1))));
    let tally = run(&plan, scenario);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 12)]);
    assert_eq!(log.connections(), 1);
    assert!(tally.moments(Phase::Setup).max_ns() > Some(3_000_000));
}

#[test]
fn a_server_that_stops_answering_shows_in_the_percentiles() {
    // 100 a second for 4 s, answered up to 1.9 s. With a slot for all, and with 20, so that most never start.
    for (limit, grace) in [(1_000, 0), (1_000, 500), (20, 0), (20, 500)] {
        let mut plan = open(100.0, Duration::from_secs(4));
        plan.connections.limit = limit;
        plan.stop.grace = millis(grace);
        plan.timeouts.call = None;
        let server = Server::new(|request| match request.number {
            0..190 => Reply::ok(3),
            _ => Reply::never(),
        });
        let tally = run(&plan, Scenario::new(1, server));
        let latency = Latency::of(&tally);
        assert_eq!(latency.count(), 400, "limit {limit}, grace {grace}");
        assert!(!latency.quantile(0.4).unwrap().is_at_least);
        for quantile in [0.5, 0.99] {
            let found = latency.quantile(quantile).unwrap();
            assert!(
                found.is_at_least && found.value_ns >= 2_000_000_000,
                "limit {limit}, grace {grace}: {found:?}"
            );
        }
    }
}

#[test]
fn any_number_of_workers_sends_the_same() {
    let requests = (0..7).map(|n| Request::get(&format!("{URL}{n}")).unwrap()).collect();
    let plan = Plan { requests, ..closed(6, 100) };
    let sent = |count: u32| {
        let mut targets: Vec<String> = (0..count)
            .flat_map(|index| {
                let (scenario, log) = logged(Server::constant(Reply::ok(1)));
                run_shard(&plan, Shard::new(index, count).unwrap(), scenario);
                log.exchanges().into_iter().map(|exchange| exchange.target).collect::<Vec<_>>()
            })
            .collect();
        targets.sort_unstable();
        targets
    };
    let whole = sent(1);
    assert_eq!(whole.len(), 100);
    assert_eq!(whole, sent(2));
    assert_eq!(whole, sent(3));
}

#[test]
fn the_accounting_adds_up_under_random_faults() {
    for seed in 0..32 {
        let mut plan = if seed % 2 == 0 { closed(8, 400) } else { open(500.0, Duration::from_secs(1)) };
        plan.timeouts.call = Some(millis(400));
        plan.connections.pipeline = 1 + (seed % 3) as u32;
        plan.connections.limit = 8;
        let reply = move |n: u64| match n % 23 {
            3 => Reply::ok(10).then(Ending::Close),
            7 => Reply { cut: Some(30), ..Reply::ok(99) }.then(Ending::CloseSilently),
            11 => Reply::raw("nonsense\r\n\r\n"),
            13 => Reply::never(),
            17 => Reply { framing: Framing::Chunked(5), ..Reply::ok(77) },
            _ => Reply::ok(300).after(Duration::from_micros(n % 900)),
        };
        let (mut scenario, log) = logged(Server::new(move |request| reply(request.number)));
        scenario.seed = seed;
        scenario.jitter = Duration::from_micros(300);
        let cut = seed % 4 == 1;
        scenario.segment_max = cut.then_some(7);
        // A reply in many pieces meets more faults.
        (scenario.loss, scenario.reset_rate) = if cut { (0.0005, 0.0005) } else { (0.01, 0.01) };
        scenario.write_max = (seed % 4 == 2).then_some(11);
        scenario.turn_cost = Duration::from_micros(seed % 5);
        let tally = run(&plan, scenario);
        assert!(tally.completed() > 100, "seed {seed}: {:?}", outcomes(&tally));
        assert!(tally.completed() <= log.exchanges().len() as u64, "seed {seed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let plan = open(700.0, Duration::from_secs(2));
    let run_once = || {
        let mut scenario = scenario(Reply::ok(300).after(millis(2)));
        scenario.jitter = millis(1);
        scenario.loss = 0.02;
        run(&plan, scenario)
    };
    assert!(run_once() == run_once());
}

#[test]
fn a_stopped_run_is_reported() {
    let mut plan = closed(5, 1);
    plan.stop = Stop::after(Duration::from_secs(3_600));
    let plan = plan.check().unwrap();
    let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let control = Control::new();
    let mut bench = Bench::new(
        &plan,
        &prepared,
        Shard::WHOLE,
        scenario(Reply::ok(1).after(millis(10))),
        Duration::from_secs(7_200),
        &control,
    );
    while bench.worker.now < at(Duration::from_secs(2)) {
        assert_eq!(bench.turn(), Turn::More);
    }
    control.stop();
    while bench.turn() == Turn::More {}
    assert!(bench.worker.now < at(millis(2_100)));
}

#[test]
fn a_call_allocates_nothing_after_warm_up() {
    let thinking = |plan: Plan| Plan {
        session: SessionShape { think: Think::Exponential { mean: millis(3) }, ..plan.session.clone() },
        ..plan
    };
    let with_cookies = |plan: Plan| Plan {
        session: SessionShape { cookies: CookiePolicy::Jar, ..plan.session.clone() },
        ..plan
    };
    let plans = [
        ("closed", closed(16, u64::MAX)),
        ("open", open(3_000.0, Duration::from_secs(60))),
        ("thinking", thinking(closed(16, u64::MAX))),
        ("cookies", with_cookies(closed(16, u64::MAX))),
    ];
    for (name, plan) in plans {
        let plan = plan.check().unwrap();
        let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
        let reply = scenario(Reply::ok(300).with_header("Set-Cookie", "a=1").after(millis(2)));
        let mut bench = Bench::new(&plan, &prepared, Shard::WHOLE, reply, millis(100), &Control::new());
        while bench.worker.now < at(Duration::from_secs(2)) {
            bench.turn();
        }
        let allocations = alloc::count(|| {
            while bench.worker.now < at(Duration::from_secs(4)) {
                bench.turn();
            }
        });
        assert_eq!(allocations, 0, "{name}");
    }
}
