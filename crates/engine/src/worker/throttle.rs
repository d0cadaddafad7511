//! Connections that receive no faster than the plan says.

use super::Worker;
use crate::timers::Timer;
use std::time::Duration;
use warwolf_driver::{Driver, SocketId};

impl<D: Driver> Worker<'_, D> {
    /// Lets a connection receive nothing for as long as what it just received takes by its rate. What the peer sends in the
    /// meantime waits with the kernel and the peer. Time in which nothing came earns nothing.
    pub(super) fn throttle(&mut self, index: u32, bytes: usize) {
        let Some(rate) = self.prepared.network.receive_rate else { return };
        if self.driver.pause(SocketId(index)) {
            // A wait may have brought two receives: the second has to wait for both.
            let connection = &mut self.network.connections[index as usize];
            connection.busy = connection.busy.max(self.now) + time_for(bytes, rate);
            self.timers.set(Timer::Throttle, index, connection.busy);
        }
    }

    /// A connection may receive again, unless it is gone, or has more to wait for.
    pub(super) fn receive_again(&mut self, index: u32) {
        if self.network.is_alive(index) && self.network.connections[index as usize].busy <= self.now {
            self.driver.receive(SocketId(index));
            self.restart_idle_timer(index);
        }
    }
}

/// How long `bytes` take at `rate` bytes a second.
fn time_for(bytes: usize, rate: u64) -> Duration {
    let nanos = bytes as u128 * 1_000_000_000 / u128::from(rate);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
