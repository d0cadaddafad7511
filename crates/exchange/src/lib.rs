//! One request as exact bytes, on a connection of its own, and all that came back.
//!
//! For programs that ask a server single questions and look at each answer: fuzzing and crawling. The load generator's
//! worker is another thing: it keeps connections, sends what templates say, and sees counters where this sees bytes. Any
//! number of exchanges run at once on one [`Driver`], so that tests run on a simulated network in virtual time.
#![forbid(unsafe_code)]

mod flight;
mod message;
mod reply;

pub use message::{Message, Step};
pub use reply::{BodyLimits, Reply};

use flight::{Flight, Next};
use std::io;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_driver::{Address, Completion, Driver, SocketError, SocketId, SocketOptions};
use warwolf_http::{TlsConfig, TlsFailure, Violation};

/// Where requests go.
#[derive(Clone, Debug)]
pub struct Place {
    /// The address.
    pub address: Address,
    /// How TLS is spoken, and the server's name; none for plain text.
    pub tls: Option<(TlsConfig, String)>,
}

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the connection, TLS included.
    pub connect: Duration,
    /// For the next byte of a reply: from when the request was sent, or the byte before came.
    pub silence: Duration,
    /// For the whole reply, from when the request was sent.
    pub whole: Duration,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a whole reply, or with as much of it as was to be waited for.
    Complete,
    /// No byte of a reply came, and patience ended.
    Silent,
    /// A reply began and did not go on.
    Stalled,
    /// The peer closed before it said anything.
    Closed,
    /// The peer closed in the middle of a reply.
    ClosedMidReply,
    /// The peer reset the connection before it said anything.
    Reset,
    /// The peer reset the connection in the middle of a reply.
    ResetMidReply,
    /// What came is no reply.
    Malformed(Violation),
    /// TLS failed, or was ended by an alert.
    Tls(TlsFailure),
    /// Nobody listens.
    Refused,
    /// No connection came about in time.
    NotConnected,
    /// This machine, or the way to the other, failed.
    Local(SocketError),
}

/// An exchange that is over.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The number it was started under.
    pub tag: u64,
    /// When it was started.
    pub started: Timestamp,
    /// When the last byte of the request was handed to the kernel; never when it was not.
    pub sent: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// How.
    pub ending: Ending,
    /// What came.
    pub reply: Reply,
}

impl Exchange {
    /// From its start to its end.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.finished.since(self.started)
    }
}

/// Exchanges under way with one place after the other, at most as many as there are slots.
#[derive(Debug)]
pub struct Exchanges<D> {
    driver: D,
    flights: Vec<Option<Flight>>,
    free: Vec<u32>,
    completions: Vec<Completion>,
    limits: BodyLimits,
}

impl<D: Driver> Exchanges<D> {
    /// Nothing under way, room for `slots`; the driver must have room for as many sockets.
    #[must_use]
    pub fn new(driver: D, slots: u32, limits: BodyLimits) -> Self {
        Self {
            driver,
            flights: (0..slots).map(|_| None).collect(),
            free: (0..slots).rev().collect(),
            completions: Vec::new(),
            limits,
        }
    }

    /// How many more may start now.
    #[must_use]
    pub fn room(&self) -> usize {
        self.free.len()
    }

