//! The five instants of a call. Every duration is derived here and nowhere else.

use crate::Outcome;
use std::time::Duration;
use warwolf_clock::Timestamp;

/// The measurements of a finished call.
///
/// ```text
/// intended ── lag ── started ── setup ── sent ── wait ── first_byte ── transfer ── finished
/// └──────────────────────────────── latency ──────────────────────────────────────────────┘
///                                        └────────────── service ──────────────────────────┘
/// ```
/// An instant that was not reached is [`Timestamp::NEVER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The time set by the schedule or by the session.
    pub intended: Timestamp,
    /// A slot was taken; connecting may follow.
    pub started: Timestamp,
    /// The first byte of the request was passed to the kernel.
    pub sent: Timestamp,
    /// The first byte of the head of the reply was received.
    pub first_byte: Timestamp,
    /// Last byte, failure, deadline, or the stop.
    pub finished: Timestamp,
    /// Bytes of the reply's body without its framing.
    pub body_bytes: u64,
    /// Bytes of the reply's head, status line and empty line included.
    pub header_bytes: u32,
    /// Bytes of the request, body included.
    pub sent_bytes: u32,
    /// Status of the reply; 0 when there was none.
    pub status: u16,
    /// Index of the target; see [`crate::OTHER_TARGETS`].
    pub target: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the reply did not pass a check; only of completed calls.
    pub check_failed: bool,
}

const _: () = assert!(size_of::<Sample>() == 64, "a sample fills one cache line");

/// Nanoseconds from one instant to another, when both were reached.
#[inline]
fn span(from: Timestamp, to: Timestamp) -> Option<u64> {
    (from.is_reached() && to.is_reached()).then(|| to.as_nanos().saturating_sub(from.as_nanos()))
}

impl Sample {
    /// Intended to finished: what a user would have waited.
    #[must_use]
    pub fn latency(&self) -> Duration {
        Duration::from_nanos(self.latency_ns())
    }

    /// Intended to started: how late the call was begun.
    #[must_use]
    pub fn lag(&self) -> Duration {
        Duration::from_nanos(self.lag_ns())
    }

    /// Started to sent: connecting, TLS, waiting for room on a connection. None when nothing was sent.
    #[must_use]
    pub fn setup(&self) -> Option<Duration> {
        self.setup_ns().map(Duration::from_nanos)
    }

    /// Sent to first byte. None when no byte of a reply came.
    #[must_use]
    pub fn wait(&self) -> Option<Duration> {
        self.wait_ns().map(Duration::from_nanos)
    }

    /// Sent to finished. None when nothing was sent.
    #[must_use]
    pub fn service(&self) -> Option<Duration> {
        self.service_ns().map(Duration::from_nanos)
    }

    /// First byte to finished. None when no byte of a reply came.
    #[must_use]
    pub fn transfer(&self) -> Option<Duration> {
        self.transfer_ns().map(Duration::from_nanos)
    }

    #[inline]
    pub(crate) fn latency_ns(&self) -> u64 {
        self.finished.as_nanos().saturating_sub(self.intended.as_nanos())
    }

    #[inline]
    pub(crate) fn lag_ns(&self) -> u64 {
        self.started.as_nanos().saturating_sub(self.intended.as_nanos())
    }

    #[inline]
    pub(crate) fn setup_ns(&self) -> Option<u64> {
        span(self.started, self.sent)
    }

    #[inline]
    pub(crate) fn wait_ns(&self) -> Option<u64> {
        span(self.sent, self.first_byte)
    }

    #[inline]
    pub(crate) fn service_ns(&self) -> Option<u64> {
        span(self.sent, self.finished)
    }

    #[inline]
    pub(crate) fn transfer_ns(&self) -> Option<u64> {
        span(self.first_byte, self.finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Timestamp {
        Timestamp::from_nanos(nanos)
    }

    fn sample() -> Sample {
        Sample {
            intended: at(100),
            started: at(110),
            sent: at(130),
            first_byte: at(160),
            finished: at(200),
            body_bytes: 5,
            header_bytes: 20,
            sent_bytes: 40,
            status: 200,
            target: 0,
            outcome: Outcome::Completed,
            check_failed: false,
        }
    }

    #[test]
    fn the_durations_are_those_of_the_picture() {
        let sample = sample();
        assert_eq!(sample.latency(), Duration::from_nanos(100));
        assert_eq!(sample.lag(), Duration::from_nanos(10));
        assert_eq!(sample.setup(), Some(Duration::from_nanos(20)));
        assert_eq!(sample.wait(), Some(Duration::from_nanos(30)));
        assert_eq!(sample.service(), Some(Duration::from_nanos(70)));
        assert_eq!(sample.transfer(), Some(Duration::from_nanos(40)));
    }

    #[test]
    fn an_instant_that_was_not_reached_gives_no_duration() {
        let refused = Sample { sent: Timestamp::NEVER, first_byte: Timestamp::NEVER, ..sample() };
        assert_eq!(
            (refused.setup(), refused.wait(), refused.service(), refused.transfer()),
            (None, None, None, None)
        );
        let silent = Sample { first_byte: Timestamp::NEVER, ..sample() };
        assert_eq!((silent.wait(), silent.transfer()), (None, None));
        assert_eq!(silent.service(), Some(Duration::from_nanos(70)));
    }
}
