//! Measurements without a comparison: memory, instructions, an open loop, the first request, the verdict.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::figures::{rounded, spread};
use crate::scenario::Load;
use crate::server::Server;
use crate::spent;
use crate::tool::Tool;

/// A measurement function with program, server, rounds and seconds.
type Measure = fn(&Path, &Server, usize, u32) -> Result<Vec<Measured>>;

/// One measurement.
pub(crate) struct Single {
    /// Name in tables and files.
    pub(crate) name: &'static str,
    /// Runs it.
    pub(crate) measure: Measure,
}

impl Single {
    /// Returns all measurements.
    pub(crate) fn all() -> Vec<Self> {
        vec![
            Self { name: "memory10000", measure: ten_thousand },
            Self { name: "instructions", measure: crate::instructions::measure },
            Self { name: "open20k", measure: open_loop },
            Self { name: "first-request", measure: first_request },
            Self { name: "steps", measure: crate::steps::measure },
            Self { name: "httperf-same-rate", measure: crate::classic::same_rate },
            Self { name: "httperf-10000", measure: crate::classic::ten_thousand },
            Self { name: "httperf-60000", measure: crate::classic::sixty_thousand },
            Self { name: "verdicts", measure: crate::verdicts::measure },
        ]
    }
}

/// A figure with its limit.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Its name.
    pub(crate) what: String,
    /// Median, minimum, maximum.
    pub(crate) value: [f64; 3],
    /// Its unit.
    pub(crate) unit: &'static str,
    /// The upper limit of the median.
    pub(crate) most: f64,
    /// The median is within the limit.
    pub(crate) met: bool,
}

impl Measured {
    /// Creates a figure from repeated measurements and the upper limit of their median.
    pub(crate) fn new(what: impl Into<String>, values: &[f64], unit: &'static str, most: f64) -> Self {
        let value = spread(values);
        Self { what: what.into(), value, unit, most, met: value[0] <= most }
    }

    /// Returns the JSON that is stored in `bench/`.
    pub(crate) fn json(&self) -> Value {
        let [median, least, most] = self.value.map(rounded);
        json!({ "what": self.what, "unit": self.unit, "median": median, "min": least, "max": most,
                "at_most": self.most, "met": self.met })
    }
}

/// Measures memory per connection.
fn ten_thousand(program: &Path, server: &Server, rounds: usize, seconds: u32) -> Result<Vec<Measured>> {
    let load = |users| Load { users, path: "/", tls: false, keep_alive: true, pipeline: 1 };
    let mut results = Vec::new();
    for tool in [Tool::Uring, Tool::Epoll] {
        let mut memory = Vec::new();
        for _ in 0..rounds {
            let many = spent::run(&tool.arguments(&load(10_000), seconds * 3, program, server)?)?;
            let few = spent::run(&tool.arguments(&load(64), seconds, program, server)?)?;
            memory.push((many.peak_bytes as f64 - few.peak_bytes as f64) / (10_000.0 - 64.0) / 1024.0);
        }
        results.push(Measured::new(format!("{}: memory per connection", tool.name()), &memory, "KiB", 10.0));
    }
    Ok(results)
}

/// Measures the accuracy of the rate and the lag at 20,000 requests per second.
fn open_loop(program: &Path, server: &Server, rounds: usize, seconds: u32) -> Result<Vec<Measured>> {
    let mut results = Vec::new();
    for (idle, most_us) in [("block", 1000.0), ("spin", 100.0)] {
        let (mut missed, mut lag) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let program = program.to_str().context("a path that is text")?;
            let duration = format!("{}s", seconds + 1);
            let url = server.url("/");
            let words = [program, "run", "--quiet", "--format", "json", "--threads", "1", "-r", "20k/s"];
            let more = ["--idle", idle, "-d", &duration, &url];
            let words: Vec<String> = words.into_iter().chain(more).map(str::to_owned).collect();
            let report: Value = serde_json::from_str(&spent::run(&words)?.stdout)?;
            let number = |pointer: &str| {
                report
                    .pointer(pointer)
                    .and_then(Value::as_f64)
                    .with_context(|| format!("no `{pointer}` in the report"))
            };
            missed.push((1.0 - number("/achieved/rate_per_s")? / 20_000.0).abs() * 100.0);
            lag.push(number("/lag_ns/p99")? / 1000.0);
        }
        results.push(Measured::new(format!("--idle {idle}: achieved, off the target by"), &missed, "%", 0.1));
        results.push(Measured::new(format!("--idle {idle}: lag p99"), &lag, "us", most_us));
    }
    Ok(results)
}

/// Measures the time from the start of the process to the first byte of its first request.
fn first_request(program: &Path, _: &Server, rounds: usize, _: u32) -> Result<Vec<Measured>> {
    let mut results = Vec::new();
    for driver in ["uring", "epoll"] {
        let mut times = Vec::new();
        for _ in 0..rounds * 4 {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let url = format!("http://{}/", listener.local_addr()?);
            let began = Instant::now();
            let mut child = Command::new(program)
                .args(["run", "--quiet", "--driver", driver, "-c", "1", "-n", "1", "--timeout", "2s", &url])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            let (mut connection, _) = listener.accept()?;
            connection.set_read_timeout(Some(Duration::from_secs(5)))?;
            connection.read_exact(&mut [0])?;
            times.push(began.elapsed().as_secs_f64() * 1000.0);
            drop(connection);
            drop(listener);
            child.wait()?;
        }
        results.push(Measured::new(format!("{driver}: start to first request"), &times, "ms", 10.0));
    }
    Ok(results)
}
