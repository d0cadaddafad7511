//! `compare`: two sides measured in turns, or two run files, and what differs.

use super::runner::Runner;
use super::sides::{Sides, alike, sliceable};
use crate::exit::{Exit, Failure};
use crate::output::{self, Outputs};
use clap::ArgMatches;
use std::time::Duration;
use warwolf_args::UsageError;
use warwolf_args::Written;
use warwolf_args::experiment::Compare;
use warwolf_args::values::share;
use warwolf_clock::Timestamp;
use warwolf_experiment::compare::{Allowance, Design, FEWEST_BLOCKS, Portion, compare as decide, is_a};
use warwolf_experiment::joined;
use warwolf_measure::{Run, Summary, judge};
use warwolf_plan::quantity::{parse_duration, print_duration};
use warwolf_plan::{Plan, PlanError, Stop};
use warwolf_report::{ComparisonReport, Form, Rendered, Side, unit};

const TOTAL: Duration = Duration::from_secs(120);
const SLICE: Duration = Duration::from_secs(1);
/// Blocks a kept run is cut into (Schmeiser, 1982: 10 to 30).
const BLOCKS: usize = 20;
/// Calls in flight at the end of a slice may go on for this long, so that the next side begins alone.
const GRACE: Duration = Duration::from_secs(1);

/// Compares and says what differs.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or a run could not begin.
pub(crate) fn compare(args: &Compare, matches: &ArgMatches) -> Result<Exit, Failure> {
    let allowance = allowance(args.allow.as_deref(), args.allow_errors.as_deref())?;
    let outputs = output::of_experiment(&args.written, ComparisonReport::FORMS)?;
    let (report, stopped) = match Sides::of(args, matches)? {
        Sides::Kept(sides) => (kept(*sides, allowance), false),
        Sides::Live(sides) => live(*sides, args, allowance, matches)?,
    };
    deliver(&report, &outputs, stopped, args.written.strict)
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
    let outputs = output::of_experiment(written, ComparisonReport::FORMS)?;
    if !may_differ {
        alike(&sides)?;
    }
    deliver(&kept(sides, allowance), &outputs, false, written.strict)
}

