//! What sessions and observers receive of replies, and idle timers.

use super::*;
use warwolf_observe::{Event, Kept};
use warwolf_plan::{Body, Hole, HoleValue, RandomData, ReplyEnd, ResourceOrder, Resources};
use warwolf_workload::{BodyHash, Interest};

/// A call as an observer saw it: path, whether it goes on, whether it is setup, outcome, what was kept of it, and whether its
/// connection was opened for it.
#[derive(Debug)]
struct Note {
    path: String,
    planned: bool,
    continued: bool,
    setup: bool,
    outcome: Outcome,
    kept: Kept,
    opened: bool,
}

struct Notes {
    notes: Rc<RefCell<Vec<Note>>>,
    cached: Rc<RefCell<Vec<String>>>,
    wants: Wants,
}

/// Adds what an observer wants.
type Wants = fn(&mut Interest);

fn nothing(_: &mut Interest) {}

fn exchanges(interest: &mut Interest) {
    (interest.exchange, interest.random_data) = (true, true);
    interest.add_body(1_000);
}

fn copy(kept: &Kept) -> Kept {
    Kept {
        headers: kept.headers.clone(),
        body: kept.body.clone(),
        reason: kept.reason.clone(),
        request: kept.request.clone(),
        head: kept.head.clone(),
        path: kept.path.clone(),
        scan: None,
        ..*kept
    }
}

impl Observer for Notes {
    fn call(&mut self, record: &CallRecord<'_>) {
        self.notes.borrow_mut().push(Note {
            path: record.request.path.to_string(),
            planned: record.planned.is_some(),
            continued: record.is_continued,
            setup: record.is_setup,
            outcome: record.sample.outcome,
            kept: copy(record.kept),
            opened: record.connected.is_reached(),
        });
    }

    fn event(&mut self, event: &Event<'_>, _now: Timestamp) {
        if let Event::Cached { request, .. } = event {
            self.cached.borrow_mut().push(request.path.to_string());
        }
    }

    fn add_interest(&self, interest: &mut Interest) {
        (self.wants)(interest);
    }
}

fn observed(plan: &Plan, server: Server, wants: Wants) -> Vec<Note> {
    observed_and_cached(plan, server, wants).0
}

/// What an observer receives, and what was left out because it is still good.
fn observed_and_cached(plan: &Plan, server: Server, wants: Wants) -> (Vec<Note>, Vec<String>) {
    let plan = &plan.clone().check().unwrap();
    let prepared = Prepared::new(plan, &Arc::default()).unwrap();
    let (notes, cached, control) = (Rc::default(), Rc::default(), Control::new());
    let scenario = Scenario::new(1, server);
    let mut bench = Bench::new(plan, &prepared, Shard::WHOLE, scenario, millis(100), &control);
    bench.worker.watch(Box::new(Notes { notes: Rc::clone(&notes), cached: Rc::clone(&cached), wants }));
    while bench.turn() == Turn::More {}
    bench.worker.cut();
    (notes.take(), cached.take())
}

fn html(body: &str) -> Reply {
    let length = body.len();
    Reply::raw(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=x\r\nContent-Length: {length}\r\n\r\n{body}"
    ))
}

#[test]
fn an_observer_may_see_what_went_over_the_connection() {
    let plan = closed(1, 2);
    let page = |_: &warwolf_sim::Request<'_>| html("<p>");
    let seen = observed(&plan, Server::new(page), exchanges);
    let kept = &seen[1].kept;
    assert!(kept.request.starts_with(b"GET / HTTP/1.1\r\n") && kept.request.ends_with(b"\r\n\r\n"));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=x\r\nContent-Length: 3\r\n\r\n";
    assert_eq!(String::from_utf8_lossy(&kept.head), head);
    assert_eq!(kept.body, b"<p>");
    assert_eq!((seen[0].opened, seen[1].opened), (true, false));
    let unasked = observed(&plan, Server::new(page), nothing);
    assert!(unasked.iter().all(|note| note.kept.request.is_empty() && note.kept.body.is_empty()));
}

