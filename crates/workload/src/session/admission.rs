//! What a session does when it is told that something is forbidden: it asks to be let in, and tries once more.

use super::{Extras, Followed, Reply, Sequel, Session, Workload};
use warwolf_plan::Request;

/// The status that forbids (RFC 9110 section 15.5.4).
const FORBIDDEN: u16 = 403;

/// A call that was forbidden, to be made again when the session is let in.
#[derive(Clone, Debug)]
pub(super) struct Forbidden {
    number: u32,
    request: Request,
    before: Followed,
    /// Requests for admission that have been tried or passed over.
    tried: usize,
}

impl Session {
    /// Asks to be let in where a reply forbids, and makes the call again after it has been.
    pub(super) fn admit(&mut self, workload: &Workload, reply: &Reply<'_>, before: Followed) -> Sequel {
        if before.admits == 0 {
            if reply.status != FORBIDDEN || before.is_admitted {
                return Sequel::AsPlanned;
            }
            let Extras { forbidden, refusals, .. } = &mut **self.extras.get_or_insert_default();
            *refusals += 1;
            let number = *refusals;
            forbidden.push(Forbidden { number, request: reply.request.clone(), before, tried: 0 });
            return self.ask_for_admission(workload, number);
        }
        if reply.status >= 400 {
            return self.ask_for_admission(workload, before.admits);
        }
        let Some(extras) = &mut self.extras else { return Sequel::AsPlanned };
        let Some(place) = extras.forbidden.iter().position(|call| call.number == before.admits) else {
            return Sequel::AsPlanned;
        };
        let Forbidden { request, before, .. } = extras.forbidden.swap_remove(place);
        self.answer(request, Followed { is_admitted: true, ..before });
        Sequel::Another
    }

    /// Sends the next request that may let the session in to what it was forbidden, if there is one for that host.
    pub(super) fn ask_for_admission(&mut self, workload: &Workload, number: u32) -> Sequel {
        let Some(extras) = &mut self.extras else { return Sequel::AsPlanned };
        let Some(place) = extras.forbidden.iter().position(|call| call.number == number) else {
            return Sequel::AsPlanned;
        };
        let call = &mut extras.forbidden[place];
        let host = &call.request.endpoint.host;
        let rest = &workload.admission[call.tried..];
        match rest.iter().position(|request| request.endpoint.host.eq_ignore_ascii_case(host)) {
            Some(next) => {
                call.tried += next + 1;
                self.answer(rest[next].clone(), Followed { admits: number, ..Followed::PLANNED });
                Sequel::Another
            }
            None => {
                extras.forbidden.swap_remove(place);
                Sequel::AsPlanned
            }
        }
    }
}
