//! What was measured, in the numbers of the report.

use super::live::{Live, replies};
use super::report::{Errors, Figures, Sessions, Spread, median_ms};
use std::collections::BTreeMap;
use std::time::Duration;
use warwolf_measure::{Moments, Outcome, Phase, Run, Tally};

/// The numbers of a finished run.
pub(super) fn figures(run: &Run, live: &Live, with_sessions: bool, periodic: bool) -> Figures {
    let tally = run.timeline.whole().tally;
    let counters = tally.counters();
    let bins = lifetime_bins(&tally);
    let mean = |phase| milliseconds(tally.moments(phase).mean_ns());
    let mut classes = [0; 5];
    for (status, count) in tally.statuses() {
        if let Some(class) =
            (usize::from(status) / 100).checked_sub(1).and_then(|class| classes.get_mut(class))
        {
            *class += count;
        }
    }
    let status = |wanted| tally.statuses().find(|(status, _)| *status == wanted).map_or(0, |row| row.1);
    let failures = connection_failures(&tally);
    Figures {
        duration_s: run.wall.as_secs_f64(),
        connect_burst: u64::from(counters.connections_opened > 1),
        connections: counters.connections_opened + failures,
        concurrent: counters.connections_held,
        requests: counters.requests,
        request_bytes: counters.request_bytes,
        replies: replies(&tally),
        reply_bytes: [counters.header_bytes, counters.body_bytes, 0],
        classes,
        lifetimes: tally.moments(Phase::Lifetime).count(),
        lifetime_ms: lifetimes(tally.moments(Phase::Lifetime), &bins),
        lifetime_bins: bins,
        connect_ms: mean(Phase::Connect) + mean(Phase::Tls),
        reply_rates: live.reply_rates(),
        response_ms: mean(Phase::Wait),
        transfer_ms: mean(Phase::Transfer),
        cpu_s: [run.evidence.cpu_user, run.evidence.cpu_system].map(|time: Duration| time.as_secs_f64()),
        errors: errors(&tally),
        periodic: periodic.then(|| [status(200), status(302)]),
        sessions: with_sessions.then(|| Sessions { rates: live.session_rates(), ..Sessions::default() }),
    }
}

fn milliseconds(ns: Option<f64>) -> f64 {
    ns.unwrap_or(0.0) / 1e6
}

fn lifetimes(moments: &Moments, bins: &[(u64, u64)]) -> Spread {
    let whole = |ns: Option<u64>| milliseconds(ns.map(|ns| ns as f64));
    Spread {
        min: whole(moments.min_ns()),
        mean: milliseconds(moments.mean_ns()),
        max: whole(moments.max_ns()),
        median: median_ms(bins),
        stddev: milliseconds(moments.stddev_ns()),
        count: moments.count(),
    }
}

/// Lifetimes in bins of one millisecond, up to a hundred seconds.
fn lifetime_bins(tally: &Tally) -> Vec<(u64, u64)> {
    let mut bins = BTreeMap::new();
    for (first, last, count) in tally.phase(Phase::Lifetime).histogram().bins() {
        *bins.entry((first.midpoint(last) / 1_000_000).min(LAST_BIN)).or_insert(0) += count;
    }
    bins.into_iter().collect()
}

/// The bin of all lifetimes of a hundred seconds and more.
const LAST_BIN: u64 = 100_000;

/// Connections that were begun and did not open.
fn connection_failures(tally: &Tally) -> u64 {
    let begun =
        |outcome: &Outcome| !matches!(outcome, Outcome::NoFiles | Outcome::NoBuffers | Outcome::Resolve);
    tally.connection_failures().filter(|(outcome, _)| begun(outcome)).map(|row| row.1).sum()
}

fn errors(tally: &Tally) -> Errors {
    let mut errors = Errors::default();
    for (outcome, count) in tally.outcomes() {
        match outcome {
            Outcome::Completed | Outcome::Unfinished => {}
            Outcome::ResponseTimeout | Outcome::ConnectTimeout | Outcome::TlsTimeout => {
                errors.client_timeout += count;
            }
            Outcome::Refused => errors.refused += count,
            Outcome::Reset | Outcome::Closed | Outcome::ClosedMidReply => errors.reset += count,
            Outcome::NoFiles => errors.no_files += count,
            Outcome::NoPorts => errors.no_ports += count,
            _ => errors.other += count,
        }
    }
    errors
}
