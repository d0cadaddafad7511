//! Counts the events of a run by httperf's rules.
//!
//! The observer of the run reports each connection, request, call and session. Times are nanoseconds from the start of
//! the run. Errors are counted once per connection where the original does so, not once per call.

use super::live::Rates;
use super::report::{Errors, Figures, Sessions, Spread, median_ms};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use warwolf_measure::{Outcome, Sample};

/// A finished call, with or without a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended<'a> {
    /// Number of the session that made the call.
    pub(super) session: u64,
    /// Its connection; [`NO_CONNECTION`] when none could be opened for it.
    pub(super) connection: u32,
    /// Its instants and outcome.
    pub(super) sample: &'a Sample,
    /// Bytes after the last chunk of the reply.
    pub(super) footer_bytes: u32,
}

/// Placeholder for a call without a connection.
pub(super) const NO_CONNECTION: u32 = u32::MAX;

/// The counts of a run.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    open: HashMap<u32, Connection>,
    connections: u64,
    concurrent: u64,
    /// Connections begun in this turn of the loop, in the last earlier turn that began any, and the maximum over the
    /// turns before that.
    burst: u64,
    last_burst: u64,
    longest_burst: u64,
    connect_ns: Sum,
    lifetimes: Lifetimes,
    requests: u64,
    request_bytes: u64,
    replies: u64,
    reply_bytes: [u64; 3],
    classes: [u64; 5],
    response_ns: Sum,
    transfer_ns: Sum,
    errors: Errors,
    /// Total replies with status 200 and 302.
    periodic: [u64; 2],
    under_way: HashMap<u64, Session>,
    sessions: SessionCounts,
    samples: Samples,
    has_new_rates: bool,
}

/// An open connection.
#[derive(Clone, Copy, Debug)]
struct Connection {
    session: u64,
    began_ns: u64,
    replies: u64,
}

/// An active session.
#[derive(Clone, Copy, Debug, Default)]
struct Session {
    connections: u64,
    replies: usize,
}

#[derive(Clone, Debug, Default)]
struct SessionCounts {
    completed: u64,
    failed: u64,
    connections: u64,
    lifetime_ns: Sum,
    failtime_ns: Sum,
    lengths: Vec<u64>,
}

/// A sum and the number of its terms.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sum: u128,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: u64) {
        self.sum += u128::from(value);
        self.count += 1;
    }

    fn mean(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }
}

/// Lifetimes of connections, in milliseconds. Bounded: running moments (Welford, 1962), and one bin per millisecond.
#[derive(Clone, Debug, Default)]
struct Lifetimes {
    count: u64,
    min: f64,
    max: f64,
    mean: f64,
    /// Sum of the squared deviations from the mean.
    squares: f64,
    bins: BTreeMap<u64, u64>,
}

impl Lifetimes {
    fn add(&mut self, lifetime: f64) {
        self.min = if self.count == 0 { lifetime } else { self.min.min(lifetime) };
        self.max = self.max.max(lifetime);
        self.count += 1;
        let distance = lifetime - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (lifetime - self.mean);
        *self.bins.entry((lifetime as u64).min(LAST_BIN)).or_insert(0) += 1;
    }

    fn bins(&self) -> Vec<(u64, u64)> {
        self.bins.iter().map(|(bin, count)| (*bin, *count)).collect()
    }

    fn spread(&self) -> Spread {
        let Self { count, min, max, mean, .. } = *self;
        let stddev = if count < 2 { 0.0 } else { (self.squares / (count as f64 - 1.0)).sqrt() };
        Spread { min, mean, max, median: median_ms(&self.bins()), stddev, count }
    }
}

/// Replies and sessions by spans of five seconds; the first span may be shorter.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    first_ns: u64,
    spans: Vec<[u64; 2]>,
}

/// Length of a span.
const SAMPLE_NS: u64 = 5_000_000_000;
/// Lifetimes of a hundred seconds and more share a bin.
const LAST_BIN: u64 = 100_000;
/// Sessions with this many replies or more are counted as one length.
const LONGEST: usize = 1 << 20;

impl Samples {
    /// Creates the spans of client `id` of `clients`. The clients' spans are offset evenly over the five seconds.
    pub(super) fn of_client((id, clients): (u32, u32)) -> Self {
        let first_ns = SAMPLE_NS * (u64::from(id) + 1) / u64::from(clients.max(1));
        Self { first_ns: first_ns.max(1), spans: Vec::new() }
    }

