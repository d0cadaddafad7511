//! The sentences about a verdict, its reasons and SLOs, shared by all formats and messages.

use crate::printable;
use crate::unit::{count, counted, duration, rate, share};
use warwolf_measure::{
    Cause, Explanation, Grade, HandOver, Lateness, Metric, Mismatch, MissingQuantile, Outcome, Reason,
    ReasonFigures, SloResult, Verdict,
};

/// Returns what a verdict says about the results.
#[must_use]
pub fn meaning(verdict: &Verdict) -> &'static str {
    let is_empty = verdict.doubts().any(|reason| reason.cause == Cause::NothingMeasured);
    match verdict.grade {
        _ if is_empty => "there are no results",
        Grade::Valid => "no sign that the load generator affected the results",
        Grade::Degraded => "the load generator affected the results",
        Grade::Invalid => "the results reflect the load generator, not the server",
    }
}

/// Returns `SLOs PASSED` or `SLOs NOT PASSED`; none without SLOs.
#[must_use]
pub fn slo_result(slos: &[SloResult]) -> Option<&'static str> {
    match slos {
        [] => None,
        slos if slos.iter().all(SloResult::is_held) => Some("SLOs PASSED"),
        _ => Some("SLOs NOT PASSED"),
    }
}

/// Returns the result of the SLOs, with the figures of those that were not met; none without SLOs.
#[must_use]
pub fn slo_sentence(slos: &[SloResult]) -> Option<String> {
    let result = slo_result(slos)?;
    let failed: Vec<String> = slos
        .iter()
        .filter(|result| !result.is_held())
        .map(|result| format!("{} ({})", result.slo.text, actual(result)))
        .collect();
    Some(match failed.as_slice() {
        [] => format!("{result}: {} of {}", slos.len(), slos.len()),
        failed => format!("{result}: {}", failed.join(", ")),
    })
}

/// Returns the SLO result and the verdict, for headings and titles. A verdict alone could be mistaken for an SLO result.
#[must_use]
pub fn heading(grade: Grade, slos: &[SloResult]) -> String {
    match slo_result(slos) {
        Some(result) => format!("{result}, measurement {}", grade.name()),
        None => format!("Measurement {}", grade.name()),
    }
}

/// Describes a cause, without figures.
#[must_use]
pub const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::NothingMeasured => "nothing was measured",
        Cause::Descriptors => "this process ran out of file descriptors",
        Cause::Ports => "this machine ran out of local ports",
        Cause::Buffers => "this machine ran out of socket memory",
        Cause::LocalErrors => "requests failed on this machine",
        Cause::Lag => "requests started late",
        Cause::ClientBusy => "the load generator was the limit",
        Cause::CpuContention => "something else used the load generator's cores",
        Cause::CpuStolen => "the hypervisor gave the cores to other guests",
        Cause::CpuThrottled => "the control group's CPU limit stopped the load generator",
        Cause::Unstarted => "part of the load was not generated",
        Cause::MissingShards => "parts of the run are missing",
        Cause::SlotsFull => "the server did not keep up",
        Cause::ConnectionsRefused => "the server accepted fewer connections than asked for",
        Cause::Unfinished => "requests in flight at the stop had waited for long",
        Cause::Resent => "requests were sent twice because a kept connection closed",
        Cause::UnexpectedBytes => "the server sent bytes after complete replies",
        Cause::TlsUnclosed => "the server closed TLS connections without a closing alert",
        Cause::FewSamples => "few samples",
        Cause::Trend => "the figures changed during the run",
        Cause::Interrupted => "the run was stopped early",
        Cause::LatePages => "the timeline is less exact than its intervals",
        Cause::Accounting => "the accounting of requests does not add up",
    }
}

/// Describes the figures of a reason, with the host if the load came from several.
#[must_use]
pub fn evidence(reason: &Reason) -> String {
    let evidence = figures(&reason.figures);
    match &reason.host {
        Some(host) => format!("{}: {evidence}", printable(host)),
        None => evidence,
    }
}

