use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;
use warwolf_plan::{
    ArrivalProcess, Burst, Cursor, InitialCookie, Links, ListEnd, Order, Plan, Recovery, ResourceKind,
    ResourceOrder, Resources, Schedule, Script, SessionShape, Stop, Think, ThinkAt, Work,
};

fn checked(plan: &Plan) -> CheckedPlan {
    plan.clone().check().unwrap()
}

fn plan(urls: usize) -> Plan {
    let requests = (0..urls).map(|i| Request::get(&format!("a.test/{i}")).unwrap()).collect();
    let schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 1.0 }, burst: 1 };
    Plan { schedule, stop: Stop::after(Duration::from_secs(1)), ..Plan::new(requests) }
}

fn draws(calls: u64, burst: u32, order: Order) -> SessionShape {
    SessionShape {
        work: Work::Draw { calls: Some(calls), burst, first_alone: false, order },
        ..SessionShape::default()
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The whole reply of a planned call.
fn ok(request: &Request) -> Reply<'_> {
    Reply { completed: true, status: 200, ..Reply::failed(Token::default(), request) }
}

/// The header fields of a reply.
fn headers(fields: &[(&str, &str)]) -> Captured {
    fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect()
}

/// The `Set-Cookie` fields of a reply.
fn cookies(values: &[&str]) -> Captured {
    values.iter().map(|value| ("set-cookie", value.as_bytes())).collect()
}

/// No reply to a planned call.
fn failed(request: &Request) -> Reply<'_> {
    Reply::failed(Token::default(), request)
}

/// The planned request that a step sends, if it sends one.
fn planned(step: &Step) -> Option<RequestId> {
    match step {
        Step::Send { request: CallRequest::Planned(request), .. } => Some(*request),
        _ => None,
    }
}

/// A call that a session requested.
#[derive(Clone, Debug)]
struct Asked {
    token: Token,
    request: Request,
}

impl Asked {
    fn new(plan: &Plan, token: Token, request: CallRequest) -> Self {
        let request = match request {
            CallRequest::Planned(request) => plan.requests[request.0 as usize].clone(),
            CallRequest::Unplanned(request) => *request,
        };
        Self { token, request }
    }

    fn ok(&self) -> Reply<'_> {
        Reply { token: self.token, ..ok(&self.request) }
    }

    fn moved<'a>(&'a self, to: &'a Captured) -> Reply<'a> {
        Reply { token: self.token, ..moved(&self.request, to) }
    }
}

/// What session `number` does when every reply is a 200, at most `steps` steps: `0` for a request, `.` for a wait that a
/// reply ends, `~5` for a pause of 5 ms, `!` for the end.
fn steps(plan: &Plan, number: u64, steps: usize) -> String {
    let mut workload = Workload::new(&checked(plan));
    let mut session = workload.session(number);
    let mut text = Vec::new();
    for _ in 0..steps {
        let awaits_reply = session.awaits_reply();
        let step = session.next(&mut workload);
        assert!(!awaits_reply || step == Step::Wait, "{step:?} while it awaits a reply");
        match step {
            Step::Send { request: CallRequest::Planned(request), .. } => text.push(request.0.to_string()),
            Step::Send { request: CallRequest::Unplanned(request), .. } => text.push(request.url()),
            Step::Cached(request) => text.push(format!("({})", request.url())),
            Step::Think(pause) => text.push(format!("~{}", pause.as_millis())),
            Step::Starved => panic!("there is no feed"),
            Step::Wait => {
                text.push(".".to_owned());
                session.reply(&workload, &ok(&plan.requests[0]));
            }
            Step::Done => {
                text.push("!".to_owned());
                break;
            }
        }
    }
    text.join(" ")
}

#[test]
fn a_session_is_one_cache_line() {
    assert_eq!(size_of::<Session>(), 64);
}

#[test]
fn sessions_of_one_call_take_the_requests_in_turn() {
    let plan = Plan { session: draws(1, 1, Order::Sequential), ..plan(3) };
    let all: Vec<String> = (0..4).map(|number| steps(&plan, number, 9)).collect();
    assert_eq!(all, ["0 . !", "1 . !", "2 . !", "0 . !"]);
}

#[test]
fn bursts_are_sent_together_and_pauses_come_between() {
    let mut plan = Plan { session: draws(5, 2, Order::Sequential), ..plan(9) };
    assert_eq!(steps(&plan, 0, 99), "0 1 . . 2 3 . . 4 . !");
    assert_eq!(steps(&plan, 1, 99), "5 6 . . 7 8 . . 0 . !", "session 1 goes on where session 0 ends");
    plan.session.think = Think::Constant { time: ms(5) };
    assert_eq!(steps(&plan, 0, 99), "0 1 . . ~5 2 3 . . ~5 4 . !");
}

#[test]
fn pauses_may_come_first_and_last() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(9) };
    plan.session.think = Think::Constant { time: ms(5) };
    plan.session.think_at = ThinkAt::Before;
    assert_eq!(steps(&plan, 0, 99), "~5 0 . ~5 1 . !");
    plan.session.think_at = ThinkAt::After;
    assert_eq!(steps(&plan, 0, 99), "0 . ~5 1 . ~5 !");
}

