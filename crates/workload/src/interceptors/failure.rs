//! What a failed call means for its session.

use crate::session::Reply;
use warwolf_plan::FailureRule;

/// What the plan's failure rule says about a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The session goes on.
    Accepted,
    /// The call is to be made again.
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
