//! `compare`: two sides measured in turns, or two run files, and what differs.

use super::runner::{Runner, Step, environment_of};
use super::sides::{Sides, alike, sliceable};
use crate::environment;
use crate::exit::{Exit, Failure};
use crate::output::{self, Outputs};
use clap::ArgMatches;
use std::time::Duration;
use warwolf_args::UsageError;
use warwolf_args::Written;
use warwolf_args::experiment::Compare;
use warwolf_args::values::share;
use warwolf_experiment::compare::{
    Allowance, Design, Portion, SLICE_MIN, Slicing, SlicingError, blocks, compare as decide, figures, is_a,
    steps,
};
use warwolf_experiment::joined;
use warwolf_measure::{Environment, Run, Summary, judge};
use warwolf_plan::quantity::{parse_duration, print_duration};
use warwolf_plan::{Plan, Stop};
use warwolf_report::{ComparisonReport, Format, Rendered, Side, unit};

const TOTAL: Duration = Duration::from_secs(120);
const SLICE: Duration = Duration::from_secs(1);
/// Calls in flight at the end of a slice may go on for this long, so that the next side begins alone.
const GRACE: Duration = Duration::from_secs(1);

/// Compares and says what differs.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or a run could not begin.
pub(crate) fn compare(args: &Compare, matches: &ArgMatches) -> Result<Exit, Failure> {
    let allowance = allowance(args.allow.as_deref(), args.allow_errors.as_deref())?;
    let outputs = output::of_experiment(&args.written, ComparisonReport::FORMATS)?;
    let Live { report, is_stopped, ended } = match Sides::of(args, matches)? {
        Sides::Kept(sides) => Live { report: kept(*sides, allowance), is_stopped: false, ended: Ok(()) },
        Sides::Live(sides) => live(*sides, args, allowance, matches)?,
    };
    let exit = deliver(&report, &outputs, is_stopped, args.written.strict)?;
    ended.map(|()| exit)
}

/// Compares two kept runs, each with its name; what is allowed is in words.
///
/// # Errors
/// When the words are wrong, the runs are of different loads and may not be, or a file cannot be had.
pub(crate) fn compare_kept(
    sides: [(String, Run); 2],
    may_differ: bool,
    (relative, errors): (Option<&str>, Option<&str>),
    written: &Written,
) -> Result<Exit, Failure> {
    let allowance = allowance(relative, errors)?;
    let outputs = output::of_experiment(written, ComparisonReport::FORMATS)?;
    if !may_differ {
        alike(&sides)?;
    }
    deliver(&kept(sides, allowance), &outputs, false, written.strict)
}

fn deliver(
    report: &ComparisonReport,
    outputs: &Outputs<Format>,
    stopped: bool,
    strict: bool,
) -> Result<Exit, Failure> {
    output::deliver(outputs, report)?;
    Ok(match report.reliable() {
        _ if stopped => Exit::Interrupted,
        _ if strict && report.is_doubtful() => Exit::Doubtful,
        Some(comparison) if comparison.is_regression() => Exit::Worse,
        Some(comparison) if strict && comparison.unknown().next().is_some() => Exit::Doubtful,
        None if strict => Exit::Doubtful,
        None => Exit::Failed,
        _ => Exit::Well,
    })
}

fn allowance(relative: Option<&str>, errors: Option<&str>) -> Result<Allowance, UsageError> {
    let usual = Allowance::default();
    Ok(Allowance {
        relative: share("allow", relative, usual.relative)?,
        errors: share("allow-errors", errors, usual.errors)?,
    })
}

/// How a live comparison is cut up.
fn slicing(args: &Compare, plan: &Plan, matches: &ArgMatches) -> Result<Slicing, UsageError> {
    let read = |field: &str, text: &Option<String>, usual| {
        let parse = |text| parse_duration(field, text).map_err(|error| UsageError::about(&error, matches));
        text.as_deref().map_or(Ok(usual), parse)
    };
    let total = read("duration", &args.load.duration, TOTAL)?;
    let slice = read("slice", &args.slice, SLICE)?;
    Slicing::new(total, slice, plan.warmup).map_err(|error| match error {
        SlicingError::Slice => UsageError::option(
            "slice",
            format!("use at least {}, or start and end are most of it", print_duration(SLICE_MIN)),
        ),
        SlicingError::Total(least) => UsageError::value(
            "duration",
            print_duration(total),
            format!(
                "too short for slices of {}; use at least {}, or shorter slices",
                print_duration(slice),
                print_duration(least)
            ),
        ),
        SlicingError::Warmup => {
            UsageError::option("warmup", "it is part of every slice; use less than --slice")
        }
    })
}

/// The plan of a slice.
fn slice_plan(slicing: &Slicing, plan: &Plan, number: usize) -> Plan {
    let grace = plan.stop.grace.max(GRACE);
    Plan {
        seed: plan.seed.wrapping_add(number as u64),
        warmup: slicing.warmup,
        stop: Stop { grace, ..Stop::after(slicing.slice) },
        ..plan.clone()
    }
}

/// The result of a live comparison.
struct Live {
    report: ComparisonReport,
    is_stopped: bool,
    /// The failure that ended it early.
    ended: Result<(), Failure>,
}