#[test]
fn per_session_users_begin_apart() {
    let plan = |users| Plan {
        schedule: Schedule::Closed { users, ramp: Duration::ZERO },
        session: draws(4, 1, Order::PerSession),
        ..plan(6)
    };
    let all: Vec<String> = (0..3).map(|user| steps(&plan(3), user, 99)).collect();
    assert_eq!(all, ["0 . 1 . 2 . 3 . !", "2 . 3 . 4 . 5 . !", "4 . 5 . 0 . 1 . !"]);
    assert_eq!(steps(&plan(7), 6, 99), "0 . 1 . 2 . 3 . !", "more users than requests");
}

#[test]
fn a_round_may_end_with_the_cookies() {
    let mut plan = Plan { session: draws(5, 1, Order::Sequential), ..plan(2) };
    plan.session.cookies = CookiePolicy::Jar;
    plan.session.forget_cookies_after = Some(2);
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    let mut sent = Vec::new();
    while session.next(&mut workload) != Step::Done {
        let line = crate::fields::lines(|add| {
            session.write_fields(&workload, &plan.requests[0], &plan.requests[0].path, add)
        });
        sent.push(!line.is_empty());
        let cookies = cookies(&["a=1; Path=/"]);
        session.reply(&workload, &Reply { headers: &cookies, ..ok(&plan.requests[0]) });
    }
    assert_eq!(sent, [false, true, false, true, false]);
}

#[test]
fn replies_are_kept_as_far_as_sessions_use_them() {
    const NAMES: [&str; 9] = [
        "set-cookie",
        "date",
        "location",
        "expires",
        "www-authenticate",
        "proxy-authenticate",
        "content-type",
        "content-encoding",
        "server",
    ];
    let wanted = |calls, change: fn(&mut SessionShape)| {
        let mut plan = Plan { session: draws(calls, 1, Order::Sequential), ..plan(1) };
        change(&mut plan.session);
        let interest = Workload::new(&checked(&plan)).interest();
        let names = NAMES.into_iter().filter(|name| interest.named(name.as_bytes()).is_some());
        let page = interest.body_of(200, Some(b"text/html"));
        assert_eq!(interest.is_empty(), names.clone().next().is_none());
        (names.collect::<Vec<_>>().join(" "), page, interest.body_of(200, None))
    };
    let cookies = |session: &mut SessionShape| session.cookies = CookiePolicy::Jar;
    let setup = |session: &mut SessionShape| {
        session.cookies = CookiePolicy::LastValue;
        session.setup = vec![Request::get("a.test").unwrap()];
    };
    let redirects = |session: &mut SessionShape| session.redirects.limit = 1;
    let pages = |session: &mut SessionShape| session.resources = Some(Resources::up_to(1));
    let cached = |session: &mut SessionShape| {
        session.resources = Some(Resources { cache: true, ..Resources::up_to(1) });
    };
    let one = |names: &str| (names.to_owned(), 0, 0);
    assert_eq!(wanted(2, |_| ()), one(""));
    assert_eq!(wanted(1, cookies), one(""), "no later call has a use for a cookie");
    assert_eq!(wanted(2, cookies), one("set-cookie date"));
    assert_eq!(wanted(1, setup), one("set-cookie date"));
    assert_eq!(wanted(1, redirects), one("location"));
    assert_eq!(wanted(1, pages), ("content-type content-encoding".to_owned(), 1 << 20, 0));
    assert_eq!(wanted(1, cached).0, "date expires content-type content-encoding");
}

#[test]
fn only_the_statuses_asked_for_are_followed() {
    let mut plan = Plan { session: draws(1, 1, Order::Sequential), ..plan(1) };
    plan.session.redirects.limit = 9;
    plan.session.redirects.statuses = vec![302];
    let mut workload = Workload::new(&checked(&plan));
    for (status, followed) in [(302, true), (308, false)] {
        let mut session = workload.session(0);
        session.next(&mut workload);
        let reply = Reply { status, headers: &headers(&[("location", "/x")]), ..ok(&plan.requests[0]) };
        assert_eq!(session.reply(&workload, &reply) == Sequel::Another, followed, "{status}");
    }
}

#[test]
fn a_session_without_end_goes_on() {
    let mut plan = plan(2);
    assert_eq!(steps(&plan, 0, 8), "0 . 1 . 0 . 1 .");
    plan.session.think = Think::Constant { time: ms(1) };
    assert_eq!(steps(&plan, 1, 8), "1 . ~1 0 . ~1 1 .");
}

#[test]
fn users_of_a_closed_loop_share_the_calls() {
    let users = |users, calls| Plan {
        schedule: Schedule::Closed { users, ramp: Duration::ZERO },
        stop: Stop::after_calls(calls),
        ..plan(100)
    };
    let plan = users(3, 7);
    let all: Vec<String> = (0..3).map(|user| steps(&plan, user, 99)).collect();
    assert_eq!(all, ["0 . 3 . 6 . !", "1 . 4 . !", "2 . 5 . !"]);
    assert_eq!(steps(&users(3, 2), 2, 9), "!", "more users than calls");
    for (count, calls) in [(1, 1), (2, 5), (7, 50), (50, 49)] {
        let plan = users(count, calls);
        let mut made: Vec<u64> = (0..count)
            .flat_map(|user| {
                steps(&plan, user.into(), 999).split(' ').filter_map(|w| w.parse().ok()).collect::<Vec<_>>()
            })
            .collect();
        made.sort_unstable();
        assert_eq!(made, (0..calls).collect::<Vec<_>>(), "{count} users");
    }
}

