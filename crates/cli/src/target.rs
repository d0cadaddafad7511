//! `target`: the built-in server under test, until it is interrupted.

use crate::exit::{Exit, Failure, MachineFailure};
use crate::streams;
use warwolf_target::{Listening, Options, interrupted, serve};

/// Serves, and prints where it listens: one URL a line on stdout.
///
/// # Errors
/// When an address, a file or a certificate cannot be had.
pub(crate) fn target(options: &Options) -> Result<Exit, Failure> {
    let mut printed = Ok(());
    let ready = |listening: &Listening| {
        let urls: String = listening.endpoints.iter().map(|endpoint| format!("{endpoint}\n")).collect();
        printed = streams::print(urls.as_bytes());
    };
    serve(options.clone(), ready, interrupted())
        .map_err(|error| MachineFailure::TestServer(error.to_string()))?;
    printed.map(|()| Exit::Well)
}
