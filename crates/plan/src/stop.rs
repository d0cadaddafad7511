use crate::PlanError;
use std::time::Duration;

/// When the run ends: at whichever comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// After this time, warm-up included.
    pub duration: Option<Duration>,
    /// After this many calls in a closed loop, or this many arrivals in an open one. In a closed loop user u of c makes
    /// calls u, u + c, u + 2c, … of the run's sequence, so that the calls do not depend on who is faster.
    pub calls: Option<u64>,
    /// How long calls in flight at the end may go on before they are cut and counted as unfinished.
    pub grace: Duration,
}

impl Stop {
    /// After `duration`, cutting what is in flight.
    #[must_use]
    pub const fn after(duration: Duration) -> Self {
        Self { duration: Some(duration), calls: None, grace: Duration::ZERO }
    }

    /// After `calls` calls.
    #[must_use]
    pub const fn after_calls(calls: u64) -> Self {
        Self { duration: None, calls: Some(calls), grace: Duration::ZERO }
    }

    /// Checks the limits; `counted` is the key of the number of calls or sessions.
    pub(crate) fn check(&self, counted: &str) -> Result<(), PlanError> {
        if self.calls == Some(0) {
            return Err(PlanError::new(format!("load.{counted}"), "0", "use 1 or more"));
        }
        if self.duration == Some(Duration::ZERO) {
            return Err(PlanError::new("load.duration", "0s", "use more than zero"));
        }
        Ok(())
    }
}
