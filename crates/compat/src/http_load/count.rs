//! Counts the fetches of a run.
//!
//! ```text
//!   fetch ends ──► complete reply ─────────────► counted, compared, may become the reference
//!              ├─► closed, reset, not HTTP ────► counted, compared
//!              ├─► timeout ────────────────────► counted, compared, counted as a timeout
//!              ├─► no connection ──────────────► counted, reported on stderr
//!              └─► the run was over ───────────► ignored
//! ```

use super::{Check, Style};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use warwolf_measure::{Outcome, ViolationKind};

/// How a fetch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a complete reply.
    Whole,
    /// The connection was closed or reset too early, or the reply is not HTTP. The original counts all of these as
    /// replies.
    Cut,
    /// With a reply that began as HTTP and is refused for this reason. The original reads more of these.
    Malformed(Outcome),
    /// A timeout expired.
    TimedOut,
    /// No connection was established, for this reason.
    NoConnection(Outcome),
    /// The run ended first.
    Unfinished,
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Whole,
            Outcome::Unfinished => Self::Unfinished,
            _ if outcome.is_timeout() => Self::TimedOut,
            Outcome::Reset
            | Outcome::Closed
            | Outcome::ClosedMidReply
            | Outcome::Violation(ViolationKind::BadStatusLine)
            | Outcome::Tls(_) => Self::Cut,
            Outcome::Violation(_) => Self::Malformed(outcome),
            _ => Self::NoConnection(outcome),
        }
    }
}

/// A finished fetch. Times are nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Line of the URL file, from zero.
    pub url: usize,
    /// When connecting began.
    pub started_ns: u64,
    /// When the connection was established, if it was.
    pub connected_ns: Option<u64>,
    /// When the first bytes of the reply, or the close in their place, were received, if either was.
    pub answered_ns: Option<u64>,
    /// When it finished.
    pub finished_ns: u64,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Status; zero without a reply.
    pub status: u16,
    /// Checksum of the body, if checksums are compared.
    pub checksum: u16,
    /// How it ended.
    pub ending: Ending,
}

/// Durations, summed in whole microseconds, the resolution of the original's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans {
    pub(super) count: u64,
    pub(super) sum_us: u64,
    pub(super) max_us: u64,
    pub(super) min_us: u64,
}

impl Spans {
    fn add(&mut self, from_ns: u64, to_ns: u64) {
        let span = (to_ns.saturating_sub(from_ns) + 500) / 1_000;
        self.min_us = if self.count == 0 { span } else { self.min_us.min(span) };
        self.max_us = self.max_us.max(span);
        self.sum_us += span;
        self.count += 1;
    }

    fn merge(&mut self, other: Self) {
        self.min_us = match (self.count, other.count) {
            (0, _) => other.min_us,
            (_, 0) => self.min_us,
            _ => self.min_us.min(other.min_us),
        };
        self.max_us = self.max_us.max(other.max_us);
        self.sum_us += other.sum_us;
        self.count += other.count;
    }
}

/// Counts fetches in the order in which they end.
#[derive(Clone, Debug)]
pub struct Count {
    run: Arc<Shared>,
    pub(super) completed: u64,
    pub(super) body_bytes: u64,
    pub(super) connects: Spans,
    pub(super) answers: Spans,
    pub(super) timeouts: u64,
    pub(super) bad: u64,
    pub(super) statuses: Vec<u64>,
    /// By outcome, in order of first occurrence.
    pub(super) unconnected: Vec<(Outcome, u64)>,
    /// Malformed replies, likewise.
    pub(super) malformed: Vec<(Outcome, u64)>,
    last_ns: u64,
}

/// State shared by all parts of a count.
#[derive(Debug)]
struct Shared {
    check: Check,
    wanted: u64,
    urls: Box<[Url]>,
    /// Finished fetches in all parts.
    over: AtomicU64,
}

#[derive(Debug)]
struct Url {
    text: Box<str>,
    /// Byte count or checksum of its first complete reply.
    reference: OnceLock<u64>,
}

/// Only statuses below this number are counted.
const STATUSES: usize = 1_000;

impl Count {
    /// Creates an empty count.
    #[must_use]
    pub fn new(style: &Style) -> Self {
        let url = |text: &String| Url { text: text.as_str().into(), reference: OnceLock::new() };
        Self::of(Arc::new(Shared {
            check: style.check,
            wanted: style.fetches.unwrap_or(u64::MAX),
            urls: style.urls.iter().map(url).collect(),
            over: AtomicU64::new(0),
        }))
    }

    /// Creates an empty count of the same run, for one worker. All parts share the number of fetches that ends the run
    /// and the replies they compare with.
    #[must_use]
    pub fn part(&self) -> Self {
        Self::of(Arc::clone(&self.run))
    }

