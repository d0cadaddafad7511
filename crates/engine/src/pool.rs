//! Which connections of a worker could take another call, by endpoint, and which calls wait for one.

use crate::call::Call;
use crate::connection::{Connection, Place};
use slab::Slab;
use std::collections::VecDeque;

/// The free connections of one endpoint.
#[derive(Default)]
struct Free {
    idle: Vec<u32>,
    partly: Vec<u32>,
}

/// Connections with room, and calls without a connection.
pub(crate) struct Pool {
    free: Vec<Free>,
    /// Calls that found the limit reached, in order.
    queue: VecDeque<u32>,
    /// Connections this worker may have.
    limit: usize,
}

impl Pool {
    pub(crate) fn new(endpoints: usize, limit: usize) -> Self {
        Self { free: (0..endpoints).map(|_| Free::default()).collect(), queue: VecDeque::new(), limit }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Makes room for one more endpoint.
    pub(crate) fn add_endpoint(&mut self) {
        self.free.push(Free::default());
    }

    /// A connection to `endpoint` with room: the one used last among the idle ones, else one that is partly used. It
    /// is taken out of the lists.
    pub(crate) fn take(&mut self, connections: &mut Slab<Connection>, endpoint: u32) -> Option<u32> {
        let free = &self.free[endpoint as usize];
        let index = free.idle.last().or(free.partly.last()).copied()?;
        self.remove(connections, index);
        Some(index)
    }

    /// An idle connection of any endpoint, to be closed so that another may be opened.
    pub(crate) fn take_any_idle(&mut self, connections: &mut Slab<Connection>) -> Option<u32> {
        let index = *self.free.iter().find_map(|free| free.idle.first())?;
        self.remove(connections, index);
        Some(index)
    }

    /// Puts a connection where it belongs by its state.
    pub(crate) fn place(&mut self, connections: &mut Slab<Connection>, index: u32) {
        self.remove(connections, index);
        let connection = &mut connections[index as usize];
        if !connection.has_room() {
            return;
        }
        let free = &mut self.free[connection.endpoint as usize];
        if connection.in_flight() == 0 {
            connection.place = Place::Idle(free.idle.len() as u32);
            free.idle.push(index);
        } else {
            connection.place = Place::Partly(free.partly.len() as u32);
            free.partly.push(index);
        }
    }

    /// Takes a connection out of the lists.
    pub(crate) fn remove(&mut self, connections: &mut Slab<Connection>, index: u32) {
        let connection = &mut connections[index as usize];
        let free = &mut self.free[connection.endpoint as usize];
        let place = std::mem::replace(&mut connection.place, Place::Out);
        match place {
            Place::Out => {}
            Place::Idle(at) => {
                free.idle.swap_remove(at as usize);
                if let Some(&moved) = free.idle.get(at as usize) {
                    connections[moved as usize].place = Place::Idle(at);
                }
            }
            Place::Partly(at) => {
                free.partly.swap_remove(at as usize);
                if let Some(&moved) = free.partly.get(at as usize) {
                    connections[moved as usize].place = Place::Partly(at);
                }
            }
        }
    }

    /// Lets a call wait for a connection.
    pub(crate) fn wait(&mut self, call: u32) {
        self.queue.push_back(call);
    }

    /// Lets a call that found no connection wait on, before all others.
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

    /// Takes the calls out of the queue that `goes` says. Walks it.
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
