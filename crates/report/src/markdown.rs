//! Renders the report for pull requests: the main figures, in tables.

use crate::layout::{
    ACCOUNTING, accounting, errors, interval, loop_name, missing_quantiles, open_quantiles, optional_ns,
    percent, quantile, quantile_rows, reason_label, target,
};
use crate::rendered::markdown_table;
use crate::unit::{count, counted, rate, share};
use crate::wording;
use crate::{Report, asked};
use std::fmt::Write;
use warwolf_measure::SloState;

pub(crate) fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report<'_>) -> std::fmt::Result {
    let summary = &report.summary;
    writeln!(
        out,
        "## {}: {}\n",
        wording::heading(report.verdict.grade, &report.slos),
        escape(&target(report))
    )?;
    if let Some(started) = report.started() {
        writeln!(out, "{started}\n")?;
    }
    for reason in &report.verdict.reasons {
        let word = reason_label(reason.grade, report.verdict.grade);
        writeln!(
            out,
            "- **{word}**: {}; {}",
            escape(&wording::doubt(reason)),
            escape(&wording::remedy(reason))
        )?;
    }
    if !report.verdict.reasons.is_empty() {
        writeln!(out)?;
    }
    let wanted = asked::words(report).map_or_else(String::new, |asked| format!(" of {asked}"));
    writeln!(
        out,
        "{}{wanted} ({}), {} ({})\n",
        rate(summary.achieved.rate_per_s.value),
        loop_name(summary),
        counted(summary.errors, "error"),
        summary.error_share.map_or_else(|| "0 %".to_owned(), share)
    )?;
    replayed(out, report)?;
    writeln!(out, "| {} |\n|{}", ACCOUNTING.join(" | "), "---:|".repeat(ACCOUNTING.len()))?;
    writeln!(out, "| {} |\n", accounting(&summary.accounting).map(count).join(" | "))?;
    slos(out, report)?;
    let steps = asked::steps(report);
    if !steps.is_empty() {
        let rows: Vec<_> = steps.iter().take(asked::SHOWN).map(asked::StepFigures::cells).collect();
        markdown_table(out, &asked::HEADINGS, &rows);
        writeln!(out)?;
    }
    if summary.latency.count > 0 {
        latencies(out, report)?;
    }
    let errors = errors(summary);
    if !errors.is_empty() {
        let gap = if summary.latency.count > 0 { "\n" } else { "" };
        writeln!(out, "{gap}| errors | what | whose |\n|---:|---|---|")?;
        for (text, blame, number) in errors {
            writeln!(out, "| {} | {} | {blame} |", count(number), escape(&text))?;
        }
    }
    Ok(())
}

/// Writes what became of the lines of a replayed log.
fn replayed(out: &mut String, report: &Report<'_>) -> std::fmt::Result {
    let Some(replay) = &report.run.replay else { return Ok(()) };
    writeln!(out, "{}\n", escape(&crate::replayed::lines(replay)))?;
    for note in crate::replayed::notes(replay) {
        writeln!(out, "- {}", escape(&note))?;
    }
    writeln!(out)
}

fn slos(out: &mut String, report: &Report<'_>) -> std::fmt::Result {
    if report.slos.is_empty() {
        return Ok(());
    }
    writeln!(out, "| SLO | actual | |\n|---|---:|---|")?;
    for result in &report.slos {
        let word = match result.state {
            SloState::Held => "held",
            SloState::Broken => "**broken**",
            SloState::Unknown => "**unsure**",
        };
        writeln!(
            out,
            "| `{}` | {} | {word} |",
            result.slo.text.replace('|', "\\|"),
            wording::actual(result)
        )?;
    }
    writeln!(out)
}

fn latencies(out: &mut String, report: &Report<'_>) -> std::fmt::Result {
    let summary = &report.summary;
    writeln!(
        out,
        "| {} | latency | 95 % CI | service | lag |\n|---:|---:|---:|---:|---:|",
        loop_name(summary)
    )?;
    for place in quantile_rows() {
        let figure = &summary.latency.quantiles[place];
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            percent(figure),
            quantile(figure),
            interval(figure.ci95_ns).unwrap_or_default(),
            optional_ns(summary.service.quantiles[place].value_ns),
            optional_ns(summary.lag.quantiles[place].value_ns)
        )?;
    }
    if let Some(reason) = open_quantiles(summary) {
        // A line that begins with this sign would be a quotation.
        writeln!(out, "\n\\{reason}")?;
    }
    if let Some(reason) = missing_quantiles(&summary.latency) {
        writeln!(out, "\n{reason}")?;
    }
    Ok(())
}

/// Escapes text for Markdown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
