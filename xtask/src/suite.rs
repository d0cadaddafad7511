//! Builds all test binaries once, runs them, and adds up their results and times.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result};
use cargo_metadata::{Message, TargetKind};

use crate::cargo;

/// The folder of the end-to-end tests.
const E2E: &str = "crates/e2e";

/// End-to-end tests that failed are repeated, up to this many: where more fail, a disturbance is not the reason.
const AGAIN_MAX: usize = 5;

/// One test binary and the folder cargo would start it in.
#[derive(Debug)]
struct Binary {
    name: String,
    path: PathBuf,
    folder: PathBuf,
}

/// What one build made: the program, the end-to-end tests, and all other test binaries.
#[derive(Debug)]
pub(crate) struct Binaries {
    /// The program under test.
    pub(crate) program: PathBuf,
    e2e: Vec<Binary>,
    units: Vec<Binary>,
}

/// Builds every test and the program; `None` when something does not compile.
pub(crate) fn build(root: &Path) -> Result<Option<Binaries>> {
    let arguments = "test --workspace --no-run --quiet --message-format json-render-diagnostics";
    let mut child = cargo()
        .args(arguments.split(' '))
        .current_dir(root)
        .env("CARGO_INCREMENTAL", "0")
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `cargo {arguments}`"))?;
    let output = BufReader::new(child.stdout.take().context("cargo has no output")?);
    let (mut program, mut e2e, mut units) = (None, Vec::new(), Vec::new());
    for message in Message::parse_stream(output) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let Some(path) = artifact.executable.map(PathBuf::from) else { continue };
        let folder = artifact.manifest_path.parent().context("a manifest has a folder")?;
        let package = folder.file_name().unwrap_or_default();
        let target = artifact.target;
        if !artifact.profile.test {
            let is_program = target.name == "warwolf" && target.kind.contains(&TargetKind::Bin);
            program = if is_program { Some(path) } else { program };
            continue;
        }
        let name = format!("{package}/{}", target.name);
        let is_e2e = folder.ends_with(E2E) && target.kind.contains(&TargetKind::Test);
        let binary = Binary { name, path, folder: folder.into() };
        if is_e2e { &mut e2e } else { &mut units }.push(binary);
    }
    if !child.wait()?.success() {
        return Ok(None);
    }
    Ok(Some(Binaries { program: program.context("the build made no `warwolf`")?, e2e, units }))
}

impl Binaries {
    /// Runs the tests of all crates, as many binaries at a time as there are cores; true when all passed. A binary's
    /// output is shown only when it failed.
    pub(crate) fn run_units(&self, sum: &mut Sum, arguments: &[&str]) -> Result<bool> {
        let queue = Mutex::new(self.units.iter().collect::<VecDeque<_>>());
        let results = Mutex::new(Vec::new());
        let next = || queue.lock().ok()?.pop_front();
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(|| {
                    while let Some(binary) = next() {
                        let result = self.command(binary, arguments).output().map(|output| (binary, output));
                        results.lock().expect("no thread panicked").push(result);
                    }
                });
            }
        });
        let mut all_passed = true;
        for result in results.into_inner().expect("no thread panicked") {
            let (binary, output) = result.context("cannot run a test binary")?;
            let text = String::from_utf8_lossy(&output.stdout);
            let mut own = Sum::default();
            text.lines().for_each(|line| own.add_line(&binary.name, line));
            if !output.status.success() {
                println!("{}: {}\n{text}", binary.name, output.status);
                print!("{}", String::from_utf8_lossy(&output.stderr));
                own.add_crash(&binary.name);
                all_passed = false;
            }
            sum.merge(own);
        }
        Ok(all_passed)
    }

    /// Runs the end-to-end tests with these arguments, output passed on, and repeats up to five that failed, one at a
    /// time: another tenant can take the processor away for longer than a test allows, while a defect fails again.
    /// True when every test has passed once.
    pub(crate) fn run_e2e(&self, sum: &mut Sum, arguments: &[&str]) -> Result<bool> {
        let mut first = Sum::default();
        for binary in &self.e2e {
            self.stream(binary, arguments, &mut first)?;
        }
        let failures = std::mem::take(&mut first.failures);
        if (1..=AGAIN_MAX).contains(&failures.len()) && failures.len() as u64 == first.failed {
            let exact: Vec<&str> = failures.iter().map(String::as_str).collect();
            let mut second = Sum::default();
            for binary in &self.e2e {
                let again = [&["--test-threads", "1", "--exact"], exact.as_slice()].concat();
                self.stream(binary, &again, &mut second)?;
            }
            first.failed -= second.passed.min(first.failed);
            first.passed += second.passed;
            let (names, count) = (failures.join(" "), failures.len());
            eprintln!("failed once: {names}; {} of {count} passed when run again", second.passed);
        }
        let all_passed = first.failed == 0;
        sum.merge(first);
        Ok(all_passed)
    }

    /// Runs one binary and passes its output on line by line.
    fn stream(&self, binary: &Binary, arguments: &[&str], sum: &mut Sum) -> Result<()> {
        let mut child = self.command(binary, arguments).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().context("the tests have no output")?);
        let mut stdout = std::io::stdout().lock();
        for line in output.split(b'\n') {
            let line = line?;
            sum.add_line(&binary.name, &String::from_utf8_lossy(&line));
            stdout.write_all(&line)?;
            stdout.write_all(b"\n")?;
        }
        if !child.wait()?.success() {
            sum.add_crash(&binary.name);
        }
        Ok(())
    }

    /// A test binary as cargo would start it. The stable test runner prints the time of a test only when it is
    /// switched so that unstable options are fine; that changes nothing in what was compiled.
    fn command(&self, binary: &Binary, arguments: &[&str]) -> Command {
        let mut command = Command::new(&binary.path);
        command.args(["-Z", "unstable-options", "--report-time"]).args(arguments);
        command.env("RUSTC_BOOTSTRAP", "1").env("WARWOLF_BIN", &self.program);
        command.env("CARGO_MANIFEST_DIR", &binary.folder).current_dir(&binary.folder);
        command
    }
}

