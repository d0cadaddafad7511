//! A driver without a kernel: sockets, peers and time are values, and a wait jumps to the next event in virtual time.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::time::Duration;

use warwolf_clock::{Clock, ManualClock, Timestamp};
use warwolf_driver::{Address, Completion, Driver, ReceivedBytes, SocketError, SocketId, SocketOptions};

use crate::alloc::uncounted;
use crate::peer::Act;
use crate::random::Random;
use crate::{Actions, ConnectionId, Fate, Scenario};

/// A driver for a simulated network. Its clock advances only during waits, and by the CPU costs of the scenario.
pub struct SimDriver {
    clock: ManualClock,
    scenario: Scenario,
    random: Random,
    /// The connection of each open socket.
    sockets: Vec<Option<ConnectionId>>,
    links: BTreeMap<ConnectionId, Link>,
    connects: u64,
    events: BinaryHeap<Reverse<Scheduled>>,
    scheduled: u64,
    completed: Vec<Completion>,
    delivered: usize,
    received: Vec<u8>,
    waker: SimWaker,
}

/// One connection, both ends of it.
struct Link {
    peer: usize,
    /// The driver's end, while it is open.
    socket: Option<SocketId>,
    resets_on_close: bool,
    is_connected: bool,
    is_receiving: bool,
    receive_max: usize,
    /// Data that arrived and is not delivered yet.
    inbox: VecDeque<Arrival>,
    /// The error of further sends.
    broken: Option<SocketError>,
    sending: Option<Sending>,
    /// Bytes that the peer has not received yet.
    in_flight: usize,
    /// Arrival of the last segment in each direction; later segments must not overtake it.
    latest_out: Timestamp,
    latest_in: Timestamp,
    is_peer_closed: bool,
}

struct Sending {
    buffer: Vec<u8>,
    sent: usize,
}

/// An arrival at the driver.
enum Arrival {
    Bytes(Vec<u8>),
    End(Result<(), SocketError>),
}

enum Event {
    Connected(Result<(), SocketError>),
    Opened,
    AtPeer(Vec<u8>),
    PeerEnded {
        was_reset: bool,
    },
    /// The peer has received this number of bytes.
    Acknowledged(usize),
    /// The simulated kernel accepts more of a buffer, and delivers data that had not been requested before.
    Progress,
    Act(Act),
    Arrived(Arrival),
}

/// An event of a connection, ordered by time and then by when it was scheduled.
struct Scheduled {
    at: Timestamp,
    number: u64,
    connection: ConnectionId,
    event: Event,
}

impl SimDriver {
    /// Creates a driver for `scenario` at time zero.
    #[must_use]
    pub fn new(scenario: Scenario) -> Self {
        Self {
            clock: ManualClock::default(),
            random: Random::new(scenario.seed),
            scenario,
            sockets: Vec::new(),
            links: BTreeMap::new(),
            connects: 0,
            events: BinaryHeap::new(),
            scheduled: 0,
            completed: Vec::new(),
            delivered: 0,
            received: Vec::new(),
            waker: SimWaker::default(),
        }
    }

    /// Returns a handle that ends the waits of this driver.
    #[must_use]
    pub fn waker(&self) -> SimWaker {
        self.waker.clone()
    }

    /// Returns the number of open sockets.
    #[must_use]
    pub fn open_sockets(&self) -> usize {
        self.sockets.iter().flatten().count()
    }

    fn schedule(&mut self, at: Timestamp, connection: ConnectionId, event: Event) {
        let number = self.scheduled;
        self.scheduled += 1;
        self.events.push(Reverse(Scheduled { at, number, connection, event }));
    }

    /// Returns when a segment that is sent now arrives, not before `latest`.
    fn arrival(&mut self, latest: Timestamp) -> Timestamp {
        let jitter = self.random.up_to(self.scenario.jitter.as_nanos() as u64);
        let mut at = self.clock.now() + self.scenario.latency + Duration::from_nanos(jitter);
        if self.random.happens(self.scenario.loss) {
            at += self.scenario.retransmission;
        }
        at = at.max(latest);
        self.scenario
            .stalls
            .iter()
            .filter(|stall| stall.contains(&at))
            .map(|stall| stall.end)
            .max()
            .unwrap_or(at)
    }

