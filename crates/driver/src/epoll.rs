//! Completions emulated with epoll.
//!
//! Every socket is registered once, edge-triggered and for both directions, so that a request costs one `send`, one `recv` and
//! a share of one `epoll_pwait2`. The engine uses it where io_uring is not available.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use warwolf_clock::{Clock, Timestamp};

use crate::busy_poll::BusyPoll;
use crate::monotonic::nanos;
use crate::socket::{self, KernelAddress, last_errno};
use crate::{
    Address, Completion, Driver, Idle, Monotonic, ReceivedBytes, SocketError, SocketId, SocketOptions, Waker,
    host,
};

/// A driver that uses epoll. Works on every Linux since 5.11. Only one thread may use it at a time.
#[derive(Debug)]
pub struct Epoll {
    clock: Monotonic,
    idle: Idle,
    epoll: OwnedFd,
    waker: Waker,
    sockets: Vec<Option<Socket>>,
    /// Sockets with unread bytes: the arena was full, or `receive` had not been called when they arrived.
    readable: Vec<SocketId>,
    /// Unix sockets whose peer's backlog was full; their connect is retried.
    retrying: VecDeque<(SocketId, KernelAddress)>,
    /// Completions that occurred outside a wait.
    completed: Vec<Completion>,
    arena: Box<[u8]>,
    arena_used: usize,
    events: Vec<libc::epoll_event>,
    busy_poll: BusyPoll,
    is_prepared: bool,
}

/// One open socket.
#[derive(Debug)]
struct Socket {
    fd: OwnedFd,
    stage: Stage,
    /// `receive` was called, and the end has not been reported.
    is_receiving: bool,
    /// The kernel reported readable data, and it has not been read completely.
    is_readable: bool,
    /// The peer's end of stream follows the readable data, so that a short read is not the last one.
    has_ended: bool,
    /// Maximum bytes of one receive.
    receive_max: usize,
    sending: Option<Sending>,
    /// A send reported the reset of the connection, which the kernel reports once.
    was_reset: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Connecting,
    Retrying,
    Open,
}

/// A buffer of which the kernel has accepted the first `sent` bytes.
#[derive(Debug)]
struct Sending {
    buffer: Vec<u8>,
    sent: usize,
}

