//! One user's remaining steps.
//!
//! Not a connection and not a call: a session says what comes next and is told how it went. The engine holds thousands,
//! so what only some need (cookies, redirects) is made when it is first needed, and chance needs no memory at all.

mod admission;

use crate::auth::{Answers, Verdict};
use crate::cookies::Cookies;
use crate::data;
use crate::fields::AddField;
use crate::page::{self, Page};
use crate::redirect;
use crate::seed::{Purpose, Streams};
use crate::think;
use admission::Forbidden;
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::{
    Auth, Burst, FailureRule, Fetch, Links, Order, Plan, RandomData, Request, RequestId, Resources, Schedule,
    Script, Think, ThinkAt, Work,
};

/// What all sessions of a plan share.
#[derive(Clone, Debug)]
pub struct Workload {
    work: Work,
    think: Think,
    think_at: ThinkAt,
    failure: FailureRule,
    cookies: bool,
    /// What sessions begin with, by their number.
    jars: HashMap<u64, Cookies>,
    forget_cookies: bool,
    admission: Vec<Request>,
    follow: u32,
    follow_statuses: Vec<u16>,
    follow_with_get: bool,
    opening: Vec<Request>,
    resources: Option<Resources>,
    links: Option<Links>,
    /// Requests in a block, which is all of the plan's unless it says otherwise.
    requests: u64,
    blocks: u64,
    /// Users of a closed loop; none in an open one.
    users: Option<u64>,
    /// Calls after which a closed loop ends.
    calls: u64,
    auth: Option<Auth>,
    lead: bool,
    one_cookie: bool,
    /// Where an order that counts the calls of the whole run stands. All sessions of a worker share it.
    place: Cell<Place>,
    choices: Streams,
    pauses: Streams,
    nonces: Streams,
    data: Streams,
}

/// Where an order over all calls stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Request of the next call, or in a working set of the last one.
    request: u64,
    /// Sum of what the calls of a working set missed.
    missed: f64,
}

/// What a working set's sum begins with: a trifle, so that fractions that were rounded reach one when they should. This one is
/// what glibc's `drand48` gives first, which is where httperf begins.
const FIRST_MISSED: f64 = 11.0 / (1_u64 << 48) as f64;

