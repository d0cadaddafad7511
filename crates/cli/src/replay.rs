//! `replay`: sends the requests of an access log again.
//!
//! A thread of its own reads the log and feeds it to one run, whose connections last as long as the server keeps them.

use crate::exit::{Exit, Failure, MachineFailure, NetworkFailure};
use crate::progress::{Manner, Progress};
use crate::results::Results;
use crate::{files, load, signals, streams};
use clap::ArgMatches;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warwolf_accesslog::{Format, parse_time};
use warwolf_args::replay::{LogFormat, Replay as Args};
use warwolf_args::{FileError, UsageError};
use warwolf_clock::{Clock, Timestamp};
use warwolf_driver::{Monotonic, host};
use warwolf_engine::Control;
use warwolf_measure::{LogReplay, Run};
use warwolf_plan::{Network, Plan, Shard};
use warwolf_replay::{
    Counts, Destinations, Filter, Hosts, Keep, Log, LogError, MapError, Pace, Replay, StatusRange, prepare,
};
use warwolf_report::{replayed, unit};
use warwolf_workload::Feeder;

/// How often Ctrl-C is looked for while the log is slow.
const LOOK: Duration = Duration::from_millis(100);
/// A pause of this length is announced.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// Replays a log and reports.
///
/// # Errors
/// When an argument is wrong, a file cannot be read or written, or the run cannot begin.
pub(crate) fn replay(args: &Args, matches: &ArgMatches) -> Result<Exit, Failure> {
    let [path] = args.load.url.as_slice() else {
        return Err(
            UsageError::of("replay", "give one log, or - for stdin; --to URL names the server").into()
        );
    };
    let (mut plan, pace) = (plan(args, matches)?, pace(args)?);
    prepare(&mut plan, pace);
    let log = open(path, args)?;
    let results = Results::open(&args.output)?;
    let plan = load::check(plan)?;
    let mut prepared = load::prepare(&plan, Shard::WHOLE)?;
    let control = Control::new();
    let manner = Manner::suited(args.output.quiet, args.no_tui);
    signals::listen(&control, manner)?;
    let feeder = prepared.feed();
    let taken = feeder.taken();
    let state = Arc::new(Mutex::new(State::new(Replay::new(&plan, pace))));
    let resolve = (plan.network.proxy.is_none()).then(|| plan.network.clone());
    let reader = Reader { log, feeder, state: Arc::clone(&state), control: control.clone(), resolve };
    let (ready, start) = reader.spawn(args.output.quiet)?;
    let run = match wait(&ready, &control)? {
        Ready::Request => {
            let clock = Monotonic::start_at(load::LEAD);
            // The reader waits for it.
            let _ = start.send(clock);
            // The end of the log is not known.
            let mut progress = Progress::new(manner, &Plan::new(Vec::new()), &control);
            let run = load::perform_from(prepared, clock, &control, &mut |interval| progress.show(interval));
            progress.clear();
            Some(run?)
        }
        Ready::End | Ready::Stopped => None,
    };
    let state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let mut lines = state.counts.report(path, taken.count(), state.hosts.left_out());
    lines.timing = run.as_ref().and_then(|run| state.replay.timing(run));
    tell(&lines, &state, args.output.quiet);
    let Some(run) = run else {
        return if control.is_stopped() {
            Ok(Exit::Interrupted)
        } else {
            Err(nothing_sent(path, &lines, &state))
        };
    };
    let is_broken = lines.broken.is_some();
    let run =
        Run { targets: state.replay.rows(), target_rate: None, nominal: None, replay: Some(lines), ..run };
    let exit = results.deliver(&run, &[])?;
    Ok(match exit {
        _ if control.is_stopped() => Exit::Interrupted,
        Exit::Well if is_broken => Exit::Failed,
        exit => exit,
    })
}

