//! Renders the report for people: verdict, target and achieved rate, accounting, then the layout known from other tools.

use crate::layout::{
    by_time, errors, interval, loop_name, missing_intervals, missing_quantiles, open_quantiles, optional,
    optional_ns, order_of_targets, percent, phases, printable, quantile, quantile_named, quantile_rows,
    reason_label, slowest, target,
};
use crate::rendered::text_table;
use crate::unit::{count, counted, duration, rate, share, size};
use crate::wording;
use crate::{Report, asked, steps};
use std::fmt::Write;
use warwolf_measure::{CheckFigures, Estimate, Grade, SloState, StepFigures, Summary};

/// Escape codes around coloured text, or nothing.
#[derive(Clone, Copy)]
struct Paint {
    colour: bool,
}

impl Paint {
    fn word(self, code: &str, word: &str) -> String {
        if self.colour { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() }
    }

    fn grade(self, grade: Grade) -> String {
        let code = match grade {
            Grade::Valid => "1;32",
            Grade::Degraded => "1;33",
            Grade::Invalid => "1;31",
        };
        self.word(code, grade.name())
    }

    fn heading(self, text: &str) -> String {
        self.word("1", text)
    }
}

/// Width of the tables of steps and checks in columns: that of a usual terminal.
const WIDTH: usize = 80;

/// Width of the longest bar in columns.
const BAR: u64 = 40;

pub(crate) fn render(report: &Report<'_>, colour: bool) -> String {
    let paint = Paint { colour };
    let mut out = String::new();
    verdict(&mut out, report, paint);
    load(&mut out, report);
    replayed(&mut out, report);
    accounting(&mut out, &report.summary);
    slos(&mut out, report, paint);
    rate_steps(&mut out, report, paint);
    plan_steps(&mut out, &report.summary, paint);
    checks(&mut out, &report.summary, paint);
    if report.summary.latency.count > 0 {
        summary(&mut out, &report.summary, paint);
        histogram(&mut out, &report.summary, paint);
        distribution(&mut out, &report.summary, paint);
        details(&mut out, &report.summary, paint);
    }
    status_codes(&mut out, &report.summary, paint);
    targets(&mut out, &report.summary, paint);
    error_list(&mut out, &report.summary, paint);
    closing(&mut out, report, paint);
    out
}

/// Appends a line.
macro_rules! line {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($word:tt)*) => {{
        // Writing to a string cannot fail.
        let _ = writeln!($out, $($word)*);
    }};
}

fn verdict(out: &mut String, report: &Report<'_>, paint: Paint) {
    let verdict = &report.verdict;
    line!(out, "{}: {}", paint.grade(verdict.grade), wording::meaning(verdict));
    slo_line(out, report, paint);
    for reason in &verdict.reasons {
        let word = reason_label(reason.grade, verdict.grade);
        line!(out, "  {word}: {}", wording::doubt(reason));
        line!(out, "    to do: {}", wording::remedy(reason));
    }
    line!(out);
}

/// Writes the result of the SLOs, with those that were not met.
fn slo_line(out: &mut String, report: &Report<'_>, paint: Paint) {
    let (Some(result), Some(sentence)) =
        (wording::slo_result(&report.slos), wording::slo_sentence(&report.slos))
    else {
        return;
    };
    let code = if report.all_held() { "1;32" } else { "1;31" };
    line!(out, "{}{}", paint.word(code, result), &sentence[result.len()..]);
}

/// Repeats the main results. A report is longer than most terminals, so its first lines scroll away. The ending is the same
/// everywhere, so that a report in a file equals the one on a terminal.
fn closing(out: &mut String, report: &Report<'_>, paint: Paint) {
    let summary = &report.summary;
    line!(
        out,
        "{}: {}, p50 {}, p99 {}",
        paint.grade(report.verdict.grade),
        rate(summary.achieved.rate_per_s.value),
        quantile_named(&summary.latency, "p50"),
        quantile_named(&summary.latency, "p99")
    );
    slo_line(out, report, paint);
}