    /// How many are under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.driver.now()
    }

    /// The numbers of those under way, in no order.
    #[must_use]
    pub fn tags(&self) -> Vec<u64> {
        self.flights.iter().flatten().map(Flight::tag).collect()
    }

    /// Starts one under the number `tag`, which comes back with it.
    ///
    /// # Panics
    /// When there is no room.
    pub fn start(&mut self, tag: u64, message: Message, place: &Place, patience: Patience) {
        let slot = self.free.pop().expect("an exchange starts only where there is room");
        let now = self.driver.now();
        let flight = Flight::new(tag, message, place, patience, self.limits, now);
        self.flights[slot as usize] = Some(flight);
        let options = SocketOptions { nodelay: true, ..SocketOptions::default() };
        self.driver.connect(SocketId(slot), &place.address, &options);
    }

    /// Waits until something happened or `until` has come; what is over is added to `done`.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn wait(&mut self, until: Timestamp, done: &mut Vec<Exchange>) -> io::Result<()> {
        let wake =
            self.flights.iter().flatten().map(Flight::wake).min().unwrap_or(Timestamp::NEVER).min(until);
        let mut completions = std::mem::take(&mut self.completions);
        self.driver.wait(wake, &mut completions)?;
        for completion in completions.drain(..) {
            self.complete(completion, done);
        }
        self.completions = completions;
        let now = self.driver.now();
        for slot in 0..self.flights.len() {
            if self.flights[slot].as_ref().is_some_and(|flight| flight.wake() <= now) {
                self.carry_on(SocketId(slot as u32), done, |flight| flight.woken(now));
            }
        }
        Ok(())
    }

    /// Does one exchange and nothing else; what was under way goes on meanwhile and is lost when it ends.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn alone(&mut self, message: Message, place: &Place, patience: Patience) -> io::Result<Exchange> {
        const TAG: u64 = u64::MAX;
        self.start(TAG, message, place, patience);
        let mut done = Vec::new();
        loop {
            self.wait(Timestamp::NEVER, &mut done)?;
            if let Some(exchange) = done.drain(..).find(|exchange| exchange.tag == TAG) {
                return Ok(exchange);
            }
        }
    }

    /// Ends everything under way without a word; nothing is told about it.
    pub fn cut(&mut self) {
        for slot in 0..self.flights.len() {
            if self.flights[slot].take().is_some() {
                self.driver.close(SocketId(slot as u32));
                self.free.push(slot as u32);
            }
        }
    }

    /// Waits until nothing is under way or `until` has come, then ends the rest, whose numbers are returned; what is over is
    /// added to `done`.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn settle(&mut self, until: Timestamp, done: &mut Vec<Exchange>) -> io::Result<Vec<u64>> {
        while self.under_way() > 0 && self.driver.now() < until {
            self.wait(until, done)?;
        }
        let rest = self.tags();
        self.cut();
        Ok(rest)
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn pause(&mut self, time: Duration, done: &mut Vec<Exchange>) -> io::Result<()> {
        let until = self.driver.now() + time;
        while self.driver.now() < until {
            self.wait(until, done)?;
        }
        Ok(())
    }

    fn complete(&mut self, completion: Completion, done: &mut Vec<Exchange>) {
        let socket = completion.socket();
        let now = self.driver.now();
        match completion {
            Completion::Connected { result, .. } => {
                if result.is_ok() {
                    self.driver.receive(socket);
                }
                self.carry_on(socket, done, |flight| flight.connected(result, now));
            }
            Completion::Received { bytes, .. } => {
                let Some(flight) = &mut self.flights[socket.0 as usize] else { return };
                let next = flight.received(self.driver.bytes(&bytes), now);
                self.follow(socket, next, done);
            }
            Completion::Sent { result, .. } => self.carry_on(socket, done, |flight| flight.sent(result, now)),
            Completion::Ended { result, .. } => self.carry_on(socket, done, |flight| flight.ended(result)),
        }
    }

    fn carry_on(
        &mut self,
        socket: SocketId,
        done: &mut Vec<Exchange>,
        then: impl FnOnce(&mut Flight) -> Next,
    ) {
        let Some(flight) = &mut self.flights[socket.0 as usize] else { return };
        let next = then(flight);
        self.follow(socket, next, done);
    }

    fn follow(&mut self, socket: SocketId, next: Next, done: &mut Vec<Exchange>) {
        match next {
            Next::Wait => {}
            Next::Send(bytes) => self.driver.send(socket, bytes),
            Next::Over(ending) => {
                let Some(flight) = self.flights[socket.0 as usize].take() else { return };
                self.driver.close(socket);
                self.free.push(socket.0);
                done.push(flight.over(ending, self.driver.now()));
            }
        }
    }
}

#[cfg(test)]
mod tests;
