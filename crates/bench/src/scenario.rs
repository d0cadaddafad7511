//! Comparisons: several tools generate the same load in turn, in several rounds.

use std::path::Path;

use anyhow::Result;

use crate::figures::{Figures, Round, Target};
use crate::server::Server;
use crate::spent;
use crate::tool::Tool;

/// A closed loop of users that request one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Number of connections.
    pub(crate) users: u32,
    /// Requested path.
    pub(crate) path: &'static str,
    /// Use TLS.
    pub(crate) tls: bool,
    /// Connections are persistent.
    pub(crate) keep_alive: bool,
    /// Number of pipelined requests.
    pub(crate) pipeline: u32,
}

/// A load, the tools that generate it, and the targets.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// Name in tables and files.
    pub(crate) name: &'static str,
    /// The load for every tool.
    pub(crate) load: Load,
    /// The tools in the order of a round.
    pub(crate) tools: &'static [Tool],
    /// Maximum ratios of CPU time per request: (tool, compared with, ratio).
    pub(crate) targets: &'static [(Tool, Tool, f64)],
}

const SMALL: Load = Load { users: 64, path: "/", tls: false, keep_alive: true, pipeline: 1 };

impl Scenario {
    /// Returns all comparisons.
    pub(crate) fn all() -> Vec<Self> {
        use Tool::{Ab, AsSiege, BareRing, Epoll, Siege, Uring, Wrk};
        vec![
            Self {
                name: "keepalive64",
                load: SMALL,
                tools: &[Uring, Epoll, Wrk, Ab, BareRing],
                targets: &[(Uring, Wrk, 0.90), (Epoll, Wrk, 0.90), (Uring, BareRing, 1.10)],
            },
            Self {
                name: "keepalive10000",
                load: Load { users: 10_000, ..SMALL },
                tools: &[Uring, Epoll, Wrk],
                targets: &[(Uring, Wrk, 0.90), (Epoll, Wrk, 0.90)],
            },
            Self {
                name: "https64",
                load: Load { tls: true, ..SMALL },
                tools: &[Uring, Epoll, Wrk, Ab],
                targets: &[(Uring, Wrk, 0.85)],
            },
            Self {
                name: "connection-per-request",
                load: Load { keep_alive: false, ..SMALL },
                tools: &[Uring, Epoll, Ab],
                targets: &[(Uring, Ab, 1.0)],
            },
            Self {
                name: "pipelined16",
                load: Load { pipeline: 16, ..SMALL },
                tools: &[Uring, Epoll, Wrk, BareRing],
                targets: &[(Uring, Wrk, 0.7)],
            },
            Self {
                name: "body75k",
                load: Load { path: "/page", ..SMALL },
                tools: &[Uring, Epoll, Wrk],
                targets: &[(Uring, Wrk, 1.0)],
            },
            Self {
                name: "siege100-keepalive",
                load: Load { users: 100, ..SMALL },
                tools: &[AsSiege, Siege],
                targets: &[(AsSiege, Siege, 0.1)],
            },
            Self {
                name: "siege100",
                load: Load { users: 100, keep_alive: false, ..SMALL },
                tools: &[AsSiege, Siege],
                targets: &[(AsSiege, Siege, 0.1)],
            },
        ]
    }
}

/// Runs all tools in turn, `rounds` times, so that other activity of the machine affects all equally. If another tool hangs or fails,
/// its round is dropped and the benchmark continues; without a complete round no target is met.
pub(crate) fn measure(
    scenario: &Scenario,
    program: &Path,
    server: &Server,
    rounds: usize,
    seconds: u32,
) -> Result<Figures> {
    // Opening thousands of connections is part of a run; a longer run keeps its share small.
    let seconds = if scenario.load.users >= 1_000 { seconds * 3 } else { seconds };
    let mut by_tool = vec![Vec::new(); scenario.tools.len()];
    for number in 1..=rounds {
        let mut taken = Vec::new();
        for tool in scenario.tools {
            match round(*tool, &scenario.load, program, server, seconds) {
                Ok(result) => taken.push(result),
                Err(error) if tool.is_peer() => {
                    eprintln!("bench: {}: round {number} of {rounds} is dropped: {error:#}", scenario.name);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        // Ratios are computed within a round, so an incomplete round is dropped for all tools.
        if taken.len() == scenario.tools.len() {
            for (results, result) in by_tool.iter_mut().zip(taken) {
                results.push(result);
            }
        }
    }
    let tools: Vec<(Tool, Vec<Round>)> = scenario.tools.iter().copied().zip(by_tool).collect();
    let targets =
        scenario.targets.iter().map(|&(tool, peer, most)| Target::new(&tools, tool, peer, most)).collect();
    Ok(Figures { tools, targets })
}

fn round(tool: Tool, load: &Load, program: &Path, server: &Server, seconds: u32) -> Result<Round> {
    let spent = spent::run(&tool.arguments(load, seconds, program, server)?)?;
    let completed = tool.completed(&spent.stdout)?;
    Ok(Round {
        cpu_us: spent.cpu.as_secs_f64() * 1e6 / completed as f64,
        rate_per_s: completed as f64 / f64::from(seconds),
    })
}
