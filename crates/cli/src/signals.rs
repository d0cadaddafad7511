//! Ctrl-C and SIGTERM: the first stops the run and lets it report, the second does not wait for calls in flight, the
//! third gives up.

use crate::exit::{Exit, Failure};
use crate::streams;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use warwolf_engine::Control;

/// From now on signals stop the run that `control` holds. They are waited for on a thread of their own.
///
/// # Errors
/// When the signals or the thread cannot be had.
pub(crate) fn listen(control: &Control, quiet: bool) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("signals cannot be caught: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let control = control.clone();
    let wait = move || {
        for (before, _) in signals.forever().enumerate() {
            match before {
                0 => {
                    if !quiet {
                        streams::say("\nwarwolf: stopping; once more to cut what is in flight\n");
                    }
                    control.stop();
                }
                1 => control.abort(),
                _ => signal_hook::low_level::exit(Exit::Interrupted as i32),
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop).map_err(failed)
}
