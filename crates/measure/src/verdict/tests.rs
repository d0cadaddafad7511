use super::*;
use crate::{Explanation, HostEvidence, Idle, ReasonFigures, Run, Sample, Tally, WorkerEvidence};
use std::time::Duration;
use warwolf_clock::Timestamp;

const SECONDS: u64 = 20;
const CALLS_PER_SECOND: u64 = 200;

/// A call that was begun `lag_us` late and answered `service_us` after.
fn sample(second: u64, lag_us: u64, service_us: u64, outcome: Outcome) -> Sample {
    let at = |us: u64| Timestamp::from_nanos(second * 1_000_000_000 + us * 1_000);
    Sample {
        intended: at(0),
        started: at(lag_us),
        sent: at(lag_us),
        first_byte: at(lag_us + service_us),
        finished: at(lag_us + service_us),
        body_bytes: 10,
        header_bytes: 5,
        sent_bytes: 7,
        status: 200,
        target: 0,
        outcome,
        check_failed: false,
    }
}

/// What a case changes: the lag and service of a call by second and number, and the run.
type Calls = fn(u64, u64) -> (u64, u64);

/// A valid run: 200 calls a second for 20 s, answered in 1 ms, one worker at 30 %.
fn quiet(open: bool, calls: Calls) -> Run {
    let mut run = Run::new(Duration::from_secs(1));
    run.open = open;
    run.target_rate = open.then_some(CALLS_PER_SECOND as f64);
    run.wall = Duration::from_secs(SECONDS);
    run.nominal = Some(run.wall);
    for second in 0..SECONDS {
        let mut tally = Tally::new();
        for number in 0..CALLS_PER_SECOND {
            let (lag, service) = calls(second, number);
            tally.planned(1);
            tally.started(1);
            tally.record(&sample(second, lag, service, Outcome::Completed));
        }
        run.timeline.add(second, &tally);
    }
    run.hosts = vec![HostEvidence {
        threads: 1,
        idle: Idle::Block,
        workers: vec![worker(0.3, 0.3, 0.001)],
        host_cpu_busy_share: Some(0.5),
        steal_share: Some(0.0),
        cgroup_throttled: Some(Duration::ZERO),
        descriptors_limit: 1_024,
        ports_available: 28_232,
        connections_asked: if open { 0 } else { 50 },
        connections_held: 50,
        in_flight_limit: 50,
        ..HostEvidence::default()
    }];
    run
}

/// A worker that worked, had a core, and waited for one, for these shares of the run.
fn worker(busy: f64, cpu: f64, delayed: f64) -> WorkerEvidence {
    let wall = Duration::from_secs(SECONDS);
    WorkerEvidence {
        busy: wall.mul_f64(busy),
        wall,
        cpu_user: wall.mul_f64(cpu),
        run_delay: Some(wall.mul_f64(delayed)),
        ..WorkerEvidence::default()
    }
}

fn add(run: &mut Run, change: impl FnOnce(&mut Tally)) {
    let mut tally = Tally::new();
    change(&mut tally);
    run.timeline.add(SECONDS - 1, &tally);
}

fn add_ended(run: &mut Run, calls: u64, latency_us: u64, outcome: Outcome) {
    add(run, |tally| {
        tally.planned(calls);
        tally.started(calls);
        (0..calls).for_each(|_| tally.record(&sample(0, 0, latency_us, outcome)));
    });
}

const STEADY: Calls = |_, number| (10, 900 + number);
/// One call in fifty is begun 5 ms late, and answered in 1 ms.
const LATE: Calls = |_, number| (if number % 50 == 0 { 5_000 } else { 10 }, 900 + number);
/// One call in fifty is begun 80 ms late.
const VERY_LATE: Calls = |_, number| (if number % 50 == 0 { 80_000 } else { 10 }, 900 + number);
/// The server stalls for a second: replies take up to a second.
const STALL: Calls = |second, number| (10, if second == 7 { 1_000_000 - number * 5_000 } else { 1_000 });

/// What is expected: the grade and the causes in order.
type Expected<'a> = (Grade, &'a [Cause]);

