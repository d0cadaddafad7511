//! The words of `history`, as clap reads them.

use crate::args::Output;
use crate::experiment::words::Written;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `history`: a database, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct History {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// Which database.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Database {
    /// The history's file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, value_name = "FILE", env = "WARWOLF_DATABASE", hide_env = true)]
    pub(crate) database: Option<PathBuf>,
}

/// What to do with a history.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// The runs that are kept
    List(List),
    /// Report a run again, in any format; `-o FILE.wwr` exports it
    Show(Show),
    /// The runs of a name over time, as a table and charts
    Trend(List),
    /// Compare the latest run of a name, or any, with its baseline, or with the one before
    Compare(Compare),
    /// Put a tag on a run, such as a version; `baseline` is what others are compared with
    Tag(Tag),
    /// Take a tag off a run
    Untag(Tag),
    /// Keep a run file in the history
    Import(Import),
    /// Forget all but the latest runs of each name; tagged runs stay
    Prune(Prune),
}

/// `history list`, `history trend`
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only runs kept under this name
    pub(crate) name: Option<String>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only the latest, so many
    #[arg(long, value_name = "N")]
    pub(crate) latest: Option<u32>,
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) database: Database,
}

/// `history show`
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Its number
    pub(crate) run: i64,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) database: Database,
}

/// `history compare`
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The name the runs are kept under
    pub(crate) name: String,
    /// The number of the run to compare [default: the latest of the name]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// The number of the run to compare it with [default: the baseline, else the run before]
    #[arg(long, value_name = "N")]
    pub(crate) with: Option<i64>,
    /// How much worse rate and latency may be before the exit code is 97 [default: 5%]
    #[arg(long, value_name = "SHARE")]
    pub(crate) allow: Option<String>,
    /// How much greater the share of errors may be, in points [default: 0.1%]
    #[arg(long, value_name = "SHARE")]
    pub(crate) allow_errors: Option<String>,
    /// Compare all the same when the plans are different loads
    #[arg(long)]
    pub(crate) different: bool,
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) database: Database,
}

/// `history tag`, `history untag`
#[derive(Debug, Args)]
pub(crate) struct Tag {
    /// The number of the run
    pub(crate) run: i64,
    /// The tag
    pub(crate) tag: String,
    #[command(flatten)]
    pub(crate) database: Database,
}

/// `history import`
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The name to keep it under
    pub(crate) name: String,
    /// The run file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) database: Database,
}

/// `history prune`
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// How many runs of each name stay
    #[arg(long, value_name = "N")]
    pub(crate) keep: u32,
    /// Only of this name
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) database: Database,
}
