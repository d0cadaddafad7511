//! Translates a command line into a plan and a style, in the order in which siege evaluates its settings.

use super::getopt::getopt;
use super::jars::Jars;
use super::list;
use super::notices::{Ending, Level, Output, notice};
use super::options::{self, ANCIENT, MODERN, Means};
use super::planning::{self, Besides};
use super::rc;
use super::settings::{Era, Reps, SHIPPED_RC, Settings};
use super::style::{Classic, Log, Shown, Style};
use super::texts;
use super::url::{self, Manner, Target};
use super::world::{World, reason};
use std::path::Path;

type Options = Vec<(Means, Option<String>)>;

/// Parses a command line, beginning with the program's name, and reads all files that it and the environment name.
///
/// # Errors
/// siege ends without a run: after `-V`, `-h` and `-C`, and when something required is missing. The ending holds the output
/// and the exit code of the original.
pub fn parse(argv: &[String], world: &dyn World) -> Result<Classic, Ending> {
    let era = options::era(argv);
    let read = if era == Era::V100 { getopt(&ANCIENT, argv) } else { getopt(&MODERN, argv) };
    let mut before = Output::default();
    let quirks = read.options.iter().any(|(means, _)| *means == Means::Quirks);
    // The original parses its arguments twice, and reports errors twice.
    for _ in 0..=usize::from(quirks) {
        read.errors.iter().for_each(|error| before.stderr.extend([error, "\n"]));
    }
    if let Some(ending) = end_early(&read.options, era, &before) {
        return Err(ending);
    }
    let mut settings = Settings { era, quirks, ..Settings::shipped() };
    if era == Era::V100 {
        settings = Settings { quirks, ..as_in_2000() };
    } else {
        read_rc(&read.options, &mut settings, world).map_err(|text| ended(&before, "", &text, 1))?;
    }
    settings.verdict = verdict_of_environment(world).or(settings.verdict);
    for (means, value) in &read.options {
        options::apply(*means, value.as_deref(), &mut settings)
            .map_err(|text| ended(&before, "", &notice(Level::Fatal, text), 1))?;
    }
    resolve_conflict(&mut settings, &mut before);
    options::settle(&mut settings, &read.options);
    if let Some(url) = read.others.last() {
        settings.url = Some(url.clone());
    }
    if settings.config {
        return Err(ended(&before, &texts::config(&settings), "", 0));
    }
    if settings.get && settings.url.is_none() {
        return Err(ended(&before, "ERROR: -g/--get requires a commandline URL\n", "", 1));
    }
    translate(&settings, before, world)
}

