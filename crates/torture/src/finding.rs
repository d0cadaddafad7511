//! Findings and the outcome of a campaign, as they are printed and stored.

use crate::completeness::{find, is_versioned};
use crate::curl::quote;
use crate::failure::Failure;
use crate::spelling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warwolf_exchange::Message;

/// The tested server and the settings of the generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The URL as given by the user.
    pub url: String,
    /// Scheme, host and port, without a slash at the end.
    pub origin: String,
    /// Host and port as in the `Host` header.
    pub authority: String,
    /// The seed.
    pub seed: u64,
    /// Additional options of a replay command, each with a leading space.
    pub extra: String,
    /// Options that the generated requests depend on, each with a leading space.
    pub seeded: String,
}

/// A server failure, with the smallest request that reproduces it if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind of failure.
    #[serde(rename = "trouble")]
    pub failure: Failure,
    /// The number of the original request.
    pub number: u64,
    /// The traps of the original request.
    pub traps: Vec<String>,
    /// The spelling of the smallest request that reproduces the failure; empty if no single request does.
    pub request: String,
    /// The spelling of the original request.
    pub original: String,
    /// Size of the smallest request in bytes.
    pub size_bytes: usize,
    /// Requests sent to shrink it.
    pub tries: u32,
    /// Number of other requests with the same failure.
    pub also: u64,
    /// First and last number of the requests that may have caused the failure, if no single one is known.
    pub suspects: Option<(u64, u64)>,
    /// The spelling of the beginning of the response to the smallest request.
    pub answer: String,
}

impl Finding {
    /// Returns the smallest request, if there is one.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        if self.request.is_empty() { None } else { spelling::read(&self.request).ok() }
    }

    /// Returns the arguments of `warwolf` that reproduce the failure.
    #[must_use]
    pub fn replay(&self, subject: &Subject) -> String {
        let Subject { url, seed, extra, seeded, .. } = subject;
        match self.suspects {
            Some((first, last)) => {
                let many = last - first + 1;
                format!("torture {}{extra}{seeded} --seed {seed} --first {first} -n {many}", quote(url))
            }
            None => format!("torture {}{extra} --replay {}", quote(url), quote(&self.request)),
        }
    }

    /// Returns a `curl` command that reproduces the failure, if curl can send the request.
    #[must_use]
    pub fn curl(&self, subject: &Subject) -> Option<String> {
        crate::curl::command(&self.message()?, &subject.origin, &subject.authority)
    }

    /// Returns a sort key; lower is better. Prefers requests that every server recognizes, then correct line ends, then small
    /// requests.
    pub(crate) fn rank(&self) -> (bool, usize, usize) {
        let bytes = self.message().map(|message| message.bytes()).unwrap_or_default();
        let head = &bytes[..find(&bytes, b"\r\n\r\n").unwrap_or(bytes.len())];
        let bare = head.iter().filter(|byte| **byte == b'\n').count()
            - head.windows(2).filter(|two| two == b"\r\n").count();
        (!is_versioned(&bytes), bare, self.size_bytes)
    }

    /// Returns whether `other` is probably the same fault: the same failure with the same `cause`.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.failure == other.failure
            && self.suspects.is_some() == other.suspects.is_some()
            && cause(&self.request) == cause(&other.request)
    }
}

/// Returns the probable cause in a shrunk request: bytes that are invalid in every request, or else the parts that are left,
/// independent of their lengths.
fn cause(request: &str) -> BTreeSet<String> {
    let bytes = spelling::read(request).map(|message| message.bytes()).unwrap_or_default();
    let odd: BTreeSet<String> = bytes
        .iter()
        .filter(|byte| !matches!(byte, b' '..=b'~' | b'\r' | b'\n' | b'\t'))
        .map(|byte| format!("byte {byte:02x}"))
        .collect();
    if odd.is_empty() { parts(&bytes) } else { odd }
}

