//! What is at the other end of a simulated connection.

use warwolf_clock::Timestamp;

/// A connection as the network numbers them, from 0 in the order of connecting. Never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// A program that listens at an address: it is told what arrives and says what it will do and when.
///
/// `now` is the moment at the peer. Whatever is asked for in [`Actions`] happens at its moment, in the order of moments.
pub trait Peer: Send {
    /// A connection was accepted.
    fn opened(&mut self, connection: ConnectionId, now: Timestamp, actions: &mut Actions) {
        let _ = (connection, now, actions);
    }

    /// Bytes arrived; never empty.
    fn received(&mut self, connection: ConnectionId, bytes: &[u8], now: Timestamp, actions: &mut Actions);

    /// The other side closed the connection, orderly or with a reset. It is the last word about this connection.
    fn ended(&mut self, connection: ConnectionId, was_reset: bool, now: Timestamp) {
        let _ = (connection, was_reset, now);
    }

    /// Bytes sent under `tag` have left.
    fn left(&mut self, connection: ConnectionId, tag: u64, now: Timestamp) {
        let _ = (connection, tag, now);
    }

    /// Whether it reads at all; one that does not lets the sender's buffer fill.
    fn is_reading(&self) -> bool {
        true
    }
}

/// What a peer will do on the connection it was told about.
#[derive(Debug, Default)]
pub struct Actions {
    pub(crate) planned: Vec<(Timestamp, Act)>,
}

/// One thing a peer does.
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

    /// Ends the sending side at `at`; reading goes on.
    pub fn end(&mut self, at: Timestamp) {
        self.planned.push((at, Act::End));
    }

    /// Closes both sides at `at`; what arrives later is answered with a reset.
    pub fn close(&mut self, at: Timestamp) {
        self.planned.push((at, Act::Close));
    }

    /// Resets the connection at `at`.
    pub fn reset(&mut self, at: Timestamp) {
        self.planned.push((at, Act::Reset));
    }
}
