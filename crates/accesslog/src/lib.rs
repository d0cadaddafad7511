//! Parses access logs: common, combined, Squid native, JSON lines, and HAR.
//!
//! Text in, requests out, one line or one entry at a time; this crate opens no files. A line that cannot be parsed yields an
//! error, which the caller counts.
#![forbid(unsafe_code)]

mod archive;
mod clf;
mod date;
mod har;
mod json;
mod request_line;
mod squid;

pub use archive::{Archive, ENTRY_BYTES_MAX};
pub use date::parse as parse_time;

/// A request in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Start of the request in nanoseconds since 1970 (UTC).
    pub at_ns: i64,
    /// The log has a resolution of one second.
    pub whole_second: bool,
    /// The method.
    pub method: String,
    /// Path and query, `*`, or a whole URL. Bytes that no request line may contain are percent-encoded.
    pub target: String,
    /// The host, with or without a port, if the log contains it separately.
    pub host: Option<String>,
    /// The status; `None` if there was no response.
    pub status: Option<u16>,
    /// Header fields: all of an archive but those that belong to its connection, else `Referer` and `User-Agent`. Names are
    /// tokens, and values have no control characters.
    pub headers: Vec<(String, String)>,
    /// The body, which only archives contain.
    pub body: Vec<u8>,
    /// It is from an archive, which contains whole requests.
    pub is_whole: bool,
}

impl Entry {
    /// Adds a header field, unless it cannot be sent.
    fn add_header(&mut self, name: &str, value: &str) {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_name = !name.is_empty() && name.bytes().all(is_token);
        if is_name && !value.chars().any(|letter| letter.is_control() && letter != '\t') {
            self.headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }
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
    pub fn of(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if let Some(rest) = line.strip_prefix(b"{") {
            // An archive is one object over many lines; a JSON log has a complete object on each line.
            let is_archive = rest.is_empty() || rest.trim_ascii_start().starts_with(b"\"log\"");
            let is_cut = !is_archive && !line.ends_with(b"}");
            return Some(if is_archive || is_cut { Self::Har } else { Self::Json });
        }
        let is_known = |format: &Self| matches!(format.read(line), Ok(_) | Err(Unreadable::Request));
        [Self::Squid, Self::Common].into_iter().find(is_known)
    }

    /// Parses a line. The entries of archives are parsed by [`Archive`].
    ///
    /// # Errors
    /// The reason why the line does not yield a request.
    pub fn read(self, line: &[u8]) -> Result<Entry, Unreadable> {
        match self {
            Self::Common => clf::read(line),
            Self::Squid => squid::read(line),
            Self::Json => json::read(line),
            Self::Har => Err(Unreadable::Format),
        }
    }
}

/// Parses an entry of an HTTP archive, one object of `log.entries`.
///
/// # Errors
/// The reason why the entry does not yield a request.
pub fn archived(entry: &[u8]) -> Result<Entry, Unreadable> {
    har::read(entry)
}

#[cfg(test)]
mod tests;
