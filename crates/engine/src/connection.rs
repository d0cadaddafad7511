//! A connection: a socket, TLS on it if the scheme asks for it, and the protocol.

use crate::call::{CallList, NONE};
use warwolf_clock::Timestamp;
use warwolf_http::{CallId, Protocol, TlsClient, Tunnel};
use warwolf_measure::Outcome;

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The kernel is connecting.
    Connecting,
    /// The proxy was asked for a tunnel (RFC 9110 section 9.3.6).
    Tunnel,
    /// The TLS handshake is under way.
    Handshake,
    /// Calls may start.
    Ready,
    /// A companion is open: what it receives goes to the protocol of its main connection.
    Companion,
    /// Closed in this turn. It keeps its number until the turn is over, because the batch at hand may hold completions
    /// that are meant for it and not for a connection that takes its place.
    Closed,
}

impl Phase {
    /// Whether it is open and usable.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Ready | Self::Companion)
    }

    /// Whether it is being opened.
    pub(crate) fn is_opening(self) -> bool {
        matches!(self, Self::Connecting | Self::Tunnel | Self::Handshake)
    }
}

/// Whether a connection carries calls, or belongs to one that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It carries calls. Its protocol has asked for this companion, or for none: [`NONE`].
    Main { companion: u32 },
    /// It was opened for the protocol of this connection, and closes with it.
    Companion { main: u32 },
}

/// Where in the pool's lists a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// In none: it belongs to a session, or has no room.
    None,
    /// Among those with so many calls in flight, at this position.
    Load { load: u32, at: u32 },
    /// Among those that are being opened, at this position.
    Opening { at: u32 },
}

pub(crate) struct Connection {
    pub(crate) endpoint: u32,
    /// Which of the endpoint's addresses is being used, and how many have been tried.
    pub(crate) address: u32,
    pub(crate) tried: u32,
    /// Local ports that were found in use.
    pub(crate) ports_tried: u32,
    pub(crate) phase: Phase,
    pub(crate) slot: Slot,
    /// The session that it belongs to, or [`NONE`].
    pub(crate) owner: u32,
    /// Made when the connection is ready. A companion has none.
    pub(crate) protocol: Option<Protocol>,
    /// What the proxy was asked for, while the tunnel is awaited.
    pub(crate) tunnel: Option<Box<Tunnel>>,
    pub(crate) tls: Option<Box<TlsClient>>,
    pub(crate) role: Role,
    /// Bytes not yet handed to the driver.
    pub(crate) out: Vec<u8>,
    /// A buffer is with the driver.
    pub(crate) sending: bool,
    /// It is in the list of those to flush this turn.
    pub(crate) dirty: bool,
    /// Calls that wait for it to open.
    pub(crate) waiting: CallList,
    /// Calls written but not yet handed to the driver.
    pub(crate) written: CallList,
    /// Calls handed to the driver that the kernel may not have completely. Maintained only where something depends on it.
    pub(crate) handed: CallList,
    pub(crate) began: Timestamp,
    pub(crate) connected: Timestamp,
    /// Calls it has completed: a kept-alive connection that fails costs a reconnect, not a failure.
    pub(crate) completed: u32,
    /// It was open at some time.
    pub(crate) opened: bool,
    /// What broke it, if anything did.
    pub(crate) why: Option<Outcome>,
    /// The throttle pauses it until then.
    pub(crate) busy: Timestamp,
}

impl Connection {
    pub(crate) fn new(endpoint: u32, address: u32, now: Timestamp) -> Self {
        Self {
            endpoint,
            address,
            tried: 1,
            ports_tried: 0,
            phase: Phase::Connecting,
            slot: Slot::None,
            owner: NONE,
            protocol: None,
            tunnel: None,
            tls: None,
            role: Role::Main { companion: NONE },
            out: Vec::new(),
            sending: false,
            dirty: false,
            waiting: CallList::EMPTY,
            written: CallList::EMPTY,
            handed: CallList::EMPTY,
            began: now,
            connected: Timestamp::NEVER,
            completed: 0,
            opened: false,
            why: None,
            busy: Timestamp::ZERO,
        }
    }

    /// Whether another call may be given to it now.
    pub(crate) fn has_room(&self) -> bool {
        self.phase == Phase::Ready && self.protocol.as_ref().is_some_and(|protocol| protocol.room() > 0)
    }

    /// Calls that were started on it and have not ended.
    pub(crate) fn in_flight(&self) -> usize {
        self.protocol.as_ref().map_or(0, Protocol::in_flight)
    }

    /// Whether further calls may start on it, now or later.
    pub(crate) fn is_reusable(&self) -> bool {
        self.protocol.as_ref().is_none_or(Protocol::reusable)
    }

    /// The call whose body should be sent next.
    pub(crate) fn next_body(&self) -> Option<CallId> {
        self.protocol.as_ref().and_then(Protocol::next_body)
    }

    /// The call whose body should be sent to the companion next.
    pub(crate) fn companion_body(&self) -> Option<CallId> {
        self.protocol.as_ref().and_then(Protocol::companion_body)
    }

    /// Ends all calls on it and names each, oldest first.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(u32)) {
        if let Some(protocol) = &mut self.protocol {
            protocol.drain(|CallId(call)| each(call));
        }
    }

    /// Calls on it and calls that wait for it.
    pub(crate) fn outstanding(&self) -> usize {
        self.in_flight() + self.waiting.len() as usize
    }

    /// Nothing in flight on it and nothing waiting for it.
    pub(crate) fn is_unused(&self) -> bool {
        self.in_flight() == 0 && self.waiting.is_empty()
    }
}
