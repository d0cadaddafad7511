//! Data on stdout, speech on stderr. A reader who has gone away is no error: whoever closes a pipe has seen enough.

use crate::exit::Failure;
use crate::files::reason;
use std::io::{self, ErrorKind, Write};

/// Writes data to stdout.
///
/// # Errors
/// When stdout cannot be written to, other than by being closed at its other end.
pub(crate) fn print(data: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(data).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("stdout cannot be written: {}", reason(&error))))
        }
        _ => Ok(()),
    }
}

/// Says something on stderr. When nobody can hear it there is nothing left to do.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
