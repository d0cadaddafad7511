//! Renders the report for pull requests: the main figures, in tables.

use crate::layout::{
    accounting_table, errors, interval, loop_name, missing_quantiles, open_quantiles, optional_ns, percent,
    quantile, quantile_rows, reason_label, target,
};
use crate::rendered::markdown_table;
use crate::unit::{count, counted, rate, share};
use crate::wording;
use crate::{Report, asked, steps};
use std::fmt::Write;
use warwolf_measure::{SloState, Summary};

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
    let (names, counts) = accounting_table(summary);
    writeln!(out, "| {} |\n|{}", names.join(" | "), "---:|".repeat(names.len()))?;
    writeln!(out, "| {} |\n", counts.join(" | "))?;
    slos(out, report)?;
    let rate_steps = asked::steps(report);
    if !rate_steps.is_empty() {
        let rows: Vec<_> = rate_steps.iter().take(asked::SHOWN).map(asked::StepFigures::cells).collect();
        markdown_table(out, &asked::HEADINGS, &rows);
        writeln!(out)?;
    }
    plan_steps(out, summary)?;
    checks(out, summary)?;
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

/// Writes a table whose cells may contain any text.
pub(crate) fn table(
    out: &mut String,
    headings: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> std::fmt::Result {
    let side = |heading: &&str| if heading.starts_with('<') { "---|" } else { "---:|" };
    let names: Vec<&str> = headings.iter().map(|heading| heading.trim_start_matches('<')).collect();
    writeln!(out, "| {} |\n|{}", names.join(" | "), headings.iter().map(side).collect::<String>())?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}

/// Writes the steps of the plan with its scenarios, and its groups.
fn plan_steps(out: &mut String, summary: &Summary) -> std::fmt::Result {
    if !summary.steps.is_empty() {
        let rows = steps::rows(summary);
        table(out, &steps::STEP_HEADINGS, rows.iter().map(|row| steps::step_cells(row, "\u{a0}\u{a0}")))?;
    }
    if !summary.groups.is_empty() {
        table(out, &steps::GROUP_HEADINGS, summary.groups.iter().map(steps::group_cells))?;
        writeln!(out, "{}\n", steps::GROUPS_NOTE)?;
    }
    Ok(())
}

/// Writes every check, and examples of replies that did not pass.
fn checks(out: &mut String, summary: &Summary) -> std::fmt::Result {
    if steps::checks(summary).next().is_none() {
        return Ok(());
    }
    table(out, &steps::CHECK_HEADINGS, steps::check_cells(summary))?;
    for (step, check) in steps::checks(summary).filter(|(_, check)| !check.examples.is_empty()) {
        writeln!(out, "{}: {}\n", escape(&steps::full_name(summary, step)), escape(&check.text))?;
        for steps::Example { at, request, status, found, body } in steps::examples(check) {
            let [request, found, body] = [request, found, body].map(|text| code(&text));
            writeln!(out, "- after {at}: {request}: status {status}, found {found}, body {body}")?;
        }
        writeln!(out)?;
    }
    Ok(())
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

/// Returns text of a server as code, in which nothing is markup, a link or a mention of a user.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    match longest {
        _ if text.is_empty() => "(empty)".to_owned(),
        0 => format!("`{text}`"),
        _ => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {text} {fence}")
        }
    }
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
