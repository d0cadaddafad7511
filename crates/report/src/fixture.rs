//! Handmade runs for the tests of every format.

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{
    CheckExample, CheckLabel, Environment, HostEvidence, Idle, Outcome, RowLabel, RowLabels, Run, Sample,
    Tally, WorkerEvidence,
};
use warwolf_plan::{ArrivalProcess, Plan, Request, Schedule, text};

/// Returns a call intended at `at_us`, started at once and sent 100 us later. Its reply began after half of the rest.
fn sample(at_us: u64, latency_us: u64, outcome: Outcome) -> Sample {
    let at = |us: u64| Timestamp::from_nanos((at_us + us) * 1_000);
    Sample {
        intended: at(0),
        started: at(0),
        sent: at(100),
        first_byte: at(100 + (latency_us - 100) / 2),
        finished: at(latency_us),
        body_bytes: 100,
        header_bytes: 10,
        sent_bytes: 50,
        status: 200,
        target: 0,
        outcome,
        check_failed: false,
    }
}

fn never_sent(at_us: u64, outcome: Outcome) -> Sample {
    let nothing =
        Sample { sent: Timestamp::NEVER, first_byte: Timestamp::NEVER, ..sample(at_us, 200, outcome) };
    Sample { body_bytes: 0, header_bytes: 0, sent_bytes: 0, status: 0, ..nothing }
}

fn run(plan: &Plan, seconds: u64) -> Run {
    let mut run = Run::new(Duration::from_secs(1));
    run.plan_text = text::to_toml(plan);
    run.seed = plan.seed;
    run.open = plan.is_open();
    run.targets = plan.requests.iter().map(Request::url).collect();
    run.wall = Duration::from_secs(seconds);
    run.nominal = Some(run.wall);
    run
}

fn plan(urls: &[&str]) -> Plan {
    Plan { seed: 7, ..Plan::new(urls.iter().map(|url| Request::get(url).expect("a URL")).collect()) }
}

/// Returns a run with one call for each count of the accounting, in the first of two seconds.
pub(crate) fn small() -> Run {
    let mut run = run(&plan(&["http://a.test/"]), 2);
    let mut tally = Tally::new();
    tally.planned(4);
    tally.started(3);
    tally.unstarted(1);
    tally.in_flight(3);
    tally.record(&sample(0, 1_000, Outcome::Completed));
    tally.record(&never_sent(0, Outcome::Refused));
    tally.record(&sample(0, 1_500_000, Outcome::Unfinished));
    run.timeline.add(0, &tally);
    run.timeline.add(1, &Tally::new());
    run
}

/// A hundred calls a second for ten seconds to two targets, 1.01 to 2.00 ms each; ten were answered with 503 and three
/// reset.
pub(crate) fn steady() -> Run {
    let mut plan = plan(&["http://a.test/", "http://a.test/b?c=<d>"]);
    plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 100.0 }, burst: 1 };
    let mut run = run(&plan, 10);
    run.target_rate = Some(100.0);
    for second in 0..10 {
        let mut tally = Tally::new();
        tally.planned(100);
        tally.started(100);
        tally.in_flight(2);
        tally.connections_held(2);
        tally.wire(5_000, 11_000);
        for number in 0..100 {
            let reset = number == 50 && second < 3;
            let outcome = if reset { Outcome::Reset } else { Outcome::Completed };
            let status = if number == 99 { 503 } else { 200 };
            let target = (number % 2) as u16;
            let at_us = second * 1_000_000 + number * 10_000;
            tally.record(&Sample { status, target, ..sample(at_us, 1_010 + number * 10, outcome) });
            tally.connection_reused();
        }
        tally.connection_opened(Duration::from_micros(80 + second), None, false);
        run.timeline.add(second, &tally);
    }
    run.hosts = vec![HostEvidence { environment: environment(), ..evidence(Duration::from_secs(10)) }];
    run
}

/// Returns where [`steady`] was measured.
pub(crate) fn environment() -> Environment {
    Environment {
        version: "0.1.0".into(),
        command: vec!["warwolf".into(), "-r".into(), "100/s".into(), "http://a.test/".into()],
        host: "box".into(),
        system: "Linux 6.1".into(),
        cpu: "A CPU".into(),
        cores: 2,
        started_unix_ns: 1_700_000_000_000_000_000,
    }
}

