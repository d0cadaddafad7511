//! Whether a core was free when somebody wanted it: known without the program under test, by a thread that only sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

/// How long the thread sleeps at a time.
const NAP: Duration = Duration::from_millis(2);
/// A sleeping thread is woken this late on a quiet machine: the timer's slack, and the task that runs at that moment.
const USUAL: Duration = Duration::from_micros(200);
/// Share of the time for which it may be kept from running: half of what makes the p99 of lag an alarm.
const KEPT: f64 = 0.005;

/// A thread on one core that records how late it is woken.
#[derive(Debug)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<bool>,
}

impl Watch {
    /// Starts one on this core, the first being 0. On a machine without that core it sleeps on any.
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

    /// Starts one on each core of this machine.
    pub fn start_all() -> Vec<Self> {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).map(Self::start).collect()
    }

    /// Ends it; true when the core was free whenever it was wanted.
    pub fn was_quiet(self) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(false)
    }
}
