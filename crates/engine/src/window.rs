//! The time in which a worker starts sessions and calls.

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::Stop;

/// The time in which sessions and calls may start, and the grace for those in flight at its end.
pub(crate) struct Window {
    /// No session and no call starts at or after this moment.
    stop_at: Timestamp,
    grace: Duration,
    /// The stop has come; calls in flight are drained.
    is_closed: bool,
    /// Arrivals intended before this moment were due; known when the run ends.
    horizon: Timestamp,
}

impl Window {
    pub(crate) fn new(stop: &Stop) -> Self {
        Self {
            stop_at: stop.duration.map_or(Timestamp::NEVER, |duration| Timestamp::ZERO + duration),
            grace: stop.grace,
            is_closed: false,
            horizon: Timestamp::ZERO,
        }
    }

    /// Whether a session or call that is intended at this moment may start.
    #[inline]
    pub(crate) fn admits(&self, intended: Timestamp) -> bool {
        !self.is_closed && intended < self.stop_at
    }

    /// Whether this moment is at or after the stop.
    pub(crate) fn is_past(&self, now: Timestamp) -> bool {
        now >= self.stop_at
    }

    /// Whether the stop has come: nothing starts, and calls in flight are drained.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The moment at and after which nothing starts.
    pub(crate) fn stop_at(&self) -> Timestamp {
        self.stop_at
    }

    /// When calls in flight are cut off.
    pub(crate) fn cut_at(&self) -> Timestamp {
        self.stop_at + self.grace
    }

    /// Arrivals intended before this moment were due.
    pub(crate) fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// Moves the stop to `now`, unless it has come already.
    pub(crate) fn stop_early(&mut self, now: Timestamp) {
        if now < self.stop_at {
            self.stop_at = now;
            // Arrivals intended at this very moment have been started.
            self.horizon = now + Duration::from_nanos(1);
        }
    }

    /// Ends before the stop, because nothing is left to start.
    pub(crate) fn run_out(&mut self) {
        self.horizon = Timestamp::NEVER;
    }

    /// Closes the window at its stop. Returns the moment before which arrivals were due.
    pub(crate) fn close(&mut self) -> Timestamp {
        self.is_closed = true;
        self.horizon = self.horizon.max(self.stop_at);
        self.horizon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn nothing_starts_at_the_stop_or_after_it() {
        let stop = Stop { grace: Duration::from_secs(3), ..Stop::after(Duration::from_secs(10)) };
        let mut window = Window::new(&stop);
        assert_eq!([at(0), at(9), at(10)].map(|time| window.admits(time)), [true, true, false]);
        assert_eq!((window.stop_at(), window.is_past(at(10))), (at(10), true));
        assert_eq!((window.close(), window.cut_at()), (at(10), at(13)));
        assert!(!window.admits(at(9)), "drained");
    }

    #[test]
    fn a_window_may_end_early_once() {
        let mut window = Window::new(&Stop::after(Duration::from_secs(10)));
        window.stop_early(at(4));
        window.stop_early(at(6));
        assert_eq!(window.stop_at(), at(4));
        assert_eq!(window.close(), at(4) + Duration::from_nanos(1), "what is intended at four has begun");
        window.run_out();
        assert_eq!(window.horizon(), Timestamp::NEVER);
    }
}
