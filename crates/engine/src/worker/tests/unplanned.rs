//! What workers do that no plan lists as calls: cookies, redirects, challenges, and what observers see of them.

use super::*;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use warwolf_driver::Address;

#[test]
fn cookies_come_back_and_redirects_are_followed() {
    let mut plan = closed(2, 6);
    plan.session =
        SessionShape { cookies: CookiePolicy::Jar, redirects: RedirectPolicy::up_to(3), ..plan.session };
    let server = Server::new(|request| match (request.target, request.header("cookie")) {
        ("/", None) => {
            Reply::status(302).with_header("Location", "/login").with_header("Set-Cookie", "id=7; Path=/")
        }
        ("/login", Some("id=7")) | ("/", Some("id=7")) => Reply::ok(3),
        _ => Reply::status(403),
    });
    let (scenario, log) = logged(server);
    let tally = run(&plan, scenario);
    // Two users meet the redirect once each; what they follow is a call of its own.
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 6), (302, 2)]);
    assert_eq!(log.exchanges().iter().filter(|exchange| exchange.target == "/login").count(), 2);
}

#[test]
fn the_cookie_of_a_setup_request_goes_with_the_only_call_of_a_session() {
    let mut plan = open(100.0, millis(100));
    plan.session.cookies = CookiePolicy::Jar;
    plan.session.setup = vec![Request::get(&format!("{URL}login")).unwrap()];
    let server = Server::new(|request| match (request.target, request.header("cookie")) {
        ("/login", None) => Reply::ok(0).with_header("Set-Cookie", "id=7; Path=/"),
        ("/", Some("id=7")) => Reply::ok(3),
        _ => Reply::status(403),
    });
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 20)]);
}

/// The first reply leads to `slow.test`, all others are pages.
fn leading_to_a_name(timeout: Option<Duration>) -> (CheckedPlan, Scenario, Log) {
    let mut plan = closed(4, 40);
    plan.session.redirects = RedirectPolicy::up_to(1);
    plan.timeouts.call = timeout;
    let server = Server::new(|request| match request.number {
        0 => Reply::status(302).with_header("Location", "http://slow.test/there"),
        _ => Reply::ok(3),
    });
    let (scenario, log) = logged(server);
    (plan.check().unwrap(), scenario, log)
}

#[test]
fn a_name_server_that_does_not_answer_holds_up_one_call() {
    let (plan, scenario, _) = leading_to_a_name(Some(millis(200)));
    let mut prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let (never, silence) = channel::<()>();
    let silence = Mutex::new(silence);
    prepared.resolver = Arc::new(move |_, _| {
        let _ = silence.lock().unwrap().recv();
        Vec::new()
    });
    let tally = run_prepared(&plan, &prepared, Shard::WHOLE, scenario, None);
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 39), (302, 1)]);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 40), (Outcome::ConnectTimeout, 1)]);
    drop(never);
}

#[test]
fn a_name_in_a_reply_is_looked_up_and_its_calls_go_there() {
    let (plan, scenario, log) = leading_to_a_name(None);
    let mut prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let address = Address::Ip(([10, 0, 0, 9], 80).into());
    prepared.resolver = Arc::new(move |host, port| {
        assert_eq!((host, port), ("slow.test", 80));
        vec![address.clone()]
    });
    let tally = run_prepared(&plan, &prepared, Shard::WHOLE, scenario, None);
    assert_eq!(outcomes(&tally), [(Outcome::Completed, 41)]);
    assert_eq!(log.exchanges().iter().filter(|exchange| exchange.target == "/there").count(), 1);
}

#[test]
fn redirects_to_another_origin_do_not_wait_for_the_first() {
    // With room for both connections of each user, and with room for one.
    for (limit, connections) in [(100, 4), (2, 24)] {
        let mut plan = closed(2, 12);
        plan.connections.ownership = Ownership::Sticky;
        plan.connections.limit = limit;
        plan.session.redirects = RedirectPolicy::up_to(1);
        let server = Server::new(|request| match request.target {
            "/" => Reply::status(302).with_header("Location", "http://10.0.0.2/there"),
            _ => Reply::ok(3),
        });
        let (scenario, log) = logged(server);
        let tally = run(&plan, scenario);
        assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 12), (302, 12)], "limit {limit}");
        assert_eq!(log.connections(), connections, "limit {limit}");
    }
}

