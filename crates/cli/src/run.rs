//! `run`: a plan is made, run, and reported.

use crate::banner::{Means, run_banner};
use crate::exit::{Exit, Failure};
use crate::history::Kept;
use crate::progress::{Manner, Progress};
use crate::results::Results;
use crate::{files, load, once, signals, streams};
use clap::ArgMatches;
use warwolf_args::Run as RunArgs;
use warwolf_args::UsageError;
use warwolf_driver::{host, uring_supported};
use warwolf_engine::{Control, PreparedRun};
use warwolf_measure::Run;
use warwolf_plan::{DriverChoice, Plan, Shard};
use warwolf_report::printable;

/// Runs the load that the arguments describe, shows progress, and reports.
///
/// # Errors
/// When the words are wrong, a file cannot be had, or the run could not begin.
pub(crate) fn run(given: &RunArgs, matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut plan = files::plan(&given.load, matches)?;
    let shard = match &given.shard {
        Some(text) => warwolf_args::shard(text).map_err(|error| UsageError::about(&error, matches))?,
        None => Shard::WHOLE,
    };
    if given.shard.is_some() && given.load.seed.is_none() && given.load.plan.is_none() {
        let remedy = "the parts of a run have one seed; give each the same --seed N";
        return Err(UsageError::option("shard", remedy).into());
    }
    if plan.is_open() && given.load.connections.is_none() && given.load.plan.is_none() {
        load::fit(&mut plan, host::raise_descriptor_limit().unwrap_or(0));
    }
    let plan = load::check(plan)?;
    let results = Results::open(&given.output)?;
    let history = given.keep.as_ref().map(|_| Kept::open(&given.database)).transpose()?;
    let plan = once::set_up(plan)?;
    let prepared = load::prepare(&plan, shard)?;
    if !given.output.quiet {
        streams::say(&format!("warwolf: {}\n", printable(&run_banner(&plan, &means(&plan, &prepared)))));
    }
    let run = perform(&plan, prepared, given);
    once::tear_down(&plan)?;
    let run = run?;
    // The report comes first: a history that another program holds must not cost the result.
    let delivered = results.deliver(&run, &[]);
    if let (Some(mut history), Some(name)) = (history, &given.keep) {
        history.keep_or_rescue(name, &run, given.output.quiet)?;
    }
    let exit = delivered?;
    Ok(if run.is_interrupted() { Exit::Interrupted } else { exit })
}

/// What the engine will use, by the same rules.
fn means(plan: &Plan, prepared: &PreparedRun<'_>) -> Means {
    let driver = match plan.driver {
        DriverChoice::Epoll => "epoll",
        DriverChoice::Auto if uring_supported().is_err() => "epoll",
        DriverChoice::Uring | DriverChoice::Auto => "uring",
    };
    Means { threads: prepared.threads(), connections: prepared.capacity().connections, driver }
}

fn perform(plan: &Plan, prepared: PreparedRun<'_>, given: &RunArgs) -> Result<Run, Failure> {
    let control = Control::new();
    let manner = Manner::suited(given.output.quiet, given.no_tui);
    signals::listen(&control, manner)?;
    let mut progress = Progress::new(manner, plan, &control);
    let run = load::perform(prepared, &control, &mut |interval| progress.show(interval));
    progress.clear();
    run
}
