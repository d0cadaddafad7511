//! siege's banner and its report, in the layouts of 1.00, of 2.6 to 4.1.6, and of 4.1.7, and as JSON.

use super::counts::Counts;
use super::notices::Output;
use super::settings::Era;
use super::style::Style;
use super::texts;
use super::time::Moment;
use std::fmt::Write as _;
use std::time::Duration;

/// Bytes in a MB as siege defines it.
const MEGABYTE: f64 = 1_048_576.0;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All users have finished.
    Done,
    /// The time was up, or the run was interrupted.
    Lifted,
    /// There were too many failures.
    Aborted,
}

/// The figures of a report, in its units.
pub(super) struct Figures {
    pub(super) hits: u64,
    pub(super) successful: u64,
    pub(super) failed: u64,
    pub(super) ok: u64,
    /// Per cent.
    pub(super) availability: f64,
    /// Seconds, in steps of ten milliseconds, the resolution of siege's clock. For output only.
    pub(super) elapsed: f64,
    /// Seconds as measured. Rates are divided by these, since in a short run `elapsed` is zero.
    pub(super) seconds: f64,
    pub(super) megabytes: f64,
    /// Seconds.
    pub(super) response: f64,
    pub(super) rate: f64,
    pub(super) throughput: f64,
    pub(super) concurrency: f64,
    pub(super) longest: f64,
    pub(super) shortest: f64,
}

/// Divides; returns 0 for a division by zero.
pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// Rounds down to ten milliseconds; returns seconds.
pub(super) fn ticks(time: Duration) -> f64 {
    (time.as_millis() / 10) as f64 / 100.0
}

impl Figures {
    pub(super) fn of(counts: &Counts) -> Self {
        let seconds = counts.elapsed.as_secs_f64();
        let total = counts.total.as_secs_f64();
        let hits = counts.hits as f64;
        let megabytes = counts.bytes as f64 / MEGABYTE;
        Self {
            hits: counts.hits,
            successful: counts.successful,
            failed: counts.failed,
            ok: counts.ok,
            availability: ratio(hits, hits + counts.failed as f64) * 100.0,
            elapsed: ticks(counts.elapsed),
            seconds,
            megabytes,
            response: ratio(total, hits),
            rate: ratio(hits, seconds),
            throughput: ratio(megabytes, seconds),
            concurrency: ratio(total, seconds),
            longest: counts.longest.as_secs_f64(),
            shortest: if counts.successful == 0 { 0.0 } else { counts.shortest.as_secs_f64() },
        }
    }
}

/// Formats the banner, printed before the first request, with the number of users. `now` is local time.
#[must_use]
pub fn banner(style: &Style, now: &Moment) -> Output {
    if style.quiet || style.get {
        return Output::default();
    }
    let first = match style.era {
        Era::V100 => format!("** Siege 1.00 {}\n", now.slashed()),
        era if style.debug => texts::debugging(era),
        era => format!("** SIEGE {}\n", era.version()),
    };
    let text = format!(
        "{first}** Preparing {} concurrent users for battle.\nThe server is now under siege...{}",
        style.users,
        if style.verbose { "\n" } else { "" }
    );
    match style.era {
        Era::V100 => Output { stdout: text, ..Output::default() },
        _ => Output { stderr: text, ..Output::default() },
    }
}

/// Formats the report of a run and the text between the last reply and it.
#[must_use]
pub fn report(style: &Style, counts: &Counts, finish: Finish) -> Output {
    let figures = Figures::of(counts);
    if style.json {
        return Output { stdout: json(style.era, &figures), stderr: "\n".to_owned() };
    }
    // From 4.1.2 on, `-g` shows heads and nothing else.
    let nothing = style.quiet || (style.get && style.era == Era::V417);
    if nothing {
        return Output::default();
    }
    if style.era == Era::V100 {
        return Output { stdout: format!("done\n{}", ancient(counts, &figures)), ..Output::default() };
    }
    let mut out = String::new();
    match finish {
        Finish::Done => {}
        Finish::Lifted => out.push_str("\nLifting the server siege..."),
        Finish::Aborted => out.push_str(
            "siege aborted due to excessive socket failure; you\n\
             can change the failure threshold in $HOME/.siegerc\n",
        ),
    }
    out.push('\n');
    out.push_str(&match style.era {
        Era::V417 => with_milliseconds(&figures, style.debug),
        _ => classic(&figures, style.debug),
    });
    Output { stderr: out, ..Output::default() }
}