    /// Cuts bytes into segments.
    fn cut(&mut self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let Some(most) = self.scenario.segment_max else { return vec![bytes] };
        let mut segments = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let len = 1 + self.random.up_to(most.max(1) as u64 - 1) as usize;
            let (segment, behind) = rest.split_at(len.min(rest.len()));
            segments.push(segment.to_vec());
            rest = behind;
        }
        segments
    }

    fn link_of(&mut self, socket: SocketId) -> (ConnectionId, &mut Link) {
        let connection = self.sockets.get(socket.0 as usize).copied().flatten().expect("the socket is open");
        (connection, self.links.get_mut(&connection).expect("an open socket has a connection"))
    }

    /// Starts a connection according to its fate.
    fn begin(&mut self, socket: SocketId, to: &Address, options: &SocketOptions) {
        let connection = ConnectionId(self.connects);
        let fate = (self.scenario.fate)(self.connects, to);
        self.connects += 1;
        let slot = &mut self.sockets[socket.0 as usize];
        assert!(slot.is_none(), "a socket is connected once");
        *slot = Some(connection);
        let peers = &self.scenario.peers;
        let peer = peers.iter().position(|(address, _)| address.as_ref().is_none_or(|address| address == to));
        let now = self.clock.now();
        self.links.insert(
            connection,
            Link {
                peer: peer.unwrap_or(0),
                socket: Some(socket),
                resets_on_close: options.reset_on_close,
                is_connected: false,
                is_receiving: false,
                receive_max: options.receive_max.map_or(usize::MAX, |most| most.max(1) as usize),
                inbox: VecDeque::new(),
                broken: None,
                sending: None,
                in_flight: 0,
                latest_out: now,
                latest_in: now,
                is_peer_closed: false,
            },
        );
        match fate {
            Fate::Unanswered => {}
            Fate::Failed(error) => self.schedule(now, connection, Event::Connected(Err(error))),
            Fate::Accepted | Fate::Refused => {
                let back = self.arrival(now) + self.scenario.latency;
                let is_accepted = fate == Fate::Accepted && peer.is_some();
                let result = if is_accepted { Ok(()) } else { Err(SocketError::Refused) };
                self.schedule(back, connection, Event::Connected(result));
            }
        }
    }

    /// Lets the simulated kernel accept more of a buffer in flight.
    fn push(&mut self, connection: ConnectionId) {
        let Some(link) = self.links.get_mut(&connection) else { return };
        let (Some(socket), Some(sending)) = (link.socket, link.sending.as_mut()) else { return };
        if link.broken.is_none() {
            let room = self.scenario.send_window.saturating_sub(link.in_flight);
            let mut len = room.min(sending.buffer.len() - sending.sent);
            if let Some(most) = self.scenario.write_max {
                len = len.min(1 + self.random.up_to(most.max(1) as u64 - 1) as usize);
            }
            let bytes = sending.buffer[sending.sent..sending.sent + len].to_vec();
            sending.sent += len;
            link.in_flight += len;
            let is_short = sending.sent < sending.buffer.len();
            if len > 0 {
                self.transmit(connection, bytes);
            }
            if is_short {
                if len > 0 {
                    self.schedule(self.clock.now() + WRITE_AGAIN, connection, Event::Progress);
                }
                return;
            }
        }
        let Some(link) = self.links.get_mut(&connection) else { return };
        let Some(Sending { mut buffer, .. }) = link.sending.take() else { return };
        buffer.clear();
        let result = link.broken.map_or(Ok(()), Err);
        self.completed.push(Completion::Sent { socket, buffer, result });
    }

    /// Sends bytes to the peer.
    fn transmit(&mut self, connection: ConnectionId, bytes: Vec<u8>) {
        for segment in self.cut(bytes) {
            let latest = self.links[&connection].latest_out;
            let at = self.arrival(latest);
            self.schedule(at, connection, Event::AtPeer(segment));
            if let Some(link) = self.links.get_mut(&connection) {
                link.latest_out = at;
            }
        }
    }

    /// Sends an arrival to the driver.
    fn respond(&mut self, connection: ConnectionId, arrival: Arrival) {
        let latest = self.links[&connection].latest_in;
        let at = self.arrival(latest);
        let is_reset = self.random.happens(self.scenario.reset_rate);
        let arrival = if is_reset { Arrival::End(Err(SocketError::Reset)) } else { arrival };
        self.schedule(at, connection, Event::Arrived(arrival));
        if let Some(link) = self.links.get_mut(&connection) {
            link.latest_in = at;
            link.is_peer_closed |= is_reset;
        }
    }

    /// Calls a peer and schedules its actions.
    fn ask(
        &mut self,
        connection: ConnectionId,
        question: impl FnOnce(&mut dyn crate::Peer, &mut Actions, Timestamp),
    ) {
        let mut actions = Actions::default();
        let now = self.clock.now();
        let peer = self.links[&connection].peer;
        question(&mut *self.scenario.peers[peer].1, &mut actions, now);
        for (at, act) in actions.planned {
            self.schedule(at.max(now), connection, Event::Act(act));
        }
    }

    /// Executes one event.
    fn happen(&mut self, connection: ConnectionId, event: Event) {
        let Some(link) = self.links.get_mut(&connection) else { return };
        match event {
            Event::Connected(result) => self.connected(connection, result),
            Event::Opened => self.ask(connection, |peer, actions, now| peer.opened(connection, now, actions)),
            Event::AtPeer(bytes) => self.at_peer(connection, &bytes),
            Event::PeerEnded { was_reset } => {
                if !link.is_peer_closed {
                    self.ask(connection, |peer, _, now| peer.ended(connection, was_reset, now));
                }
                self.links.remove(&connection);
            }
            Event::Acknowledged(len) => {
                link.in_flight -= len;
                self.push(connection);
            }
            Event::Progress => {
                self.push(connection);
                self.deliver(connection);
            }
            Event::Act(act) => self.act(connection, act),
            Event::Arrived(arrival) => {
                if let Arrival::End(Err(error)) = arrival {
                    link.broken = Some(error);
                }
                link.inbox.push_back(arrival);
                self.push(connection);
                self.deliver(connection);
            }
        }
    }

    fn connected(&mut self, connection: ConnectionId, result: Result<(), SocketError>) {
        let Some(link) = self.links.get_mut(&connection) else { return };
        let Some(socket) = link.socket else { return };
        self.completed.push(Completion::Connected { socket, result });
        if result.is_err() {
            self.sockets[socket.0 as usize] = None;
            self.links.remove(&connection);
            return;
        }
        link.is_connected = true;
        let latest = link.latest_out;
        let at = self.arrival(latest);
        self.schedule(at, connection, Event::Opened);
        if let Some(link) = self.links.get_mut(&connection) {
            link.latest_out = at;
        }
    }

    fn at_peer(&mut self, connection: ConnectionId, bytes: &[u8]) {
        let Some(link) = self.links.get(&connection) else { return };
        if link.is_peer_closed {
            self.respond(connection, Arrival::End(Err(SocketError::Reset)));
        } else if self.scenario.peers[link.peer].1.is_reading() {
            let back = self.clock.now() + self.scenario.latency;
            self.schedule(back, connection, Event::Acknowledged(bytes.len()));
            self.ask(connection, |peer, actions, now| peer.received(connection, bytes, now, actions));
        }
    }

    fn act(&mut self, connection: ConnectionId, act: Act) {
        let Some(link) = self.links.get_mut(&connection) else { return };
        if link.is_peer_closed {
            return;
        }
        match act {
            Act::Send(bytes) => {
                for segment in self.cut(bytes) {
                    self.respond(connection, Arrival::Bytes(segment));
                }
            }
            Act::Left(tag) => self.ask(connection, |peer, _, now| peer.left(connection, tag, now)),
            Act::End => self.respond(connection, Arrival::End(Ok(()))),
            Act::Close => {
                link.is_peer_closed = true;
                self.respond(connection, Arrival::End(Ok(())));
            }
            Act::Reset => {
                link.is_peer_closed = true;
                self.respond(connection, Arrival::End(Err(SocketError::Reset)));
            }
        }
    }

    /// Delivers arrived data if `receive` was called.
    fn deliver(&mut self, connection: ConnectionId) {
        let Some(link) = self.links.get_mut(&connection) else { return };
        let Some(socket) = link.socket else { return };
        while link.is_receiving
            && let Some(arrival) = link.inbox.pop_front()
        {
            match arrival {
                Arrival::Bytes(mut bytes) => {
                    if bytes.len() > link.receive_max {
                        link.inbox.push_front(Arrival::Bytes(bytes.split_off(link.receive_max)));
                    }
                    let received = ReceivedBytes::new(self.received.len(), bytes.len() as u32);
                    self.received.extend_from_slice(&bytes);
                    self.completed.push(Completion::Received { socket, bytes: received });
                    if !link.inbox.is_empty() && link.receive_max < usize::MAX {
                        // The rest is delivered by the next wait, so that the owner can pause.
                        let next = self.clock.now() + Duration::from_nanos(1);
                        self.schedule(next, connection, Event::Progress);
                        return;
                    }
                }
                Arrival::End(result) => {
                    link.is_receiving = false;
                    self.completed.push(Completion::Ended { socket, result });
                }
            }
        }
    }

    /// Executes all events up to now, then jumps to the next event until there is a completion or `until` is reached.
    fn run(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()> {
        let cost = self.scenario.turn_cost + self.scenario.completion_cost * self.delivered as u32;
        self.clock.advance(cost);
        self.delivered = 0;
        loop {
            while self.events.peek().is_some_and(|next| next.0.at <= self.clock.now()) {
                let Some(Reverse(next)) = self.events.pop() else { break };
                self.happen(next.connection, next.event);
            }
            if !self.completed.is_empty() {
                self.delivered = self.completed.len();
                into.append(&mut self.completed);
                return Ok(());
            }
            if self.waker.take() || until <= self.clock.now() {
                return Ok(());
            }
            let next = self.events.peek().map_or(Timestamp::NEVER, |next| next.0.at);
            if !next.min(until).is_reached() {
                return Err(io::Error::other("the simulation is stuck: there are no events and no deadline"));
            }
            self.clock.advance_to(next.min(until));
        }
    }
}

