//! Decides what a failed call, or a status, means for its session.

use crate::session::Reply;
use warwolf_plan::FailureRule;

/// The decision of the plan's failure rule about a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The session continues.
    Accepted,
    /// The call is repeated.
    Again,
    /// The session ends as failed.
    Failed,
}

#[inline]
pub(crate) fn judge(rule: &FailureRule, reply: &Reply<'_>) -> Judgement {
    match reply.status() {
        None if rule.on_error => Judgement::Failed,
        Some(status) if rule.statuses.contains(&status) => {
            if rule.retry {
                Judgement::Again
            } else {
                Judgement::Failed
            }
        }
        _ => Judgement::Accepted,
    }
}
