//! Computes the intended starts of one shard's sessions, in order.
//!
//! This is not a limiter: an arrival is due at its intended start. Where the process allows it, the k-th arrival is
//! computed from k; where gaps are drawn, from the exact sum of the gaps before it. Either way every shard computes the
//! same sequence and takes every `count`-th arrival of it.

mod due;

use crate::seed::{Purpose, Stream, Streams};
use std::collections::VecDeque;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::{ArrivalProcess, CheckedPlan, RateStep, Schedule, Shard};

/// One intended start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its index in the whole run's sequence, from zero, over all shards: the number of its session.
    pub number: u64,
    /// When it is intended.
    pub at: Timestamp,
}

/// The arrivals of one shard that have not been taken.
#[derive(Clone, Debug)]
pub struct Arrivals {
    process: Process,
    next: Option<Arrival>,
    /// Number of shards: the distance between the numbers of this shard's arrivals.
    stride: u64,
    /// Arrivals in a group. All arrivals of a group are due when its first would be.
    group: u64,
    /// Arrivals in the whole run.
    limit: u64,
    /// Number of the one after the last one taken, which may not have its time yet.
    waiting: u64,
}

impl Arrivals {
    /// The arrivals of `plan` that belong to `shard`.
    ///
    /// In a closed loop these are its users, each once. The plan's duration is ignored: a process that does not end by itself
    /// continues without end.
    #[must_use]
    pub fn new(plan: &CheckedPlan, shard: &Shard) -> Self {
        let stride = u64::from(shard.count());
        let calls = plan.stop.calls.unwrap_or(u64::MAX);
        let (process, group, limit) = match &plan.schedule {
            Schedule::Closed { users, ramp } => {
                let users = u64::from(*users);
                let process = Process::Users { ramp_ns: nanos(*ramp), users: users.max(1) };
                (process, 1, users.min(calls))
            }
            Schedule::Turns { users } => {
                let users = u64::from(*users).max(1);
                (Process::Turns { users, over_ns: VecDeque::new() }, 1, calls)
            }
            Schedule::Open { arrivals, burst } => {
                let group = u64::from(*burst).max(1);
                let process = Process::new(arrivals, plan.seed, shard, group);
                (process, group, calls)
            }
        };
        let waiting = u64::from(shard.index());
        let mut arrivals = Self { process, next: None, stride, group, limit, waiting };
        arrivals.next = arrivals.arrival(waiting);
        arrivals
    }

    /// The arrivals of `shard` whose times come one by one, see [`Self::add`].
    #[must_use]
    pub const fn fed(shard: &Shard) -> Self {
        let process = Process::Fed { at_ns: VecDeque::new() };
        let (waiting, stride) = (shard.index() as u64, shard.count() as u64);
        Self { process, next: None, stride, group: 1, limit: u64::MAX, waiting }
    }

    /// Adds an arrival behind the others; only to arrivals that are fed.
    pub fn add(&mut self, at: Timestamp) {
        let Process::Fed { at_ns } = &mut self.process else { return };
        at_ns.push_back(at.as_nanos());
        if self.next.is_none() {
            self.next = self.arrival(self.waiting);
        }
    }

    /// Arrivals that were added and not taken.
    #[must_use]
    pub fn left(&self) -> u64 {
        let Process::Fed { at_ns } = &self.process else { return 0 };
        at_ns.len() as u64 + u64::from(self.next.is_some())
    }

    /// Returns the next arrival without taking it; none when there are no more.
    #[must_use]
    pub const fn peek(&self) -> Option<Arrival> {
        self.next
    }

    /// Takes note that a session of this shard is over. For back-to-back sessions, the next one is intended at this moment.
    pub fn session_over(&mut self, at: Timestamp) {
        let Process::Turns { over_ns, .. } = &mut self.process else { return };
        if self.waiting < self.limit {
            over_ns.push_back(at.as_nanos());
        }
        if self.next.is_none() {
            self.next = self.arrival(self.waiting);
        }
    }

    /// Takes the next arrival; none when there are no more.
    #[inline]
    pub fn take(&mut self) -> Option<Arrival> {
        let taken = self.next?;
        self.waiting = taken.number.saturating_add(self.stride);
        self.next = self.arrival(self.waiting);
        Some(taken)
    }

