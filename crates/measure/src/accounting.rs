//! Mismatches in the load generator's own accounting of a run.

use serde::{Deserialize, Serialize};

/// A hand-over between two parts of the load generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandOver {
    /// Arrivals due by the plan, and sessions begun or never begun.
    Schedule,
    /// Moments of the arrivals by the plan, and those that sessions began with.
    Arrivals,
    /// Sessions that no event would ever wake: expected to be zero.
    Sessions,
    /// Calls that session programs requested, and calls the worker received.
    Programs,
    /// Calls the worker received, and calls started.
    Calls,
    /// Calls requested or never begun, and calls planned.
    Planned,
    /// Calls of sessions never begun, and calls never started.
    Unstarted,
    /// Calls the worker received, and calls recorded.
    Records,
    /// Intended moments of the calls received, and of those recorded.
    Intended,
    /// Calls recorded, and calls in the tallies.
    Tallies,
    /// Calls in the tallies of the workers, and calls in the timeline.
    Timeline,
}

/// Two sides of a hand-over that differ: a defect of the load generator, regardless of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The hand-over.
    pub at: HandOver,
    /// What the giving side counted.
    pub given: u64,
    /// What the receiving side counted.
    pub taken: u64,
    /// The plan's seed.
    pub seed: u64,
    /// The part of the plan, as (index, count).
    pub shard: (u32, u32),
}
