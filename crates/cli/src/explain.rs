//! `explain`: the plan that the words mean, printed and not run.

use crate::exit::Failure;
use crate::{files, streams};
use clap::ArgMatches;
use warwolf_args::{Explain, PlanFormat};
use warwolf_plan::text;
use warwolf_report::printable;

/// Prints the plan on stdout and a description of it on stderr.
///
/// # Errors
/// When the words make no plan.
pub(crate) fn explain(args: &Explain, matches: &ArgMatches) -> Result<(), Failure> {
    let plan = files::plan(&args.load, matches)?;
    if !args.quiet {
        let description = warwolf_plan::describe(&plan);
        let lines: String = description.lines().map(|line| printable(line) + "\n").collect();
        streams::say(&lines);
    }
    let mut printed = match args.format {
        PlanFormat::Toml => text::to_toml(&plan),
        PlanFormat::Json => text::to_json(&plan),
    };
    if !printed.ends_with('\n') {
        printed.push('\n');
    }
    streams::print(printed.as_bytes())
}
