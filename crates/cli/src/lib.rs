//! The program: one function per command, files, signals, progress and exit codes.
//!
//! The binary calls only [`main`]; development tasks compare documents with [`command`].
#![forbid(unsafe_code)]

mod banner;
mod check;
mod classics;
mod contents;
mod crawl;
mod dashboard;
mod date;
mod endpoint;
mod environment;
mod exit;
mod experiment;
mod explain;
mod files;
mod history;
mod hurl;
mod import;
mod load;
mod manuals;
mod once;
mod output;
mod output_file;
mod progress;
mod replay;
mod results;
mod run;
mod run_files;
mod signals;
mod status_line;
mod streams;
mod target;
mod torture;

use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};
use exit::{Exit, Failure};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use warwolf_args::UsageError;
use warwolf_args::{Command, Program};
use warwolf_report::printable;

/// The command line as it is defined: commands, options, help.
#[must_use]
pub fn command() -> clap::Command {
    warwolf_args::command()
}

/// Reads the command line, does what it says, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some((classic, args)) = classics::asked_for(&args) {
        return ExitCode::from(classic(&args));
    }
    match execute(warwolf_args::with_command(args)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            streams::say(&format!("warwolf: {}\n", printable(&failure.to_string())));
            failure.exit().into()
        }
    }
}

fn execute(args: Vec<OsString>) -> Result<Exit, Failure> {
    if args.len() < 2 {
        streams::print(warwolf_args::SHORT_HELP.as_bytes())?;
        return Ok(Exit::Well);
    }
    let matches = match warwolf_args::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            streams::checked(error.print().and_then(|()| std::io::stdout().flush()))?;
            return Ok(Exit::Well);
        }
        Err(error) => return Err(UsageError::from_clap(&error, environment::variable).into()),
    };
    let program = Program::from_arg_matches(&matches)
        .map_err(|error| UsageError::from_clap(&error, environment::variable))?;
    let none = ArgMatches::default();
    dispatch(&program.command, matches.subcommand().map_or(&none, |(_, matches)| matches))
}

fn dispatch(command: &Command, matches: &ArgMatches) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => return run::run(args, matches),
        Command::Check(args) => return check::check(args, matches),
        Command::Report(args) => return run_files::report(args),
        Command::Merge(args) => return run_files::merge(args),
        Command::Compare(args) => return experiment::compare(args, matches),
        Command::Sweep(args) => return experiment::sweep(args, matches),
        Command::Capacity(args) => return experiment::capacity(args, matches),
        Command::Replay(args) => return replay::replay(args, matches),
        Command::History(args) => return history::history(args),
        Command::Target(options) => return target::target(options),
        Command::Torture(args) => return torture::torture(args),
        Command::Crawl(args) => return crawl::crawl(args),
        Command::Explain(args) => explain::explain(args, matches)?,
        Command::Import(args) => import::import(args)?,
        Command::Completions(args) => streams::print(&manuals::completions(args))?,
        Command::Man(args) => streams::print(&manuals::manual(args)?)?,
    }
    Ok(Exit::Well)
}
