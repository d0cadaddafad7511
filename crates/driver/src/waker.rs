//! Ends another thread's wait.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// Ends a driver's [`wait`](crate::Driver::wait) from any thread. Calls before the wait count: the next wait then returns
/// at once. Several calls may end only one wait.
#[derive(Clone, Debug)]
pub struct Waker {
    event: Arc<OwnedFd>,
}

impl Waker {
    /// A waker with its own event descriptor.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes two numbers and no pointer.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and has no other owner.
        Ok(Self { event: Arc::new(unsafe { OwnedFd::from_raw_fd(fd) }) })
    }

    /// The descriptor that becomes readable when called.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.event.as_raw_fd()
    }

    /// Ends the wait. A full counter needs no more, so nothing can fail.
    pub fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: writes eight bytes from a live array to a descriptor that this value keeps open.
        unsafe { libc::write(self.descriptor(), one.as_ptr().cast(), one.len()) };
    }

    /// Takes the calls made so far.
    pub(crate) fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: reads at most eight bytes into a live array of eight.
        unsafe { libc::read(self.descriptor(), count.as_mut_ptr().cast(), count.len()) };
    }
}
