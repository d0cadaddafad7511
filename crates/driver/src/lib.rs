//! The kernel, as seen by a load generator: sockets, time, and what a thread costs.
//!
//! Holds the only unsafe code and the only clock reading; it knows no protocol. The engine's workers call it, one driver
//! per thread. [`Driver`] speaks completions, because epoll can act those out and io_uring need not.
#![deny(clippy::undocumented_unsafe_blocks)]

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use warwolf_clock::{Clock, Timestamp};

mod buffers;
mod epoll;
pub mod host;
mod look;
mod monotonic;
mod socket;
mod uring;
mod waker;

pub use epoll::Epoll;
pub use monotonic::Monotonic;
pub use uring::{Uring, supported as uring_supported};
pub use waker::Waker;

/// A socket, by the number its owner gave it: small, dense, and free to be used again after [`Driver::close`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub u32);

impl SocketId {
    /// The place of this socket in a table.
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a socket connects to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// TCP, IPv4 or IPv6.
    Ip(SocketAddr),
    /// A Unix stream socket by its path, at most 107 bytes long.
    Unix(PathBuf),
}

/// How a socket is made. The default leaves everything as the kernel has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Sets `TCP_NODELAY`, so that small writes leave at once.
    pub nodelay: bool,
    /// `SO_SNDBUF` in bytes; the kernel doubles it and keeps it within its own limits.
    pub send_buffer: Option<u32>,
    /// `SO_RCVBUF` in bytes; the kernel doubles it and keeps it within its own limits.
    pub receive_buffer: Option<u32>,
    /// Bytes that one [`Completion::Received`] brings at the most, 1 or more; none means as many as there is room for. For those
    /// who [`Driver::pause`].
    pub receive_max: Option<u32>,
    /// Source address. With port 0 the kernel chooses the port when it connects, so that one port serves several targets.
    pub bind: Option<SocketAddr>,
    /// Closes with a reset instead of an orderly end, so that the port has no `TIME_WAIT`.
    pub reset_on_close: bool,
}

/// Why an operation on a socket failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SocketError {
    /// Nobody listens there.
    Refused,
    /// The peer reset the connection, or it was closed while we were sending.
    Reset,
    /// There is no way to the host or network.
    Unreachable,
    /// The kernel gave up waiting for the peer.
    TimedOut,
    /// The process or the machine is out of descriptors.
    NoFiles,
    /// All local ports towards this target are taken.
    NoPorts,
    /// The kernel is out of socket memory.
    NoBuffers,
    /// A firewall rule or a permission forbids it.
    Denied,
    /// The path of the Unix socket does not exist.
    NoSuchPath,
    /// Anything else, by the system's error number.
    Other(i32),
}

/// What has happened to a socket.
#[derive(Debug)]
pub enum Completion {
    /// The answer to [`Driver::connect`]; after an error the id is free.
    Connected {
        /// The socket.
        socket: SocketId,
        /// Whether it is connected.
        result: Result<(), SocketError>,
    },
    /// Bytes arrived; read them with [`Driver::bytes`] before the next wait. Never empty.
    Received {
        /// The socket.
        socket: SocketId,
        /// Where the bytes are.
        bytes: ReceivedBytes,
    },
    /// The answer to [`Driver::send`]: the kernel has taken the whole buffer, or the connection cannot send any more.
    Sent {
        /// The socket.
        socket: SocketId,
        /// The buffer that was sent, emptied, with its capacity.
        buffer: Vec<u8>,
        /// Whether all of it was taken.
        result: Result<(), SocketError>,
    },
    /// Nothing more will be received: the peer ended its side (`Ok`; sending may go on), or the connection broke.
    Ended {
        /// The socket.
        socket: SocketId,
        /// Orderly or not.
        result: Result<(), SocketError>,
    },
}

impl Completion {
    /// The socket it happened to.
    #[must_use]
    pub fn socket(&self) -> SocketId {
        match self {
            Self::Connected { socket, .. }
            | Self::Received { socket, .. }
            | Self::Sent { socket, .. }
            | Self::Ended { socket, .. } => *socket,
        }
    }
}

/// Received bytes that lie in a buffer of the driver; valid until the next [`Driver::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedBytes {
    start: usize,
    len: u32,
}

impl ReceivedBytes {
    /// `len` bytes at `start` of the driver's receive memory. For drivers; `start` means what the driver makes of it.
    #[must_use]
    pub const fn new(start: usize, len: u32) -> Self {
        Self { start, len }
    }

    /// Where they begin, in the driver's own counting.
    #[must_use]
    pub const fn start(self) -> usize {
        self.start
    }

    /// How many bytes there are, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a completion never carries no bytes")]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

/// What a thread does while it waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Idle {
    /// Sleeps in the kernel: tens of microseconds late to wake, no cost while nothing happens. Looks for the next completion
    /// before it sleeps, for at most what a sleep costs (measured once, at most 30 us), while that takes less CPU time for each
    /// completion; tried anew from time to time.
    #[default]
    Block,
    /// Asks again and again: wakes within a microsecond or two and keeps a core busy.
    Spin,
}

/// A network of stream sockets that reports completions, and the clock they are read against.
///
/// The life of a socket: `connect`, then `Connected`; `receive` once, any time after `connect`, then `Received` until
/// `Ended`; `send` after `Connected`, one buffer at a time; `close` at any moment. Completions of one socket come in order.
pub trait Driver: Clock {
    /// Opens `socket` and begins to connect it to `to`. Failure comes as a completion, never at once.
    ///
    /// # Panics
    /// When `socket` is open.
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions);

    /// Delivers what arrives from now on, until the peer ends or the socket is closed.
    ///
    /// # Panics
    /// When `socket` is not open.
    fn receive(&mut self, socket: SocketId);

    /// Delivers nothing more of what arrives until [`receive`](Driver::receive) is called again: it stays with the kernel,
    /// and when that is full with the peer. An end or a break is not noticed either. True when the driver can do that;
    /// false when it goes on delivering, as the ring does, whose receive is with the kernel already.
    ///
    /// # Panics
    /// When `socket` is not open.
    fn pause(&mut self, socket: SocketId) -> bool {
        let _ = socket;
        false
    }

    /// Sends all of `buffer`, however many steps that takes, and returns it in [`Completion::Sent`].
    ///
    /// # Panics
    /// When `socket` is not connected, or still has a buffer to send.
    fn send(&mut self, socket: SocketId, buffer: Vec<u8>);

    /// Like [`send`](Driver::send), but when the kernel takes all of `buffer` at once, returns it here, emptied, and nothing
    /// completes. Otherwise (none) [`Completion::Sent`] follows as usual, with failures too. Costs less than `send`, because
    /// there is no completion to wait for.
    ///
    /// # Panics
    /// As `send` does.
    fn send_now(&mut self, socket: SocketId, buffer: Vec<u8>) -> Option<Vec<u8>> {
        self.send(socket, buffer);
        None
    }

    /// Closes `socket` at once; it has no further completion, and a buffer in flight is dropped. The id may be used again
    /// immediately. Closing what is not open does nothing.
    fn close(&mut self, socket: SocketId);

    /// Sleeps (or spins) until something has completed, `until` has come, or a [`Waker`] or a signal called, and adds what
    /// has completed to `into`. An `until` that is past only looks. Ends the life of all [`ReceivedBytes`].
    ///
    /// # Errors
    /// When the kernel refuses to wait, which leaves nothing to be done with this driver.
    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()>;

    /// The bytes of a [`Completion::Received`] of the latest wait.
    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8];

    /// What reports call it: `epoll`, `uring`, `sim`.
    fn name(&self) -> &'static str;
}
