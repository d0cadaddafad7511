//! Signals that end a run. They are waited for on a thread of their own.

use crate::exit::{Exit, Failure, MachineFailure};
use crate::progress::Manner;
use crate::streams;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{self, IsTerminal};
use warwolf_engine::Control;

/// Calls `react` with each signal that arrives, and how many came before it. A signal that was ignored when the program
/// started stays ignored: `nohup`, and a shell that starts a background job, mean it so.
///
/// # Errors
/// When the handlers or the thread cannot be set up.
pub(crate) fn handle(signals: &[i32], mut react: impl FnMut(usize, i32) + Send + 'static) -> io::Result<()> {
    let ignored = ignored();
    let mut signals = Signals::new(signals.iter().filter(|signal| ignored >> (*signal - 1) & 1 == 0))?;
    let wait = move || {
        for (before, signal) in signals.forever().enumerate() {
            react(before, signal);
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The signals that this process ignores, one bit each from the first on; none where the kernel does not report them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// The first Ctrl-C, SIGTERM, or SIGHUP of a terminal that is closed, stops the run of `control`, which then reports; the second cuts off the calls in flight; the
/// third ends the program.
///
/// # Errors
/// When signals cannot be handled.
pub(crate) fn listen(control: &Control, manner: Manner) -> Result<(), Failure> {
    let control = control.clone();
    let react = move |before, _| match before {
        0 => {
            // The dashboard shows it itself; a line in its midst would stay there.
            if manner == Manner::Lines {
                // Behind the terminal's own echo of Ctrl-C.
                let begin = if io::stderr().is_terminal() { "\n" } else { "" };
                streams::say(&format!("{begin}warwolf: stopping; once more to cut what is in flight\n"));
            }
            control.stop();
        }
        1 => control.abort(),
        _ => exit(Exit::Interrupted as i32),
    };
    handle(&[SIGINT, SIGTERM, SIGHUP], react).map_err(|error| MachineFailure::Signals(error).into())
}

/// Ends the program at once.
pub(crate) fn exit(code: i32) {
    signal_hook::low_level::exit(code);
}
