//! `check`: each step of a plan is run once, and its request, reply, captures and checks are printed.

use crate::exit::{Exit, Failure};
use crate::{files, load, once, streams};
use clap::ArgMatches;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Duration;
use warwolf_args::{Check as CheckArgs, UsageError};
use warwolf_engine::{Control, run_observed};
use warwolf_observe::{CallRecord, Observer, Observers};
use warwolf_plan::secrets::masked_line;
use warwolf_plan::{CheckedPlan, Plan, Repeat, Scenario, Schedule, Shard, Step, Stop, Think};
use warwolf_report::printable;
use warwolf_scan::Found;
use warwolf_workload::Interest;

/// How much of a body is printed, in bytes.
const BODY_MAX: usize = 2_048;
/// The time after which a plan that polls is given up.
const TIME_MAX: Duration = Duration::from_secs(300);

/// Runs each step of a plan once and prints what it did.
///
/// # Errors
/// When the plan is wrong, or the run could not begin.
pub(crate) fn check(args: &CheckArgs, matches: &ArgMatches) -> Result<Exit, Failure> {
    let plan = files::plan(&args.load, matches)?;
    if plan.scenarios.is_empty() {
        let remedy = "the plan has no steps; `warwolf run -n 1` sends a single request";
        return Err(UsageError::option("plan", remedy).into());
    }
    let mut exit = Exit::Well;
    for number in 0..plan.scenarios.len() {
        let plan = once::set_up(load::check(each_once(&plan, number))?)?;
        if !run(&plan, args.quiet)? {
            exit = Exit::Broken;
        }
        once::tear_down(&plan)?;
    }
    Ok(exit)
}

/// The plan with one session of one scenario, which runs each step once and without pauses.
fn each_once(plan: &Plan, number: usize) -> Plan {
    let mut plan = plan.clone();
    let scenario = plan.scenarios.swap_remove(number);
    plan.scenarios = vec![Scenario {
        repeat: Repeat::ONCE,
        setup: scenario.setup.into_iter().map(step_once).collect(),
        steps: scenario.steps.into_iter().map(step_once).collect(),
        teardown: scenario.teardown.into_iter().map(step_once).collect(),
        ..scenario
    }];
    plan.threads = Some(1);
    plan.warmup = Duration::ZERO;
    plan.schedule = Schedule::Turns { users: 1 };
    plan.stop = Stop { duration: Some(TIME_MAX), calls: Some(1), grace: Duration::ZERO };
    plan
}

/// A step that is taken, and not repeated. Polling goes on, with its pauses.
fn step_once(step: Step) -> Step {
    let think = if step.again.is_some() { step.think } else { Think::None };
    Step { share: 1.0, branch: None, repeat: Repeat::ONCE, pace: None, rate_limit: None, think, ..step }
}

/// Runs a plan and prints its calls. Returns whether all steps passed.
fn run(plan: &CheckedPlan, is_quiet: bool) -> Result<bool, Failure> {
    let printed = Mutex::new(Printed::default());
    let observers = Observers::new(|| Printer { plan, is_quiet, printed: &printed });
    run_observed(plan, Shard::WHOLE, &Control::new(), &mut |_| {}, Some(&observers))?;
    drop(observers);
    let printed = printed.into_inner().unwrap_or_default();
    let mut text = printed.text;
    for (row, (_, step)) in plan.steps().enumerate() {
        if !printed.rows.contains(&row) {
            let _ = writeln!(text, "{}: not run", printable(&step.name));
        }
    }
    let _ = writeln!(text, "{} passed, {} failed", printed.passed, printed.failed);
    streams::print(text.as_bytes())?;
    Ok(printed.failed == 0)
}

/// What was printed so far, and what it came to.
#[derive(Default)]
struct Printed {
    text: String,
    /// Rows whose step was run.
    rows: Vec<usize>,
    passed: u32,
    failed: u32,
}

