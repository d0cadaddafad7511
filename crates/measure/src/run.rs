//! A run as it is stored: the plan's text, the timeline and the evidence.

use crate::{
    Environment, Examples, HostEvidence, LogReplay, RowLabels, StepFigures, Tally, Timeline, bounded,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the engine returns and the run file stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The whole plan as text; opaque here.
    pub plan_text: String,
    /// The plan's seed.
    pub seed: u64,
    /// Whether arrivals did not wait for completions.
    pub open: bool,
    /// Calls per second that these shards of the plan were to make, where that is known.
    pub target_rate: Option<f64>,
    /// How long the run should last, if the plan determines it.
    pub nominal: Option<Duration>,
    /// From the start to the end of the last worker.
    pub wall: Duration,
    /// Time at the start that is not in the figures.
    pub warmup: Duration,
    /// URL of each target, by its index in samples.
    #[serde(deserialize_with = "bounded::targets")]
    pub targets: Vec<String>,
    /// Names of rows, groups and checks; empty for a run of plain requests.
    #[serde(default, skip_serializing_if = "RowLabels::is_empty")]
    pub labels: RowLabels,
    /// Replies that did not pass a check, a few of each check.
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
    /// What was counted.
    pub timeline: Timeline,
    /// What was observed on each host that the load came from.
    #[serde(deserialize_with = "bounded::list")]
    pub hosts: Vec<HostEvidence>,
    /// Which parts of the plan this is, as (index, count); `[(0, 1)]` when it is the whole.
    #[serde(deserialize_with = "bounded::list")]
    pub shards: Vec<(u32, u32)>,
    /// The log that was replayed, if the requests came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<LogReplay>,
}

impl Run {
    /// Creates a whole run of which only the length of its intervals is known.
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        Self {
            plan_text: String::new(),
            seed: 0,
            open: false,
            target_rate: None,
            nominal: None,
            wall: Duration::ZERO,
            warmup: Duration::ZERO,
            targets: Vec::new(),
            labels: RowLabels::default(),
            examples: Examples::default(),
            timeline: Timeline::new(interval),
            hosts: vec![HostEvidence::default()],
            shards: vec![(0, 1)],
            replay: None,
        }
    }

    /// Returns the same run, made in this environment.
    #[must_use]
    pub fn in_environment(mut self, environment: &Environment) -> Self {
        self.hosts.iter_mut().for_each(|host| host.environment = environment.clone());
        self
    }

    /// Returns the names of the rows, groups and checks; rows of plain requests go by URL.
    #[must_use]
    pub fn row_labels(&self) -> RowLabels {
        self.labels.clone().or_urls(self.targets.iter().cloned())
    }

    /// Returns the figures of each step in a tally of so many seconds of this run; empty for plain requests.
    #[must_use]
    pub fn steps(&self, tally: &Tally, seconds: f64) -> Vec<StepFigures> {
        crate::step_figures::steps(self, tally, seconds)
    }

    /// Returns whether the run was stopped before its end on any host.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.hosts.iter().any(|host| host.interrupted)
    }

    /// Returns the CPU time of all hosts' processes, in user mode and in the kernel.
    #[must_use]
    pub fn cpu(&self) -> (Duration, Duration) {
        (
            self.hosts.iter().map(|host| host.cpu_user).sum(),
            self.hosts.iter().map(|host| host.cpu_system).sum(),
        )
    }

    /// Returns when the first host began, in nanoseconds since 1970 (UTC); zero when unknown.
    #[must_use]
    pub fn started_unix_ns(&self) -> u64 {
        let started = self.hosts.iter().map(|host| host.environment.started_unix_ns);
        started.filter(|at| *at > 0).min().unwrap_or(0)
    }
}
