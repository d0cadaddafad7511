//! The kernel interface of a load generator: sockets, time, and CPU usage of threads.
//!
//! Contains the only unsafe code of the product and the only code that reads the clock; knows no protocol. Each worker of the
//! engine uses its own driver. [`Driver`] is a completion interface, because io_uring provides completions and epoll can
//! emulate them.
#![deny(clippy::undocumented_unsafe_blocks)]

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use warwolf_clock::{Clock, Timestamp};

mod buffers;
mod busy_poll;
mod epoll;
pub mod host;
mod monotonic;
mod socket;
mod uring;
mod waker;

pub use epoll::Epoll;
pub use monotonic::Monotonic;
pub use uring::{Uring, UringError, supported as uring_supported};
pub use waker::Waker;

/// A socket number, chosen by the caller: small, dense, and reusable after [`Driver::close`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SocketId(pub u32);

impl SocketId {
    /// Returns the index of this socket in a table.
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The peer address of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// TCP, IPv4 or IPv6.
    Ip(SocketAddr),
    /// The path of a Unix stream socket, at most 107 bytes long.
    Unix(PathBuf),
}

/// Options of a new socket. The default keeps the settings of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// Sets `TCP_NODELAY`, so that small writes leave at once.
    pub nodelay: bool,
    /// `SO_SNDBUF` in bytes; the kernel doubles it and keeps it within its own limits.
    pub send_buffer: Option<u32>,
    /// `SO_RCVBUF` in bytes; the kernel doubles it and keeps it within its own limits.
    pub receive_buffer: Option<u32>,
    /// Maximum bytes in one [`Completion::Received`], at least 1; `None` means no limit. For callers that use [`Driver::pause`].
    pub receive_max: Option<u32>,
    /// Source address. With port 0 the kernel chooses the port on connect, so that one port can serve several targets.
    pub bind: Option<SocketAddr>,
    /// Closes with a reset instead of an orderly end, so that the port has no `TIME_WAIT`.
    pub reset_on_close: bool,
}

/// Why an operation on a socket failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SocketError {
    /// The peer refused the connection: nothing listens on the address.
    Refused,
    /// The peer reset the connection, or closed it while data was being sent.
    Reset,
    /// No route to the host or network.
    Unreachable,
    /// The kernel gave up waiting for the peer.
    TimedOut,
    /// The process or the machine is out of descriptors.
    NoFiles,
    /// All local ports for this target are in use.
    NoPorts,
    /// The kernel is out of socket memory.
    NoBuffers,
    /// A firewall rule or a permission forbids it.
    Denied,
    /// The path of the Unix socket does not exist.
    NoSuchPath,
    /// Any other error, with its `errno`.
    Other(i32),
}

/// An event on a socket.
#[derive(Debug)]
pub enum Completion {
    /// Completes [`Driver::connect`]; after an error the id is free.
    Connected {
        /// The socket.
        socket: SocketId,
        /// Success or the error.
        result: Result<(), SocketError>,
    },
    /// Bytes arrived; read them with [`Driver::bytes`] before the next wait. Never empty.
    Received {
        /// The socket.
        socket: SocketId,
        /// Location of the bytes.
        bytes: ReceivedBytes,
    },
    /// Completes [`Driver::send`]: the kernel accepted the whole buffer, or the connection cannot send any more.
    Sent {
        /// The socket.
        socket: SocketId,
        /// The buffer that was sent, cleared, with its capacity kept.
        buffer: Vec<u8>,
        /// Success if the kernel accepted the whole buffer.
        result: Result<(), SocketError>,
    },
    /// No more data will be received: the peer closed its sending side (`Ok`; sending may continue), or the connection broke.
    Ended {
        /// The socket.
        socket: SocketId,
        /// `Ok` for an orderly end.
        result: Result<(), SocketError>,
    },
}

impl Completion {
    /// Returns the socket of this event.
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

/// The location of received bytes in a buffer of the driver; valid until the next [`Driver::wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedBytes {
    start: usize,
    len: u32,
    /// The wait that delivered them, where the driver checks that they are not read after the next one; zero elsewhere.
    wait: u32,
}

