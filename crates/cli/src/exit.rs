//! How the program ends: its exit codes, and failures, each printed in one line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fmt, io};
use warwolf_args::{FileError, UsageError, reason};
use warwolf_engine::SetupError;
use warwolf_exchange::Ending;
use warwolf_history::HistoryError;
use warwolf_http::TlsConfigError;

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

/// Why a command failed, by who has to act. Printed in one line after `warwolf: `.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user: an argument, or what it names, is wrong.
    User(UsageError),
    /// The operator of the server under test.
    Target(TargetFailure),
    /// The operator of the network.
    Network(NetworkFailure),
    /// The operator of this machine.
    Machine(MachineFailure),
    /// The authors of this program: a defect.
    Us(&'static str),
}

/// A server that cannot be tested.
#[derive(Debug)]
pub(crate) enum TargetFailure {
    /// It answers a valid request with a failure.
    Failing(String),
    /// A step that comes before the run has failed.
    Setup(String),
    /// The URL to start at could not be loaded.
    NoStart(String, Ending),
    /// `robots.txt` forbids the URL to start at, or could not be loaded.
    Forbidden(String),
}

/// A name that does not lead to a server.
#[derive(Debug)]
pub(crate) enum NetworkFailure {
    /// The host has no address.
    NoAddress(String, Option<io::Error>),
    /// A host of a plan has no address.
    Setup(SetupError),
    /// No server that a log names has an address.
    NoServer,
}

/// What this machine refuses.
#[derive(Debug)]
pub(crate) enum MachineFailure {
    /// A file or folder.
    File(FileError),
    /// An event queue.
    EventQueue(io::Error),
    /// Waiting for events.
    Wait(io::Error),
    /// Signal handlers.
    Signals(io::Error),
    /// A thread.
    Thread(io::Error),
    /// The certificates for TLS.
    Tls(TlsConfigError),
    /// The preparation of a run.
    Setup(SetupError),
    /// The built-in test server.
    TestServer(String),
    /// The history in a file.
    History(PathBuf, HistoryError),
    /// The history did not take a run, and the run file that has it instead.
    NotKept(Box<Failure>, Option<PathBuf>),
    /// The command of `--between`, and how it ended.
    Between(String, String),
}

impl Failure {
    /// The exit code that goes with it.
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::User(_) => Exit::Usage,
            Self::Target(_) | Self::Network(_) | Self::Machine(_) | Self::Us(_) => Exit::Failed,
        }
    }
}

impl Failure {
    /// Options of TLS that cannot be used, because of the file at `path` if there is one.
    pub(crate) fn of_tls(path: Option<&Path>, error: TlsConfigError) -> Self {
        let place = match (&error, path) {
            // The user named no file: this machine has none.
            (TlsConfigError::NoSystemRoots, _) => return Self::Machine(MachineFailure::Tls(error)),
            (_, Some(path)) => path.display().to_string(),
            (TlsConfigError::UnknownCipher(_) | TlsConfigError::NoCipherForVersion, None) => {
                "--ciphers".into()
            }
            (_, None) => "TLS".into(),
        };
        Self::User(UsageError::of(place, error))
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self::User(error)
    }
}

impl From<TargetFailure> for Failure {
    fn from(failure: TargetFailure) -> Self {
        Self::Target(failure)
    }
}

impl From<NetworkFailure> for Failure {
    fn from(failure: NetworkFailure) -> Self {
        Self::Network(failure)
    }
}

impl From<MachineFailure> for Failure {
    fn from(failure: MachineFailure) -> Self {
        Self::Machine(failure)
    }
}

/// A file that fails during the command, when its arguments have been accepted.
impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::Machine(MachineFailure::File(error))
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        match error {
            // The plan passed its own check, so what it names is wrong.
            SetupError::Plan(error) => Self::User(UsageError::of_field(error)),
            SetupError::Request { url, error } => Self::User(UsageError::of(url, error)),
            SetupError::Tls { path, error } => Self::of_tls(path.as_deref(), error),
            error @ SetupError::Resolve { .. } => Self::Network(NetworkFailure::Setup(error)),
            error => Self::Machine(MachineFailure::Setup(error)),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(error) => error.fmt(f),
            Self::Target(failure) => failure.fmt(f),
            Self::Network(failure) => failure.fmt(f),
            Self::Machine(failure) => failure.fmt(f),
            Self::Us(what) => write!(f, "{what}; please report this"),
        }
    }
}

impl fmt::Display for TargetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failing(what) => write!(
                f,
                "the server fails before the test: a valid request gets `{what}`; test a server that works"
            ),
            Self::Setup(why) => {
                write!(
                    f,
                    "the setup of the run failed, nothing else was sent: {why}; `warwolf check` shows the replies"
                )
            }
            Self::NoStart(url, ending) => write!(f, "`{url}`: {ending}"),
            Self::Forbidden(url) => write!(
                f,
                "`{url}`: robots.txt forbids it, or could not be loaded; on your own server, use --ignore-robots"
            ),
        }
    }
}

impl fmt::Display for NetworkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress(host, None) => write!(f, "`{host}`: has no address"),
            Self::NoAddress(host, Some(error)) => write!(f, "`{host}`: has no address: {}", reason(error)),
            Self::Setup(error) => error.fmt(f),
            Self::NoServer => f.write_str("no server that the log names has an address; use --to URL"),
        }
    }
}

impl fmt::Display for MachineFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::EventQueue(error) => write!(f, "the kernel provides no epoll: {}", reason(error)),
            Self::Wait(error) => write!(f, "the kernel refuses to wait: {}", reason(error)),
            Self::Signals(error) => write!(f, "signals cannot be caught: {}", reason(error)),
            Self::Thread(error) => write!(f, "no thread can be started: {}", reason(error)),
            Self::Tls(error) => error.fmt(f),
            Self::Setup(error) => error.fmt(f),
            Self::TestServer(error) => f.write_str(error),
            Self::History(path, error) => write!(f, "history {}: {error}", path.display()),
            Self::NotKept(failure, Some(file)) => {
                let file = file.display();
                write!(f, "{failure}; the run is in {file}: `warwolf history import NAME {file}` adds it")
            }
            Self::NotKept(failure, None) => write!(f, "{failure}; the run is not kept"),
            Self::Between(command, how) => write!(f, "--between: `{command}`: {how}"),
        }
    }
}
