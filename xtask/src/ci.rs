//! Everything that must hold before a change lands, in one command.
//!
//! Every step runs even when an earlier one failed, so that one run reports everything that is wrong.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::suite::{self, Binaries, Sum};
use crate::{cargo, docs, tidy};

/// Tests with their times that are printed.
const SLOWEST: usize = 20;

/// Tests of the end-to-end suite that run at the same time: they wait for servers most of the time.
const WAITING_THREADS: u32 = 8;

/// One step's name, whether it passed, and how long it took.
struct Step {
    name: &'static str,
    passed: bool,
    took: Duration,
}

/// Runs all steps in the workspace at `root`; true when all of them passed. The last line printed is the sum of all
/// tests, `N passed, N failed`.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let mut steps = Vec::new();
    step(&mut steps, "packages", || packages(root))?;
    step(&mut steps, "format", || quiet(root, "fmt --all --check", &[]))?;
    step(&mut steps, "tidy", || tidy::run(root))?;
    step(&mut steps, "clippy", || {
        quiet(root, "clippy --workspace --all-targets --quiet -- -D warnings", &[])
    })?;
    step(&mut steps, "rustdoc", || {
        let deny = [("RUSTDOCFLAGS", "-D warnings")];
        quiet(root, "doc --workspace --no-deps --document-private-items --quiet", &deny)
    })?;
    let mut sum = Sum::default();
    let mut built = None;
    step(&mut steps, "build", || {
        built = suite::build(root)?;
        Ok(built.is_some())
    })?;
    if let Some(binaries) = built {
        step(&mut steps, "docs", || docs::run(root, &binaries.program, true))?;
        run_tests(&binaries, &mut steps, &mut sum)?;
    }
    print_times(&steps, &sum);
    println!("{} passed, {} failed", sum.passed, sum.failed);
    Ok(sum.failed == 0 && steps.iter().all(|step| step.passed))
}

/// Runs every test: those of the crates, then the end-to-end tests that wait, then those that need a quiet machine.
fn run_tests(binaries: &Binaries, steps: &mut Vec<Step>, sum: &mut Sum) -> Result<()> {
    step(steps, "unit", || binaries.run_units(sum, &[]))?;
    let threads = WAITING_THREADS.to_string();
    step(steps, "e2e", || binaries.run_e2e(sum, &["--test-threads", &threads, "--skip", "quiet::"]))?;
    step(steps, "quiet", || binaries.run_e2e(sum, &["--test-threads", "1", "quiet::"]))
}

/// Runs one step, prints its name first, and keeps how it went.
fn step(steps: &mut Vec<Step>, name: &'static str, run: impl FnOnce() -> Result<bool>) -> Result<()> {
    eprintln!("==> {name}");
    let began = Instant::now();
    let passed = run()?;
    steps.push(Step { name, passed, took: began.elapsed() });
    Ok(())
}

/// Prints the slowest tests, then each step with the time it took.
fn print_times(steps: &[Step], sum: &Sum) {
    eprintln!("\nslowest tests:");
    for (seconds, name) in sum.slowest(SLOWEST) {
        eprintln!("{seconds:>8.1} s  {name}");
    }
    eprintln!("\nsteps:");
    for Step { name, passed, took } in steps {
        eprintln!("{:>8.1} s  {name:<8} {}", took.as_secs_f64(), if *passed { "ok" } else { "FAILED" });
    }
    let all: Duration = steps.iter().map(|step| step.took).sum();
    eprintln!("{:>8.1} s  all, {:.1} minutes", all.as_secs_f64(), all.as_secs_f64() / 60.0);
}

/// Installs the Debian packages that tests need.
fn packages(root: &Path) -> Result<bool> {
    if !Command::new(root.join(".ci/packages")).status().context("cannot run `.ci/packages`")?.success() {
        anyhow::bail!("`.ci/packages` failed: install what it names, then run this again");
    }
    Ok(true)
}

/// Runs one cargo command, its arguments separated by spaces, with its output passed through; true when it succeeded.
fn quiet(root: &Path, arguments: &str, environment: &[(&str, &str)]) -> Result<bool> {
    let mut command = cargo();
    command.args(arguments.split(' ')).current_dir(root).envs(environment.iter().copied());
    // Nothing is built twice here, so what incremental builds keep would only cost time and disk.
    command.env("CARGO_INCREMENTAL", "0");
    Ok(command.status().with_context(|| format!("cannot run `cargo {arguments}`"))?.success())
}
