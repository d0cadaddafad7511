//! What the engine observes on the machines that generate the load.

use crate::{Mismatch, bounded};
use serde::{Deserialize, Deserializer, Serialize};
use std::time::Duration;

/// How workers wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Idle {
    /// They sleep in the kernel until something is due.
    #[default]
    Block,
    /// They poll without sleeping.
    Spin,
}

impl Idle {
    /// Returns the name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Spin => "spin",
        }
    }

    /// Returns whether workers poll without sleeping.
    #[must_use]
    pub const fn is_busy_polling(self) -> bool {
        matches!(self, Self::Spin)
    }
}

impl<'de> Deserialize<'de> for Idle {
    /// Files of layout 1 have any text here, such as `block+spin` after a merge.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Ok(if name.contains("spin") { Self::Spin } else { Self::Block })
    }
}

/// What is known about one host during the run, and about the process that ran on it. Unknown values are none, zero or
/// empty. Limits belong to their host: those of several hosts cannot be added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostEvidence {
    /// Which part of the plan ran there, as (index, count).
    pub shard: Option<(u32, u32)>,
    /// Where and with what the run was made.
    pub environment: Environment,
    /// Worker threads.
    pub threads: u32,
    /// Name of the driver: `uring` or `epoll`.
    pub driver: String,
    /// How workers waited.
    pub idle: Idle,
    /// Each worker.
    #[serde(deserialize_with = "bounded::list")]
    pub workers: Vec<WorkerEvidence>,
    /// Share of the time of all cores of this machine that was used by anything (0 to 1).
    pub host_cpu_busy_share: Option<f64>,
    /// Share of the time of all cores of this machine that the hypervisor gave to others (0 to 1).
    pub steal_share: Option<f64>,
    /// Time for which this process's control group was not allowed to run.
    pub cgroup_throttled: Option<Duration>,
    /// Descriptors this process may have open; zero when unknown.
    pub descriptors_limit: u64,
    /// Descriptors this process had open at once, at most.
    pub descriptors_peak: u64,
    /// Local ports times source addresses that one target can be reached from; zero when unknown or without bound.
    pub ports_available: u64,
    /// Connections the shard was to hold; zero when as many as needed.
    pub connections_asked: u64,
    /// Connections that were open at once, at most.
    pub connections_held: u64,
    /// Calls that may be in flight at once: users, or connections times pipeline; zero when unknown.
    pub in_flight_limit: u64,
    /// Whether this is less than the plan would allow, because of `descriptors_limit`.
    pub is_capped: bool,
    /// Users of a closed loop; zero in an open one and when unknown.
    pub users: u64,
    /// CPU time of this process in user mode.
    pub cpu_user: Duration,
    /// CPU time of this process in the kernel.
    pub cpu_system: Duration,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// Where the accounting of the run does not add up.
    pub mismatch: Option<Mismatch>,
}

/// What is known about one worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerEvidence {
    /// Time spent outside waiting for the kernel.
    pub busy: Duration,
    /// Time from its start to its end.
    pub wall: Duration,
    /// CPU time of the thread in user mode.
    pub cpu_user: Duration,
    /// CPU time of the thread in the kernel.
    pub cpu_system: Duration,
    /// Time for which it could have run but no core was free (`/proc/thread-self/schedstat`), if known.
    pub run_delay: Option<Duration>,
    /// The core it was pinned to, in run files of versions that pinned workers.
    pub core: Option<u32>,
    /// Sessions (in a closed loop: users) that never began because the worker had no core before the stop.
    pub starved: u64,
    /// Whether it had not ended some time after the end of the run: the run is without what it counted last.
    pub is_lost: bool,
    /// Number of interval batches it did not hand over in time.
    pub late_pages: u64,
}

impl WorkerEvidence {
    /// Share of its time that it did not wait (0 to 1); zero when it did not run.
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        if self.wall.is_zero() { 0.0 } else { (self.busy.as_secs_f64() / self.wall.as_secs_f64()).min(1.0) }
    }

    /// Share of its time that it worked (0 to 1), in the kernel or outside. A worker that `spins` always has its core,
    /// so only what it does outside waiting counts.
    #[must_use]
    pub fn load_share(&self, spins: bool) -> f64 {
        if spins { self.busy_share() } else { self.busy_share().max(self.cpu_share()) }
    }

    /// Share of its time that it could have run and had no core (0 to 1), as the scheduler says; else as far as it can
    /// be seen from time that it neither waited nor had a core.
    #[must_use]
    pub fn delayed_share(&self) -> f64 {
        match self.run_delay {
            Some(delay) if !self.wall.is_zero() => (delay.as_secs_f64() / self.wall.as_secs_f64()).min(1.0),
            _ => (self.busy_share() - self.cpu_share()).max(0.0),
        }
    }

    /// Share of its time that it had a core (0 to 1); zero when it did not run.
    #[must_use]
    pub fn cpu_share(&self) -> f64 {
        let cpu = (self.cpu_user + self.cpu_system).as_secs_f64();
        if self.wall.is_zero() { 0.0 } else { (cpu / self.wall.as_secs_f64()).min(1.0) }
    }
}

/// Where and with what the run was made, so that a report can be understood next year.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Version of this program.
    pub version: String,
    /// Arguments of the command line, the program's name first.
    #[serde(deserialize_with = "bounded::list")]
    pub command: Vec<String>,
    /// Name of the machine.
    pub host: String,
    /// Operating system and kernel release.
    pub system: String,
    /// Model of the processor.
    pub cpu: String,
    /// Cores this process may use.
    pub cores: u32,
    /// When the run began, in nanoseconds since 1970 (UTC); zero when unknown.
    pub started_unix_ns: u64,
}