    fn add(&mut self, at_ns: u64, kind: usize) {
        let span = match at_ns.checked_sub(self.first_ns) {
            None => 0,
            Some(after) => usize::try_from(after / SAMPLE_NS).unwrap_or(usize::MAX - 1) + 1,
        };
        if span >= self.spans.len() {
            self.spans.resize(span + 1, [0; 2]);
        }
        self.spans[span][kind] += 1;
    }

    /// Returns the end and the length of span `number`.
    pub(super) fn end_ns(&self, number: usize) -> (u64, u64) {
        let end = self.first_ns.saturating_add(SAMPLE_NS.saturating_mul(number as u64));
        (end, if number == 0 { self.first_ns } else { SAMPLE_NS })
    }

    /// Returns replies and sessions per second in span `number`.
    pub(super) fn rates(&self, number: usize) -> [f64; 2] {
        let seconds = self.end_ns(number).1 as f64 / 1e9;
        self.spans.get(number).copied().unwrap_or_default().map(|count| count as f64 / seconds)
    }

    /// Copies what `newer`, a later state of the same samples, has in addition. Only the last spans can differ.
    fn catch_up(&mut self, newer: &Self) {
        let same = self.spans.len().saturating_sub(2);
        self.spans.truncate(same);
        self.spans.extend_from_slice(newer.spans.get(same..).unwrap_or_default());
    }

    /// Returns the rates of all spans that ended by `end_ns`.
    fn until(&self, end_ns: u64) -> [Vec<f64>; 2] {
        let over = (0..).take_while(|number| self.end_ns(*number).0 <= end_ns);
        let rates: Vec<_> = over.map(|number| self.rates(number)).collect();
        [0, 1].map(|kind| rates.iter().map(|rate| rate[kind]).collect())
    }
}

impl Counts {
    /// Creates empty counts for client `id` of `clients`.
    #[must_use]
    pub(super) fn new(client: (u32, u32)) -> Self {
        Self {
            open: HashMap::new(),
            connections: 0,
            concurrent: 0,
            burst: 0,
            last_burst: 0,
            longest_burst: 0,
            connect_ns: Sum::default(),
            lifetimes: Lifetimes::default(),
            requests: 0,
            request_bytes: 0,
            replies: 0,
            reply_bytes: [0; 3],
            classes: [0; 5],
            response_ns: Sum::default(),
            transfer_ns: Sum::default(),
            errors: Errors::default(),
            periodic: [0; 2],
            under_way: HashMap::new(),
            sessions: SessionCounts::default(),
            samples: Samples::of_client(client),
            has_new_rates: false,
        }
    }

    /// Ends a turn of the loop: later connections belong to the next.
    pub(super) fn turn(&mut self) {
        if self.burst > 0 {
            self.longest_burst = self.longest_burst.max(self.last_burst);
            self.last_burst = std::mem::take(&mut self.burst);
        }
    }

    /// Records that a connection is begun for a session.
    pub(super) fn connecting(&mut self, connection: u32, session: u64, now_ns: u64) {
        self.connections += 1;
        self.burst += 1;
        self.open.insert(connection, Connection { session, began_ns: now_ns, replies: 0 });
        self.concurrent = self.concurrent.max(self.open.len() as u64);
    }

    /// Records that a connection is ready for calls.
    pub(super) fn connected(&mut self, connection: u32, now_ns: u64) {
        if let Some(open) = self.open.get(&connection) {
            self.connect_ns.add(now_ns.saturating_sub(open.began_ns));
            self.under_way.entry(open.session).or_default().connections += 1;
        }
    }

    /// Records that a connection closed or could not be opened; `why` is the failure, if any.
    pub(super) fn disconnected(&mut self, connection: u32, now_ns: u64, why: Option<Outcome>) {
        if let Some(why) = why {
            self.count_error(why);
            // It failed before the connect.
            self.connections -= u64::from(matches!(why, Outcome::NoFiles | Outcome::ConnectionLimit));
        }
        let Some(closed) = self.open.remove(&connection).filter(|closed| closed.replies > 0) else { return };
        self.lifetimes.add(now_ns.saturating_sub(closed.began_ns) as f64 / 1e6);
    }

    fn count_error(&mut self, why: Outcome) {
        let errors = &mut self.errors;
        *match why {
            Outcome::Completed | Outcome::Unfinished => return,
            Outcome::ResponseTimeout | Outcome::ConnectTimeout | Outcome::TlsTimeout => {
                &mut errors.client_timeout
            }
            Outcome::Refused => &mut errors.refused,
            Outcome::Reset | Outcome::Closed | Outcome::ClosedMidReply => &mut errors.reset,
            // In httperf the limit on connections is the limit on descriptors.
            Outcome::NoFiles | Outcome::ConnectionLimit => &mut errors.no_files,
            Outcome::NoPorts => &mut errors.no_ports,
            _ => &mut errors.other,
        } += 1;
    }

