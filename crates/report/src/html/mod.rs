//! Renders a run as one self-contained page: no network, no script; for light and dark mode, phones and paper.

pub(crate) mod charts;
pub(crate) mod page;

use crate::chart::escape;
use crate::layout::{
    UNKNOWN, accounting_table, by_time, command_line, errors, interval, loop_name, missing_intervals,
    missing_quantiles, open_quantiles, optional, optional_ns, order_of_targets, percent, phases, quantile,
    quantile_named, quantile_rows, reason_label, target,
};
use crate::unit::{count, duration, rate, share, size};
use crate::wording;
use crate::{Report, asked, steps};
use page::{part, table, tiles};
use std::fmt::Write;
use warwolf_measure::{Grade, HostEvidence, SloState, Summary};

pub(crate) fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "<h1>{}</h1>", escape(&target(report)));
    page::started(&mut out, report.started());
    slo_result(&mut out, report);
    verdict(&mut out, report);
    banner(&mut out, report);
    replayed(&mut out, report);
    where_calls_went(&mut out, &report.summary);
    slos(&mut out, report);
    rate_steps(&mut out, report);
    plan_steps(&mut out, &report.summary);
    checks(&mut out, &report.summary);
    let charts = charts::all(report);
    part(&mut out, "charts", "Charts");
    out.push_str("<div class=\"charts\">\n");
    charts.iter().for_each(|chart| out.push_str(&chart.inline()));
    out.push_str("</div>\n");
    if report.summary.latency.count > 0 {
        latencies(&mut out, &report.summary);
        phase_table(&mut out, &report.summary);
    }
    statuses(&mut out, &report.summary);
    error_table(&mut out, &report.summary);
    targets(&mut out, &report.summary);
    health(&mut out, &report.summary);
    plan(&mut out, report);
    let title = format!("{}: {}", wording::heading(report.verdict.grade, &report.slos), target(report));
    page::page(&title, &out)
}

fn verdict(out: &mut String, report: &Report<'_>) {
    let grade = report.verdict.grade;
    let class = match grade {
        Grade::Valid => "valid",
        Grade::Degraded => "degraded",
        Grade::Invalid => "invalid",
    };
    let meaning = wording::meaning(&report.verdict);
    let _ = writeln!(out, "<div class=\"verdict {class}\"><b>{}</b>: {meaning}", grade.name());
    for reason in &report.verdict.reasons {
        let word = reason_label(reason.grade, grade);
        let _ = writeln!(
            out,
            "<p>{word}: {}<br><span class=\"soft\">to do: {}</span></p>",
            escape(&wording::doubt(reason)),
            escape(&wording::remedy(reason))
        );
    }
    out.push_str("</div>\n");
}

/// Writes the result of the SLOs in its own box next to the verdict.
fn slo_result(out: &mut String, report: &Report<'_>) {
    let (Some(result), Some(sentence)) =
        (wording::slo_result(&report.slos), wording::slo_sentence(&report.slos))
    else {
        return;
    };
    let class = if report.all_held() { "passed" } else { "failed" };
    let _ = writeln!(
        out,
        "<div class=\"verdict {class}\"><b>{result}</b>{}</div>",
        escape(&sentence[result.len()..])
    );
}

fn banner(out: &mut String, report: &Report<'_>) {
    let summary = &report.summary;
    let quantile = |name| quantile_named(&summary.latency, name);
    let achieved = match asked::words(report) {
        Some(asked) => format!("{} of {asked}", rate(summary.achieved.rate_per_s.value)),
        None => rate(summary.achieved.rate_per_s.value),
    };
    let (from, to) = summary.window;
    tiles(
        out,
        &[
            ("completed, achieved", achieved),
            ("latency, p50", quantile("p50")),
            ("latency, p99", quantile("p99")),
            ("errors", summary.error_share.map_or_else(|| UNKNOWN.to_owned(), share)),
            ("replies a second", format!("{}/s", size(summary.achieved.bytes_per_s))),
            ("measured", duration(to.since(from).as_nanos() as f64)),
        ],
    );
    let _ = writeln!(
        out,
        "<p class=\"soft\">{}, at most {} in flight, seed {}</p>",
        loop_name(summary),
        count(summary.achieved.max_in_flight),
        summary.seed
    );
}

