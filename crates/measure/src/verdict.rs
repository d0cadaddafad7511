//! Whether a run's results can be trusted, and why not.
//!
//! Each rule detects one way in which the load generator, not the server, determined the results. A slow, stalled or
//! failing server is what is measured: it leaves the run valid. False alarms are worse than missed ones, so a rule
//! needs both the symptom and its size; the limits are at the top. Rules about CPU time are in [`late`].

mod late;

use crate::estimate::{is_known, samples_needed};
use crate::{Blame, Cause, Latency, Outcome, Phase, Reason, ReasonFigures, Summary};

/// Share of calls with errors of this machine from which on the run is about them.
const LOCAL_ERRORS_INVALID: f64 = 0.01;
/// Share of calls that had to wait for a slot from which on it is worth a note.
const HELD_BACK: f64 = 0.01;
/// Change of the mean between the halves of a run that is worth a note, if it is more than chance.
const TREND: f64 = 0.10;
/// Share of intervals that workers may hand over late.
const LATE_PAGES: f64 = 0.10;

/// How far the results can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Grade {
    /// The results reflect the server.
    Valid,
    /// The load generator affected them; the reasons name how and how much.
    Degraded,
    /// The results reflect the load generator, not the server.
    Invalid,
}

impl Grade {
    /// Returns the word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Degraded => "DEGRADED",
            Self::Invalid => "INVALID",
        }
    }
}

/// How far a run's results can be trusted, and why not further.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The worst grade of the reasons.
    pub grade: Grade,
    /// The worst first; notes last.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// Returns the reasons that make the grade, without the notes.
    pub fn doubts(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.grade > Grade::Valid)
    }

    /// Returns the notes, which are not doubts.
    pub fn notes(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.grade == Grade::Valid)
    }
}

/// Judges a run.
#[must_use]
pub fn judge(summary: &Summary) -> Verdict {
    let mut reasons = Vec::new();
    reasons.extend(accounting(summary));
    reasons.extend(nothing_measured(summary));
    reasons.extend(missing_shards(summary));
    reasons.extend(local_errors(summary));
    reasons.extend(late::reasons(summary));
    reasons.extend(slots_full(summary));
    reasons.extend(connections_refused(summary));
    reasons.extend(unfinished(summary));
    reasons.extend(resent(summary));
    reasons.extend(unexpected_bytes(summary));
    reasons.extend(tls_unclosed(summary));
    reasons.extend(few_samples(summary));
    reasons.extend(trend(summary));
    reasons.extend(interrupted(summary));
    reasons.extend(late_pages(summary));
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.grade));
    Verdict { grade: reasons.first().map_or(Grade::Valid, |reason| reason.grade), reasons }
}

fn note(cause: Cause, figures: ReasonFigures) -> Reason {
    Reason::new(Grade::Valid, cause, figures)
}

fn nothing_measured(summary: &Summary) -> Option<Reason> {
    if summary.latency.count > 0 {
        return None;
    }
    let figures = ReasonFigures::NothingMeasured {
        started: summary.accounting.started,
        completed: summary.accounting.completed,
        failed: summary.accounting.failed,
        unfinished: summary.accounting.unfinished,
        most_frequent_failure: summary.failures().first().map(|(outcome, _)| *outcome),
    };
    Some(Reason::new(Grade::Invalid, Cause::NothingMeasured, figures))
}

fn missing_shards(summary: &Summary) -> Option<Reason> {
    let missing_shards = summary.missing_shards.clone();
    (!missing_shards.is_empty()).then(|| {
        Reason::new(Grade::Degraded, Cause::MissingShards, ReasonFigures::MissingShards { missing_shards })
    })
}

fn local_errors(summary: &Summary) -> Vec<Reason> {
    let tally = &summary.tally;
    let of_connections = |outcome| {
        tally.connection_failures().find(|(failure, _)| *failure == outcome).map_or(0, |(_, count)| count)
    };
    let finished = tally.finished().max(1);
    let fewest = |limit: fn(&crate::HostEvidence) -> u64| {
        summary.hosts.iter().map(limit).filter(|limit| *limit > 0).min()
    };
    let is_local = |outcome: &Outcome| outcome.blame() == Blame::ThisMachine;
    let reason = |outcome: Outcome| {
        let errors = tally.outcome(outcome).max(of_connections(outcome));
        let of_all = errors as f64 / finished as f64;
        let grade = if of_all > LOCAL_ERRORS_INVALID { Grade::Invalid } else { Grade::Degraded };
        let cause = match outcome {
            Outcome::NoFiles => Cause::Descriptors,
            Outcome::NoPorts => Cause::Ports,
            Outcome::NoBuffers => Cause::Buffers,
            _ => Cause::LocalErrors,
        };
        let figures = ReasonFigures::LocalErrors {
            outcome,
            errors,
            finished,
            descriptors_limit: fewest(|host| host.descriptors_limit).filter(|_| cause == Cause::Descriptors),
            ports_available: fewest(|host| host.ports_available).filter(|_| cause == Cause::Ports),
        };
        (errors > 0).then(|| Reason::new(grade, cause, figures))
    };
    Outcome::all().filter(is_local).filter_map(reason).collect()
}

/// Returns the share of calls that waited for a slot.
fn held_back_share(summary: &Summary) -> f64 {
    let counters = summary.tally.counters();
    (counters.held_back as f64 / (counters.started + counters.unstarted).max(1) as f64).min(1.0)
}

