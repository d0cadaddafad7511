//! The planned calls of a session: which request each one takes, in which bursts, and with which pauses.

use crate::cursor::SharedCursor;
use crate::seed::{Purpose, Streams};
use crate::think;
use std::time::Duration;
use warwolf_plan::{Burst, Cursor, Links, Order, Plan, RequestId, Schedule, Script, Think, ThinkAt, Work};

/// The program that all sessions of a plan share.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    work: Work,
    think: Think,
    think_at: ThinkAt,
    links: Option<Links>,
    /// Requests in a part of the list, which is all of it unless the plan divides it.
    requests: u64,
    parts: u64,
    /// Users of a closed loop; none where sessions end and others follow.
    users: Option<u64>,
    /// Calls after which a closed loop ends.
    calls: u64,
    cursor: SharedCursor,
    choices: Streams,
    pauses: Streams,
}

/// The position of a session in its program.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// Maximum number of planned calls.
    pub(crate) calls: u64,
    /// Planned calls it has made.
    pub(crate) sent: u64,
    /// Calls of this burst still to send.
    pub(crate) left: u32,
    /// Calls of this burst sent.
    begun: u32,
    /// Which script, and which of its bursts.
    script: u32,
    burst: u32,
    /// The last request sent.
    pub(crate) last: Option<RequestId>,
}

impl Program {
    pub(crate) fn new(plan: &Plan) -> Self {
        let users = match plan.schedule {
            Schedule::Closed { users, .. } => Some(u64::from(users).max(1)),
            Schedule::Open { .. } | Schedule::Turns { .. } => None,
        };
        let cursor = match plan.session.work {
            Work::Draw { order: Order::Shared(cursor), .. } => cursor,
            _ => Cursor::default(),
        };
        let requests = plan.requests.len() as u64 / u64::from(plan.session.parts);
        Self {
            work: plan.session.work.clone(),
            think: plan.session.think,
            think_at: plan.session.think_at,
            links: plan.session.links.clone(),
            requests,
            parts: plan.session.parts.into(),
            users,
            calls: plan.stop.calls.unwrap_or(u64::MAX),
            cursor: SharedCursor::new(cursor, requests),
            choices: Streams::new(plan.seed, Purpose::REQUESTS),
            pauses: Streams::new(plan.seed, Purpose::THINK),
        }
    }

    /// Returns the initial position of session `number`.
    #[inline]
    pub(crate) fn start(&self, number: u64) -> Position {
        let (wanted, script) = match &self.work {
            Work::Draw { calls, .. } => (calls.unwrap_or(u64::MAX), 0),
            Work::Scripts { scripts } => (u64::MAX, (number % scripts.len().max(1) as u64) as u32),
        };
        // User u of c makes calls u, u + c, u + 2c, … below the limit.
        let allowed = match self.users {
            Some(users) if self.calls < u64::MAX => self.calls.saturating_sub(number).div_ceil(users),
            _ => u64::MAX,
        };
        Position { calls: wanted.min(allowed), sent: 0, left: 0, begun: 0, script, burst: 0, last: None }
    }

