//! What the figures were measured on.

use std::process::Command;

use serde_json::{Value, json};

/// Load average above which somebody else is at work.
const BUSY: f64 = 0.7;

/// Processor, kernel, versions and the day, as far as the machine says.
pub(crate) fn describe() -> Value {
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find(|line| line.starts_with("model name"));
    let processor = processor.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, name)| name);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    json!({
        "date": time::OffsetDateTime::now_utc().date().to_string(),
        "processor": processor,
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "kernel": kernel.trim(),
        "load_before": load,
        "nginx": first_line("nginx", &["-v"]),
        "wrk": first_line("wrk", &["-v"]),
        "ab": first_line("ab", &["-V"]),
        "rustc": first_line("rustc", &["-V"]),
        "commit": first_line("git", &["describe", "--always", "--dirty"]),
    })
}

/// The same in one line.
pub(crate) fn line(machine: &Value) -> String {
    let word = |name: &str| machine[name].as_str().unwrap_or_default();
    // Others that want the cores move every figure here, so what they wanted before is said first.
    let others = match machine["load_before"].as_f64() {
        Some(load) if load > BUSY => format!("; BUSY (load {load}): these figures are not worth keeping"),
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

/// The first line a program says about itself, whichever stream it uses and however it then exits.
fn first_line(program: &str, words: &[&str]) -> String {
    let Ok(output) = Command::new(program).args(words).output() else { return "absent".to_owned() };
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    String::from_utf8_lossy(&said).lines().next().unwrap_or_default().trim().to_owned()
}
