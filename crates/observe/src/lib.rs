//! What a run shows of each call while it happens, for front ends that print, log or count single calls.
//!
//! A plain run has no observer and pays nothing for this. Each worker owns one [`Observer`]; what it counted is merged when
//! the workers have ended.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Outcome, Sample};
use warwolf_plan::{HttpVersion, Request, RequestId};
use warwolf_scan::Scan;
use warwolf_workload::{Captured, Interest};

/// A call that has ended.
#[derive(Clone, Copy, Debug)]
pub struct CallRecord<'a> {
    /// Its instants and its outcome.
    pub sample: &'a Sample,
    /// Number of the session that made it; in a closed loop, of the user.
    pub session: u64,
    /// The request that was sent, whether the plan or a redirect asked for it.
    pub request: &'a Request,
    /// Which of the plan's requests it was; `None` for a request that is not in the plan.
    pub planned: Option<RequestId>,
    /// Version in the reply's status line; that of the request where no reply came.
    pub version: HttpVersion,
    /// The session answers this reply with another call: it follows a redirect, answers a challenge, or repeats the call.
    pub is_continued: bool,
    /// Number of the call in order of creation in this worker. A call that is sent again keeps its number.
    pub call: u64,
    /// The connection it was on; `u32::MAX` when it never had one. Numbers of closed connections are used again.
    pub connection: u32,
    /// Bytes of a chunked reply after the line of its last chunk.
    pub footer_bytes: u32,
    /// It belongs to the requests a session begins with.
    pub is_setup: bool,
    /// When the TCP connection that was opened for this call was established; [`Timestamp::NEVER`] when none was.
    pub connected: Timestamp,
    /// What else the run's [`Interest`] keeps of calls: all that the observer wants, and what sessions need.
    pub kept: &'a Kept,
}

/// What a run keeps of a call and its reply for observers and sessions that want it. Parts that nobody wants are empty.
#[derive(Debug, Default)]
pub struct Kept {
    /// Header fields of the final reply.
    pub headers: Captured,
    /// The first bytes of the body, without transfer coding.
    pub body: Vec<u8>,
    /// The hash of the body as far as it came.
    pub body_hash: u64,
    /// The reason phrase of the reply; over FTP the last line of the final reply.
    pub reason: Vec<u8>,
    /// The status of the last reply before the final one, kept with the reason phrase; 0 when there was none. HTTP: of the last
    /// 1xx reply. FTP: of any reply.
    pub previous_status: u16,
    /// The request as it was sent: its head, and the body unless that is read from a large file. Empty when it was not sent.
    pub request: Vec<u8>,
    /// The head of the final reply, its empty line included.
    pub head: Vec<u8>,
    /// The path that was sent, where it was made for the call; otherwise empty.
    pub path: String,
    /// The evaluation of the reply, and the step that it is for.
    pub scan: Option<(u16, Box<Scan>)>,
    /// Length of the random data that was generated for the call.
    pub drawn_bytes: u64,
    /// Time spent generating the random data of the request: part of `started` to `sent` that is neither the network's nor
    /// the server's.
    pub preparing: Duration,
}

impl Kept {
    /// Nothing.
    pub const NONE: &'static Self = &Self {
        headers: Captured::new(),
        body: Vec::new(),
        body_hash: 0,
        reason: Vec::new(),
        previous_status: 0,
        request: Vec::new(),
        head: Vec::new(),
        path: String::new(),
        scan: None,
        drawn_bytes: 0,
        preparing: Duration::ZERO,
    };

    /// Drops everything that was kept. The memory of a scan stays.
    pub fn clear(&mut self) {
        let Self { headers, body, reason, request, head, path, .. } = self;
        headers.clear();
        path.clear();
        [body, reason, request, head].into_iter().for_each(Vec::clear);
        (self.body_hash, self.previous_status) = (0, 0);
        (self.drawn_bytes, self.preparing) = (0, Duration::ZERO);
    }
}

