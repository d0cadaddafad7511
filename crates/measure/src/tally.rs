//! Everything that one worker counts in one interval.
//!
//! The engine's workers call [`Tally::record`] for each call, so it only writes to memory that [`Tally::reserved`]
//! allocated. All other functions read or add up.

use crate::steps::Entries;
use crate::{
    CheckTally, Digits, Distribution, GroupTally, MAX_CHECKS, MAX_GROUPS, Moments, Outcome, Sample, Shape,
};
use std::time::Duration;

/// Rows of the per-target table. Targets beyond them share one more row.
pub const TARGET_ROWS: usize = 64;

/// The target index of all targets beyond the table.
pub const OTHER_TARGETS: u16 = u16::MAX;

/// Statuses from this number on are counted as the one below it.
const STATUS_LIMIT: usize = 1_000;

/// A duration that is measured, with its own distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Intended to finished, of completed calls, and of timed-out ones with their deadline's value.
    Latency,
    /// Sent to finished, of the same calls as [`Phase::Latency`] where something was sent.
    Service,
    /// Intended to started, of all calls that were started.
    Lag,
    /// Started to sent, of all calls of which something was sent.
    Setup,
    /// Sent to first byte, of all calls whose reply began.
    Wait,
    /// First byte to finished, of completed calls.
    Transfer,
    /// TCP connects that succeeded.
    Connect,
    /// TLS handshakes that succeeded.
    Tls,
    /// From connect to close, of connections that carried at least one complete reply.
    Lifetime,
    /// Intended to the stop, of calls in flight at the stop.
    UnfinishedAge,
    /// Intended to the stop, of sessions that were due and never began: one value each, for their first call.
    UnstartedAge,
    /// Intended to failure, of calls that failed.
    FailedAfter,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 12] = [
        Self::Latency,
        Self::Service,
        Self::Lag,
        Self::Setup,
        Self::Wait,
        Self::Transfer,
        Self::Connect,
        Self::Tls,
        Self::Lifetime,
        Self::UnfinishedAge,
        Self::UnstartedAge,
        Self::FailedAfter,
    ];

    /// The name in run files; never changed once given.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Service => "service",
            Self::Lag => "lag",
            Self::Setup => "setup",
            Self::Wait => "wait",
            Self::Transfer => "transfer",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Lifetime => "lifetime",
            Self::UnfinishedAge => "unfinished_age",
            Self::UnstartedAge => "unstarted_age",
            Self::FailedAfter => "failed_after",
        }
    }

    /// The precision: three digits for the two that are compared, two for those that explain them.
    pub(crate) const fn digits(self) -> Digits {
        match self {
            Self::Latency | Self::Service => Digits::Three,
            Self::Lag
            | Self::Setup
            | Self::Wait
            | Self::Transfer
            | Self::Connect
            | Self::Tls
            | Self::Lifetime
            | Self::UnfinishedAge
            | Self::UnstartedAge => Digits::Two,
            Self::FailedAfter => Digits::Coarse,
        }
    }
}

/// Declares [`Counters`] from the list of its fields. A `sum` adds up over intervals and workers; of a `peak`, a greatest
/// number at once, intervals keep the greatest and workers add up.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident: $kind:ident,)*) => {
        /// Whole-number counters.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Whether no counter is greater than `most`.
            pub(crate) const fn all_below(&self, most: u64) -> bool {
                true $(&& self.$name <= most)*
            }

            /// Adds the counters of another worker in the same interval.
            const fn merge(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }

            /// Adds the counters of another interval.
            fn follow(&mut self, other: &Self) {
                $(counters!(@$kind self.$name, other.$name);)*
            }
        }
    };
    (@sum $mine:expr, $theirs:expr) => { $mine += $theirs };
    (@peak $mine:expr, $theirs:expr) => { $mine = $mine.max($theirs) };
}

