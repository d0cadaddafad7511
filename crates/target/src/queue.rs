//! A first-come-first-served queue with C workers, in virtual time.
//!
//! It computes when a response is due from the arrival time and the amount of work of each request, and never waits itself. With
//! Poisson arrivals `--capacity 1000/s --workers 4` is an exact M/M/4 queue, whose waiting times are known from queueing theory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Workers, and the requests that wait for them.
#[derive(Debug)]
pub(crate) struct Queue {
    /// When each worker is free again; the earliest on top.
    free_ns: BinaryHeap<Reverse<u64>>,
    /// When the waiting requests start; ascending, because the queue is first come, first served.
    taken_up_ns: VecDeque<u64>,
    /// Maximum number of waiting requests.
    room: usize,
}

impl Queue {
    /// Creates a queue with `servers` idle workers and room for `room` waiting requests.
    pub(crate) fn new(servers: usize, room: usize) -> Self {
        Self {
            free_ns: (0..servers.max(1)).map(|_| Reverse(0)).collect(),
            taken_up_ns: VecDeque::new(),
            room,
        }
    }

    /// Returns when the response to a request that arrived at `arrived_ns` with `service_ns` of work is due, or `None` if the queue
    /// is full. Must be called in the order of arrivals. `held` maps the end of a service to its end with stalls; a stall also
    /// delays the next request of the worker.
    pub(crate) fn enter(
        &mut self,
        arrived_ns: u64,
        service_ns: u64,
        held: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        while self.taken_up_ns.front().is_some_and(|at| *at <= arrived_ns) {
            self.taken_up_ns.pop_front();
        }
        let mut earliest = self.free_ns.peek_mut()?;
        let taken_up = held(earliest.0.max(arrived_ns));
        if taken_up > arrived_ns {
            if self.taken_up_ns.len() >= self.room {
                return None;
            }
            self.taken_up_ns.push_back(taken_up);
        }
        earliest.0 = held(taken_up + service_ns);
        Some(earliest.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand_distr::{Distribution, Exp1};

    fn at_once(at_ns: u64) -> u64 {
        at_ns
    }

    #[test]
    fn requests_wait_for_the_first_free_worker() {
        let mut queue = Queue::new(2, 100);
        assert_eq!(queue.enter(0, 10, at_once), Some(10));
        assert_eq!(queue.enter(0, 4, at_once), Some(4));
        assert_eq!(queue.enter(1, 10, at_once), Some(14), "the second worker is free at 4");
        assert_eq!(queue.enter(1, 1, at_once), Some(11), "the first at 10");
        assert_eq!(queue.enter(100, 1, at_once), Some(101), "both are idle again");
    }

    #[test]
    fn a_full_queue_rejects_requests() {
        let mut queue = Queue::new(1, 1);
        assert_eq!(queue.enter(0, 10, at_once), Some(10));
        assert_eq!(queue.enter(0, 10, at_once), Some(20));
        assert_eq!(queue.enter(0, 10, at_once), None);
        assert_eq!(
            queue.enter(10, 10, at_once),
            Some(30),
            "there is room once the waiting request has started"
        );
    }

    #[test]
    fn a_stall_also_delays_waiting_requests() {
        let stall = |at_ns: u64| if (5..20).contains(&at_ns) { 20 } else { at_ns };
        let mut queue = Queue::new(1, 100);
        assert_eq!(queue.enter(0, 4, stall), Some(4));
        assert_eq!(queue.enter(0, 4, stall), Some(20), "in service when the stall begins");
        assert_eq!(queue.enter(0, 4, stall), Some(24), "started after the stall");
    }

    #[test]
    fn the_mean_time_of_mm1_matches_theory() {
        // M/M/1 at half load: the mean time in the system is 1 / (mu - lambda) = 2 mean services.
        let mut queue = Queue::new(1, usize::MAX);
        let (mean_ns, requests) = (1_000_000.0, 100_000);
        let mut random = stream(3, 0, Purpose::Service);
        let mut exponential = |mean: f64| -> u64 {
            let sample: f64 = Exp1.sample(&mut random);
            (sample * mean) as u64
        };
        let (mut now, mut sum) = (0, 0.0);
        for _ in 0..requests {
            now += exponential(2.0 * mean_ns);
            sum += (queue.enter(now, exponential(mean_ns), at_once).unwrap() - now) as f64;
        }
        let mean = sum / f64::from(requests) / mean_ns;
        assert!((mean - 2.0).abs() < 0.1, "seed 3 gives {mean}");
    }
}
