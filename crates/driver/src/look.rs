//! Decides whether a short look before a sleep pays.
//!
//! Under load the next reply is often a microsecond away, while falling asleep and being woken costs a few on bare metal and
//! dozens in a virtual machine, where a sleep leaves the guest. But replies also gather during a sleep, and many at once cost
//! less than each alone. Which of both wins is tried: the CPU time for each completion says. Called by both kernel drivers.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::{Idle, host};

/// Sleeps at once for some waits, looks before it sleeps for as many, and goes on for long with what was cheaper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    /// The longest look: what a sleep costs. Nothing when there shall be no looks.
    length: Duration,
    phase: Phase,
    is_looking: bool,
    /// Waits until the next phase.
    left: u32,
    /// CPU time of the thread as the phase began.
    began: Duration,
    /// Completions since then.
    completions: u64,
    /// CPU time of a completion when sleeping at once, in nanoseconds.
    sleeping_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    TryToSleep,
    TryToLook,
    Keep,
}

impl Looks {
    /// Never a look: for drivers that have not waited yet, and those that spin.
    pub(crate) const NONE: Self = Self::new(Duration::ZERO, Duration::ZERO);

    /// For a driver of the calling thread that waits for the first time.
    pub(crate) fn begin(idle: Idle) -> Self {
        match idle {
            Idle::Block => Self::new(cost_of_a_sleep(), host::thread_cpu_clock()),
            Idle::Spin => Self::NONE,
        }
    }

    /// Looks of at most `length`, none when that is nothing, of a thread that has used `cpu` so far.
    const fn new(length: Duration, cpu: Duration) -> Self {
        Self {
            length,
            phase: Phase::TryToSleep,
            is_looking: false,
            left: TRIAL,
            began: cpu,
            completions: 0,
            sleeping_ns: 0,
        }
    }

    /// How long to look before the next sleep; none when that would not pay.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.is_looking.then_some(self.length)
    }

    /// A wait of any kind has brought this many completions.
    pub(crate) fn delivered(&mut self, completions: usize) {
        self.completions += completions as u64;
    }

    /// A wait that found nothing at hand is over; `is_vain` when it looked and had to sleep all the same. `cpu` reads the CPU
    /// time of this thread.
    pub(crate) fn waited(&mut self, is_vain: bool, cpu: impl FnOnce() -> Duration) {
        let weight = if is_vain && self.phase == Phase::Keep { VAIN } else { 1 };
        self.left = self.left.saturating_sub(weight);
        if self.left > 0 || self.length.is_zero() {
            return;
        }
        let now = cpu();
        let cost_ns = now.saturating_sub(self.began).as_nanos() as u64 / self.completions.max(1);
        (self.phase, self.is_looking, self.left) = match self.phase {
            Phase::TryToSleep => {
                self.sleeping_ns = cost_ns;
                (Phase::TryToLook, true, TRIAL)
            }
            Phase::TryToLook => (Phase::Keep, cost_ns < self.sleeping_ns, KEPT),
            Phase::Keep => (Phase::TryToSleep, false, TRIAL),
        };
        self.began = now;
        self.completions = 0;
    }
}

/// CPU time that a sleep costs on this machine, between 1 and 30 us. Measured once per process, in a few hundred
/// microseconds.
fn cost_of_a_sleep() -> Duration {
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

/// Waits of a trial, and for how many more its result holds.
const TRIAL: u32 = 256;
const KEPT: u32 = 16_384;
/// How many of these a vain look counts for: when they become common, the load has changed.
const VAIN: u32 = 64;
const COST_MIN: Duration = Duration::from_micros(1);
const COST_MAX: Duration = Duration::from_micros(30);
const SAMPLES: u32 = 5;
const SAMPLE_SLEEP: Duration = Duration::from_micros(20);
const MEASURING_MAX: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_micros(5);

    /// Waits `waits` times for as many completions as it is said to bring, at the cost of each wait, with and without a look;
    /// counts the waits that began with one.
    fn waits(looks: &mut Looks, waits: u32, sleeping: (usize, u64), looking: (usize, u64)) -> u32 {
        let (mut cpu_us, mut looked) = (0, 0);
        for _ in 0..waits {
            let (completions, cost_us) = if looks.next().is_some() { looking } else { sleeping };
            looked += u32::from(looks.next().is_some());
            cpu_us += cost_us;
            looks.delivered(completions);
            looks.waited(false, || Duration::from_micros(cpu_us));
        }
        looked
    }

    #[test]
    fn a_few_connections_are_looked_for() {
        let looked = waits(&mut Looks::new(LENGTH, Duration::ZERO), 40_000, (1, 20), (1, 6));
        assert!(looked > 38_000, "{looked}");
    }

    #[test]
    fn where_replies_gather_in_a_sleep_it_sleeps() {
        let looked = waits(&mut Looks::new(LENGTH, Duration::ZERO), 40_000, (50, 230), (2, 10));
        assert!(looked < 1_000, "{looked}");
    }

    #[test]
    fn what_the_thread_did_before_counts_for_neither() {
        let (set_up, mut cpu_us) = (Duration::from_secs(1), 0);
        let mut looks = Looks::new(LENGTH, set_up);
        for _ in 0..2 * TRIAL {
            cpu_us += if looks.next().is_some() { 30 } else { 20 };
            looks.delivered(1);
            looks.waited(false, || set_up + Duration::from_micros(cpu_us));
        }
        assert_eq!(looks.next(), None, "a look costs more here");
    }

    #[test]
    fn what_has_become_vain_is_tried_again_soon() {
        let mut looks = Looks::new(LENGTH, Duration::ZERO);
        waits(&mut looks, 2 * TRIAL, (1, 20), (1, 6));
        assert_eq!(looks.next(), Some(LENGTH));
        (0..KEPT / VAIN).for_each(|_| looks.waited(true, Duration::default));
        assert_eq!(looks.next(), None);
    }

    #[test]
    fn without_a_length_there_are_no_looks() {
        let mut looks = Looks::NONE;
        assert_eq!(waits(&mut looks, 1_000, (1, 20), (1, 6)), 0);
    }

    #[test]
    fn the_cost_of_a_sleep_is_within_reason() {
        assert!((COST_MIN..=COST_MAX).contains(&cost_of_a_sleep()));
    }
}
