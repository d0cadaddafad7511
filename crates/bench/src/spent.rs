//! What one run of a tool took: CPU time as the kernel charged it, memory at its highest, and what it said.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The core every tool runs on. The server has the next one to itself.
pub(crate) const TOOL_CORE: &str = "0";
/// The server's core.
pub(crate) const SERVER_CORE: &str = "1";

/// How long a tool may go on after everything should be over.
const LIMIT: Duration = Duration::from_secs(60);

/// One run of one tool.
#[derive(Debug)]
pub(crate) struct Spent {
    /// User and system time of the process and its threads.
    pub(crate) cpu: Duration,
    /// Resident memory at its highest, bytes.
    pub(crate) peak_bytes: u64,
    /// What it wrote to its standard output.
    pub(crate) stdout: String,
}

/// Runs `words` on the tool's core and waits for the end.
pub(crate) fn run(words: &[String]) -> Result<Spent> {
    let said = words.join(" ");
    let before = children_cpu()?;
    let mut command = Command::new("taskset");
    command.args(["-c", TOOL_CORE]).args(words);
    // Files rather than pipes: nobody has to read while the tool runs, so nobody competes with it.
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

/// CPU time of all children that have ended; the difference around one child is that child's.
fn children_cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros)?))
}

/// `VmHWM` of a process, bytes; 0 when it has ended.
fn high_water(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()).and_then(|word| word.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
