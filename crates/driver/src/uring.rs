//! Completions from io_uring.
//!
//! Each socket keeps one multishot receive armed on shared buffers. All operations queued between two waits are submitted in the
//! one system call that also waits. The engine uses it where the kernel allows it ([`supported`]).

use std::collections::HashMap;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::time::Duration;
use std::{fmt, io};

use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, Probe, cqueue, opcode, squeue};
use warwolf_clock::{Clock, Timestamp};

use crate::buffers::{Buffers, GROUP};
use crate::busy_poll::BusyPoll;
use crate::monotonic::nanos;
use crate::socket::{self, KernelAddress};
use crate::{
    Address, Completion, Driver, Idle, Monotonic, ReceivedBytes, SocketError, SocketId, SocketOptions, Waker,
    host,
};

/// A driver that uses io_uring. Needs Linux 6.1. It may move between threads until its first wait, which binds it to the thread.
pub struct Uring {
    // Dropped in this order: the kernel releases the memory below when the ring is closed.
    ring: IoUring,
    buffers: Buffers,
    sockets: Vec<Slot>,
    /// Addresses of connects that are not submitted yet. Never grows beyond its initial capacity, because the kernel receives
    /// pointers into it.
    addresses: Vec<KernelAddress>,
    /// Buffers in flight of closed sockets, by the token of their send.
    closed_sends: HashMap<u64, Vec<u8>>,
    /// Sockets whose receive is armed at the next wait.
    unarmed: Vec<SocketId>,
    completed: Vec<Completion>,
    /// A copy of the completion queue, so that handling its entries may add to the submission queue.
    batch: Vec<cqueue::Entry>,
    waker: Waker,
    clock: Monotonic,
    idle: Idle,
    busy_poll: BusyPoll,
    is_enabled: bool,
    /// The error of a submission outside a wait; the next wait returns it.
    failure: Option<io::Error>,
    /// Errors that the next submissions fail with.
    #[cfg(test)]
    refusals: Vec<i32>,
}

/// A slot for a socket. The generation survives the socket, so that late completions of an earlier socket are recognized.
#[derive(Default)]
struct Slot {
    generation: u32,
    socket: Option<Socket>,
}

struct Socket {
    fd: OwnedFd,
    is_connected: bool,
    receiving: Receiving,
    sending: Option<Sending>,
    /// A send reported the reset of the connection, which the kernel reports once.
    was_reset: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiving {
    /// Not requested.
    No,
    /// Will be armed at the next wait.
    Wanted,
    /// The kernel delivers data.
    Armed,
    /// The end has been reported.
    Ended,
}

/// A buffer of which the kernel has accepted the first `sent` bytes.
struct Sending {
    buffer: Vec<u8>,
    sent: usize,
}

/// The operation that a completion belongs to; the low bits of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// Submitted without a completion on success; failures are ignored.
    Quiet,
    Connect,
    Receive,
    Send,
    Wake,
}

impl Uring {
    /// Creates a driver for about `sockets` sockets; more are possible.
    ///
    /// # Errors
    /// When the kernel does not support or forbids the io_uring features used here; [`supported`] explains why.
    pub fn new(start: Monotonic, idle: Idle, sockets: usize) -> io::Result<Self> {
        // Linux 6.12 can fill buffers incrementally.
        Self::with_buffers(start, idle, sockets, packed).or_else(|error| match error.raw_os_error() {
            Some(libc::EINVAL) => Self::with_whole_buffers(start, idle, sockets),
            _ => Err(error),
        })
    }

    /// Creates the driver as on kernels before 6.12, which use a whole buffer for every receive. For tests on newer kernels.
    ///
    /// # Errors
    /// As [`Uring::new`].
    pub fn with_whole_buffers(start: Monotonic, idle: Idle, sockets: usize) -> io::Result<Self> {
        Self::with_buffers(start, idle, sockets, whole)
    }

