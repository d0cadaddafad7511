//! Where single questions go: an address that was resolved once, and how TLS is spoken to it.

use crate::complaint::Complaint;
use crate::exit::Failure;
use crate::files::reason;
use clap::Args;
use std::path::{Path, PathBuf};
use warwolf_driver::{Address, Epoll, Idle, Monotonic};
use warwolf_engine::resolve;
use warwolf_exchange::Target;
use warwolf_http::{TlsConfig, TlsOptions, Verify};
use warwolf_plan::{Endpoint, Network, Scheme};

/// How https is spoken to a place.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct Trust {
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub(crate) insecure: bool,

    /// Trust the certificates in this PEM file instead of those of the system
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
}

impl Trust {
    /// The TLS that the words ask for.
    ///
    /// # Errors
    /// When the file cannot be read or holds no certificates.
    pub(crate) fn config(&self) -> Result<TlsConfig, Failure> {
        let verify = match &self.cacert {
            _ if self.insecure => Verify::None,
            Some(path) => Verify::Roots(roots(path)?),
            None => Verify::System,
        };
        TlsConfig::new(&TlsOptions { verify, ..TlsOptions::default() }).map_err(Failure::new)
    }
}

fn roots(path: &Path) -> Result<Vec<u8>, Complaint> {
    std::fs::read(path).map_err(|error| {
        Complaint::new(format!("--cacert: `{}`: cannot be read: {}", path.display(), reason(&error)))
    })
}

/// All addresses of an endpoint; at least one.
///
/// # Errors
/// When its name has none.
pub(crate) fn addresses(endpoint: &Endpoint) -> Result<Vec<Address>, Failure> {
    let found = resolve(&endpoint.host, endpoint.port, &Network::default());
    found.map_err(|error| Failure::new(format!("`{}`: has no address: {}", endpoint.host, reason(&error))))
}

/// The place that an endpoint is, at this address of its own.
///
/// # Errors
/// As [`Trust::config`] says.
pub(crate) fn place(endpoint: &Endpoint, address: Address, trust: &Trust) -> Result<Target, Failure> {
    let tls = match endpoint.scheme {
        Scheme::Http | Scheme::Ftp => None,
        Scheme::Https => Some((trust.config()?, endpoint.host.clone())),
    };
    Ok(Target { address, tls })
}

/// A driver for `sockets` sockets, whose time begins now.
///
/// # Errors
/// When descriptors are short.
pub(crate) fn driver(sockets: u32) -> Result<Epoll, Failure> {
    let start = Monotonic::start_at(std::time::Duration::ZERO);
    Epoll::new(start, Idle::Block, sockets as usize)
        .map_err(|error| Failure::new(format!("the kernel gives no epoll: {}", reason(&error))))
}
