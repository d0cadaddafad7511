//! Replays an access log: which of its requests are sent, where and when, and how closely the times of the log were kept.
//!
//! [`Log`] reads a log in parts of some seconds, so that memory does not grow with it. [`Replay`] gives each request its time; all
//! of them are fed to one run. The caller opens the log, runs the plan and prints.
#![forbid(unsafe_code)]

mod destinations;
mod filter;
mod hosts;
mod log;
mod rows;
mod schedule;

pub use destinations::{Call, Destinations, Keep, MapError};
pub use filter::{Filter, StatusRange};
pub use hosts::Hosts;
pub use log::{Counts, Log, LogError, Skipped};
pub use schedule::{Pace, Replay, prepare};
