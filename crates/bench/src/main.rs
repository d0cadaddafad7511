//! Measures the program beside its peers, in one run: interleaved rounds, one core for the tool and one for the server.
//!
//! Run as `cargo xtask bench`. CPU time is what the kernel charged the tool's process, divided by the requests the tool
//! itself counts as completed.
#![forbid(unsafe_code)]

mod bare_ring;
mod classic;
mod figures;
mod machine;
mod once;
mod scenario;
mod server;
mod spent;
mod table;
mod tool;
mod verdicts;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use serde_json::json;

use crate::scenario::Scenario;
use crate::server::Server;

/// The options of `cargo xtask bench`.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", about = "Measure warwolf beside its peers")]
struct Options {
    #[command(subcommand)]
    part: Option<Part>,
    /// The program to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/warwolf")]
    warwolf: PathBuf,
    /// One short round of each: shows that it works, measures little
    #[arg(long)]
    quick: bool,
    /// Rounds of each comparison
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Only scenarios whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Write the figures here as JSON as well
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Parts that run in a process of their own, so that their CPU time is theirs alone.
#[derive(Debug, Subcommand)]
enum Part {
    /// A ring loop that sends and counts bytes, and does not parse
    #[command(hide = true)]
    BareRing { address: SocketAddr, seconds: f64, connections: u32, pipeline: usize },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.part {
        Some(Part::BareRing { address, seconds, connections, pipeline }) => {
            bare_ring::run(address, Duration::from_secs_f64(seconds), connections, pipeline).map(|()| true)
        }
        None => run(&options),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Everything, or what `--only` names; true when every target that was measured is met.
fn run(options: &Options) -> Result<bool> {
    let program = options.warwolf.canonicalize().context(options.warwolf.display().to_string())?;
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| name.contains(only));
    let rounds = if options.quick { 1 } else { options.rounds };
    let seconds = if options.quick { 1 } else { 2 };

    let machine = machine::describe();
    println!("{}", machine::line(&machine));
    let server = Server::start().context("nginx")?;
    let mut all_met = true;
    let mut written = Vec::new();
    for scenario in Scenario::all().into_iter().filter(|scenario| wanted(scenario.name)) {
        let figures = scenario::measure(&scenario, &program, &server, rounds, seconds)?;
        print!("{}", table::comparison(&scenario, &figures));
        all_met &= figures.targets.iter().all(|target| target.met);
        written.push(figures.json(scenario.name));
    }
    for single in once::Single::all().into_iter().filter(|single| wanted(single.name)) {
        let results = (single.measure)(&program, &server, rounds.min(3), seconds)?;
        print!("{}", table::single(single.name, &results));
        all_met &= results.iter().all(|result| result.met);
        written.push(json!({ "scenario": single.name, "results": results.iter().map(once::Measured::json).collect::<Vec<_>>() }));
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(
            &json!({ "machine": machine, "rounds": rounds, "seconds": seconds, "scenarios": written }),
        )?;
        std::fs::write(path, text + "\n").with_context(|| path.display().to_string())?;
    }
    Ok(all_met)
}
