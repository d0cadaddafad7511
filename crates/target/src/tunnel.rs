//! Connects the far end of a CONNECT tunnel (RFC 9110, section 9.3.6).

use tokio::net::{TcpStream, lookup_host};

/// Connects to `authority` (`HOST:PORT`) or returns the status of the rejection: 400 for an invalid authority, 403 for other
/// machines (a test tool must not be an open proxy), 502 if the connect fails.
pub(crate) async fn connect(authority: &str) -> Result<TcpStream, u16> {
    let addresses: Vec<_> = lookup_host(authority).await.map_err(|_| BAD_REQUEST)?.collect();
    if !addresses.iter().all(|address| address.ip().is_loopback()) {
        return Err(FORBIDDEN);
    }
    let stream = TcpStream::connect(&addresses[..]).await.map_err(|_| BAD_GATEWAY)?;
    stream.set_nodelay(true).map_err(|_| BAD_GATEWAY)?;
    Ok(stream)
}

const BAD_REQUEST: u16 = 400;
const FORBIDDEN: u16 = 403;
const BAD_GATEWAY: u16 = 502;
