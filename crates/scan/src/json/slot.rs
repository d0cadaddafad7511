//! Memory of fixed size for a value.

/// A value, as much of it as there is room for.
#[derive(Debug)]
pub(crate) struct Slot {
    bytes: Vec<u8>,
    room: usize,
    length: u64,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    length: u64,
}

impl Slot {
    pub(crate) fn new(room: usize) -> Self {
        Self { bytes: Vec::with_capacity(room), room, length: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let room = self.room - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Counts bytes that are not given.
    pub(crate) const fn lengthen(&mut self, bytes: u64) {
        self.length += bytes;
    }

    pub(crate) const fn mark(&self) -> Mark {
        Mark { length: self.length }
    }

    pub(crate) fn restore(&mut self, mark: Mark) {
        self.length = mark.length;
        self.bytes.truncate(usize::try_from(mark.length).unwrap_or(usize::MAX));
    }

    /// What there was room for.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length of the whole value.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    pub(crate) const fn room(&self) -> usize {
        self.room
    }
}