fn slots_full(summary: &Summary) -> Option<Reason> {
    if held_back_share(summary) <= HELD_BACK || late::is_saturated(summary) {
        return None;
    }
    let counters = summary.tally.counters();
    let capped = summary.hosts.iter().filter(|host| host.is_capped);
    let figures = ReasonFigures::SlotsFull {
        held_back: counters.held_back,
        planned: counters.started + counters.unstarted,
        in_flight_limit: summary.in_flight_limit().max(summary.achieved.max_in_flight),
        rate_per_s: summary.achieved.rate_per_s.value,
        target_rate_per_s: summary.target_rate,
        descriptors_limit: capped.map(|host| host.descriptors_limit).min(),
    };
    Some(note(Cause::SlotsFull, figures))
}

fn connections_refused(summary: &Summary) -> Option<Reason> {
    let (connections_held, connections_asked) = (summary.connections_held(), summary.connections_asked());
    let of_target = |failure: &(Outcome, u64)| failure.0.blame() == Blame::Target;
    let failures = summary.tally.connection_failures().filter(of_target);
    let connections_failed: u64 = failures.map(|(_, count)| count).sum();
    let figures =
        ReasonFigures::ConnectionsRefused { connections_held, connections_asked, connections_failed };
    let short = u128::from(connections_held) * 10 < u128::from(connections_asked) * 9;
    (short && connections_failed > 0).then(|| note(Cause::ConnectionsRefused, figures))
}

fn unfinished(summary: &Summary) -> Option<Reason> {
    let ages = summary.tally.phase(Phase::UnfinishedAge);
    let oldest_ns = ages.moments().max_ns()?;
    let p99 = Latency::of(&summary.tally).quantile(0.99)?;
    let stuck = oldest_ns >= 1_000_000_000 && oldest_ns > p99.value_ns.saturating_mul(10);
    let latency_p99_above_ns = p99.is_at_least.then_some(p99.value_ns);
    let figures = ReasonFigures::Unfinished { unfinished: ages.count(), oldest_ns, latency_p99_above_ns };
    (p99.is_at_least || stuck).then(|| note(Cause::Unfinished, figures))
}

fn resent(summary: &Summary) -> Option<Reason> {
    let counters = summary.tally.counters();
    let figures = ReasonFigures::Resent { resent: counters.resent, requests: counters.requests };
    (counters.resent > 0).then(|| note(Cause::Resent, figures))
}

fn unexpected_bytes(summary: &Summary) -> Option<Reason> {
    let connections = summary.tally.counters().unexpected_bytes;
    let figures = ReasonFigures::UnexpectedBytes { connections };
    (connections > 0).then(|| note(Cause::UnexpectedBytes, figures))
}

fn tls_unclosed(summary: &Summary) -> Option<Reason> {
    let replies = summary.tally.counters().tls_unclosed;
    (replies > 0).then(|| note(Cause::TlsUnclosed, ReasonFigures::TlsUnclosed { replies }))
}

fn few_samples(summary: &Summary) -> Option<Reason> {
    const QUANTILE: f64 = 0.99;
    let samples = summary.latency.count;
    let figures = ReasonFigures::FewSamples { quantile: QUANTILE, needed: samples_needed(QUANTILE), samples };
    (samples > 0 && !is_known(QUANTILE, samples)).then(|| note(Cause::FewSamples, figures))
}

fn trend(summary: &Summary) -> Option<Reason> {
    let changed = |trend: Option<crate::Trend>| {
        trend.filter(|trend| trend.significant && trend.change.abs() > TREND).map(|trend| trend.change)
    };
    let (latency, rate) = (changed(summary.latency_trend), changed(summary.rate_trend));
    let figures = ReasonFigures::Trend { latency_change_share: latency, rate_change_share: rate };
    latency.or(rate).map(|_| note(Cause::Trend, figures))
}

fn interrupted(summary: &Summary) -> Vec<Reason> {
    let nanos = |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let figures =
        ReasonFigures::Interrupted { wall_ns: nanos(summary.wall), nominal_ns: summary.nominal.map(nanos) };
    (0..)
        .zip(&summary.hosts)
        .filter(|(_, host)| host.interrupted)
        .map(|(number, _)| Reason {
            host: summary.host_name(number),
            ..note(Cause::Interrupted, figures.clone())
        })
        .collect()
}

fn accounting(summary: &Summary) -> Vec<Reason> {
    let reason = |(number, host): (usize, &crate::HostEvidence)| {
        host.mismatch.map(|mismatch| Reason {
            grade: Grade::Invalid,
            cause: Cause::Accounting,
            host: summary.host_name(number),
            figures: ReasonFigures::Accounting(mismatch),
        })
    };
    (0..).zip(&summary.hosts).filter_map(reason).collect()
}

fn late_pages(summary: &Summary) -> Vec<Reason> {
    let intervals = summary.intervals.len().max(1);
    let reason = |(number, host): (usize, &crate::HostEvidence)| {
        let late_pages: u64 = host.workers.iter().map(|worker| worker.late_pages).sum();
        let pages = intervals * host.workers.len().max(1);
        (late_pages as f64 > LATE_PAGES * pages as f64).then(|| Reason {
            host: summary.host_name(number),
            ..note(Cause::LatePages, ReasonFigures::LatePages { late_pages })
        })
    };
    (0..).zip(&summary.hosts).filter_map(reason).collect()
}

#[cfg(test)]
mod tests;
