//! Decides whether a short look before a sleep pays.
//!
//! Under load the next reply is often a microsecond away, while falling asleep and being woken costs a few on bare metal and
//! dozens in a virtual machine, where a sleep leaves the guest. A look costs what it lasts; one that lasts at most as long as a
//! sleep costs pays when it finds something more often than not. Called by both kernel drivers.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::host;

/// The experience of the latest waits, and how long a look may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    /// The longest look: what a sleep costs.
    length: Duration,
    /// Rises with looks that found something and with short sleeps, falls with vain looks; above zero looks pay.
    score: u8,
}

impl Looks {
    /// Looks of at most `length`, none of which has paid yet.
    pub(crate) const fn new(length: Duration) -> Self {
        Self { length, score: 0 }
    }

    /// How long to look before the next sleep; none when that would not pay.
    pub(crate) fn next(&self) -> Option<Duration> {
        (self.score > 0).then_some(self.length)
    }

    /// A look has ended.
    pub(crate) fn looked(&mut self, has_found: bool) {
        self.score = if has_found { (self.score + 1).min(SCORE_MAX) } else { self.score.saturating_sub(2) };
    }

    /// A sleep has ended. One that was hardly longer than a look, its own slowness included, might have been one.
    pub(crate) fn slept(&mut self, time: Duration) {
        if time < self.length * 3 {
            self.score = (self.score + 1).min(SCORE_MAX);
        }
    }
}

/// CPU time that a sleep costs on this machine, between 1 and 30 us. Measured once per process, in a few hundred
/// microseconds.
pub(crate) fn cost_of_a_sleep() -> Duration {
    static COST: OnceLock<Duration> = OnceLock::new();
    *COST.get_or_init(|| {
        let began = Instant::now();
        let mut cheapest = COST_MAX;
        for _ in 0..SAMPLES {
            let before = host::thread_cpu_clock();
            std::thread::sleep(SAMPLE_SLEEP);
            cheapest = cheapest.min(host::thread_cpu_clock().saturating_sub(before));
            // A busy machine holds up every sleep, and the run must start.
            if began.elapsed() > MEASURING_MAX {
                break;
            }
        }
        cheapest.max(COST_MIN)
    })
}

/// How much good experience counts; half as many vain looks end it.
const SCORE_MAX: u8 = 8;
const COST_MIN: Duration = Duration::from_micros(1);
const COST_MAX: Duration = Duration::from_micros(30);
const SAMPLES: u32 = 5;
const SAMPLE_SLEEP: Duration = Duration::from_micros(20);
const MEASURING_MAX: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_micros(5);

    #[test]
    fn long_sleeps_never_make_it_look() {
        let mut looks = Looks::new(LENGTH);
        (0..100).for_each(|_| looks.slept(Duration::from_micros(15)));
        assert_eq!(looks.next(), None);
    }

    #[test]
    fn a_short_sleep_makes_it_look_until_that_is_vain() {
        let mut looks = Looks::new(LENGTH);
        looks.slept(Duration::from_micros(14));
        assert_eq!(looks.next(), Some(LENGTH));
        looks.looked(false);
        assert_eq!(looks.next(), None);
    }

    #[test]
    fn good_experience_bears_a_few_vain_looks() {
        let mut looks = Looks::new(LENGTH);
        looks.slept(LENGTH);
        (0..100).for_each(|_| looks.looked(true));
        (0..3).for_each(|_| looks.looked(false));
        assert_eq!(looks.next(), Some(LENGTH));
        looks.looked(false);
        assert_eq!(looks.next(), None);
    }

    #[test]
    fn the_cost_of_a_sleep_is_within_reason() {
        assert!((COST_MIN..=COST_MAX).contains(&cost_of_a_sleep()));
    }
}
