use super::*;
use crate::{CallRequest, Checked, Reply, Sequel, Session, Step as NextCall, Token, Workload};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::{
    Again, Body, CheckedPlan, Contents, DataTable, OnFail, Plan, Repeat, Request, RequestId, Scenario,
    Schedule, Shard, Step, Table, Take, Think, Variable, VariableValue,
};
use warwolf_scan::End;

fn request(method: &str, path: &str) -> Request {
    let mut request = Request::get("http://a.test/").unwrap();
    method.clone_into(&mut request.method);
    request.path = path.into();
    request.is_template = true;
    request
}

fn step(name: &str, request: u32) -> Step {
    Step::new(name, RequestId(request))
}

fn check(text: &str) -> Check {
    Check::parse("check", text).unwrap()
}

fn capture(name: &str, text: &str) -> Capture {
    Capture::parse("capture", name, text).unwrap()
}

/// A plan whose steps send `GET /NAME`, changed.
fn plan(steps: Vec<Step>) -> Plan {
    let requests = steps.iter().map(|step| request("GET", &format!("/{}", step.name))).collect();
    let mut plan = Plan::new(requests);
    plan.schedule = Schedule::Turns { users: 1 };
    let steps = (0..).zip(steps).map(|(number, step)| Step { request: RequestId(number), ..step });
    plan.scenarios = vec![Scenario::new("all", steps.collect())];
    plan
}

/// A session that is run by hand.
struct Run {
    plan: CheckedPlan,
    workload: Workload,
    names: Names,
    session: Session,
    now: Timestamp,
}

/// What a session does.
#[derive(Clone, Debug, PartialEq)]
enum Did {
    Sent(String),
    Paused(Duration),
    Ended,
}

fn sent(path: &str) -> Did {
    Did::Sent(path.to_owned())
}

impl Run {
    fn new(plan: Plan, number: u64) -> Self {
        Self::of(plan.check().unwrap(), number)
    }

    fn of(plan: CheckedPlan, number: u64) -> Self {
        let workload = Workload::of_shard(&plan, Shard::WHOLE);
        let names = Names::new(&plan, plan.contents());
        let session = workload.session(number);
        Self { plan, workload, names, session, now: Timestamp::ZERO }
    }

    /// The next request or pause, and the token of the request.
    fn next(&mut self) -> (Did, Token) {
        self.workload.set_now(self.now);
        match self.session.next(&mut self.workload) {
            NextCall::Send { token, request } => {
                let request = match request {
                    CallRequest::Planned(id) => &self.plan.requests[id.0 as usize],
                    CallRequest::Unplanned(request) => &*Box::leak(request),
                };
                let mut path = Vec::new();
                match RequestTexts::compile(request, &self.names) {
                    Some(texts) => self.session.write_target(&self.workload, &texts, &mut path),
                    None => path.extend_from_slice(request.path.as_bytes()),
                }
                (Did::Sent(String::from_utf8(path).unwrap()), token)
            }
            NextCall::Think(time) => {
                self.now += time;
                (Did::Paused(time), Token::default())
            }
            NextCall::Done => (Did::Ended, Token::default()),
            other => panic!("{other:?}"),
        }
    }

    /// Answers a request 10 ms later.
    fn answer(&mut self, token: Token, path: &str, status: u16, body: &str) -> (Sequel, Checked) {
        let intended = self.now;
        self.now += Duration::from_millis(10);
        let step = self.session.scanned_step(&self.workload, token);
        let mut scan = step.map(|step| self.workload.take_scan(step));
        if let (Some(step), Some(scan)) = (step, &mut scan) {
            let end = End { latency: Duration::from_millis(10), url: "", body_bytes: body.len() as u64 };
            let scanner = self.workload.scanner(step);
            self.session.begin_scan(&self.workload, step, scan);
            scan.head(scanner, status, "HTTP/1.1", &mut std::iter::empty());
            scan.body(scanner, body.as_bytes());
            self.session.end_scan(&self.workload, step, scan, &end);
        }
        let request = request("GET", path);
        let reply = Reply {
            completed: status > 0,
            status,
            path,
            intended,
            at: self.now,
            scan: scan.as_deref(),
            ..Reply::failed(token, &request)
        };
        let sequel = self.session.reply(&self.workload, &reply);
        (sequel, self.session.checked(&self.workload))
    }

