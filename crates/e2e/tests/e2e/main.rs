//! The program from the outside: arguments in, text and an exit code out, against real servers.
//!
//! `cargo xtask ci` runs everything but `quiet::` with many threads, because these tests mostly wait, and then `quiet::`
//! one test at a time.
#![forbid(unsafe_code)]

mod classics;
mod experiments;
mod quiet;
mod run;