#[test]
fn random_order_is_even_and_the_sessions_own() {
    let plan = Plan { session: draws(100, 1, Order::Random), ..plan(10) };
    let mut counts = [0_u32; 10];
    for number in 0..100 {
        let calls = steps(&plan, number, 999);
        assert_eq!(calls, steps(&plan, number, 999), "the same each time");
        calls.split(' ').filter_map(|word| word.parse::<usize>().ok()).for_each(|i| counts[i] += 1);
    }
    // Chi-squared with nine degrees of freedom exceeds 21.7 once in a hundred.
    let chi: f64 = counts.iter().map(|count| (f64::from(*count) - 1_000.0).powi(2) / 1_000.0).sum();
    assert!(chi < 21.7, "{chi} {counts:?}");
    assert_ne!(steps(&plan, 0, 99), steps(&plan, 1, 99));
    assert_ne!(steps(&plan, 0, 99), steps(&Plan { seed: 1, ..plan.clone() }, 0, 99));
}

fn scripted(scripts: &[&[(u32, &[u32], u64)]]) -> Plan {
    let burst = |&(first, then, think): &(u32, &[u32], u64)| Burst {
        first: RequestId(first),
        then: then.iter().copied().map(RequestId).collect(),
        think: ms(think),
    };
    let scripts =
        scripts.iter().map(|bursts| Script { bursts: bursts.iter().map(burst).collect() }).collect();
    Plan { session: SessionShape { work: Work::Scripts { scripts }, ..SessionShape::default() }, ..plan(10) }
}

#[test]
fn a_script_sends_the_first_call_of_a_burst_alone() {
    let plan = scripted(&[&[(0, &[1, 2], 5), (3, &[], 0), (4, &[5], 7)], &[(6, &[], 0)], &[]]);
    assert_eq!(steps(&plan, 0, 99), "0 . 1 2 . . ~5 3 . 4 . 5 . !", "no pause after the last burst");
    assert_eq!(steps(&plan, 1, 99), "6 . !");
    assert_eq!(steps(&plan, 2, 99), "!", "a script without bursts");
    assert_eq!(steps(&plan, 4, 99), "6 . !", "scripts are taken in turn");
}

#[test]
fn the_plans_think_time_is_for_bursts_that_have_none() {
    let mut plan = scripted(&[&[(0, &[], 5), (1, &[], 0), (2, &[], 0)]]);
    plan.session.think = Think::Constant { time: ms(9) };
    assert_eq!(steps(&plan, 0, 99), "0 . ~5 1 . ~9 2 . !");
}

#[test]
fn a_user_of_a_closed_loop_goes_from_script_to_script() {
    let mut plan = scripted(&[&[(0, &[], 1)], &[(1, &[], 0)], &[], &[(3, &[4], 2)], &[(5, &[], 0)]]);
    plan.schedule = Schedule::Closed { users: 2, ramp: Duration::ZERO };
    // Scripts 0, 2 (without bursts), 4, 1, 3, and again.
    assert_eq!(steps(&plan, 0, 16), "0 . ~1 5 . 1 . 3 . 4 . ~2 0 . ~1 5");
    plan.stop = Stop::after_calls(7);
    assert_eq!(steps(&plan, 0, 99), "0 . ~1 5 . 1 . 3 . !", "calls 0, 2, 4 and 6 of the run's seven");
    let mut empty = scripted(&[&[], &[]]);
    empty.schedule = Schedule::Closed { users: 1, ramp: Duration::ZERO };
    assert_eq!(steps(&empty, 0, 99), "!");
}

#[test]
fn a_failure_ends_the_session_once_all_replies_are_here() {
    let mut plan = Plan { session: draws(6, 3, Order::Sequential), ..plan(9) };
    plan.session.failure = FailureRule { statuses: vec![503], on_error: true, retry: false };
    let mut workload = Workload::new(&checked(&plan));
    let request = &plan.requests[0];
    for bad in [Reply { status: 503, ..ok(request) }, failed(request)] {
        let mut session = workload.session(0);
        for _ in 0..3 {
            assert!(matches!(session.next(&mut workload), Step::Send { .. }));
        }
        session.reply(&workload, &bad);
        assert_eq!(session.next(&mut workload), Step::Wait);
        session.reply(&workload, &ok(request));
        assert_eq!(session.next(&mut workload), Step::Wait);
        session.reply(&workload, &ok(request));
        assert_eq!(session.next(&mut workload), Step::Done);
        assert_eq!(session.next(&mut workload), Step::Done);
        assert!(session.is_failed());
    }
    plan.session.failure = FailureRule::default();
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    assert!(matches!(session.next(&mut workload), Step::Send { .. }));
    session.reply(&workload, &failed(request));
    assert!(
        matches!(session.next(&mut workload), Step::Send { .. }),
        "without a rule a failure changes nothing"
    );
    assert!(!session.is_failed());
}

#[test]
fn the_first_call_of_a_burst_may_be_alone() {
    let mut plan = Plan { session: draws(5, 3, Order::Sequential), ..plan(9) };
    assert_eq!(steps(&plan, 0, 99), "0 1 2 . . . 3 4 . . !");
    plan.session.work = Work::Draw { calls: Some(5), burst: 3, first_alone: true, order: Order::Sequential };
    plan.session.think = Think::Constant { time: ms(7) };
    assert_eq!(steps(&plan, 0, 99), "0 . 1 2 . . ~7 3 . 4 . !");
}

const ROUND: Order = shared(ListEnd::Wrap);
const ONCE: Order = shared(ListEnd::Stop);

