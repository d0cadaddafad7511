//! The kinds of stream a connection can run on, and the one thing they do differently: being reset.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// A stream that can be made to end with a reset.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin {
    /// Makes the coming drop a reset. A Unix socket knows none: its peer sees a close.
    fn arm_reset(&self);
}

impl Wire for TcpStream {
    fn arm_reset(&self) {
        // Where it cannot be set the connection is already gone.
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