/// Describes a reason without grade and remedy.
#[must_use]
pub fn doubt(reason: &Reason) -> String {
    format!("{}: {}", cause(reason.cause), evidence(reason))
}

/// Describes a whole reason in one line.
#[must_use]
pub fn sentence(reason: &Reason) -> String {
    format!("{}: {}; {}", reason.grade.name(), doubt(reason), remedy(reason))
}

fn figures(figures: &ReasonFigures) -> String {
    match figures {
        ReasonFigures::NothingMeasured { started, failed, unfinished, most_frequent_failure, .. } => {
            nothing_measured(*started, *failed, *unfinished, *most_frequent_failure)
        }
        ReasonFigures::MissingShards { missing_shards } => {
            let numbers: Vec<_> = missing_shards.iter().map(|index| (index + 1).to_string()).collect();
            format!("shards missing: {}", numbers.join(", "))
        }
        ReasonFigures::LocalErrors { outcome, errors, finished, .. } => {
            format!("{}: {} in {}", outcome.text(), counted(*errors, "time"), counted(*finished, "request"))
        }
        ReasonFigures::Late { lateness, explanation } => {
            format!("{}; {}", late(lateness), explained(*explanation))
        }
        ReasonFigures::Cpu { explanation, p99_added_ns } => lost_time(*explanation, *p99_added_ns),
        ReasonFigures::Saturated { worker, busy_share, rate_per_s } => {
            let busy = explained(Explanation::Busy { worker: *worker, busy_share: *busy_share });
            format!("{busy}: {} is the limit of this machine, not of the server", rate(*rate_per_s))
        }
        ReasonFigures::Starved { users_never_begun, users, workers } => {
            starved(*users_never_begun, *users, workers)
        }
        ReasonFigures::SlotsFull { .. } => slots_full(figures),
        ReasonFigures::ConnectionsRefused { connections_held, connections_asked, connections_failed } => {
            let [held, asked, failed] =
                [connections_held, connections_asked, connections_failed].map(|number| count(*number));
            format!("{held} of {asked} connections held, {failed} attempts failed")
        }
        ReasonFigures::Unfinished { unfinished, oldest_ns, latency_p99_above_ns } => {
            still_waiting(*unfinished, *oldest_ns, *latency_p99_above_ns)
        }
        ReasonFigures::Resent { resent, requests } => {
            format!("{} of {}", count(*resent), counted(*requests, "request"))
        }
        ReasonFigures::UnexpectedBytes { connections } => {
            format!("{} closed for it", counted(*connections, "connection"))
        }
        ReasonFigures::TlsUnclosed { replies } => {
            format!("{} ended so and may be truncated", counted(*replies, "response"))
        }
        ReasonFigures::FewSamples { quantile, needed, samples } => {
            format!("{} needs {}, have {}", quantile_name(*quantile), count(*needed), count(*samples))
        }
        ReasonFigures::Trend { latency_change_share, rate_change_share } => {
            trend(*latency_change_share, *rate_change_share)
        }
        ReasonFigures::Interrupted { wall_ns, nominal_ns } => {
            let of = nominal_ns.map(|nominal| format!(" of {}", duration(nominal as f64)));
            format!("after {}{}", duration(*wall_ns as f64), of.unwrap_or_default())
        }
        ReasonFigures::LatePages { late_pages } => {
            format!("workers handed over {} late", counted(*late_pages, "interval"))
        }
        ReasonFigures::Accounting(mismatch) => mismatched(mismatch),
    }
}

fn still_waiting(requests: u64, oldest_ns: u64, p99_above_ns: Option<u64>) -> String {
    let p99 = p99_above_ns.map(|ns| format!("; the true p99 is above {}", duration(ns as f64)));
    let oldest = duration(oldest_ns as f64);
    format!("{}, the oldest for {oldest}{}", counted(requests, "request"), p99.unwrap_or_default())
}