impl ReceivedBytes {
    /// Describes `len` bytes at offset `start` of the driver's receive memory. Called by drivers; only the driver interprets
    /// `start`.
    #[must_use]
    pub const fn new(start: usize, len: u32) -> Self {
        Self { start, len, wait: 0 }
    }

    /// The same, valid only until the wait after this one, which is not zero.
    const fn of_wait(start: usize, len: u32, wait: u32) -> Self {
        Self { start, len, wait }
    }

    /// Returns the offset in the driver's receive memory.
    #[must_use]
    pub const fn start(self) -> usize {
        self.start
    }

    /// Returns the number of bytes, at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a completion carries at least one byte")]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

/// How a thread waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Idle {
    /// Sleeps in the kernel: wakes up tens of microseconds late, costs nothing while no event occurs. Before sleeping it polls
    /// for at most the cost of a sleep (measured once, at most 30 us), as long as this reduces the CPU time per completion; the
    /// comparison is repeated from time to time.
    #[default]
    Block,
    /// Polls continuously: notices events within one or two microseconds and keeps a core busy.
    Spin,
}

/// Stream sockets that report completions, and the clock that their times refer to.
///
/// Life cycle of a socket: `connect` yields `Connected`; `receive`, called once at any time after `connect`, yields `Received`
/// until `Ended`; `send` is allowed after `Connected`, one buffer at a time; `close` is allowed at any time. Completions of one
/// socket arrive in order.
pub trait Driver: Clock {
    /// Opens `socket` and starts to connect it to `to`. Failures are always reported as a completion.
    ///
    /// # Panics
    /// When `socket` is open.
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions);

    /// Starts to deliver received data, until the peer ends the connection or the socket is closed.
    ///
    /// # Panics
    /// When `socket` is not open.
    fn receive(&mut self, socket: SocketId);

    /// Stops delivery until [`receive`](Driver::receive) is called again. Data stays in the kernel, and once the kernel's
    /// buffer is full, at the peer. The end of the connection is not reported either. Returns false if the driver cannot stop
    /// delivery, as io_uring, whose receive operation is already armed.
    ///
    /// # Panics
    /// When `socket` is not open.
    fn pause(&mut self, socket: SocketId) -> bool {
        let _ = socket;
        false
    }

    /// Sends all of `buffer`, in several steps if necessary, and returns it in [`Completion::Sent`].
    ///
    /// # Panics
    /// When `socket` is not connected, or is still sending a buffer.
    fn send(&mut self, socket: SocketId, buffer: Vec<u8>);

    /// Like [`send`](Driver::send), but if the kernel accepts all of `buffer` at once, returns the cleared buffer and produces no
    /// completion. Otherwise returns `None`, and [`Completion::Sent`] follows, also for failures. Cheaper than `send`, because
    /// no completion has to be handled.
    ///
    /// # Panics
    /// As `send` does.
    fn send_now(&mut self, socket: SocketId, buffer: Vec<u8>) -> Option<Vec<u8>> {
        self.send(socket, buffer);
        None
    }

    /// Closes `socket` immediately; no further completion follows, and a buffer in flight is dropped. The id can be reused at
    /// once. Does nothing if the socket is not open.
    fn close(&mut self, socket: SocketId);

    /// Sleeps (or polls) until there is a completion, `until` is reached, or a [`Waker`] or a signal wakes the thread. Appends
    /// the completions to `into`. Does not block if `until` is in the past. Invalidates all [`ReceivedBytes`].
    ///
    /// # Errors
    /// When waiting fails in the kernel. The driver is unusable afterwards.
    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()>;

    /// Returns the bytes of a [`Completion::Received`] of the latest wait.
    ///
    /// # Panics
    /// If they are not from this driver. Drivers whose memory the kernel writes panic as well if the wait was an earlier one.
    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8];

    /// Returns the name used in reports: `epoll`, `uring` or `sim`.
    fn name(&self) -> &'static str;
}