fn check(why: &str, run: &Run, (grade, causes): Expected<'_>) {
    let verdict = judge(&Summary::of(run));
    let found: Vec<_> = verdict.reasons.iter().map(|reason| reason.cause).collect();
    assert_eq!((verdict.grade, found.as_slice()), (grade, causes), "{why}: {:#?}", verdict.reasons);
}

#[test]
fn what_is_the_servers_or_normal_leaves_a_run_valid() {
    const SILENT: Expected<'_> = (Grade::Valid, &[]);
    let changed = |open, calls, change: fn(&mut Run)| {
        let mut run = quiet(open, calls);
        change(&mut run);
        run
    };
    for (why, run, expected) in [
        ("open, quiet", quiet(true, STEADY), SILENT),
        ("closed, quiet", quiet(false, STEADY), SILENT),
        ("a server that stalls for a second", quiet(true, STALL), SILENT),
        (
            "lag of 5 ms is little beside replies of 100 ms",
            quiet(true, |_, n| (if n % 50 == 0 { 5_000 } else { 0 }, 100_000)),
            SILENT,
        ),
        (
            "lag of 0.9 ms is what sleeping gives",
            quiet(true, |_, n| (if n % 50 == 0 { 900 } else { 10 }, 200)),
            SILENT,
        ),
        (
            "a worker at 90 % beside a busy server",
            changed(false, STEADY, |r| {
                r.hosts[0].workers = vec![worker(0.9, 0.9, 0.05)];
                r.hosts[0].host_cpu_busy_share = Some(1.0);
            }),
            SILENT,
        ),
        (
            "a worker that spins has its core all the time",
            changed(true, STEADY, |r| {
                r.hosts[0].idle = Idle::Spin;
                r.hosts[0].workers = vec![worker(0.2, 1.0, 0.0)];
            }),
            SILENT,
        ),
        (
            "in an open loop a busy worker that is in time is no fault",
            changed(true, STEADY, |r| {
                r.hosts[0].workers = vec![worker(0.97, 0.97, 0.0)];
            }),
            SILENT,
        ),
        (
            "a server that refuses some",
            changed(true, STEADY, |r| add_ended(r, 300, 100, Outcome::Refused)),
            SILENT,
        ),
        (
            "a server that takes too long for some",
            changed(true, STEADY, |r| {
                add_ended(r, 30, 5_000_000, Outcome::ResponseTimeout);
            }),
            SILENT,
        ),
        (
            "a few calls are in flight at any stop",
            changed(false, STEADY, |r| add_ended(r, 50, 900, Outcome::Unfinished)),
            SILENT,
        ),
        (
            "a few calls of the last instant are never begun",
            changed(true, STEADY, |r| {
                add(r, |t| {
                    t.planned(9);
                    t.unstarted(9);
                })
            }),
            SILENT,
        ),
        (
            "nothing is known about the machine",
            changed(true, STEADY, |r| r.hosts = vec![HostEvidence::default()]),
            SILENT,
        ),
        (
            "a run of a few milliseconds, for most of which its worker waited",
            changed(false, STEADY, |r| {
                r.wall = Duration::from_millis(40);
                r.hosts[0].workers = vec![worker(1.0, 0.2, 0.8)];
                r.hosts[0].steal_share = Some(0.3);
            }),
            SILENT,
        ),
        ("a little steal", changed(true, STEADY, |r| r.hosts[0].steal_share = Some(0.03)), SILENT),
    ] {
        check(why, &run, expected);
    }
}

