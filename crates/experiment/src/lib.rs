//! Experiments made of many runs: what to run next, and what the runs together say.
//!
//! Pure: a caller makes the runs and hands over what they counted. Nothing here reads a clock, opens anything or prints;
//! chance comes from a seed.
#![forbid(unsafe_code)]

pub mod capacity;
mod chance;
pub mod compare;
mod joined;
mod load;
pub mod sweep;

pub use chance::Chance;
pub use joined::{Joining, joined};
pub use load::{first_difference, hindrance_to_slices};
