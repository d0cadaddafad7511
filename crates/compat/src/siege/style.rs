//! A command line of siege, translated.

use super::jars::Jars;
use super::notices::Output;
use super::settings::{Era, Login};
use std::path::PathBuf;
use warwolf_plan::Plan;

/// What a command line of siege means.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The run; none when no request is sent (`-r0`). Its seed is for the caller to choose.
    pub plan: Option<Plan>,
    /// How the report looks, and all else that is printed.
    pub style: Style,
    /// What is said before anything else: messages about options, notices.
    pub before: Output,
}

/// A request as siege's lines show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The whole URL.
    pub url: String,
    /// Its place in the list, from 0.
    pub place: u32,
    /// It is of a scheme that siege does not know; in the plan it goes to a host that cannot be.
    pub unsupported: bool,
}

/// Where a run is noted down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The file, made when it is not there.
    pub path: PathBuf,
    /// A line to set the row apart.
    pub mark: Option<String>,
    /// Whether siege says where the log is.
    pub announced: bool,
}

/// How siege's output looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Whose texts.
    pub era: Era,
    /// Whether what was wrong with the original stays wrong.
    pub quirks: bool,
    /// Users that take part.
    pub users: u32,
    /// Whether the run ends by the clock, and after how many seconds.
    pub time: Option<u64>,
    /// Seconds that connecting may take.
    pub timeout: i64,
    /// A line for each reply.
    pub verbose: bool,
    /// Lines in colour.
    pub color: bool,
    /// No banner, no report.
    pub quiet: bool,
    /// The report as JSON on standard output.
    pub json: bool,
    /// Heads of requests and replies on standard output, and a line more in the report.
    pub debug: bool,
    /// Heads of one request and its reply on standard output.
    pub get: bool,
    /// One request and its reply's body on standard output.
    pub print: bool,
    /// Lines separated by commas.
    pub csv: bool,
    /// Lines begin with the time.
    pub timestamp: bool,
    /// Lines show whole URLs.
    pub full_url: bool,
    /// Lines show the user's number.
    pub display_id: bool,
    /// A reply without a body counts as one.
    pub zero_data_ok: bool,
    /// A 403 is a failure, unless the user is let in.
    pub forbidden_fails: bool,
    /// The cookies that were kept before the run.
    pub jars: Jars,
    /// The file that keeps them, if one does.
    pub cookies: Option<PathBuf>,
    /// Failures after which the run is given up; none means never.
    pub failures: Option<u64>,
    /// Where the run is noted down, if it is.
    pub log: Option<Log>,
    /// The first column of comma separated lines.
    pub mark: Option<String>,
    /// The rc file, which notices tell people to edit.
    pub rc: String,
    /// How each request of the plan is shown, by its number.
    pub shown: Vec<Shown>,
    /// Who answers challenges of servers, and of proxies.
    pub logins: Vec<Login>,
    /// Likewise of proxies.
    pub proxy_logins: Vec<Login>,
    /// The proxy, as `host:port`.
    pub proxy: Option<String>,
    /// Where the full report goes, besides siege's own.
    pub full_report: Option<PathBuf>,
    /// Whether a line about unreliable results is printed; without a value, where stderr is a terminal.
    pub verdict: Option<bool>,
}