impl Workload {
    /// What `plan` says about its sessions.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let users = match plan.schedule {
            Schedule::Closed { users, .. } => Some(u64::from(users).max(1)),
            Schedule::Open { .. } | Schedule::Turns { .. } => None,
        };
        let first = match plan.session.work {
            Work::Draw { order: Order::WorkingSet { first, .. }, .. } => first.into(),
            _ => 0,
        };
        let mut jars: HashMap<u64, Cookies> = HashMap::new();
        for cookie in &plan.session.jar {
            jars.entry(cookie.session).or_default().begin_with(cookie);
        }
        Self {
            work: plan.session.work.clone(),
            think: plan.session.think,
            think_at: plan.session.think_at,
            failure: plan.session.failure.clone(),
            cookies: plan.session.cookies,
            jars,
            admission: plan.session.admission.clone(),
            forget_cookies: plan.session.forget_cookies,
            follow: plan.session.follow,
            follow_statuses: plan.session.follow_statuses.clone(),
            follow_with_get: plan.session.follow_with_get,
            opening: plan.session.opening.clone(),
            resources: plan.session.resources.clone(),
            links: plan.session.links.clone(),
            requests: plan.requests.len() as u64 / u64::from(plan.session.blocks),
            blocks: plan.session.blocks.into(),
            users,
            calls: plan.stop.calls.unwrap_or(u64::MAX),
            auth: plan.session.auth.clone(),
            lead: plan.session.lead,
            one_cookie: plan.session.one_cookie,
            place: Cell::new(Place { request: first, missed: FIRST_MISSED }),
            nonces: Streams::new(plan.seed, Purpose::Nonces),
            data: Streams::new(plan.seed, Purpose::Data),
            choices: Streams::new(plan.seed, Purpose::Requests),
            pauses: Streams::new(plan.seed, Purpose::Think),
        }
    }

    /// Session `number`, before its first step. In a closed loop this is the user of that number.
    #[must_use]
    #[inline]
    pub fn session(&self, number: u64) -> Session {
        let (wanted, script) = match &self.work {
            Work::Draw { calls, .. } => (calls.unwrap_or(u64::MAX), 0),
            Work::Scripts { scripts } => (u64::MAX, (number % scripts.len().max(1) as u64) as u32),
        };
        // User u of c makes calls u, u + c, u + 2c, … below the limit.
        let allowed = match self.users {
            Some(users) if self.calls < u64::MAX => self.calls.saturating_sub(number).div_ceil(users),
            _ => u64::MAX,
        };
        let jar = self.jars.get(&number).cloned();
        Session {
            number,
            calls: wanted.min(allowed),
            sent: 0,
            extras: jar.map(|cookies| Box::new(Extras { cookies, ..Extras::default() })),
            outstanding: 0,
            left: 0,
            begun: 0,
            script,
            burst: 0,
            phase: Phase::Fresh,
            failed: false,
            last: None,
        }
    }

    /// Whether the requests of a plan that sends them once are used up and one more was due: the run is over.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let once = matches!(self.work, Work::Draw { order: Order::Once, .. });
        once && self.place.get().request > self.requests
    }

    /// Which request the next call of the run takes.
    fn count_call(&self, order: Order) -> u64 {
        let Place { mut request, mut missed } = self.place.get();
        let taken = if let Order::WorkingSet { step, miss, .. } = order {
            missed += miss;
            if missed >= 1.0 {
                missed -= 1.0;
                request += u64::from(step);
            }
            request %= self.requests;
            request
        } else {
            request += 1;
            request - 1
        };
        self.place.set(Place { request, missed });
        taken
    }

    /// Which request is call `sent` of session `number`, where requests are drawn; none when they are used up.
    fn draw(&self, order: Order, number: u64, sent: u64) -> Option<RequestId> {
        let index = match order {
            Order::Random => self.choices.stream(number).below(sent, self.requests),
            Order::Sequential if self.requests == 1 => 0,
            Order::Links => return Some(self.click(None, number, sent)),
            Order::Sequential => self.place(number, sent) % self.requests,
            Order::Staggered => {
                let apart = self.users.map_or(0, |users| self.requests / users);
                (number.wrapping_mul(apart).wrapping_add(sent)) % self.requests
            }
            Order::Once => Some(self.count_call(order)).filter(|index| *index < self.requests)?,
            Order::Created | Order::WorkingSet { .. } => self.count_call(order) % self.requests,
        };
        let block = if self.blocks == 1 { 0 } else { number % self.blocks * self.requests };
        Some(RequestId((block + index) as u32))
    }

    /// Where a user goes from the page `from`: along one of its links, or to the first page.
    fn click(&self, from: Option<RequestId>, number: u64, sent: u64) -> RequestId {
        const FIRST: RequestId = RequestId(0);
        let (Some(links), Some(from)) = (&self.links, from) else { return FIRST };
        let choice = self.choices.stream(number);
        // Two draws for each call: whether he leaves, and where he goes.
        let leaves = links.visit.is_some_and(|visit| choice.below(2 * sent, visit.into()) == 0);
        let leads = links.pages.get(from.0 as usize).map_or(&[][..], Vec::as_slice);
        let taken = choice.below(2 * sent + 1, leads.len() as u64) as usize;
        leads.get(taken).filter(|_| !leaves).map_or(FIRST, |page| RequestId(*page))
    }

    /// The place of call `sent` of session `number` among all calls of the run. Sessions without an end that keep arriving
    /// have no such place; each begins where the one before it began, and one on.
    fn place(&self, number: u64, sent: u64) -> u64 {
        match (&self.work, self.users) {
            (_, Some(users)) => number.wrapping_add(sent.wrapping_mul(users)),
            (Work::Draw { calls: Some(calls), .. }, None) => number.wrapping_mul(*calls).wrapping_add(sent),
            (_, None) => number.wrapping_add(sent),
        }
    }
}

