//! Whether a run's own numbers can be believed, and why.
//!
//! Each rule looks for one way in which the machine the load comes from, and not the server, made the numbers. A slow,
//! stalled or failing server is what is being measured: it leaves the run valid. False alarms are worse than silence,
//! so a rule needs both the symptom and its size; the limits are at the top.

use crate::estimate::is_known;
use crate::unit::{count, counted, duration, rate, share};
use crate::{Blame, Outcome, Phase, Summary};
use std::time::Duration;

/// Lag below this is never an alarm: sleeping in the kernel is no more exact on a busy machine.
const LAG_FLOOR_NS: u64 = 1_000_000;
/// Share of the p99 of latency that lag may make up: beyond, the percentiles are partly ours.
const LAG_SHARE: f64 = 0.10;
/// Lag from which on the percentiles are mostly ours.
const LAG_INVALID_NS: u64 = 10_000_000;
const LAG_INVALID_SHARE: f64 = 0.50;
/// A worker that works for more than this share of its time is the limit of a closed loop. One at 60 to 90 % is normal
/// when the server runs on the other core.
const SATURATED: f64 = 0.95;
/// In a shorter run shares of its time are chance: the scheduler's turns take some milliseconds each.
const SHARES_MEAN: Duration = Duration::from_millis(50);
/// Share of its time for which a worker may wait for a core.
const DELAYED: f64 = 0.20;
/// The same where it explains lag that was observed.
const DELAYED_WITH_LAG: f64 = 0.01;
/// Share of the machine's time that a hypervisor may take.
const STOLEN: f64 = 0.05;
const STOLEN_INVALID: f64 = 0.25;
/// It is counted over all cores; what it took from the workers' can be several times as much.
const STOLEN_WITH_LAG: f64 = 0.002;
/// Share of the run for which the control group may be stopped.
const THROTTLED: f64 = 0.02;
const THROTTLED_INVALID: f64 = 0.25;
const THROTTLED_WITH_LAG: f64 = 0.002;
/// Busy share of all cores from which on the machine as a whole explains lag.
const HOST_BUSY_WITH_LAG: f64 = 0.95;
/// Share of calls with errors of this machine from which on the run is about them.
const LOCAL_ERRORS_INVALID: f64 = 0.01;
/// Share of planned calls that may stay unstarted, and from which on the load was not the one asked for.
const UNSTARTED: f64 = 0.01;
const UNSTARTED_INVALID: f64 = 0.10;
/// So few calls are always left at a stop.
const UNSTARTED_FEW: u64 = 10;
/// Share of calls that had to wait for a slot from which on it is worth a note.
const HELD_BACK: f64 = 0.01;
/// Share of calls in flight at the stop, older than p99, from which on p99 is too low.
const UNFINISHED: f64 = 0.01;
/// Change of the mean between the halves of a run that is worth a note, if it is more than chance.
const TREND: f64 = 0.10;
/// Share of intervals that workers may hand over late.
const LATE_PAGES: f64 = 0.10;

/// How far the numbers can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Grade {
    /// They are about the server.
    Valid,
    /// Something of this machine is in them; the reasons say what and how much.
    Degraded,
    /// They are about this machine.
    Invalid,
}

impl Grade {
    /// The word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Degraded => "DEGRADED",
            Self::Invalid => "INVALID",
        }
    }
}

