//! Sends single requests as exact bytes, each on its own connection, and returns the complete responses.
//!
//! For fuzzing and crawling, where every response is inspected. The worker of the load generator is different: it reuses
//! connections, copies templates, and counts results instead of keeping bytes. Any number of exchanges run concurrently on one
//! [`Driver`], so that tests can use a simulated network in virtual time.
#![forbid(unsafe_code)]

mod flight;
mod interruptible;
mod message;
mod reply;

pub use interruptible::Interruptible;
pub use message::{Message, Step};
pub use reply::{BodyLimits, Reply};

use flight::{Action, Flight};
use std::time::Duration;
use std::{fmt, io};
use warwolf_clock::Timestamp;
use warwolf_driver::{Address, Completion, Driver, SocketError, SocketId, SocketOptions};
use warwolf_http::{TlsConfig, TlsFailure, Violation};

/// The server that requests are sent to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The address.
    pub address: Address,
    /// TLS configuration and server name; `None` for plain text.
    pub tls: Option<(TlsConfig, String)>,
}

/// Time limits of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection, including TLS.
    pub connect: Duration,
    /// For the next byte of a response, from the end of the request or from the previous byte.
    pub idle: Duration,
    /// For the complete response, from the end of the request.
    pub total: Duration,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The response is complete, or reached the length limit.
    Complete,
    /// No byte of a response arrived in time.
    NoResponse,
    /// A response began and did not continue.
    Stalled,
    /// The peer closed the connection before a response.
    Closed,
    /// The peer closed the connection in the middle of a response.
    ClosedMidReply,
    /// The peer reset the connection before a response.
    Reset,
    /// The peer reset the connection in the middle of a response.
    ResetMidReply,
    /// The received bytes are not a valid response.
    Malformed(Violation),
    /// TLS failed or was ended by an alert.
    Tls(TlsFailure),
    /// The connection was refused.
    Refused,
    /// The connection was not established in time.
    ConnectTimeout,
    /// A failure of this machine or of the network.
    Local(SocketError),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Complete => "complete response",
            Self::NoResponse => "no response in time",
            Self::Stalled => "incomplete response, then no data in time",
            Self::Closed => "connection closed before a response",
            Self::ClosedMidReply => "connection closed in the middle of a response",
            Self::Reset => "connection reset before a response",
            Self::ResetMidReply => "connection reset in the middle of a response",
            Self::Malformed(violation) => return write!(f, "malformed response: {violation}"),
            Self::Tls(failure) => return write!(f, "TLS failed: {failure}"),
            Self::Refused => "connection refused",
            Self::ConnectTimeout => "no connection in time",
            Self::Local(error) => return write!(f, "connection failed: {error:?}"),
        };
        f.write_str(text)
    }
}

/// A finished exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The number given to [`Exchanges::start`].
    pub tag: u64,
    /// When it was started.
    pub started: Timestamp,
    /// When the last byte of the request was passed to the kernel, or [`Timestamp::NEVER`].
    pub sent: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// How it ended.
    pub ending: Ending,
    /// The received part of the response.
    pub reply: Reply,
}

impl Exchange {
    /// Returns the time from start to end.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.finished.since(self.started)
    }
}

/// Concurrent exchanges, at most one per slot.
#[derive(Debug)]
pub struct Exchanges<D> {
    driver: D,
    flights: Vec<Option<Flight>>,
    free: Vec<u32>,
    completions: Vec<Completion>,
    limits: BodyLimits,
}

impl<D: Driver> Exchanges<D> {
    /// Creates `slots` free slots; the driver must have room for as many sockets.
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

    /// Returns the number of free slots.
    #[must_use]
    pub fn room(&self) -> usize {
        self.free.len()
    }

