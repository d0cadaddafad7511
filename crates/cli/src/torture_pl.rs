//! `torture.pl …`: its words become a plan, the engine runs it, and its report is printed.

use crate::date::Zone;
use crate::files::seed_of_now;
use crate::streams;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use warwolf_compat::torture::{Classic, Count, Own, Transaction, details, ending, parse, report, starting};
use warwolf_engine::{Control, SetupError};
use warwolf_measure::Run;
use warwolf_observe::{CallRecord, Observer};
use warwolf_plan::{Plan, Shard};

/// What Perl's `die` gives when there is no system error to give.
const DIED: u8 = 255;
/// The system's number for too many open files: what the original ended with when it could not fork.
const TOO_MANY: u8 = 24;
const INTERRUPTED: u8 = 130;

/// Does what the words say; gives the exit code.
pub(crate) fn run(argv: &[String]) -> u8 {
    let zone = Zone::here();
    let Classic { plan, style } = match parse(argv, seed_of_now()) {
        Ok(classic) => classic,
        Err(usage) => {
            streams::say(&usage.stderr);
            return DIED;
        }
    };
    print(&starting(&zone.now()));
    let count = Arc::new(Mutex::new(Count::default()));
    let run = match load(&plan, &count) {
        Ok(run) => run,
        Err(error) => {
            streams::say(&format!("Can't fork: {error}\n"));
            return TOO_MANY;
        }
    };
    let count = count.lock().unwrap_or_else(PoisonError::into_inner);
    let elapsed = Duration::from_nanos(count.last_ns());
    print(&report(&count, elapsed));
    print(&ending(&zone.now()));
    if style.verbose {
        streams::say(&details(&style, &count, elapsed, own(&run)));
    }
    if run.evidence.interrupted { INTERRUPTED } else { 0 }
}

fn load(plan: &Plan, count: &Arc<Mutex<Count>>) -> Result<Run, SetupError> {
    let control = Control::new();
    report_when_interrupted(&control);
    let process = std::process::id();
    warwolf_engine::run_observed(
        plan,
        Shard::WHOLE,
        &control,
        &mut |_| {},
        Some(&|_| Box::new(Counter { count: Arc::clone(count), process })),
    )
}

/// The original ended without a word. Where no handler can be had, so does this.
fn report_when_interrupted(control: &Control) {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    let control = control.clone();
    let wait = move || {
        for (before, _) in signals.forever().enumerate() {
            match before {
                0 => control.abort(),
                _ => signal_hook::low_level::exit(INTERRUPTED.into()),
            }
        }
    };
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

fn own(run: &Run) -> Own {
    Own { cpu: run.evidence.cpu_user + run.evidence.cpu_system, threads: run.evidence.threads }
}

/// Nobody who has gone away can be told that.
fn print(text: &str) {
    let _ = streams::print(text.as_bytes());
}

/// Adds a worker's transactions to the count of all.
struct Counter {
    count: Arc<Mutex<Count>>,
    process: u32,
}

impl Observer for Counter {
    fn wants_reasons(&self) -> bool {
        true
    }

    fn call(&mut self, record: &CallRecord<'_>) {
        let sample = record.sample;
        let took = sample.finished.since(sample.started);
        let transaction = Transaction {
            took_ns: took.saturating_sub(record.preparing).as_nanos() as u64,
            making_ns: record.preparing.as_nanos() as u64,
            finished_ns: sample.finished.as_nanos(),
            drawn_bytes: record.drawn_bytes,
            body_bytes: sample.body_bytes,
            status: sample.status,
            reason: record.reason,
            outcome: sample.outcome,
        };
        let mut said = Vec::new();
        self.count.lock().unwrap_or_else(PoisonError::into_inner).add(&transaction, self.process, &mut said);
        if !said.is_empty() {
            streams::say(&String::from_utf8_lossy(&said));
        }
    }
}
