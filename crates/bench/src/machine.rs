//! Describes the machine of the measurement.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

/// Share of CPU time used by other processes above which the machine counts as busy.
const BUSY: f64 = 0.1;
/// Observation time for that share.
const LOOK: Duration = Duration::from_secs(2);

/// Returns processor, kernel, versions and date, as far as they are known.
pub(crate) fn describe() -> Value {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find(|line| line.starts_with("model name"));
    let processor = processor.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, name)| name);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    json!({
        "date": time::OffsetDateTime::now_utc().date().to_string(),
        "processor": processor,
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "kernel": kernel.trim(),
        "busy_before": busy_share(),
        "nginx": first_line("nginx", &["-v"]),
        "wrk": first_line("wrk", &["-v"]),
        "ab": first_line("ab", &["-V"]),
        "rustc": first_line("rustc", &["-V"]),
        "commit": first_line("git", &["describe", "--always", "--dirty"]),
    })
}

/// Formats the description in one line.
pub(crate) fn line(machine: &Value) -> String {
    let word = |name: &str| machine[name].as_str().unwrap_or_default();
    // Other processes affect every figure, so their CPU usage before the measurement comes first.
    let others = match machine["busy_before"].as_f64() {
        Some(busy) if busy > BUSY => {
            format!("; BUSY ({:.0} % of its time): do not store these figures", busy * 100.0)
        }
        _ => String::new(),
    };
    format!(
        "{}: {} cores of {}, Linux {}; warwolf {}{others}",
        word("date"),
        machine["cores"],
        word("processor"),
        word("kernel"),
        word("commit")
    )
}

/// Returns the share of CPU time that other processes use now. The load average would still include the preceding build.
fn busy_share() -> Option<f64> {
    let (idle, all) = ticks()?;
    std::thread::sleep(LOOK);
    let (idle_now, all_now) = ticks()?;
    Some(1.0 - idle_now.checked_sub(idle)? as f64 / all_now.checked_sub(all).filter(|all| *all > 0)? as f64)
}

/// Returns idle ticks and total ticks of all cores (proc_stat(5)).
fn ticks() -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().next()?.split_ascii_whitespace().skip(1);
    let fields: Vec<u64> = line.take(8).map_while(|field| field.parse().ok()).collect();
    Some((fields.get(3)? + fields.get(4)?, fields.iter().sum()))
}

/// Returns the first line that a program prints on stdout or stderr, regardless of its exit code.
fn first_line(program: &str, words: &[&str]) -> String {
    let Ok(output) = Command::new(program).args(words).output() else { return "absent".to_owned() };
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    String::from_utf8_lossy(&said).lines().next().unwrap_or_default().trim().to_owned()
}
