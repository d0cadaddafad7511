//! Commands that make many runs: each reads words, runs plans, and hands what was counted to `experiment`, which decides.

mod capacity;
mod compare;
mod runner;
mod sides;
mod sweep;
mod vary;
pub(crate) mod words;
mod written;

pub(crate) use capacity::capacity;
pub(crate) use compare::{compare, compare_kept};
pub(crate) use runner::Runner;
pub(crate) use sweep::sweep;
pub(crate) use written::Waiting;
