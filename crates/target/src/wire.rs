//! The stream types of connections, and how each is reset.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// A stream that can be closed with a reset.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin {
    /// Makes the following drop a reset. Unix sockets have no reset: the peer sees a close.
    fn arm_reset(&self);
}

impl Wire for TcpStream {
    fn arm_reset(&self) {
        // If the option cannot be set, the connection is already closed.
        drop(self.set_zero_linger());
    }
}

impl Wire for UnixStream {
    fn arm_reset(&self) {}
}

impl<W: Wire> Wire for TlsStream<W> {
    fn arm_reset(&self) {
        self.get_ref().0.arm_reset();
    }
}
