//! Derives every figure once, with its unit. There is no arithmetic on measurements after this.

use crate::estimate::{BATCHES, Ratio, is_known, quantile_interval, samples_needed};
use crate::step_figures::{groups, scenarios, steps};
use crate::{
    Distribution, GroupFigures, HostEvidence, Interval, Latency, Outcome, Phase, RowLabels, Run,
    ScenarioFigures, StepFigures, Tally,
};
use std::time::Duration;
use warwolf_clock::Timestamp;

/// The quantiles that are derived and printed, with their names in data.
pub const QUANTILES: [(&str, f64); 7] = [
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99_9", 0.999),
    ("p99_99", 0.9999),
];

/// The counts of all calls, over the whole run, warm-up included.
///
/// `planned = started + unstarted` and `started = completed + failed + timed_out + unfinished`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// Calls that the schedule or a session requested.
    pub planned: u64,
    /// Calls that took a slot.
    pub started: u64,
    /// Calls whose whole reply arrived, whatever its status.
    pub completed: u64,
    /// Of these, calls whose reply did not pass a check.
    pub check_failed: u64,
    /// Calls that ended without a complete reply.
    pub failed: u64,
    /// Calls that ended at their deadline.
    pub timed_out: u64,
    /// Calls in flight at the stop.
    pub unfinished: u64,
    /// Calls that were requested and never took a slot.
    pub unstarted: u64,
}

impl Accounting {
    /// The accounting of a tally.
    #[must_use]
    pub fn of(tally: &Tally) -> Self {
        let counters = tally.counters();
        Self {
            planned: counters.planned,
            started: counters.started,
            completed: tally.completed(),
            check_failed: counters.check_failed,
            failed: tally.failed(),
            timed_out: tally.timed_out(),
            unfinished: tally.unfinished(),
            unstarted: counters.unstarted,
        }
    }

    /// Returns whether every planned call has an end.
    #[must_use]
    pub const fn adds_up(&self) -> bool {
        self.planned == self.started + self.unstarted
            && self.started == self.completed + self.failed + self.timed_out + self.unfinished
    }
}

/// A figure and its 95 % interval, where one could be derived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its 95 % confidence interval.
    pub ci95: Option<(f64, f64)>,
}

/// A quantile of a duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileFigure {
    /// Its name in data, such as `p99_9`.
    pub name: &'static str,
    /// Which: 0 to 1.
    pub quantile: f64,
    /// Nanoseconds; none when there are too few values for it.
    pub value_ns: Option<u64>,
    /// Whether it is greater than `value_ns`, by an unknown amount, because too many calls had no end.
    pub is_at_least: bool,
    /// Its 95 % confidence interval; none when the values are too few or too correlated.
    pub ci95_ns: Option<(u64, u64)>,
}

/// What is known about a duration. All but `count` is none without values.
///
/// Of [`Summary::latency`] the mean, the greatest value and the quantiles are about all calls, those without an end included
/// ([`Latency`]); `count`, `min_ns` and `stddev_ns` are about those that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// How many values.
    pub count: u64,
    /// The least, exactly.
    pub min_ns: Option<u64>,
    /// The mean, exactly.
    pub mean_ns: Option<f64>,
    /// The 95 % confidence interval of the mean.
    pub mean_ci95_ns: Option<(f64, f64)>,
    /// The greatest, exactly.
    pub max_ns: Option<u64>,
    /// Standard deviation of the values.
    pub stddev_ns: Option<f64>,
    /// One for each of [`QUANTILES`].
    pub quantiles: [QuantileFigure; QUANTILES.len()],
}

impl Figures {
    /// Returns the value of the quantile with this name in [`QUANTILES`], if it is known.
    #[must_use]
    pub fn quantile_ns(&self, name: &str) -> Option<u64> {
        self.quantiles.iter().find(|figure| figure.name == name)?.value_ns
    }

    /// Returns the first quantile that needs more values than there are; none if all are known, or there are no values.
    #[must_use]
    pub fn missing_quantile(&self) -> Option<MissingQuantile> {
        let missing = self.quantiles.iter().find(|figure| figure.value_ns.is_none())?;
        let quantile = missing.quantile;
        (self.count > 0).then(|| MissingQuantile {
            quantile,
            needed: samples_needed(quantile),
            samples: self.count,
        })
    }
}

/// A quantile that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissingQuantile {
    /// Which: 0 to 1.
    pub quantile: f64,
    /// Values it needs.
    pub needed: u64,
    /// Values there are.
    pub samples: u64,
}

