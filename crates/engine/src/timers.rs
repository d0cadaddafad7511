//! All timers of a worker in one table.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use warwolf_clock::Timestamp;

/// Entries of a queue beyond twice the timers that are set. With more, those that were cleared are dropped.
const SPARE_ENTRIES: usize = 64;

/// What a timer is for. Its index is the number of a call, a connection or a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// A call's deadline.
    Call,
    /// Limit for opening a connection, including TLS unless that has its own limit.
    Connect,
    /// Limit for a TLS handshake.
    Handshake,
    /// Limit for the kernel to take the buffer of a connection.
    Send,
    /// The idle timer of a connection.
    Idle,
    /// Limit for the reply of a call to begin, then to be complete.
    Reply,
    /// A timer of the protocol of a connection.
    Protocol,
    /// The end of a session's pause.
    Pause,
    /// A throttled connection may receive again.
    Throttle,
    /// A call whose connection could not be opened is sent again.
    Retry,
}

const KINDS: [Timer; 10] = [
    Timer::Call,
    Timer::Connect,
    Timer::Handshake,
    Timer::Send,
    Timer::Idle,
    Timer::Reply,
    Timer::Protocol,
    Timer::Pause,
    Timer::Throttle,
    Timer::Retry,
];

/// A timer that went off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) timer: Timer,
    pub(crate) index: u32,
    /// When it was set to go off.
    pub(crate) at: Timestamp,
}

/// At most one timer of each kind for each index.
///
/// Timers set in the order in which they go off, such as timers of equal length, take constant time.
pub(crate) struct Timers {
    queues: [Queue; KINDS.len()],
    /// A time before which none of a queue goes off. It may be too early when the earliest was cleared; looking for the next
    /// one each time would cost more than waking up in vain once.
    next: [Timestamp; KINDS.len()],
}

impl Timers {
    /// Reserves memory for `sessions` sessions with a call and a connection each.
    pub(crate) fn with_capacity(sessions: usize) -> Self {
        let reserved = |timer| match timer {
            Timer::Call | Timer::Connect | Timer::Pause => sessions,
            _ => 0,
        };
        Self {
            queues: KINDS.map(|timer| Queue::with_capacity(reserved(timer))),
            next: [Timestamp::NEVER; KINDS.len()],
        }
    }

    /// Sets a timer, in place of the one that is set.
    #[inline]
    pub(crate) fn set(&mut self, timer: Timer, index: u32, at: Timestamp) {
        self.queues[timer as usize].set(index, at);
        let next = &mut self.next[timer as usize];
        *next = (*next).min(at);
    }

    /// Clears a timer, if it is set.
    #[inline]
    pub(crate) fn clear(&mut self, timer: Timer, index: u32) {
        self.queues[timer as usize].clear(index);
    }

    /// When a timer goes off; [`Timestamp::NEVER`] when it is not set.
    pub(crate) fn at(&self, timer: Timer, index: u32) -> Timestamp {
        self.queues[timer as usize].at(index)
    }

    /// A time before which none goes off, and at which [`Self::take_due`] is to be asked.
    pub(crate) fn next(&self) -> Timestamp {
        self.next.into_iter().fold(Timestamp::NEVER, Timestamp::min)
    }

    /// Removes and returns a timer that has gone off by `now`, in the order of the kinds.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Option<Due> {
        loop {
            let kind = self.next.iter().position(|next| *next <= now)?;
            let queue = &mut self.queues[kind];
            let due = queue.take_due(now);
            self.next[kind] = queue.first().map_or(Timestamp::NEVER, |first| first.at);
            if let Some(Entry { at, index }) = due {
                return Some(Due { timer: KINDS[kind], index, at });
            }
        }
    }
}

/// A timer as it was set. It is void once the timer was cleared or set to another time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Timestamp,
    index: u32,
}

/// Timers of one kind: a line of those that were set in the order of their times, and a heap of the others.
///
/// Clearing a timer leaves its entry, which is dropped when it comes to the front or when void entries are too many: nearly
/// every call ends long before its deadline, and taking its entry out of the middle costs several times as much.
struct Queue {
    /// When the timer of each index goes off; [`Timestamp::NEVER`] where it is not set.
    times: Vec<Timestamp>,
    line: VecDeque<Entry>,
    /// The time of the last in the line.
    latest: Timestamp,
    heap: BinaryHeap<Reverse<Entry>>,
    /// With so many entries, void ones are dropped.
    full: usize,
}