impl Clock for SimDriver {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// Its allocations are not counted by [`alloc::count`](crate::alloc::count).
impl Driver for SimDriver {
    fn connect(&mut self, socket: SocketId, to: &Address, options: &SocketOptions) {
        uncounted(|| {
            if self.sockets.len() <= socket.0 as usize {
                self.sockets.resize(socket.0 as usize + 1, None);
            }
            self.begin(socket, to, options);
        });
    }

    fn receive(&mut self, socket: SocketId) {
        uncounted(|| {
            // Data that has arrived already is delivered by the next wait, which invalidates bytes delivered before.
            let now = self.clock.now();
            let (connection, link) = self.link_of(socket);
            link.is_receiving = true;
            if !link.inbox.is_empty() {
                self.schedule(now, connection, Event::Progress);
            }
        });
    }

    fn pause(&mut self, socket: SocketId) -> bool {
        self.link_of(socket).1.is_receiving = false;
        true
    }

    fn send(&mut self, socket: SocketId, buffer: Vec<u8>) {
        uncounted(|| {
            let (connection, link) = self.link_of(socket);
            assert!(link.is_connected, "only a connected socket sends");
            assert!(link.sending.is_none(), "a socket sends one buffer at a time");
            link.sending = Some(Sending { buffer, sent: 0 });
            self.push(connection);
        });
    }