/// Names a call of a session. [`Session::next`] gives one with each request to send, and the [`Reply`] brings it back. The
/// caller stores it with the call and looks at nothing inside.
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
    const fn unplanned(number: u32) -> Self {
        Self(number | Self::UNPLANNED)
    }

    const fn is_planned(self) -> bool {
        self.0 & Self::UNPLANNED == 0
    }
}

/// What a session wants to be sent.
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
        /// To be brought back with the reply.
        token: Token,
        /// What to send.
        request: CallRequest,
    },
    /// Nothing is sent: this part of a page is still good. Ask again at once.
    Cached(Box<Request>),
    /// Nothing until a reply comes.
    Wait,
    /// Nothing for this long, which is more than zero.
    Think(Duration),
    /// Nothing any more. All replies have come.
    Done,
}

/// How a call of a session went.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// That of the step which asked for the call.
    pub token: Token,
    /// Whether the whole reply came.
    pub completed: bool,
    /// Its status; of no meaning unless completed.
    pub status: u16,
    /// What was sent: the base of a relative redirect and the scope of the cookies.
    pub request: &'a Request,
    /// The `Location` field.
    pub location: Option<&'a [u8]>,
    /// The `Set-Cookie` fields, in order.
    pub cookies: &'a [Vec<u8>],
    /// The `WWW-Authenticate` fields of a 401, or the `Proxy-Authenticate` fields of a 407, in order.
    pub challenges: &'a [Vec<u8>],
    /// The reply's body, when it is a page.
    pub page: Option<Page<'a>>,
    /// How long the reply is good; none when it does not say.
    pub good_for: Option<Duration>,
    /// When the reply was complete.
    pub at: Timestamp,
}

impl<'a> Reply<'a> {
    /// No reply, or not the whole of it, to `request`, which was sent for the step with this `token`.
    #[must_use]
    pub const fn failed(token: Token, request: &'a Request) -> Self {
        Self {
            token,
            completed: false,
            status: 0,
            request,
            location: None,
            cookies: &[],
            challenges: &[],
            page: None,
            good_for: None,
            at: Timestamp::ZERO,
        }
    }
}

/// What a session makes of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequel {
    /// It goes on as it would have.
    AsPlanned,
    /// It makes a call that was not planned: a redirect, a challenge.
    Another,
    /// The same call is to be made again: nothing has ended, and it is not asked what is next.
    Again,
}

/// Bytes of a session's one cookie that are kept.
const ONE_COOKIE_MAX: usize = 245;

/// One user's remaining steps: 64 bytes, and more only for cookies and redirects.
///
/// ```text
///                 next: Send      next: Wait until all replies are here
///   Fresh ─► (Opening) ──► Busy ─┬──────────────► next: Done ───► Over
///                           ▲    │ more bursts            ▲
///                           │    ▼                        │
///                           └─ Paused ◄─ next: Think      └─ a failure, once the replies still out are here
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    number: u64,
    /// Planned calls it may make in all.
    calls: u64,
    /// Planned calls it has made.
    sent: u64,
    extras: Option<Box<Extras>>,
    /// Calls, planned and followed, whose replies have not come.
    outstanding: u32,
    /// Calls of this burst still to send.
    left: u32,
    /// Calls of this burst sent.
    begun: u32,
    /// Which script, and which of its bursts.
    script: u32,
    burst: u32,
    last: Option<RequestId>,
    phase: Phase,
    failed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Fresh,
    /// What the session begins with is out, or what came of it.
    Opening,
    Busy,
    Paused,
    Over,
}

