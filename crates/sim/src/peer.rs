//! The interface of the other end of a simulated connection.

use warwolf_clock::Timestamp;

/// The number of a connection, from 0 in the order of connecting. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// A simulated program that listens on an address. It receives events and returns actions with their times.
///
/// `now` is the time at the peer. [`Actions`] are executed at their times, in chronological order.
pub trait Peer: Send {
    /// A connection was accepted.
    fn opened(&mut self, connection: ConnectionId, now: Timestamp, actions: &mut Actions) {
        let _ = (connection, now, actions);
    }

    /// Bytes arrived; never empty.
    fn received(&mut self, connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions);

    /// The other side closed or reset the connection. This is the last event of the connection.
    fn ended(&mut self, connection: ConnectionId, was_reset: bool, now: Timestamp) {
        let _ = (connection, was_reset, now);
    }

    /// Bytes with this `tag` have been sent.
    fn left(&mut self, connection: ConnectionId, tag: u64, now: Timestamp) {
        let _ = (connection, tag, now);
    }

    /// Returns whether the peer reads; otherwise the buffer of the sender fills.
    fn is_reading(&self) -> bool {
        true
    }
}

/// The actions of a peer on a connection.
#[derive(Debug, Default)]
pub struct Actions {
    pub(crate) planned: Vec<(Timestamp, Act)>,
}

/// One action of a peer.
#[derive(Debug)]
pub(crate) enum Act {
    Send(Vec<u8>),
    Left(u64),
    End,
    Close,
    Reset,
}

impl Actions {
    /// Sends `bytes` at `at`.
    pub fn send(&mut self, at: Timestamp, bytes: Vec<u8>) {
        self.planned.push((at, Act::Send(bytes)));
    }

    /// Reports `tag` to [`Peer::left`] at `at`, if the connection is still open.
    pub fn report(&mut self, at: Timestamp, tag: u64) {
        self.planned.push((at, Act::Left(tag)));
    }

    /// Closes the sending side at `at`; reading continues.
    pub fn end(&mut self, at: Timestamp) {
        self.planned.push((at, Act::End));
    }

    /// Closes both sides at `at`; data that arrives later causes a reset.
    pub fn close(&mut self, at: Timestamp) {
        self.planned.push((at, Act::Close));
    }

    /// Resets the connection at `at`.
    pub fn reset(&mut self, at: Timestamp) {
        self.planned.push((at, Act::Reset));
    }
}