/// What made a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Not one call came to an end that can be measured.
    NothingMeasured,
    /// Out of file descriptors.
    Descriptors,
    /// Out of local ports.
    Ports,
    /// Out of socket memory.
    Buffers,
    /// Another error of this machine.
    LocalErrors,
    /// Calls were begun late, and nothing that was observed says why.
    Lag,
    /// The workers had more to do than their cores could.
    ClientBusy,
    /// Something else used the cores.
    CpuContention,
    /// The hypervisor gave the cores to others.
    CpuStolen,
    /// The control group's CPU limit stopped this process.
    CpuThrottled,
    /// Calls were never begun.
    Unstarted,
    /// Parts of the test are missing.
    MissingShards,
    /// All slots were busy: the server did not keep up.
    SlotsFull,
    /// The server refused some of the connections asked for.
    ConnectionsRefused,
    /// Calls in flight at the stop were older than the percentiles say.
    Unfinished,
    /// Too few calls for the usual percentiles.
    FewSamples,
    /// The figures changed during the run.
    Trend,
    /// The run was stopped before its end.
    Interrupted,
    /// Intervals were handed over late.
    LatePages,
}

impl Cause {
    /// The name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing_measured",
            Self::Descriptors => "descriptors",
            Self::Ports => "ports",
            Self::Buffers => "buffers",
            Self::LocalErrors => "local_errors",
            Self::Lag => "lag",
            Self::ClientBusy => "client_busy",
            Self::CpuContention => "cpu_contention",
            Self::CpuStolen => "cpu_stolen",
            Self::CpuThrottled => "cpu_throttled",
            Self::Unstarted => "unstarted",
            Self::MissingShards => "missing_shards",
            Self::SlotsFull => "slots_full",
            Self::ConnectionsRefused => "connections_refused",
            Self::Unfinished => "unfinished",
            Self::FewSamples => "few_samples",
            Self::Trend => "trend",
            Self::Interrupted => "interrupted",
            Self::LatePages => "late_pages",
        }
    }

    /// What happened, in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing was measured",
            Self::Descriptors => "this process ran out of file descriptors",
            Self::Ports => "this machine ran out of local ports",
            Self::Buffers => "this machine ran out of socket memory",
            Self::LocalErrors => "this machine made errors",
            Self::Lag => "calls were begun late",
            Self::ClientBusy => "the load generator was the limit",
            Self::CpuContention => "something else used the load generator's cores",
            Self::CpuStolen => "the hypervisor gave the cores to others",
            Self::CpuThrottled => "the control group's CPU limit stopped the load generator",
            Self::Unstarted => "not all of the load was generated",
            Self::MissingShards => "parts of the test are missing",
            Self::SlotsFull => "the server did not keep up",
            Self::ConnectionsRefused => "the server took fewer connections than asked for",
            Self::Unfinished => "calls in flight at the stop had waited for long",
            Self::FewSamples => "few calls",
            Self::Trend => "the figures changed during the run",
            Self::Interrupted => "the run was stopped early",
            Self::LatePages => "the timeline is less exact than its intervals",
        }
    }
}

/// Why a run is not beyond doubt: what, how it is known, and what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it does to the verdict; [`Grade::Valid`] is a note.
    pub grade: Grade,
    /// What happened.
    pub cause: Cause,
    /// The figures that show it.
    pub evidence: String,
    /// What to do about it.
    pub remedy: String,
}

/// How far a run's numbers can be believed, and why not further.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The worst grade of the reasons.
    pub grade: Grade,
    /// The worst first; notes last.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// The reasons that make the grade, without the notes.
    pub fn doubts(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.grade > Grade::Valid)
    }

    /// What should be known but is no doubt.
    pub fn notes(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.grade == Grade::Valid)
    }
}

/// Judges a run.
#[must_use]
pub fn judge(summary: &Summary) -> Verdict {
    let mut reasons = Vec::new();
    reasons.extend(nothing_measured(summary));
    reasons.extend(missing_shards(summary));
    reasons.extend(local_errors(summary));
    match client_late(summary) {
        Some(reason) => reasons.push(reason),
        None => reasons.extend(cpu_doubts(summary)),
    }
    reasons.extend(slots_full(summary));
    reasons.extend(connections_refused(summary));
    reasons.extend(unfinished(summary));
    reasons.extend(few_samples(summary));
    reasons.extend(trend(summary));
    reasons.extend(interrupted(summary));
    reasons.extend(late_pages(summary));
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.grade));
    Verdict { grade: reasons.first().map_or(Grade::Valid, |reason| reason.grade), reasons }
}