/// What a session has only when it met a cookie or a redirect.
#[derive(Clone, Debug, Default)]
struct Extras {
    cookies: Cookies,
    one_cookie: Vec<u8>,
    answers: Answers,
    /// Nonces used.
    nonces: u64,
    /// How often random data was drawn.
    drawn: u64,
    /// Requests that replies asked for, to be sent.
    pending: Vec<(Token, Request)>,
    /// How the unplanned calls came about that are pending or in flight.
    followed: Vec<Followed>,
    /// How many unplanned calls there were.
    unplanned: u32,
    /// How many of them were given out to be sent.
    asked: u64,
    /// What the pages so far are made of and is still to be fetched, the next one last.
    resources: Vec<Resource>,
    /// Until when what was fetched is good, by its fingerprint.
    good: HashMap<u64, Timestamp>,
    /// Calls that were forbidden while the session asks to be let in, and how many there ever were.
    forbidden: Vec<Forbidden>,
    refusals: u32,
}

impl Extras {
    /// Notes why a call is made that is not in the plan, and gives its token.
    fn expect(&mut self, why: Followed) -> Token {
        let token = Token::unplanned(self.unplanned);
        self.unplanned = self.unplanned.wrapping_add(1);
        self.followed.push(Followed { token, ..why });
        token
    }
}

/// A part of a page, to be fetched.
#[derive(Clone, Debug)]
struct Resource {
    request: Request,
    /// What was fetched before is still good.
    is_good: bool,
    /// Frames it is in.
    depth: u32,
}

/// Frames in frames are fetched to this depth, so that two that show each other come to an end.
const FRAMES: u32 = 8;
/// A session remembers so many resources that are good.
const GOOD_MAX: usize = 10_000;
/// A page may send its reader on so often, where redirects are not followed as often.
const REFRESHES: u32 = 20;

/// How a request that was not planned came to be sent.
#[derive(Clone, Copy, Debug)]
struct Followed {
    token: Token,
    /// Redirects that led to it.
    redirects: u32,
    /// Times it has been asked, this one included.
    attempts: u32,
    /// Frames it is in, where it is part of a page.
    depth: u32,
    /// Number of the forbidden call for whose sake it is sent, or zero.
    admits: u32,
    /// It was forbidden before, and is made again after the session was let in.
    is_admitted: bool,
}

impl Followed {
    /// As a planned request, which nothing led to.
    const PLANNED: Self =
        Self { token: Token(0), redirects: 0, attempts: 1, depth: 0, admits: 0, is_admitted: false };
}

impl Session {
    /// Says what comes next. Asked at the start, after each `Send`, after each reply, and when a pause is over.
    #[inline]
    pub fn next(&mut self, workload: &Workload) -> Step {
        if let Some(step) = self.next_followed(workload) {
            return step;
        }
        match self.phase {
            Phase::Over => return self.end(),
            Phase::Opening if self.outstanding > 0 => return Step::Wait,
            Phase::Fresh | Phase::Opening => {
                if let Some(step) = self.open(workload).or_else(|| self.begin(workload)) {
                    return step;
                }
            }
            Phase::Busy if self.left == 0 => {
                if self.outstanding > 0 {
                    return Step::Wait;
                }
                let pause = self.pause(workload);
                self.burst = self.burst.wrapping_add(1);
                if !self.enter(workload) {
                    self.phase = Phase::Over;
                    if workload.think_at == ThinkAt::After && !pause.is_zero() {
                        return Step::Think(pause);
                    }
                    return self.end();
                }
                if !pause.is_zero() {
                    self.phase = Phase::Paused;
                    return Step::Think(pause);
                }
            }
            Phase::Paused | Phase::Busy => {}
        }
        self.phase = Phase::Busy;
        match self.choose(workload) {
            Some(request) => {
                if workload.forget_cookies && self.sent > 0 && self.sent.is_multiple_of(workload.requests) {
                    self.extras.iter_mut().for_each(|extras| extras.cookies = Cookies::default());
                }
                let token = Token::planned(self.sent);
                self.last = Some(request);
                self.sent += 1;
                self.begun += 1;
                self.left -= 1;
                self.outstanding += 1;
                Step::Send { token, request: CallRequest::Planned(request) }
            }
            None if workload.is_exhausted() => {
                self.phase = Phase::Over;
                self.end()
            }
            None => Step::Wait,
        }
    }

