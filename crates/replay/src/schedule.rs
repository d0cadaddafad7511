//! When the requests of a log are sent, with what, and how closely the times of the log were kept.

use crate::Call;
use crate::rows::Rows;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Digits, Distribution, LogTiming, Phase, Run};
use warwolf_plan::{ArrivalProcess, Body, CheckedPlan, Plan, Request, Schedule, Shard, Stop, Work};
use warwolf_workload::{Arrivals, FedRequest};

/// Requests in flight at the stop may take this long.
const GRACE: Duration = Duration::from_secs(1);
/// The first request is due this long after the start, so that the log is read ahead by then.
const BEFORE: Duration = Duration::from_millis(50);
/// Header fields that only servers named by the user receive.
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// At the times of the log, with this factor of speed.
    Log(f64),
    /// As the plan specifies: at a rate, or by users.
    Plan,
}

/// Changes a plan to that of a replay at this pace: without a stop of its own, and one call per session in an open loop.
pub fn prepare(plan: &mut Plan, pace: Pace) {
    plan.stop = Stop { duration: None, calls: None, grace: plan.stop.grace.max(GRACE) };
    if let Pace::Log(_) = pace {
        // The feed brings the times.
        plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Trace { at_ns: vec![0] }, burst: 1 };
    }
    let is_open = plan.is_open();
    if let Work::Draw { calls, .. } = &mut plan.session.work
        && is_open
    {
        *calls = Some(1);
    }
}

/// Gives each request of a log its time, its row and the user's header fields.
pub struct Replay {
    /// The request that all are made from.
    template: Request,
    pace: Pacing,
    rows: Rows,
    /// Delays of requests that were read too late for their time.
    shifted: Distribution,
    withheld: u64,
}

enum Pacing {
    /// By the log.
    Log {
        speed: f64,
        /// The log's time at the start.
        origin_ns: Option<i64>,
        last: Timestamp,
    },
    /// By the arrivals of the plan.
    Arrivals(Arrivals),
    /// By users.
    Users,
}

impl Replay {
    /// A replay with a plan that [`prepare`] changed. Its first request is the template of all.
    #[must_use]
    pub fn new(plan: &CheckedPlan, pace: Pace) -> Self {
        let pace = match pace {
            Pace::Log(speed) => Pacing::Log { speed, origin_ns: None, last: Timestamp::ZERO },
            Pace::Plan if plan.is_open() => Pacing::Arrivals(Arrivals::new(plan, &Shard::WHOLE)),
            Pace::Plan => Pacing::Users,
        };
        Self {
            template: plan.requests[0].clone(),
            pace,
            rows: Rows::default(),
            shifted: Distribution::new(Digits::Two),
            withheld: 0,
        }
    }

    /// Notes the requests of the next part of the log: the most frequent paths get the rows that are left.
    pub fn note(&mut self, calls: &[Call]) {
        self.rows.note(calls);
    }

    /// The next request; `now` is the time since the start. `None` if the plan has no further arrival.
    pub fn next(&mut self, call: &Call, now: Timestamp) -> Option<FedRequest> {
        let at = match &mut self.pace {
            Pacing::Log { speed, origin_ns, last } => {
                let before_ns = (BEFORE.as_nanos() as f64 * *speed) as i64;
                let origin_ns = *origin_ns.get_or_insert(call.at_ns.saturating_sub(before_ns));
                let due = Timestamp::from_nanos(due_ns(call, origin_ns, *speed));
                // Read too late, or not in order: it starts as soon as possible.
                let at = due.max(now).max(*last);
                if at > due {
                    self.shifted.record(at.since(due).as_nanos() as u64);
                }
                *last = at;
                at
            }
            Pacing::Arrivals(arrivals) => arrivals.take()?.at,
            Pacing::Users => now,
        };
        self.withheld += u64::from(call.is_from_log && self.has_credentials());
        let target = self.rows.row_of(call);
        Some(FedRequest { at, request: self.request(call), target, size_bytes: call.size_bytes() })
    }

    /// How far starts in `run` were from the times of the log; `None` when nothing was sent, or not at these times.
    #[must_use]
    pub fn timing(&self, run: &Run) -> Option<LogTiming> {
        let mut late = run.timeline.whole().tally.phase(Phase::Lag).clone();
        if !matches!(self.pace, Pacing::Log { .. }) || late.count() == 0 {
            return None;
        }
        late.merge(&self.shifted);
        let within = |quantile| late.quantile(quantile).unwrap_or(0);
        Some(LogTiming { half_ns: within(0.5), most_ns: within(0.99), all_ns: within(1.0) })
    }

    /// The names of the rows: paths without queries.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        self.rows.names()
    }

    /// Requests that were sent without the user's credentials, because only the log names their server.
    #[must_use]
    pub const fn withheld(&self) -> u64 {
        self.withheld
    }

    fn has_credentials(&self) -> bool {
        self.template.basic_auth.is_some()
            || self.template.headers.iter().any(|(name, _)| is_credential(name))
    }

    /// The template with what the log contains of a request.
    fn request(&self, call: &Call) -> Request {
        let mut request = self.template.clone();
        request.path = call.path.as_str().into();
        request.method.clone_from(&call.method);
        request.endpoint.clone_from(&call.endpoint);
        if call.is_from_log {
            request.basic_auth = None;
            request.headers.retain(|(name, _)| !is_credential(name));
        }
        // What the user gives comes before what the log contains.
        let given = request.headers.len();
        for (name, value) in &call.headers {
            if !request.headers[..given].iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                request.headers.push((name.clone(), value.clone()));
            }
        }
        if !call.body.is_empty() {
            request.body = Body::Bytes(call.body.clone());
        }
        request
    }
}

fn is_credential(name: &str) -> bool {
    CREDENTIALS.iter().any(|field| name.eq_ignore_ascii_case(field))
}

/// When a request is due, counted from the start of the replay.
fn due_ns(call: &Call, origin_ns: i64, speed: f64) -> u64 {
    (call.at_ns.saturating_sub(origin_ns).max(0) as f64 / speed) as u64
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