    /// Returns whether a list of requests that is sent once is used up and one more call was due: the run is over.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.cursor.is_exhausted()
    }

    /// Begins the present burst; false when there is none, or no planned call is left.
    pub(crate) fn enter(&self, at: &mut Position) -> bool {
        let length = match &self.work {
            Work::Draw { burst, .. } => *burst,
            Work::Scripts { scripts } => match self.find_burst(at, scripts) {
                Some(burst) => u32::try_from(burst.then.len()).unwrap_or(u32::MAX).saturating_add(1),
                None => return false,
            },
        };
        at.begun = 0;
        at.left = u64::from(length).min(at.calls - at.sent) as u32;
        at.left > 0
    }

    /// Moves to the next burst and begins it; false as [`Self::enter`].
    pub(crate) fn enter_next(&self, at: &mut Position) -> bool {
        at.burst = at.burst.wrapping_add(1);
        self.enter(at)
    }

    /// Takes the next call of this burst. None while it has to wait for the reply to the first one (`is_waiting`: some reply
    /// is still to come), and when the list is used up.
    #[inline]
    pub(crate) fn take(&mut self, number: u64, at: &mut Position, is_waiting: bool) -> Option<RequestId> {
        let request = match &self.work {
            Work::Draw { first_alone: true, .. } if at.begun == 1 && is_waiting => return None,
            Work::Draw { order, .. } => self.draw(*order, number, at)?,
            Work::Scripts { scripts } => {
                let burst = at.scripted(scripts)?;
                match at.begun.checked_sub(1) {
                    None => burst.first,
                    Some(0) if is_waiting => return None,
                    Some(then) => *burst.then.get(then as usize)?,
                }
            }
        };
        at.last = Some(request);
        at.sent += 1;
        at.begun += 1;
        at.left -= 1;
        Some(request)
    }

    /// Returns the pause before the first burst.
    pub(crate) fn pause_before(&self, number: u64, at: &Position) -> Duration {
        if self.think_at == ThinkAt::Before { self.pause(number, at) } else { Duration::ZERO }
    }

    /// Returns whether there is a pause after the last burst.
    pub(crate) fn pauses_at_end(&self) -> bool {
        self.think_at == ThinkAt::After
    }

    /// Returns the pause after the present burst: its own, or else one drawn as the plan says.
    pub(crate) fn pause(&self, number: u64, at: &Position) -> Duration {
        if let Work::Scripts { scripts } = &self.work
            && let Some(burst) = at.scripted(scripts)
            && !burst.think.is_zero()
        {
            return burst.think;
        }
        if self.think == Think::None {
            return Duration::ZERO;
        }
        think::draw(&self.think, self.pauses.stream(number), at.sent)
    }

    /// Returns the request of the next call of session `number`, where requests are drawn; none when they are used up.
    fn draw(&mut self, order: Order, number: u64, at: &Position) -> Option<RequestId> {
        let sent = at.sent;
        let index = match order {
            Order::Random => self.choices.stream(number).below(sent, self.requests),
            Order::Sequential if self.requests == 1 => 0,
            Order::Links => return Some(self.click(at.last, number, sent)),
            Order::Sequential => self.ordinal(number, sent) % self.requests,
            Order::PerSession => {
                let apart = self.users.map_or(0, |users| self.requests / users);
                (number.wrapping_mul(apart).wrapping_add(sent)) % self.requests
            }
            Order::Shared(_) => self.cursor.take()?,
        };
        let part = if self.parts == 1 { 0 } else { number % self.parts * self.requests };
        Some(RequestId((part + index) as u32))
    }

    /// Returns where a user goes from the page `from`: along one of its links, or to the first page.
    fn click(&self, from: Option<RequestId>, number: u64, sent: u64) -> RequestId {
        const FIRST: RequestId = RequestId(0);
        let (Some(links), Some(from)) = (&self.links, from) else { return FIRST };
        let choice = self.choices.stream(number);
        // Two draws for each call: whether the user leaves, and which link is taken.
        let leaves = links.visit.is_some_and(|visit| choice.below(2 * sent, visit.into()) == 0);
        let leads = links.pages.get(from.0 as usize).map_or(&[][..], Vec::as_slice);
        let taken = choice.below(2 * sent + 1, leads.len() as u64) as usize;
        leads.get(taken).filter(|_| !leaves).map_or(FIRST, |page| RequestId(*page))
    }

    /// The number of call `sent` of session `number` among all calls of the run. Sessions without an end that keep arriving
    /// have no such number; each begins one further than the one before it.
    fn ordinal(&self, number: u64, sent: u64) -> u64 {
        match (&self.work, self.users) {
            (_, Some(users)) => number.wrapping_add(sent.wrapping_mul(users)),
            (Work::Draw { calls: Some(calls), .. }, None) => number.wrapping_mul(*calls).wrapping_add(sent),
            (_, None) => number.wrapping_add(sent),
        }
    }

    /// The present burst. A user of a closed loop who has come to the end of a script goes on with the script that session
    /// number + users would take.
    fn find_burst<'a>(&self, at: &mut Position, scripts: &'a [Script]) -> Option<&'a Burst> {
        for _ in 0..=scripts.len() {
            if let Some(burst) = scripts.get(at.script as usize)?.bursts.get(at.burst as usize) {
                return Some(burst);
            }
            let further = u64::from(at.script) + self.users?;
            at.script = (further % scripts.len() as u64) as u32;
            at.burst = 0;
        }
        None
    }
}

impl Position {
    /// Notes a call with a request that is not in the plan's list, counted with this target.
    pub(crate) fn take_fed(&mut self, target: u32) {
        self.last = Some(RequestId(target));
        self.sent += 1;
        self.begun += 1;
        self.left -= 1;
    }

    /// The present burst of a script.
    fn scripted<'a>(&self, scripts: &'a [Script]) -> Option<&'a Burst> {
        scripts.get(self.script as usize)?.bursts.get(self.burst as usize)
    }
}
