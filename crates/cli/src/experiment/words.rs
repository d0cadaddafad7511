//! The words of the experiments, as clap reads them.

use crate::args::Load;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `compare`: two sides, and how they are measured.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) load: Load,

    /// Length of a slice of the alternation A B B A [default: 1s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) slice: Option<String>,

    /// Allowed deterioration of rate and latency; beyond it the exit code is 97 [default: 5%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) allow: Option<String>,

    /// Allowed increase of the error rate, in percentage points: 0.1% is one request in a thousand [default: 0.1%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) allow_errors: Option<String>,

    /// Compare run files even if their loads differ
    #[arg(long, help_heading = "Experiment")]
    pub(crate) different: bool,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// `sweep`: a load, and what of it is varied.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) load: Load,

    /// Setting to vary: connections=10,100 or target=old:http://a/,new:http://b/; may be repeated
    ///
    /// The long name of an option of `warwolf run`, `target`, or a field of the plan as printed by `warwolf explain`, such as
    /// timeouts.call. With --urls, a plan or a URL, a target replaces scheme, host and port of each request.
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Experiment", value_delimiter = '\n')]
    pub(crate) vary: Vec<String>,

    /// Number of runs per point [default: 1]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub(crate) repeats: Option<usize>,

    /// Order of the points [default: balanced]
    #[arg(long, value_name = "ORDER", help_heading = "Experiment")]
    pub(crate) sequence: Option<SequenceWord>,

    /// Wait this long before each run [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) rest: Option<String>,

    /// Shell command to execute before each run, for example to restart the server
    ///
    /// Environment variables contain the settings of the point: SWEEP_CONNECTIONS=10, SWEEP_TARGET=old. If the command fails, the
    /// sweep stops.
    #[arg(long, value_name = "COMMAND", help_heading = "Experiment")]
    pub(crate) between: Option<String>,

    /// Save every run in this folder; skip runs that are already there
    #[arg(long, value_name = "FOLDER", help_heading = "Experiment")]
    pub(crate) folder: Option<PathBuf>,

    /// Chart for files that end with .svg [default: response]
    #[arg(long, value_name = "CHART", help_heading = "Result")]
    pub(crate) chart: Option<SweepChart>,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// In which order points are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SequenceWord {
    /// In the given order
    Given,
    /// Every second repeat in reverse order, so that a linear drift cancels out (the default)
    Balanced,
    /// A random order for each repeat
    Random,
}

/// A chart of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepChart {
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
pub(crate) struct Capacity {
    #[command(flatten)]
    pub(crate) load: Load,

    /// Initial rate [default: 50/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub(crate) start: Option<String>,

    /// Maximum rate [default: 1m/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub(crate) most: Option<String>,

    /// Precision of the result [default: 2%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) precision: Option<String>,

    /// Maximum repetitions of a borderline rate, each twice as long [default: 2]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub(crate) retests: Option<u32>,

    /// Minimum pause between rates [default: 500ms]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) rest: Option<String>,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// Where the result of an experiment goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Result")]
pub(crate) struct Written {
    /// Write the result to a file; the extension selects the format; may be repeated
    ///
    /// .html, .md, .json and .txt; for sweep and capacity also .csv and .svg.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub(crate) output: Vec<PathBuf>,

    /// Format of the result on stdout [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormWord>,

    /// Exit with 96 if the result is not reliable
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print only errors on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How the result of an experiment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormWord {
    /// A table
    Text,
    /// All data, for programs
    Json,
    /// The table, for spreadsheets
    Csv,
    /// The table, for pull requests
    Markdown,
    /// One page with charts
    Html,
    /// One chart
    Svg,
}

impl From<FormWord> for warwolf_report::Form {
    fn from(word: FormWord) -> Self {
        match word {
            FormWord::Text => Self::Text,
            FormWord::Json => Self::Json,
            FormWord::Csv => Self::Csv,
            FormWord::Markdown => Self::Markdown,
            FormWord::Html => Self::Html,
            FormWord::Svg => Self::Svg,
        }
    }
}
