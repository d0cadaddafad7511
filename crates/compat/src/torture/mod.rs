//! `torture.pl` 1.05 (Stein, 1999).
//!
//! [`parse`] translates its arguments into a plan, [`Count`] counts the transactions of the run, and [`report()`]
//! prints them in the original's format. Deliberate differences from the original are in `docs/torture_pl.md`.

mod count;
mod observer;
mod options;
mod report;
#[cfg(test)]
mod tests;

pub use count::{Count, Transaction};
pub use observer::Counter;
pub use options::{Usage, parse};
pub use report::{Own, details, ending, report, starting};

use std::time::Duration;
use warwolf_plan::Plan;

/// A parsed command line of `torture.pl`.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The load.
    pub plan: Plan,
    /// What is printed, and how.
    pub style: Style,
}

/// What is printed, and the number of transactions.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The program's name as invoked.
    pub name: String,
    /// Number of copies; each makes its own requests.
    pub copies: u32,
    /// Requests per copy.
    pub times: u64,
    /// Seed of the random data.
    pub seed: u64,
    /// Whether to print more on stderr than the original does.
    pub verbose: bool,
    /// How long a copy waits for data from the server; `None` waits without limit.
    pub patience: Option<Duration>,
}

impl Style {
    /// Returns the number of transactions requested.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        u64::from(self.copies).saturating_mul(self.times)
    }
}
