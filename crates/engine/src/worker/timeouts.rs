//! What happens when a timer goes off.

use super::Worker;
use crate::call::{Call, NONE};
use crate::connection::Phase;
use crate::sink::{Ended, Ending};
use crate::timers::{Due, Timer};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::Driver;
use warwolf_http::{Alive, CallId};
use warwolf_measure::Outcome;

impl<D: Driver> Worker<'_, D> {
    /// Ends what has lasted too long, and pauses that are over.
    pub(super) fn expire(&mut self) {
        while let Some(due) = self.timers.take_due(self.now) {
            self.handle(|worker| worker.go_off(due));
        }
    }

    fn go_off(&mut self, Due { timer, index, at }: Due) {
        match timer {
            Timer::Call | Timer::Reply => self.give_up(index, at),
            Timer::Connect | Timer::Handshake | Timer::Send | Timer::Idle => self.cut_off(index, timer),
            Timer::Protocol => self.wake(index),
            Timer::Pause => self.advance(index, at),
            Timer::Throttle => self.receive_again(index),
            Timer::Retry => {
                self.find_connection(index);
            }
        }
    }

    /// Ends a connection that has taken too long to open, to send, or to receive anything.
    fn cut_off(&mut self, index: u32, timer: Timer) {
        match (self.network.connections[index as usize].phase, timer) {
            (Phase::Ready, Timer::Idle) => self.time_out_all(index),
            (Phase::Ready | Phase::Companion, _) => self.break_off(index, Outcome::ResponseTimeout),
            (Phase::Handshake, _) | (_, Timer::Handshake | Timer::Send) => {
                self.fail(index, Outcome::TlsTimeout);
            }
            _ => self.fail(index, Outcome::ConnectTimeout),
        }
    }

    /// Ends a connection on which nothing was received for too long. Every call on it times out; none is sent again.
    fn time_out_all(&mut self, index: u32) {
        let Self { network, ended, now, .. } = self;
        let connection = &mut network.connections[index as usize];
        connection.why = Some(Outcome::ResponseTimeout);
        connection.drain(|call| ended.push(Ended { call, ending: Ending::TimedOut(*now) }));
        self.close(index);
    }

    /// Gives up a call that takes too long, and its connection with it where the protocol requires that.
    fn give_up(&mut self, index: u32, deadline: Timestamp) {
        let Call { session, connection, .. } = self.calls[index as usize];
        if connection == NONE {
            self.network.pool.forget(index);
            self.sessions[session as usize].waiting.remove(&mut self.calls, index);
            self.record(index, deadline, Outcome::ConnectTimeout, Duration::ZERO);
            return;
        }
        let carrier = &mut self.network.connections[connection as usize];
        let outcome = match carrier.phase {
            Phase::Ready => {
                match self.abandon(index, connection) {
                    Alive::Yes => self.after_reply(connection, Alive::Yes),
                    Alive::No => self.sever(connection),
                }
                Outcome::ResponseTimeout
            }
            phase => {
                let outcome =
                    if phase == Phase::Handshake { Outcome::TlsTimeout } else { Outcome::ConnectTimeout };
                carrier.waiting.remove(&mut self.calls, index);
                if carrier.waiting.is_empty() {
                    self.fail(connection, outcome);
                }
                outcome
            }
        };
        self.record(index, deadline, outcome, Duration::ZERO);
    }

    /// Abandons a call on its protocol.
    fn abandon(&mut self, call: u32, connection: u32) -> Alive {
        self.use_protocol(connection, |protocol, _, out, _| protocol.abandon(CallId(call), out))
            .unwrap_or(Alive::No)
    }

    /// Closes a connection that did not survive a call that was given up. Calls on it that are due as well time out with it;
    /// the others are sent again where the plan allows it, or end as abandoned.
    fn sever(&mut self, index: u32) {
        let Self { network, calls, ended, timers, now, .. } = self;
        let connection = &mut network.connections[index as usize];
        connection.why = Some(Outcome::ResponseTimeout);
        connection.drain(|call| {
            let deadline = timers.at(Timer::Call, call).min(timers.at(Timer::Reply, call));
            let begun = calls[call as usize].first_byte.is_reached();
            let ending = if deadline <= *now {
                Ending::TimedOut(deadline)
            } else {
                Ending::Broken { outcome: Outcome::Abandoned, begun }
            };
            ended.push(Ended { call, ending });
        });
        self.close(index);
    }
}
