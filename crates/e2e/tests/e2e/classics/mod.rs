//! The classic programs' command lines, held against the originals.

mod counts;
mod http_load;
mod httperf;
mod lists;
mod siege;
mod torture_pl;
