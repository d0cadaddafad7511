//! The whole search against queues whose answer is known on paper, in virtual time.

use super::*;
use crate::Chance;
use crate::capacity::{Range, Search, Why};
use warwolf_clock::Timestamp;
use warwolf_measure::{Outcome, Run, Sample, Tally};

/// A queue with `servers` servers that complete `capacity` calls a second in all, Poisson arrivals, exponential service.
#[derive(Clone, Copy)]
struct Queue {
    servers: usize,
    capacity: f64,
}

impl Queue {
    fn each(self) -> f64 {
        self.capacity / self.servers as f64
    }

    /// The share of calls that are longer than `seconds` in the system (Gross and Harris, "Fundamentals of Queueing Theory",
    /// section 2.3: service and wait are independent, and the wait is zero or exponential).
    fn beyond(self, rate: f64, seconds: f64) -> f64 {
        let (each, load) = (self.each(), rate / self.each());
        // Erlang's C by way of his B, step by step.
        let blocked = (1..=self.servers).fold(1.0, |b, n| load * b / (n as f64 + load * b));
        let waits = blocked / (1.0 - (1.0 - blocked) * load / self.servers as f64);
        let spare = self.capacity - rate;
        // With service as fast as the queue drains the fraction is of the form 0 / 0; its limit is this.
        let both = if (spare - each).abs() < 1e-9 * each {
            (1.0 + each * seconds) * (-each * seconds).exp()
        } else {
            (spare * (-each * seconds).exp() - each * (-spare * seconds).exp()) / (spare - each)
        };
        (1.0 - waits) * (-each * seconds).exp() + waits * both
    }

    /// The rate at which this quantile of the time in the system is `seconds`.
    fn limit(self, quantile: f64, seconds: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.capacity * (1.0 - 1e-9));
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if self.beyond(middle, seconds) < 1.0 - quantile { low = middle } else { high = middle }
        }
        low
    }

    /// A run at this rate, counted as the engine counts one.
    fn run(self, rate: f64, length: Duration, seed: u64) -> Run {
        let mut chance = Chance::new(seed);
        let mut exponential = |rate: f64| -(1.0 - chance.unit()).ln() / rate;
        let mut run = Run {
            open: true,
            target_rate: Some(rate),
            nominal: Some(length),
            wall: length,
            warmup: length / 5,
            targets: vec!["http://queue.test/".into()],
            ..Run::new(Duration::from_secs(1))
        };
        let end = length.as_secs_f64();
        let mut tallies = vec![Tally::new(); length.as_secs() as usize + 1];
        let (mut free, mut now) = (vec![0.0f64; self.servers], 0.0);
        loop {
            now += exponential(rate);
            if now >= end {
                break;
            }
            let first = free.iter_mut().min_by(|a, b| a.total_cmp(b)).expect("there is a server");
            *first = first.max(now) + exponential(self.each());
            tallies[now as usize].planned(1);
            tallies[now as usize].started(1);
            // What is not done at the end is not waited for.
            let done = *first < end;
            let finished = if done { *first } else { end };
            tallies[finished as usize].record(&sample(now, finished, done));
        }
        (0..).zip(&tallies).for_each(|(number, tally)| run.timeline.add(number, tally));
        run.timeline.finish(Timestamp::ZERO + length);
        run
    }
}

fn sample(from: f64, to: f64, done: bool) -> Sample {
    let at = |seconds: f64| Timestamp::ZERO + Duration::from_secs_f64(seconds);
    let reached = |time| if done { time } else { Timestamp::NEVER };
    Sample {
        intended: at(from),
        started: at(from),
        sent: at(from),
        first_byte: reached(at(to)),
        finished: at(to),
        body_bytes: 0,
        header_bytes: 0,
        sent_bytes: 0,
        status: if done { 200 } else { 0 },
        target: 0,
        outcome: if done { Outcome::Completed } else { Outcome::Unfinished },
        check_failed: false,
    }
}

