//! Everything that must hold before a change lands, in one command.
//!
//! Every step runs even when an earlier one failed, so that one run says all that is wrong.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{cargo, docs, fuzz, tidy};

/// How long each fuzz target runs here: enough to see that it does, and to find what is near the seeds.
const FUZZ_SECONDS: u32 = 10;

/// Runs all steps in the workspace at `root`; true when all of them passed. The last line printed is the sum of all
/// tests, `N passed, N failed`.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let began = Instant::now();
    if !Command::new(root.join(".ci/packages")).status().context("cannot run `.ci/packages`")?.success() {
        anyhow::bail!("`.ci/packages` failed: install what it names, then run this again");
    }
    let mut steps = Vec::new();
    steps.push(("format", quiet(root, "fmt --all --check", &[])?));
    steps.push(("clippy", quiet(root, "clippy --workspace --all-targets --quiet -- -D warnings", &[])?));
    let deny = [("RUSTDOCFLAGS", "-D warnings")];
    steps
        .push(("rustdoc", quiet(root, "doc --workspace --no-deps --document-private-items --quiet", &deny)?));
    announce("tidy");
    steps.push(("tidy", tidy::run(root)?));
    announce("docs --check");
    steps.push(("docs", docs::run(root, true)?));
    announce("fuzz");
    steps.push(("fuzz", fuzz::run(root, FUZZ_SECONDS, None)?));
    let mut sum = Sum::default();
    let ended_well = tests(root, "test --workspace --no-fail-fast", &mut sum)?;
    steps.push(("tests", (ended_well || again(root, &mut sum)?) && sum.failed == 0));

    eprintln!();
    for (name, passed) in &steps {
        eprintln!("{name:<8} {}", if *passed { "ok" } else { "FAILED" });
    }
    eprintln!("{:<8} {:.0} s", "time", began.elapsed().as_secs_f64());
    println!("{} passed, {} failed", sum.passed, sum.failed);
    Ok(steps.iter().all(|(_, passed)| *passed))
}

/// Says on stderr which step begins.
fn announce(step: &str) {
    eprintln!("==> {step}");
}

/// Runs one cargo command, given as words, with its output passed through; true when it succeeded.
fn quiet(root: &Path, words: &str, environment: &[(&str, &str)]) -> Result<bool> {
    announce(&format!("cargo {words}"));
    let mut command = cargo();
    command.args(words.split(' ')).current_dir(root).envs(environment.iter().copied());
    Ok(command.status().with_context(|| format!("cannot run `cargo {words}`"))?.success())
}

/// How many tests passed and failed, over all test binaries.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sum {
    passed: u64,
    failed: u64,
    /// The names of those that failed.
    failures: Vec<String>,
}

impl Sum {
    /// Adds one line of the test runner's output, when it is one of its summaries.
    fn add_line(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failures.push(name.to_owned());
        }
        let Some(rest) = line.trim_start().strip_prefix("test result: ") else { return };
        for part in rest.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(word)) = (words.next(), words.next()) else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                _ => {}
            }
        }
    }
}

/// Trials that failed get a second chance, up to this many; where more fail, it is not the weather.
const AGAIN_MAX: usize = 5;

/// Runs the trials that failed once more, one at a time: another tenant of the machine can take the processor away for
/// longer than a trial allows, a defect fails again. Tests in virtual time get no second chance, nothing can disturb
/// them. True when all that failed now passes.
fn again(root: &Path, sum: &mut Sum) -> Result<bool> {
    if sum.failures.len() as u64 != sum.failed || !(1..=AGAIN_MAX).contains(&sum.failures.len()) {
        return Ok(false);
    }
    let names = sum.failures.join(" ");
    let mut second = Sum::default();
    let words = format!("test --workspace --no-fail-fast --test * -- --test-threads=1 --exact {names}");
    let ended_well = tests(root, &words, &mut second)?;
    sum.failed -= second.passed.min(sum.failed);
    sum.passed += second.passed;
    eprintln!("failed once: {names}; {} of {} passed when run again", second.passed, sum.failures.len());
    Ok(ended_well)
}

/// Runs tests, the cargo command given as words, passing the output on and adding up the summaries; true when cargo
/// succeeded.
fn tests(root: &Path, words: &str, sum: &mut Sum) -> Result<bool> {
    announce(&format!("cargo {words}"));
    let mut child = cargo()
        .args(words.split(' '))
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `cargo {words}`"))?;
    let output = child.stdout.take().context("the tests have no output")?;
    let mut stdout = std::io::stdout().lock();
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        sum.add_line(&String::from_utf8_lossy(&line));
        stdout.write_all(&line)?;
        stdout.write_all(b"\n")?;
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn summaries_add_up_and_other_lines_do_not_count() {
        let mut sum = Sum::default();
        sum.add_line("running 2 tests");
        sum.add_line(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        );
        sum.add_line(
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s",
        );
        sum.add_line("7 passed");
        assert_eq!((sum.passed, sum.failed), (15, 2));
    }

    #[test]
    fn what_failed_is_known_by_name() {
        let mut sum = Sum::default();
        sum.add_line("test ci::tests::one ... ok");
        sum.add_line("test ci::tests::two ... FAILED");
        sum.add_line("---- ci::tests::two stdout ----");
        assert_eq!(sum.failures, ["ci::tests::two"]);
    }
}
