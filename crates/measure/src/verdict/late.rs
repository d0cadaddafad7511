//! Rules about the load generator's CPU time: whether calls started late, and what explains it.

use super::{Grade, held_back_share};
use crate::{
    Cause, Explanation, HostEvidence, Latency, Lateness, Phase, Reason, ReasonFigures, Summary,
    WorkerEvidence,
};
use std::time::Duration;

/// Lag below this never raises an alarm: sleeping in the kernel is no more exact on a busy machine.
const LAG_FLOOR_NS: u64 = 1_000_000;
/// Share of the p99 of latency that lag may make up; beyond it, the load generator affected the percentiles.
const LAG_SHARE: f64 = 0.10;
/// Lag from which on the percentiles mostly reflect the load generator.
const LAG_INVALID_NS: u64 = 10_000_000;
const LAG_INVALID_SHARE: f64 = 0.50;
/// A worker that works for more than this share of its time limits a closed loop. One at 60 to 90 % is normal when the
/// server runs on the other core.
const SATURATED: f64 = 0.95;
/// In a shorter run these shares are random: the scheduler's time slices take some milliseconds each.
const SHARES_MEAN: Duration = Duration::from_millis(50);
/// Share of its time for which a worker may wait for a core, and share of the machine's time that a hypervisor may take,
/// whatever the percentiles are: beyond it means and rates change as well. The server under test may be using the cores.
const DELAYED: f64 = 0.20;
const STOLEN: f64 = 0.20;
const STOLEN_INVALID: f64 = 0.25;
/// The same where the percentiles show it. Less than 1 % of the time delays less than 1 % of the requests, which p99 leaves
/// out, and waking up takes some of it on any machine: 38 quiet runs stayed below 1.5 %.
const DELAYED_WITH_EFFECT: f64 = 0.015;
const STOLEN_WITH_EFFECT: f64 = 0.05;
/// Time in the p99 of latency that is an effect of lost time, in an open loop, where lag shows how long the delays are.
const ADDED_NS: u64 = 150_000;
const ADDED_SHARE: f64 = 0.25;
/// The same in a closed loop, where nothing tells such delays from those of the server.
const ADDED_CLOSED_NS: u64 = 1_000_000;
const ADDED_CLOSED_SHARE: f64 = 0.50;
/// The same share where it explains lag that was observed.
const DELAYED_WITH_LAG: f64 = 0.01;
/// It is counted over all cores; what it took from the workers' can be several times as much.
const STOLEN_WITH_LAG: f64 = 0.002;
/// Share of the run for which the control group may be stopped.
const THROTTLED: f64 = 0.02;
const THROTTLED_INVALID: f64 = 0.25;
const THROTTLED_WITH_LAG: f64 = 0.002;
/// Busy share of all cores from which on the machine as a whole explains lag.
const HOST_BUSY_WITH_LAG: f64 = 0.95;
/// Share of planned calls that may stay unstarted, and the share from which on the load was not the requested one.
const UNSTARTED: f64 = 0.01;
const UNSTARTED_INVALID: f64 = 0.10;
/// Up to this many calls are always left at a stop.
const UNSTARTED_FEW: u64 = 10;
/// Share of calls that waited for a slot from which on the server's slowness explains calls that never started.
const HELD_BACK: f64 = 0.01;

/// Returns the reasons about lateness and CPU time; each host is judged separately.
pub(super) fn reasons(summary: &Summary) -> Vec<Reason> {
    let starved = starved(summary);
    if !starved.is_empty() {
        return starved;
    }
    match lateness(summary) {
        Some((grade, lateness)) => explained(summary, grade, lateness),
        None => cpu_doubts(summary),
    }
}

/// Whether some worker is beyond its core.
pub(super) fn is_saturated(summary: &Summary) -> bool {
    summary.hosts.iter().any(|host| saturated(host).is_some())
}

/// The busiest worker if it is beyond its core, with the share of its time that it worked. One that waited for a core
/// was starved: how much it would have had to do is not known.
fn saturated(host: &HostEvidence) -> Option<(u32, f64)> {
    let had_core = (0..).zip(&host.workers).filter(|(_, worker)| worker.delayed_share() <= DELAYED);
    had_core
        .map(|(number, worker)| (number, worker.load_share(host.idle.is_busy_polling())))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, load)| *load > SATURATED)
}

/// Returns the workers that had no core: users of a closed loop never began, or counts are missing because the worker did not
/// end with the run. The load was not the requested one.
fn starved(summary: &Summary) -> Vec<Reason> {
    let is_starved = |worker: &WorkerEvidence| worker.is_lost || !summary.open && worker.starved > 0;
    let reason = |(number, host): (usize, &HostEvidence)| {
        let starved = || (0..).zip(&host.workers).filter(|(_, worker)| is_starved(worker));
        let figures = ReasonFigures::Starved {
            users_never_begun: starved().map(|(_, worker)| worker.starved).sum(),
            users: host.users,
            workers: starved().map(|(worker, _)| worker).collect(),
        };
        let cause = match hindrance(host, summary.wall, (DELAYED, STOLEN, THROTTLED)) {
            Some(explanation) => cause(explanation, &Lateness::default()),
            None => Cause::CpuContention,
        };
        starved().next()?;
        Some(Reason { host: summary.host_name(number), ..Reason::new(Grade::Invalid, cause, figures) })
    };
    (0..).zip(&summary.hosts).filter_map(reason).collect()
}

