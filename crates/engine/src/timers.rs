//! All timers of a worker in one table.

use warwolf_clock::Timestamp;

const NONE: u32 = u32::MAX;
/// Takes the place of [`Link::after`] in timers that are in the heap.
const IN_HEAP: u32 = u32::MAX - 1;

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
        let queue = &mut self.queues[timer as usize];
        queue.clear(index);
        queue.set(index, at);
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
            let due = queue.first().filter(|(_, at)| *at <= now);
            if let Some((index, _)) = due {
                queue.clear(index);
            }
            self.next[kind] = queue.next();
            if let Some((index, at)) = due {
                return Some(Due { timer: KINDS[kind], index, at });
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Link {
    at: Timestamp,
    /// The one before it in the list, or its position in the heap.
    before: u32,
    after: u32,
}

const UNSET: Link = Link { at: Timestamp::NEVER, before: NONE, after: NONE };

/// Timers of one kind: a list of those that were set in the order of their times, and a heap of the others.
struct Queue {
    links: Vec<Link>,
    first: u32,
    last: u32,
    heap: Vec<u32>,
}

impl Queue {
    fn with_capacity(capacity: usize) -> Self {
        Self { links: Vec::with_capacity(capacity), first: NONE, last: NONE, heap: Vec::new() }
    }

    fn at(&self, index: u32) -> Timestamp {
        self.links.get(index as usize).map_or(Timestamp::NEVER, |link| link.at)
    }

    fn set(&mut self, index: u32, at: Timestamp) {
        if index as usize >= self.links.len() {
            self.links.resize(index as usize + 1, UNSET);
        }
        if self.last != NONE && self.links[self.last as usize].at > at {
            self.links[index as usize].at = at;
            self.heap.push(index);
            self.sift_up(self.heap.len() - 1);
            return;
        }
        self.links[index as usize] = Link { at, before: self.last, after: NONE };
        match self.last {
            NONE => self.first = index,
            last => self.links[last as usize].after = index,
        }
        self.last = index;
    }

    fn clear(&mut self, index: u32) {
        let Some(link) = self.links.get_mut(index as usize).filter(|link| link.at.is_reached()) else {
            return;
        };
        let Link { before, after, .. } = std::mem::replace(link, UNSET);
        if after == IN_HEAP {
            self.remove_from_heap(before as usize);
            return;
        }
        match before {
            NONE => self.first = after,
            _ => self.links[before as usize].after = after,
        }
        match after {
            NONE => self.last = before,
            _ => self.links[after as usize].before = before,
        }
    }

    /// The earliest and its time; the one that was set in order where both are due at once.
    fn first(&self) -> Option<(u32, Timestamp)> {
        let listed = (self.first != NONE).then_some(self.first);
        let index = match (listed, self.heap.first().copied()) {
            (Some(listed), Some(heaped)) if self.at(heaped) < self.at(listed) => heaped,
            (listed, heaped) => listed.or(heaped)?,
        };
        Some((index, self.at(index)))
    }

    fn next(&self) -> Timestamp {
        self.first().map_or(Timestamp::NEVER, |(_, at)| at)
    }

    fn remove_from_heap(&mut self, position: usize) {
        self.heap.swap_remove(position);
        if position < self.heap.len() {
            self.sift_down(position);
            self.sift_up(position);
        }
    }

    fn sift_up(&mut self, mut position: usize) {
        while position > 0 {
            let parent = (position - 1) / 2;
            if self.at(self.heap[parent]) <= self.at(self.heap[position]) {
                break;
            }
            self.heap.swap(parent, position);
            self.placed(position);
            position = parent;
        }
        self.placed(position);
    }

    fn sift_down(&mut self, mut position: usize) {
        loop {
            let children = [2 * position + 1, 2 * position + 2].into_iter().filter(|c| *c < self.heap.len());
            let Some(child) = children.min_by_key(|child| self.at(self.heap[*child])) else { break };
            if self.at(self.heap[position]) <= self.at(self.heap[child]) {
                break;
            }
            self.heap.swap(position, child);
            self.placed(position);
            position = child;
        }
        self.placed(position);
    }

    /// Notes where in the heap a timer stands.
    fn placed(&mut self, position: usize) {
        let link = &mut self.links[self.heap[position] as usize];
        (link.before, link.after) = (position as u32, IN_HEAP);
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