impl Epoll {
    /// Creates a driver for about `sockets` sockets; more are possible.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn new(start: Monotonic, idle: Idle, sockets: usize) -> io::Result<Self> {
        // SAFETY: takes an integer only.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created and has no other owner.
        let epoll = unsafe { OwnedFd::from_raw_fd(fd) };
        let waker = Waker::new()?;
        watch(&epoll, waker.descriptor(), libc::EPOLLIN, WAKER)?;
        Ok(Self {
            clock: start,
            idle,
            epoll,
            waker,
            sockets: Vec::with_capacity(sockets),
            readable: Vec::with_capacity(sockets),
            retrying: VecDeque::new(),
            completed: Vec::with_capacity(sockets),
            arena: vec![0; ARENA_BYTES].into_boxed_slice(),
            arena_used: 0,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; sockets.clamp(EVENTS_MIN, EVENTS_MAX)],
            busy_poll: BusyPoll::NONE,
            is_prepared: false,
        })
    }

    /// Returns a handle that ends the waits of this driver.
    ///
    /// # Errors
    /// Never in this implementation.
    pub fn waker(&self) -> io::Result<Waker> {
        Ok(self.waker.clone())
    }

    /// Creates the socket and starts to connect it.
    fn begin(&mut self, id: SocketId, to: &Address, options: &SocketOptions) -> Result<(), SocketError> {
        let address = KernelAddress::new(to)?;
        let fd = socket::open(&address, options, libc::SOCK_NONBLOCK)?;
        let stage = match socket::connect(&fd, &address) {
            Ok(()) => Stage::Open,
            Err(libc::EINPROGRESS) => Stage::Connecting,
            // Returned only for Unix sockets: the peer's backlog is full.
            Err(libc::EAGAIN) => Stage::Retrying,
            Err(errno) => return Err(SocketError::from_errno(errno)),
        };
        let events = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        watch(&self.epoll, fd.as_raw_fd(), events, u64::from(id.0))
            .map_err(|error| SocketError::from_errno(error.raw_os_error().unwrap_or(0)))?;
        match stage {
            Stage::Open => self.completed.push(Completion::Connected { socket: id, result: Ok(()) }),
            Stage::Retrying => self.retrying.push_back((id, address)),
            Stage::Connecting => {}
        }
        self.sockets[id.index()] = Some(Socket {
            fd,
            stage,
            is_receiving: false,
            is_readable: false,
            has_ended: false,
            receive_max: options.receive_max.map_or(READ_BYTES_MAX, |most| most.max(1) as usize),
            sending: None,
            was_reset: false,
        });
        Ok(())
    }

    /// Retries connects to Unix peers until one backlog is still full, because usually all sockets connect to the same peer.
    /// That socket moves to the end of the queue, so that others are tried next time.
    fn retry_connects(&mut self, into: &mut Vec<Completion>) {
        while let Some((id, address)) = self.retrying.pop_front() {
            let Some(socket) = self.sockets[id.index()].as_mut() else { continue };
            match socket::connect(&socket.fd, &address) {
                Ok(()) => {
                    socket.stage = Stage::Open;
                    into.push(Completion::Connected { socket: id, result: Ok(()) });
                }
                Err(libc::EAGAIN) => {
                    self.retrying.push_back((id, address));
                    return;
                }
                Err(errno) => {
                    self.sockets[id.index()] = None;
                    let result = Err(SocketError::from_errno(errno));
                    into.push(Completion::Connected { socket: id, result });
                }
            }
        }
    }

    /// Reads unread data of earlier edges until the arena is full. Sockets that were not reached come first next time.
    fn read_leftovers(&mut self, into: &mut Vec<Completion>) {
        let mut visited = 0;
        while visited < self.readable.len() && self.arena_used < self.arena.len() {
            self.read(self.readable[visited], into);
            visited += 1;
        }
        self.readable.rotate_left(visited);
        let sockets = &self.sockets;
        self.readable.retain(|id| sockets[id.index()].as_ref().is_some_and(Socket::wants_reading));
    }

    /// Handles pending events, waiting at most `timeout` for the first. Returns true after a waker or a signal.
    fn poll(&mut self, timeout: Duration, into: &mut Vec<Completion>) -> io::Result<bool> {
        let count = match wait_for_events(&self.epoll, &mut self.events, timeout) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        let mut was_woken = false;
        for position in 0..count {
            let event = self.events[position];
            if event.u64 == WAKER {
                self.waker.clear();
                was_woken = true;
            } else {
                self.dispatch(SocketId(event.u64 as u32), event.events as i32, into);
            }
        }
        Ok(was_woken)
    }

    /// Handles the events of one socket.
    fn dispatch(&mut self, id: SocketId, events: i32, into: &mut Vec<Completion>) {
        let Some(socket) = self.sockets[id.index()].as_mut() else { return };
        let has_failed = events & (libc::EPOLLERR | libc::EPOLLHUP) != 0;
        match socket.stage {
            Stage::Connecting if has_failed => {
                // A socket that hung up without an error was reset between two calls.
                let result = socket::take_error(&socket.fd).and(Err(SocketError::Reset));
                self.sockets[id.index()] = None;
                into.push(Completion::Connected { socket: id, result });
                return;
            }
            Stage::Connecting if events & libc::EPOLLOUT != 0 => {
                socket.stage = Stage::Open;
                into.push(Completion::Connected { socket: id, result: Ok(()) });
            }
            Stage::Connecting | Stage::Retrying => return,
            Stage::Open => {}
        }
        if has_failed || events & (libc::EPOLLIN | libc::EPOLLRDHUP) != 0 {
            socket.is_readable = true;
            socket.has_ended |= has_failed || events & libc::EPOLLRDHUP != 0;
            if self.read(id, into) {
                self.readable.push(id);
            }
        }
        if has_failed || events & libc::EPOLLOUT != 0 {
            self.continue_sending(id, into);
        }
    }

    /// Reads into the arena until the socket is empty, has ended, or has received its share. Returns true if there is more.
    fn read(&mut self, id: SocketId, into: &mut Vec<Completion>) -> bool {
        let Some(socket) = self.sockets[id.index()].as_mut() else { return false };
        while socket.wants_reading() && self.arena_used < self.arena.len() {
            let start = self.arena_used;
            let end = self.arena.len().min(start + READ_BYTES_MAX.min(socket.receive_max));
            let room = &mut self.arena[start..end];
            match socket::receive(&socket.fd, room) {
                Ok(0) => {
                    socket.is_receiving = false;
                    let result = if socket.was_reset { Err(SocketError::Reset) } else { Ok(()) };
                    into.push(Completion::Ended { socket: id, result });
                }
                Ok(len) => {
                    // A short read has emptied the socket; later data triggers a new edge.
                    let was_filled = len == room.len();
                    socket.is_readable = was_filled || socket.has_ended;
                    self.arena_used += len;
                    let bytes = ReceivedBytes::new(start, len as u32);
                    into.push(Completion::Received { socket: id, bytes });
                    if was_filled {
                        break;
                    }
                }
                Err(libc::EAGAIN) => socket.is_readable = false,
                Err(libc::EINTR) => {}
                Err(errno) => {
                    socket.is_receiving = false;
                    let result = Err(SocketError::from_errno(errno));
                    into.push(Completion::Ended { socket: id, result });
                }
            }
        }
        socket.wants_reading()
    }

    /// Passes more of a buffer in flight to the kernel, if there is one.
    fn continue_sending(&mut self, id: SocketId, into: &mut Vec<Completion>) {
        if let Some(socket) = self.sockets[id.index()].as_mut() {
            into.extend(socket.push(id));
        }
    }

    /// Waits for events until `until`: polls first if that is cheaper, then sleeps. Returns true after a waker or a signal.
    fn sleep(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<bool> {
        let began = host::monotonic_clock();
        let mut timeout = self.clock.remaining_at(began, until).min(SLEEP_MAX);
        if !self.retrying.is_empty() {
            timeout = timeout.min(RETRY_EVERY);
        }
        let before = into.len();
        if let Some(length) = self.busy_poll.next() {
            let end = began + nanos(length.min(timeout));
            loop {
                let was_woken = self.poll(Duration::ZERO, into)?;
                if was_woken || into.len() > before {
                    self.busy_poll.waited(false, host::thread_cpu_clock);
                    return Ok(was_woken);
                }
                let now = host::monotonic_clock();
                if now >= end {
                    timeout = timeout.saturating_sub(Duration::from_nanos(now - began));
                    break;
                }
            }
        }
        let was_woken = self.poll(timeout, into)?;
        self.busy_poll.waited(self.busy_poll.next().is_some(), host::thread_cpu_clock);
        Ok(was_woken)
    }

    /// Sets up timer slack and busy polling for the thread of the first wait.
    fn prepare(&mut self) {
        if !self.is_prepared {
            host::sleep_precisely();
            self.busy_poll = BusyPoll::begin(self.idle);
            self.is_prepared = true;
        }
    }
}