#[test]
fn what_should_be_known_is_a_note() {
    let changed = |open, calls, change: fn(&mut Run)| {
        let mut run = quiet(open, calls);
        change(&mut run);
        run
    };
    for (why, run, cause) in [
        (
            "the server is slow, all slots are taken, the machine has time",
            changed(true, VERY_LATE, |r| add(r, |t| t.held_back(400))),
            Cause::SlotsFull,
        ),
        (
            "the same, with the server on the same cores",
            changed(true, VERY_LATE, |r| {
                r.hosts[0].workers = vec![worker(0.1, 0.1, 0.04)];
                add(r, |t| t.held_back(400));
            }),
            Cause::SlotsFull,
        ),
        (
            "a server sends no closing alert before it closes",
            changed(false, STEADY, |r| add(r, |t| t.tls_unclosed(3))),
            Cause::TlsUnclosed,
        ),
        (
            "the server takes 10 of 50 connections",
            changed(false, STEADY, |r| {
                r.hosts[0].connections_held = 10;
                add(r, |t| t.connection_failed(Outcome::Refused));
            }),
            Cause::ConnectionsRefused,
        ),
        (
            "the server closed kept connections that had requests on them",
            changed(false, STEADY, |r| add(r, |t| (0..3).for_each(|_| t.resent()))),
            Cause::Resent,
        ),
        (
            "the server sent two replies for one request",
            changed(false, STEADY, |r| add(r, Tally::unexpected_bytes)),
            Cause::UnexpectedBytes,
        ),
        (
            "the server stands still at the end",
            changed(false, STEADY, |r| add_ended(r, 50, 4_000_000, Outcome::Unfinished)),
            Cause::Unfinished,
        ),
        (
            "the server slows down all the time",
            quiet(true, |second, _| (10, 1_000 + second * 100)),
            Cause::Trend,
        ),
        ("Ctrl-C", changed(true, STEADY, |r| r.hosts[0].interrupted = true), Cause::Interrupted),
        (
            "the thread that adds up has no core",
            changed(true, STEADY, |r| r.hosts[0].workers[0].late_pages = 9),
            Cause::LatePages,
        ),
    ] {
        check(why, &run, (Grade::Valid, &[cause]));
    }
}

#[test]
fn a_run_whose_accounting_does_not_add_up_is_invalid() {
    let at = crate::HandOver::Schedule;
    let mismatch = crate::Mismatch { at, given: 1_000, taken: 999, seed: 42, shard: (0, 1) };
    let mut run = quiet(true, STEADY);
    run.hosts[0].mismatch = Some(mismatch);
    check("an arrival was lost", &run, (Grade::Invalid, &[Cause::Accounting]));
}