impl Queue {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            times: Vec::with_capacity(capacity),
            line: VecDeque::with_capacity(if capacity > 0 { 2 * capacity + SPARE_ENTRIES } else { 0 }),
            latest: Timestamp::ZERO,
            heap: BinaryHeap::new(),
            full: SPARE_ENTRIES,
        }
    }

    fn at(&self, index: u32) -> Timestamp {
        self.times.get(index as usize).copied().unwrap_or(Timestamp::NEVER)
    }

    #[inline]
    fn set(&mut self, index: u32, at: Timestamp) {
        match self.times.get_mut(index as usize) {
            Some(time) if *time == at => return,
            Some(time) => *time = at,
            None => self.grow(index, at),
        }
        let entry = Entry { at, index };
        if self.line.len() + self.heap.len() >= self.full {
            self.drop_void();
        }
        if self.latest <= at {
            self.latest = at;
            self.line.push_back(entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }

    #[cold]
    fn grow(&mut self, index: u32, at: Timestamp) {
        self.times.resize(index as usize + 1, Timestamp::NEVER);
        self.times[index as usize] = at;
    }

    #[inline]
    fn clear(&mut self, index: u32) {
        if let Some(time) = self.times.get_mut(index as usize) {
            *time = Timestamp::NEVER;
        }
    }

    /// Drops void entries.
    #[cold]
    fn drop_void(&mut self) {
        let Self { times, line, latest, heap, full } = self;
        let is_set = |entry: &Entry| times[entry.index as usize] == entry.at;
        line.retain(is_set);
        heap.retain(|Reverse(entry)| is_set(entry));
        *latest = line.back().map_or(Timestamp::ZERO, |last| last.at);
        *full = 2 * (line.len() + heap.len()) + SPARE_ENTRIES;
    }

    /// The earliest; the one that was set in order where both are due at once.
    fn first(&mut self) -> Option<Entry> {
        let Self { times, line, latest, heap, .. } = self;
        let is_void = |entry: &Entry| times[entry.index as usize] != entry.at;
        while line.front().is_some_and(is_void) {
            line.pop_front();
        }
        if line.is_empty() {
            *latest = Timestamp::ZERO;
        }
        while heap.peek().is_some_and(|Reverse(entry)| is_void(entry)) {
            heap.pop();
        }
        match (line.front(), heap.peek()) {
            (Some(in_line), Some(Reverse(in_heap))) if in_heap.at < in_line.at => Some(*in_heap),
            (in_line, in_heap) => in_line.or(in_heap.map(|Reverse(entry)| entry)).copied(),
        }
    }

    /// Clears the earliest timer and returns it if it has gone off by `now`.
    fn take_due(&mut self, now: Timestamp) -> Option<Entry> {
        let due = self.first().filter(|first| first.at <= now)?;
        self.clear(due.index);
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Timestamp {
        Timestamp::from_nanos(n)
    }

    fn due(timer: Timer, index: u32, n: u64) -> Option<Due> {
        Some(Due { timer, index, at: at(n) })
    }

    #[test]
    fn timers_go_off_in_order_and_can_be_cleared() {
        let mut timers = Timers::with_capacity(4);
        for index in [3, 0, 2, 1] {
            timers.set(Timer::Call, index, at(10 + u64::from(index != 3)));
        }
        timers.clear(Timer::Call, 0);
        timers.clear(Timer::Call, 0);
        assert_eq!(timers.take_due(at(9)), None);
        assert_eq!(timers.take_due(at(10)), due(Timer::Call, 3, 10));
        timers.clear(Timer::Call, 1);
        assert_eq!((timers.next(), timers.at(Timer::Call, 2)), (at(11), at(11)));
        assert_eq!(timers.take_due(at(11)), due(Timer::Call, 2, 11));
        assert_eq!(timers.take_due(at(11)), None);
        assert_eq!(timers.next(), Timestamp::NEVER);
        timers.set(Timer::Call, 2, at(12));
        timers.set(Timer::Call, 2, at(13));
        assert_eq!(timers.take_due(at(12)), None);
        assert_eq!(timers.take_due(at(13)), due(Timer::Call, 2, 13));
    }

    #[test]
    fn kinds_are_apart_and_taken_in_order() {
        let mut timers = Timers::with_capacity(0);
        timers.set(Timer::Retry, 1, at(1));
        timers.set(Timer::Pause, 1, at(2));
        timers.set(Timer::Connect, 1, at(3));
        timers.clear(Timer::Send, 1);
        assert_eq!(timers.next(), at(1));
        assert_eq!(timers.take_due(at(2)), due(Timer::Pause, 1, 2));
        assert_eq!(timers.take_due(at(5)), due(Timer::Connect, 1, 3));
        assert_eq!(timers.take_due(at(5)), due(Timer::Retry, 1, 1));
    }

    #[test]
    fn times_in_any_order_are_kept_as_a_sorted_list_would_keep_them() {
        let mut timers = Timers::with_capacity(0);
        let mut expected: Vec<(u64, u32)> = Vec::new();
        let mut state = 1_u64;
        for step in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (index, time) = ((state >> 33) as u32 % 97, step + (state >> 40) % 500);
            expected.retain(|(_, other)| *other != index);
            if state >> 62 == 0 {
                timers.clear(Timer::Pause, index);
            } else {
                timers.set(Timer::Pause, index, at(time));
                expected.push((time, index));
            }
            expected.sort_unstable();
            // Too early where the earliest was cleared, never too late; and right once it has been asked for.
            let first =
                |expected: &[(u64, u32)]| expected.first().map_or(Timestamp::NEVER, |(time, _)| at(*time));
            assert!(timers.next() <= first(&expected));
            while let Some(found) = timers.take_due(at(step)) {
                assert_eq!(found.at.as_nanos(), expected[0].0);
                expected.retain(|(_, index)| *index != found.index);
            }
            assert!(expected.first().is_none_or(|(time, _)| *time > step));
            assert!(timers.next() > at(step));
        }
    }
}
