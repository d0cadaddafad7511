//! Runs a tool and measures its CPU time and peak memory.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The core of every tool. The server uses the next one.
pub(crate) const TOOL_CORE: &str = "0";
/// The core of the server.
pub(crate) const SERVER_CORE: &str = "1";

/// Time limit of a tool, much longer than any run.
const LIMIT: Duration = Duration::from_secs(60);

/// One run of one tool.
#[derive(Debug)]
pub(crate) struct Spent {
    /// User and system time of the process and its threads.
    pub(crate) cpu: Duration,
    /// Peak resident memory in bytes.
    pub(crate) peak_bytes: u64,
    /// Its standard output.
    pub(crate) stdout: String,
}

/// Runs a command line on the core of the tool and waits for its end.
pub(crate) fn run(words: &[String]) -> Result<Spent> {
    let said = words.join(" ");
    let before = children_cpu()?;
    let mut command = Command::new("taskset");
    command.args(["-c", TOOL_CORE]).args(words);
    // Files instead of pipes, so that no reader competes with the tool for CPU time.
    let (out, err) = (tempfile::NamedTempFile::new()?, tempfile::NamedTempFile::new()?);
    command.stdin(Stdio::null()).stdout(out.reopen()?).stderr(err.reopen()?);
    let mut child = command.spawn().with_context(|| format!("cannot start `{said}`"))?;
    let (began, mut peak_bytes) = (Instant::now(), 0);
    let status = loop {
        peak_bytes = peak_bytes.max(high_water(child.id()));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if began.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("`{said}` still ran after {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let stdout = String::from_utf8_lossy(&std::fs::read(out.path())?).into_owned();
    if !status.success() {
        let stderr = std::fs::read_to_string(err.path()).unwrap_or_default();
        bail!("`{said}` ended with {status}: {}", stderr.trim());
    }
    Ok(Spent { cpu: children_cpu()?.saturating_sub(before), peak_bytes, stdout })
}

/// Returns the CPU time of all ended child processes; the difference around one child is its CPU time.
fn children_cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros)?))
}

/// Returns `VmHWM` of a process in bytes; 0 if it has ended.
fn high_water(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