/// Formats a figure with half the width of its confidence interval.
fn with_error(estimate: Estimate) -> String {
    match estimate.ci95 {
        Some((low, high)) if estimate.value > 0.0 => {
            format!("{} ± {} (95 % CI)", rate(estimate.value), share((high - low) / 2.0 / estimate.value))
        }
        _ => rate(estimate.value),
    }
}

fn load(out: &mut String, report: &Report<'_>) {
    let summary = &report.summary;
    let asked = summary.connections_asked();
    let connections = if asked > 0 { format!(", {}", counted(asked, "connection")) } else { String::new() };
    let wanted = match asked::words(report) {
        Some(asked) => format!("{}, {asked}", loop_name(summary)),
        None => loop_name(summary).to_owned(),
    };
    line!(out, "URL         {}", target(report));
    if let Some(started) = report.started() {
        line!(out, "started     {started}");
    }
    line!(out, "target      {wanted}{connections}, seed {}", summary.seed);
    let mut achieved = with_error(summary.achieved.rate_per_s);
    if let Some(target) = summary.target_rate {
        let _ = write!(achieved, ", {} of the target", share(summary.achieved.rate_per_s.value / target));
    }
    let in_flight = count(summary.achieved.max_in_flight);
    line!(out, "achieved    {achieved}, at most {in_flight} in flight");
}

/// Writes what became of the lines of a replayed log.
fn replayed(out: &mut String, report: &Report<'_>) {
    let Some(replay) = &report.run.replay else { return };
    line!(out, "log         {}", crate::replayed::lines(replay));
    for note in crate::replayed::notes(replay) {
        line!(out, "            {}", printable(&note));
    }
}

fn accounting(out: &mut String, summary: &Summary) {
    let counts = &summary.accounting;
    line!(
        out,
        "accounting  planned {} = started {} + never started {}",
        count(counts.planned),
        count(counts.started),
        count(counts.unstarted)
    );
    line!(
        out,
        "            started {} = completed {} + failed {} + timed out {} + unfinished {}",
        count(counts.started),
        count(counts.completed),
        count(counts.failed),
        count(counts.timed_out),
        count(counts.unfinished)
    );
    if let Some(failed) = steps::check_failed(summary) {
        line!(out, "            completed, check failed {failed}");
    }
    if let Some(oldest) = summary.unfinished_age.max_ns {
        line!(out, "            the oldest unfinished request had waited for {}", duration(oldest as f64));
    }
    line!(out);
}

fn slos(out: &mut String, report: &Report<'_>, paint: Paint) {
    if report.slos.is_empty() {
        return;
    }
    line!(out, "{}", paint.heading("SLOs:"));
    for result in &report.slos {
        let word = match result.state {
            SloState::Held => paint.word("32", "held  "),
            SloState::Broken => paint.word("31", "BROKEN"),
            SloState::Unknown => paint.word("31", "UNSURE"),
        };
        line!(out, "  {word}  {}  ({})", result.slo.text, wording::actual(result));
    }
    line!(out);
}

fn rate_steps(out: &mut String, report: &Report<'_>, paint: Paint) {
    let steps = asked::steps(report);
    if steps.is_empty() {
        return;
    }
    line!(out, "{}", paint.heading(asked::heading(report)));
    let rows: Vec<_> = steps.iter().take(asked::SHOWN).map(asked::StepFigures::cells).collect();
    let mut table = String::new();
    text_table(&mut table, &asked::HEADINGS, &rows);
    table.lines().for_each(|row| line!(out, "  {row}"));
    if steps.len() > asked::SHOWN {
        line!(out, "  and {} more, in the JSON report", steps.len() - asked::SHOWN);
    }
    line!(out);
}

/// Writes a table that fits into [`WIDTH`], and what its columns mean.
fn narrow_table(out: &mut String, headings: &[&str], mut rows: Vec<Vec<String>>, note: &str) {
    steps::fit(headings, &mut rows, WIDTH - 2);
    let mut table = String::new();
    text_table(&mut table, headings, &rows);
    table.lines().for_each(|row| line!(out, "  {row}"));
    if !note.is_empty() {
        line!(out, "  {note}");
    }
    line!(out);
}

