//! The machine's steady clock, counted from the start of the run.

use std::time::{Duration, Instant};

use warwolf_clock::{Clock, Timestamp};

/// The steady clock of the machine, with the start of the run as its zero. All threads of a run share one zero by copying.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    zero: Instant,
}

impl Monotonic {
    /// A clock whose zero lies `in_` ahead of now, so that all threads can be ready before it.
    #[must_use]
    pub fn start_at(in_: Duration) -> Self {
        Self { zero: Instant::now() + in_ }
    }

    /// How long it is until `until`; zero when that is past. Correct before zero too.
    pub(crate) fn remaining(&self, until: Timestamp) -> Duration {
        self.remaining_at(Instant::now(), until)
    }

    /// How long it is from `now` until `until`.
    pub(crate) fn remaining_at(&self, now: Instant, until: Timestamp) -> Duration {
        if !until.is_reached() {
            return Duration::MAX;
        }
        let target = self.zero.checked_add(Duration::from_nanos(until.as_nanos()));
        target.map_or(Duration::MAX, |target| target.saturating_duration_since(now))
    }
}

impl Clock for Monotonic {
    /// Time since zero; before zero it stands at [`Timestamp::ZERO`].
    fn now(&self) -> Timestamp {
        let since = self.zero.elapsed();
        Timestamp::from_nanos(since.as_secs() * 1_000_000_000 + u64::from(since.subsec_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_at_zero_before_the_start() {
        let clock = Monotonic::start_at(Duration::from_secs(1000));
        assert_eq!(clock.now(), Timestamp::ZERO);
        let remaining = clock.remaining(Timestamp::ZERO);
        assert!(remaining > Duration::from_secs(900), "{remaining:?}");
    }

    #[test]
    fn never_is_infinitely_far() {
        assert_eq!(Monotonic::start_at(Duration::ZERO).remaining(Timestamp::NEVER), Duration::MAX);
    }
}
