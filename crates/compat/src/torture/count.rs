//! Counts the transactions of a run.

use std::collections::BTreeMap;
use warwolf_measure::Outcome;

/// A finished transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// From before connecting to after the close, in nanoseconds, without the time to generate its data.
    pub took_ns: u64,
    /// Time to generate its data, in nanoseconds.
    pub making_ns: u64,
    /// When it finished, in nanoseconds since the start of the run.
    pub finished_ns: u64,
    /// Bytes of random data as sent.
    pub drawn_bytes: u64,
    /// Bytes of the response body.
    pub body_bytes: u64,
    /// Status of the response; zero without a response.
    pub status: u16,
    /// Reason phrase of the status line.
    pub reason: &'a [u8],
    /// How it ended.
    pub outcome: Outcome,
}

/// Status for any failure to connect.
const REFUSED: u16 = 503;
/// Status for a response that does not begin with a status line.
const MALFORMED: u16 = 400;
/// Status for a timeout; the original would have kept waiting.
const HUNG: u16 = 504;

/// Counts transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub(super) transactions: u64,
    pub(super) took_ns: u128,
    pub(super) making_ns: u128,
    pub(super) bytes: u64,
    /// By status, including the substitutes.
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Transactions with a substitute status, by status and outcome.
    pub(super) made_up: BTreeMap<(u16, &'static str), u64>,
    last_ns: u64,
}

impl Count {
    /// Finish of the last transaction, in nanoseconds since the start of the run.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Returns the number of finished transactions.
    #[must_use]
    pub const fn transactions(&self) -> u64 {
        self.transactions
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.transactions += other.transactions;
        self.took_ns += other.took_ns;
        self.making_ns += other.making_ns;
        self.bytes += other.bytes;
        self.last_ns = self.last_ns.max(other.last_ns);
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        for (key, count) in &other.made_up {
            *self.made_up.entry(*key).or_default() += count;
        }
    }

    /// Adds a transaction. Writes a line to `stderr` if its status is 500 or more.
    pub fn add(&mut self, transaction: &Transaction<'_>, process: u32, stderr: &mut Vec<u8>) {
        let Some((status, message)) = status(transaction) else { return };
        self.transactions += 1;
        self.took_ns += u128::from(transaction.took_ns);
        self.making_ns += u128::from(transaction.making_ns);
        self.bytes += transaction.drawn_bytes + transaction.body_bytes;
        self.last_ns = self.last_ns.max(transaction.finished_ns);
        *self.statuses.entry(status).or_default() += 1;
        if transaction.status != status {
            *self.made_up.entry((status, transaction.outcome.text())).or_default() += 1;
        }
        if status >= 500 {
            stderr.extend_from_slice(format!("{process}: ").as_bytes());
            match message {
                Some(text) => stderr.extend_from_slice(text.as_bytes()),
                // The original does not strip the carriage return.
                None => stderr.extend_from_slice(&[transaction.reason, b"\r"].concat()),
            }
            stderr.push(b'\n');
        }
    }
}

/// Returns the status under which a transaction is counted, and the message of a substitute status. Returns `None` for
/// a transaction cut off by the end of the run.
fn status(transaction: &Transaction<'_>) -> Option<(u16, Option<&'static str>)> {
    let malformed = || if transaction.status > 0 { (transaction.status, None) } else { (MALFORMED, None) };
    match transaction.outcome {
        Outcome::Completed => Some((transaction.status, None)),
        Outcome::Unfinished => None,
        Outcome::ResponseTimeout | Outcome::TlsTimeout => Some((HUNG, Some("No sign of the server"))),
        // The body is whatever was received before the connection ended, however it ended.
        Outcome::Reset
        | Outcome::Closed
        | Outcome::ClosedMidReply
        | Outcome::Abandoned
        | Outcome::Violation(_) => Some(malformed()),
        Outcome::ConnectTimeout
        | Outcome::Refused
        | Outcome::Tls(_)
        | Outcome::Proxy(_)
        | Outcome::Unreachable
        | Outcome::Resolve
        | Outcome::NoFiles
        | Outcome::ConnectionLimit
        | Outcome::NoPorts
        | Outcome::NoBuffers
        | Outcome::Denied
        | Outcome::LocalOther => Some((REFUSED, Some("Connection refused"))),
    }
}
