//! `http_load …`: its words become a plan, the engine runs it, and its report is printed.

use crate::files::seed_of_now;
use crate::streams;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_compat::http_load::{
    Classic, Count, Ending, Fetch, Machine, Style, Totals, parse, progress, report, unresolved,
};
use warwolf_driver::host;
use warwolf_engine::{Control, SetupError};
use warwolf_measure::{Interval, Outcome, Run, Sample};
use warwolf_observe::{CallRecord, Observer};
use warwolf_plan::Shard;

/// Descriptors that are not for connections: rings, files, the terminal.
const OTHER_DESCRIPTORS: u64 = 64;
/// Time between two lines of `-verbose`.
const MINUTE: Duration = Duration::from_secs(60);

/// Does what the words say; gives the exit code.
pub(crate) fn run(argv: &[String]) -> u8 {
    match work(argv) {
        Ok(()) => 0,
        Err(text) => {
            streams::say(&text);
            1
        }
    }
}

fn work(argv: &[String]) -> Result<(), String> {
    let descriptors = host::raise_descriptor_limit().unwrap_or(0).saturating_sub(OTHER_DESCRIPTORS);
    let machine =
        Machine { connections: u32::try_from(descriptors).unwrap_or(u32::MAX).max(1), seed: seed_of_now() };
    let Classic { plan, style } = parse(argv, machine, &content).map_err(|usage| usage.stderr)?;
    let control = Control::new();
    let tally = Arc::new(Mutex::new(Count::new(&style)));
    let mut minutes = style.verbose.then(Minutes::default);
    let outcome = warwolf_engine::run_observed(
        &plan,
        Shard::WHOLE,
        &control,
        &mut |interval| {
            if let Some(minutes) = &mut minutes {
                minutes.pass(interval);
            }
        },
        Some(&|_| {
            Box::new(Counter { count: Arc::clone(&tally), control: control.clone(), fetches: Vec::new() })
        }),
    );
    let run = outcome.map_err(|error| complaint(&style, &error))?;
    let count = tally.lock().unwrap_or_else(PoisonError::into_inner);
    let (text, last) = report(&style, &count, totals(&style, &count, &run));
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

/// A run by number of fetches lasts until the last of them.
fn totals(style: &Style, count: &Count, run: &Run) -> Totals {
    let elapsed = match style.fetches {
        Some(_) => Duration::from_nanos(count.last_ns()),
        None => run.wall,
    };
    Totals { elapsed, max_parallel: run.timeline.whole().tally.counters().max_in_flight }
}

fn complaint(style: &Style, error: &SetupError) -> String {
    match error {
        SetupError::Resolve { host, error } => {
            let reason = error.rsplit(": ").next().unwrap_or(error);
            unresolved(&style.name, host, reason)
        }
        error => format!("{}: {error}\n", style.name),
    }
}

/// Gathers a worker's fetches and adds them to the count of all, in which their order is that of their batches.
struct Counter {
    count: Arc<Mutex<Count>>,
    control: Control,
    fetches: Vec<Fetch>,
}

impl Observer for Counter {
    fn call(&mut self, record: &CallRecord<'_>) {
        self.fetches.push(fetch(record));
    }

    fn pause(&mut self) {
        if self.fetches.is_empty() {
            return;
        }
        let mut said = String::new();
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        for fetch in self.fetches.drain(..) {
            count.add(&fetch, &mut said);
        }
        if !said.is_empty() {
            streams::say(&said);
        }
        if count.is_done() {
            self.control.abort();
        }
    }
}

fn fetch(record: &CallRecord<'_>) -> Fetch {
    let Sample { started, first_byte, finished, outcome, .. } = *record.sample;
    let reached = |moment: Timestamp| moment.is_reached().then(|| moment.as_nanos());
    // A connection that is closed in place of a reply has answered too.
    let closed = matches!(outcome, Outcome::Closed | Outcome::Reset) && record.connected.is_reached();
    Fetch {
        url: record.planned.map_or(usize::MAX, |request| request.0 as usize),
        started_ns: started.as_nanos(),
        connected_ns: reached(record.connected),
        answered_ns: reached(first_byte).or_else(|| closed.then(|| finished.as_nanos())),
        finished_ns: finished.as_nanos(),
        body_bytes: record.sample.body_bytes,
        status: record.sample.status,
        checksum: record.checksum,
        ending: Ending::from(outcome),
    }
}

/// What `-verbose` says every minute.
#[derive(Default)]
struct Minutes {
    started: u64,
    over: u64,
    told: u32,
}

impl Minutes {
    fn pass(&mut self, interval: &Interval) {
        let tally = &interval.tally;
        self.started += tally.counters().started;
        self.over += tally.completed() + tally.failed() + tally.timed_out();
        let at = interval.end.since(Timestamp::ZERO);
        if at >= MINUTE * (self.told + 1) {
            self.told += 1;
            streams::say(&progress(at, self.started, self.over));
        }
    }
}
