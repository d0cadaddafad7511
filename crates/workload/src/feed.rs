//! Requests that come from outside the plan while it runs, such as those of an access log.
//!
//! A [`Feeder`] fills one bounded queue per worker; a worker takes requests from its [`Feed`]. Memory depends on the limits of the
//! queues, not on the number of requests.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use warwolf_clock::Timestamp;
use warwolf_plan::Request;

/// Limits of a queue: requests, and their bytes. One request is accepted whatever its size.
const REQUESTS_MAX: usize = 4_096;
const BYTES_MAX: usize = 32 << 20;
/// Requests that a worker takes from its queue at once.
const TAKEN_MAX: usize = 256;

/// A request for the next session or call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FedRequest {
    /// When it is intended; ignored in a closed loop. Not before that of the request before it.
    pub at: Timestamp,
    /// What is sent.
    pub request: Request,
    /// The row of the table of targets that it is counted in.
    pub target: u32,
    /// About how many bytes it takes in memory.
    pub size_bytes: usize,
}

/// A queue between the feeder and one worker.
#[derive(Debug, Default)]
struct Queue {
    requests: VecDeque<FedRequest>,
    size_bytes: usize,
    /// No more will come.
    is_over: bool,
    /// The worker takes no more.
    is_gone: bool,
}

impl Queue {
    fn has_room(&self) -> bool {
        self.requests.len() < REQUESTS_MAX && self.size_bytes < BYTES_MAX
    }
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    has_changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills the queues of all workers.
#[derive(Debug)]
pub struct Feeder {
    queues: Vec<Arc<Shared>>,
    /// The queue that gets the next request.
    next: usize,
    taken: Taken,
}

/// How many requests sessions took; complete when the run is over.
#[derive(Clone, Debug, Default)]
pub struct Taken(Arc<AtomicU64>);

impl Taken {
    /// The number of requests.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

impl Feeder {
    /// A feeder with the feeds of `workers` workers, at least one.
    #[must_use]
    pub fn new(workers: usize) -> (Self, Vec<Feed>) {
        let queues: Vec<Arc<Shared>> = (0..workers.max(1)).map(|_| Arc::default()).collect();
        let taken = Taken::default();
        let feeds = queues.iter().map(|shared| Feed::of(Arc::clone(shared), taken.clone())).collect();
        (Self { queues, next: 0, taken }, feeds)
    }

    /// How many requests sessions take.
    #[must_use]
    pub fn taken(&self) -> Taken {
        self.taken.clone()
    }

    /// Queues a request, for the next worker that has room. Blocks while none has. Returns false once the run is over.
    pub fn send(&mut self, request: FedRequest) -> bool {
        let count = self.queues.len();
        let first = self.next;
        let with_room = (0..count).map(|step| (first + step) % count).find(|index| {
            let queue = self.queues[*index].lock();
            queue.has_room() && !queue.is_gone
        });
        let index = with_room.unwrap_or(first);
        self.next = (index + 1) % count;
        let shared = &self.queues[index];
        let mut queue = shared.lock();
        while !queue.has_room() && !queue.is_gone {
            queue = shared.has_changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if queue.is_gone {
            return false;
        }
        queue.size_bytes += request.size_bytes;
        queue.requests.push_back(request);
        true
    }
}

impl Drop for Feeder {
    fn drop(&mut self) {
        for shared in &self.queues {
            shared.lock().is_over = true;
        }
    }
}

/// The requests of one worker.
#[derive(Debug)]
pub struct Feed {
    shared: Arc<Shared>,
    waiting: VecDeque<FedRequest>,
    /// No more will come than those waiting.
    is_over: bool,
    received: u64,
    taken: u64,
    taken_ns: u64,
    total: Taken,
}

impl Feed {
    fn of(shared: Arc<Shared>, total: Taken) -> Self {
        let waiting = VecDeque::new();
        Self { shared, waiting, is_over: false, received: 0, taken: 0, taken_ns: 0, total }
    }

