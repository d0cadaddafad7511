//! The connections of a worker, with what opens them and what they share.

use crate::connection::{Connection, Phase, Role};
use crate::pool::{Connections, Pool};
use crate::resolve::Lookups;
use crate::setup::{Endpoints, Prepared};
use warwolf_driver::Address;
use warwolf_http::{Heads, Protocol, TlsConfig};

/// Buffers kept for the next send, and the size beyond which one is freed.
const SPARE_BUFFERS: usize = 256;
const SPARE_SIZE: usize = 131_072;

/// All connections of a worker.
pub(crate) struct Network {
    pub(crate) connections: Connections,
    pub(crate) pool: Pool,
    pub(crate) endpoints: Endpoints,
    /// Names of endpoints that replies added.
    pub(crate) lookups: Lookups,
    pub(crate) tls: Option<TlsConfig>,
    /// Heads that servers sent lately.
    pub(crate) heads: Heads,
    /// Connections to flush.
    dirty: Vec<u32>,
    /// Connections closed since the last wait. They keep their numbers until then.
    pub(crate) closed: Vec<u32>,
    /// Connections that closed and that no observer has been notified of.
    pub(crate) gone: Vec<u32>,
    /// Connections opened so far; decides which address and port is next.
    pub(crate) opened: u64,
    /// Open connections, now and at most.
    pub(crate) open: u64,
    pub(crate) held: u64,
    /// Companions, open or opening. They do not count towards the limit on connections.
    pub(crate) companions: usize,
}

impl Network {
    /// Reserves memory for `sessions` sessions that use up to `limit` connections, each expected to have room for
    /// `expected_room` calls.
    pub(crate) fn new(
        endpoints: Endpoints,
        lookups: Lookups,
        tls: Option<TlsConfig>,
        limit: usize,
        sessions: usize,
        expected_room: usize,
    ) -> Self {
        Self {
            connections: Connections::with_capacity(limit.min(sessions)),
            pool: Pool::new(endpoints.len(), limit, expected_room),
            endpoints,
            lookups,
            tls,
            heads: Heads::default(),
            dirty: Vec::with_capacity(sessions),
            closed: Vec::with_capacity(64),
            gone: Vec::new(),
            opened: 0,
            open: 0,
            held: 0,
            companions: 0,
        }
    }

    /// Whether the name of an endpoint is still being looked up.
    pub(crate) fn is_pending(&mut self, endpoint: u32) -> bool {
        while let Some((found, addresses)) = self.lookups.next() {
            self.endpoints.settle(found, addresses);
        }
        self.endpoints.is_pending(endpoint)
    }

    /// Whether the limit on connections is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.connections.len() - self.closed.len() - self.companions >= self.pool.limit()
    }

    /// Whether there is a connection of this number, and it is not closed.
    pub(crate) fn is_alive(&self, index: u32) -> bool {
        self.connections.get(index as usize).is_some_and(|connection| connection.phase != Phase::Closed)
    }

    /// The connection that carries the calls: the main connection of a companion, otherwise the connection itself.
    pub(crate) fn main_of(&self, index: u32) -> u32 {
        match self.connections[index as usize].role {
            Role::Main { .. } => index,
            Role::Companion { main } => main,
        }
    }

    /// The protocol of a connection that has become ready.
    pub(crate) fn protocol(&self, index: u32, prepared: &Prepared) -> Protocol {
        let Connection { endpoint, address, .. } = self.connections[index as usize];
        let address = &self.endpoints.addresses(endpoint)[address as usize];
        let is_ipv6 = matches!(address, Address::Ip(address) if address.is_ipv6());
        let kind = self.endpoints.protocol(endpoint);
        Protocol::new(kind, prepared.limits, prepared.pipeline, &self.heads, is_ipv6)
    }

    /// Moves a connection to the list of the pool that fits its state.
    pub(crate) fn place(&mut self, index: u32) {
        self.pool.place(&mut self.connections, index);
    }

    /// Counts a connection that opened. Returns how many are open.
    pub(crate) fn count_open(&mut self) -> u64 {
        self.open += 1;
        self.held = self.held.max(self.open);
        self.open
    }

    /// Marks a connection to be flushed.
    pub(crate) fn mark(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        if !connection.dirty {
            connection.dirty = true;
            self.dirty.push(index);
        }
    }

    /// Marks a connection to be flushed if it has anything to send.
    pub(crate) fn mark_unsent(&mut self, index: u32) {
        if !self.connections[index as usize].out.is_empty() {
            self.mark(index);
        }
    }

    /// The next connection to flush.
    pub(crate) fn next_dirty(&mut self) -> Option<u32> {
        loop {
            let index = self.dirty.pop()?;
            // A connection may have closed since it was marked, and its number may belong to another one.
            if let Some(connection) = self.connections.get_mut(index as usize)
                && connection.phase != Phase::Closed
                && std::mem::take(&mut connection.dirty)
                && !connection.sending
            {
                return Some(index);
            }
        }
    }

    /// Notes a connection that was closed.
    pub(crate) fn note_closed(&mut self, index: u32) {
        self.closed.push(index);
    }

    /// Frees the numbers of the connections that were closed.
    pub(crate) fn reap(&mut self) {
        for index in self.closed.drain(..) {
            self.connections.remove(index as usize);
        }
    }
}

/// Buffers that connections share.
pub(crate) struct Buffers {
    /// What is to be encrypted.
    pub(crate) plain: Vec<u8>,
    /// What was decrypted.
    pub(crate) decrypted: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self {
            plain: Vec::with_capacity(32_768),
            decrypted: Vec::with_capacity(32_768),
            spare: Vec::with_capacity(SPARE_BUFFERS),
        }
    }

    /// Moves a spare buffer to a connection without a send buffer, if there is any.
    pub(crate) fn lend(&mut self, connection: &mut Connection) {
        if connection.out.capacity() == 0
            && let Some(spare) = self.spare.pop()
        {
            connection.out = spare;
        }
    }

    /// Takes a send buffer back.
    pub(crate) fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < SPARE_BUFFERS && buffer.capacity() <= SPARE_SIZE && buffer.capacity() > 0 {
            buffer.clear();
            self.spare.push(buffer);
        }
    }
}
