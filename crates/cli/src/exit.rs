//! How the program ends: its exit codes, and failures, each printed in one line.

use std::fmt;
use std::process::ExitCode;
use warwolf_args::UsageError;

/// An exit code and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Well = 0,
    /// It could not be done, or no request succeeded.
    Failed = 1,
    /// The words are wrong.
    Usage = 2,
    /// The verdict is not VALID, and `--strict` was given.
    Doubtful = 96,
    /// B is worse than A by more than is allowed.
    Worse = 97,
    /// An SLO does not hold, or torture found something.
    Broken = 99,
    /// Interrupted, after reporting.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command was not done, in one line, and the exit code that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    text: String,
}

impl Failure {
    /// Something that was asked for rightly and could not be done: what happened, to what, and what to do.
    pub(crate) fn new(text: impl fmt::Display) -> Self {
        Self { exit: Exit::Failed, text: text.to_string() }
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self { exit: Exit::Usage, text: error.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
