//! The command line: commands, options and help as clap has them, and the plan that the options of a load mean.
//!
//! [`command`] defines it, [`plan()`] turns a [`Load`] into a plan, and [`UsageError`] is what is wrong with an argument. Nothing
//! is opened or resolved here.
#![forbid(unsafe_code)]
#![expect(missing_docs, reason = "groups of arguments are documented where they are defined")]

pub mod crawl;
mod environment;
pub mod experiment;
pub mod history;
pub mod import;
mod load;
mod output;
mod plan;
pub mod replay;
mod short_help;
mod tls;
pub mod torture;
mod usage_error;
pub mod values;

pub use load::{
    ConnectionWords, DriverWord, IdleWord, Load, MachineWords, OrderWord, RequestWords, TlsWords,
};
pub use output::{Output, Written};
pub use plan::{Inputs, Suite, plan, shard};
pub use short_help::TEXT as SHORT_HELP;
pub use tls::Trust;
pub use usage_error::{FileError, UsageError, reason};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use environment::with_environment;
use std::path::PathBuf;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "warwolf",
    bin_name = "warwolf",
    version,
    about = "Load tester for HTTP servers that accounts for every request and reports whether its results are reliable",
    override_help = short_help::TEXT,
    disable_help_subcommand = true,
    subcommand_required = true
)]
pub struct Program {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load a server; `warwolf URL…` means the same
    #[command(after_help = AFTER, after_long_help = AFTER_LONG)]
    Run(Box<Run>),
    /// Print the plan of a command line without running it
    ///
    /// Prints the plan to stdout, and a description to stderr. `warwolf run --plan FILE` runs a plan.
    Explain(Box<Explain>),
    /// Run each step of a plan once; print request, response, captures and checks
    ///
    /// Repetitions, shares and pauses are left out; polling goes on. Exit code 99: a capture or check failed.
    Check(Box<Check>),
    /// Make a plan of curl commands, a HAR, OpenAPI, Postman, an .http file or vegeta targets
    ///
    /// `warwolf import FILE -o plan.toml`. The plan runs the requests in their order, for one user; `warwolf run --plan` runs it.
    #[command(after_long_help = import::AFTER_LONG)]
    Import(Box<import::Import>),
    /// Print the report of a run file in any format
    ///
    /// `warwolf run -o FILE.wwr` writes run files ("-" means stdin). Exit codes are those of `run`.
    Report(Box<Report>),
    /// Merge the run files of several machines that used --shard
    Merge(Merge),
    /// Compare A and B: is B slower, by how much, and is the difference significant
    ///
    /// `warwolf compare A B`: two URLs or two plans, which are measured alternately (A B B A), or two run files. The options of
    /// `run` define the load. --duration is the total time of both (default 2m). Exit code 97: B is worse by more than allowed.
    Compare(Box<experiment::Compare>),
    /// Run a load for every combination of settings; prints a table and plots
    ///
    /// --duration is the time per run; without --warmup a fifth of it is warm-up, unless the load changes over time.
    Sweep(Box<experiment::Sweep>),
    /// Search for the highest rate that meets all SLOs (--slo)
    ///
    /// --duration is the time per rate (default 10s); a fifth of it is warm-up. Exit code 99: no rate meets the SLOs.
    Capacity(Box<experiment::Capacity>),
    /// Replay the requests of an access log at the original times, at a rate, or by users
    ///
    /// `warwolf replay access.log.gz --to http://127.0.0.1:8080/`; `-` means stdin. Formats: common, combined, Squid native, JSON
    /// lines and HAR, optionally compressed with gzip. --rate replaces the original times, --closed uses a closed loop of users
    /// (-c).
    Replay(Box<replay::Replay>),
    /// Manage runs saved with `run --keep NAME`: list, show, trend, compare, tag, prune
    History(Box<history::History>),
    /// Start the built-in test server with configurable delays and faults
    ///
    /// Prints its addresses to stdout and serves until it is interrupted. Options apply to all requests; parameters of the same
    /// names in a query string apply to one request: `--delay exp:10ms` and `/?delay=exp:10ms`.
    #[command(after_long_help = warwolf_target::GRAMMAR)]
    Target(Box<warwolf_target::Options>),
    /// Fuzz a server: find requests that it answers incorrectly or that make it fail
    ///
    /// Sends generated requests under load: unusual queries, paths, headers and bodies, invalid framing, lengths close to buffer
    /// sizes. A request that fails is sent again alone, shrunk to the smallest request with the same failure, and printed with a
    /// command that reproduces it. Failures are a status of 500 or more (except 501 and 505), a missing, incomplete or malformed
    /// response, a dropped connection, a TLS alert, and a server that is down or remains slow. Only local and private addresses
    /// are allowed by default.
    #[command(after_long_help = torture::AFTER_LONG)]
    Torture(Box<torture::Torture>),
    /// Crawl a site: list its URLs and the links between its pages
    ///
    /// Follows links breadth-first within one scheme, host and port, obeys robots.txt and a rate limit, and ignores forms. The
    /// list of URLs is for `warwolf run --urls`, siege and http_load; the click model for `warwolf run --clicks`.
    #[command(after_long_help = crawl::AFTER_LONG)]
    Crawl(Box<crawl::Crawl>),
    /// Print the completion script of a shell
    Completions(Completions),
    /// Print the manual page in roff format
    Man(Man),
}

