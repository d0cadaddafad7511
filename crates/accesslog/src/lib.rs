//! What access logs say: common, combined, Squid's native, JSON by lines, and HAR.
//!
//! Text in, requests out, a line at a time; nothing is opened and nothing is kept. A line that cannot be read is an error
//! with a name, for the caller to count.
#![forbid(unsafe_code)]

mod clf;
mod date;
mod json;
mod squid;

pub use date::parse as parse_time;
pub use json::har;

/// A request as a log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it began, in nanoseconds since 1970 (UTC).
    pub at_ns: i64,
    /// Whether the log knows no more of the time than its second.
    pub whole_second: bool,
    /// The method.
    pub method: String,
    /// Path and query, or a whole URL.
    pub target: String,
    /// The host, where the log has it beside the target; with a port or without.
    pub host: Option<String>,
    /// The status it was answered with; none when it got no answer.
    pub status: Option<u16>,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Apache's and nginx's common and combined formats, with a virtual host before them or without.
    Common,
    /// Squid's native format.
    Squid,
    /// An object on each line.
    Json,
    /// One HTTP archive for the whole log.
    Har,
}

/// Why a line is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unreadable {
    /// It is in no format that is known.
    #[error("no known format")]
    Format,
    /// Its time is missing or no time.
    #[error("no time")]
    Time,
    /// Its request is missing or no request: a client that sent nothing, or something that is no HTTP.
    #[error("no request")]
    Request,
}

impl Format {
    /// The format of a log that begins with this line.
    #[must_use]
    pub fn of(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.starts_with('{') {
            // An archive is one object; a log by lines has one on each, and its lines end where they begin.
            let whole = serde_json::from_str::<serde_json::Value>(line).ok();
            let is_archive = whole.is_none_or(|value| value.pointer("/log/entries").is_some());
            return Some(if is_archive { Self::Har } else { Self::Json });
        }
        [Self::Squid, Self::Common].into_iter().find(|format| format.read(line).is_ok())
    }

    /// Reads a line. An archive is read as a whole, by [`har`].
    ///
    /// # Errors
    /// Why the line is no request.
    pub fn read(self, line: &str) -> Result<Entry, Unreadable> {
        match self {
            Self::Common => clf::read(line),
            Self::Squid => squid::read(line),
            Self::Json => json::read(line),
            Self::Har => Err(Unreadable::Format),
        }
    }
}

/// Whether a method and target may stand in a request line.
fn plausible(method: &str, target: &str) -> Result<(), Unreadable> {
    let is_method =
        !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    let is_target = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic());
    // CONNECT names a host and no path; it cannot be asked again.
    if is_method && is_target && method != "CONNECT" { Ok(()) } else { Err(Unreadable::Request) }
}

#[cfg(test)]
mod tests;
