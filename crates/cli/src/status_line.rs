//! One line on a terminal that is written again and again: what an experiment does now, and how long it will take.

use crate::streams;
use std::io::IsTerminal;
use std::time::Duration;
use terminal_size::{Width, terminal_size_of};
use warwolf_report::unit;

/// The line. Nothing is written where stderr is not a terminal.
#[derive(Debug)]
pub(crate) struct StatusLine {
    is_shown: bool,
    is_drawn: bool,
}

impl StatusLine {
    /// Creates a line that is shown on a terminal that can move its cursor, unless `is_quiet`.
    pub(crate) fn new(is_quiet: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { is_shown: !is_quiet && !is_dumb && std::io::stderr().is_terminal(), is_drawn: false }
    }

    /// Replaces the line.
    pub(crate) fn show(&mut self, text: &str) {
        if self.is_shown {
            let columns = terminal_size_of(std::io::stderr()).map_or(80, |(Width(columns), _)| columns);
            streams::say(&format!("\r{}\x1b[K", cut(text, columns.into())));
            self.is_drawn = true;
        }
    }

    /// Removes the line, before other text is written.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            streams::say("\r\x1b[K");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the part of a text that fits into one line and does not move the cursor to the next.
fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns.saturating_sub(1)).collect()
}

/// Formats a time that is left: `, about 1m 20s left`; empty if unknown.
pub(crate) fn left(time: Option<Duration>) -> String {
    match time.map(|time| time.as_secs()) {
        None => String::new(),
        Some(seconds) if seconds >= 3_600 => {
            format!(", about {}h {}m left", unit::count(seconds / 3_600), seconds / 60 % 60)
        }
        Some(seconds) if seconds >= 60 => format!(", about {}m {}s left", seconds / 60, seconds % 60),
        Some(seconds) => format!(", about {seconds}s left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_readable() {
        for (seconds, expected) in [
            (0, ", about 0s left"),
            (59, ", about 59s left"),
            (80, ", about 1m 20s left"),
            (7_260, ", about 2h 1m left"),
        ] {
            assert_eq!(left(Some(Duration::from_secs(seconds))), expected);
        }
        assert_eq!(left(None), "");
    }

    #[test]
    fn the_line_never_wraps() {
        assert_eq!(cut("a long line", 5), "a lo");
        assert_eq!(cut("x", 0), "");
    }
}
