//! `httperf …`: translates its arguments, runs the plan, and prints the report.

use super::Terminal;
use crate::{environment, signals, streams};
use signal_hook::consts::SIGINT;
use warwolf_compat::httperf::{Classic, Live, Said, Style, Usage, parse};
use warwolf_driver::host;
use warwolf_engine::{Control, SetupError};
use warwolf_measure::Run;
use warwolf_observe::{ObserverSource, Observers};
use warwolf_plan::{Plan, Shard};

/// Descriptors that are not for connections: files, rings, the terminal.
const OTHER_DESCRIPTORS: u64 = 128;

/// Runs `httperf`; returns its exit code, which is 0 for every run that took place.
pub(super) fn run(argv: &[String]) -> u8 {
    match attempt(argv) {
        Ok(()) => 0,
        Err(Usage { stdout, stderr, code }) => {
            print(&Said { stdout, stderr });
            code
        }
    }
}

fn attempt(argv: &[String]) -> Result<(), Usage> {
    let Classic { mut plan, style } = parse(argv, &|path| std::fs::read(path))?;
    let descriptors = host::raise_descriptor_limit().unwrap_or(0);
    let room = u32::try_from(descriptors.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX).max(1);
    plan.connections.limit = plan.connections.limit.min(room);
    print(&Said { stdout: style.opening(descriptors), stderr: style.notes().to_owned() });
    let mut live = style.live(&plan);
    let rates = live.rates();
    let observers = Observers::new(|| style.observer(&rates, &Terminal));
    let run = load(plan, &mut live, &observers).map_err(|error| refusal(&style, &error))?;
    print(&live.finish(run.wall));
    for counter in observers.into_ended() {
        let figures = style.figures(&run, &counter);
        print(&Said { stdout: style.report(&figures), stderr: style.reasons(&figures) });
    }
    Ok(())
}

fn load(plan: Plan, live: &mut Live, observers: &dyn ObserverSource) -> Result<Run, SetupError> {
    let plan = plan.check()?;
    let control = Control::new();
    let stopped = control.clone();
    // The first Ctrl-C ends the run and lets it report; the second does not wait for that.
    let react = move |before, signal| match before {
        0 => stopped.abort(),
        _ => signals::exit(128 + signal),
    };
    signals::handle(&[SIGINT], react).map_err(|error| SetupError::Thread { name: "signals", error })?;
    let environment = environment::observe();
    let mut watch = |interval: &_| print(&live.interval(interval));
    let run = warwolf_engine::run_observed(&plan, Shard::WHOLE, &control, &mut watch, Some(observers))?;
    Ok(run.in_environment(&environment))
}

/// Why there was no run, in the original's words where it has any.
fn refusal(style: &Style, error: &SetupError) -> Usage {
    let stderr = match error {
        SetupError::Resolve { host, .. } => style.unresolved(host),
        error => style.usage_error(&error.to_string()),
    };
    Usage { stdout: String::new(), stderr, code: 1 }
}

fn print(said: &Said) {
    streams::print_or_ignore(said.stdout.as_bytes());
    streams::say(&said.stderr);
}
