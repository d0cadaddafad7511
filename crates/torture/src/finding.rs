//! What was found, as it is printed and kept.

use crate::sense::{find, is_versioned};
use crate::spelling;
use crate::trouble::Trouble;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warwolf_exchange::Message;

/// What was tortured, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The address, as it was given.
    pub url: String,
    /// Scheme, host and port, without a slash at the end.
    pub origin: String,
    /// Host and port, as `Host` has it.
    pub authority: String,
    /// The seed.
    pub seed: u64,
    /// Options that a line that reproduces needs as well, each with a blank before it.
    pub extra: String,
    /// Options on which the requests of a seed depend, each with a blank before it.
    pub seeded: String,
}

/// Something that is wrong with the server, shown by a request, or by what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub trouble: Trouble,
    /// The request as it was sent first, by its number.
    pub number: u64,
    /// The traps that were in it.
    pub traps: Vec<String>,
    /// The smallest request that does it, spelt; empty where no single request is to blame.
    pub request: String,
    /// The request as it was sent first, spelt.
    pub original: String,
    /// Bytes of the smallest request.
    pub size_bytes: usize,
    /// Requests that were sent to make it small.
    pub tries: u32,
    /// Other requests that did the same.
    pub also: u64,
    /// The first and last number of the requests that may be to blame, where no single one is.
    pub suspects: Option<(u64, u64)>,
    /// The beginning of what came back for the smallest request, spelt.
    pub answer: String,
}

impl Finding {
    /// The smallest request, where there is one.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        if self.request.is_empty() { None } else { spelling::read(&self.request).ok() }
    }

    /// The words that show it again, after `warwolf`.
    #[must_use]
    pub fn replay(&self, subject: &Subject) -> String {
        let Subject { url, seed, extra, seeded, .. } = subject;
        match self.suspects {
            Some((first, last)) => {
                let many = last - first + 1;
                format!("torture '{url}'{extra}{seeded} --seed {seed} --first {first} -n {many}")
            }
            None => format!("torture '{url}'{extra} --replay '{}'", self.request),
        }
    }

    /// The `curl` command that shows it, where curl can.
    #[must_use]
    pub fn curl(&self, subject: &Subject) -> Option<String> {
        crate::curl::command(&self.message()?, &subject.origin, &subject.authority)
    }

    /// The lower, the better it shows the fault: first a request that all servers take for one, with lines that end as they
    /// should, then the smaller one.
    pub(crate) fn rank(&self) -> (bool, usize, usize) {
        let bytes = self.message().map(|message| message.bytes()).unwrap_or_default();
        let head = &bytes[..find(&bytes, b"\r\n\r\n").unwrap_or(bytes.len())];
        let bare = head.iter().filter(|byte| **byte == b'\n').count()
            - head.windows(2).filter(|two| two == b"\r\n").count();
        (!is_versioned(&bytes), bare, self.size_bytes)
    }

    /// Whether `other` is the same fault as far as one can tell from outside: the same trouble, for the same `cause`.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.trouble == other.trouble
            && self.suspects.is_some() == other.suspects.is_some()
            && cause(&self.request) == cause(&other.request)
    }
}

/// What of a small request must be to blame: the bytes that belong in no request, wherever they stand; without such, the parts
/// that are left of it, whatever their lengths.
fn cause(request: &str) -> BTreeSet<String> {
    let bytes = spelling::read(request).map(|message| message.bytes()).unwrap_or_default();
    let odd: BTreeSet<String> = bytes
        .iter()
        .filter(|byte| !matches!(byte, b' '..=b'~' | b'\r' | b'\n' | b'\t'))
        .map(|byte| format!("byte {byte:02x}"))
        .collect();
    if odd.is_empty() { parts(&bytes) } else { odd }
}

/// The parts of a request that are more than the least there can be.
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
        // A name whose letters do not matter has become a row of one letter.
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

/// Trouble that was seen under load, and not when the request was sent alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What was seen.
    pub trouble: Trouble,
    /// How often.
    pub times: u64,
    /// The number of the first request it was seen with.
    pub number: u64,
}

/// What a hunt came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What was tortured.
    pub subject: Subject,
    /// Requests sent under load.
    pub requests: u64,
    /// How they were answered: statuses in order, 0 for no status, and how often.
    pub statuses: Vec<(u16, u64)>,
    /// Requests sent alone: health probes, replays, shrinking.
    pub alone: u64,
    /// What took the time, in seconds.
    pub seconds: f64,
    /// Time a sound request takes, before and after, in milliseconds.
    pub sound_ms: (f64, f64),
    /// What was found, in the order of finding.
    pub findings: Vec<Finding>,
    /// What could not be shown again.
    pub doubts: Vec<Doubt>,
    /// Whether it came to its planned end.
    pub is_complete: bool,
}

/// The outcome in a JSON report.
///
/// # Errors
/// When the text is none.
pub fn from_json(text: &str) -> Result<Outcome, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_known_by_its_cause() {
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
