//! Renders the report for programs. `schema/report-1.json` describes it; a test checks that the two agree.
//!
//! Durations are whole nanoseconds, and their names say so. Unknown values are null, never zero. A later version may
//! add fields; a change of meaning changes `schema_version`.

use crate::layout::loop_name;
use crate::wording;
use crate::{Report, steps};
use serde_json::{Map, Value, json};
use std::time::Duration;
use warwolf_measure::{
    Accounting, Counters, Environment, Figures, HostEvidence, IntervalFigures, Metric, Outcome, Reason,
    SloResult, SloState, Summary, TargetFigures, WorkerEvidence,
};

/// Version of the layout.
const SCHEMA_VERSION: u32 = 1;

pub(crate) fn render(report: &Report<'_>) -> String {
    crate::rendered::json_text(&value(report))
}

fn value(report: &Report<'_>) -> Value {
    let summary = &report.summary;
    let counters = summary.tally.counters();
    let plan = report.plan.as_ref().map(warwolf_plan::text::to_value);
    json!({
        "schema_version": SCHEMA_VERSION,
        "plan": plan,
        "seed": summary.seed,
        "environment": environment(&summary.hosts.first().map(|host| host.environment.clone()).unwrap_or_default()),
        "loop": loop_name(summary).trim_end_matches(" loop"),
        "duration_ns": nanos(summary.wall),
        "warmup_ns": nanos(summary.warmup),
        "window": { "from_ns": summary.window.0.as_nanos(), "to_ns": summary.window.1.as_nanos() },
        "target": {
            "rate_per_s": summary.target_rate,
            "connections": positive(summary.connections_asked()),
        },
        "achieved": {
            "rate_per_s": summary.achieved.rate_per_s.value,
            "rate_per_s_ci95": pair(summary.achieved.rate_per_s.ci95),
            "started_per_s": summary.achieved.started_per_s,
            "bytes_per_s": summary.achieved.bytes_per_s,
            "max_in_flight": summary.achieved.max_in_flight,
        },
        "accounting": accounting(&summary.accounting),
        "latency_ns": figures(&summary.latency),
        "service_ns": figures(&summary.service),
        "lag_ns": figures(&summary.lag),
        "connect_ns": figures(&summary.connect),
        "tls_ns": figures(&summary.tls),
        "setup_ns": figures(&summary.setup),
        "wait_ns": figures(&summary.wait),
        "transfer_ns": figures(&summary.transfer),
        "unfinished_age_ns": figures(&summary.unfinished_age),
        "latency_histogram": summary.histogram.iter()
            .map(|bar| json!({ "up_to_ns": bar.up_to_ns, "count": bar.count })).collect::<Vec<_>>(),
        "status": summary.tally.statuses()
            .map(|(status, count)| (status.to_string(), count.into())).collect::<Map<_, _>>(),
        "outcomes": by_name(summary.tally.outcomes()),
        "errors": { "count": summary.errors, "share": summary.error_share },
        "bytes": bytes(counters),
        "connections": connections(summary),
        "intervals": summary.intervals.iter().map(interval).collect::<Vec<_>>(),
        "steps": if summary.steps.is_empty() { rate_steps(report) } else { plan_steps(summary) },
        "rate_steps": rate_steps(report),
        "scenarios": summary.scenarios.iter().map(|one| steps::scenario_json(one, figures)).collect::<Value>(),
        "groups": summary.groups.iter().map(|group| steps::group_json(group, figures)).collect::<Value>(),
        "replay": report.run.replay.as_ref().map(crate::replayed::json),
        "targets": summary.targets.iter().map(target).collect::<Vec<_>>(),
        "health": health(report),
        "slo": report.slos.iter().map(slo).collect::<Vec<_>>(),
    })
}

/// Returns the steps of the rate that the plan asks for; empty if it asks for none.
fn rate_steps(report: &Report<'_>) -> Value {
    crate::asked::steps(report).iter().map(crate::asked::StepFigures::json).collect()
}

/// Returns the steps of the plan's sessions.
fn plan_steps(summary: &Summary) -> Value {
    summary.steps.iter().map(|step| steps::step_json(step, figures)).collect()
}

fn bytes(counters: &Counters) -> Value {
    json!({
        "sent": counters.request_bytes,
        "header": counters.header_bytes,
        "body": counters.body_bytes,
        "partial": counters.partial_bytes,
        "wire": counters.wire_sent + counters.wire_received,
        "wire_sent": counters.wire_sent,
        "wire_received": counters.wire_received,
    })
}