impl Clock for Epoll {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Driver for Epoll {
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions) {
        if self.sockets.len() <= socket.index() {
            self.sockets.resize_with(socket.index() + 1, || None);
        }
        assert!(self.sockets[socket.index()].is_none(), "a socket is connected once");
        if let Err(error) = self.begin(socket, to, options) {
            self.completed.push(Completion::Connected { socket, result: Err(error) });
        }
    }

    fn receive(&mut self, socket: SocketId) {
        let opened = open(&mut self.sockets, socket);
        opened.is_receiving = true;
        if opened.is_readable && !self.readable.contains(&socket) {
            self.readable.push(socket);
        }
    }

    fn pause(&mut self, socket: SocketId) -> bool {
        open(&mut self.sockets, socket).is_receiving = false;
        true
    }

    fn send(&mut self, socket: SocketId, buffer: Vec<u8>) {
        if let Some(buffer) = self.send_now(socket, buffer) {
            self.completed.push(Completion::Sent { socket, buffer, result: Ok(()) });
        }
    }

    fn send_now(&mut self, socket: SocketId, mut buffer: Vec<u8>) -> Option<Vec<u8>> {
        let opened = open(&mut self.sockets, socket);
        assert!(opened.stage == Stage::Open, "only a connected socket sends");
        assert!(opened.sending.is_none(), "a socket sends one buffer at a time");
        match push(&opened.fd, &buffer) {
            Ok(sent) if sent == buffer.len() => {
                buffer.clear();
                Some(buffer)
            }
            Ok(sent) => {
                opened.sending = Some(Sending { buffer, sent });
                None
            }
            Err(errno) => {
                opened.was_reset |= errno == libc::ECONNRESET;
                buffer.clear();
                let result = Err(SocketError::from_errno(errno));
                self.completed.push(Completion::Sent { socket, buffer, result });
                None
            }
        }
    }