#[test]
fn what_is_this_machines_is_named() {
    let changed = |open, calls, change: fn(&mut Run)| {
        let mut run = quiet(open, calls);
        change(&mut run);
        run
    };
    use Grade::{Degraded, Invalid};
    for (why, run, grade, cause) in [
        ("late without known cause", quiet(true, LATE), Degraded, Cause::Lag),
        (
            "a hog on the same core",
            changed(true, LATE, |r| r.hosts[0].workers = vec![worker(0.1, 0.1, 0.04)]),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "a hog on the same core, and a few calls waited for slots besides",
            changed(true, VERY_LATE, |r| {
                r.hosts[0].workers = vec![worker(0.1, 0.1, 0.04)];
                add(r, |t| t.held_back(30));
            }),
            Invalid,
            Cause::CpuContention,
        ),
        (
            "a hog on the same core, all the time",
            changed(true, VERY_LATE, |r| r.hosts[0].workers = vec![worker(0.1, 0.1, 0.4)]),
            Invalid,
            Cause::CpuContention,
        ),
        (
            "hogs on all cores, where the scheduler says nothing",
            changed(true, LATE, |r| {
                r.hosts[0].workers[0].run_delay = None;
                r.hosts[0].host_cpu_busy_share = Some(0.99);
            }),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "more load than the core can",
            changed(true, VERY_LATE, |r| r.hosts[0].workers = vec![worker(0.99, 0.99, 0.0)]),
            Invalid,
            Cause::ClientBusy,
        ),
        (
            "more load than the core can, and slots fill up behind it",
            changed(true, VERY_LATE, |r| {
                r.hosts[0].workers = vec![worker(0.99, 0.99, 0.0)];
                add(r, |t| t.held_back(400));
            }),
            Invalid,
            Cause::ClientBusy,
        ),
        (
            "the kernel's part of the work counts",
            changed(false, STEADY, |r| r.hosts[0].workers = vec![worker(0.4, 0.98, 0.0)]),
            Degraded,
            Cause::ClientBusy,
        ),
        (
            "a closed loop at the client's limit",
            changed(false, STEADY, |r| r.hosts[0].workers = vec![worker(0.98, 0.98, 0.0)]),
            Degraded,
            Cause::ClientBusy,
        ),
        (
            "a closed loop beside a hog",
            changed(false, STEADY, |r| r.hosts[0].workers = vec![worker(0.5, 0.5, 0.4)]),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "a closed loop beside a hog, where the scheduler says nothing",
            changed(false, STEADY, |r| {
                r.hosts[0].workers = vec![worker(0.8, 0.4, 0.0)];
                r.hosts[0].workers[0].run_delay = None;
            }),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "an open loop beside a hog, where replies wait to be read more than calls to be begun",
            changed(true, STEADY, |r| r.hosts[0].workers = vec![worker(0.5, 0.5, 0.4)]),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "a worker that got no core until the stop was starved and not busy",
            changed(false, STEADY, |r| {
                let starved = WorkerEvidence { starved: 10, ..worker(1.0, 0.0, 0.99) };
                r.hosts[0].workers = vec![starved, worker(0.3, 0.3, 0.0)];
            }),
            Invalid,
            Cause::CpuContention,
        ),
        (
            "a worker that had not ended with the run",
            changed(true, STEADY, |r| {
                r.hosts[0].workers.push(WorkerEvidence { is_lost: true, ..WorkerEvidence::default() });
            }),
            Invalid,
            Cause::CpuContention,
        ),
        (
            "a worker that got no core for most of its time was starved and not busy",
            changed(false, STEADY, |r| r.hosts[0].workers = vec![worker(1.0, 0.05, 0.9)]),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "a hog, and a hypervisor that takes less than the hog",
            changed(true, LATE, |r| {
                r.hosts[0].workers = vec![worker(0.5, 0.5, 0.4)];
                r.hosts[0].steal_share = Some(0.03);
            }),
            Degraded,
            Cause::CpuContention,
        ),
        (
            "a hypervisor that takes a tenth, which the percentiles show",
            changed(
                false,
                |_, n| (10, if n % 20 == 0 { 3_000 } else { 900 + n }),
                |r| {
                    r.hosts[0].steal_share = Some(0.1);
                },
            ),
            Degraded,
            Cause::CpuStolen,
        ),
        (
            "a hypervisor that takes a third",
            changed(true, STEADY, |r| r.hosts[0].steal_share = Some(0.33)),
            Invalid,
            Cause::CpuStolen,
        ),
        (
            "a little steal where calls are late",
            changed(true, LATE, |r| r.hosts[0].steal_share = Some(0.02)),
            Degraded,
            Cause::CpuStolen,
        ),
        (
            "a container's limit",
            changed(true, STEADY, |r| r.hosts[0].cgroup_throttled = Some(Duration::from_secs(1))),
            Degraded,
            Cause::CpuThrottled,
        ),
        (
            "a container's limit where calls are late",
            changed(true, VERY_LATE, |r| r.hosts[0].cgroup_throttled = Some(Duration::from_secs(2))),
            Invalid,
            Cause::CpuThrottled,
        ),
        (
            "a container's limit most of the time",
            changed(false, STEADY, |r| r.hosts[0].cgroup_throttled = Some(Duration::from_secs(8))),
            Invalid,
            Cause::CpuThrottled,
        ),
        (
            "a low descriptor limit",
            changed(true, STEADY, |r| add_ended(r, 1_000, 10, Outcome::NoFiles)),
            Invalid,
            Cause::Descriptors,
        ),
        (
            "one connection too many",
            changed(false, STEADY, |r| add(r, |t| t.connection_failed(Outcome::NoFiles))),
            Degraded,
            Cause::Descriptors,
        ),
        (
            "a small port range",
            changed(true, STEADY, |r| add_ended(r, 1_000, 10, Outcome::NoPorts)),
            Invalid,
            Cause::Ports,
        ),
        (
            "socket memory",
            changed(true, STEADY, |r| add_ended(r, 1, 10, Outcome::NoBuffers)),
            Degraded,
            Cause::Buffers,
        ),
        (
            "a firewall on this machine",
            changed(true, STEADY, |r| add_ended(r, 1, 10, Outcome::Denied)),
            Degraded,
            Cause::LocalErrors,
        ),
        (
            "calls that were never begun",
            changed(true, STEADY, |r| {
                add(r, |t| {
                    t.planned(100);
                    t.unstarted(100);
                })
            }),
            Degraded,
            Cause::Unstarted,
        ),
        (
            "a shard is missing",
            changed(true, STEADY, |r| r.shards = vec![(0, 3), (2, 3)]),
            Degraded,
            Cause::MissingShards,
        ),
    ] {
        check(why, &run, (grade, &[cause]));
    }
}