/// Throughput within the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Achieved {
    /// Completed calls a second.
    pub rate_per_s: Estimate,
    /// Started calls a second.
    pub started_per_s: f64,
    /// Bytes of replies a second, heads and bodies.
    pub bytes_per_s: f64,
    /// Calls in flight at once, at the most; of several workers the sum, which may be a little too great.
    pub max_in_flight: u64,
}

/// One bar of the latency histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The greatest value that belongs to it, in nanoseconds.
    pub up_to_ns: u64,
    /// How many values.
    pub count: u64,
}

/// One interval of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalFigures {
    /// Where it begins, from the start of the run.
    pub start: Timestamp,
    /// Where it ends.
    pub end: Timestamp,
    /// Whether it is in the measured window: not in the warm-up.
    pub measured: bool,
    /// The accounting of the interval.
    pub accounting: Accounting,
    /// Calls that did not get the requested reply; see [`Tally::errors`].
    pub errors: u64,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Bytes of heads and bodies of completed replies.
    pub reply_bytes: u64,
    /// Calls in flight at once, at the most.
    pub max_in_flight: u64,
    /// Mean latency.
    pub latency_mean_ns: Option<f64>,
    /// Latency quantiles 0.5, 0.9 and 0.99 of whatever was counted, however little, and the greatest.
    pub latency_ns: Option<[u64; 4]>,
    /// Lag that 99 % of calls did not exceed.
    pub lag_p99_ns: Option<u64>,
}

impl IntervalFigures {
    /// The figures of an interval.
    #[must_use]
    pub fn of(interval: &Interval, measured: bool) -> Self {
        let tally = &interval.tally;
        let latency = tally.phase(Phase::Latency);
        let seconds = interval.length().as_secs_f64();
        let quantile = |q| latency.quantile(q).unwrap_or(0);
        Self {
            start: interval.start,
            end: interval.end,
            measured,
            accounting: Accounting::of(tally),
            errors: tally.errors(),
            rate_per_s: if seconds > 0.0 { tally.completed() as f64 / seconds } else { 0.0 },
            reply_bytes: tally.counters().header_bytes + tally.counters().body_bytes,
            max_in_flight: tally.counters().max_in_flight,
            latency_mean_ns: latency.moments().mean_ns(),
            latency_ns: (latency.count() > 0)
                .then(|| [quantile(0.5), quantile(0.9), quantile(0.99), quantile(1.0)]),
            lag_p99_ns: tally.phase(Phase::Lag).quantile(0.99),
        }
    }
}

/// One target of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetFigures {
    /// Its URL; none for all targets beyond the table together.
    pub url: Option<String>,
    /// Calls whose whole reply arrived.
    pub completed: u64,
    /// Calls that did not get the requested reply.
    pub errors: u64,
    /// Bytes of bodies of completed replies.
    pub body_bytes: u64,
    /// Completed calls a second.
    pub rate_per_s: f64,
    /// Latency, its quantiles within 1.6 %.
    pub latency: Figures,
}

/// How a figure changed from the first half of the measured window to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Relative change: 0.1 is ten per cent more in the second half.
    pub change: f64,
    /// Whether the 95 % intervals of the halves do not overlap.
    pub significant: bool,
}