const fn shared(end: ListEnd) -> Order {
    Order::Shared(Cursor { first: 0, step: 1, advance: 1.0, phase: 0.0, end })
}

#[test]
fn sessions_may_share_a_cursor() {
    // Three calls each of two sessions that take turns.
    let taken = |order, requests| {
        let plan = Plan { threads: Some(1), session: draws(3, 1, order), ..plan(requests) };
        let mut workload = Workload::new(&checked(&plan));
        let mut sessions = [workload.session(0), workload.session(1)];
        let mut taken = Vec::new();
        for turn in 0..6 {
            let session = &mut sessions[turn % 2];
            let Some(request) = planned(&session.next(&mut workload)) else { break };
            taken.push(request.0);
            session.reply(&workload, &ok(&plan.requests[0]));
        }
        (taken, workload.is_exhausted())
    };
    assert_eq!(taken(ROUND, 4), (vec![0, 1, 2, 3, 0, 1], false));
    assert_eq!(taken(ONCE, 4), (vec![0, 1, 2, 3], true));
    assert_eq!(taken(ONCE, 6), (vec![0, 1, 2, 3, 4, 5], false));
}

#[test]
fn sessions_draw_from_parts_in_turn() {
    let of_two = |order, requests| {
        let mut plan = Plan { session: draws(3, 1, order), ..plan(requests) };
        plan.threads = Some(1);
        plan.session.parts = 2;
        plan
    };
    let taken = |order, requests| {
        let plan = of_two(order, requests);
        plan.clone().check().unwrap();
        let mut workload = Workload::new(&checked(&plan));
        let of_session = |number| {
            let mut session = workload.session(number);
            let mut taken = Vec::new();
            while let Some(request) = planned(&session.next(&mut workload)) {
                taken.push(request.0);
                session.reply(&workload, &ok(&plan.requests[0]));
            }
            taken
        };
        [0, 1, 2].map(of_session)
    };
    assert_eq!(taken(Order::Sequential, 2), [[0; 3], [1; 3], [0; 3]]);
    assert_eq!(taken(ROUND, 4), [[0, 1, 0], [3, 2, 3], [0, 1, 0]]);
    assert_eq!(taken(ONCE, 20), [[0, 1, 2], [13, 14, 15], [6, 7, 8]]);
    assert!(of_two(ROUND, 5).check().is_err());
    assert!(of_two(Order::Links, 4).check().is_err());
}

#[test]
fn what_is_tried_again_has_not_ended() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(9) };
    plan.session.failure = FailureRule { statuses: vec![503], on_error: true, retry: true };
    let mut workload = Workload::new(&checked(&plan));
    let request = &plan.requests[0];
    let busy = Reply { status: 503, ..ok(request) };
    let mut session = workload.session(0);
    session.next(&mut workload);
    assert_eq!([session.reply(&workload, &busy), session.reply(&workload, &busy)], [Sequel::Again; 2]);
    assert_eq!(session.next(&mut workload), Step::Wait);
    assert_eq!(session.reply(&workload, &ok(request)), Sequel::AsPlanned);
    assert_eq!(planned(&session.next(&mut workload)), Some(RequestId(1)));
    session.reply(&workload, &failed(request));
    assert!(session.is_failed() && session.next(&mut workload) == Step::Done);
}

#[test]
fn a_session_may_keep_the_last_cookie_only() {
    let mut plan = Plan { session: draws(4, 1, Order::Sequential), ..plan(1) };
    plan.session.cookies = CookiePolicy::LastValue;
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    let mut sent = |fields: &[&str]| {
        session.next(&mut workload);
        let out = crate::fields::lines(|add| {
            session.write_fields(&workload, &plan.requests[0], &plan.requests[0].path, add)
        });
        session.reply(&workload, &Reply { headers: &cookies(fields), ..ok(&plan.requests[0]) });
        String::from_utf8(out).unwrap()
    };
    assert_eq!(sent(&["a=1; path=/elsewhere; secure", "b=2; Max-Age=0"]), "");
    assert_eq!(sent(&[&format!("c={}", "x".repeat(300))]), "Cookie: b=2\r\n");
    assert_eq!(sent(&["d=1\r\n folded"]), format!("Cookie: c={}\r\n", "x".repeat(243)));
    assert_eq!(sent(&[]), format!("Cookie: c={}\r\n", "x".repeat(243)), "a folded one would end the line");
}

fn moved<'a>(request: &'a Request, to: &'a Captured) -> Reply<'a> {
    Reply { status: 302, headers: to, ..ok(request) }
}

fn location(to: &str) -> Captured {
    headers(&[("location", to)])
}

fn follow(step: Step) -> Asked {
    match step {
        Step::Send { token, request: CallRequest::Unplanned(request) } => Asked { token, request: *request },
        other => panic!("{other:?} instead of a redirect"),
    }
}

