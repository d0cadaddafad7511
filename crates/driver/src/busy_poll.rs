//! Decides whether to poll for a short time before a sleep.
//!
//! Under load the next response is often a microsecond away, while sleeping and waking up costs a few microseconds on bare metal
//! and dozens in a virtual machine, where a sleep leaves the guest. On the other hand responses accumulate during a sleep, and a
//! batch costs less per response. Both strategies are measured in turn, and the one with less CPU time per completion is used.
//! Both kernel drivers use this module.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::{Idle, host};

/// Measures some waits that sleep immediately and as many that poll first, then uses the cheaper strategy for a long time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BusyPoll {
    /// Maximum time to poll: the cost of a sleep. Zero disables polling.
    length: Duration,
    phase: Phase,
    is_polling: bool,
    /// Number of waits until the next phase.
    left: u32,
    /// CPU time of the thread at the start of the phase.
    began: Duration,
    /// Completions since the start of the phase.
    completions: u64,
    /// CPU time per completion without polling, in nanoseconds.
    sleeping_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    MeasureSleep,
    MeasurePoll,
    Settled,
}

impl BusyPoll {
    /// Never polls: for drivers that have not waited yet, and for drivers that poll continuously.
    pub(crate) const NONE: Self = Self::new(Duration::ZERO, Duration::ZERO);

    /// Starts to measure. Called by the thread of the driver before its first wait.
    pub(crate) fn begin(idle: Idle) -> Self {
        match idle {
            Idle::Block => Self::new(sleep_cost(), host::thread_cpu_clock()),
            Idle::Spin => Self::NONE,
        }
    }

    /// Polls for at most `length` (zero disables polling). `cpu` is the CPU time of the thread so far.
    const fn new(length: Duration, cpu: Duration) -> Self {
        Self {
            length,
            phase: Phase::MeasureSleep,
            is_polling: false,
            left: MEASURED_WAITS,
            began: cpu,
            completions: 0,
            sleeping_ns: 0,
        }
    }

    /// Returns how long to poll before the next sleep, or `None` to sleep immediately.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.is_polling.then_some(self.length)
    }

    /// Records the completions of a wait.
    pub(crate) fn delivered(&mut self, completions: usize) {
        self.completions += completions as u64;
    }

    /// Records the end of a wait that had to poll or sleep. `was_futile`: it polled and had to sleep nevertheless. `cpu` reads
    /// the CPU time of this thread.
    pub(crate) fn waited(&mut self, was_futile: bool, cpu: impl FnOnce() -> Duration) {
        let weight = if was_futile && self.phase == Phase::Settled { FUTILE_WEIGHT } else { 1 };
        self.left = self.left.saturating_sub(weight);
        if self.left > 0 || self.length.is_zero() {
            return;
        }
        let now = cpu();
        let cost_ns = now.saturating_sub(self.began).as_nanos() as u64 / self.completions.max(1);
        (self.phase, self.is_polling, self.left) = match self.phase {
            Phase::MeasureSleep => {
                self.sleeping_ns = cost_ns;
                (Phase::MeasurePoll, true, MEASURED_WAITS)
            }
            Phase::MeasurePoll => (Phase::Settled, cost_ns < self.sleeping_ns, SETTLED_WAITS),
            Phase::Settled => (Phase::MeasureSleep, false, MEASURED_WAITS),
        };
        self.began = now;
        self.completions = 0;
    }
}

/// Returns the CPU time of a sleep on this machine, between 1 and 30 us. Measured once per process, within a few hundred
/// microseconds.
fn sleep_cost() -> Duration {
    static COST: OnceLock<Duration> = OnceLock::new();
    *COST.get_or_init(|| {
        let began = Instant::now();
        let mut cheapest = COST_MAX;
        for _ in 0..SAMPLES {
            let before = host::thread_cpu_clock();
            std::thread::sleep(SAMPLE_SLEEP);
            cheapest = cheapest.min(host::thread_cpu_clock().saturating_sub(before));
            // On a busy machine every sleep takes long, and the run has to start.
            if began.elapsed() > MEASURING_MAX {
                break;
            }
        }
        cheapest.max(COST_MIN)
    })
}

/// Waits per measurement, and waits for which its result is used.
const MEASURED_WAITS: u32 = 256;
const SETTLED_WAITS: u32 = 16_384;
/// Weight of a futile poll among these waits: if futile polls become frequent, the load has changed.
const FUTILE_WEIGHT: u32 = 64;
const COST_MIN: Duration = Duration::from_micros(1);
const COST_MAX: Duration = Duration::from_micros(30);
const SAMPLES: u32 = 5;
const SAMPLE_SLEEP: Duration = Duration::from_micros(20);
const MEASURING_MAX: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_micros(5);

    /// Simulates `waits` waits, each with the given completions and cost in microseconds, with and without polling. Returns the
    /// number of waits that polled.
    fn waits(
        busy_poll: &mut BusyPoll,
        waits: u32,
        without_poll: (usize, u64),
        with_poll: (usize, u64),
    ) -> u32 {
        let (mut cpu_us, mut polled) = (0, 0);
        for _ in 0..waits {
            let (completions, cost_us) = if busy_poll.next().is_some() { with_poll } else { without_poll };
            polled += u32::from(busy_poll.next().is_some());
            cpu_us += cost_us;
            busy_poll.delivered(completions);
            busy_poll.waited(false, || Duration::from_micros(cpu_us));
        }
        polled
    }

    #[test]
    fn polling_is_used_for_a_few_connections() {
        let polled = waits(&mut BusyPoll::new(LENGTH, Duration::ZERO), 40_000, (1, 20), (1, 6));
        assert!(polled > 38_000, "{polled}");
    }

    #[test]
    fn sleeping_is_used_when_responses_accumulate() {
        let polled = waits(&mut BusyPoll::new(LENGTH, Duration::ZERO), 40_000, (50, 230), (2, 10));
        assert!(polled < 1_000, "{polled}");
    }

    #[test]
    fn cpu_time_before_the_first_wait_is_ignored() {
        let (set_up, mut cpu_us) = (Duration::from_secs(1), 0);
        let mut busy_poll = BusyPoll::new(LENGTH, set_up);
        for _ in 0..2 * MEASURED_WAITS {
            cpu_us += if busy_poll.next().is_some() { 30 } else { 20 };
            busy_poll.delivered(1);
            busy_poll.waited(false, || set_up + Duration::from_micros(cpu_us));
        }
        assert_eq!(busy_poll.next(), None, "polling costs more here");
    }

    #[test]
    fn futile_polling_is_measured_again_soon() {
        let mut busy_poll = BusyPoll::new(LENGTH, Duration::ZERO);
        waits(&mut busy_poll, 2 * MEASURED_WAITS, (1, 20), (1, 6));
        assert_eq!(busy_poll.next(), Some(LENGTH));
        (0..SETTLED_WAITS / FUTILE_WEIGHT).for_each(|_| busy_poll.waited(true, Duration::default));
        assert_eq!(busy_poll.next(), None);
    }

    #[test]
    fn a_zero_length_disables_polling() {
        let mut busy_poll = BusyPoll::NONE;
        assert_eq!(waits(&mut busy_poll, 1_000, (1, 20), (1, 6)), 0);
    }

    #[test]
    fn the_cost_of_a_sleep_is_within_its_limits() {
        assert!((COST_MIN..=COST_MAX).contains(&sleep_cost()));
    }
}
