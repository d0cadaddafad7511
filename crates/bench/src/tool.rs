//! The compared tools: their arguments for the same load, and how to read the number of completed requests.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::scenario::Load;
use crate::server::Server;

/// A load generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// warwolf over io_uring.
    Uring,
    /// warwolf over epoll.
    Epoll,
    /// wrk.
    Wrk,
    /// ApacheBench.
    Ab,
    /// siege from Debian.
    Siege,
    /// `warwolf siege`.
    AsSiege,
    /// Our io_uring driver with a loop that does not parse.
    BareRing,
}

impl Tool {
    /// Returns the name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uring => "warwolf uring",
            Self::Epoll => "warwolf epoll",
            Self::Wrk => "wrk",
            Self::Ab => "ab",
            Self::Siege => "siege",
            Self::AsSiege => "warwolf siege",
            Self::BareRing => "bare ring",
        }
    }

    /// Returns whether it is a third-party tool, whose failures are not ours to fix.
    pub(crate) fn is_peer(self) -> bool {
        matches!(self, Self::Wrk | Self::Ab | Self::Siege)
    }

    /// Returns the command line for `load` with this duration in seconds.
    pub(crate) fn arguments(
        self,
        load: &Load,
        seconds: u32,
        program: &Path,
        server: &Server,
    ) -> Result<Vec<String>> {
        let url = if load.tls { server.https(load.path) } else { server.url(load.path) };
        let users = load.users.to_string();
        let mut words: Vec<String> = Vec::new();
        let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_owned()));
        match self {
            Self::Uring => return warwolf("uring", load, seconds, program, &url),
            Self::Epoll => return warwolf("epoll", load, seconds, program, &url),
            Self::Wrk => {
                add(&["wrk", "-t", "1", "-c", &users, "-d", &format!("{seconds}s")]);
                if load.pipeline > 1 {
                    add(&["-s", &server.pipelined_script()]);
                }
                add(&[&url]);
            }
            Self::Ab => {
                add(&["ab", "-q", "-c", &users, "-t", &seconds.to_string(), "-n", "2000000"]);
                if load.keep_alive {
                    add(&["-k"]);
                }
                add(&[&url]);
            }
            Self::Siege | Self::AsSiege => {
                if self == Self::AsSiege {
                    add(&[program.to_str().context("a path that is text")?]);
                }
                let time = format!("-t{seconds}S");
                add(&[
                    "siege",
                    "-R",
                    &server.siege_rc(load.keep_alive),
                    "-j",
                    "-b",
                    "-c",
                    &users,
                    &time,
                    &url,
                ]);
            }
            Self::BareRing => {
                let own = std::env::current_exe()?;
                add(&[own.to_str().context("a path that is text")?, "bare-ring", &server.authority()]);
                add(&[&seconds.to_string(), &users, &load.pipeline.to_string()]);
            }
        }
        Ok(words)
    }

    /// Parses the number of completed requests from the output.
    pub(crate) fn completed(self, stdout: &str) -> Result<u64> {
        let found = match self {
            Self::Uring | Self::Epoll => {
                let report: Value = serde_json::from_str(stdout).context("warwolf's report is not JSON")?;
                report.pointer("/accounting/completed").and_then(Value::as_u64)
            }
            Self::Wrk => number_before(stdout, " requests in "),
            Self::Ab => number_after(stdout, "Complete requests:"),
            Self::Siege | Self::AsSiege => {
                let report: Value = serde_json::from_str(stdout).context("siege's report is not JSON")?;
                report.pointer("/transactions").and_then(Value::as_u64)
            }
            Self::BareRing => number_before(stdout, " requests"),
        };
        let name = self.name();
        found
            .filter(|count| *count > 0)
            .with_context(|| format!("{name} does not report the number of requests: {stdout}"))
    }
}

/// Returns the command line of `warwolf run` with this driver.
fn warwolf(driver: &str, load: &Load, seconds: u32, program: &Path, url: &str) -> Result<Vec<String>> {
    let (users, time, pipeline) = (load.users.to_string(), format!("{seconds}s"), load.pipeline.to_string());
    let mut words = vec![program.to_str().context("a path that is text")?, "run", "--quiet"];
    words.extend([
        "--format",
        "json",
        "--threads",
        "1",
        "--driver",
        driver,
        "-k",
        "-c",
        &users,
        "-d",
        &time,
        url,
    ]);
    if !load.keep_alive {
        words.push("--disable-keepalive");
    }
    if load.pipeline > 1 {
        words.extend(["--pipeline", &pipeline]);
    }
    Ok(words.into_iter().map(str::to_owned).collect())
}

fn number_after(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.1.split_whitespace().next()?.parse().ok()
}

fn number_before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_all_tools_are_parsed() {
        let wrk =
            "Running 2s test\n  1 threads and 64 connections\n  201934 requests in 2.00s, 30.04MB read\n";
        assert_eq!(Tool::Wrk.completed(wrk).unwrap(), 201_934);
        let ab = "Concurrency Level:      64\nComplete requests:      50000\nFailed requests:        0\n";
        assert_eq!(Tool::Ab.completed(ab).unwrap(), 50_000);
        assert_eq!(Tool::Siege.completed("{\t\"transactions\":\t\t\t           6\n}\n").unwrap(), 6);
        assert_eq!(Tool::BareRing.completed("17 requests\n").unwrap(), 17);
        assert_eq!(Tool::Uring.completed(r#"{"accounting":{"completed":5}}"#).unwrap(), 5);
        assert!(
            Tool::Wrk.completed("  0 requests in 2.00s").is_err(),
            "a run without completed requests is an error"
        );
    }
}
