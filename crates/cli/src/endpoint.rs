//! Where single questions go: an address that was resolved once, and how TLS is spoken to it.

use crate::exit::{Failure, MachineFailure, NetworkFailure};
use std::path::Path;
use warwolf_args::{FileError, Trust, UsageError};
use warwolf_driver::{Address, Epoll, Idle, Monotonic};
use warwolf_engine::resolve;
use warwolf_exchange::Target;
use warwolf_http::{TlsConfig, TlsOptions, Verify};
use warwolf_plan::{Endpoint, Network, Scheme};

/// The TLS configuration that the arguments ask for.
///
/// # Errors
/// When the file cannot be read or holds no certificates.
fn tls_config(trust: &Trust) -> Result<TlsConfig, Failure> {
    let verify = match &trust.cacert {
        _ if trust.insecure => Verify::None,
        Some(path) => Verify::Roots(roots(path)?),
        None => Verify::System,
    };
    TlsConfig::new(&TlsOptions { verify, ..TlsOptions::default() })
        .map_err(|error| Failure::of_tls(trust.cacert.as_deref(), error))
}

fn roots(path: &Path) -> Result<Vec<u8>, UsageError> {
    std::fs::read(path).map_err(|error| FileError::reading(path, &error).of_option("cacert").into())
}

/// All addresses of an endpoint; at least one.
///
/// # Errors
/// When its name has none.
pub(crate) fn addresses(endpoint: &Endpoint) -> Result<Vec<Address>, Failure> {
    let found = resolve(&endpoint.host, endpoint.port, &Network::default());
    found.map_err(|error| NetworkFailure::NoAddress(endpoint.host.clone(), Some(error)).into())
}

/// The place that an endpoint is, at this address of its own.
///
/// # Errors
/// When the file of certificates cannot be read or holds none.
pub(crate) fn place(endpoint: &Endpoint, address: Address, trust: &Trust) -> Result<Target, Failure> {
    let tls = match endpoint.scheme {
        Scheme::Http | Scheme::Ftp => None,
        Scheme::Https => Some((tls_config(trust)?, endpoint.host.clone())),
    };
    Ok(Target { address, tls })
}

/// A driver for `sockets` sockets, whose time begins now.
///
/// # Errors
/// When descriptors are short.
pub(crate) fn driver(sockets: u32) -> Result<Epoll, Failure> {
    let start = Monotonic::start_at(std::time::Duration::ZERO);
    Epoll::new(start, Idle::Block, sockets as usize).map_err(|error| MachineFailure::EventQueue(error).into())
}
