//! A session in a scenario.

use super::program::{Op, Programs, SHARES};
use super::request::RequestPart;
use super::text::Context;
use super::{Captures, Names};
use crate::session::Reply;
use crate::think;
use std::io::Write as _;
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_plan::template::Template;
use warwolf_plan::{OnFail, Order, RequestId};
use warwolf_scan::{Found, Values};

/// Instructions without a request or a pause that a session may run in a row. A scenario whose steps are all left out would
/// never end otherwise.
const IDLE_OPS: u32 = 10_000;

/// The captures and checks of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of the first among all of the plan.
    pub first: u16,
    /// How many there are: captures, then checks, then the condition of a step that is run again.
    pub count: u16,
    /// How many of them are captures.
    pub captures: u16,
    /// A bit for each that failed.
    pub failed: u64,
}

/// A transaction that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRecord {
    /// Its group.
    pub group: u16,
    /// From the intended time of its first request to the end of its last.
    pub wall: Duration,
    /// The sum of the latencies of its requests.
    pub requests: Duration,
    /// Whether a step of it failed.
    pub is_failed: bool,
}

/// A group that has begun.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    group: u16,
    began: Timestamp,
    ended: Timestamp,
    requests: Duration,
    is_failed: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    Send(RequestId),
    Pause(Duration),
    Over,
}

/// The position of a session in its scenario, and its values. Used again for other sessions.
#[derive(Clone, Debug)]
pub(crate) struct StepState {
    scenario: u16,
    at: u32,
    /// The step whose request was sent last.
    step: u16,
    /// Requests sent so far; each has draws of its own.
    visits: u64,
    /// Draws so far.
    drawn: u64,
    counters: Box<[u32]>,
    draws: Box<[u32]>,
    captures: Captures,
    /// When the last request was intended.
    intended: Timestamp,
    /// How the last step ended.
    is_failed: bool,
    asks_again: bool,
    checked: Checked,
    group: Option<OpenGroup>,
    /// A step failed after which the run stops.
    pub(crate) stops_run: bool,
    /// For bodies whose length has to be known before they are written.
    scratch: Vec<u8>,
}

impl StepState {
    pub(crate) fn new(programs: &Programs) -> Self {
        Self {
            scenario: 0,
            at: 0,
            step: 0,
            visits: 0,
            drawn: 0,
            counters: vec![0; programs.counters].into(),
            draws: vec![0; programs.draws].into(),
            captures: Captures::new(&programs.names),
            intended: Timestamp::ZERO,
            is_failed: false,
            asks_again: false,
            checked: Checked::default(),
            group: None,
            stops_run: false,
            scratch: Vec::new(),
        }
    }

    /// Begins as session `number`.
    pub(crate) fn begin(&mut self, programs: &Programs, number: u64) {
        self.scenario = programs.scenario_of(number);
        (self.at, self.step, self.visits, self.drawn) = (0, 0, 0, 0);
        (self.is_failed, self.asks_again, self.stops_run) = (false, false, false);
        self.captures.clear();
        self.group = None;
    }

    /// Goes on to the next request or pause, at the time `now`.
    pub(crate) fn next(
        &mut self,
        programs: &mut Programs,
        number: u64,
        now: Timestamp,
        groups: &mut Vec<GroupRecord>,
    ) -> NextStep {
        for _ in 0..IDLE_OPS {
            let op = programs.scenarios[usize::from(self.scenario)].ops[self.at as usize];
            self.at += 1;
            match op {
                Op::Limit(step) => {
                    if let Some(limit) = &mut programs.steps[usize::from(step)].limit {
                        let due = limit.next.max(now);
                        limit.next = due + limit.gap;
                        if due > now {
                            return NextStep::Pause(due.since(now));
                        }
                    }
                }
                Op::Send(step) => return NextStep::Send(self.send(programs, step, number, now)),
                Op::Fail(step) => self.leave(programs, step, groups),
                Op::Pause(step) => {
                    let pause = self.pause(programs, step, number, now);
                    if !pause.is_zero() {
                        return NextStep::Pause(pause);
                    }
                }
                Op::Leave => groups.extend(self.take_group()),
                Op::Over => {
                    self.at -= 1;
                    groups.extend(self.take_group());
                    return NextStep::Over;
                }
                control => self.branch(programs, number, now, control),
            }
        }
        // Nothing was sent for so long that nothing will be, and time must pass.
        NextStep::Pause(Duration::from_millis(1))
    }

