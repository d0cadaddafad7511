//! Follows the links of one site and returns its pages and the links between them.
//!
//! The crawler stays within one origin, obeys `robots.txt`, limits the rate, the depth and the number of pages, and never submits
//! forms. The limits bound the memory use for every site.
#![forbid(unsafe_code)]

mod frontier;
mod links;
mod robots;
mod site;
mod walk;

pub use links::{Found, links};
pub use robots::Robots;
pub use site::{BrokenLink, PageCounts};
pub use walk::{Limits, Page, Progress, Site, Walk, WalkError};
