//! Arguments of `history`.

use crate::output::{Output, Written};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `history`: a database, and what to do with it.
#[derive(Debug, Args)]
pub struct History {
    #[command(subcommand)]
    pub what: What,
}

/// Which database.
#[derive(Clone, Debug, Default, Args)]
pub struct Database {
    /// Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, value_name = "FILE", env = "WARWOLF_DATABASE", hide_env = true)]
    pub database: Option<PathBuf>,
}

/// What to do with a history.
#[derive(Debug, Subcommand)]
pub enum What {
    /// List the saved runs
    List(List),
    /// Print the report of a run in any format; `-o FILE.wwr` exports the run
    Show(Show),
    /// Show the runs of a name over time, as a table and charts
    Trend(List),
    /// Compare the latest or any other run of a name with the baseline or the previous run
    Compare(Compare),
    /// Tag a run, for example with a version; `baseline` marks the run for comparisons
    Tag(Tag),
    /// Remove a tag from a run
    Untag(Tag),
    /// Add a run file to the history
    Import(Import),
    /// Delete all but the latest runs of each name, except tagged runs
    Prune(Prune),
}

/// `history list`, `history trend`
#[derive(Debug, Args)]
pub struct List {
    /// Only runs with this name
    pub name: Option<String>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Only this number of latest runs
    #[arg(long, value_name = "N")]
    pub latest: Option<u32>,
    #[command(flatten)]
    pub written: Written,
    #[command(flatten)]
    pub database: Database,
}

/// `history show`
#[derive(Debug, Args)]
pub struct Show {
    /// Number of the run
    pub run: i64,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub database: Database,
}

/// `history compare`
#[derive(Debug, Args)]
pub struct Compare {
    /// Name of the runs
    pub name: String,
    /// Number of the run to compare [default: the latest of the name]
    #[arg(long, value_name = "N")]
    pub run: Option<i64>,
    /// Number of the run to compare it with [default: the baseline, else the previous run]
    #[arg(long, value_name = "N")]
    pub with: Option<i64>,
    /// Allowed deterioration of rate and latency; beyond it the exit code is 97 [default: 5%]
    #[arg(long, value_name = "SHARE")]
    pub allow: Option<String>,
    /// Allowed increase of the error rate, in percentage points [default: 0.1%]
    #[arg(long, value_name = "SHARE")]
    pub allow_errors: Option<String>,
    /// Compare runs even if their loads differ
    #[arg(long)]
    pub different: bool,
    #[command(flatten)]
    pub written: Written,
    #[command(flatten)]
    pub database: Database,
}

/// `history tag`, `history untag`
#[derive(Debug, Args)]
pub struct Tag {
    /// The number of the run
    pub run: i64,
    /// The tag
    pub tag: String,
    #[command(flatten)]
    pub database: Database,
}

/// `history import`
#[derive(Debug, Args)]
pub struct Import {
    /// Name of the run
    pub name: String,
    /// The run file
    pub file: PathBuf,
    #[command(flatten)]
    pub database: Database,
}

/// `history prune`
#[derive(Debug, Args)]
pub struct Prune {
    /// Number of runs to keep per name
    #[arg(long, value_name = "N")]
    pub keep: u32,
    /// Only runs with this name
    pub name: Option<String>,
    #[command(flatten)]
    pub database: Database,
}
