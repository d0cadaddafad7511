//! `capacity`: the highest rate at which the promises hold.

use super::compare::share;
use super::runner::Runner;
use super::words::{Capacity as Words, Form};
use super::written::Waiting;
use crate::args::Load;
use crate::complaint::Complaint;
use crate::exit::{Exit, Failure};
use crate::files;
use clap::ArgMatches;
use std::time::Duration;
use warwolf_experiment::capacity::{Answer, Capacity, Probe, Range, Search, Tried};
use warwolf_measure::{Cause, Grade, Metric, Slo, SloState, Summary, Verdict, judge, unit};
use warwolf_plan::quantity::{parse_duration, parse_rate};
use warwolf_plan::{Plan, PlanError, Schedule, Stop};
use warwolf_report::CapacityReport;

const FORMS: [Form; 6] = [Form::Text, Form::Json, Form::Csv, Form::Markdown, Form::Html, Form::Svg];
const LENGTH: Duration = Duration::from_secs(10);
/// A low rate is not tried for longer than this at first.
const LONGEST: Duration = Duration::from_secs(60);
const REST: Duration = Duration::from_millis(500);
/// A figure this near to its limit is borderline.
const NEAR: f64 = 0.15;
/// A server that completes less of the rate than this does not keep it.
const KEPT: f64 = 0.97;
/// How often the server is asked whether it is idle again after too high a rate.
const ASKED: usize = 10;