/// Every derived figure of a run.
///
/// [`Summary::accounting`] is about the whole run; everything else about the measured window, which leaves out the
/// warm-up.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The plan's seed.
    pub seed: u64,
    /// Whether arrivals did not wait for completions.
    pub open: bool,
    /// Calls a second that the plan requests, if it does.
    pub target_rate: Option<f64>,
    /// How long the run should last, if the plan determines it.
    pub nominal: Option<Duration>,
    /// How long it lasted.
    pub wall: Duration,
    /// Warm-up that the plan requests.
    pub warmup: Duration,
    /// Where the measured window begins and ends.
    pub window: (Timestamp, Timestamp),
    /// The accounting of the whole run.
    pub accounting: Accounting,
    /// Throughput.
    pub achieved: Achieved,
    /// Intended to finished.
    pub latency: Figures,
    /// Sent to finished.
    pub service: Figures,
    /// Intended to started.
    pub lag: Figures,
    /// Started to sent.
    pub setup: Figures,
    /// Sent to first byte.
    pub wait: Figures,
    /// First byte to finished.
    pub transfer: Figures,
    /// TCP connects.
    pub connect: Figures,
    /// TLS handshakes.
    pub tls: Figures,
    /// Age of the calls in flight at the stop.
    pub unfinished_age: Figures,
    /// Calls that did not get the requested reply: failed, timed out, a status of 400 and above, or a check that was not
    /// passed.
    pub errors: u64,
    /// `errors` as a share of the calls that are over (0 to 1); none when there are none.
    pub error_share: Option<f64>,
    /// Latency in about ten bars, equally wide, or equally wide in proportion when it spreads over decades.
    pub histogram: Vec<Bar>,
    /// Each interval of the whole run.
    pub intervals: Vec<IntervalFigures>,
    /// Each target that was called.
    pub targets: Vec<TargetFigures>,
    /// Each step of the plan; empty for plain requests.
    pub steps: Vec<StepFigures>,
    /// Each group of steps.
    pub groups: Vec<GroupFigures>,
    /// Each scenario; steps beyond the table are in none.
    pub scenarios: Vec<ScenarioFigures>,
    /// The names of rows, groups and checks; rows of plain requests go by URL.
    pub labels: RowLabels,
    /// How the rate of completed calls changed; none when the run is too short to say.
    pub rate_trend: Option<Trend>,
    /// How the mean latency changed; none when the run is too short to say.
    pub latency_trend: Option<Trend>,
    /// Everything counted in the window.
    pub tally: Tally,
    /// Parts of the plan that are missing from the run, by index.
    pub missing_shards: Vec<u32>,
    /// What was observed on each host that the load came from.
    pub hosts: Vec<HostEvidence>,
}

impl Summary {
    /// Derives every number of a run.
    ///
    /// # Panics
    /// When the accounting does not add up: then a call was lost, and no figure can be trusted.
    #[must_use]
    pub fn of(run: &Run) -> Self {
        let mut timeline = run.timeline.clone();
        if !run.wall.is_zero() {
            timeline.finish(Timestamp::ZERO + run.wall);
        }
        let measured_from = Timestamp::ZERO + run.warmup;
        let bounds = [(Timestamp::ZERO, Timestamp::NEVER), (measured_from, Timestamp::NEVER)];
        let [whole, window] = timeline.windows(bounds);
        let accounting = Accounting::of(&whole.tally);
        assert!(accounting.adds_up(), "the accounting does not add up, please report: {accounting:?}");
        let rate_end = match run.nominal.map(|nominal| Timestamp::ZERO + nominal) {
            Some(nominal) if nominal < window.to && nominal > window.from => nominal,
            _ => window.to,
        };
        let mut batches = Batches::new(&window.tally);
        let measured = timeline.starts().filter(|start| *start >= window.from).count();
        let mut intervals = Vec::new();
        for interval in timeline.intervals() {
            let in_window = interval.start >= window.from && interval.end <= window.to;
            if in_window {
                let batch = batches.intervals / measured.div_ceil(BATCHES).max(1);
                batches.add(batch, &interval, interval.end <= rate_end);
            }
            intervals.push(IntervalFigures::of(&interval, in_window));
        }
        batches.summarise(run, accounting, (window.from, window.to), intervals, window.tally)
    }
}

/// Sums by batch of the measured window, from which confidence intervals are estimated.
struct Batches {
    intervals: usize,
    rate: Ratio,
    started: Ratio,
    bytes: Ratio,
    phases: Vec<PhaseBatches>,
}

struct PhaseBatches {
    phase: Phase,
    thresholds_ns: [Option<u64>; QUANTILES.len()],
    /// Values above each threshold, and values not below it: they differ where many values are equal.
    above: [Ratio; QUANTILES.len()],
    from: [Ratio; QUANTILES.len()],
    mean: Ratio,
}

impl Batches {
    fn new(window: &Tally) -> Self {
        let latency = Latency::of(window);
        let phase_batches = |phase: &Phase| PhaseBatches {
            phase: *phase,
            thresholds_ns: match phase {
                Phase::Latency => QUANTILES.map(|(_, q)| Some(latency.quantile(q)?.value_ns)),
                _ => QUANTILES.map(|(_, q)| window.phase(*phase).quantile(q)),
            },
            above: Default::default(),
            from: Default::default(),
            mean: Ratio::default(),
        };
        Self {
            intervals: 0,
            rate: Ratio::default(),
            started: Ratio::default(),
            bytes: Ratio::default(),
            phases: Phase::ALL.iter().map(phase_batches).collect(),
        }
    }