fn starved(never_begun: u64, users: u64, workers: &[u32]) -> String {
    let numbers = workers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let worker = if workers.len() == 1 { "worker" } else { "workers" };
    if never_begun == 0 {
        return format!(
            "{worker} {numbers} got no core and did not end with the run: the results are incomplete"
        );
    }
    format!(
        "{} of {} never began: {worker} {numbers} got no core",
        count(never_begun),
        counted(users, "user")
    )
}

fn slots_full(figures: &ReasonFigures) -> String {
    let ReasonFigures::SlotsFull {
        held_back,
        planned,
        in_flight_limit,
        rate_per_s,
        target_rate_per_s,
        descriptors_limit,
    } = figures
    else {
        return String::new();
    };
    let [held_back, planned, slots] = [held_back, planned, in_flight_limit].map(|number| count(*number));
    let achieved =
        target_rate_per_s.map(|target| format!("; {} of {} achieved", rate(*rate_per_s), rate(target)));
    let limit = descriptors_limit.map(|limit| {
        format!("; the descriptor limit of the load generator, {}, allows no more", count(limit))
    });
    format!(
        "{held_back} of {planned} requests waited for one of {slots} slots{}{}",
        achieved.unwrap_or_default(),
        limit.unwrap_or_default()
    )
}

fn lost_time(explanation: Explanation, p99_added_ns: Option<u64>) -> String {
    let added = p99_added_ns
        .map(|added| format!("; up to {} of the p99 of latency are due to this", duration(added as f64)));
    format!("{}{}", explained(explanation), added.unwrap_or_default())
}

fn mismatched(mismatch: &Mismatch) -> String {
    let Mismatch { at, given, taken, seed, shard: (index, count) } = mismatch;
    let (left, right) = match at {
        HandOver::Schedule => ("arrivals due by the plan", "sessions begun or never begun"),
        HandOver::Arrivals => ("sum of the plan's arrival times", "sum at the start of sessions"),
        HandOver::Sessions => ("sessions that may be stuck", "sessions that are stuck"),
        HandOver::Programs => ("requests that sessions asked for", "requests the worker received"),
        HandOver::Calls => ("requests the worker received", "requests started"),
        HandOver::Planned => ("requests asked for or never begun", "requests planned"),
        HandOver::Unstarted => ("requests of sessions never begun", "requests never started"),
        HandOver::Records => ("requests the worker received", "requests recorded"),
        HandOver::Intended => ("sum of scheduled times received", "sum of those recorded"),
        HandOver::Tallies => ("requests recorded", "requests in the tallies"),
        HandOver::Timeline => ("requests in the workers' tallies", "requests in the timeline"),
    };
    format!("{left}: {given}, {right}: {taken} (seed {seed}, shard {}/{count})", index + 1)
}

fn nothing_measured(started: u64, failed: u64, unfinished: u64, most: Option<Outcome>) -> String {
    let most = most.map(|outcome| format!(", mostly: {}", outcome.text())).unwrap_or_default();
    let (started, failed) = (counted(started, "request"), count(failed));
    format!("{started} started, {failed} failed, {} in flight at the stop{most}", count(unfinished))
}

fn trend(latency: Option<f64>, of_rate: Option<f64>) -> String {
    let changed = |(name, change): (&str, Option<f64>)| {
        let change = change?;
        let direction = if change > 0.0 { "higher" } else { "lower" };
        Some(format!("{name} {} {direction} in the second half", share(change.abs())))
    };
    let changes = [("mean latency", latency), ("rate", of_rate)].into_iter().filter_map(changed);
    changes.collect::<Vec<_>>().join(", ")
}

