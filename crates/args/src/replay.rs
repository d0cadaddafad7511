//! Arguments of `replay`.

use crate::load::Load;
use crate::output::Output;
use clap::{Args, ValueEnum};

/// `replay`: a log, and how it is sent again.
#[derive(Debug, Args)]
pub struct Replay {
    /// Send every request to this server: scheme, host and port of a URL
    #[arg(long, value_name = "URL", help_heading = "Replay")]
    pub to: Option<String>,

    /// Send requests for one host of the log to this server: a.test=http://127.0.0.1:81/; may be repeated
    #[arg(long, value_name = "HOST=URL", help_heading = "Replay", value_delimiter = '\n')]
    pub map: Vec<String>,

    /// Speed relative to the log: 2x, 0.5x [default: 1x]
    #[arg(long, value_name = "FACTOR", help_heading = "Replay")]
    pub speed: Option<String>,

    /// Ignore the times: a closed loop of users (-c) sends the requests in order
    #[arg(long, help_heading = "Replay", conflicts_with = "speed")]
    pub closed: bool,

    /// Send the host that the log names as `Host`, whichever server receives the request
    #[arg(long, help_heading = "Replay")]
    pub keep_host: bool,

    /// Send User-Agent and Referer of the log; the requests of a HAR are always sent with their own header fields
    #[arg(long, help_heading = "Replay")]
    pub keep_agent: bool,

    /// Methods to send; `all` sends every method. Bodies are sent from HAR files; logs do not contain them [default: GET,HEAD]
    #[arg(long, value_name = "METHODS", help_heading = "Replay", value_delimiter = ',')]
    pub only_methods: Vec<String>,

    /// Send only requests with these statuses in the log, comma-separated: 200, 3xx
    #[arg(long, value_name = "STATUSES", help_heading = "Replay", value_delimiter = ',')]
    pub only_status: Vec<String>,

    /// Skip requests before this time: 2026-11-21T10:00:00Z
    #[arg(long, value_name = "TIME", help_heading = "Replay")]
    pub since: Option<String>,

    /// Skip requests at or after this time
    #[arg(long, value_name = "TIME", help_heading = "Replay")]
    pub until: Option<String>,

    /// Format of the log [default: detected from the first line]
    #[arg(long, value_name = "FORMAT", help_heading = "Replay")]
    pub log_format: Option<LogFormat>,

    #[command(flatten)]
    pub load: Load,

    #[command(flatten)]
    pub output: Output,

    /// Print progress as plain lines, even on a terminal
    #[arg(long, help_heading = "Result")]
    pub no_tui: bool,
}

/// Names the positional argument, and hides options that mean nothing for a log or that `replay` refuses.
pub(crate) fn shown(command: clap::Command) -> clap::Command {
    let command = [
        "urls", "clicks", "visit", "order", "plan", "requests", "duration", "ramp", "steps", "burst", "think",
    ]
    .into_iter()
    .fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)));
    command.override_usage("warwolf replay [OPTIONS] LOG").mut_arg("url", |arg| {
        arg.value_name("LOG")
            .help("Access log to replay, optionally compressed with gzip (\"-\" means stdin)")
            .help_heading("Replay")
    })
}

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Apache's and nginx's common and combined formats
    Common,
    /// Squid's native format
    Squid,
    /// A JSON object on each line
    Json,
    /// An HTTP archive
    Har,
}
