//! The live view as a pure function: what was seen, and a width, become lines.

use crate::banner::time;
use std::fmt::Write;
use std::time::Duration;
use warwolf_measure::{Histogram, SloResult, SloState};
use warwolf_report::{unit, wording};

/// Columns the dashboard needs.
pub(crate) const COLUMNS: usize = 64;
/// Rows the dashboard has at most.
pub(crate) const ROWS: usize = 12;
/// Values the small charts go back.
pub(crate) const HISTORY: usize = 240;

/// What was seen of a run at one moment. Rates and latencies are of the time since the last snapshot, counts of the whole
/// run.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) elapsed: Duration,
    pub(crate) duration: Option<Duration>,
    pub(crate) calls: Option<u64>,
    pub(crate) warming: bool,
    pub(crate) stopping: bool,
    /// Completed calls a second.
    pub(crate) rate: f64,
    /// Bytes of bodies a second.
    pub(crate) body_rate: f64,
    /// p50, p90, p99 and greatest, in nanoseconds.
    pub(crate) latency: [Option<u64>; 4],
    /// p99 of the lag, in nanoseconds.
    pub(crate) lag: Option<u64>,
    pub(crate) in_flight: u64,
    pub(crate) connections: u64,
    pub(crate) replies: u64,
    pub(crate) errors: u64,
    /// Replies of the whole run by status.
    pub(crate) statuses: Vec<(u16, u64)>,
    /// Why calls of the whole run got no reply, the most frequent reason first.
    pub(crate) failures: Vec<(&'static str, u64)>,
    /// The SLOs so far.
    pub(crate) slos: Vec<SloResult>,
    /// How the latencies are distributed since the last snapshot, from the least to the greatest.
    pub(crate) spread: Spread,
    /// The latest rates, oldest first.
    pub(crate) rates: Vec<f64>,
    /// The latest p99s in nanoseconds, oldest first.
    pub(crate) tails: Vec<f64>,
}

/// A distribution of latencies in classes of equal width on a logarithmic scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    /// Calls in each class.
    pub(crate) classes: Vec<f64>,
    /// Least and greatest latency in nanoseconds.
    pub(crate) ends: Option<(u64, u64)>,
}

impl Spread {
    /// The distribution of a histogram in so many classes.
    pub(crate) fn of(histogram: &Histogram, classes: usize) -> Self {
        let bins: Vec<(u64, u64, u64)> = histogram.bins().collect();
        let (Some(first), Some(last)) = (bins.first(), bins.last()) else { return Self::default() };
        let (low, high) = (first.0.max(1), last.1.max(2));
        let width = (high as f64 / low as f64).ln().max(1e-9);
        let mut counts = vec![0.0; classes];
        for (first, last, calls) in bins {
            let middle = (first.midpoint(last).max(low)) as f64;
            let class = ((middle / low as f64).ln() / width * classes as f64) as usize;
            counts[class.min(classes - 1)] += calls as f64;
        }
        Self { classes: counts, ends: Some((low, high)) }
    }
}

/// Classes of a [`Spread`].
pub(crate) const CLASSES: usize = 32;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    /// Colours.
    pub(crate) colour: bool,
    /// Block characters.
    pub(crate) blocks: bool,
}

