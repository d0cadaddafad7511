//! How a run is stopped from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use warwolf_driver::Waker;

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    aborted: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

/// A handle that stops a run; clones stop the same run.
#[derive(Clone, Default)]
pub struct Control(Arc<Shared>);

impl Control {
    /// A handle for a run not yet begun.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run as if its stop had come: calls in flight get the grace time, and everything is reported.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Ends the run without grace; it is still reported.
    pub fn abort(&self) {
        self.0.aborted.store(true, Ordering::Relaxed);
        self.stop();
    }

    /// Whether [`Control::stop`] or [`Control::abort`] was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn is_aborted(&self) -> bool {
        self.0.aborted.load(Ordering::Relaxed)
    }

    pub(crate) fn register(&self, waker: Waker) {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
    }

    fn wake(&self) {
        for waker in self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            waker.wake();
        }
    }
}