fn reason(grade: Grade, cause: Cause, evidence: String, remedy: impl Into<String>) -> Reason {
    Reason { grade, cause, evidence, remedy: remedy.into() }
}

fn nothing_measured(summary: &Summary) -> Option<Reason> {
    if summary.latency.count > 0 {
        return None;
    }
    let accounts = &summary.accounting;
    let most = summary.failures().first().map(|(outcome, _)| format!(", mostly: {}", outcome.text()));
    let evidence = format!(
        "{} started, {} failed, {} in flight at the stop{}",
        counted(accounts.started, "call"),
        count(accounts.failed),
        count(accounts.unfinished),
        most.unwrap_or_default()
    );
    let remedy = if accounts.started > 0 && accounts.completed > 0 {
        "make the run longer than its warm-up"
    } else {
        "check with one request that the server answers under this URL"
    };
    Some(reason(Grade::Invalid, Cause::NothingMeasured, evidence, remedy))
}

fn missing_shards(summary: &Summary) -> Option<Reason> {
    if summary.missing_shards.is_empty() {
        return None;
    }
    let missing: Vec<_> = summary.missing_shards.iter().map(u32::to_string).collect();
    Some(reason(
        Grade::Degraded,
        Cause::MissingShards,
        format!("shards missing: {}", missing.join(", ")),
        "merge all of them; the load on the server was that of all",
    ))
}

fn local_errors(summary: &Summary) -> Vec<Reason> {
    let tally = &summary.tally;
    let of_connections = |outcome| {
        tally.connection_failures().find(|(failure, _)| *failure == outcome).map_or(0, |(_, count)| count)
    };
    let finished = tally.finished().max(1);
    Outcome::all()
        .filter(|outcome| outcome.blame() == Blame::ThisMachine)
        .filter_map(|outcome| {
            let errors = tally.outcome(outcome).max(of_connections(outcome));
            let of_all = errors as f64 / finished as f64;
            let grade = if of_all > LOCAL_ERRORS_INVALID { Grade::Invalid } else { Grade::Degraded };
            let (cause, remedy) = local_remedy(summary, outcome);
            let evidence =
                format!("{}: {} in {}", outcome.text(), counted(errors, "time"), counted(finished, "call"));
            (errors > 0).then(|| reason(grade, cause, evidence, remedy))
        })
        .collect()
}

fn local_remedy(summary: &Summary, outcome: Outcome) -> (Cause, String) {
    let evidence = &summary.evidence;
    match outcome {
        Outcome::NoFiles => (
            Cause::Descriptors,
            format!(
                "raise the hard limit, now {} (`ulimit -Hn`), or use fewer connections",
                evidence.descriptors_limit
            ),
        ),
        Outcome::NoPorts => (
            Cause::Ports,
            format!(
                "keep connections alive, use more source addresses (`--bind`), or widen net.ipv4.ip_local_port_range; \
                 now {} ports",
                count(evidence.ports_available)
            ),
        ),
        Outcome::NoBuffers => (
            Cause::Buffers,
            "use fewer connections or smaller socket buffers, or raise net.ipv4.tcp_mem".into(),
        ),
        Outcome::Denied => (Cause::LocalErrors, "check this machine's firewall and permissions".into()),
        _ => (Cause::LocalErrors, "look at this machine's log".into()),
    }
}

/// What to do when the cores are taken. The server under test may be what takes them.
const MORE_ROOM: &str = "stop what else runs on this machine, use fewer threads than cores, or move the load generator \
                         away from the server";

/// Something of this machine that keeps its workers from working, and how it shows.
struct Hindrance {
    cause: Cause,
    evidence: String,
    remedy: &'static str,
}

