//! `warwolf httperf` against the original: CPU time at the same rate, ten thousand connections, sixty thousand in six seconds.

use std::path::Path;

use anyhow::{Context, Result};

use crate::once::Measured;
use crate::server::Server;
use crate::spent::{self, Spent};

/// Measures CPU time per request of both at the same rate, ours sleeping and polling.
pub(crate) fn same_rate(
    program: &Path,
    server: &Server,
    rounds: usize,
    seconds: u32,
) -> Result<Vec<Measured>> {
    let conns = (1_000 * seconds).to_string();
    let load = ["--rate", "1000", "--num-conns", &conns, "--num-calls", "10", "--timeout", "5"];
    let (mut block, mut spin, mut microseconds) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let per_request = |words: &[&str]| -> Result<f64> {
            let spent = run(words, &load, server)?;
            Ok(spent.cpu.as_secs_f64() * 1e6 / figure(&spent, "replies ")?)
        };
        let ours = ours(program)?;
        let theirs = per_request(&["httperf"])?;
        let sleeping = per_request(&ours)?;
        microseconds.push(sleeping);
        block.push(sleeping / theirs);
        spin.push(per_request(&[&ours[..], &["--idle", "spin"]].concat())? / theirs);
    }
    Ok(vec![
        Measured::new("sleeping: CPU per request", &microseconds, "us", 60.0),
        Measured::new("sleeping: CPU per request, of the original's", &block, "x", 1.0),
        Measured::new("polling: CPU per request, of the original's", &spin, "x", 1.05),
    ])
}

/// Measures ten thousand sessions that keep their connections open concurrently, which the original cannot do.
pub(crate) fn ten_thousand(program: &Path, server: &Server, rounds: usize, _: u32) -> Result<Vec<Measured>> {
    let load = ["--wsess=10000,2,3", "--rate", "5000", "--timeout", "10"];
    measure_many(program, server, rounds, &load, [("replies ", 20_000.0), ("<=", 10_000.0)])
}

/// Measures sixty thousand connections at ten thousand per second: more than the ports of one address, because of `TIME_WAIT`.
pub(crate) fn sixty_thousand(
    program: &Path,
    server: &Server,
    rounds: usize,
    _: u32,
) -> Result<Vec<Measured>> {
    let load =
        ["--num-conns", "60000", "--rate", "10000", "--timeout", "10", "--myaddr", "127.0.0.2-127.0.0.7"];
    measure_many(program, server, rounds.min(1), &load, [("replies ", 60_000.0), ("connections ", 60_000.0)])
}

/// Measures how many of the wanted replies and connections are missing, and the number of errors.
fn measure_many(
    program: &Path,
    server: &Server,
    rounds: usize,
    load: &[&str],
    wanted: [(&str, f64); 2],
) -> Result<Vec<Measured>> {
    let mut missing = [Vec::new(), Vec::new(), Vec::new()];
    let mut duration = Vec::new();
    for _ in 0..rounds {
        let spent = run(&ours(program)?, load, server)?;
        for (values, (label, count)) in missing.iter_mut().zip(wanted) {
            values.push(count - figure(&spent, label)?);
        }
        missing[2].push(figure(&spent, "Errors: total ")?);
        duration.push(figure(&spent, "test-duration ")?);
    }
    let [first, second, errors] = missing;
    Ok(vec![
        Measured::new(format!("missing of {} {}", wanted[0].1, wanted[0].0.trim()), &first, "", 0.0),
        Measured::new(format!("missing of {} {}", wanted[1].1, wanted[1].0.trim()), &second, "", 0.0),
        Measured::new("errors", &errors, "", 0.0),
        Measured::new("duration", &duration, "s", 10.0),
    ])
}

fn ours(program: &Path) -> Result<Vec<&str>> {
    Ok(vec![program.to_str().context("a path that is text")?, "httperf"])
}

fn run(program: &[&str], load: &[&str], server: &Server) -> Result<Spent> {
    let authority = server.authority();
    let port = authority.rsplit(':').next().unwrap_or_default();
    let to = ["--server", "127.0.0.1", "--port", port];
    let words: Vec<String> = [program, &to, load].concat().into_iter().map(str::to_owned).collect();
    spent::run(&words)
}

/// Returns the number after a label.
fn figure(spent: &Spent, label: &str) -> Result<f64> {
    let rest = spent.stdout.split_once(label).with_context(|| format!("no `{label}` in the report"))?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().with_context(|| format!("no number after `{label}`"))
}
