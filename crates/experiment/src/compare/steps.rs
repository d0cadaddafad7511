//! The steps of both sides, side by side.

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{RowFigures, Run, StepFigures, Tally};

/// A step that both sides have, with the figures of each. Nothing is known of how much of a difference is chance.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPair {
    /// Its name.
    pub name: String,
    /// Its scenario.
    pub scenario: Option<String>,
    /// The calls of A and of B.
    pub calls: [RowFigures; 2],
}

/// Returns the steps that both sides have, in the order of A. The beginning of each run, `warmup`, is left out.
#[must_use]
pub fn steps(sides: [&[Run]; 2], warmup: Duration) -> Vec<StepPair> {
    let [a, b] = sides.map(|runs| of_side(runs, warmup));
    let is_same =
        |one: &StepFigures, other: &StepFigures| (&one.name, &one.scenario) == (&other.name, &other.scenario);
    let pair = |a: StepFigures| {
        let b = b.iter().find(|b| is_same(&a, b))?;
        Some(StepPair { name: a.name?, scenario: a.scenario, calls: [a.calls, b.calls.clone()] })
    };
    a.into_iter().filter_map(pair).collect()
}

/// Adds up the steps of runs that have the same ones as the first.
fn of_side(runs: &[Run], warmup: Duration) -> Vec<StepFigures> {
    let Some(first) = runs.first().filter(|run| !run.labels.is_empty()) else { return Vec::new() };
    let (mut sum, mut seconds) = (Tally::new(), 0.0);
    for run in runs.iter().filter(|run| run.labels == first.labels) {
        let end = run.nominal.map_or(Timestamp::NEVER, |nominal| Timestamp::ZERO + nominal);
        let window = run.timeline.window(Timestamp::ZERO + warmup, end);
        sum.follow(&window.tally);
        seconds += window.to.since(window.from).as_secs_f64();
    }
    first.steps(&sum, seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::{Outcome, RowLabel, RowLabels, Sample};

    fn run(names: &[&str], latency_us: u64) -> Run {
        let at = |us: u64| Timestamp::from_nanos(us * 1_000);
        let mut run = Run::new(Duration::from_secs(1));
        run.labels = RowLabels {
            rows: names.iter().map(|name| RowLabel { name: (*name).into(), ..RowLabel::default() }).collect(),
            ..RowLabels::default()
        };
        for second in 0..3 {
            let mut tally = Tally::new();
            for number in 0..100 * names.len() {
                tally.planned(1);
                tally.started(1);
                tally.record(&Sample {
                    intended: at(0),
                    started: at(0),
                    sent: at(0),
                    first_byte: at(0),
                    finished: at(if second == 0 { 1 } else { latency_us }),
                    body_bytes: 0,
                    header_bytes: 0,
                    sent_bytes: 0,
                    status: 200,
                    target: (number % names.len()) as u16,
                    outcome: Outcome::Completed,
                    check_failed: false,
                });
            }
            run.timeline.add(second, &tally);
        }
        run
    }

    #[test]
    fn steps_of_the_same_name_are_compared_without_the_warm_up() {
        let a = [run(&["login", "buy"], 1_000), run(&["login", "buy"], 1_000)];
        let b = [run(&["new", "buy"], 2_000)];
        let pairs = steps([&a, &b], Duration::from_secs(1));
        let [StepPair { name, calls: [of_a, of_b], .. }] = &pairs[..] else { panic!("{pairs:?}") };
        assert_eq!((name.as_str(), of_a.completed, of_b.completed), ("buy", 400, 200));
        assert_eq!((of_a.latency.min_ns, of_b.latency.min_ns), (Some(1_000_000), Some(2_000_000)));
        assert_eq!((of_a.rate_per_s, of_b.rate_per_s), (100.0, 100.0));
    }

    #[test]
    fn plain_requests_are_compared_as_a_whole_only() {
        let plain = [Run { labels: RowLabels::default(), ..run(&["login"], 1_000) }];
        assert_eq!(steps([&plain, &plain], Duration::ZERO), []);
        assert_eq!(steps([&[], &plain], Duration::ZERO), []);
    }
}
