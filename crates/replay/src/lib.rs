//! Replays an access log: which of its requests are sent, where and when, and how closely the times of the log were kept.
//!
//! [`Log`] reads a log in parts of some seconds, so that memory does not grow with it. [`Replay`] makes a plan of each part and
//! joins the runs. The caller opens the log, waits, runs the plans and prints.
#![forbid(unsafe_code)]

mod destinations;
mod filter;
mod log;
mod schedule;

pub use destinations::{Call, Destinations, Keep, MapError};
pub use filter::{Filter, StatusRange};
pub use log::{Counts, Log, LogError, Skipped};
pub use schedule::{Pace, Replay, Timing};
