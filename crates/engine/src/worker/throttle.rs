//! The throttle: connections receive no faster than the plan allows.

use super::Worker;
use crate::timers::Timer;
use std::time::Duration;
use warwolf_driver::{Driver, SocketId};

impl<D: Driver> Worker<'_, D> {
    /// Pauses a connection for as long as the bytes it just received take at its rate. What the peer sends meanwhile stays in the
    /// buffers of the kernel and the peer. Idle time is not credited.
    pub(super) fn throttle(&mut self, index: u32, bytes: usize) {
        let Some(rate) = self.prepared.network.receive_rate else { return };
        if self.driver.pause(SocketId(index)) {
            // One wait may return two receives: the second pause begins where the first ends.
            let connection = &mut self.network.connections[index as usize];
            connection.busy = connection.busy.max(self.now) + time_for(bytes, rate);
            self.timers.set(Timer::Throttle, index, connection.busy);
        }
    }

    /// Resumes receiving, unless the connection is closed or its pause was extended.
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
