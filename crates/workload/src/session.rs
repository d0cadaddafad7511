//! One user's remaining steps.
//!
//! A session decides what comes next and receives the replies; it is neither a connection nor a call. The engine holds
//! thousands, so state that only some need (cookies, redirects) is allocated on first use, and randomness needs no memory.

use crate::cookies::Cookies;
use crate::data;
use crate::feed::{FedRequest, Feed};
use crate::fields::AddField;
use crate::interceptors::failure::{self, Judgement};
use crate::interceptors::{Extras, Interceptor, Next, Provenance, setup};
use crate::interest::{Captured, Interest, is_page};
use crate::page::Page;
use crate::program::{Position, Program};
use crate::seed::{Purpose, Stream, Streams};
use crate::steps::{GroupRecord, Names, Programs};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::{
    CheckedPlan, CookiePolicy, FailureRule, HoleValue, RandomData, Request, RequestId, Shard, Work,
};
use warwolf_scan::Scan;

mod scenario;

/// What all sessions of a plan share.
///
/// [`Session::next`] takes it by `&mut`, because all sessions of a run may share one cursor in the list of requests.
#[derive(Debug)]
pub struct Workload {
    /// Where planned calls take their requests from, instead of the plan's list.
    feed: Option<Feed>,
    program: Program,
    setup: Vec<Request>,
    failure: FailureRule,
    cookies: CookieRules,
    interceptors: Vec<Interceptor>,
    /// Sessions make one call, so they do not use what its reply sets.
    is_single: bool,
    nonces: Streams,
    data: Streams,
    /// The scenarios of the plan, if it has any; planned calls then come from these.
    programs: Option<Programs>,
    /// Groups that sessions have ended since they were last taken.
    groups: Vec<GroupRecord>,
    /// The intended time of the next call of the session that is asked.
    now: Timestamp,
    /// What sessions that are over leave to those that come.
    #[expect(clippy::vec_box, reason = "sessions hold boxes, which move in and out of it")]
    spare: Vec<Box<Extras>>,
    /// Memory for replies that are scanned, by step.
    #[expect(clippy::vec_box, reason = "calls hold boxes, which move in and out of it")]
    scans: Vec<Vec<Box<Scan>>>,
}

/// Which cookies sessions start with and keep.
#[derive(Clone, Debug)]
struct CookieRules {
    policy: CookiePolicy,
    /// The initial cookies of sessions, by session number.
    initial: HashMap<u64, Cookies>,
    forget_after: Option<u64>,
}

impl Workload {
    /// Creates what all sessions of `plan` share.
    #[must_use]
    pub fn new(plan: &CheckedPlan) -> Self {
        Self::of_shard(plan, Shard::WHOLE)
    }

    /// Creates what all sessions of a shard of `plan` share.
    #[must_use]
    pub fn of_shard(plan: &CheckedPlan, shard: Shard) -> Self {
        let mut initial: HashMap<u64, Cookies> = HashMap::new();
        for cookie in &plan.session.initial_cookies {
            initial.entry(cookie.session).or_default().begin_with(cookie);
        }
        let interceptors = Interceptor::all(plan);
        let programs = Programs::new(plan, &Arc::new(Names::new(plan, plan.contents())), shard);
        let steps = programs.as_ref().map_or(0, Programs::len);
        let is_one_call = plan.is_open()
            && programs.is_none()
            && matches!(plan.session.work, Work::Draw { calls: Some(1), .. });
        Self {
            feed: None,
            program: Program::new(plan),
            is_single: is_one_call && interceptors.is_empty() && plan.session.setup.is_empty(),
            setup: plan.session.setup.clone(),
            failure: plan.session.failure.clone(),
            cookies: CookieRules {
                policy: plan.session.cookies,
                initial,
                forget_after: plan.session.forget_cookies_after,
            },
            interceptors,
            nonces: Streams::new(plan.seed, Purpose::NONCES),
            data: Streams::new(plan.seed, Purpose::DATA),
            programs,
            groups: Vec::new(),
            now: Timestamp::ZERO,
            spare: Vec::new(),
            scans: (0..steps).map(|_| Vec::new()).collect(),
        }
    }

    /// The same, with the requests of planned calls from a feed.
    #[must_use]
    pub fn with_feed(mut self, feed: Option<Feed>) -> Self {
        self.feed = feed;
        self
    }

