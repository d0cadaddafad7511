//! The options of siege, and those that warwolf adds.

use super::getopt::{Choice, Takes, getopt};
use super::number;
use super::settings::{Era, Reps, Settings};

/// The meaning of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    Version,
    Help,
    Config,
    Verbose,
    Quiet,
    Debug,
    Get,
    Print,
    Concurrent,
    Reps,
    Time,
    Delay,
    Log,
    File,
    Benchmark,
    Internet,
    Mark,
    Rc,
    Header,
    UserAgent,
    ContentType,
    Json,
    NoParser,
    NoFollow,
    /// 1.00 only: the URL and the repetitions.
    Url,
    Times,
    /// Added by warwolf.
    As,
    Quirks,
    FullReport,
    Verdict,
    NoVerdict,
}

const fn theirs(means: Means, short: char, long: &'static str, takes: Takes) -> Choice<Means> {
    Choice { means, short: Some(short), long, takes, shortens: true }
}

const fn ours(means: Means, long: &'static str, takes: Takes) -> Choice<Means> {
    Choice { means, short: None, long, takes, shortens: false }
}

/// The options of 4.x, in the order in which the original lists them for an ambiguous abbreviation.
pub(super) const MODERN: [Choice<Means>; 29] = [
    theirs(Means::Version, 'V', "version", Takes::Nothing),
    theirs(Means::Help, 'h', "help", Takes::Nothing),
    theirs(Means::Config, 'C', "config", Takes::Nothing),
    theirs(Means::Verbose, 'v', "verbose", Takes::Nothing),
    theirs(Means::Quiet, 'q', "quiet", Takes::Nothing),
    theirs(Means::Debug, 'D', "debug", Takes::Nothing),
    theirs(Means::Get, 'g', "get", Takes::Nothing),
    theirs(Means::Print, 'p', "print", Takes::Nothing),
    theirs(Means::Concurrent, 'c', "concurrent", Takes::Value),
    theirs(Means::NoParser, 'N', "no-parser", Takes::Nothing),
    theirs(Means::NoFollow, 'F', "no-follow", Takes::Nothing),
    theirs(Means::Reps, 'r', "reps", Takes::Value),
    theirs(Means::Time, 't', "time", Takes::Value),
    theirs(Means::Delay, 'd', "delay", Takes::Value),
    theirs(Means::Log, 'l', "log", Takes::Attached),
    theirs(Means::File, 'f', "file", Takes::Value),
    theirs(Means::Benchmark, 'b', "benchmark", Takes::Nothing),
    theirs(Means::Internet, 'i', "internet", Takes::Nothing),
    theirs(Means::Mark, 'm', "mark", Takes::Value),
    theirs(Means::Rc, 'R', "rc", Takes::Value),
    theirs(Means::Header, 'H', "header", Takes::Value),
    theirs(Means::UserAgent, 'A', "user-agent", Takes::Value),
    theirs(Means::ContentType, 'T', "content-type", Takes::Value),
    theirs(Means::Json, 'j', "json-output", Takes::Nothing),
    OURS[0],
    OURS[1],
    OURS[2],
    OURS[3],
    OURS[4],
];

/// The options of 1.00.
pub(super) const ANCIENT: [Choice<Means>; 16] = [
    theirs(Means::Version, 'V', "version", Takes::Nothing),
    theirs(Means::Help, 'h', "help", Takes::Nothing),
    theirs(Means::Verbose, 'v', "verbose", Takes::Nothing),
    theirs(Means::Concurrent, 'c', "concurrent", Takes::Value),
    theirs(Means::Url, 'u', "url", Takes::Value),
    theirs(Means::Internet, 'i', "internet", Takes::Nothing),
    theirs(Means::Times, 't', "times", Takes::Value),
    theirs(Means::File, 'f', "file", Takes::Value),
    theirs(Means::Log, 'l', "log", Takes::Nothing),
    theirs(Means::Mark, 'm', "mark", Takes::Value),
    theirs(Means::Delay, 'd', "delay", Takes::Value),
    OURS[0],
    OURS[1],
    OURS[2],
    OURS[3],
    OURS[4],
];

const OURS: [Choice<Means>; 5] = [
    ours(Means::As, "as", Takes::Value),
    ours(Means::Quirks, "quirks", Takes::Nothing),
    ours(Means::FullReport, "warwolf-report", Takes::Value),
    ours(Means::Verdict, "verdict", Takes::Nothing),
    ours(Means::NoVerdict, "no-verdict", Takes::Nothing),
];

