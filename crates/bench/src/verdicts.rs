//! Accuracy of the verdict: quiet runs must be VALID, and injected faults must be named.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use warwolf_e2e::process::{Process, free_port};
use warwolf_e2e::quiet::Watch;

use crate::once::Measured;
use crate::server::Server;
use crate::spent::{self, SERVER_CORE, TOOL_CORE};

/// Number of quiet runs.
const QUIET: u32 = 20;
/// Maximum number of runs to get them: a run is not quiet if another process used the core, whatever its verdict.
const TRIES_PER_QUIET: u32 = 5;
/// Number of runs with each fault.
const FAULTY: u32 = 5;

/// The verdict of a report: grade and causes.
struct Verdict {
    grade: String,
    causes: Vec<String>,
}

impl Verdict {
    fn is_valid(&self) -> bool {
        self.grade == "VALID"
    }
}

/// Runs the program with these arguments and returns the verdict.
fn judge(program: &Path, words: &[&str]) -> Result<Verdict> {
    let mut all =
        vec![program.to_str().context("a path that is text")?, "run", "--quiet", "--format", "json"];
    all.extend(["--threads", "1"]);
    all.extend(words);
    let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
    let report: Value = serde_json::from_str(&spent::run(&all)?.stdout)?;
    let health = &report["health"];
    let causes = health["reasons"].as_array().into_iter().flatten();
    Ok(Verdict {
        grade: health["verdict"].as_str().context("no verdict in the report")?.to_owned(),
        causes: causes.filter_map(|reason| reason["cause"].as_str().map(str::to_owned)).collect(),
    })
}

/// Counts false alarms in quiet runs, and faults that were not named.
pub(crate) fn measure(program: &Path, server: &Server, rounds: usize, _: u32) -> Result<Vec<Measured>> {
    let scale = if rounds == 1 { 5 } else { 1 };
    let (quiet, faulty) = (QUIET / scale, FAULTY / scale);
    let url = server.url("/");
    let runs = Runs::until(quiet, |number| {
        let open = ["-r", "2000/s", "-d", "1500ms"];
        let closed = ["-c", "20", "--think", "5ms", "-d", "1500ms"];
        let load: &[&str] = if number % 2 == 0 { &open } else { &closed };
        judge(program, &[load, &[&url]].concat())
    })?;
    let mut results = vec![
        count(format!("alarms in {} quiet runs", runs.quiet), runs.alarms),
        count(format!("quiet runs that were not possible, of {quiet}"), quiet - runs.quiet),
    ];

    let mut missed = 0;
    for number in 0..faulty {
        let _hogs = [hog(), hog()];
        let verdict = judge(program, &["-r", "2000/s", "-d", "2s", &url])?;
        if verdict.is_valid() || !verdict.causes.iter().any(|cause| cause == "cpu_contention") {
            eprintln!("hogs, run {number}: {} {:?}", verdict.grade, verdict.causes);
            missed += 1;
        }
    }
    results.push(count(format!("CPU hogs on the same core not named, of {faulty}"), missed));

    let mut missed = 0;
    for number in 0..faulty {
        // One core cannot send at this rate: the load generator is the limit, and the verdict must report it.
        let verdict = judge(program, &["-r", "2m/s", "-c", "64", "-d", "1s", &url])?;
        if verdict.is_valid() {
            eprintln!("excessive rate, run {number}: {} {:?}", verdict.grade, verdict.causes);
            missed += 1;
        }
    }
    results.push(count(format!("rates beyond reach not named, of {faulty}"), missed));

    let (mut blamed, stalling) = (0, format!("127.0.0.1:{}", free_port()));
    for number in 0..faulty {
        let target = Process::start("taskset", |command| {
            command
                .args(["-c", SERVER_CORE])
                .arg(program)
                .args(["target", "--listen", &stalling, "--stall", "1s+1s"]);
        });
        let target = target.ready_at(stalling.parse()?);
        let watch = Watch::start(TOOL_CORE.parse()?);
        let verdict = judge(program, &["-r", "1000/s", "-d", "3s", &format!("http://{stalling}/")])?;
        drop(target);
        // VALID is always right; other grades are right only if another process used the core.
        if watch.was_quiet() && !verdict.is_valid() {
            eprintln!("stalled server, run {number}: {} {:?}", verdict.grade, verdict.causes);
            blamed += 1;
        }
    }
    results.push(count(format!("stalls of the server attributed to this machine, of {faulty}"), blamed));
    Ok(results)
}

/// Counts of quiet and disturbed runs.
#[derive(Default)]
struct Runs {
    quiet: u32,
    /// Quiet runs that raised an alarm.
    alarms: u32,
    disturbed: u32,
    /// Disturbed runs that were reported as such.
    reported: u32,
}

impl Runs {
    /// Repeats the run `judged`, which receives its number, until `wanted` runs were quiet.
    fn until(wanted: u32, mut judged: impl FnMut(u32) -> Result<Verdict>) -> Result<Self> {
        let mut runs = Self::default();
        for number in 0..wanted * TRIES_PER_QUIET {
            if runs.quiet == wanted {
                break;
            }
            let watch = Watch::start(TOOL_CORE.parse()?);
            let verdict = judged(number)?;
            let is_quiet = watch.was_quiet();
            let alarm = u32::from(!verdict.is_valid());
            if is_quiet {
                runs.quiet += 1;
                runs.alarms += alarm;
                if alarm > 0 {
                    eprintln!("run {number}, though quiet: {} {:?}", verdict.grade, verdict.causes);
                }
            } else {
                runs.disturbed += 1;
                runs.reported += alarm;
            }
        }
        let Self { quiet, disturbed, reported, .. } = runs;
        eprintln!(
            "{quiet} quiet runs; other processes used the core in {disturbed} more, {reported} of which are not VALID"
        );
        Ok(runs)
    }
}

/// Starts a process that uses the core of the tool in a busy loop.
fn hog() -> Process {
    Process::start("taskset", |command| {
        command.args(["-c", TOOL_CORE, "sh", "-c", "while :; do :; done"]);
    })
}

fn count(what: String, value: u32) -> Measured {
    Measured::new(what, &[f64::from(value)], "runs", 0.0)
}