/// What the program finds, with its usual settings, and how long it takes to find it.
fn search(queue: Queue, seed: u64) -> (f64, Duration) {
    let range = Range::default();
    let slos = vec![Slo::parse("p99<50ms").unwrap(), Slo::parse("errors<0.1%").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: range.retests };
    let (mut search, mut runs, mut took) = (Search::new(range), 0, Duration::ZERO);
    while let Some(probe) = search.next_probe() {
        let length = criterion.length(probe);
        let run = queue.run(probe.rate, length, seed << 16 | runs);
        search.tell(criterion.tried(probe, &Summary::of(&run)).answer);
        runs += 1;
        took += length;
    }
    (search.found().held.expect("a rate that holds"), took)
}

#[test]
fn the_paper_is_right_about_one_server() {
    // p99 of M/M/1 is ln 100 / (capacity - rate).
    let limit = Queue { servers: 1, capacity: 1_000.0 }.limit(0.99, 0.05);
    assert!((limit - (1_000.0 - 100f64.ln() / 0.05)).abs() < 1e-6, "{limit}");
}

#[test]
fn the_simulated_queues_are_those_of_the_paper() {
    for (servers, rate) in [(1, 900.0), (4, 900.0), (4, 500.0), (16, 700.0)] {
        let queue = Queue { servers, capacity: 1_000.0 };
        let run = queue.run(rate, Duration::from_secs(300), 5);
        let p99 = Summary::of(&run).latency.quantile_ns("p99").unwrap() as f64 / 1e9;
        let share = queue.beyond(rate, p99);
        assert!((0.006..0.016).contains(&share), "{servers} servers at {rate}/s: {share} are beyond {p99} s");
    }
}

