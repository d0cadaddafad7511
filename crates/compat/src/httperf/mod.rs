//! `httperf` (Mosberger): translates its command line into a plan and prints results as its report.
//!
//! The arguments, the first line of the output and the report are those of 0.9.0; later options are accepted too. Where
//! the original hangs, crashes or miscounts, this module does not: `docs/httperf.md` lists every such case.

mod ciphers;
mod counts;
mod echo;
mod escape;
mod getopt;
mod live;
mod number;
mod observer;
mod options;
mod period;
mod report;
mod sessionlog;
mod targets;
mod transcript;
mod translate;
mod wire;

use counts::Counts;
pub use live::{Live, Rates, Said};
pub use observer::Counter;
pub use options::Parts;
pub use report::{Errors, Figures, Sessions, Spread, median_ms, report};

use crate::Console;
use options::{Options, Sessions as Wanted};
use std::path::Path;
use transcript::Transcript;
use translate::{NoPlan, Visits, translate};
use warwolf_measure::Run;
use warwolf_plan::Plan;

/// Reads a file; supplied by the caller.
pub type Read<'a> = &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>;

/// The output of a command line that starts no run (for example a usage error or `--help`), and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// For stdout.
    pub stdout: String,
    /// For stderr.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Usage {
    fn failed(stderr: String) -> Self {
        Self { stdout: String::new(), stderr, code: 1 }
    }
}

/// A parsed command line.
#[derive(Clone, Debug)]
pub struct Classic {
    /// The plan.
    pub plan: Plan,
    /// How the run is printed.
    pub style: Style,
}

/// How a run is printed.
#[derive(Clone, Debug)]
pub struct Style {
    options: Options,
    notes: String,
    visits: Option<Visits>,
}

/// Parses a command line, including the program's name, and the files it names.
///
/// # Errors
/// When there is nothing to run: an argument or a file is invalid, or help was requested.
pub fn parse(argv: &[String], read: Read<'_>) -> Result<Classic, Usage> {
    let options = Options::read(argv)?;
    let stdout = echo::echo(&options);
    match translate(&options, read) {
        Ok(translated) => {
            let program = &options.program;
            let debug = options.debug.then_some("sorry, need to recompile with -DDEBUG on...".to_owned());
            let notes =
                debug.iter().chain(&translated.notes).map(|note| format!("{program}: {note}\n")).collect();
            Ok(Classic { plan: translated.plan, style: Style { options, notes, visits: translated.visits } })
        }
        Err(NoPlan::Wrong(text)) => {
            let colon = if text == translate::TOO_MANY { "" } else { ": " };
            Err(Usage { stdout, stderr: format!("{}{colon}{text}\n", options.program), code: 1 })
        }
        Err(NoPlan::Nothing) => {
            let sessions = options.sessions.is_some().then(Sessions::default);
            let text = report(&Figures { sessions, ..Figures::default() }, options.verbose);
            Err(Usage { stdout: stdout + &text, stderr: String::new(), code: 0 })
        }
    }
}

impl Style {
    /// Returns the first lines on stdout: the parsed options and, with `-v`, the number of available descriptors.
    #[must_use]
    pub fn opening(&self, descriptors: u64) -> String {
        let mut text = echo::echo(&self.options);
        if self.options.verbose > 0 {
            text +=
                &format!("{}: maximum number of open descriptors = {descriptors}\n", self.options.program);
        }
        text
    }

    /// Returns the messages for stderr before the run.
    #[must_use]
    pub fn notes(&self) -> &str {
        &self.notes
    }

    /// Returns the printer of output during the run of `plan`.
    #[must_use]
    pub fn live(&self, plan: &Plan) -> Live {
        let options = &self.options;
        Live::new(options.verbose, options.client, &options.period, plan.stop.calls)
            .with_sessions(options.sessions.is_some())
            .with_periodic_stats(options.periodic_stats)
            .with_visits(&options.program, self.visits.clone().filter(|_| options.verbose > 0))
    }

    /// Creates the observer of the run, which has one worker. It shares its rates with [`Live`].
    #[must_use]
    pub fn observer<'a>(&self, rates: &Rates, console: &'a dyn Console) -> Counter<'a> {
        Counter::new(Counts::new(self.options.client), self.transcript(), rates.clone(), console)
    }

    /// Creates the printer of requests and replies; it prints nothing unless an option requests it.
    fn transcript(&self) -> Transcript {
        let Options { print_request, print_reply, sessions, verbose, program, .. } = &self.options;
        let transcript = Transcript::new(*print_request, *print_reply);
        match sessions {
            Some(Wanted::Pages { .. }) if *verbose >= 2 => transcript.with_fetching(program),
            _ => transcript,
        }
    }

    /// Returns the figures of the report of a run that `counter` observed.
    #[must_use]
    pub fn figures(&self, run: &Run, counter: &Counter<'_>) -> Figures {
        let (cpu_user, cpu_system) = run.cpu();
        let Options { sessions, periodic_stats, .. } = &self.options;
        counter.counts().figures(run.wall, [cpu_user, cpu_system], sessions.is_some(), *periodic_stats)
    }

    /// Returns the report.
    #[must_use]
    pub fn report(&self, figures: &Figures) -> String {
        report(figures, self.options.verbose)
    }

    /// Returns the messages for stderr of a run that this machine could not carry out as requested.
    #[must_use]
    pub fn reasons(&self, figures: &Figures) -> String {
        let program = &self.options.program;
        let Errors { no_ports, no_files, .. } = figures.errors;
        let mut text = String::new();
        if no_ports > 0 {
            text += &format!(
                "{program}: {no_ports} connections found no local port: use more source addresses (--myaddr), fewer \
                 connections, or --close-with-reset\n"
            );
        }
        if no_files > 0 {
            text += &format!(
                "{program}: {no_files} connections found no descriptor: raise the limit (ulimit -n)\n"
            );
        }
        text
    }

    /// Returns the message for stderr when a run cannot begin for another reason.
    #[must_use]
    pub fn usage_error(&self, why: &str) -> String {
        format!("{}: {why}\n", self.options.program)
    }

    /// Returns the error for stderr when the server's name has no address. The exit code is 1.
    #[must_use]
    pub fn unresolved(&self, server: &str) -> String {
        format!("{}.core_addr_intern: invalid server address {server}\n", self.options.program)
    }
}
