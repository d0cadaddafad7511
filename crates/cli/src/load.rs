//! Runs one plan on this machine.

use crate::exit::Failure;
use crate::{contents, environment};
use std::io;
use std::time::Duration;
use warwolf_args::UsageError;
use warwolf_driver::{Monotonic, host};
use warwolf_engine::{Control, PreparedRun};
use warwolf_measure::{Interval, Run};
use warwolf_plan::{CheckedPlan, Network, Plan, Shard};

/// Time zero lies this far ahead when a run is started, so that its threads are ready for it.
pub(crate) const LEAD: Duration = Duration::from_millis(5);
/// Descriptors that are not for connections: files, rings, the terminal.
const OTHER_DESCRIPTORS: u64 = 128;

/// As many connections as descriptors allow, where the user did not say how many.
pub(crate) fn fit(plan: &mut Plan, descriptors: u64) {
    plan.connections.limit = plan.connections.limit.min(room(descriptors));
}

/// Connections that may be open with this descriptor limit.
fn room(descriptors: u64) -> u32 {
    u32::try_from(descriptors.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX).max(1)
}

/// Whether the connections of a plan are as many as [`fit`] leaves with this descriptor limit.
fn is_fitted(plan: &Plan, descriptors: u64) -> bool {
    plan.is_open() && plan.connections.limit == room(descriptors)
}

/// Checks a plan, and reads what it names.
///
/// # Errors
/// A usage error about the first field or file that is wrong.
pub(crate) fn check(plan: Plan) -> Result<CheckedPlan, UsageError> {
    contents::read(plan.check().map_err(UsageError::of_field)?)
}

/// Prepares a run.
///
/// # Errors
/// When the plan names what is not available.
pub(crate) fn prepare(plan: &CheckedPlan, shard: Shard) -> Result<PreparedRun<'_>, Failure> {
    check_sources(&plan.network)?;
    Ok(PreparedRun::new(plan, shard)?)
}

/// Runs what was prepared and notes what it ran on.
///
/// # Errors
/// When it could not begin.
pub(crate) fn perform(
    prepared: PreparedRun<'_>,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
) -> Result<Run, Failure> {
    perform_from(prepared, Monotonic::start_at(LEAD), control, watch)
}

/// Runs what was prepared with this time zero, at least [`LEAD`] ahead, and notes what it ran on.
///
/// # Errors
/// When it could not begin.
pub(crate) fn perform_from(
    prepared: PreparedRun<'_>,
    start: Monotonic,
    control: &Control,
    watch: &mut dyn FnMut(&Interval),
) -> Result<Run, Failure> {
    let environment = environment::observe();
    let is_capped = is_fitted(prepared.plan(), host::raise_descriptor_limit().unwrap_or(0));
    let mut run = prepared.run(start, control, watch, None)?;
    run.hosts.iter_mut().for_each(|host| host.is_capped = is_capped);
    Ok(run.in_environment(&environment))
}

/// Every source address must be this machine's: otherwise each connection fails, for a reason that names no option.
fn check_sources(network: &Network) -> Result<(), UsageError> {
    for source in &network.bind {
        if let Err(error) = host::take_address(*source) {
            let reason = match error.kind() {
                io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
                _ => error.to_string(),
            };
            let remedy = format!("{reason}; use one that `ip address` shows");
            return Err(UsageError::value("bind", source, remedy));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warwolf_plan::{Request, Schedule};

    #[test]
    fn connections_that_grow_as_needed_stay_within_the_descriptors() {
        let rows = [(1_048_576, 10_000), (1_024, 896), (10, 1)];
        for (descriptors, expected) in rows {
            let mut plan = Plan::new(vec![Request::get("http://a.test/").unwrap()]);
            plan.schedule =
                Schedule::Open { arrivals: warwolf_plan::ArrivalProcess::Constant { rate: 1.0 }, burst: 1 };
            fit(&mut plan, descriptors);
            assert_eq!(plan.connections.limit, expected, "{descriptors}");
            assert_eq!(is_fitted(&plan, descriptors), expected < 10_000, "{descriptors}");
        }
    }
}
