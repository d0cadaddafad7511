//! The steps of both sides of a comparison.

use crate::html::page;
use crate::layout::{UNKNOWN, optional_ns, printable};
use crate::rendered::text_table;
use crate::unit::share;
use serde_json::{Value, json};
use std::fmt::Write;
use warwolf_experiment::compare::StepPair;
use warwolf_measure::RowFigures;

const HEADINGS: [&str; 9] =
    ["<step", "A p50", "B p50", "change", "A p99", "B p99", "change", "errors A", "B"];

const NOTE: &str = "The changes of single steps have no intervals: chance alone may have made them.";

/// Width of the table in columns.
const WIDTH: usize = 80;

pub(super) fn push_text(out: &mut String, steps: &[StepPair]) {
    if steps.is_empty() {
        return;
    }
    let mut rows = rows(steps);
    crate::steps::fit(&HEADINGS, &mut rows, WIDTH);
    out.push('\n');
    text_table(out, &HEADINGS, &rows);
    let _ = writeln!(out, "{NOTE}");
}

pub(super) fn push_markdown(out: &mut String, steps: &[StepPair]) {
    if steps.is_empty() {
        return;
    }
    out.push('\n');
    // Writing to a string cannot fail.
    let _ = crate::markdown::table(out, &HEADINGS, rows(steps).into_iter());
    let _ = writeln!(out, "{NOTE}");
}

pub(super) fn push_html(out: &mut String, steps: &[StepPair]) {
    if steps.is_empty() {
        return;
    }
    page::part(out, "steps", "Steps");
    page::table(out, &HEADINGS, rows(steps).into_iter());
    let _ = writeln!(out, "<p class=\"note\">{NOTE}</p>");
}

fn rows(steps: &[StepPair]) -> Vec<Vec<String>> {
    let scenarios: std::collections::BTreeSet<_> = steps.iter().map(|step| &step.scenario).collect();
    let name = |step: &StepPair| match &step.scenario {
        Some(scenario) if scenarios.len() > 1 => printable(&format!("{scenario}: {}", step.name)),
        _ => printable(&step.name),
    };
    steps.iter().map(|step| cells(name(step), step)).collect()
}

fn cells(name: String, step: &StepPair) -> Vec<String> {
    let mut cells = vec![name];
    for quantile in ["p50", "p99"] {
        let [a, b] = step.calls.each_ref().map(|calls| calls.latency.quantile_ns(quantile));
        let change = a.zip(b).and_then(|(a, b)| change(a, b));
        cells.extend([optional_ns(a), optional_ns(b)]);
        cells.push(change.map_or_else(|| UNKNOWN.to_owned(), |change| format!("{:+.1} %", change * 100.0)));
    }
    let errors = |calls: &RowFigures| match calls.completed + calls.failed {
        0 => UNKNOWN.to_owned(),
        finished => share(calls.errors as f64 / finished as f64),
    };
    cells.extend(step.calls.each_ref().map(errors));
    cells
}

fn change(a: u64, b: u64) -> Option<f64> {
    (a > 0).then(|| b as f64 / a as f64 - 1.0)
}

pub(super) fn json(step: &StepPair) -> Value {
    let side = |calls: &RowFigures| {
        json!({
            "completed": calls.completed,
            "check_failed": calls.check_failed,
            "failed": calls.failed,
            "errors": calls.errors,
            "rate_per_s": calls.rate_per_s,
            "latency_p50_ns": calls.latency.quantile_ns("p50"),
            "latency_p90_ns": calls.latency.quantile_ns("p90"),
            "latency_p99_ns": calls.latency.quantile_ns("p99"),
        })
    };
    json!({
        "name": step.name,
        "scenario": step.scenario,
        "a": side(&step.calls[0]),
        "b": side(&step.calls[1]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use std::slice::from_ref;
    use std::time::Duration;
    use warwolf_experiment::compare::steps;

    #[test]
    fn steps_stand_side_by_side() {
        let (a, mut b) = (fixture::shop(), fixture::shop());
        b.labels.rows.swap(1, 2);
        let pairs = steps([from_ref(&a), from_ref(&b)], Duration::ZERO);
        let mut text = String::new();
        push_text(&mut text, &pairs);
        let expected = "
step             A p50    B p50   change  A p99  B p99  change  errors A       B
buyer: login   1.00 ms  1.00 ms   +0.0 %      -      -       -       0 %     0 %
buyer: buy     2.00 ms  3.00 ms  +50.0 %      -      -       -    30.0 %     0 %
visitor: loo…  3.00 ms  2.00 ms  -33.3 %      -      -       -       0 %  30.0 %
The changes of single steps have no intervals: chance alone may have made them.
";
        assert_eq!(text, expected);
        let (mut markdown, mut page) = (String::new(), String::new());
        push_markdown(&mut markdown, &pairs);
        push_html(&mut page, &pairs);
        assert!(
            markdown.contains("| visitor: look at \\<items> | 3.00 ms | 2.00 ms | -33.3 % |"),
            "{markdown}"
        );
        assert!(page.contains("<td class=\"text\">visitor: look at &lt;items&gt;</td>"), "{page}");
        let value = json(&pairs[1]);
        assert_eq!((&value["name"], &value["a"]["check_failed"]), (&"buy".into(), &30.into()));
    }
}
