//! Benchmarks warwolf against other load testers: interleaved rounds, one core for the tool and one for the server.
//!
//! Run as `cargo xtask bench`. CPU time is charged by the kernel to the process of the tool, and divided by the number of completed
//! requests that the tool reports.
#![forbid(unsafe_code)]

mod bare_ring;
mod classic;
mod figures;
mod instructions;
mod machine;
mod once;
mod scenario;
mod server;
mod spent;
mod steps;
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
#[command(name = "cargo xtask bench", about = "Benchmark warwolf against other load testers")]
struct Options {
    #[command(subcommand)]
    part: Option<Part>,
    /// Program to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/warwolf")]
    warwolf: PathBuf,
    /// One short round of each scenario; a smoke test with inaccurate figures
    #[arg(long)]
    quick: bool,
    /// Number of rounds of each comparison
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Run only scenarios whose name contains this text
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Also write the figures to this JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Commands that run in a separate process, so that their CPU time is measured separately.
#[derive(Debug, Subcommand)]
enum Part {
    /// An io_uring loop that sends requests and counts bytes, without parsing
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

/// Runs all scenarios, or those selected by `--only`; returns true if all targets are met.
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