/// Labels with their tabs, unchanged since 2.6.
const LABELS: [&str; 12] = [
    "Transactions:\t\t",
    "Availability:\t\t",
    "Elapsed time:\t\t",
    "Data transferred:\t",
    "Response time:\t\t",
    "Transaction rate:\t",
    "Throughput:\t\t",
    "Concurrency:\t\t",
    "Successful transactions:",
    "Failed transactions:\t",
    "Longest transaction:\t",
    "Shortest transaction:\t",
];

fn classic(figures: &Figures, debug: bool) -> String {
    let rows = [
        format!("{:12} hits", figures.hits),
        format!("{:12.2} %", figures.availability),
        format!("{:12.2} secs", figures.elapsed),
        format!("{:12.2} MB", figures.megabytes),
        format!("{:12.2} secs", figures.response),
        format!("{:12.2} trans/sec", figures.rate),
        format!("{:12.2} MB/sec", figures.throughput),
        format!("{:12.2}", figures.concurrency),
        format!("{:12}", figures.successful),
        format!("{:12}", figures.failed),
        format!("{:12.2}", figures.longest),
        format!("{:12.2}", figures.shortest),
    ];
    let received = format!("HTTP OK received:\t{:12}\n", figures.ok);
    laid_out(&rows, debug.then_some(received))
}

fn with_milliseconds(figures: &Figures, debug: bool) -> String {
    let rows = [
        format!("{:9}    hits", figures.hits),
        format!("{:12.2} %", figures.availability),
        format!("{:12.2} secs", figures.elapsed),
        format!("{:12.2} MB", figures.megabytes),
        format!("{:12.2} ms", figures.response * 1_000.0),
        format!("{:12.2} trans/sec", figures.rate),
        format!("{:12.2} MB/sec", figures.throughput),
        format!("{:12.2}", figures.concurrency),
        format!("{:9}", figures.successful),
        format!("{:9}", figures.failed),
        format!("{:12.2} ms", figures.longest * 1_000.0),
        format!("{:12.2} ms", figures.shortest * 1_000.0),
    ];
    let received = format!("HTTP OK received:\t{:9}\n", figures.ok);
    laid_out(&rows, debug.then_some(received))
}

fn laid_out(rows: &[String; 12], received: Option<String>) -> String {
    let mut out = String::new();
    for (label, row) in LABELS.iter().zip(rows) {
        out.extend([*label, row.as_str(), "\n"]);
        if label.starts_with("Successful") {
            out.extend(received.clone());
        }
    }
    out.push_str(" \n");
    out
}

/// Formats the eight lines of 1.00, as in its manual: labels from the left, values to column 35.
fn ancient(counts: &Counts, figures: &Figures) -> String {
    // Its data include heads and bodies.
    let bytes = counts.bytes + counts.head_bytes;
    let rows = [
        ("Transactions:", format!("{:11} hits", figures.hits)),
        ("Elapsed time:", format!("{:11.2} secs", figures.elapsed)),
        ("Data transferred:", format!("{bytes:11} bytes")),
        ("Response time:", format!("{:11.2} secs", figures.response)),
        ("Transaction rate:", format!("{:11.2} trans/sec", figures.rate)),
        ("Throughput:", format!("{:11.2} bytes/sec", ratio(bytes as f64, figures.seconds))),
        ("Concurrency:", format!("{:11.2}", figures.concurrency)),
        ("Status code 200:", format!("{:11}", figures.ok)),
    ];
    rows.iter().fold(String::new(), |mut out, (label, row)| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{label:<24}{row}");
        out
    })
}

