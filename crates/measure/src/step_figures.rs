//! Derives the figures of steps, groups and scenarios.

use crate::summary::plain_figures;
use crate::{
    CheckExample, CheckLabel, Figures, GroupTally, MAX_CHECKS, MAX_GROUPS, OTHER_TARGETS, Run, TARGET_ROWS,
    Tally, TargetTally,
};

/// The figures of a row, or of several added up.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFigures {
    /// Calls whose whole reply arrived.
    pub completed: u64,
    /// Of these, calls whose reply did not pass a check.
    pub check_failed: u64,
    /// Calls that failed or timed out.
    pub failed: u64,
    /// Calls that did not get the requested reply.
    pub errors: u64,
    /// Calls in flight at the stop.
    pub unfinished: u64,
    /// Bytes of bodies of completed replies.
    pub body_bytes: u64,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Latency, its quantiles within 1.6 %.
    pub latency: Figures,
}

impl RowFigures {
    fn of(row: &TargetTally, seconds: f64) -> Self {
        Self {
            completed: row.completed,
            check_failed: row.check_failed,
            failed: row.failed,
            errors: row.errors,
            unfinished: row.unfinished,
            body_bytes: row.body_bytes,
            rate_per_s: per_second(row.completed, seconds),
            latency: plain_figures(&row.latency),
        }
    }
}

/// A check of a step, with its results.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFigures {
    /// The check as it was written.
    pub text: String,
    /// Replies that passed.
    pub passed: u64,
    /// Replies that did not.
    pub failed: u64,
    /// The first replies of the run that did not, warm-up included.
    pub examples: Vec<CheckExample>,
}

/// One step of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct StepFigures {
    /// Its name; none for all steps beyond the table together.
    pub name: Option<String>,
    /// The group that it belongs to.
    pub group: Option<String>,
    /// The scenario that it belongs to.
    pub scenario: Option<String>,
    /// Its calls.
    pub calls: RowFigures,
    /// Its checks, in the order of the plan.
    pub checks: Vec<CheckFigures>,
}

/// One group of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupFigures {
    /// Its name.
    pub name: String,
    /// Passes in which no step failed.
    pub completed: u64,
    /// Passes in which a step failed.
    pub failed: u64,
    /// Completed passes a second.
    pub rate_per_s: f64,
    /// From the intended time of the first request to the end of the last, of completed passes.
    pub wall: Figures,
    /// Sum of the latencies of the requests, of completed passes.
    pub requests: Figures,
}

/// One scenario: all its steps added up.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioFigures {
    /// Its name.
    pub name: String,
    /// Its calls.
    pub calls: RowFigures,
}

/// Returns the steps of a run, the steps beyond the table added up at the end; empty for a run of plain requests.
pub(crate) fn steps(run: &Run, tally: &Tally, seconds: f64) -> Vec<StepFigures> {
    let labels = &run.labels;
    let empty = TargetTally::new();
    let step = |(row, label): (u16, &crate::RowLabel)| StepFigures {
        name: Some(label.name.clone()),
        group: label.group.clone(),
        scenario: label.scenario.clone(),
        calls: RowFigures::of(tally.row(row).unwrap_or(&empty), seconds),
        checks: checks(run, tally, |check| check.row == row),
    };
    let mut steps: Vec<_> = (0..).zip(&labels.rows).take(TARGET_ROWS).map(step).collect();
    let others = tally.targets().find(|(row, _)| *row == OTHER_TARGETS && !labels.is_empty());
    steps.extend(others.map(|(_, others)| StepFigures {
        name: None,
        group: None,
        scenario: None,
        calls: RowFigures::of(others, seconds),
        checks: checks(run, tally, |check| usize::from(check.row) >= TARGET_ROWS),
    }));
    steps
}