    /// Takes in how a call went: cookies are kept, a redirect is followed, a failure may end the session. Gives what the
    /// session makes of it.
    ///
    /// # Panics
    /// When no call is out.
    #[inline]
    pub fn reply(&mut self, workload: &Workload, reply: &Reply<'_>) -> Sequel {
        assert!(self.outstanding > 0, "a session was told of a reply while it waits for none");
        if reply.completed
            && workload.failure.retry
            && self.phase != Phase::Over
            && workload.failure.statuses.contains(&reply.status)
        {
            return Sequel::Again;
        }
        self.outstanding -= 1;
        let before = self.take_followed(reply.token);
        let failed = if reply.completed {
            !workload.failure.retry && workload.failure.statuses.contains(&reply.status)
        } else {
            workload.failure.on_error
        };
        if failed && self.phase != Phase::Opening {
            self.failed = true;
            self.phase = Phase::Over;
            if let Some(extras) = &mut self.extras {
                extras.pending.clear();
                extras.resources.clear();
            }
        }
        if !reply.completed {
            let asks = before.admits > 0 && self.phase != Phase::Over;
            return if asks { self.ask_for_admission(workload, before.admits) } else { Sequel::AsPlanned };
        }
        if workload.one_cookie {
            if let Some(field) = reply.cookies.last() {
                let text = field.split(|byte| *byte == b';').next().unwrap_or_default();
                let text = &text[..text.len().min(ONE_COOKIE_MAX)];
                self.extras.get_or_insert_default().one_cookie = text.to_vec();
            }
        } else if workload.cookies && !reply.cookies.is_empty() {
            let cookies = &mut self.extras.get_or_insert_default().cookies;
            reply.cookies.iter().for_each(|field| cookies.set(reply.request, field));
        }
        if let (Some(Resources { cache: true, .. }), Some(good_for)) = (&workload.resources, reply.good_for) {
            let good = &mut self.extras.get_or_insert_default().good;
            if reply.status < 300 && good.len() < GOOD_MAX {
                good.insert(fingerprint(reply.request), reply.at + good_for);
            }
        }
        if self.phase == Phase::Over {
            return Sequel::AsPlanned;
        }
        if matches!(reply.status, 401 | 407)
            && let Some(auth) = &workload.auth
            && before.attempts < auth.attempts
        {
            let answers = &mut self.extras.get_or_insert_default().answers;
            let verdict = answers.challenge(auth, reply.request, reply.status, reply.challenges);
            if verdict == Verdict::Again {
                self.answer(reply.request.clone(), Followed { attempts: before.attempts + 1, ..before });
                return Sequel::Another;
            }
        }
        if before.redirects < workload.follow
            && workload.follow_statuses.contains(&reply.status)
            && let Some(request) =
                redirect::follow(reply.request, reply.status, reply.location, workload.follow_with_get)
        {
            self.answer(request, Followed { redirects: before.redirects + 1, attempts: 1, ..before });
            return Sequel::Another;
        }
        let sequel = match (&workload.resources, reply.page) {
            (Some(wanted), Some(page)) if wanted.fetch == Fetch::InTurn || before.depth < FRAMES => {
                let mut found = page::read(page, reply.request, wanted);
                if wanted.fetch == Fetch::Together {
                    found.resources.reverse();
                }
                self.take_page(found, reply.at, before, workload.follow.max(REFRESHES))
            }
            _ => Sequel::AsPlanned,
        };
        if sequel == Sequel::AsPlanned && !workload.admission.is_empty() {
            return self.admit(workload, reply, before);
        }
        sequel
    }

