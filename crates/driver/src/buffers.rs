//! Receive buffers that the kernel fills.
//!
//! All sockets of one io_uring share a ring of buffers, so that an idle connection occupies no receive memory. If the kernel
//! supports it, each buffer is filled incrementally by several receives, which packs small responses tightly. Used by `uring`
//! only.

use std::io;
use std::mem::size_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::types::BufRingEntry;
use io_uring::{Submitter, cqueue};

use crate::ReceivedBytes;

/// The receive buffers of one io_uring. Must outlive the ring it is registered with.
#[derive(Debug)]
pub(crate) struct Buffers {
    /// One mapping: first the ring of entries, then the buffers (at `memory`).
    mapping: NonNull<u8>,
    mapping_bytes: usize,
    memory: NonNull<u8>,
    entries: u16,
    buffer_bytes: u32,
    is_incremental: bool,
    /// Offset of the next bytes in each buffer.
    filled: Vec<u32>,
    /// Buffers that the kernel has used up; they are returned at the next wait.
    taken: Vec<u16>,
    tail: u16,
    /// Counts the times that buffers were returned, from 1: bytes of an earlier time may be overwritten.
    wait: u32,
    /// Whether the kernel may still write to the mapping, which then stays.
    is_abandoned: bool,
}

// SAFETY: this value is the only owner of the mapping, which is not bound to a thread; the completion queue orders the kernel's
// writes and moves together with this value.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Maps `entries` (a power of two) buffers of `buffer_bytes` each, untouched until used. `is_incremental` needs
    /// Linux 6.12.
    pub(crate) fn new(entries: u16, buffer_bytes: u32, is_incremental: bool) -> io::Result<Self> {
        assert!(entries.is_power_of_two(), "the kernel requires a power of two");
        let ring_bytes = (usize::from(entries) * size_of::<BufRingEntry>()).next_multiple_of(PAGE_BYTES);
        let mapping_bytes = ring_bytes + usize::from(entries) * buffer_bytes as usize;
        // SAFETY: requests new memory at an address that the kernel chooses.
        let mapping = unsafe {
            libc::mmap(
                ptr::null_mut(),
                mapping_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping =
            NonNull::new(mapping.cast::<u8>()).expect("mmap does not return null without MAP_FIXED");
        // SAFETY: `ring_bytes` is less than the size of the mapping.
        let memory = unsafe { mapping.add(ring_bytes) };
        let mut buffers = Self {
            mapping,
            mapping_bytes,
            memory,
            entries,
            buffer_bytes,
            is_incremental,
            filled: vec![0; usize::from(entries)],
            taken: (0..entries).collect(),
            tail: 0,
            wait: 0,
            is_abandoned: false,
        };
        buffers.put_back();
        Ok(buffers)
    }

    /// Registers these buffers with the kernel as group [`GROUP`].
    pub(crate) fn register(&self, submitter: &Submitter<'_>) -> io::Result<()> {
        let flags = if self.is_incremental { PBUF_RING_INCREMENTAL } else { 0 };
        // SAFETY: the address is a page-aligned ring of `entries` entries that point to live memory. It stays mapped until
        // this value is dropped, which `Uring` does after the ring is gone.
        unsafe {
            submitter.register_buf_ring_with_flags(self.mapping.as_ptr() as u64, self.entries, GROUP, flags)
        }
    }

    /// Records that a completion used `len` bytes of the buffer named in its `flags`. Returns `None` if it used no buffer.
    pub(crate) fn take(&mut self, flags: u32, len: u32) -> Option<ReceivedBytes> {
        let buffer = cqueue::buffer_select(flags)?;
        let index = usize::from(buffer);
        let start = index * self.buffer_bytes as usize + self.filled[index] as usize;
        if self.is_incremental && cqueue::buffer_more(flags) {
            self.filled[index] += len;
        } else {
            self.taken.push(buffer);
        }
        (len > 0).then_some(ReceivedBytes::of_wait(start, len, self.wait))
    }

    /// Returns all used buffers to the kernel. Their bytes may change from now on.
    pub(crate) fn put_back(&mut self) {
        self.wait = self.wait.checked_add(1).unwrap_or(1);
        if self.taken.is_empty() {
            return;
        }
        let ring = self.mapping.cast::<BufRingEntry>();
        for buffer in self.taken.drain(..) {
            let entry_index = usize::from(self.tail & (self.entries - 1));
            let index = usize::from(buffer);
            // SAFETY: `index` is below `entries`, so the buffer lies within the mapping.
            let start = unsafe { self.memory.add(index * self.buffer_bytes as usize) };
            // SAFETY: `entry_index` is below `entries`. The kernel does not read an entry beyond the tail it has seen, and this
            // one is beyond it: at most `entries` buffers exist.
            let entry = unsafe { ring.add(entry_index).as_mut() };
            entry.set_addr(start.as_ptr() as u64);
            entry.set_len(self.buffer_bytes);
            entry.set_bid(buffer);
            self.filled[index] = 0;
            self.tail = self.tail.wrapping_add(1);
        }
        // SAFETY: the ring's first entry is live memory of this mapping.
        let tail = unsafe { BufRingEntry::tail(ring.as_ptr()) };
        // SAFETY: the tail is an aligned u16 in the mapping that only this thread writes and the kernel reads.
        unsafe { AtomicU16::from_ptr(tail.cast_mut()) }.store(self.tail, Ordering::Release);
    }

    /// Leaves the memory mapped forever, for a ring whose operations cannot be cancelled.
    pub(crate) fn abandon(&mut self) {
        self.is_abandoned = true;
    }

    /// Returns the bytes of a completion. The kernel does not modify them before the next [`Buffers::put_back`].
    ///
    /// # Panics
    /// If they are not of this driver, or of an earlier time.
    pub(crate) fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        let size = usize::from(self.entries) * self.buffer_bytes as usize;
        let is_within = bytes.start().checked_add(bytes.len()).is_some_and(|end| end <= size);
        assert!(is_within && bytes.wait == self.wait, "bytes are of the latest wait of this driver");
        // SAFETY: the range lies within the mapping, which is zeroed at creation, and only `take` makes bytes of this wait
        // (both asserted above). The kernel has filled the range and writes only behind it or elsewhere until the buffer is
        // returned, which needs `&mut self` and begins the next wait.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(bytes.start()), bytes.len()) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if self.is_abandoned {
            return;
        }
        // SAFETY: unmaps exactly what `new` mapped; the kernel holds its own reference to the ring's pages while it needs them.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapping_bytes) };
    }
}

/// The buffer group's number; there is one per ring.
pub(crate) const GROUP: u16 = 0;
/// `IOU_PBUF_RING_INC`: buffers are consumed incrementally.
const PBUF_RING_INCREMENTAL: u16 = 2;
const PAGE_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn only_bytes_of_the_latest_wait_are_returned() {
        let mut buffers = Buffers::new(2, 4096, false).unwrap();
        let panics = |buffers: &Buffers, bytes| {
            catch_unwind(AssertUnwindSafe(|| buffers.bytes(&bytes).len())).is_err()
        };
        let wait = buffers.wait;
        assert_eq!(buffers.bytes(&ReceivedBytes::of_wait(4096, 4096, wait)).len(), 4096);
        for (start, len) in [(8191, 2), (8193, 0), (usize::MAX, 2), (usize::MAX - 1, 1)] {
            assert!(panics(&buffers, ReceivedBytes::of_wait(start, len, wait)), "{start} {len}");
        }
        assert!(panics(&buffers, ReceivedBytes::new(0, 1)), "made by others");
        buffers.put_back();
        assert!(panics(&buffers, ReceivedBytes::of_wait(0, 1, wait)), "of an earlier wait");
    }
}