#[test]
fn the_resources_of_pages_are_fetched() {
    let mut plan = closed(1, 2);
    plan.session.resources =
        Some(Resources { order: ResourceOrder::LastFirst, refresh: true, ..Resources::up_to(9) });
    let server = |request: &warwolf_sim::Request<'_>| match request.target {
        "/" => html("<img src=a><script src=/b></script><meta http-equiv=refresh content=0;url=c>"),
        "/a" => Reply::status(404).with_header("Content-Type", "text/html"),
        _ => Reply::ok(9),
    };
    let seen = observed(&plan, Server::new(server), nothing);
    let observed: Vec<(&str, bool, bool)> =
        seen.iter().map(|note| (note.path.as_str(), note.planned, note.continued)).collect();
    let page = [("/", true, true), ("/c", false, false), ("/b", false, false), ("/a", false, false)];
    assert_eq!(observed, [page, page].concat());
    let tally = run(&plan, Scenario::new(1, Server::new(server)));
    assert_eq!(tally.completed(), 8, "each is a call of its own");
}

#[test]
fn fresh_resources_are_not_fetched_again() {
    let mut plan = closed(1, 3);
    plan.session.resources = Some(Resources {
        order: ResourceOrder::LastFirst,
        refresh: true,
        cache: true,
        ..Resources::up_to(9)
    });
    plan.session.think = Think::Constant { time: Duration::from_secs(40) };
    let server = |request: &warwolf_sim::Request<'_>| match request.target {
        "/" => html("<img src=a>"),
        _ => Reply::ok(9)
            .with_header("Date", "Sat, 21 Nov 2026 10:00:00 GMT")
            .with_header("Expires", "Sat, 21 Nov 2026 10:01:00 GMT"),
    };
    let (seen, cached) = observed_and_cached(&plan, Server::new(server), nothing);
    let paths: Vec<&str> = seen.iter().map(|note| note.path.as_str()).collect();
    assert_eq!((paths, cached), (vec!["/", "/a", "/", "/", "/a"], vec!["/a".to_owned()]));
}

#[test]
fn sessions_may_begin_with_a_setup_request() {
    let mut plan = closed(3, 3);
    plan.session.setup = ["in", "on"].map(|path| Request::get(&format!("{URL}{path}")).unwrap()).to_vec();
    plan.session.failure.on_error = true;
    let server = |request: &warwolf_sim::Request<'_>| match request.target {
        "/on" => Reply::never().then(Ending::Reset),
        _ => Reply::ok(9),
    };
    let seen = observed(&plan, Server::new(server), nothing);
    let count = |path: &str, setup: bool| seen.iter().filter(|n| n.path == path && n.setup == setup).count();
    assert_eq!((count("/in", true), count("/on", true), count("/", false)), (2, 1, 3));
    assert!(seen.iter().any(|note| note.outcome == Outcome::Reset));
}

#[test]
fn challenges_are_shown_to_the_observer() {
    let mut plan = closed(1, 1);
    plan.session.auth =
        Some(Auth { server: Vec::new(), proxy: Vec::new(), attempts: 3, retry_without_credentials: true });
    let bare = observed(&plan, Server::constant(Reply::status(401)), nothing);
    assert_eq!(bare.iter().map(|note| note.continued).collect::<Vec<_>>(), [true, true, false]);
    let digest =
        Reply::status(401).with_header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"");
    let asked = observed(&plan, Server::constant(digest), nothing);
    assert_eq!(
        asked
            .iter()
            .map(|note| (note.continued, note.kept.headers.all("www-authenticate").count()))
            .collect::<Vec<_>>(),
        [(false, 1)]
    );
}

#[test]
fn the_idle_timer_ends_a_silent_call_but_not_a_slow_one() {
    let mut plan = closed(1, 2);
    plan.timeouts = Timeouts { connect: None, call: None, idle: Some(millis(500)), ..Timeouts::default() };
    let silent = run(&plan, scenario(Reply::never()));
    assert_eq!(outcomes(&silent), [(Outcome::ResponseTimeout, 2)]);
    let waited = silent.moments(Phase::Latency).max_ns().unwrap();
    assert!((500_000_000..502_000_000).contains(&waited), "{waited}");
    // Three seconds in all, and never silent for long.
    let trickle = Reply { pace: Some((100, millis(300))), ..Reply::ok(1_000) };
    assert_eq!(outcomes(&run(&plan, scenario(trickle))), [(Outcome::Completed, 2)]);
    let stalling = Reply { cut: Some(60), ..Reply::ok(500) }.then(Ending::Silence);
    assert_eq!(outcomes(&run(&plan, scenario(stalling))), [(Outcome::ResponseTimeout, 2)]);
    let nobody = scenario(Reply::ok(0)).with_fate(|_, _| Fate::Unanswered);
    assert_eq!(outcomes(&run(&plan, nobody)), [(Outcome::ConnectTimeout, 2)]);
}

