//! Companions: connections that the protocol of another connection asks for.
//!
//! A companion goes to the address of its main connection, on another port, and carries no calls. What it receives is passed to
//! the protocol of the main connection, which also supplies what it sends. Both close together; when a companion fails, the
//! calls of its main connection fail with it.

use super::Worker;
use super::connections::PUMP;
use crate::call::NONE;
use crate::connection::{Connection, Phase, Role};
use crate::filling::Filling;
use crate::timers::Timer;
use warwolf_clock::Timestamp;
use warwolf_driver::{Address, Driver, ReceivedBytes, SocketError, SocketId};
use warwolf_http::{Alive, Companion, CompanionEvent, Needs};

impl<D: Driver> Worker<'_, D> {
    /// Does what a protocol needs.
    #[cold]
    pub(super) fn meet(&mut self, index: u32, needs: Needs) {
        match needs.wake {
            Timestamp::NEVER => self.timers.clear(Timer::Protocol, index),
            at => self.timers.set(Timer::Protocol, index, at),
        }
        match (needs.companion, self.companion_of(index)) {
            (Companion::Open { port }, None) => self.open_companion(index, port),
            (Companion::Pump, Some(companion)) => self.network.mark(companion),
            (Companion::Close, Some(companion)) => self.close(companion),
            _ => {}
        }
    }

    /// The companion of a main connection, if it has one.
    fn companion_of(&self, index: u32) -> Option<u32> {
        match self.network.connections[index as usize].role {
            Role::Main { companion } if companion != NONE => Some(companion),
            _ => None,
        }
    }

    fn open_companion(&mut self, main: u32, port: u16) {
        let Connection { endpoint, address, .. } = self.network.connections[main as usize];
        let Address::Ip(mut to) = self.network.endpoints.addresses(endpoint)[address as usize].clone() else {
            unreachable!("a plan is refused where companions would go to a unix socket")
        };
        to.set_port(port);
        let to = Address::Ip(to);
        self.network.opened += 1;
        self.network.companions += 1;
        let mut connection = Connection::new(endpoint, address, self.now);
        connection.role = Role::Companion { main };
        // No other address will do, and no other local port is tried.
        (connection.tried, connection.ports_tried) = (u32::MAX, u32::MAX);
        let index = self.network.connections.insert(connection) as u32;
        self.network.connections[main as usize].role = Role::Main { companion: index };
        if let Some(limit) = self.prepared.timeouts.connect {
            self.timers.set(Timer::Connect, index, self.now + limit);
        }
        let mut options = self.prepared.socket_options(self.network.opened, &to);
        // A reset would discard what has not arrived.
        options.reset_on_close = false;
        self.driver.connect(SocketId(index), &to, &options);
    }

    /// Passes what happened on a companion to the protocol of its main connection.
    fn pass_on(&mut self, main: u32, event: impl for<'d> FnOnce(&'d D) -> CompanionEvent<'d>) {
        let used = self.use_protocol(main, |protocol, driver, out, sink| {
            protocol.companion(event(driver), out, sink);
        });
        if used.is_none() {
            return;
        }
        self.restart_idle_timer(main);
        self.after_reply(main, Alive::Yes);
    }

    pub(super) fn companion_opened(&mut self, index: u32, main: u32) {
        self.opened_as(index, Phase::Companion, false);
        self.pass_on(main, |_| CompanionEvent::Opened);
    }

    pub(super) fn companion_received(&mut self, index: u32, bytes: &ReceivedBytes) {
        let main = self.network.main_of(index);
        self.pass_on(main, |driver| CompanionEvent::Received(driver.bytes(bytes)));
    }

    /// The kernel has all that was handed over.
    pub(super) fn companion_delivered(&mut self, index: u32, main: u32) {
        if self.network.connections[main as usize].companion_body().is_some() {
            self.network.mark(index);
            self.restart_idle_timer(main);
        } else if self.network.connections[index as usize].out.is_empty() {
            self.pass_on(main, |_| CompanionEvent::Delivered);
        }
    }

    /// The server closed a companion, or it broke.
    pub(super) fn companion_ended(&mut self, index: u32, result: Result<(), SocketError>) {
        let main = self.network.main_of(index);
        self.close(index);
        self.pass_on(main, |_| CompanionEvent::Ended { is_whole: result.is_ok() });
    }

    /// Reads the next piece of a body that goes to a companion. Returns whether there is more.
    pub(super) fn pump_companion(&mut self, index: u32) -> bool {
        let Self { calls, network, prepared, .. } = self;
        let Role::Companion { main } = network.connections[index as usize].role else { return false };
        let Some((companion, main)) = network.connections.get2_mut(index as usize, main as usize) else {
            return false;
        };
        let Some(protocol) = &mut main.protocol else { return false };
        let Some(id) = protocol.companion_body() else { return false };
        let entry = &mut calls[id.0 as usize];
        let mut filling = Filling::body(prepared.request(&entry.request).body());
        let before = companion.out.len();
        protocol.pump(id, &mut filling, PUMP, &mut companion.out);
        entry.sent_bytes += (companion.out.len() - before) as u64;
        protocol.companion_body().is_some()
    }
}
