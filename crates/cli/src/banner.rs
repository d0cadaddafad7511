//! What is about to be run, in one line.

use std::time::Duration;
use warwolf_plan::quantity::{print_duration, print_rate};
use warwolf_plan::{ArrivalProcess, Idle, Plan, Schedule, Work};
use warwolf_report::unit;

/// What this machine will use for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Means {
    /// Worker threads.
    pub(crate) threads: usize,
    /// Connections that may be open at once.
    pub(crate) connections: u32,
    /// Name of the driver.
    pub(crate) driver: &'static str,
}

/// The line that is said before a run: loop, end, target; threads, driver, limit, seed.
pub(crate) fn run_banner(plan: &Plan, means: &Means) -> String {
    let limit = match plan.schedule {
        Schedule::Open { .. } => {
            format!("at most {}, ", counted(means.connections.into(), "connection"))
        }
        Schedule::Closed { .. } | Schedule::Turns { .. } => String::new(),
    };
    let spin = match plan.idle {
        Idle::Block => "",
        Idle::Spin => " spinning",
    };
    let threads = counted(means.threads as u64, "thread");
    format!(
        "{} {}: {}; {limit}{threads}{spin}, {}, seed {}",
        load(plan),
        end(plan),
        target(plan),
        means.driver,
        plan.seed
    )
}

fn load(plan: &Plan) -> String {
    match &plan.schedule {
        Schedule::Closed { users, ramp } => {
            let ramp = if ramp.is_zero() { String::new() } else { format!(" started over {}", time(*ramp)) };
            let depth = match plan.session.work {
                Work::Draw { burst, .. } if burst > 1 => format!(" × {burst} requests at once"),
                _ => String::new(),
            };
            format!("closed loop, {}{depth}{ramp}", counted((*users).into(), "user"))
        }
        Schedule::Turns { users } => format!("in turns, {}", counted((*users).into(), "session")),
        Schedule::Open { arrivals, burst } => {
            let groups = if *burst > 1 { format!(" in groups of {burst}") } else { String::new() };
            format!("open loop, {}{groups}", process(arrivals))
        }
    }
}

fn process(arrivals: &ArrivalProcess) -> String {
    match arrivals {
        ArrivalProcess::Constant { rate } => print_rate(*rate),
        ArrivalProcess::Poisson { rate } => format!("{} Poisson", print_rate(*rate)),
        ArrivalProcess::Uniform { min, max } => format!("gaps of {} to {}", time(*min), time(*max)),
        ArrivalProcess::Ramp { from, to, over } => {
            format!("{} to {} over {}", print_rate(*from), print_rate(*to), time(*over))
        }
        ArrivalProcess::Steps { steps } => match steps.as_slice() {
            [first, .., last] => {
                format!("{} steps from {} to {}", steps.len(), print_rate(first.rate), print_rate(last.rate))
            }
            steps => steps.iter().map(|step| print_rate(step.rate)).collect(),
        },
        ArrivalProcess::Trace { at_ns } => counted(at_ns.len() as u64, "given time"),
    }
}

fn end(plan: &Plan) -> String {
    let what = match plan.schedule {
        Schedule::Open { .. } => "arrival",
        Schedule::Turns { .. } => "session",
        Schedule::Closed { .. } => "request",
    };
    match (plan.stop.calls, plan.stop.duration) {
        (Some(calls), None) => format!("for {}", counted(calls, what)),
        (None, Some(duration)) => format!("for {}", time(duration)),
        (Some(calls), Some(duration)) => format!("for {} or {}", counted(calls, what), time(duration)),
        (None, None) => match own_end(plan) {
            Some(duration) => format!("for {}", time(duration)),
            None => "until stopped".to_owned(),
        },
    }
}

/// When the arrivals of an open loop end by themselves.
pub(crate) fn own_end(plan: &Plan) -> Option<Duration> {
    match &plan.schedule {
        Schedule::Open { arrivals, .. } => arrivals.ends_after(),
        Schedule::Closed { .. } | Schedule::Turns { .. } => None,
    }
}

fn target(plan: &Plan) -> String {
    match plan.requests.as_slice() {
        [only] => format!("{} {}", only.method, only.url()),
        [first, rest @ ..] => {
            format!("{} {} and {} more", first.method, first.url(), unit::count(rest.len() as u64))
        }
        [] => "nothing".to_owned(),
    }
}

/// `1 call`, `2,000 calls`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", unit::count(count), if count == 1 { "" } else { "s" })
}

/// A duration, from a minute on in hours, minutes and seconds.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if duration.subsec_nanos() > 0 || seconds < 60 {
        return print_duration(duration);
    }
    let parts = [(seconds / 3600, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    parts.iter().filter(|(value, _)| *value > 0).map(|(value, unit)| format!("{value}{unit}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::{RateStep, Request, Stop};

    fn plan() -> Plan {
        Plan::new(vec![Request::get("http://a.test/").unwrap()])
    }

    fn line(plan: &Plan) -> String {
        run_banner(plan, &Means { threads: 2, connections: 10_000, driver: "uring" })
    }

    #[test]
    fn a_closed_loop_in_one_line() {
        let mut plan = plan();
        assert_eq!(
            line(&plan),
            "closed loop, 50 users for 10s: GET http://a.test/; 2 threads, uring, seed 0"
        );
        plan.schedule = Schedule::Closed { users: 1, ramp: Duration::from_secs(90) };
        plan.stop = Stop::after_calls(10_000);
        plan.requests.push(plan.requests[0].clone());
        plan.idle = Idle::Spin;
        assert_eq!(
            run_banner(&plan, &Means { threads: 1, connections: 1, driver: "epoll" }),
            "closed loop, 1 user started over 1m30s for 10,000 requests: GET http://a.test/ and 1 more; \
             1 thread spinning, epoll, seed 0"
        );
    }

    #[test]
    fn open_loops_in_one_line() {
        let step = |rate| RateStep { rate, lasts: Duration::from_secs(1) };
        let rows = [
            (ArrivalProcess::Constant { rate: 500.0 }, "500/s"),
            (ArrivalProcess::Poisson { rate: 0.5 }, "0.5/s Poisson"),
            (
                ArrivalProcess::Ramp { from: 0.0, to: 2e4, over: Duration::from_secs(60) },
                "0/s to 20000/s over 1m",
            ),
            (ArrivalProcess::Steps { steps: vec![step(5.0), step(9.0)] }, "2 steps from 5/s to 9/s"),
            (ArrivalProcess::Steps { steps: vec![step(5.0)] }, "5/s"),
            (ArrivalProcess::Trace { at_ns: vec![0] }, "1 given time"),
            (
                ArrivalProcess::Uniform { min: Duration::ZERO, max: Duration::from_millis(5) },
                "gaps of 0s to 5ms",
            ),
        ];
        for (arrivals, expected) in rows {
            let plan = Plan { schedule: Schedule::Open { arrivals, burst: 1 }, ..plan() };
            let rest = " for 10s: GET http://a.test/; at most 10,000 connections, 2 threads, uring, seed 0";
            assert_eq!(line(&plan), format!("open loop, {expected}{rest}"));
        }
    }

    #[test]
    fn long_times_as_people_read_them() {
        for (seconds, expected) in [(59, "59s"), (60, "1m"), (3_600, "1h"), (3_661, "1h1m1s")] {
            assert_eq!(time(Duration::from_secs(seconds)), expected);
        }
    }
}
