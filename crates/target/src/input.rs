//! Buffered input of a connection, with the time of each read.
//!
//! A request may be read while the response to an earlier one is pending. The log must contain its arrival, not the start of its
//! processing, so the time of every read is kept.

use std::collections::VecDeque;

/// Input bytes, with the times of the reads.
#[derive(Debug, Default)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    /// Consumed bytes at the start of `bytes`.
    used: usize,
    /// Consumed bytes since the start of the connection.
    total_used: u64,
    /// For each read: the offset of its end since the start of the connection, and when it returned.
    marks: VecDeque<(u64, u64)>,
}

impl Input {
    /// Returns the bytes that are not consumed yet.
    pub(crate) fn unread(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    /// Returns whether reading should pause, because too many bytes are buffered.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() - self.used >= FULL
    }

    /// Returns the buffer for the next read, with room for at least `room` bytes; [`Self::arrived`] must be called next.
    pub(crate) fn room(&mut self, room: usize) -> &mut Vec<u8> {
        self.bytes.drain(..self.used);
        self.used = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > 8 * room {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(room);
        &mut self.bytes
    }

    /// Records a read that ended at `now_ns`.
    pub(crate) fn arrived(&mut self, now_ns: u64) {
        let end = self.total_used + self.unread().len() as u64;
        self.marks.push_back((end, now_ns));
    }

    /// Returns when the read that completed the next `length` bytes returned, or 0 if they are incomplete.
    pub(crate) fn arrival_of(&self, length: usize) -> u64 {
        let end = self.total_used + length as u64;
        self.marks.iter().find(|(mark, _)| *mark >= end).map_or(0, |(_, at_ns)| *at_ns)
    }

    /// Consumes the next `length` bytes.
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
    fn the_last_byte_determines_the_arrival() {
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
    fn a_large_buffer_is_freed_when_it_is_consumed() {
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
