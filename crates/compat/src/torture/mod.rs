//! `torture.pl` 1.05 (Stein, 1999).
//!
//! [`parse`] makes a plan of its words, [`Count`] adds up what the transactions of the run came to, and [`report()`] prints
//! that as the original does. What differs from the original on purpose is in `docs/torture_pl.md`.

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

/// What a command line of `torture.pl` means.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The load.
    pub plan: Plan,
    /// What is printed about it.
    pub style: Style,
}

/// What is printed, and how many transactions there are to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The program's name as it was called.
    pub name: String,
    /// Copies, each of which fetches by itself.
    pub copies: u32,
    /// Fetches of each copy.
    pub times: u64,
    /// The number that random data is made from.
    pub seed: u64,
    /// Whether more is said on stderr than the original says.
    pub verbose: bool,
    /// How long a copy waits for a sign of the server; none means for ever.
    pub patience: Option<Duration>,
}

impl Style {
    /// Transactions that were asked for.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        u64::from(self.copies).saturating_mul(self.times)
    }
}
