//! `torture.pl …`: translates its arguments, runs the plan, and prints the report.

use super::Terminal;
use crate::date::Zone;
use crate::files::seed_of_now;
use crate::{signals, streams};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::time::Duration;
use warwolf_compat::torture::{Classic, Counter, Own, details, ending, parse, report, starting};
use warwolf_engine::{Control, SetupError};
use warwolf_measure::Run;
use warwolf_observe::Observers;
use warwolf_plan::{Plan, Shard};

/// The exit code of Perl's `die` without a system error.
const DIED: u8 = 255;
/// The exit code of the original when it could not fork: the system's number for too many open files.
const TOO_MANY: u8 = 24;
const INTERRUPTED: u8 = 130;

/// Runs `torture.pl`; returns its exit code.
pub(super) fn run(argv: &[String]) -> u8 {
    let zone = Zone::here();
    let Classic { plan, style } = match parse(argv, seed_of_now()) {
        Ok(classic) => classic,
        Err(usage) => {
            streams::say(&usage.stderr);
            return DIED;
        }
    };
    streams::print_or_ignore(starting(&zone.now()).as_bytes());
    let process = std::process::id();
    let observers = Observers::new(|| Counter::new(&Terminal, process));
    let run = match load(plan, &observers) {
        Ok(run) => run,
        Err(error) => {
            streams::say(&format!("Can't fork: {error}\n"));
            return TOO_MANY;
        }
    };
    let count = Counter::total(observers.into_ended());
    let elapsed = Duration::from_nanos(count.last_ns());
    let text = report(&count, elapsed) + &ending(&zone.now());
    streams::print_or_ignore(text.as_bytes());
    if style.verbose {
        let (user, system) = run.cpu();
        let own = Own { cpu: user + system, threads: run.hosts.iter().map(|host| host.threads).sum() };
        streams::say(&details(&style, &count, elapsed, own));
    }
    if run.is_interrupted() { INTERRUPTED } else { 0 }
}

fn load(plan: Plan, observers: &dyn warwolf_observe::ObserverSource) -> Result<Run, SetupError> {
    let plan = plan.check()?;
    let control = Control::new();
    let stopped = control.clone();
    // The original ended without a report. Where no handler can be had, so does this.
    let _ = signals::handle(&[SIGINT, SIGTERM], move |before, _| match before {
        0 => stopped.abort(),
        _ => signals::exit(INTERRUPTED.into()),
    });
    warwolf_engine::run_observed(&plan, Shard::WHOLE, &control, &mut |_| {}, Some(observers))
}