/// Searches with seeds 1 to `searches` find the capacity of queues within five per cent.
fn capacity_is_found(searches: u64) {
    for servers in [1, 4] {
        let queue = Queue { servers, capacity: 1_000.0 };
        let truth = queue.limit(0.99, 0.05);
        let seeds = 1..=searches;
        let mut errors = Vec::new();
        let mut longest = Duration::ZERO;
        for seed in seeds {
            let (found, took) = search(queue, seed);
            errors.push(found / truth - 1.0);
            longest = longest.max(took);
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        println!(
            "M/M/{servers}: {truth:.0}/s on paper; of {searches} searches the mean error is {:+.1} %, the worst {:+.1} %; the longest \
             took {} s of virtual time",
            mean * 100.0,
            worst * 100.0,
            longest.as_secs()
        );
        assert!(worst.abs() <= 0.05, "M/M/{servers}, seeds 1 to {searches}: {errors:?}");
    }
}

#[test]
fn the_capacity_of_queues_is_found_within_five_per_cent() {
    capacity_is_found(4);
}

#[test]
#[ignore = "nightly: 20 searches"]
fn the_capacity_of_queues_is_found_by_20_searches() {
    capacity_is_found(20);
}

#[test]
fn fewer_arrivals_than_the_rate_says_are_not_held_against_the_server() {
    let queue = Queue { servers: 1, capacity: 1_000.0 };
    let slos = vec![Slo::parse("p99<50ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    let (mut few, probe) = (0, Probe { rate: 50.0, attempt: 0 });
    for seed in 1..=60 {
        let summary = Summary::of(&queue.run(50.0, Duration::from_secs(10), seed));
        let (_, most) = summary.achieved.rate_per_s.ci95.unwrap();
        few += u32::from(most < KEPT * 50.0);
        let tried = criterion.tried(probe, &summary);
        assert_ne!(tried.answer, Answer::Broken, "seed {seed}: {tried:?}");
    }
    assert!(few > 0, "chance never made them few, so this shows nothing");
}

#[test]
fn a_low_rate_is_tried_for_as_long_as_its_percentile_takes() {
    let slos = vec![Slo::parse("p99<50ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    let length = |rate, attempt| criterion.length(Probe { rate, attempt }).as_secs();
    assert_eq!([length(1_000.0, 0), length(1_000.0, 1), length(1_000.0, 2)], [10, 20, 40]);
    // 368 calls are needed for the 99th percentile, and half as many again.
    assert_eq!([length(20.0, 0), length(1.0, 0)], [27, 60]);
}

#[test]
fn an_answer_about_a_rate_has_its_reason() {
    let queue = Queue { servers: 1, capacity: 1_000.0 };
    let slos = vec![Slo::parse("p99<50ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    let tried = |rate, attempt| {
        let run = queue.run(rate, Duration::from_secs(10), 3);
        criterion.tried(Probe { rate, attempt }, &Summary::of(&run))
    };
    assert_eq!(tried(500.0, 0).answer, Answer::Held);
    let over = tried(1_500.0, 0);
    assert!(
        over.answer == Answer::Broken
            && matches!(over.why, Why::RateNotReached { completed_share } if (0.6..0.7).contains(&completed_share)),
        "{over:?}"
    );
    let slow = tried(980.0, 0);
    assert!(
        slow.answer == Answer::Broken
            && matches!(&slow.why, Why::Slos(slos) if slos[0].slo.text == "p99<50ms"),
        "{slow:?}"
    );
}

#[test]
fn no_lower_rate_is_tried_when_the_fastest_reply_is_too_slow() {
    let slos = vec![Slo::parse("p99<5ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    let probe = Probe { rate: 50.0, attempt: 0 };
    let queue = Queue { servers: 100, capacity: 10_000.0 };
    let mut summary = Summary::of(&queue.run(50.0, Duration::from_secs(10), 1));
    for (fastest, hopeless) in [(4_000_000, false), (5_000_001, true)] {
        summary.latency.min_ns = Some(fastest);
        let tried = Tried { answer: Answer::Unsure, ..criterion.tried(probe, &summary) };
        assert_eq!(criterion.is_hopeless(&tried, &summary), hopeless, "{fastest}");
    }
    let held = Tried { answer: Answer::Held, ..criterion.tried(probe, &summary) };
    assert!(!criterion.is_hopeless(&held, &summary));
}

#[test]
fn arrivals_far_from_the_rate_asked_for_do_not_decide() {
    let slos = vec![Slo::parse("p99<50ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    let tried = |capacity, came, asked, attempt| {
        let run = Queue { servers: 1, capacity }.run(came, Duration::from_secs(10), 3);
        criterion.tried(Probe { rate: asked, attempt }, &Summary::of(&run))
    };
    // More came than asked for, and too much; fewer came, and they were few enough.
    for (came, asked, last) in [(215.0, 189.0, Answer::Broken), (80.0, 100.0, Answer::Held)] {
        let first = tried(200.0, came, asked, 0);
        assert_eq!(first.answer, Answer::Unsure, "{first:?}");
        assert!((first.came / came - 1.0).abs() < 0.1, "{first:?}");
        assert_eq!(tried(200.0, came, asked, 2).answer, last);
    }
}

#[test]
fn the_rate_of_a_plan_with_steps_is_that_of_sessions() {
    let slos = vec![Slo::parse("p99<50ms").unwrap()];
    let criterion = Criterion { slos, length: Duration::from_secs(10), retests: 2 };
    // Sessions of five calls.
    let tried = |rate| {
        let mut run = Queue { servers: 1, capacity: 1_000.0 }.run(5.0 * rate, Duration::from_secs(10), 3);
        run.labels.rows = vec![warwolf_measure::RowLabel { name: "login".into(), ..Default::default() }];
        criterion.tried(Probe { rate, attempt: 0 }, &Summary::of(&run))
    };
    let held = tried(100.0);
    assert_eq!(held.answer, Answer::Held, "{held:?}");
    assert!((held.achieved - 100.0).abs() < 2.0 && (held.came - 100.0).abs() < 1e-6, "{held:?}");
    let over = tried(300.0);
    assert!(
        over.answer == Answer::Broken
            && matches!(over.why, Why::RateNotReached { completed_share } if (0.6..0.7).contains(&completed_share)),
        "{over:?}"
    );
}
