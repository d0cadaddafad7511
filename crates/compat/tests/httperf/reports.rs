//! Every captured report, printed again from its numbers.

use super::capture::{Capture, all};
use warwolf_compat::httperf::{Errors, Figures, Sessions, Spread, report};

/// Captures whose report has what ours does not print again, and why.
const OTHERWISE: [(&str, &str); 3] = [
    ("15_resp_099", "the original leaves out a reply and counts its bytes; ours leaves out both"),
    ("226_eaddr", "a run of no duration: the original prints `inf` and `-nan`, ours zeros"),
    ("git10_maxconns_rate", "the same"),
];

/// The numbers in a line, in order.
fn numbers(line: &str) -> Vec<f64> {
    let line = line
        .replace("1xx=", "")
        .replace("2xx=", "")
        .replace("3xx=", "")
        .replace("4xx=", "")
        .replace("5xx=", "");
    let line = line.replace("200=", "").replace("302=", "").replace("*10^6", "");
    line.split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .map(|word| word.parse().unwrap_or_else(|_| panic!("{word} in {line}")))
        .collect()
}

/// A report in lines, by what they begin with.
struct Lines<'a>(Vec<&'a str>);

impl Lines<'_> {
    /// The numbers of the `nth` line that begins with `label`.
    fn nth(&self, label: &str, nth: usize) -> Option<Vec<f64>> {
        let line = self.0.iter().filter(|line| line.starts_with(label)).nth(nth)?;
        Some(numbers(&line[label.len()..]))
    }

    fn first(&self, label: &str) -> Vec<f64> {
        self.nth(label, 0).unwrap_or_else(|| panic!("no `{label}`"))
    }
}

fn spread(numbers: &[f64]) -> Spread {
    Spread {
        min: numbers[0],
        mean: numbers[1],
        max: numbers[2],
        median: 0.0,
        stddev: numbers[3],
        count: numbers.get(4).map_or(0, |count| *count as u64),
    }
}

/// The numbers that are printed as they are; those that are not are searched for.
fn figures(lines: &Lines<'_>) -> Figures {
    let total = lines.first("Total: ");
    let [connections, requests, replies] = [total[0], total[1], total[2]].map(|number| number as u64);
    let life = lines.first("Connection time [ms]: min");
    let length = lines.first("Connection length [replies/conn]:")[0];
    let time = lines.first("Reply time [ms]:");
    let size = lines.first("Reply size [B]:");
    let classes = lines.first("Reply status:");
    let (first, second) = (lines.first("Errors: total"), lines.nth("Errors:", 1).unwrap());
    Figures {
        duration_s: total[3],
        connect_burst: lines.first("Maximum connect burst length:")[0] as u64,
        connections,
        concurrent: lines.first("Connection rate:")[2] as u64,
        requests,
        request_bytes: requests * lines.first("Request size [B]:")[0] as u64,
        replies,
        reply_bytes: [size[0], size[1], size[2]].map(|bytes| bytes as u64 * replies),
        classes: std::array::from_fn(|class| classes[class] as u64),
        lifetimes: if length > 0.0 { (replies as f64 / length).round() as u64 } else { 0 },
        lifetime_ms: Spread { median: life[3], ..spread(&[life[0], life[1], life[2], life[4]]) },
        lifetime_bins: bins(lines),
        connect_ms: lines.first("Connection time [ms]: connect")[0],
        reply_rates: spread(&lines.first("Reply rate [replies/s]:")),
        response_ms: time[0],
        transfer_ms: time[1],
        cpu_s: [0.0; 2],
        errors: Errors {
            client_timeout: first[1] as u64,
            socket_timeout: first[2] as u64,
            refused: first[3] as u64,
            reset: first[4] as u64,
            no_files: second[0] as u64,
            no_ports: second[1] as u64,
            table_full: second[2] as u64,
            other: second[3] as u64,
        },
        periodic: lines.nth("Periodic stats:", 0).map(|stats| [stats[0] as u64, stats[1] as u64]),
        sessions: sessions(lines),
    }
}

fn bins(lines: &Lines<'_>) -> Vec<(u64, u64)> {
    let Some(from) = lines.0.iter().position(|line| line.starts_with("Connection lifetime histogram")) else {
        return Vec::new();
    };
    let bins = lines.0[from + 1..].iter().take_while(|line| !line.is_empty()).map(|line| numbers(line));
    bins.filter(|bin| bin.len() == 2).map(|bin| (bin[0] as u64, bin[1] as u64)).collect()
}

