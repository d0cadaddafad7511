//! `httperf` (Mosberger): its command line becomes a plan, and what was measured becomes its report.
//!
//! The words, the first line of the output and the report are those of 0.9.0; options that came later are taken too. What
//! the original hangs on, dies of or miscounts is done right: `docs/httperf.md` lists every such place.

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

/// How files are read: by a function of the caller.
pub type Read<'a> = &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>;

/// Why nothing is run, or what was wanted instead: text for each stream, and the exit code.
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

/// A command line, understood.
#[derive(Clone, Debug)]
pub struct Classic {
    /// What is to be run.
    pub plan: Plan,
    /// How it is printed.
    pub style: Style,
}

/// How a run is printed.
#[derive(Clone, Debug)]
pub struct Style {
    options: Options,
    notes: String,
    visits: Option<Visits>,
}

/// Reads a command line, the program's name first, and the files it names.
///
/// # Errors
/// When there is nothing to run: the words or a file are wrong, or help was asked for.
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
    /// The first lines on stdout: the options as they were understood, and with `-v` how many descriptors there are.
    #[must_use]
    pub fn opening(&self, descriptors: u64) -> String {
        let mut text = echo::echo(&self.options);
        if self.options.verbose > 0 {
            text +=
                &format!("{}: maximum number of open descriptors = {descriptors}\n", self.options.program);
        }
        text
    }

    /// What is to be said on stderr before the run.
    #[must_use]
    pub fn notes(&self) -> &str {
        &self.notes
    }

    /// What follows the run and talks meanwhile. `plan` is the one to be run.
    #[must_use]
    pub fn live(&self, plan: &Plan) -> Live {
        let options = &self.options;
        Live::new(options.verbose, options.client, &options.period, plan.stop.calls)
            .with_sessions(options.sessions.is_some())
            .with_periodic_stats(options.periodic_stats)
            .with_visits(&options.program, self.visits.clone().filter(|_| options.verbose > 0))
    }

    /// The observer of the run, which has one worker. It shares the rates it counts with [`Live`].
    #[must_use]
    pub fn observer<'a>(&self, rates: &Rates, console: &'a dyn Console) -> Counter<'a> {
        Counter::new(Counts::new(self.options.client), self.transcript(), rates.clone(), console)
    }

    /// Prints requests and replies as they are sent and received; empty unless that was asked for.
    fn transcript(&self) -> Transcript {
        let Options { print_request, print_reply, sessions, verbose, program, .. } = &self.options;
        let transcript = Transcript::new(*print_request, *print_reply);
        match sessions {
            Some(Wanted::Pages { .. }) if *verbose >= 2 => transcript.with_fetching(program),
            _ => transcript,
        }
    }

    /// The numbers of the report of a run that `counter` observed.
    #[must_use]
    pub fn figures(&self, run: &Run, counter: &Counter<'_>) -> Figures {
        let (cpu_user, cpu_system) = run.cpu();
        let Options { sessions, periodic_stats, .. } = &self.options;
        counter.counts().figures(run.wall, [cpu_user, cpu_system], sessions.is_some(), *periodic_stats)
    }

    /// The report.
    #[must_use]
    pub fn report(&self, figures: &Figures) -> String {
        report(figures, self.options.verbose)
    }

    /// What is said on stderr of a run that this machine could not make as it was asked for.
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

    /// What is said on stderr when a run cannot begin for another reason.
    #[must_use]
    pub fn usage_error(&self, why: &str) -> String {
        format!("{}: {why}\n", self.options.program)
    }

    /// What ends a run whose server's name has no address: stderr, and exit code 1.
    #[must_use]
    pub fn unresolved(&self, server: &str) -> String {
        format!("{}.core_addr_intern: invalid server address {server}\n", self.options.program)
    }
}