/// Returns the checks of the rows that fit.
fn checks(run: &Run, tally: &Tally, fits: impl Fn(&CheckLabel) -> bool) -> Vec<CheckFigures> {
    let of_row = (0..).zip(&run.labels.checks).take(MAX_CHECKS).filter(|(_, check)| fits(check));
    of_row
        .map(|(index, check)| {
            let results = tally.check_results(index);
            CheckFigures {
                text: check.text.clone(),
                passed: results.passed,
                failed: results.failed,
                examples: run.examples.of(index).cloned().collect(),
            }
        })
        .collect()
}

/// Returns the groups of a run, in the order of the plan.
pub(crate) fn groups(run: &Run, tally: &Tally, seconds: f64) -> Vec<GroupFigures> {
    let empty = GroupTally::default();
    let group = |(index, name): (u16, &String)| {
        let group = tally.group_results(index).unwrap_or(&empty);
        GroupFigures {
            name: name.clone(),
            completed: group.completed,
            failed: group.failed,
            rate_per_s: per_second(group.completed, seconds),
            wall: plain_figures(&group.wall),
            requests: plain_figures(&group.requests),
        }
    };
    (0..).zip(&run.labels.groups).take(MAX_GROUPS).map(group).collect()
}

/// Returns the scenarios of a run, in the order of the plan. Steps beyond the table are in none.
pub(crate) fn scenarios(run: &Run, tally: &Tally, seconds: f64) -> Vec<ScenarioFigures> {
    let labels = &run.labels;
    let scenario = |name: &str| ScenarioFigures {
        name: name.to_owned(),
        calls: RowFigures::of(&tally.rows_together(&labels.rows_of(name)), seconds),
    };
    labels.scenarios().into_iter().map(scenario).collect()
}

fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Examples, Outcome, RowLabel, RowLabels, Sample, Slo, SloState, Summary};
    use std::time::Duration;
    use warwolf_clock::Timestamp;

    fn sample(target: u16, latency_us: u64, check_failed: bool) -> Sample {
        let at = |us: u64| Timestamp::from_nanos(us * 1_000);
        Sample {
            intended: at(0),
            started: at(0),
            sent: at(0),
            first_byte: at(0),
            finished: at(latency_us),
            body_bytes: 10,
            header_bytes: 5,
            sent_bytes: 7,
            status: 200,
            target,
            outcome: Outcome::Completed,
            check_failed,
        }
    }

    fn label(name: &str, group: Option<&str>, scenario: &str) -> RowLabel {
        RowLabel { name: name.into(), group: group.map(Into::into), scenario: Some(scenario.into()) }
    }

    /// Two seconds with steps of 1, 2 and 3 ms; every second reply of the second step does not pass its check.
    fn run() -> Run {
        let mut run = Run::new(Duration::from_secs(1));
        run.wall = Duration::from_secs(2);
        run.labels = RowLabels {
            rows: vec![
                label("login", None, "buyer"),
                label("buy", Some("checkout"), "buyer"),
                label("look", None, "visitor"),
            ],
            groups: vec!["checkout".into()],
            checks: vec![CheckLabel { row: 1, text: "status == 201".into() }],
        };
        let mut examples = Examples::default();
        for second in 0..2 {
            let mut tally = Tally::new();
            for number in 0..300_u64 {
                let (row, fails) = ((number % 3) as u16, number % 6 == 1);
                tally.planned(1);
                tally.started(1);
                tally.record(&sample(row, (number % 3 + 1) * 1_000, fails));
                if row == 1 {
                    tally.check(0, !fails);
                    tally.group(0, Duration::from_millis(9), Duration::from_millis(2), fails);
                }
                if fails && examples.wants(0) {
                    let at = Timestamp::from_nanos(number);
                    examples.add(CheckExample::new(0, at, "POST /cart", 200, "200", b"sold out"));
                }
            }
            run.timeline.add(second, &tally);
        }
        run.examples = examples;
        run
    }

    fn near(figures: &Figures, ms: u64) -> bool {
        figures.quantile_ns("p50").is_some_and(|p50| p50.abs_diff(ms * 1_000_000) < ms * 20_000)
    }

    #[test]
    fn steps_groups_and_scenarios_have_figures() {
        let summary = Summary::of(&run());
        let [login, buy, look] = &summary.steps[..] else { panic!("{:?}", summary.steps) };
        assert_eq!((login.name.as_deref(), buy.group.as_deref()), (Some("login"), Some("checkout")));
        assert_eq!((buy.calls.completed, buy.calls.check_failed, buy.calls.errors), (200, 100, 100));
        assert!(near(&login.calls.latency, 1) && near(&buy.calls.latency, 2) && near(&look.calls.latency, 3));
        let [check] = &buy.checks[..] else { panic!("{:?}", buy.checks) };
        assert_eq!((check.passed, check.failed, check.examples.len()), (100, 100, 5));
        assert_eq!(check.examples[0].body, "sold out");
        let [group] = &summary.groups[..] else { panic!("{:?}", summary.groups) };
        assert_eq!((group.completed, group.failed, group.rate_per_s), (100, 100, 50.0));
        assert!(near(&group.wall, 9) && near(&group.requests, 2));
        let scenarios: Vec<_> =
            summary.scenarios.iter().map(|part| (part.name.as_str(), part.calls.completed)).collect();
        assert_eq!(scenarios, [("buyer", 400), ("visitor", 200)]);
        assert_eq!((summary.accounting.check_failed, summary.accounting.completed), (100, 600));
        assert_eq!((summary.errors, summary.accounting.adds_up()), (100, true));
    }

    #[test]
    fn a_run_reads_back_with_its_names_and_examples() {
        let run = run();
        let back = Run::decode(&run.encode()).unwrap();
        assert_eq!((&back.labels, &back.examples), (&run.labels, &run.examples));
        assert_eq!(back.timeline.whole().tally, run.timeline.whole().tally);
        assert_eq!(Summary::of(&back).steps, Summary::of(&run).steps);
    }

    #[test]
    fn plain_requests_have_no_steps() {
        let mut run = run();
        run.labels = RowLabels::default();
        run.targets = vec!["http://a.test/".into()];
        let summary = Summary::of(&run);
        assert!(summary.steps.is_empty() && summary.groups.is_empty() && summary.scenarios.is_empty());
        assert_eq!(summary.labels.names(), ["http://a.test/"]);
    }

    #[test]
    fn slos_of_rows_groups_and_scenarios_are_judged() {
        use SloState::{Broken, Held, Unknown};
        let run = run();
        let (summary, whole) = (Summary::of(&run), run.timeline.whole().tally);
        for (text, expected) in [
            ("login: p95<1.1ms", Held),
            ("look: p95<1.1ms", Broken),
            ("checkout: median<8ms", Broken),
            ("checkout: errors<=50%", Held),
            ("buy: errors<50%", Broken),
            ("buyer: max<=2ms", Held),
            ("visitor: rps>=100", Held),
            ("login: p99.99<1s", Unknown),
            ("nothing: p50<1s", Unknown),
        ] {
            let slo = Slo::parse(text).unwrap();
            assert_eq!(slo.judge(&summary).state, expected, "{text}");
            assert_eq!(slo.judge_so_far(&whole, &run.labels, 2.0).state, expected, "{text}");
        }
    }

    #[test]
    fn steps_beyond_the_table_share_a_row() {
        let mut run = run();
        run.labels.rows = (0..70).map(|number| label(&format!("step {number}"), None, "buyer")).collect();
        run.labels.checks = vec![CheckLabel { row: 66, text: "status == 200".into() }];
        let mut tally = Tally::new();
        tally.planned(1);
        tally.started(1);
        tally.record(&sample(66, 1_000, false));
        tally.check(0, true);
        run.timeline.add(2, &tally);
        let summary = Summary::of(&run);
        assert_eq!(summary.steps.len(), 65);
        let others = &summary.steps[64];
        assert_eq!((others.name.as_deref(), others.calls.completed, others.checks.len()), (None, 1, 1));
    }
}
