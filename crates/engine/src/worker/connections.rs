//! Connections of a worker: how they open, what they carry, and how they close.

use super::Worker;
use crate::call::{CallList, NONE};
use crate::connection::{Connection, Phase, Role};
use crate::filling::Filling;
use crate::sink::{Ended, Ending, Sink};
use crate::timers::Timer;
use crate::translate;
use warwolf_driver::{Driver, ReceivedBytes, SocketError, SocketId};
use warwolf_http::{Alive, CallId, Protocol, TlsClient, Tunnel, TunnelReply, Violation};
use warwolf_measure::Outcome;
use warwolf_plan::Resumption;

/// A streamed body is read this much at a time.
pub(super) const PUMP: usize = 65_536;

impl<D: Driver> Worker<'_, D> {
    /// Opens a connection to an endpoint that has addresses. They are taken in turn.
    pub(super) fn open(&mut self, endpoint: u32) -> u32 {
        let address = (self.network.opened % self.network.endpoints.addresses(endpoint).len() as u64) as u32;
        self.network.opened += 1;
        let index = self.network.connections.insert(Connection::new(endpoint, address, self.now)) as u32;
        if let Some(limit) = self.prepared.timeouts.connect {
            self.timers.set(Timer::Connect, index, self.now + limit);
        }
        self.connect(index);
        index
    }

    pub(super) fn connect(&mut self, index: u32) {
        let connection = &self.network.connections[index as usize];
        let address = &self.network.endpoints.addresses(connection.endpoint)[connection.address as usize];
        let mut options = self.prepared.socket_options(self.network.opened, address);
        // Nothing is in flight that the only segment of a connection could be held back for, so one system call is saved.
        options.nodelay &=
            !(self.prepared.sends_once && self.network.endpoints.is_plain(connection.endpoint));
        self.driver.connect(SocketId(index), address, &options);
    }

    pub(super) fn connected(&mut self, index: u32, result: Result<(), SocketError>) {
        match result {
            Ok(()) => {
                let connection = &mut self.network.connections[index as usize];
                connection.connected = self.now;
                self.driver.receive(SocketId(index));
                if let Role::Companion { main } = connection.role {
                    self.companion_opened(index, main);
                    return;
                }
                match self.network.endpoints.tunnel(connection.endpoint) {
                    Some(template) => {
                        connection.phase = Phase::Tunnel;
                        let tunnel = Tunnel::new(self.prepared.limits, template, &mut connection.out);
                        connection.tunnel = Some(Box::new(tunnel));
                        self.network.mark(index);
                    }
                    None => self.secure(index),
                }
            }
            Err(SocketError::NoPorts) if self.has_ports_left(index) => {
                self.network.connections[index as usize].ports_tried += 1;
                self.network.opened += 1;
                self.driver.close(SocketId(index));
                self.connect(index);
            }
            Err(error) => {
                let connection = &mut self.network.connections[index as usize];
                let addresses = self.network.endpoints.addresses(connection.endpoint).len() as u32;
                if connection.tried < addresses && !translate::is_local(error) {
                    connection.tried += 1;
                    connection.address = (connection.address + 1) % addresses;
                    self.driver.close(SocketId(index));
                    self.connect(index);
                } else {
                    self.fail(index, translate::connect_error(error));
                }
            }
        }
    }

    /// Whether there are local ports that have not been tried for a connection.
    fn has_ports_left(&self, index: u32) -> bool {
        self.prepared.network.bind_ports.is_some_and(|(first, last)| {
            self.network.connections[index as usize].ports_tried < u32::from(last - first)
        })
    }

    /// Begins TLS where the endpoint asks for it.
    pub(super) fn secure(&mut self, index: u32) {
        let connection = &mut self.network.connections[index as usize];
        let Some(name) = self.network.endpoints.server_name(connection.endpoint) else {
            self.establish(index, false);
            self.serve_opening(index);
            return;
        };
        let Some(config) = &self.network.tls else {
            unreachable!("a plan with https requests has a TLS configuration")
        };
        let config = match self.sessions.active_mut(connection.owner) {
            Some(active) if self.prepared.resumption == Resumption::Session => {
                active.tls.get_or_insert_with(|| config.apart())
            }
            _ => config,
        };
        match TlsClient::new(config, name) {
            Ok(mut tls) => {
                connection.phase = Phase::Handshake;
                tls.start(&mut connection.out);
                connection.tls = Some(Box::new(tls));
                if let Some(limit) = self.prepared.timeouts.tls {
                    self.timers.clear(Timer::Connect, index);
                    self.timers.set(Timer::Handshake, index, self.now + limit);
                }
                self.network.mark(index);
            }
            Err(failure) => self.fail(index, translate::tls_failure(failure)),
        }
    }

    /// Creates the protocol of a connection that is open, to the server itself and with TLS where the scheme asks for it.
    fn establish(&mut self, index: u32, resumed: bool) {
        self.opened_as(index, Phase::Ready, resumed);
        let protocol = self.network.protocol(index, self.prepared);
        self.network.connections[index as usize].protocol = Some(protocol);
        self.notify_connected(index);
    }

    /// Starts the calls that waited for the connection to open. Those without room wait for any connection.
    fn serve_opening(&mut self, index: u32) {
        while self.network.connections[index as usize].has_room() {
            match self.network.connections[index as usize].waiting.pop(&self.calls) {
                Some(call) => {
                    self.calls[call as usize].connected = self.network.connections[index as usize].connected;
                    self.write(call, index);
                }
                None => break,
            }
        }
        let mut left =
            std::mem::replace(&mut self.network.connections[index as usize].waiting, CallList::EMPTY);
        while let Some(call) = left.pop(&self.calls) {
            self.calls[call as usize].connection = NONE;
            self.network.pool.wait(call);
        }
        self.network.place(index);
    }

    /// Counts a connection that is open and usable.
    pub(super) fn opened_as(&mut self, index: u32, phase: Phase, resumed: bool) {
        self.timers.clear(Timer::Connect, index);
        self.timers.clear(Timer::Handshake, index);
        let connection = &mut self.network.connections[index as usize];
        connection.phase = phase;
        connection.opened = true;
        let connect = connection.connected.since(connection.began);
        let tls = connection.tls.is_some().then(|| self.now.since(connection.connected));
        self.recorder.tally.connections_held(self.network.count_open());
        self.recorder.tally.connection_opened(connect, tls, resumed);
    }

    /// A connection could not be opened: the calls that waited for it fail, or those of the main connection that it was opened
    /// for.
    pub(super) fn fail(&mut self, index: u32, outcome: Outcome) {
        self.recorder.tally.connection_failed(outcome);
        let index = self.network.main_of(index);
        let connection = &mut self.network.connections[index as usize];
        connection.why = Some(outcome);
        let mut fail = |call| self.ended.push(Ended { call, ending: Ending::Failed(outcome) });
        connection.drain(&mut fail);
        while let Some(call) = connection.waiting.pop(&self.calls) {
            fail(call);
        }
        self.close(index);
    }

    /// Closes a connection, and its companion. Its calls have ended or are about to.
    pub(super) fn close(&mut self, index: u32) {
        if let Role::Main { companion } = self.network.connections[index as usize].role
            && companion != NONE
        {
            self.close(companion);
        }
        self.driver.close(SocketId(index));
        for timer in CONNECTION_TIMERS {
            self.timers.clear(timer, index);
        }
        self.network.pool.remove(&mut self.network.connections, index);
        let connection = &mut self.network.connections[index as usize];
        let phase = std::mem::replace(&mut connection.phase, Phase::Closed);
        debug_assert!(phase != Phase::Closed, "a connection closes once");
        if phase.is_open() {
            self.network.open -= 1;
            if connection.completed > 0 {
                self.recorder.tally.connection_closed(self.now.since(connection.began));
            }
        }
        let owner = std::mem::replace(&mut connection.owner, NONE);
        let out = std::mem::take(&mut connection.out);
        let role = connection.role;
        // Its calls may be on another connection by the time they end.
        (connection.written, connection.handed) = (CallList::EMPTY, CallList::EMPTY);
        if owner != NONE {
            self.lose(owner, index);
        }
        match role {
            Role::Companion { main } => {
                self.network.companions -= 1;
                self.network.connections[main as usize].role = Role::Main { companion: NONE };
            }
            Role::Main { .. } if self.observation.observer.is_some() => self.network.gone.push(index),
            Role::Main { .. } => {}
        }
        self.buffers.recycle(out);
        self.network.note_closed(index);
    }

    /// Restarts the idle timer of a connection on which something happened. It runs while calls are outstanding and the
    /// throttle lets the connection receive.
    pub(super) fn restart_idle_timer(&mut self, index: u32) {
        let Some(limit) = self.prepared.timeouts.idle else { return };
        if self.network.is_alive(index) {
            let connection = &self.network.connections[index as usize];
            if !connection.is_unused() && connection.busy <= self.now {
                self.timers.set(Timer::Idle, index, self.now + limit);
            } else {
                self.timers.clear(Timer::Idle, index);
            }
        }
    }

    /// Hands full buffers to the driver.
    pub(super) fn flush(&mut self) {
        while let Some(index) = self.network.next_dirty() {
            self.send(index);
        }
    }

    pub(super) fn send(&mut self, index: u32) {
        let is_more = self.pump(index);
        let connection = &mut self.network.connections[index as usize];
        if connection.out.is_empty() {
            return;
        }
        let now = self.driver.now();
        while let Some(call) = connection.written.pop(&self.calls) {
            self.calls[call as usize].sent = now.max(self.calls[call as usize].started);
            if self.observation.follows_writes {
                connection.handed.push(&mut self.calls, call);
            }
        }
        let buffer = std::mem::take(&mut connection.out);
        self.recorder.tally.wire(buffer.len() as u64, 0);
        if is_more {
            // Through a completion, so that other connections send before the next piece.
            connection.sending = true;
            self.driver.send(SocketId(index), buffer);
        } else if let Some(buffer) = self.driver.send_now(SocketId(index), buffer) {
            self.buffers.recycle(buffer);
            self.delivered(index);
        } else {
            connection.sending = true;
        }
        if let Some(limit) = self.prepared.timeouts.send
            && self.network.connections[index as usize].sending
        {
            self.timers.set(Timer::Send, index, self.now + limit);
        }
    }

    /// Notes that the kernel has all that was handed over: the time for a reply begins.
    fn delivered(&mut self, index: u32) {
        if !self.observation.follows_writes {
            return;
        }
        if let Role::Companion { main } = self.network.connections[index as usize].role {
            self.companion_delivered(index, main);
            return;
        }
        while let Some(call) = self.network.connections[index as usize].handed.first() {
            let protocol = self.network.connections[index as usize].protocol.as_ref();
            if protocol.is_some_and(|protocol| protocol.is_uploading(CallId(call))) {
                return;
            }
            self.network.connections[index as usize].handed.pop(&self.calls);
            self.calls[call as usize].written = true;
            if let Some(limit) = self.prepared.timeouts.reply
                && !self.calls[call as usize].first_byte.is_reached()
            {
                self.timers.set(Timer::Reply, call, self.now + limit);
            }
            self.notify_written(call, index);
        }
    }

    /// Appends the next piece of a streamed body. Returns whether there is more.
    pub(super) fn pump(&mut self, index: u32) -> bool {
        let Self { calls, network, prepared, buffers, .. } = self;
        let Connection { protocol: Some(protocol), tls, out, .. } = &mut network.connections[index as usize]
        else {
            return self.pump_companion(index);
        };
        let Some(id) = protocol.next_body() else { return false };
        let entry = &mut calls[id.0 as usize];
        let mut filling = Filling::body(prepared.request(&entry.request).body());
        let ((), sent) =
            write_through(tls, &mut buffers.plain, out, |out| protocol.pump(id, &mut filling, PUMP, out));
        entry.sent_bytes += sent.len() as u64;
        protocol.next_body().is_some()
    }

    /// Takes back the buffer of a send. A failed send ends no call: a reply may still arrive, and the receive reports the end.
    pub(super) fn sent(&mut self, index: u32, buffer: Vec<u8>, result: Result<(), SocketError>) {
        self.buffers.recycle(buffer);
        self.timers.clear(Timer::Send, index);
        if result.is_ok() {
            self.delivered(index);
        }
        let connection = &mut self.network.connections[index as usize];
        connection.sending = false;
        if !connection.out.is_empty() || connection.next_body().is_some() {
            self.network.mark(index);
        }
    }

    pub(super) fn received(&mut self, index: u32, bytes: ReceivedBytes) {
        self.throttle(index, bytes.len());
        self.recorder.tally.wire(0, bytes.len() as u64);
        let connection = &self.network.connections[index as usize];
        match connection.phase {
            Phase::Handshake | Phase::Ready if connection.tls.is_some() => self.decrypt(index, &bytes),
            Phase::Ready => {
                let alive = self.deliver(index, Input::Socket(&bytes));
                self.after_reply(index, alive);
            }
            Phase::Tunnel => self.tunnelled(index, &bytes),
            Phase::Companion => self.companion_received(index, &bytes),
            Phase::Connecting | Phase::Handshake | Phase::Closed => {}
        }
    }

    /// Decrypts received bytes. They may complete the handshake, belong to replies, or close the connection.
    fn decrypt(&mut self, index: u32, bytes: &ReceivedBytes) {
        let connection = &mut self.network.connections[index as usize];
        let Some(tls) = &mut connection.tls else { return };
        let mut plain = std::mem::take(&mut self.buffers.decrypted);
        plain.clear();
        let received = tls.receive(self.driver.bytes(bytes), &mut plain, &mut connection.out);
        let is_secured = connection.phase == Phase::Handshake && !tls.handshaking();
        let (resumed, goodbye) = (tls.resumed(), tls.peer_closed());
        if let Err(failure) = received {
            self.tls_failed(index, translate::tls_failure(failure));
        } else {
            self.network.mark_unsent(index);
            if is_secured {
                self.establish(index, resumed);
            }
            let alive = if plain.is_empty() { Alive::Yes } else { self.deliver(index, Input::Plain(&plain)) };
            if is_secured {
                self.serve_opening(index);
            }
            if goodbye && alive == Alive::Yes {
                self.peer_ended(index, Ok(()));
            } else {
                self.after_reply(index, alive);
            }
        }
        self.buffers.decrypted = plain;
    }

    /// Uses the protocol of a connection and does what it asks for: sends its output, sets its timer, serves its companion.
    /// `None` if the connection is not ready.
    #[inline]
    pub(super) fn use_protocol<R>(
        &mut self,
        index: u32,
        action: impl FnOnce(&mut Protocol, &D, &mut Vec<u8>, &mut Sink<'_>) -> R,
    ) -> Option<R> {
        let (now, before) = (self.now, self.ended.len());
        let connection = &mut self.network.connections[index as usize];
        let Connection { protocol: Some(protocol), tls, out, .. } = connection else { return None };
        let reply = self.prepared.timeouts.reply.map(|limit| (&mut self.timers, limit));
        let interest = &self.observation.interest;
        let (calls, ended, workload) = (&mut self.calls, &mut self.ended, &self.workload);
        let mut sink = Sink { calls, ended, interest, workload, now, reply };
        let driver = &self.driver;
        let (result, _) =
            write_through(tls, &mut self.buffers.plain, out, |out| action(protocol, driver, out, &mut sink));
        let needs = protocol.needs();
        let has_output = !out.is_empty();
        blame(connection, self.ended.since(before));
        if has_output {
            self.network.mark(index);
        }
        if let Some(needs) = needs {
            self.meet(index, needs);
        }
        Some(result)
    }

    /// Passes received bytes to the protocol of a connection.
    fn deliver(&mut self, index: u32, input: Input<'_>) -> Alive {
        let now = self.now;
        let result = self.use_protocol(index, |protocol, driver, out, sink| {
            let input = match input {
                Input::Socket(bytes) => driver.bytes(bytes),
                Input::Plain(bytes) => bytes,
            };
            protocol.receive(now, input, out, sink)
        });
        let Some(Err(violation)) = result else { return Alive::Yes };
        let ended_no_call = self.network.connections[index as usize].why.is_none();
        if violation == Violation::UnexpectedBytes && ended_no_call {
            self.recorder.tally.unexpected_bytes();
        }
        Alive::No
    }

    /// Calls the protocol of a connection at the time it asked for.
    pub(super) fn wake(&mut self, index: u32) {
        let alive = self.deliver(index, Input::Plain(&[]));
        self.after_reply(index, alive);
    }

    /// Passes the response of the proxy to the tunnel.
    fn tunnelled(&mut self, index: u32, bytes: &ReceivedBytes) {
        let connection = &mut self.network.connections[index as usize];
        let Some(tunnel) = &mut connection.tunnel else { return };
        match tunnel.receive(self.driver.bytes(bytes)) {
            TunnelReply::Pending => {}
            TunnelReply::Open => {
                connection.tunnel = None;
                self.secure(index);
            }
            TunnelReply::Refused(status) => self.fail(index, translate::proxy_refusal(status)),
        }
    }

    /// Closes a connection that will not be used again, and offers one that may be.
    pub(super) fn after_reply(&mut self, index: u32, alive: Alive) {
        let connection = &self.network.connections[index as usize];
        if alive == Alive::No || (!connection.is_reusable() && connection.is_unused()) {
            self.close(index);
        } else {
            self.network.place(index);
        }
    }

    pub(super) fn tls_failed(&mut self, index: u32, outcome: Outcome) {
        if self.network.connections[index as usize].phase == Phase::Ready {
            self.break_off(index, outcome);
        } else {
            self.fail(index, outcome);
        }
    }

    pub(super) fn peer_ended(&mut self, index: u32, result: Result<(), SocketError>) {
        let phase = self.network.connections[index as usize].phase;
        if phase == Phase::Companion {
            self.companion_ended(index, result);
            return;
        }
        if phase != Phase::Ready {
            let outcome = match (phase, result) {
                (_, Err(error)) => translate::connect_error(error),
                (Phase::Handshake, Ok(())) => Outcome::Tls(warwolf_measure::TlsKind::Truncated),
                _ => Outcome::Closed,
            };
            self.fail(index, outcome);
            return;
        }
        match result {
            Ok(()) => {
                let before = self.ended.len();
                self.use_protocol(index, |protocol, _, _, sink| protocol.finish(sink));
                self.note_unclosed(index, before);
                self.close(index);
            }
            Err(_) => self.break_off(index, Outcome::Reset),
        }
    }

    /// Counts replies that the end of a TLS connection completed although no closing alert came: they may be truncated. Calls
    /// after the first `before` in the list ended with the connection.
    fn note_unclosed(&mut self, index: u32, before: usize) {
        let tls = self.network.connections[index as usize].tls.as_ref();
        if tls.is_some_and(|tls| tls.finish().is_err()) {
            let is_complete = |ended: &&Ended| matches!(ended.ending, Ending::Complete);
            let replies = self.ended.since(before).iter().filter(is_complete).count();
            self.recorder.tally.tls_unclosed(replies as u64);
        }
    }

    /// An open connection broke, or the companion of one: its calls fail with `outcome`, unless they may be begun again.
    pub(super) fn break_off(&mut self, index: u32, outcome: Outcome) {
        let index = self.network.main_of(index);
        let Self { network, calls, ended, .. } = self;
        network.connections[index as usize].why = Some(outcome);
        network.connections[index as usize].drain(|call| {
            let begun = calls[call as usize].first_byte.is_reached();
            ended.push(Ended { call, ending: Ending::Broken { outcome, begun } });
        });
        self.close(index);
    }
}

