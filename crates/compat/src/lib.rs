//! Front ends for classic load testers: they translate command lines into plans and print results in the original
//! formats.
//!
//! Each module translates the arguments of one classic into a plan, counts its calls with one
//! [`Observer`](warwolf_observe::Observer) per worker, and prints its report. This crate sends nothing. Input files (rc
//! files, URL lists, logs) are passed in as text. `cli` runs the plans.
#![forbid(unsafe_code)]

mod console;

pub use console::Console;

pub mod http_load;

pub mod siege;

pub mod torture;

pub mod httperf;

/// Maps each byte to one character, the encoding of heads in a plan.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Longest response head, in bytes. The originals have no limit; `curl` has one of 300 KB.
pub(crate) const HEAD_MAX: u32 = 256 << 10;
