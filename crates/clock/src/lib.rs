//! A point in time, a clock trait, and a manual clock for tests.
//!
//! Code that depends on time receives the time as an argument. Only `driver` reads the system clock.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// Nanoseconds since the start of the run. Covers about 584 years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Never: "no deadline", or "the call did not reach this instant".
    pub const NEVER: Self = Self(u64::MAX);

    /// Creates the instant `nanos` nanoseconds after the start of the run.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns nanoseconds since the start of the run.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns seconds since the start of the run.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns false only for [`Timestamp::NEVER`].
    #[must_use]
    pub const fn is_reached(self) -> bool {
        self.0 != u64::MAX
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Saturates at [`Timestamp::NEVER`].
impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, rhs: Duration) -> Self {
        let nanos = u64::try_from(rhs.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanos))
    }
}

impl AddAssign<Duration> for Timestamp {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

/// The same as [`Timestamp::since`].
impl Sub for Timestamp {
    type Output = Duration;
    fn sub(self, rhs: Self) -> Duration {
        self.since(rhs)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_reached() { write!(f, "{:.9}s", self.as_secs_f64()) } else { f.write_str("never") }
    }
}

/// A source of time.
pub trait Clock {
    /// Returns the current time of the run. Never decreases.
    fn now(&self) -> Timestamp;
}

/// A clock that only moves when it is advanced.
#[derive(Debug, Default)]
pub struct ManualClock(Cell<Timestamp>);

impl ManualClock {
    /// Creates a clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self(Cell::new(now))
    }

    /// Advances the clock by `by`.
    pub fn advance(&self, by: Duration) {
        self.0.set(self.0.get() + by);
    }

    /// Advances the clock to `to`; has no effect if `to` is in the past.
    pub fn advance_to(&self, to: Timestamp) {
        self.0.set(self.0.get().max(to));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_at_both_ends() {
        let late = Timestamp::from_nanos(u64::MAX - 1) + Duration::from_secs(1);
        assert!(!late.is_reached());
        assert_eq!(Timestamp::ZERO.since(Timestamp::from_nanos(5)), Duration::ZERO);
        assert_eq!(Timestamp::from_nanos(7) - Timestamp::from_nanos(5), Duration::from_nanos(2));
    }

    #[test]
    fn a_manual_clock_never_goes_back() {
        let clock = ManualClock::new(Timestamp::from_nanos(10));
        clock.advance_to(Timestamp::from_nanos(5));
        assert_eq!(clock.now().as_nanos(), 10);
        clock.advance(Duration::from_nanos(3));
        assert_eq!(clock.now().as_nanos(), 13);
    }
}