fn connections(summary: &Summary) -> Value {
    let counters = summary.tally.counters();
    json!({
        "opened": counters.connections_opened,
        "reused": counters.connections_reused,
        "failed": counters.connections_failed,
        "reconnects": counters.reconnects,
        "resent": counters.resent,
        "unexpected_bytes": counters.unexpected_bytes,
        "tls_unclosed": counters.tls_unclosed,
        "tls_resumed": counters.tls_resumed,
        "held": counters.connections_held,
        "failures": by_name(summary.tally.connection_failures()),
    })
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn positive(number: u64) -> Option<u64> {
    (number > 0).then_some(number)
}

fn pair(interval: Option<(f64, f64)>) -> Value {
    interval.map_or(Value::Null, |(low, high)| json!([low, high]))
}

fn by_name(counts: impl Iterator<Item = (Outcome, u64)>) -> Map<String, Value> {
    counts.map(|(outcome, count)| (outcome.name().to_owned(), count.into())).collect()
}

pub(crate) fn environment(environment: &Environment) -> Value {
    json!({
        "version": environment.version,
        "command": environment.command,
        "host": environment.host,
        "system": environment.system,
        "cpu": environment.cpu,
        "cores": environment.cores,
        "started_unix_ns": positive(environment.started_unix_ns),
    })
}

fn accounting(accounts: &Accounting) -> Value {
    json!({
        "planned": accounts.planned,
        "started": accounts.started,
        "completed": accounts.completed,
        "check_failed": accounts.check_failed,
        "failed": accounts.failed,
        "timed_out": accounts.timed_out,
        "unfinished": accounts.unfinished,
        "unstarted": accounts.unstarted,
    })
}

fn figures(figures: &Figures) -> Value {
    let whole = |nanos: Option<f64>| nanos.map(|nanos| nanos.round() as u64);
    let mut fields = Map::new();
    fields.insert("count".into(), figures.count.into());
    fields.insert("min".into(), figures.min_ns.into());
    fields.insert("mean".into(), whole(figures.mean_ns).into());
    fields.insert("max".into(), figures.max_ns.into());
    fields.insert("stddev".into(), whole(figures.stddev_ns).into());
    let mut ci95 = Map::new();
    let mean = figures.mean_ci95_ns.map(|(low, high)| json!([low.round() as u64, high.round() as u64]));
    ci95.insert("mean".into(), mean.into());
    for quantile in &figures.quantiles {
        fields.insert(quantile.name.into(), quantile.value_ns.into());
        ci95.insert(quantile.name.into(), quantile.ci95_ns.map(|(low, high)| json!([low, high])).into());
    }
    fields.insert("ci95".into(), ci95.into());
    let at_least = figures.quantiles.iter().filter(|figure| figure.is_at_least);
    fields.insert("at_least".into(), at_least.map(|figure| figure.name).collect::<Vec<_>>().into());
    fields.into()
}

fn interval(interval: &IntervalFigures) -> Value {
    let mut fields = Map::new();
    fields.insert("start_ns".into(), interval.start.as_nanos().into());
    fields.insert("end_ns".into(), interval.end.as_nanos().into());
    fields.insert("measured".into(), interval.measured.into());
    if let Value::Object(accounts) = accounting(&interval.accounting) {
        fields.extend(accounts);
    }
    fields.insert("errors".into(), interval.errors.into());
    fields.insert("rate_per_s".into(), interval.rate_per_s.into());
    fields.insert("reply_bytes".into(), interval.reply_bytes.into());
    fields.insert("max_in_flight".into(), interval.max_in_flight.into());
    let mean = interval.latency_mean_ns.map(|mean| mean.round() as u64);
    fields.insert("latency_mean_ns".into(), mean.into());
    for (place, name) in
        ["latency_p50_ns", "latency_p90_ns", "latency_p99_ns", "latency_max_ns"].iter().enumerate()
    {
        fields.insert((*name).into(), interval.latency_ns.map(|latency| latency[place]).into());
    }
    fields.insert("lag_p99_ns".into(), interval.lag_p99_ns.into());
    fields.into()
}

fn target(target: &TargetFigures) -> Value {
    json!({
        "url": target.url,
        "completed": target.completed,
        "errors": target.errors,
        "body_bytes": target.body_bytes,
        "rate_per_s": target.rate_per_s,
        "latency_ns": figures(&target.latency),
    })
}

fn reason(reason: &Reason) -> Value {
    json!({
        "grade": reason.grade.name(),
        "cause": reason.cause.name(),
        "text": wording::cause(reason.cause),
        "host": reason.host,
        "figures": reason.figures,
        "evidence": wording::evidence(reason),
        "remedy": wording::remedy(reason),
    })
}

/// Returns what is known about the load generator: totals where hosts add up, otherwise the worst or tightest value.
fn health(report: &Report<'_>) -> Value {
    let summary = &report.summary;
    let hosts = &summary.hosts;
    let workers = || hosts.iter().flat_map(|host| &host.workers);
    let (user, system) = report.run.cpu();
    let greatest = |of: fn(&HostEvidence) -> Option<f64>| hosts.iter().filter_map(of).reduce(f64::max);
    let least = |of: fn(&HostEvidence) -> u64| hosts.iter().map(of).filter(|limit| *limit > 0).min();
    json!({
        "verdict": report.verdict.grade.name(),
        "reasons": report.verdict.reasons.iter().map(reason).collect::<Vec<_>>(),
        "threads": hosts.iter().map(|host| host.threads).sum::<u32>(),
        "driver": names(hosts.iter().map(|host| host.driver.as_str())),
        "idle": names(hosts.iter().map(|host| host.idle.name())),
        "cpu_user_s": user.as_secs_f64(),
        "cpu_system_s": system.as_secs_f64(),
        "cpu_ns_per_call": cpu_per_call(summary, user + system),
        "busy_share": workers().map(WorkerEvidence::busy_share).reduce(f64::max),
        "host_cpu_busy_share": greatest(|host| host.host_cpu_busy_share),
        "steal_share": greatest(|host| host.steal_share),
        "cgroup_throttled_ns": hosts.iter().filter_map(|host| host.cgroup_throttled).max().map(nanos),
        "descriptors_limit": least(|host| host.descriptors_limit),
        "descriptors_peak": hosts.iter().map(|host| host.descriptors_peak).max().unwrap_or(0),
        "ports_available": least(|host| host.ports_available),
        "connections_asked": positive(summary.connections_asked()),
        "connections_held": summary.connections_held(),
        "in_flight_limit": positive(summary.in_flight_limit()),
        "held_back": summary.tally.counters().held_back,
        "interrupted": report.run.is_interrupted(),
        "missing_shards": summary.missing_shards,
        "workers": workers().map(worker).collect::<Vec<_>>(),
        "hosts": hosts.iter().map(host).collect::<Vec<_>>(),
    })
}

/// Joins different names by `+`.
fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<std::collections::BTreeSet<_>>().into_iter().rev().collect::<Vec<_>>().join("+")
}

