//! `replay`: sends the requests of an access log again.
//!
//! A thread of its own reads the log while the part before is sent.

use crate::exit::{Exit, Failure, MachineFailure, NetworkFailure};
use crate::experiment::Runner;
use crate::results::Results;
use crate::{files, streams};
use clap::ArgMatches;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use warwolf_accesslog::{Format, parse_time};
use warwolf_args::replay::{LogFormat, Replay as Args};
use warwolf_args::{FileError, UsageError, reason};
use warwolf_clock::Clock;
use warwolf_driver::Monotonic;
use warwolf_plan::{Endpoint, Plan};
use warwolf_replay::{
    Call, Counts, Destinations, Filter, Keep, Log, LogError, MapError, Pace, Replay, StatusRange,
};
use warwolf_report::unit;

/// How often Ctrl-C is looked for while the log is slow.
const LOOK: Duration = Duration::from_millis(100);
/// A pause of this length is announced.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// Replays a log and reports.
///
/// # Errors
/// When an argument is wrong, a file cannot be read or written, or the first part cannot be run.
pub(crate) fn replay(args: &Args, matches: &ArgMatches) -> Result<Exit, Failure> {
    let [path] = args.load.url.as_slice() else {
        return Err(
            UsageError::of("replay", "give one log, or - for stdin; --to URL names the server").into()
        );
    };
    let plan = plan(args, matches)?;
    let network = plan.network.clone();
    let mut replay = Replay::new(plan, pace(args)?);
    let log = open(path, args)?;
    let results = Results::open(&args.output)?;
    let runner = Runner::new(args.output.quiet)?;
    let parts = read(log)?;
    let mut counts = Counts::default();
    // While the user stops the replay, no further name is resolved.
    let has_address = |endpoint: &Endpoint| {
        runner.is_stopped() || warwolf_engine::resolve(&endpoint.host, endpoint.port, &network).is_ok()
    };
    let ended = send(&mut replay, &parts, &mut counts, &runner, has_address);
    tell(&counts, &replay, args.output.quiet);
    let failure = nothing_sent(path, &counts, &replay);
    let Some(run) = replay.finish(path.clone()) else {
        ended?;
        return if runner.is_stopped() { Ok(Exit::Interrupted) } else { Err(failure) };
    };
    let exit = results.deliver(&run, &[])?;
    ended?;
    Ok(match exit {
        _ if runner.is_stopped() => Exit::Interrupted,
        Exit::Well if counts.broken.is_some() => Exit::Failed,
        exit => exit,
    })
}

/// The plan of every part but for requests and times.
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
        // Any rate will do: the times of each part replace it.
        load.rate = Some("1/s".to_owned());
    }
    let mut plan = files::plan(&load, matches)?;
    if plan.is_open() && args.load.connections.is_none() {
        Runner::fit(&mut plan);
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

/// A part of the log, empty at its end, and what became of the lines up to there.
struct Part {
    calls: Vec<Call>,
    counts: Counts,
}

/// Reads a log on a thread of its own, at most one part ahead.
fn read(mut log: Log) -> Result<Receiver<Part>, Failure> {
    let (give, parts) = sync_channel(1);
    let read = move || {
        while let Some(calls) = log.part() {
            if give.send(Part { calls, counts: log.counts().clone() }).is_err() {
                return;
            }
        }
        // Nobody receives it when the user stopped the replay.
        let _ = give.send(Part { calls: Vec::new(), counts: log.counts().clone() });
    };
    std::thread::Builder::new().name("log".to_owned()).spawn(read).map_err(MachineFailure::Thread)?;
    Ok(parts)
}

/// Sends every part, until the log ends or the user stops.
fn send(
    replay: &mut Replay,
    parts: &Receiver<Part>,
    counts: &mut Counts,
    runner: &Runner,
    has_address: impl Fn(&Endpoint) -> bool,
) -> Result<(), Failure> {
    let clock = Monotonic::start_at(Duration::ZERO);
    while !runner.is_stopped() {
        let mut part = match parts.recv_timeout(LOOK) {
            Ok(part) => part,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Us("the thread that reads the log failed"));
            }
        };
        *counts = part.counts;
        if part.calls.is_empty() {
            break;
        }
        replay.leave_out_unresolved(&mut part.calls, &has_address);
        let pause = replay.pause(&part.calls, clock.now());
        if pause > LONG_PAUSE {
            runner.say(&format!(
                "the next request of the log is due in {}",
                unit::duration(pause.as_nanos() as f64)
            ));
        }
        runner.rest(pause);
        if runner.is_stopped() || part.calls.is_empty() {
            continue;
        }
        let run = runner.run(replay.plan(&part.calls, clock.now()))?;
        replay.add(&run);
    }
    Ok(())
}

/// Prints what became of the lines; with `quiet`, only lines that were not sent.
fn tell(counts: &Counts, replay: &Replay, quiet: bool) {
    let say = |text: &str| streams::say(&format!("warwolf: {text}\n"));
    if !quiet || !counts.skipped.is_empty() || counts.broken.is_some() {
        say(&sentence(counts));
    }
    for (host, requests) in replay.unresolved() {
        say(&format!("`{host}`: has no address; {} not sent", unit::counted(*requests, "request")));
    }
    if replay.withheld() > 0 {
        say(&format!(
            "{} sent without credentials, because only the log names the server; use --to or --map to name it",
            unit::counted(replay.withheld(), "request")
        ));
    }
    if let Some(timing) = replay.timing().filter(|_| !quiet) {
        let time = |ns: u64| unit::duration(ns as f64);
        say(&format!(
            "timing: half of the starts within {} of the log's times, 99 % within {}, all within {}; {} parts",
            time(timing.half_ns),
            time(timing.most_ns),
            time(timing.all_ns),
            timing.parts
        ));
    }
}

fn sentence(counts: &Counts) -> String {
    let mut text = format!(
        "the log has {}: {} to be sent, {} filtered out, {} not understood",
        unit::counted(counts.lines, "line"),
        unit::count(counts.to_send()),
        unit::count(counts.filtered),
        unit::count(counts.skipped())
    );
    if counts.blank > 0 {
        let _ = write!(text, ", {} blank", unit::count(counts.blank));
    }
    for (why, (number, first)) in &counts.skipped {
        let _ = write!(text, "; {why}: {}, first in line {}", unit::count(*number), unit::count(*first));
    }
    if let Some(broken) = &counts.broken {
        let _ = write!(text, "; the rest could not be read: {}", reason(broken));
    }
    text
}

/// Why no request of the log was sent.
fn nothing_sent(path: &str, counts: &Counts, replay: &Replay) -> Failure {
    match &counts.without_server {
        _ if !replay.unresolved().is_empty() => NetworkFailure::NoServer.into(),
        Some(target) => {
            UsageError::of("replay", format!("the log does not say where `{target}` goes; use --to URL"))
                .into()
        }
        None => UsageError::of(path, format!("nothing to send: {}", sentence(counts))).into(),
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
