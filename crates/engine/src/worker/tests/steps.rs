//! Sessions that run scenarios, against a server that knows what they should send.

use super::*;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::{Body, Contents, DataTable, OnFail, Repeat, RequestId, Step, Table, Take};

fn step(name: &str, request: u32) -> Step {
    Step::new(name, RequestId(request))
}

fn check(text: &str) -> Check {
    Check::parse("check", text).unwrap()
}

fn template(method: &str, path: &str) -> Request {
    let mut request = Request::get(URL).unwrap();
    method.clone_into(&mut request.method);
    request.path = path.into();
    request.is_template = true;
    request
}

/// Users who log in with their name, look at items, and buy with the token of the login. `users` at a time, `sessions` in all.
fn shop(users: u32, sessions: u64) -> CheckedPlan {
    let mut login = template("POST", "/login");
    login.body = Body::Json(r#"{"user": "{{user.name}}"}"#.to_owned());
    let mut buy = template("POST", "/cart");
    buy.headers = vec![("Authorization".to_owned(), "Bearer {{token}}".to_owned())];
    buy.body = Body::Form(vec![("item".to_owned(), "{{int:1,9}}".to_owned())]);
    let mut plan = Plan::new(vec![login, template("GET", "/item/{{int:1,9}}"), buy]);
    let mut log_in = step("login", 0);
    log_in.captures = vec![Capture::parse("capture", "token", "json $.token").unwrap()];
    log_in.checks = vec![check("status == 200"), check("json $.ok == true")];
    log_in.on_fail = OnFail::EndSession;
    let mut browse = step("browse", 1);
    browse.repeat = Repeat::times(2);
    let mut pay = step("buy", 2);
    pay.group = Some("checkout".to_owned());
    pay.checks = vec![check("body contains bought")];
    plan.scenarios = vec![warwolf_plan::Scenario::new("shop", vec![log_in, browse, pay])];
    plan.session.cookies = CookiePolicy::Jar;
    plan.schedule = Schedule::Turns { users };
    plan.stop = Stop { duration: None, calls: Some(sessions), grace: Duration::ZERO };
    plan.data = vec![DataTable { name: "user".to_owned(), file: "users.csv".into(), take: Take::InOrder }];
    let rows = Table::parse("users.csv", b"name\nann\nbob\n").unwrap();
    let contents = Contents { tables: vec![Arc::new(rows)], ..Contents::default() };
    plan.check().unwrap().with_contents(contents).unwrap()
}

fn json(body: &str) -> Reply {
    let length = body.len();
    Reply::raw(format!(
        "HTTP/1.1 200 OK\r\nSet-Cookie: sid=1; Path=/\r\nContent-Length: {length}\r\n\r\n{body}"
    ))
}

/// Answers a user with a token made of the name, and sells only for a token. Bob may not log in if `refuses`.
fn server(refuses: bool) -> Server {
    Server::new(move |request| {
        let field = |name: &str| request.header(name).unwrap_or_default();
        let body = String::from_utf8_lossy(request.body).into_owned();
        match request.target {
            "/login" if refuses && body == r#"{"user": "bob"}"# => json(r#"{"ok": false}"#),
            "/login" => json(&format!(r#"{{"ok": true, "token": "t-{}"}}"#, &body[10..13])),
            "/cart" if field("authorization").starts_with("Bearer t-") && body.starts_with("item=") => {
                assert_eq!(field("cookie"), "sid=1", "the session's cookie");
                json("bought")
            }
            item if item.starts_with("/item/") => json("an item"),
            other => panic!("{other}: {body}"),
        }
        .after(millis(1))
    })
}

fn tally(plan: &CheckedPlan, server: Server) -> (Tally, Log) {
    let (scenario, log) = logged(server);
    let prepared = Prepared::new(plan, plan.contents()).unwrap();
    (run_prepared(plan, &prepared, Shard::WHOLE, scenario, None), log)
}

#[test]
fn a_session_logs_in_looks_around_and_buys() {
    let plan = shop(3, 20);
    let (tally, log) = tally(&plan, server(false));
    assert_eq!((tally.completed(), tally.counters().check_failed), (80, 0));
    let targets: Vec<String> = log.exchanges().iter().map(|exchange| exchange.target.clone()).collect();
    let count = |start: &str| targets.iter().filter(|target| target.starts_with(start)).count();
    assert_eq!((count("/login"), count("/item/"), count("/cart")), (20, 40, 20));
    let items: std::collections::BTreeSet<&String> =
        targets.iter().filter(|target| target.starts_with("/item/")).collect();
    assert!(items.len() > 3, "drawn for each request: {items:?}");
    // The capture and two checks of the login, then the check of the purchase.
    for index in 0..4 {
        assert_eq!(
            (tally.check_results(index).passed, tally.check_results(index).failed),
            (20, 0),
            "{index}"
        );
    }
    let rows: Vec<u64> = tally.targets().take(3).map(|(_, row)| row.completed).collect();
    assert_eq!(rows, [20, 40, 20]);
    let group = tally.group_results(0).unwrap();
    assert_eq!((group.completed, group.failed), (20, 0));
}

#[test]
fn a_failed_check_is_counted_and_ends_the_session() {
    let plan = shop(1, 4);
    let (tally, log) = tally(&plan, server(true));
    assert_eq!(log.exchanges().len(), 2 * 4 + 2, "bob only tries to log in");
    let counters = tally.counters();
    assert_eq!((tally.completed(), counters.check_failed), (10, 2), "completed, check failed");
    let failed: Vec<u64> = (0..4).map(|index| tally.check_results(index).failed).collect();
    assert_eq!(failed, [2, 0, 2, 0], "the capture found nothing, and ok is false");
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let plan = shop(16, u64::MAX);
    let prepared = Prepared::new(&plan, plan.contents()).unwrap();
    let scenario = Scenario::new(1, server(false));
    let mut bench = Bench::new(&plan, &prepared, Shard::WHOLE, scenario, millis(100), &Control::new());
    while bench.worker.now < at(Duration::from_secs(2)) {
        bench.turn();
    }
    let allocations = alloc::count(|| {
        while bench.worker.now < at(Duration::from_secs(4)) {
            bench.turn();
        }
    });
    assert!(bench.worker.accounting.begun.count > 1_000, "{}", bench.worker.accounting.begun.count);
    assert_eq!(allocations, 0);
}
