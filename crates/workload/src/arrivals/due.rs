//! Computes how many arrivals were due by a moment, from the plan and without taking them.
//!
//! A worker compares this number with the sessions it began and the arrivals it dropped. The comparison detects an arrival
//! that was lost or begun twice.

use super::{Gaps, Pace, Process, Ramp, SECOND_NS, Steps, nanos};
use crate::Arrivals;
use warwolf_clock::Timestamp;
use warwolf_plan::{ArrivalProcess, CheckedPlan, RateStep, Schedule, Shard};

impl Arrivals {
    /// Counts the arrivals of `shard` that `plan` intends before the moment `before`.
    ///
    /// `None` for back-to-back sessions: such a schedule depends on what happens. Takes constant time, or a
    /// few nanoseconds for each arrival of the run where gaps are drawn.
    #[must_use]
    pub fn due(plan: &CheckedPlan, shard: &Shard, before: Timestamp) -> Option<u64> {
        let before_ns = before.as_nanos();
        let calls = plan.stop.calls.unwrap_or(u64::MAX);
        let of_the_run = match &plan.schedule {
            Schedule::Turns { .. } => return None,
            Schedule::Closed { users, ramp } => {
                users_due(u64::from(*users), nanos(*ramp), before_ns).min(u64::from(*users))
            }
            Schedule::Open { arrivals, burst } => {
                let group = u64::from(*burst).max(1);
                let groups = numbers_due(arrivals, plan.seed, group, calls, before_ns).div_ceil(group);
                groups.saturating_mul(group).min(most(arrivals))
            }
        };
        Some(shard.share(of_the_run.min(calls)))
    }

    /// Adds up the intended moments of the first `count` arrivals of `shard`, in nanoseconds modulo 2^64.
    ///
    /// `None` for back-to-back sessions. Takes a few nanoseconds for each arrival.
    #[must_use]
    pub fn intended_sum(plan: &CheckedPlan, shard: &Shard, count: u64) -> Option<u64> {
        if matches!(plan.schedule, Schedule::Turns { .. }) {
            return None;
        }
        let mut arrivals = Self::new(plan, shard);
        let first = std::iter::from_fn(|| arrivals.take()).take(usize::try_from(count).unwrap_or(usize::MAX));
        Some(first.fold(0_u64, |sum, arrival| sum.wrapping_add(arrival.at.as_nanos())))
    }
}

/// Users of `users` that have started before `before_ns` when they start evenly over `ramp_ns`: user k at
/// ⌊k · ramp / users⌋.
fn users_due(users: u64, ramp_ns: u64, before_ns: u64) -> u64 {
    if before_ns == 0 {
        return 0;
    }
    if ramp_ns == 0 {
        return users;
    }
    let due = (u128::from(before_ns) * u128::from(users)).div_ceil(u128::from(ramp_ns));
    u64::try_from(due).unwrap_or(u64::MAX)
}

/// Returns the total number of arrivals of a process that ends by itself.
fn most(arrivals: &ArrivalProcess) -> u64 {
    match arrivals {
        ArrivalProcess::Trace { at_ns } => at_ns.len() as u64,
        ArrivalProcess::Steps { steps } => held(steps),
        _ => u64::MAX,
    }
}

/// Arrivals before the last step ends: the smallest whole number that is not below the area under the steps, which may
/// come out a little above a whole number in binary.
fn held(steps: &[RateStep]) -> u64 {
    let total: f64 = steps.iter().map(|step| step.rate.max(0.0) * step.lasts.as_secs_f64()).sum();
    (total * (1.0 - 1e-12)).ceil() as u64
}

/// Arrivals, taken one by one, before `before_ns`. Where gaps are drawn, arrivals come in groups of `group`, all of a
/// group are counted, and no more gaps are drawn than `limit` arrivals take.
fn numbers_due(arrivals: &ArrivalProcess, seed: u64, group: u64, limit: u64, before_ns: u64) -> u64 {
    let seconds = before_ns as f64 / 1e9;
    match arrivals {
        ArrivalProcess::Constant { rate } => match Pace::new(*rate) {
            Pace::Whole(rate) => {
                // The k-th comes at ⌊(k · 10^9 + ⌊rate / 2⌋) / rate⌋ ns.
                let (rate, second) = (u128::from(rate), u128::from(SECOND_NS));
                let due = (u128::from(before_ns) * rate).saturating_sub(rate / 2).div_ceil(second);
                u64::try_from(due).unwrap_or(u64::MAX)
            }
            pace @ Pace::Fractional(rate) => settle(seconds * rate, before_ns, |number| pace.at_ns(number)),
        },
        ArrivalProcess::Ramp { from, to, over } => {
            let over_s = over.as_secs_f64();
            let ramped = seconds.min(over_s);
            let slope = if over_s > 0.0 { (to - from) / over_s } else { 0.0 };
            let area = ramped * (from + slope * ramped / 2.0) + (seconds - ramped) * to;
            let ramp = Ramp::new(*from, *to, *over);
            settle(area, before_ns, |number| ramp.at_ns(number))
        }
        ArrivalProcess::Steps { steps } => {
            let (mut area, mut from_ns) = (0.0, 0_u64);
            for step in steps {
                let lasts_ns = nanos(step.lasts).min(before_ns.saturating_sub(from_ns));
                area += step.rate.max(0.0) * lasts_ns as f64 / 1e9;
                from_ns = from_ns.saturating_add(nanos(step.lasts));
            }
            let process = Steps::new(steps);
            settle(area, before_ns, |number| process.holds(number).then(|| process.at_ns(number)).flatten())
        }
        ArrivalProcess::Trace { at_ns } => at_ns.partition_point(|at| *at < before_ns) as u64,
        ArrivalProcess::Poisson { .. } | ArrivalProcess::Uniform { .. } => {
            drawn(arrivals, seed, group, limit, before_ns)
        }
    }
}

/// Returns the number of arrivals before `before_ns`. It is `area`, except for the few that rounding to nanoseconds and
/// floating-point precision move across that moment.
fn settle(area: f64, before_ns: u64, at_ns: impl Fn(u64) -> Option<u64>) -> u64 {
    let is_due = |number: u64| at_ns(number).is_some_and(|at| at < before_ns);
    let guess = area.max(0.0) as u64;
    let slack = 2 + (area * 1e-12) as u64;
    let (low, high) = (guess.saturating_sub(slack), guess.saturating_add(slack));
    // The first number from `low` on that is not due; `high` where all of them are.
    let (mut from, mut to) = (low, high);
    while from < to {
        let middle = from + (to - from) / 2;
        if is_due(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

/// Counts drawn arrivals by drawing their gaps again.
fn drawn(arrivals: &ArrivalProcess, seed: u64, group: u64, limit: u64, before_ns: u64) -> u64 {
    let Process::Drawn(mut gaps) = Process::new(arrivals, seed, &Shard::WHOLE, group) else { return 0 };
    let mut groups = 0_u64;
    // In leaps first: a leap costs one logarithm, whatever its length.
    let (mut leap, limit) = (LEAP, limit.div_ceil(group));
    while leap > 0 && groups < limit {
        let before: Gaps = gaps.clone();
        if gaps.at_ns((groups + leap - 1).saturating_mul(group)).is_some_and(|at| at < before_ns) {
            groups += leap;
        } else {
            gaps = before;
            leap /= 2;
        }
    }
    groups.saturating_mul(group)
}

/// Groups in the longest leap.
const LEAP: u64 = 1 << 16;
