//! What has been read from a connection and not yet used, and when which part of it came.
//!
//! Requests may be read while an earlier one is still being answered; the log must say when they came, not when their
//! turn was. So every read leaves a mark.

use std::collections::VecDeque;

/// Bytes read, with the times of the reads.
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    /// How much of `bytes` is used up.
    used: usize,
    /// Bytes used up since the connection began.
    total_used: u64,
    /// For each read: the offset since the connection began at which it ended, and when it returned.
    marks: VecDeque<(u64, u64)>,
}

impl Input {
    /// The bytes not yet used.
    pub(crate) fn unread(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    /// Whether so much waits here that the peer should be held back.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() - self.used >= FULL
    }

    /// Where the next read goes, with room for at least `room` bytes; [`Self::arrived`] must follow.
    pub(crate) fn room(&mut self, room: usize) -> &mut Vec<u8> {
        self.bytes.drain(..self.used);
        self.used = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > 8 * room {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(room);
        &mut self.bytes
    }

    /// A read ended at `now_ns`.
    pub(crate) fn arrived(&mut self, now_ns: u64) {
        let end = self.total_used + self.unread().len() as u64;
        self.marks.push_back((end, now_ns));
    }

    /// When the read returned that completed the next `length` bytes, or 0 when they are not here.
    pub(crate) fn arrival_of(&self, length: usize) -> u64 {
        let end = self.total_used + length as u64;
        self.marks.iter().find(|(mark, _)| *mark >= end).map_or(0, |(_, at_ns)| *at_ns)
    }

    /// The next `length` bytes are done with.
    pub(crate) fn consume(&mut self, length: usize) {
        self.used += length;
        self.total_used += length as u64;
        while self.marks.front().is_some_and(|(mark, _)| *mark <= self.total_used) {
            self.marks.pop_front();
        }
    }
}

const FULL: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &mut Input, bytes: &[u8], now_ns: u64) {
        input.room(1).extend_from_slice(bytes);
        input.arrived(now_ns);
    }

    #[test]
    fn a_request_arrived_when_its_last_byte_did() {
        let mut input = Input::default();
        read(&mut input, b"aab", 10);
        read(&mut input, b"bbc", 20);
        assert_eq!(input.arrival_of(2), 10);
        input.consume(2);
        assert_eq!(input.arrival_of(1), 10);
        assert_eq!(input.arrival_of(3), 20);
        input.consume(3);
        assert_eq!(input.unread(), b"c");
        read(&mut input, b"cc", 30);
        assert_eq!(input.unread(), b"ccc");
        assert_eq!(input.arrival_of(3), 30);
        input.consume(3);
        assert!(input.marks.is_empty());
    }

    #[test]
    fn a_large_buffer_is_given_back_once_it_is_used_up() {
        let mut input = Input::default();
        read(&mut input, &vec![0; FULL], 1);
        assert!(input.is_full());
        input.consume(FULL);
        assert!(!input.is_full());
        input.room(FULL);
        input.room(100);
        assert!(input.bytes.capacity() < 1000);
    }
}
