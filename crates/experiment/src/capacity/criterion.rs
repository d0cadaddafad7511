//! Whether SLOs hold in a run at one rate, and how long it must be to tell.

use super::{Answer, Probe, Tried, Why};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{
    Cause, Comparison, Grade, Metric, Reason, Slo, SloResult, SloState, Summary, Verdict, judge,
    samples_needed,
};

/// A low rate is not tried for longer than this at first.
const LONGEST: Duration = Duration::from_secs(60);
/// A figure this near to its limit is borderline.
const NEAR: f64 = 0.15;
/// If the rate of arrivals differs from the rate asked for by more than this share, the rate is tried again for longer.
const OFF: f64 = 0.05;
/// A server that completes less of the rate than this does not keep it.
const KEPT: f64 = 0.97;

/// The warm-up is this part of a run.
const WARMUP_PART: u32 = 5;

/// What is asked of the server, and how closely it is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// What must hold, all of it.
    pub slos: Vec<Slo>,
    /// How long a rate is tried for at least.
    pub length: Duration,
    /// How often a borderline rate is tried again, each time twice as long.
    pub retests: u32,
}

impl Criterion {
    /// How long a rate is tried for: long enough for the calls that the rarest percentile among the SLOs needs, so a low
    /// rate takes its time; twice as long at each further attempt.
    #[must_use]
    pub fn length(&self, probe: Probe) -> Duration {
        let rarest = self.slos.iter().filter_map(|slo| match slo.metric {
            Metric::Quantile(quantile) => Some(quantile),
            _ => None,
        });
        let calls = rarest.reduce(f64::max).map_or(0.0, |quantile| samples_needed(quantile) as f64);
        // A fifth is warm-up, and arrivals may be fewer by chance.
        let needed = Duration::from_secs_f64((calls / probe.rate * 1.5).min(LONGEST.as_secs_f64()));
        self.length.max(needed) * 2u32.saturating_pow(probe.attempt.min(4))
    }

    /// The warm-up of a run, if the user did not choose one.
    #[must_use]
    pub fn warmup(&self, probe: Probe) -> Duration {
        self.length(probe) / WARMUP_PART
    }

    /// The result of a run at one rate.
    #[must_use]
    pub fn tried(&self, probe: Probe, summary: &Summary) -> Tried {
        let (answer, why) = self.judge(probe, summary);
        let quantile = |name| summary.latency.quantile_ns(name).map(|ns| ns as f64);
        let calls = calls_per_session(probe, summary);
        let achieved = summary.achieved.rate_per_s.value / calls;
        let completed = summary.tally.completed().max(1) as f64;
        Tried {
            rate: probe.rate,
            came: came_per_s(summary) / calls,
            achieved,
            good: achieved * (1.0 - summary.tally.error_statuses() as f64 / completed),
            mean_ns: summary.latency.mean_ns,
            quantiles_ns: ["p50", "p99"].map(quantile),
            error_share: summary.error_share.unwrap_or(0.0),
            answer,
            why,
        }
    }

    /// Whether lower rates need not be tried: the server kept this rate, and even its fastest reply was slower than an SLO
    /// allows. Less load does not make the fastest reply faster.
    #[must_use]
    pub fn is_hopeless(&self, tried: &Tried, summary: &Summary) -> bool {
        let is_reached = tried.achieved >= KEPT * tried.rate || completes_what_comes(summary);
        let fastest = summary.latency.min_ns.map_or(0.0, |ns| ns as f64);
        let upper = |slo: &&Slo| matches!(slo.comparison, Comparison::Less | Comparison::AtMost);
        let is_latency =
            |slo: &&Slo| matches!(slo.metric, Metric::Quantile(_) | Metric::Mean | Metric::Min | Metric::Max);
        let mut limits = self.slos.iter().filter(upper).filter(is_latency).map(|slo| slo.limit);
        !matches!(tried.answer, Answer::Held | Answer::ClientLimited)
            && is_reached
            && limits.any(|limit| fastest > limit)
    }

