//! The classics: their command lines become plans, and what was measured becomes their reports.
//!
//! Each module is a translation between one classic's words and ours, in two pure functions; nothing is generated and
//! nothing is sent here. What they read (rc files, URL lists, logs) is handed in as text. `cli` calls them.
#![forbid(unsafe_code)]

pub mod http_load;

pub mod siege;

pub mod torture;

pub mod httperf;

/// Bytes as characters, one for each: how heads are written in a plan.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
