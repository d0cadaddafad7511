//! `replay`: the requests of an access log, sent again.
//!
//! The log is read in parts of some seconds, by a thread of its own while the part before is sent, so that memory does not
//! grow with it. Each part is a run; the runs are reported as one.

mod log;

use crate::exit::{Exit, Failure};
use crate::experiment::Runner;
use crate::files;
use crate::results::Results;
use crate::streams;
use clap::ArgMatches;
use log::{Counts, Filter, Log};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use warwolf_accesslog::{Entry, Format};
use warwolf_args::UsageError;
use warwolf_args::replay::{LogFormat, Replay};
use warwolf_clock::Clock;
use warwolf_driver::Monotonic;
use warwolf_experiment::Joining;
use warwolf_measure::{Digits, Distribution, Phase, Run, Tally};
use warwolf_plan::{ArrivalProcess, Endpoint, Plan, Request, Schedule, Stop};
use warwolf_report::unit;

/// What is still in flight at the end of a part may go on for this long before the next part begins.
const GRACE: Duration = Duration::from_secs(1);
/// A part is begun this much before its first request is due.
const BEFORE: Duration = Duration::from_millis(50);

/// Sends a log again and reports.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or the run could not begin.
pub(crate) fn replay(args: &Replay, matches: &ArgMatches) -> Result<Exit, Failure> {
    let job = Job::of(args, matches)?;
    let filter = Filter::of(args)?;
    let format = args.log_format.map(|format| match format {
        LogFormat::Common => Format::Common,
        LogFormat::Squid => Format::Squid,
        LogFormat::Json => Format::Json,
        LogFormat::Har => Format::Har,
    });
    let mut log = Log::open(&job.path, format, filter)?;
    let results = Results::open(&args.output)?;
    let runner = Runner::new(args.output.quiet)?;
    let (give, parts) = sync_channel(1);
    let reading = std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || {
            while let Some(part) = log.part() {
                if give.send(part).is_err() {
                    break;
                }
            }
            log.counts
        })
        .map_err(Failure::new)?;
    let sent = job.send(&parts, &runner)?;
    drop(parts);
    let counts = reading.join().map_err(|_| Failure::new("the log's reader failed; please report this"))?;
    tell(&counts, &sent, args.output.quiet);
    let Some(run) = sent.whole.finish() else {
        return Err(
            UsageError::new(format!("{}: nothing to send: {}", job.path.display(), counts.text())).into()
        );
    };
    let run = job.entitled(run);
    let exit = results.deliver(&run, &[])?;
    Ok(if runner.is_stopped() { Exit::Interrupted } else { exit })
}

/// Says what became of the lines; what was not understood even when nothing is to be said.
fn tell(counts: &Counts, sent: &Sent, quiet: bool) {
    if !quiet || !counts.unreadable.is_empty() || counts.broken.is_some() {
        streams::say(&format!("warwolf: {}\n", counts.text()));
    }
    if let Some(text) = sent.fidelity().filter(|_| !quiet) {
        streams::say(&format!("warwolf: {text}\n"));
    }
}

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// As in the log, so many times as fast.
    Log(f64),
    /// As the plan says: at a rate, or by users.
    Plan,
}

struct Job {
    path: PathBuf,
    /// The plan of every part but for its requests and times; its first request is what all are made after.
    plan: Plan,
    to: Option<Endpoint>,
    map: HashMap<String, Endpoint>,
    pace: Pace,
}

impl Job {
    fn of(args: &Replay, matches: &ArgMatches) -> Result<Self, Failure> {
        let [path] = args.load.url.as_slice() else {
            return Err(UsageError::new(
                "replay: give one log, or - for stdin; where it goes is said with --to URL",
            )
            .into());
        };
        for (name, given) in [
            ("urls", args.load.urls.is_some()),
            ("plan", args.load.plan.is_some()),
            ("requests", args.load.requests.is_some()),
            ("duration", args.load.duration.is_some()),
        ] {
            if given {
                return Err(UsageError::new(format!("--{name}: the log says what is sent and for how long; leave it out, or use --since and --until")).into());
            }
        }
        let endpoint = |option: &str, url: &str| {
            let request =
                Request::get(url).map_err(|error| UsageError::new(format!("--{option}: {error}")))?;
            Ok::<_, UsageError>(request.endpoint)
        };
        let to = args.to.as_deref().map(|url| endpoint("to", url)).transpose()?;
        let mut map = HashMap::new();
        for text in &args.map {
            let (host, url) = text.split_once('=').ok_or_else(|| {
                UsageError::new(format!("--map: `{text}`: use HOST=URL, such as a.test=http://127.0.0.1:81/"))
            })?;
            map.insert(host.to_ascii_lowercase(), endpoint("map", url)?);
        }
        let speed = speed(args.speed.as_deref())?;
        let of_plan = args.closed || args.load.rate.is_some() || args.load.arrivals.is_some();
        let mut load = warwolf_args::Load {
            url: vec![args.to.clone().unwrap_or_else(|| "http://127.0.0.1/".to_owned())],
            ..args.load.clone()
        };
        if !of_plan {
            // Any rate will do: the times of each part take its place.
            load.rate = Some("1/s".to_owned());
        }
        let mut plan = files::plan(&load, matches)?;
        plan.stop = Stop { duration: None, calls: None, grace: plan.stop.grace.max(GRACE) };
        if plan.is_open() && args.load.connections.is_none() {
            Runner::fit(&mut plan);
        }
        let pace = if of_plan { Pace::Plan } else { Pace::Log(speed) };
        Ok(Self { path: path.into(), plan, to, map, pace })
    }