/// Writes the steps of the plan with its scenarios, and its groups.
fn plan_steps(out: &mut String, summary: &Summary, paint: Paint) {
    if !summary.steps.is_empty() {
        line!(out, "{} (latency, {})", paint.heading("Steps"), loop_name(summary));
        let rows = steps::rows(summary).iter().map(|row| steps::step_cells(row, "  ")).collect();
        let note = if steps::checks(summary).next().is_some() { steps::CHECKS_NOTE } else { "" };
        narrow_table(out, &steps::STEP_HEADINGS, rows, note);
    }
    if !summary.groups.is_empty() {
        line!(out, "{}", paint.heading("Groups:"));
        let rows = summary.groups.iter().map(steps::group_cells).collect();
        narrow_table(out, &steps::GROUP_HEADINGS, rows, steps::GROUPS_NOTE);
    }
}

/// Writes every check, and examples of replies that did not pass.
fn checks(out: &mut String, summary: &Summary, paint: Paint) {
    let rows: Vec<_> = steps::check_cells(summary).collect();
    if rows.is_empty() {
        return;
    }
    line!(out, "{}", paint.heading("Checks:"));
    narrow_table(out, &steps::CHECK_HEADINGS, rows, "");
    let failed = |(_, check): &(&StepFigures, &CheckFigures)| !check.examples.is_empty();
    let mut failed = steps::checks(summary).filter(failed).peekable();
    if failed.peek().is_none() {
        return;
    }
    line!(out, "{}", paint.heading("Failed checks, the first replies of each:"));
    for (step, check) in failed {
        line!(out, "  {}: {}", steps::full_name(summary, step), check.text);
        for example in steps::examples(check) {
            let [request, result, body] = example.lines();
            line!(out, "    {}", steps::cut(&request, WIDTH - 4));
            line!(out, "      {}", steps::cut(&result, WIDTH - 6));
            line!(out, "      {}", steps::cut(&body, WIDTH - 6));
        }
    }
    line!(out);
}

fn summary(out: &mut String, summary: &Summary, paint: Paint) {
    let (from, to) = summary.window;
    let measured = to.since(from).as_nanos() as f64;
    let warmup = if summary.warmup.is_zero() {
        String::new()
    } else {
        format!("; after {} of warm-up, which is in the accounting only", duration(from.as_nanos() as f64))
    };
    let counters = summary.tally.counters();
    let replies = counters.header_bytes + counters.body_bytes;
    let per_reply = replies as f64 / summary.tally.completed().max(1) as f64;
    line!(out, "{} ({}{warmup})", paint.heading("Summary"), loop_name(summary));
    line!(out, "  Total:         {}", duration(measured));
    line!(out, "  Slowest:       {}", slowest(summary));
    line!(out, "  Fastest:       {}", optional_ns(summary.latency.min_ns));
    line!(out, "  Average:       {}", optional(summary.latency.mean_ns));
    line!(out, "  Requests/sec:  {}", rate(summary.achieved.rate_per_s.value));
    line!(
        out,
        "  Data:          {}, {} a reply, {}/s",
        size(replies as f64),
        size(per_reply),
        size(summary.achieved.bytes_per_s)
    );
    line!(
        out,
        "  Errors:        {} of {} ({})",
        count(summary.errors),
        count(summary.tally.finished()),
        summary.error_share.map_or_else(|| "0 %".to_owned(), share)
    );
    let connections = [
        ("opened", counters.connections_opened),
        ("reused", counters.connections_reused),
        ("failed", counters.connections_failed),
    ];
    let connections: Vec<_> =
        connections.iter().map(|(name, number)| format!("{} {name}", count(*number))).collect();
    line!(out, "  Connections:   {}", connections.join(", "));
    line!(out);
}

fn histogram(out: &mut String, summary: &Summary, paint: Paint) {
    let most = summary.histogram.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    line!(out, "{} ({}, up to)", paint.heading("Latency histogram"), loop_name(summary));
    for bar in &summary.histogram {
        // Rounded up, so that a bar above zero shows.
        let width = (bar.count * BAR).div_ceil(most) as usize;
        let number = format!("[{}]", count(bar.count));
        let text = format!("  {:>8} {number:<13} |{}", duration(bar.up_to_ns as f64), "■".repeat(width));
        line!(out, "{text}");
    }
    line!(out);
}