#[test]
fn redirects_are_followed_up_to_the_limit() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(2) };
    plan.session.redirects.limit = 2;
    plan.session.think = Think::Constant { time: ms(1) };
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    assert_eq!(planned(&session.next(&mut workload)), Some(RequestId(0)));
    session.reply(&workload, &moved(&plan.requests[0], &location("/a")));
    let first = follow(session.next(&mut workload));
    assert_eq!((first.request.url().as_str(), session.next(&mut workload)), ("http://a.test/a", Step::Wait));
    assert_eq!(session.request(), Some(RequestId(0)), "still what was planned");
    session.reply(&workload, &first.moved(&location("b")));
    let second = follow(session.next(&mut workload));
    session.reply(&workload, &second.moved(&location("c")));
    assert_eq!(session.next(&mut workload), Step::Think(ms(1)), "the third is not followed");
    assert_eq!(planned(&session.next(&mut workload)), Some(RequestId(1)));
    session.reply(&workload, &moved(&plan.requests[1], &location("/a")));
    let anew = follow(session.next(&mut workload));
    session.reply(&workload, &anew.moved(&location("/a")));
    let again = follow(session.next(&mut workload));
    session.reply(&workload, &again.moved(&location("/a")));
    assert_eq!(session.next(&mut workload), Step::Done);
}

#[test]
fn a_redirect_is_left_alone_unless_asked_for() {
    let plan = Plan { session: draws(1, 1, Order::Sequential), ..plan(1) };
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    session.next(&mut workload);
    session.reply(&workload, &moved(&plan.requests[0], &location("/a")));
    assert_eq!(session.next(&mut workload), Step::Done);
}

#[test]
fn redirects_within_a_burst_end_too() {
    let mut plan = Plan { session: draws(3, 3, Order::Sequential), ..plan(1) };
    plan.session.redirects.limit = 4;
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    let mut out: Vec<Asked> = Vec::new();
    let mut followed = 0;
    loop {
        match session.next(&mut workload) {
            Step::Send { token, request } => {
                followed += u32::from(matches!(request, CallRequest::Unplanned(_)));
                out.push(Asked::new(&plan, token, request));
            }
            Step::Starved => panic!("there is no feed"),
            Step::Wait => {
                let asked = out.remove(0);
                session.reply(&workload, &asked.moved(&location("/0")));
            }
            Step::Think(_) => unreachable!("none was asked for"),
            Step::Cached(_) => panic!("nothing is kept"),
            Step::Done => break,
        }
    }
    assert_eq!(followed, 12, "each of three calls is followed four times");
}

#[test]
fn calls_redirected_to_the_same_place_are_told_apart() {
    let mut plan = Plan { session: draws(2, 2, Order::Sequential), ..plan(2) };
    plan.session.redirects.limit = 2;
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    session.next(&mut workload);
    session.next(&mut workload);
    // The first call arrives at /same after one redirect, the second after two.
    session.reply(&workload, &moved(&plan.requests[0], &location("/same")));
    let first = follow(session.next(&mut workload));
    session.reply(&workload, &moved(&plan.requests[1], &location("/between")));
    let between = follow(session.next(&mut workload));
    session.reply(&workload, &between.moved(&location("/same")));
    let second = follow(session.next(&mut workload));
    assert_eq!(first.request, second.request);
    assert_eq!(
        session.reply(&workload, &second.moved(&location("/end"))),
        Sequel::AsPlanned,
        "its limit is reached"
    );
    assert_eq!(session.reply(&workload, &first.moved(&location("/end"))), Sequel::Another);
    assert_eq!(&*follow(session.next(&mut workload)).request.path, "/end");
}

#[test]
fn each_session_has_its_own_cookies() {
    let mut plan = Plan { session: draws(3, 1, Order::Sequential), ..plan(1) };
    plan.session.cookies = CookiePolicy::Jar;
    let request = &plan.requests[0];
    let cookies = cookies(&["a=1", "b=2"]);
    let set = Reply { headers: &cookies, ..ok(request) };
    let line = |workload: &Workload, session: &mut Session, request: &Request| {
        let out = crate::fields::lines(|add| session.write_fields(workload, request, &request.path, add));
        String::from_utf8(out).unwrap()
    };
    let mut workload = Workload::new(&checked(&plan));
    let (mut one, mut other) = (workload.session(0), workload.session(1));
    for session in [&mut one, &mut other] {
        session.next(&mut workload);
        assert_eq!(line(&workload, session, request), "");
    }
    one.reply(&workload, &set);
    other.reply(&workload, &Reply { completed: false, ..set });
    assert_eq!(line(&workload, &mut one, request), "Cookie: a=1; b=2\r\n");
    assert_eq!(line(&workload, &mut other, request), "", "a broken reply sets nothing");
    let mut own = request.clone();
    own.headers.push(("cookie".to_owned(), "mine=1".to_owned()));
    assert_eq!(line(&workload, &mut one, &own), "", "the request brings its own");
    let mut both = own.clone();
    both.headers.insert(0, ("Cookie".to_owned(), String::new()));
    assert_eq!(
        line(&workload, &mut one, &both),
        "Cookie: a=1; b=2\r\n",
        "the mark asks for those of the session too"
    );
    plan.session.cookies = CookiePolicy::Off;
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    session.next(&mut workload);
    session.reply(&workload, &Reply { request: &own, ..set });
    assert_eq!(line(&workload, &mut session, request), "", "not asked for");
}

