//! Steps, scenarios, groups and checks of a plan as tables that several formats share.

use crate::layout::{UNKNOWN, optional_ns, printable};
use crate::unit::{count, counted, duration, rate, share};
use serde_json::{Value, json};
use std::fmt::Write;
use warwolf_measure::{
    CheckExample, CheckFigures, Figures, GroupFigures, RowFigures, ScenarioFigures, StepFigures, Summary,
};

/// What [`cut`] puts in place of what it leaves out.
const ELLIPSIS: char = '…';

/// Name of the row of all steps beyond the table.
const OTHERS: &str = "(all others)";

/// A row of the table of steps: a step, or a scenario in total.
pub(crate) struct Row<'s> {
    /// Whether it belongs to the scenario above.
    pub(crate) is_part: bool,
    pub(crate) name: String,
    pub(crate) group: Option<&'s str>,
    pub(crate) calls: &'s RowFigures,
    /// Whether a reply was checked.
    is_checked: bool,
}

/// Returns the steps in the order of the plan. Several scenarios have a row each, above their steps.
pub(crate) fn rows(summary: &Summary) -> Vec<Row<'_>> {
    let scenarios: &[ScenarioFigures] = if summary.scenarios.len() > 1 { &summary.scenarios } else { &[] };
    let is_part =
        |step: &StepFigures| scenarios.iter().any(|scenario| step.scenario.as_ref() == Some(&scenario.name));
    let mut rows = Vec::new();
    for scenario in scenarios {
        let steps = || summary.steps.iter().filter(|step| step.scenario.as_ref() == Some(&scenario.name));
        rows.push(Row {
            is_part: false,
            name: format!("{} (scenario)", scenario.name),
            group: None,
            calls: &scenario.calls,
            is_checked: steps().any(is_checked),
        });
        rows.extend(steps().map(|step| step_row(step, true)));
    }
    rows.extend(summary.steps.iter().filter(|step| !is_part(step)).map(|step| step_row(step, false)));
    rows
}

fn step_row(step: &StepFigures, is_part: bool) -> Row<'_> {
    Row {
        is_part,
        name: step_name(step).to_owned(),
        group: step.group.as_deref(),
        calls: &step.calls,
        is_checked: is_checked(step),
    }
}

/// Returns whether a reply of the step was checked.
fn is_checked(step: &StepFigures) -> bool {
    step.checks.iter().any(|check| check.passed + check.failed > 0)
}

/// Returns the name of the step, or what stands for all steps beyond the table.
pub(crate) fn step_name(step: &StepFigures) -> &str {
    step.name.as_deref().unwrap_or(OTHERS)
}

impl Row<'_> {
    /// Returns its name, indented below a scenario.
    pub(crate) fn indented(&self, indent: &str) -> String {
        format!("{}{}", if self.is_part { indent } else { "" }, self.name)
    }

    /// Returns the replies that passed all checks and those that did not; unknown where nothing is checked.
    pub(crate) fn checks(&self) -> String {
        let RowFigures { completed, check_failed, .. } = *self.calls;
        if self.is_checked || check_failed > 0 {
            format!("{}/{}", count(completed.saturating_sub(check_failed)), count(check_failed))
        } else {
            UNKNOWN.to_owned()
        }
    }
}

pub(crate) const STEP_HEADINGS: [&str; 7] =
    ["<step", "completed", "rate", "50 %", "99 %", "errors", "checks"];

/// Explains the last column of [`STEP_HEADINGS`].
pub(crate) const CHECKS_NOTE: &str =
    "checks: replies that passed all checks of the step / replies that did not";

/// Returns the cells below [`STEP_HEADINGS`].
pub(crate) fn step_cells(row: &Row<'_>, indent: &str) -> Vec<String> {
    vec![
        row.indented(indent),
        count(row.calls.completed),
        rate(row.calls.rate_per_s),
        optional_ns(row.calls.latency.quantile_ns("p50")),
        optional_ns(row.calls.latency.quantile_ns("p99")),
        count(row.calls.errors),
        row.checks(),
    ]
}

pub(crate) const GROUP_HEADINGS: [&str; 8] =
    ["<group", "completed", "failed", "rate", "wall 50 %", "99 %", "sum 50 %", "99 %"];

/// Explains the columns of [`GROUP_HEADINGS`].
pub(crate) const GROUPS_NOTE: &str =
    "wall: first request to end of last reply; sum: latencies of its requests";

/// Returns the cells below [`GROUP_HEADINGS`].
pub(crate) fn group_cells(group: &GroupFigures) -> Vec<String> {
    let quantile = |figures: &Figures, name| optional_ns(figures.quantile_ns(name));
    vec![
        group.name.clone(),
        count(group.completed),
        count(group.failed),
        rate(group.rate_per_s),
        quantile(&group.wall, "p50"),
        quantile(&group.wall, "p99"),
        quantile(&group.requests, "p50"),
        quantile(&group.requests, "p99"),
    ]
}

