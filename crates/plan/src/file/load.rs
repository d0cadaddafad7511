//! `[load]`: schedule, stop and machine.

use super::tables::{LoadTable, RampTable, RampValue, RateStepTable};
use super::words::{As, Count, Lasts, Rate, Time};
use crate::{ArrivalProcess, ArrivalWords, Plan, PlanError, RateStep, Schedule, Stop, Work};
use std::time::Duration;

/// Users unless the plan says how many.
const USERS: u32 = 50;
/// How long a run lasts unless the plan says when it ends.
const LASTS: Duration = Duration::from_secs(10);

fn wrong(key: &str, value: impl Into<String>, remedy: impl Into<String>) -> PlanError {
    PlanError::new(format!("load.{key}"), value, remedy)
}

impl LoadTable {
    /// Puts the schedule, the end and the machine's part into a plan. `has_steps` is whether it has steps.
    pub(super) fn apply(&self, plan: &mut Plan, has_steps: bool) -> Result<(), PlanError> {
        plan.schedule = match self.arrivals()? {
            Some(arrivals) => {
                if let Some(As(Count(users))) = self.users {
                    let remedy =
                        "use either users or a rate: with a rate, sessions start whatever the server does";
                    return Err(wrong("users", users.to_string(), remedy));
                }
                Schedule::Open { arrivals, burst: self.burst.unwrap_or(1) }
            }
            None => self.users(has_steps)?,
        };
        if let (Some(is), Schedule::Open { .. }) = (self.back_to_back, &plan.schedule) {
            return Err(wrong(
                "back_to_back",
                is.to_string(),
                "it is for users; leave it out, or leave out the rate",
            ));
        }
        plan.stop = self.stop(plan)?;
        plan.warmup = self.warmup.map_or(Duration::ZERO, |As(Time(time))| time);
        plan.threads = self.threads;
        plan.driver = self.driver;
        plan.idle = self.idle;
        Ok(())
    }

    fn users(&self, has_steps: bool) -> Result<Schedule, PlanError> {
        let users = match self.users {
            None => USERS,
            Some(As(Count(users))) => u32::try_from(users)
                .map_err(|_| wrong("users", users.to_string(), "use a number below 4,294,967,296"))?,
        };
        if let Some(burst) = self.burst {
            let remedy = "it is for arrivals; give a rate as well, or use burst in [session]";
            return Err(wrong("burst", burst.to_string(), remedy));
        }
        let ramp = match &self.ramp {
            Some(RampValue::Users(Time(time))) => *time,
            _ => Duration::ZERO,
        };
        if !self.back_to_back.unwrap_or(has_steps) {
            return Ok(Schedule::Closed { users, ramp });
        }
        if !ramp.is_zero() {
            let remedy = "sessions that follow each other have no ramp; use back_to_back = false, or a rate";
            return Err(wrong("ramp", "", remedy));
        }
        Ok(Schedule::Turns { users })
    }

