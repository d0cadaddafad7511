//! Why a run's results are in doubt, as data: a cause and the figures that show it. `report` writes the sentences.

use crate::{Grade, Mismatch, Outcome};
use serde::{Serialize, Serializer};

/// The cause of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// No call came to an end that can be measured.
    NothingMeasured,
    /// Out of file descriptors.
    Descriptors,
    /// Out of local ports.
    Ports,
    /// Out of socket memory.
    Buffers,
    /// Another error of the load generator's machine.
    LocalErrors,
    /// Calls started late, and no observation explains why.
    Lag,
    /// The workers had more to do than their cores could.
    ClientBusy,
    /// Something else used the cores.
    CpuContention,
    /// The hypervisor gave the cores to other guests.
    CpuStolen,
    /// The control group's CPU limit stopped this process.
    CpuThrottled,
    /// Calls were never started.
    Unstarted,
    /// Shards of the plan are missing.
    MissingShards,
    /// All slots were busy: the server did not keep up.
    SlotsFull,
    /// The server refused some of the connections.
    ConnectionsRefused,
    /// Calls in flight at the stop were older than the percentiles show.
    Unfinished,
    /// Requests were sent again after their connection had closed.
    Resent,
    /// Bytes came after complete replies.
    UnexpectedBytes,
    /// Replies ended with a TLS connection that was closed without a closing alert.
    TlsUnclosed,
    /// Too few samples for the usual percentiles.
    FewSamples,
    /// The figures changed during the run.
    Trend,
    /// The run was stopped before its end.
    Interrupted,
    /// Workers passed on interval batches late.
    LatePages,
    /// The accounting does not add up: a defect of the load generator.
    Accounting,
}

impl Cause {
    /// The name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing_measured",
            Self::Descriptors => "descriptors",
            Self::Ports => "ports",
            Self::Buffers => "buffers",
            Self::LocalErrors => "local_errors",
            Self::Lag => "lag",
            Self::ClientBusy => "client_busy",
            Self::CpuContention => "cpu_contention",
            Self::CpuStolen => "cpu_stolen",
            Self::CpuThrottled => "cpu_throttled",
            Self::Unstarted => "unstarted",
            Self::MissingShards => "missing_shards",
            Self::SlotsFull => "slots_full",
            Self::ConnectionsRefused => "connections_refused",
            Self::Unfinished => "unfinished",
            Self::Resent => "resent",
            Self::UnexpectedBytes => "unexpected_bytes",
            Self::TlsUnclosed => "tls_unclosed",
            Self::FewSamples => "few_samples",
            Self::Trend => "trend",
            Self::Interrupted => "interrupted",
            Self::LatePages => "late_pages",
            Self::Accounting => "accounting",
        }
    }
}

/// One reason for a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it does to the verdict; [`Grade::Valid`] is a note.
    pub grade: Grade,
    /// What happened.
    pub cause: Cause,
    /// The host it happened on, if the load came from several and it is known.
    pub host: Option<String>,
    /// The figures that show it.
    pub figures: ReasonFigures,
}

impl Reason {
    /// A reason that is not about one of several hosts.
    #[must_use]
    pub const fn new(grade: Grade, cause: Cause, figures: ReasonFigures) -> Self {
        Self { grade, cause, host: None, figures }
    }
}