fn host(host: &HostEvidence) -> Value {
    json!({
        "shard": host.shard.map(|(index, count)| json!([index, count])),
        "environment": environment(&host.environment),
        "threads": host.threads,
        "driver": host.driver,
        "idle": host.idle.name(),
        "cpu_user_s": host.cpu_user.as_secs_f64(),
        "cpu_system_s": host.cpu_system.as_secs_f64(),
        "host_cpu_busy_share": host.host_cpu_busy_share,
        "steal_share": host.steal_share,
        "cgroup_throttled_ns": host.cgroup_throttled.map(nanos),
        "descriptors_limit": positive(host.descriptors_limit),
        "descriptors_peak": host.descriptors_peak,
        "ports_available": positive(host.ports_available),
        "connections_asked": positive(host.connections_asked),
        "connections_held": host.connections_held,
        "in_flight_limit": positive(host.in_flight_limit),
        "interrupted": host.interrupted,
        "workers": host.workers.iter().map(worker).collect::<Vec<_>>(),
    })
}

/// Returns the CPU time of the load generator per finished call, over the whole run.
fn cpu_per_call(summary: &Summary, cpu: Duration) -> Option<u64> {
    let counts = &summary.accounting;
    nanos(cpu).checked_div(counts.completed + counts.failed + counts.timed_out)
}

fn worker(worker: &WorkerEvidence) -> Value {
    json!({
        "core": worker.core,
        "wall_ns": nanos(worker.wall),
        "busy_share": worker.busy_share(),
        "cpu_share": worker.cpu_share(),
        "run_delay_ns": worker.run_delay.map(nanos),
        "starved": worker.starved,
        "late_pages": worker.late_pages,
    })
}

fn slo(result: &SloResult) -> Value {
    let unit = match result.slo.metric {
        Metric::Errors => "share",
        Metric::Rate => "per_s",
        Metric::Quantile(_) | Metric::Mean | Metric::Min | Metric::Max => "ns",
    };
    let state = match result.state {
        SloState::Held => "held",
        SloState::Broken => "broken",
        SloState::Unknown => "unknown",
    };
    json!({
        "text": result.slo.text,
        "held": result.is_held(),
        "state": state,
        "actual": result.actual,
        "at_least": result.is_at_least,
        "limit": result.slo.limit,
        "unit": unit,
    })
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