    fn close(&mut self, socket: SocketId) {
        let Some(slot) = self.sockets.get_mut(socket.index()) else { return };
        // Closing the descriptor also removes it from the epoll set.
        if let Some(closed) = slot.take()
            && closed.stage == Stage::Retrying
        {
            self.retrying.retain(|(id, _)| *id != socket);
        }
        self.completed.retain(|completion| completion.socket() != socket);
    }

    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()> {
        self.prepare();
        self.arena_used = 0;
        let before = into.len();
        into.append(&mut self.completed);
        self.read_leftovers(into);
        loop {
            self.retry_connects(into);
            let is_polling = into.len() > before || self.idle == Idle::Spin;
            let was_woken =
                if is_polling { self.poll(Duration::ZERO, into)? } else { self.sleep(until, into)? };
            if was_woken || into.len() > before || self.clock.remaining(until).is_zero() {
                self.busy_poll.delivered(into.len() - before);
                return Ok(());
            }
        }
    }

    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        &self.arena[bytes.start()..bytes.start() + bytes.len()]
    }

    fn name(&self) -> &'static str {
        "epoll"
    }
}

impl Socket {
    /// Returns whether a read may return data now.
    fn wants_reading(&self) -> bool {
        self.is_receiving && self.is_readable
    }

    /// Passes as much of the buffer in flight to the kernel as it accepts. Returns the completion when sending is over.
    fn push(&mut self, id: SocketId) -> Option<Completion> {
        let sending = self.sending.as_mut()?;
        let result = match push(&self.fd, &sending.buffer[sending.sent..]) {
            Ok(sent) => {
                sending.sent += sent;
                if sending.sent < sending.buffer.len() {
                    return None;
                }
                Ok(())
            }
            Err(errno) => {
                self.was_reset |= errno == libc::ECONNRESET;
                Err(SocketError::from_errno(errno))
            }
        };
        let mut buffer = self.sending.take()?.buffer;
        buffer.clear();
        Some(Completion::Sent { socket: id, buffer, result })
    }
}

