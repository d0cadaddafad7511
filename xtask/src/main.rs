//! The project's chores: what must hold (`ci`, `tidy`) and what is shown (`demo`, `bench`).
//!
//! Not part of the product; run as `cargo xtask …` from anywhere in the workspace.
#![forbid(unsafe_code)]

mod bench;
mod ci;
mod demo;
mod docs;
mod fuzz;
mod nightly;
mod suite;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// What `cargo xtask` was asked to do.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Chores of the project")]
enum Chore {
    /// Install missing packages, then check format, lints, documentation, house rules, and run every test.
    Ci,
    /// Run what `ci` leaves out because it takes long: tests marked `ignored`, and fuzzing.
    Nightly {
        /// How long each fuzz target runs
        #[arg(long, value_name = "N", default_value_t = 60)]
        seconds: u32,
    },
    /// Check the house rules: arrows between crates, unsafe code, file lengths, names, documents.
    Tidy,
    /// Build the program quickly, start the built-in target, and load it for ten seconds.
    Demo,
    /// Write the option reference, manual pages and completions; or compare them.
    Docs {
        /// Compare only, and see whether the README's commands are understood
        #[arg(long)]
        check: bool,
    },
    /// Fuzz the parsers of replies, plan texts and run files on the stable compiler.
    Fuzz {
        /// How long each target runs
        #[arg(long, value_name = "N", default_value_t = 60)]
        seconds: u32,
        /// Only targets whose name contains this
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Measure the release beside wrk, ab and a bare ring loop: CPU time per request, memory, lag.
    ///
    /// Takes some four minutes; `--quick` takes one. Without words the figures are kept in `bench/`.
    Bench {
        /// Words for the measuring program, such as `--quick` or `--only https64`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Ci => ci::run(&root()),
        Chore::Tidy => tidy::run(&root()),
        Chore::Demo => demo::run(&root()),
        Chore::Nightly { seconds } => nightly::run(&root(), seconds),
        Chore::Docs { check } => docs::build(&root()).and_then(|program| docs::run(&root(), &program, check)),
        Chore::Fuzz { seconds, only } => fuzz::run(&root(), seconds, only.as_deref()),
        Chore::Bench { words } => bench::run(&root(), &words),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder: the parent of this package's. Cargo says which it runs: checkouts that share a target folder share
/// this program too.
fn root() -> PathBuf {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or(env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().unwrap_or(&package).to_path_buf()
}

/// The cargo that started this program, or the one on the path. What it said about this package is not passed on: build scripts
/// that look at it would take every change between this and a plain cargo for a reason to build again.
fn cargo() -> std::process::Command {
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    cargo
}
