//! Runs one plan after the other until the user has enough.

use crate::exit::Failure;
use crate::progress::Manner;
use crate::{load, signals, streams};
use std::time::Duration;
use warwolf_driver::host;
use warwolf_engine::Control;
use warwolf_measure::{Environment, Run};
use warwolf_plan::{Plan, Shard};

/// Runs plans; Ctrl-C stops the one that is on and lets no further begin.
pub(crate) struct Runner {
    control: Control,
    quiet: bool,
}

impl Runner {
    /// # Errors
    /// When signals cannot be caught.
    pub(crate) fn new(quiet: bool) -> Result<Self, Failure> {
        let control = Control::new();
        signals::listen(&control, if quiet { Manner::Quiet } else { Manner::Lines })?;
        Ok(Self { control, quiet })
    }

    /// Runs the whole of a plan.
    ///
    /// # Errors
    /// When it could not begin.
    pub(crate) fn run(&self, plan: Plan) -> Result<Run, Failure> {
        load::run(plan, Shard::WHOLE, &self.control, &mut |_| {})
    }

    /// As many connections as descriptors allow, where the user did not say how many.
    pub(crate) fn fit(plan: &mut Plan) {
        load::fit(plan, host::raise_descriptor_limit().unwrap_or(0));
    }

    /// Whether the user has enough.
    pub(crate) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Waits, and looks every now and then whether the user has enough.
    pub(crate) fn rest(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() && !self.is_stopped() {
            let part = left.min(Duration::from_millis(100));
            std::thread::park_timeout(part);
            left -= part;
        }
    }

    /// Says a line on stderr, unless nothing is to be said.
    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            streams::say(&format!("warwolf: {line}\n"));
        }
    }
}

/// Where and when a run was made.
pub(crate) fn environment_of(run: &Run) -> Environment {
    let environment = run.hosts.first().map(|host| host.environment.clone()).unwrap_or_default();
    Environment { started_unix_ns: run.started_unix_ns(), ..environment }
}