/// In the order of what quiet runs at 1,000/s showed: p99 of latency about 0.2 ms, p99 of lag 0.07 ms.
const LIKE_QUIET: Calls = |_, number| (10 + number * 3 / 10, 80 + number / 2);
/// In the order of what runs showed whose worker shared its core with a busy loop (p99 0.4 to 3.5 ms): 2.5 % of requests are
/// delayed by up to 0.6 ms, those that start as lag and those that end as service time. p99 of lag is below any limit.
const LIKE_HOG: Calls = |_, number| match number % 80 {
    0 => (420 + number, 80 + number / 2),
    40 => (10 + number * 3 / 10, 500 + number),
    _ => LIKE_QUIET(0, number),
};

#[test]
fn lost_time_is_judged_by_its_effect_on_the_figures() {
    let run = |open, calls, delayed, steal| {
        let mut run = quiet(open, calls);
        run.hosts[0].workers = vec![worker(0.1, 0.1, delayed)];
        run.hosts[0].steal_share = Some(steal);
        judge(&Summary::of(&run))
    };
    for steal in [0.06, 0.09, 0.12] {
        for open in [true, false] {
            let verdict = run(open, LIKE_QUIET, 0.01, steal);
            assert_eq!((verdict.grade, verdict.reasons.len()), (Grade::Valid, 0), "{steal}: {verdict:?}");
        }
        let verdict = run(true, LIKE_HOG, 0.01, steal);
        assert_eq!(verdict.reasons[0].cause, Cause::CpuStolen, "{steal}: {verdict:?}");
    }
    // The server's own slow replies are not delays of this machine.
    let slow: Calls = |_, number| (10, if number % 50 == 0 { 9_000 } else { 100 });
    for (calls, delayed) in [(LIKE_QUIET, 0.05), (LIKE_HOG, 0.01), (slow, 0.05)] {
        let verdict = run(true, calls, delayed, 0.0);
        assert_eq!((verdict.grade, verdict.reasons.len()), (Grade::Valid, 0), "{verdict:?}");
    }
    let verdict = run(true, LIKE_HOG, 0.024, 0.0);
    assert_eq!((verdict.grade, verdict.reasons.len()), (Grade::Degraded, 1), "{verdict:?}");
    let ReasonFigures::Cpu { explanation: Explanation::Delayed { worker: 0, .. }, p99_added_ns: Some(added) } =
        verdict.reasons[0].figures
    else {
        panic!("{verdict:?}")
    };
    assert!((350_000..600_000).contains(&added), "{added}");
}

#[test]
fn slots_that_descriptors_limit_are_named() {
    let mut run = quiet(true, VERY_LATE);
    add(&mut run, |t| t.held_back(400));
    for (is_capped, expected) in [(false, None), (true, Some(1_024))] {
        run.hosts[0].is_capped = is_capped;
        let verdict = judge(&Summary::of(&run));
        let ReasonFigures::SlotsFull { descriptors_limit, .. } = verdict.reasons[0].figures else {
            panic!("{verdict:?}")
        };
        assert_eq!((verdict.grade, descriptors_limit), (Grade::Valid, expected));
    }
}

#[test]
fn a_run_without_a_reply_names_its_failures() {
    let mut run = Run::new(Duration::from_secs(1));
    run.wall = Duration::from_secs(1);
    let mut tally = Tally::new();
    tally.planned(3);
    tally.started(3);
    (0..3).for_each(|_| tally.record(&sample(0, 0, 10, Outcome::Refused)));
    run.timeline.add(0, &tally);
    let verdict = judge(&Summary::of(&run));
    assert_eq!((verdict.grade, verdict.reasons.len()), (Grade::Invalid, 1));
    let expected = ReasonFigures::NothingMeasured {
        started: 3,
        completed: 0,
        failed: 3,
        unfinished: 0,
        most_frequent_failure: Some(Outcome::Refused),
    };
    assert_eq!(verdict.reasons[0].figures, expected);
}

