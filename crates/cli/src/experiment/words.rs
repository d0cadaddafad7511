//! The words of the experiments, as clap reads them.

use crate::args::Load;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `compare`: two sides, and how they are measured.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) load: Load,

    /// Length of a slice: A and B take turns A B B A [default: 1s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) slice: Option<String>,

    /// How much worse B may be in rate and latency before the exit code is 97 [default: 5%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) allow: Option<String>,

    /// How much greater the share of errors may be, in points: 0.1% is one call in a thousand [default: 0.1%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) allow_errors: Option<String>,

    /// Compare run files all the same when their plans are different loads
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

    /// What is varied: connections=10,100 or target=old:http://a/,new:http://b/; can be given several times
    ///
    /// An option of `warwolf run` by its long name, `target`, or a field of the plan as `warwolf explain` prints it, such as
    /// timeouts.call. With --urls, a plan or a URL, a target's scheme, host and port take the place of each request's.
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Experiment", value_delimiter = '\n')]
    pub(crate) vary: Vec<String>,

    /// Run every point this often [default: 1]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub(crate) repeats: Option<usize>,

    /// In which order points are run [default: balanced]
    #[arg(long, value_name = "ORDER", help_heading = "Experiment")]
    pub(crate) sequence: Option<SequenceWord>,

    /// Wait this long before each run [default: 0s]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) rest: Option<String>,

    /// Run this command before each run, with sh: restart the server, clear its cache
    ///
    /// It sees the settings of the point as environment variables: SWEEP_CONNECTIONS=10, SWEEP_TARGET=old. When it fails, the
    /// sweep stops.
    #[arg(long, value_name = "COMMAND", help_heading = "Experiment")]
    pub(crate) between: Option<String>,

    /// Keep every run in this folder, and go on from what is there
    #[arg(long, value_name = "FOLDER", help_heading = "Experiment")]
    pub(crate) folder: Option<PathBuf>,

    /// Which chart goes into a file that ends in .svg [default: response]
    #[arg(long, value_name = "CHART", help_heading = "Result")]
    pub(crate) chart: Option<SweepChart>,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// In which order points are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SequenceWord {
    /// As given
    Given,
    /// Every second repeat backwards, so that an even drift cancels out (the default)
    Balanced,
    /// Each repeat in an order of its own
    Random,
}

/// A chart of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepChart {
    /// Mean response time
    Response,
    /// Completed requests a second
    Rate,
    /// 99th percentile of latency
    P99,
    /// Share of errors
    Errors,
}

/// `capacity`: a load, promises, and where to search.
#[derive(Debug, Args)]
pub(crate) struct Capacity {
    #[command(flatten)]
    pub(crate) load: Load,

    /// The rate the search begins with [default: 50/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub(crate) start: Option<String>,

    /// No rate above this is tried [default: 1m/s]
    #[arg(long, value_name = "RATE", help_heading = "Experiment")]
    pub(crate) most: Option<String>,

    /// How exactly the rate is found [default: 2%]
    #[arg(long, value_name = "SHARE", help_heading = "Experiment")]
    pub(crate) precision: Option<String>,

    /// How often a borderline rate is tried again, each time twice as long [default: 2]
    #[arg(long, value_name = "N", help_heading = "Experiment")]
    pub(crate) retests: Option<u32>,

    /// Let the server rest at least this long between rates [default: 500ms]
    #[arg(long, value_name = "TIME", help_heading = "Experiment")]
    pub(crate) rest: Option<String>,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// Where the result of an experiment goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Result")]
pub(crate) struct Written {
    /// Keep the result in a file, as its extension says; can be given several times
    ///
    /// .html, .md, .json and .txt; of a sweep and of a search for capacity also .csv and .svg.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub(crate) output: Vec<PathBuf>,

    /// What goes to stdout [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<FormWord>,

    /// Exit with 96 when nothing reliable can be said
    #[arg(long)]
    pub(crate) strict: bool,

    /// Nothing on stderr but errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How the result of an experiment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormWord {
    /// A table
    Text,
    /// Everything, for programs
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
