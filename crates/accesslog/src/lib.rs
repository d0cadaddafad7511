//! Parses access logs: common, combined, Squid native, JSON lines, and HAR.
//!
//! Text in, requests out, one line at a time; this crate opens no files and keeps no state. A line that cannot be parsed yields an
//! error, which the caller counts.
#![forbid(unsafe_code)]

mod clf;
mod date;
mod json;
mod squid;

pub use date::parse as parse_time;
pub use json::har;

/// A request in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Start of the request in nanoseconds since 1970 (UTC).
    pub at_ns: i64,
    /// The log has a resolution of one second.
    pub whole_second: bool,
    /// The method.
    pub method: String,
    /// Path and query, or a whole URL.
    pub target: String,
    /// The host, with or without a port, if the log contains it separately.
    pub host: Option<String>,
    /// The status; `None` if there was no response.
    pub status: Option<u16>,
}

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The common and combined formats of Apache and nginx, with or without a leading virtual host.
    Common,
    /// Squid's native format.
    Squid,
    /// One JSON object per line.
    Json,
    /// One HTTP archive for the whole file.
    Har,
}

/// Why a line does not yield a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unreadable {
    /// The line has an unknown format.
    #[error("unknown format")]
    Format,
    /// The time is missing or invalid.
    #[error("no valid time")]
    Time,
    /// The request is missing or invalid: the client sent nothing, or data that is not HTTP.
    #[error("no valid request")]
    Request,
}

impl Format {
    /// Detects the format of a log from its first line.
    #[must_use]
    pub fn of(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.starts_with('{') {
            // An archive is one object over many lines; a JSON log has a complete object on each line.
            let whole = serde_json::from_str::<serde_json::Value>(line).ok();
            let is_archive = whole.is_none_or(|value| value.pointer("/log/entries").is_some());
            return Some(if is_archive { Self::Har } else { Self::Json });
        }
        [Self::Squid, Self::Common].into_iter().find(|format| format.read(line).is_ok())
    }

    /// Parses a line. Archives are parsed as a whole by [`har`].
    ///
    /// # Errors
    /// The reason why the line does not yield a request.
    pub fn read(self, line: &str) -> Result<Entry, Unreadable> {
        match self {
            Self::Common => clf::read(line),
            Self::Squid => squid::read(line),
            Self::Json => json::read(line),
            Self::Har => Err(Unreadable::Format),
        }
    }
}

/// Checks that a method and a target are valid in a request line.
fn plausible(method: &str, target: &str) -> Result<(), Unreadable> {
    let is_method =
        !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    let is_target = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic());
    // CONNECT has a host instead of a path and cannot be replayed.
    if is_method && is_target && method != "CONNECT" { Ok(()) } else { Err(Unreadable::Request) }
}

#[cfg(test)]
mod tests;