fn sessions(lines: &Lines<'_>) -> Option<Sessions> {
    let rate = lines.nth("Session rate [sess/s]:", 0)?;
    let completed = rate[4] as u64;
    let connections = lines.first("Session: avg")[0];
    Some(Sessions {
        rates: spread(&rate[..4]),
        completed,
        failed: rate[5] as u64 - completed,
        connections: (connections * rate[4]).round() as u64,
        lifetime_s: lines.first("Session lifetime [s]:")[0],
        failtime_s: lines.first("Session failtime [s]:")[0],
        lengths: lines.first("Session length histogram:").iter().map(|count| *count as u64).collect(),
    })
}

/// What the clock of the original can tell apart: it keeps seconds since 1970 in a double.
const TICK_S: f64 = 1.0 / 4_194_304.0;

/// Whether some duration of whole ticks, some CPU times and some remainders of the sizes give the whole report.
fn prints_again(expected: &str, lines: &Lines<'_>, verbose: u32) -> Result<(), String> {
    let printed = figures(lines);
    let rates = (lines.first("Connection rate:")[0], lines.first("Request rate:")[0]);
    let ticks = |seconds: f64| (seconds / TICK_S).round() as i64;
    let mut nearest = String::new();
    for tick in ticks(printed.duration_s - 0.000_5).max(1)..=ticks(printed.duration_s + 0.000_5) {
        let duration_s = tick as f64 * TICK_S;
        let fits = |count: u64, rate: f64| (count as f64 / duration_s - rate).abs() < 0.051;
        if !fits(printed.connections, rates.0) || !fits(printed.requests, rates.1) {
            continue;
        }
        let mut figures = Figures { duration_s, ..printed.clone() };
        spread_remainder(&mut figures, lines.first("Net I/O:")[0]);
        for (user, system) in
            [(0.0, 0.0), (-0.04, -0.04), (0.04, 0.04), (0.04, -0.04), (-0.04, 0.04), (0.0, 0.04)]
        {
            figures.cpu_s = cpu(&lines.first("CPU time [s]:"), duration_s, [user, system]);
            let text = report(&figures, verbose);
            if text == expected {
                return Ok(());
            }
            let equal = |text: &str| text.lines().zip(expected.lines()).filter(|(a, b)| a == b).count();
            if equal(&text) > equal(&nearest) {
                nearest = text;
            }
        }
    }
    let different = nearest.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
    Err(format!("nearest differs in {different:?}"))
}

/// Sizes are printed as whole quotients. What was cut off shows in the rate, in KB a second.
fn spread_remainder(figures: &mut Figures, rate: f64) {
    let whole = figures.request_bytes + figures.reply_bytes[0] + figures.reply_bytes[1];
    let mut cut = (rate * 1024.0 * figures.duration_s - whole as f64).max(0.0).round() as u64;
    let mut take = |most: u64| {
        let taken = cut.min(most);
        cut -= taken;
        taken
    };
    figures.request_bytes += take(figures.requests.saturating_sub(1));
    figures.reply_bytes[1] += take(figures.replies.saturating_sub(1));
    figures.reply_bytes[0] += take(figures.replies.saturating_sub(1));
}

/// Seconds of CPU time that are printed so: rounded as seconds, and rounded as a share of the duration.
fn cpu(printed: &[f64], duration_s: f64, shift: [f64; 2]) -> [f64; 2] {
    std::array::from_fn(|kind| {
        let (seconds, share) = (printed[kind], (printed[kind + 2] + shift[kind]).max(0.0));
        (share / 100.0 * duration_s).clamp(seconds - 0.004_999, seconds + 0.004_999)
    })
}

/// The report of a capture: from the last line on the connect burst (an interrupted run has two) to the end.
fn report_of(capture: &Capture) -> Option<String> {
    let from =
        capture.stdout.rfind("Maximum connect burst").filter(|_| capture.stdout.contains("\nTotal: "))?;
    let lines = capture.stdout[from..].lines().filter(|line| !line.starts_with("httperf: accessing"));
    Some(lines.flat_map(|line| [line, "\n"]).collect())
}

#[test]
fn every_report_is_printed_again_to_the_byte() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for capture in all() {
        let Some(expected) = report_of(&capture) else { continue };
        if OTHERWISE.iter().any(|(name, _)| *name == capture.name) {
            continue;
        }
        let lines = Lines(expected.lines().collect());
        let verbose = if expected.contains("Connection lifetime histogram") { 2 } else { 0 };
        if let Err(why) = prints_again(&expected, &lines, verbose) {
            wrong.push(format!("{}: {why}", capture.name));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen >= 150, "{seen} reports");
}