/// Returns [`steady`] with a plan that has another arrival process.
pub(crate) fn arriving(arrivals: ArrivalProcess) -> Run {
    let mut plan = plan(&["http://a.test/", "http://a.test/b?c=<d>"]);
    let mut run = steady();
    run.target_rate = arrivals.mean_rate(run.wall);
    plan.schedule = Schedule::Open { arrivals, burst: 1 };
    run.plan_text = text::to_toml(&plan);
    run
}

/// Returns a run of 20 s with a hundred calls a second of 1 ms each, and then five hundred of 2 ms each.
pub(crate) fn growing(arrivals: ArrivalProcess) -> Run {
    let mut plan = plan(&["http://a.test/"]);
    plan.schedule = Schedule::Open { arrivals, burst: 1 };
    let mut run = run(&plan, 20);
    for second in 0..20 {
        let (calls, latency_us) = if second < 10 { (100, 1_000) } else { (500, 2_000) };
        let mut tally = Tally::new();
        tally.planned(calls);
        tally.started(calls);
        (0..calls).for_each(|_| tally.record(&sample(second * 1_000_000, latency_us, Outcome::Completed)));
        run.timeline.add(second, &tally);
    }
    run.hosts = vec![evidence(Duration::from_secs(20))];
    run
}

/// Returns a run with 400 calls of 1 ms in the first two of five seconds, and 600 without a reply, the oldest for 3 s.
pub(crate) fn stalled() -> Run {
    let mut plan = plan(&["http://a.test/"]);
    plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 200.0 }, burst: 1 };
    let mut run = run(&plan, 5);
    run.target_rate = Some(200.0);
    for second in 0..5 {
        let mut tally = Tally::new();
        tally.planned(200);
        tally.started(200);
        for number in 0..200 {
            let at_us = second * 1_000_000 + number * 5_000;
            match second {
                0 | 1 => tally.record(&sample(at_us, 1_000, Outcome::Completed)),
                _ => tally.record(&sample(at_us, 5_000_000 - at_us, Outcome::Unfinished)),
            }
        }
        run.timeline.add(second, &tally);
    }
    run.hosts = vec![evidence(Duration::from_secs(5))];
    run
}

fn evidence(wall: Duration) -> HostEvidence {
    HostEvidence {
        threads: 1,
        driver: "uring".into(),
        idle: Idle::Block,
        workers: vec![WorkerEvidence {
            busy: wall / 4,
            wall,
            cpu_user: wall / 20,
            cpu_system: wall / 10,
            run_delay: Some(wall / 1_000),
            core: Some(0),
            starved: 0,
            is_lost: false,
            late_pages: 0,
        }],
        host_cpu_busy_share: Some(0.5),
        steal_share: Some(0.0),
        cgroup_throttled: Some(Duration::ZERO),
        descriptors_limit: 1_048_576,
        descriptors_peak: 12,
        ports_available: 28_232,
        connections_asked: 0,
        connections_held: 2,
        in_flight_limit: 10_000,
        cpu_user: wall / 20,
        cpu_system: wall / 10,
        interrupted: false,
        mismatch: None,
        ..HostEvidence::default()
    }
}

/// Returns a run with two calls to a server that does not exist.
pub(crate) fn unreachable() -> Run {
    let mut run = run(&plan(&["http://a.test/"]), 1);
    let mut tally = Tally::new();
    tally.planned(2);
    tally.started(2);
    tally.in_flight(2);
    (0..2).for_each(|at| tally.record(&never_sent(at, Outcome::Refused)));
    (0..2).for_each(|_| tally.connection_failed(Outcome::Refused));
    run.timeline.add(0, &tally);
    run
}

/// Returns a run with 500 calls a second for ten seconds, of 1 ms each, but of one second each in the fourth second.
pub(crate) fn one_stall() -> Run {
    let mut run = run(&plan(&["http://a.test/"]), 10);
    for second in 0..10 {
        let mut tally = Tally::new();
        tally.planned(500);
        tally.started(500);
        let latency_us = if second == 3 { 1_000_000 } else { 1_000 };
        (0..500).for_each(|_| tally.record(&sample(second * 1_000_000, latency_us, Outcome::Completed)));
        run.timeline.add(second, &tally);
    }
    run
}

