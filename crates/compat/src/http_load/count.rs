//! What the fetches of a run come to.
//!
//! ```text
//!   fetch ends ──► whole reply ────────────────► counted, compared, may become what others are compared with
//!              ├─► closed, reset, no HTTP ─────► counted, compared
//!              ├─► nothing for too long ───────► counted, compared, a timeout
//!              ├─► no connection ──────────────► counted, said, and nothing else
//!              └─► the run was over ───────────► nothing
//! ```

use super::{Check, Style};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use warwolf_measure::Outcome;

/// How a fetch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a whole reply.
    Whole,
    /// With a connection that was closed or reset too early, or with something that is not HTTP: the original takes all
    /// of that for a reply.
    Cut,
    /// Nothing came for too long.
    TimedOut,
    /// There was no connection; the system's words for why, and ours.
    NoConnection(Outcome),
    /// The run was over.
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
            | Outcome::Violation(_)
            | Outcome::Tls(_) => Self::Cut,
            _ => Self::NoConnection(outcome),
        }
    }
}

/// A fetch that is over. Moments are nanoseconds since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Line of the file, from zero.
    pub url: usize,
    /// Connecting began.
    pub started_ns: u64,
    /// The connection was there, if it came to that.
    pub connected_ns: Option<u64>,
    /// The first bytes of the reply came, or the close in their place, if either did.
    pub answered_ns: Option<u64>,
    /// It was over.
    pub finished_ns: u64,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Status; zero when there was none.
    pub status: u16,
    /// Checksum of the body, where they are compared.
    pub checksum: u16,
    /// How it ended.
    pub ending: Ending,
}

/// Durations, added up in whole microseconds as the original reads its clock.
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

/// Adds up fetches in the order in which they end.
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
    /// By outcome, in the order in which each was first met.
    pub(super) unconnected: Vec<(Outcome, u64)>,
    last_ns: u64,
}

/// What all parts of a count have in common.
#[derive(Debug)]
struct Shared {
    check: Check,
    wanted: u64,
    urls: Box<[Url]>,
    /// Fetches that are over, in all parts.
    over: AtomicU64,
}

#[derive(Debug)]
struct Url {
    text: Box<str>,
    /// Bytes or checksum of its first whole reply.
    reference: OnceLock<u64>,
}

/// Statuses are counted below this number.
const STATUSES: usize = 1_000;

impl Count {
    /// Of a run of which nothing is over yet.
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

    /// An empty count of the same run, for one worker: all parts together end at the number that is wanted, and compare
    /// with the same first replies.
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
        part.unconnected.iter().for_each(|(outcome, count)| self.add_unconnected(*outcome, *count));
        self.last_ns = self.last_ns.max(part.last_ns);
    }

    /// Whether the checksums of fetches are compared.
    pub(super) fn wants_checksums(&self) -> bool {
        self.run.check == Check::Checksum
    }

    /// Whether as many fetches are over as were wanted, in all parts: then the run is.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.run.over.load(Ordering::Relaxed) >= self.run.wanted
    }

    /// Fetches that are over.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// When the last of them ended, in nanoseconds since the run began.
    #[must_use]
    pub const fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Adds a fetch, and to `stderr` what there is to say about it. What ends after the run is done counts for nothing.
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
                self.add_unconnected(outcome, 1);
                return;
            }
            Ending::Whole | Ending::Cut | Ending::Unfinished => {}
        }
        self.compare(fetch, stderr);
    }

    /// Compares with the URL's first whole reply. A fetch that failed, or that the server answered with an error of its
    /// own, is not what others are compared with; in the original it was, and one refused connection made every later
    /// fetch a wrong one.
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

    fn add_unconnected(&mut self, outcome: Outcome, count: u64) {
        match self.unconnected.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, sum)) => *sum += count,
            None => self.unconnected.push((outcome, count)),
        }
    }

    fn say(&self, url: usize, what: &str, stderr: &mut String) {
        if let Some(url) = self.run.urls.get(url) {
            stderr.extend([&url.text, ": ", what, "\n"]);
        }
    }
}

/// The system's words for why there is no connection.
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
