//! Who wants to see every call, not only what they add up to: verbose lines, logs, thresholds.

use warwolf_http::Version;
use warwolf_measure::Sample;
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
    /// The session answers this reply with another call: it follows a redirect.
    pub is_continued: bool,
}

/// Sees every call that ends, those included that are cut at the stop. Each worker has its own, on its own thread; what
/// it does there counts as the worker's time.
pub trait Witness {
    /// A call has ended.
    fn call(&mut self, seen: &Seen<'_>);

    /// The worker is about to wait: a good moment to hand on what was gathered.
    fn pause(&mut self) {}
}

/// Makes the witness of the worker of this number, on that worker's thread.
pub type Witnesses<'a> = &'a (dyn Fn(usize) -> Box<dyn Witness> + Sync);