/// What stands in the way of the worst worker or the machine, where that is more than `delayed`, `stolen`, `throttled`.
fn hindrance(summary: &Summary, delayed: f64, stolen: f64, throttled: f64) -> Option<Hindrance> {
    let evidence = &summary.evidence;
    let wall = summary.wall.as_secs_f64();
    let throttle =
        evidence.cgroup_throttled.filter(|_| wall > 0.0).map_or(0.0, |time| time.as_secs_f64() / wall);
    if throttle > throttled {
        return Some(Hindrance {
            cause: Cause::CpuThrottled,
            evidence: format!("throttled for {} of the run", share(throttle)),
            remedy: "raise the container's CPU limit, or lower the load",
        });
    }
    let delays = evidence.workers.iter().map(|worker| worker.delayed_share());
    let (worst, delay) = delays.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let steal = evidence.steal_share.unwrap_or(0.0);
    // Where both are so, the one that took more of the time is named.
    if steal > stolen && (steal >= delay || delay <= delayed) {
        return Some(Hindrance {
            cause: Cause::CpuStolen,
            evidence: format!("{} of the machine's CPU time was stolen", share(steal)),
            remedy: "use a machine with cores of its own",
        });
    }
    (delay > delayed).then(|| Hindrance {
        cause: Cause::CpuContention,
        evidence: format!("worker {worst} waited for a core for {} of its time", share(delay)),
        remedy: MORE_ROOM,
    })
}

/// The busiest worker that is beyond its core, with the share of its time that it worked.
fn saturated(summary: &Summary) -> Option<(usize, f64)> {
    let spins = summary.evidence.idle.contains("spin");
    let loads = summary.evidence.workers.iter().map(|worker| worker.load_share(spins));
    loads.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, load)| *load > SATURATED)
}

fn held_back_share(summary: &Summary) -> f64 {
    let counters = summary.tally.counters();
    (counters.held_back as f64 / (counters.started + counters.unstarted).max(1) as f64).min(1.0)
}

/// Lag that matters, or load that was not generated, where it is this machine's doing.
fn client_late(summary: &Summary) -> Option<Reason> {
    let (grade, symptom) = match (lag(summary), unstarted(summary)) {
        (Some(lag), Some(unstarted)) => (lag.0.max(unstarted.0), format!("{}; {}", lag.1, unstarted.1)),
        (lag, unstarted) => lag.or(unstarted)?,
    };
    let cause = if let Some((worker, load)) = saturated(summary) {
        Hindrance {
            cause: Cause::ClientBusy,
            evidence: format!("worker {worker} was busy for {} of its time", share(load)),
            remedy: "use more threads or machines, or lower the load",
        }
    } else if lag(summary).is_none() && held_back_share(summary) > HELD_BACK {
        // All slots were busy, and those who got one were served at once: the server was slow, not this machine.
        return None;
    } else if let Some(found) = hindrance(summary, DELAYED_WITH_LAG, STOLEN_WITH_LAG, THROTTLED_WITH_LAG) {
        found
    } else if let Some(busy) = summary.evidence.host_cpu_busy_share.filter(|busy| *busy > HOST_BUSY_WITH_LAG)
    {
        Hindrance {
            cause: Cause::CpuContention,
            evidence: format!("all cores of this machine were busy for {} of the run", share(busy)),
            remedy: MORE_ROOM,
        }
    } else if lag(summary).is_some() {
        let spins = summary.evidence.idle.contains("spin");
        let remedy = if spins { "look for what interrupts this machine" } else { "try `--idle spin`" };
        Hindrance { cause: Cause::Lag, evidence: "the workers had time to spare".into(), remedy }
    } else {
        Hindrance {
            cause: Cause::Unstarted,
            evidence: "the workers had time to spare".into(),
            remedy: "please report this",
        }
    };
    Some(reason(grade, cause.cause, format!("{symptom}; {}", cause.evidence), cause.remedy))
}