#[test]
fn the_idle_timer_does_not_close_unused_connections() {
    let mut plan = closed(1, 3);
    plan.connections.ownership = Ownership::Sticky;
    plan.timeouts.idle = Some(millis(500));
    plan.session.think = Think::Constant { time: Duration::from_secs(5) };
    let (scenario, log) = logged(Server::constant(Reply::ok(9)));
    assert_eq!(outcomes(&run(&plan, scenario)), [(Outcome::Completed, 3)]);
    assert_eq!(log.connections(), 1);
}

#[test]
fn bodies_are_hashed_where_an_observer_wants_it() {
    let plan = closed(1, 3);
    let server = || {
        Server::new(|request| {
            let body = if request.number == 1 { "twenty bytes, other." } else { "twenty bytes, first." };
            Reply { pace: Some((7, millis(1))), ..html(body) }
        })
    };
    let hashes =
        |wants| observed(&plan, server(), wants).iter().map(|note| note.kept.body_hash).collect::<Vec<_>>();
    assert_eq!(hashes(nothing), [0, 0, 0]);
    const HASH: BodyHash = |hash, bytes| bytes.iter().fold(hash, |hash, byte| hash * 3 + u64::from(*byte));
    let [first, other] = [b"twenty bytes, first.", b"twenty bytes, other."].map(|body| HASH(0, body));
    assert_ne!(first, other);
    assert_eq!(
        hashes(|interest| interest.body_hash = Some(HASH)),
        [first, other, first],
        "whole, in however many pieces they come"
    );
}

#[test]
fn a_receive_rate_holds_for_each_connection() {
    let mut plan = closed(2, 2);
    plan.network.receive_rate = Some(10_000);
    plan.timeouts = Timeouts { connect: None, call: None, idle: Some(millis(400)), ..Timeouts::default() };
    let tally = run(&plan, scenario(Reply::ok(50_000)));
    let bytes = tally.counters().wire_received / 2;
    assert_eq!(
        outcomes(&tally),
        [(Outcome::Completed, 2)],
        "the idle timer stands still while the connection is throttled"
    );
    // The throttle after the last piece, at most half a second's worth, delays no call.
    let most = bytes as f64 / 10_000.0 + 0.01;
    let (least, longest) = (tally.moments(Phase::Service).min_ns(), tally.moments(Phase::Service).max_ns());
    for took in [least, longest] {
        let took = took.unwrap() as f64 / 1e9;
        assert!((most - 0.52..=most).contains(&took), "{took} s for {bytes} bytes");
    }
    plan.network.receive_rate = None;
    let longest = run(&plan, scenario(Reply::ok(50_000))).moments(Phase::Service).max_ns().unwrap();
    assert!(longest < 10_000_000, "{longest}");
}

#[test]
fn a_reply_may_end_with_its_connection() {
    let mut plan = closed(1, 1);
    plan.connections.keep_alive = false;
    let chunked = || Reply { framing: Framing::Chunked(3), ..Reply::ok(10) };
    let bytes = |plan: &Plan| run(plan, scenario(chunked())).counters().body_bytes;
    assert_eq!(bytes(&plan), 10);
    plan.connections.reply_end = ReplyEnd::Close;
    assert!(bytes(&plan) > 20, "the framing of chunks is body");
    plan.connections.keep_alive = true;
    assert!(plan.clone().check().is_err(), "then there is no second reply on a connection");
}

#[test]
fn observers_receive_reason_phrases_they_want() {
    let seen =
        observed(&closed(1, 1), Server::constant(Reply::status(503)), |interest| interest.reason = true);
    assert_eq!(seen[0].kept.reason, b"Simulated");
}

/// What a plan with random data sends: request lines and bodies, as the observer sees them, and the lengths in its records.
fn drawn(posted: bool, escaped: bool, seed: u64) -> Vec<(String, usize, u64)> {
    let mut plan = closed(2, 6);
    plan.seed = seed;
    plan.connections.keep_alive = false;
    let (method, mark) = if posted { ("POST", "") } else { ("GET", "?") };
    plan.requests[0].method = method.to_owned();
    plan.requests[0].head = Some(format!("{method} /x{mark} HTTP/1.0\r\n"));
    let data = RandomData { max: 40, escaped };
    if posted {
        plan.requests[0].body = Body::Random(data);
    } else {
        plan.requests[0].holes = vec![Hole { at: 7, value: HoleValue::Random(data) }];
    }
    let seen = observed(&plan, Server::constant(Reply::ok(3)), exchanges);
    assert!(seen.iter().all(|note| note.outcome == Outcome::Completed));
    let observed = seen.iter().map(|note| {
        let request = &note.kept.request;
        let end = request.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8_lossy(&request[..end]).into_owned(), request.len() - end, note.kept.drawn_bytes)
    });
    observed.collect()
}

