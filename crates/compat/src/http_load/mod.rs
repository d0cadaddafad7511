//! `http_load` (Poskanzer), the releases of 2006 and 2014.
//!
//! [`parse`] makes a plan of its words, [`Count`] adds up what the fetches of the run came to, and [`report()`] prints that
//! as the original does. What differs from the original on purpose is in `docs/http_load.md`.

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

/// What a command line of `http_load` means.
#[derive(Clone, Debug, PartialEq)]
pub struct Classic {
    /// The load.
    pub plan: Plan,
    /// What is printed about it.
    pub style: Style,
}

/// What is printed, and when a run by number of fetches is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The program's name as it was called: what messages begin with.
    pub name: String,
    /// What is compared between the fetches of one URL.
    pub check: Check,
    /// Whether a line about the state of things is printed every minute.
    pub verbose: bool,
    /// The run is over when this many fetches are.
    pub fetches: Option<u64>,
    /// The lines of the file, in order: what messages about fetches begin with.
    pub urls: Vec<String>,
}

/// What is compared between the fetches of one URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// The number of bytes.
    #[default]
    Bytes,
    /// The checksum: 16 bits, rotated right and added to.
    Checksum,
    /// Nothing: for pages that differ each time.
    Nothing,
}