    /// Drops the arrivals intended before `until` and returns how many they were. `each` gets the intended moments and the
    /// number of arrivals for each: exact moments where gaps are drawn, otherwise at most 4,096 groups.
    ///
    /// Takes logarithmic time unless gaps are drawn, and then some nanoseconds per arrival of the run.
    pub fn skip_until(&mut self, until: Timestamp, mut each: impl FnMut(Timestamp, u64)) -> u64 {
        let due = |arrival: Option<Arrival>| arrival.is_some_and(|arrival| arrival.at < until);
        let first = self.next.map_or(0, |arrival| arrival.number);
        let mut dropped: u64 = 0;
        if self.process.is_computed() {
            // Doubles the stride until it passes the mark, then halves it back to one.
            let mut leap = 1_u64;
            while leap > 0 && due(self.next) {
                let from = self.next.map_or(0, |arrival| arrival.number);
                let to = leap.checked_mul(self.stride).and_then(|far| from.checked_add(far));
                let there = to.and_then(|number| self.arrival(number));
                if due(there) {
                    dropped += leap;
                    self.next = there;
                    leap = leap.saturating_mul(2);
                } else if leap > 1 {
                    leap /= 2;
                } else {
                    dropped += 1;
                    self.next = there;
                    leap = 0;
                }
            }
            let group = dropped.div_ceil(GROUPS_MAX).max(1);
            for begun in (0..dropped).step_by(usize::try_from(group).unwrap_or(usize::MAX)) {
                let count = group.min(dropped - begun);
                let middle = first + (begun + count / 2) * self.stride;
                if let Some(arrival) = self.arrival(middle) {
                    each(arrival.at, count);
                }
            }
        } else {
            while let Some(arrival) = self.next.filter(|arrival| due(Some(*arrival))) {
                dropped += 1;
                each(arrival.at, 1);
                self.take();
            }
        }
        dropped
    }

    /// Returns arrival `number`, which must not be before the last one requested when gaps are drawn.
    #[inline]
    fn arrival(&mut self, number: u64) -> Option<Arrival> {
        if number >= self.limit {
            return None;
        }
        let first = if self.group == 1 { number } else { number / self.group * self.group };
        let at_ns = self.process.at_ns(number, first)?;
        Some(Arrival { number, at: Timestamp::from_nanos(at_ns) })
    }
}

/// When arrival k is intended.
#[derive(Clone, Debug)]
enum Process {
    Users {
        ramp_ns: u64,
        users: u64,
    },
    Turns {
        users: u64,
        /// When sessions of this shard ended, for which no next one has started.
        over_ns: VecDeque<u64>,
    },
    Constant(Pace),
    Ramp(Ramp),
    Steps(Steps),
    /// The times of this shard's arrivals, `count` apart in the trace.
    Trace {
        own_ns: Vec<u64>,
        count: u64,
    },
    Drawn(Gaps),
    /// Arrivals whose times have come and that are not the next.
    Fed {
        at_ns: VecDeque<u64>,
    },
}

impl Process {
    fn new(arrivals: &ArrivalProcess, seed: u64, shard: &Shard, group: u64) -> Self {
        let stream = Streams::new(seed, Purpose::ARRIVALS).stream(0);
        match arrivals {
            ArrivalProcess::Constant { rate } => Self::Constant(Pace::new(*rate)),
            ArrivalProcess::Poisson { rate } => Self::Drawn(Gaps::new(
                stream,
                group,
                Gap::Exponential { mean_ns: group as f64 * 1e9 / rate, product: 1.0 },
            )),
            ArrivalProcess::Uniform { min, max } => {
                // The gaps of a group's members are added up before the group: the rate stays the same.
                let min_ns = nanos(*min).saturating_mul(group);
                let span_ns = nanos(*max).saturating_mul(group).saturating_sub(min_ns).saturating_add(1);
                Self::Drawn(Gaps::new(stream, group, Gap::Uniform { min_ns, span_ns }))
            }
            ArrivalProcess::Ramp { from, to, over } => Self::Ramp(Ramp::new(*from, *to, *over)),
            ArrivalProcess::Steps { steps } => Self::Steps(Steps::new(steps)),
            ArrivalProcess::Trace { at_ns } => {
                let count = u64::from(shard.count());
                let own_ns = (u64::from(shard.index())..at_ns.len() as u64)
                    .step_by(shard.count() as usize)
                    .map(|number| at_ns[(number / group * group) as usize])
                    .collect();
                Self::Trace { own_ns, count }
            }
        }
    }

