//! What an arrival and a session cost. `cargo bench -p warwolf-workload`.

use divan::{Bencher, black_box};
use std::time::Duration;
use warwolf_plan::{
    ArrivalProcess, CheckedPlan, Order, Plan, RateStep, Request, Schedule, SessionShape, Shard, Stop, Think,
    Work,
};
use warwolf_workload::{Arrivals, Captured, Reply, Step, Token, Workload};

fn checked(plan: &Plan) -> CheckedPlan {
    plan.clone().check().expect("the plan is right")
}

fn main() {
    divan::main();
}

fn plan(arrivals: ArrivalProcess) -> Plan {
    Plan {
        schedule: Schedule::Open { arrivals, burst: 1 },
        session: SessionShape {
            work: Work::Draw { calls: Some(1), burst: 1, first_alone: false, order: Order::Sequential },
            ..SessionShape::default()
        },
        stop: Stop { duration: None, calls: None, grace: Duration::ZERO },
        ..Plan::new(vec![Request::get("http://a.test/").expect("a URL")])
    }
}

const PROCESSES: [&str; 6] = ["constant", "fractional", "poisson", "uniform", "ramp", "steps"];

fn process(name: &str) -> ArrivalProcess {
    match name {
        "constant" => ArrivalProcess::Constant { rate: 1e6 },
        "fractional" => ArrivalProcess::Constant { rate: 999_999.5 },
        "poisson" => ArrivalProcess::Poisson { rate: 1e6 },
        "uniform" => ArrivalProcess::Uniform { min: Duration::ZERO, max: Duration::from_micros(2) },
        "ramp" => ArrivalProcess::Ramp { from: 0.0, to: 1e6, over: Duration::from_secs(60) },
        _ => {
            let step = |rate| RateStep { rate, lasts: Duration::from_secs(100_000) };
            ArrivalProcess::Steps { steps: (1..20).map(f64::from).map(|k| step(k * 1e5)).collect() }
        }
    }
}

/// One arrival of the only shard.
#[divan::bench(args = PROCESSES)]
fn arrival(bencher: Bencher, name: &str) {
    let mut arrivals = Arrivals::new(&checked(&plan(process(name))), &Shard::WHOLE);
    bencher.bench_local(|| arrivals.take());
}

/// One arrival of one of 64 shards, which passes over the other 63.
#[divan::bench(args = PROCESSES)]
fn arrival_of_64(bencher: Bencher, name: &str) {
    let mut arrivals = Arrivals::new(&checked(&plan(process(name))), &Shard::new(5, 64).expect("5 of 64"));
    bencher.bench_local(|| arrivals.take());
}

/// A session as it is made.
#[divan::bench]
fn session(bencher: Bencher) {
    let workload = Workload::new(&checked(&plan(process("constant"))));
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        black_box(workload.session(black_box(number)))
    });
}

/// A session of one call from its start to its end.
#[divan::bench]
fn session_of_one_call(bencher: Bencher) {
    let plan = plan(process("constant"));
    let mut workload = Workload::new(&checked(&plan));
    let request = &plan.requests[0];
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let mut session = workload.session(black_box(number));
        while let Step::Send { .. } = session.next(&mut workload) {
            black_box(session.next(&mut workload));
            session.reply(
                &workload,
                &Reply { completed: true, status: 200, ..Reply::failed(Token::default(), request) },
            );
        }
        session
    });
}

/// One call of a user who goes on, with drawn requests and pauses.
#[divan::bench]
fn call_with_chance(bencher: Bencher) {
    let mut plan = plan(process("constant"));
    plan.requests = vec![plan.requests[0].clone(); 100];
    plan.session = SessionShape {
        work: Work::Draw { calls: None, burst: 1, first_alone: false, order: Order::Random },
        think: Think::Exponential { mean: Duration::from_secs(1) },
        ..SessionShape::default()
    };
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(7);
    bencher.bench_local(|| {
        black_box(session.next(&mut workload));
        black_box(session.next(&mut workload));
        session.reply(
            &workload,
            &Reply { completed: true, status: 200, ..Reply::failed(Token::default(), &plan.requests[0]) },
        );
        black_box(session.next(&mut workload))
    });
}

/// One call with a cookie that the server sets anew each time.
#[divan::bench]
fn call_with_cookie(bencher: Bencher) {
    let mut plan = plan(process("constant"));
    plan.session = SessionShape {
        work: Work::Draw { calls: None, burst: 1, first_alone: false, order: Order::Sequential },
        cookies: warwolf_plan::CookiePolicy::Jar,
        ..SessionShape::default()
    };
    let mut workload = Workload::new(&checked(&plan));
    let mut session = workload.session(7);
    let mut headers = Captured::default();
    headers.add("set-cookie", b"session=0123456789abcdef; Path=/; HttpOnly");
    let mut out = Vec::new();
    bencher.bench_local(|| {
        black_box(session.next(&mut workload));
        out.clear();
        session.write_fields(&workload, &plan.requests[0], &plan.requests[0].path, &mut |name, value| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            value(&mut out);
        });
        let reply = Reply {
            completed: true,
            status: 200,
            headers: &headers,
            ..Reply::failed(Token::default(), &plan.requests[0])
        };
        session.reply(&workload, &reply);
    });
}