    fn judge(&self, probe: Probe, summary: &Summary) -> (Answer, Why) {
        if let Some(why) = limited_by_client(&judge(summary)) {
            return (Answer::ClientLimited, Why::ClientLimited(why));
        }
        let achieved = summary.achieved.rate_per_s;
        let asked = probe.rate * calls_per_session(probe, summary);
        let most = achieved.ci95.map_or(achieved.value, |(_, high)| high);
        // Sessions that wait for a reply ask for fewer calls, so that their rate alone shows nothing.
        let is_slower = !summary.steps.is_empty() || most < KEPT * asked;
        if is_slower && !completes_what_comes(summary) {
            return (Answer::Broken, Why::RateNotReached { completed_share: achieved.value / asked });
        }
        let results: Vec<SloResult> = self.slos.iter().map(|slo| slo.judge(summary)).collect();
        let near = |result: &SloResult| {
            result.actual.is_some_and(|actual| (actual - result.slo.limit).abs() < NEAR * result.slo.limit)
        };
        let may_look_again = probe.attempt < self.retests;
        let far_out = results.iter().any(|result| result.state == SloState::Broken && !near(result));
        let answer = match () {
            () if far_out => Answer::Broken,
            () if results.iter().any(|result| result.state == SloState::Unknown) => Answer::Unsure,
            () if may_look_again && results.iter().any(near) => Answer::Unsure,
            () if results.iter().all(SloResult::is_held) => Answer::Held,
            () => Answer::Broken,
        };
        // Random arrivals may be more or fewer than asked for, and the answer is then about another rate.
        let came = came_per_s(summary) / calls_per_session(probe, summary) / probe.rate;
        let answer = match answer {
            Answer::Broken if may_look_again && came > 1.0 + OFF => Answer::Unsure,
            Answer::Held if may_look_again && came < 1.0 - OFF => Answer::Unsure,
            answer => answer,
        };
        (answer, Why::Slos(results))
    }
}

/// Returns the calls of a session in a plan with steps, whose rate is that of sessions; 1 in other plans.
fn calls_per_session(probe: Probe, summary: &Summary) -> f64 {
    let came = came_per_s(summary);
    if summary.steps.is_empty() || came == 0.0 { 1.0 } else { came / probe.rate }
}

/// Returns how many calls a second came due in the measured window.
fn came_per_s(summary: &Summary) -> f64 {
    let end = summary.nominal.map_or(Timestamp::NEVER, |nominal| Timestamp::ZERO + nominal);
    let counted = summary.intervals.iter().filter(|interval| interval.measured && interval.end <= end);
    let (planned, seconds) = counted.fold((0, 0.0), |(planned, seconds), interval| {
        let length = interval.end.since(interval.start).as_secs_f64();
        (planned + interval.accounting.planned, seconds + length)
    });
    if seconds > 0.0 { planned as f64 / seconds } else { 0.0 }
}

/// Whether as many calls were completed as arrived. Random arrivals may be fewer than the rate, at a low rate by more than
/// the confidence intervals allow for, and that is not the server's doing.
fn completes_what_comes(summary: &Summary) -> bool {
    let end = summary.nominal.map_or(Timestamp::NEVER, |nominal| Timestamp::ZERO + nominal);
    let counted = summary.intervals.iter().filter(|interval| interval.measured && interval.end <= end);
    let (started, completed) = counted.fold((0, 0), |(started, completed), interval| {
        (started + interval.accounting.started, completed + interval.accounting.completed)
    });
    let came = started + summary.accounting.unstarted;
    completed > 0 && completed as f64 >= KEPT * came as f64
}

/// The reason why the results reflect the load generator, if they do.
fn limited_by_client(verdict: &Verdict) -> Option<Reason> {
    let limit = |cause: Cause| {
        matches!(
            cause,
            Cause::ClientBusy
                | Cause::Descriptors
                | Cause::Ports
                | Cause::Buffers
                | Cause::LocalErrors
                | Cause::Lag
        )
    };
    let reasons = verdict.doubts().find(|reason| {
        limit(reason.cause) || (reason.grade == Grade::Invalid && reason.cause != Cause::NothingMeasured)
    });
    reasons.cloned()
}

#[cfg(test)]
mod tests;
