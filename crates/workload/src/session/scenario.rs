//! Sessions that run scenarios: what the caller asks for their calls.

use super::{CallRequest, Phase, Session, Step, Token, Workload};
use crate::interceptors::Extras;
use crate::steps::{Checked, GroupRecord, NextStep, Programs, RequestPart, RequestTexts, StepState};
use std::time::Duration;
use warwolf_clock::Timestamp;
use warwolf_scan::{End, Found, Scan, Scanner};

/// What is left by sessions that are over, at the most.
const SPARE_SESSIONS: usize = 65_536;

impl Workload {
    /// Whether sessions run scenarios, so that [`Session::checked`] and [`Self::take_groups`] have something to tell.
    #[must_use]
    pub const fn has_steps(&self) -> bool {
        self.programs.is_some()
    }

    /// Sets the intended time of the next call of the session that is asked next.
    pub const fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Takes the groups that sessions have ended.
    pub fn take_groups(&mut self) -> impl Iterator<Item = GroupRecord> + '_ {
        self.groups.drain(..)
    }

    /// What evaluates the replies to a step.
    ///
    /// # Panics
    /// When there is no such step.
    #[must_use]
    pub fn scanner(&self, step: u16) -> &Scanner {
        self.programs.as_ref().expect("a step has a program").scanner(step)
    }

    /// Memory to scan a reply to a step.
    pub fn take_scan(&mut self, step: u16) -> Box<Scan> {
        let spare = self.scans.get_mut(usize::from(step)).and_then(Vec::pop);
        spare.unwrap_or_else(|| Box::new(self.scanner(step).scan()))
    }

    /// Takes back the memory that a reply was scanned with.
    pub fn return_scan(&mut self, step: u16, scan: Box<Scan>) {
        if let Some(spare) = self.scans.get_mut(usize::from(step)) {
            spare.push(scan);
        }
    }

    /// What a capture or check found instead of what it should have, for an example.
    #[must_use]
    pub fn found(&self, step: u16, scan: &Scan, checked: Checked, number: u16) -> String {
        let Some(check) = number.checked_sub(checked.captures) else {
            return match scan.capture(usize::from(number)) {
                Found::TooLong { length, max } => format!("{length} bytes, and there is room for {max}"),
                Found::Unreadable(why) => why.to_owned(),
                Found::Missing | Found::Value(_) => "nothing".to_owned(),
            };
        };
        let programs = self.programs.as_ref().expect("a step has a program");
        programs.found(step, scan, usize::from(check))
    }

    /// Takes back what a session that is over leaves to others.
    pub fn recycle(&mut self, session: Session) {
        if let (Some(mut extras), true) = (session.extras, self.has_steps())
            && self.spare.len() < SPARE_SESSIONS
        {
            extras.reset();
            self.spare.push(extras);
        }
    }
}

impl Session {
    /// Returns the next step of its scenario.
    #[expect(clippy::vec_box, reason = "sessions hold boxes, which move in and out of it")]
    pub(super) fn next_in_scenario(
        &mut self,
        programs: &mut Programs,
        now: Timestamp,
        groups: &mut Vec<GroupRecord>,
        spare: &mut Vec<Box<Extras>>,
    ) -> Step {
        if self.phase == Phase::Over {
            return self.end();
        }
        if self.outstanding > 0 {
            return Step::Wait;
        }
        let extras = self.extras.get_or_insert_with(|| spare.pop().unwrap_or_default());
        let steps = extras.steps.get_or_insert_with(|| StepState::new(programs));
        if self.phase == Phase::Fresh {
            steps.begin(programs, self.number);
        }
        self.phase = Phase::Busy;
        match steps.next(programs, self.number, now, groups) {
            NextStep::Send(request) => {
                let token = Token::planned(self.position.sent);
                self.position.last = Some(request);
                self.position.sent += 1;
                self.outstanding += 1;
                Step::Send { token, request: CallRequest::Planned(request) }
            }
            NextStep::Pause(time) => Step::Think(time),
            NextStep::Over => self.end(),
        }
    }

    /// Its position in a scenario, if it runs one.
    pub(super) fn steps<'a>(&'a self, workload: &'a Workload) -> Option<(&'a StepState, &'a Programs)> {
        Some((self.extras.as_ref()?.steps.as_ref()?, workload.programs.as_ref()?))
    }

    /// The step whose replies are scanned that the call with this token belongs to. None if nothing is scanned, as with parts
    /// of pages.
    #[must_use]
    pub fn scanned_step(&self, workload: &Workload, token: Token) -> Option<u16> {
        let (steps, programs) = self.steps(workload)?;
        let step = steps.step();
        let is_part = !token.is_planned() && self.extras.as_ref()?.is_part(token);
        (!is_part && !programs.scanner(step).is_empty()).then_some(step)
    }

    /// Begins to scan the reply to a step, for a request that is about to be sent.
    pub fn begin_scan(&self, workload: &Workload, step: u16, scan: &mut Scan) {
        if let Some((steps, programs)) = self.steps(workload) {
            scan.begin(programs.scanner(step), &steps.values(programs, self.number, workload.now));
        }
    }

    /// Ends the scan of a whole reply.
    pub fn end_scan(&self, workload: &Workload, step: u16, scan: &mut Scan, end: &End<'_>) {
        if let Some((steps, programs)) = self.steps(workload) {
            scan.end(programs.scanner(step), end, &steps.values(programs, self.number, workload.now));
        }
    }

    /// The captures and checks of the last reply of a step; nothing after other replies.
    #[must_use]
    pub fn checked(&self, workload: &Workload) -> Checked {
        self.steps(workload).map_or_else(Checked::default, |(steps, _)| steps.checked())
    }

    /// Whether a step failed after which the run stops.
    #[must_use]
    pub fn stops_run(&self) -> bool {
        self.extras.as_ref().and_then(|extras| extras.steps.as_ref()).is_some_and(|steps| steps.stops_run)
    }

    /// The limit of the present step on the time of its calls, if it has one of its own.
    #[must_use]
    pub fn timeout(&self, workload: &Workload) -> Option<Duration> {
        self.steps(workload).and_then(|(steps, programs)| steps.timeout(programs))
    }

    /// Appends path and query of a request with values. Of a value that is a whole URL, as a `Location` may be, the path is
    /// taken; the server stays that of the plan.
    pub fn write_target(&self, workload: &Workload, texts: &RequestTexts, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_part(workload, &texts.target, out);
        let target = &out[start..];
        let scheme = [&b"http://"[..], b"https://"].into_iter().find(|scheme| target.starts_with(scheme));
        if let Some(scheme) = scheme {
            let authority = target[scheme.len()..].iter().position(|byte| matches!(byte, b'/' | b'?'));
            let end = authority.map_or(target.len(), |length| scheme.len() + length);
            out.drain(start..start + end);
        }
        if out.get(start) != Some(&b'/') {
            out.insert(start, b'/');
        }
    }

    /// Appends a part of a request with values.
    pub fn write_part(&self, workload: &Workload, part: &RequestPart, out: &mut Vec<u8>) {
        if let Some((steps, programs)) = self.steps(workload) {
            steps.write_part(programs, self.number, part, out);
        }
    }

    /// Appends the field `Content-Length`, the end of the head, and a body with values.
    pub fn write_made_body(&mut self, workload: &Workload, part: &RequestPart, out: &mut Vec<u8>) {
        if let (Some(programs), Some(extras)) = (&workload.programs, &mut self.extras)
            && let Some(steps) = &mut extras.steps
        {
            steps.write_body(programs, self.number, part, out);
        }
    }
}
