//! Commands that make many runs: each reads arguments, runs plans, and leaves the evaluation to `warwolf_experiment`.

mod capacity;
mod compare;
mod runner;
mod sides;
mod sweep;
mod vary;

pub(crate) use capacity::capacity;
pub(crate) use compare::{compare, compare_kept};
pub(crate) use sweep::sweep;
