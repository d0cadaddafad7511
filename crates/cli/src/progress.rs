//! What is shown while a run goes on: a dashboard on a terminal, a line every few seconds elsewhere, nothing when quiet.
//!
//! The engine's summing thread calls [`Progress::show`] with what the workers have handed over; the workers themselves
//! never wait for it. No clock is read: time is what the intervals say.

use crate::banner::{own_end, time};
use crate::dashboard::{self, Paint, Snapshot, Spread};
use crate::streams;
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::Duration;
use terminal_size::{Height, Width, terminal_size_of};
use warwolf_clock::Timestamp;
use warwolf_engine::Control;
use warwolf_measure::{Interval, Outcome, Phase, RowLabels, Slo, SloResult, Tally};
use warwolf_plan::Plan;
use warwolf_report::unit;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Not at all.
    Quiet,
    /// A line every few seconds.
    Lines,
    /// A dashboard that is drawn again and again.
    Dashboard,
}

impl Manner {
    /// What suits stderr: a dashboard where there is a terminal that is big enough and can move its cursor.
    pub(crate) fn suited(is_quiet: bool, wants_lines: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        match () {
            () if is_quiet => Self::Quiet,
            () if wants_lines || is_dumb || !std::io::stderr().is_terminal() => Self::Lines,
            () if size()
                .is_some_and(|(columns, rows)| columns >= dashboard::COLUMNS && rows > dashboard::ROWS) =>
            {
                Self::Dashboard
            }
            () => Self::Lines,
        }
    }
}

/// Columns and rows of the terminal behind stderr.
fn size() -> Option<(usize, usize)> {
    terminal_size_of(std::io::stderr()).map(|(Width(columns), Height(rows))| (columns.into(), rows.into()))
}

/// What was seen of a run so far.
pub(crate) struct Progress {
    manner: Manner,
    paint: Paint,
    control: Control,
    duration: Option<Duration>,
    calls: Option<u64>,
    warmup: Duration,
    /// How much time one snapshot covers.
    period: Duration,
    since: Timestamp,
    recent: Tally,
    /// The whole run.
    total: Tally,
    /// What the SLOs are about: the time after the warm-up.
    measured: Tally,
    measured_since: Option<Timestamp>,
    slos: Vec<Slo>,
    /// The rows that SLOs may name; empty without SLOs.
    labels: RowLabels,
    rates: VecDeque<f64>,
    tails: VecDeque<f64>,
    /// Width of each line of the dashboard that stands on the terminal.
    drawn: Vec<usize>,
}

impl Progress {
    /// Nothing seen yet of a run of `plan`, which `control` can stop.
    pub(crate) fn new(manner: Manner, plan: &Plan, control: &Control) -> Self {
        let duration = plan.stop.duration.or_else(|| own_end(plan));
        let period = match manner {
            Manner::Dashboard => Duration::from_millis(500),
            Manner::Quiet | Manner::Lines => duration
                .map_or(LONGEST_PERIOD, |duration| (duration / 5).clamp(SHORTEST_PERIOD, LONGEST_PERIOD)),
        };
        let slos = plan.all_slos();
        Self {
            manner,
            paint: Paint::suited(),
            control: control.clone(),
            duration,
            calls: plan.stop.calls,
            warmup: plan.warmup,
            period,
            since: Timestamp::ZERO,
            recent: Tally::new(),
            total: Tally::new(),
            measured: Tally::new(),
            measured_since: None,
            slos: slos.iter().filter_map(|text| Slo::parse(text).ok()).collect(),
            labels: if slos.is_empty() { RowLabels::default() } else { warwolf_engine::row_labels(plan) },
            rates: VecDeque::with_capacity(dashboard::HISTORY),
            tails: VecDeque::with_capacity(dashboard::HISTORY),
            drawn: Vec::new(),
        }
    }