    fn add(&mut self, batch: usize, interval: &Interval, for_rate: bool) {
        self.intervals += 1;
        let tally = &interval.tally;
        if for_rate {
            let seconds = interval.length().as_secs_f64();
            self.rate.add(batch, tally.completed() as f64, seconds);
            self.started.add(batch, tally.counters().started as f64, seconds);
            let bytes = tally.counters().header_bytes + tally.counters().body_bytes;
            self.bytes.add(batch, bytes as f64, seconds);
        }
        for phase in &mut self.phases {
            let values = tally.phase(phase.phase);
            let count = values.count() as f64;
            phase.mean.add(batch, values.moments().sum_ns() as f64, count);
            for (place, threshold) in phase.thresholds_ns.iter().enumerate() {
                let threshold = threshold.unwrap_or(u64::MAX);
                let (at_most, below) =
                    (values.histogram().count_at_most(threshold), values.histogram().count_below(threshold));
                phase.above[place].add(batch, count - at_most as f64, count);
                phase.from[place].add(batch, count - below as f64, count);
            }
        }
    }

    fn figures(&self, phase: Phase, tally: &Tally) -> Figures {
        let batches = &self.phases[phase as usize];
        let mut figures = plain_figures(tally.phase(phase));
        figures.mean_ci95_ns = batches.mean.interval();
        let shares = batches.above.iter().zip(&batches.from);
        for (figure, (above, from)) in figures.quantiles.iter_mut().zip(shares) {
            figure.ci95_ns = quantile_interval(tally.phase(phase), figure.quantile, [above, from]);
        }
        figures
    }

    /// The figures of [`Phase::Latency`], with the calls that had no end.
    fn latency_figures(&self, tally: &Tally) -> Figures {
        let (latency, ended) = (Latency::of(tally), tally.phase(Phase::Latency));
        let batches = &self.phases[Phase::Latency as usize];
        let mut figures = self.figures(Phase::Latency, tally);
        (figures.mean_ns, figures.max_ns) = (latency.mean_ns(), latency.max_ns());
        let shares = batches.above.iter().zip(&batches.from);
        for (figure, (above, from)) in figures.quantiles.iter_mut().zip(shares) {
            let value =
                latency.quantile(figure.quantile).filter(|_| is_known(figure.quantile, latency.count()));
            figure.value_ns = value.map(|value| value.value_ns);
            figure.is_at_least = value.is_some_and(|value| value.is_at_least);
            // The same value is a higher quantile of the calls that ended.
            let rank = value.and_then(|_| latency.rank(figure.quantile));
            let share = match latency.count() == ended.count() {
                true => Some(figure.quantile),
                false => rank.map(|rank| rank as f64 / ended.count() as f64),
            };
            figure.ci95_ns = share.and_then(|share| quantile_interval(ended, share, [above, from]));
        }
        figures
    }

    fn summarise(
        self,
        run: &Run,
        accounting: Accounting,
        window: (Timestamp, Timestamp),
        intervals: Vec<IntervalFigures>,
        tally: Tally,
    ) -> Summary {
        let seconds = window.1.since(window.0).as_secs_f64();
        let errors = tally.errors();
        let trend = |ratio: &Ratio| ratio.trend().map(|(change, significant)| Trend { change, significant });
        Summary {
            seed: run.seed,
            open: run.open,
            target_rate: run.target_rate,
            nominal: run.nominal,
            wall: run.wall,
            warmup: run.warmup,
            window,
            accounting,
            achieved: Achieved {
                rate_per_s: Estimate { value: self.rate.value().unwrap_or(0.0), ci95: self.rate.interval() },
                started_per_s: self.started.value().unwrap_or(0.0),
                bytes_per_s: self.bytes.value().unwrap_or(0.0),
                max_in_flight: tally.counters().max_in_flight,
            },
            latency: self.latency_figures(&tally),
            service: self.figures(Phase::Service, &tally),
            lag: self.figures(Phase::Lag, &tally),
            setup: self.figures(Phase::Setup, &tally),
            wait: self.figures(Phase::Wait, &tally),
            transfer: self.figures(Phase::Transfer, &tally),
            connect: self.figures(Phase::Connect, &tally),
            tls: self.figures(Phase::Tls, &tally),
            unfinished_age: self.figures(Phase::UnfinishedAge, &tally),
            errors,
            error_share: (tally.finished() > 0).then(|| errors as f64 / tally.finished() as f64),
            histogram: bars(tally.phase(Phase::Latency)),
            intervals,
            targets: targets(run, &tally, seconds),
            steps: steps(run, &tally, seconds),
            groups: groups(run, &tally, seconds),
            scenarios: scenarios(run, &tally, seconds),
            labels: run.row_labels(),
            rate_trend: trend(&self.rate),
            latency_trend: trend(&self.phases[Phase::Latency as usize].mean),
            tally,
            missing_shards: run.missing_shards(),
            hosts: run.hosts.clone(),
        }
    }
}