    /// Returns whether any arrival can be requested, not only later ones.
    const fn is_computed(&self) -> bool {
        !matches!(self, Self::Drawn(_) | Self::Turns { .. } | Self::Fed { .. })
    }

    /// Returns the nanoseconds at which arrival `number` is due, whose group begins with arrival `first`; none if it never is.
    #[inline]
    fn at_ns(&mut self, number: u64, first: u64) -> Option<u64> {
        match self {
            Self::Users { ramp_ns, users } => {
                Some((u128::from(*ramp_ns) * u128::from(number) / u128::from(*users)) as u64)
            }
            Self::Turns { users, .. } if number < *users => Some(0),
            Self::Turns { over_ns, .. } => over_ns.pop_front(),
            Self::Constant(pace) => pace.at_ns(first),
            Self::Ramp(ramp) => ramp.at_ns(first),
            Self::Steps(steps) => {
                if steps.holds(number) {
                    steps.at_ns(first)
                } else {
                    None
                }
            }
            Self::Trace { own_ns, count } => {
                usize::try_from(number / *count).ok().and_then(|own| own_ns.get(own).copied())
            }
            Self::Drawn(gaps) => gaps.at_ns(first),
            Self::Fed { at_ns } => at_ns.pop_front(),
        }
    }
}

/// A constant rate.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// A whole number of arrivals a second, at most 1e9: always exact.
    Whole(u64),
    /// Any other rate: off by less than a nanosecond in the first hundred days.
    Fractional(f64),
}

impl Pace {
    fn new(rate: f64) -> Self {
        if rate.fract() == 0.0 && (1.0..=1e9).contains(&rate) {
            Self::Whole(rate as u64)
        } else {
            Self::Fractional(rate)
        }
    }

    #[inline]
    fn at_ns(self, number: u64) -> Option<u64> {
        match self {
            Self::Whole(rate) => {
                let (seconds, rest) = (number / rate, number % rate);
                seconds.checked_mul(SECOND_NS)?.checked_add((rest * SECOND_NS + rate / 2) / rate)
            }
            Self::Fractional(rate) => whole_ns(number as f64 * 1e9 / rate),
        }
    }
}

/// A rate that changes linearly, then stays constant.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    from: f64,
    to: f64,
    over_s: f64,
    /// Change of the rate, per second.
    slope: f64,
    /// Arrivals by the end of the change: the area under the rate.
    ramped: f64,
}

impl Ramp {
    fn new(from: f64, to: f64, over: Duration) -> Self {
        let over_s = over.as_secs_f64();
        let slope = if over_s > 0.0 { (to - from) / over_s } else { 0.0 };
        Self { from, to, over_s, slope, ramped: over_s * (from + to) / 2.0 }
    }

    /// The instant at which the integral of the rate, `from·t + slope·t²/2` and then `to` a second, reaches `number`.
    #[inline]
    fn at_ns(&self, number: u64) -> Option<u64> {
        let number = number as f64;
        let seconds = if number > self.ramped || self.over_s == 0.0 {
            if self.to <= 0.0 {
                return None;
            }
            self.over_s + (number - self.ramped) / self.to
        } else if self.slope < 0.0 {
            self.over_s - Self::reach(self.ramped - number, self.to, -self.slope)
        } else {
            Self::reach(number, self.from, self.slope)
        };
        whole_ns(seconds * 1e9)
    }

    /// Returns the seconds until `from·t + slope·t²/2`, with no term negative, reaches `number`. A falling ramp is a rising
    /// one in reverse. This form of the root never subtracts, so it loses no precision for any slope.
    fn reach(number: f64, from: f64, slope: f64) -> f64 {
        if number <= 0.0 {
            return 0.0;
        }
        2.0 * number / (from + (from * from + 2.0 * slope * number).sqrt())
    }
}

/// Constant rates, one after the other.
#[derive(Clone, Debug)]
struct Steps {
    /// Those with arrivals, by the arrivals before them.
    steps: Vec<Step>,
    /// Arrivals in all.
    total: f64,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    /// Arrivals before this step. Need not be whole: what a step begins, the next completes.
    before: f64,
    start_ns: f64,
    rate: f64,
}

