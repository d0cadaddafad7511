//! The monotonic clock of the system, relative to the start of the run.

use std::time::Duration;

use warwolf_clock::{Clock, Timestamp};

use crate::host;

/// The monotonic clock of the system, with zero at the start of the run. All threads of a run use copies of one value.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    /// The system's clock at the start of the run, in nanoseconds.
    zero: u64,
}

impl Monotonic {
    /// Creates a clock whose zero is `in_` from now, so that all threads can be ready by then.
    #[must_use]
    pub fn start_at(in_: Duration) -> Self {
        Self { zero: host::monotonic_clock().saturating_add(nanos(in_)) }
    }

    /// Returns the time left until `until`; zero if it is in the past. Also correct before zero.
    pub(crate) fn remaining(&self, until: Timestamp) -> Duration {
        self.remaining_at(host::monotonic_clock(), until)
    }

    /// Returns the time from `now`, as [`host::monotonic_clock`] read it, until `until`; zero if it is in the past.
    pub(crate) fn remaining_at(&self, now: u64, until: Timestamp) -> Duration {
        match self.zero.checked_add(until.as_nanos()) {
            Some(target) if until.is_reached() => Duration::from_nanos(target.saturating_sub(now)),
            _ => Duration::MAX,
        }
    }
}

impl Clock for Monotonic {
    /// Returns the time since zero; before zero it returns [`Timestamp::ZERO`].
    #[inline]
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(host::monotonic_clock().saturating_sub(self.zero))
    }
}

/// Returns a duration in nanoseconds; the greatest number if it is longer than 584 years.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
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