/// What a session asks for, `calls` planned ones in all, when `reply` gives status and page of each path.
fn walk(plan: &Plan, number: u64, reply: impl Fn(&str) -> (u16, &'static str)) -> String {
    let mut workload = Workload::new(&checked(plan));
    let mut session = workload.session(number);
    let (mut said, mut out) = (Vec::new(), None);
    for _ in 0..99 {
        match session.next(&mut workload) {
            Step::Send { token, request } => out = Some(Asked::new(plan, token, request)),
            Step::Cached(request) => said.push(format!("({})", request.path)),
            Step::Think(pause) => said.push(format!("~{}", pause.as_millis())),
            Step::Done => break,
            Step::Starved => panic!("there is no feed"),
            Step::Wait => {
                let asked = out.take().expect("a reply has a request");
                let path = &asked.request.path;
                let (status, html) = reply(path);
                let setup = if session.is_setup() { "setup " } else { "" };
                // An image is good until the second planned call.
                let expires = if path.ends_with(".png") { "25" } else { "00" };
                let headers = headers(&[
                    ("location", "/there"),
                    ("content-type", "text/html"),
                    ("date", "Sat, 21 Nov 2026 10:00:00 GMT"),
                    ("expires", &format!("Sat, 21 Nov 2026 10:00:{expires} GMT")),
                ]);
                let at = Timestamp::ZERO + Duration::from_secs(10 * said.len() as u64);
                let reply = Reply { status, headers: &headers, body: html.as_bytes(), at, ..asked.ok() };
                let again = if session.reply(&workload, &reply) == Sequel::Another { " >" } else { "" };
                said.push(format!("{setup}{path}{again}"));
            }
        }
    }
    said.join(", ")
}

#[test]
fn what_a_page_is_made_of_comes_with_it_last_first() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(2) };
    plan.session.think = Think::Constant { time: ms(5) };
    let pages = |path: &str| match path {
        "/0" => (200, "<link rel=stylesheet href=s><img src=a><img src=page>"),
        "/page" => (200, "<img src=deep>"),
        "/1" => (200, "<meta http-equiv=refresh content='0;url=next'><img src=b>"),
        "/next" => (200, "<meta http-equiv=refresh content='0;url=0'>"),
        "/a" => (404, "<img src=never>"),
        _ => (200, ""),
    };
    assert_eq!(walk(&plan, 0, pages), "/0, ~5, /1");
    plan.session.resources =
        Some(Resources { order: ResourceOrder::LastFirst, refresh: true, ..Resources::up_to(9) });
    assert_eq!(
        walk(&plan, 0, pages),
        "/0, /page, /deep, /a, /s, ~5, /1 >, /next >, /0, /page, /deep, /a, /s, /b",
        "resources of resources too; a page that sends its reader on comes before what it is made of"
    );
    plan.session.failure.statuses = vec![404];
    assert_eq!(walk(&plan, 0, pages), "/0, /page, /deep, /a", "a failure ends the session");
    plan.session.resources =
        Some(Resources { order: ResourceOrder::LastFirst, refresh: true, ..Resources::up_to(0) });
    let circle = |_: &str| (200, "<meta http-equiv=refresh content='0;url=/0'><img src=x>");
    assert_eq!(walk(&plan, 0, circle), "/0, ~5, /1 >, /0", "a page that only reloads itself is read once");
}

/// What a session sends when replies take their time, with a dot for each that it waits for.
fn walk_slowly(plan: &Plan, reply: impl Fn(&str) -> (u16, &'static str)) -> String {
    let mut workload = Workload::new(&checked(plan));
    let mut session = workload.session(0);
    let (mut said, mut out) = (Vec::new(), VecDeque::new());
    for _ in 0..99 {
        let sent = match session.next(&mut workload) {
            Step::Send { token, request } => Asked::new(plan, token, request),
            Step::Think(pause) => {
                said.push(format!("~{}", pause.as_millis()));
                continue;
            }
            Step::Starved => panic!("there is no feed"),
            Step::Wait => {
                let asked: Asked = out.pop_front().expect("a reply has a request");
                let (status, html) = reply(&asked.request.path);
                let headers = headers(&[("content-type", "text/html")]);
                let reply = Reply { status, headers: &headers, body: html.as_bytes(), ..asked.ok() };
                session.reply(&workload, &reply);
                said.push(".".to_owned());
                continue;
            }
            Step::Cached(_) | Step::Done => break,
        };
        said.push(sent.request.path.to_string());
        out.push_back(sent);
    }
    said.join(" ")
}

#[test]
fn what_is_embedded_in_a_page_comes_at_once() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(2) };
    plan.session.think = Think::Constant { time: ms(5) };
    plan.session.resources = Some(Resources {
        kinds: vec![ResourceKind::Image, ResourceKind::Frame],
        repeats: true,
        same_server: true,
        concurrency: u32::MAX,
        ..Resources::up_to(9)
    });
    let pages = |path: &str| match path {
        "/0" => (200, "<img src=a><script src=s></script><iframe src=frame></iframe><img src=a>"),
        "/frame" => (200, "<img src=b><frame src=frame>"),
        _ => (200, ""),
    };
    assert_eq!(walk_slowly(&plan, pages), "/0 . /a /frame /a . . /b . . ~5 /1 .");
    plan.session.failure.statuses = vec![404];
    let broken = |path: &str| if path == "/a" { (404, "") } else { pages(path) };
    assert_eq!(walk_slowly(&plan, broken), "/0 . /a /frame /a . . .", "a failure ends the session");
    let circle = |path: &str| (200, if path == "/0" { "<frame src=1>" } else { "<frame src=0>" });
    plan.session.work = draws(1, 1, Order::Sequential).work;
    let circled = "/0 . /1 . /0 . /1 . /0 . /1 . /0 . /1 . /0 .";
    assert_eq!(walk_slowly(&plan, circle), circled, "frames that show each other come to an end");
}