impl Paint {
    /// What a terminal can show here: colours unless the environment refuses them, blocks where the locale has them.
    pub(crate) fn suited() -> Self {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty());
        let is_utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_uppercase();
            locale.contains("UTF-8") || locale.contains("UTF8")
        });
        Self { colour: crate::streams::is_coloured(true), blocks: is_utf8 }
    }

    fn red(self, text: &str) -> String {
        self.coloured(31, text)
    }

    fn coloured(self, code: u8, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The lines of the dashboard, each at most `columns` wide, colours not counted.
pub(crate) fn lines(snapshot: &Snapshot, columns: usize, paint: Paint) -> Vec<String> {
    let errors = format!("errors {}", unit::count(snapshot.errors));
    let [p50, p90, p99, most] = snapshot.latency.map(known);
    let lag = known(snapshot.lag);
    let chart = columns.saturating_sub(LABEL + SCALE);
    let mut lines = vec![
        bar(snapshot, columns, paint),
        String::new(),
        format!(
            "{:LABEL$}{:<18}{:<16}connections {}",
            "rate",
            unit::rate(snapshot.rate),
            format!("{}/s", unit::size(snapshot.body_rate)),
            unit::count(snapshot.connections)
        ),
        format!(
            "{:LABEL$}{:<18}{:<16}in flight {}",
            "replies",
            unit::count(snapshot.replies),
            if snapshot.errors > 0 { paint.red(&format!("{errors:<15}")) + " " } else { errors },
            unit::count(snapshot.in_flight)
        ),
        cut(&format!("{:LABEL$}{}", "status", statuses(snapshot)), columns),
    ];
    let failures = cut(&format!("{:LABEL$}{}", "failed", failures(snapshot)), columns);
    lines.push(if snapshot.failures.is_empty() { failures } else { paint.red(&failures) });
    lines.extend([
        cut(&format!("{:LABEL$}p50 {p50}  p90 {p90}  p99 {p99}  max {most}", "latency"), columns),
        cut(&spread(&snapshot.spread, paint), columns),
        format!("{:LABEL$}p99 {lag}", "lag"),
        format!(
            "{:LABEL$}{}  most {}",
            "rate",
            spark(&snapshot.rates, chart, paint),
            unit::rate(greatest(&snapshot.rates))
        ),
        format!(
            "{:LABEL$}{}  most {}",
            "p99",
            spark(&snapshot.tails, chart, paint),
            unit::duration(greatest(&snapshot.tails))
        ),
    ]);
    if !snapshot.slos.is_empty() {
        lines.push(slos(snapshot, columns, paint));
    }
    lines
}

fn statuses(snapshot: &Snapshot) -> String {
    let texts =
        snapshot.statuses.iter().map(|(status, replies)| format!("{status}: {}", unit::count(*replies)));
    texts.collect::<Vec<_>>().join("  ")
}

/// Why calls failed. Statuses of 400 and above are in another line.
pub(crate) fn failures(snapshot: &Snapshot) -> String {
    if snapshot.failures.is_empty() {
        return "0".to_owned();
    }
    let texts = snapshot.failures.iter().map(|(why, calls)| format!("{why}: {}", unit::count(*calls)));
    texts.collect::<Vec<_>>().join("  ")
}

/// The distribution of latencies in one line, between the least and the greatest.
fn spread(spread: &Spread, paint: Paint) -> String {
    let (low, high) = spread.ends.unzip();
    let bars = spark(&spread.classes, CLASSES, paint);
    format!("{:LABEL$}{:<8} {bars} {}", "spread", known(low), known(high))
}

/// The SLOs with their figures so far, as many as there is room for.
fn slos(snapshot: &Snapshot, columns: usize, paint: Paint) -> String {
    let mut line = format!("{:LABEL$}", "SLOs");
    let mut room = columns.saturating_sub(LABEL);
    for result in &snapshot.slos {
        let (word, code) = match result.state {
            SloState::Held => ("held", 32),
            SloState::Broken => ("BROKEN", 31),
            SloState::Unknown => ("unsure", 33),
        };
        let figure = format!(" {} ({})  ", result.slo.text, wording::actual(result));
        let width = word.len() + figure.chars().count();
        if width > room {
            break;
        }
        room -= width;
        line += &(paint.coloured(code, word) + &figure);
    }
    line
}

/// Columns of the names on the left.
const LABEL: usize = 9;
/// Columns of the scale on the right of a chart.
const SCALE: usize = 20;

/// A duration in nanoseconds, or a dash where there is none.
pub(crate) fn known(nanos: Option<u64>) -> String {
    nanos.map_or_else(|| "-".to_owned(), |nanos| unit::duration(nanos as f64))
}

/// How far the run is.
fn bar(snapshot: &Snapshot, columns: usize, paint: Paint) -> String {
    let mut text = time(Duration::from_secs(snapshot.elapsed.as_secs()));
    if let Some(duration) = snapshot.duration {
        let _ = write!(text, " of {}", time(duration));
    }
    if snapshot.warming {
        text.push_str(", warm-up");
    }
    if snapshot.stopping {
        text.push_str(", stopping");
    }
    let by_time = snapshot.duration.map(|duration| snapshot.elapsed.as_secs_f64() / duration.as_secs_f64());
    let by_calls = snapshot.calls.map(|calls| snapshot.replies as f64 / calls as f64);
    let share = [by_time, by_calls]
        .into_iter()
        .flatten()
        .fold(None, |most: Option<f64>, share| Some(most.map_or(share, |most| most.max(share))));
    let Some(share) = share else { return text };
    let width = columns.saturating_sub(text.chars().count() + 1).min(HISTORY);
    let full = ((share.min(1.0) * width as f64).round() as usize).min(width);
    let (on, off) = if paint.blocks { ("█", "░") } else { ("#", ".") };
    format!("{}{} {text}", on.repeat(full), off.repeat(width - full))
}

/// The latest values as a line of columns, the greatest as high as a line is.
fn spark(values: &[f64], width: usize, paint: Paint) -> String {
    let marks: Vec<char> = if paint.blocks { " ▁▂▃▄▅▆▇█" } else { " .:-=+*#@" }.chars().collect();
    let latest = &values[values.len().saturating_sub(width)..];
    let greatest = greatest(latest);
    let mark = |value: &f64| {
        let share = if greatest > 0.0 { value / greatest } else { 0.0 };
        let level = (share * (marks.len() - 1) as f64).round() as usize;
        // What is not nothing shows.
        marks[if *value > 0.0 { level.max(1) } else { 0 }.min(marks.len() - 1)]
    };
    let line: String = latest.iter().map(mark).collect();
    format!("{line:<width$}")
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use warwolf_measure::{Digits, Slo};

    fn slo(text: &str, state: SloState) -> SloResult {
        SloResult { slo: Slo::parse(text).unwrap(), actual: Some(12e6), is_at_least: false, state }
    }

    pub(crate) fn snapshot() -> Snapshot {
        Snapshot {
            elapsed: Duration::from_millis(3_400),
            duration: Some(Duration::from_secs(10)),
            calls: None,
            warming: false,
            stopping: false,
            rate: 45_123.4,
            body_rate: 3_500_000.0,
            latency: [Some(1_100_000), Some(2_000_000), Some(12_345_678), Some(1_500_000_000)],
            lag: Some(9_000),
            in_flight: 50,
            connections: 50,
            replies: 123_456,
            errors: 7,
            statuses: vec![(200, 123_449), (503, 7)],
            failures: vec![("connection refused", 750)],
            slos: vec![slo("p99<200ms", SloState::Held), slo("p50<1ms", SloState::Broken)],
            spread: Spread { classes: vec![0.0, 2.0, 8.0, 1.0], ends: Some((1_000_000, 20_000_000)) },
            rates: vec![0.0, 20_000.0, 40_000.0, 45_123.4],
            tails: vec![1e6, 2e6, 4e6, 12e6],
        }
    }

    #[test]
    fn the_dashboard_in_plain_text() {
        let paint = Paint { colour: false, blocks: false };
        let expected = [
            "###################.................................... 3s of 10s",
            "",
            "rate     45,123/s          3.34 MiB/s      connections 50",
            "replies  123,456           errors 7        in flight 50",
            "status   200: 123,449  503: 7",
            "failed   connection refused: 750",
            "latency  p50 1.10 ms  p90 2.00 ms  p99 12.3 ms  max 1.50 s",
            "spread   1.00 ms   :@.                             20.0 ms",
            "lag      p99 9.00 us",
            "rate      =#@                                  most 45,123/s",
            "p99      ..-@                                  most 12.0 ms",
            "SLOs     held p99<200ms (12.0 ms)  BROKEN p50<1ms (12.0 ms)",
        ];
        let lines = lines(&snapshot(), 65, paint);
        assert_eq!(lines.len(), ROWS);
        for (line, expected) in lines.iter().zip(expected) {
            assert_eq!(line.trim_end(), expected);
        }
    }

    #[test]
    fn a_run_without_errors_and_slos_has_quiet_lines() {
        let snapshot =
            Snapshot { failures: Vec::new(), slos: Vec::new(), spread: Spread::default(), ..snapshot() };
        let lines = lines(&snapshot, 80, Paint { colour: true, blocks: false });
        assert_eq!(lines.len(), ROWS - 1);
        assert_eq!(lines[5], "failed   0");
        assert!(lines[7].starts_with("spread   - "), "{lines:?}");
    }

    #[test]
    fn a_spread_counts_every_call() {
        let mut histogram = Histogram::new(Digits::Two);
        [1_000, 1_000, 10_000, 100_000].iter().for_each(|value| histogram.record(*value));
        let spread = Spread::of(&histogram, 4);
        assert_eq!(spread.classes.iter().sum::<f64>(), 4.0);
        assert_eq!((spread.classes[0], spread.classes[3]), (2.0, 1.0));
        assert_eq!(Spread::of(&Histogram::new(Digits::Two), 4), Spread::default());
    }

    #[test]
    fn the_dashboard_fits_its_width() {
        let paint = Paint { colour: false, blocks: true };
        for columns in [COLUMNS, 80, 132, 400] {
            for line in lines(&snapshot(), columns, paint) {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn colour_is_an_addition() {
        let coloured = lines(&snapshot(), 80, Paint { colour: true, blocks: false }).join("\n");
        let plain = lines(&snapshot(), 80, Paint { colour: false, blocks: false }).join("\n");
        let stripped =
            ["\x1b[31m", "\x1b[32m", "\x1b[0m"].iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(stripped, plain);
    }
}