impl Steps {
    fn new(plan: &[RateStep]) -> Self {
        let (mut steps, mut total, mut start_ns) = (Vec::new(), 0.0, 0.0);
        for step in plan {
            if step.rate > 0.0 && !step.lasts.is_zero() {
                steps.push(Step { before: total, start_ns, rate: step.rate });
                total += step.rate * step.lasts.as_secs_f64();
            }
            start_ns += nanos(step.lasts) as f64;
        }
        Self { steps, total }
    }

    /// Returns whether arrival `number` is due before the last step ends. A product such as 1.1 × 10 s is a little above 11
    /// in binary; that must not give a twelfth arrival.
    fn holds(&self, number: u64) -> bool {
        (number as f64) < self.total * (1.0 - 1e-12)
    }

    #[inline]
    fn at_ns(&self, number: u64) -> Option<u64> {
        let number = number as f64;
        let after = self.steps.partition_point(|step| step.before <= number);
        let step = self.steps.get(after.checked_sub(1)?)?;
        whole_ns(step.start_ns + (number - step.before) * 1e9 / step.rate)
    }
}

/// Groups that follow each other at drawn gaps, the first one gap after the start.
#[derive(Clone, Debug)]
struct Gaps {
    stream: Stream,
    gap: Gap,
    /// Arrivals in a group.
    group: u64,
    /// Groups whose gaps are in the sum.
    drawn: u64,
    sum: Sum,
}

#[derive(Clone, Copy, Debug)]
enum Gap {
    /// The sum of exponential gaps is the logarithm of a product, so that a shard that passes over most arrivals takes one
    /// logarithm for many. The product is taken in after every [`BLOCK`] gaps, at the same places by every shard, so that
    /// all compute the same numbers.
    Exponential {
        mean_ns: f64,
        product: f64,
    },
    Uniform {
        min_ns: u64,
        span_ns: u64,
    },
}

impl Gaps {
    const fn new(stream: Stream, group: u64, gap: Gap) -> Self {
        Self { stream, gap, group, drawn: 0, sum: Sum { whole_ns: 0, part: 0 } }
    }

    #[inline]
    fn at_ns(&mut self, first: u64) -> Option<u64> {
        let wanted = if self.group == 1 { first } else { first / self.group } + 1;
        let mut sum = self.sum;
        match &mut self.gap {
            Gap::Exponential { mean_ns, product } => {
                for position in self.drawn..wanted {
                    *product *= self.stream.unit(position);
                    if position % BLOCK == BLOCK - 1 {
                        sum.add(-libm::log(*product) * *mean_ns);
                        *product = 1.0;
                    }
                }
                self.sum = sum;
                sum.add(-libm::log(*product) * *mean_ns);
            }
            Gap::Uniform { min_ns, span_ns } => {
                for position in self.drawn..wanted {
                    let gap = min_ns.saturating_add(self.stream.below(position, *span_ns));
                    sum.whole_ns = sum.whole_ns.saturating_add(gap);
                }
                self.sum = sum;
            }
        }
        self.drawn = self.drawn.max(wanted);
        (sum.whole_ns < u64::MAX).then_some(sum.whole_ns)
    }
}

/// A sum of nanoseconds to which fractions can be added for years without losing any.
#[derive(Clone, Copy, Debug)]
struct Sum {
    whole_ns: u64,
    /// In 2^-32 ns.
    part: u64,
}

impl Sum {
    #[inline]
    fn add(&mut self, ns: f64) {
        // Both casts round down, and the first saturates.
        let whole = ns as u64;
        let part = self.part + ((ns - whole as f64) * PART) as u64;
        self.whole_ns = self.whole_ns.saturating_add(whole).saturating_add(part >> 32);
        self.part = part & (PART as u64 - 1);
    }
}

/// Rounds to a nanosecond; none beyond what a [`Timestamp`] holds.
fn whole_ns(ns: f64) -> Option<u64> {
    let whole = (ns + 0.5) as u64;
    (whole < u64::MAX).then_some(whole)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Maximum number of groups in which dropped arrivals are reported.
const GROUPS_MAX: u64 = 4_096;
const SECOND_NS: u64 = 1_000_000_000;
const PART: f64 = (1_u64 << 32) as f64;
/// Gaps whose product is at least 2^(-53 × 16), far from where numbers lose digits.
const BLOCK: u64 = 16;

#[cfg(test)]
mod tests;
