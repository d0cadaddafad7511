//! `httperf …`: its words become a plan, the engine runs it, and its report is printed.

use crate::{environment, streams};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use warwolf_compat::httperf::{Classic, Live, Said, Style, Usage, parse};
use warwolf_driver::host;
use warwolf_engine::{Control, SetupError};
use warwolf_measure::Run;
use warwolf_plan::{Plan, Shard};

/// Descriptors that are not for connections: files, rings, the terminal.
const OTHER_DESCRIPTORS: u64 = 128;

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
    let run = perform(&plan, &mut live).map_err(|error| refusal(&style, &error))?;
    put(&live.finish(run.wall));
    put(&Said { stdout: style.report(&style.figures(&run, &live)), stderr: String::new() });
    Ok(())
}

fn perform(plan: &Plan, live: &mut Live) -> Result<Run, SetupError> {
    let control = Control::new();
    listen(&control).map_err(|error| SetupError::Thread(error.to_string()))?;
    let environment = environment::observe();
    let run =
        warwolf_engine::run(plan, Shard::WHOLE, &control, &mut |interval| put(&live.interval(interval)))?;
    Ok(Run { environment, ..run })
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