#[test]
fn too_few_samples_are_a_note() {
    let mut run = Run::new(Duration::from_secs(1));
    run.wall = Duration::from_secs(1);
    let mut tally = Tally::new();
    tally.planned(200);
    tally.started(200);
    (0..200).for_each(|number| tally.record(&sample(0, 0, number, Outcome::Completed)));
    run.timeline.add(0, &tally);
    let verdict = judge(&Summary::of(&run));
    assert_eq!(verdict.grade, Grade::Valid);
    let note = verdict.notes().next().unwrap();
    assert_eq!(note.cause, Cause::FewSamples);
    assert_eq!(note.figures, ReasonFigures::FewSamples { quantile: 0.99, needed: 368, samples: 200 });
    assert_eq!(verdict.doubts().count(), 0);
}

#[test]
fn the_worst_reason_comes_first() {
    let mut run = quiet(true, LATE);
    run.hosts[0].interrupted = true;
    add_ended(&mut run, 1_000, 10, Outcome::NoPorts);
    check("three reasons", &run, (Grade::Invalid, &[Cause::Ports, Cause::Lag, Cause::Interrupted]));
}

#[test]
fn each_host_is_judged_on_its_own() {
    let mut run = quiet(true, LATE);
    let mut other = run.hosts[0].clone();
    run.hosts[0].environment.host = "calm".into();
    other.environment.host = "noisy".into();
    other.workers = vec![worker(0.1, 0.1, 0.0), worker(0.1, 0.1, 0.04)];
    run.hosts.push(other);
    let verdict = judge(&Summary::of(&run));
    assert_eq!((verdict.grade, verdict.reasons.len()), (Grade::Degraded, 1));
    let reason = &verdict.reasons[0];
    assert_eq!((reason.cause, reason.host.as_deref()), (Cause::CpuContention, Some("noisy")));
    assert!(
        matches!(
            reason.figures,
            ReasonFigures::Late { explanation: Explanation::Delayed { worker: 1, .. }, .. }
        ),
        "{reason:?}"
    );
}

#[test]
fn hosts_of_one_name_are_told_apart_by_their_shards() {
    let mut run = quiet(true, STEADY);
    let mut other = run.hosts[0].clone();
    other.interrupted = true;
    other.shard = Some((1, 2));
    run.hosts[0].shard = Some((0, 2));
    other.environment.host = "box".into();
    run.hosts[0].environment.host = "box".into();
    run.hosts.push(other);
    let verdict = judge(&Summary::of(&run));
    let hosts: Vec<_> = verdict.reasons.iter().map(|reason| reason.host.as_deref()).collect();
    assert_eq!(hosts, [Some("box, shard 2")]);
}

#[test]
fn limits_of_hosts_are_not_added_up() {
    let mut run = quiet(true, STEADY);
    let other = HostEvidence { descriptors_limit: 4_096, ..run.hosts[0].clone() };
    run.hosts.push(other);
    add_ended(&mut run, 1_000, 10, Outcome::NoFiles);
    let verdict = judge(&Summary::of(&run));
    assert!(
        matches!(
            verdict.reasons[0].figures,
            ReasonFigures::LocalErrors { descriptors_limit: Some(1_024), ports_available: None, .. }
        ),
        "{verdict:?}"
    );
}

#[test]
fn figures_are_data_with_units_in_their_names() {
    let json = |figures| serde_json::to_value::<ReasonFigures>(figures).unwrap();
    assert_eq!(
        json(ReasonFigures::Late {
            lateness: crate::Lateness {
                lag_p99_ns: Some(5_000_000),
                latency_p99_ns: Some(6_000_000),
                ..crate::Lateness::default()
            },
            explanation: Explanation::Delayed { worker: 1, delayed_share: 0.25 },
        }),
        serde_json::json!({
            "lag_p99_ns": 5_000_000,
            "latency_p99_ns": 6_000_000,
            "excludes_held_back": false,
            "worker": 1,
            "delayed_share": 0.25,
        })
    );
    assert_eq!(
        json(ReasonFigures::LocalErrors {
            outcome: Outcome::NoPorts,
            errors: 3,
            finished: 9,
            descriptors_limit: None,
            ports_available: Some(100),
        }),
        serde_json::json!({ "outcome": "no_ports", "errors": 3, "finished": 9, "ports_available": 100 })
    );
}
