//! What is shown while a run goes on: a dashboard on a terminal, a line every few seconds elsewhere, nothing when quiet.
//!
//! The engine's summing thread calls [`Progress::show`] with what the workers have handed over; the workers themselves
//! never wait for it. No clock is read: time is what the intervals say.

use crate::banner::{own_end, time};
use crate::dashboard::{self, Paint, Snapshot};
use crate::streams;
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::Duration;
use terminal_size::{Height, Width, terminal_size_of};
use warwolf_clock::Timestamp;
use warwolf_engine::Control;
use warwolf_measure::{Interval, Phase, Tally};
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
    replies: u64,
    errors: u64,
    rates: VecDeque<f64>,
    tails: VecDeque<f64>,
    /// Lines of the dashboard that stand on the terminal.
    drawn: usize,
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
            replies: 0,
            errors: 0,
            rates: VecDeque::with_capacity(dashboard::HISTORY),
            tails: VecDeque::with_capacity(dashboard::HISTORY),
            drawn: 0,
        }
    }

    /// Takes in one more interval and shows what there is when it is time to.
    pub(crate) fn show(&mut self, interval: &Interval) {
        if self.manner == Manner::Quiet {
            return;
        }
        self.recent.follow(&interval.tally);
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
        if self.drawn > 0 {
            streams::say(&format!("\x1b[{}A\r\x1b[J", self.drawn));
            self.drawn = 0;
        }
    }

    fn snapshot(&mut self, now: Timestamp, covered: Duration) -> Snapshot {
        let seconds = covered.as_secs_f64();
        let rate = self.recent.completed() as f64 / seconds;
        let latency = self.recent.phase(Phase::Latency);
        let tail = latency.quantile(0.99);
        self.replies += self.recent.completed();
        self.errors += self.recent.errors();
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
            replies: self.replies,
            errors: self.errors,
            rates: self.rates.iter().copied().collect(),
            tails: self.tails.iter().copied().collect(),
        }
    }

    fn draw(&mut self, snapshot: &Snapshot) {
        let columns = size().map_or(dashboard::COLUMNS, |(columns, _)| columns);
        let lines = dashboard::lines(snapshot, columns, self.paint);
        let mut text = if self.drawn > 0 { format!("\x1b[{}A\r", self.drawn) } else { String::new() };
        for line in &lines {
            text.push_str(line);
            text.push_str("\x1b[K\n");
        }
        self.drawn = lines.len();
        streams::say(&text);
    }
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
    let warming = if snapshot.warming { "  warm-up" } else { "" };
    format!(
        "warwolf: {:>6}  {}  p50 {}  p99 {}  {} in flight  {} errors{warming}\n",
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
    fn a_line_says_when_how_much_how_fast_and_what_went_wrong() {
        let snapshot = Snapshot { warming: true, ..dashboard::tests::snapshot() };
        assert_eq!(
            line(&snapshot),
            "warwolf:     3s  45,123/s  p50 1.10 ms  p99 12.3 ms  50 in flight  7 errors  warm-up\n"
        );
    }
}
