//! The words of `replay`, as clap reads them.

use crate::args::{Load, Output};
use clap::{Args, ValueEnum};

/// `replay`: a log, and how it is sent again.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) load: Load,

    /// Send every request to this server: scheme, host and port of a URL
    #[arg(long, value_name = "URL", help_heading = "Replay")]
    pub(crate) to: Option<String>,

    /// Send requests for one host of the log to a server: a.test=http://127.0.0.1:81/; can be given several times
    #[arg(long, value_name = "HOST=URL", help_heading = "Replay", value_delimiter = '\n')]
    pub(crate) map: Vec<String>,

    /// Faster or slower than the log: 2x, 0.5x [default: 1x]
    #[arg(long, value_name = "FACTOR", help_heading = "Replay")]
    pub(crate) speed: Option<String>,

    /// Forget the times: users (-c) who send line after line, each waiting for its reply
    #[arg(long, help_heading = "Replay", conflicts_with = "speed")]
    pub(crate) closed: bool,

    /// Which methods are sent; `all` for all, without their bodies, which logs do not have [default: GET,HEAD]
    #[arg(long, value_name = "METHODS", help_heading = "Replay", value_delimiter = ',')]
    pub(crate) only_methods: Vec<String>,

    /// Send only what was answered so: 200, 3xx; commas between them
    #[arg(long, value_name = "STATUSES", help_heading = "Replay", value_delimiter = ',')]
    pub(crate) only_status: Vec<String>,

    /// Leave out what was before this time: 2026-11-21T10:00:00Z
    #[arg(long, value_name = "TIME", help_heading = "Replay")]
    pub(crate) since: Option<String>,

    /// Leave out what was at this time and after
    #[arg(long, value_name = "TIME", help_heading = "Replay")]
    pub(crate) until: Option<String>,

    /// How the log is written [default: as its first line looks]
    #[arg(long, value_name = "FORMAT", help_heading = "Replay")]
    pub(crate) log_format: Option<LogFormat>,

    #[command(flatten)]
    pub(crate) output: Output,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Apache's and nginx's common and combined formats
    Common,
    /// Squid's native format
    Squid,
    /// A JSON object on each line
    Json,
    /// An HTTP archive
    Har,
}