    /// Succeeds when the send window has room and the scenario has no `write_max`.
    fn send_now(&mut self, socket: SocketId, mut buffer: Vec<u8>) -> Option<Vec<u8>> {
        let writes_short = self.scenario.write_max.is_some();
        let window = self.scenario.send_window;
        let (connection, link) = self.link_of(socket);
        let fits = link.sending.is_none() && link.in_flight + buffer.len() <= window;
        if !link.is_connected || link.broken.is_some() || writes_short || !fits {
            self.send(socket, buffer);
            return None;
        }
        link.in_flight += buffer.len();
        uncounted(|| self.transmit(connection, buffer.clone()));
        buffer.clear();
        Some(buffer)
    }

    fn close(&mut self, socket: SocketId) {
        uncounted(|| {
            self.completed.retain(|completion| completion.socket() != socket);
            let Some(connection) = self.sockets.get_mut(socket.0 as usize).and_then(Option::take) else {
                return;
            };
            let Some(link) = self.links.get_mut(&connection) else { return };
            link.socket = None;
            link.sending = None;
            if !link.is_connected {
                self.links.remove(&connection);
                return;
            }
            // A kernel that still holds unread bytes sends a reset.
            let has_unread = link.inbox.iter().any(|arrival| matches!(arrival, Arrival::Bytes(_)));
            let was_reset = link.resets_on_close || has_unread;
            let latest = link.latest_out;
            let at = self.arrival(latest);
            self.schedule(at, connection, Event::PeerEnded { was_reset });
        });
    }

    fn wait(&mut self, until: Timestamp, into: &mut Vec<Completion>) -> io::Result<()> {
        uncounted(|| {
            self.received.clear();
            self.run(until, into)
        })
    }

    fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        &self.received[bytes.start()..bytes.start() + bytes.len()]
    }

    fn name(&self) -> &'static str {
        "sim"
    }
}

impl fmt::Debug for SimDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimDriver")
            .field("now", &self.clock.now())
            .field("connects", &self.connects)
            .finish_non_exhaustive()
    }
}

/// Ends a wait of a [`SimDriver`] from any thread.
#[derive(Clone, Debug, Default)]
pub struct SimWaker(Arc<AtomicBool>);

impl SimWaker {
    /// Ends the wait, or the next one.
    pub fn wake(&self) {
        self.0.store(true, Memory::Release);
    }

    /// Returns whether [`SimWaker::wake`] was called, and clears it.
    fn take(&self) -> bool {
        self.0.swap(false, Memory::AcqRel)
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// Time until the simulated kernel accepts more after a short write.
const WRITE_AGAIN: Duration = Duration::from_micros(1);