/// Searches and says what was found.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or a run could not begin.
pub(crate) fn capacity(words: &Words, matches: &ArgMatches) -> Result<Exit, Failure> {
    let waiting = Waiting::open(&words.written, &FORMS)?;
    let job = Job::of(words, matches)?;
    let runner = Runner::new(words.written.quiet)?;
    let (mut search, mut tried) = (Search::new(job.range), Vec::new());
    while let Some(probe) = search.next_probe() {
        let Some(one) = job.attempt(probe, &runner)? else { break };
        runner.say(&line(&one));
        search.tell(one.answer);
        let overloaded = one.answer != Answer::Held;
        tried.push(one);
        if search.next_probe().is_some() {
            runner.rest(job.rest);
            if overloaded {
                job.recover(&runner)?;
            }
        }
    }
    let found = search.found();
    let promises = job.slos.iter().map(|slo| slo.text.clone()).collect();
    let report = CapacityReport::new(Capacity { promises, tried, found });
    waiting.deliver(|form| match form {
        Form::Text => report.text(),
        Form::Json => report.json(),
        Form::Csv => report.csv(),
        Form::Markdown => report.markdown(),
        Form::Html => report.html(),
        Form::Svg => report.chart().to_svg(),
    })?;
    Ok(match (found.held, runner.is_stopped()) {
        (_, true) => Exit::Interrupted,
        (None, _) => Exit::Broken,
        (Some(_), _) if words.written.strict && found.client_limited => Exit::Doubtful,
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
    format!("{} asked, {} achieved: {word}: {}", unit::rate(one.rate), unit::rate(one.achieved), one.why)
}

struct Job {
    load: Load,
    /// The plan of the first rate: every other is the same but for its rate.
    plan: Plan,
    slos: Vec<Slo>,
    range: Range,
    length: Duration,
    rest: Duration,
}

impl Job {
    fn of(words: &Words, matches: &ArgMatches) -> Result<Self, Failure> {
        let about = |error: PlanError| Failure::from(Complaint::about(&error, matches));
        let taken = [
            ("rate", words.load.rate.is_some()),
            ("ramp", words.load.ramp.is_some()),
            ("steps", words.load.steps.is_some()),
            ("requests", words.load.requests.is_some()),
            ("plan", words.load.plan.is_some()),
        ];
        if let Some((name, _)) = taken.iter().find(|(_, given)| *given) {
            return Err(
                Complaint::new(format!("--{name}: capacity chooses the rates itself; leave it out")).into()
            );
        }
        let slos = files::slos(&words.load.slo)?;
        if slos.is_empty() {
            return Err(Complaint::new(
                "capacity: no promise is given; use --slo 'p99<50ms' --slo 'errors<0.1%'",
            )
            .into());
        }
        let usual = Range::default();
        let rate = |field: &str, text: &Option<String>, usual| {
            text.as_deref().map_or(Ok(usual), |text| parse_rate(field, text)).map_err(about)
        };
        let time = |field: &str, text: &Option<String>, usual| {
            text.as_deref().map_or(Ok(usual), |text| parse_duration(field, text)).map_err(about)
        };
        let range = Range {
            start: rate("start", &words.start, usual.start)?,
            most: rate("most", &words.most, usual.most)?,
            precision: share("precision", words.precision.as_deref(), usual.precision)?.max(0.001),
            retests: words.retests.unwrap_or(usual.retests),
        };
        let load = Load { rate: Some(range.start.to_string()), ..words.load.clone() };
        let mut plan = files::plan(&load, matches)?;
        if words.load.connections.is_none() {
            Runner::fit(&mut plan);
        }
        let length = time("duration", &words.load.duration, LENGTH)?;
        let rest = time("rest", &words.rest, REST)?;
        Ok(Self { load, plan, slos, range, length, rest })
    }

    fn plan(&self, probe: Probe) -> Plan {
        let length = self.length_at(probe.rate) * 2u32.saturating_pow(probe.attempt.min(4));
        let warmup = if self.load.warmup.is_some() { self.plan.warmup } else { length / 5 };
        let mut plan = Plan {
            seed: self.plan.seed.wrapping_add(probe.rate.to_bits()).wrapping_add(u64::from(probe.attempt))
                >> 1,
            warmup,
            stop: Stop { duration: Some(length), calls: None, grace: self.plan.stop.grace },
            ..self.plan.clone()
        };
        if let Schedule::Open { arrivals, .. } = &mut plan.schedule {
            arrivals.set_rate(probe.rate);
        }
        plan
    }

    /// Long enough for the calls that the rarest percentile among the promises takes: a low rate takes its time.
    fn length_at(&self, rate: f64) -> Duration {
        let rarest = self.slos.iter().filter_map(|slo| match slo.metric {
            Metric::Quantile(quantile) => Some(quantile),
            _ => None,
        });
        let calls = rarest.reduce(f64::max).map_or(0.0, |quantile| 0.025f64.ln() / quantile.ln());
        // A fifth is warm-up, and arrivals may be fewer by chance.
        let needed = Duration::from_secs_f64((calls / rate * 1.5).min(LONGEST.as_secs_f64()));
        self.length.max(needed)
    }

    /// Tries a rate; none when the user stopped it.
    fn attempt(&self, probe: Probe, runner: &Runner) -> Result<Option<Tried>, Failure> {
        let run = runner.run(&self.plan(probe))?;
        if runner.is_stopped() {
            return Ok(None);
        }
        let summary = Summary::of(&run);
        let (answer, why) = self.judge(probe, &summary);
        let quantile = |name| summary.latency.quantile_ns(name).map(|ns| ns as f64);
        Ok(Some(Tried {
            rate: probe.rate,
            achieved: summary.achieved.rate_per_s.value,
            mean_ns: summary.latency.mean_ns,
            quantiles_ns: ["p50", "p99"].map(quantile),
            error_share: summary.error_share.unwrap_or(0.0),
            answer,
            why,
        }))
    }

    fn judge(&self, probe: Probe, summary: &Summary) -> (Answer, String) {
        if let Some(why) = limited_by_client(&judge(summary)) {
            return (Answer::ClientLimited, why);
        }
        let achieved = summary.achieved.rate_per_s;
        let most = achieved.ci95.map_or(achieved.value, |(_, high)| high);
        if most < KEPT * probe.rate {
            let share = unit::share(achieved.value / probe.rate);
            return (Answer::Broken, format!("the server completed {share} of the rate"));
        }
        let results: Vec<_> = self.slos.iter().map(|slo| slo.judge(summary)).collect();
        let said: Vec<String> =
            results.iter().map(|result| format!("{}: {}", result.slo.text, result.actual_text())).collect();
        let near = |result: &warwolf_measure::SloResult| {
            result.actual.is_some_and(|actual| (actual - result.slo.limit).abs() < NEAR * result.slo.limit)
        };
        let may_look_again = probe.attempt < self.range.retests;
        let far_out = results.iter().any(|result| result.state == SloState::Broken && !near(result));
        let answer = match () {
            () if far_out => Answer::Broken,
            () if results.iter().any(|result| result.state == SloState::Unknown) => Answer::Unsure,
            () if may_look_again && results.iter().any(near) => Answer::Unsure,
            () if results.iter().all(|result| result.is_held()) => Answer::Held,
            () => Answer::Broken,
        };
        (answer, said.join(", "))
    }

    /// After too high a rate the server still has a queue: waits until single calls are quick again, or for ten looks.
    fn recover(&self, runner: &Runner) -> Result<(), Failure> {
        let mut plan = Plan {
            schedule: Schedule::Closed { users: 1, ramp: Duration::ZERO },
            stop: Stop { duration: Some(self.length), calls: Some(5), grace: Duration::ZERO },
            warmup: Duration::ZERO,
            ..self.plan.clone()
        };
        plan.connections.limit = 1;
        let mut before = f64::INFINITY;
        for _ in 0..ASKED {
            if runner.is_stopped() {
                break;
            }
            let summary = Summary::of(&runner.run(&plan)?);
            let now = summary.latency.mean_ns.unwrap_or(f64::INFINITY);
            // Idle when it is no longer getting quicker.
            if now.is_finite() && now > before * 0.5 {
                break;
            }
            before = now;
        }
        Ok(())
    }
}

/// Why the numbers are the load generator's, if they are.
fn limited_by_client(verdict: &Verdict) -> Option<String> {
    let limit = |cause: Cause| {
        matches!(
            cause,
            Cause::ClientBusy
                | Cause::Descriptors
                | Cause::Ports
                | Cause::Buffers
                | Cause::LocalErrors
                | Cause::Lag
        )
    };
    let reasons = verdict.doubts().find(|reason| {
        limit(reason.cause) || (reason.grade == Grade::Invalid && reason.cause != Cause::NothingMeasured)
    });
    reasons.map(|reason| format!("{}: {}", reason.cause.text(), reason.evidence))
}