/// The plan of the run but for requests and times.
fn plan(args: &Args, matches: &ArgMatches) -> Result<Plan, UsageError> {
    for (name, given) in [
        ("urls", args.load.urls.is_some()),
        ("plan", args.load.plan.is_some()),
        ("requests", args.load.requests.is_some()),
        ("duration", args.load.duration.is_some()),
    ] {
        if given {
            let remedy = "the log determines requests and duration; leave it out, or use --since and --until";
            return Err(UsageError::option(name, remedy));
        }
    }
    let mut load = warwolf_args::Load {
        url: vec![args.to.clone().unwrap_or_else(|| "http://127.0.0.1/".to_owned())],
        ..args.load.clone()
    };
    if !is_paced_by_plan(args) {
        // Any rate will do: the times of the log replace it.
        load.rate = Some("1/s".to_owned());
    }
    let mut plan = files::plan_with_any_rows(&load, matches)?;
    if plan.is_open() && args.load.connections.is_none() {
        load::fit(&mut plan, host::raise_descriptor_limit().unwrap_or(0));
    }
    Ok(plan)
}

fn is_paced_by_plan(args: &Args) -> bool {
    args.closed || args.load.rate.is_some() || args.load.arrivals.is_some()
}

fn pace(args: &Args) -> Result<Pace, UsageError> {
    let speed = speed(args.speed.as_deref())?;
    Ok(if is_paced_by_plan(args) { Pace::Plan } else { Pace::Log(speed) })
}

fn speed(text: Option<&str>) -> Result<f64, UsageError> {
    let Some(text) = text else { return Ok(1.0) };
    let number = text.trim().trim_end_matches('x').parse::<f64>().ok();
    number
        .filter(|speed| speed.is_finite() && (1e-3..=1e6).contains(speed))
        .ok_or_else(|| UsageError::value("speed", text, "use a factor such as 2x or 0.5x"))
}

fn destinations(args: &Args) -> Result<Destinations, UsageError> {
    let mut destinations =
        Destinations::new(args.to.as_deref()).map_err(|error| UsageError::option("to", error.to_string()))?;
    destinations.keep = Keep { host: args.keep_host, agent: args.keep_agent };
    for text in &args.map {
        destinations.map(text).map_err(|error| match error {
            MapError::Form => {
                UsageError::value("map", text, "use HOST=URL, such as a.test=http://127.0.0.1:81/")
            }
            MapError::Url(error) => UsageError::option("map", error.to_string()),
        })?;
    }
    Ok(destinations)
}

fn filter(args: &Args) -> Result<Filter, UsageError> {
    let time = |option: &str, text: &Option<String>, usual| match text {
        None => Ok(usual),
        Some(text) => parse_time(text)
            .ok_or_else(|| UsageError::value(option, text, "use a time such as 2026-11-21T10:00:00Z")),
    };
    let status = |text: &String| {
        StatusRange::parse(text).ok_or_else(|| {
            UsageError::value("only-status", text, "use a status or a class, such as 200 or 3xx")
        })
    };
    Ok(Filter {
        statuses: args.only_status.iter().map(status).collect::<Result<_, _>>()?,
        since_ns: time("since", &args.since, i64::MIN)?,
        until_ns: time("until", &args.until, i64::MAX)?,
        ..Filter::of_methods(&args.only_methods)
    })
}

fn open(path: &str, args: &Args) -> Result<Log, UsageError> {
    let (filter, destinations) = (filter(args)?, destinations(args)?);
    let format = args.log_format.map(|format| match format {
        LogFormat::Common => Format::Common,
        LogFormat::Squid => Format::Squid,
        LogFormat::Json => Format::Json,
        LogFormat::Har => Format::Har,
    });
    let input = || -> Result<Box<dyn Read + Send>, LogError> {
        Ok(if path == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(std::fs::File::open(Path::new(path))?)
        })
    };
    let log = input().and_then(|input| Log::new(input, format, filter, destinations));
    log.map_err(|error| match error {
        LogError::Read(error) => FileError::reading(Path::new(path), &error).into(),
        LogError::Empty => UsageError::of(path, error),
    })
}

/// What the reader knows of the log and its requests.
struct State {
    replay: Replay,
    counts: Counts,
    hosts: Hosts,
}

impl State {
    fn new(replay: Replay) -> Self {
        Self { replay, counts: Counts::default(), hosts: Hosts::default() }
    }
}

/// What the reader comes to first.
enum Ready {
    /// A request to send.
    Request,
    /// The end of the log.
    End,
    /// The user stopped the replay before.
    Stopped,
}

/// Reads the log on a thread of its own, and feeds the run.
struct Reader {
    log: Log,
    feeder: Feeder,
    state: Arc<Mutex<State>>,
    control: Control,
    /// How names are resolved; `None` if a proxy does it.
    resolve: Option<Network>,
}

