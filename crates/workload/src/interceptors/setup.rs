//! The request that a session sends before its planned calls.

use super::{Provenance, Unplanned};
use warwolf_plan::Request;

/// Returns the setup call of session `number`, if the plan has setup requests.
pub(crate) fn call(requests: &[Request], number: u64) -> Option<Unplanned> {
    let index = number.checked_rem(requests.len() as u64)?;
    Some(Unplanned { request: requests[index as usize].clone(), from: Provenance::PLANNED })
}
