//! Labels and figures that several formats share.

use crate::Report;
use crate::unit::{count, duration};
use crate::wording;
use warwolf_measure::{
    Accounting, Blame, Environment, Figures, Grade, Phase, QUANTILES, QuantileFigure, Summary, TargetFigures,
};

/// The text for an unknown figure.
pub(crate) const UNKNOWN: &str = "-";

/// Returns `open loop` or `closed loop`. Shown next to every latency, because it determines what latency is counted from.
pub(crate) const fn loop_name(summary: &Summary) -> &'static str {
    if summary.open { "open loop" } else { "closed loop" }
}

/// Formats a duration, or returns [`UNKNOWN`].
pub(crate) fn optional(nanos: Option<f64>) -> String {
    nanos.map_or_else(|| UNKNOWN.to_owned(), duration)
}

/// Formats whole nanoseconds, or returns [`UNKNOWN`].
pub(crate) fn optional_ns(nanos: Option<u64>) -> String {
    optional(nanos.map(|nanos| nanos as f64))
}

/// Formats the value of a quantile: `1.20 ms`, or `>2.50 s` if it is greater than all known values.
pub(crate) fn quantile(figure: &QuantileFigure) -> String {
    let sign = if figure.is_at_least { ">" } else { "" };
    format!("{sign}{}", optional_ns(figure.value_ns))
}

/// Formats the value of the quantile with this name.
pub(crate) fn quantile_named(figures: &Figures, name: &str) -> String {
    figures.quantiles.iter().find(|figure| figure.name == name).map_or_else(|| UNKNOWN.to_owned(), quantile)
}

/// Formats the greatest latency: `>1.20 s` if it is the age of a call without an end.
pub(crate) fn slowest(summary: &Summary) -> String {
    let ended = summary.tally.phase(Phase::Latency).moments().max_ns();
    let sign = if summary.latency.max_ns > ended { ">" } else { "" };
    format!("{sign}{}", optional_ns(summary.latency.max_ns))
}

/// Returns why some quantiles are only lower bounds; none if there are no such quantiles.
pub(crate) fn open_quantiles(summary: &Summary) -> Option<String> {
    let counts = &summary.accounting;
    summary.latency.quantiles.iter().any(|figure| figure.is_at_least).then(|| {
        format!(
            ">: greater, because {} had no end by then and {} never started",
            count(counts.unfinished),
            count(counts.unstarted)
        )
    })
}

/// Formats a 95 % interval as `1.20 ms to 1.30 ms`, if it is known.
pub(crate) fn interval(ci95_ns: Option<(u64, u64)>) -> Option<String> {
    ci95_ns.map(|(low, high)| format!("{} to {}", duration(low as f64), duration(high as f64)))
}

/// Formats a quantile as `99 %` or `99.99 %`.
pub(crate) fn percent(figure: &QuantileFigure) -> String {
    let percent = format!("{:.2}", figure.quantile * 100.0);
    format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns why some quantiles are not shown; none if all are shown.
pub(crate) fn missing_quantiles(latency: &Figures) -> Option<String> {
    Some(format!("{UNKNOWN}: {}", wording::not_enough_samples(&latency.missing_quantile()?)))
}

/// Returns why some intervals are not shown; none if every known quantile has one.
pub(crate) fn missing_intervals(latency: &Figures) -> Option<&'static str> {
    let unsure = |figure: &QuantileFigure| {
        figure.value_ns.is_some() && figure.ci95_ns.is_none() && !figure.is_at_least
    };
    latency.quantiles.iter().any(unsure).then_some(
        "no interval: neighbouring requests were slow together, so there are too few independent samples",
    )
}

