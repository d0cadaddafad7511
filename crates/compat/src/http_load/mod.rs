//! `http_load` (Poskanzer), the releases of 2006 and 2014.
//!
//! [`parse`] translates its arguments into a plan, [`Count`] counts the fetches of the run, and [`report()`] prints
//! them in the original's format. Deliberate differences from the original are in `docs/http_load.md`.

mod checksum;
mod count;
mod number;
mod observer;
mod options;
mod report;
#[cfg(test)]
mod tests;
mod urls;

pub use count::{Count, Ending, Fetch};
pub use observer::{Counter, Minutes};
pub use options::{Machine, Usage, parse};
pub use report::{Totals, progress, report, unresolved};

use warwolf_plan::Plan;

/// A parsed command line of `http_load`.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The load.
    pub plan: Plan,
    /// What is printed, and how.
    pub style: Style,
}

/// What is printed, and the number of fetches that ends the run, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The program's name as invoked, the prefix of messages.
    pub name: String,
    /// What is compared between the fetches of one URL.
    pub check: Check,
    /// Whether to print a progress line every minute.
    pub verbose: bool,
    /// The run ends after this many fetches.
    pub fetches: Option<u64>,
    /// The lines of the URL file, in order; messages about fetches begin with them.
    pub urls: Vec<String>,
}

/// What is compared between the fetches of one URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// The number of bytes.
    #[default]
    Bytes,
    /// The 16-bit checksum of the body.
    Checksum,
    /// Nothing; for pages that differ each time.
    Nothing,
}