/// Returns the parts of a request that go beyond the minimal request.
fn parts(bytes: &[u8]) -> BTreeSet<String> {
    let mut parts = BTreeSet::new();
    let (head, body) = match find(bytes, b"\r\n\r\n") {
        Some(at) => (&bytes[..at], &bytes[at + 4..]),
        None => (bytes, &b""[..]),
    };
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    match first.split(' ').collect::<Vec<_>>().as_slice() {
        [method, target, version] => {
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let more = [
                ("method", *method != "GET"),
                ("path", path != "/"),
                ("query", !query.is_empty()),
                ("version", !matches!(*version, "HTTP/1.0" | "HTTP/1.1")),
            ];
            parts.extend(more.iter().filter(|(_, is_more)| *is_more).map(|(name, _)| (*name).to_owned()));
        }
        _ => drop(parts.insert("request line".to_owned())),
    }
    for line in lines {
        let name = line.split(':').next().unwrap_or_default();
        // Shrinking replaces a name that does not matter by repetitions of one letter.
        let is_any = name.bytes().all(|byte| byte == b'a');
        let name = if is_any { "any".to_owned() } else { name.to_ascii_lowercase() };
        if line != "Host:" {
            parts.insert(format!("header {name}"));
        }
    }
    if !body.is_empty() {
        parts.insert("body".to_owned());
    }
    parts
}

/// A failure that occurred under load and did not recur when the request was sent alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconfirmed {
    /// The kind of failure.
    #[serde(rename = "trouble")]
    pub failure: Failure,
    /// How often it occurred.
    pub times: u64,
    /// The number of the first request with it.
    pub number: u64,
}

/// The outcome of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The tested server.
    pub subject: Subject,
    /// Requests sent under load.
    pub requests: u64,
    /// Statuses in ascending order with their counts; 0 means no status.
    pub statuses: Vec<(u16, u64)>,
    /// Requests sent alone: health probes, replays, shrinking.
    pub alone: u64,
    /// Duration of the campaign in seconds.
    pub seconds: f64,
    /// Time of a valid request before and after the campaign, in milliseconds.
    #[serde(rename = "sound_ms")]
    pub baseline_ms: (f64, f64),
    /// Findings in the order of discovery.
    pub findings: Vec<Finding>,
    /// Failures that could not be reproduced.
    #[serde(rename = "doubts")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// Refusals without a length that ended with a reset, because the server had not read the whole request.
    #[serde(default)]
    pub reset_refusals: u64,
    /// How often the server was restarted.
    #[serde(default)]
    pub restarts: u32,
    /// The campaign was not ended early.
    pub is_complete: bool,
}

/// Parses the outcome from a JSON report.
///
/// # Errors
/// When the text is not such a report.
pub fn from_json(text: &str) -> Result<Outcome, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_grouped_by_cause() {
        let same: [&[&str]; 5] = [
            &[r"GET / HTTP/1.0\r\n\x00\r\n\r\n", r"\x00\r\n\r\n", r"GET /?\x00 HTTP/1.0\r\n\r\n"],
            &[r"GET /?\{a*8193} HTTP/1.0\r\n\r\n", r"GET /?\{b*9000} HTTP/1.1\r\nHost:\r\n\r\n"],
            &[r"GET /\{a*8193} HTTP/1.0\r\n\r\n"],
            &[r"GET / HTTP/1.0\r\na:\{a*99}\r\n\r\n", r"GET / HTTP/1.0\r\n\{a*99}:\r\n\r\n"],
            &[
                r"GET / HTTP/1.0\r\nTransfer-Encoding:chunked\r\n\r\n\r\n",
                r"GET / HTTP/1.1\r\nHost:\r\nTransfer-Encoding:chunked\r\n\r\nl\n",
            ],
        ];
        for (index, group) in same.iter().enumerate() {
            assert!(group.iter().all(|request| cause(request) == cause(group[0])), "{group:?}");
            assert!(same[..index].iter().all(|other| cause(other[0]) != cause(group[0])), "{group:?}");
        }
    }
}