/// The figures of a reason. Serialised as an object whose keys name the units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReasonFigures {
    /// Of [`Cause::NothingMeasured`].
    NothingMeasured {
        /// Calls started.
        started: u64,
        /// Calls completed.
        completed: u64,
        /// Calls failed.
        failed: u64,
        /// Calls in flight at the stop.
        unfinished: u64,
        /// The most frequent failure.
        most_frequent_failure: Option<Outcome>,
    },
    /// Of [`Cause::MissingShards`]: their indices, from zero.
    MissingShards {
        /// Indices, from zero.
        missing_shards: Vec<u32>,
    },
    /// Of [`Cause::Descriptors`], [`Cause::Ports`], [`Cause::Buffers`] and [`Cause::LocalErrors`].
    LocalErrors {
        /// The error.
        outcome: Outcome,
        /// How often.
        errors: u64,
        /// Calls that are over.
        finished: u64,
        /// Descriptors a process may have open, on the host with the fewest.
        #[serde(skip_serializing_if = "Option::is_none")]
        descriptors_limit: Option<u64>,
        /// Local ports, on the host with the fewest.
        #[serde(skip_serializing_if = "Option::is_none")]
        ports_available: Option<u64>,
    },
    /// Of calls that started late or never, with what explains it.
    Late {
        /// What was observed of the calls.
        #[serde(flatten)]
        lateness: Lateness,
        /// What was observed of the machine.
        #[serde(flatten)]
        explanation: Explanation,
    },
    /// Of a worker or machine without enough CPU time, where no lag shows it.
    Cpu {
        /// What was observed of the machine.
        #[serde(flatten)]
        explanation: Explanation,
        /// How much of the p99 of latency this may be, where the figures show it.
        #[serde(skip_serializing_if = "Option::is_none")]
        p99_added_ns: Option<u64>,
    },
    /// Of a closed loop that is limited by a worker.
    Saturated {
        /// Number of the busiest worker on its host.
        worker: u32,
        /// Share of its time that it worked.
        busy_share: f64,
        /// Completed calls per second.
        rate_per_s: f64,
    },
    /// Of users that never began because their workers had no core.
    Starved {
        /// Users that never began.
        users_never_begun: u64,
        /// Users requested; zero when unknown.
        users: u64,
        /// Numbers of the workers on their host.
        workers: Vec<u32>,
    },
    /// Of [`Cause::SlotsFull`].
    SlotsFull {
        /// Calls that waited for a slot.
        held_back: u64,
        /// Calls planned.
        planned: u64,
        /// Slots.
        in_flight_limit: u64,
        /// Completed calls per second.
        rate_per_s: f64,
        /// Requested calls per second.
        target_rate_per_s: Option<f64>,
        /// Descriptors a process may have open, where that limited the slots, on the host with the fewest.
        #[serde(skip_serializing_if = "Option::is_none")]
        descriptors_limit: Option<u64>,
    },
    /// Of [`Cause::ConnectionsRefused`].
    ConnectionsRefused {
        /// Connections open at once, at most.
        connections_held: u64,
        /// Connections requested.
        connections_asked: u64,
        /// Attempts that failed.
        connections_failed: u64,
    },
    /// Of [`Cause::Unfinished`].
    Unfinished {
        /// Calls in flight at the stop.
        unfinished: u64,
        /// Age of the oldest.
        oldest_ns: u64,
        /// The measured p99 of latency, where the true one must be above it.
        latency_p99_above_ns: Option<u64>,
    },
    /// Of [`Cause::Resent`].
    Resent {
        /// Requests sent again.
        resent: u64,
        /// Requests that were sent, once or more.
        requests: u64,
    },
    /// Of [`Cause::UnexpectedBytes`].
    UnexpectedBytes {
        /// Connections closed for it.
        connections: u64,
    },
    /// Of [`Cause::TlsUnclosed`].
    TlsUnclosed {
        /// Replies that ended so.
        replies: u64,
    },
    /// Of [`Cause::FewSamples`].
    FewSamples {
        /// The quantile that is not known.
        quantile: f64,
        /// Samples it needs.
        needed: u64,
        /// Samples there are.
        samples: u64,
    },
    /// Of [`Cause::Trend`]: relative changes from the first half of the run to the second, where they are significant.
    Trend {
        /// Of the mean latency.
        latency_change_share: Option<f64>,
        /// Of the rate.
        rate_change_share: Option<f64>,
    },
    /// Of [`Cause::Interrupted`].
    Interrupted {
        /// How long the run lasted.
        wall_ns: u64,
        /// How long it should have lasted.
        nominal_ns: Option<u64>,
    },
    /// Of [`Cause::LatePages`].
    LatePages {
        /// Interval batches passed on late.
        late_pages: u64,
    },
    /// Of [`Cause::Accounting`].
    Accounting(Mismatch),
}

/// Calls that started late or never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lateness {
    /// 99th percentile of lag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_p99_ns: Option<u64>,
    /// 99th percentile of latency, with the lag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_ns: Option<u64>,
    /// Whether the lag leaves out calls that waited for a slot.
    pub excludes_held_back: bool,
    /// Calls never started, where they are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstarted: Option<u64>,
    /// Calls planned, with `unstarted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
}

/// What was observed of a machine that explains why calls were late.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Explanation {
    /// A worker was busy all the time.
    Busy {
        /// Its number on its host.
        worker: u32,
        /// Share of its time that it worked.
        busy_share: f64,
    },
    /// A worker waited for a core.
    Delayed {
        /// Its number on its host.
        worker: u32,
        /// Share of its time that it waited.
        delayed_share: f64,
    },
    /// The hypervisor took CPU time.
    Stolen {
        /// Share of the machine's CPU time.
        steal_share: f64,
    },
    /// The control group stopped the process.
    Throttled {
        /// Share of the run.
        throttled_share: f64,
    },
    /// All cores were busy.
    HostBusy {
        /// Share of the machine's CPU time.
        host_cpu_busy_share: f64,
    },
    /// No observation explains it: the workers had time to spare.
    Unexplained {
        /// Whether the workers poll instead of sleeping.
        is_busy_polling: bool,
    },
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
