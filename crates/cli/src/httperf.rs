//! `httperf …`: its words become a plan, the engine runs it, and its report is printed.

use crate::{environment, streams};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warwolf_clock::Timestamp;
use warwolf_compat::httperf::{Classic, Ended, Ledger, Live, Said, Style, Transcript, Usage, parse};
use warwolf_driver::host;
use warwolf_engine::{Control, SetupError};
use warwolf_measure::{Outcome, Run};
use warwolf_observe::{CallRecord, Observer};
use warwolf_plan::{Plan, Shard};

/// Descriptors that are not for connections: files, rings, the terminal.
const OTHER_DESCRIPTORS: u64 = 128;
/// Lines are written out when so many bytes of them wait.
const PAGE: usize = 65_536;

/// Does what the words say; gives the exit code, which is 0 for every run that took place.
pub(crate) fn run(argv: &[String]) -> u8 {
    match attempt(argv) {
        Ok(()) => 0,
        Err(Usage { stdout, stderr, code }) => {
            put(&Said { stdout, stderr });
            code
        }
    }
}

fn attempt(argv: &[String]) -> Result<(), Usage> {
    let Classic { mut plan, style } = parse(argv, &|path| std::fs::read(path))?;
    let descriptors = host::raise_descriptor_limit().unwrap_or(0);
    let room = u32::try_from(descriptors.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX).max(1);
    plan.connections.limit = plan.connections.limit.min(room);
    put(&Said { stdout: style.opening(descriptors), stderr: style.notes().to_owned() });
    let mut live = style.live(&plan);
    let ledger = Arc::new(Mutex::new(style.ledger()));
    let run = perform(&plan, &style, &mut live, &ledger).map_err(|error| refusal(&style, &error))?;
    let ledger = lock(&ledger);
    put(&live.finish(run.wall, &ledger));
    let figures = style.figures(&run, &ledger);
    put(&Said { stdout: style.report(&figures), stderr: style.reasons(&figures) });
    Ok(())
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

fn perform(
    plan: &Plan,
    style: &Style,
    live: &mut Live,
    ledger: &Arc<Mutex<Ledger>>,
) -> Result<Run, SetupError> {
    let control = Control::new();
    listen(&control).map_err(|error| SetupError::Thread(error.to_string()))?;
    let environment = environment::observe();
    let observer = |_| -> Box<dyn Observer> {
        Box::new(Clerk { ledger: Arc::clone(ledger), transcript: style.transcript(), lines: Vec::new() })
    };
    let mut watch = |interval: &_| put(&live.interval(interval, &lock(ledger)));
    let run = warwolf_engine::run_observed(plan, Shard::WHOLE, &control, &mut watch, Some(&observer))?;
    Ok(Run { environment, ..run })
}

/// Enters what happens into the ledger, and writes down what goes over the wire where that is asked for.
struct Clerk {
    ledger: Arc<Mutex<Ledger>>,
    transcript: Transcript,
    lines: Vec<u8>,
}

impl Clerk {
    fn write_out(&mut self) {
        if !self.lines.is_empty() {
            let _ = streams::print(&self.lines);
            self.lines.clear();
        }
    }
}

impl Observer for Clerk {
    fn call(&mut self, record: &CallRecord<'_>) {
        let CallRecord { sample, session, connection, footer_bytes, call, exchange, .. } = *record;
        lock(&self.ledger).call(&Ended { session, connection, sample, footer_bytes });
        if sample.outcome == Outcome::Completed {
            if let Some(exchange) = exchange {
                self.transcript.head(call, &exchange.head, &mut self.lines);
                self.transcript.body(call, &exchange.body, &mut self.lines);
            }
            let sizes = [sample.header_bytes.into(), sample.body_bytes, footer_bytes.into()];
            self.transcript.end(call, sizes, &mut self.lines);
        }
        if self.lines.len() >= PAGE {
            self.write_out();
        }
    }

    fn pause(&mut self) {
        lock(&self.ledger).turn();
        self.write_out();
    }

    fn connecting(&mut self, connection: u32, session: u64, now: Timestamp) {
        lock(&self.ledger).connecting(connection, session, now.as_nanos());
    }

    fn connected(&mut self, connection: u32, now: Timestamp) {
        lock(&self.ledger).connected(connection, now.as_nanos());
    }

    fn disconnected(&mut self, connection: u32, now: Timestamp, why: Option<Outcome>) {
        lock(&self.ledger).disconnected(connection, now.as_nanos(), why);
    }

    fn written(&mut self, _call: u64, _connection: u32, bytes: u64) {
        lock(&self.ledger).written(bytes);
    }

    fn session_over(&mut self, session: u64, is_failed: bool, began: Timestamp, now: Timestamp) {
        lock(&self.ledger).session(session, is_failed, began.as_nanos(), now.as_nanos());
    }

    fn wants_exchange(&self) -> bool {
        self.transcript.wants_replies()
    }

    fn wants_requests(&self) -> bool {
        self.transcript.wants_requests()
    }

    fn request(&mut self, call: u64, head: &[u8], body: &[u8]) {
        self.transcript.request(call, head, body, &mut self.lines);
    }
}

/// Why there was no run, as the original would say it where it has words for it.
fn refusal(style: &Style, error: &SetupError) -> Usage {
    let stderr = match error {
        SetupError::Resolve { host, .. } => style.unresolved(host),
        error => style.complaint(&error.to_string()),
    };
    Usage { stdout: String::new(), stderr, code: 1 }
}

/// Writes out what there is for each stream.
fn put(said: &Said) {
    if !said.stdout.is_empty() {
        // Nobody who has gone away can be told that.
        let _ = streams::print(said.stdout.as_bytes());
    }
    if !said.stderr.is_empty() {
        streams::say(&said.stderr);
    }
}

/// The first Ctrl-C ends the run and lets it report; the second does not wait for that. Other signals end the program.
fn listen(control: &Control) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT])?;
    let control = control.clone();
    let wait = move || {
        for (before, signal) in signals.forever().enumerate() {
            if before == 0 {
                control.abort();
            } else {
                signal_hook::low_level::exit(128 + signal);
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}
