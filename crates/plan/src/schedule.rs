use crate::PlanError;
use crate::quantity::print_duration;
use std::time::Duration;

/// When sessions start.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// A fixed number of users, each of whom goes on until the run ends: arrivals wait for completions.
    Closed {
        /// How many users.
        users: u32,
        /// Time over which they start, evenly; zero means all at once.
        ramp: Duration,
    },
    /// Sessions follow each other: so many at a time, and the next one starts the moment one has ended.
    Turns {
        /// How many at a time.
        users: u32,
    },
    /// Sessions start when the process says, whatever the server does.
    Open {
        /// The arrival process.
        arrivals: ArrivalProcess,
        /// Arrivals come in groups of this many at the same instant; the rate stays what it is. 1 means one by one.
        burst: u32,
    },
}

/// How arrivals follow each other.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrivalProcess {
    /// Evenly: the k-th arrival at k / rate seconds.
    Constant {
        /// Arrivals a second.
        rate: f64,
    },
    /// Independently: exponential gaps.
    Poisson {
        /// Mean arrivals a second.
        rate: f64,
    },
    /// Gaps drawn evenly from `min` to `max`.
    Uniform {
        /// Shortest gap.
        min: Duration,
        /// Longest gap.
        max: Duration,
    },
    /// A rate that changes linearly, then stays.
    Ramp {
        /// Arrivals a second at the start.
        from: f64,
        /// Arrivals a second at the end and after.
        to: f64,
        /// How long the change takes.
        over: Duration,
    },
    /// Constant rates, one after the other; the run ends with the last.
    Steps {
        /// Rate and how long it holds.
        steps: Vec<RateStep>,
    },
    /// Given moments.
    Trace {
        /// Nanoseconds from the start of the run, in order.
        at_ns: Vec<u64>,
    },
}

/// A rate and how long it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateStep {
    /// Arrivals a second; zero is a pause.
    pub rate: f64,
    /// How long.
    pub lasts: Duration,
}

impl ArrivalProcess {
    /// The mean rate where the process has one: what "achieved" is compared with over a run of `duration`.
    #[must_use]
    pub fn mean_rate(&self, duration: Duration) -> Option<f64> {
        let seconds = duration.as_secs_f64();
        match self {
            Self::Constant { rate } | Self::Poisson { rate } => Some(*rate),
            Self::Uniform { min, max } => Some(2.0 / (min.as_secs_f64() + max.as_secs_f64())),
            Self::Ramp { from, to, over } => {
                let over = over.as_secs_f64();
                let ramped = seconds.min(over);
                let at_end = from + (to - from) * if over > 0.0 { ramped / over } else { 1.0 };
                (seconds > 0.0).then(|| (ramped * (from + at_end) / 2.0 + (seconds - ramped) * to) / seconds)
            }
            Self::Steps { steps } => {
                let total: f64 = steps.iter().map(|s| s.rate * s.lasts.as_secs_f64()).sum();
                let time: f64 = steps.iter().map(|s| s.lasts.as_secs_f64()).sum();
                (time > 0.0).then(|| total / time)
            }
            Self::Trace { .. } => None,
        }
    }

    /// Sets the rate of a process that has one rate; others stay what they are.
    pub fn set_rate(&mut self, per_second: f64) {
        if let Self::Constant { rate } | Self::Poisson { rate } = self {
            *rate = per_second;
        }
    }

    /// When the process ends by itself, if it does.
    #[must_use]
    pub fn ends_after(&self) -> Option<Duration> {
        match self {
            Self::Steps { steps } => Some(steps.iter().map(|s| s.lasts).sum()),
            Self::Trace { at_ns } => Some(Duration::from_nanos(at_ns.last().copied().unwrap_or(0))),
            _ => None,
        }
    }

    fn check(&self) -> Result<(), PlanError> {
        let positive = |field: &str, rate: f64| {
            if rate.is_finite() && rate > 0.0 && rate <= 1e9 {
                Ok(())
            } else {
                Err(PlanError::new(field, rate.to_string(), "use a positive rate, such as 500.0"))
            }
        };
        let not_negative = |field: &str, rate: f64| {
            if (0.0..=1e9).contains(&rate) {
                Ok(())
            } else {
                Err(PlanError::new(field, rate.to_string(), "use a rate of zero or more, such as 500.0"))
            }
        };
        match self {
            Self::Constant { rate } => positive("rate", *rate),
            Self::Poisson { rate } => positive("rate", *rate),
            Self::Uniform { min, max } if max < min || max.is_zero() => Err(PlanError::new(
                "arrivals",
                format!("min {}, max {}", print_duration(*min), print_duration(*max)),
                "use a longest gap above zero, at least as long as the shortest",
            )),
            Self::Ramp { from, to, .. } => {
                positive("ramp", from.max(*to))?;
                not_negative("ramp", *from).and(not_negative("ramp", *to))
            }
            Self::Steps { steps } => {
                steps.iter().try_for_each(|step| not_negative("steps", step.rate))?;
                if steps.iter().any(|step| step.rate > 0.0 && !step.lasts.is_zero()) {
                    return Ok(());
                }
                Err(PlanError::new(
                    "steps",
                    "no arrivals",
                    "give at least one step such as { rate = \"500/s\", lasts = \"10s\" }",
                ))
            }
            Self::Trace { at_ns } if !at_ns.is_sorted() => {
                Err(PlanError::new("trace", "", "the times must be in order"))
            }
            Self::Trace { at_ns } if at_ns.is_empty() => {
                Err(PlanError::new("trace", "", "the trace has no times"))
            }
            _ => Ok(()),
        }
    }
}

impl Schedule {
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        match self {
            Self::Closed { users: 0, .. } => Err(PlanError::new("load.users", "0", "use 1 or more users")),
            Self::Turns { users: 0 } => Err(PlanError::new("load.users", "0", "use 1 or more users")),
            Self::Closed { .. } | Self::Turns { .. } => Ok(()),
            Self::Open { burst: 0, .. } => Err(PlanError::new("load.burst", "0", "use 1 or more")),
            Self::Open { arrivals, .. } => arrivals.check().map_err(|error| error.within("load")),
        }
    }
}
