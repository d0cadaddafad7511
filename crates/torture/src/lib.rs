//! Finding servers that answer wrongly or fall over: seeded requests under load, and what came of them.
//!
//! A [`Generator`] makes request `k` of a seed; a `hunt` sends them, judges the answers ([`judge`]), replays what looks like trouble
//! alone, shrinks it ([`shrink()`]) and groups it. What is sent is exact bytes, so a finding is a line of text ([`spelling`]).
#![forbid(unsafe_code)]

mod chance;
pub mod curl;
mod finding;
mod generate;
mod hunt;
mod report;
mod scope;
mod sense;
mod shrink;
pub mod spelling;
mod trouble;

pub use finding::{Doubt, Finding, Outcome, Subject, from_json};
pub use generate::{Base, Generated, Generator, Trap, traps};
pub use hunt::{Hunt, HuntError, Options, Progress, replay};
pub use report::{Format, render};
pub use scope::is_private;
pub use sense::{is_versioned, owes_reply};
pub use shrink::{Oracle, shrink};
pub use trouble::{Trouble, is_slower, judge};
