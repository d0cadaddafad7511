//! Who wants to see every call, not only what they add up to: verbose lines, logs, thresholds.

use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_http::Version;
use warwolf_measure::{Outcome, Sample};
use warwolf_plan::{Request, RequestId};

/// A call that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// When things happened to it, and how it ended.
    pub sample: &'a Sample,
    /// Number of the session that made it; in a closed loop, of the user.
    pub session: u64,
    /// What was sent, also when a redirect asked for it.
    pub request: &'a Request,
    /// Which of the plan's requests it was; none when it was not in the plan.
    pub planned: Option<RequestId>,
    /// Version in the reply's status line; that of the request where no reply came.
    pub version: Version,
    /// The session answers this reply with another call: it follows a redirect, answers a challenge, or makes the call again.
    pub is_continued: bool,
    /// Number of the call in order of creation in this worker. A call that is sent or made again keeps it.
    pub call: u64,
    /// The connection it was on; `u32::MAX` when it never had one. A number serves again once its connection is gone.
    pub connection: u32,
    /// Bytes of a chunked reply that follow the line of its last chunk.
    pub footer_bytes: u32,
    /// It was what the session begins with, or what came of that.
    pub is_opening: bool,
    /// When the TCP connection that was opened for this call came to be; [`Timestamp::NEVER`] when none was.
    pub connected: Timestamp,
    /// The checksum of the body as far as it came ([`rotate_add`](warwolf_measure::rotate_add)), where the plan asks for one;
    /// else zero.
    pub checksum: u16,
    /// The reason phrase of the reply, where the witness wants it; over FTP the last line of the final reply.
    pub reason: &'a [u8],
    /// The status before the final one, or the last where there is no final one, of FTP with its many; else zero.
    pub previous_status: u16,
    /// Length of the random data that was drawn for the call, as it was to be sent.
    pub drawn_bytes: u64,
    /// How long the request was in the making, where it carries random data: time between `started` and `sent` that is
    /// neither the network's nor the server's.
    pub preparing: Duration,
    /// The challenges of a 401 or 407, where sessions answer them.
    pub challenges: &'a [Vec<u8>],
    /// The `Set-Cookie` fields of the reply, where sessions keep cookies.
    pub cookies: &'a [Vec<u8>],
    /// What went over the connection, when the witness asked for it.
    pub exchange: Option<&'a Exchange>,
}

/// What went over the connection of a call.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The request as it was sent: its head, and the body that is not read from a large file. Empty when it never was.
    pub request: Vec<u8>,
    /// The head of the final reply, its empty line included.
    pub head: Vec<u8>,
    /// The body without transfer coding, up to [`EXCHANGE_MAX`] bytes.
    pub body: Vec<u8>,
    /// The value of `Content-Encoding`.
    pub encoding: Option<Vec<u8>>,
}

/// So many bytes of a body are kept for a witness.
pub const EXCHANGE_MAX: usize = 1 << 20;

/// Sees every call that ends, those included that are cut at the stop. Each worker has its own, on its own thread; what
/// it does there counts as the worker's time.
pub trait Witness {
    /// A call has ended.
    fn call(&mut self, seen: &Seen<'_>);

    /// A session left out a part of a page, which is still good.
    fn cached(&mut self, session: u64, request: &Request) {
        let _ = (session, request);
    }

    /// Whether it wants to see what went over the connection. Asked once; costs memory and time.
    fn wants_exchange(&self) -> bool {
        false
    }

    /// Whether it wants reason phrases; asked once.
    fn wants_reasons(&self) -> bool {
        false
    }

    /// The worker is about to wait: a good moment to hand on what was gathered.
    fn pause(&mut self) {}

    /// A connection is being opened, for the session of this number.
    fn connecting(&mut self, connection: u32, session: u64, now: Timestamp) {
        let _ = (connection, session, now);
    }

    /// A connection can carry calls: it is open, and so is TLS on it.
    fn connected(&mut self, connection: u32, now: Timestamp) {
        let _ = (connection, now);
    }

    /// A connection is gone. `why` says what broke it: once, however many calls were on it. None when it was closed in
    /// peace, by us or between calls by the server.
    fn disconnected(&mut self, connection: u32, now: Timestamp, why: Option<Outcome>) {
        let _ = (connection, now, why);
    }

    /// The kernel has all of a request, of so many bytes; told again each time it is sent again.
    fn written(&mut self, call: u64, connection: u32, bytes: u64) {
        let _ = (call, connection, bytes);
    }

    /// A session that began at `began` is over; not told of those that are cut when the run ends.
    fn session_over(&mut self, session: u64, is_failed: bool, began: Timestamp, now: Timestamp) {
        let _ = (session, is_failed, began, now);
    }

    /// Whether [`request`](Self::request) is wanted; asked once.
    fn wants_requests(&self) -> bool {
        false
    }

    /// A request is sent, for the first time or again: its head with the empty line, and its body unless that is streamed.
    fn request(&mut self, call: u64, head: &[u8], body: &[u8]) {
        let _ = (call, head, body);
    }
}

/// Makes the witness of the worker of this number, on that worker's thread.
pub type Witnesses<'a> = &'a (dyn Fn(usize) -> Box<dyn Witness> + Sync);