/// Writes what became of the lines of a replayed log.
fn replayed(out: &mut String, report: &Report<'_>) {
    let Some(replay) = &report.run.replay else { return };
    part(out, "log", "Lines of the log");
    let counts = [
        ("lines", replay.lines),
        ("sent", replay.sent),
        ("filtered out", replay.filtered),
        ("not understood", replay.not_understood()),
        ("blank", replay.blank),
        ("without an address", replay.without_address),
        ("not sent before the stop", replay.not_sent),
    ];
    let headings = counts.map(|(name, _)| name);
    table(out, &headings, std::iter::once(counts.map(|(_, number)| count(number)).to_vec()));
    for note in crate::replayed::notes(replay) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&note));
    }
}

fn where_calls_went(out: &mut String, summary: &Summary) {
    part(out, "accounting", "Where every request went");
    let (names, counts) = accounting_table(summary);
    table(out, &names, std::iter::once(counts));
    out.push_str(
        "<p class=\"note\">planned = started + never started; started = completed + failed + timed out + unfinished</p>\n",
    );
}

fn rate_steps(out: &mut String, report: &Report<'_>) {
    let steps = asked::steps(report);
    if steps.is_empty() {
        return;
    }
    part(out, "steps", asked::heading(report).trim_end_matches(':'));
    let rows = steps.iter().take(asked::SHOWN).map(asked::StepFigures::cells);
    table(out, &asked::HEADINGS, rows);
    if steps.len() > asked::SHOWN {
        let _ = writeln!(
            out,
            "<p class=\"note\">and {} more, in the JSON report</p>",
            steps.len() - asked::SHOWN
        );
    }
}

/// Writes the steps of the plan with its scenarios, and its groups.
fn plan_steps(out: &mut String, summary: &Summary) {
    if !summary.steps.is_empty() {
        part(out, "plan-steps", &format!("Steps (latency, {})", loop_name(summary)));
        let rows = steps::rows(summary);
        table(out, &STEP_HEADINGS, rows.iter().map(step_cells));
        if steps::checks(summary).next().is_some() {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", steps::CHECKS_NOTE);
        }
    }
    if !summary.groups.is_empty() {
        part(out, "groups", "Groups");
        table(out, &steps::GROUP_HEADINGS, summary.groups.iter().map(steps::group_cells));
        let _ = writeln!(out, "<p class=\"note\">{}</p>", steps::GROUPS_NOTE);
    }
}

const STEP_HEADINGS: [&str; 11] =
    ["<step", "<group", "completed", "rate", "50 %", "90 %", "99 %", "slowest", "errors", "checks", "bodies"];

/// Returns the cells below [`STEP_HEADINGS`].
fn step_cells(row: &steps::Row<'_>) -> Vec<String> {
    let calls = row.calls;
    let quantile = |name| optional_ns(calls.latency.quantile_ns(name));
    vec![
        row.indented("\u{a0}\u{a0}\u{a0}"),
        row.group.unwrap_or_default().to_owned(),
        count(calls.completed),
        rate(calls.rate_per_s),
        quantile("p50"),
        quantile("p90"),
        quantile("p99"),
        optional_ns(calls.latency.max_ns),
        count(calls.errors),
        row.checks(),
        size(calls.body_bytes as f64),
    ]
}

/// Writes every check, and examples of replies that did not pass.
fn checks(out: &mut String, summary: &Summary) {
    if steps::checks(summary).next().is_none() {
        return;
    }
    part(out, "checks", "Checks");
    table(out, &steps::CHECK_HEADINGS, steps::check_cells(summary));
    for (step, check) in steps::checks(summary).filter(|(_, check)| !check.examples.is_empty()) {
        let name = escape(&format!("{}: {}", steps::full_name(summary, step), check.text));
        let number = check.examples.len();
        let _ = writeln!(
            out,
            "<details class=\"examples\" open><summary>{name}: the first {number} that failed</summary>"
        );
        let rows = steps::examples(check).into_iter().map(|example| {
            let steps::Example { at, request, status, found, body } = example;
            vec![at, request, status.to_string(), found, body]
        });
        table(out, &["at", "<request", "status", "<found", "<body"], rows);
        out.push_str("</details>\n");
    }
}

fn slos(out: &mut String, report: &Report<'_>) {
    if report.slos.is_empty() {
        return;
    }
    part(out, "slos", "SLOs");
    let rows = report.slos.iter().map(|result| {
        let word = match result.state {
            SloState::Held => "held",
            SloState::Broken => "BROKEN",
            SloState::Unknown => "UNSURE",
        };
        vec![result.slo.text.clone(), word.to_owned(), wording::actual(result)]
    });
    table(out, &["<SLO", "", "actual"], rows);
}