counters! {
    /// Calls that the schedule or a session requested.
    planned: sum,
    /// Calls that took a slot.
    started: sum,
    /// Calls that were requested and never took a slot.
    unstarted: sum,
    /// Calls that were due while no slot or connection was free.
    held_back: sum,
    /// Calls in flight at once, at most.
    max_in_flight: peak,
    /// Requests of which at least the first byte was sent.
    requests: sum,
    /// Bytes of requests, bodies included.
    request_bytes: sum,
    /// Bytes of heads of completed replies.
    header_bytes: sum,
    /// Bytes of bodies of completed replies, without framing.
    body_bytes: sum,
    /// Bytes of heads and bodies of replies that did not complete.
    partial_bytes: sum,
    /// Bytes passed to the kernel, TLS included.
    wire_sent: sum,
    /// Bytes taken from the kernel, TLS included.
    wire_received: sum,
    /// Connections opened.
    connections_opened: sum,
    /// Connections that could not be opened.
    connections_failed: sum,
    /// Calls that found an open connection.
    connections_reused: sum,
    /// Connections opened again because the server had closed a kept one.
    reconnects: sum,
    /// Requests sent again because their connection closed before the reply: the server may have received them twice.
    resent: sum,
    /// Connections closed because bytes came after a complete reply.
    unexpected_bytes: sum,
    /// Complete replies whose body ended with a TLS connection that was closed without a closing alert.
    tls_unclosed: sum,
    /// TLS handshakes that resumed a session.
    tls_resumed: sum,
    /// Connections open at once, at most.
    connections_held: peak,
    /// Completed calls whose reply did not pass a check.
    check_failed: sum,
    /// Of these, calls with a status below 400, which are no errors by their status.
    check_failed_only: sum,
}

/// What was counted about one row: a target, or a step of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetTally {
    /// Calls that completed.
    pub completed: u64,
    /// Of these, calls whose reply did not pass a check.
    pub check_failed: u64,
    /// Calls that failed or timed out.
    pub failed: u64,
    /// Calls that failed, timed out, were answered with a status of 400 and above, or did not pass a check.
    pub errors: u64,
    /// Calls in flight at the stop.
    pub unfinished: u64,
    /// Bytes of bodies of completed replies.
    pub body_bytes: u64,
    /// Latency of the same calls as [`Phase::Latency`], coarsely.
    pub latency: Distribution,
}

impl TargetTally {
    pub(crate) fn new() -> Self {
        let latency = Distribution::new(Digits::Coarse);
        Self { completed: 0, check_failed: 0, failed: 0, errors: 0, unfinished: 0, body_bytes: 0, latency }
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.completed + self.errors + self.unfinished == 0
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.check_failed += other.check_failed;
        self.failed += other.failed;
        self.errors += other.errors;
        self.unfinished += other.unfinished;
        self.body_bytes += other.body_bytes;
        self.latency.merge(&other.latency);
    }

    fn clear(&mut self) {
        (self.completed, self.check_failed, self.failed) = (0, 0, 0);
        (self.errors, self.unfinished, self.body_bytes) = (0, 0, 0);
        self.latency.clear();
    }
}

