//! Waiting for a server that was overloaded.

/// Maximum number of measurements.
const MEASUREMENTS_MAX: u32 = 10;
/// The server is idle when its latency is no longer below this share of the previous one.
const IMPROVING: f64 = 0.5;

/// Decides from the latency of single calls whether a server has worked off the queue of an overload.
#[derive(Clone, Copy, Debug)]
pub struct Recovery {
    before_ns: f64,
    left: u32,
}

impl Recovery {
    /// A server that may still have a queue.
    #[must_use]
    pub const fn new() -> Self {
        Self { before_ns: f64::INFINITY, left: MEASUREMENTS_MAX }
    }

    /// Whether to measure again.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Takes the mean latency of a few single calls in nanoseconds; `None` if none completed.
    pub fn add(&mut self, mean_ns: Option<f64>) {
        let now_ns = mean_ns.unwrap_or(f64::INFINITY);
        let is_idle = now_ns.is_finite() && now_ns > self.before_ns * IMPROVING;
        self.left = if is_idle { 0 } else { self.left.saturating_sub(1) };
        self.before_ns = now_ns;
    }
}

impl Default for Recovery {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurements(latencies_ms: &[Option<f64>]) -> usize {
        let mut recovery = Recovery::new();
        let mut latencies = latencies_ms.iter().copied();
        std::iter::from_fn(|| {
            (!recovery.is_over()).then(|| recovery.add(latencies.next().flatten().map(|ms| ms * 1e6)))
        })
        .count()
    }

    #[test]
    fn it_is_over_when_the_latency_no_longer_halves() {
        assert_eq!(measurements(&[Some(1.0), Some(1.0)]), 2);
        assert_eq!(measurements(&[Some(900.0), Some(300.0), Some(100.0), Some(90.0)]), 4);
    }

    #[test]
    fn it_ends_even_if_the_server_never_answers() {
        assert_eq!(measurements(&[]), 10);
        assert_eq!(measurements(&[None, Some(5.0), Some(4.0)]), 3);
    }
}