fn live(
    sides: [(String, Plan); 2],
    args: &Compare,
    allowance: Allowance,
    matches: &ArgMatches,
) -> Result<Live, Failure> {
    sides.iter().try_for_each(|(_, plan)| sliceable(plan))?;
    let slicing = slicing(args, &sides[0].1, matches)?;
    let runner = Runner::new(args.written.quiet)?;
    let mut plans = sides.each_ref().map(|(_, plan)| plan.clone());
    if args.load.connections.is_none() {
        plans.iter_mut().filter(|plan| plan.is_open()).for_each(Runner::fit);
    }
    runner.say(&format!(
        "{} slices of {}, in turns A B B A: {} in all",
        slicing.slices,
        print_duration(slicing.slice),
        print_duration(slicing.slice * slicing.slices as u32)
    ));
    let Slices { portions, runs, mut ended } = measure(&slicing, &plans, &runner)?;
    if portions.is_empty() {
        ended?;
        ended = Ok(());
    }
    let is_partial = portions.len() < slicing.slices;
    if !is_partial {
        check_speed(&slicing, &portions)?;
    }
    let [a, b] = [true, false].map(|wanted| {
        let mine = portions.iter().enumerate().filter(|(number, _)| is_a(*number) == wanted);
        mine.map(|(_, portion)| portion.clone()).collect::<Vec<_>>()
    });
    let report = ComparisonReport {
        answer: decide(&Design::of_turns(&portions), allowance, plans[0].seed),
        figures: figures(&a, &b),
        steps: steps([&runs[0], &runs[1]], slicing.warmup),
        partial: is_partial.then_some((portions.len(), slicing.slices)),
        environment: environment::observe(),
        sides: [(&sides[0].0, &runs[0]), (&sides[1].0, &runs[1])]
            .map(|(name, runs)| side(name, joined(runs).as_ref())),
        manner: format!(
            "{} slices of {} (the first {} of each left out), in turns A B B A",
            portions.len(),
            print_duration(slicing.slice),
            print_duration(slicing.warmup)
        ),
    };
    Ok(Live { report, is_stopped: runner.is_stopped(), ended })
}

/// What was measured of the slices of a comparison.
struct Slices {
    /// One for each slice.
    portions: Vec<Portion>,
    /// The runs of A and of B.
    runs: [Vec<Run>; 2],
    /// The failure that ended it early.
    ended: Result<(), Failure>,
}

/// Measures the slices until all are done, the user stops, or a run fails.
///
/// # Errors
/// When the slices are too short for the latency.
fn measure(slicing: &Slicing, plans: &[Plan; 2], runner: &Runner) -> Result<Slices, UsageError> {
    let mut slices = Slices { portions: Vec::new(), runs: [Vec::new(), Vec::new()], ended: Ok(()) };
    for number in 0..slicing.slices {
        let side = usize::from(!is_a(number));
        runner.announce(Step {
            label: standing(number, slicing.slices, &slices.portions),
            after: Some(slicing.slice * (slicing.slices - number - 1) as u32),
        });
        let run = match runner.run(slice_plan(slicing, &plans[side], number)) {
            Ok(run) => run,
            Err(failure) => {
                slices.ended = Err(failure);
                break;
            }
        };
        if runner.is_stopped() {
            break;
        }
        slices.portions.push(slicing.portion(&run));
        slices.runs[side].push(run);
        // Slices that are too short are no reason to measure all of them first.
        if number + 1 == 4 {
            check_speed(slicing, &slices.portions)?;
        }
        if (number + 1) % 20 == 0 {
            runner.say(&standing(number + 1, slicing.slices, &slices.portions));
        }
    }
    Ok(slices)
}

fn standing(done: usize, of: usize, portions: &[Portion]) -> String {
    let rate = |wanted: bool| {
        let mine = || portions.iter().enumerate().filter(move |(number, _)| is_a(*number) == wanted);
        let seconds: f64 = mine().map(|(_, portion)| portion.seconds).sum();
        let calls: u64 = mine().map(|(_, portion)| portion.completed).sum();
        unit::rate(calls as f64 / seconds.max(1e-9))
    };
    format!("{done} of {of} slices: A {}, B {}", rate(true), rate(false))
}

fn check_speed(slicing: &Slicing, portions: &[Portion]) -> Result<(), UsageError> {
    match slicing.too_slow(portions) {
        None => Ok(()),
        Some(median) => Err(UsageError::value(
            "slice",
            print_duration(slicing.slice),
            format!(
                "requests took {} and more, too long for such slices; use at least {}",
                unit::duration(median as f64),
                unit::duration(median as f64 * 10.0)
            ),
        )),
    }
}

fn side(name: &str, run: Option<&Run>) -> Side {
    let nothing = Run::new(Duration::from_secs(1));
    Side {
        name: name.to_owned(),
        verdict: judge(&Summary::of(run.unwrap_or(&nothing))),
        environment: run.map_or_else(Environment::default, environment_of),
    }
}

fn kept(sides: [(String, Run); 2], allowance: Allowance) -> ComparisonReport {
    let [a, b] = sides.each_ref().map(|(_, run)| blocks(run));
    let seed = sides[0].1.seed ^ sides[1].1.seed;
    ComparisonReport {
        figures: figures(&a, &b),
        steps: steps(sides.each_ref().map(|(_, run)| std::slice::from_ref(run)), sides[0].1.warmup),
        partial: None,
        environment: environment::observe(),
        answer: decide(&Design::Apart(a, b), allowance, seed),
        manner:
            "Two runs, each in blocks of its own; what else changed between them is in the difference too"
                .to_owned(),
        sides: sides.each_ref().map(|(name, run)| side(name, Some(run))),
    }
}
