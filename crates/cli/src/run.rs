//! `run`: a plan is made, run, and reported.

use crate::banner::{Means, headline};
use crate::exit::{Exit, Failure};
use crate::history::Kept;
use crate::progress::{Manner, Progress};
use crate::results::Results;
use crate::{environment, files, signals, streams};
use clap::ArgMatches;
use std::io;
use warwolf_args::Run as RunArgs;
use warwolf_args::UsageError;
use warwolf_driver::{host, uring_supported};
use warwolf_engine::{Capacity, Control, SetupError};
use warwolf_measure::{Interval, Run};
use warwolf_plan::{DriverChoice, Network, Plan, Shard};

/// Descriptors that are not for connections: files, rings, the terminal.
const OTHER_DESCRIPTORS: u64 = 128;

/// Runs what the words mean, shows how it goes, and reports.
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
        return Err(UsageError::new(
            "--shard: the parts of a run have one seed; give each the same --seed N",
        )
        .into());
    }
    if plan.is_open() && given.load.connections.is_none() && given.load.plan.is_none() {
        fit(&mut plan, host::raise_descriptor_limit().unwrap_or(0));
    }
    let results = Results::open(&given.output)?;
    let history = given.keep.as_ref().map(|_| Kept::open(&given.database)).transpose()?;
    if !given.output.quiet {
        streams::say(&format!("warwolf: {}\n", headline(&plan, &means(&plan, shard))));
    }
    let run = perform(&plan, shard, given)?;
    if let (Some(mut history), Some(name)) = (history, &given.keep) {
        history.keep(name, &run, given.output.quiet)?;
    }
    let exit = results.deliver(&run, &[])?;
    Ok(if run.is_interrupted() { Exit::Interrupted } else { exit })
}

/// As many connections as descriptors allow, where the user did not say how many.
pub(crate) fn fit(plan: &mut Plan, descriptors: u64) {
    let room = u32::try_from(descriptors.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX);
    plan.connections.limit = plan.connections.limit.min(room).max(1);
}

/// What the engine will use, by the same rules.
fn means(plan: &Plan, shard: Shard) -> Means {
    let driver = match plan.driver {
        DriverChoice::Epoll => "epoll",
        DriverChoice::Auto if uring_supported().is_err() => "epoll",
        DriverChoice::Uring | DriverChoice::Auto => "uring",
    };
    let capacity = Capacity::of(plan, shard);
    Means {
        threads: capacity.threads(host::available_cores().len()),
        connections: capacity.connections,
        driver,
    }
}

fn perform(plan: &Plan, shard: Shard, given: &RunArgs) -> Result<Run, Failure> {
    let control = Control::new();
    let manner = Manner::suited(given.output.quiet, given.no_tui);
    signals::listen(&control, manner)?;
    let mut progress = Progress::new(manner, plan, &control);
    let run = load(plan, shard, &control, &mut |interval| progress.show(interval));
    progress.clear();
    run
}

/// Runs a plan and notes what it ran on.
///
/// # Errors
/// When it could not begin.
pub(crate) fn load(
    plan: &Plan,
    shard: Shard,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
) -> Result<Run, Failure> {
    check_sources(&plan.network)?;
    let environment = environment::observe();
    match warwolf_engine::run(plan, shard, control, watch) {
        Ok(run) => Ok(run.in_environment(&environment)),
        // The plan passed its own check, so what is wrong now is what it names.
        Err(error @ (SetupError::Plan(_) | SetupError::Request { .. })) => {
            Err(UsageError::new(error.to_string()).into())
        }
        Err(error) => Err(Failure::new(error)),
    }
}

/// Every source address must be this machine's: otherwise each connection fails, for a reason that names no option.
fn check_sources(network: &Network) -> Result<(), UsageError> {
    for source in &network.bind {
        if let Err(error) = host::take_address(*source) {
            let reason = match error.kind() {
                io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
                _ => error.to_string(),
            };
            return Err(UsageError::new(format!(
                "--bind: `{source}`: {reason}; use one that `ip address` shows"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::Request;

    #[test]
    fn connections_that_grow_as_needed_stay_within_the_descriptors() {
        let rows = [(1_048_576, 10_000), (1_024, 896), (10, 1)];
        for (descriptors, expected) in rows {
            let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
            fit(&mut plan, descriptors);
            assert_eq!(plan.connections.limit, expected, "{descriptors}");
        }
    }
}
