//! What siege says beside its report, and how it ends without one.

/// Text for the two streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

/// siege ends without a run: what it says, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What is said.
    pub output: Output,
    /// The exit code.
    pub code: u8,
}

/// How grave a notice is; the number is that of its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Fatal = 1,
    Alert = 2,
    Error = 3,
    Debug = 4,
}

/// A notice with its line end. Its level is coloured whatever the settings say, as in the original.
pub(super) fn notice(level: Level, text: &str) -> String {
    let name = match level {
        Level::Fatal => "fatal",
        Level::Alert => "alert",
        Level::Error => "error",
        Level::Debug => "debug",
    };
    format!("[\u{1b}[1;3{}m{name}\u{1b}[0m] {text}\n", level as u8)
}

/// A text from a server, on one line. Control characters, which could erase or imitate other output, are written as `\u{1b}`.
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

/// The notice after which siege ends because it cannot go on.
#[must_use]
pub fn fatal(text: &str) -> String {
    notice(Level::Fatal, text)
}
