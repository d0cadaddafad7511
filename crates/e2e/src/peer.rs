//! Servers a test writes itself, where no real one misbehaves as wanted.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a peer waits for a request before it gives its connection up.
const PATIENCE: Duration = Duration::from_secs(30);

/// A listener on a free loopback port; every connection is given to one function on a thread of its own.
#[derive(Debug)]
pub struct Peer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    accepted: Arc<AtomicU64>,
    acceptor: Option<JoinHandle<()>>,
}

impl Peer {
    /// Starts to listen; `serve` is called for each connection with its number, from 0.
    pub fn start(serve: impl Fn(u64, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let address = listener.local_addr().expect("the address of a listener");
        let (stop, accepted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopping, count, serve) = (Arc::clone(&stop), Arc::clone(&accepted), Arc::new(serve));
        let acceptor = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if stopping.load(Ordering::Acquire) {
                    break;
                }
                let Ok(connection) = connection else { continue };
                let _ = connection.set_read_timeout(Some(PATIENCE));
                let _ = connection.set_write_timeout(Some(PATIENCE));
                let (serve, number) = (Arc::clone(&serve), count.fetch_add(1, Ordering::Relaxed));
                std::thread::spawn(move || serve(number, connection));
            }
        });
        Self { address, stop, accepted, acceptor: Some(acceptor) }
    }

    /// Answers every request of every connection with the same bytes, and keeps the connections open.
    pub fn replying(reply: &'static [u8]) -> Self {
        Self::start(move |_, mut connection| {
            while read_head(&mut connection).is_some() {
                if connection.write_all(reply).is_err() {
                    break;
                }
            }
        })
    }

    /// Answers the first request of every connection with these bytes, then closes it.
    pub fn replying_once(reply: &'static [u8]) -> Self {
        Self::start(move |_, mut connection| {
            if read_head(&mut connection).is_some() {
                let _ = connection.write_all(reply);
                let _ = connection.shutdown(Shutdown::Write);
                drain(&mut connection);
            }
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Connections accepted so far.
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the acceptor, which then sees that it should stop.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

/// One request head, up to and with its empty line, read byte by byte so that nothing behind it is taken.
/// `None` when the other side closed or kept silent for too long.
pub fn read_head(connection: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match connection.read(&mut byte) {
            Ok(0) => return None,
            Ok(_) => head.push(byte[0]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(head)
}

/// Reads until the other side closes, so that closing here is an orderly end and not a reset.
pub fn drain(connection: &mut TcpStream) {
    let mut bytes = [0; 4096];
    while connection.read(&mut bytes).is_ok_and(|count| count > 0) {}
}

/// A proxy that only opens tunnels: answers `CONNECT` and passes bytes on both ways.
pub fn tunnel() -> Peer {
    Peer::start(|_, mut client| {
        let Some(head) = read_head(&mut client) else { return };
        let line = String::from_utf8_lossy(&head);
        let mut words = line.split_whitespace();
        let origin = match (words.next(), words.next()) {
            (Some("CONNECT"), Some(authority)) => authority.replace("localhost", "127.0.0.1"),
            _ => {
                let _ = client.write_all(b"HTTP/1.1 405 Tunnels Only\r\nContent-Length: 0\r\n\r\n");
                return;
            }
        };
        let Ok(mut server) = TcpStream::connect(origin) else {
            let _ = client.write_all(b"HTTP/1.1 502 No Origin\r\nContent-Length: 0\r\n\r\n");
            return;
        };
        let _ = client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
        let (Ok(mut from_client), Ok(mut to_server)) = (client.try_clone(), server.try_clone()) else {
            return;
        };
        let upstream = std::thread::spawn(move || {
            let _ = std::io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        });
        let _ = std::io::copy(&mut server, &mut client);
        let _ = client.shutdown(Shutdown::Both);
        let _ = upstream.join();
    })
}