    /// Remembers what a page is made of, and follows where it sends its reader.
    fn take_page(&mut self, found: page::Found, at: Timestamp, before: Followed, most: u32) -> Sequel {
        if !found.resources.is_empty() {
            let Extras { resources, good, .. } = &mut **self.extras.get_or_insert_default();
            let is_good =
                |request: &Request| good.get(&fingerprint(request)).is_some_and(|until| *until > at);
            let marked = |request: Request| {
                let is_good = is_good(&request);
                Resource { request, is_good, depth: before.depth + 1 }
            };
            resources.extend(found.resources.into_iter().map(marked));
        }
        match found.refresh.filter(|_| before.redirects < most) {
            Some(request) => {
                self.answer(request, Followed { redirects: before.redirects + 1, attempts: 1, ..before });
                Sequel::Another
            }
            None => Sequel::AsPlanned,
        }
    }

    /// Has a request sent that was not planned, for a reason like this.
    fn answer(&mut self, request: Request, why: Followed) {
        let extras = self.extras.get_or_insert_default();
        let token = extras.expect(why);
        extras.pending.push((token, request));
    }

    /// The planned request of the last `Send`.
    #[must_use]
    pub const fn request(&self) -> Option<RequestId> {
        self.last
    }

    /// Gives `add` the header fields that this session adds to `request`: its answers to challenges, and `Cookie` unless no
    /// cookie goes with the request or the request has such a field of its own (RFC 6265 section 5.4 allows one). A field
    /// without a value only marks the position.
    #[inline]
    pub fn write_fields(&mut self, workload: &Workload, request: &Request, add: AddField<'_>) {
        let Some(extras) = &mut self.extras else { return };
        if workload.auth.is_some() {
            let nonce = workload.nonces.stream(self.number).bits(extras.nonces);
            extras.nonces += 1;
            extras.answers.write(request, nonce, add);
        }
        if !extras.one_cookie.is_empty() {
            add("Cookie", &|out| out.extend_from_slice(&extras.one_cookie));
        }
        if !extras.cookies.is_empty()
            && !request
                .headers
                .iter()
                .any(|(name, value)| name.eq_ignore_ascii_case("cookie") && !value.is_empty())
        {
            extras.cookies.write(request, add);
        }
    }

    /// Appends what random data adds to a call of this session: the n-th time it is asked, the same with every run of a seed. Gives
    /// the length of the data itself.
    pub fn write_data(&mut self, workload: &Workload, data: &RandomData, out: &mut Vec<u8>) -> u64 {
        let extras = self.extras.get_or_insert_default();
        let stream = workload.data.stream(self.number).branch(extras.drawn);
        extras.drawn += 1;
        data::write(stream, data, out)
    }

    /// Calls it has asked for: steps with a request that [`Self::next`] gave.
    #[must_use]
    pub fn calls_asked(&self) -> u64 {
        self.sent + self.extras.as_ref().map_or(0, |extras| extras.asked)
    }

    /// Its number: that of its arrival.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Ends it, as far as it is concerned: it wants no further call.
    pub fn give_up(&mut self) {
        self.phase = Phase::Over;
        if let Some(extras) = &mut self.extras {
            extras.pending.clear();
        }
    }