    /// Takes requests from the queue, and calls `each` with the intended time of each.
    pub fn receive(&mut self, mut each: impl FnMut(Timestamp)) {
        if self.is_over || self.waiting.len() >= TAKEN_MAX {
            return;
        }
        let mut queue = self.shared.lock();
        while self.waiting.len() < TAKEN_MAX
            && let Some(request) = queue.requests.pop_front()
        {
            queue.size_bytes -= request.size_bytes;
            self.received += 1;
            each(request.at);
            self.waiting.push_back(request);
        }
        self.is_over = queue.is_over && queue.requests.is_empty();
        drop(queue);
        self.shared.has_changed.notify_one();
    }

    /// Takes the next request; `None` if there is none now.
    pub(crate) fn take(&mut self) -> Option<FedRequest> {
        let request = self.waiting.pop_front()?;
        self.taken += 1;
        self.taken_ns = self.taken_ns.wrapping_add(request.at.as_nanos());
        Some(request)
    }

    /// Whether there is no request now, and none will come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over && self.waiting.is_empty()
    }

    /// Whether there is no request now, but more will come: the worker has to look again soon.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        !self.is_over && self.waiting.is_empty()
    }

    /// Requests received so far.
    #[must_use]
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// Sum of the intended times of the requests that sessions took, in nanoseconds modulo 2^64.
    #[must_use]
    pub const fn taken_ns(&self) -> u64 {
        self.taken_ns
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.total.0.fetch_add(self.taken, Ordering::AcqRel);
        self.shared.lock().is_gone = true;
        self.shared.has_changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u64, size_bytes: usize) -> FedRequest {
        let request = Request::get("http://a.test/").unwrap();
        FedRequest { at: Timestamp::from_nanos(number), request, target: 0, size_bytes }
    }

    fn received(feed: &mut Feed) -> Vec<u64> {
        let mut times = Vec::new();
        feed.receive(|at| times.push(at.as_nanos()));
        times
    }

    #[test]
    fn requests_alternate_between_workers_and_the_end_follows_the_last() {
        let (mut feeder, mut feeds) = Feeder::new(2);
        assert!((0..5).all(|number| feeder.send(request(number, 1))));
        assert!(!feeds[1].is_over());
        drop(feeder);
        assert_eq!(feeds.iter_mut().map(received).collect::<Vec<_>>(), [vec![0, 2, 4], vec![1, 3]]);
        let taken: Vec<u64> = std::iter::from_fn(|| feeds[0].take()).map(|fed| fed.at.as_nanos()).collect();
        assert_eq!((taken, feeds[0].taken_ns(), feeds[0].received()), (vec![0, 2, 4], 6, 3));
        assert!(feeds[0].is_over() && !feeds[0].is_behind() && !feeds[1].is_over());
    }

    #[test]
    fn a_full_queue_is_passed_over_and_a_worker_that_has_ended_ends_the_feed() {
        let (mut feeder, mut feeds) = Feeder::new(2);
        assert!(feeder.send(request(0, BYTES_MAX)));
        assert!((1..4).all(|number| feeder.send(request(number, 1))));
        assert_eq!(received(&mut feeds[1]), [1, 2, 3], "the first queue is full");
        assert!(feeds[1].is_over() || feeds[1].waiting.len() == 3);
        drop(feeds);
        assert_eq!(feeder.taken().count(), 0);
        assert!(!feeder.send(request(4, 1)));
    }

    #[test]
    fn a_feeder_waits_for_room() {
        let (mut feeder, mut feeds) = Feeder::new(1);
        let feed = &mut feeds[0];
        let total = std::thread::scope(|scope| {
            scope.spawn(move || assert!((0..10_000).all(|number| feeder.send(request(number, 1)))));
            let mut total = 0;
            while !feed.is_over() {
                assert!(feed.shared.lock().requests.len() <= REQUESTS_MAX);
                received(feed);
                total += std::iter::from_fn(|| feed.take()).count();
            }
            total
        });
        assert_eq!((total, feed.received()), (10_000, 10_000));
    }
}
