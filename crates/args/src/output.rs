//! Where results go, and in which format.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatWord>,

    /// Exit with 96 if the verdict is not VALID
    #[arg(long)]
    pub strict: bool,

    /// Print only errors on stderr
    #[arg(long)]
    pub quiet: bool,
}

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatWord {
    /// The report as text
    Text,
    /// The report as JSON
    Json,
    /// The intervals as CSV
    Csv,
    /// The report as one HTML page, with charts
    Html,
    /// The report as Markdown
    Markdown,
    /// The verdict and the SLOs as JUnit XML
    Junit,
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
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormWord>,

    /// Exit with 96 if the result is not reliable
    #[arg(long)]
    pub strict: bool,

    /// Print only errors on stderr
    #[arg(long)]
    pub quiet: bool,
}

/// How the result of an experiment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormWord {
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

impl From<FormatWord> for warwolf_report::Format {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Text => Self::Text,
            FormatWord::Html => Self::Html,
            FormatWord::Json => Self::Json,
            FormatWord::Csv => Self::Csv,
            FormatWord::Markdown => Self::Markdown,
            FormatWord::Junit => Self::Junit,
        }
    }
}