    /// The arrivals of an open loop; none in a closed one.
    fn arrivals(&self) -> Result<Option<ArrivalProcess>, PlanError> {
        let ramp = match &self.ramp {
            Some(RampValue::Rate(ramp)) => Some(ramp),
            _ => None,
        };
        let given = [
            ("rate", self.rate.is_some()),
            ("ramp", ramp.is_some()),
            ("steps", !self.steps.is_empty()),
            ("trace", self.trace.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is)| *is).map(|(name, _)| name);
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            return Err(wrong(second, "", format!("use either {first} or {second}")));
        }
        let words = match self.arrivals.as_deref() {
            None => ArrivalWords::Constant,
            Some(text) => ArrivalWords::parse(text)
                .ok()
                .filter(|words| !matches!(words, ArrivalWords::Trace { .. }))
                .ok_or_else(|| wrong("arrivals", text, "use constant, poisson or uniform:5ms,15ms"))?,
        };
        let is_free = self.rate.is_none() && self.arrivals.is_some();
        if let ArrivalWords::Uniform { min, max } = words {
            return match (self.rate, is_free) {
                (None, true) => Ok(Some(ArrivalProcess::Uniform { min, max })),
                _ => Err(wrong("rate", "", "leave it out: uniform arrivals have their rate in themselves")),
            };
        }
        if is_free {
            return Err(wrong("arrivals", self.arrivals.clone().unwrap_or_default(), "give a rate as well"));
        }
        if let Some(As(Rate(rate))) = self.rate {
            return Ok(Some(match words {
                ArrivalWords::Poisson => ArrivalProcess::Poisson { rate },
                _ => ArrivalProcess::Constant { rate },
            }));
        }
        if let Some(RampTable { from: As(Rate(from)), to: As(Rate(to)), over: As(Time(over)) }) = ramp {
            return Ok(Some(ArrivalProcess::Ramp { from: *from, to: *to, over: *over }));
        }
        if !self.steps.is_empty() {
            let step = |step: &RateStepTable| RateStep { rate: step.rate.0.0, lasts: step.lasts.0.0 };
            return Ok(Some(ArrivalProcess::Steps { steps: self.steps.iter().map(step).collect() }));
        }
        let trace = self.trace.as_ref().map(|trace| {
            trace.iter().map(|As(Time(at))| u64::try_from(at.as_nanos()).unwrap_or(u64::MAX)).collect()
        });
        Ok(trace.map(|at_ns| ArrivalProcess::Trace { at_ns }))
    }

    fn stop(&self, plan: &Plan) -> Result<Stop, PlanError> {
        let count = |given: Option<As<Count>>| given.map(|As(Count(count))| count);
        let (requests, sessions) = (count(self.requests), count(self.sessions));
        let calls = match (requests, sessions, counts_requests(plan)) {
            (None, None, _) => None,
            (Some(_), Some(sessions), _) => {
                return Err(wrong("sessions", sessions.to_string(), "use either requests or sessions"));
            }
            (Some(requests), None, true) => Some(requests),
            (None, Some(sessions), false) => Some(sessions),
            (Some(requests), None, false) => {
                let remedy =
                    "sessions make several requests: use sessions, the number after which the run ends";
                return Err(wrong("requests", requests.to_string(), remedy));
            }
            (None, Some(sessions), true) => {
                let remedy = "use requests: users of a list of requests go on until the run ends";
                return Err(wrong("sessions", sessions.to_string(), remedy));
            }
        };
        let duration = match self.duration {
            Some(As(Lasts(duration))) => duration,
            None => usual_duration(calls, &plan.schedule),
        };
        Ok(Stop { duration, calls, grace: self.grace.map_or(Duration::ZERO, |As(Time(time))| time) })
    }

    /// The table of a plan.
    pub(super) fn of(plan: &Plan) -> Self {
        let mut table =
            Self { driver: plan.driver, idle: plan.idle, threads: plan.threads, ..Self::default() };
        let has_steps = !plan.scenarios.is_empty();
        let users = |users: u32| Some(As(Count(users.into())));
        match &plan.schedule {
            Schedule::Closed { users: count, ramp } => {
                table.users = users(*count);
                table.ramp = (!ramp.is_zero()).then_some(RampValue::Users(Time(*ramp)));
                table.back_to_back = has_steps.then_some(false);
            }
            Schedule::Turns { users: count } => {
                table.users = users(*count);
                table.back_to_back = (!has_steps).then_some(true);
            }
            Schedule::Open { arrivals, burst } => {
                table.burst = (*burst != 1).then_some(*burst);
                table.set_arrivals(arrivals);
            }
        }
        let count = plan.stop.calls.map(|calls| As(Count(calls)));
        if counts_requests(plan) {
            table.requests = count
        } else {
            table.sessions = count
        }
        let usual = usual_duration(plan.stop.calls, &plan.schedule);
        table.duration =
            (plan.stop.duration.is_some() || usual.is_some()).then_some(As(Lasts(plan.stop.duration)));
        let time = |time: Duration| (!time.is_zero()).then_some(As(Time(time)));
        table.warmup = time(plan.warmup);
        table.grace = time(plan.stop.grace);
        table
    }

    fn set_arrivals(&mut self, arrivals: &ArrivalProcess) {
        let rate = |rate: f64| As(Rate(rate));
        match arrivals {
            ArrivalProcess::Constant { rate: of } => self.rate = Some(rate(*of)),
            ArrivalProcess::Poisson { rate: of } => {
                self.rate = Some(rate(*of));
                self.arrivals = Some("poisson".to_owned());
            }
            ArrivalProcess::Uniform { min, max } => {
                use super::words::Word as _;
                self.arrivals = Some(format!("uniform:{},{}", Time(*min).write(), Time(*max).write()));
            }
            ArrivalProcess::Ramp { from, to, over } => {
                let ramp = RampTable { from: rate(*from), to: rate(*to), over: As(Time(*over)) };
                self.ramp = Some(RampValue::Rate(ramp));
            }
            ArrivalProcess::Steps { steps } => {
                let step =
                    |step: &RateStep| RateStepTable { rate: rate(step.rate), lasts: As(Time(step.lasts)) };
                self.steps = steps.iter().map(step).collect();
            }
            ArrivalProcess::Trace { at_ns } => {
                self.trace = Some(at_ns.iter().map(|at| As(Time(Duration::from_nanos(*at)))).collect());
            }
        }
    }
}

/// Whether the end of the run is a number of requests, rather than of sessions.
fn counts_requests(plan: &Plan) -> bool {
    let has_one_call = matches!(plan.session.work, Work::Draw { calls: Some(1), .. });
    plan.scenarios.is_empty()
        && match plan.schedule {
            Schedule::Closed { .. } => true,
            Schedule::Open { .. } => has_one_call,
            Schedule::Turns { .. } => false,
        }
}

fn usual_duration(calls: Option<u64>, schedule: &Schedule) -> Option<Duration> {
    let ends = match schedule {
        Schedule::Open { arrivals, .. } => arrivals.ends_after().is_some(),
        _ => false,
    };
    (calls.is_none() && !ends).then_some(LASTS)
}
