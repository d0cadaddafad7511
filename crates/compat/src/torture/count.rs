//! What the transactions of a run come to.

use std::collections::BTreeMap;
use warwolf_measure::Outcome;

/// A transaction that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    /// From before connecting to after the close, in nanoseconds, without the making of its data.
    pub took_ns: u64,
    /// What the making of its data took, in nanoseconds.
    pub making_ns: u64,
    /// When it was over, in nanoseconds since the run began.
    pub finished_ns: u64,
    /// Bytes of random data, as they were sent.
    pub drawn_bytes: u64,
    /// Bytes of the body of the reply.
    pub body_bytes: u64,
    /// Status of the reply; zero when there was none.
    pub status: u16,
    /// What the status line says behind the status.
    pub reason: &'a [u8],
    /// How it ended.
    pub outcome: Outcome,
}

/// No connection, for whatever reason.
const REFUSED: u16 = 503;
/// No reply that begins with a status line.
const MALFORMED: u16 = 400;
/// No sign of the server for too long; the original would have waited on.
const HUNG: u16 = 504;

/// Adds up transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub(super) transactions: u64,
    pub(super) took_ns: u128,
    pub(super) making_ns: u128,
    pub(super) bytes: u64,
    /// By status, the made-up ones included.
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Transactions without a status of the server's own, by how they ended.
    pub(super) made_up: BTreeMap<(u16, &'static str), u64>,
    last_ns: u64,
}

impl Count {
    /// When the last transaction was over, in nanoseconds since the run began.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Transactions that are over.
    #[must_use]
    pub const fn transactions(&self) -> u64 {
        self.transactions
    }

    /// Adds what another worker has counted.
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

    /// Adds a transaction, and to `stderr` a line when it stands for real trouble: a status of 500 or more.
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
                // The original forgot to take the carriage return off.
                None => stderr.extend_from_slice(&[transaction.reason, b"\r"].concat()),
            }
            stderr.push(b'\n');
        }
    }
}

/// The status a transaction is counted under, and the words for one that the server did not send. None for a
/// transaction that the end of the run cut off.
fn status(transaction: &Transaction<'_>) -> Option<(u16, Option<&'static str>)> {
    let malformed = || if transaction.status > 0 { (transaction.status, None) } else { (MALFORMED, None) };
    match transaction.outcome {
        Outcome::Completed => Some((transaction.status, None)),
        Outcome::Unfinished => None,
        Outcome::ResponseTimeout | Outcome::TlsTimeout => Some((HUNG, Some("No sign of the server"))),
        // The body of a reply is what came before the end, however that came.
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