    /// The feed, if requests come from one.
    #[must_use]
    pub const fn feed(&self) -> Option<&Feed> {
        self.feed.as_ref()
    }

    /// The feed, if requests come from one.
    pub const fn feed_mut(&mut self) -> Option<&mut Feed> {
        self.feed.as_mut()
    }

    /// Creates session `number`, before its first step. In a closed loop this is the user of that number.
    #[must_use]
    #[inline]
    pub fn session(&self, number: u64) -> Session {
        let initial = self.cookies.initial.get(&number).cloned();
        Session {
            number,
            position: self.program.start(number),
            extras: initial.map(|cookies| Box::new(Extras::with(cookies))),
            outstanding: 0,
            phase: Phase::Fresh,
            failed: false,
        }
    }

    /// Returns what sessions need of replies.
    #[must_use]
    pub fn interest(&self) -> Interest {
        let mut interest = Interest::default();
        if self.cookies.policy != CookiePolicy::Off && !self.is_single {
            interest.add_header("set-cookie");
            // Expiry is computed by the server's clock.
            interest.add_header("date");
        }
        self.interceptors.iter().for_each(|interceptor| interceptor.add_interest(&mut interest));
        interest
    }

    /// Returns whether a list of requests that is sent once is used up and one more call was due: the run is over.
    #[must_use]
    pub const fn is_exhausted(&self) -> bool {
        self.program.is_exhausted()
    }
}

/// Identifies a call of a session. [`Session::next`] returns one with each request to send, and the [`Reply`] contains it.
/// The caller stores it with the call and does not interpret it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token(u32);

impl Token {
    /// Set in the tokens of calls that are not in the plan.
    const UNPLANNED: u32 = 1 << 31;

    /// For the planned call of this number in its session.
    const fn planned(number: u64) -> Self {
        Self(number as u32 & !Self::UNPLANNED)
    }

    /// For the call of this number among those of its session that are not in the plan.
    pub(crate) const fn unplanned(number: u32) -> Self {
        Self(number | Self::UNPLANNED)
    }

    const fn is_planned(self) -> bool {
        self.0 & Self::UNPLANNED == 0
    }
}

/// A request that a session asks to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRequest {
    /// One of the plan's requests.
    Planned(RequestId),
    /// A request that is not in the plan's list, such as the target of a redirect.
    Unplanned(Box<Request>),
}

/// What a session does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this request, and ask again at once: there may be more to send beside it.
    Send {
        /// Returned with the reply.
        token: Token,
        /// The request to send.
        request: CallRequest,
    },
    /// Nothing is sent: the copy of this page resource is still fresh. Ask again at once.
    Cached(Box<Request>),
    /// Nothing until a reply is received.
    Wait,
    /// Nothing until the feed has a request: ask again soon.
    Starved,
    /// Nothing for this long, which is more than zero.
    Think(Duration),
    /// Nothing any more. All replies were received.
    Done,
}

/// The result of a call of a session.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// The token of the step that requested the call.
    pub token: Token,
    /// Whether the whole reply was received.
    pub completed: bool,
    /// Its status; meaningless unless completed.
    pub status: u16,
    /// What was sent. Of a template, [`Self::path`] is the path.
    pub request: &'a Request,
    /// The path as it was sent: the base of a relative redirect and the scope of the cookies.
    pub path: &'a str,
    /// Its header fields that the [`Interest`] names.
    pub headers: &'a Captured,
    /// Its body, as much of it as the interest asks for.
    pub body: &'a [u8],
    /// When its call was intended.
    pub intended: Timestamp,
    /// When the reply was complete.
    pub at: Timestamp,
    /// What its captures and checks came to; none if the call has none.
    pub scan: Option<&'a Scan>,
}

impl<'a> Reply<'a> {
    /// Returns the status of a whole reply; none when it was not received.
    pub(crate) fn status(&self) -> Option<u16> {
        self.completed.then_some(self.status)
    }

