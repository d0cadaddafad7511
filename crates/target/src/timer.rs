//! Timers that are accurate to tens of microseconds.
//!
//! The timer of the runtime has a resolution of milliseconds, which is too coarse for a server whose delays are the reference for
//! measured latencies. Each server has one timerfd, set to the earliest deadline and polled with the same epoll as the sockets.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::monotonic::now_ns;

/// All timers of one server.
pub(crate) struct Timer {
    descriptor: AsyncFd<OwnedFd>,
    waits: Mutex<BinaryHeap<Reverse<Wait>>>,
}

struct Wait {
    until_ns: u64,
    waker: Waker,
}

impl Timer {
    /// Creates a timer without waits. Must be called inside the runtime.
    #[expect(
        deprecated,
        reason = "its successor is unsafe to allow for changing descriptors; an `OwnedFd` does not change"
    )]
    pub(crate) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = AsyncFd::new(timerfd_create(TimerfdClockId::Monotonic, flags)?)?;
        Ok(Self { descriptor, waits: Mutex::default() })
    }

    /// Waits until `until_ns` on the monotonic clock; returns immediately if that is in the past.
    pub(crate) fn until(&self, until_ns: u64) -> Until<'_> {
        Until { timer: self, until_ns, waker: None }
    }

    /// Wakes waits that are due, as long as this future is polled.
    pub(crate) async fn run(&self) -> io::Result<()> {
        loop {
            // The expiration count is never read: setting the timer again clears it, and the ready flag suffices.
            self.descriptor.readable().await?.clear_ready();
            self.wake_due()?;
        }
    }

    /// Wakes waits that are due and sets the timer to the next deadline.
    fn wake_due(&self) -> io::Result<()> {
        let now = now_ns();
        let mut waits = self.lock();
        while let Some(due) = waits.peek_mut().filter(|wait| wait.0.until_ns <= now) {
            std::collections::binary_heap::PeekMut::pop(due).0.waker.wake();
        }
        waits.peek().map_or(Ok(()), |next| self.set(next.0.until_ns))
    }

    fn set(&self, until_ns: u64) -> io::Result<()> {
        // Zero would disarm the timer.
        let at = until_ns.max(1);
        let value = Timespec { tv_sec: (at / 1_000_000_000) as i64, tv_nsec: (at % 1_000_000_000) as i64 };
        let never_again = Timespec { tv_sec: 0, tv_nsec: 0 };
        let setting = Itimerspec { it_interval: never_again, it_value: value };
        timerfd_settime(self.descriptor.get_ref(), TimerfdTimerFlags::ABSTIME, &setting)?;
        Ok(())
    }

    fn enlist(&self, until_ns: u64, waker: Waker) {
        let mut waits = self.lock();
        let earliest = waits.peek().is_none_or(|wait| until_ns < wait.0.until_ns);
        waits.push(Reverse(Wait { until_ns, waker }));
        if earliest {
            // According to the manual, setting an armed timer to a time in the future cannot fail.
            let set = self.set(until_ns);
            debug_assert!(set.is_ok(), "the timer can be set: {set:?}");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BinaryHeap<Reverse<Wait>>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A wait. Dropping it causes one unnecessary wake-up.
pub(crate) struct Until<'a> {
    timer: &'a Timer,
    until_ns: u64,
    waker: Option<Waker>,
}

impl Future for Until<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if now_ns() >= self.until_ns {
            return Poll::Ready(());
        }
        if self.waker.as_ref().is_none_or(|waker| !waker.will_wake(context.waker())) {
            self.timer.enlist(self.until_ns, context.waker().clone());
            self.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl PartialEq for Wait {
    fn eq(&self, other: &Self) -> bool {
        self.until_ns == other.until_ns
    }
}

impl Eq for Wait {}

impl PartialOrd for Wait {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Wait {
    fn cmp(&self, other: &Self) -> Ordering {
        self.until_ns.cmp(&other.until_ns)
    }
}
