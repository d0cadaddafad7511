//! `http_load …`: translates its arguments, runs the plan, and prints the report.

use super::Terminal;
use crate::files::seed_of_now;
use crate::streams;
use std::io::Read as _;
use std::path::Path;
use warwolf_compat::http_load::{
    Classic, Count, Counter, Machine, Minutes, Style, Totals, parse, report, unresolved,
};
use warwolf_driver::host;
use warwolf_engine::{Control, SetupError};
use warwolf_observe::Observers;
use warwolf_plan::Shard;

/// Descriptors that are not for connections: rings, files, the terminal.
const OTHER_DESCRIPTORS: u64 = 64;

/// Runs `http_load`; returns its exit code.
pub(super) fn run(argv: &[String]) -> u8 {
    match load(argv) {
        Ok(()) => 0,
        Err(text) => {
            streams::say(&text);
            1
        }
    }
}

fn load(argv: &[String]) -> Result<(), String> {
    let descriptors = host::raise_descriptor_limit().unwrap_or(0).saturating_sub(OTHER_DESCRIPTORS);
    let machine =
        Machine { connections: u32::try_from(descriptors).unwrap_or(u32::MAX).max(1), seed: seed_of_now() };
    let Classic { plan, style } = parse(argv, machine, &content).map_err(|usage| usage.stderr)?;
    let control = Control::new();
    let mut count = Count::new(&style);
    let mut minutes = style.verbose.then(Minutes::default);
    let abort = || control.abort();
    let observers = Observers::new(|| Counter::new(&count, &Terminal, &abort));
    let mut watch = |interval: &_| {
        if let Some(line) = minutes.as_mut().and_then(|minutes| minutes.add(interval)) {
            streams::say(&line);
        }
    };
    let run = plan.check().map_err(SetupError::from).and_then(|plan| {
        warwolf_engine::run_observed(&plan, Shard::WHOLE, &control, &mut watch, Some(&observers))
    });
    let run = run.map_err(|error| refusal(&style, &error))?;
    let counters = observers.into_ended();
    Counter::add_to(&mut count, counters);
    let (text, last) = report(&style, &count, Totals::of(&run, &style, &count));
    streams::print(text.as_bytes()).map_err(|failure| format!("{}: {failure}\n", style.name))?;
    streams::say(&last);
    Ok(())
}

/// The content of a file; `-` is stdin.
fn content(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut content = Vec::new();
    std::io::stdin().read_to_end(&mut content)?;
    Ok(content)
}

/// Why the run did not start.
fn refusal(style: &Style, error: &SetupError) -> String {
    match error {
        SetupError::Resolve { host, error } => {
            let error = error.to_string();
            let reason = error.rsplit(": ").next().unwrap_or(&error);
            unresolved(&style.name, host, reason)
        }
        error => format!("{}: {error}\n", style.name),
    }
}