    /// Returns the page that the reply shows, if there is one.
    pub(crate) fn page(&self) -> Option<Page<'a>> {
        let page = Page { body: self.body, encoding: self.headers.get("content-encoding") };
        is_page(self.status, self.headers.get("content-type")).then_some(page)
    }

    /// No reply, or not the whole of it, to `request`, which was sent for the step with this `token`.
    #[must_use]
    pub fn failed(token: Token, request: &'a Request) -> Self {
        Self {
            token,
            completed: false,
            status: 0,
            request,
            path: &request.path,
            headers: Captured::NONE,
            body: &[],
            intended: Timestamp::ZERO,
            at: Timestamp::ZERO,
            scan: None,
        }
    }

    /// The request as it was sent.
    pub(crate) fn sent(&self) -> Cow<'a, Request> {
        match self.request.is_template {
            true => Cow::Owned(self.request.sent_as(self.path)),
            false => Cow::Borrowed(self.request),
        }
    }
}

/// How a session continues after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequel {
    /// It continues as planned.
    AsPlanned,
    /// It makes a call that was not planned: a redirect, a challenge.
    Another,
    /// The same call is repeated: nothing has ended, and [`Session::next`] is not called.
    Again,
}

/// Bytes that are kept of the only cookie of a session
const LAST_COOKIE_MAX: usize = 245;

/// One user's remaining steps: 64 bytes, and more only for cookies and unplanned calls.
///
/// ```text
///                next: Send     next: Wait until all replies are here
///   Fresh ─► (Setup) ──► Busy ─┬──────────────► next: Done ───► Over
///                         ▲    │ more bursts            ▲
///                         │    ▼                        │
///                         └─ Paused ◄─ next: Think      └─ a failure, once the replies still out are here
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    number: u64,
    position: Position,
    extras: Option<Box<Extras>>,
    /// Calls, planned and unplanned, whose replies have not come.
    outstanding: u32,
    phase: Phase,
    failed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Fresh,
    /// The setup call is in flight, or a call that came of it.
    Setup,
    Busy,
    Paused,
    Over,
}

impl Session {
    /// Returns the next step. Called at the start, after each `Send`, after each reply, and when a pause is over.
    #[inline]
    pub fn next(&mut self, workload: &mut Workload) -> Step {
        if self.extras.is_some()
            && let Some(step) = self.next_unplanned()
        {
            return step;
        }
        if let Some(programs) = &mut workload.programs {
            let (groups, spare) = (&mut workload.groups, &mut workload.spare);
            return self.next_in_scenario(programs, workload.now, groups, spare);
        }
        match self.phase {
            Phase::Over => return self.end(),
            Phase::Setup if self.outstanding > 0 => return Step::Wait,
            Phase::Fresh | Phase::Setup => {
                if let Some(step) = self.set_up(workload).or_else(|| self.begin(workload)) {
                    return step;
                }
            }
            Phase::Busy if self.position.left == 0 => {
                if let Some(step) = self.end_burst(workload) {
                    return step;
                }
            }
            Phase::Paused | Phase::Busy => {}
        }
        self.phase = Phase::Busy;
        if let Some(feed) = &mut workload.feed {
            return self.next_fed(feed);
        }
        let number = self.position.sent;
        match workload.program.take(self.number, &mut self.position, self.outstanding > 0) {
            Some(request) => {
                self.forget_cookies(workload, number);
                self.outstanding += 1;
                Step::Send { token: Token::planned(number), request: CallRequest::Planned(request) }
            }
            None if workload.is_exhausted() => {
                self.phase = Phase::Over;
                self.end()
            }
            None => Step::Wait,
        }
    }

    /// Returns true only if the next step is to wait for a reply: asking is cheaper than taking that step. Returns false where
    /// only the step itself can tell.
    #[must_use]
    #[inline]
    pub const fn awaits_reply(&self) -> bool {
        matches!(self.phase, Phase::Busy)
            && self.position.left == 0
            && self.outstanding > 0
            && self.extras.is_none()
    }

    /// Returns the next planned call with the next request of the feed.
    fn next_fed(&mut self, feed: &mut Feed) -> Step {
        match feed.take() {
            Some(FedRequest { request, target, .. }) => {
                let token = Token::planned(self.position.sent);
                self.position.take_fed(target);
                self.outstanding += 1;
                Step::Send { token, request: CallRequest::Unplanned(Box::new(request)) }
            }
            None if feed.is_over() => {
                self.phase = Phase::Over;
                self.end()
            }
            None if self.outstanding > 0 => Step::Wait,
            None => Step::Starved,
        }
    }

