//! Tests that measure time closely and therefore run one at a time, with nothing else beside them.

mod measured;
mod truth;
mod verdicts;
