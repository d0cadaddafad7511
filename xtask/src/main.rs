//! The project's chores: what must hold (`ci`, `tidy`) and what is shown (`demo`).
//!
//! Not part of the product; run as `cargo xtask …` from anywhere in the workspace.
#![forbid(unsafe_code)]

mod ci;
mod demo;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

/// What `cargo xtask` was asked to do.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Chores of the project")]
enum Chore {
    /// Install missing packages, then check format, lints, documentation, house rules, and run every test.
    Ci,
    /// Check the house rules: arrows between crates, unsafe code, file lengths, names, documents.
    Tidy,
    /// Build the release, start the built-in target, and load it for ten seconds.
    Demo,
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Ci => ci::run(&root()),
        Chore::Tidy => tidy::run(&root()),
        Chore::Demo => demo::run(&root()),
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

/// The workspace's folder: the parent of this package's.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// The cargo that started this program, or the one on the path.
fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