    /// Handles the result of a call: applies the failure rule, keeps cookies, and passes the reply to the interceptors. Returns
    /// how the session continues.
    ///
    /// # Panics
    /// When no call is in flight.
    #[inline]
    pub fn reply(&mut self, workload: &Workload, reply: &Reply<'_>) -> Sequel {
        assert!(self.outstanding > 0, "a session got a reply while it waits for none");
        match failure::judge(&workload.failure, reply) {
            Judgement::Again if self.phase != Phase::Over => return Sequel::Again,
            Judgement::Failed if self.phase != Phase::Setup => self.fail(),
            _ => {}
        }
        self.outstanding -= 1;
        let from = self.close(reply.token);
        if reply.completed && workload.cookies.policy != CookiePolicy::Off {
            self.keep_cookies(workload.cookies.policy, reply);
        }
        if self.phase == Phase::Over {
            return Sequel::AsPlanned;
        }
        if workload.interceptors.is_empty() && workload.programs.is_none() {
            return Sequel::AsPlanned;
        }
        let limit = self.steps(workload).and_then(|(steps, programs)| steps.redirects(programs));
        let another = workload
            .interceptors
            .iter()
            .find_map(|interceptor| interceptor.reply(&mut self.extras, reply, from, limit));
        let sequel = if another.is_some() { Sequel::Another } else { Sequel::AsPlanned };
        if let (Some(programs), Some(extras)) = (&workload.programs, &mut self.extras)
            && let Some(steps) = &mut extras.steps
            && from.depth == 0
        {
            steps.reply(programs, reply, another.is_none());
        }
        if let Some(call) = another {
            self.extras.get_or_insert_default().push(call);
        }
        sequel
    }

    /// Returns the planned request of the last `Send`.
    #[must_use]
    pub const fn request(&self) -> Option<RequestId> {
        self.position.last
    }

    /// Gives `add` the header fields that this session adds to `request`, which is sent with this path: its answers to challenges, and `Cookie` unless no
    /// cookie goes with the request or the request has such a field of its own (RFC 6265 section 5.4 allows one). A `Cookie`
    /// field without a value marks where those of the session go; a request that has one gets them beside its own.
    #[inline]
    pub fn write_fields(&mut self, workload: &Workload, request: &Request, path: &str, add: AddField<'_>) {
        let Some(extras) = &mut self.extras else { return };
        let nonce = workload.nonces.stream(self.number).bits(extras.nonces);
        extras.nonces += 1;
        extras.answers.write(request, path, nonce, add);
        if !extras.last_cookie.is_empty() {
            add("Cookie", &|out| out.extend_from_slice(&extras.last_cookie));
        }
        if extras.cookies.is_empty() {
            return;
        }
        let is_cookie = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("cookie");
        let mut given = request.headers.iter().filter(is_cookie).peekable();
        if given.peek().is_none() || given.any(|(_, value)| value.is_empty()) {
            extras.cookies.write(&request.endpoint, path, add);
        }
    }

    /// Appends the value of a hole in the head of `request`. Returns the length of the random data in it.
    pub fn write_value(
        &mut self,
        workload: &Workload,
        request: &Request,
        value: HoleValue,
        out: &mut Vec<u8>,
    ) -> u64 {
        match value {
            HoleValue::Session => {
                out.extend_from_slice(self.number.to_string().as_bytes());
                0
            }
            HoleValue::Path => {
                out.extend(request.path.chars().map(|letter| letter as u8));
                0
            }
            HoleValue::Random(data) => data::write_line(self.chance(workload), data, out),
        }
    }

    /// Appends random data as the body of a call, with the end of the head that announces it. Returns the length of the body.
    pub fn write_body(&mut self, workload: &Workload, data: RandomData, out: &mut Vec<u8>) -> u64 {
        data::write_body(self.chance(workload), data, out)
    }

    /// Returns the stream for the next random data of this session: the n-th is the same in every run of a seed.
    fn chance(&mut self, workload: &Workload) -> Stream {
        let extras = self.extras.get_or_insert_default();
        extras.generated += 1;
        workload.data.stream(self.number).branch(extras.generated - 1)
    }

    /// Returns the number of calls it has requested: steps with a request that [`Self::next`] returned.
    #[must_use]
    pub fn calls_asked(&self) -> u64 {
        self.position.sent + self.extras.as_ref().map_or(0, |extras| extras.asked)
    }

    /// Returns its number: that of its arrival.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Ends it early: it makes no further call.
    pub fn give_up(&mut self) {
        self.phase = Phase::Over;
        if let Some(extras) = &mut self.extras {
            extras.clear_pending();
        }
    }

