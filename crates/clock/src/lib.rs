//! A point in time, a source of it, and one you turn by hand.
//!
//! Everything in warwolf that depends on time is told the time. Only `driver` reads the machine's clock.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// Nanoseconds since the run began. Holds about 584 years.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The instant the run began.
    pub const ZERO: Self = Self(0);
    /// A moment that does not come: "no deadline", or "this instant of the call was not reached".
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds into the run.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the run began.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the run began.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whether this is a moment at all, that is, not [`Timestamp::NEVER`].
    #[must_use]
    pub const fn is_reached(self) -> bool {
        self.0 != u64::MAX
    }

    /// Time since `earlier`, or zero when `earlier` is later.
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
    /// The present moment of the run. Never goes back.
    fn now(&self) -> Timestamp;
}

/// A clock that stands still until it is turned.
#[derive(Debug, Default)]
pub struct ManualClock(Cell<Timestamp>);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self(Cell::new(now))
    }

    /// Turns the clock on by `by`.
    pub fn advance(&self, by: Duration) {
        self.0.set(self.0.get() + by);
    }

    /// Turns the clock on to `to`; a moment already past leaves it as it is.
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