/// Everything that is counted. Adding up is commutative and associative, and an empty tally changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pub(crate) counters: Counters,
    pub(crate) phases: [Distribution; Phase::ALL.len()],
    pub(crate) outcomes: [u64; Outcome::COUNT],
    pub(crate) connection_failures: [u64; Outcome::COUNT],
    pub(crate) statuses: Box<[u64; STATUS_LIMIT]>,
    /// Rows for the first targets, and one for all others.
    pub(crate) targets: Box<[TargetTally; TARGET_ROWS + 1]>,
    pub(crate) groups: Entries<GroupTally, MAX_GROUPS>,
    pub(crate) checks: Entries<CheckTally, MAX_CHECKS>,
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl Tally {
    /// An empty tally, which allocates as it counts.
    #[must_use]
    pub fn new() -> Self {
        Self {
            counters: Counters::default(),
            phases: Phase::ALL.map(|phase| Distribution::new(phase.digits())),
            outcomes: [0; Outcome::COUNT],
            connection_failures: [0; Outcome::COUNT],
            statuses: Box::new([0; STATUS_LIMIT]),
            targets: Box::new(std::array::from_fn(|_| TargetTally::new())),
            groups: Entries::default(),
            checks: Entries::default(),
        }
    }

    /// An empty tally with all the memory it needs for these rows, groups and checks, so that recording allocates nothing:
    /// at most 1.1 MiB without groups, of which only the part in use is ever touched.
    #[must_use]
    pub fn reserved(shape: Shape) -> Self {
        let mut tally = Self::new();
        tally.phases.iter_mut().for_each(Distribution::reserve);
        let others = usize::from(shape.rows > TARGET_ROWS);
        let rows = tally.targets.iter_mut().take(shape.rows.min(TARGET_ROWS) + others);
        rows.for_each(|row| row.latency.reserve());
        tally.groups = Entries::reserved(shape.groups, GroupTally::reserved);
        tally.checks = Entries::reserved(shape.checks, CheckTally::default);
        tally
    }

    /// Clears all counts and keeps the memory.
    pub fn reset(&mut self) {
        self.counters = Counters::default();
        self.phases.iter_mut().for_each(Distribution::clear);
        self.outcomes = [0; Outcome::COUNT];
        self.connection_failures = [0; Outcome::COUNT];
        self.statuses.fill(0);
        self.targets.iter_mut().filter(|row| !row.is_empty()).for_each(TargetTally::clear);
        self.groups.clear();
        self.checks.clear();
    }

    /// Counts calls that the schedule or a session requested.
    #[inline]
    pub fn planned(&mut self, calls: u64) {
        self.counters.planned += calls;
    }

    /// Counts calls that took a slot.
    #[inline]
    pub fn started(&mut self, calls: u64) {
        self.counters.started += calls;
    }

    /// Counts calls that were requested and never took a slot.
    #[inline]
    pub fn unstarted(&mut self, calls: u64) {
        self.counters.unstarted += calls;
    }

    /// Records that the first call of `sessions` sessions was due this long before the stop and never started.
    pub fn unstarted_after(&mut self, age: Duration, sessions: u64) {
        self.phase_mut(Phase::UnstartedAge).record_many(nanos(age), sessions);
    }

    /// Counts calls that were due while no slot or connection was free, so the load generator did not cause their lag.
    #[inline]
    pub fn held_back(&mut self, calls: u64) {
        self.counters.held_back += calls;
    }

    /// Records how many calls are in flight now; the greatest number is kept.
    #[inline]
    pub fn in_flight(&mut self, calls: u64) {
        self.counters.max_in_flight = self.counters.max_in_flight.max(calls);
    }

    /// Adds a call that is over.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        let outcome = sample.outcome;
        self.outcomes[outcome.index()] += 1;
        self.phase_mut(Phase::Lag).record(sample.lag_ns());
        if let Some(setup) = sample.setup_ns() {
            self.counters.requests += 1;
            self.counters.request_bytes += u64::from(sample.sent_bytes);
            self.phase_mut(Phase::Setup).record(setup);
        }
        if let Some(wait) = sample.wait_ns() {
            self.phase_mut(Phase::Wait).record(wait);
        }
        if outcome == Outcome::Completed {
            self.record_completed(sample);
        } else {
            self.record_incomplete(sample);
        }
    }

    #[inline]
    fn record_completed(&mut self, sample: &Sample) {
        let latency = sample.latency_ns();
        self.phase_mut(Phase::Latency).record(latency);
        if let Some(service) = sample.service_ns() {
            self.phase_mut(Phase::Service).record(service);
        }
        if let Some(transfer) = sample.transfer_ns() {
            self.phase_mut(Phase::Transfer).record(transfer);
        }
        self.counters.header_bytes += u64::from(sample.header_bytes);
        self.counters.body_bytes += sample.body_bytes;
        self.statuses[usize::from(sample.status).min(STATUS_LIMIT - 1)] += 1;
        let row = self.target_mut(sample.target);
        row.completed += 1;
        row.errors += u64::from(sample.status >= 400);
        row.body_bytes += sample.body_bytes;
        row.latency.record(latency);
        if sample.check_failed {
            self.record_check_failed(sample);
        }
    }

    #[cold]
    fn record_check_failed(&mut self, sample: &Sample) {
        let only = u64::from(sample.status < 400);
        self.counters.check_failed += 1;
        self.counters.check_failed_only += only;
        let row = self.target_mut(sample.target);
        row.check_failed += 1;
        row.errors += only;
    }

    /// Counts a session's pass through a group: the time from its first request to the end of its last, the sum of their
    /// latencies, and whether a step failed. Groups from [`MAX_GROUPS`] on are not counted.
    #[inline]
    pub fn group(&mut self, group: u16, wall: Duration, requests: Duration, failed: bool) {
        if let Some(group) = self.groups.entry(group) {
            group.add(nanos(wall), nanos(requests), failed);
        }
    }

    /// Counts the result of a check. Checks from [`MAX_CHECKS`] on are not counted.
    #[inline]
    pub fn check(&mut self, check: u16, passed: bool) {
        if let Some(check) = self.checks.entry(check) {
            check.passed += u64::from(passed);
            check.failed += u64::from(!passed);
        }
    }

    fn record_incomplete(&mut self, sample: &Sample) {
        let age = sample.latency_ns();
        self.counters.partial_bytes += sample.body_bytes + u64::from(sample.header_bytes);
        if sample.outcome == Outcome::Unfinished {
            self.phase_mut(Phase::UnfinishedAge).record(age);
            self.target_mut(sample.target).unfinished += 1;
            return;
        }
        let timed_out = sample.outcome.is_timeout();
        if timed_out {
            self.phase_mut(Phase::Latency).record(age);
            if let Some(service) = sample.service_ns() {
                self.phase_mut(Phase::Service).record(service);
            }
        } else {
            self.phase_mut(Phase::FailedAfter).record(age);
        }
        let row = self.target_mut(sample.target);
        row.failed += 1;
        row.errors += 1;
        if timed_out {
            row.latency.record(age);
        }
    }

    #[inline]
    fn phase_mut(&mut self, phase: Phase) -> &mut Distribution {
        &mut self.phases[phase as usize]
    }

    #[inline]
    fn target_mut(&mut self, target: u16) -> &mut TargetTally {
        &mut self.targets[usize::from(target).min(TARGET_ROWS)]
    }

    /// Counts bytes passed to and received from the kernel.
    #[inline]
    pub fn wire(&mut self, sent: u64, received: u64) {
        self.counters.wire_sent += sent;
        self.counters.wire_received += received;
    }

    /// Counts a connection that opened: time to connect, time of the TLS handshake, whether a session was resumed.
    pub fn connection_opened(&mut self, connect: Duration, tls: Option<Duration>, resumed: bool) {
        self.counters.connections_opened += 1;
        self.phase_mut(Phase::Connect).record(nanos(connect));
        if let Some(tls) = tls {
            self.phase_mut(Phase::Tls).record(nanos(tls));
            self.counters.tls_resumed += u64::from(resumed);
        }
    }

    /// Counts a connection that could not be opened.
    pub fn connection_failed(&mut self, why: Outcome) {
        self.counters.connections_failed += 1;
        self.connection_failures[why.index()] += 1;
    }

    /// Counts a call that found an open connection.
    #[inline]
    pub fn connection_reused(&mut self) {
        self.counters.connections_reused += 1;
    }

    /// Counts a connection opened again because the server had closed a kept one.
    pub fn reconnected(&mut self) {
        self.counters.reconnects += 1;
    }

    /// Counts a request sent again because its connection closed before the reply.
    pub fn resent(&mut self) {
        self.counters.resent += 1;
    }

    /// Counts a connection closed because bytes came after a complete reply.
    pub fn unexpected_bytes(&mut self) {
        self.counters.unexpected_bytes += 1;
    }

    /// Counts replies whose body ended with a TLS connection that was closed without a closing alert, so that they may be
    /// truncated (RFC 8446 section 6.1).
    pub fn tls_unclosed(&mut self, replies: u64) {
        self.counters.tls_unclosed += replies;
    }

    /// Counts a connection that was closed after carrying at least one complete reply.
    pub fn connection_closed(&mut self, lifetime: Duration) {
        self.phase_mut(Phase::Lifetime).record(nanos(lifetime));
    }

    /// Records how many connections are open now; the greatest number is kept.
    #[inline]
    pub fn connections_held(&mut self, connections: u64) {
        self.counters.connections_held = self.counters.connections_held.max(connections);
    }

    /// Adds what another worker counted in the same interval. Numbers in flight or open at once are added: the sum is the
    /// lowest certain upper bound.
    pub fn merge(&mut self, other: &Self) {
        self.counters.merge(&other.counters);
        self.merge_rest(other);
    }

    /// Adds what was counted in another interval. Of numbers in flight or open at once, the greater is kept.
    pub fn follow(&mut self, other: &Self) {
        self.counters.follow(&other.counters);
        self.merge_rest(other);
    }

    fn merge_rest(&mut self, other: &Self) {
        let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        self.phases.iter_mut().zip(&other.phases).for_each(|(a, b)| a.merge(b));
        add(&mut self.outcomes, &other.outcomes);
        add(&mut self.connection_failures, &other.connection_failures);
        add(&mut *self.statuses, &*other.statuses);
        self.targets
            .iter_mut()
            .zip(other.targets.iter())
            .filter(|(_, row)| !row.is_empty())
            .for_each(|(a, b)| a.merge(b));
        self.groups.merge(&other.groups);
        self.checks.merge(&other.checks);
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The distribution of a duration.
    #[must_use]
    pub fn phase(&self, phase: Phase) -> &Distribution {
        &self.phases[phase as usize]
    }

    /// The exact sums of a duration.
    #[must_use]
    pub fn moments(&self, phase: Phase) -> Moments {
        self.phase(phase).moments()
    }

    /// How many calls ended with this outcome.
    #[must_use]
    pub const fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome.index()]
    }

    /// The outcomes that occurred, with their counts.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> {
        Outcome::all().map(|outcome| (outcome, self.outcome(outcome))).filter(|(_, count)| *count > 0)
    }

    /// Why connections could not be opened, with counts.
    pub fn connection_failures(&self) -> impl Iterator<Item = (Outcome, u64)> {
        Outcome::all()
            .map(|outcome| (outcome, self.connection_failures[outcome.index()]))
            .filter(|(_, count)| *count > 0)
    }

    /// Statuses of completed replies with their counts, in rising order; 999 stands for all from there.
    pub fn statuses(&self) -> impl Iterator<Item = (u16, u64)> {
        (0u16..)
            .zip(self.statuses.iter())
            .filter(|(_, count)| **count > 0)
            .map(|(status, count)| (status, *count))
    }

    /// Rows of targets that were called, with their index; [`OTHER_TARGETS`] for those beyond the table.
    pub fn targets(&self) -> impl Iterator<Item = (u16, &TargetTally)> {
        (0u16..)
            .zip(self.targets.iter())
            .filter(|(_, row)| !row.is_empty())
            .map(|(index, row)| (if usize::from(index) < TARGET_ROWS { index } else { OTHER_TARGETS }, row))
    }

    /// The row with this index in the table of targets; none beyond the table.
    pub(crate) fn row(&self, index: u16) -> Option<&TargetTally> {
        self.targets.get(..TARGET_ROWS)?.get(usize::from(index))
    }

    /// These rows added up.
    pub(crate) fn rows_together(&self, rows: &[u16]) -> TargetTally {
        let mut sum = TargetTally::new();
        rows.iter().filter_map(|row| self.row(*row)).for_each(|row| sum.merge(row));
        sum
    }

    /// Groups that were counted, with their index.
    pub fn groups(&self) -> impl Iterator<Item = (u16, &GroupTally)> {
        self.groups.iter()
    }

    /// The results of a group; none if nothing was counted.
    #[must_use]
    pub fn group_results(&self, group: u16) -> Option<&GroupTally> {
        self.groups.get(group)
    }

    /// Checks that were counted, with their index.
    pub fn checks(&self) -> impl Iterator<Item = (u16, CheckTally)> {
        self.checks.iter().map(|(index, check)| (index, *check))
    }

    /// The results of a check.
    #[must_use]
    pub fn check_results(&self, check: u16) -> CheckTally {
        self.checks.get(check).copied().unwrap_or_default()
    }

    /// Adds all rows of targets up in one, and leaves out groups and checks: for tallies whose rows are different targets.
    pub fn forget_targets(&mut self) {
        self.groups.clear();
        self.checks.clear();
        if let Some((others, rows)) = self.targets.split_last_mut() {
            for row in rows {
                others.merge(row);
                row.clear();
            }
        }
    }

    /// Calls whose whole reply arrived.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.outcome(Outcome::Completed)
    }

    /// Calls that ended at a deadline.
    #[must_use]
    pub fn timed_out(&self) -> u64 {
        self.outcomes().filter(|(outcome, _)| outcome.is_timeout()).map(|row| row.1).sum()
    }

    /// Calls that ended without a complete reply, but not at a deadline.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.outcomes().filter(|(outcome, _)| outcome.is_failure()).map(|row| row.1).sum()
    }

    /// Calls in flight at the stop.
    #[must_use]
    pub const fn unfinished(&self) -> u64 {
        self.outcome(Outcome::Unfinished)
    }

    /// Completed calls with a status of 400 and above.
    #[must_use]
    pub fn error_statuses(&self) -> u64 {
        self.statuses[400..].iter().sum()
    }

    /// Returns the calls that did not get the requested reply: failed, timed out, a status of 400 and above, or a check that
    /// was not passed.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.failed() + self.timed_out() + self.error_statuses() + self.counters.check_failed_only
    }

    /// Calls that are over: all but those in flight at the stop.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.outcomes.iter().sum::<u64>() - self.unfinished()
    }
}

/// Nanoseconds of a duration, saturating after 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
