//! Counts the instructions of a worker for each call, under callgrind: a figure that the noise of the machine does not change.
//!
//! The kernel's part is not counted. The driver is epoll, because callgrind does not know io_uring.

use std::path::Path;

use anyhow::{Context, Result};

use crate::once::Measured;
use crate::server::Server;
use crate::spent;

/// Calls of a run: enough that what happens once does not matter.
const CALLS: u32 = 40_000;

/// Parts of a worker, the functions that callgrind counts with all that they call, and the upper limit of the count.
const PARTS: [(&str, &[&str], f64); 3] = [
    ("worker, with its driver", &["warwolf_engine::worker::Worker<*>::turn"], 2_700.0),
    ("of these, driver", &["<warwolf_driver::epoll::Epoll as warwolf_driver::Driver>::*"], 400.0),
    ("of these, recording", &["warwolf_measure::tally::Tally::record"], 350.0),
];

/// Measures a closed loop of 64 users on kept connections.
pub(crate) fn measure(program: &Path, server: &Server, _: usize, _: u32) -> Result<Vec<Measured>> {
    let count = |functions: &[&str]| -> Result<f64> {
        let mut words: Vec<String> = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            .iter()
            .chain(&["--log-fd=1"])
            .map(|word| (*word).to_owned())
            .collect();
        words.extend(functions.iter().map(|function| format!("--toggle-collect={function}")));
        words.push(program.to_str().context("a path that is text")?.to_owned());
        let calls = CALLS.to_string();
        let load = ["run", "--quiet", "--driver", "epoll", "--threads", "1", "-k", "-c", "64", "-n", &calls];
        words.extend(load.iter().map(|word| (*word).to_owned()));
        words.push(server.url("/"));
        let stdout = spent::run(&words).context("valgrind (Debian's package of that name)")?.stdout;
        Ok(collected(&stdout)? as f64 / f64::from(CALLS))
    };
    PARTS
        .iter()
        .map(|(part, functions, most)| Ok(Measured::new(*part, &[count(functions)?], "a call", *most)))
        .collect()
}

/// Reads the number of instructions from the output of callgrind.
fn collected(output: &str) -> Result<u64> {
    let line = output.lines().find_map(|line| line.split_once("Collected : "));
    let count = line.and_then(|(_, count)| count.trim().parse().ok());
    count.filter(|count| *count > 0).context("callgrind counted nothing: is the function still called so?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_last_lines_of_callgrind() {
        let output = "VALID\n==7== Events    : Ir\n==7== Collected : 340200226\n==7== \n";
        assert_eq!(collected(output).unwrap(), 340_200_226);
        assert!(collected("==7== Collected : 0\n").is_err(), "nothing was counted");
        assert!(collected("").is_err());
    }
}