fn distribution(out: &mut String, summary: &Summary, paint: Paint) {
    let heading = format!("{} ({})", paint.heading("Latency distribution"), loop_name(summary));
    line!(out, "{heading}");
    line!(out, "            {:<10}{:<24}{:<10}lag", "latency", "95 % CI", "service");
    for place in quantile_rows() {
        let figure = &summary.latency.quantiles[place];
        let sure = interval(figure.ci95_ns).map_or_else(String::new, |text| format!("({text})"));
        line!(
            out,
            "  {:>8}  {:<10}{:<24}{:<10}{}",
            percent(figure),
            quantile(figure),
            sure,
            optional_ns(summary.service.quantiles[place].value_ns),
            optional_ns(summary.lag.quantiles[place].value_ns)
        );
    }
    if let Some(reason) = open_quantiles(summary) {
        line!(out, "  {reason}");
    }
    if let Some(reason) = missing_quantiles(&summary.latency) {
        line!(out, "  {reason}");
    }
    if let Some(reason) = missing_intervals(&summary.latency) {
        line!(out, "  {reason}");
    }
    line!(out);
}

fn details(out: &mut String, summary: &Summary, paint: Paint) {
    line!(out, "{}", paint.heading("Details by phase:"));
    line!(
        out,
        "  {:<9} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "",
        "average",
        "fastest",
        "slowest",
        "50 %",
        "99 %"
    );
    for (name, figures) in phases(summary) {
        if figures.count == 0 {
            continue;
        }
        line!(
            out,
            "  {name:<9} {:>10} {:>10} {:>10} {:>10} {:>10}",
            optional(figures.mean_ns),
            optional_ns(figures.min_ns),
            optional_ns(figures.max_ns),
            optional_ns(figures.quantile_ns("p50")),
            optional_ns(figures.quantile_ns("p99"))
        );
    }
    line!(out);
}

fn status_codes(out: &mut String, summary: &Summary, paint: Paint) {
    if summary.tally.completed() == 0 {
        return;
    }
    line!(out, "{}", paint.heading("Status codes:"));
    for (status, number) in summary.tally.statuses() {
        line!(
            out,
            "  [{status}] {}",
            if number == 1 { "1 reply".to_owned() } else { format!("{} replies", count(number)) }
        );
    }
    line!(out);
}

/// Maximum number of target rows shown; JSON has all of them.
const TARGETS: usize = 20;

fn targets(out: &mut String, summary: &Summary, paint: Paint) {
    if summary.targets.len() < 2 || !summary.steps.is_empty() {
        return;
    }
    line!(out, "{}", paint.heading("Targets:"));
    line!(out, "  {:>11} {:>9} {:>7} {:>10} {:>10}  URL", "completed", "errors", "time", "50 %", "99 %");
    for (row, part) in by_time(summary).into_iter().take(TARGETS) {
        line!(
            out,
            "  {:>11} {:>9} {:>7} {:>10} {:>10}  {}",
            count(row.completed),
            count(row.errors),
            share(part),
            optional_ns(row.latency.quantile_ns("p50")),
            optional_ns(row.latency.quantile_ns("p99")),
            row.url.as_deref().unwrap_or("(all others)")
        );
    }
    line!(out, "  {}", order_of_targets(TARGETS, summary.targets.len()));
    line!(out);
}

fn error_list(out: &mut String, summary: &Summary, paint: Paint) {
    let errors = errors(summary);
    if !errors.is_empty() {
        line!(out, "{}", paint.heading("Errors:"));
        for (text, blame, number) in errors {
            line!(out, "  [{}] {text} ({blame})", count(number));
        }
        line!(out);
    }
    let mut failures = summary.tally.connection_failures().peekable();
    if failures.peek().is_some() {
        line!(out, "{}", paint.heading("Connections that did not open:"));
        for (outcome, number) in failures {
            line!(out, "  [{}] {} ({})", count(number), outcome.text(), outcome.blame().name());
        }
        line!(out);
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