fn latencies(out: &mut String, summary: &Summary) {
    part(out, "latency", &format!("Latency distribution ({})", loop_name(summary)));
    let rows = quantile_rows().map(|place| {
        let figure = &summary.latency.quantiles[place];
        vec![
            percent(figure),
            quantile(figure),
            interval(figure.ci95_ns).unwrap_or_default(),
            optional_ns(summary.service.quantiles[place].value_ns),
            optional_ns(summary.lag.quantiles[place].value_ns),
        ]
    });
    table(out, &["", "latency", "95 % CI", "service", "lag"], rows);
    let reasons = [
        open_quantiles(summary),
        missing_quantiles(&summary.latency),
        missing_intervals(&summary.latency).map(str::to_owned),
    ];
    for reason in reasons.into_iter().flatten() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&reason));
    }
}

fn phase_table(out: &mut String, summary: &Summary) {
    part(out, "phases", "Details by phase");
    let rows = phases(summary).into_iter().filter(|(_, figures)| figures.count > 0).map(|(name, figures)| {
        vec![
            name.to_owned(),
            count(figures.count),
            optional(figures.mean_ns),
            optional_ns(figures.min_ns),
            optional_ns(figures.max_ns),
            optional_ns(figures.quantile_ns("p50")),
            optional_ns(figures.quantile_ns("p99")),
        ]
    });
    table(out, &["", "how many", "average", "fastest", "slowest", "50 %", "99 %"], rows);
}

fn statuses(out: &mut String, summary: &Summary) {
    part(out, "status", "Status codes");
    let all = summary.tally.completed().max(1) as f64;
    let rows = summary
        .tally
        .statuses()
        .map(|(status, number)| vec![status.to_string(), count(number), share(number as f64 / all)]);
    table(out, &["status", "replies", "share"], rows);
}

fn error_table(out: &mut String, summary: &Summary) {
    let errors = errors(summary);
    let failures: Vec<_> = summary.tally.connection_failures().collect();
    if errors.is_empty() && failures.is_empty() {
        return;
    }
    part(out, "errors", "Errors");
    let calls = errors.into_iter().map(|(text, blame, number)| vec![count(number), text, blame.to_owned()]);
    let connections = failures.into_iter().map(|(outcome, number)| {
        let text = format!("connection not opened: {}", outcome.text());
        vec![count(number), text, outcome.blame().name().to_owned()]
    });
    table(out, &["how many", "<what", "<whose"], calls.chain(connections));
}

/// Maximum number of target rows on a page; JSON has all of them.
const TARGETS: usize = 50;

fn targets(out: &mut String, summary: &Summary) {
    if summary.targets.is_empty() || !summary.steps.is_empty() {
        return;
    }
    part(out, "targets", "By URL");
    let rows = by_time(summary).into_iter().take(TARGETS).map(|(row, part)| {
        vec![
            row.url.clone().unwrap_or_else(|| "(all others)".to_owned()),
            count(row.completed),
            count(row.errors),
            rate(row.rate_per_s),
            share(part),
            optional_ns(row.latency.quantile_ns("p50")),
            optional_ns(row.latency.quantile_ns("p99")),
            size(row.body_bytes as f64),
        ]
    });
    table(out, &["<URL", "completed", "errors", "rate", "time", "50 %", "99 %", "bodies"], rows);
    if summary.targets.len() > 1 {
        let order = order_of_targets(TARGETS, summary.targets.len());
        let _ = writeln!(out, "<p class=\"note\">{order}</p>");
    }
}

fn health(out: &mut String, summary: &Summary) {
    part(out, "health", "Health of the load generator");
    for (number, host) in summary.hosts.iter().enumerate() {
        if let Some(name) = summary.host_name(number) {
            let _ = writeln!(out, "<h3>{}</h3>", escape(&name));
        }
        host_health(out, host);
    }
}

fn host_health(out: &mut String, evidence: &HostEvidence) {
    let workers = evidence.workers.iter().enumerate().map(|(number, worker)| {
        vec![
            format!("worker {number}"),
            share(worker.busy_share()),
            share(worker.cpu_share()),
            share(worker.delayed_share()),
        ]
    });
    table(out, &["", "busy", "on a core", "waited for a core"], workers);
    let known = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), crate::unit::share);
    let rows = [
        ("driver", format!("{}, {}", evidence.driver, evidence.idle.name())),
        (
            "CPU time, user and system",
            format!("{:.2} s, {:.2} s", evidence.cpu_user.as_secs_f64(), evidence.cpu_system.as_secs_f64()),
        ),
        ("whole machine busy", known(evidence.host_cpu_busy_share)),
        ("taken by the hypervisor", known(evidence.steal_share)),
        (
            "descriptors, most and limit",
            format!("{} of {}", count(evidence.descriptors_peak), count(evidence.descriptors_limit)),
        ),
        ("connections, most", count(evidence.connections_held)),
    ];
    table(out, &["", "<"], rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]));
}