#[test]
fn random_data_has_its_place_and_depends_on_the_seed_only() {
    let queries = drawn(false, true, 1);
    for (head, body, length) in &queries {
        let data =
            head.strip_prefix("GET /x?").and_then(|rest| rest.strip_suffix(" HTTP/1.0\r\n\r\n")).unwrap();
        assert_eq!((data.len() as u64, *body), (*length, 0), "{head}");
    }
    assert_eq!(drawn(false, true, 1), queries);
    assert_ne!(drawn(false, true, 2), queries);
    let different: std::collections::HashSet<_> = queries.iter().map(|(head, ..)| head).collect();
    assert_eq!(different.len(), 6, "each call has its own");
    for (head, body, length) in drawn(true, false, 1) {
        assert_eq!(head, format!("POST /x HTTP/1.0\r\nContent-length: {body}\r\n\r\n"));
        assert!((1..=40).contains(&body) && length == body as u64);
    }
}

#[test]
fn the_number_of_the_session_fills_a_hole() {
    let mut plan = closed(2, 4);
    plan.connections.keep_alive = false;
    plan.requests[0].head = Some("GET /u HTTP/1.0\r\n".to_owned());
    plan.requests[0].holes = vec![Hole { at: 6, value: HoleValue::Session }];
    let seen = observed(&plan, Server::constant(Reply::ok(3)), exchanges);
    let mut lines: Vec<_> =
        seen.iter().map(|note| String::from_utf8_lossy(&note.kept.request[..17]).into_owned()).collect();
    lines.sort();
    assert_eq!(
        lines,
        ["GET /u0 HTTP/1.0\r", "GET /u0 HTTP/1.0\r", "GET /u1 HTTP/1.0\r", "GET /u1 HTTP/1.0\r"]
    );
}

/// What is sent for each of `count` requests that `change` shapes.
fn sent(count: usize, change: &dyn Fn(&mut Plan)) -> Vec<String> {
    let mut plan = closed(1, count as u64);
    let request = |number: usize| Request::get(&format!("http://10.0.0.1/{number}?x")).unwrap();
    plan.requests = (0..count).map(request).collect();
    change(&mut plan);
    let seen = observed(&plan, Server::constant(Reply::ok(3)), exchanges);
    seen.iter().map(|note| String::from_utf8_lossy(&note.kept.request).into_owned()).collect()
}

#[test]
fn requests_of_a_long_list_are_sent_as_those_of_a_short_one() {
    let raw = |plan: &mut Plan| {
        for request in &mut plan.requests {
            request.head = Some("GET  HTTP/1.0\r\nX-User: \r\n".to_owned());
            let hole = |at, value| Hole { at, value };
            request.holes = vec![hole(4, HoleValue::Path), hole(23, HoleValue::Session)];
        }
    };
    let proxied = |plan: &mut Plan| {
        let endpoint = plan.requests[0].endpoint.clone();
        plan.network.proxy = Some(Proxy { endpoint, basic_auth: None });
        plan.requests[3].path = "*".into();
    };
    let with_cookies = |plan: &mut Plan| plan.session.cookies = CookiePolicy::Jar;
    type Change<'c> = &'c dyn Fn(&mut Plan);
    let changes: [(Change<'_>, &str); 4] = [
        (&|_| {}, "GET /2?x HTTP/1.1\r\nHost: 10.0.0.1\r\n"),
        (&raw, "GET /2?x HTTP/1.0\r\nX-User: 0\r\n\r\n"),
        (&proxied, "GET http://10.0.0.1/2?x HTTP/1.1\r\nHost: 10.0.0.1\r\n"),
        (&with_cookies, "GET /2?x HTTP/1.1\r\nHost: 10.0.0.1\r\n"),
    ];
    for (change, third) in changes {
        let (short, long) = (sent(50, change), sent(100, change));
        assert_eq!((short.len(), long.len()), (50, 100));
        assert!(long[2].starts_with(third), "{}", long[2]);
        assert_eq!(short[..], long[..50]);
    }
}
