//! Arguments of `compare`, `sweep` and `capacity`.

use crate::load::Load;
use crate::output::Written;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `compare`: two sides, and how they are measured.
#[derive(Debug, Args)]
pub struct Compare {
    /// Length of a slice of the alternation A B B A [default: 1s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub slice: Option<String>,

    /// Allowed deterioration of rate and latency; beyond it the exit code is 97 [default: 5%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub allow: Option<String>,

    /// Allowed increase of the error rate, in percentage points: 0.1% is one request in a thousand [default: 0.1%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub allow_errors: Option<String>,

    /// Compare run files even if their loads differ
    #[arg(long, help_heading = "Experiment")]
    pub different: bool,

    #[command(flatten)]
    pub load: Load,

    #[command(flatten)]
    pub written: Written,
}

/// Names the positional arguments of `compare`.
pub(crate) fn shown(command: clap::Command) -> clap::Command {
    command.override_usage("warwolf compare [OPTIONS] A B").mut_arg("url", |arg| {
        arg.value_name("A B")
            .help("Two URLs, two plans (.toml, .json) or two run files (.wwr)")
            .help_heading("Experiment")
    })
}

/// `sweep`: a load, and what of it is varied.
#[derive(Debug, Args)]
pub struct Sweep {
    /// Setting to vary: connections=10,100 or target=old:http://a/,new:http://b/; may be repeated
    ///
    /// The long name of an option of `warwolf run`, `target`, or a field of the plan as printed by `warwolf explain`, such as
    /// timeouts.call. With --urls, a plan or a URL, a target replaces scheme, host and port of each request.
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Experiment", value_delimiter = '\n')]
    pub vary: Vec<String>,

    /// Number of runs per point [default: 1]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub repeats: Option<usize>,

    /// Order of the points [default: balanced]
    #[arg(long, value_name = "ORDER", help_heading = "Experiment")]
    pub sequence: Option<SequenceWord>,

    /// Wait this long before each run [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub rest: Option<String>,

    /// Shell command to execute before each run, for example to restart the server
    ///
    /// Environment variables contain the settings of the point: SWEEP_CONNECTIONS=10, SWEEP_TARGET=old. If the command fails, the
    /// sweep stops.
    #[arg(long, value_name = "COMMAND", help_heading = "Experiment")]
    pub between: Option<String>,

    /// Save every run in this folder; skip runs that are already there
    #[arg(long, value_name = "FOLDER", help_heading = "Experiment")]
    pub folder: Option<PathBuf>,

    /// Chart for files that end with .svg [default: response]
    #[arg(long, value_name = "CHART", help_heading = "Result")]
    pub chart: Option<SweepChart>,

    #[command(flatten)]
    pub load: Load,

    #[command(flatten)]
    pub written: Written,
}

/// In which order points are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SequenceWord {
    /// In the given order
    Given,
    /// Every second repeat in reverse order, so that a linear drift cancels out (the default)
    Balanced,
    /// A random order for each repeat
    Random,
}

/// A chart of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepChart {
    /// Mean response time
    Response,
    /// Completed requests per second
    Rate,
    /// 99th percentile of latency
    P99,
    /// Share of errors
    Errors,
}

/// `capacity`: a load, SLOs, and the range to search.
#[derive(Debug, Args)]
pub struct Capacity {
    /// Initial rate [default: 50/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub start: Option<String>,

    /// Maximum rate [default: 1m/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub most: Option<String>,

    /// Precision of the result [default: 2%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub precision: Option<String>,

    /// Maximum repetitions of a borderline rate, each twice as long [default: 2]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub retests: Option<u32>,

    /// Minimum pause between rates [default: 500ms]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub rest: Option<String>,

    #[command(flatten)]
    pub load: Load,

    #[command(flatten)]
    pub written: Written,
}
