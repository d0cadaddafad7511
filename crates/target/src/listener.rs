//! Listening sockets.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};

use crate::options::Listen;

/// An address that the server listens on, with or without TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The address or path.
    pub address: ListenAddress,
    /// Whether it uses TLS.
    pub is_tls: bool,
}

/// An IP address with port, or the path of a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address with its actual port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// Formats a URL; for Unix sockets `unix:/path` or `unix+tls:/path`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.address, self.is_tls) {
            (ListenAddress::Tcp(address), false) => write!(f, "http://{address}/"),
            (ListenAddress::Tcp(address), true) => write!(f, "https://{address}/"),
            (ListenAddress::Unix(path), false) => write!(f, "unix:{}", path.display()),
            (ListenAddress::Unix(path), true) => write!(f, "unix+tls:{}", path.display()),
        }
    }
}

/// All addresses that a server listens on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// In the order of the options, those without TLS first.
    pub endpoints: Vec<Endpoint>,
    /// The root certificate that clients have to trust, PEM; only with TLS.
    pub ca_pem: Option<String>,
}

impl Listening {
    /// Returns the first TCP address without TLS.
    #[must_use]
    pub fn addr(&self) -> Option<SocketAddr> {
        self.first(false)
    }

    /// Returns the first TCP address with TLS.
    #[must_use]
    pub fn tls_addr(&self) -> Option<SocketAddr> {
        self.first(true)
    }

    fn first(&self, is_tls: bool) -> Option<SocketAddr> {
        self.endpoints.iter().filter(|endpoint| endpoint.is_tls == is_tls).find_map(|endpoint| match endpoint
            .address
        {
            ListenAddress::Tcp(address) => Some(address),
            ListenAddress::Unix(_) => None,
        })
    }
}

/// A listening socket. Dropping it removes the file of a Unix socket.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// An accepted connection.
pub(crate) enum Accepted {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    /// Listens on `address` with the given backlog of pending connections.
    pub(crate) async fn bind(address: &Listen, backlog: u32) -> io::Result<Self> {
        match address {
            Listen::Tcp(name) => bind_tcp(name, backlog).await.map(Self::Tcp),
            Listen::Unix(path) => bind_unix(path).map(|listener| Self::Unix(listener, path.clone())),
        }
    }

    /// Returns the address it listens on.
    pub(crate) fn address(&self) -> io::Result<ListenAddress> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(ListenAddress::Tcp),
            Self::Unix(_, path) => Ok(ListenAddress::Unix(path.clone())),
        }
    }

    /// Accepts the next connection.
    pub(crate) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Accepted::Tcp(stream))
            }
            Self::Unix(listener, _) => listener.accept().await.map(|(stream, _)| Accepted::Unix(stream)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            // The file may have been removed by the user.
            drop(std::fs::remove_file(path));
        }
    }
}

/// Binds the first usable address of `name`.
async fn bind_tcp(name: &str, backlog: u32) -> io::Result<TcpListener> {
    let mut failure = io::ErrorKind::NotFound.into();
    for address in tokio::net::lookup_host(name).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        match socket.bind(address).and_then(|()| socket.listen(backlog)) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Binds a Unix socket; replaces a stale socket file.
fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            match std::os::unix::net::UnixStream::connect(path) {
                Err(refused) if refused.kind() == io::ErrorKind::ConnectionRefused => {
                    std::fs::remove_file(path)?;
                    UnixListener::bind(path)
                }
                _ => Err(error),
            }
        }
        bound => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_written_as_urls() {
        for (address, is_tls, text) in [
            (ListenAddress::Tcp(([127, 0, 0, 1], 80).into()), false, "http://127.0.0.1:80/"),
            (ListenAddress::Tcp("[::1]:443".parse().unwrap()), true, "https://[::1]:443/"),
            (ListenAddress::Unix("/tmp/x".into()), false, "unix:/tmp/x"),
        ] {
            assert_eq!(Endpoint { address, is_tls }.to_string(), text);
        }
    }
}