    fn with_buffers(
        start: Monotonic,
        idle: Idle,
        sockets: usize,
        make: fn(usize) -> io::Result<Buffers>,
    ) -> io::Result<Self> {
        let submissions = sockets.next_power_of_two().clamp(SUBMISSIONS_MIN, SUBMISSIONS_MAX);
        let ring = set_up(submissions as u32)?;
        let buffers = make(sockets)?;
        buffers.register(&ring.submitter())?;
        Ok(Self {
            ring,
            buffers,
            sockets: Vec::with_capacity(sockets),
            addresses: Vec::with_capacity(submissions),
            closed_sends: HashMap::new(),
            unarmed: Vec::with_capacity(sockets),
            completed: Vec::with_capacity(sockets),
            batch: Vec::with_capacity(submissions),
            waker: Waker::new()?,
            clock: start,
            idle,
            busy_poll: BusyPoll::NONE,
            is_enabled: false,
            failure: None,
            #[cfg(test)]
            refusals: Vec::new(),
        })
    }

    /// Returns a handle that ends the waits of this driver.
    ///
    /// # Errors
    /// Never in this implementation.
    pub fn waker(&self) -> io::Result<Waker> {
        Ok(self.waker.clone())
    }

    /// Enables the ring, which binds it to this thread.
    fn enable(&mut self) -> io::Result<()> {
        if self.is_enabled {
            return Ok(());
        }
        host::sleep_precisely();
        self.busy_poll = BusyPoll::begin(self.idle);
        self.ring.submitter().register_enable_rings()?;
        self.is_enabled = true;
        self.watch_waker();
        Ok(())
    }

    fn watch_waker(&mut self) {
        let watch =
            opcode::PollAdd::new(Fd(self.waker.descriptor()), libc::POLLIN as u32).multi(true).build();
        self.push(watch.user_data(Operation::Wake as u64));
    }

    /// Queues an operation for the next submission; submits immediately if the queue is full.
    fn push(&mut self, entry: squeue::Entry) {
        self.make_room();
        // SAFETY: memory that entries point to stays in place until their completion: buffers in flight are owned by a slot or
        // by `closed_sends`, addresses are kept until they are submitted, and descriptors are closed through the ring.
        let result = unsafe { self.ring.submission().push(&entry) };
        assert!(
            result.is_ok() || self.failure.is_some(),
            "there is room after submitting, or the driver has failed"
        );
    }

