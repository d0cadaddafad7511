//! Recovers from a status: sends requests that may remove the cause, then repeats the call.

use super::{Extras, Provenance, Unplanned};
use crate::session::Reply;
use warwolf_plan::{Recovery, Request};

/// The role of a call in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    /// A recovery request for the refused call of this number.
    For(u32),
    /// A refused call, repeated after a recovery.
    Repeated,
}

/// The refused calls for which recovery requests are sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    refused: Vec<Refused>,
    /// Total number of refused calls so far.
    count: u32,
}

/// A refused call, which is repeated after a recovery.
#[derive(Clone, Debug)]
struct Refused {
    number: u32,
    request: Request,
    from: Provenance,
    /// Number of recovery requests that were tried or skipped.
    tried: usize,
}

/// Begins or continues a recovery. If a recovery request gets no reply at all, the next one is tried.
pub(super) fn reply(
    recovery: &Recovery,
    extras: &mut Option<Box<Extras>>,
    reply: &Reply<'_>,
    from: Provenance,
) -> Option<Unplanned> {
    match (from.recovery, reply.status()) {
        (Role::None, Some(status)) if status == recovery.status => {
            let state = &mut extras.get_or_insert_default().recovery;
            let number = state.refuse(&reply.sent(), from);
            state.try_next(recovery, number)
        }
        (Role::For(number), Some(..400)) => extras.as_mut()?.recovery.repeat(number),
        (Role::For(number), _) => extras.as_mut()?.recovery.try_next(recovery, number),
        (Role::None | Role::Repeated, _) => None,
    }
}

impl State {
    fn refuse(&mut self, request: &Request, from: Provenance) -> u32 {
        self.count += 1;
        let (number, request) = (self.count, request.clone());
        self.refused.push(Refused { number, request, from, tried: 0 });
        number
    }

    fn position(&self, number: u32) -> Option<usize> {
        self.refused.iter().position(|call| call.number == number)
    }

    /// Returns the next recovery request for the host of the refused call; if there is none, the refusal stands.
    fn try_next(&mut self, recovery: &Recovery, number: u32) -> Option<Unplanned> {
        let position = self.position(number)?;
        let call = &mut self.refused[position];
        let host = &call.request.endpoint.host;
        let rest = &recovery.requests[call.tried..];
        let Some(next) = rest.iter().position(|request| request.endpoint.host.eq_ignore_ascii_case(host))
        else {
            self.refused.swap_remove(position);
            return None;
        };
        call.tried += next + 1;
        let from = Provenance { recovery: Role::For(number), ..Provenance::PLANNED };
        Some(Unplanned { request: rest[next].clone(), from })
    }

    /// Repeats the refused call.
    fn repeat(&mut self, number: u32) -> Option<Unplanned> {
        let Refused { request, from, .. } = self.refused.swap_remove(self.position(number)?);
        Some(Unplanned { request, from: Provenance { recovery: Role::Repeated, ..from } })
    }
}