fn deliver(
    report: &ComparisonReport,
    outputs: &Outputs<Form>,
    stopped: bool,
    strict: bool,
) -> Result<Exit, Failure> {
    output::deliver(outputs, report)?;
    Ok(match report.reliable() {
        _ if stopped => Exit::Interrupted,
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
struct Slicing {
    slice: Duration,
    warmup: Duration,
    slices: usize,
}

impl Slicing {
    fn of(args: &Compare, plan: &Plan, matches: &ArgMatches) -> Result<Self, UsageError> {
        let about = |error: PlanError| UsageError::about(&error, matches);
        let read = |field: &str, text: &Option<String>, usual| {
            text.as_deref().map_or(Ok(usual), |text| parse_duration(field, text).map_err(about))
        };
        let total = read("duration", &args.load.duration, TOTAL)?;
        let slice = read("slice", &args.slice, SLICE)?;
        if slice < Duration::from_millis(100) {
            return Err(UsageError::option(
                "slice",
                "use at least 100ms, or there is more beginning and end than middle",
            ));
        }
        let slices = (total.as_secs_f64() / slice.as_secs_f64()).round() as usize / 4 * 4;
        if slices < 4 * FEWEST_BLOCKS {
            let remedy = format!(
                "too short for slices of {}; use at least {}, or shorter slices",
                print_duration(slice),
                print_duration(slice * 4 * FEWEST_BLOCKS as u32)
            );
            return Err(UsageError::value("duration", print_duration(total), remedy));
        }
        let warmup = if plan.warmup.is_zero() { slice / 5 } else { plan.warmup };
        if warmup >= slice {
            return Err(UsageError::option("warmup", "it is part of every slice; use less than --slice"));
        }
        Ok(Self { slice, warmup, slices })
    }

    fn plan(&self, plan: &Plan, number: usize) -> Plan {
        let grace = plan.stop.grace.max(GRACE);
        Plan {
            seed: plan.seed.wrapping_add(number as u64),
            warmup: self.warmup,
            stop: Stop { grace, ..Stop::after(self.slice) },
            ..plan.clone()
        }
    }
}

fn live(
    sides: [(String, Plan); 2],
    args: &Compare,
    allowance: Allowance,
    matches: &ArgMatches,
) -> Result<(ComparisonReport, bool), Failure> {
    sides.iter().try_for_each(|(_, plan)| sliceable(plan))?;
    let slicing = Slicing::of(args, &sides[0].1, matches)?;
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
    let mut portions = Vec::new();
    let mut runs = [Vec::new(), Vec::new()];
    for number in 0..slicing.slices {
        let side = usize::from(!is_a(number));
        let run = runner.run(&slicing.plan(&plans[side], number))?;
        if runner.is_stopped() {
            break;
        }
        portions.push(portion(&run, slicing.warmup, slicing.slice));
        runs[side].push(run);
        if (number + 1) % 20 == 0 {
            runner.say(&standing(number + 1, slicing.slices, &portions));
        }
    }
    too_slow(&portions, slicing.slice)?;
    let answer = decide(&Design::of_turns(&portions), allowance, plans[0].seed);
    let [a, b] = &sides;
    let report = ComparisonReport {
        sides: [(a, &runs[0]), (b, &runs[1])].map(|((name, _), runs)| side(name, joined(runs).as_ref())),
        manner: format!(
            "{} slices of {} (the first {} of each left out), in turns A B B A",
            portions.len(),
            print_duration(slicing.slice),
            print_duration(slicing.warmup)
        ),
        answer,
    };
    Ok((report, runner.is_stopped()))
}

/// What a slice says when its beginning and its end are left out.
fn portion(run: &Run, from: Duration, to: Duration) -> Portion {
    let window = run.timeline.window(Timestamp::ZERO + from, Timestamp::ZERO + to);
    Portion::of(&window.tally, window.to.since(window.from).as_secs_f64())
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

/// A call that takes as long as a slice is seen in part only.
fn too_slow(portions: &[Portion], slice: Duration) -> Result<(), UsageError> {
    let limit = slice.as_nanos() as f64 / 4.0;
    let slow = portions.iter().filter_map(|portion| portion.latency.quantile(0.5)).max();
    match slow.filter(|median| *median as f64 > limit) {
        None => Ok(()),
        Some(median) => Err(UsageError::value(
            "slice",
            print_duration(slice),
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
    Side { name: name.to_owned(), verdict: judge(&Summary::of(run.unwrap_or(&nothing))) }
}

fn kept(sides: [(String, Run); 2], allowance: Allowance) -> ComparisonReport {
    let [a, b] = sides.each_ref().map(|(_, run)| blocks(run));
    let seed = sides[0].1.seed ^ sides[1].1.seed;
    ComparisonReport {
        answer: decide(&Design::Apart(a, b), allowance, seed),
        manner:
            "Two runs, each in blocks of its own; what else changed between them is in the difference too"
                .to_owned(),
        sides: sides.each_ref().map(|(name, run)| side(name, Some(run))),
    }
}

/// The measured window of a run in blocks of equal length.
fn blocks(run: &Run) -> Vec<Portion> {
    let end = run.nominal.map_or(Timestamp::NEVER, |nominal| Timestamp::ZERO + nominal);
    let start = Timestamp::ZERO + run.warmup;
    let intervals: Vec<Portion> = run
        .timeline
        .intervals()
        .filter(|interval| interval.start >= start && interval.end <= end)
        .map(|interval| Portion::of(&interval.tally, interval.length().as_secs_f64()))
        .collect();
    let each = (intervals.len() / BLOCKS).max(1);
    intervals
        .chunks_exact(each)
        .filter_map(|chunk| {
            let (first, rest) = chunk.split_first()?;
            let mut block = first.clone();
            rest.iter().for_each(|portion| block.add(portion));
            Some(block)
        })
        .collect()
}
