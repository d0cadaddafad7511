//! Formats the report, byte for byte as 0.9.0 prints it, from given figures.
//!
//! Quotients are computed here, as in the original: sizes are truncated to whole bytes, rates are over the time between
//! start and end of the loop. What C would print as `inf` or `nan` is zero, so that every line stays readable.

use std::fmt::Write as _;

/// The figures of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Duration of the test, in seconds.
    pub duration_s: f64,
    /// Maximum number of connections begun in one turn of the loop. A turn counts only when a later one begins a
    /// connection too.
    pub connect_burst: u64,
    /// Connections begun.
    pub connections: u64,
    /// Maximum number of concurrent connections.
    pub concurrent: u64,
    /// Requests sent completely; each resend counts again.
    pub requests: u64,
    /// Bytes of these requests.
    pub request_bytes: u64,
    /// Complete replies.
    pub replies: u64,
    /// Their bytes: heads, bodies without framing, and trailers after the last chunk.
    pub reply_bytes: [u64; 3],
    /// Replies by status class, from 1xx.
    pub classes: [u64; 5],
    /// Connections with at least one reply.
    pub lifetimes: u64,
    /// Lifetimes of these connections, in milliseconds.
    pub lifetime_ms: Spread,
    /// Connections by lifetime: index and count of bins of one millisecond, in order, without empty ones.
    pub lifetime_bins: Vec<(u64, u64)>,
    /// Mean time to connect, TLS included, in milliseconds.
    pub connect_ms: f64,
    /// Replies per second, in spans of five seconds.
    pub reply_rates: Spread,
    /// Mean time from the first byte of a request to the first of its reply, in milliseconds.
    pub response_ms: f64,
    /// Mean time from the first byte of a reply to its last, in milliseconds.
    pub transfer_ms: f64,
    /// CPU time in user mode and in the kernel, in seconds.
    pub cpu_s: [f64; 2],
    /// Errors by kind.
    pub errors: Errors,
    /// Replies with status 200 and 302, if `--periodic-stats` was given.
    pub periodic: Option<[u64; 2]>,
    /// Sessions, if there were any.
    pub sessions: Option<Sessions>,
}

/// Counters of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// A deadline passed; counted once per connection.
    pub client_timeout: u64,
    /// The system timed a connection out.
    pub socket_timeout: u64,
    /// Connection refused.
    pub refused: u64,
    /// Reset, or closed before the reply was complete.
    pub reset: u64,
    /// The process had no descriptor left.
    pub no_files: u64,
    /// No local port was left.
    pub no_ports: u64,
    /// The machine had no descriptor left.
    pub table_full: u64,
    /// Any other error.
    pub other: u64,
}

impl Errors {
    /// Returns the sum of all errors.
    #[must_use]
    pub const fn total(&self) -> u64 {
        let those_of_this_machine = self.no_files + self.no_ports + self.table_full;
        self.client_timeout
            + self.socket_timeout
            + self.refused
            + self.reset
            + those_of_this_machine
            + self.other
    }
}

/// Results of sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sessions {
    /// Completed sessions per second, in spans of five seconds.
    pub rates: Spread,
    /// Number of completed sessions.
    pub completed: u64,
    /// Number of failed sessions.
    pub failed: u64,
    /// Connections of completed sessions.
    pub connections: u64,
    /// Mean duration of completed sessions, in seconds.
    pub lifetime_s: f64,
    /// Mean duration of failed sessions, in seconds.
    pub failtime_s: f64,
    /// Number of sessions by number of replies, from zero.
    pub lengths: Vec<u64>,
}

/// Summary statistics of a set of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The minimum.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub max: f64,
    /// The median.
    pub median: f64,
    /// The sample standard deviation; zero for fewer than two values.
    pub stddev: f64,
    /// The number of values.
    pub count: u64,
}

impl Spread {
    /// Summarizes these values, without a median.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean,
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            median: 0.0,
            stddev: if values.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() },
            count: values.len() as u64,
        }
    }
}

