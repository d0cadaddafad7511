//! The classic programs' command lines, held against the originals.

mod counts;
mod http_load;
mod httperf;
mod siege;
mod torture_pl;