    /// Takes in one more interval and shows what there is when it is time to.
    pub(crate) fn show(&mut self, interval: &Interval) {
        if self.manner == Manner::Quiet {
            return;
        }
        self.recent.follow(&interval.tally);
        self.total.follow(&interval.tally);
        if !self.slos.is_empty() && interval.start >= Timestamp::ZERO + self.warmup {
            self.measured_since.get_or_insert(interval.start);
            self.measured.follow(&interval.tally);
        }
        let covered = interval.end.since(self.since);
        if covered < self.period {
            return;
        }
        let snapshot = self.snapshot(interval.end, covered);
        match self.manner {
            Manner::Quiet => {}
            Manner::Lines => streams::say(&line(&snapshot)),
            Manner::Dashboard => self.draw(&snapshot),
        }
        self.since = interval.end;
        self.recent.reset();
    }

    /// Takes the dashboard away, so that what follows stands where it stood.
    pub(crate) fn clear(&mut self) {
        if !self.drawn.is_empty() {
            let columns = size().map_or(dashboard::COLUMNS, |(columns, _)| columns);
            streams::say(&format!("\x1b[{}A\r\x1b[J", rows(&self.drawn, columns)));
            self.drawn.clear();
        }
    }

    fn snapshot(&mut self, now: Timestamp, covered: Duration) -> Snapshot {
        let seconds = covered.as_secs_f64();
        let rate = self.recent.completed() as f64 / seconds;
        let latency = self.recent.phase(Phase::Latency);
        let tail = latency.quantile(0.99);
        keep(&mut self.rates, rate);
        keep(&mut self.tails, tail.unwrap_or(0) as f64);
        Snapshot {
            elapsed: now.since(Timestamp::ZERO),
            duration: self.duration,
            calls: self.calls,
            warming: now.since(Timestamp::ZERO) <= self.warmup,
            stopping: self.control.is_stopped(),
            rate,
            body_rate: self.recent.counters().body_bytes as f64 / seconds,
            latency: [0.5, 0.9, 0.99, 1.0].map(|quantile| latency.quantile(quantile)),
            lag: self.recent.phase(Phase::Lag).quantile(0.99),
            in_flight: self.recent.counters().max_in_flight,
            connections: self.recent.counters().connections_held,
            replies: self.total.completed(),
            errors: self.total.errors(),
            statuses: self.total.statuses().collect(),
            failures: failures(&self.total),
            slos: self.slos_so_far(now),
            spread: Spread::of(latency.histogram(), dashboard::CLASSES),
            rates: self.rates.iter().copied().collect(),
            tails: self.tails.iter().copied().collect(),
        }
    }

    /// The SLOs as they are now; none before the end of the warm-up.
    fn slos_so_far(&self, now: Timestamp) -> Vec<SloResult> {
        let seconds = self.measured_since.map_or(0.0, |since| now.since(since).as_secs_f64());
        self.slos.iter().map(|slo| slo.judge_so_far(&self.measured, &self.labels, seconds)).collect()
    }

    fn draw(&mut self, snapshot: &Snapshot) {
        let columns = size().map_or(dashboard::COLUMNS, |(columns, _)| columns);
        let lines = dashboard::lines(snapshot, columns, self.paint);
        let up = rows(&self.drawn, columns);
        let mut text = if up > 0 { format!("\x1b[{up}A\r") } else { String::new() };
        for line in &lines {
            text.push_str(line);
            text.push_str("\x1b[K\n");
        }
        // Lines may have wrapped in a window that became narrower.
        text.push_str("\x1b[J");
        self.drawn = lines.iter().map(|line| visible(line)).collect();
        streams::say(&text);
    }
}

/// How many rows lines of these widths take in a window of so many columns.
fn rows(widths: &[usize], columns: usize) -> usize {
    widths.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum()
}

/// The width of a line without its colours.
fn visible(line: &str) -> usize {
    let codes = line.split('\x1b').skip(1).map(|rest| 1 + rest.find('m').map_or(0, |end| end + 1));
    line.chars().count() - codes.sum::<usize>()
}

