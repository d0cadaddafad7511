//! When the parts of a log are sent: a plan for each, and how closely the times of the log were kept.

use crate::Call;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_experiment::Joining;
use warwolf_measure::{Digits, Distribution, Phase, Run, Tally};
use warwolf_plan::{ArrivalProcess, Body, Endpoint, Plan, Request, Schedule, Stop};

/// Calls in flight at the end of a part may take this long before the next part begins.
const GRACE: Duration = Duration::from_secs(1);
/// A part begins this long before its first request is due.
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

/// How far starts were from the times of the log, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Half of the starts.
    pub half_ns: u64,
    /// 99 % of the starts.
    pub most_ns: u64,
    /// All starts.
    pub all_ns: u64,
    /// Parts that were sent.
    pub parts: u64,
}

/// The plans of a log's parts, and the sum of their runs.
pub struct Replay {
    /// The plan of every part but for requests and times. Its first request is the template of all.
    plan: Plan,
    pace: Pace,
    /// The log's time at the start.
    origin_ns: Option<i64>,
    whole: Joining,
    parts: u64,
    /// Delays of starts whose part began late.
    shifted: Distribution,
    lag: Tally,
    resolved: HashSet<String>,
    /// Hosts of the log without an address, and their requests.
    unresolved: BTreeMap<String, u64>,
    withheld: u64,
}

impl Replay {
    /// Nothing sent yet. `plan` is that of every part but for requests and times; its first request is the template of all.
    #[must_use]
    pub fn new(mut plan: Plan, pace: Pace) -> Self {
        plan.stop = Stop { duration: None, calls: None, grace: plan.stop.grace.max(GRACE) };
        Self {
            plan,
            pace,
            origin_ns: None,
            whole: Joining::of_other_targets(),
            parts: 0,
            shifted: Distribution::new(Digits::Two),
            lag: Tally::new(),
            resolved: HashSet::new(),
            unresolved: BTreeMap::new(),
            withheld: 0,
        }
    }

    /// Leaves out the requests to hosts that only the log names and that have no address. Each host is resolved once. With a
    /// proxy, which resolves the names, every request stays.
    pub fn leave_out_unresolved(
        &mut self,
        calls: &mut Vec<Call>,
        mut has_address: impl FnMut(&Endpoint) -> bool,
    ) {
        if self.plan.network.proxy.is_some() {
            return;
        }
        calls.retain(|call| {
            let host = &call.endpoint.host;
            if !call.is_from_log || self.resolved.contains(host) {
                return true;
            }
            if let Some(count) = self.unresolved.get_mut(host) {
                *count += 1;
                return false;
            }
            if has_address(&call.endpoint) {
                self.resolved.insert(host.clone());
                return true;
            }
            self.unresolved.insert(host.clone(), 1);
            false
        });
    }

    /// How long to wait at `now`, counted from the start of the replay, before a part begins.
    pub fn pause(&mut self, calls: &[Call], now: Timestamp) -> Duration {
        let (Pace::Log(speed), Some(first)) = (self.pace, calls.first()) else { return Duration::ZERO };
        let due_ns = due_ns(first, self.origin_ns(first, speed), speed);
        Duration::from_nanos(due_ns.saturating_sub(now.as_nanos() + BEFORE.as_nanos() as u64))
    }

    /// The plan of a part that begins at `now`.
    pub fn plan(&mut self, calls: &[Call], now: Timestamp) -> Plan {
        let requests = calls.iter().filter_map(|call| self.request(call)).collect();
        self.withheld +=
            calls.iter().filter(|call| call.is_from_log && self.has_credentials()).count() as u64;
        let mut plan = Plan { requests, seed: self.plan.seed.wrapping_add(self.parts), ..self.plan.clone() };
        match (self.pace, calls.first()) {
            (Pace::Log(speed), Some(first)) => {
                let origin_ns = self.origin_ns(first, speed);
                let due = calls.iter().map(|call| due_ns(call, origin_ns, speed));
                let at_ns = due.map(|due_ns| self.start_ns(due_ns, now.as_nanos())).collect();
                plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Trace { at_ns }, burst: 1 };
            }
            _ => plan.stop.calls = Some(calls.len() as u64),
        }
        plan
    }

    /// Adds the run of a part.
    pub fn add(&mut self, run: &Run) {
        self.parts += 1;
        self.lag.follow(&run.timeline.whole().tally);
        self.whole.push(run);
    }

    /// How far starts were from the times of the log; `None` when nothing was sent, or not at these times.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        let mut late = self.lag.phase(Phase::Lag).clone();
        if self.pace == Pace::Plan || late.count() == 0 {
            return None;
        }
        late.merge(&self.shifted);
        let within = |quantile| late.quantile(quantile).unwrap_or(0);
        let (half_ns, most_ns, all_ns) = (within(0.5), within(0.99), within(1.0));
        Some(Timing { half_ns, most_ns, all_ns, parts: self.parts })
    }

    /// Hosts that only the log names and that have no address, and the number of requests to each that were left out.
    #[must_use]
    pub const fn unresolved(&self) -> &BTreeMap<String, u64> {
        &self.unresolved
    }

    /// Requests that were sent without the user's credentials, because only the log names their server.
    #[must_use]
    pub const fn withheld(&self) -> u64 {
        self.withheld
    }

    /// The run of all parts, with `name` as its target; `None` when nothing was sent.
    #[must_use]
    pub fn finish(self, name: String) -> Option<Run> {
        let run = self.whole.finish()?;
        Some(Run {
            plan_text: warwolf_plan::text::to_toml(&self.plan),
            targets: vec![name],
            seed: self.plan.seed,
            target_rate: None,
            nominal: None,
            ..run
        })
    }

    fn has_credentials(&self) -> bool {
        self.plan.requests.first().is_some_and(|template| {
            template.basic_auth.is_some() || template.headers.iter().any(|(name, _)| is_credential(name))
        })
    }

    /// The template with what the log contains of a request.
    fn request(&self, call: &Call) -> Option<Request> {
        let mut request = self.plan.requests.first()?.clone();
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
        Some(request)
    }

    /// The log's time at the start of the replay, whose first request is `first`.
    fn origin_ns(&mut self, first: &Call, speed: f64) -> i64 {
        let before_ns = (BEFORE.as_nanos() as f64 * speed) as i64;
        *self.origin_ns.get_or_insert(first.at_ns.saturating_sub(before_ns))
    }

    /// When a request that is due at `due_ns` starts, counted from `now_ns`, when its part begins.
    fn start_ns(&mut self, due_ns: u64, now_ns: u64) -> u64 {
        if due_ns < now_ns {
            self.shifted.record(now_ns - due_ns);
        }
        due_ns.saturating_sub(now_ns)
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
