//! Interceptors create the calls that a plan does not list: they answer challenges, follow redirects, fetch page resources,
//! and recover from refusals.
//!
//! Each reply passes through the interceptors of the plan in a fixed order. The first that requests a further call ends the
//! round. An interceptor sees the reply, how its call came about ([`Provenance`]) and its own part of [`Extras`], which
//! exists only in sessions that need it: a plain session allocates nothing.

pub(crate) mod cache;
pub(crate) mod challenge;
pub(crate) mod failure;
pub(crate) mod recovery;
pub(crate) mod redirect;
pub(crate) mod resources;
pub(crate) mod setup;

use crate::cookies::Cookies;
use crate::interest::Interest;
use crate::session::{Reply, Token};
use crate::steps::StepState;
use warwolf_plan::{Plan, Recovery, RedirectPolicy, Request, Resources, Scenario, Step};

/// One policy about replies, with its settings from the plan.
#[derive(Clone, Debug)]
pub(crate) enum Interceptor {
    Cache,
    Challenges(challenge::Challenges),
    Redirects(RedirectPolicy),
    Resources {
        wanted: Resources,
        /// Maximum number of refreshes from one page to the next.
        refreshes: u32,
    },
    Recovery(Recovery),
}

impl Interceptor {
    /// Returns the interceptors that `plan` needs, in the order in which they handle replies.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        let shape = &plan.session;
        let mut all = Vec::new();
        if shape.resources.as_ref().is_some_and(|wanted| wanted.cache) {
            all.push(Self::Cache);
        }
        all.extend(challenge::Challenges::of(plan).map(Self::Challenges));
        let follows = |step: &Step| step.redirects.is_some_and(|limit| limit > 0);
        if shape.redirects.limit > 0 || plan.scenarios.iter().flat_map(Scenario::all_steps).any(follows) {
            all.push(Self::Redirects(shape.redirects.clone()));
        }
        let refreshes = shape.redirects.limit.max(resources::REFRESHES);
        all.extend(shape.resources.clone().map(|wanted| Self::Resources { wanted, refreshes }));
        all.extend(shape.recovery.clone().map(Self::Recovery));
        all
    }

    /// Adds what it needs of replies.
    pub(crate) fn add_interest(&self, interest: &mut Interest) {
        match self {
            Self::Cache => cache::HEADERS.iter().for_each(|name| interest.add_header(name)),
            Self::Challenges(_) => challenge::HEADERS.iter().for_each(|name| interest.add_header(name)),
            Self::Redirects(_) => interest.add_header("location"),
            Self::Resources { .. } => interest.add_page(resources::PAGE_BYTES),
            Self::Recovery(_) => {}
        }
    }

    /// Handles a reply to a call that came about `from` there. Returns the request to send next. `redirects` is how many are
    /// followed in a row, if it is not as many as the plan says.
    pub(crate) fn reply(
        &self,
        extras: &mut Option<Box<Extras>>,
        reply: &Reply<'_>,
        from: Provenance,
        redirects: Option<u32>,
    ) -> Option<Unplanned> {
        match self {
            Self::Cache => {
                cache::note(extras, reply);
                None
            }
            Self::Challenges(policy) => challenge::reply(policy, extras, reply, from),
            Self::Redirects(policy) => {
                redirect::reply(policy, redirects.unwrap_or(policy.limit), reply, from)
            }
            Self::Resources { wanted, refreshes } => {
                resources::reply(wanted, *refreshes, extras, reply, from)
            }
            Self::Recovery(recovery) => recovery::reply(recovery, extras, reply, from),
        }
    }
}

/// A call that is not in the plan.
#[derive(Clone, Debug)]
pub(crate) struct Unplanned {
    pub(crate) request: Request,
    pub(crate) from: Provenance,
}