#[test]
fn users_of_two_origins_do_not_wait_for_their_own_connections() {
    for limit in [7, 10, 100] {
        let mut plan = closed(7, 210);
        plan.requests.push(Request::get("http://10.0.0.2/").unwrap());
        plan.connections.ownership = Ownership::Sticky;
        plan.connections.limit = limit;
        let (scenario, log) = logged(Server::constant(Reply::ok(3).after(millis(1))));
        let tally = run(&plan, scenario);
        assert_eq!(outcomes(&tally), [(Outcome::Completed, 210)], "limit {limit}");
        assert_eq!(log.exchanges().len(), 210, "limit {limit}");
    }
}

#[test]
fn redirects_to_ever_new_hosts_are_followed_up_to_a_limit() {
    use crate::setup::ADDED_MAX;
    let hosts = ADDED_MAX as u32 + 50;
    let mut plan = closed(1, 1);
    plan.session.redirects.limit = hosts;
    let mut next = 0;
    let server = Server::new(move |_| {
        next += 1;
        let [_, high, middle, low] = u32::to_be_bytes(next);
        Reply::status(302).with_header("Location", &format!("http://11.{high}.{middle}.{low}/"))
    });
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(302, 1 + ADDED_MAX as u64)]);
}

#[test]
fn an_observer_sees_every_call_once() {
    type Note = (u64, String, bool, Outcome);
    struct Notes(Rc<RefCell<Vec<Note>>>);
    impl Observer for Notes {
        fn call(&mut self, record: &CallRecord<'_>) {
            assert_eq!(record.planned.is_none(), *record.request.path == *"/there");
            self.0.borrow_mut().push((
                record.session,
                record.request.path.to_string(),
                record.is_continued,
                record.sample.outcome,
            ));
        }
    }
    let mut plan = closed(1, 2);
    plan.session.redirects.limit = 1;
    plan.timeouts.call = None;
    let server = Server::new(|request| match request.number {
        0 => Reply::status(302).with_header("Location", "/there"),
        1 => Reply::ok(3),
        _ => Reply::never(),
    });
    plan.stop.duration = Some(Duration::from_secs(1));
    let plan = plan.check().unwrap();
    let prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let notes = Rc::default();
    let control = Control::new();
    let mut bench =
        Bench::new(&plan, &prepared, Shard::WHOLE, Scenario::new(1, server), millis(100), &control);
    bench.worker.watch(Box::new(Notes(Rc::clone(&notes))));
    while bench.turn() == Turn::More {}
    bench.worker.cut();
    let seen = notes.borrow();
    let expected = [
        ("/", true, Outcome::Completed),
        ("/there", false, Outcome::Completed),
        ("/", false, Outcome::Unfinished),
    ];
    assert_eq!(*seen, expected.map(|(path, continued, outcome)| (0, path.to_owned(), continued, outcome)));
}

#[test]
fn challenges_are_answered_once_and_remembered() {
    let mut plan = closed(1, 3);
    let mufasa = Credentials { name: "Mufasa".into(), password: "Circle of Life".into(), realm: None };
    plan.session.auth =
        Some(Auth { server: vec![mufasa], proxy: Vec::new(), attempts: 5, retry_without_credentials: false });
    let server = Server::new(|request| match request.header("authorization") {
        Some(answer) if answer.starts_with("Digest username=\"Mufasa\"") => Reply::ok(3),
        _ => Reply::status(401)
            .with_header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""),
    });
    let tally = run(&plan, Scenario::new(1, server));
    assert_eq!(tally.statuses().collect::<Vec<_>>(), [(200, 3), (401, 1)]);
    // Credentials that are refused are not offered for ever.
    let refusing = Reply::status(401).with_header("WWW-Authenticate", "Basic realm=r");
    assert_eq!(run(&plan, scenario(refusing)).completed(), 15);
}

#[test]
fn redirects_in_a_circle_end_at_the_limit() {
    let mut plan = closed(1, 2);
    plan.session.redirects.limit = 5;
    let tally = run(&plan, scenario(Reply::status(301).with_header("Location", "/")));
    assert_eq!(tally.completed(), 12);
}
