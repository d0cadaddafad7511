//! What falls due: timeouts in the order they were set, and pauses by their end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warwolf_clock::Timestamp;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Link {
    at: Timestamp,
    before: u32,
    after: u32,
}

/// Deadlines of one length, for things that have an index. Because the length is the same for all, they fall due in
/// the order they were set, and a list does what would otherwise need a heap.
pub(crate) struct Deadlines {
    links: Vec<Link>,
    first: u32,
    last: u32,
}

impl Deadlines {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { links: Vec::with_capacity(capacity), first: NONE, last: NONE }
    }

    /// Sets the deadline of `index`, which has none and is due no earlier than those before it.
    pub(crate) fn set(&mut self, index: u32, at: Timestamp) {
        let slot = index as usize;
        if slot >= self.links.len() {
            self.links.resize(slot + 1, Link { at: Timestamp::NEVER, before: NONE, after: NONE });
        }
        debug_assert!(!self.links[slot].at.is_reached(), "a deadline is set once");
        self.links[slot] = Link { at, before: self.last, after: NONE };
        match self.last {
            NONE => self.first = index,
            last => self.links[last as usize].after = index,
        }
        self.last = index;
    }

    /// Takes back the deadline of `index`, if it has one.
    pub(crate) fn clear(&mut self, index: u32) {
        let Some(link) = self.links.get_mut(index as usize).filter(|link| link.at.is_reached()) else {
            return;
        };
        let Link { before, after, .. } = *link;
        link.at = Timestamp::NEVER;
        match before {
            NONE => self.first = after,
            _ => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            _ => self.links[after as usize].before = before,
        }
    }

    /// When the earliest falls due.
    pub(crate) fn next(&self) -> Timestamp {
        if self.first == NONE { Timestamp::NEVER } else { self.links[self.first as usize].at }
    }

    /// Takes one that has fallen due by `now`.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Option<u32> {
        let index = self.first;
        if index == NONE || self.links[index as usize].at > now {
            return None;
        }
        self.clear(index);
        Some(index)
    }
}

/// Pauses of things that have an index, and an identity that no other ever has: what paused may be gone by the end.
pub(crate) struct Pauses(BinaryHeap<Reverse<Pause>>);

/// When it ends, and what pauses: its index and its identity.
pub(crate) type Pause = (Timestamp, u32, u64);

impl Pauses {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(BinaryHeap::with_capacity(capacity))
    }

    pub(crate) fn set(&mut self, index: u32, identity: u64, until: Timestamp) {
        self.0.push(Reverse((until, index, identity)));
    }

    pub(crate) fn next(&self) -> Timestamp {
        self.0.peek().map_or(Timestamp::NEVER, |Reverse((at, ..))| *at)
    }

    /// Takes one that has ended by `now`.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Option<Pause> {
        if self.next() > now {
            return None;
        }
        self.0.pop().map(|Reverse(due)| due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Timestamp {
        Timestamp::from_nanos(n)
    }

    #[test]
    fn deadlines_fall_due_in_order_and_can_be_taken_back() {
        let mut deadlines = Deadlines::with_capacity(4);
        for index in [3, 0, 2, 1] {
            deadlines.set(index, at(10 + u64::from(index != 3)));
        }
        deadlines.clear(0);
        deadlines.clear(0);
        assert_eq!(deadlines.take_due(at(9)), None);
        assert_eq!(deadlines.take_due(at(10)), Some(3));
        deadlines.clear(1);
        assert_eq!(deadlines.next(), at(11));
        assert_eq!(deadlines.take_due(at(11)), Some(2));
        assert_eq!(deadlines.take_due(at(11)), None);
        assert_eq!(deadlines.next(), Timestamp::NEVER);
        deadlines.set(2, at(12));
        assert_eq!(deadlines.take_due(at(12)), Some(2));
    }

    #[test]
    fn pauses_end_by_their_end() {
        let mut pauses = Pauses::with_capacity(2);
        pauses.set(7, 70, at(20));
        pauses.set(8, 80, at(10));
        assert_eq!(pauses.take_due(at(15)), Some((at(10), 8, 80)));
        assert_eq!(pauses.take_due(at(15)), None);
        assert_eq!(pauses.next(), at(20));
    }
}
