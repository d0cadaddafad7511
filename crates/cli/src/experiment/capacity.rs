//! `capacity`: the highest rate at which the SLOs hold.

use super::runner::{Runner, Step};
use crate::environment;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::output;
use clap::ArgMatches;
use std::time::Duration;
use warwolf_args::Load;
use warwolf_args::UsageError;
use warwolf_args::experiment::Capacity as CapacityArgs;
use warwolf_args::values::share;
use warwolf_clock::Clock;
use warwolf_driver::Monotonic;
use warwolf_experiment::capacity::{
    Answer, Criterion, Found, Probe, Range, RateSearch, Recovery, Search, Tried,
};
use warwolf_measure::{Environment, Summary};
use warwolf_plan::quantity::{parse_duration, parse_rate};
use warwolf_plan::{ArrivalProcess, Plan, PlanError, Schedule, Stop};
use warwolf_report::{CapacityReport, Rendered, unit};

const LENGTH: Duration = Duration::from_secs(10);
const REST: Duration = Duration::from_millis(500);

/// Searches and says what was found.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or a run could not begin.
pub(crate) fn capacity(args: &CapacityArgs, matches: &ArgMatches) -> Result<Exit, Failure> {
    let outputs = output::of_experiment(&args.written, CapacityReport::FORMATS)?;
    let job = Job::of(args, matches)?;
    let runner = Runner::new(args.written.quiet)?;
    let (mut search, mut tried) = (Search::new(job.range), Vec::new());
    let (mut started, mut ended) = (0, Ok(()));
    let clock = Monotonic::start_at(Duration::ZERO);
    runner.say(&estimate(job.criterion.length, job.rest));
    while let Some(probe) = search.next_probe() {
        let length = job.criterion.length(probe) + job.rest;
        runner.announce(Step {
            label: format!("rate {}, {}", tried.len() + 1, unit::rate(probe.rate)),
            after: search.rates_left().map(|rates| length * rates.saturating_sub(1)),
        });
        let Attempt { tried: one, started_unix_ns, is_hopeless } = match job.attempt(probe, &runner) {
            Ok(Some(attempt)) => attempt,
            Ok(None) => break,
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        };
        started = if started == 0 { started_unix_ns } else { started };
        let elapsed = unit::duration(clock.now().as_nanos() as f64);
        runner.say(&format!("rate {}, after {elapsed}: {}", tried.len() + 1, line(&one)));
        if is_hopeless {
            runner.say("even the fastest reply was slower than an SLO allows, so lower rates are not tried");
            search.tell_hopeless();
        } else {
            search.tell(one.answer);
        }
        let overloaded = one.answer != Answer::Held;
        tried.push(one);
        if search.next_probe().is_some() {
            runner.rest(job.rest);
            if overloaded {
                ended = job.recover(&runner);
            }
        }
        if ended.is_err() {
            break;
        }
    }
    if tried.is_empty() {
        ended?;
        ended = Ok(());
    }
    let found = search.found();
    let report = job.report(tried, found, started);
    output::deliver(&outputs, &report)?;
    ended?;
    Ok(match (found.held, runner.is_stopped()) {
        (_, true) => Exit::Interrupted,
        (None, _) => Exit::Broken,
        (Some(_), _) if args.written.strict && found.client_limited => Exit::Doubtful,
        _ => Exit::Well,
    })
}

fn line(one: &Tried) -> String {
    let word = match one.answer {
        Answer::Held => "held",
        Answer::Broken => "broken",
        Answer::Unsure => "borderline",
        Answer::ClientLimited => "the load generator was the limit",
    };
    format!(
        "{} asked, {} achieved: {word}: {}",
        unit::rate(one.rate),
        unit::rate(one.achieved),
        warwolf_report::why(&one.why)
    )
}

/// How long a search is likely to take: most try 8 to 20 rates.
fn estimate(length: Duration, rest: Duration) -> String {
    let time = |rates: u32| unit::duration(((length + rest) * rates).as_nanos() as f64);
    format!(
        "each rate takes {} or more, a search 8 to 20 rates: about {} to {}",
        unit::duration(length.as_nanos() as f64),
        time(8),
        time(20)
    )
}

/// A rate that was tried.
struct Attempt {
    tried: Tried,
    /// When the run began, in nanoseconds since 1970.
    started_unix_ns: u64,
    /// Whether lower rates need not be tried.
    is_hopeless: bool,
}

struct Job {
    load: Load,
    /// The plan of the first rate: every other is the same but for its rate.
    plan: Plan,
    range: Range,
    criterion: Criterion,
    rest: Duration,
}

