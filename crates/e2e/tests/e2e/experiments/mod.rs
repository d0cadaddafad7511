//! Commands that are more than one load: compare, sweep, capacity, crawl, replay, torture.

mod comparisons;
mod crawl;
mod replay;
mod replayed;
mod torture;