pub(crate) const CHECK_HEADINGS: [&str; 4] = ["<step", "passed", "failed", "<check"];

/// Returns every check with its step, in the order of the plan.
pub(crate) fn checks(summary: &Summary) -> impl Iterator<Item = (&StepFigures, &CheckFigures)> {
    summary.steps.iter().flat_map(|step| step.checks.iter().map(move |check| (step, check)))
}

/// Returns the rows below [`CHECK_HEADINGS`].
pub(crate) fn check_cells(summary: &Summary) -> impl Iterator<Item = Vec<String>> + '_ {
    checks(summary).map(|(step, check)| {
        vec![full_name(summary, step), count(check.passed), count(check.failed), check.text.clone()]
    })
}

/// Returns the name of a step, after that of its scenario if there are several.
pub(crate) fn full_name(summary: &Summary, step: &StepFigures) -> String {
    match &step.scenario {
        Some(scenario) if summary.scenarios.len() > 1 => format!("{scenario}: {}", step_name(step)),
        _ => step_name(step).to_owned(),
    }
}

/// Returns how many completed requests did not pass a check, with their share; none if nothing is checked.
pub(crate) fn check_failed(summary: &Summary) -> Option<String> {
    let counts = &summary.accounting;
    if counts.check_failed == 0 && checks(summary).next().is_none() {
        return None;
    }
    let part = counts.check_failed as f64 / counts.completed.max(1) as f64;
    Some(format!("{} ({} of completed)", count(counts.check_failed), share(part)))
}

/// Returns the result of a check in words: `3 of 10 replies failed`.
pub(crate) fn check_result(check: &CheckFigures) -> String {
    let all = check.passed + check.failed;
    match (all, check.failed) {
        (0, _) => "not evaluated".to_owned(),
        (_, 0) => match all {
            1 => "1 reply passed".to_owned(),
            _ => format!("{} replies passed", count(all)),
        },
        (_, failed) => {
            format!("{} of {} failed", count(failed), counted(all, "reply").replace("replys", "replies"))
        }
    }
}

/// An example of a failed check as text for people, each part one line.
pub(crate) struct Example {
    /// When the reply ended, and how many examples are the same but for that.
    pub(crate) at: String,
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) found: String,
    pub(crate) body: String,
}

/// Returns the examples of a check that differ.
pub(crate) fn examples(check: &CheckFigures) -> Vec<Example> {
    let is_same = |one: &CheckExample, other: &CheckExample| {
        (&one.request, one.status, &one.found, &one.body)
            == (&other.request, other.status, &other.found, &other.body)
    };
    let mut different: Vec<(&CheckExample, usize)> = Vec::new();
    for example in &check.examples {
        match different.iter_mut().find(|(one, _)| is_same(one, example)) {
            Some((_, times)) => *times += 1,
            None => different.push((example, 1)),
        }
    }
    let text = |(example, times): (&CheckExample, usize)| {
        let alike = if times > 1 { format!(" ({times} alike)") } else { String::new() };
        Example {
            at: format!("{}{alike}", duration(example.at_ns as f64)),
            request: one_line(&example.request),
            status: example.status,
            found: one_line(&example.found),
            body: one_line(&example.body),
        }
    };
    different.into_iter().map(text).collect()
}

impl Example {
    /// Returns the request, the result and the body as lines.
    pub(crate) fn lines(&self) -> [String; 3] {
        [
            format!("after {}: {}", self.at, self.request),
            format!("status {}, found {}", self.status, self.found),
            if self.body.is_empty() { "no body".to_owned() } else { self.body.clone() },
        ]
    }
}

/// Returns a text of the server as one line: blank space in it becomes one blank.
fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Cuts a text to a width in characters.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain([ELLIPSIS]).collect()
}

/// Narrows the text columns of a table, whose headings begin with `<`, so that its lines fit into `width`.
pub(crate) fn fit(headings: &[&str], rows: &mut [Vec<String>], width: usize) {
    let heading = |place: usize| headings[place].trim_start_matches('<').chars().count();
    let columns: Vec<usize> = (0..headings.len())
        .map(|place| rows.iter().map(|row| row[place].chars().count()).max().unwrap_or(0).max(heading(place)))
        .collect();
    let texts: Vec<usize> = (0..headings.len()).filter(|place| headings[*place].starts_with('<')).collect();
    let all = columns.iter().sum::<usize>() + 2 * (columns.len() - 1);
    let mut over = all.saturating_sub(width);
    // The widest first, so that short names stay whole.
    let mut by_width = texts;
    by_width.sort_by_key(|place| std::cmp::Reverse(columns[*place]));
    for place in by_width {
        let narrow = columns[place].saturating_sub(over).max(NARROWEST);
        over -= columns[place].saturating_sub(narrow).min(over);
        rows.iter_mut().for_each(|row| row[place] = cut(&row[place], narrow));
    }
}