fn late(lateness: &Lateness) -> String {
    let of_these = if lateness.excludes_held_back { " of requests that waited for no slot" } else { "" };
    let lag = lateness.lag_p99_ns.zip(lateness.latency_p99_ns).map(|(lag, latency)| {
        format!("p99 of lag{of_these} {}, p99 of latency {}", duration(lag as f64), duration(latency as f64))
    });
    let unstarted = lateness.unstarted.zip(lateness.planned).map(|(unstarted, planned)| {
        format!("{} of {} planned requests never started", count(unstarted), count(planned))
    });
    lag.into_iter().chain(unstarted).collect::<Vec<_>>().join("; ")
}

fn explained(explanation: Explanation) -> String {
    match explanation {
        Explanation::Busy { worker, busy_share } => {
            format!("worker {worker} was busy for {} of its time", share(busy_share))
        }
        Explanation::Delayed { worker, delayed_share } => {
            format!("worker {worker} waited for a core for {} of its time", share(delayed_share))
        }
        Explanation::Stolen { steal_share } => {
            format!("{} of the machine's CPU time was stolen", share(steal_share))
        }
        Explanation::Throttled { throttled_share } => {
            format!("throttled for {} of the run", share(throttled_share))
        }
        Explanation::HostBusy { host_cpu_busy_share } => {
            format!("all cores of the machine were busy for {} of the run", share(host_cpu_busy_share))
        }
        Explanation::Unexplained { .. } => "the workers had time to spare".to_owned(),
    }
}

/// Returns what to do about a reason.
#[must_use]
pub fn remedy(reason: &Reason) -> String {
    match (&reason.figures, reason.cause) {
        (ReasonFigures::LocalErrors { outcome, descriptors_limit, ports_available, .. }, _) => {
            local_remedy(*outcome, *descriptors_limit, *ports_available)
        }
        (ReasonFigures::NothingMeasured { completed: 1.., .. }, _) => {
            "make the run longer than its warm-up".to_owned()
        }
        (
            ReasonFigures::Late { explanation: Explanation::Unexplained { is_busy_polling: true }, .. },
            Cause::Lag,
        ) => "look for what interrupts this machine".to_owned(),
        (ReasonFigures::SlotsFull { descriptors_limit: Some(_), .. }, _) => {
            "raise the hard limit (`ulimit -Hn`) to load the server as users would, or set the number with `-c`"
                .to_owned()
        }
        (ReasonFigures::Saturated { .. }, _) => {
            "use more threads or machines to find the server's limit".to_owned()
        }
        (_, cause) => general_remedy(cause).to_owned(),
    }
}

fn local_remedy(outcome: Outcome, descriptors: Option<u64>, ports: Option<u64>) -> String {
    match outcome {
        Outcome::NoFiles => {
            let now = descriptors.map(|limit| format!(", now {limit}")).unwrap_or_default();
            format!("raise the hard limit{now} (`ulimit -Hn`), or use fewer connections")
        }
        Outcome::NoPorts => {
            let now = ports.map(|ports| format!("; now {} ports", count(ports))).unwrap_or_default();
            format!(
                "keep connections alive, use more source addresses (`--bind`), or widen \
                 net.ipv4.ip_local_port_range{now}"
            )
        }
        Outcome::NoBuffers => {
            "use fewer connections or smaller socket buffers, or raise net.ipv4.tcp_mem".to_owned()
        }
        Outcome::Denied => "check this machine's firewall and permissions".to_owned(),
        _ => "check this machine's log".to_owned(),
    }
}