fn throttled_share(host: &HostEvidence, wall: Duration) -> f64 {
    let throttled = host.cgroup_throttled.unwrap_or_default();
    if wall.is_zero() { 0.0 } else { throttled.as_secs_f64() / wall.as_secs_f64() }
}

/// What kept the workers of a host from working, where it is more than these shares of the time.
fn hindrance(
    host: &HostEvidence,
    wall: Duration,
    (delayed, stolen, throttled): (f64, f64, f64),
) -> Option<Explanation> {
    let throttled_share = throttled_share(host, wall);
    if throttled_share > throttled {
        return Some(Explanation::Throttled { throttled_share });
    }
    let delays = (0..).zip(host.workers.iter().map(WorkerEvidence::delayed_share));
    let (worker, delayed_share) = delays.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let steal_share = host.steal_share.unwrap_or(0.0);
    // If both are true, the one that took more of the time is named.
    if steal_share > stolen && (steal_share >= delayed_share || delayed_share <= delayed) {
        return Some(Explanation::Stolen { steal_share });
    }
    (delayed_share > delayed).then_some(Explanation::Delayed { worker, delayed_share })
}

/// Lag that matters, or load that was not generated, as grade and figures.
fn lateness(summary: &Summary) -> Option<(Grade, Lateness)> {
    let (lag, unstarted) = (lag(summary), unstarted(summary));
    let grade = lag.map(|lag| lag.0).into_iter().chain(unstarted.map(|unstarted| unstarted.0)).max()?;
    // Calls that never started explain nothing if all slots were busy, and those who got one started at once: then the
    // server was slow, not this machine.
    if lag.is_none() && held_back_share(summary) > HELD_BACK && !is_saturated(summary) {
        return None;
    }
    let lag = lag.map(|lag| lag.1).unwrap_or_default();
    let unstarted = unstarted.map(|unstarted| unstarted.1).unwrap_or_default();
    Some((grade, Lateness { unstarted: unstarted.unstarted, planned: unstarted.planned, ..lag }))
}

/// What explains lateness on a host, if anything.
type Rule<'r> = dyn Fn(&HostEvidence) -> Option<Explanation> + 'r;

