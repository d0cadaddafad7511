//! The accounting must notice whatever is lost, doubled or delayed on the way from the schedule to the tally.
//!
//! Each test interferes with one hand-over of a worker that runs in virtual time, and expects the comparison at the end
//! of the run to name that hand-over.

use super::*;
use crate::accounting::Tallied;
use warwolf_measure::HandOver;
use warwolf_workload::Arrival;

type SimWorker<'p> = Worker<'p, SimDriver>;

/// Runs `plan` against a server that replies after 5 ms, interferes after 50 ms, and compares at the end.
fn interfered_in(plan: &Plan, interfere: impl FnOnce(&mut SimWorker<'_>)) -> Result<(), HandOver> {
    let plan = &plan.clone().check().unwrap();
    let prepared = Prepared::new(plan, &Arc::default()).unwrap();
    let scenario = scenario(Reply::ok(1).after(millis(5)));
    let mut bench = Bench::new(plan, &prepared, Shard::WHOLE, scenario, millis(10), &Control::new());
    while bench.worker.now < at(millis(50)) {
        assert_eq!(bench.turn(), Turn::More);
    }
    interfere(&mut bench.worker);
    while bench.turn() == Turn::More {}
    bench.worker.cut();
    bench.check_accounting().map_err(|mismatch| mismatch.at)
}

/// The same for an open loop: 1,000 arrivals a second, for 100 ms.
fn interfered(interfere: impl FnOnce(&mut SimWorker<'_>)) -> Result<(), HandOver> {
    interfered_in(&Plan { stop: Stop::after(millis(100)), ..open(1_000.0, millis(100)) }, interfere)
}

/// Some call in flight.
fn in_flight(worker: &SimWorker<'_>) -> u32 {
    worker.calls.iter().next().unwrap().0 as u32
}

#[test]
fn an_undisturbed_run_adds_up() {
    assert_eq!(interfered(|_| {}), Ok(()));
}

#[test]
fn a_lost_arrival_is_found() {
    let lose = |worker: &mut SimWorker<'_>| assert!(worker.arrivals.take().is_some());
    assert_eq!(interfered(lose), Err(HandOver::Schedule));
    let mut ramped = closed(100, u64::MAX);
    ramped.schedule = Schedule::Closed { users: 100, ramp: millis(100) };
    ramped.stop = Stop::after(millis(100));
    assert_eq!(interfered_in(&ramped, |_| {}), Ok(()));
    assert_eq!(interfered_in(&ramped, lose), Err(HandOver::Schedule));
}

#[test]
fn a_session_that_does_not_follow_the_one_before_it_is_found() {
    let mut plan = closed(4, 200);
    plan.schedule = Schedule::Turns { users: 4 };
    plan.session.work = Work::Draw { calls: Some(1), burst: 1, first_alone: false, order: Order::Sequential };
    assert_eq!(interfered_in(&plan, |_| {}), Ok(()));
    // The end of a session that makes no arrival: one slot stays empty to the end of the run.
    let lose = |worker: &mut SimWorker<'_>| worker.accounting.over += 1;
    assert_eq!(
        interfered_in(&Plan { stop: Stop::after(millis(100)), ..plan }, lose),
        Err(HandOver::Schedule)
    );
}

#[test]
fn a_doubled_arrival_is_found() {
    let double = |worker: &mut SimWorker<'_>| {
        let arrival = worker.arrivals.take().unwrap();
        worker.begin(arrival);
        worker.begin(arrival);
    };
    assert_eq!(interfered(double), Err(HandOver::Schedule));
}

#[test]
fn a_delayed_arrival_is_found() {
    let delay = |worker: &mut SimWorker<'_>| {
        let Arrival { number, at } = worker.arrivals.take().unwrap();
        worker.begin(Arrival { number, at: at + millis(1) });
    };
    assert_eq!(interfered(delay), Err(HandOver::Arrivals));
}