/// Notes what broke a connection, by the first of its calls that it cost.
fn blame(connection: &mut Connection, ended: &[Ended]) {
    let cost = ended.iter().find_map(|ended| match ended.ending {
        Ending::Cause(cause) => Some(translate::cause(cause)),
        _ => None,
    });
    connection.why = connection.why.or(cost);
}

/// Timers whose index is the number of a connection.
const CONNECTION_TIMERS: [Timer; 6] =
    [Timer::Connect, Timer::Handshake, Timer::Send, Timer::Idle, Timer::Protocol, Timer::Throttle];

/// Bytes that were received.
enum Input<'a> {
    /// From the socket.
    Socket(&'a ReceivedBytes),
    /// Decrypted.
    Plain(&'a [u8]),
}

/// Lets `write` append to `out`, through TLS if there is any; `plain` is a buffer to encrypt from. Returns what `write` returns,
/// and the bytes before encryption.
#[inline]
pub(super) fn write_through<'b, T>(
    tls: &mut Option<Box<TlsClient>>,
    plain: &'b mut Vec<u8>,
    out: &'b mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> T,
) -> (T, &'b [u8]) {
    let Some(tls) = tls else {
        let before = out.len();
        let result = write(out);
        return (result, &out[before..]);
    };
    plain.clear();
    let result = write(plain);
    if !plain.is_empty() && tls.send(plain, out).is_err() {
        // Receiving will report what is wrong with the session; there is nothing to send.
        out.clear();
    }
    (result, plain)
}
