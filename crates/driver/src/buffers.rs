//! Memory that the kernel fills with what sockets receive.
//!
//! A ring of buffers shared by all sockets of one io_uring, so that an idle connection holds no receive memory. Where the
//! kernel can, it fills each buffer bit by bit, which packs small replies tightly. Called by `uring` only.

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
    /// One mapping: first the ring of entries, then, at `memory`, the buffers.
    mapping: NonNull<u8>,
    mapping_bytes: usize,
    memory: NonNull<u8>,
    entries: u16,
    buffer_bytes: u32,
    is_incremental: bool,
    /// Where the next bytes of each buffer will lie.
    filled: Vec<u32>,
    /// Buffers the kernel has used up; they go back at the next wait.
    taken: Vec<u16>,
    tail: u16,
}

// SAFETY: the mapping belongs to this value alone and is not bound to a thread; the kernel's writes are ordered by the
// completion queue, which travels together with this value.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Maps `entries` (a power of two) buffers of `buffer_bytes` each, untouched until used. `is_incremental` needs
    /// Linux 6.12.
    pub(crate) fn new(entries: u16, buffer_bytes: u32, is_incremental: bool) -> io::Result<Self> {
        assert!(entries.is_power_of_two(), "the kernel wants a power of two");
        let ring_bytes = (usize::from(entries) * size_of::<BufRingEntry>()).next_multiple_of(PAGE_BYTES);
        let mapping_bytes = ring_bytes + usize::from(entries) * buffer_bytes as usize;
        // SAFETY: asks for fresh memory at a place of the kernel's choice.
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
        };
        buffers.put_back();
        Ok(buffers)
    }

    /// Makes these buffers known to the kernel as group [`GROUP`].
    pub(crate) fn register(&self, submitter: &Submitter<'_>) -> io::Result<()> {
        let flags = if self.is_incremental { PBUF_RING_INCREMENTAL } else { 0 };
        // SAFETY: the address is a page-aligned ring of `entries` entries that point to live memory. It stays mapped until
        // this value is dropped, which `Uring` does after the ring is gone.
        unsafe {
            submitter.register_buf_ring_with_flags(self.mapping.as_ptr() as u64, self.entries, GROUP, flags)
        }
    }

    /// Notes what a completion has used: `len` bytes of the buffer named in its `flags`. None when it used none.
    pub(crate) fn take(&mut self, flags: u32, len: u32) -> Option<ReceivedBytes> {
        let buffer = cqueue::buffer_select(flags)?;
        let index = usize::from(buffer);
        let start = index * self.buffer_bytes as usize + self.filled[index] as usize;
        if self.is_incremental && cqueue::buffer_more(flags) {
            self.filled[index] += len;
        } else {
            self.taken.push(buffer);
        }
        (len > 0).then_some(ReceivedBytes::new(start, len))
    }

    /// Gives all used buffers back to the kernel. Their bytes may change from now on.
    pub(crate) fn put_back(&mut self) {
        if self.taken.is_empty() {
            return;
        }
        let ring = self.mapping.cast::<BufRingEntry>();
        for buffer in self.taken.drain(..) {
            let place = usize::from(self.tail & (self.entries - 1));
            let index = usize::from(buffer);
            // SAFETY: `index` is below `entries`, so the buffer lies within the mapping.
            let start = unsafe { self.memory.add(index * self.buffer_bytes as usize) };
            // SAFETY: `place` is below `entries`. The kernel does not read an entry beyond the tail it has seen, and this
            // one is beyond it: at most `entries` buffers exist.
            let entry = unsafe { ring.add(place).as_mut() };
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

    /// The bytes of a completion. The kernel does not touch them before the next [`Buffers::put_back`].
    pub(crate) fn bytes(&self, bytes: &ReceivedBytes) -> &[u8] {
        let end = bytes.start() + bytes.len();
        assert!(end <= usize::from(self.entries) * self.buffer_bytes as usize, "bytes come from this driver");
        // SAFETY: the range lies within the mapping (asserted above), which is zeroed when made. The kernel has filled it and
        // writes only behind it, or elsewhere, until the buffer goes back, which needs `&mut self`.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(bytes.start()), bytes.len()) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `new` mapped; the kernel keeps its own hold on the ring's pages while it needs them.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapping_bytes) };
    }
}

/// The buffer group's number; there is one per ring.
pub(crate) const GROUP: u16 = 0;
/// `IOU_PBUF_RING_INC` of the kernel's interface: buffers are consumed bit by bit.
const PBUF_RING_INCREMENTAL: u16 = 2;
const PAGE_BYTES: usize = 4096;