    /// Executes an instruction that only decides where to go on.
    fn branch(&mut self, programs: &mut Programs, number: u64, now: Timestamp, op: Op) {
        match op {
            Op::Draw(draw) => {
                self.draws[usize::from(draw)] = self.draw(programs, number, u64::from(SHARES)) as u32;
            }
            Op::Unless { condition, otherwise } => {
                let mut memory = std::mem::take(&mut programs.memory);
                let values = self.values(programs, number, now);
                let holds = programs.conditions[usize::from(condition)].holds(&values, &mut memory);
                programs.memory = memory;
                if !holds {
                    self.at = otherwise;
                }
            }
            Op::Share { draw, from, to, otherwise } => {
                if !(from..to).contains(&self.draws[usize::from(draw)]) {
                    self.at = otherwise;
                }
            }
            Op::Begin { counter, min, max } => {
                let more = self.draw(programs, number, u64::from(max - min) + 1) as u32;
                self.counters[usize::from(counter)] = min + more;
            }
            Op::End { counter, begin } => {
                let left = &mut self.counters[usize::from(counter)];
                *left -= 1;
                if *left > 0 {
                    self.at = begin;
                }
            }
            Op::Jump(to) => self.at = to,
            Op::Reset(counter) => self.counters[usize::from(counter)] = 0,
            Op::Again { step, counter, begin } => {
                let tries = &mut self.counters[usize::from(counter)];
                *tries += 1;
                let limit = programs.steps[usize::from(step)].again.map_or(0, |again| again.limit);
                if self.asks_again && *tries < limit {
                    self.at = begin;
                }
            }
            Op::Limit(_) | Op::Send(_) | Op::Fail(_) | Op::Pause(_) | Op::Leave | Op::Over => {}
        }
    }

    fn draw(&mut self, programs: &Programs, number: u64, bound: u64) -> u64 {
        self.drawn += 1;
        programs.chance(number).below(self.drawn, bound)
    }

    fn send(&mut self, programs: &Programs, step: u16, number: u64, now: Timestamp) -> RequestId {
        let compiled = &programs.steps[usize::from(step)];
        self.step = step;
        self.visits += 1;
        self.intended = now;
        self.checked = Checked::default();
        if let Some(group) = compiled.group
            && self.group.is_none()
        {
            self.group =
                Some(OpenGroup { group, began: now, ended: now, requests: Duration::ZERO, is_failed: false });
        }
        let (choices, order) = (u64::from(compiled.choices), compiled.order);
        let choice = match (choices, order) {
            (1, _) => 0,
            (_, Order::Random) => self.draw(programs, number, choices),
            _ => number.wrapping_add(self.visits - 1) % choices,
        };
        RequestId(compiled.request + choice as u32)
    }

    /// Leaves for the teardown if the step failed and the plan says so.
    fn leave(&mut self, programs: &Programs, step: u16, groups: &mut Vec<GroupRecord>) {
        if !self.is_failed {
            return;
        }
        let scenario = &programs.scenarios[usize::from(self.scenario)];
        self.stops_run |= programs.steps[usize::from(step)].on_fail == OnFail::StopRun;
        // A step of the teardown that fails does not begin it again.
        if self.at <= scenario.teardown {
            self.at = scenario.teardown;
        } else {
            self.at = scenario.ops.len() as u32 - 1;
        }
        groups.extend(self.take_group());
    }

    fn take_group(&mut self) -> Option<GroupRecord> {
        let OpenGroup { group, began, ended, requests, is_failed } = self.group.take()?;
        Some(GroupRecord { group, wall: ended.since(began), requests, is_failed })
    }

    fn pause(&self, programs: &Programs, step: u16, number: u64, now: Timestamp) -> Duration {
        let compiled = &programs.steps[usize::from(step)];
        let think = think::draw(&compiled.think, programs.pauses.stream(number), self.visits);
        let pace = compiled.pace.unwrap_or_default().saturating_sub(now.since(self.intended));
        think.max(pace)
    }