    /// Runs to the end. `server` answers a path with a status and a body.
    fn run(&mut self, mut server: impl FnMut(&str) -> (u16, String)) -> Vec<Did> {
        let mut all = Vec::new();
        while all.len() < 100 {
            let (did, token) = self.next();
            all.push(did.clone());
            match did {
                Did::Sent(path) => {
                    let (status, body) = server(&path);
                    self.answer(token, &path, status, &body);
                }
                Did::Paused(_) => {}
                Did::Ended => break,
            }
        }
        all
    }

    fn run_ok(&mut self) -> Vec<Did> {
        self.run(|_| (200, String::new()))
    }
}

/// The sequence of a session whose replies are all 200 and empty.
fn sequence(plan: Plan) -> Vec<Did> {
    Run::new(plan, 0).run_ok()
}

fn paths(done: &[Did]) -> Vec<&str> {
    done.iter().filter_map(|did| if let Did::Sent(path) = did { Some(&path[1..]) } else { None }).collect()
}

#[test]
fn a_token_of_the_login_is_used_by_the_next_step() {
    let mut login = step("login", 0);
    login.captures = vec![capture("token", "json $.token")];
    login.checks = vec![check("status == 200"), check("json $.ok == true")];
    let mut plan = plan(vec![login, step("use", 1)]);
    plan.requests[1].path = "/items?token={{token}}".into();
    let mut run = Run::new(plan, 0);
    let (did, token) = run.next();
    assert_eq!(did, sent("/login"));
    let (_, checked) = run.answer(token, "/login", 200, r#"{"ok": true, "token": "a b/c"}"#);
    assert_eq!(checked, Checked { first: 0, count: 3, captures: 1, failed: 0 });
    let (did, token) = run.next();
    assert_eq!(did, sent("/items?token=a%20b/c"));
    let (_, checked) = run.answer(token, "/items", 200, "");
    assert_eq!(checked.count, 0);
    assert_eq!(run.next().0, Did::Ended);
}

#[test]
fn what_fails_is_marked_and_a_value_that_does_not_fit_is_not_stored() {
    let mut login = step("login", 0);
    login.captures = vec![Capture { max: 4, ..capture("token", "json $.token") }];
    login.checks = vec![check("status == 200"), check("body contains yes")];
    let mut plan = plan(vec![login, step("use", 1)]);
    plan.requests[1].path = "/use/{{token}}".into();
    for (status, body, failed) in [
        (200, r#"{"token": "four", "x": "yes"}"#, 0b000),
        (200, r#"{"token": "five5", "x": "yes"}"#, 0b001),
        (500, r#"{"token": "four"}"#, 0b110),
        (200, "yes", 0b001),
    ] {
        let mut run = Run::new(plan.clone(), 0);
        let (_, token) = run.next();
        let (_, checked) = run.answer(token, "/login", status, body);
        assert_eq!(checked, Checked { first: 0, count: 3, captures: 1, failed }, "{body}");
        let expected = if failed & 1 == 0 { "/use/four" } else { "/use/" };
        assert_eq!(run.next().0, sent(expected), "{body}");
    }
}

#[test]
fn steps_are_repeated_shared_and_left_out() {
    let mut often = step("often", 0);
    often.repeat = Repeat::times(3);
    assert_eq!(paths(&sequence(plan(vec![often, step("last", 1)]))), ["often", "often", "often", "last"]);

    let mut some = step("some", 0);
    some.repeat = Repeat::Times { min: 1, max: 3 };
    let lengths: BTreeSet<usize> =
        (0..50).map(|number| Run::new(plan(vec![some.clone()]), number).run_ok().len() - 1).collect();
    assert_eq!(lengths, BTreeSet::from([1, 2, 3]));

    let mut rare = step("rare", 0);
    rare.share = 0.25;
    let rare = plan(vec![rare, step("always", 1)]);
    let taken = (0..1_000).filter(|number| Run::new(rare.clone(), *number).run_ok().len() == 3).count();
    assert!((200..300).contains(&taken), "{taken}");

    let branch = |name: &str, share| Step { share, branch: Some("pay".to_owned()), ..step(name, 0) };
    let branches = plan(vec![branch("card", 0.5), branch("cash", 0.3), step("end", 0)]);
    let mut counts = std::collections::BTreeMap::new();
    for number in 0..1_000 {
        let done = Run::new(branches.clone(), number).run_ok();
        *counts.entry(paths(&done).join(" ")).or_insert(0_u32) += 1;
    }
    let counts: Vec<_> = counts.into_iter().collect();
    assert_eq!(
        counts.iter().map(|(way, _)| way.as_str()).collect::<Vec<_>>(),
        ["card end", "cash end", "end"]
    );
    assert!(counts[0].1.abs_diff(500) < 60 && counts[1].1.abs_diff(300) < 60, "{counts:?}");
}

#[test]
fn a_step_is_left_out_unless_its_condition_holds() {
    let mut first = step("first", 0);
    first.captures = vec![capture("state", "json $.state")];
    let when = |name: &str, text: &str| Step { when: Some(check(text)), ..step(name, 0) };
    let plan = plan(vec![
        first,
        when("a", "{{state}}"),
        when("b", "{{state}} == open"),
        when("c", "{{state}} not exists"),
    ]);
    for (body, expected) in [
        (r#"{"state": "open"}"#, &["first", "a", "b"][..]),
        (r#"{"state": "shut"}"#, &["first", "a"]),
        ("{}", &["first", "c"]),
    ] {
        let done = Run::new(plan.clone(), 0).run(|_| (200, body.to_owned()));
        assert_eq!(paths(&done), expected, "{body}");
    }
}

#[test]
fn a_step_polls_until_its_condition_holds_or_its_limit_is_reached() {
    let mut poll = step("poll", 0);
    poll.again = Some(Again { condition: Some(check("json $.state == done")), until: true, limit: 4 });
    poll.think = Think::Constant { time: Duration::from_millis(5) };
    let plan = plan(vec![poll, step("after", 1)]);
    for (ready_at, tries, failed) in [(1, 1, 0), (3, 3, 0), (9, 4, 1)] {
        let mut run = Run::new(plan.clone(), 0);
        let mut results = Vec::new();
        for attempt in 1..=tries {
            let (did, token) = run.next();
            assert_eq!(did, sent("/poll"), "try {attempt} of {tries}");
            let body = format!(r#"{{"state": "{}"}}"#, if attempt == ready_at { "done" } else { "busy" });
            results.push(run.answer(token, "/poll", 200, &body).1);
            assert_eq!(run.next().0, Did::Paused(Duration::from_millis(5)));
        }
        let last = results.pop().unwrap();
        assert_eq!((last.count, last.failed), (1, failed), "{ready_at}");
        assert!(results.iter().all(|checked| checked.failed == 0 && checked.count == 0), "{results:?}");
        assert_eq!(run.next().0, sent("/after"));
    }
}

#[test]
fn a_failure_ends_the_session_after_its_teardown() {
    let mut login = step("login", 0);
    login.checks = vec![check("status == 200")];
    login.on_fail = OnFail::EndSession;
    let mut plan = plan(vec![login, step("use", 1), step("logout", 2)]);
    let logout = plan.scenarios[0].steps.pop().unwrap();
    plan.scenarios[0].teardown = vec![logout];
    assert_eq!(paths(&sequence(plan.clone())), ["login", "use", "logout"]);
    let refused =
        Run::new(plan.clone(), 0).run(|path| (if path == "/login" { 403 } else { 200 }, String::new()));
    assert_eq!(paths(&refused), ["login", "logout"]);
    let broken =
        Run::new(plan.clone(), 0).run(|path| (if path == "/login" { 0 } else { 200 }, String::new()));
    assert_eq!(paths(&broken), ["login", "logout"]);
    plan.scenarios[0].steps[0].on_fail = OnFail::StopRun;
    let mut run = Run::new(plan, 0);
    run.run(|_| (500, String::new()));
    assert!(run.session.stops_run());
}

#[test]
fn setup_comes_first_and_steps_repeat_between_it_and_the_teardown() {
    let mut plan = plan(vec![step("login", 0), step("a", 1), step("b", 2), step("bye", 3)]);
    let scenario = &mut plan.scenarios[0];
    scenario.setup = vec![scenario.steps.remove(0)];
    scenario.teardown = vec![scenario.steps.pop().unwrap()];
    scenario.repeat = Repeat::times(2);
    assert_eq!(paths(&sequence(plan.clone())), ["login", "a", "b", "a", "b", "bye"]);
    plan.scenarios[0].repeat = Repeat::Forever;
    assert_eq!(paths(&sequence(plan))[..6], ["login", "a", "b", "a", "b", "a"]);
}

#[test]
fn sessions_choose_scenarios_by_weight() {
    let mut plan = plan(vec![step("browse", 0), step("buy", 1)]);
    let buy = plan.scenarios[0].steps.pop().unwrap();
    plan.scenarios[0].weight = 3.0;
    plan.scenarios.push(Scenario::new("buyers", vec![buy]));
    let bought =
        (0..1_000).filter(|number| paths(&Run::new(plan.clone(), *number).run_ok()) == ["buy"]).count();
    assert!((200..300).contains(&bought), "{bought}");
}

#[test]
fn groups_have_wall_time_and_the_sum_of_their_requests() {
    let grouped = |name: &str, think| Step {
        group: Some("checkout".to_owned()),
        think: Think::Constant { time: Duration::from_millis(think) },
        ..step(name, 0)
    };
    let mut failing = grouped("pay", 0);
    failing.checks = vec![check("status == 200")];
    let mut run = Run::new(plan(vec![step("a", 0), grouped("cart", 30), failing, step("b", 0)]), 0);
    run.run_ok();
    let ms = Duration::from_millis;
    let record = GroupRecord { group: 0, wall: ms(50), requests: ms(20), is_failed: false };
    assert_eq!(run.workload.take_groups().collect::<Vec<_>>(), [record]);
    run.session = run.workload.session(1);
    run.run(|_| (500, String::new()));
    let failed: Vec<bool> = run.workload.take_groups().map(|group| group.is_failed).collect();
    assert_eq!(failed, [true]);
}

#[test]
fn pace_and_rate_limits_put_pauses_between_requests() {
    let ms = Duration::from_millis;
    let mut paced = step("paced", 0);
    (paced.pace, paced.repeat) = (Some(ms(100)), Repeat::times(2));
    let done = sequence(plan(vec![paced]));
    assert_eq!(done, [sent("/paced"), Did::Paused(ms(90)), sent("/paced"), Did::Paused(ms(90)), Did::Ended]);
    let mut limited = step("limited", 0);
    (limited.rate_limit, limited.repeat) = (Some(4.0), Repeat::times(3));
    let done = sequence(plan(vec![limited]));
    let pauses: Vec<_> = done.iter().filter(|did| matches!(did, Did::Paused(_))).collect();
    assert_eq!(pauses, [&Did::Paused(ms(240)), &Did::Paused(ms(240))]);
}

#[test]
fn rows_and_generators_fill_requests() {
    let mut plan = plan(vec![step("a", 0)]);
    plan.requests[0].path =
        "/{{user.name}}/{{int:5,5}}/{{seq}}/{{greeting}}/{{base64:user.name}}?t={{now:unix}}".into();
    plan.data = vec![DataTable { name: "user".to_owned(), file: "users.csv".into(), take: Take::Unique }];
    plan.variables = vec![Variable {
        name: "greeting".to_owned(),
        value: VariableValue::Text("hi {{user.name}}".to_owned()),
    }];
    let contents = || Contents {
        tables: vec![Arc::new(Table::parse("users.csv", b"name,n\nann,1\nbob,2\n").unwrap())],
        began: Duration::from_secs(1_000),
        ..Contents::default()
    };
    let checked = plan.clone().check().unwrap().with_contents(contents()).unwrap();
    assert_eq!(checked.stop.calls, Some(2), "as many sessions as rows");
    let path = |number| Run::of(checked.clone(), number).next().0;
    assert_eq!(path(0), sent("/ann/5/0/hi%20ann/YW5u?t=1000"));
    assert_eq!(path(1), sent("/bob/5/1/hi%20bob/Ym9i?t=1000"));
    plan.requests[0].path = "/{{user.nme}}".into();
    let error = plan.check().unwrap().with_contents(contents()).unwrap_err();
    assert!(error.to_string().contains("did you mean {{user.name}}?"), "{error}");
}

#[test]
fn bodies_and_fields_are_filled_and_escaped() {
    let mut plan = plan(vec![step("first", 0), step("a", 1)]);
    plan.scenarios[0].steps[0].captures = vec![capture("v", "body")];
    let mut bodies = vec![
        (
            Body::Json(r#"{"v": "{{v}}"}"#.to_owned()),
            "Content-Length: 14\r\n\r\n{\"v\": \"a\\\"\u{e9}\"}",
            "application/json",
        ),
        (
            Body::Form(vec![("a b".to_owned(), "{{v}}".to_owned())]),
            "Content-Length: 15\r\n\r\na+b=a%22%C3%A9",
            "application/x-www-form-urlencoded",
        ),
        (Body::Text("<{{v}}>".to_owned()), "Content-Length: 6\r\n\r\n<a\"\u{e9}>", ""),
    ];
    bodies[1].1 = "Content-Length: 14\r\n\r\na+b=a%22%C3%A9";
    for (body, expected, kind) in bodies {
        plan.requests[1].body = body;
        plan.requests[1].headers = vec![("X".to_owned(), "<{{v}}>".to_owned())];
        let mut run = Run::new(plan.clone(), 0);
        let (_, token) = run.next();
        run.answer(token, "/first", 200, "a\"\u{e9}");
        run.next();
        let texts = RequestTexts::compile(&run.plan.requests[1], &run.names).unwrap();
        let mut out = Vec::new();
        run.session.write_made_body(&run.workload, texts.body.as_ref().unwrap(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let mut field = Vec::new();
        run.session.write_part(&run.workload, &texts.fields[0].1, &mut field);
        assert_eq!(String::from_utf8(field).unwrap(), "<a\"\u{e9}>");
        let kinds: Vec<_> = texts.fields.iter().filter(|(name, _)| name == "Content-Type").collect();
        assert_eq!(kinds.len(), usize::from(!kind.is_empty()));
    }
}

#[test]
fn what_is_drawn_is_the_same_for_a_seed_and_differs_between_requests() {
    let mut repeated = step("a", 0);
    repeated.repeat = Repeat::times(3);
    let mut plan = plan(vec![repeated]);
    plan.requests[0].path = "/{{int:1,1000000}}/{{int:1,1000000}}/{{uuid}}".into();
    let drawn = |seed: u64, number| {
        let plan = Plan { seed, ..plan.clone() };
        paths(&Run::new(plan, number).run_ok()).iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1, 0), drawn(1, 0));
    let all: BTreeSet<String> = [drawn(1, 0), drawn(1, 1), drawn(2, 0)].into_iter().flatten().collect();
    assert_eq!(all.len(), 9);
    let first = all.first().unwrap().split('/').collect::<Vec<_>>();
    assert_ne!(first[0], first[1], "two values of one request");
}

#[test]
fn redirects_belong_to_their_step() {
    let mut login = step("login", 0);
    login.checks = vec![check("status == 200")];
    login.redirects = Some(1);
    let mut run = Run::new(plan(vec![login, step("b", 1)]), 0);
    let (_, token) = run.next();
    let headers = [("location", &b"/home"[..])].into_iter().collect();
    let moved = request("GET", "/login");
    let reply = Reply { completed: true, status: 302, headers: &headers, ..Reply::failed(token, &moved) };
    assert_eq!(run.session.reply(&run.workload, &reply), Sequel::Another);
    assert_eq!(run.session.checked(&run.workload).count, 0, "not the last reply of the step");
    let (did, token) = run.next();
    assert_eq!(did, sent("/home"));
    let (_, checked) = run.answer(token, "/home", 200, "");
    assert_eq!((checked.count, checked.failed), (1, 0));
    assert_eq!(run.next().0, sent("/b"));
}

#[test]
fn a_value_may_be_a_whole_path_or_url() {
    let mut order = step("order", 0);
    order.captures = vec![capture("place", "body")];
    let mut plan = plan(vec![order, step("poll", 1)]);
    plan.requests[1].path = "{{place}}".into();
    for (place, path) in [
        ("/reports/1", "/reports/1"),
        ("reports/1", "/reports/1"),
        ("http://b.test:81/r?x=1", "/r?x=1"),
        ("https://b.test", "/"),
        ("http://b.test?x", "/?x"),
    ] {
        let mut run = Run::new(plan.clone(), 0);
        let (_, token) = run.next();
        run.answer(token, "/order", 200, place);
        assert_eq!(run.next().0, sent(path), "{place}");
    }
}
