use super::*;
use proptest::prelude::*;
use warwolf_plan::{Plan, Request, Stop};

fn plan(schedule: Schedule) -> Plan {
    Plan {
        seed: 42,
        schedule,
        stop: Stop { duration: None, calls: None, grace: Duration::ZERO },
        ..Plan::new(vec![Request::get("a.test").unwrap()])
    }
}

fn checked(plan: &Plan) -> CheckedPlan {
    plan.clone().check().unwrap()
}

fn open(arrivals: ArrivalProcess) -> Plan {
    plan(Schedule::Open { arrivals, burst: 1 })
}

fn grouped(arrivals: ArrivalProcess, burst: u32) -> Plan {
    plan(Schedule::Open { arrivals, burst })
}

/// The first `count` arrivals of all shards, or all when there are fewer.
fn whole(plan: &Plan, count: usize) -> Vec<Arrival> {
    let mut arrivals = Arrivals::new(&checked(plan), &Shard::WHOLE);
    std::iter::from_fn(|| arrivals.take()).take(count).collect()
}

/// Their times in nanoseconds.
fn times(plan: &Plan, count: usize) -> Vec<u64> {
    whole(plan, count).iter().map(|arrival| arrival.at.as_nanos()).collect()
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// One of each kind.
fn processes() -> Vec<ArrivalProcess> {
    let steps = [(100.0, 0.35), (0.0, 0.5), (33.3, 2.0), (1000.0, 10.0)];
    vec![
        ArrivalProcess::Constant { rate: 500.0 },
        ArrivalProcess::Constant { rate: 0.3 },
        ArrivalProcess::Poisson { rate: 1234.5 },
        ArrivalProcess::Uniform { min: ms(1), max: ms(3) },
        ArrivalProcess::Ramp { from: 0.0, to: 300.0, over: seconds(3.0) },
        ArrivalProcess::Ramp { from: 300.0, to: 0.0, over: seconds(3.0) },
        ArrivalProcess::Steps {
            steps: steps.map(|(rate, lasts)| RateStep { rate, lasts: seconds(lasts) }).to_vec(),
        },
        ArrivalProcess::Trace { at_ns: (0..777).map(|i| i * i / 10).collect() },
    ]
}

#[test]
fn the_kth_arrival_of_a_whole_rate_is_exact_after_hours() {
    for rate in [1_u64, 3, 7, 500, 999_983, 1_000_000, 1_000_000_000] {
        let pace = Pace::new(rate as f64);
        for number in [0, 1, 2, rate - 1, rate, rate + 1, 86_400 * rate + 1, 30 * 86_400 * rate + rate / 3] {
            let exact = (u128::from(number) * 1_000_000_000 + u128::from(rate) / 2) / u128::from(rate);
            assert_eq!(pace.at_ns(number).map(u128::from), Some(exact), "{number} at {rate}/s");
        }
    }
}

#[test]
fn other_rates_do_not_drift() {
    // 10 arrivals a minute, for a year.
    let pace = Pace::new(10.0 / 60.0);
    assert_eq!(pace.at_ns(10), Some(60 * SECOND_NS));
    let year = 365 * 86_400;
    let off = pace.at_ns(year / 6).unwrap().abs_diff(year * SECOND_NS);
    assert!(off <= 4, "{off} ns");
    let fast = Pace::new(999_999.5);
    let exact = (3_600_000_000_u128 * 10_000_000_000 / 9_999_995) as u64;
    assert!(fast.at_ns(3_600_000_000).unwrap().abs_diff(exact) <= 1);
}

#[test]
fn a_constant_rate_begins_at_once() {
    assert_eq!(
        times(&open(ArrivalProcess::Constant { rate: 4.0 }), 4),
        [0, 250_000_000, 500_000_000, 750_000_000]
    );
}

#[test]
fn arrivals_that_no_timestamp_can_hold_do_not_come() {
    let slow = times(&open(ArrivalProcess::Constant { rate: 1e-9 }), 1_000);
    assert_eq!(slow.len(), 19, "one in 31 years for 584 years");
    let mut drawn = Arrivals::new(&checked(&open(ArrivalProcess::Poisson { rate: 1e-9 })), &Shard::WHOLE);
    let count = std::iter::from_fn(|| drawn.take()).count();
    assert!((5..50).contains(&count), "{count}");
    assert_eq!(drawn.take(), None);
}

#[test]
fn users_of_a_closed_loop_come_at_once_or_evenly() {
    let users = |users, ramp| plan(Schedule::Closed { users, ramp });
    assert_eq!(times(&users(3, Duration::ZERO), 10), [0, 0, 0]);
    assert_eq!(times(&users(4, ms(100)), 10), [0, 25_000_000, 50_000_000, 75_000_000]);
    let few_calls = Plan { stop: Stop::after_calls(2), ..users(4, Duration::ZERO) };
    assert_eq!(times(&few_calls, 10), [0, 0], "a user without a call does not come");
}

#[test]
fn an_open_loop_ends_after_its_calls() {
    for process in processes() {
        let plan = Plan { stop: Stop::after_calls(5), ..open(process) };
        assert_eq!(whole(&plan, 100).iter().map(|a| a.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn a_trace_is_followed_to_the_nanosecond() {
    let at_ns = vec![0, 1, 1, 7, 1_000_000_000_000];
    assert_eq!(times(&open(ArrivalProcess::Trace { at_ns: at_ns.clone() }), 10), at_ns);
}

#[test]
fn groups_come_together_and_keep_the_rate() {
    let constant = grouped(ArrivalProcess::Constant { rate: 10.0 }, 3);
    assert_eq!(times(&constant, 7), [0, 0, 0, 300_000_000, 300_000_000, 300_000_000, 600_000_000]);
    let trace = grouped(ArrivalProcess::Trace { at_ns: vec![1, 2, 3, 4, 5] }, 2);
    assert_eq!(times(&trace, 9), [1, 1, 3, 3, 5]);
    let steps = vec![RateStep { rate: 5.0, lasts: seconds(1.0) }];
    assert_eq!(
        times(&grouped(ArrivalProcess::Steps { steps }, 2), 9),
        [0, 0, 400_000_000, 400_000_000, 800_000_000]
    );
    for process in processes().into_iter().take(4) {
        let single = *times(&open(process.clone()), 100_001).last().unwrap() as f64;
        let together = *times(&grouped(process.clone(), 10), 100_001).last().unwrap() as f64;
        assert!((single / together - 1.0).abs() < 0.02, "{process:?}: {single} and {together} ns");
    }
}

/// The area under the rate up to `t` seconds, summed in small pieces.
fn area(rate: impl Fn(f64) -> f64, t: f64) -> f64 {
    let pieces = 100_000;
    let width = t / f64::from(pieces);
    (0..pieces).map(|i| rate((f64::from(i) + 0.5) * width) * width).sum()
}

#[test]
fn a_ramp_has_as_many_arrivals_as_the_area_under_its_rate() {
    for (from, to, over) in
        [(0.0, 100.0, 5.0), (100.0, 0.0, 5.0), (20.0, 80.0, 4.0), (80.0, 20.0, 4.0), (30.0, 30.0, 1.0)]
    {
        let rate = |t: f64| if t < over { from + (to - from) * t / over } else { to };
        let at = times(&open(ArrivalProcess::Ramp { from, to, over: seconds(over) }), 350);
        assert!(at.is_sorted());
        for (number, at) in at.iter().enumerate().step_by(7) {
            let area = area(rate, *at as f64 / 1e9);
            assert!((area - number as f64).abs() < 1e-3, "{from} to {to}: {area} before arrival {number}");
        }
        if to == 0.0 {
            assert_eq!(at.len(), 251, "arrivals of a falling ramp, the one at its end included");
        }
    }
}

#[test]
fn a_ramp_in_no_time_is_a_constant_rate() {
    let ramp = open(ArrivalProcess::Ramp { from: 7.0, to: 10.0, over: Duration::ZERO });
    assert_eq!(times(&ramp, 50), times(&open(ArrivalProcess::Constant { rate: 10.0 }), 50));
}

#[test]
fn steps_have_as_many_arrivals_as_the_area_under_their_rates() {
    let plan = [(100.0, 0.355), (0.0, 0.5), (33.3, 2.0), (500.0, 0.25)];
    let rate = |t: f64| {
        let mut end = 0.0;
        plan.iter()
            .find(|(_, lasts)| {
                end += lasts;
                t < end
            })
            .map_or(0.0, |(rate, _)| *rate)
    };
    let steps = plan.map(|(rate, lasts)| RateStep { rate, lasts: seconds(lasts) }).to_vec();
    let at = times(&open(ArrivalProcess::Steps { steps }), 1_000);
    assert_eq!(at.len(), 228, "100 × 0.355 + 33.3 × 2 + 500 × 0.25 = 227.1");
    for (number, at) in at.iter().enumerate() {
        let area = area(rate, *at as f64 / 1e9);
        assert!((area - number as f64).abs() < 0.02, "{area} before arrival {number}");
    }
}

#[test]
fn a_step_does_not_end_with_one_arrival_too_many() {
    for (rate, lasts, count) in
        [(1.1, 10, 11), (0.7, 10, 7), (500.0, 3, 1_500), (0.1, 30, 3), (33.3, 10, 333)]
    {
        let steps = vec![RateStep { rate, lasts: Duration::from_secs(lasts) }];
        let at = times(&open(ArrivalProcess::Steps { steps }), 10_000);
        assert_eq!(at.len(), count, "{rate}/s for {lasts} s");
        assert!(*at.last().unwrap() < lasts * SECOND_NS);
    }
}

/// The largest distance between the distribution of `sample` and `cdf`, times the root of their number: above 1.63 once in
/// a hundred samples (Kolmogorov and Smirnov).
fn distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let apart = |(i, x): (usize, &f64)| {
        let expected = cdf(*x);
        (expected - i as f64 / n).abs().max(((i + 1) as f64 / n - expected).abs())
    };
    sample.iter().enumerate().map(apart).fold(0.0, f64::max) * n.sqrt()
}

fn gaps(process: &ArrivalProcess, seed: u64) -> Vec<f64> {
    let at = times(&Plan { seed, ..open(process.clone()) }, 50_000);
    std::iter::once(at[0])
        .chain(at.windows(2).map(|pair| pair[1] - pair[0]))
        .map(|gap| gap as f64 / 1e9)
        .collect()
}

#[test]
fn gaps_have_the_distribution_asked_for() {
    for seed in 0..5 {
        let poisson =
            distance(gaps(&ArrivalProcess::Poisson { rate: 200.0 }, seed), |x| 1.0 - (-200.0 * x).exp());
        assert!(poisson < 1.63, "Poisson with seed {seed}: {poisson}");
        let uniform = ArrivalProcess::Uniform { min: ms(2), max: ms(6) };
        let uniform = distance(gaps(&uniform, seed), |x| ((x - 0.002) / 0.004).clamp(0.0, 1.0));
        assert!(uniform < 1.63, "uniform with seed {seed}: {uniform}");
    }
}

#[test]
fn poisson_arrivals_do_not_know_of_each_other() {
    // Counts per second have the variance of their mean, and the gaps no correlation with the one before.
    let gaps = gaps(&ArrivalProcess::Poisson { rate: 50.0 }, 3);
    let mut counts = vec![0.0_f64; 900];
    let mut at = 0.0;
    for gap in &gaps {
        at += gap;
        if let Some(count) = counts.get_mut(at as usize) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / 900.0;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 899.0;
    assert!((mean - 50.0).abs() < 1.0, "{mean}");
    assert!((variance / mean - 1.0).abs() < 0.15, "{}", variance / mean);
    let pairs = gaps.windows(2).map(|pair| (pair[0] - 0.02) * (pair[1] - 0.02)).sum::<f64>();
    let correlation = pairs / gaps.len() as f64 / 0.0004;
    assert!(correlation.abs() < 0.02, "{correlation}");
}

#[test]
fn any_number_of_shards_has_the_same_arrivals() {
    for (process, burst) in processes().into_iter().flat_map(|p| [1, 4].map(|burst| (p.clone(), burst))) {
        let plan = grouped(process.clone(), burst);
        let expected = whole(&plan, 640);
        for count in [1, 2, 3, 7, 64] {
            let mut all = Vec::new();
            for index in 0..count {
                let mut arrivals = Arrivals::new(&checked(&plan), &Shard::new(index, count).unwrap());
                while let Some(arrival) = arrivals.peek().filter(|arrival| arrival.number < 640) {
                    assert!(Shard::new(index, count).unwrap().owns(arrival.number));
                    assert_eq!(arrivals.take(), Some(arrival));
                    all.push(arrival);
                }
            }
            all.sort_by_key(|arrival| arrival.number);
            assert_eq!(all, expected, "{count} shards of {process:?} in groups of {burst}");
        }
    }
}

proptest! {
    #[test]
    fn skipping_drops_what_taking_would_have_found(
        which in 0..8_usize, burst in 1..5_u32, count in 1..5_u32, calls in prop::option::of(1..2_000_u64),
        marks in prop::collection::vec(0..3_000_000_000_u64, 1..5),
    ) {
        let mut plan = grouped(processes().swap_remove(which), burst);
        plan.stop.calls = calls;
        let shard = Shard::new(0, count).unwrap();
        let (mut skipping, mut taking) = (Arrivals::new(&checked(&plan), &shard), Arrivals::new(&checked(&plan), &shard));
        for mark in marks {
            let mark = Timestamp::from_nanos(mark);
            let mut taken = 0;
            while taking.peek().is_some_and(|arrival| arrival.at < mark) {
                taking.take();
                taken += 1;
            }
            let (mut told, mut latest) = (0, Timestamp::ZERO);
            let dropped = skipping.skip_until(mark, |at, count| {
                assert!(at < mark && at >= latest, "{at:?} of those before {mark:?}");
                (told, latest) = (told + count, at);
            });
            prop_assert_eq!((dropped, told), (taken, taken));
            prop_assert_eq!(skipping.peek(), taking.peek());
        }
    }

    #[test]
    fn arrivals_are_in_order(which in 0..8_usize, burst in 1..5_u32, seed: u64) {
        let plan = Plan { seed, ..grouped(processes().swap_remove(which), burst) };
        let all = whole(&plan, 2_000);
        prop_assert!(all.is_sorted_by(|a, b| a.at <= b.at && a.number + 1 == b.number));
    }
}

#[test]
fn a_seed_means_the_same_everywhere() {
    let poisson = times(&open(ArrivalProcess::Poisson { rate: 1000.0 }), 100);
    assert_eq!(
        poisson[..12],
        [
            442336, 678895, 760469, 820278, 1411519, 1429478, 1556612, 2018238, 2642888, 3283037, 3467073,
            3966568,
        ]
    );
    let hundredth: Vec<u64> = processes().into_iter().map(|process| times(&open(process), 100)[99]).collect();
    assert_eq!(
        hundredth,
        [198000000, 330000000000, 70635455, 211274855, 1407124728, 350471740, 2771921922, 980]
    );
}

#[test]
fn sessions_in_turns_start_when_others_are_over() {
    let mut plan = Plan::new(vec![Request::get("a.test").unwrap()]);
    plan.schedule = Schedule::Turns { users: 2 };
    plan.stop = Stop::after_calls(4);
    let mut arrivals = Arrivals::new(&checked(&plan), &Shard::WHOLE);
    let at = Timestamp::from_nanos;
    let mut taken = || arrivals.take().map(|arrival| (arrival.number, arrival.at.as_nanos()));
    assert_eq!([taken(), taken(), taken()], [Some((0, 0)), Some((1, 0)), None]);
    arrivals.session_over(at(7));
    arrivals.session_over(at(9));
    assert_eq!(arrivals.peek(), Some(Arrival { number: 2, at: at(7) }));
    assert_eq!(arrivals.clone().skip_until(at(9), |_, _| {}), 1);
    arrivals.take();
    assert_eq!(arrivals.take(), Some(Arrival { number: 3, at: at(9) }));
    arrivals.session_over(at(11));
    assert_eq!(arrivals.peek(), None, "there are only four");
    // Two shards share the two places.
    let mut second = Arrivals::new(&checked(&plan), &Shard::new(1, 2).unwrap());
    assert_eq!(second.take(), Some(Arrival { number: 1, at: at(0) }));
    second.session_over(at(5));
    assert_eq!(second.take(), Some(Arrival { number: 3, at: at(5) }));
}

/// Counts by taking: what [`Arrivals::due`] must come to by arithmetic.
fn taken_before(plan: &Plan, shard: &Shard, before: u64) -> u64 {
    let mut arrivals = Arrivals::new(&checked(plan), shard);
    std::iter::from_fn(|| arrivals.take()).take_while(|arrival| arrival.at.as_nanos() < before).count() as u64
}

#[test]
fn the_arrivals_due_are_those_that_can_be_taken() {
    let mut plans: Vec<Plan> = processes().into_iter().map(open).collect();
    plans.extend(processes().into_iter().map(|process| grouped(process, 7)));
    for ramp in [0, 1_700] {
        plans.push(plan(Schedule::Closed { users: 37, ramp: ms(ramp) }));
    }
    let limited = plans.clone().into_iter().map(|plan| Plan { stop: Stop::after_calls(29), ..plan });
    let shards = [Shard::WHOLE, Shard::new(0, 3).unwrap(), Shard::new(2, 3).unwrap()];
    for plan in limited.chain(plans.clone()) {
        let moments = whole(&plan, 40).into_iter().map(|arrival| arrival.at.as_nanos());
        let at: Vec<u64> = moments.flat_map(|at| [at.saturating_sub(1), at, at + 1]).collect();
        for before in at.into_iter().chain([0, 1, 999_999_999, SECOND_NS, 3 * SECOND_NS, 13 * SECOND_NS]) {
            for shard in shards {
                let due = Arrivals::due(&checked(&plan), &shard, Timestamp::from_nanos(before));
                let taken = taken_before(&plan, &shard, before);
                assert_eq!(due, Some(taken), "{:?} {shard:?} before {before} ns", plan.schedule);
            }
        }
    }
}

proptest! {
    /// The same at any rate and moment, where rounding could cost or add one.
    #[test]
    fn arrivals_due_agree_at_any_rate(rate in 0.01_f64..50_000.0, to in 0.0_f64..5_000.0, before in 0_u64..2 * SECOND_NS) {
        let processes = [
            ArrivalProcess::Constant { rate },
            ArrivalProcess::Constant { rate: rate.ceil() },
            ArrivalProcess::Poisson { rate },
            ArrivalProcess::Ramp { from: rate, to, over: ms(700) },
            ArrivalProcess::Steps { steps: vec![
                RateStep { rate, lasts: ms(300) }, RateStep { rate: to, lasts: ms(900) },
            ] },
        ];
        for process in processes {
            let plan = open(process);
            let due = Arrivals::due(&checked(&plan), &Shard::WHOLE, Timestamp::from_nanos(before));
            prop_assert_eq!(due, Some(taken_before(&plan, &Shard::WHOLE, before)), "{:?}", plan.schedule);
        }
    }
}

#[test]
fn the_sum_of_intended_moments_notices_a_delay() {
    let back_to_back = plan(Schedule::Turns { users: 3 });
    let plan = open(ArrivalProcess::Poisson { rate: 1_000.0 });
    let taken: Vec<u64> = whole(&plan, 100).iter().map(|arrival| arrival.at.as_nanos()).collect();
    let sum = taken.iter().fold(0_u64, |sum, at| sum.wrapping_add(*at));
    assert_eq!(Arrivals::intended_sum(&checked(&plan), &Shard::WHOLE, 100), Some(sum));
    assert_ne!(Arrivals::intended_sum(&checked(&plan), &Shard::WHOLE, 99), Some(sum));
    assert_eq!(Arrivals::intended_sum(&checked(&back_to_back), &Shard::WHOLE, 3), None);
    assert_eq!(Arrivals::due(&checked(&back_to_back), &Shard::WHOLE, Timestamp::from_nanos(1)), None);
}