/// Returns the phases that explain latency, in chronological order.
pub(crate) const fn phases(summary: &Summary) -> [(&'static str, &Figures); 6] {
    [
        ("lag", &summary.lag),
        ("connect", &summary.connect),
        ("tls", &summary.tls),
        ("setup", &summary.setup),
        ("wait", &summary.wait),
        ("transfer", &summary.transfer),
    ]
}

/// The names of the counts of [`accounting`], in the same order.
pub(crate) const ACCOUNTING: [&str; 7] =
    ["planned", "started", "completed", "failed", "timed out", "unfinished", "never started"];

/// Returns the counts of calls: planned = started + never started; started is the sum of the four between.
pub(crate) const fn accounting(of: &Accounting) -> [u64; 7] {
    [of.planned, of.started, of.completed, of.failed, of.timed_out, of.unfinished, of.unstarted]
}

/// Returns the counts of calls with their names, for a table. Runs with checks have the completed calls that did not pass one.
pub(crate) fn accounting_table(summary: &Summary) -> (Vec<&'static str>, Vec<String>) {
    let counts = accounting(&summary.accounting).map(count);
    let (mut names, mut counts) = (ACCOUNTING.to_vec(), counts.to_vec());
    if let Some(failed) = crate::steps::check_failed(summary) {
        names.insert(3, "completed, check failed");
        counts.insert(3, failed);
    }
    (names, counts)
}

/// Returns every error of calls with its attribution and count, the most frequent first.
pub(crate) fn errors(summary: &Summary) -> Vec<(String, &'static str, u64)> {
    let endings = summary.failures().into_iter();
    let mut errors: Vec<_> = endings
        .map(|(outcome, count)| (outcome.text().to_owned(), outcome.blame().name(), count))
        .chain(
            summary
                .tally
                .statuses()
                .filter(|(status, _)| *status >= 400)
                .map(|(status, count)| (format!("status {status}"), Blame::Target.name(), count)),
        )
        .chain(failed_checks(summary))
        .collect();
    errors.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
    errors
}

/// Returns the calls whose only error is a check that was not passed.
fn failed_checks(summary: &Summary) -> Option<(String, &'static str, u64)> {
    let number = summary.tally.counters().check_failed_only;
    (number > 0).then(|| ("check failed, status below 400".to_owned(), Blame::Target.name(), number))
}

/// Returns the targets by their share of the time of all completed calls, the greatest first.
pub(crate) fn by_time(summary: &Summary) -> Vec<(&TargetFigures, f64)> {
    let time = |row: &TargetFigures| row.latency.mean_ns.unwrap_or(0.0) * row.latency.count as f64;
    let total: f64 = summary.targets.iter().map(time).sum();
    let share = |row: &TargetFigures| if total > 0.0 { time(row) / total } else { 0.0 };
    let mut rows: Vec<_> = summary.targets.iter().map(|row| (row, share(row))).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    rows
}

/// Returns the order of a table of targets, and how many are not in it.
pub(crate) fn order_of_targets(shown: usize, all: usize) -> String {
    let order = "sorted by share of the time of all requests (requests × mean latency)";
    if all > shown {
        format!("{order}; {} more in the JSON report, in the order of the plan", count((all - shown) as u64))
    } else {
        order.to_owned()
    }
}

/// Returns the word before a reason below a verdict. The grade of the verdict is not repeated.
pub(crate) const fn reason_label(reason: Grade, verdict: Grade) -> &'static str {
    match (reason, verdict) {
        (Grade::Valid, _) => "note",
        (Grade::Degraded, Grade::Degraded) | (Grade::Invalid, Grade::Invalid) => "because",
        _ => reason.name(),
    }
}

/// Returns the URL of the run, or the number of URLs.
pub(crate) fn target(report: &Report<'_>) -> String {
    if let Some(replay) = &report.run.replay {
        return printable(&replay.name);
    }
    match report.run.targets.as_slice() {
        [] => "no target".to_owned(),
        [only] => printable(only),
        [first, rest @ ..] => format!("{} and {} more", printable(first), count(rest.len() as u64)),
    }
}

/// Returns an external text as one line. Control characters, which could erase or imitate other output, and marks that
/// change the direction of writing are written as `\u{1b}`.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) { line.extend(c.escape_unicode()) } else { line.push(c) }
    }
    line
}

/// Returns a command as a line for a shell.
pub(crate) fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(&printable(word))).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Returns program, machine and command of an experiment, one line each; empty if unknown.
pub(crate) fn origin(environment: &Environment) -> String {
    let Environment { version, command, host, system, cpu, cores, .. } = environment;
    if version.is_empty() {
        return String::new();
    }
    let machine = printable(&format!("{host}, {system}, {cpu} ({cores} cores)"));
    format!("warwolf {}, {machine}\n$ {}\n", printable(version), command_line(command))
}

/// Returns whether a character controls a terminal, ends a line, or changes the direction of writing.
pub(crate) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Returns the indices of [`QUANTILES`].
pub(crate) fn quantile_rows() -> impl Iterator<Item = usize> {
    0..QUANTILES.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Report, fixture};

    #[test]
    fn the_target_that_takes_most_time_is_first() {
        let run = fixture::two_targets();
        let report = Report::of(&run);
        let rows = by_time(&report.summary);
        let shares: Vec<_> =
            rows.iter().map(|(row, share)| (row.url.as_deref(), (share * 100.0).round())).collect();
        // 90 of 1 ms and 10 of 100 ms.
        assert_eq!(shares, [(Some("http://a.test/slow"), 92.0), (Some("http://a.test/"), 8.0)]);
        for format in [Format::Text, Format::Html] {
            let text = report.render(format, false);
            let table = text.split("Targets:").nth(1).or_else(|| text.split("By URL").nth(1)).unwrap();
            let table = table.split("sorted by share of the time").next().unwrap();
            assert!(table.contains("91.7 %") && table.find("/slow").unwrap() < 600, "{table}");
            assert_eq!(table.matches("http://a.test/").count(), 2, "{table}");
            assert!(table.find("slow") < table.rfind("http://a.test/"), "{table}");
        }
    }

    #[test]
    fn the_verdict_is_not_repeated_before_its_reasons() {
        assert_eq!(reason_label(Grade::Degraded, Grade::Degraded), "because");
        assert_eq!(reason_label(Grade::Degraded, Grade::Invalid), "DEGRADED");
        assert_eq!(reason_label(Grade::Valid, Grade::Degraded), "note");
        let run = fixture::unreachable();
        let report = Report::of(&run);
        assert_eq!(report.verdict.grade, Grade::Invalid);
        for format in [Format::Text, Format::Html, Format::Markdown] {
            let text = report.render(format, false);
            let text = text.split("nothing was measured").next().unwrap();
            let body = text.split("<body>").last().unwrap();
            assert_eq!(body.matches("INVALID").count(), 1, "{body}");
        }
    }

    #[test]
    fn words_are_quoted_as_a_shell_reads_them() {
        for (word, expected) in [("-c", "-c"), ("p99<1s", "'p99<1s'"), ("", "''"), ("it's", "'it'\\''s'")] {
            assert_eq!(quoted(word), expected);
        }
    }
}
