//! How long a user pauses.

use crate::seed::Stream;
use std::time::Duration;
use warwolf_plan::Think;

/// Pause `position` of the session whose stream this is.
pub(crate) fn draw(think: &Think, stream: Stream, position: u64) -> Duration {
    match *think {
        Think::None => Duration::ZERO,
        Think::Constant { time } => time,
        Think::Uniform { min, max } => {
            let span = nanos(max).saturating_sub(nanos(min));
            Duration::from_nanos(nanos(min) + stream.below(position, span.saturating_add(1)))
        }
        // The cast saturates: a pause of more than 584 years is as good as one of 584.
        Think::Exponential { mean } => {
            Duration::from_nanos((stream.exponential(position) * nanos(mean) as f64).round() as u64)
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