    /// Submits the queue if it is full. If the kernel has no memory for it, waits a little for operations to complete; then
    /// the driver fails.
    fn make_room(&mut self) {
        for _ in 0..SUBMISSION_TRIES {
            if !self.ring.submission().is_full() && self.addresses.len() < self.addresses.capacity() {
                return;
            }
            match self.enable().and_then(|()| self.enter(0, Duration::ZERO)) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            }
            if self.ring.submission().is_full() {
                std::thread::sleep(SUBMISSION_PAUSE);
            }
        }
        if self.ring.submission().is_full() {
            self.failure.get_or_insert(io::Error::from_raw_os_error(libc::EAGAIN));
        }
    }

    /// Submits the queue, runs deferred work of the kernel, and waits at most `timeout` for `want` completions.
    fn enter(&mut self, want: u32, timeout: Duration) -> io::Result<()> {
        let queue = self.ring.submission();
        let (queued, has_more) = (queue.len() as u32, queue.taskrun() || queue.cq_overflow());
        drop(queue);
        if want == 0 && queued == 0 && !has_more {
            return Ok(());
        }
        let timeout = Timespec::from(timeout.min(SLEEP_MAX));
        let arguments = SubmitArgs::new().timespec(&timeout);
        let flags = EnterFlags::GETEVENTS | EnterFlags::EXT_ARG;
        // SAFETY: `arguments` and its timespec live on this frame and have the layout that EXT_ARG requires.
        let enter = || unsafe { self.ring.submitter().enter(queued, want, flags.bits(), Some(&arguments)) };
        #[cfg(not(test))]
        let result = enter();
        #[cfg(test)]
        let result = match self.refusals.pop() {
            Some(errno) => Err(io::Error::from_raw_os_error(errno)),
            None => enter(),
        };
        if self.ring.submission().is_empty() {
            self.addresses.clear();
        }
        match result {
            Ok(_) => Ok(()),
            Err(error) => match error.raw_os_error() {
                // The timeout expired, or completions have to be taken first.
                Some(libc::ETIME | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Waits for a completion until `until`: polls first if that is cheaper, then sleeps.
    fn sleep(&mut self, until: Timestamp) -> io::Result<()> {
        let began = host::monotonic_clock();
        let timeout = self.clock.remaining_at(began, until);
        if timeout.is_zero() {
            return self.enter(0, Duration::ZERO);
        }
        let was_futile =
            self.busy_poll.next().is_some_and(|length| !self.poll_ring(began + nanos(length.min(timeout))));
        self.enter(1, timeout)?;
        self.busy_poll.waited(was_futile, host::thread_cpu_clock);
        Ok(())
    }

    /// Polls the ring until the system's monotonic clock shows `until`. Returns true if there is work, so that entering the kernel will not block.
    fn poll_ring(&mut self, until: u64) -> bool {
        loop {
            let queue = self.ring.submission();
            if queue.taskrun() || !queue.is_empty() {
                return true;
            }
            drop(queue);
            if host::monotonic_clock() >= until {
                return false;
            }
            std::hint::spin_loop();
        }
    }

    /// Handles all entries of the completion queue. Returns true after a call of the waker.
    fn drain(&mut self, into: &mut Vec<Completion>) -> bool {
        let mut batch = std::mem::take(&mut self.batch);
        batch.extend(self.ring.completion());
        let mut was_woken = false;
        for entry in batch.drain(..) {
            let (id, generation, operation) = decode(entry.user_data());
            match operation {
                Operation::Quiet => {}
                Operation::Wake => {
                    self.waker.clear();
                    was_woken = true;
                    if !cqueue::more(entry.flags()) {
                        self.watch_waker();
                    }
                }
                Operation::Connect if self.is_current(id, generation) => {
                    self.connected(id, entry.result(), into)
                }
                Operation::Connect => {}
                Operation::Receive => {
                    let len = u32::try_from(entry.result()).unwrap_or(0);
                    let bytes = self.buffers.take(entry.flags(), len);
                    if self.is_current(id, generation) {
                        self.received(id, &entry, bytes, into);
                    }
                }
                Operation::Send if self.is_current(id, generation) => self.sent(id, entry.result(), into),
                Operation::Send => drop(self.closed_sends.remove(&entry.user_data())),
            }
        }
        self.batch = batch;
        was_woken
    }

    fn is_current(&self, id: SocketId, generation: u32) -> bool {
        let slot = &self.sockets[id.index()];
        slot.generation == generation && slot.socket.is_some()
    }

    fn connected(&mut self, id: SocketId, result: i32, into: &mut Vec<Completion>) {
        let slot = &mut self.sockets[id.index()];
        let Some(socket) = slot.socket.as_mut() else { return };
        let result = outcome(result);
        if result.is_ok() {
            socket.is_connected = true;
            if socket.receiving == Receiving::Wanted {
                self.unarmed.push(id);
            }
        } else {
            slot.retire();
        }
        into.push(Completion::Connected { socket: id, result });
    }

    fn received(
        &mut self,
        id: SocketId,
        entry: &cqueue::Entry,
        bytes: Option<ReceivedBytes>,
        into: &mut Vec<Completion>,
    ) {
        let Some(socket) = self.sockets[id.index()].socket.as_mut() else { return };
        if let Some(bytes) = bytes {
            into.push(Completion::Received { socket: id, bytes });
        }
        if cqueue::more(entry.flags()) {
            return;
        }
        match entry.result() {
            // The kernel may end a multishot receive at any time, and does so when it runs out of buffers.
            len if len > 0 || len == -libc::ENOBUFS => {
                socket.receiving = Receiving::Wanted;
                self.unarmed.push(id);
            }
            result => {
                socket.receiving = Receiving::Ended;
                let result = match outcome(result) {
                    Ok(()) if socket.was_reset => Err(SocketError::Reset),
                    result => result,
                };
                into.push(Completion::Ended { socket: id, result });
            }
        }
    }

    fn sent(&mut self, id: SocketId, result: i32, into: &mut Vec<Completion>) {
        let Some(socket) = self.sockets[id.index()].socket.as_mut() else { return };
        let Some(sending) = socket.sending.as_mut() else { return };
        if let Ok(len) = usize::try_from(result) {
            sending.sent += len;
            if sending.sent < sending.buffer.len() {
                self.push_send(id);
                return;
            }
        }
        socket.was_reset |= result == -libc::ECONNRESET;
        let mut buffer = socket.sending.take().map(|sending| sending.buffer).unwrap_or_default();
        buffer.clear();
        into.push(Completion::Sent { socket: id, buffer, result: outcome(result) });
    }

    /// Queues the rest of the buffer in flight.
    fn push_send(&mut self, id: SocketId) {
        let slot = &self.sockets[id.index()];
        let Some(socket) = &slot.socket else { return };
        let Some(sending) = &socket.sending else { return };
        let rest = &sending.buffer[sending.sent..];
        let len = u32::try_from(rest.len()).unwrap_or(SEND_BYTES_MAX).min(SEND_BYTES_MAX);
        let entry = opcode::Send::new(Fd(socket.fd.as_raw_fd()), rest.as_ptr(), len)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(encode(id, slot.generation, Operation::Send));
        self.push(entry);
    }

    /// Queues the receive of each socket that needs one.
    fn arm(&mut self) {
        let mut unarmed = std::mem::take(&mut self.unarmed);
        for id in unarmed.drain(..) {
            self.push_receive(id);
        }
        self.unarmed = unarmed;
    }

    fn push_receive(&mut self, id: SocketId) {
        let slot = &mut self.sockets[id.index()];
        let Some(socket) = slot.socket.as_mut() else { return };
        if socket.receiving != Receiving::Wanted || !socket.is_connected {
            return;
        }
        socket.receiving = Receiving::Armed;
        let entry = opcode::RecvMulti::new(Fd(socket.fd.as_raw_fd()), GROUP).build().user_data(encode(
            id,
            slot.generation,
            Operation::Receive,
        ));
        self.push(entry);
    }

    fn begin(&mut self, id: SocketId, to: &Address, options: &SocketOptions) -> Result<(), SocketError> {
        let address = KernelAddress::new(to)?;
        let fd = socket::open(&address, options, 0)?;
        self.make_room();
        if self.addresses.len() == self.addresses.capacity() {
            // Addresses must not move, and the kernel has not consumed the present ones.
            return Err(SocketError::NoBuffers);
        }
        self.addresses.push(address);
        let address = &self.addresses[self.addresses.len() - 1];
        let slot = &mut self.sockets[id.index()];
        let entry = opcode::Connect::new(Fd(fd.as_raw_fd()), address.as_ptr(), address.len())
            .build()
            .user_data(encode(id, slot.generation, Operation::Connect));
        slot.socket = Some(Socket {
            fd,
            is_connected: false,
            receiving: Receiving::No,
            sending: None,
            was_reset: false,
        });
        self.push(entry);
        Ok(())
    }

    fn push_cancel(&mut self, token: u64) {
        self.push(opcode::AsyncCancel::new(token).build().flags(squeue::Flags::SKIP_SUCCESS));
    }
}

impl Clock for Uring {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Driver for Uring {
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions) {
        if self.sockets.len() <= socket.index() {
            self.sockets.resize_with(socket.index() + 1, Slot::default);
        }
        assert!(self.sockets[socket.index()].socket.is_none(), "a socket is connected once");
        if let Err(error) = self.begin(socket, to, options) {
            self.completed.push(Completion::Connected { socket, result: Err(error) });
        }
    }

    fn receive(&mut self, socket: SocketId) {
        let opened = open(&mut self.sockets, socket);
        if opened.receiving == Receiving::No {
            opened.receiving = Receiving::Wanted;
            self.push_receive(socket);
        }
    }

    fn send(&mut self, socket: SocketId, buffer: Vec<u8>) {
        if let Some(buffer) = self.send_now(socket, buffer) {
            self.completed.push(Completion::Sent { socket, buffer, result: Ok(()) });
        }
    }

    /// Small requests nearly always fit into the socket buffer. Then a plain `send(2)` costs no more than an entry in the ring
    /// and needs no completion: 5.2 instead of 5.4 us of CPU time per request (example `bare`, 64 connections to nginx, Linux
    /// 6.18). The ring sends the rest of larger buffers.
    fn send_now(&mut self, socket: SocketId, mut buffer: Vec<u8>) -> Option<Vec<u8>> {
        let opened = open(&mut self.sockets, socket);
        assert!(opened.is_connected, "only a connected socket sends");
        assert!(opened.sending.is_none(), "a socket sends one buffer at a time");
        let sent = match socket::send(&opened.fd, &buffer) {
            Ok(sent) => sent,
            Err(libc::EAGAIN | libc::EINTR) => 0,
            Err(errno) => {
                opened.was_reset |= errno == libc::ECONNRESET;
                buffer.clear();
                let result = Err(SocketError::from_errno(errno));
                self.completed.push(Completion::Sent { socket, buffer, result });
                return None;
            }
        };
        if sent == buffer.len() {
            buffer.clear();
            return Some(buffer);
        }
        opened.sending = Some(Sending { buffer, sent });
        self.push_send(socket);
        None
    }

    fn close(&mut self, socket: SocketId) {
        self.completed.retain(|completion| completion.socket() != socket);
        let Some(slot) = self.sockets.get_mut(socket.index()) else { return };
        let generation = slot.generation;
        let Some(closed) = slot.retire() else { return };
        // Pending operations keep the connection open, so they are cancelled first.
        if !closed.is_connected {
            self.push_cancel(encode(socket, generation, Operation::Connect));
        }
        if closed.receiving == Receiving::Armed {
            self.push_cancel(encode(socket, generation, Operation::Receive));
        }
        if let Some(sending) = closed.sending {
            let token = encode(socket, generation, Operation::Send);
            self.closed_sends.insert(token, sending.buffer);
            self.push_cancel(token);
        }
        // Closed through the queue, because earlier entries may still use the descriptor.
        let close = opcode::Close::new(Fd(closed.fd.into_raw_fd())).build();
        self.push(close.flags(squeue::Flags::SKIP_SUCCESS));
    }

    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()> {
        self.enable()?;
        self.buffers.put_back();
        self.arm();
        let before = into.len();
        into.append(&mut self.completed);
        loop {
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            let is_polling = into.len() > before || self.idle == Idle::Spin;
            let entered = if is_polling { self.enter(0, Duration::ZERO) } else { self.sleep(until) };
            let was_interrupted = match entered {
                Ok(()) => false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
                Err(error) => return Err(error),
            };
            let was_woken = self.drain(into) || was_interrupted;
            if was_woken || into.len() > before || self.clock.remaining(until).is_zero() {
                self.busy_poll.delivered(into.len() - before);
                return Ok(());
            }
            // Data of closed sockets may have used up the buffers. No bytes of this wait have been delivered yet.
            self.buffers.put_back();
            self.arm();
            if self.idle == Idle::Spin {
                std::hint::spin_loop();
            }
        }
    }

    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        self.buffers.bytes(bytes)
    }

    fn name(&self) -> &'static str {
        "uring"
    }
}

impl Uring {
    /// Cancels all operations. Returns whether the kernel uses no memory of this driver any more.
    fn settle(&mut self) -> bool {
        // Closes are still in the queue, and sends in flight still read our memory. Cancelled operations stay in the kernel's
        // tables until their completion, and the last call searches these tables once per operation that it finds. Without the
        // `enter` before it, ten thousand sockets would take half a second.
        let all = self.sockets.len() as u32;
        let is_submitted = loop {
            match self.enable().and_then(|()| self.enter(all, Duration::ZERO)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.is_ok() && self.ring.submission().is_empty(),
            }
        };
        let cancelled =
            self.ring.submitter().register_sync_cancel(None, io_uring::types::CancelBuilder::any());
        // ENOENT: there was nothing to cancel.
        is_submitted && cancelled.map_or_else(|error| error.raw_os_error() == Some(libc::ENOENT), |()| true)
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        if !self.settle() {
            // On another thread than that of the waits the kernel cancels nothing. What it may still use is never freed.
            self.buffers.abandon();
            std::mem::forget(std::mem::take(&mut self.addresses));
            std::mem::forget(std::mem::take(&mut self.closed_sends));
            for socket in self.sockets.iter_mut().filter_map(|slot| slot.socket.as_mut()) {
                std::mem::forget(socket.sending.take());
            }
        }
    }
}

impl fmt::Debug for Uring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uring").field("idle", &self.idle).finish_non_exhaustive()
    }
}