/// Lag that makes up a good part of the latency, as grade and figures.
///
/// Calls that waited for a slot waited for the server, unless it was a busy worker that kept the slots. Theirs may be the
/// longest lags: the rest has at least the p99 that is left without them.
fn lag(summary: &Summary) -> Option<(Grade, String)> {
    summary.lag.quantile_ns("p99")?;
    let excused = if saturated(summary).is_some() { 0.0 } else { held_back_share(summary) };
    let own = 0.99 * (1.0 - excused);
    let lag = summary.tally.phase(Phase::Lag).quantile(own)?;
    let latency = summary.tally.phase(Phase::Latency).quantile(0.99)?;
    let of_latency = lag as f64 / latency.max(1) as f64;
    if lag < LAG_FLOOR_NS || of_latency < LAG_SHARE {
        return None;
    }
    let invalid = lag >= LAG_INVALID_NS && of_latency >= LAG_INVALID_SHARE;
    let of_these = if own < 0.99 { " of calls that waited for no slot" } else { "" };
    let evidence =
        format!("p99 of lag{of_these} {}, p99 of latency {}", duration(lag as f64), duration(latency as f64));
    Some((if invalid { Grade::Invalid } else { Grade::Degraded }, evidence))
}

/// Load that was asked for and not generated, as grade and figures.
fn unstarted(summary: &Summary) -> Option<(Grade, String)> {
    let accounts = &summary.accounting;
    let of_planned = accounts.unstarted as f64 / accounts.planned.max(1) as f64;
    if of_planned <= UNSTARTED || accounts.unstarted <= UNSTARTED_FEW {
        return None;
    }
    let grade = if of_planned > UNSTARTED_INVALID { Grade::Invalid } else { Grade::Degraded };
    let evidence =
        format!("{} of {} planned calls never started", count(accounts.unstarted), count(accounts.planned));
    Some((grade, evidence))
}

/// What keeps the workers from working even where no lag shows. In a closed loop there is hardly any to show, and in any
/// loop replies wait to be read.
fn cpu_doubts(summary: &Summary) -> Option<Reason> {
    if summary.wall < SHARES_MEAN {
        return None;
    }
    if let Some(found) = hindrance(summary, DELAYED, STOLEN, THROTTLED) {
        let evidence = &summary.evidence;
        let throttled =
            evidence.cgroup_throttled.unwrap_or_default().as_secs_f64() / summary.wall.as_secs_f64();
        let invalid = match found.cause {
            Cause::CpuThrottled => throttled > THROTTLED_INVALID,
            Cause::CpuStolen => evidence.steal_share > Some(STOLEN_INVALID),
            _ => false,
        };
        let grade = if invalid { Grade::Invalid } else { Grade::Degraded };
        return Some(reason(grade, found.cause, found.evidence, found.remedy));
    }
    let (worker, load) = saturated(summary).filter(|_| !summary.open)?;
    let evidence = format!(
        "worker {worker} was busy for {} of its time: {} is this machine's limit, not the server's",
        share(load),
        rate(summary.achieved.rate_per_s.value)
    );
    Some(reason(
        Grade::Degraded,
        Cause::ClientBusy,
        evidence,
        "use more threads or machines to find the server's",
    ))
}

fn slots_full(summary: &Summary) -> Option<Reason> {
    if held_back_share(summary) <= HELD_BACK || saturated(summary).is_some() {
        return None;
    }
    let counters = summary.tally.counters();
    let limit = summary.evidence.in_flight_limit.max(summary.achieved.max_in_flight);
    let mut evidence = format!(
        "{} of {} calls waited for one of {} slots",
        count(counters.held_back),
        count(counters.started + counters.unstarted),
        count(limit)
    );
    if let Some(target) = summary.target_rate {
        let achieved = summary.achieved.rate_per_s.value;
        evidence += &format!("; {} of {} achieved", rate(achieved), rate(target));
    }
    let remedy = "nothing, if the load is the one you mean: latency counts the waiting";
    Some(reason(Grade::Valid, Cause::SlotsFull, evidence, remedy))
}

