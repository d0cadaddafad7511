//! Both sides of every hand-over inside a worker, counted apart and compared at the end.
//!
//! ```text
//! plan ──due──► schedule ──begun──► session ──asked──► call ──recorded──► tally
//!                  └── never begun                        └── unfinished at the stop
//! ```
//!
//! Each arrow carries a number and the sum of the intended moments, so that a loss, a double and a delay between two of
//! them all show. The worker adds to it; [`Accounting::check`] does the comparing when all workers have ended, so that its
//! work is in no measurement.

use warwolf_clock::Timestamp;
use warwolf_measure::{HandOver, Mismatch, Tally};
use warwolf_plan::{CheckedPlan, Plan, Schedule, Shard};
use warwolf_workload::Arrivals;

/// How many, and when they were intended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) count: u64,
    /// Sum of the intended moments in nanoseconds, modulo 2^64.
    intended_ns: u64,
}

impl Flow {
    /// So many, whose intended moments add up to `intended_ns`.
    pub(crate) const fn of(count: u64, intended_ns: u64) -> Self {
        Self { count, intended_ns }
    }

    #[inline]
    pub(crate) fn add(&mut self, intended: Timestamp) {
        self.count += 1;
        self.intended_ns = self.intended_ns.wrapping_add(intended.as_nanos());
    }

    /// This without `other`, which is a part of it.
    fn less(self, other: Self) -> Self {
        Self {
            count: self.count - other.count,
            intended_ns: self.intended_ns.wrapping_sub(other.intended_ns),
        }
    }
}

/// What the tallies of a worker came to, over all intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tallied {
    planned: u64,
    started: u64,
    unstarted: u64,
    /// Completed, failed, timed out and unfinished.
    ended: u64,
}

impl Tallied {
    /// What `tally` came to.
    pub(crate) fn of(tally: &Tally) -> Self {
        let counters = tally.counters();
        Self {
            planned: counters.planned,
            started: counters.started,
            unstarted: counters.unstarted,
            ended: tally.completed() + tally.failed() + tally.timed_out() + tally.unfinished(),
        }
    }

    /// This and `other` together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            planned: self.planned + other.planned,
            started: self.started + other.started,
            unstarted: self.unstarted + other.unstarted,
            ended: self.ended + other.ended,
        }
    }

    /// Compares this, which the workers handed over, with what arrived in the timeline of the run.
    ///
    /// # Errors
    /// Where an interval was lost or added twice.
    pub(crate) fn check_arrived(self, arrived: Self, plan: &Plan, shard: Shard) -> Result<(), Mismatch> {
        let rows =
            [(self.planned, arrived.planned), (self.started, arrived.started), (self.ended, arrived.ended)];
        compare(rows.into_iter().map(|(given, taken)| (HandOver::Timeline, given, taken)), plan, shard)
    }
}

/// What one worker counts about its own hand-overs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accounting {
    /// Sessions begun, with their arrivals' moments.
    pub(crate) begun: Flow,
    /// Arrivals that were due and dropped at the stop.
    pub(crate) never_begun: u64,
    /// Sessions that ended before the stop.
    pub(crate) over: u64,
    /// Calls that sessions asked for, as the worker received them.
    pub(crate) asked: Flow,
    /// The same, as the sessions' programs counted them.
    pub(crate) programmed: u64,
    /// Calls that were made again under the plan's failure rule, which no program asked for.
    pub(crate) again: u64,
    /// Requests a program asked for that cannot be encoded, such as the target of a redirect.
    pub(crate) refused: Flow,
    /// Sessions that are not over and that nothing would ever wake.
    pub(crate) stuck: u64,
    /// Calls added to a tally, unfinished ones included.
    pub(crate) recorded: Flow,
    /// What the tallies came to.
    pub(crate) tallied: Tallied,
    /// Arrivals intended before this moment were due.
    pub(crate) horizon: Timestamp,
    /// Where a feed determines the arrivals: those that were due, and the moments of those that sessions took.
    pub(crate) fed: Option<Flow>,
}

impl Accounting {
    /// Sessions that were due and never began because the worker had no core before the stop.
    pub(crate) fn starved(&self) -> u64 {
        if self.begun.count == 0 { self.never_begun } else { 0 }
    }

    /// Compares both sides of each hand-over of a worker that ran `shard` of `plan`. Takes a few nanoseconds for each
    /// arrival of the run.
    ///
    /// # Errors
    /// The first hand-over whose sides differ: a defect of this program, whatever the target did.
    pub(crate) fn check(
        &self,
        plan: &CheckedPlan,
        shard: Shard,
        calls_per_session: u64,
    ) -> Result<(), Mismatch> {
        let planned = || {
            Arrivals::due(plan, &shard, self.horizon).unwrap_or_else(|| self.due_back_to_back(plan, shard))
        };
        let due = self.fed.map_or_else(planned, |fed| fed.count);
        let intended = if let Some(fed) = self.fed {
            Some(fed.intended_ns)
        } else if self.begun.count <= SUMMED_MAX {
            Arrivals::intended_sum(plan, &shard, self.begun.count)
        } else {
            None
        };
        let (begun, tallied) = (self.begun, self.tallied);
        let asked = self.asked.less(self.refused);
        let unstarted = self.never_begun * calls_per_session;
        let rows = [
            (HandOver::Schedule, due, begun.count + self.never_begun),
            (HandOver::Arrivals, intended.unwrap_or(begun.intended_ns), begun.intended_ns),
            (HandOver::Sessions, 0, self.stuck),
            (HandOver::Programs, self.programmed + self.again, self.asked.count),
            (HandOver::Calls, asked.count, tallied.started),
            (HandOver::Planned, asked.count + unstarted, tallied.planned),
            (HandOver::Unstarted, unstarted, tallied.unstarted),
            (HandOver::Records, asked.count, self.recorded.count),
            (HandOver::Intended, asked.intended_ns, self.recorded.intended_ns),
            (HandOver::Tallies, self.recorded.count, tallied.ended),
        ];
        compare(rows.into_iter(), plan, shard)
    }

    /// Arrivals due where sessions follow each other: the first of each slot, and one for each session that ended.
    fn due_back_to_back(&self, plan: &Plan, shard: Shard) -> u64 {
        let slots = match plan.schedule {
            Schedule::Turns { users } => u64::from(users).max(1),
            Schedule::Closed { .. } | Schedule::Open { .. } => 0,
        };
        let limit = plan.stop.calls.unwrap_or(u64::MAX);
        (shard.share(slots.min(limit)) + self.over).min(shard.share(limit))
    }
}

/// The first row whose sides differ.
fn compare(
    mut rows: impl Iterator<Item = (HandOver, u64, u64)>,
    plan: &Plan,
    shard: Shard,
) -> Result<(), Mismatch> {
    match rows.find(|(_, given, taken)| given != taken) {
        None => Ok(()),
        Some((at, given, taken)) => {
            Err(Mismatch { at, given, taken, seed: plan.seed, shard: (shard.index(), shard.count()) })
        }
    }
}

/// Arrivals whose moments are added up again at the end; beyond them only numbers are compared. Half a second of work.
const SUMMED_MAX: u64 = 100_000_000;