    /// Whether a failure ended it, by the plan's failure rule.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.failed
    }

    /// Whether what the session began with is still out, or what came of it.
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.phase == Phase::Opening
    }

    /// What the session begins with, if the plan has such and the session is to make any call.
    fn open(&mut self, workload: &Workload) -> Option<Step> {
        let count = workload.opening.len() as u64;
        if self.phase != Phase::Fresh || count == 0 || self.calls == 0 {
            return None;
        }
        self.phase = Phase::Opening;
        self.answer(workload.opening[(self.number % count) as usize].clone(), Followed::PLANNED);
        self.next_followed(workload)
    }

    /// Enters the first burst, or says what is before it.
    fn begin(&mut self, workload: &Workload) -> Option<Step> {
        if !self.enter(workload) {
            return Some(self.end());
        }
        let pause = if workload.think_at == ThinkAt::Before { self.pause(workload) } else { Duration::ZERO };
        if pause.is_zero() {
            return None;
        }
        self.phase = Phase::Paused;
        Some(Step::Think(pause))
    }

    fn next_followed(&mut self, workload: &Workload) -> Option<Step> {
        let extras = self.extras.as_mut()?;
        let together = |wanted: &Resources| wanted.fetch == Fetch::Together;
        let is_free = self.outstanding == 0 || workload.resources.as_ref().is_some_and(together);
        let (token, request) = match extras.pending.pop() {
            Some(pending) => pending,
            None if is_free && self.phase == Phase::Busy => {
                let Resource { request, is_good, depth } = extras.resources.pop()?;
                if is_good {
                    return Some(Step::Cached(Box::new(request)));
                }
                (extras.expect(Followed { depth, ..Followed::PLANNED }), request)
            }
            None => return None,
        };
        extras.asked += 1;
        self.outstanding += 1;
        Some(Step::Send { token, request: CallRequest::Unplanned(Box::new(request)) })
    }

    fn end(&mut self) -> Step {
        self.phase = Phase::Over;
        if self.outstanding > 0 { Step::Wait } else { Step::Done }
    }

    /// Begins the present burst; false when there is none.
    fn enter(&mut self, workload: &Workload) -> bool {
        let length = match &workload.work {
            Work::Draw { burst, .. } => *burst,
            Work::Scripts { scripts } => match self.find_burst(workload, scripts) {
                Some(burst) => u32::try_from(burst.then.len()).unwrap_or(u32::MAX).saturating_add(1),
                None => return false,
            },
        };
        self.begun = 0;
        self.left = u64::from(length).min(self.calls - self.sent) as u32;
        self.left > 0
    }

    /// The present burst. A user of a closed loop who has come to the end of a script goes on with the one he would have
    /// as the next session but `users`.
    fn find_burst<'a>(&mut self, workload: &Workload, scripts: &'a [Script]) -> Option<&'a Burst> {
        for _ in 0..=scripts.len() {
            if let Some(burst) = scripts.get(self.script as usize)?.bursts.get(self.burst as usize) {
                return Some(burst);
            }
            let further = u64::from(self.script) + workload.users?;
            self.script = (further % scripts.len() as u64) as u32;
            self.burst = 0;
        }
        None
    }

    /// The present burst of a script.
    fn scripted<'a>(&self, scripts: &'a [Script]) -> Option<&'a Burst> {
        scripts.get(self.script as usize)?.bursts.get(self.burst as usize)
    }

    /// The next call of this burst; none while it has to wait for the first one's reply.
    fn choose(&self, workload: &Workload) -> Option<RequestId> {
        match &workload.work {
            Work::Draw { .. } if workload.lead && self.begun == 1 && self.outstanding > 0 => None,
            Work::Draw { order: Order::Links, .. } => Some(workload.click(self.last, self.number, self.sent)),
            Work::Draw { order, .. } => workload.draw(*order, self.number, self.sent),
            Work::Scripts { scripts } => {
                let burst = self.scripted(scripts)?;
                match self.begun.checked_sub(1) {
                    None => Some(burst.first),
                    Some(0) if self.outstanding > 0 => None,
                    Some(then) => burst.then.get(then as usize).copied(),
                }
            }
        }
    }

    /// The pause after the present burst: its own, or else one drawn as the plan says.
    fn pause(&self, workload: &Workload) -> Duration {
        if let Work::Scripts { scripts } = &workload.work
            && let Some(burst) = self.scripted(scripts)
            && !burst.think.is_zero()
        {
            return burst.think;
        }
        if workload.think == Think::None {
            return Duration::ZERO;
        }
        think::draw(&workload.think, workload.pauses.stream(self.number), self.sent)
    }

    /// How the call of this token came about, whose reply has come.
    fn take_followed(&mut self, token: Token) -> Followed {
        if token.is_planned() {
            return Followed::PLANNED;
        }
        let followed = self.extras.as_mut().map(|extras| &mut extras.followed);
        let taken = followed.and_then(|followed| {
            let index = followed.iter().position(|call| call.token == token)?;
            Some(followed.swap_remove(index))
        });
        taken.expect("a reply has the token of a call in flight")
    }
}

fn fingerprint(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&request.method, &request.endpoint, &request.path).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