impl Slot {
    /// Removes the socket and invalidates all its tokens.
    fn retire(&mut self) -> Option<Socket> {
        let socket = self.socket.take()?;
        self.generation = (self.generation + 1) & GENERATION_MASK;
        Some(socket)
    }
}

/// Checks whether [`Uring`] works on this system by creating a small one.
///
/// # Errors
/// What is missing or forbidden.
pub fn supported() -> Result<(), UringError> {
    let clock = Monotonic::start_at(Duration::ZERO);
    let mut driver = Uring::new(clock, Idle::Block, 1).map_err(|error| match error.raw_os_error() {
        Some(libc::ENOSYS) => UringError::Missing,
        Some(libc::EPERM | libc::EACCES) => UringError::Disabled,
        Some(libc::EINVAL) => UringError::TooOld,
        _ => UringError::Setup(error),
    })?;
    let mut probe = Probe::new();
    let known = driver.ring.submitter().register_probe(&mut probe);
    let needed = [opcode::Connect::CODE, opcode::RecvMulti::CODE, opcode::Send::CODE, opcode::Close::CODE];
    if known.is_err() || needed.iter().any(|code| !probe.is_supported(*code)) {
        return Err(UringError::Incomplete);
    }
    driver.wait(Timestamp::ZERO, &mut Vec::new()).map_err(UringError::Wait)
}

