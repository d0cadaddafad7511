//! What the engine relies on: the number of shards changes nothing that is sent, and a call allocates nothing.

use std::collections::BTreeMap;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::{
    ArrivalProcess, CheckedPlan, CookiePolicy, Order, Plan, Request, Schedule, SessionShape, Shard, Stop,
    Think, Work,
};
use warwolf_sim::alloc;
use warwolf_workload::{Arrivals, Captured, Reply, Session, Step, Token, Workload};

fn checked(plan: &Plan) -> CheckedPlan {
    plan.clone().check().unwrap()
}

fn plan(schedule: Schedule, calls: u64) -> Plan {
    Plan {
        seed: 99,
        schedule,
        session: SessionShape {
            work: Work::Draw { calls: Some(calls), burst: 2, first_alone: false, order: Order::Random },
            think: Think::Exponential { mean: Duration::from_secs(1) },
            ..SessionShape::default()
        },
        stop: Stop::after_calls(200),
        ..Plan::new((0..10).map(|i| Request::get(&format!("a.test/{i}")).unwrap()).collect())
    }
}

/// All that a session sends and how long it thinks, when every call succeeds.
fn steps(workload: &mut Workload, session: &mut Session, reply: &Reply<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    loop {
        match session.next(workload) {
            Step::Starved => panic!("there is no feed"),
            Step::Wait => {
                session.reply(workload, reply);
            }
            Step::Done => return steps,
            step => steps.push(step),
        }
    }
}

#[test]
fn any_number_of_shards_sends_the_same_requests_at_the_same_times() {
    let poisson = Schedule::Open { arrivals: ArrivalProcess::Poisson { rate: 100.0 }, burst: 3 };
    let users = Schedule::Closed { users: 30, ramp: Duration::from_secs(3) };
    for plan in [plan(poisson, 5), plan(users, 9)] {
        let workload = Workload::new(&checked(&plan));
        let reply =
            Reply { completed: true, status: 200, ..Reply::failed(Token::default(), &plan.requests[0]) };
        let sent = |count: u32| {
            let mut sent: BTreeMap<u64, (Timestamp, Vec<Step>)> = BTreeMap::new();
            for index in 0..count {
                let mut arrivals = Arrivals::new(&checked(&plan), &Shard::new(index, count).unwrap());
                while let Some(arrival) = arrivals.take() {
                    let steps = steps(
                        &mut Workload::new(&checked(&plan)),
                        &mut workload.session(arrival.number),
                        &reply,
                    );
                    assert!(sent.insert(arrival.number, (arrival.at, steps)).is_none());
                }
            }
            sent
        };
        let whole = sent(1);
        assert!(whole.len() >= 30);
        for count in [2, 3, 8, 64] {
            assert_eq!(sent(count), whole, "{count} shards");
        }
    }
}

#[test]
fn arrivals_and_sessions_of_the_simple_kind_allocate_nothing() {
    let poisson = Schedule::Open { arrivals: ArrivalProcess::Poisson { rate: 100.0 }, burst: 1 };
    let plan = plan(poisson, 2);
    let mut workload = Workload::new(&checked(&plan));
    let mut arrivals = Arrivals::new(&checked(&plan), &Shard::WHOLE);
    let reply = Reply { completed: true, status: 200, ..Reply::failed(Token::default(), &plan.requests[0]) };
    let mut calls = 0;
    let allocated = alloc::count(|| {
        while let Some(arrival) = arrivals.take() {
            let mut session = workload.session(arrival.number);
            loop {
                match session.next(&mut workload) {
                    Step::Starved => panic!("there is no feed"),
                    Step::Wait => {
                        session.reply(&workload, &reply);
                    }
                    Step::Done => break,
                    _ => calls += 1,
                }
            }
        }
    });
    assert_eq!((calls, allocated), (400, 0));
}

#[test]
fn a_cookie_set_with_every_reply_allocates_once() {
    let users = Schedule::Closed { users: 1, ramp: Duration::ZERO };
    let mut plan = plan(users, 200);
    plan.session.cookies = CookiePolicy::Jar;
    let mut workload = Workload::new(&checked(&plan));
    let mut headers = Captured::default();
    for cookie in ["session=0123456789abcdef; Path=/", "other=1; Path=/"] {
        headers.add("set-cookie", cookie.as_bytes());
    }
    let reply = Reply {
        completed: true,
        status: 200,
        headers: &headers,
        ..Reply::failed(Token::default(), &plan.requests[0])
    };
    let mut session = workload.session(0);
    let mut out = Vec::with_capacity(1_000);
    let mut turn = |session: &mut Session| {
        if session.next(&mut workload) == Step::Wait {
            session.reply(&workload, &reply);
        }
        out.clear();
        session.write_fields(&workload, &plan.requests[0], &plan.requests[0].path, &mut |name, value| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            value(&mut out);
        });
        assert!(out.len() < 1_000);
    };
    (0..10).for_each(|_| turn(&mut session));
    assert_eq!(alloc::count(|| (0..300).for_each(|_| turn(&mut session))), 0);
    assert_eq!(out, b"Cookie: session=0123456789abcdef; other=1");
}
