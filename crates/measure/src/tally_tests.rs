use super::*;
use warwolf_clock::Timestamp;

fn sample(number: u64, outcome: Outcome) -> Sample {
    let at = |nanos| Timestamp::from_nanos(number * 1_000 + nanos);
    Sample {
        intended: at(0),
        started: at(10),
        sent: at(30),
        first_byte: at(60 + number % 7),
        finished: at(100 + number % 50 * number % 90),
        body_bytes: 1_000,
        header_bytes: 100,
        sent_bytes: 50,
        status: if number.is_multiple_of(5) { 503 } else { 200 },
        target: (number % 100) as u16,
        outcome,
        check_failed: false,
    }
}

/// A tally of `count` calls from `first` on, every outcome in turn.
fn tally(first: u64, count: u64) -> Tally {
    let outcomes: Vec<_> = Outcome::all().collect();
    let mut tally = Tally::new();
    for number in first..first + count {
        tally.planned(1);
        tally.started(1);
        tally.in_flight(number % 9);
        tally.record(&sample(number, outcomes[number as usize % outcomes.len()]));
        tally.connection_opened(
            Duration::from_micros(number),
            Some(Duration::from_micros(3)),
            number % 2 == 0,
        );
    }
    tally.connection_failed(Outcome::Refused);
    tally.wire(first, count);
    tally
}

fn sum(parts: &[&Tally]) -> Tally {
    let mut sum = Tally::new();
    parts.iter().for_each(|part| sum.merge(part));
    sum
}

#[test]
fn merging_commutes_associates_and_has_a_zero() {
    let (a, b, c) = (tally(1, 200), tally(500, 100), tally(900, 77));
    assert_eq!(sum(&[&a, &b, &c]), sum(&[&c, &a, &b]));
    assert_eq!(sum(&[&sum(&[&a, &b]), &c]), sum(&[&a, &sum(&[&b, &c])]));
    assert_eq!(sum(&[&a, &Tally::new()]), a);
    assert_eq!(sum(&[&tally(1, 100), &tally(101, 100)]).phases, tally(1, 200).phases);
}

#[test]
fn every_call_is_in_one_account() {
    let tally = tally(0, 1_000);
    assert_eq!(tally.completed() + tally.failed() + tally.timed_out() + tally.unfinished(), 1_000);
    assert_eq!(tally.finished(), 1_000 - tally.unfinished());
}

#[test]
fn reset_makes_a_new_one() {
    let mut used = tally(3, 300);
    used.reset();
    assert_eq!(used, Tally::new());
}

#[test]
fn a_timeout_is_in_the_latency_with_its_deadline_and_an_unfinished_call_is_not() {
    let mut tally = Tally::new();
    tally.record(&sample(1, Outcome::ResponseTimeout));
    tally.record(&sample(1, Outcome::Unfinished));
    tally.record(&sample(1, Outcome::Reset));
    assert_eq!(tally.phase(Phase::Latency).count(), 1);
    assert_eq!(tally.phase(Phase::UnfinishedAge).count(), 1);
    assert_eq!(tally.phase(Phase::FailedAfter).count(), 1);
    assert_eq!(tally.phase(Phase::Lag).count(), 3, "all three were started");
    assert_eq!((tally.completed(), tally.errors()), (0, 2));
    assert_eq!(tally.counters().partial_bytes, 3_300);
}

#[test]
fn a_status_of_400_and_above_completes_and_is_an_error() {
    let mut tally = Tally::new();
    for status in [200, 301, 399, 400, 599, 999, 7_000] {
        tally.record(&Sample { status, ..sample(1, Outcome::Completed) });
    }
    assert_eq!((tally.completed(), tally.errors(), tally.failed()), (7, 4, 0));
    assert_eq!(tally.statuses().last(), Some((999, 2)));
}

#[test]
fn targets_beyond_the_table_share_a_row() {
    let mut tally = Tally::new();
    for target in [0, 63, 64, 5_000, OTHER_TARGETS] {
        tally.record(&Sample { target, ..sample(1, Outcome::Completed) });
    }
    let rows: Vec<_> = tally.targets().map(|(index, row)| (index, row.completed)).collect();
    assert_eq!(rows, [(0, 1), (63, 1), (OTHER_TARGETS, 3)]);
}

#[test]
fn what_was_at_once_adds_between_workers_and_not_over_time() {
    let (mut one, mut two) = (Tally::new(), Tally::new());
    one.in_flight(5);
    one.in_flight(3);
    two.in_flight(4);
    one.connections_held(2);
    two.connections_held(2);
    let (mut together, mut later) = (one.clone(), one);
    together.merge(&two);
    later.follow(&two);
    assert_eq!((together.counters().max_in_flight, together.counters().connections_held), (9, 4));
    assert_eq!((later.counters().max_in_flight, later.counters().connections_held), (5, 2));
}

#[test]
fn a_failed_check_is_counted_once_as_completed_and_once_as_an_error() {
    let mut tally = Tally::new();
    for (status, check_failed) in [(200, false), (200, true), (500, true), (500, false)] {
        tally.record(&Sample { status, check_failed, target: 3, ..sample(1, Outcome::Completed) });
    }
    assert_eq!((tally.completed(), tally.counters().check_failed, tally.errors()), (4, 2, 3));
    let (_, row) = tally.targets().next().unwrap();
    assert_eq!((row.completed, row.check_failed, row.failed, row.errors), (4, 2, 0, 3));
}

#[test]
fn groups_and_checks_add_up_with_and_without_reserved_memory() {
    let fill = |tally: &mut Tally| {
        tally.group(3, Duration::from_millis(5), Duration::from_millis(2), false);
        tally.group(3, Duration::from_millis(7), Duration::ZERO, true);
        tally.check(2, true);
        tally.check(2, false);
        tally.check(256, true);
    };
    let mut grown = Tally::new();
    fill(&mut grown);
    let mut reserved = Tally::reserved(Shape { rows: 1, groups: 9, checks: 9 });
    assert_eq!(reserved, Tally::new(), "memory is no count");
    fill(&mut reserved);
    assert_eq!(grown, reserved);
    assert_ne!(grown, Tally::new());
    let both = sum(&[&grown, &reserved]);
    let group = both.group_results(3).unwrap();
    assert_eq!((group.completed, group.failed, group.wall.count()), (2, 2, 2));
    assert_eq!(both.check_results(2), CheckTally { passed: 2, failed: 2 });
    assert_eq!(both.checks().count(), 1, "the check beyond the table is not counted");
    let bytes = rmp_serde::to_vec_named(&both).unwrap();
    assert_eq!(rmp_serde::from_slice::<Tally>(&bytes).unwrap(), both);
    reserved.reset();
    assert_eq!(reserved, Tally::new());
}