/// Reads the setting of the line about unreliable results from the environment. It overrides the rc file; an option
/// overrides both.
fn verdict_of_environment(world: &dyn World) -> Option<bool> {
    let value = world.variable("WARWOLF_VERDICT").filter(|value| !value.is_empty())?;
    Some(!matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off"))
}

fn ended(before: &Output, stdout: &str, stderr: &str, code: u8) -> Ending {
    let output = Output { stdout: before.stdout.clone() + stdout, stderr: before.stderr.clone() + stderr };
    Ending { output, code }
}

fn end_early(options: &Options, era: Era, before: &Output) -> Option<Ending> {
    options.iter().find_map(|(means, _)| match means {
        Means::Version => Some(ended(before, "", &texts::version(era), 0)),
        Means::Help => Some(help(before, era)),
        _ => None,
    })
}

fn help(before: &Output, era: Era) -> Ending {
    let first = if era == Era::V100 { "Siege" } else { "SIEGE" };
    ended(before, &texts::help(era), &format!("{first} {}\n", era.version()), 0)
}

/// Returns the settings of 1.00, which read no rc file. Its manual gives the delay, but not the users and repetitions.
fn as_in_2000() -> Settings {
    Settings {
        era: Era::V100,
        delay: 3.0,
        concurrent: 1,
        reps: Reps::Times(1),
        http11: true,
        chunked: true,
        follow: false,
        color: false,
        accept_encoding: "identity".to_owned(),
        user_agent: Some("JoeDog/1.00 [en] (X11; I; Siege 1.00)".to_owned()),
        ..Settings::shipped()
    }
}

/// Reads a single rc file: the one named by `-R`, or `SIEGERC`, or the user's, or the system's. Without any, the file that
/// the original would have written is used.
fn read_rc(options: &Options, settings: &mut Settings, world: &dyn World) -> Result<(), String> {
    let named = options.iter().rev().find(|(means, _)| *means == Means::Rc);
    let named = named.and_then(|(_, file)| file.clone()).or_else(|| world.variable("SIEGERC"));
    let home = world.variable("HOME").unwrap_or_default();
    let own = format!("{home}/.siege/siege.conf");
    settings.own_rc.clone_from(&own);
    let read =
        |file: &str| world.read(Path::new(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if let Some(file) = named {
        let text = read(&file).map_err(|_| texts::no_rc(&file))?;
        settings.rc = file;
        rc::apply(&text, settings, world);
        return Ok(());
    }
    for file in [&own, &format!("{home}/.siegerc"), "/etc/siege/siegerc"] {
        if let Ok(text) = read(file) {
            settings.rc = file.to_owned();
            rc::apply(&text, settings, world);
            return Ok(());
        }
    }
    settings.rc = own;
    rc::apply(SHIPPED_RC, settings, world);
    Ok(())
}

/// Resolves a conflict of two limits of the run: the time applies.
fn resolve_conflict(settings: &mut Settings, before: &mut Output) {
    if let (Some(time), Reps::Times(1..)) = (settings.time, settings.reps) {
        let text = format!(
            "CONFIG conflict: selected time and repetition based testing\n\
             defaulting to time-based testing: {time} seconds"
        );
        before.stderr.push_str(&notice(Level::Error, &text));
        settings.reps = Reps::Forever;
    }
}

fn translate(settings: &Settings, mut before: Output, world: &dyn World) -> Result<Classic, Ending> {
    let targets = urls(settings, &mut before, world)?;
    if settings.is_capped() {
        before.stdout.push_str(&texts::capped(settings.era, settings.users()));
    }
    let setup = others(settings, &settings.login_urls, &mut before, world);
    let recovery = others(settings, settings.admissions(), &mut before, world);
    let hosts: Vec<String> = [&targets, &setup, &recovery]
        .into_iter()
        .flatten()
        .map(|target| target.endpoint.host.clone())
        .collect();
    let jars = settings.cookies_path().and_then(|path| world.read(Path::new(&path)).ok());
    let jars = jars.map(|bytes| Jars::read(&String::from_utf8_lossy(&bytes), &hosts)).unwrap_or_default();
    let cookies =
        if settings.brings_cookies() { jars.planned(settings.users(), world.seconds()) } else { Vec::new() };
    let planned = planning::plan(settings, &targets, Besides { setup: &setup, recovery: &recovery, cookies });
    let mut style = style(settings, &targets, planned.as_ref().map_or(&[], |(_, places)| places));
    style.jars = jars;
    Ok(Classic { plan: planned.map(|(plan, _)| plan), style, before })
}

/// Returns the URLs of the run, in order.
fn urls(settings: &Settings, before: &mut Output, world: &dyn World) -> Result<Vec<Target>, Ending> {
    let manner = Manner { escapes: settings.url_escaping, quirks: settings.quirks };
    if let Some(text) = &settings.url {
        return Ok(vec![url::read(text, manner, world, &mut before.stderr)]);
    }
    let path = settings.urls_path();
    let text = match world.read(Path::new(path)) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let text = format!("unable to open file: {path}: {}", reason(&error));
            before.stderr.push_str(&notice(Level::Alert, &text));
            return Err(help(before, settings.era));
        }
    };
    let urls = list::urls(&text, manner, world, &mut before.stderr);
    if urls.is_empty() { Err(help(before, settings.era)) } else { Ok(urls) }
}

/// Parses URLs that are not in the list.
fn others(settings: &Settings, urls: &[String], before: &mut Output, world: &dyn World) -> Vec<Target> {
    let manner = Manner { escapes: settings.url_escaping, quirks: settings.quirks };
    urls.iter().map(|text| url::read(text, manner, world, &mut before.stderr)).collect()
}

fn style(settings: &Settings, targets: &[Target], places: &[u32]) -> Style {
    let users = settings.users();
    let shown = places.iter().map(|place| {
        let target = &targets[*place as usize];
        let method = if settings.get && target.method == "GET" {
            settings.get_method.clone().unwrap_or_else(|| "GET".to_owned())
        } else {
            target.method.to_owned()
        };
        Shown {
            method,
            path: target.shown_path.clone(),
            url: target.shown_url.clone(),
            place: *place,
            unsupported: target.unsupported,
        }
    });
    let failures = u64::try_from(settings.failures).ok().filter(|failures| *failures > 0);
    let log = Log {
        path: settings.log_path().into(),
        mark: settings.mark.clone(),
        announced: settings.show_logfile,
    };
    Style {
        era: settings.era,
        quirks: settings.quirks,
        users,
        time: settings.time,
        timeout: settings.timeout,
        verbose: settings.verbose,
        color: settings.color,
        quiet: settings.quiet,
        json: settings.json,
        debug: settings.debug,
        get: settings.get,
        print: settings.print,
        csv: settings.csv,
        timestamp: settings.timestamp,
        full_url: settings.full_url,
        display_id: settings.display_id,
        zero_data_ok: settings.zero_data_ok,
        forbidden_fails: settings.era == Era::V417 || !settings.admissions().is_empty(),
        jars: Jars::default(),
        cookies: settings.cookies_path().map(Into::into),
        failures,
        log: settings.logging.then_some(log),
        mark: settings.mark.clone(),
        rc: settings.notice_rc().to_owned(),
        shown: shown.collect(),
        logins: settings.logins.clone(),
        proxy_logins: settings.proxy_logins.clone(),
        proxy: settings.proxy_host.as_ref().map(|host| format!("{host}:{}", settings.proxy_port)),
        full_report: settings.full_report.as_ref().map(Into::into),
        verdict: settings.verdict,
    }
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
