//! Runs a plan: one worker per core, and the thread that starts them and adds up their counts.
//!
//! [`run`] takes a [`Plan`](warwolf_plan::Plan) and gives a [`Run`](warwolf_measure::Run): the plan's text, the timeline of what was counted, and the evidence from
//! which a report judges whether the figures can be believed. The engine prints nothing and knows no front end.
//!
//! Start reading at `worker::Worker::turn`.
#![forbid(unsafe_code)]

mod accounting;
mod call;
mod capacity;
mod connection;
mod control;
mod filling;
mod health;
mod kept;
mod network;
mod pool;
mod recorder;
mod resolve;
mod setup;
mod sink;
mod threads;
mod timers;
mod translate;
mod worker;

pub use capacity::Capacity;
pub use control::Control;
pub use resolve::resolve;
pub use threads::{PreparedRun, run, run_observed};
pub use warwolf_driver::Monotonic;

use std::path::{Path, PathBuf};
use std::{fmt, io};
use warwolf_ftp::OrderError;
use warwolf_http::{TemplateError, TlsConfigError};
use warwolf_plan::Request;

/// Why a request cannot be sent.
#[derive(Debug)]
pub enum RequestError {
    /// It cannot be encoded as HTTP.
    Http(TemplateError),
    /// It cannot be expressed in commands of FTP.
    Ftp(OrderError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(error) => error.fmt(f),
            Self::Ftp(error) => error.fmt(f),
        }
    }
}

/// Why a run could not begin. Nothing has been sent.
#[derive(Debug)]
pub enum SetupError {
    /// The plan is wrong.
    Plan(warwolf_plan::PlanError),
    /// A request cannot be put into HTTP.
    Request {
        /// Which.
        url: String,
        /// Why.
        error: RequestError,
    },
    /// A file that the plan names cannot be read.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A name has no address.
    Resolve {
        /// The name.
        host: String,
        /// What the resolver says.
        error: io::Error,
    },
    /// The TLS options make no configuration.
    Tls(TlsConfigError),
    /// The kernel's interface asked for cannot be had.
    Driver {
        /// Which.
        name: &'static str,
        /// Why.
        error: String,
    },
    /// More connections are asked for than this process may have descriptors.
    Descriptors {
        /// How many are needed.
        needed: u64,
        /// How many may be had.
        limit: u64,
    },
    /// A thread of ours failed.
    Thread(String),
}

impl SetupError {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    pub(crate) fn request(request: &Request, error: RequestError) -> Self {
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
            Self::Tls(error) => write!(f, "TLS: {error}"),
            Self::Driver { name, error } => {
                write!(f, "the {name} driver cannot be used here: {error}; try --driver epoll")
            }
            Self::Descriptors { needed, limit } => write!(
                f,
                "{needed} descriptors are needed and the hard limit is {limit}; use fewer connections, or raise the \
                 limit (`ulimit -Hn {needed}` as root, or LimitNOFILE= in systemd)"
            ),
            Self::Thread(error) => write!(f, "a worker failed: {error}; please report this"),
        }
    }
}

impl std::error::Error for SetupError {}

impl From<warwolf_plan::PlanError> for SetupError {
    fn from(error: warwolf_plan::PlanError) -> Self {
        Self::Plan(error)
    }
}
