//! Steps that a plan does once, before the run or after it.

use crate::exit::{Failure, TargetFailure};
use crate::{load, streams};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use warwolf_engine::{Control, run_observed};
use warwolf_measure::{Interval, Outcome, Run};
use warwolf_observe::{CallRecord, Observer, Observers};
use warwolf_plan::{CheckedPlan, Plan, Scenario, Schedule, Shard, Step, Stop};
use warwolf_report::printable;
use warwolf_scan::Found;

/// The time after which the steps are given up.
const TIME_MAX: Duration = Duration::from_secs(300);

/// Does what comes once before the run. Returns the plan with what these steps captured.
///
/// # Errors
/// When a step fails: the run is not begun.
pub(crate) fn set_up(plan: CheckedPlan) -> Result<CheckedPlan, Failure> {
    if plan.setup.is_empty() {
        return Ok(plan);
    }
    let done = perform(&plan, &plan.setup)?;
    match done.failed {
        Some(why) => Err(TargetFailure::Setup(why).into()),
        None => Ok(plan.with_captured(done.captured)),
    }
}

/// Does what comes once after the run. A step that fails is named on stderr, and costs nothing of the run.
///
/// # Errors
/// When the steps cannot be begun.
pub(crate) fn tear_down(plan: &CheckedPlan) -> Result<(), Failure> {
    if plan.teardown.is_empty() {
        return Ok(());
    }
    if let Some(why) = perform(plan, &plan.teardown)?.failed {
        streams::say(&format!("warwolf: teardown: {}\n", printable(&why)));
    }
    Ok(())
}

/// Runs a plan with its steps before and after, and notes what it ran on.
///
/// # Errors
/// When it could not begin.
pub(crate) fn run(plan: Plan, control: &Control, watch: &mut dyn FnMut(&Interval)) -> Result<Run, Failure> {
    let plan = set_up(load::check(plan)?)?;
    let run = load::perform(load::prepare(&plan, Shard::WHOLE)?, control, watch);
    tear_down(&plan)?;
    run
}

/// What steps came to.
#[derive(Default)]
struct Done {
    captured: BTreeMap<String, String>,
    /// The first failure.
    failed: Option<String>,
}

/// Runs steps once, by one session.
fn perform(plan: &CheckedPlan, steps: &[Step]) -> Result<Done, Failure> {
    let mut once = Plan::clone(plan);
    once.scenarios = vec![Scenario::new("", steps.to_vec())];
    once.threads = Some(1);
    once.warmup = Duration::ZERO;
    once.labels.clear();
    once.slos.clear();
    once.schedule = Schedule::Turns { users: 1 };
    once.stop = Stop { duration: Some(TIME_MAX), calls: Some(1), grace: Duration::ZERO };
    let captured = plan.contents().captured.clone();
    let once = load::check(once)?.with_captured(captured);
    let done = Mutex::new(Done::default());
    let observers = Observers::new(|| Notes { plan: &once, done: &done });
    run_observed(&once, Shard::WHOLE, &Control::new(), &mut |_| {}, Some(&observers))?;
    drop(observers);
    Ok(done.into_inner().unwrap_or_default())
}

/// Notes captures and failures.
struct Notes<'a> {
    plan: &'a CheckedPlan,
    done: &'a Mutex<Done>,
}

impl Observer for Notes<'_> {
    fn call(&mut self, record: &CallRecord<'_>) {
        let Ok(mut done) = self.done.lock() else { return };
        let Some((_, step)) = self.plan.steps().nth(usize::from(record.sample.target)) else { return };
        if record.is_continued {
            return;
        }
        let failed = match record.sample.outcome {
            Outcome::Completed if record.sample.check_failed => {
                Some(format!("status {}, and a capture or check failed", record.sample.status))
            }
            Outcome::Completed => None,
            outcome => Some(outcome.text().to_owned()),
        };
        if let Some(why) = failed {
            done.failed.get_or_insert_with(|| format!("the step `{}`: {why}", step.name));
        }
        let Some((_, scan)) = &record.kept.scan else { return };
        for (index, capture) in step.captures.iter().enumerate() {
            if let Found::Value(value) = scan.capture(index) {
                done.captured.insert(capture.name.clone(), String::from_utf8_lossy(value).into_owned());
            }
        }
    }
}