impl Reader {
    /// Starts the thread. It sends when it has the first request, and then waits for the start of the run.
    fn spawn(self, quiet: bool) -> Result<(Receiver<Ready>, SyncSender<Monotonic>), Failure> {
        let (ready, first) = sync_channel(1);
        let (start, started) = sync_channel(1);
        let read = move || self.read(&ready, &started, quiet);
        std::thread::Builder::new().name("log".to_owned()).spawn(read).map_err(MachineFailure::Thread)?;
        Ok((first, start))
    }

    fn read(mut self, ready: &SyncSender<Ready>, started: &Receiver<Monotonic>, quiet: bool) {
        let mut clock = None;
        let mut last = Timestamp::ZERO;
        while let Some(mut calls) = self.log.part() {
            let mut hosts = std::mem::take(&mut self.lock().hosts);
            if let Some(network) = &self.resolve {
                // While the user stops the replay, no further name is resolved.
                hosts.leave_out_unresolved(&mut calls, |endpoint| {
                    self.control.is_stopped()
                        || warwolf_engine::resolve(&endpoint.host, endpoint.port, network).is_ok()
                });
            }
            {
                let mut state = self.lock();
                state.hosts = hosts;
                state.counts = self.log.counts().clone();
                state.replay.note(&calls);
            }
            for call in calls {
                if clock.is_none() {
                    let _ = ready.send(Ready::Request);
                    // Without a start there is no run.
                    let Ok(start) = started.recv() else { return };
                    clock = Some(start);
                }
                let now = clock.as_ref().map_or(Timestamp::ZERO, Clock::now);
                let Some(request) = self.lock().replay.next(&call, now) else { return };
                let pause = request.at.since(last.max(now));
                if pause > LONG_PAUSE && !quiet {
                    let pause = unit::duration(pause.as_nanos() as f64);
                    streams::say(&format!("warwolf: the log has a pause of {pause}\n"));
                }
                last = request.at;
                if !self.feeder.send(request) {
                    return;
                }
            }
        }
        self.lock().counts = self.log.counts().clone();
        // Nobody receives it when the user stopped the replay.
        let _ = ready.try_send(Ready::End);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the reader has a request, the log ends, or the user stops.
fn wait(ready: &Receiver<Ready>, control: &Control) -> Result<Ready, Failure> {
    while !control.is_stopped() {
        match ready.recv_timeout(LOOK) {
            Ok(ready) => return Ok(ready),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Us("the thread that reads the log failed"));
            }
        }
    }
    Ok(Ready::Stopped)
}

/// Prints what became of the lines; with `quiet`, only lines that were not sent.
fn tell(lines: &LogReplay, state: &State, quiet: bool) {
    let say = |text: &str| streams::say(&format!("warwolf: {text}\n"));
    if !quiet || lines.not_understood() > 0 || lines.broken.is_some() {
        say(&sentence(lines));
    }
    for (host, requests) in state.hosts.unresolved() {
        say(&format!("`{host}`: has no address; {} not sent", unit::counted(*requests, "request")));
    }
    if state.hosts.too_many() > 0 {
        say(&format!(
            "the log names more servers than a replay can have; {} not sent",
            unit::counted(state.hosts.too_many(), "request")
        ));
    }
    let withheld = state.replay.withheld();
    if withheld > 0 {
        say(&format!(
            "{} sent without credentials, because only the log names the server; use --to or --map to name it",
            unit::counted(withheld, "request")
        ));
    }
}

fn sentence(lines: &LogReplay) -> String {
    let mut text = format!("the log has {}", replayed::lines(lines));
    for note in replayed::notes(lines) {
        text += "; ";
        text += &note;
    }
    text
}

/// Why no request of the log was sent.
fn nothing_sent(path: &str, lines: &LogReplay, state: &State) -> Failure {
    match &state.counts.without_server {
        _ if !state.hosts.unresolved().is_empty() => NetworkFailure::NoServer.into(),
        Some(target) => {
            UsageError::of("replay", format!("the log does not say where `{target}` goes; use --to URL"))
                .into()
        }
        None => UsageError::of(path, format!("nothing to send: {}", sentence(lines))).into(),
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
}
