//! Walks the links of one site, and keeps what it found: a list of URLs, and which page leads to which.
//!
//! Polite by construction: one origin, `robots.txt`, a rate, a depth, a number of pages; forms are left alone. Memory is bounded
//! by the limits, whatever the site says.
#![forbid(unsafe_code)]

mod frontier;
mod links;
mod robots;
mod walk;

pub use links::{Found, links};
pub use robots::Robots;
pub use walk::{Limits, Page, Progress, Site, Walk, WalkError};
