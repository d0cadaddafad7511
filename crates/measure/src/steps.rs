//! Counts of groups and checks, which only runs with steps have.

use crate::{Digits, Distribution};

/// Maximum number of groups that a run counts.
pub const MAX_GROUPS: usize = 64;

/// Maximum number of checks that a run counts.
pub const MAX_CHECKS: usize = 256;

/// What was counted about one group of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTally {
    /// Passes of sessions through all steps of the group in which no step failed.
    pub completed: u64,
    /// Passes in which a step failed.
    pub failed: u64,
    /// From the intended time of the first request to the end of the last, of completed passes, coarsely.
    pub wall: Distribution,
    /// Sum of the latencies of the requests, of completed passes, coarsely.
    pub requests: Distribution,
}

impl Default for GroupTally {
    fn default() -> Self {
        let empty = || Distribution::new(Digits::Coarse);
        Self { completed: 0, failed: 0, wall: empty(), requests: empty() }
    }
}

impl GroupTally {
    pub(crate) fn reserved() -> Self {
        let mut group = Self::default();
        group.wall.reserve();
        group.requests.reserve();
        group
    }

    pub(crate) fn add(&mut self, wall_ns: u64, requests_ns: u64, failed: bool) {
        if failed {
            self.failed += 1;
        } else {
            self.completed += 1;
            self.wall.record(wall_ns);
            self.requests.record(requests_ns);
        }
    }
}

impl Entry for GroupTally {
    fn is_empty(&self) -> bool {
        self.completed + self.failed == 0
    }

    fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.wall.merge(&other.wall);
        self.requests.merge(&other.requests);
    }

    fn clear(&mut self) {
        (self.completed, self.failed) = (0, 0);
        self.wall.clear();
        self.requests.clear();
    }
}

/// The results of one check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckTally {
    /// Replies that passed.
    pub passed: u64,
    /// Replies that did not.
    pub failed: u64,
}

impl Entry for CheckTally {
    fn is_empty(&self) -> bool {
        self.passed + self.failed == 0
    }

    fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Counts that add up and can be cleared.
pub(crate) trait Entry: Default {
    fn is_empty(&self) -> bool;
    fn merge(&mut self, other: &Self);
    fn clear(&mut self);
}

/// Counts by index, at most `MAX`. Grows when a tally without reserved memory counts.
#[derive(Clone, Debug)]
pub(crate) struct Entries<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> Default for Entries<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Entries that are missing and entries in which nothing was counted are equal.
impl<T: Entry + PartialEq, const MAX: usize> PartialEq for Entries<T, MAX> {
    fn eq(&self, other: &Self) -> bool {
        let filled = |entries: &Self| entries.0.iter().filter(|entry| !entry.is_empty()).count();
        let same =
            self.iter().zip(other.iter()).all(|(mine, theirs)| mine.0 == theirs.0 && mine.1 == theirs.1);
        filled(self) == filled(other) && same
    }
}

impl<T: Entry + Eq, const MAX: usize> Eq for Entries<T, MAX> {}

impl<T: Entry, const MAX: usize> Entries<T, MAX> {
    pub(crate) fn reserved(count: usize, entry: impl Fn() -> T) -> Self {
        Self((0..count.min(MAX)).map(|_| entry()).collect())
    }

    /// Returns the entry with this index; none beyond `MAX`.
    #[inline]
    pub(crate) fn entry(&mut self, index: u16) -> Option<&mut T> {
        let index = usize::from(index);
        if index >= self.0.len() {
            if index >= MAX {
                return None;
            }
            self.0.resize_with(index + 1, T::default);
        }
        self.0.get_mut(index)
    }

    /// Returns the entries in which something was counted, with their indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, &T)> {
        (0..).zip(&self.0).filter(|(_, entry)| !entry.is_empty())
    }

    pub(crate) fn get(&self, index: u16) -> Option<&T> {
        self.0.get(usize::from(index))
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (index, theirs) in other.iter() {
            if let Some(mine) = self.entry(index) {
                mine.merge(theirs);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().filter(|entry| !entry.is_empty()).for_each(T::clear);
    }
}
