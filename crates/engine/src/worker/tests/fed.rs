//! Runs whose requests come from a feed.

use super::*;
use warwolf_workload::{FedRequest, Feeder};

/// A request for `/number`, intended so many milliseconds after the start.
fn request(number: u64, at_ms: u64) -> FedRequest {
    let request = Request::get(&format!("{URL}{number}")).unwrap();
    FedRequest { at: at(millis(at_ms)), request, target: (number % 3) as u32, size_bytes: 1 }
}

/// Prepares a worker with a feed, and passes both to `then`. The accounting must add up afterwards.
fn run_fed(
    plan: Plan,
    scenario: Scenario,
    then: impl FnOnce(&mut Bench<'_>, Feeder, &Control),
) -> (Accounting, Timestamp) {
    let plan = &plan.check().unwrap();
    let prepared = &Prepared::new(plan, &Arc::default()).unwrap();
    let control = Control::new();
    let never = Duration::from_secs(1_000_000);
    let mut bench = Bench::new(plan, prepared, Shard::WHOLE, scenario, never, &control);
    let (feeder, feeds) = Feeder::new(1);
    bench.worker.workload = Workload::new(plan).with_feed(feeds.into_iter().next());
    if plan.is_open() {
        bench.worker.arrivals = Arrivals::fed(&Shard::WHOLE);
    }
    then(&mut bench, feeder, &control);
    let end = bench.worker.cut();
    bench.check_accounting().unwrap();
    (bench.worker.final_accounting(), end)
}

fn to_the_end(bench: &mut Bench<'_>) {
    while bench.turn() == Turn::More {}
}

fn paths(log: &Log) -> Vec<String> {
    log.exchanges().iter().map(|exchange| exchange.target.clone()).collect()
}

/// A replay's plan: the times come from the feed.
fn timed() -> Plan {
    let mut plan = open(1.0, Duration::from_secs(1));
    plan.stop = Stop { duration: None, calls: None, grace: Duration::from_secs(1) };
    plan
}

#[test]
fn requests_start_at_the_given_times_on_one_connection() {
    let (scenario, log) = logged(Server::constant(Reply::ok(10)));
    let (_, end) = run_fed(timed(), scenario, |bench, mut feeder, _| {
        assert!((0..100).all(|number| feeder.send(request(number, 10 * number))));
        drop(feeder);
        to_the_end(bench);
        let tally = &bench.worker.recorder.tally;
        assert_eq!(outcomes(tally), [(Outcome::Completed, 100)]);
        assert_near(quantile(tally, Phase::Lag, 1.0), Duration::ZERO);
        let rows: Vec<(u16, u64)> = tally.targets().map(|(row, target)| (row, target.completed)).collect();
        assert_eq!(rows, [(0, 34), (1, 33), (2, 33)]);
    });
    assert_eq!(log.connections(), 1);
    assert_eq!(paths(&log), (0..100).map(|number| format!("/{number}")).collect::<Vec<_>>());
    assert!(end >= at(millis(990)) && end < at(millis(1_000)), "{end:?}");
}

#[test]
fn users_of_a_closed_loop_send_every_request_once_and_in_order() {
    let (scenario, log) = logged(Server::constant(Reply::ok(10).after(millis(1))));
    let plan = closed(3, u64::MAX);
    let plan = Plan { stop: Stop { duration: None, calls: None, grace: millis(1_000) }, ..plan };
    run_fed(plan, scenario, |bench, mut feeder, _| {
        assert!((0..100).all(|number| feeder.send(request(number, 0))));
        drop(feeder);
        to_the_end(bench);
        assert_eq!(outcomes(&bench.worker.recorder.tally), [(Outcome::Completed, 100)]);
    });
    assert_eq!((paths(&log).len(), log.connections()), (100, 3));
    let mut sorted = paths(&log);
    sorted.sort_by_key(|path| path[1..].parse::<u32>().unwrap());
    sorted.dedup();
    assert_eq!(sorted.len(), 100);
}

#[test]
fn a_worker_waits_for_a_slow_feed_and_keeps_its_connections() {
    for plan in
        [timed(), Plan { stop: Stop { duration: None, calls: None, grace: millis(1_000) }, ..closed(2, 9) }]
    {
        let (scenario, log) = logged(Server::constant(Reply::ok(10)));
        run_fed(plan, scenario, |bench, mut feeder, _| {
            for number in 0..5 {
                let now = bench.worker.now.as_nanos() / 1_000_000;
                assert!(feeder.send(request(number, now)));
                (0..200).for_each(|_| assert_eq!(bench.turn(), Turn::More));
            }
            drop(feeder);
            to_the_end(bench);
            assert_eq!(outcomes(&bench.worker.recorder.tally), [(Outcome::Completed, 5)]);
        });
        assert!(log.connections() <= 2, "{}", log.connections());
    }
}

#[test]
fn requests_that_are_not_due_at_the_stop_are_not_in_the_accounting() {
    let (scenario, _) = logged(Server::constant(Reply::ok(10)));
    let (accounting, _) = run_fed(timed(), scenario, |bench, mut feeder, control| {
        assert!((0..100).all(|number| feeder.send(request(number, 10 * number))));
        while bench.worker.now < at(millis(305)) {
            bench.turn();
        }
        control.stop();
        to_the_end(bench);
        assert!(feeder.send(request(100, 1_000)), "the worker is not dropped yet");
    });
    assert!((30..=32).contains(&accounting.begun.count), "{accounting:?}");
}

#[test]
fn a_request_that_is_lost_between_feed_and_session_is_noticed() {
    let (scenario, _) = logged(Server::constant(Reply::ok(10)));
    run_fed(timed(), scenario, |bench, mut feeder, _| {
        assert!((0..3).all(|number| feeder.send(request(number, number))));
        drop(feeder);
        to_the_end(bench);
        let mut accounting = bench.worker.final_accounting();
        accounting.fed = accounting.fed.map(|fed| Flow::of(fed.count + 1, fed.count));
        let mismatch = accounting.check(bench.plan, bench.shard, bench.prepared.calls_per_session);
        assert!(mismatch.is_err());
    });
}
