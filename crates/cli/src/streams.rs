//! Data on stdout, speech on stderr. A closed pipe is not an error: its reader has seen enough.

use crate::exit::Failure;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use warwolf_args::FileError;

/// Writes data to stdout.
///
/// # Errors
/// When stdout cannot be written to, other than by being closed at its other end.
pub(crate) fn print(data: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    checked(stdout.write_all(data).and_then(|()| stdout.flush()))
}

/// The result of writing to stdout. A reader that has left is no error.
///
/// # Errors
/// When stdout cannot be written to.
pub(crate) fn checked(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(FileError::writing(Path::new("stdout"), &error).into())
        }
        _ => Ok(()),
    }
}

/// Writes data to stdout where nothing can be done about an error.
pub(crate) fn print_or_ignore(data: &[u8]) {
    if !data.is_empty() {
        let _ = print(data);
    }
}

/// Says something on stderr. When nobody can hear it there is nothing left to do.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether what goes to a stream is coloured: when it is a terminal, unless the environment says otherwise. `NO_COLOR`
/// turns colours off, `CLICOLOR_FORCE` on, `CLICOLOR=0` and `TERM=dumb` off; the first of them counts.
pub(crate) fn is_coloured(is_terminal: bool) -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let names = ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"];
    choice(names.map(variable).each_ref().map(String::as_str)).unwrap_or(is_terminal)
}

fn choice([no_color, force, clicolor, term]: [&str; 4]) -> Option<bool> {
    match (no_color, force, clicolor, term) {
        ("", "" | "0", "0", _) | ("", "" | "0", _, "dumb") => Some(false),
        ("", "" | "0", _, _) => None,
        ("", _, _, _) => Some(true),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_environment_decides_on_colours() {
        let rows = [
            (["", "", "", "xterm"], None),
            (["", "", "1", ""], None),
            (["", "", "0", ""], Some(false)),
            (["", "1", "0", "dumb"], Some(true)),
            (["", "0", "0", ""], Some(false)),
            (["1", "1", "1", ""], Some(false)),
            (["", "", "", "dumb"], Some(false)),
        ];
        for (variables, expected) in rows {
            assert_eq!(super::choice(variables), expected, "{variables:?}");
        }
    }
}