/// Why calls got no reply, or one that did not pass a check, the most frequent reason first.
fn failures(tally: &Tally) -> Vec<(&'static str, u64)> {
    let without_reply = |outcome: &Outcome| !matches!(outcome, Outcome::Completed | Outcome::Unfinished);
    let mut failures: Vec<_> = tally
        .outcomes()
        .filter(|(outcome, _)| without_reply(outcome))
        .map(|(outcome, calls)| (outcome.text(), calls))
        .chain(Some(("check failed", tally.counters().check_failed)).filter(|(_, calls)| *calls > 0))
        .collect();
    failures.sort_by_key(|(_, calls)| std::cmp::Reverse(*calls));
    failures
}

/// Lines come at least this far apart in time …
const SHORTEST_PERIOD: Duration = Duration::from_secs(2);
/// … and at most this far.
const LONGEST_PERIOD: Duration = Duration::from_secs(5);

fn keep(history: &mut VecDeque<f64>, value: f64) {
    if history.len() == dashboard::HISTORY {
        history.pop_front();
    }
    history.push_back(value);
}

/// One line for logs.
fn line(snapshot: &Snapshot) -> String {
    let why = snapshot.failures.first().map_or_else(String::new, |(why, _)| format!(" ({why})"));
    let warming = if snapshot.warming { "  warm-up" } else { "" };
    format!(
        "warwolf: {:>6}  {}  p50 {}  p99 {}  {} in flight  {} errors{why}{warming}\n",
        time(Duration::from_secs(snapshot.elapsed.as_secs())),
        unit::rate(snapshot.rate),
        dashboard::known(snapshot.latency[0]),
        dashboard::known(snapshot.latency[2]),
        unit::count(snapshot.in_flight),
        unit::count(snapshot.errors),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_server_and_a_broken_slo_are_seen_while_the_run_goes_on() {
        let mut plan = Plan::new(vec![warwolf_plan::Request::get("http://a.test/").unwrap()]);
        plan.slos = vec!["errors<1%".into()];
        plan.warmup = Duration::from_secs(1);
        let mut progress = Progress::new(Manner::Lines, &plan, &Control::new());
        progress.period = Duration::MAX;
        for number in 0..3 {
            let at = |seconds: u64| Timestamp::from_nanos(seconds * 1_000_000_000);
            let mut tally = Tally::new();
            let sample = warwolf_measure::Sample {
                intended: at(number),
                started: at(number),
                sent: Timestamp::NEVER,
                first_byte: Timestamp::NEVER,
                finished: at(number),
                body_bytes: 0,
                header_bytes: 0,
                sent_bytes: 0,
                status: 0,
                target: 0,
                outcome: Outcome::Refused,
                check_failed: false,
            };
            tally.record(&sample);
            tally.record(&warwolf_measure::Sample {
                outcome: Outcome::Completed,
                check_failed: number == 0,
                ..sample
            });
            progress.show(&Interval { number, start: at(number), end: at(number + 1), tally });
        }
        let snapshot = progress.snapshot(Timestamp::from_nanos(3_000_000_000), Duration::from_secs(3));
        assert_eq!(snapshot.failures, [("connection refused", 3), ("check failed", 1)]);
        assert_eq!(progress.measured.errors(), 2, "the warm-up is left out");
        assert_eq!(snapshot.slos[0].state, warwolf_measure::SloState::Broken);
        assert!(line(&snapshot).contains("4 errors (connection refused)"), "{}", line(&snapshot));
    }

    #[test]
    fn wrapped_lines_are_counted() {
        assert_eq!(rows(&[80, 0, 81, 10], 40), 2 + 1 + 3 + 1);
        assert_eq!(visible("a\x1b[31mbc\x1b[0m"), 3);
    }

    #[test]
    fn a_line_says_when_how_much_how_fast_and_what_went_wrong() {
        let snapshot = Snapshot { warming: true, ..dashboard::tests::snapshot() };
        assert_eq!(
            line(&snapshot),
            "warwolf:     3s  45,123/s  p50 1.10 ms  p99 12.3 ms  50 in flight  7 errors (connection refused)  warm-up\n"
        );
    }
}