/// `run`: a load, and what is made of it.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub load: Load,
    #[command(flatten)]
    pub output: Output,
    /// Print progress as plain lines, even on a terminal
    #[arg(long, help_heading = "Result")]
    pub no_tui: bool,
    /// Save the run in the history under this name, for `warwolf history`
    #[arg(long, value_name = "NAME", help_heading = "Result")]
    pub keep: Option<String>,
    #[command(flatten)]
    pub database: history::Database,
    /// Generate only part I of N of the load; `warwolf merge` combines the parts
    #[arg(long, value_name = "I/N", help_heading = "Machine")]
    pub shard: Option<String>,
}

/// `report`: a run file, and what is made of it.
#[derive(Debug, Args)]
pub struct Report {
    /// The run file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub output: Output,
    /// Print one chart of the HTML report as SVG: percentiles, histogram, latency, rate, errors, phases, lag, in-flight
    #[arg(long, value_name = "NAME", help_heading = "Result", conflicts_with = "format")]
    pub chart: Option<String>,
    /// SLO to check instead of those of the plan: p99<200ms; may be repeated
    #[arg(long, value_name = "SLO", help_heading = "Result", value_delimiter = '\n')]
    pub slo: Vec<String>,
}

/// `merge`: run files, and where their sum goes.
#[derive(Debug, Args)]
pub struct Merge {
    /// The run files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Run file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// `explain`: a load, printed.
#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub load: Load,
    /// Format of the plan
    #[arg(long, value_name = "FORMAT", default_value = "toml")]
    pub format: PlanFormat,
    /// Print no description on stderr
    #[arg(long)]
    pub quiet: bool,
}

/// `check`: a plan whose steps are run once.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub load: Load,
    /// Print only captures and checks, not requests and responses
    #[arg(long)]
    pub quiet: bool,
}

/// How a plan is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// TOML
    Toml,
    /// JSON
    Json,
}

/// `completions`: which shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `man`: of which command.
#[derive(Debug, Args)]
pub struct Man {
    /// A command, such as `run`; by default the page of the whole program
    pub command: Option<String>,
}

const AFTER: &str = "Every option can be set by an environment variable: --connect-timeout by WARWOLF_CONNECT_TIMEOUT.\n\
                     --help prints details and examples.";

const AFTER_LONG: &str = "\
Times, rates, sizes:
  Times have a unit (250ms, 10s, 5m); a bare number is in seconds. Rates are per second unless a unit is given.
  In counts, k and m mean thousands and millions; in sizes, k, m and g are powers of 1,024.

Environment:
  Every option can be set by an environment variable: --connect-timeout by WARWOLF_CONNECT_TIMEOUT, --quiet by
  WARWOLF_QUIET=1. Options that may be repeated take one value per line. The command line has precedence.
  NO_COLOR disables colors, CLICOLOR_FORCE=1 enables them.

Signals:
  Ctrl-C (or SIGTERM) stops the run and prints the report; a second one does not wait for requests in flight.
  A signal that is ignored when the program starts, as with nohup, stays ignored.

Exit codes:
  0 success; 1 the run failed, or no request succeeded; 2 usage error; 96 the verdict is not VALID (with --strict);
  97 B is worse than A (compare); 99 an SLO is not met; 130 interrupted; the report was printed

Examples:
  warwolf run http://127.0.0.1:8080/
  warwolf run -c 200 -d 1m --warmup 10s https://example.test/ https://example.test/about
  warwolf run -r 500/s --arrivals poisson -d 1m --slo 'p99<200ms' --slo 'errors<0.1%' https://example.test/
  warwolf run -n 10k -m PUT -b @order.json -T application/json -o result.json https://example.test/orders";

/// The command line as clap has it, every option with its environment variable.
pub fn command() -> clap::Command {
    let command = Program::command()
        .mut_subcommand("replay", replay::shown)
        .mut_subcommand("compare", experiment::shown);
    command.mut_subcommands(|command| match command.get_name() {
        "run" | "explain" | "report" | "compare" | "sweep" | "capacity" | "replay" => {
            with_environment(command)
        }
        _ => command,
    })
}

/// Puts `run` before words that begin with no command, so that a bare `warwolf URL…` means run. A first word that could
/// be a mistyped command is left for clap to name. `help COMMAND` is `COMMAND --help`.
pub fn with_command<T: Into<std::ffi::OsString>>(
    words: impl IntoIterator<Item = T>,
) -> Vec<std::ffi::OsString> {
    let mut words: Vec<std::ffi::OsString> = words.into_iter().map(Into::into).collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    let Some(first) = words.get(1).and_then(|word| word.to_str()) else { return words };
    let means_run = match first {
        "-h" | "--help" | "-V" | "--version" => false,
        "localhost" => true,
        word => word.starts_with('-') || word.contains([':', '/', '.']),
    };
    if means_run {
        words.insert(1, "run".into());
    }
    words
}