#[test]
fn a_session_that_nothing_would_wake_is_found() {
    let lose_the_step = |worker: &mut SimWorker<'_>| {
        let arrival = worker.arrivals.take().unwrap();
        worker.accounting.begun.add(arrival.at);
        let mut session = worker.workload.session(arrival.number);
        assert!(matches!(session.next(&mut worker.workload), Step::Send { .. }));
        worker.sessions.insert(ActiveSession::new(session, arrival.at));
    };
    assert_eq!(interfered(lose_the_step), Err(HandOver::Sessions));
    let mut thinking = closed(10, u64::MAX);
    thinking.session.think = Think::Constant { time: millis(20) };
    thinking.stop = Stop::after(millis(200));
    assert_eq!(interfered_in(&thinking, |_| {}), Ok(()));
    let lose_the_pauses = |worker: &mut SimWorker<'_>| {
        let sessions: Vec<u32> = worker.sessions.iter().map(|(index, _)| index).collect();
        for session in sessions {
            worker.timers.clear(Timer::Pause, session);
        }
    };
    assert_eq!(interfered_in(&thinking, lose_the_pauses), Err(HandOver::Sessions));
}

#[test]
fn a_lost_call_is_found() {
    // Of ten users eight wait for one of two connections.
    let mut queued = closed(10, u64::MAX);
    queued.connections.limit = 2;
    queued.stop = Stop::after(millis(100));
    assert_eq!(interfered_in(&queued, |_| {}), Ok(()));
    let lose = |worker: &mut SimWorker<'_>| {
        let call = worker.network.pool.next_waiting().unwrap();
        worker.take_call(call);
    };
    assert_eq!(interfered_in(&queued, lose), Err(HandOver::Sessions));
    let lose_the_record = |worker: &mut SimWorker<'_>| worker.accounting.recorded = Default::default();
    assert_eq!(interfered(lose_the_record), Err(HandOver::Records));
}

#[test]
fn a_doubled_call_is_found() {
    let double = |worker: &mut SimWorker<'_>| {
        let call = &worker.calls[in_flight(worker) as usize];
        let (session, token, intended) = (call.session, call.token, call.intended);
        worker.start(session, token, RequestRef::Planned(0), intended);
    };
    let mut plan = closed(10, u64::MAX);
    plan.stop = Stop::after(millis(100));
    assert_eq!(interfered_in(&plan, double), Err(HandOver::Calls));
}

#[test]
fn a_delayed_call_is_found() {
    let delay = |worker: &mut SimWorker<'_>| {
        let call = in_flight(worker) as usize;
        worker.calls[call].intended += millis(1);
    };
    assert_eq!(interfered(delay), Err(HandOver::Intended));
}

#[test]
fn a_call_lost_or_counted_twice_by_a_tally_is_found() {
    let lose = |worker: &mut SimWorker<'_>| {
        assert!(worker.recorder.tally.counters().started > 0);
        worker.recorder.tally.reset();
    };
    assert_eq!(interfered(lose), Err(HandOver::Calls));
    let double = |worker: &mut SimWorker<'_>| {
        let sample = worker.calls[in_flight(worker) as usize].sample(0, worker.now, Outcome::Completed);
        worker.recorder.tally.record(&sample);
    };
    assert_eq!(interfered(double), Err(HandOver::Tallies));
    let plan_more = |worker: &mut SimWorker<'_>| worker.recorder.tally.planned(1);
    assert_eq!(interfered(plan_more), Err(HandOver::Planned));
}

#[test]
fn an_interval_that_is_lost_or_added_twice_is_found() {
    let (mut interval, mut run) = (Tally::new(), Tally::new());
    for tally in [&mut interval, &mut run] {
        tally.planned(3);
        tally.started(3);
    }
    let plan = open(1.0, millis(1));
    let sent = Tallied::of(&interval).plus(Tallied::of(&interval));
    let found = |arrived| sent.check_arrived(arrived, &plan, Shard::WHOLE).map_err(|mismatch| mismatch.at);
    assert_eq!(found(Tallied::of(&run)), Err(HandOver::Timeline));
    run.planned(3);
    run.started(3);
    assert_eq!(found(Tallied::of(&run)), Ok(()));
    run.planned(3);
    run.started(3);
    assert_eq!(found(Tallied::of(&run)), Err(HandOver::Timeline));
}
