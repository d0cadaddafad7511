//! Counts calls by siege's rules: which replies are transactions, which are successful, and which have failed.
//!
//! [`CallCounter`] counts call by call: how a hit of a chain of redirects counts is known only when the chain ends.

use super::ftp::Ftp;
use super::style::Style;
use std::collections::HashMap;
use std::time::Duration;

/// The end of a call as siege distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a reply, complete or truncated within its body.
    Reply,
    /// With something that is not HTTP.
    NotHttp,
    /// Without a reply.
    Nothing,
    /// With an FTP transfer: complete, refused, or truncated.
    Ftp(Ftp),
}

/// A finished call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Number of the user, from 0.
    pub user: u64,
    /// How it ended.
    pub end: End,
    /// The reply's status.
    pub status: u16,
    /// Bytes of the body received.
    pub bytes: u64,
    /// From before connecting to the end of the body.
    pub time: Duration,
    /// The user continues from this reply by itself: it follows a redirect or answers a challenge.
    pub goes_on: bool,
    /// The reply is a challenge that cannot be answered, so that the user gives up.
    pub gives_up: bool,
    /// The setup request of a user (`login-url`), whose failure does not count.
    pub opening: bool,
}

/// The sums of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transactions.
    pub hits: u64,
    /// Replies with a status below 400, and challenges.
    pub successful: u64,
    /// Iterations and resources that failed.
    pub failed: u64,
    /// Replies with status 200.
    pub ok: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Bytes of heads; 1.00 counted them as data.
    pub head_bytes: u64,
    /// Sum of the times of all replies.
    pub total: Duration,
    /// The longest time of a reply.
    pub longest: Duration,
    /// The shortest time of a reply.
    pub shortest: Duration,
    /// The duration of the run.
    pub elapsed: Duration,
}

/// Whether siege counts the status as a failure, and neither as a transaction nor as a success.
const fn is_failure(status: u16) -> bool {
    matches!(status, 408 | 500..=509)
}

const fn is_success(status: u16) -> bool {
    status < 400 || status == 401 || status == 407
}

/// A status that is a failure from 4.1.7 on.
const FORBIDDEN: u16 = 403;
/// The status that siege shows for a reply that is not HTTP.
pub(super) const TEAPOT: u16 = 418;

/// Counts call by call.
#[derive(Clone, Debug, Default)]
pub struct CallCounter {
    counts: Counts,
    /// Hits of users whose iteration continues; they count when it ends successfully.
    held: HashMap<u64, u64>,
    timed: u64,
}

impl CallCounter {
    /// Counts a call. Returns the status that siege shows for it; `None` if it shows nothing.
    pub fn take(&mut self, style: &Style, call: &Call) -> Option<u16> {
        let status = match call.end {
            End::Reply => call.status,
            End::NotHttp => TEAPOT,
            End::Nothing => {
                if !call.goes_on {
                    self.fail(call);
                }
                return None;
            }
            End::Ftp(ftp) => {
                self.take_ftp(style, call, ftp);
                return Some(call.status);
            }
        };
        if call.bytes == 0 && !style.zero_data_ok && status < 300 {
            self.fail(call);
            return None;
        }
        self.time(call);
        self.counts.successful += u64::from(is_success(status));
        self.counts.ok += u64::from(status == 200);
        let failed = is_failure(status) || (style.forbidden_fails && status == FORBIDDEN);
        if call.goes_on {
            // A failed reply that the user follows, such as a 403 with a login, is no transaction, as in the original.
            *self.held.entry(call.user).or_default() += u64::from(!failed);
        } else if failed || call.gives_up {
            self.fail(call);
        } else {
            self.counts.hits += 1 + self.release(call.user);
            // A reply that is not HTTP counts both as a transaction and as a failure.
            self.counts.failed += u64::from(status == TEAPOT && !call.opening);
        }
        Some(status)
    }

    /// Counts a transfer, which is a transaction if the login succeeded. The original calls a transfer successful if its
    /// size is the one that the server announced; it takes that as zero for a missing file and for a stored one.
    fn take_ftp(&mut self, style: &Style, call: &Call, ftp: Ftp) {
        if !ftp.is_in {
            self.fail(call);
            return;
        }
        self.time(call);
        let is_successful = match ftp.is_stored {
            _ if !style.quirks => ftp.is_whole,
            true => call.bytes == 0,
            false => ftp.is_whole || call.bytes == 0,
        };
        self.counts.successful += u64::from(is_successful);
        self.counts.hits += 1 + self.release(call.user);
    }

    fn fail(&mut self, call: &Call) {
        self.release(call.user);
        self.counts.failed += u64::from(!call.opening);
    }

    fn release(&mut self, user: u64) -> u64 {
        if self.held.is_empty() { 0 } else { self.held.remove(&user).unwrap_or(0) }
    }

    fn time(&mut self, call: &Call) {
        let counts = &mut self.counts;
        counts.bytes += call.bytes;
        counts.total += call.time;
        counts.longest = counts.longest.max(call.time);
        counts.shortest = if self.timed == 0 { call.time } else { counts.shortest.min(call.time) };
        self.timed += 1;
    }

    /// Returns the failures so far.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.counts.failed
    }

    /// Adds the counts of another counter.
    pub fn merge(&mut self, other: &Self) {
        let (counts, others) = (&mut self.counts, &other.counts);
        counts.hits += others.hits;
        counts.successful += others.successful;
        counts.failed += others.failed;
        counts.ok += others.ok;
        counts.bytes += others.bytes;
        counts.head_bytes += others.head_bytes;
        counts.total += others.total;
        counts.longest = counts.longest.max(others.longest);
        counts.shortest = match (self.timed, other.timed) {
            (0, _) => others.shortest,
            (_, 0) => counts.shortest,
            _ => counts.shortest.min(others.shortest),
        };
        self.timed += other.timed;
    }

    /// Returns the sums of a run that took `elapsed` and whose heads had `head_bytes`.
    #[must_use]
    pub const fn counts(&self, elapsed: Duration, head_bytes: u64) -> Counts {
        Counts { elapsed, head_bytes, ..self.counts }
    }
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;