/// Passes bytes to the kernel until it accepts no more. Returns how many it accepted, or the `errno`.
#[inline]
fn push(fd: &OwnedFd, bytes: &[u8]) -> Result<usize, i32> {
    let mut sent = 0;
    while sent < bytes.len() {
        match socket::send(fd, &bytes[sent..]) {
            Ok(len) => sent += len,
            Err(libc::EAGAIN) => break,
            Err(libc::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(sent)
}

/// Returns the socket `id`, which must be open.
fn open(sockets: &mut [Option<Socket>], id: SocketId) -> &mut Socket {
    sockets.get_mut(id.index()).and_then(Option::as_mut).expect("the socket is open")
}

/// Adds a descriptor to the epoll set.
fn watch(epoll: &OwnedFd, fd: RawFd, events: libc::c_int, token: u64) -> io::Result<()> {
    let mut event = libc::epoll_event { events: events as u32, u64: token };
    // SAFETY: reads an event that lives on this frame.
    let result = unsafe { libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Fills `events` from the front and returns how many there are, zero after `timeout`.
fn wait_for_events(
    epoll: &OwnedFd,
    events: &mut [libc::epoll_event],
    timeout: Duration,
) -> io::Result<usize> {
    // The kernel may end a sleep late by a thousandth of its length. A sleep that is shorter by that leaves a short second sleep.
    let timeout = if timeout > COARSE_SLEEP { timeout - timeout / 1000 } else { timeout };
    let spec = libc::timespec {
        tv_sec: timeout.as_secs() as libc::time_t,
        tv_nsec: timeout.subsec_nanos() as libc::c_long,
    };
    // SAFETY: writes at most `len` events into the live slice and reads a timespec on this frame; the signal mask is none.
    let count = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_raw_fd(),
            events.as_mut_ptr(),
            events.len() as libc::c_int,
            &raw const spec,
            ptr::null::<libc::sigset_t>(),
            0usize,
        )
    };
    match count {
        0.. => Ok(count as usize),
        _ if last_errno() == libc::ENOSYS => wait_with_ppoll(epoll, events, spec),
        _ => Err(io::Error::from_raw_os_error(last_errno())),
    }
}

/// Does the same as [`wait_for_events`] on kernels before 5.11 and in sandboxes without `epoll_pwait2`. Uses `ppoll`, because
/// the timeout of `epoll_wait(2)` is in milliseconds.
fn wait_with_ppoll(
    epoll: &OwnedFd,
    events: &mut [libc::epoll_event],
    timeout: libc::timespec,
) -> io::Result<usize> {
    let mut readable = libc::pollfd { fd: epoll.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: reads and writes one pollfd and reads a timespec, both on this frame; the signal mask is none.
    let ready = unsafe { libc::ppoll(&raw mut readable, 1, &raw const timeout, ptr::null()) };
    if ready <= 0 {
        return if ready == 0 { Ok(0) } else { Err(io::Error::last_os_error()) };
    }
    // SAFETY: writes at most `len` events into the live slice.
    let count =
        unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), events.len() as libc::c_int, 0) };
    if count < 0 { Err(io::Error::last_os_error()) } else { Ok(count as usize) }
}

/// The token of the waker; socket ids have 32 bits.
const WAKER: u64 = u64::MAX;
/// Maximum bytes that one wait delivers.
const ARENA_BYTES: usize = 512 << 10;
/// Maximum bytes of them for one socket, before others are read.
const READ_BYTES_MAX: usize = 64 << 10;
/// Limits of the number of events per call, which depends on the number of sockets.
const EVENTS_MIN: usize = 16;
const EVENTS_MAX: usize = 1024;
/// The longest single sleep; longer waits consist of several.
const SLEEP_MAX: Duration = Duration::from_secs(60);
/// Longer sleeps are split, because the kernel's timer slack grows with their length.
const COARSE_SLEEP: Duration = Duration::from_millis(2);
/// How often connects to a full Unix backlog are retried.
const RETRY_EVERY: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_request_is_sent_and_its_response_received() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = Address::Ip(listener.local_addr().unwrap());
        let mut driver = Epoll::new(Monotonic::start_at(Duration::ZERO), Idle::Block, 1).unwrap();
        let (id, mut found) = (SocketId(0), Vec::new());
        driver.connect(id, &to, &SocketOptions::default());
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        assert!(matches!(found[..], [Completion::Connected { socket: SocketId(0), result: Ok(()) }]));
        driver.receive(id);
        driver.send(id, b"ping".to_vec());
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        assert!(matches!(&found[1], Completion::Sent { buffer, result: Ok(()), .. } if buffer.is_empty()));
        let (mut peer, _) = listener.accept().unwrap();
        let mut request = [0; 4];
        peer.read_exact(&mut request).unwrap();
        peer.write_all(b"pong!").unwrap();
        driver.wait(Timestamp::NEVER, &mut found).unwrap();
        let Completion::Received { bytes, .. } = &found[2] else { panic!("{found:?}") };
        assert_eq!((&request, driver.bytes(bytes)), (b"ping", &b"pong!"[..]));
    }

    #[test]
    fn the_fallback_for_older_kernels_waits_for_events() {
        let driver = Epoll::new(Monotonic::start_at(Duration::ZERO), Idle::Block, 1).unwrap();
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 4];
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        assert_eq!(wait_with_ppoll(&driver.epoll, &mut events, at_once).unwrap(), 0);
        driver.waker().unwrap().wake();
        let soon = libc::timespec { tv_sec: 60, tv_nsec: 0 };
        assert_eq!(wait_with_ppoll(&driver.epoll, &mut events, soon).unwrap(), 1);
        assert_eq!({ events[0].u64 }, WAKER);
    }
}