/// Why [`Uring`] cannot be used on this system.
#[derive(Debug)]
pub enum UringError {
    /// The kernel has no io_uring.
    Missing,
    /// This process may not use it.
    Disabled,
    /// The kernel is older than Linux 6.1.
    TooOld,
    /// A required operation is missing.
    Incomplete,
    /// It cannot be set up.
    Setup(io::Error),
    /// Waiting with it fails.
    Wait(io::Error),
}

/// A clause without a full stop.
impl fmt::Display for UringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("this kernel has no io_uring"),
            Self::Disabled => f.write_str(
                "io_uring is disabled (by `kernel.io_uring_disabled` or the seccomp filter of a container)",
            ),
            Self::TooOld => f.write_str("this kernel's io_uring is older than Linux 6.1"),
            Self::Incomplete => f.write_str("this kernel's io_uring lacks a required operation"),
            Self::Setup(error) => write!(f, "io_uring cannot be set up: {error}"),
            Self::Wait(error) => write!(f, "waiting with io_uring failed: {error}"),
        }
    }
}

impl std::error::Error for UringError {}

/// Creates a ring with all features of this kernel. It stays disabled until the first wait.
fn set_up(submissions: u32) -> io::Result<IoUring> {
    let build = |is_plain: bool| {
        let mut builder = IoUring::builder();
        builder
            .setup_cqsize(submissions * 4)
            .setup_clamp()
            .setup_submit_all()
            .setup_single_issuer()
            .setup_coop_taskrun()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_r_disabled();
        if !is_plain {
            // Linux 6.6.
            builder.setup_no_sqarray();
        }
        builder.build(submissions)
    };
    let ring = build(false).or_else(|error| match error.raw_os_error() {
        Some(libc::EINVAL) => build(true),
        _ => Err(error),
    })?;
    // A connect to a Unix socket with a full backlog blocks a kernel thread, and there may be thousands of such connects.
    ring.submitter().register_iowq_max_workers(&mut [KERNEL_THREADS_MAX; 2])?;
    Ok(ring)
}