/// One reason for each host that explains the lateness, or one without an explanation.
fn explained(summary: &Summary, grade: Grade, lateness: Lateness) -> Vec<Reason> {
    let limits = (DELAYED_WITH_LAG, STOLEN_WITH_LAG, THROTTLED_WITH_LAG);
    let busy = |host: &HostEvidence| {
        saturated(host).map(|(worker, busy_share)| Explanation::Busy { worker, busy_share })
    };
    let hindered = |host: &HostEvidence| hindrance(host, summary.wall, limits);
    let all_busy = |host: &HostEvidence| {
        let share = host.host_cpu_busy_share.filter(|busy| *busy > HOST_BUSY_WITH_LAG)?;
        Some(Explanation::HostBusy { host_cpu_busy_share: share })
    };
    let rules: [&Rule<'_>; 3] = [&busy, &hindered, &all_busy];
    let reason = |host: Option<String>, explanation: Explanation| Reason {
        grade,
        cause: cause(explanation, &lateness),
        host,
        figures: ReasonFigures::Late { lateness, explanation },
    };
    for rule in rules {
        let found: Vec<Reason> = (0..)
            .zip(&summary.hosts)
            .filter_map(|(number, host)| Some(reason(summary.host_name(number), rule(host)?)))
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    let is_busy_polling = summary.hosts.iter().any(|host| host.idle.is_busy_polling());
    vec![reason(None, Explanation::Unexplained { is_busy_polling })]
}

fn cause(explanation: Explanation, lateness: &Lateness) -> Cause {
    match explanation {
        Explanation::Busy { .. } => Cause::ClientBusy,
        Explanation::Delayed { .. } | Explanation::HostBusy { .. } => Cause::CpuContention,
        Explanation::Stolen { .. } => Cause::CpuStolen,
        Explanation::Throttled { .. } => Cause::CpuThrottled,
        Explanation::Unexplained { .. } if lateness.lag_p99_ns.is_some() => Cause::Lag,
        Explanation::Unexplained { .. } => Cause::Unstarted,
    }
}

/// Lag that makes up a good part of the latency.
///
/// Calls that waited for a slot waited for the server, unless it was a busy worker that kept the slots. Theirs may be the
/// longest lags: the rest has at least the p99 that is left without them.
fn lag(summary: &Summary) -> Option<(Grade, Lateness)> {
    summary.lag.quantile_ns("p99")?;
    let own = 0.99 * (1.0 - excused(summary));
    let lag = summary.tally.phase(Phase::Lag).quantile(own)?;
    let latency = Latency::of(&summary.tally).quantile(0.99)?.value_ns;
    let of_latency = lag as f64 / latency.max(1) as f64;
    if lag < LAG_FLOOR_NS || of_latency < LAG_SHARE {
        return None;
    }
    let invalid = lag >= LAG_INVALID_NS && of_latency >= LAG_INVALID_SHARE;
    let lateness = Lateness {
        lag_p99_ns: Some(lag),
        latency_p99_ns: Some(latency),
        excludes_held_back: own < 0.99,
        ..Lateness::default()
    };
    Some((if invalid { Grade::Invalid } else { Grade::Degraded }, lateness))
}

/// Returns the load that was requested but not generated.
fn unstarted(summary: &Summary) -> Option<(Grade, Lateness)> {
    let (planned, unstarted) = (summary.accounting.planned, summary.accounting.unstarted);
    let of_planned = unstarted as f64 / planned.max(1) as f64;
    if of_planned <= UNSTARTED || unstarted <= UNSTARTED_FEW {
        return None;
    }
    let grade = if of_planned > UNSTARTED_INVALID { Grade::Invalid } else { Grade::Degraded };
    Some((grade, Lateness { unstarted: Some(unstarted), planned: Some(planned), ..Lateness::default() }))
}

/// Returns time that workers lost although no lag is visible, if it affected the figures. A closed loop shows hardly any
/// lag, and in any loop replies wait to be read.
fn cpu_doubts(summary: &Summary) -> Vec<Reason> {
    if summary.wall < SHARES_MEAN {
        return Vec::new();
    }
    let doubt = |(number, host): (usize, &HostEvidence)| {
        let reason = match lost_time(summary, host) {
            Some((explanation, p99_added_ns)) => {
                let invalid = match explanation {
                    Explanation::Throttled { throttled_share } => throttled_share > THROTTLED_INVALID,
                    Explanation::Stolen { steal_share } => steal_share > STOLEN_INVALID,
                    _ => false,
                };
                let grade = if invalid { Grade::Invalid } else { Grade::Degraded };
                let figures = ReasonFigures::Cpu { explanation, p99_added_ns };
                Reason::new(grade, cause(explanation, &Lateness::default()), figures)
            }
            None => {
                let (worker, busy_share) = saturated(host).filter(|_| !summary.open)?;
                let rate_per_s = summary.achieved.rate_per_s.value;
                let figures = ReasonFigures::Saturated { worker, busy_share, rate_per_s };
                Reason::new(Grade::Degraded, Cause::ClientBusy, figures)
            }
        };
        Some(Reason { host: summary.host_name(number), ..reason })
    };
    (0..).zip(&summary.hosts).filter_map(doubt).collect()
}

/// Time that the workers of a host lost, if it affected the figures, and how much of the p99 of latency it may be.
fn lost_time(summary: &Summary, host: &HostEvidence) -> Option<(Explanation, Option<u64>)> {
    if let Some(found) = hindrance(host, summary.wall, (DELAYED, STOLEN, THROTTLED)) {
        let added_ns = lost_share(found).and_then(|share| added_to_p99(summary, share));
        return Some((found, added_ns));
    }
    // In a closed loop the cores are busy, and workers wait for them as a rule.
    let delayed = if summary.open { DELAYED_WITH_EFFECT } else { DELAYED };
    let found = hindrance(host, summary.wall, (delayed, STOLEN_WITH_EFFECT, THROTTLED))?;
    Some((found, Some(added_to_p99(summary, lost_share(found)?)?)))
}

/// The share of the time that was lost in short pieces.
fn lost_share(explanation: Explanation) -> Option<f64> {
    match explanation {
        Explanation::Delayed { delayed_share, .. } => Some(delayed_share),
        Explanation::Stolen { steal_share } => Some(steal_share),
        _ => None,
    }
}

/// How much of the p99 of latency may be due to this share of the time being lost; none where that is too little to matter.
///
/// The requests that begin or end in lost time are about the same share of all requests. Without them the p99 would be at
/// least the one that is left without the slowest. In an open loop lag shows how long the delays are. They hit replies as
/// often as starts, so half of the slowest 1 % of requests have them as lag.
fn added_to_p99(summary: &Summary, lost: f64) -> Option<u64> {
    summary.latency.quantile_ns("p99")?;
    let latency = Latency::of(&summary.tally);
    let p99 = latency.quantile(0.99)?.value_ns;
    let added = p99 - latency.quantile(0.99 * (1.0 - lost.min(1.0)))?.value_ns;
    let (added, least, share) = if summary.open {
        let lag = summary.tally.phase(Phase::Lag).quantile(0.995 * (1.0 - excused(summary)))?;
        (added.min(lag), ADDED_NS, ADDED_SHARE)
    } else {
        (added, ADDED_CLOSED_NS, ADDED_CLOSED_SHARE)
    };
    (added >= least && added as f64 >= share * p99 as f64).then_some(added)
}

/// Share of calls whose lag is due to the server: they waited for a slot that no busy worker kept.
fn excused(summary: &Summary) -> f64 {
    if is_saturated(summary) { 0.0 } else { held_back_share(summary) }
}
