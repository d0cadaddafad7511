//! What became of the lines of a replayed log.

use crate::bounded;
use serde::{Deserialize, Serialize};

/// Every line of a log is in exactly one of these counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogReplay {
    /// The name of the log.
    pub name: String,
    /// Lines read, or entries of an archive.
    pub lines: u64,
    /// Lines whose requests were sent, or begun at least.
    pub sent: u64,
    /// Requests that the arguments exclude.
    pub filtered: u64,
    /// Lines without text.
    pub blank: u64,
    /// Requests to servers that only the log names and that have no address.
    pub without_address: u64,
    /// Requests that were read and not sent before the stop.
    pub not_sent: u64,
    /// Lines that were not understood, by reason.
    #[serde(deserialize_with = "bounded::list")]
    pub not_understood: Vec<NotUnderstood>,
    /// Why the rest of the log could not be read.
    pub broken: Option<String>,
    /// How far starts were from the times of the log; `None` if these were not followed.
    pub timing: Option<LogTiming>,
}

/// Lines that were not understood for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// The reason.
    pub reason: String,
    /// How many.
    pub lines: u64,
    /// The number of the first, from 1.
    pub first: u64,
}

/// How far starts were from the times of a log, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTiming {
    /// Half of the starts.
    pub half_ns: u64,
    /// 99 % of the starts.
    pub most_ns: u64,
    /// All starts.
    pub all_ns: u64,
}

impl LogReplay {
    /// Lines that were not understood.
    #[must_use]
    pub fn not_understood(&self) -> u64 {
        self.not_understood.iter().map(|reason| reason.lines).sum()
    }

    /// Whether every line is in exactly one count.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        let others = self.filtered + self.blank + self.without_address + self.not_sent;
        self.lines == self.sent + others + self.not_understood()
    }
}