/// Creates incrementally filled receive buffers; a few suffice, because each serves many receives.
fn packed(_sockets: usize) -> io::Result<Buffers> {
    Buffers::new(PACKED_BUFFERS, PACKED_BYTES, true)
}

/// Creates receive buffers for kernels where each receive uses a whole buffer.
fn whole(sockets: usize) -> io::Result<Buffers> {
    let entries = (sockets * 2).next_power_of_two().clamp(WHOLE_BUFFERS_MIN, WHOLE_BUFFERS_MAX);
    Buffers::new(entries as u16, WHOLE_BYTES, false)
}

/// Returns the socket `id`, which must be open.
fn open(sockets: &mut [Slot], id: SocketId) -> &mut Socket {
    sockets.get_mut(id.index()).and_then(|slot| slot.socket.as_mut()).expect("the socket is open")
}

/// Translates the result of an operation: a count, or a negated `errno`.
fn outcome(result: i32) -> Result<(), SocketError> {
    if result < 0 { Err(SocketError::from_errno(-result)) } else { Ok(()) }
}

/// Encodes a token: 32 bits of socket, 29 of generation, 3 of operation.
fn encode(id: SocketId, generation: u32, operation: Operation) -> u64 {
    u64::from(id.0) << 32 | u64::from(generation) << OPERATION_BITS | operation as u64
}