/// How many tests passed and failed, and how long each took.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, and binaries that ended without a result.
    pub(crate) failed: u64,
    /// The names of those that failed.
    failures: Vec<String>,
    /// Seconds and names of all tests.
    times: Vec<(f64, String)>,
}

impl Sum {
    /// Adds one line of a test binary's output: one test's name and time, or the numbers of the whole binary.
    fn add_line(&mut self, binary: &str, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
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
        } else if let Some((name, result)) =
            line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            // The runner appends how a test is special, as in `name - should panic`.
            let name = name.split_once(" - ").map_or(name, |(name, _)| name);
            let (word, time) = result.split_once(" <").unwrap_or((result, ""));
            if word == "FAILED" {
                self.failures.push(name.to_owned());
            }
            let seconds = time.trim_end_matches("s>").parse().unwrap_or(0.0);
            self.times.push((seconds, format!("{binary} {name}")));
        }
    }

    /// Notes that a binary ended badly: a failure of its own unless a test of it has failed.
    fn add_crash(&mut self, binary: &str) {
        if self.failed == 0 {
            self.failed += 1;
            eprintln!("{binary} ended badly, and no test of it failed");
        }
    }

    /// Adds another sum.
    fn merge(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.times.extend(other.times);
    }

    /// The slowest tests, slowest first, in seconds.
    pub(crate) fn slowest(&self, count: usize) -> Vec<(f64, &str)> {
        let mut times: Vec<_> = self.times.iter().map(|(seconds, name)| (*seconds, name.as_str())).collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        times.truncate(count);
        times
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    fn sum(lines: &[&str]) -> Sum {
        let mut sum = Sum::default();
        lines.iter().for_each(|line| sum.add_line("a/b", line));
        sum
    }

    #[test]
    fn results_add_up_and_other_lines_do_not_count() {
        let sum = sum(&[
            "running 4 tests",
            "test one ... ok <0.002s>",
            "test two::three - should panic ... ok <1.5s>",
            "test four ... FAILED <0.1s>",
            "test five ... ignored",
            "7 passed",
            "test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1s",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        ]);
        assert_eq!((sum.passed, sum.failed), (14, 1));
        assert_eq!(sum.failures, ["four"]);
        assert_eq!(sum.slowest(1), [(1.5, "a/b two::three")]);
    }

    #[test]
    fn a_binary_that_ends_without_a_failed_test_counts_as_a_failure() {
        let mut crashed = sum(&["test one ... ok <0.002s>"]);
        crashed.add_crash("a/b");
        assert_eq!(crashed.failed, 1);
        let mut failed = sum(&["test result: FAILED. 2 passed; 1 failed; 0 ignored"]);
        failed.add_crash("a/b");
        assert_eq!(failed.failed, 1);
    }
}
