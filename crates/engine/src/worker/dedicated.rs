//! Dedicated connections: which call goes to which connection, and what ends with what.

use super::Worker;
use super::calls::Part;
use crate::call::NONE;
use crate::connection::Phase;
use warwolf_driver::Driver;
use warwolf_measure::Outcome;
use warwolf_plan::OnClose;

/// Where a call of a session with dedicated connections can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// To no connection yet.
    None,
    /// To this connection, at once.
    Ready(u32),
    /// To this connection, which is being opened.
    Opening(u32),
    /// To a connection that is to be opened in this slot. A connection in it is unused and leads to another endpoint.
    Slot(usize),
}

impl<D: Driver> Worker<'_, D> {
    /// Sends a call to the first connection of its session that has room or can be opened, or queues it with its session.
    /// Returns false if it must wait until a connection of another session closes.
    pub(super) fn dispatch_dedicated(&mut self, call: u32) -> bool {
        let session = self.calls[call as usize].session;
        match self.room(call) {
            Room::None => self.sessions[session as usize].waiting.push(&mut self.calls, call),
            Room::Ready(connection) => self.write(call, connection),
            Room::Opening(connection) => self.await_opening(call, connection),
            Room::Slot(slot) => {
                let held = self.dedicated(session, slot);
                if held != NONE {
                    self.network.connections[held as usize].owner = NONE;
                    self.close(held);
                }
                return self.open_dedicated(call, session, slot);
            }
        }
        true
    }

    /// Where a call can go.
    fn room(&self, call: u32) -> Room {
        let endpoint = self.endpoint_of(call);
        let session = self.calls[call as usize].session;
        for slot in 0..self.prepared.ownership.dedicated() as usize {
            let held = self.dedicated(session, slot);
            let Some(connection) = self.network.connections.get(held as usize) else {
                return Room::Slot(slot);
            };
            let is_ready = connection.phase == Phase::Ready;
            if connection.endpoint != endpoint {
                if is_ready && connection.is_unused() {
                    return Room::Slot(slot);
                }
            } else if connection.has_room() {
                return Room::Ready(held);
            } else if !is_ready && connection.outstanding() < self.prepared.pipeline {
                return Room::Opening(held);
            }
        }
        Room::None
    }

    fn open_dedicated(&mut self, call: u32, session: u32, slot: usize) -> bool {
        let endpoint = self.endpoint_of(call);
        if let Some(refused) = self.refusal(call, endpoint) {
            return refused;
        }
        let index = self.open(endpoint);
        self.await_opening(call, index);
        self.network.connections[index as usize].owner = session;
        let active = &mut self.sessions[session as usize];
        match slot.checked_sub(1) {
            None => active.connection = index,
            Some(more) => {
                active.more.resize(active.more.len().max(slot), NONE);
                active.more[more] = index;
            }
        }
        self.notify_connecting(index, session);
        true
    }

    /// The dedicated connection in a slot of a session, or [`NONE`].
    fn dedicated(&self, session: u32, slot: usize) -> u32 {
        let active = &self.sessions[session as usize];
        match slot.checked_sub(1) {
            None => active.connection,
            Some(more) => active.more.get(more).copied().unwrap_or(NONE),
        }
    }

    /// Removes a closed connection from its session. With [`OnClose::EndSession`] the session is orphaned.
    pub(super) fn lose(&mut self, session: u32, connection: u32) {
        let active = &mut self.sessions[session as usize];
        if active.connection == connection {
            active.connection = NONE;
        }
        active.more.iter_mut().filter(|held| **held == connection).for_each(|held| *held = NONE);
        if self.prepared.on_close == OnClose::EndSession {
            self.sessions.orphan(session);
        }
    }

    /// Ends orphaned sessions that have no call in flight.
    pub(super) fn end_orphaned(&mut self) {
        while let Some(session) = self.sessions.take_orphaned() {
            self.end_session(session, !self.window.is_closed());
        }
    }

    /// Starts calls that are queued with their session, while there is room.
    pub(super) fn serve_dedicated(&mut self, session: u32) {
        while let Some(call) = self.sessions[session as usize].waiting.first()
            && self.room(call) != Room::None
        {
            self.sessions[session as usize].waiting.pop(&self.calls);
            self.find_connection(call);
        }
    }

    /// Closes all dedicated connections of a session that has ended.
    pub(super) fn close_dedicated(&mut self, session: u32) {
        for slot in 0..self.prepared.ownership.dedicated() as usize {
            let held = self.dedicated(session, slot);
            if held != NONE {
                self.network.connections[held as usize].owner = NONE;
                self.close(held);
            }
        }
        let active = &mut self.sessions[session as usize];
        active.connection = NONE;
        active.more.clear();
    }

    /// Ends a failed session: gives up its calls in flight and closes its connections.
    pub(super) fn drop_session(&mut self, session: u32) {
        if self.sessions[session as usize].in_flight > 0 {
            self.drop_calls(session);
        }
        if self.sessions[session as usize].in_flight == 0 {
            self.end_session(session, !self.window.is_closed());
        }
    }

    /// Gives up the calls of a session, except those that have ended and are about to be settled.
    fn drop_calls(&mut self, session: u32) {
        let mut given_up = Vec::new();
        for slot in 0..self.prepared.ownership.dedicated() as usize {
            let held = self.dedicated(session, slot);
            if held != NONE {
                let connection = &mut self.network.connections[held as usize];
                connection.drain(|call| given_up.push(call));
                while let Some(call) = connection.waiting.pop(&self.calls) {
                    given_up.push(call);
                }
            }
        }
        while let Some(call) = self.sessions[session as usize].waiting.pop(&self.calls) {
            given_up.push(call);
        }
        let ended =
            self.ended.iter().filter(|ended| self.calls[ended.call as usize].session == session).count();
        if given_up.len() + ended < self.sessions[session as usize].in_flight as usize {
            // The others are in the queue of the pool, or wait to be sent again.
            let mut known = given_up.clone();
            known.extend(self.ended.iter().map(|ended| ended.call));
            let all = self.calls.iter().filter(|(_, call)| call.session == session);
            given_up.extend(all.map(|(index, _)| index as u32).filter(|index| !known.contains(index)));
            self.network.pool.forget_all(|call| given_up.contains(&call));
        }
        let active = &self.sessions[session as usize].session;
        let (session, is_setup) = (active.number(), active.is_setup());
        for index in given_up {
            let call = self.take_call(index);
            let part = Part { session, is_continued: false, is_setup };
            self.count(&call, self.now, Outcome::Unfinished, part, false);
        }
    }
}