/// How a call came about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provenance {
    /// Redirects in a row that led to it.
    pub(crate) redirects: u32,
    /// Times the same request has been sent because of challenges, this one included.
    pub(crate) attempts: u32,
    /// Pages that it is nested in; zero for a page itself.
    pub(crate) depth: u32,
    pub(crate) recovery: recovery::Role,
}

impl Provenance {
    /// That of a planned call.
    pub(crate) const PLANNED: Self =
        Self { redirects: 0, attempts: 1, depth: 0, recovery: recovery::Role::None };
}

/// What a session has only if it needs it: the state of its interceptors, its cookies, and its unplanned calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) cookies: Cookies,
    /// The only cookie of a session that keeps the last value.
    pub(crate) last_cookie: Vec<u8>,
    pub(crate) answers: challenge::Answers,
    /// Nonces used.
    pub(crate) nonces: u64,
    /// Number of times that data was generated.
    pub(crate) generated: u64,
    pub(crate) cache: cache::State,
    pub(crate) resources: resources::State,
    pub(crate) recovery: recovery::State,
    /// Unplanned calls that are to be made next, the first one last.
    pending: Vec<(Token, Request)>,
    /// Unplanned calls that are pending or in flight.
    open: Vec<(Token, Provenance)>,
    /// Its position in a scenario.
    pub(crate) steps: Option<StepState>,
    /// Total number of unplanned calls.
    count: u32,
    /// How many of them were given out to be sent.
    pub(crate) asked: u64,
}

impl Extras {
    /// Those of a session that begins with these cookies.
    pub(crate) fn with(cookies: Cookies) -> Self {
        Self { cookies, ..Self::default() }
    }

    /// Has an unplanned call made as soon as the session is asked.
    pub(crate) fn push(&mut self, Unplanned { request, from }: Unplanned) {
        let token = self.open(from);
        self.pending.push((token, request));
    }

    /// What comes next besides planned calls: requests that replies asked for, then the parts of pages. Parts wait until the
    /// session `is_busy` with its planned calls, and until fewer calls than the plan allows are `in_flight`.
    pub(crate) fn pop(&mut self, is_busy: bool, in_flight: u32) -> Option<Next> {
        if let Some((token, request)) = self.pending.pop() {
            self.asked += 1;
            return Some(Next::Send(token, request));
        }
        if !is_busy {
            return None;
        }
        let part = self.resources.pop(in_flight)?;
        if part.is_fresh {
            return Some(Next::Skip(part.request));
        }
        self.asked += 1;
        let token = self.open(Provenance { depth: part.depth, ..Provenance::PLANNED });
        Some(Next::Send(token, part.request))
    }

    /// Forgets everything but the memory that another session can use.
    pub(crate) fn reset(&mut self) {
        let (mut cookies, steps) = (std::mem::take(&mut self.cookies), self.steps.take());
        let mut open = std::mem::take(&mut self.open);
        cookies.clear();
        open.clear();
        *self = Self { cookies, steps, open, ..Self::default() };
    }

    /// Whether the unplanned call with this token fetches a part of a page.
    pub(crate) fn is_part(&self, token: Token) -> bool {
        self.open.iter().any(|(open, from)| *open == token && from.depth > 0)
    }

    /// Drops all unplanned calls that have not been made.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.resources.clear();
    }

    /// Drops the unplanned calls that replies led to and that have not been made.
    pub(crate) fn clear_pending(&mut self) {
        self.pending.clear();
    }

    fn open(&mut self, from: Provenance) -> Token {
        let token = Token::unplanned(self.count);
        self.count = self.count.wrapping_add(1);
        self.open.push((token, from));
        token
    }

    /// How an unplanned call came about, which is over.
    pub(crate) fn close(&mut self, token: Token) -> Option<Provenance> {
        let index = self.open.iter().position(|(open, _)| *open == token)?;
        Some(self.open.swap_remove(index).1)
    }
}

/// What a session that has unplanned calls does next.
pub(crate) enum Next {
    Send(Token, Request),
    /// This part of a page is not fetched: the copy that the session has is fresh.
    Skip(Request),
}