/// Returns the median of lifetimes in bins of one millisecond, in milliseconds: the middle of the first bin at which
/// the cumulative count reaches half. It ends in `.5`, or is zero without lifetimes.
#[must_use]
pub fn median_ms(bins: &[(u64, u64)]) -> f64 {
    let all: u64 = bins.iter().map(|bin| bin.1).sum();
    let mut counted = 0;
    for (bin, count) in bins {
        counted += count;
        if counted * 2 >= all {
            return *bin as f64 + 0.5;
        }
    }
    0.0
}

/// Formats the report from `Maximum connect burst length` to its end.
#[must_use]
pub fn report(figures: &Figures, verbose: u32) -> String {
    let mut text = String::with_capacity(2_048);
    // Writing to a string cannot fail.
    let _ = write_report(figures, verbose, &mut text);
    text
}

fn write_report(f: &Figures, verbose: u32, out: &mut String) -> std::fmt::Result {
    writeln!(out, "Maximum connect burst length: {}", f.connect_burst)?;
    if verbose >= 2 {
        write_histogram(&f.lifetime_bins, out)?;
    }
    writeln!(
        out,
        "\nTotal: connections {} requests {} replies {} test-duration {:.3} s",
        f.connections, f.requests, f.replies, f.duration_s
    )?;
    write_connections(f, out)?;
    write_calls(f, out)?;
    if let Some([ok, found]) = f.periodic {
        writeln!(out, "Periodic stats: 200={ok} 302={found}\n")?;
    }
    let [user, system] = f.cpu_s;
    let share = |seconds: f64| 100.0 * over(seconds, f.duration_s);
    writeln!(
        out,
        "CPU time [s]: user {user:.2} system {system:.2} (user {:.1}% system {:.1}% total {:.1}%)",
        share(user),
        share(system),
        share(user + system)
    )?;
    let bytes = (f.request_bytes + f.reply_bytes[0] + f.reply_bytes[1]) as f64;
    let rate = over(bytes, f.duration_s);
    writeln!(out, "Net I/O: {:.1} KB/s ({:.1}*10^6 bps)\n", rate / 1024.0, 8e-6 * rate)?;
    write_errors(&f.errors, out)?;
    match &f.sessions {
        Some(sessions) => write_sessions(sessions, f.duration_s, out),
        None => Ok(()),
    }
}

fn write_histogram(bins: &[(u64, u64)], out: &mut String) -> std::fmt::Result {
    out.push_str("\nConnection lifetime histogram (time in ms):\n");
    let mut next = 0;
    for (bin, count) in bins {
        if *bin > next {
            writeln!(out, "{:>14}", ":")?;
        }
        writeln!(out, "{:16.1} {count}", *bin as f64 + 0.5)?;
        next = bin + 1;
    }
    Ok(())
}

fn write_connections(f: &Figures, out: &mut String) -> std::fmt::Result {
    let connections = f.connections as f64;
    writeln!(
        out,
        "\nConnection rate: {:.1} conn/s ({:.1} ms/conn, <={} concurrent connections)",
        over(connections, f.duration_s),
        1e3 * over(f.duration_s, connections),
        f.concurrent
    )?;
    let life = &f.lifetime_ms;
    writeln!(
        out,
        "Connection time [ms]: min {:.1} avg {:.1} max {:.1} median {:.1} stddev {:.1}",
        life.min, life.mean, life.max, life.median, life.stddev
    )?;
    writeln!(out, "Connection time [ms]: connect {:.1}", f.connect_ms)?;
    writeln!(out, "Connection length [replies/conn]: {:.3}\n", over(f.replies as f64, f.lifetimes as f64))
}

