//! Which connections of a worker could take another call, by endpoint, and which calls wait for one.

use crate::call::{Call, NONE};
use crate::connection::{Connection, Slot};
use slab::Slab;
use std::collections::VecDeque;

/// The connections of one endpoint that could take another call, and that any session may use.
#[derive(Default)]
struct Free {
    /// Open ones, by the calls in flight on them.
    by_load: Vec<Vec<u32>>,
    /// Ones that are being opened, for which fewer calls wait than they are expected to have room for.
    opening: Vec<u32>,
}

impl Free {
    fn list(&mut self, slot: Slot) -> Option<(&mut Vec<u32>, u32)> {
        match slot {
            Slot::None => None,
            Slot::Load { load, at } => Some((&mut self.by_load[load as usize], at)),
            Slot::Opening { at } => Some((&mut self.opening, at)),
        }
    }
}

/// Connections with room, and calls without a connection.
pub(crate) struct Pool {
    free: Vec<Free>,
    /// Calls that found the limit reached, in order.
    queue: VecDeque<u32>,
    /// Connections this worker may have.
    limit: usize,
    /// Calls that a connection is expected to have room for once it is open.
    expected_room: usize,
}

impl Pool {
    pub(crate) fn new(endpoints: usize, limit: usize, expected_room: usize) -> Self {
        let free = (0..endpoints).map(|_| Free::default()).collect();
        Self { free, queue: VecDeque::new(), limit, expected_room }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Makes room for one more endpoint.
    pub(crate) fn add_endpoint(&mut self) {
        self.free.push(Free::default());
    }

    /// The connection to `endpoint` with the fewest calls in flight, and among those the one used last; else one that is being
    /// opened. None when no connection has room.
    pub(crate) fn find(&self, endpoint: u32) -> Option<u32> {
        let Free { by_load, opening } = &self.free[endpoint as usize];
        by_load.iter().find_map(|list| list.last()).or(opening.last()).copied()
    }

    /// Takes an idle connection of any endpoint out of the lists, to be closed so that another may be opened.
    pub(crate) fn take_any_idle(&mut self, connections: &mut Slab<Connection>) -> Option<u32> {
        let index = *self.free.iter().find_map(|free| free.by_load.first()?.first())?;
        self.remove(connections, index);
        Some(index)
    }

    /// Moves a connection to the list that fits its state; to none if it belongs to a session.
    pub(crate) fn place(&mut self, connections: &mut Slab<Connection>, index: u32) {
        self.remove(connections, index);
        let connection = &mut connections[index as usize];
        if connection.owner != NONE {
            return;
        }
        let free = &mut self.free[connection.endpoint as usize];
        if connection.has_room() {
            let load = connection.in_flight();
            if free.by_load.len() <= load {
                free.by_load.resize_with(load + 1, Vec::new);
            }
            connection.slot = Slot::Load { load: load as u32, at: free.by_load[load].len() as u32 };
            free.by_load[load].push(index);
        } else if connection.phase.is_opening() && connection.outstanding() < self.expected_room {
            connection.slot = Slot::Opening { at: free.opening.len() as u32 };
            free.opening.push(index);
        }
    }

    /// Takes a connection out of the lists.
    pub(crate) fn remove(&mut self, connections: &mut Slab<Connection>, index: u32) {
        let connection = &mut connections[index as usize];
        let slot = std::mem::replace(&mut connection.slot, Slot::None);
        let Some((list, at)) = self.free[connection.endpoint as usize].list(slot) else { return };
        list.swap_remove(at as usize);
        if let Some(&moved) = list.get(at as usize) {
            connections[moved as usize].slot = slot;
        }
    }

    /// Appends a call to the queue for a connection.
    pub(crate) fn wait(&mut self, call: u32) {
        self.queue.push_back(call);
    }

    /// Returns a call that found no connection to the front of the queue.
    pub(crate) fn wait_again(&mut self, call: u32) {
        self.queue.push_front(call);
    }

    /// The call that has waited longest.
    pub(crate) fn next_waiting(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Whether any call waits.
    pub(crate) fn anyone_waits(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Takes the calls for which `goes` is true out of the queue. Walks it.
    pub(crate) fn forget_all(&mut self, mut goes: impl FnMut(u32) -> bool) {
        self.queue.retain(|&waiting| !goes(waiting));
    }

    /// Takes a call out of the queue. Walks it: for timeouts, not for the common path.
    pub(crate) fn forget(&mut self, call: u32) {
        self.queue.retain(|&waiting| waiting != call);
    }
}

/// Calls by index.
pub(crate) type Calls = Slab<Call>;
/// Connections by index, which is also the driver's socket number.
pub(crate) type Connections = Slab<Connection>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Phase;
    use crate::filling::Filling;
    use warwolf_clock::Timestamp;
    use warwolf_http::{CallId, Http1, Limits, Protocol, TemplateBuilder, Version};

    /// An open connection with room for four calls, `load` of them in flight.
    fn connection(load: u32) -> Connection {
        let template = TemplateBuilder::new("GET", "/", Version::Http11).build().unwrap();
        let mut http = Http1::new(Limits::default(), 4);
        (0..load).for_each(|n| http.start(CallId(n), &template, &mut Filling::body(None), &mut Vec::new()));
        let mut connection = Connection::new(0, 0, Timestamp::ZERO);
        (connection.phase, connection.protocol) = (Phase::Ready, Some(Protocol::Http1(http)));
        connection
    }

    #[test]
    fn the_least_loaded_connection_is_found_first_and_a_full_one_never() {
        let mut connections = Connections::new();
        let mut pool = Pool::new(1, 10, 4);
        let mut indexes: Vec<u32> =
            [4, 2, 0, 3, 1].map(|load| connections.insert(connection(load)) as u32).into();
        indexes.push(connections.insert(Connection::new(0, 0, Timestamp::ZERO)) as u32);
        indexes.iter().for_each(|index| pool.place(&mut connections, *index));
        let mut found = Vec::new();
        while let Some(index) = pool.find(0) {
            found.push(index);
            pool.remove(&mut connections, index);
        }
        assert_eq!(found, [2, 4, 1, 3, 5], "by load, and one that is being opened last");
    }

    #[test]
    fn a_connection_of_a_session_is_not_for_others() {
        let mut connections = Connections::new();
        let mut pool = Pool::new(1, 10, 4);
        let index = connections.insert(connection(0)) as u32;
        pool.place(&mut connections, index);
        connections[index as usize].owner = 7;
        pool.place(&mut connections, index);
        assert_eq!((pool.find(0), pool.take_any_idle(&mut connections)), (None, None));
    }
}
