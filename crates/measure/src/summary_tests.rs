use super::*;
use crate::Sample;

const SECOND: u64 = 1_000_000_000;

/// A run of one-second intervals, with `calls(second)` giving the latencies in microseconds of the calls that completed
/// in that second.
fn run(seconds: u64, calls: impl Fn(u64) -> Vec<u64>) -> Run {
    let mut run = Run::new(Duration::from_secs(1));
    run.targets = vec!["http://a.test/".into()];
    run.wall = Duration::from_secs(seconds);
    for second in 0..seconds {
        let mut tally = Tally::new();
        for latency in calls(second) {
            tally.planned(1);
            tally.started(1);
            tally.record(&completed(second, latency));
        }
        run.timeline.add(second, &tally);
    }
    run
}

fn completed(second: u64, latency_us: u64) -> Sample {
    let intended = second * SECOND;
    let at = |us: u64| Timestamp::from_nanos(intended + us * 1_000);
    Sample {
        intended: at(0),
        started: at(0),
        sent: at(0),
        first_byte: at(latency_us / 2),
        finished: at(latency_us),
        body_bytes: 10,
        header_bytes: 5,
        sent_bytes: 7,
        status: 200,
        target: 0,
        outcome: Outcome::Completed,
        check_failed: false,
    }
}

#[test]
fn the_figures_of_a_steady_run_are_what_was_put_in() {
    let summary = Summary::of(&run(20, |_| (1..=100).map(|i| i * 10).collect()));
    assert_eq!(summary.accounting.completed, 2_000);
    assert_eq!(summary.achieved.rate_per_s, Estimate { value: 100.0, ci95: Some((100.0, 100.0)) });
    assert_eq!(summary.achieved.bytes_per_s, 1_500.0);
    assert_eq!((summary.latency.min_ns, summary.latency.max_ns), (Some(10_000), Some(1_000_000)));
    assert_eq!(summary.latency.mean_ns, Some(505_000.0));
    let p50 = summary.latency.quantile_ns("p50").unwrap();
    assert!(p50.abs_diff(500_000) <= 1_000, "{p50}");
    let wait = summary.wait.quantile_ns("p50").unwrap();
    assert!(wait.abs_diff(250_000) <= 2_500, "{wait}");
    assert_eq!(summary.histogram.iter().map(|bar| bar.count).sum::<u64>(), 2_000);
    assert_eq!(summary.targets[0].url.as_deref(), Some("http://a.test/"));
    assert_eq!((summary.errors, summary.error_share), (0, Some(0.0)));
}

#[test]
fn a_percentile_of_too_few_values_is_not_known() {
    let summary = Summary::of(&run(4, |_| (1..=50).collect()));
    let known: Vec<_> = summary.latency.quantiles.iter().map(|figure| figure.value_ns.is_some()).collect();
    assert_eq!(known, [true, true, true, true, false, false, false]);
    assert!(summary.latency.quantiles[3].ci95_ns.is_some());
}

#[test]
fn the_warm_up_is_in_the_accounts_and_not_in_the_figures() {
    let mut run = run(10, |second| vec![if second < 3 { 90_000 } else { 100 }; 10]);
    run.warmup = Duration::from_secs(3);
    let summary = Summary::of(&run);
    assert_eq!((summary.accounting.completed, summary.latency.count), (100, 70));
    assert_eq!(summary.latency.max_ns, Some(100_000));
    assert_eq!(summary.window.0.as_nanos(), 3 * SECOND);
    assert_eq!(summary.intervals.iter().filter(|interval| interval.measured).count(), 7);
}

#[test]
fn what_completes_after_the_nominal_end_counts_for_latency_and_not_for_the_rate() {
    let mut run =
        run(12, |second| vec![if second < 10 { 100 } else { 5_000 }; if second < 10 { 10 } else { 1 }]);
    run.nominal = Some(Duration::from_secs(10));
    let summary = Summary::of(&run);
    assert_eq!(summary.achieved.rate_per_s.value, 10.0);
    assert_eq!(summary.latency.count, 102);
}

#[test]
fn a_last_interval_that_is_shorter_does_not_lower_the_rate() {
    let mut run = run(5, |second| vec![100; if second < 4 { 10 } else { 5 }]);
    run.wall = Duration::from_millis(4_500);
    assert_eq!(Summary::of(&run).achieved.rate_per_s.value, 10.0);
}

#[test]
fn dependence_widens_the_interval() {
    let shuffled = run(20, |_| (1..=400).map(|i| i * 10).collect());
    let drifting = run(20, |second| (1..=400).map(|i| second * 200 + i / 2).collect());
    let width = |run: &Run| {
        let (low, high) = Summary::of(run).latency.quantiles[0].ci95_ns.unwrap();
        high - low
    };
    assert!(width(&drifting) > 5 * width(&shuffled), "{} and {}", width(&drifting), width(&shuffled));
}

#[test]
fn a_trend_over_the_run_is_seen() {
    let rising = Summary::of(&run(20, |second| vec![100 + second * 20; 50]));
    let trend = rising.latency_trend.unwrap();
    assert!(trend.significant && trend.change > 0.5, "{trend:?}");
    assert!(!rising.rate_trend.unwrap().significant);
}

#[test]
#[should_panic(expected = "please report")]
fn a_lost_call_is_noticed() {
    let mut run = run(1, |_| vec![1]);
    let mut tally = Tally::new();
    tally.planned(1);
    run.timeline.add(0, &tally);
    let _ = Summary::of(&run);
}

#[test]
fn a_run_without_calls_has_no_figures() {
    let summary = Summary::of(&Run::new(Duration::from_secs(1)));
    assert_eq!((summary.latency.count, summary.latency.min_ns, summary.error_share), (0, None, None));
    assert!(summary.histogram.is_empty() && summary.intervals.is_empty() && summary.targets.is_empty());
    assert_eq!(summary.achieved.rate_per_s.value, 0.0);
}

#[test]
fn bars_are_in_proportion_when_values_spread_over_decades() {
    let narrow = Summary::of(&run(1, |_| (1..=100).collect())).histogram;
    assert_eq!((narrow.len(), narrow[9].up_to_ns), (10, 100_000));
    assert!(narrow.iter().all(|bar| (8..=12).contains(&bar.count)), "{narrow:?}");
    let wide =
        Summary::of(&run(1, |_| (1..=100).map(|i| if i == 100 { 1_000_000 } else { i }).collect())).histogram;
    assert!(wide[0].up_to_ns < 5_000, "{wide:?}");
    assert_eq!(wide.iter().map(|bar| bar.count).sum::<u64>(), 100);
}