    fn of(run: Arc<Shared>) -> Self {
        Self {
            run,
            completed: 0,
            body_bytes: 0,
            connects: Spans::default(),
            answers: Spans::default(),
            timeouts: 0,
            bad: 0,
            statuses: vec![0; STATUSES],
            unconnected: Vec::new(),
            malformed: Vec::new(),
            last_ns: 0,
        }
    }

    /// Adds another part of the same run.
    pub fn merge(&mut self, part: &Self) {
        self.completed += part.completed;
        self.body_bytes += part.body_bytes;
        self.connects.merge(part.connects);
        self.answers.merge(part.answers);
        self.timeouts += part.timeouts;
        self.bad += part.bad;
        self.statuses.iter_mut().zip(&part.statuses).for_each(|(sum, count)| *sum += count);
        for (outcome, count) in &part.unconnected {
            add(&mut self.unconnected, *outcome, *count);
        }
        for (outcome, count) in &part.malformed {
            add(&mut self.malformed, *outcome, *count);
        }
        self.last_ns = self.last_ns.max(part.last_ns);
    }

    /// Returns whether the checksums of fetches are compared.
    pub(super) fn wants_checksums(&self) -> bool {
        self.run.check == Check::Checksum
    }

    /// Returns whether all parts together have finished the requested number of fetches, which ends the run.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.run.over.load(Ordering::Relaxed) >= self.run.wanted
    }

    /// Returns the number of finished fetches.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// Finish of the last fetch, in nanoseconds since the start of the run.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Adds a fetch and writes its messages to `stderr`. Ignores fetches that end after the run is done.
    pub fn add(&mut self, fetch: &Fetch, stderr: &mut String) {
        if fetch.ending == Ending::Unfinished
            || self.run.over.fetch_add(1, Ordering::Relaxed) >= self.run.wanted
        {
            return;
        }
        self.completed += 1;
        self.body_bytes += fetch.body_bytes;
        self.last_ns = self.last_ns.max(fetch.finished_ns);
        if let Some(connected) = fetch.connected_ns {
            self.connects.add(fetch.started_ns, connected);
            if let Some(answered) = fetch.answered_ns {
                self.answers.add(connected, answered);
            }
        }
        if let Some(count) = self.statuses.get_mut(usize::from(fetch.status)).filter(|_| fetch.status > 0) {
            *count += 1;
        }
        match fetch.ending {
            Ending::TimedOut => {
                self.timeouts += 1;
                self.say(fetch.url, "timed out", stderr);
            }
            Ending::NoConnection(outcome) => {
                self.say(fetch.url, system_text(outcome), stderr);
                add(&mut self.unconnected, outcome, 1);
                return;
            }
            Ending::Malformed(outcome) => add(&mut self.malformed, outcome, 1),
            Ending::Whole | Ending::Cut | Ending::Unfinished => {}
        }
        self.compare(fetch, stderr);
    }

    /// Compares with the URL's first complete reply. Failed fetches and replies with a status of 500 or more are never
    /// the reference. In the original they could be, so that one refused connection made every later fetch wrong.
    fn compare(&mut self, fetch: &Fetch, stderr: &mut String) {
        let (value, wrong) = match self.run.check {
            Check::Bytes => (fetch.body_bytes, "byte count wrong"),
            Check::Checksum => (fetch.checksum.into(), "checksum wrong"),
            Check::Nothing => return,
        };
        let Some(url) = self.run.urls.get(fetch.url) else { return };
        let is_reference = fetch.ending == Ending::Whole && fetch.status < 500;
        let reference =
            if is_reference { Some(url.reference.get_or_init(|| value)) } else { url.reference.get() };
        if reference.is_some_and(|reference| *reference != value) {
            self.bad += 1;
            self.say(fetch.url, wrong, stderr);
        }
    }

    fn say(&self, url: usize, what: &str, stderr: &mut String) {
        if let Some(url) = self.run.urls.get(url) {
            stderr.extend([&url.text, ": ", what, "\n"]);
        }
    }
}

/// Adds to the sum of an outcome.
fn add(sums: &mut Vec<(Outcome, u64)>, outcome: Outcome, count: u64) {
    match sums.iter_mut().find(|(known, _)| *known == outcome) {
        Some((_, sum)) => *sum += count,
        None => sums.push((outcome, count)),
    }
}

/// Returns the system's error message for a failure to connect.
const fn system_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Refused => "Connection refused",
        Outcome::Unreachable => "No route to host",
        Outcome::Resolve => "Name or service not known",
        Outcome::NoFiles => "Too many open files",
        Outcome::NoPorts => "Cannot assign requested address",
        Outcome::NoBuffers => "No buffer space available",
        Outcome::Denied => "Permission denied",
        _ => "Input/output error",
    }
}