/// Prints calls as they end.
struct Printer<'a> {
    plan: &'a CheckedPlan,
    is_quiet: bool,
    printed: &'a Mutex<Printed>,
}

impl Observer for Printer<'_> {
    fn call(&mut self, record: &CallRecord<'_>) {
        let Ok(mut printed) = self.printed.lock() else { return };
        let row = usize::from(record.sample.target);
        let Some((_, step)) = self.plan.steps().nth(row) else { return };
        printed.rows.push(row);
        let mut text = String::new();
        self.call_lines(record, step, &mut text);
        let is_answered = record.sample.outcome == warwolf_measure::Outcome::Completed;
        if !is_answered {
            printed.failed += 1;
            let _ = writeln!(text, "  FAILED: {}", record.sample.outcome.text());
        } else if !record.is_continued {
            let (passed, failed) = results(record, step, &mut text);
            printed.passed += passed;
            printed.failed += failed;
        }
        printed.text.push_str(&self.plan.hide_secrets(&text));
        printed.text.push('\n');
    }

    fn add_interest(&self, interest: &mut Interest) {
        interest.exchange = true;
        interest.add_body(BODY_MAX);
    }
}

impl Printer<'_> {
    /// Request and reply of a call, as they went over the wire.
    fn call_lines(&self, record: &CallRecord<'_>, step: &Step, text: &mut String) {
        let kept = record.kept;
        let service = record.sample.service().unwrap_or_default();
        let _ = writeln!(text, "{}: {} in {service:.1?}", printable(&step.name), record.sample.status);
        if self.is_quiet {
            return;
        }
        let request = String::from_utf8_lossy(&kept.request);
        let (head, body) = request.split_once("\r\n\r\n").unwrap_or((&request, ""));
        lines('>', head.lines().map(masked_line), text);
        lines('>', body.lines().map(str::to_owned), text);
        let head = String::from_utf8_lossy(&kept.head);
        lines('<', head.trim_end().lines().map(masked_line), text);
        let body = String::from_utf8_lossy(&kept.body);
        lines('<', body.lines().map(str::to_owned), text);
        let left = record.sample.body_bytes.saturating_sub(kept.body.len() as u64);
        if left > 0 {
            let _ = writeln!(text, "  < … {left} bytes more");
        }
    }
}

/// Adds lines that were sent or received.
fn lines(mark: char, lines: impl Iterator<Item = String>, text: &mut String) {
    for line in lines {
        let _ = writeln!(text, "  {mark} {}", printable(&line));
    }
}

/// The captures and checks of a reply. Returns how many passed and failed; a step without any passes.
fn results(record: &CallRecord<'_>, step: &Step, text: &mut String) -> (u32, u32) {
    let Some((_, scan)) = &record.kept.scan else { return (1, 0) };
    let (mut passed, mut failed) = (0, 0);
    for (index, capture) in step.captures.iter().enumerate() {
        let name = printable(&capture.name);
        let wrong = match scan.capture(index) {
            Found::Value(value) => {
                let value = String::from_utf8_lossy(value);
                let _ = writeln!(text, "  {name} = {}", printable(&value));
                passed += 1;
                continue;
            }
            Found::Missing => "nothing found".to_owned(),
            Found::TooLong { length, max } => format!("{length} bytes, and there is room for {max}"),
            Found::Unreadable(why) => why.to_owned(),
        };
        failed += 1;
        let _ =
            writeln!(text, "  FAILED: capture {name}: {wrong} ({})", printable(&capture.query.to_string()));
    }
    for (index, check) in step.checks.iter().enumerate() {
        let check = check.to_string();
        if scan.holds(index) {
            passed += 1;
            let _ = writeln!(text, "  passed: {}", printable(&check));
        } else {
            failed += 1;
            let _ =
                writeln!(text, "  FAILED: {}: found {}", printable(&check), printable(&scan.found(index)));
        }
    }
    (passed, failed)
}