fn plan(out: &mut String, report: &Report<'_>) {
    for HostEvidence { environment, .. } in &report.summary.hosts {
        page::environments(out, &[("", environment)]);
    }
    reproduce(out, report);
}

fn reproduce(out: &mut String, report: &Report<'_>) {
    let environment = report.summary.hosts.first().map(|host| host.environment.clone()).unwrap_or_default();
    part(out, "reproduce", "To do it again");
    if !environment.command.is_empty() {
        let command = &environment.command;
        let seed = if command.iter().any(|word| word.starts_with("--seed") || word == "--plan") {
            String::new()
        } else {
            format!(" --seed {}", report.summary.seed)
        };
        let _ = writeln!(out, "<pre>{}{seed}</pre>", escape(&command_line(command)));
    }
    if report.run.replay.is_some() {
        // The plan alone does not contain the requests.
        return;
    }
    if let Some(plan) = &report.plan {
        out.push_str("<p>or with the plan in a file: <code>warwolf run --plan plan.toml</code></p>\n");
        let _ = writeln!(out, "<p>{}</p>", escape(&warwolf_plan::describe(plan)).replace('\n', "<br>"));
    }
    // This is the plan without secrets: the text in the run may contain passwords.
    if let Some(plan) = &report.plan {
        let text = escape(&warwolf_plan::text::to_toml(plan));
        let _ = writeln!(out, "<details><summary>The whole plan</summary><pre>{text}</pre></details>");
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, Report, fixture};

    #[test]
    fn a_page_needs_nothing_else() {
        let run = fixture::steady();
        let page = Report::of(&run).render(Format::Html, false);
        assert!(page.starts_with("<!DOCTYPE html>"));
        for reference in ["src=", "href=\"http", "url(", "@import", "<script"] {
            assert!(!page.contains(reference), "{reference}");
        }
    }

    #[test]
    fn a_page_has_date_and_time() {
        let page = Report::of(&fixture::steady()).render(Format::Html, false);
        assert!(page.contains("id=\"started\">2023-11-14 22:13:20 UTC</p>"), "{page}");
    }

    #[test]
    fn a_broken_slo_is_in_title_and_colour() {
        let run = fixture::steady();
        for (slo, title, class) in [
            (
                "p50<1ms",
                "<title>SLOs NOT PASSED, measurement VALID: ",
                "verdict failed\"><b>SLOs NOT PASSED</b>: p50&lt;1ms (1.50 ms)",
            ),
            (
                "p50<5ms",
                "<title>SLOs PASSED, measurement VALID: ",
                "verdict passed\"><b>SLOs PASSED</b>: 1 of 1",
            ),
        ] {
            let slos = [warwolf_measure::Slo::parse(slo).unwrap()];
            let page = Report::with_slos(&run, &slos).render(Format::Html, false);
            assert!(page.contains(title) && page.contains(class), "{page}");
        }
    }

    #[test]
    fn verdict_comes_first_and_nothing_is_left_out() {
        let run = fixture::steady();
        let page = Report::of(&run).render(Format::Html, false);
        let mut from = page.find("<body>").unwrap();
        for part in [
            "class=\"verdict",
            "id=\"accounting\"",
            "id=\"chart-percentiles\"",
            "id=\"chart-histogram\"",
            "id=\"chart-latency\"",
            "id=\"chart-rate\"",
            "id=\"chart-errors\"",
            "id=\"chart-phases\"",
            "id=\"chart-lag\"",
            "id=\"status\"",
            "id=\"errors\"",
            "id=\"targets\"",
            "id=\"health\"",
            "id=\"environment\"",
            "id=\"reproduce\"",
            "--seed 7",
        ] {
            from +=
                page[from..].find(part).unwrap_or_else(|| panic!("{part} is not there, or not in its place"));
        }
        assert!(!page.contains("<d>"), "URLs are no markup");
    }

    #[test]
    fn a_run_without_replies_still_makes_a_page() {
        for run in [fixture::unreachable(), fixture::small(), fixture::one_stall()] {
            let page = Report::of(&run).render(Format::Html, false);
            assert!(
                page.contains("class=\"verdict") && !page.contains("NaN") && !page.contains("inf\""),
                "{page}"
            );
        }
    }
}
