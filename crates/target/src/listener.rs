//! Sockets that listen: how they are made, what they are called, and what they accept.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};

use crate::options::Listen;

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The address or the path.
    pub place: Place,
    /// Whether TLS is spoken there.
    pub is_tls: bool,
}

/// An address or a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An address, its port known.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// As a URL, which for a Unix socket is `unix:/path` or `unix+tls:/path`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, self.is_tls) {
            (Place::Tcp(address), false) => write!(f, "http://{address}/"),
            (Place::Tcp(address), true) => write!(f, "https://{address}/"),
            (Place::Unix(path), false) => write!(f, "unix:{}", path.display()),
            (Place::Unix(path), true) => write!(f, "unix+tls:{}", path.display()),
        }
    }
}

/// All places where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// In the order of the options, those without TLS first.
    pub endpoints: Vec<Endpoint>,
    /// What a client must trust when there is TLS, PEM.
    pub ca_pem: Option<String>,
}

impl Listening {
    /// The first address without TLS.
    #[must_use]
    pub fn addr(&self) -> Option<SocketAddr> {
        self.first(false)
    }

    /// The first address with TLS.
    #[must_use]
    pub fn tls_addr(&self) -> Option<SocketAddr> {
        self.first(true)
    }

    fn first(&self, is_tls: bool) -> Option<SocketAddr> {
        self.endpoints.iter().filter(|endpoint| endpoint.is_tls == is_tls).find_map(|endpoint| match endpoint
            .place
        {
            Place::Tcp(address) => Some(address),
            Place::Unix(_) => None,
        })
    }
}

/// A socket that listens. A Unix socket's file goes with it.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// What a listener accepted.
pub(crate) enum Accepted {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Listener {
    /// Listens at `place` with room for `backlog` connections that are not accepted yet.
    pub(crate) async fn bind(place: &Listen, backlog: u32) -> io::Result<Self> {
        match place {
            Listen::Tcp(name) => bind_tcp(name, backlog).await.map(Self::Tcp),
            Listen::Unix(path) => bind_unix(path).map(|listener| Self::Unix(listener, path.clone())),
        }
    }

    /// Where it listens.
    pub(crate) fn place(&self) -> io::Result<Place> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Place::Tcp),
            Self::Unix(_, path) => Ok(Place::Unix(path.clone())),
        }
    }

    /// The next connection.
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
            // It may have been removed by hand.
            drop(std::fs::remove_file(path));
        }
    }
}

/// Binds the first address of `name` that lets itself be bound.
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

/// A socket file that nobody listens on any more is replaced.
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
        for (place, is_tls, text) in [
            (Place::Tcp(([127, 0, 0, 1], 80).into()), false, "http://127.0.0.1:80/"),
            (Place::Tcp("[::1]:443".parse().unwrap()), true, "https://[::1]:443/"),
            (Place::Unix("/tmp/x".into()), false, "unix:/tmp/x"),
        ] {
            assert_eq!(Endpoint { place, is_tls }.to_string(), text);
        }
    }
}
