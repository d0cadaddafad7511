//! A translated command line of siege.

use super::jars::Jars;
use super::notices::Output;
use super::settings::{Era, Login};
use std::path::PathBuf;
use warwolf_plan::Plan;

/// The translation of a siege command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The run; `None` if no request is sent (`-r0`). The caller chooses its seed.
    pub plan: Option<Plan>,
    /// The format of the report and of all other output.
    pub style: Style,
    /// Output before anything else: usage errors and notices.
    pub before: Output,
}

/// A request as shown in siege's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The whole URL.
    pub url: String,
    /// Index in the URL list, from 0.
    pub place: u32,
    /// The scheme is not supported by siege; in the plan the request goes to an impossible host.
    pub unsupported: bool,
}

/// The log file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The file, created if it is missing.
    pub path: PathBuf,
    /// A line that marks the row.
    pub mark: Option<String>,
    /// Whether siege prints the location of the log.
    pub announced: bool,
}

/// The format of siege's output.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The version whose texts are printed.
    pub era: Era,
    /// Whether errors of the original are reproduced.
    pub quirks: bool,
    /// Number of users.
    pub users: u32,
    /// The time limit of the run in seconds, if it has one.
    pub time: Option<u64>,
    /// The connect timeout in seconds.
    pub timeout: i64,
    /// A line is printed for each reply.
    pub verbose: bool,
    /// Lines are coloured.
    pub color: bool,
    /// Neither banner nor report is printed.
    pub quiet: bool,
    /// The report is printed as JSON on standard output.
    pub json: bool,
    /// Heads of requests and replies are printed on standard output, and the report has an additional line.
    pub debug: bool,
    /// The heads of one request and its reply are printed on standard output.
    pub get: bool,
    /// One request and the body of its reply are printed on standard output.
    pub print: bool,
    /// The fields of lines are separated by commas.
    pub csv: bool,
    /// Lines begin with the time.
    pub timestamp: bool,
    /// Lines show whole URLs.
    pub full_url: bool,
    /// Lines show the user's number.
    pub display_id: bool,
    /// A reply without a body counts as a reply.
    pub zero_data_ok: bool,
    /// A 403 is a failure, unless a login follows.
    pub forbidden_fails: bool,
    /// The cookies stored before the run.
    pub jars: Jars,
    /// The file that stores cookies, if there is one.
    pub cookies: Option<PathBuf>,
    /// Failures after which the run is aborted; `None` means never.
    pub failures: Option<u64>,
    /// The log file, if there is one.
    pub log: Option<Log>,
    /// The first column of lines separated by commas.
    pub mark: Option<String>,
    /// The rc file, which notices ask the user to edit.
    pub rc: String,
    /// The shown form of each request of the plan, by its number.
    pub shown: Vec<Shown>,
    /// Credentials for challenges of servers.
    pub logins: Vec<Login>,
    /// Credentials for challenges of proxies.
    pub proxy_logins: Vec<Login>,
    /// The proxy, as `host:port`.
    pub proxy: Option<String>,
    /// Path of the full report, which is written besides siege's own.
    pub full_report: Option<PathBuf>,
    /// Whether a line about unreliable results is printed; without a value, if stderr is a terminal.
    pub verdict: Option<bool>,
}