    /// Returns whether a failure ended it, by the plan's failure rule.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.failed
    }

    /// Returns whether its setup call, or a call that resulted from it, is in flight.
    #[must_use]
    pub fn is_setup(&self) -> bool {
        self.phase == Phase::Setup
    }

    /// Returns the setup call, if the plan has one and the session makes any call.
    fn set_up(&mut self, workload: &Workload) -> Option<Step> {
        if self.phase != Phase::Fresh || self.position.calls == 0 {
            return None;
        }
        let call = setup::call(&workload.setup, self.number)?;
        self.phase = Phase::Setup;
        self.extras.get_or_insert_default().push(call);
        self.next_unplanned()
    }

    /// Enters the first burst, or returns what comes before it.
    fn begin(&mut self, workload: &Workload) -> Option<Step> {
        if !workload.program.enter(&mut self.position) {
            return Some(self.end());
        }
        let pause = workload.program.pause_before(self.number, &self.position);
        if pause.is_zero() {
            return None;
        }
        self.phase = Phase::Paused;
        Some(Step::Think(pause))
    }

    /// Enters the burst after one that is sent, or returns what comes before it.
    fn end_burst(&mut self, workload: &Workload) -> Option<Step> {
        if self.outstanding > 0 {
            return Some(Step::Wait);
        }
        let program = &workload.program;
        let pause = program.pause(self.number, &self.position);
        if !program.enter_next(&mut self.position) {
            self.phase = Phase::Over;
            let is_last = program.pauses_at_end() && !pause.is_zero();
            return Some(if is_last { Step::Think(pause) } else { self.end() });
        }
        if pause.is_zero() {
            return None;
        }
        self.phase = Phase::Paused;
        Some(Step::Think(pause))
    }

    fn next_unplanned(&mut self) -> Option<Step> {
        let is_busy = self.phase == Phase::Busy;
        match self.extras.as_mut()?.pop(is_busy, self.outstanding)? {
            Next::Send(token, request) => {
                self.outstanding += 1;
                Some(Step::Send { token, request: CallRequest::Unplanned(Box::new(request)) })
            }
            Next::Skip(request) => Some(Step::Cached(Box::new(request))),
        }
    }

    fn end(&mut self) -> Step {
        self.phase = Phase::Over;
        if self.outstanding > 0 { Step::Wait } else { Step::Done }
    }

    /// Ends as failed: nothing more is sent.
    #[cold]
    fn fail(&mut self) {
        self.failed = true;
        self.phase = Phase::Over;
        if let Some(extras) = &mut self.extras {
            extras.clear();
        }
    }

    /// Returns how a finished call came about.
    #[inline]
    fn close(&mut self, token: Token) -> Provenance {
        if token.is_planned() {
            return Provenance::PLANNED;
        }
        let from = self.extras.as_mut().and_then(|extras| extras.close(token));
        from.expect("a reply has the token of a call in flight")
    }

    fn keep_cookies(&mut self, policy: CookiePolicy, reply: &Reply<'_>) {
        match policy {
            CookiePolicy::Off => {}
            CookiePolicy::LastValue => {
                // The line ends of a folded field would be part of the requests.
                let is_plain =
                    |field: &&[u8]| !field.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t');
                if let Some(field) = reply.headers.all("set-cookie").filter(is_plain).last() {
                    let text = field.split(|byte| *byte == b';').next().unwrap_or_default();
                    let text = &text[..text.len().min(LAST_COOKIE_MAX)];
                    self.extras.get_or_insert_default().last_cookie = text.to_vec();
                }
            }
            CookiePolicy::Jar => {
                let date = reply.headers.get("date");
                for field in reply.headers.all("set-cookie") {
                    self.extras.get_or_insert_default().cookies.set(
                        &reply.request.endpoint,
                        reply.path,
                        field,
                        date,
                    );
                }
            }
        }
    }

    /// Prepares planned call `number`: drops the cookies if the plan replaces the session by a new visitor.
    #[inline]
    fn forget_cookies(&mut self, workload: &Workload, number: u64) {
        let Some(extras) = &mut self.extras else { return };
        if workload.cookies.forget_after.is_some_and(|calls| number > 0 && number.is_multiple_of(calls)) {
            extras.cookies = Cookies::default();
            extras.last_cookie.clear();
        }
    }
}

#[cfg(test)]
mod tests;
