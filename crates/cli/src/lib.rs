//! The program: arguments, signals, progress, exit codes; no logic of its own.
//!
//! Words become a plan in `words`, and from there on the command line is forgotten. `main` is all that the binary calls;
//! [`command`] is there for chores that compare documents with the options.
#![forbid(unsafe_code)]

mod args;
mod classics;
mod complaint;
mod crawl;
mod date;
mod environment;
mod exit;
mod experiment;
mod explain;
mod files;
mod headline;
mod history;
mod kept;
mod pages;
mod panel;
mod place;
mod progress;
mod replay;
mod results;
mod run;
mod screen;
mod serving;
mod signals;
mod streams;
mod torture;
mod words;

use args::{Command, Program};
use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};
use complaint::Complaint;
use exit::{Exit, Failure};
use std::ffi::OsString;
use std::process::ExitCode;

/// The command line as it is defined: commands, options, help.
#[must_use]
pub fn command() -> clap::Command {
    args::command()
}

/// Reads the command line, does what it says, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some((classic, words)) = classics::asked_for(&words) {
        return ExitCode::from(classic(&words));
    }
    match obey(args::with_command(words)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            streams::say(&format!("warwolf: {failure}\n"));
            failure.exit.into()
        }
    }
}

fn obey(words: Vec<OsString>) -> Result<Exit, Failure> {
    if words.len() < 2 {
        streams::print(screen::TEXT.as_bytes())?;
        return Ok(Exit::Well);
    }
    let matches = match args::command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            // Printing can fail only because nobody reads.
            let _ = error.print();
            return Ok(Exit::Well);
        }
        Err(error) => return Err(Complaint::from_clap(&error).into()),
    };
    let program = Program::from_arg_matches(&matches).map_err(|error| Complaint::from_clap(&error))?;
    let none = ArgMatches::default();
    dispatch(&program.command, matches.subcommand().map_or(&none, |(_, matches)| matches))
}

fn dispatch(command: &Command, matches: &ArgMatches) -> Result<Exit, Failure> {
    match command {
        Command::Run(words) => return run::run(words, matches),
        Command::Report(words) => return kept::report(words),
        Command::Merge(words) => return kept::merge(words),
        Command::Compare(words) => return experiment::compare(words, matches),
        Command::Sweep(words) => return experiment::sweep(words, matches),
        Command::Capacity(words) => return experiment::capacity(words, matches),
        Command::Replay(words) => return replay::replay(words, matches),
        Command::History(words) => return history::history(words),
        Command::Target(options) => return serving::target(options),
        Command::Torture(words) => return torture::torture(words),
        Command::Crawl(words) => return crawl::crawl(words),
        Command::Explain(words) => explain::explain(words, matches)?,
        Command::Completions(words) => streams::print(&pages::completions(words))?,
        Command::Man(words) => streams::print(&pages::manual(words)?)?,
    }
    Ok(Exit::Well)
}
