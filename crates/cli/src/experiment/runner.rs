//! Runs one plan after the other until the user has enough.

use crate::banner::time;
use crate::dashboard::known;
use crate::exit::Failure;
use crate::progress::Manner;
use crate::status_line::{StatusLine, left};
use crate::{load, once, signals, streams};
use std::cell::RefCell;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::host;
use warwolf_engine::Control;
use warwolf_measure::{Environment, Interval, Phase, Run};
use warwolf_plan::Plan;
use warwolf_report::unit;

/// Runs plans; Ctrl-C stops the one that is on and lets no further begin.
pub(crate) struct Runner {
    control: Control,
    quiet: bool,
    line: RefCell<StatusLine>,
    step: RefCell<Step>,
}

/// What the next run is, for the line that is shown while it goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// Which run: `slice 3 of 120`; without it no line is shown.
    pub(crate) label: String,
    /// The time that everything after this run takes, if known.
    pub(crate) after: Option<Duration>,
}

impl Runner {
    /// # Errors
    /// When signals cannot be caught.
    pub(crate) fn new(quiet: bool) -> Result<Self, Failure> {
        let control = Control::new();
        signals::listen(&control, if quiet { Manner::Quiet } else { Manner::Lines })?;
        let line = RefCell::new(StatusLine::new(quiet));
        Ok(Self { control, quiet, line, step: RefCell::default() })
    }

    /// Runs the whole of a plan.
    ///
    /// # Errors
    /// When it could not begin.
    pub(crate) fn run(&self, plan: Plan) -> Result<Run, Failure> {
        let step = self.step.take();
        let length = plan.stop.duration.or_else(|| crate::banner::own_end(&plan));
        self.show(&step, length, None);
        once::run(plan, &self.control, &mut |interval| self.show(&step, length, Some(interval)))
    }

    /// Describes the next run.
    pub(crate) fn announce(&self, step: Step) {
        self.step.replace(step);
    }

    fn show(&self, step: &Step, length: Option<Duration>, interval: Option<&Interval>) {
        if !step.label.is_empty() {
            self.line.borrow_mut().show(&status(step, length, interval));
        }
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
            self.line.borrow_mut().clear();
            streams::say(&format!("warwolf: {line}\n"));
        }
    }
}

/// The line while a run goes on: which run, how far it is, its latest figures, and the time left.
fn status(step: &Step, length: Option<Duration>, interval: Option<&Interval>) -> String {
    let elapsed = interval.map_or(Duration::ZERO, |interval| interval.end.since(Timestamp::ZERO));
    let of = length.map_or_else(String::new, |length| format!(" of {}", time(length)));
    let left_of_this = length.map(|length| length.saturating_sub(elapsed));
    let left = left(left_of_this.zip(step.after).map(|(this, after)| this + after));
    let figures = interval.map_or_else(String::new, |interval| {
        let seconds = interval.length().as_secs_f64().max(1e-9);
        let p99 = interval.tally.phase(Phase::Latency).quantile(0.99);
        format!(
            ", {}, p99 {}, {}",
            unit::rate(interval.tally.completed() as f64 / seconds),
            known(p99),
            unit::counted(interval.tally.errors(), "error")
        )
    });
    format!("{}: {}{of}{figures}{left}", step.label, time(Duration::from_secs(elapsed.as_secs())))
}

/// Where and when a run was made.
pub(crate) fn environment_of(run: &Run) -> Environment {
    let environment = run.hosts.first().map(|host| host.environment.clone()).unwrap_or_default();
    Environment { started_unix_ns: run.started_unix_ns(), ..environment }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_measure::Tally;

    #[test]
    fn the_line_has_figures_and_the_time_left() {
        let interval = Interval {
            number: 3,
            start: Timestamp::from_nanos(3_000_000_000),
            end: Timestamp::from_nanos(4_000_000_000),
            tally: Tally::new(),
        };
        let step = Step { label: "run 2 of 5".into(), after: Some(Duration::from_secs(30)) };
        let ten = Some(Duration::from_secs(10));
        assert_eq!(
            status(&step, ten, Some(&interval)),
            "run 2 of 5: 4s of 10s, 0.00/s, p99 -, 0 errors, about 36s left"
        );
        assert_eq!(status(&step, ten, None), "run 2 of 5: 0s of 10s, about 40s left");
        let endless = Step { after: None, ..step };
        assert_eq!(status(&endless, None, None), "run 2 of 5: 0s");
    }
}