fn decode(token: u64) -> (SocketId, u32, Operation) {
    let operation = match token & OPERATION_MASK {
        1 => Operation::Connect,
        2 => Operation::Receive,
        3 => Operation::Send,
        4 => Operation::Wake,
        _ => Operation::Quiet,
    };
    (SocketId((token >> 32) as u32), token as u32 >> OPERATION_BITS, operation)
}

const OPERATION_BITS: u32 = 3;
const OPERATION_MASK: u64 = (1 << OPERATION_BITS) - 1;
const GENERATION_MASK: u32 = u32::MAX >> OPERATION_BITS;
/// Limits of the submission queue, whose length depends on the number of sockets; the completion queue is four times as long.
const SUBMISSIONS_MIN: usize = 64;
const SUBMISSIONS_MAX: usize = 4096;
/// Incrementally filled buffers. Together they fit into a core's second-level cache, which is faster than more buffers, for small
/// and for large responses.
const PACKED_BUFFERS: u16 = 8;
const PACKED_BYTES: u32 = 128 << 10;
/// Buffers on older kernels, each used by one receive.
const WHOLE_BUFFERS_MIN: usize = 256;
const WHOLE_BUFFERS_MAX: usize = 4096;
const WHOLE_BYTES: u32 = 4 << 10;
/// Maximum kernel threads for operations that block.
const KERNEL_THREADS_MAX: u32 = 16;
/// Maximum bytes of one send operation, whose result is a signed 32-bit integer.
const SEND_BYTES_MAX: u32 = 1 << 30;
/// How often, and after what pause, a submission is tried again for which the kernel has no memory.
const SUBMISSION_TRIES: u32 = 100;
const SUBMISSION_PAUSE: Duration = Duration::from_micros(100);
/// The longest single sleep; longer waits consist of several.
const SLEEP_MAX: Duration = Duration::from_secs(60);

#[cfg(test)]
#[path = "uring_tests.rs"]
mod tests;