fn connections_refused(summary: &Summary) -> Option<Reason> {
    let evidence = &summary.evidence;
    let refused: u64 = summary
        .tally
        .connection_failures()
        .filter(|(outcome, _)| outcome.blame() == Blame::Target)
        .map(|(_, count)| count)
        .sum();
    let short = evidence.connections_held * 10 < evidence.connections_asked * 9;
    (short && refused > 0).then(|| {
        let figures = format!(
            "{} of {} connections held, {} attempts failed",
            count(evidence.connections_held),
            count(evidence.connections_asked),
            count(refused)
        );
        reason(
            Grade::Valid,
            Cause::ConnectionsRefused,
            figures,
            "look at the server's connection limit and backlog",
        )
    })
}

fn unfinished(summary: &Summary) -> Option<Reason> {
    let ages = summary.tally.phase(Phase::UnfinishedAge);
    let oldest = ages.moments().max_ns()?;
    let p99 = summary.tally.phase(Phase::Latency).quantile(0.99)?;
    let older = ages.count() - ages.histogram().count_at_most(p99);
    let all = ages.count() + summary.latency.count;
    let p99_is_low = older as f64 > UNFINISHED * all as f64;
    let stuck = oldest >= 1_000_000_000 && oldest > p99.saturating_mul(10);
    if !p99_is_low && !stuck {
        return None;
    }
    let mut evidence =
        format!("{}, the oldest for {}", counted(ages.count(), "call"), duration(oldest as f64));
    if p99_is_low {
        evidence += &format!("; the true p99 is above {}", duration(p99 as f64));
    }
    Some(reason(
        Grade::Valid,
        Cause::Unfinished,
        evidence,
        "make the run longer than the server's slowest reply",
    ))
}

fn few_samples(summary: &Summary) -> Option<Reason> {
    let calls = summary.latency.count;
    (calls > 0 && !is_known(0.99, calls)).then(|| {
        let evidence = format!("p99 cannot be told from {}; it takes 368", counted(calls, "call"));
        reason(Grade::Valid, Cause::FewSamples, evidence, "make the run longer for the percentiles left out")
    })
}

fn trend(summary: &Summary) -> Option<Reason> {
    let changed = |name: &str, trend: Option<crate::Trend>| {
        trend.filter(|t| t.significant && t.change.abs() > TREND).map(|t| {
            let direction = if t.change > 0.0 { "more" } else { "less" };
            format!("{name} {} {direction} in the second half", share(t.change.abs()))
        })
    };
    let latency = changed("mean latency", summary.latency_trend);
    let found: Vec<_> = latency.into_iter().chain(changed("rate", summary.rate_trend)).collect();
    (!found.is_empty()).then(|| {
        reason(
            Grade::Valid,
            Cause::Trend,
            found.join(", "),
            "use a longer `--warmup`, or look at the timeline",
        )
    })
}

fn interrupted(summary: &Summary) -> Option<Reason> {
    summary.evidence.interrupted.then(|| {
        let ran = duration(summary.wall.as_nanos() as f64);
        let evidence = match summary.nominal {
            Some(nominal) => format!("after {ran} of {}", duration(nominal.as_nanos() as f64)),
            None => format!("after {ran}"),
        };
        reason(Grade::Valid, Cause::Interrupted, evidence, "the figures are those of the time it ran")
    })
}

fn late_pages(summary: &Summary) -> Option<Reason> {
    let late: u64 = summary.evidence.workers.iter().map(|worker| worker.late_pages).sum();
    let pages = summary.intervals.len().max(1) * summary.evidence.workers.len().max(1);
    (late as f64 > LATE_PAGES * pages as f64).then(|| {
        let evidence = format!("{} intervals were handed over late", count(late));
        reason(Grade::Valid, Cause::LatePages, evidence, "leave a core to the thread that adds up")
    })
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