    /// The request that an entry of the log means; none when it is not known where it goes.
    fn request(&self, entry: &Entry) -> Option<Request> {
        let template = self.plan.requests.first()?;
        let mut request = Request { method: entry.method.clone(), ..template.clone() };
        let own = if entry.target.starts_with('/') {
            request.path.clone_from(&entry.target);
            entry.host.as_deref().and_then(|host| Request::get(host).ok()).map(|request| request.endpoint)
        } else {
            let url = Request::get(&entry.target).ok()?;
            request.path = url.path;
            Some(url.endpoint)
        };
        let mapped = own.as_ref().and_then(|own| self.map.get(&own.host));
        request.endpoint = mapped.or(self.to.as_ref()).or(own.as_ref())?.clone();
        Some(request)
    }

    /// Sends every part.
    fn send(&self, parts: &Receiver<Vec<Entry>>, runner: &Runner) -> Result<Sent, Failure> {
        let clock = Monotonic::start_at(Duration::ZERO);
        let mut sent = Sent::new();
        let mut origin_ns = None;
        while let Ok(part) = parts.recv() {
            let mut requests = Vec::with_capacity(part.len());
            for entry in &part {
                let request = self.request(entry).ok_or_else(|| {
                    UsageError::new(format!(
                        "replay: the log does not say where `{}` goes; use --to URL",
                        entry.target
                    ))
                })?;
                requests.push(request);
            }
            let mut plan =
                Plan { requests, seed: self.plan.seed.wrapping_add(sent.parts), ..self.plan.clone() };
            match self.pace {
                Pace::Plan => plan.stop.calls = Some(part.len() as u64),
                Pace::Log(speed) => {
                    let origin_ns =
                        *origin_ns.get_or_insert(part[0].at_ns - (BEFORE.as_nanos() as f64 * speed) as i64);
                    let due = |entry: &Entry| ((entry.at_ns - origin_ns).max(0) as f64 / speed) as u64;
                    let early =
                        due(&part[0]).saturating_sub(clock.now().as_nanos() + BEFORE.as_nanos() as u64);
                    runner.rest(Duration::from_nanos(early));
                    let now_ns = clock.now().as_nanos();
                    let at_ns = part.iter().map(|entry| sent.moment(due(entry), now_ns)).collect();
                    plan.schedule = Schedule::Open { arrivals: ArrivalProcess::Trace { at_ns }, burst: 1 };
                }
            }
            if runner.is_stopped() {
                break;
            }
            sent.add(&runner.run(&plan)?);
            if runner.is_stopped() {
                break;
            }
        }
        Ok(sent)
    }

    /// The run of all parts, under the name of the log.
    fn entitled(&self, run: Run) -> Run {
        Run {
            plan_text: warwolf_plan::text::to_toml(&self.plan),
            targets: vec![self.path.display().to_string()],
            seed: self.plan.seed,
            target_rate: None,
            nominal: None,
            ..run
        }
    }
}

fn speed(text: Option<&str>) -> Result<f64, UsageError> {
    let Some(text) = text else { return Ok(1.0) };
    let number = text.trim().trim_end_matches('x').parse::<f64>().ok();
    number
        .filter(|speed| speed.is_finite() && (1e-3..=1e6).contains(speed))
        .ok_or_else(|| UsageError::new(format!("--speed: `{text}`: use a factor such as 2x or 0.5x")))
}

/// What was sent so far.
struct Sent {
    whole: Joining,
    parts: u64,
    /// By how much starts came late because the part before ended late.
    shifted: Distribution,
    lag: Tally,
    timed: bool,
}

impl Sent {
    fn new() -> Self {
        Self {
            whole: Joining::of_other_targets(),
            parts: 0,
            shifted: Distribution::new(Digits::Three),
            lag: Tally::new(),
            timed: false,
        }
    }

    /// When a request that is due at `due_ns` is sent, counted from `now_ns`, when its part begins.
    fn moment(&mut self, due_ns: u64, now_ns: u64) -> u64 {
        self.timed = true;
        if due_ns < now_ns {
            self.shifted.record(now_ns - due_ns);
        }
        due_ns.saturating_sub(now_ns)
    }

    fn add(&mut self, run: &Run) {
        self.parts += 1;
        self.lag.follow(&run.timeline.whole().tally);
        self.whole.push(run);
    }

    /// How far starts were from the log's times; none when they were not to follow them.
    fn fidelity(&self) -> Option<String> {
        let lag = self.lag.phase(Phase::Lag);
        let mut late = lag.clone();
        if self.shifted.count() > 0 {
            late = Distribution::new(Digits::Two);
            for from in [lag, &self.shifted] {
                for (first, last, count) in from.histogram().bins() {
                    (0..count).for_each(|_| late.record(first + (last - first) / 2));
                }
            }
        }
        let within = |quantile| unit::duration(late.quantile(quantile).unwrap_or(0) as f64);
        (self.timed && lag.count() > 0).then(|| {
            format!(
                "timing: half of the starts within {} of the log's times, 99 % within {}, all within {}; {} parts",
                within(0.5),
                within(0.99),
                within(1.0),
                self.parts
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_factors() {
        assert_eq!(speed(Some("2x")), Ok(2.0));
        assert_eq!(speed(Some("0.5")), Ok(0.5));
        assert!(speed(Some("fast")).is_err() && speed(Some("0x")).is_err());
    }

    #[test]
    fn a_start_is_late_when_its_part_begins_late() {
        let mut sent = Sent::new();
        assert_eq!((sent.moment(500, 200), sent.moment(100, 200)), (300, 0));
        assert_eq!((sent.shifted.count(), sent.shifted.quantile(1.0)), (1, Some(100)));
    }
}