#[test]
fn no_more_resources_are_in_flight_than_the_plan_allows() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(2) };
    let pages = |path: &str| (200, if path == "/0" { "<img src=a><img src=b><img src=c>" } else { "" });
    for (concurrency, expected) in
        [(1, "/0 . /a . /b . /c . /1 ."), (2, "/0 . /a /b . /c . . /1 ."), (9, "/0 . /a /b /c . . . /1 .")]
    {
        plan.session.resources = Some(Resources { concurrency, ..Resources::up_to(9) });
        assert_eq!(walk_slowly(&plan, pages), expected);
    }
}

#[test]
fn what_is_still_good_is_left_out() {
    let mut plan = Plan { session: draws(3, 1, Order::Sequential), ..plan(1) };
    let page = |path: &str| (200, if path == "/0" { "<img src=a.png><img src=b>" } else { "" });
    plan.session.resources = Some(Resources {
        order: ResourceOrder::LastFirst,
        refresh: true,
        cache: true,
        ..Resources::up_to(9)
    });
    // Ten seconds for each: the image of 30 is good until 55, and the third page comes at 60.
    assert_eq!(walk(&plan, 0, page), "/0, /b, /a.png, /0, /b, (/a.png), /0, /b, /a.png");
    plan.session.resources =
        Some(Resources { order: ResourceOrder::LastFirst, refresh: true, ..Resources::up_to(9) });
    assert_eq!(walk(&plan, 0, page), "/0, /b, /a.png, /0, /b, /a.png, /0, /b, /a.png");
}

#[test]
fn setup_requests_come_before_planned_calls() {
    let mut plan = Plan { session: draws(1, 1, Order::Sequential), ..plan(1) };
    plan.session.think = Think::Constant { time: ms(5) };
    plan.session.think_at = ThinkAt::Before;
    plan.session.redirects.limit = 3;
    plan.session.failure = FailureRule { statuses: vec![500], on_error: true, retry: false };
    plan.session.resources =
        Some(Resources { order: ResourceOrder::LastFirst, refresh: true, ..Resources::up_to(9) });
    plan.session.setup = ["a.test/in", "a.test/other"].map(|url| Request::get(url).unwrap()).to_vec();
    let replies = |path: &str| match path {
        "/in" => (302, ""),
        "/other" => (500, ""),
        "/there" => (200, "<img src=a>"),
        _ => (200, ""),
    };
    assert_eq!(walk(&plan, 0, replies), "setup /in >, setup /there, ~5, /0, /a");
    assert_eq!(walk(&plan, 1, replies), "setup /other, ~5, /0", "its failure ends nothing");
    assert_eq!(walk(&plan, 2, replies), walk(&plan, 0, replies), "in turn");
    plan.schedule = Schedule::Closed { users: 3, ramp: Duration::ZERO };
    plan.stop = Stop::after_calls(2);
    assert_eq!(walk(&plan, 2, replies), "", "no call, no setup");
}

#[test]
fn a_session_recovers_and_tries_once_more() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(1) };
    let ways = ["b.test/elsewhere", "a.test:81/one", "A.test/two"];
    let recovery = |urls: &[&str]| {
        let requests = urls.iter().map(|url| Request::get(url).unwrap()).collect();
        Some(Recovery { status: 403, requests })
    };
    plan.session.recovery = recovery(&ways);
    plan.session.redirects.limit = 3;
    let always = |status: u16| move |path: &str| (if path == "/0" { 403 } else { status }, "");
    assert_eq!(walk(&plan, 0, always(200)), "/0 >, /one >, /0, /0 >, /one >, /0", "a second 403 stands");
    assert_eq!(
        walk(&plan, 0, always(500)),
        "/0 >, /one >, /two, /0 >, /one >, /two",
        "no recovery request succeeds"
    );
    let second = |path: &str| match path {
        "/0" => (403, ""),
        "/one" => (403, ""),
        "/two" => (302, ""),
        _ => (200, ""),
    };
    assert_eq!(
        walk(&plan, 0, second),
        "/0 >, /one >, /two >, /there >, /0, /0 >, /one >, /two >, /there >, /0"
    );
    assert_eq!(walk(&plan, 0, |_| (200, "")), "/0, /0");
    assert_eq!(walk(&plan, 0, |_| (404, "")), "/0, /0", "another status");
    plan.session.recovery = recovery(&ways[..1]);
    assert_eq!(walk(&plan, 0, always(200)), "/0, /0", "the recovery request is for another host");
    plan.session.recovery = recovery(&["a.test/one"]);
    plan.session.setup = vec![Request::get("a.test/0").unwrap()];
    let setup = walk(&plan, 0, always(200));
    assert!(setup.starts_with("setup /0 >, setup /one >, setup /0, /0 >"), "{setup}");
}

#[test]
fn a_recovery_request_that_fails_is_not_the_last() {
    let mut plan = Plan { session: draws(1, 1, Order::Sequential), ..plan(1) };
    let requests = ["a.test/one", "a.test/two"].map(|url| Request::get(url).unwrap()).to_vec();
    plan.session.recovery = Some(Recovery { status: 403, requests });
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(0);
    session.next(&mut workload);
    let forbidden = Reply { status: 403, ..ok(&plan.requests[0]) };
    assert_eq!(session.reply(&workload, &forbidden), Sequel::Another);
    let one = follow(session.next(&mut workload));
    assert_eq!(session.reply(&workload, &Reply::failed(one.token, &one.request)), Sequel::Another);
    let two = follow(session.next(&mut workload));
    assert_eq!(&*two.request.path, "/two");
    assert_eq!(session.reply(&workload, &Reply::failed(two.token, &two.request)), Sequel::AsPlanned);
    assert_eq!(session.next(&mut workload), Step::Done);
}