const fn general_remedy(cause: Cause) -> &'static str {
    match cause {
        Cause::NothingMeasured => "check with one request that the server answers under this URL",
        Cause::Descriptors | Cause::Ports | Cause::Buffers | Cause::LocalErrors => "check this machine's log",
        Cause::Lag => "try `--idle spin`",
        Cause::ClientBusy => "use more threads or machines, or lower the load",
        // The server under test may be using the cores.
        Cause::CpuContention => {
            "stop what else runs on this machine, use fewer threads than cores, or move the load generator away from \
             the server"
        }
        Cause::CpuStolen => "use a machine with dedicated cores",
        Cause::CpuThrottled => "raise the container's CPU limit, or lower the load",
        Cause::Unstarted => "please report this",
        Cause::MissingShards => "merge all of them: the server carried the load of all",
        Cause::SlotsFull => "nothing if this is the load you mean: latency includes the waiting",
        Cause::ConnectionsRefused => "check the server's connection limit and backlog",
        Cause::Unfinished => "make the run longer than the server's slowest reply",
        Cause::Resent => {
            "look for resets in the server's log: each would have been an error had the request not been repeatable"
        }
        Cause::UnexpectedBytes => {
            "check the Content-Length of the replies, and that each request gets one reply"
        }
        Cause::TlsUnclosed => "compare the size of the bodies, or let the server send their Content-Length",
        Cause::FewSamples => "make the run longer to get the percentiles left out",
        Cause::Trend => "use a longer `--warmup`, or look at the timeline",
        Cause::Interrupted => "the figures cover the time it ran",
        Cause::LatePages => "leave one core free for the aggregator thread",
        Cause::Accounting => "please report this as a defect of warwolf",
    }
}

/// Says which percentile has too few samples.
#[must_use]
pub fn not_enough_samples(missing: &MissingQuantile) -> String {
    format!(
        "not enough samples: {} needs {}, have {}",
        quantile_name(missing.quantile),
        count(missing.needed),
        count(missing.samples)
    )
}

