//! `siege …`: translates its arguments, runs the plan, and prints the report.

use super::Terminal;
use crate::date::Zone;
use crate::files::seed_of_now;
use crate::output_file::replace;
use crate::{environment, results, signals, streams};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Read as _, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use warwolf_args::FileError;
use warwolf_compat::Console;
use warwolf_compat::siege::{
    Classic, Counts, Finish, Host, Jars, Log, Moment, Output, Siege, Style, World, banner, doubt, fatal,
    log_header, log_notice, log_rows, log_trouble, merge, parse, report, time_of_the_original,
};
use warwolf_engine::{Control, SetupError};
use warwolf_measure::Run;
use warwolf_observe::Observers;
use warwolf_plan::{Plan, Shard};

/// Runs `siege`; returns its exit code, which is 0 for every run that took place.
pub(super) fn run(argv: &[String]) -> u8 {
    let zone = Zone::here();
    let Classic { plan, style, before } = match parse(argv, &Disk) {
        Ok(classic) => classic,
        Err(ending) => {
            put(&ending.output);
            return ending.code;
        }
    };
    put(&before);
    put(&banner(&style, &moment(zone)));
    let attack = match plan {
        Some(plan) => attack(plan, &style, zone),
        None => Ok(Attack::none(&style)),
    };
    match attack {
        Ok(attack) => finish(&style, &attack, zone),
        Err(error) => {
            streams::say(&format!("\n{}", fatal(&error.to_string())));
            1
        }
    }
}

/// What came of a run.
struct Attack {
    /// None when nothing was to be sent.
    run: Option<Run>,
    counts: Counts,
    /// The cookies that users were given.
    jars: Jars,
    end: Finish,
}

impl Attack {
    fn none(style: &Style) -> Self {
        let end = if style.time.is_some() { Finish::Lifted } else { Finish::Done };
        Self { run: None, counts: Counts::default(), jars: Jars::default(), end }
    }
}

fn attack(mut plan: Plan, style: &Style, zone: Zone) -> Result<Attack, SetupError> {
    plan.seed = seed_of_now();
    let fraction = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    let fraction = Duration::from_nanos(fraction.into());
    plan.stop.duration = plan.stop.duration.map(|time| time_of_the_original(style, time, fraction));
    let plan = plan.check()?;
    let control = Control::new();
    let stopped = control.clone();
    // A signal lifts the siege; the third ends the program.
    let react = move |before, signal| {
        stopped.abort();
        if before == 2 {
            signals::exit(128 + signal);
        }
    };
    signals::handle(&[SIGINT, SIGTERM, SIGHUP], react)
        .map_err(|error| SetupError::Thread { name: "signals", error })?;
    let environment = environment::observe();
    let here = Here { zone, control: control.clone() };
    let siege = Siege::new(style, &plan, &here);
    let observers = Observers::new(|| siege.observer());
    let mut run = warwolf_engine::run_observed(&plan, Shard::WHOLE, &control, &mut |_| {}, Some(&observers))?;
    if style.full_report.is_some() {
        warwolf_engine::describe(&mut run, &plan);
    }
    let (counts, jars) = merge(observers.into_ended(), &run);
    let end = siege.finish(run.is_interrupted());
    Ok(Attack { run: Some(run.in_environment(&environment)), counts, jars, end })
}

/// Prints the report, adds the run to the log, and writes the files that were asked for.
fn finish(style: &Style, attack: &Attack, zone: Zone) -> u8 {
    put(&report(style, &attack.counts, attack.end));
    if let Some(log) = style.log.as_ref().filter(|_| !style.get) {
        put(&log_notice(style, log));
        if let Err(error) = append_to_log(style, log, attack, &moment(zone)) {
            let text = error.to_string();
            streams::say(&log_trouble(log, text.split(" (os error").next().unwrap_or(&text)));
        }
    }
    let Some(run) = &attack.run else { return 0 };
    write_cookies(style, &attack.jars);
    if let Some(reason) = doubt(style, run, io::stderr().is_terminal()) {
        streams::say(&format!("warwolf: {}\n", warwolf_report::wording::sentence(&reason)));
    }
    match style.full_report.as_deref().map(|path| (path, results::keep(path, run))) {
        Some((path, Err(error))) => {
            streams::say(&format!("warwolf: {}\n", FileError::writing(path, &error)));
            1
        }
        _ => 0,
    }
}

/// Writes the cookies that are still valid for the next run, where siege has a folder of its own. Without any cookies no
/// file is created.
fn write_cookies(style: &Style, given: &Jars) {
    let Some(path) = &style.cookies else { return };
    let mut jars = style.jars.clone();
    jars.merge(given.clone());
    let has_folder = path.parent().is_some_and(Path::is_dir);
    if !has_folder || (jars.is_empty() && !path.exists()) {
        return;
    }
    let text = jars.text(Disk.seconds(), style.quirks);
    // Session cookies let their reader log in: a new file is private.
    if replace(path, text.as_bytes()).is_err() {
        streams::say(&format!("ERROR: Unable to open cookies file: {}\n", path.display()));
    }
}

fn append_to_log(style: &Style, log: &Log, attack: &Attack, now: &Moment) -> io::Result<()> {
    // A file that exists gets no header, even if it is empty: scripts create one and expect a single row.
    let is_new = !log.path.exists();
    let mut file = OpenOptions::new().append(true).create(true).open(&log.path)?;
    let mut text = log_rows(style, &attack.counts, attack.end, now);
    if is_new {
        text.insert_str(0, log_header(style));
    }
    file.write_all(text.as_bytes())
}

fn put(output: &Output) {
    streams::print_or_ignore(output.stdout.as_bytes());
    streams::say(&output.stderr);
}

/// Files and the environment of this process.
struct Disk;

impl World for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("-") {
            // A list of URLs from another program.
            let mut content = Vec::new();
            return io::stdin().read_to_end(&mut content).map(|_| content);
        }
        std::fs::read(path)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

/// The clock, the output and the run of this process.
struct Here {
    zone: Zone,
    control: Control,
}

impl Console for Here {
    fn stdout(&self, bytes: &[u8]) {
        Terminal.stdout(bytes);
    }

    fn stderr(&self, text: &str) {
        Terminal.stderr(text);
    }
}

impl Host for Here {
    fn now(&self) -> Moment {
        moment(self.zone)
    }

    fn unix_seconds(&self) -> u64 {
        Disk.seconds()
    }

    fn stop(&self) {
        self.control.stop();
    }
}

fn moment(zone: Zone) -> Moment {
    let date = zone.date();
    let (hour, minute, second) = date.to_hms();
    Moment {
        year: date.year(),
        month: date.month().into(),
        day: date.day(),
        weekday: date.weekday().number_days_from_sunday(),
        hour,
        minute,
        second,
    }
}
