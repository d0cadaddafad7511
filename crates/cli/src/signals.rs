//! Ctrl-C and SIGTERM: the first stops the run and lets it report, the second does not wait for calls in flight, the
//! third gives up.

use crate::exit::{Exit, Failure};
use crate::progress::Manner;
use crate::streams;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::IsTerminal;
use warwolf_engine::Control;

/// From now on signals stop the run that `control` holds. They are waited for on a thread of their own.
///
/// # Errors
/// When the signals or the thread cannot be had.
pub(crate) fn listen(control: &Control, manner: Manner) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("signals cannot be caught: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    let control = control.clone();
    let wait = move || {
        for (before, _) in signals.forever().enumerate() {
            match before {
                0 => {
                    // The panel says it by itself; a line in its midst would not go away.
                    if manner == Manner::Lines {
                        // Behind the terminal's own echo of Ctrl-C.
                        let begin = if std::io::stderr().is_terminal() { "\n" } else { "" };
                        streams::say(&format!(
                            "{begin}warwolf: stopping; once more to cut what is in flight\n"
                        ));
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
