//! The classics: their command lines become plans, and what was measured becomes their reports.
//!
//! Each module translates the arguments of one classic into a plan, counts its calls with one
//! [`Observer`](warwolf_observe::Observer) per worker, and prints its report. Nothing is sent here. The files they read (rc
//! files, URL lists, logs) are passed in as text. `cli` runs the plans.
#![forbid(unsafe_code)]

mod console;

pub use console::Console;

pub mod http_load;

pub mod siege;

pub mod torture;

pub mod httperf;

/// Bytes as characters, one for each: how heads are written in a plan.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Longest head of a response, in bytes. The originals have no limit; `curl` has one of 300 KB.
pub(crate) const HEAD_MAX: u32 = 256 << 10;
