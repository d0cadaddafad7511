//! Whether the tool's core was there when it was wanted: known without the tool, by a thread that only sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// How long the thread sleeps at a time.
const NAP: Duration = Duration::from_millis(2);
/// A thread that sleeps is woken so late on a quiet machine: the timer's slack, and whoever works at the moment.
const USUAL: Duration = Duration::from_micros(200);
/// Share of the time for which it may be kept from running: half of what makes the p99 of lag an alarm.
const KEPT: f64 = 0.005;

/// A thread on the tool's core that notes how late it is woken.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<bool>,
}

impl Watch {
    /// Starts it.
    pub(crate) fn start(core: &str) -> Result<Self> {
        let mut cores = CpuSet::new();
        cores.set(core.parse()?)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            // Where the core is not ours to choose, the tool is not on it either.
            let _ = sched_setaffinity(Pid::from_raw(0), &cores);
            let (began, mut kept) = (Instant::now(), Duration::ZERO);
            while !stopped.load(Ordering::Relaxed) {
                let slept = Instant::now();
                std::thread::sleep(NAP);
                kept += slept.elapsed().saturating_sub(NAP + USUAL);
            }
            kept.as_secs_f64() < KEPT * began.elapsed().as_secs_f64()
        });
        Ok(Self { stop, thread })
    }

    /// Ends it: whether it had the core whenever it wanted it.
    pub(crate) fn was_quiet(self) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or(false)
    }
}