    /// Returns the number of exchanges in flight.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.driver.now()
    }

    /// Returns the tags of the exchanges in flight, in no particular order.
    #[must_use]
    pub fn tags(&self) -> Vec<u64> {
        self.flights.iter().flatten().map(Flight::tag).collect()
    }

    /// Starts an exchange; `tag` identifies it in the result.
    ///
    /// # Panics
    /// When no slot is free.
    pub fn start(&mut self, tag: u64, message: Message, target: &Target, timeouts: Timeouts) {
        let slot = self.free.pop().expect("an exchange starts only when a slot is free");
        let now = self.driver.now();
        let flight = Flight::new(tag, message, target, timeouts, self.limits, now);
        self.flights[slot as usize] = Some(flight);
        let options = SocketOptions { nodelay: true, ..SocketOptions::default() };
        self.driver.connect(SocketId(slot), &target.address, &options);
    }

    /// Waits for an event or until `until`, and appends finished exchanges to `done`.
    ///
    /// # Errors
    /// When waiting fails in the kernel.
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
                self.update(SocketId(slot as u32), done, |flight| flight.woken(now));
            }
        }
        Ok(())
    }

    /// Runs one exchange to its end. Other exchanges in flight continue; those that finish meanwhile are dropped.
    ///
    /// # Errors
    /// When waiting fails in the kernel.
    pub fn alone(&mut self, message: Message, target: &Target, timeouts: Timeouts) -> io::Result<Exchange> {
        const TAG: u64 = u64::MAX;
        self.start(TAG, message, target, timeouts);
        let mut done = Vec::new();
        loop {
            self.wait(Timestamp::NEVER, &mut done)?;
            if let Some(exchange) = done.drain(..).find(|exchange| exchange.tag == TAG) {
                return Ok(exchange);
            }
        }
    }

    /// Aborts all exchanges in flight without reporting them.
    pub fn cut(&mut self) {
        for slot in 0..self.flights.len() {
            if self.flights[slot].take().is_some() {
                self.driver.close(SocketId(slot as u32));
                self.free.push(slot as u32);
            }
        }
    }

    /// Waits until all exchanges are finished or `until`, then aborts the rest and returns their tags. Finished exchanges are
    /// appended to `done`.
    ///
    /// # Errors
    /// When waiting fails in the kernel.
    pub fn settle(&mut self, until: Timestamp, done: &mut Vec<Exchange>) -> io::Result<Vec<u64>> {
        while self.in_flight() > 0 && self.driver.now() < until {
            self.wait(until, done)?;
        }
        let rest = self.tags();
        self.cut();
        Ok(rest)
    }

    /// Waits for `time` and appends exchanges that finish meanwhile to `done`.
    ///
    /// # Errors
    /// When waiting fails in the kernel.
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
                self.update(socket, done, |flight| flight.connected(result, now));
            }
            Completion::Received { bytes, .. } => {
                let Some(flight) = &mut self.flights[socket.0 as usize] else { return };
                let next = flight.received(self.driver.bytes(&bytes), now);
                self.apply(socket, next, done);
            }
            Completion::Sent { result, .. } => self.update(socket, done, |flight| flight.sent(result, now)),
            Completion::Ended { result, .. } => self.update(socket, done, |flight| flight.ended(result)),
        }
    }

    fn update(
        &mut self,
        socket: SocketId,
        done: &mut Vec<Exchange>,
        then: impl FnOnce(&mut Flight) -> Action,
    ) {
        let Some(flight) = &mut self.flights[socket.0 as usize] else { return };
        let next = then(flight);
        self.apply(socket, next, done);
    }

    fn apply(&mut self, socket: SocketId, next: Action, done: &mut Vec<Exchange>) {
        match next {
            Action::Wait => {}
            Action::Send(bytes) => self.driver.send(socket, bytes),
            Action::Finish(ending) => {
                let Some(flight) = self.flights[socket.0 as usize].take() else { return };
                self.driver.close(socket);
                self.free.push(socket.0);
                done.push(flight.finish(ending, self.driver.now()));
            }
        }
    }
}

#[cfg(test)]
mod tests;