    /// Records that a request was sent completely, for the first time or again.
    pub(super) fn written(&mut self, bytes: u64) {
        self.requests += 1;
        self.request_bytes += bytes;
    }

    /// Records that a call ended.
    pub(super) fn call(&mut self, ended: &Ended<'_>) {
        let sample = ended.sample;
        if ended.connection == NO_CONNECTION {
            self.count_error(sample.outcome);
        }
        if let Some(wait) = sample.wait() {
            self.response_ns.add(nanos(wait));
        }
        if sample.outcome != Outcome::Completed {
            return;
        }
        // A status outside 100 to 599 enters no other figure.
        if !(100..600).contains(&sample.status) {
            self.errors.other += 1;
            return;
        }
        self.replies += 1;
        let sizes = [u64::from(sample.header_bytes), sample.body_bytes, u64::from(ended.footer_bytes)];
        self.reply_bytes.iter_mut().zip(sizes).for_each(|(sum, bytes)| *sum += bytes);
        if let Some(class) = self.classes.get_mut(usize::from(sample.status / 100) - 1) {
            *class += 1;
        }
        match sample.status {
            200 => self.periodic[0] += 1,
            302 => self.periodic[1] += 1,
            _ => {}
        }
        self.transfer_ns.add(sample.transfer().map_or(0, nanos));
        self.samples.add(sample.finished.as_nanos(), 0);
        self.has_new_rates = true;
        self.under_way.entry(ended.session).or_default().replies += 1;
        if let Some(connection) = self.open.get_mut(&ended.connection) {
            connection.replies += 1;
        }
    }

    /// Records that a session ended.
    pub(super) fn session(&mut self, session: u64, failed: bool, began_ns: u64, now_ns: u64) {
        let Session { connections, replies } = self.under_way.remove(&session).unwrap_or_default();
        let counts = &mut self.sessions;
        let lifetime_ns = now_ns.saturating_sub(began_ns);
        if failed {
            counts.failed += 1;
            counts.failtime_ns.add(lifetime_ns);
        } else {
            counts.completed += 1;
            counts.connections += connections;
            counts.lifetime_ns.add(lifetime_ns);
            self.samples.add(now_ns, 1);
            self.has_new_rates = true;
        }
        let length = replies.min(LONGEST);
        if length >= counts.lengths.len() {
            counts.lengths.resize(length + 1, 0);
        }
        counts.lengths[length] += 1;
    }

    /// Copies the rates counted since the last call to the state shared with the printing thread.
    pub(super) fn publish(&mut self, rates: &Rates) {
        if std::mem::take(&mut self.has_new_rates) {
            rates.lock().catch_up(&self.samples);
        }
    }

    /// Returns the figures of the report of a run that took `wall` and this CPU time, in user mode and in the kernel.
    #[must_use]
    pub(super) fn figures(
        &self,
        wall: Duration,
        cpu: [Duration; 2],
        with_sessions: bool,
        periodic: bool,
    ) -> Figures {
        let [replies, sessions] = self.samples.until(nanos(wall));
        let counts = &self.sessions;
        let entered = if self.burst > 0 { self.last_burst } else { 0 };
        Figures {
            duration_s: wall.as_secs_f64(),
            connect_burst: self.longest_burst.max(entered),
            connections: self.connections,
            concurrent: self.concurrent,
            requests: self.requests,
            request_bytes: self.request_bytes,
            replies: self.replies,
            reply_bytes: self.reply_bytes,
            classes: self.classes,
            lifetimes: self.lifetimes.count,
            lifetime_ms: self.lifetimes.spread(),
            lifetime_bins: self.lifetimes.bins(),
            connect_ms: self.connect_ns.mean() / 1e6,
            reply_rates: Spread::of(&replies),
            response_ms: self.response_ns.mean() / 1e6,
            transfer_ms: self.transfer_ns.mean() / 1e6,
            cpu_s: cpu.map(|time| time.as_secs_f64()),
            errors: self.errors,
            periodic: periodic.then_some(self.periodic),
            sessions: with_sessions.then(|| Sessions {
                rates: Spread::of(&sessions),
                completed: counts.completed,
                failed: counts.failed,
                connections: counts.connections,
                lifetime_s: counts.lifetime_ns.mean() / 1e9,
                failtime_s: counts.failtime_ns.mean() / 1e9,
                lengths: counts.lengths.clone(),
            }),
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;