/// The figures of a distribution without their intervals.
pub(crate) fn plain_figures(values: &Distribution) -> Figures {
    let moments = values.moments();
    Figures {
        count: moments.count(),
        min_ns: moments.min_ns(),
        mean_ns: moments.mean_ns(),
        mean_ci95_ns: None,
        max_ns: moments.max_ns(),
        stddev_ns: moments.stddev_ns(),
        quantiles: QUANTILES.map(|(name, quantile)| QuantileFigure {
            name,
            quantile,
            value_ns: values.quantile(quantile).filter(|_| is_known(quantile, values.count())),
            is_at_least: false,
            ci95_ns: None,
        }),
    }
}

fn targets(run: &Run, tally: &Tally, seconds: f64) -> Vec<TargetFigures> {
    tally
        .targets()
        .map(|(index, row)| TargetFigures {
            url: run.targets.get(usize::from(index)).cloned(),
            completed: row.completed,
            errors: row.errors,
            body_bytes: row.body_bytes,
            rate_per_s: if seconds > 0.0 { row.completed as f64 / seconds } else { 0.0 },
            latency: plain_figures(&row.latency),
        })
        .collect()
}

/// Number of bars of a histogram.
const BARS: u32 = 10;

/// When the greatest is more than this many medians, equal steps would put everything into the first bar.
const WIDE: u64 = 20;

fn bars(values: &Distribution) -> Vec<Bar> {
    let (Some(min), Some(low), Some(median), Some(max)) =
        (values.moments().min_ns(), values.quantile(0.01), values.quantile(0.5), values.moments().max_ns())
    else {
        return Vec::new();
    };
    let edge = |bar: u32| {
        let share = f64::from(bar) / f64::from(BARS);
        let (min, low, high) = (min as f64, low.max(1) as f64, max as f64);
        let wide = max / WIDE > median;
        // In proportion from the first per cent on: a single call that was much faster would take half of the bars.
        let edge = if wide { low * (high / low).powf(share) } else { min + (high - min) * share };
        if bar == BARS { max } else { edge as u64 }
    };
    let mut bars: Vec<Bar> = (1..=BARS).map(|bar| Bar { up_to_ns: edge(bar), count: 0 }).collect();
    bars.dedup_by_key(|bar| bar.up_to_ns);
    for (first, last, count) in values.histogram().bins() {
        let middle = first + (last - first) / 2;
        let place = bars.partition_point(|bar| bar.up_to_ns < middle).min(bars.len() - 1);
        bars[place].count += count;
    }
    bars
}

impl Summary {
    /// Returns the name of a host, if the load came from several; for sentences about it.
    #[must_use]
    pub fn host_name(&self, number: usize) -> Option<String> {
        let host = self.hosts.get(number).filter(|_| self.hosts.len() > 1)?;
        let name = &host.environment.host;
        let is_unique = self.hosts.iter().filter(|other| other.environment.host == *name).count() == 1;
        Some(match host.shard {
            _ if is_unique && !name.is_empty() => name.clone(),
            Some((index, _)) if name.is_empty() => format!("shard {}", index + 1),
            Some((index, _)) => format!("{name}, shard {}", index + 1),
            None => format!("host {}", number + 1),
        })
    }

    /// Connections that all hosts were to hold; zero when as many as needed.
    #[must_use]
    pub fn connections_asked(&self) -> u64 {
        self.hosts.iter().map(|host| host.connections_asked).sum()
    }

    /// Connections that were open at once on all hosts, at most.
    #[must_use]
    pub fn connections_held(&self) -> u64 {
        self.hosts.iter().map(|host| host.connections_held).sum()
    }

    /// Calls that may be in flight at once on all hosts; zero when unknown.
    #[must_use]
    pub fn in_flight_limit(&self) -> u64 {
        self.hosts.iter().map(|host| host.in_flight_limit).sum()
    }

    /// Endings other than completion, with their counts: the most frequent first.
    #[must_use]
    pub fn failures(&self) -> Vec<(Outcome, u64)> {
        let ended = |outcome: &Outcome| *outcome != Outcome::Completed && *outcome != Outcome::Unfinished;
        let mut failures: Vec<_> = self.tally.outcomes().filter(|(outcome, _)| ended(outcome)).collect();
        failures.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        failures
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