#[test]
fn a_session_may_have_cookies_before_it_meets_any() {
    let mut plan = Plan { session: draws(2, 1, Order::Sequential), ..plan(1) };
    plan.session.cookies = CookiePolicy::Jar;
    let cookie = |session, name: &str, path: &str| InitialCookie {
        session,
        name: name.into(),
        value: "1".into(),
        domain: "test".into(),
        path: path.into(),
        secure: false,
    };
    plan.session.initial_cookies =
        vec![cookie(0, "a", "/"), cookie(2, "b", "/"), cookie(2, "c", "/0"), cookie(2, "d", "/other")];
    plan.session.initial_cookies.push(InitialCookie { value: "x".repeat(5_000), ..cookie(2, "large", "/") });
    let mut workload = Workload::new(&checked(&plan));
    let line = |workload: &Workload, session: &mut Session, request: &Request| {
        let out = crate::fields::lines(|add| session.write_fields(workload, request, &request.path, add));
        String::from_utf8(out).unwrap()
    };
    let request = &plan.requests[0];
    let lines = [0, 1, 2].map(|number| line(&workload, &mut workload.session(number), request));
    assert_eq!(lines, ["Cookie: a=1\r\n", "", "Cookie: c=1; b=1\r\n"]);
    let mut session = workload.session(0);
    session.next(&mut workload);
    let gone = cookies(&["a=; Max-Age=0; Domain=test", "e=2"]);
    session.reply(&workload, &Reply { headers: &gone, ..ok(request) });
    assert_eq!(line(&workload, &mut session, request), "Cookie: a=1; e=2\r\n", "not this host's to delete");
}

#[test]
#[should_panic(expected = "a session got a reply while it waits for none")]
fn a_reply_without_a_call_is_a_mistake_of_ours() {
    let plan = plan(1);
    let workload = Workload::new(&checked(&plan));
    workload.session(0).reply(&workload, &failed(&plan.requests[0]));
}

proptest! {
    #[test]
    fn every_session_makes_its_calls_and_ends(
        calls in 1..40_u64, burst in 1..9_u32, follow in 0..3_u32, random: bool, number: u64,
        replies in prop::collection::vec((any::<bool>(), prop::sample::select(vec![200_u16, 302, 307, 404]), 0..4_usize), 1..50),
    ) {
        let order = if random { Order::Random } else { Order::Sequential };
        let mut plan = Plan { session: draws(calls, burst, order), ..plan(3) };
        plan.session.redirects.limit = follow;
        plan.session.cookies = CookiePolicy::Jar;
        let mut workload = Workload::new(&checked(&plan));
        let mut session = workload.session(number);
        let (mut sent, mut out, mut turns) = (0, Vec::new(), 0_usize);
        loop {
            match session.next(&mut workload) {
                Step::Send { token, request } => {
                    sent += u64::from(matches!(request, CallRequest::Planned(_)));
                    out.push(Asked::new(&plan, token, request));
                }
                Step::Cached(_) => prop_assert!(false, "nothing is kept"),
                Step::Starved => panic!("there is no feed"),
                Step::Wait => {
                    // Replies come in any order.
                    let (completed, status, which) = replies[turns % replies.len()];
                    turns += 1;
                    let asked = out.swap_remove(which % out.len());
                    let headers = location("/next");
                    session.reply(&workload, &Reply { completed, status, headers: &headers, ..asked.ok() });
                }
                Step::Think(_) => prop_assert!(false, "none was asked for"),
                Step::Done => break,
            }
        }
        prop_assert!(out.is_empty());
        prop_assert_eq!(sent, calls);
        prop_assert!(turns as u64 <= calls * u64::from(follow + 1));
    }
}

#[test]
fn a_user_follows_links_and_begins_again_where_there_are_none() {
    let mut plan = plan(4);
    plan.session = draws(400, 1, Order::Links);
    // 0 leads to 1 and 2, 1 to 2, 2 nowhere; nothing leads to 3.
    let pages = vec![vec![1, 2], vec![2], vec![], vec![0]];
    plan.session.links = Some(Links { pages: pages.clone(), visit: None });
    plan.clone().check().unwrap();
    let text = steps(&plan, 7, 800);
    let visited: Vec<u32> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert_eq!((visited.len(), visited[0]), (400, 0));
    for step in visited.windows(2) {
        let leads = &pages[step[0] as usize];
        assert!(if leads.is_empty() { step[1] == 0 } else { leads.contains(&step[1]) }, "{step:?}");
    }
    let along = |page| visited.windows(2).filter(|step| *step == [0, page]).count();
    assert!(along(1) > 40 && along(2) > 40, "all links alike: {} {}", along(1), along(2));
    assert_eq!(text, steps(&plan, 7, 800), "the same seed");
    assert_ne!(text, steps(&plan, 8, 800), "another user");
}

#[test]
fn a_visit_has_its_length_on_average() {
    let mut plan = plan(2);
    plan.session = draws(4_000, 1, Order::Links);
    plan.session.links = Some(Links { pages: vec![vec![1], vec![1]], visit: Some(10) });
    let text = steps(&plan, 0, 8_000);
    let visits = text.split(' ').filter(|word| *word == "0").count();
    assert!((340..460).contains(&visits), "{visits}");
}