/// Determines the dialect of the arguments: the one selected with `--as`, or 1.00 if no other accepts them.
///
/// `-u` and `--times` ended with 1.x. `-t 10` meant ten times there and means ten minutes in later versions. The dialect is
/// therefore 1.00 if one of the first two is given, every option exists in 1.00, and no time has a unit.
pub(super) fn era(argv: &[String]) -> Era {
    let modern = getopt(&MODERN, argv).options;
    let asked = modern.iter().rev().find(|(means, _)| *means == Means::As);
    if let Some((_, version)) = asked {
        return version.as_deref().and_then(Era::parse).unwrap_or_default();
    }
    let ancient = getopt(&ANCIENT, argv);
    let given = |wanted| ancient.options.iter().any(|(means, _)| *means == wanted);
    let is_count =
        |value: &Option<String>| value.iter().all(|value| value.bytes().all(|b| b.is_ascii_digit()));
    let only_counts = ancient.options.iter().all(|(means, value)| *means != Means::Times || is_count(value));
    let says_times = argv.iter().any(|word| word == "--times" || word.starts_with("--times="));
    let understood = ancient.errors.is_empty() && ancient.others.is_empty();
    if understood && only_counts && (given(Means::Url) || says_times) { Era::V100 } else { Era::default() }
}

/// Applies one option to `settings`.
///
/// # Errors
/// The text of a notice that ends siege.
pub(super) fn apply(means: Means, value: Option<&str>, settings: &mut Settings) -> Result<(), &'static str> {
    let text = || value.map(str::to_owned);
    let given = value.unwrap_or_default();
    match means {
        Means::Version | Means::Help | Means::Rc | Means::As => {}
        Means::Config => {
            settings.config = true;
            settings.get = false;
        }
        Means::Verbose => settings.verbose = true,
        Means::Quiet => settings.quiet = true,
        Means::Debug => settings.debug = true,
        Means::Get => settings.get = true,
        Means::Print => {
            settings.print = true;
            settings.http11 = false;
            (settings.concurrent, settings.reps) = (1, Reps::Times(1));
        }
        Means::Concurrent => settings.concurrent = number::whole(given),
        Means::Reps => settings.reps = Reps::parse(given),
        Means::Times => settings.reps = Reps::Times(number::whole(given)),
        Means::Time => settings.time = number::time(given),
        Means::Delay => settings.delay = number::decimal(given).max(0.0),
        Means::Log => {
            settings.logging = true;
            settings.logfile = text().or_else(|| settings.logfile.take());
        }
        Means::File => settings.file = text(),
        Means::Url => settings.url = text(),
        Means::Benchmark => settings.benchmark = true,
        Means::Internet => settings.internet = true,
        Means::Mark => {
            settings.logging = true;
            settings.mark = text();
        }
        Means::Header => {
            let (name, value) = given.split_once(':').ok_or("no ':' in http-header")?;
            settings.headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        Means::UserAgent => settings.user_agent = text(),
        Means::ContentType => settings.content_type = text(),
        Means::Json => settings.json = true,
        Means::NoParser => settings.parser = false,
        Means::NoFollow => settings.follow = false,
        Means::Quirks => settings.quirks = true,
        Means::FullReport => settings.full_report = text(),
        Means::Verdict => settings.verdict = Some(true),
        Means::NoVerdict => settings.verdict = Some(false),
    }
    Ok(())
}

/// Applies the precedence between settings, once all are known.
pub(super) fn settle(settings: &mut Settings, options: &[(Means, Option<String>)]) {
    let given = |wanted| options.iter().any(|(means, _)| *means == wanted);
    // An rc file may contain `json_output = true`, as Debian's does; `-v` still requests lines.
    if !settings.quirks && given(Means::Verbose) && !given(Means::Quiet) && !given(Means::Json) {
        settings.json = false;
    }
    if settings.get {
        (settings.concurrent, settings.reps, settings.time) = (1, Reps::Times(1), None);
        (settings.http11, settings.benchmark, settings.logging) = (false, true, false);
    }
    settings.quiet |= settings.json;
    if settings.quiet {
        (settings.verbose, settings.debug) = (false, false);
    }
    if settings.benchmark {
        settings.delay = 0.0;
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