/// Something besides the end of a call.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A session skipped a part of a page because its cached copy is still fresh.
    Cached {
        /// Number of the session.
        session: u64,
        /// The request that was not sent.
        request: &'a Request,
    },
    /// A connection is being opened.
    Connecting {
        /// Its number.
        connection: u32,
        /// Number of the session that will use it.
        session: u64,
    },
    /// A connection is ready for calls: TCP is established, and TLS where it is used.
    Connected {
        /// Its number.
        connection: u32,
    },
    /// A connection has closed.
    Disconnected {
        /// Its number.
        connection: u32,
        /// The failure that broke it, reported once however many calls were on it. `None` when we closed it, or the server
        /// did between calls.
        why: Option<Outcome>,
    },
    /// A request is sent, for the first time or again. Only for observers that want requests ([`Interest::requests`]).
    Request {
        /// Number of the call.
        call: u64,
        /// The head with its empty line.
        head: &'a [u8],
        /// The body, unless that is streamed.
        body: &'a [u8],
    },
    /// The kernel has taken the whole request; reported again each time it is sent again.
    Written {
        /// Number of the call.
        call: u64,
        /// The connection it was written to.
        connection: u32,
        /// Length of the request.
        bytes: u64,
    },
    /// A session has ended. Not reported for sessions that are cut off when the run ends.
    SessionOver {
        /// Its number.
        session: u64,
        /// Whether it failed.
        is_failed: bool,
        /// When it began.
        began: Timestamp,
    },
}

/// Receives every call of one worker when it ends, including those cut off at the stop. It runs on the worker's thread; the
/// time it takes counts as the worker's.
pub trait Observer {
    /// A call has ended.
    fn call(&mut self, record: &CallRecord<'_>);

    /// Something else has happened, at `now`.
    fn event(&mut self, event: &Event<'_>, now: Timestamp) {
        let _ = (event, now);
    }

    /// The worker is about to wait: a good moment to print what was gathered.
    fn pause(&mut self) {}

    /// Adds what this observer wants to see besides the plain record. Asked once.
    fn add_interest(&self, interest: &mut Interest) {
        let _ = interest;
    }
}

/// Makes one observer per worker, and takes them back when the workers have ended.
#[derive(Debug)]
pub struct Observers<F, O> {
    make: F,
    ended: Mutex<Vec<O>>,
}

impl<O: Observer, F: Fn() -> O> Observers<F, O> {
    /// Observers that `make` creates, each on the thread of its worker.
    pub const fn new(make: F) -> Self {
        Self { make, ended: Mutex::new(Vec::new()) }
    }

    /// The observers whose workers have ended, in any order.
    pub fn into_ended(self) -> Vec<O> {
        self.ended.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives each worker its observer.
pub trait ObserverSource: Sync {
    /// An observer for the worker on this thread, which drops it when it ends.
    fn observer(&self) -> Box<dyn Observer + '_>;
}

impl<O: Observer + Send, F: Fn() -> O + Sync> ObserverSource for Observers<F, O> {
    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(Lent { observer: Some((self.make)()), ended: &self.ended })
    }
}

/// An observer that goes back to where it came from when its worker drops it.
struct Lent<'a, O> {
    /// Present until the drop.
    observer: Option<O>,
    ended: &'a Mutex<Vec<O>>,
}

impl<O: Observer> Observer for Lent<'_, O> {
    fn call(&mut self, record: &CallRecord<'_>) {
        self.observer.iter_mut().for_each(|observer| observer.call(record));
    }

    fn event(&mut self, event: &Event<'_>, now: Timestamp) {
        self.observer.iter_mut().for_each(|observer| observer.event(event, now));
    }

    fn pause(&mut self) {
        self.observer.iter_mut().for_each(O::pause);
    }

    fn add_interest(&self, interest: &mut Interest) {
        self.observer.iter().for_each(|observer| observer.add_interest(interest));
    }
}

impl<O> Drop for Lent<'_, O> {
    fn drop(&mut self) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(self.observer.take());
    }
}
