//! Why a run could not begin.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};
use warwolf_driver::UringError;
use warwolf_http::{TemplateError, TlsConfigError};
use warwolf_plan::Request;

/// Why a run could not begin. Nothing has been sent.
#[derive(Debug)]
pub enum SetupError {
    /// The plan is invalid.
    Plan(warwolf_plan::PlanError),
    /// A request cannot be encoded.
    Request {
        /// Which one.
        url: String,
        /// Why.
        error: TemplateError,
    },
    /// A file that the plan names cannot be read.
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A name has no address.
    Resolve {
        /// The name.
        host: String,
        /// The error of the resolver.
        error: io::Error,
    },
    /// The TLS options are invalid.
    Tls {
        /// The file that cannot be used, if it is one.
        path: Option<PathBuf>,
        /// Why.
        error: TlsConfigError,
    },
    /// The driver that the plan asks for cannot be used.
    Driver(DriverError),
    /// More connections are asked for than this process may have descriptors.
    Descriptors {
        /// How many are needed.
        needed: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// A thread of this program could not start, or failed.
    Thread {
        /// Its purpose.
        name: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A worker panicked: a defect of this program.
    Panic,
}

/// Why a driver cannot be used on this system.
#[derive(Debug)]
pub enum DriverError {
    /// epoll.
    Epoll(io::Error),
    /// `io_uring`.
    Uring(UringError),
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Epoll(error) => write!(f, "the epoll driver cannot be used here: {error}"),
            Self::Uring(error) => {
                write!(f, "the uring driver cannot be used here: {error}; try --driver epoll")
            }
        }
    }
}

impl SetupError {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    pub(crate) fn request(request: &Request, error: TemplateError) -> Self {
        Self::Request { url: request.url(), error }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            Self::Request { url, error } => write!(f, "{url}: {error}"),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Resolve { host, error } => {
                write!(
                    f,
                    "{host}: {error}; check the name, or give its address with --resolve HOST:PORT:ADDRESS"
                )
            }
            Self::Tls { path: Some(path), error } => write!(f, "{}: {error}", path.display()),
            Self::Tls { path: None, error } => write!(f, "TLS: {error}"),
            Self::Driver(error) => error.fmt(f),
            Self::Descriptors { needed, limit } => write!(
                f,
                "{needed} descriptors are needed and the hard limit is {limit}; use fewer connections, or raise the \
                 limit (`ulimit -Hn {needed}` as root, or LimitNOFILE= in systemd)"
            ),
            Self::Thread { name, error } => {
                write!(f, "the {name} thread failed: {error}; please report this")
            }
            Self::Panic => f.write_str("a worker thread panicked; please report this"),
        }
    }
}

impl Error for SetupError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File { error, .. } | Self::Resolve { error, .. } | Self::Thread { error, .. } => {
                Some(error)
            }
            Self::Driver(DriverError::Epoll(error)) => Some(error),
            Self::Driver(DriverError::Uring(error)) => Some(error),
            Self::Plan(error) => Some(error),
            Self::Tls { error, .. } => Some(error),
            Self::Request { .. } | Self::Descriptors { .. } | Self::Panic => None,
        }
    }
}

impl From<warwolf_plan::PlanError> for SetupError {
    fn from(error: warwolf_plan::PlanError) -> Self {
        Self::Plan(error)
    }
}
