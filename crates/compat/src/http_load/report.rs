//! The report in the original's format.

use super::count::{Count, Spans};
use super::number::general;
use super::{Check, Style};
use std::fmt::Write as _;
use std::time::Duration;
use warwolf_measure::Outcome;

/// Totals of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Duration of the run.
    pub elapsed: Duration,
    /// Maximum number of concurrent fetches, including those still connecting.
    pub max_parallel: u64,
}

/// Runs shorter than this, in seconds, have no rates.
const SHORTEST: f64 = 0.01;

/// Returns the report, and the messages for stderr at the end of the run.
#[must_use]
pub fn report(style: &Style, count: &Count, totals: Totals) -> (String, String) {
    let seconds = totals.elapsed.as_secs_f64();
    let bytes = count.body_bytes as f64;
    let fetches = count.completed as f64;
    let mut text = String::new();
    line(
        &mut text,
        format_args!(
            "{} fetches, {} max parallel, {} bytes, in {} seconds",
            count.completed,
            totals.max_parallel,
            general(bytes),
            general(seconds)
        ),
    );
    if count.completed > 0 {
        line(&mut text, format_args!("{} mean bytes/connection", general(bytes / fetches)));
    }
    if seconds > SHORTEST {
        let (rate, throughput) = (general(fetches / seconds), general(bytes / seconds));
        line(&mut text, format_args!("{rate} fetches/sec, {throughput} bytes/sec"));
    }
    spans(&mut text, "connect", &count.connects);
    spans(&mut text, "first-response", &count.answers);
    if count.timeouts > 0 {
        line(&mut text, format_args!("{} timeouts", count.timeouts));
    }
    if count.bad > 0 {
        let what = if style.check == Check::Checksum { "checksums" } else { "byte counts" };
        line(&mut text, format_args!("{} bad {what}", count.bad));
    }
    text.push_str("HTTP response codes:\n");
    for (status, number) in count.statuses.iter().enumerate().filter(|(_, number)| **number > 0) {
        line(&mut text, format_args!("  code {status:03} -- {number}"));
    }
    (text, unconnected(style, count) + &malformed(style, count))
}

/// Returns the progress line for stderr `at` this time of the run.
#[must_use]
pub fn progress(at: Duration, started: u64, completed: u64) -> String {
    let seconds = general(at.as_micros() as f64 / 1e6);
    let current = started.saturating_sub(completed);
    format!("--- {seconds} secs, {started} fetches started, {completed} completed, {current} current\n")
}

/// Returns the error for a host name without an address. Nothing is fetched then.
#[must_use]
pub fn unresolved(name: &str, host: &str, reason: &str) -> String {
    format!("{name}: getaddrinfo {host} - {reason}\n")
}

fn spans(text: &mut String, name: &str, spans: &Spans) {
    if spans.count > 0 {
        let mean = general(spans.sum_us as f64 / spans.count as f64 / 1e3);
        let (max, min) = (general(spans.max_us as f64 / 1e3), general(spans.min_us as f64 / 1e3));
        line(text, format_args!("msecs/{name}: {mean} mean, {max} max, {min} min"));
    }
}

/// Returns a line that the original lacks: its report shows fetches without a connection as very fast ones.
fn unconnected(style: &Style, count: &Count) -> String {
    let without: u64 = count.unconnected.iter().map(|(_, number)| number).sum();
    if without == 0 {
        return String::new();
    }
    let text = format!("{}: {without} of {} fetches had no connection:", style.name, count.completed);
    text + &listed(&count.unconnected)
}

/// Returns a line about replies that count as fetches without a status, because they cannot be read.
fn malformed(style: &Style, count: &Count) -> String {
    let number: u64 = count.malformed.iter().map(|(_, number)| number).sum();
    if number == 0 {
        return String::new();
    }
    let text = format!("{}: {number} of {} replies could not be read:", style.name, count.completed);
    text + &listed(&count.malformed)
}

/// Returns outcomes with their numbers, and the end of the line.
fn listed(sums: &[(Outcome, u64)]) -> String {
    let one = |(outcome, number): &(Outcome, u64)| format!(" {number} {}", outcome.text());
    sums.iter().map(one).collect::<Vec<_>>().join(",") + "\n"
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{words}");
}