/// Formats JSON: keys with their tabs, and as many decimals as the value has.
fn json(era: Era, figures: &Figures) -> String {
    let whole = |value: u64| format!("{value:12}");
    let decimal = |value: f64| format!("{value:12.2}");
    let rows = [
        ("transactions", 3, whole(figures.hits)),
        ("availability", 3, decimal(figures.availability)),
        ("elapsed_time", 3, decimal(figures.elapsed)),
        ("data_transferred", 2, decimal(figures.megabytes)),
        ("response_time", 2, decimal(figures.response)),
        ("transaction_rate", 2, decimal(figures.rate)),
        ("throughput", 3, decimal(figures.throughput)),
        ("concurrency", 3, decimal(figures.concurrency)),
        ("successful_transactions", 1, whole(figures.successful)),
        ("failed_transactions", 2, whole(figures.failed)),
        ("longest_transaction", 2, decimal(figures.longest)),
        ("shortest_transaction", 2, decimal(figures.shortest)),
    ];
    let rows = rows.map(|(key, tabs, value)| format!("\t\"{key}\":{}{value}", "\t".repeat(tabs)));
    // 4.0.5 to 4.0.8 begin the first row on the brace's line.
    let first = if era == Era::V417 { "{\n" } else { "{" };
    format!("{first}{}\n}}\n", rows.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::log_rows;
    use crate::siege::parse;
    use crate::siege::testing::Paper;

    fn style(line: &str) -> Style {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&argv, &Paper::default()).unwrap().style
    }

    #[test]
    fn rates_of_short_runs_are_divided_by_the_measured_time() {
        let counts = Counts {
            hits: 100,
            successful: 100,
            bytes: 1_048_576,
            total: Duration::from_millis(40),
            elapsed: Duration::from_millis(8),
            ..Counts::default()
        };
        let text = |line: &str| {
            let Output { stdout, stderr } = report(&style(line), &counts, Finish::Done);
            stdout + &stderr
        };
        let row = |text: &str, label: &str| -> String {
            let rest = text.split_once(label).unwrap_or_else(|| panic!("no {label} in {text}")).1;
            rest.trim_start_matches(['"', ':', ' ', '\t']).split([' ', ',', '\n']).next().unwrap().to_owned()
        };
        for line in ["siege -c5 a.test", "siege --as 4.1.7 -c5 a.test", "siege --quirks -c5 a.test"] {
            let text = text(line);
            assert_eq!(row(&text, "Elapsed time:"), "0.00", "{line}");
            assert_eq!(row(&text, "Transaction rate:"), "12500.00", "{line}");
            assert_eq!(row(&text, "Throughput:"), "125.00", "{line}");
            assert_eq!(row(&text, "Concurrency:"), "5.00", "{line}");
        }
        let json = text("siege -j -c5 a.test");
        let keys = ["elapsed_time", "transaction_rate", "throughput", "concurrency"];
        assert_eq!(keys.map(|key| row(&json, key)), ["0.00", "12500.00", "125.00", "5.00"], "{json}");
        let ancient = text("siege --as 1.00 -t1 -u a.test");
        assert_eq!(row(&ancient, "Transaction rate:"), "12500.00", "{ancient}");
        assert_eq!(row(&ancient, "Throughput:"), "131072000.00", "{ancient}");
        for line in ["siege -llog a.test", "siege --as 1.00 -l -u a.test"] {
            let rows = log_rows(&style(line), &counts, Finish::Done, &Moment::default());
            assert!(rows.contains("12500.00"), "{line}: {rows}");
        }
    }

    #[test]
    fn a_run_without_time_has_no_rates() {
        let counts = Counts { hits: 1, ..Counts::default() };
        let text = report(&style("siege a.test"), &counts, Finish::Done).stderr;
        assert!(text.contains("Transaction rate:\t        0.00 trans/sec"), "{text}");
    }
}
