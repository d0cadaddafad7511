//! Where results go, and in which format.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use warwolf_report::Format;

/// Where the result goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Result")]
pub struct Output {
    /// Write the result to a file; the extension selects the format; may be repeated
    ///
    /// .wwr is a run file with all data, for `warwolf report`; .html, .json, .csv (intervals), .md, .xml (JUnit) and .txt are
    /// reports. The file is opened before the run starts, so that a mistyped path loses no result.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub output: Vec<PathBuf>,

    /// Format of the report on stdout [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = parser(OF_RUNS))]
    pub format: Option<Format>,

    /// Exit with 96 if the verdict is not VALID
    #[arg(long)]
    pub strict: bool,

    /// Print only errors on stderr
    #[arg(long)]
    pub quiet: bool,
}

/// Where the result of an experiment goes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Result")]
pub struct Written {
    /// Write the result to a file; the extension selects the format; may be repeated
    ///
    /// .html, .md, .json and .txt; for sweep and capacity also .csv and .svg.
    #[arg(short, long, value_name = "FILE", value_delimiter = '\n')]
    pub output: Vec<PathBuf>,

    /// Format of the result on stdout [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = parser(OF_EXPERIMENTS))]
    pub format: Option<Format>,

    /// Exit with 96 if the result is not reliable
    #[arg(long)]
    pub strict: bool,

    /// Print only errors on stderr
    #[arg(long)]
    pub quiet: bool,
}

/// Formats of the report of a run.
const OF_RUNS: &[(Format, &str)] = &[
    (Format::Text, "The report as text"),
    (Format::Json, "The report as JSON"),
    (Format::Csv, "The intervals as CSV"),
    (Format::Html, "The report as one HTML page, with charts"),
    (Format::Markdown, "The report as Markdown"),
    (Format::Junit, "The verdict, the SLOs and the checks as JUnit XML"),
];

/// Formats of the result of an experiment.
const OF_EXPERIMENTS: &[(Format, &str)] = &[
    (Format::Text, "A table"),
    (Format::Json, "All data, for programs"),
    (Format::Csv, "The table, for spreadsheets"),
    (Format::Markdown, "The table, for pull requests"),
    (Format::Html, "One page with charts"),
    (Format::Svg, "One chart"),
];

/// Parses the name of one of these formats.
fn parser(formats: &'static [(Format, &'static str)]) -> impl TypedValueParser<Value = Format> {
    let names = formats.iter().map(|(format, help)| PossibleValue::new(format.name()).help(*help));
    PossibleValuesParser::new(names).try_map(|name| {
        let known = formats.iter().find(|(format, _)| format.name() == name);
        known.map(|(format, _)| *format).ok_or("unknown format")
    })
}
