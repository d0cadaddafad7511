//! The report in the original's format.

use super::Style;
use super::count::Count;
use std::time::Duration;

/// Cost of the load generator itself, which the original estimated by a run without requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// CPU time of the threads that made the requests.
    pub cpu: Duration,
    /// The number of these threads.
    pub threads: u32,
}

/// Returns the line before the run. `date` is local time in the format of C's `ctime`.
#[must_use]
pub fn starting(date: &str) -> String {
    format!("** torture.pl version 1.05 starting at {date}\n")
}

/// Returns the line after the report.
#[must_use]
pub fn ending(date: &str) -> String {
    format!("** torture.pl version 1.05 ending at {date}\n")
}

/// Returns the report on a run that took `elapsed`.
#[must_use]
pub fn report(count: &Count, elapsed: Duration) -> String {
    report_on(count, elapsed.as_secs_f64())
}

/// Returns the report; rates are computed from the unrounded time.
pub(super) fn report_on(count: &Count, seconds: f64) -> String {
    let per_second = |value: f64| if seconds > 0.0 { value / seconds } else { 0.0 };
    let transactions = count.transactions as f64;
    let busy = count.took_ns as f64 / 1e9;
    let response = if count.transactions > 0 { busy / transactions } else { 0.0 };
    let mut text = format!(
        "Transactions:           {}
Elapsed time:           {seconds:3.3} sec
Bytes Transferred:      {} bytes
Response Time:          {response:3.2} sec
Transaction Rate:       {:3.2} trans/sec
Throughput:             {:3.2} bytes/sec
Concurrency:            {:3.1}
",
        count.transactions,
        count.bytes,
        per_second(transactions),
        per_second(count.bytes as f64),
        per_second(busy),
    );
    for (status, number) in &count.statuses {
        text.push_str(&format!("Status Code {status}:        {number}\n"));
    }
    text
}

/// Returns what `-v` adds on stderr: the seed, the causes of substitute statuses, and the cost of the load generator.
#[must_use]
pub fn details(style: &Style, count: &Count, elapsed: Duration, own: Own) -> String {
    let name = &style.name;
    let mut text = format!("{name}: seed {}\n", style.seed);
    for ((status, outcome), number) in &count.made_up {
        text.push_str(&format!("{name}: status {status} stands {number} times for: {outcome}\n"));
    }
    let missing = style.transactions().saturating_sub(count.transactions);
    if missing > 0 {
        text.push_str(&format!("{name}: {missing} transactions were not made\n"));
    }
    if count.making_ns > 0 {
        let making = count.making_ns as f64 / 1e9;
        text.push_str(&format!(
            "{name}: making random data took {making:.3} sec, which is in no response time\n"
        ));
    }
    text.push_str(&format!("{name}: {}\n", overhead(count, elapsed, own)));
    text
}

/// Describes the cost of the load generator: CPU time per transaction, and as a share of the time available to its
/// threads.
fn overhead(count: &Count, elapsed: Duration, own: Own) -> String {
    let cpu = own.cpu.as_secs_f64();
    let each = cpu * 1e6 / count.transactions.max(1) as f64;
    let available = elapsed.as_secs_f64() * f64::from(own.threads.max(1));
    let share = if available > 0.0 { (cpu / available).min(1.0) * 100.0 } else { 0.0 };
    format!(
        "own overhead {cpu:.3} sec of CPU, {each:.1} microseconds a transaction, {share:.0} % of the time there was"
    )
}