fn write_calls(f: &Figures, out: &mut String) -> std::fmt::Result {
    let requests = f.requests as f64;
    writeln!(
        out,
        "Request rate: {:.1} req/s ({:.1} ms/req)",
        over(requests, f.duration_s),
        1e3 * over(f.duration_s, requests)
    )?;
    writeln!(out, "Request size [B]: {}.0\n", f.request_bytes.checked_div(f.requests).unwrap_or(0))?;
    let rates = &f.reply_rates;
    writeln!(
        out,
        "Reply rate [replies/s]: min {:.1} avg {:.1} max {:.1} stddev {:.1} ({} samples)",
        rates.min, rates.mean, rates.max, rates.stddev, rates.count
    )?;
    writeln!(out, "Reply time [ms]: response {:.1} transfer {:.1}", f.response_ms, f.transfer_ms)?;
    let [header, content, footer] = f.reply_bytes.map(|bytes| bytes.checked_div(f.replies).unwrap_or(0));
    writeln!(
        out,
        "Reply size [B]: header {header}.0 content {content}.0 footer {footer}.0 (total {}.0)",
        header + content + footer
    )?;
    let [info, success, redirect, client, server] = f.classes;
    writeln!(out, "Reply status: 1xx={info} 2xx={success} 3xx={redirect} 4xx={client} 5xx={server}\n")
}

fn write_errors(e: &Errors, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "Errors: total {} client-timo {} socket-timo {} connrefused {} connreset {}",
        e.total(),
        e.client_timeout,
        e.socket_timeout,
        e.refused,
        e.reset
    )?;
    writeln!(
        out,
        "Errors: fd-unavail {} addrunavail {} ftab-full {} other {}",
        e.no_files, e.no_ports, e.table_full, e.other
    )
}

fn write_sessions(s: &Sessions, duration_s: f64, out: &mut String) -> std::fmt::Result {
    let completed = s.completed as f64;
    writeln!(
        out,
        "\nSession rate [sess/s]: min {:.2} avg {:.2} max {:.2} stddev {:.2} ({}/{})",
        s.rates.min,
        over(completed, duration_s),
        s.rates.max,
        s.rates.stddev,
        s.completed,
        s.completed + s.failed
    )?;
    writeln!(out, "Session: avg {:.2} connections/session", over(s.connections as f64, completed))?;
    writeln!(out, "Session lifetime [s]: {:.1}", s.lifetime_s)?;
    writeln!(out, "Session failtime [s]: {:.1}", s.failtime_s)?;
    out.push_str("Session length histogram:");
    let longest = s.lengths.iter().rposition(|count| *count > 0).unwrap_or(0);
    for length in 0..=longest {
        write!(out, " {}", s.lengths.get(length).copied().unwrap_or(0))?;
    }
    out.push('\n');
    Ok(())
}

/// Returns the quotient, or zero if it is not finite.
fn over(dividend: f64, divisor: f64) -> f64 {
    let quotient = dividend / divisor;
    if quotient.is_finite() { quotient } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_run_prints_zeros() {
        let text = report(&Figures { sessions: Some(Sessions::default()), ..Figures::default() }, 2);
        assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
        assert!(text.ends_with("Session length histogram: 0\n"), "{text}");
        assert!(
            text.contains("\nConnection lifetime histogram (time in ms):\n\nTotal: connections 0 "),
            "{text}"
        );
    }

    #[test]
    fn the_median_is_the_middle_of_the_bin_that_reaches_half() {
        assert_eq!(median_ms(&[]), 0.0);
        assert_eq!(median_ms(&[(0, 1)]), 0.5);
        assert_eq!(median_ms(&[(2, 1), (10, 1)]), 2.5);
        assert_eq!(median_ms(&[(2, 1), (10, 2)]), 10.5);
        assert_eq!(median_ms(&[(101, 1), (201, 2)]), 201.5);
    }

    #[test]
    fn a_gap_in_the_histogram_is_a_colon() {
        let mut text = String::new();
        write_histogram(&[(0, 7), (4, 1), (5, 2)], &mut text).unwrap();
        let expected = "\nConnection lifetime histogram (time in ms):\n             0.5 7\n             :\n             4.5 1\n             \
                        5.5 2\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_spread_of_equal_numbers_has_no_deviation() {
        let spread = Spread::of(&[0.1; 7]);
        assert!(spread.stddev < 1e-12 && spread.count == 7, "{spread:?}");
        assert_eq!(Spread::of(&[3.0]).stddev, 0.0);
        assert_eq!(
            Spread::of(&[1.0, 3.0]),
            Spread { min: 1.0, mean: 2.0, max: 3.0, median: 0.0, stddev: 2_f64.sqrt(), count: 2 }
        );
    }
}
