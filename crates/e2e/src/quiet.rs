//! Detects whether other processes used a core, independently of the program under test, with a thread that only sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

/// The length of one sleep.
const NAP: Duration = Duration::from_millis(2);
/// Normal delay of a wake-up on a quiet machine: timer slack and short activity of other threads.
const USUAL: Duration = Duration::from_micros(200);
/// Maximum share of the time that the thread may be late: half of the share that makes the p99 of lag an alarm.
const KEPT: f64 = 0.005;

/// A thread on one core that records the delay of its wake-ups.
#[derive(Debug)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<bool>,
}

impl Watch {
    /// Starts a thread on this core, numbered from 0. If the core does not exist, the thread may run on any core.
    pub fn start(core: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut cores = CpuSet::new();
            cores.set(core);
            let _ = sched_setaffinity(None, &cores);
            let (began, mut kept) = (Instant::now(), Duration::ZERO);
            while !stopped.load(Ordering::Relaxed) {
                let slept = Instant::now();
                std::thread::sleep(NAP);
                kept += slept.elapsed().saturating_sub(NAP + USUAL);
            }
            kept.as_secs_f64() < KEPT * began.elapsed().as_secs_f64()
        });
        Self { stop, thread }
    }

    /// Starts one thread on each core.
    pub fn start_all() -> Vec<Self> {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).map(Self::start).collect()
    }

    /// Stops the thread and returns whether it always woke on time.
    pub fn was_quiet(self) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(false)
    }
}
