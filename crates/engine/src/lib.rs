//! Runs a plan: one worker per core, and the thread that starts them and adds up their counts.
//!
//! [`run`] takes a [`Plan`](warwolf_plan::Plan) and gives a [`Run`](warwolf_measure::Run): the plan's text, the timeline of what was counted, and the evidence from
//! which a report judges whether the figures can be believed. The engine prints nothing and knows no front end.
//!
//! Start reading at `worker::Worker::turn`.
#![forbid(unsafe_code)]

mod accounting;
mod call;
mod capacity;
mod connection;
mod control;
mod error;
mod filling;
mod health;
mod labels;
mod network;
mod pool;
mod recorder;
mod resolve;
mod sessions;
mod setup;
mod sink;
mod threads;
mod timers;
mod translate;
mod window;
mod worker;

pub use capacity::Capacity;
pub use control::Control;
pub use error::{DriverError, SetupError};
pub use labels::{labels, row_labels};
pub use resolve::resolve;
pub use threads::{PreparedRun, describe, run, run_observed};
pub use warwolf_driver::Monotonic;