    /// Handles a reply to a request of the session. `is_last`: the step ends with it, unlike with a redirect that is followed.
    pub(crate) fn reply(&mut self, programs: &Programs, reply: &Reply<'_>, is_last: bool) {
        if let Some(group) = &mut self.group {
            group.ended = reply.at;
            group.requests += reply.at.since(reply.intended);
        }
        self.checked = Checked::default();
        if !is_last {
            return;
        }
        let step = &programs.steps[usize::from(self.step)];
        let mut checked = Checked {
            first: step.first_check,
            captures: step.captures.len() as u16,
            count: (step.captures.len() + step.checks) as u16,
            failed: 0,
        };
        self.asks_again = step.again.is_some_and(|again| again.until);
        if let (true, Some(scan)) = (reply.completed, reply.scan) {
            for (bit, slot) in step.captures.iter().enumerate() {
                let value = match scan.capture(bit) {
                    Found::Value(value) => Some(value),
                    _ => None,
                };
                self.captures.set(*slot, value);
                checked.failed |= u64::from(value.is_none()) << bit;
            }
            for check in 0..step.checks {
                checked.failed |= u64::from(!scan.holds(check)) << (step.captures.len() + check);
            }
            if let Some(again) = step.again {
                let holds = if again.is_own { scan.holds(step.checks) } else { checked.failed == 0 };
                self.asks_again = holds != again.until;
            }
        } else {
            checked.count = 0;
        }
        if let Some(again) = step.again {
            self.judge_again(&mut checked, again.is_own, self.tries(programs) + 1 >= again.limit);
        }
        self.is_failed = !reply.completed || checked.failed != 0;
        if let Some(group) = &mut self.group {
            group.is_failed |= self.is_failed;
        }
        self.checked = checked;
    }

    /// A step that is run again has failed only if it may not be run once more. Its condition counts as a check.
    fn judge_again(&self, checked: &mut Checked, is_own: bool, is_last_try: bool) {
        if self.asks_again && !is_last_try {
            if !is_own {
                (checked.count, checked.failed) = (0, 0);
            }
            return;
        }
        checked.failed |= u64::from(self.asks_again) << checked.count;
        checked.count += 1;
    }

    /// How often the present step was run before, if it may be run again.
    fn tries(&self, programs: &Programs) -> u32 {
        let ops = &programs.scenarios[usize::from(self.scenario)].ops;
        let again = ops[self.at as usize..].iter().find_map(|op| match op {
            Op::Again { step, counter, .. } if *step == self.step => Some(*counter),
            _ => None,
        });
        again.map_or(0, |counter| self.counters[usize::from(counter)])
    }

    /// The captures and checks of the last reply.
    pub(crate) fn checked(&self) -> Checked {
        self.checked
    }

    /// The step whose request was sent last.
    pub(crate) fn step(&self) -> u16 {
        self.step
    }

    fn context<'a>(&'a self, programs: &'a Programs, number: u64, now: Timestamp) -> Context<'a> {
        let names: &Names = &programs.names;
        Context {
            names,
            number,
            captures: &self.captures,
            stream: programs.data.stream(number).branch(self.visits),
            now_ns: names.contents().began.as_nanos() + u128::from(now.as_nanos()),
        }
    }

    /// The values of the session, for conditions and checks.
    pub(crate) fn values<'a>(
        &'a self,
        programs: &'a Programs,
        number: u64,
        now: Timestamp,
    ) -> SessionValues<'a> {
        SessionValues(self.context(programs, number, now))
    }

    /// How many redirects of the present step are followed in a row, if not as many as the plan says.
    pub(crate) fn redirects(&self, programs: &Programs) -> Option<u32> {
        programs.steps[usize::from(self.step)].redirects
    }

    /// The limit of the present step on the time of its calls, if it has one.
    pub(crate) fn timeout(&self, programs: &Programs) -> Option<Duration> {
        programs.steps[usize::from(self.step)].timeout
    }

    /// Appends a part of a request.
    pub(crate) fn write_part(&self, programs: &Programs, number: u64, part: &RequestPart, out: &mut Vec<u8>) {
        part.write(&self.context(programs, number, self.intended), out);
    }

    /// Appends the field `Content-Length`, the end of the head, and the body.
    pub(crate) fn write_body(
        &mut self,
        programs: &Programs,
        number: u64,
        part: &RequestPart,
        out: &mut Vec<u8>,
    ) {
        let mut body = std::mem::take(&mut self.scratch);
        body.clear();
        part.write(&self.context(programs, number, self.intended), &mut body);
        // Writing to memory cannot fail.
        let _ = write!(out, "Content-Length: {}\r\n\r\n", body.len());
        out.extend_from_slice(&body);
        self.scratch = body;
    }
}

/// The values of a session.
pub(crate) struct SessionValues<'a>(Context<'a>);

impl Values for SessionValues<'_> {
    fn write(&self, template: &Template, out: &mut Vec<u8>) -> bool {
        self.0.write_template(template, out)
    }

    fn variable(&self, name: &str, out: &mut Vec<u8>) -> bool {
        self.0.names.named(name).write(&self.0, 0, out)
    }
}