/// Returns a run of that many seconds with ten calls of 1 ms in each.
pub(crate) fn long(seconds: u64) -> Run {
    let mut run = run(&plan(&["http://a.test/"]), seconds);
    for second in 0..seconds {
        let mut tally = Tally::new();
        tally.planned(10);
        tally.started(10);
        (0..10).for_each(|_| tally.record(&sample(second * 1_000_000, 1_000, Outcome::Completed)));
        run.timeline.add(second, &tally);
    }
    run
}

/// Returns a run with 90 calls of 1 ms to one target and 10 calls of 100 ms to a second.
pub(crate) fn two_targets() -> Run {
    let mut run = run(&plan(&["http://a.test/", "http://a.test/slow"]), 1);
    let mut tally = Tally::new();
    tally.planned(100);
    tally.started(100);
    for number in 0..100 {
        let (target, latency_us) = if number < 90 { (0, 1_000) } else { (1, 100_000) };
        tally.record(&Sample { target, ..sample(number * 1_000, latency_us, Outcome::Completed) });
    }
    run.timeline.add(0, &tally);
    run
}

/// Returns a run with two scenarios: 100 passes of a buyer, who logs in and buys, and 200 of a visitor; every fourth purchase
/// does not pass its check.
pub(crate) fn shop() -> Run {
    let mut plan = plan(&["http://a.test/login", "http://a.test/cart", "http://a.test/<item>"]);
    plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Constant { rate: 40.0 }, burst: 1 };
    let mut run = run(&plan, 10);
    run.target_rate = Some(40.0);
    run.labels = labels();
    for second in 0..10 {
        let mut tally = Tally::new();
        tally.planned(40);
        tally.started(40);
        tally.in_flight(2);
        for number in 0..40 {
            let (target, latency_us) = [(0, 1_000), (1, 2_000), (2, 3_000), (2, 4_000)][number as usize % 4];
            let at_us = second * 1_000_000 + number * 25_000;
            let check_failed = target == 1 && number % 16 == 1;
            tally.record(&Sample { target, check_failed, ..sample(at_us, latency_us, Outcome::Completed) });
            match target {
                0 => tally.check(0, true),
                1 => {
                    tally.check(1, true);
                    tally.check(2, !check_failed);
                    let (wall, requests) = (Duration::from_millis(7), Duration::from_millis(2));
                    tally.group(0, wall, requests, check_failed);
                }
                _ => {}
            }
            if check_failed && run.examples.wants(2) {
                run.examples.add(failed_purchase(at_us + latency_us));
            }
        }
        run.timeline.add(second, &tally);
    }
    run.hosts = vec![HostEvidence { environment: environment(), ..evidence(Duration::from_secs(10)) }];
    run
}

fn labels() -> RowLabels {
    let row = |name: &str, group: Option<&str>, scenario: &str| RowLabel {
        name: name.into(),
        group: group.map(Into::into),
        scenario: Some(scenario.into()),
    };
    let check = |row, text: &str| CheckLabel { row, text: text.into() };
    RowLabels {
        rows: vec![
            row("login", None, "buyer"),
            row("buy", Some("checkout"), "buyer"),
            row("look at <items>", None, "visitor"),
        ],
        groups: vec!["checkout".into()],
        checks: vec![
            check(0, "status == 200"),
            check(1, "status < 300"),
            check(1, "json $.ok == true"),
            check(2, "body contains \"|<b>\""),
        ],
    }
}

/// Returns an example with texts that would break a careless format.
fn failed_purchase(at_us: u64) -> CheckExample {
    let body = "{\"ok\": false,\n \"why\": \"<script>alert(1)</script> | `sold` out ]]>\"}\u{1b}[2J";
    let at = Timestamp::from_nanos(at_us * 1_000);
    CheckExample::new(2, at, "POST http://a.test/cart?a=<b>&c", 200, "false", body.as_bytes())
}
