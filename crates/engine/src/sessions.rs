//! The active sessions of a worker, each in a slot.

use crate::call::{CallList, NONE};
use slab::Slab;
use std::ops::{Index, IndexMut};
use warwolf_clock::Timestamp;
use warwolf_http::TlsConfig;
use warwolf_workload::Session;

/// A session under way.
pub(crate) struct ActiveSession {
    pub(crate) session: Session,
    /// Its connection if it keeps one, or the first of its dedicated connections; else [`NONE`].
    pub(crate) connection: u32,
    /// Its other dedicated connections by slot.
    pub(crate) more: Vec<u32>,
    /// Calls that found no room on its dedicated connections.
    pub(crate) waiting: CallList,
    pub(crate) in_flight: u32,
    pub(crate) began: Timestamp,
    /// Its connection closed and the plan ends the session with it ([`OnClose::EndSession`](warwolf_plan::OnClose::EndSession)).
    pub(crate) orphaned: bool,
    /// Its own TLS configuration, if its connections resume only each other's TLS sessions.
    pub(crate) tls: Option<TlsConfig>,
}

impl ActiveSession {
    pub(crate) fn new(session: Session, began: Timestamp) -> Self {
        Self {
            session,
            connection: NONE,
            more: Vec::new(),
            waiting: CallList::EMPTY,
            in_flight: 0,
            began,
            orphaned: false,
            tls: None,
        }
    }
}

/// Slots for sessions, and when they were all taken.
pub(crate) struct Sessions {
    active: Slab<ActiveSession>,
    /// Slots.
    limit: usize,
    /// Arrivals due up to this moment found no slot.
    full_until: Timestamp,
    /// Orphaned sessions that have not ended.
    orphaned: Vec<u32>,
}

impl Sessions {
    /// Slots for `limit` sessions, with memory for the first `reserved`.
    pub(crate) fn new(limit: usize, reserved: usize) -> Self {
        Self {
            active: Slab::with_capacity(reserved),
            limit,
            full_until: Timestamp::ZERO,
            orphaned: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Whether all slots are taken.
    pub(crate) fn is_full(&self) -> bool {
        self.active.len() >= self.limit
    }

    /// Notes that arrivals due up to this moment find no slot.
    pub(crate) fn note_full(&mut self, until: Timestamp) {
        self.full_until = until;
    }

    /// Whether an arrival due at this moment found no slot then.
    pub(crate) fn held_back(&self, due: Timestamp) -> bool {
        due <= self.full_until && self.full_until > Timestamp::ZERO
    }

    /// Assigns a slot to a session.
    pub(crate) fn insert(&mut self, session: ActiveSession) -> u32 {
        self.active.insert(session) as u32
    }

    /// Frees a slot.
    pub(crate) fn remove(&mut self, index: u32) -> ActiveSession {
        self.active.remove(index as usize)
    }

    pub(crate) fn active(&self, index: u32) -> Option<&ActiveSession> {
        self.active.get(index as usize)
    }

    pub(crate) fn active_mut(&mut self, index: u32) -> Option<&mut ActiveSession> {
        self.active.get_mut(index as usize)
    }

    /// Active sessions by slot.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &ActiveSession)> {
        self.active.iter().map(|(index, session)| (index as u32, session))
    }

    /// Orphans a session: it makes no further call.
    pub(crate) fn orphan(&mut self, index: u32) {
        let session = &mut self.active[index as usize];
        session.orphaned = true;
        session.session.give_up();
        self.orphaned.push(index);
    }

    /// Takes the next orphaned session that has no call in flight, to be ended.
    pub(crate) fn take_orphaned(&mut self) -> Option<u32> {
        while let Some(index) = self.orphaned.pop() {
            if self.active(index).is_some_and(|session| session.orphaned && session.in_flight == 0) {
                return Some(index);
            }
        }
        None
    }
}

impl Index<usize> for Sessions {
    type Output = ActiveSession;

    #[inline]
    fn index(&self, index: usize) -> &ActiveSession {
        &self.active[index]
    }
}

impl IndexMut<usize> for Sessions {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut ActiveSession {
        &mut self.active[index]
    }
}
