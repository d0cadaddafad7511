//! The monotonic clock of the system, relative to the start of the run.

use std::time::{Duration, Instant};

use warwolf_clock::{Clock, Timestamp};

/// The monotonic clock of the system, with zero at the start of the run. All threads of a run use copies of one value.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    zero: Instant,
}

impl Monotonic {
    /// Creates a clock whose zero is `in_` from now, so that all threads can be ready by then.
    #[must_use]
    pub fn start_at(in_: Duration) -> Self {
        Self { zero: Instant::now() + in_ }
    }

    /// Returns the time left until `until`; zero if it is in the past. Also correct before zero.
    pub(crate) fn remaining(&self, until: Timestamp) -> Duration {
        self.remaining_at(Instant::now(), until)
    }

    /// Returns the time from `now` until `until`; zero if it is in the past.
    pub(crate) fn remaining_at(&self, now: Instant, until: Timestamp) -> Duration {
        if !until.is_reached() {
            return Duration::MAX;
        }
        let target = self.zero.checked_add(Duration::from_nanos(until.as_nanos()));
        target.map_or(Duration::MAX, |target| target.saturating_duration_since(now))
    }
}

impl Clock for Monotonic {
    /// Returns the time since zero; before zero it returns [`Timestamp::ZERO`].
    fn now(&self) -> Timestamp {
        let since = self.zero.elapsed();
        Timestamp::from_nanos(since.as_secs() * 1_000_000_000 + u64::from(since.subsec_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_shows_zero_before_the_start() {
        let clock = Monotonic::start_at(Duration::from_secs(1000));
        assert_eq!(clock.now(), Timestamp::ZERO);
        let remaining = clock.remaining(Timestamp::ZERO);
        assert!(remaining > Duration::from_secs(900), "{remaining:?}");
    }

    #[test]
    fn the_time_until_never_is_the_maximum() {
        assert_eq!(Monotonic::start_at(Duration::ZERO).remaining(Timestamp::NEVER), Duration::MAX);
    }
}
