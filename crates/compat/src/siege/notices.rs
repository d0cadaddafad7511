//! Notices beside the report, and endings without a run.

/// Text for the two output streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

/// The output and exit code of an invocation that ends without a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The output.
    pub output: Output,
    /// The exit code.
    pub code: u8,
}

/// The severity of a notice; the number is that of its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Fatal = 1,
    Alert = 2,
    Error = 3,
    Debug = 4,
}

/// Formats a notice with its line end. Its level is always coloured, as in the original.
pub(super) fn notice(level: Level, text: &str) -> String {
    let name = match level {
        Level::Fatal => "fatal",
        Level::Alert => "alert",
        Level::Error => "error",
        Level::Debug => "debug",
    };
    format!("[\u{1b}[1;3{}m{name}\u{1b}[0m] {text}\n", level as u8)
}

/// Puts a text from a server on one line. Control characters, which could erase or imitate other output, are written as
/// `\u{1b}`.
pub(super) fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c.is_control() {
            line.extend(c.escape_unicode())
        } else {
            line.push(c)
        }
        line
    })
}

/// Formats the notice of an error that ends siege.
#[must_use]
pub fn fatal(text: &str) -> String {
    notice(Level::Fatal, text)
}
