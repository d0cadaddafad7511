//! Wakes up a driver that another thread waits on.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// Ends a driver's [`wait`](crate::Driver::wait) from any thread. A call before the wait ends the next wait immediately. Several
/// calls may end only one wait.
#[derive(Clone, Debug)]
pub struct Waker {
    event: Arc<OwnedFd>,
}

impl Waker {
    /// Creates a waker with its own event descriptor.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: eventfd takes two integers and no pointer.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created and has no other owner.
        Ok(Self { event: Arc::new(unsafe { OwnedFd::from_raw_fd(fd) }) })
    }

    /// Returns the descriptor that becomes readable after [`Waker::wake`].
    pub(crate) fn descriptor(&self) -> RawFd {
        self.event.as_raw_fd()
    }

    /// Ends the wait. A full counter is readable already, so errors can be ignored.
    pub fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: writes eight bytes from a live array to a descriptor that this value keeps open.
        unsafe { libc::write(self.descriptor(), one.as_ptr().cast(), one.len()) };
    }

    /// Clears all earlier calls of [`Waker::wake`].
    pub(crate) fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: reads at most eight bytes into a live array of eight.
        unsafe { libc::read(self.descriptor(), count.as_mut_ptr().cast(), count.len()) };
    }
}
