//! What a run shows of each call while it happens, for front ends that print, log or count single calls.
//!
//! A plain run has no observer and pays nothing for this. Each worker owns one [`Observer`]; what it counted is merged when
//! the workers have ended.
#![forbid(unsafe_code)]

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_measure::{Outcome, Sample};
use warwolf_plan::{HttpVersion, Request, RequestId};

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
    pub is_opening: bool,
    /// When the TCP connection that was opened for this call was established; [`Timestamp::NEVER`] when none was.
    pub connected: Timestamp,
    /// The checksum of the body as far as it came ([`rotate_add`](warwolf_measure::rotate_add)), where the plan asks for one;
    /// else zero.
    pub checksum: u16,
    /// The reason phrase of the reply, where the observer wants it; over FTP the last line of the final reply.
    pub reason: &'a [u8],
    /// FTP: the last preliminary reply code, or the last received. 0 for HTTP.
    pub previous_status: u16,
    /// Length of the random data that was generated for the call.
    pub drawn_bytes: u64,
    /// Time spent generating the random data of the request: part of `started` to `sent` that is neither the network's nor
    /// the server's.
    pub preparing: Duration,
    /// The challenges of a 401 or 407, where sessions answer them.
    pub challenges: &'a [Vec<u8>],
    /// The `Set-Cookie` fields of the reply, where sessions keep cookies.
    pub cookies: &'a [Vec<u8>],
    /// The bytes that went over the connection, when the observer asked for them.
    pub exchange: Option<&'a Exchange>,
}

/// The bytes of a call as they went over its connection.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The request as it was sent: its head, and the body unless that is read from a large file. Empty when it was not sent.
    pub request: Vec<u8>,
    /// The head of the final reply, its empty line included.
    pub head: Vec<u8>,
    /// The body without transfer coding, up to [`EXCHANGE_MAX`] bytes.
    pub body: Vec<u8>,
    /// The value of `Content-Encoding`.
    pub encoding: Option<Vec<u8>>,
}

/// Bytes of a body that are kept for an observer.
pub const EXCHANGE_MAX: usize = 1 << 20;

/// Receives every call of one worker when it ends, including those cut off at the stop. It runs on the worker's thread; the
/// time it takes counts as the worker's.
pub trait Observer {
    /// A call has ended.
    fn call(&mut self, record: &CallRecord<'_>);

    /// A session skipped a part of a page because its cached copy is still fresh.
    fn cached(&mut self, session: u64, request: &Request) {
        let _ = (session, request);
    }

    /// Whether records shall carry the bytes of each call. Asked once; costs memory and time.
    fn wants_exchange(&self) -> bool {
        false
    }

    /// Whether records shall carry reason phrases. Asked once.
    fn wants_reasons(&self) -> bool {
        false
    }

    /// The worker is about to wait: a good moment to pass on what was gathered.
    fn pause(&mut self) {}

    /// A connection is being opened for the session of this number.
    fn connecting(&mut self, connection: u32, session: u64, now: Timestamp) {
        let _ = (connection, session, now);
    }

    /// A connection is ready for calls: TCP is established, and TLS where it is used.
    fn connected(&mut self, connection: u32, now: Timestamp) {
        let _ = (connection, now);
    }

    /// A connection has closed. `why` is the failure that broke it, reported once however many calls were on it; `None` when
    /// we closed it, or the server did between calls.
    fn disconnected(&mut self, connection: u32, now: Timestamp, why: Option<Outcome>) {
        let _ = (connection, now, why);
    }

    /// The kernel has taken all `bytes` of a request; reported again each time the request is sent again.
    fn written(&mut self, call: u64, connection: u32, bytes: u64) {
        let _ = (call, connection, bytes);
    }

    /// A session that began at `began` has ended; not reported for sessions that are cut off when the run ends.
    fn session_over(&mut self, session: u64, is_failed: bool, began: Timestamp, now: Timestamp) {
        let _ = (session, is_failed, began, now);
    }

    /// Whether [`request`](Self::request) is wanted. Asked once.
    fn wants_requests(&self) -> bool {
        false
    }

    /// A request is sent, for the first time or again: its head with the empty line, and its body unless that is streamed.
    fn request(&mut self, call: u64, head: &[u8], body: &[u8]) {
        let _ = (call, head, body);
    }
}

/// Makes the observer of the worker of this number, on that worker's thread.
pub type Observers<'a> = &'a (dyn Fn(usize) -> Box<dyn Observer> + Sync);