/// Formats a quantile as `p99` or `p99.99`.
fn quantile_name(quantile: f64) -> String {
    let percent = format!("{:.2}", quantile * 100.0);
    format!("p{}", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats the figure that an SLO was compared with.
#[must_use]
pub fn actual(result: &SloResult) -> String {
    let Some(figure) = result.actual else { return "not enough samples".to_owned() };
    match result.slo.metric {
        Metric::Errors => share(figure),
        Metric::Rate => rate(figure),
        _ if result.is_at_least => format!(">{}", duration(figure)),
        _ => duration(figure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::SloState;

    #[test]
    fn a_verdict_is_not_read_as_passed() {
        let result = |text: &str, state| SloResult {
            slo: warwolf_measure::Slo::parse(text).unwrap(),
            actual: Some(2e6),
            is_at_least: false,
            state,
        };
        let (held, broken) = (result("p99<5ms", SloState::Held), result("p50<1ms", SloState::Broken));
        let rows: [(&[SloResult], &str, Option<&str>); 3] = [
            (&[], "Measurement VALID", None),
            (std::slice::from_ref(&held), "SLOs PASSED, measurement VALID", Some("SLOs PASSED: 1 of 1")),
            (
                &[held.clone(), broken],
                "SLOs NOT PASSED, measurement VALID",
                Some("SLOs NOT PASSED: p50<1ms (2.00 ms)"),
            ),
        ];
        for (slos, expected, sentence) in rows {
            assert_eq!(heading(Grade::Valid, slos), expected);
            assert_eq!(slo_sentence(slos).as_deref(), sentence);
        }
    }

    #[test]
    fn reasons_are_sentences() {
        let late = |explanation| ReasonFigures::Late {
            lateness: Lateness {
                lag_p99_ns: Some(5_000_000),
                latency_p99_ns: Some(9_000_000),
                ..Lateness::default()
            },
            explanation,
        };
        let rows = [
            (
                Cause::Lag,
                late(Explanation::Unexplained { is_busy_polling: false }),
                "DEGRADED: requests started late: p99 of lag 5.00 ms, p99 of latency 9.00 ms; the workers had time to \
                 spare; try `--idle spin`",
            ),
            (
                Cause::CpuContention,
                ReasonFigures::Cpu {
                    explanation: Explanation::Delayed { worker: 1, delayed_share: 0.025 },
                    p99_added_ns: Some(250_000),
                },
                "DEGRADED: something else used the load generator's cores: worker 1 waited for a core for 2.50 % of its \
                 time; up to 250 us of the p99 of latency are due to this; stop what else runs on this machine, use fewer threads than cores, or move the load generator \
                 away from the server",
            ),
            (
                Cause::CpuContention,
                ReasonFigures::Starved { users_never_begun: 10, users: 20, workers: vec![0] },
                "DEGRADED: something else used the load generator's cores: 10 of 20 users never began: worker 0 got no \
                 core; stop what else runs on this machine, use fewer threads than cores, or move the load generator \
                 away from the server",
            ),
            (
                Cause::NothingMeasured,
                ReasonFigures::NothingMeasured {
                    started: 3,
                    completed: 0,
                    failed: 3,
                    unfinished: 0,
                    most_frequent_failure: Some(Outcome::Refused),
                },
                "DEGRADED: nothing was measured: 3 requests started, 3 failed, 0 in flight at the stop, mostly: \
                 connection refused; check with one request that the server answers under this URL",
            ),
            (
                Cause::Resent,
                ReasonFigures::Resent { resent: 12, requests: 2_000 },
                "DEGRADED: requests were sent twice because a kept connection closed: 12 of 2,000 requests; look for \
                 resets in the server's log: each would have been an error had the request not been repeatable",
            ),
            (
                Cause::UnexpectedBytes,
                ReasonFigures::UnexpectedBytes { connections: 1 },
                "DEGRADED: the server sent bytes after complete replies: 1 connection closed for it; check the \
                 Content-Length of the replies, and that each request gets one reply",
            ),
            (
                Cause::SlotsFull,
                ReasonFigures::SlotsFull {
                    held_back: 900,
                    planned: 2_000,
                    in_flight_limit: 1,
                    rate_per_s: 900.0,
                    target_rate_per_s: Some(1_000.0),
                    descriptors_limit: Some(120),
                },
                "DEGRADED: the server did not keep up: 900 of 2,000 requests waited for one of 1 slots; 900/s of \
                 1,000/s achieved; the descriptor limit of the load generator, 120, allows no more; raise the hard \
                 limit (`ulimit -Hn`) to load the server as users would, or set the number with `-c`",
            ),
            (
                Cause::TlsUnclosed,
                ReasonFigures::TlsUnclosed { replies: 3 },
                "DEGRADED: the server closed TLS connections without a closing alert: 3 responses ended so and may be \
                 truncated; compare the size of the bodies, or let the server send their Content-Length",
            ),
            (
                Cause::FewSamples,
                ReasonFigures::FewSamples { quantile: 0.99, needed: 368, samples: 200 },
                "DEGRADED: few samples: p99 needs 368, have 200; make the run longer to get the percentiles left out",
            ),
            (
                Cause::Descriptors,
                ReasonFigures::LocalErrors {
                    outcome: Outcome::NoFiles,
                    errors: 1,
                    finished: 2_000,
                    descriptors_limit: Some(1_024),
                    ports_available: None,
                },
                "DEGRADED: this process ran out of file descriptors: out of file descriptors: 1 time in 2,000 requests; \
                 raise the hard limit, now 1024 (`ulimit -Hn`), or use fewer connections",
            ),
            (
                Cause::MissingShards,
                ReasonFigures::MissingShards { missing_shards: vec![0, 2] },
                "DEGRADED: parts of the run are missing: shards missing: 1, 3; merge all of them: the server carried the \
                 load of all",
            ),
        ];
        for (cause, figures, expected) in rows {
            assert_eq!(sentence(&Reason::new(Grade::Degraded, cause, figures)), expected);
        }
    }

    #[test]
    fn a_reason_names_its_host() {
        let explanation = Explanation::Stolen { steal_share: 0.1 };
        let figures = ReasonFigures::Cpu { explanation, p99_added_ns: None };
        let reason =
            Reason { host: Some("box2".into()), ..Reason::new(Grade::Degraded, Cause::CpuStolen, figures) };
        assert_eq!(evidence(&reason), "box2: 10.0 % of the machine's CPU time was stolen");
    }
}