impl Job {
    fn of(args: &CapacityArgs, matches: &ArgMatches) -> Result<Self, Failure> {
        let about = |error: PlanError| Failure::from(UsageError::about(&error, matches));
        let taken = [
            ("rate", args.load.rate.is_some()),
            ("ramp", args.load.ramp.is_some()),
            ("steps", args.load.steps.is_some()),
            ("requests", args.load.requests.is_some()),
        ];
        if let Some((name, _)) = taken.iter().find(|(_, given)| *given) {
            return Err(UsageError::superfluous(name, "capacity chooses the rates itself").into());
        }
        let no_slo = "no SLO is given; use --slo 'p99<50ms' --slo 'errors<0.1%'";
        if args.load.slo.is_empty() && args.load.plan.is_none() {
            return Err(UsageError::of("capacity", no_slo).into());
        }
        let usual = Range::default();
        let rate = |field: &str, text: &Option<String>, usual| {
            text.as_deref().map_or(Ok(usual), |text| parse_rate(field, text)).map_err(about)
        };
        let time = |field: &str, text: &Option<String>, usual| {
            text.as_deref().map_or(Ok(usual), |text| parse_duration(field, text)).map_err(about)
        };
        let range = Range {
            start: rate("start", &args.start, usual.start)?,
            most: rate("most", &args.most, usual.most)?,
            precision: share("precision", args.precision.as_deref(), usual.precision)?.max(0.001),
            retests: args.retests.unwrap_or(usual.retests),
        };
        let load = Load { rate: Some(range.start.to_string()), ..args.load.clone() };
        let mut plan = files::plan(&load, matches)?;
        let slos = files::slos(&plan.all_slos())?;
        if slos.is_empty() {
            return Err(UsageError::of("capacity", no_slo).into());
        }
        let has_file = args.load.plan.is_some();
        if has_file && !has_one_rate(&plan) {
            let remedy = "its sessions do not arrive at one rate; use a plan with rate = \"50/s\"";
            return Err(UsageError::option("plan", remedy).into());
        }
        if args.load.connections.is_none() && !has_file {
            Runner::fit(&mut plan);
        }
        let length = time("duration", &args.load.duration, LENGTH)?;
        let rest = time("rest", &args.rest, REST)?;
        let criterion = Criterion { slos, length, retests: range.retests };
        Ok(Self { load, plan, range, criterion, rest })
    }

    /// `started`: when the first run began, in nanoseconds since 1970.
    fn report(&self, tried: Vec<Tried>, found: Found, started: u64) -> CapacityReport {
        let slos = self.criterion.slos.iter().map(|slo| slo.text.clone()).collect();
        let of_sessions = !self.plan.scenarios.is_empty();
        let environment = Environment { started_unix_ns: started, ..environment::observe() };
        CapacityReport::new(RateSearch { slos, of_sessions, tried, found }).in_environment(environment)
    }

    fn plan(&self, probe: Probe) -> Plan {
        let length = self.criterion.length(probe);
        let warmup = if self.load.warmup.is_some() { self.plan.warmup } else { self.criterion.warmup(probe) };
        let mut plan = Plan {
            seed: probe.seed(self.plan.seed),
            warmup,
            stop: Stop { duration: Some(length), calls: None, grace: self.plan.stop.grace },
            ..self.plan.clone()
        };
        if let Schedule::Open { arrivals, .. } = &mut plan.schedule {
            arrivals.set_rate(probe.rate);
        }
        plan
    }

    /// Tries a rate; none when the user stopped it.
    fn attempt(&self, probe: Probe, runner: &Runner) -> Result<Option<Attempt>, Failure> {
        let run = runner.run(self.plan(probe))?;
        if runner.is_stopped() {
            return Ok(None);
        }
        let summary = Summary::of(&run);
        let tried = self.criterion.tried(probe, &summary);
        let is_hopeless = self.criterion.is_hopeless(&tried, &summary);
        Ok(Some(Attempt { tried, started_unix_ns: run.started_unix_ns(), is_hopeless }))
    }

    /// After too high a rate the server still has a queue: sends single calls until it is worked off.
    fn recover(&self, runner: &Runner) -> Result<(), Failure> {
        let mut plan = Plan {
            schedule: Schedule::Closed { users: 1, ramp: Duration::ZERO },
            stop: Stop { duration: Some(self.criterion.length), calls: Some(5), grace: Duration::ZERO },
            warmup: Duration::ZERO,
            ..self.plan.clone()
        };
        plan.connections.limit = 1;
        let mut recovery = Recovery::new();
        while !recovery.is_over() && !runner.is_stopped() {
            recovery.add(Summary::of(&runner.run(plan.clone())?).latency.mean_ns);
        }
        Ok(())
    }
}

/// Returns whether sessions arrive at one rate, which the search can change.
fn has_one_rate(plan: &Plan) -> bool {
    let Schedule::Open { arrivals, .. } = &plan.schedule else { return false };
    matches!(arrivals, ArrivalProcess::Constant { .. } | ArrivalProcess::Poisson { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_of_the_whole_search() {
        assert_eq!(
            estimate(LENGTH, REST),
            "each rate takes 10.0 s or more, a search 8 to 20 rates: about 84.0 s to 210 s"
        );
    }
}