/// Width to which [`fit`] narrows a column at most.
const NARROWEST: usize = 12;

/// Returns the steps for programs.
pub(crate) fn step_json(step: &StepFigures, figures: fn(&Figures) -> Value) -> Value {
    let mut value = calls_json(&step.calls, figures);
    value["name"] = json!(step.name);
    value["group"] = json!(step.group);
    value["scenario"] = json!(step.scenario);
    value["checks"] = step.checks.iter().map(check_json).collect();
    value
}

/// Returns a scenario for programs.
pub(crate) fn scenario_json(scenario: &ScenarioFigures, figures: fn(&Figures) -> Value) -> Value {
    let mut value = calls_json(&scenario.calls, figures);
    value["name"] = json!(scenario.name);
    value
}

fn calls_json(calls: &RowFigures, figures: fn(&Figures) -> Value) -> Value {
    json!({
        "completed": calls.completed,
        "check_failed": calls.check_failed,
        "failed": calls.failed,
        "errors": calls.errors,
        "unfinished": calls.unfinished,
        "body_bytes": calls.body_bytes,
        "rate_per_s": calls.rate_per_s,
        "latency_ns": figures(&calls.latency),
    })
}

fn check_json(check: &CheckFigures) -> Value {
    let example = |example: &CheckExample| {
        json!({
            "at_ns": example.at_ns,
            "request": example.request,
            "status": example.status,
            "found": example.found,
            "body": example.body,
        })
    };
    json!({
        "text": check.text,
        "passed": check.passed,
        "failed": check.failed,
        "examples": check.examples.iter().map(example).collect::<Vec<_>>(),
    })
}

/// Returns a group for programs.
pub(crate) fn group_json(group: &GroupFigures, figures: fn(&Figures) -> Value) -> Value {
    json!({
        "name": group.name,
        "completed": group.completed,
        "failed": group.failed,
        "rate_per_s": group.rate_per_s,
        "wall_ns": figures(&group.wall),
        "requests_ns": figures(&group.requests),
    })
}

/// Writes the steps, scenarios, groups and checks for spreadsheets, as tables after a blank line; nothing without steps.
pub(crate) fn write_csv(out: &mut String, summary: &Summary) -> std::fmt::Result {
    use crate::rendered::quoted;
    if summary.steps.is_empty() {
        return Ok(());
    }
    let names = |name: &str, group: &Option<String>, scenario: &Option<String>| {
        let optional = |text: &Option<String>| quoted(text.as_deref().unwrap_or_default());
        format!("{},{},{}", quoted(name), optional(group), optional(scenario))
    };
    writeln!(out, "\n{CSV_HEADER}")?;
    for step in &summary.steps {
        let names = names(step_name(step), &step.group, &step.scenario);
        writeln!(out, "step,{names},{}", csv_calls(&step.calls))?;
    }
    for scenario in &summary.scenarios {
        writeln!(out, "scenario,{},{}", names(&scenario.name, &None, &None), csv_calls(&scenario.calls))?;
    }
    for group in &summary.groups {
        let names = names(&group.name, &None, &None);
        for (kind, figures) in [("group_wall", &group.wall), ("group_requests", &group.requests)] {
            let GroupFigures { completed, failed, rate_per_s, .. } = group;
            let latency = csv_figures(figures);
            writeln!(out, "{kind},{names},{completed},,{failed},{failed},,{rate_per_s:.3},,{latency}")?;
        }
    }
    if checks(summary).next().is_some() {
        writeln!(out, "\nstep,check,passed,failed")?;
    }
    for (step, check) in checks(summary) {
        let (name, text) = (quoted(&full_name(summary, step)), quoted(&check.text));
        writeln!(out, "{name},{text},{},{}", check.passed, check.failed)?;
    }
    Ok(())
}

const CSV_HEADER: &str = "kind,name,group,scenario,completed,check_failed,failed,errors,unfinished,rate_per_s,body_bytes,\
                          latency_mean_ns,latency_p50_ns,latency_p90_ns,latency_p99_ns,latency_max_ns";

fn csv_calls(calls: &RowFigures) -> String {
    let RowFigures { completed, check_failed, failed, errors, unfinished, body_bytes, rate_per_s, latency } =
        calls;
    let latency = csv_figures(latency);
    format!(
        "{completed},{check_failed},{failed},{errors},{unfinished},{rate_per_s:.3},{body_bytes},{latency}"
    )
}

fn csv_figures(figures: &Figures) -> String {
    let mean = figures.mean_ns.map(|mean| mean.round() as u64);
    let quantiles = ["p50", "p90", "p99"].map(|name| figures.quantile_ns(name));
    let values = std::iter::once(mean).chain(quantiles).chain([figures.max_ns]);
    let cells: Vec<String> =
        values.map(|value| value.map_or_else(String::new, |value| value.to_string())).collect();
    cells.join(",")
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
